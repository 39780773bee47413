// A player's card: name, board, figures, times. The messages lie below both cards.

import { drawBoard, drawTimes } from "./board.js";
import { Talk } from "./talk.js";

/** @typedef {import("./types.js").Facts} Facts */
/** @typedef {import("./types.js").Side} Side */

const MOST_TIMES = 60;

export class Card {
  #facts;
  #name;
  #badge;
  #board;
  #clear;
  #figures;
  #timesCanvas;
  #timesNote;
  /** @type {number[]} */
  #times = [];
  /** @type {string[]} */
  #before = [];
  /** @type {Pick<Side, "rows" | "hold" | "queue" | "pending"> | null} */
  #shown = null;
  #clears = 0;

  /**
   * @param {HTMLElement} card
   * @param {HTMLDetailsElement} talk  what its worker says
   * @param {Facts} facts
   */
  constructor(card, talk, facts) {
    const find = (/** @type {string} */ what) => /** @type {HTMLElement} */ (card.querySelector(what));
    this.#facts = facts;
    this.#name = find("h2");
    this.#badge = find(".badge");
    this.#board = /** @type {HTMLCanvasElement} */ (find(".board"));
    this.#clear = find(".clear");
    this.#figures = find(".figures");
    this.#timesCanvas = /** @type {HTMLCanvasElement} */ (find(".times"));
    this.#timesNote = find(".thinking .note");
    this.talk = new Talk(talk);
    new ResizeObserver(() => this.#draw()).observe(this.#board);
  }

  /**
   * An empty board, before the game.
   *
   * @param {string} name
   * @param {[number, number]} size  columns and visible rows
   * @param {boolean} isWorker
   */
  clear(name, [columns, rows], isWorker) {
    this.#times = [];
    this.#clears = 0;
    this.#before = [];
    this.#badge.toggleAttribute("hidden", true);
    this.#clear.textContent = "";
    this.#figures.replaceChildren();
    this.#timesNote.textContent = "";
    this.call(name, name);
    this.talk.clear(isWorker);
    this.#shown = { rows: Array(rows).fill(".".repeat(columns)), hold: null, queue: [], pending: 0 };
    this.#draw();
  }

  /**
   * @param {string} name
   * @param {string} line  more about it, for those who point at it
   */
  call(name, line = this.#name.title) {
    this.#name.textContent = name;
    this.#name.title = line;
    this.#board.setAttribute("aria-label", `Board of ${name}`);
    this.talk.call(name);
  }

  /** @param {Side} side */
  show(side) {
    this.call(side.name);
    this.#before = this.#shown?.rows ?? [];
    this.#shown = side;
    this.#times = [...this.#times, ...side.times].slice(-MOST_TIMES);
    this.#draw();
    this.#figures.replaceChildren(...side.figures.map(([label, value]) => figure(label, value)));
    const last = this.#times[this.#times.length - 1];
    if (last !== undefined) this.#timesNote.textContent = `last ${milliseconds(last)}`;
    if (side.clears !== this.#clears) {
      this.#clears = side.clears;
      this.#clear.textContent = side.clear;
      this.#clear.classList.remove("new");
      void this.#clear.offsetWidth; // else the animation would not begin again
      this.#clear.classList.add("new");
    }
    this.#badge.toggleAttribute("hidden", !side.won && !side.fall);
    this.#badge.classList.toggle("won", side.won);
    this.#badge.textContent = side.won ? "winner" : side.fall;
  }

  #draw() {
    if (!this.#shown || !this.#board.clientWidth) return;
    drawBoard(this.#board, this.#shown, this.#facts, this.#before);
    drawTimes(this.#timesCanvas, this.#times, MOST_TIMES);
  }
}

/**
 * @param {string} label
 * @param {string} value
 */
function figure(label, value) {
  const pair = document.createElement("div");
  const term = document.createElement("dt");
  const given = document.createElement("dd");
  term.textContent = label;
  given.textContent = value;
  pair.classList.toggle("alarm", label === "garbage" && value !== "0");
  pair.append(term, given);
  return pair;
}

/** @param {number} time */
function milliseconds(time) {
  return `${time >= 100 ? time.toFixed(0) : time.toPrecision(2)} ms`;
}
