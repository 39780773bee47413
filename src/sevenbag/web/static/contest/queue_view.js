// Draws the queue of both teams: as a column, or as a strip on narrow screens.

import { drawCell, resizeCanvas } from "../shared/canvas.js";

/** @typedef {import("./types.js").DrawingData} DrawingData */

const SLOT_WIDTH = 4.4; // cells along the strip
const SLOT_HEIGHT = 2.9; // cells down the column
const MIN_SLOTS = 5;

export class QueueView {
  #canvas;
  #drawing;
  #letters = "";
  #isScheduled = false;

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {DrawingData} drawing
   */
  constructor(canvas, drawing) {
    this.#canvas = canvas;
    this.#drawing = drawing;
    new ResizeObserver(() => this.#scheduleDraw()).observe(canvas);
  }

  /** @param {string} letters */
  show(letters) {
    if (letters === this.#letters) return;
    this.#letters = letters;
    this.#canvas.setAttribute("aria-label", letters ? `Next pieces: ${[...letters].join(", ")}` : "No queue yet");
    this.#scheduleDraw();
  }

  #scheduleDraw() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => {
      this.#isScheduled = false;
      this.#draw();
    });
  }

  #draw() {
    const shown = [...this.#letters].slice(0, Math.max(MIN_SLOTS, Math.min(8, this.#letters.length)));
    const slots = Math.max(MIN_SLOTS, shown.length);
    const isStrip = getComputedStyle(this.#canvas).getPropertyValue("--along").trim() === "1";
    const context = isStrip ? resizeCanvas(this.#canvas, slots * SLOT_WIDTH, 3) : resizeCanvas(this.#canvas, 5, slots * SLOT_HEIGHT + 0.6);
    shown.forEach((letter, i) => {
      const cells = this.#drawing.shapes[letter]?.[0] ?? [];
      const across = centre(cells.map(([, column]) => column));
      const down = centre(cells.map(([row]) => row));
      const left = isStrip ? i * SLOT_WIDTH + SLOT_WIDTH / 2 : 2.5;
      const top = isStrip ? 1.5 : 0.3 + i * SLOT_HEIGHT + SLOT_HEIGHT / 2;
      for (const [row, column] of cells) {
        if (context) drawCell(context, left + column - across, top + row - down, 1, letter, this.#drawing, false);
      }
    });
  }
}

/** @param {number[]} places  coordinates of cells */
function centre(places) {
  return (Math.min(...places) + Math.max(...places) + 1) / 2;
}
