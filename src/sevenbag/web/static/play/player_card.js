// A player's card: name, board, statistics, think times. The message log is below both cards.

import { drawBoard, drawTimes } from "./board.js";
import { MessageLog } from "./message_log.js";

/** @typedef {import("./types.js").DrawingData} DrawingData */
/** @typedef {import("./types.js").PlayerPanel} PlayerPanel */

const MAX_TIMES = 60;

export class PlayerCard {
  #drawing;
  #name;
  #badge;
  #board;
  #clear;
  #statistics;
  #timesCanvas;
  #timesNote;
  /** @type {number[]} */
  #thinkTimes = [];
  /** @type {string[]} */
  #previousRows = [];
  /** @type {Pick<PlayerPanel, "rows" | "hold" | "queue" | "pending"> | null} */
  #panel = null;
  #clearCount = 0;

  /**
   * @param {HTMLElement} card
   * @param {HTMLDetailsElement} log  messages of its worker
   * @param {DrawingData} drawing
   */
  constructor(card, log, drawing) {
    const find = (/** @type {string} */ selector) => /** @type {HTMLElement} */ (card.querySelector(selector));
    this.#drawing = drawing;
    this.#name = find("h2");
    this.#badge = find(".badge");
    this.#board = /** @type {HTMLCanvasElement} */ (find(".board"));
    this.#clear = find(".clear");
    this.#statistics = find(".statistics");
    this.#timesCanvas = /** @type {HTMLCanvasElement} */ (find(".think-times"));
    this.#timesNote = find(".thinking .note");
    this.log = new MessageLog(log);
    new ResizeObserver(() => this.#draw()).observe(this.#board);
  }

  /**
   * Show an empty board before the game.
   *
   * @param {string} name
   * @param {[number, number]} size  columns and visible rows
   * @param {boolean} isWorker
   */
  reset(name, [columns, rows], isWorker) {
    this.#thinkTimes = [];
    this.#clearCount = 0;
    this.#previousRows = [];
    this.#badge.toggleAttribute("hidden", true);
    this.#clear.textContent = "";
    this.#statistics.replaceChildren();
    this.#timesNote.textContent = "";
    this.setName(name, name);
    this.log.clear(isWorker);
    this.#panel = { rows: Array(rows).fill(".".repeat(columns)), hold: null, queue: [], pending: 0 };
    this.#draw();
  }

  /**
   * @param {string} name
   * @param {string} line  shown as a tooltip
   */
  setName(name, line = this.#name.title) {
    this.#name.textContent = name;
    this.#name.title = line;
    this.#board.setAttribute("aria-label", `Board of ${name}`);
    this.log.setName(name);
  }

  /** @param {PlayerPanel} panel */
  update(panel) {
    this.setName(panel.name);
    this.#previousRows = this.#panel?.rows ?? [];
    this.#panel = panel;
    this.#thinkTimes = [...this.#thinkTimes, ...panel.think_times].slice(-MAX_TIMES);
    this.#draw();
    this.#statistics.replaceChildren(...panel.statistics.map(([label, value]) => createStatistic(label, value)));
    const last = this.#thinkTimes[this.#thinkTimes.length - 1];
    if (last !== undefined) this.#timesNote.textContent = `last ${formatMilliseconds(last)}`;
    if (panel.clear_count !== this.#clearCount) {
      this.#clearCount = panel.clear_count;
      this.#clear.textContent = panel.clear_text;
      this.#clear.classList.remove("new");
      void this.#clear.offsetWidth; // restarts the animation
      this.#clear.classList.add("new");
    }
    this.#badge.toggleAttribute("hidden", !panel.is_winner && !panel.loss);
    this.#badge.classList.toggle("won", panel.is_winner);
    this.#badge.textContent = panel.is_winner ? "winner" : panel.loss;
  }

  #draw() {
    if (!this.#panel || !this.#board.clientWidth) return;
    drawBoard(this.#board, this.#panel, this.#drawing, this.#previousRows);
    drawTimes(this.#timesCanvas, this.#thinkTimes, MAX_TIMES);
  }
}

/**
 * @param {string} label
 * @param {string} value
 */
function createStatistic(label, value) {
  const pair = document.createElement("div");
  const term = document.createElement("dt");
  const definition = document.createElement("dd");
  term.textContent = label;
  definition.textContent = value;
  pair.classList.toggle("alarm", label === "garbage" && value !== "0");
  pair.append(term, definition);
  return pair;
}

/** @param {number} time */
function formatMilliseconds(time) {
  return `${time >= 100 ? time.toFixed(0) : time.toPrecision(2)} ms`;
}
