// Draws the queue that both players share: downwards, or along a strip where there is little room.

import { block, fitted } from "../pen.js";

/** @typedef {import("./types.js").Facts} Facts */

const SLOT = 4.4; // cells along the strip
const TALL = 2.9; // and down the column
const SHOWN = 5;

export class Queue {
  #canvas;
  #facts;
  #letters = "";
  #waiting = false;

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {Facts} facts
   */
  constructor(canvas, facts) {
    this.#canvas = canvas;
    this.#facts = facts;
    new ResizeObserver(() => this.#soon()).observe(canvas);
  }

  /** @param {string} letters */
  show(letters) {
    if (letters === this.#letters) return;
    this.#letters = letters;
    this.#canvas.setAttribute("aria-label", letters ? `Next pieces: ${[...letters].join(", ")}` : "No queue yet");
    this.#soon();
  }

  #soon() {
    if (this.#waiting) return;
    this.#waiting = true;
    requestAnimationFrame(() => {
      this.#waiting = false;
      this.#draw();
    });
  }

  #draw() {
    const shown = [...this.#letters].slice(0, Math.max(SHOWN, Math.min(8, this.#letters.length)));
    const slots = Math.max(SHOWN, shown.length);
    const along = getComputedStyle(this.#canvas).getPropertyValue("--along").trim() === "1";
    const pen = along ? fitted(this.#canvas, slots * SLOT, 3) : fitted(this.#canvas, 5, slots * TALL + 0.6);
    shown.forEach((letter, i) => {
      const cells = this.#facts.shapes[letter]?.[0] ?? [];
      const across = span(cells.map(([, column]) => column));
      const down = span(cells.map(([row]) => row));
      const left = along ? i * SLOT + SLOT / 2 : 2.5;
      const top = along ? 1.5 : 0.3 + i * TALL + TALL / 2;
      for (const [row, column] of cells) {
        if (pen) block(pen, left + column - across, top + row - down, 1, letter, this.#facts, false);
      }
    });
  }
}

/** @param {number[]} places  of cells; where their middle is */
function span(places) {
  return (Math.min(...places) + Math.max(...places) + 1) / 2;
}
