// Draws one player's board: what is locked, what falls, where it would land; rows that go flash, and
// garbage is seen to rise.

import { GRID, block, fitted, line } from "../pen.js";

/** @typedef {import("./types.js").Facts} Facts */
/** @typedef {import("./types.js").Falling} Falling */

export const COLUMNS = 10;
export const ROWS = 20;
const EMPTY = ".";
const FLASH = 320; // milliseconds
const RISE = 180;

const still = matchMedia("(prefers-reduced-motion: reduce)");

export class Well {
  #canvas;
  /** @type {Element | null} */
  #text; // for screen readers
  #facts;
  #cells = "";
  /** @type {Falling | null} */
  #piece = null;
  #dim = false;
  /** @type {{ rows: number[], began: number }[]} */
  #flashes = [];
  #risen = { rows: 0, began: 0 };
  #waiting = false;

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {Facts} facts
   */
  constructor(canvas, facts) {
    this.#canvas = canvas;
    this.#text = document.getElementById(canvas.getAttribute("aria-describedby") ?? "");
    this.#facts = facts;
    new ResizeObserver(() => this.#soon()).observe(canvas);
    this.#soon();
  }

  /**
   * @param {string} cells
   * @param {Falling | null} piece
   */
  show(cells, piece) {
    this.#cells = cells;
    this.#piece = piece;
    this.#soon();
  }

  /** @param {boolean} dim  of who has lost */
  dim(dim) {
    this.#dim = dim;
    this.#soon();
  }

  /** @param {number[]} rows  that were full, as they lay before they went */
  flash(rows) {
    if (still.matches) return;
    this.#flashes.push({ rows, began: performance.now() });
    this.#soon();
  }

  /** @param {number} rows  that have come from below */
  rise(rows) {
    if (still.matches) return;
    this.#risen = { rows, began: performance.now() };
    this.#soon();
  }

  #soon() {
    if (this.#waiting) return;
    this.#waiting = true;
    requestAnimationFrame(() => {
      this.#waiting = false;
      if (this.#draw(performance.now())) this.#soon();
    });
  }

  /**
   * @param {number} now
   * @returns {boolean} whether something still moves
   */
  #draw(now) {
    // Updated together with the picture, so that the two always agree.
    const text = this.#cells && description(this.#cells, this.#piece);
    if (this.#text && this.#text.textContent !== text) this.#text.textContent = text;
    const pen = fitted(this.#canvas, COLUMNS, ROWS);
    if (!pen) return false;
    drawGrid(pen);
    const left = 1 - Math.min(1, (now - this.#risen.began) / RISE);
    const lift = this.#risen.rows * left * left;
    pen.translate(0, lift);
    this.#drawCells(pen);
    pen.translate(0, -lift);
    if (this.#piece) this.#drawPiece(pen, this.#piece);
    this.#drawFlashes(pen, now);
    if (this.#dim) {
      pen.fillStyle = "rgba(14, 16, 21, 0.6)";
      pen.fillRect(0, 0, COLUMNS, ROWS);
    }
    return lift > 0 || this.#flashes.length > 0;
  }

  /** @param {CanvasRenderingContext2D} pen */
  #drawCells(pen) {
    for (let i = 0; i < this.#cells.length; i++) {
      const letter = this.#cells[i];
      if (letter === EMPTY) continue;
      block(pen, i % COLUMNS, Math.floor(i / COLUMNS), 1, letter, this.#facts, false);
    }
  }

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {Falling} piece
   */
  #drawPiece(pen, piece) {
    const cells = cellsOf(piece, this.#facts);
    let fall = 0;
    while (cells.every(([row, column]) => this.#isFree(row + fall + 1, column))) fall++;
    pen.strokeStyle = this.#facts.colors[piece[0]] ?? this.#facts.colors.G;
    pen.globalAlpha = 0.5;
    pen.lineWidth = 0.08;
    for (const [row, column] of fall ? cells : []) {
      pen.strokeRect(column + 0.12, row + fall + 0.12, 0.76, 0.76);
    }
    pen.globalAlpha = 1;
    for (const [row, column] of cells) block(pen, column, row, 1, piece[0], this.#facts, false);
  }

  /**
   * @param {number} row
   * @param {number} column
   */
  #isFree(row, column) {
    if (row >= ROWS) return false;
    return row < 0 || this.#cells[row * COLUMNS + column] === EMPTY;
  }

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {number} now
   */
  #drawFlashes(pen, now) {
    this.#flashes = this.#flashes.filter(({ began }) => now - began < FLASH);
    for (const { rows, began } of this.#flashes) {
      const left = 1 - (now - began) / FLASH;
      pen.fillStyle = `rgba(255, 255, 255, ${0.85 * left})`;
      for (const row of rows) pen.fillRect(0, row + (1 - left) / 2, COLUMNS, left);
    }
  }
}

/**
 * @param {Falling} piece
 * @param {Facts} facts
 * @returns {[row: number, column: number][]}
 */
function cellsOf([letter, orientation, row, column], facts) {
  const ring = facts.shapes[letter] ?? [];
  const shape = ring[((orientation % ring.length) + ring.length) % ring.length] ?? [];
  return shape.map(([down, across]) => [row + down, column + across]);
}

/** @param {CanvasRenderingContext2D} pen */
function drawGrid(pen) {
  pen.strokeStyle = GRID;
  pen.lineWidth = 0.04;
  pen.beginPath();
  for (let x = 1; x < COLUMNS; x++) line(pen, x, 0, x, ROWS);
  for (let y = 1; y < ROWS; y++) line(pen, 0, y, COLUMNS, y);
  pen.stroke();
}

/**
 * Describe a board for screen readers.
 *
 * @param {string} cells
 * @param {Falling | null} piece
 */
function description(cells, piece) {
  const top = [...cells].findIndex((letter) => letter !== EMPTY);
  const height = top < 0 ? 0 : ROWS - Math.floor(top / COLUMNS);
  const stack = height ? `stack ${height} of ${ROWS} rows high` : "empty board";
  return piece ? `${piece[0]} falling, ${stack}` : stack;
}
