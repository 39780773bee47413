// What every board is drawn with: a canvas of its shown size, cells, lines.

export const GROUND = "#14161b";
export const GRID = "#22262f";
export const LABEL = "#8b93a5";

/**
 * The canvas as large as it is shown, with a cell as the unit.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {number} width
 * @param {number} height
 */
export function fitted(canvas, width, height) {
  canvas.style.aspectRatio = `${width} / ${height}`;
  const pixels = Math.max(1, Math.round(canvas.clientWidth * (devicePixelRatio || 1)));
  const tall = Math.round((pixels * height) / width);
  if (canvas.width !== pixels || canvas.height !== tall) {
    canvas.width = pixels;
    canvas.height = tall;
  }
  const pen = canvas.getContext("2d");
  pen?.setTransform(pixels / width, 0, 0, pixels / width, 0, 0);
  if (pen) pen.fillStyle = GROUND;
  pen?.fillRect(0, 0, width, height);
  return pen;
}

/**
 * A cell, with a light upper edge so that neighbours of one colour stay apart.
 *
 * @param {CanvasRenderingContext2D} pen
 * @param {number} x
 * @param {number} y
 * @param {number} size
 * @param {string} letter
 * @param {{ colors: Record<string, string> }} facts
 * @param {boolean} fresh
 */
export function block(pen, x, y, size, letter, facts, fresh) {
  const edge = 0.04 * size;
  pen.fillStyle = facts.colors[letter] ?? facts.colors.G;
  pen.fillRect(x + edge, y + edge, size - 2 * edge, size - 2 * edge);
  pen.fillStyle = fresh ? "rgba(255, 255, 255, 0.38)" : "rgba(255, 255, 255, 0.22)";
  pen.fillRect(x + edge, y + edge, size - 2 * edge, fresh ? size - 2 * edge : 0.12 * size);
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {number} x
 * @param {number} y
 * @param {number} toX
 * @param {number} toY
 */
export function line(pen, x, y, toX, toY) {
  pen.moveTo(x, y);
  pen.lineTo(toX, toY);
}
