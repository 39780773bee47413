// Two boards and all that is told beside them, live or of a replay.

import { Queue } from "./queue.js";
import { Well } from "./well.js";

/** @typedef {import("./types.js").Facts} Facts */
/** @typedef {import("./types.js").Picture} Picture */
/** @typedef {Pick<Picture, "boards" | "pieces" | "queue" | "scores" | "lines" | "level"> & Partial<Picture>} Seen */

/** @param {Element} root @returns {Facts} */
export function factsOf(root) {
  return JSON.parse(/** @type {HTMLElement} */ (root.closest("[data-facts]")).dataset.facts ?? "{}");
}

export class Stage {
  #root;
  #wells;
  #queue;
  #moved = { clears: -1, rises: -1 };

  /** @param {HTMLElement} root */
  constructor(root) {
    const facts = factsOf(root);
    this.#root = root;
    this.#wells = [...root.querySelectorAll("canvas.well")].map(
      (canvas) => new Well(/** @type {HTMLCanvasElement} */ (canvas), facts),
    );
    const queue = root.querySelector("canvas.queue");
    this.#queue = queue && new Queue(/** @type {HTMLCanvasElement} */ (queue), facts);
  }

  /** @param {Seen} seen */
  show(seen) {
    this.#wells.forEach((well, seat) => {
      well.show(seen.boards[seat], seen.pieces[seat]);
      this.#write("score", seat, seen.scores?.[seat]);
      this.#write("lines", seat, seen.lines?.[seat]);
      this.#write("locked", seat, seen.locked?.[seat]);
      this.#write("games", seat, seen.games?.[seat]);
    });
    this.#queue?.show(seen.queue);
    this.#write("level", null, seen.level);
  }

  /**
   * The moving parts of a picture that is live; each is seen once.
   *
   * @param {Picture} picture
   */
  move(picture) {
    for (const [number, seat, rows] of picture.clears) {
      if (number > this.#moved.clears && this.#moved.clears >= 0) this.flash(seat, rows);
    }
    for (const [number, seat, rows] of picture.rises) {
      if (number > this.#moved.rises && this.#moved.rises >= 0) this.rise(seat, rows);
    }
    this.#moved = { clears: last(picture.clears), rises: last(picture.rises) };
  }

  /**
   * @param {number} seat
   * @param {number[]} rows
   */
  flash(seat, rows) {
    this.#wells[seat]?.flash(rows);
  }

  /**
   * @param {number} seat
   * @param {number} rows
   */
  rise(seat, rows) {
    this.#wells[seat]?.rise(rows);
  }

  /** @param {number | null} winner  of the game that is over; null while there is none */
  crown(winner) {
    this.#wells.forEach((well, seat) => well.dim(winner !== null && winner !== seat));
    for (const badge of this.#root.querySelectorAll(".won-game")) {
      const of = Number(/** @type {HTMLElement} */ (badge).dataset.seat);
      /** @type {HTMLElement} */ (badge).hidden = winner !== of;
    }
  }

  /**
   * @param {string} what
   * @param {number | null} seat
   * @param {number | null | undefined} value  nothing where it is not known
   */
  #write(what, seat, value) {
    const at = seat === null ? "" : `[data-seat="${seat}"]`;
    const shown = this.#root.querySelector(`[data-figure="${what}"]${at}`);
    const text = value?.toLocaleString("en") ?? "";
    if (shown && text && shown.textContent !== text) shown.textContent = text;
  }
}

/** @param {[number, ...unknown[]][]} moments */
function last(moments) {
  return moments.length ? moments[moments.length - 1][0] : 0;
}
