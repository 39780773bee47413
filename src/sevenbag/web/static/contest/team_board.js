// Draws a team's board: locked cells, the falling piece and its landing place. Cleared rows flash, and
// garbage rises.

import { GRID, addLine, drawCell, resizeCanvas } from "../shared/canvas.js";

/** @typedef {import("./types.js").DrawingData} DrawingData */
/** @typedef {import("./types.js").FallingPiece} FallingPiece */

export const COLUMNS = 10;
export const ROWS = 20;
const EMPTY = ".";
const FLASH_TIME = 320; // milliseconds
const RISE_TIME = 180;

const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

export class TeamBoard {
  #canvas;
  /** @type {Element | null} */
  #text; // for screen readers
  #drawing;
  #cells = "";
  /** @type {FallingPiece | null} */
  #piece = null;
  #isDimmed = false;
  /** @type {{ rows: number[], began: number }[]} */
  #flashes = [];
  #garbage = { rows: 0, began: 0 };
  #isScheduled = false;

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {DrawingData} drawing
   */
  constructor(canvas, drawing) {
    this.#canvas = canvas;
    this.#text = document.getElementById(canvas.getAttribute("aria-describedby") ?? "");
    this.#drawing = drawing;
    new ResizeObserver(() => this.#scheduleDraw()).observe(canvas);
    this.#scheduleDraw();
  }

  /**
   * @param {string} cells
   * @param {FallingPiece | null} piece
   */
  show(cells, piece) {
    this.#cells = cells;
    this.#piece = piece;
    this.#scheduleDraw();
  }

  /** @param {boolean} dimmed  for the loser */
  setDimmed(dimmed) {
    this.#isDimmed = dimmed;
    this.#scheduleDraw();
  }

  /** @param {number[]} rows  full rows before the clear */
  flash(rows) {
    if (reducedMotion.matches) return;
    this.#flashes.push({ rows, began: performance.now() });
    this.#scheduleDraw();
  }

  /** @param {number} rows  number of garbage rows */
  animateGarbage(rows) {
    if (reducedMotion.matches) return;
    this.#garbage = { rows, began: performance.now() };
    this.#scheduleDraw();
  }

  #scheduleDraw() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => {
      this.#isScheduled = false;
      if (this.#draw(performance.now())) this.#scheduleDraw();
    });
  }

  /**
   * @param {number} now
   * @returns {boolean} whether an animation is running
   */
  #draw(now) {
    // Updated with the drawing, so that both agree.
    const text = this.#cells && describeBoard(this.#cells, this.#piece);
    if (this.#text && this.#text.textContent !== text) this.#text.textContent = text;
    const context = resizeCanvas(this.#canvas, COLUMNS, ROWS);
    if (!context) return false;
    drawGrid(context);
    const remaining = 1 - Math.min(1, (now - this.#garbage.began) / RISE_TIME);
    const lift = this.#garbage.rows * remaining * remaining;
    context.translate(0, lift);
    this.#drawCells(context);
    context.translate(0, -lift);
    if (this.#piece) this.#drawPiece(context, this.#piece);
    this.#drawFlashes(context, now);
    if (this.#isDimmed) {
      context.fillStyle = "rgba(14, 16, 21, 0.6)";
      context.fillRect(0, 0, COLUMNS, ROWS);
    }
    return lift > 0 || this.#flashes.length > 0;
  }

  /** @param {CanvasRenderingContext2D} context */
  #drawCells(context) {
    for (let i = 0; i < this.#cells.length; i++) {
      const letter = this.#cells[i];
      if (letter === EMPTY) continue;
      drawCell(context, i % COLUMNS, Math.floor(i / COLUMNS), 1, letter, this.#drawing, false);
    }
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {FallingPiece} piece
   */
  #drawPiece(context, piece) {
    const cells = pieceCells(piece, this.#drawing);
    let drop = 0;
    while (cells.every(([row, column]) => this.#isFree(row + drop + 1, column))) drop++;
    context.strokeStyle = this.#drawing.colors[piece[0]] ?? this.#drawing.colors.G;
    context.globalAlpha = 0.5;
    context.lineWidth = 0.08;
    for (const [row, column] of drop ? cells : []) {
      context.strokeRect(column + 0.12, row + drop + 0.12, 0.76, 0.76);
    }
    context.globalAlpha = 1;
    for (const [row, column] of cells) drawCell(context, column, row, 1, piece[0], this.#drawing, false);
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
   * @param {CanvasRenderingContext2D} context
   * @param {number} now
   */
  #drawFlashes(context, now) {
    this.#flashes = this.#flashes.filter(({ began }) => now - began < FLASH_TIME);
    for (const { rows, began } of this.#flashes) {
      const remaining = 1 - (now - began) / FLASH_TIME;
      context.fillStyle = `rgba(255, 255, 255, ${0.85 * remaining})`;
      for (const row of rows) context.fillRect(0, row + (1 - remaining) / 2, COLUMNS, remaining);
    }
  }
}

/**
 * @param {FallingPiece} piece
 * @param {DrawingData} drawing
 * @returns {[row: number, column: number][]}
 */
function pieceCells([letter, orientation, row, column], drawing) {
  const ring = drawing.shapes[letter] ?? [];
  const shape = ring[((orientation % ring.length) + ring.length) % ring.length] ?? [];
  return shape.map(([down, across]) => [row + down, column + across]);
}

/** @param {CanvasRenderingContext2D} context */
function drawGrid(context) {
  context.strokeStyle = GRID;
  context.lineWidth = 0.04;
  context.beginPath();
  for (let x = 1; x < COLUMNS; x++) addLine(context, x, 0, x, ROWS);
  for (let y = 1; y < ROWS; y++) addLine(context, 0, y, COLUMNS, y);
  context.stroke();
}

/**
 * Describe a board for screen readers.
 *
 * @param {string} cells
 * @param {FallingPiece | null} piece
 */
function describeBoard(cells, piece) {
  const top = [...cells].findIndex((letter) => letter !== EMPTY);
  const height = top < 0 ? 0 : ROWS - Math.floor(top / COLUMNS);
  const stack = height ? `stack ${height} of ${ROWS} rows high` : "empty board";
  return piece ? `${piece[0]} falling, ${stack}` : stack;
}
