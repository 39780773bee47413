// Draws a player's board, pending garbage, hold and queue on one canvas.

import { GRID, LABEL, addLine, drawCell, resizeCanvas } from "../shared/canvas.js";

/** @typedef {import("./types.js").DrawingData} DrawingData */
/** @typedef {import("./types.js").PlayerPanel} PlayerPanel */

// Sizes in cells.
const METER = 0.5;
const GAP = 0.55;
const BESIDE = 3.3;
const MARGIN = 0.35;
const SMALL = 0.72; // size of pieces beside the board
const ALARM = "#ff5a5f";

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Pick<PlayerPanel, "rows" | "hold" | "queue" | "pending">} panel
 * @param {DrawingData} drawing
 * @param {string[]} previousRows  the rows of the last drawing; new cells are highlighted
 */
export function drawBoard(canvas, panel, drawing, previousRows) {
  const columns = panel.rows[0].length;
  const rows = panel.rows.length;
  const width = MARGIN + METER + columns + GAP + BESIDE + MARGIN;
  const height = rows + 2 * MARGIN;
  const context = resizeCanvas(canvas, width, height);
  if (!context) return;
  context.translate(MARGIN, MARGIN);
  drawGarbage(context, panel.pending, rows);
  context.translate(METER, 0);
  drawCells(context, panel.rows, drawing, previousRows);
  context.translate(columns + GAP, 0);
  drawPieces(context, panel, drawing, rows);
}

/**
 * Draw bars for the times of the last moves, scaled by the longest.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {number[]} times
 * @param {number} maxCount
 */
export function drawTimes(canvas, times, maxCount) {
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  if (!context) return;
  context.scale(ratio, ratio);
  context.fillStyle = getComputedStyle(canvas).getPropertyValue("--accent");
  const longest = Math.max(...times, 1e-3);
  const step = width / maxCount;
  times.forEach((time, i) => {
    const barHeight = Math.max(1, (time / longest) * height);
    context.fillRect((maxCount - times.length + i) * step, height - barHeight, Math.max(1, step - 1), barHeight);
  });
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {number} pending
 * @param {number} rows
 */
function drawGarbage(context, pending, rows) {
  context.fillStyle = GRID;
  context.fillRect(0, 0, METER - 0.14, rows);
  context.fillStyle = ALARM;
  const barHeight = Math.min(pending, rows);
  context.fillRect(0, rows - barHeight, METER - 0.14, barHeight);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {string[]} rows  from the bottom
 * @param {DrawingData} drawing
 * @param {string[]} previousRows
 */
function drawCells(context, rows, drawing, previousRows) {
  const columns = rows[0].length;
  context.strokeStyle = GRID;
  context.lineWidth = 0.04;
  context.beginPath();
  for (let x = 0; x <= columns; x++) addLine(context, x, 0, x, rows.length);
  for (let y = 0; y <= rows.length; y++) addLine(context, 0, y, columns, y);
  context.stroke();
  const newCells = findNewCells(rows, previousRows);
  rows.forEach((row, y) => {
    for (let x = 0; x < columns; x++) {
      if (row[x] !== ".") drawCell(context, x, rows.length - 1 - y, 1, row[x], drawing, newCells.has(y * 64 + x));
    }
  });
}

/**
 * Return the cells of the last placed piece; none after a clear or garbage, which move all cells.
 *
 * @param {string[]} rows
 * @param {string[]} previousRows
 */
function findNewCells(rows, previousRows) {
  const found = new Set();
  if (previousRows.length !== rows.length) return found;
  rows.forEach((row, y) => {
    for (let x = 0; x < row.length; x++) if (row[x] !== previousRows[y][x]) found.add(y * 64 + x);
  });
  return found.size > 4 ? new Set() : found;
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Pick<PlayerPanel, "hold" | "queue">} panel
 * @param {DrawingData} drawing
 * @param {number} rows
 */
function drawPieces(context, panel, drawing, rows) {
  let top = drawLabel(context, "hold", 0);
  if (panel.hold) drawPiece(context, panel.hold, top, drawing);
  top = drawLabel(context, "now", top + 2.1);
  if (panel.queue.length) drawPiece(context, panel.queue[0], top, drawing);
  top = drawLabel(context, "next", top + 2.1);
  for (const letter of panel.queue.slice(1)) {
    if (top + 2 * SMALL > rows) break;
    drawPiece(context, letter, top, drawing);
    top += 2.05;
  }
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {string} text
 * @param {number} top
 */
function drawLabel(context, text, top) {
  context.fillStyle = LABEL;
  // Legible on small screens, too.
  const cell = context.getTransform().a / (devicePixelRatio || 1);
  context.font = `${Math.min(0.95, Math.max(0.6, 9.5 / cell))}px system-ui, sans-serif`;
  context.fillText(text, 0, top + 0.7);
  return top + 1.05;
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {string} letter
 * @param {number} top
 * @param {DrawingData} drawing
 */
function drawPiece(context, letter, top, drawing) {
  // Centre an I, which is one row high, in two rows.
  const rows = (drawing.shapes[letter] ?? []).filter((row) => row.some(Boolean));
  top += ((2 - rows.length) * SMALL) / 2;
  rows.forEach((row, y) => {
    row.forEach((filled, x) => {
      if (filled) drawCell(context, x * SMALL, top + y * SMALL, SMALL, letter, drawing, false);
    });
  });
}
