// Draws a player's board, waiting garbage, hold and queue on one canvas.

import { GRID, LABEL, block, fitted, line } from "./pen.js";

/** @typedef {import("./types.js").Facts} Facts */
/** @typedef {import("./types.js").Side} Side */

// In cells: what lies beside the board.
const METER = 0.5;
const GAP = 0.55;
const BESIDE = 3.3;
const MARGIN = 0.35;
const SMALL = 0.72; // the size of pieces there
const ALARM = "#ff5a5f";

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Pick<Side, "rows" | "hold" | "queue" | "pending">} side
 * @param {Facts} facts
 * @param {string[]} before  the rows as they were last drawn: what is new stands out
 */
export function drawBoard(canvas, side, facts, before) {
  const columns = side.rows[0].length;
  const rows = side.rows.length;
  const width = MARGIN + METER + columns + GAP + BESIDE + MARGIN;
  const height = rows + 2 * MARGIN;
  const pen = fitted(canvas, width, height);
  if (!pen) return;
  pen.translate(MARGIN, MARGIN);
  drawMeter(pen, side.pending, rows);
  pen.translate(METER, 0);
  drawWell(pen, side.rows, facts, before);
  pen.translate(columns + GAP, 0);
  drawBeside(pen, side, facts, rows);
}

/**
 * Bars for the times of the last moves, scaled by the longest.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {number[]} times
 * @param {number} most
 */
export function drawTimes(canvas, times, most) {
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const pen = canvas.getContext("2d");
  if (!pen) return;
  pen.scale(ratio, ratio);
  pen.fillStyle = getComputedStyle(canvas).getPropertyValue("--accent");
  const longest = Math.max(...times, 1e-3);
  const step = width / most;
  times.forEach((time, i) => {
    const tall = Math.max(1, (time / longest) * height);
    pen.fillRect((most - times.length + i) * step, height - tall, Math.max(1, step - 1), tall);
  });
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {number} pending
 * @param {number} rows
 */
function drawMeter(pen, pending, rows) {
  pen.fillStyle = GRID;
  pen.fillRect(0, 0, METER - 0.14, rows);
  pen.fillStyle = ALARM;
  const tall = Math.min(pending, rows);
  pen.fillRect(0, rows - tall, METER - 0.14, tall);
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {string[]} rows  from the bottom
 * @param {Facts} facts
 * @param {string[]} before
 */
function drawWell(pen, rows, facts, before) {
  const columns = rows[0].length;
  pen.strokeStyle = GRID;
  pen.lineWidth = 0.04;
  pen.beginPath();
  for (let x = 0; x <= columns; x++) line(pen, x, 0, x, rows.length);
  for (let y = 0; y <= rows.length; y++) line(pen, 0, y, columns, y);
  pen.stroke();
  const fresh = changed(rows, before);
  rows.forEach((row, y) => {
    for (let x = 0; x < columns; x++) {
      if (row[x] !== ".") block(pen, x, rows.length - 1 - y, 1, row[x], facts, fresh.has(y * 64 + x));
    }
  });
}

/**
 * The cells of the piece that was placed last; none where a clear or garbage has moved everything.
 *
 * @param {string[]} rows
 * @param {string[]} before
 */
function changed(rows, before) {
  const found = new Set();
  if (before.length !== rows.length) return found;
  rows.forEach((row, y) => {
    for (let x = 0; x < row.length; x++) if (row[x] !== before[y][x]) found.add(y * 64 + x);
  });
  return found.size > 4 ? new Set() : found;
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Pick<Side, "hold" | "queue">} side
 * @param {Facts} facts
 * @param {number} rows
 */
function drawBeside(pen, side, facts, rows) {
  let top = label(pen, "hold", 0);
  if (side.hold) drawPiece(pen, side.hold, top, facts);
  top = label(pen, "now", top + 2.1);
  if (side.queue.length) drawPiece(pen, side.queue[0], top, facts);
  top = label(pen, "next", top + 2.1);
  for (const letter of side.queue.slice(1)) {
    if (top + 2 * SMALL > rows) break;
    drawPiece(pen, letter, top, facts);
    top += 2.05;
  }
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {string} text
 * @param {number} top
 */
function label(pen, text, top) {
  pen.fillStyle = LABEL;
  // On small screens still large enough to be read.
  const cell = pen.getTransform().a / (devicePixelRatio || 1);
  pen.font = `${Math.min(0.95, Math.max(0.6, 9.5 / cell))}px system-ui, sans-serif`;
  pen.fillText(text, 0, top + 0.7);
  return top + 1.05;
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {string} letter
 * @param {number} top
 * @param {Facts} facts
 */
function drawPiece(pen, letter, top, facts) {
  // An I is one row tall: it lies between the two that others have.
  const rows = (facts.shapes[letter] ?? []).filter((row) => row.some(Boolean));
  top += ((2 - rows.length) * SMALL) / 2;
  rows.forEach((row, y) => {
    row.forEach((filled, x) => {
      if (filled) block(pen, x * SMALL, top + y * SMALL, SMALL, letter, facts, false);
    });
  });
}
