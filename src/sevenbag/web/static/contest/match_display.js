// Two boards with statistics and queue, of a live match or a replay.

import { QueueView } from "./queue_view.js";
import { TeamBoard } from "./team_board.js";

/** @typedef {import("./types.js").DrawingData} DrawingData */
/** @typedef {import("./types.js").MatchFrame} MatchFrame */
/** @typedef {Pick<MatchFrame, "boards" | "pieces" | "queue" | "scores" | "lines" | "level"> & Partial<MatchFrame>} DisplayedState */

/** @param {Element} root @returns {DrawingData} */
export function readDrawingData(root) {
  return JSON.parse(/** @type {HTMLElement} */ (root.closest("[data-drawing]")).dataset.drawing ?? "{}");
}

export class MatchDisplay {
  #root;
  #boards;
  #queue;
  #animated = { clears: -1, rises: -1 };

  /** @param {HTMLElement} root */
  constructor(root) {
    const drawing = readDrawingData(root);
    this.#root = root;
    this.#boards = [...root.querySelectorAll("canvas.board")].map(
      (canvas) => new TeamBoard(/** @type {HTMLCanvasElement} */ (canvas), drawing),
    );
    const queue = root.querySelector("canvas.queue");
    this.#queue = queue && new QueueView(/** @type {HTMLCanvasElement} */ (queue), drawing);
  }

  /** @param {DisplayedState} state */
  show(state) {
    this.#boards.forEach((board, seat) => {
      board.show(state.boards[seat], state.pieces[seat]);
      this.#setStatistic("score", seat, state.scores?.[seat]);
      this.#setStatistic("lines", seat, state.lines?.[seat]);
      this.#setStatistic("locked", seat, state.locked?.[seat]);
      this.#setStatistic("games", seat, state.games?.[seat]);
    });
    this.#queue?.show(state.queue);
    this.#setStatistic("level", null, state.level);
  }

  /**
   * Animate clears and garbage that are new in a live frame.
   *
   * @param {MatchFrame} frame
   */
  animate(frame) {
    for (const [number, seat, rows] of frame.clears) {
      if (number > this.#animated.clears && this.#animated.clears >= 0) this.flash(seat, rows);
    }
    for (const [number, seat, rows] of frame.garbage_rises) {
      if (number > this.#animated.rises && this.#animated.rises >= 0) this.animateGarbage(seat, rows);
    }
    this.#animated = { clears: lastNumber(frame.clears), rises: lastNumber(frame.garbage_rises) };
  }

  /**
   * @param {number} seat
   * @param {number[]} rows
   */
  flash(seat, rows) {
    this.#boards[seat]?.flash(rows);
  }

  /**
   * @param {number} seat
   * @param {number} rows
   */
  animateGarbage(seat, rows) {
    this.#boards[seat]?.animateGarbage(rows);
  }

  /** @param {number | null} winner  of a finished game; null during a game */
  showWinner(winner) {
    this.#boards.forEach((board, seat) => board.setDimmed(winner !== null && winner !== seat));
    for (const badge of this.#root.querySelectorAll(".won-game")) {
      const of = Number(/** @type {HTMLElement} */ (badge).dataset.seat);
      /** @type {HTMLElement} */ (badge).hidden = winner !== of;
    }
  }

  /**
   * @param {string} name
   * @param {number | null} seat
   * @param {number | null | undefined} value  null if unknown
   */
  #setStatistic(name, seat, value) {
    const selector = seat === null ? "" : `[data-seat="${seat}"]`;
    const element = this.#root.querySelector(`[data-statistic="${name}"]${selector}`);
    const text = value?.toLocaleString("en") ?? "";
    if (element && text && element.textContent !== text) element.textContent = text;
  }
}

/** @param {[number, ...unknown[]][]} entries */
function lastNumber(entries) {
  return entries.length ? entries[entries.length - 1][0] : 0;
}
