// Drawing functions of all boards: canvas size, cells, lines.

export const BACKGROUND = "#14161b";
export const GRID = "#22262f";
export const LABEL = "#8b93a5";

/**
 * Set a canvas to its size on the screen, with a cell as the unit.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {number} width
 * @param {number} height
 */
export function resizeCanvas(canvas, width, height) {
  canvas.style.aspectRatio = `${width} / ${height}`;
  const pixelWidth = Math.max(1, Math.round(canvas.clientWidth * (devicePixelRatio || 1)));
  const pixelHeight = Math.round((pixelWidth * height) / width);
  if (canvas.width !== pixelWidth || canvas.height !== pixelHeight) {
    canvas.width = pixelWidth;
    canvas.height = pixelHeight;
  }
  const context = canvas.getContext("2d");
  context?.setTransform(pixelWidth / width, 0, 0, pixelWidth / width, 0, 0);
  if (context) context.fillStyle = BACKGROUND;
  context?.fillRect(0, 0, width, height);
  return context;
}

/**
 * Draw a cell. Its light upper edge separates neighbours of the same colour.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {number} x
 * @param {number} y
 * @param {number} size
 * @param {string} letter
 * @param {{ colors: Record<string, string> }} drawing
 * @param {boolean} highlight
 */
export function drawCell(context, x, y, size, letter, drawing, highlight) {
  const edge = 0.04 * size;
  context.fillStyle = drawing.colors[letter] ?? drawing.colors.G;
  context.fillRect(x + edge, y + edge, size - 2 * edge, size - 2 * edge);
  context.fillStyle = highlight ? "rgba(255, 255, 255, 0.38)" : "rgba(255, 255, 255, 0.22)";
  context.fillRect(x + edge, y + edge, size - 2 * edge, highlight ? size - 2 * edge : 0.12 * size);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {number} x
 * @param {number} y
 * @param {number} toX
 * @param {number} toY
 */
export function addLine(context, x, y, toX, toY) {
  context.moveTo(x, y);
  context.lineTo(toX, toY);
}
