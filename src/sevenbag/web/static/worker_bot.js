// TBP bot as a Web Worker: it keeps the stack low and even.
// It never uses hold. Usage: `sevenbag web`, or `sevenbag play beam worker:worker_bot.js`.
"use strict";
const SHAPES = { // cells around the centre, pointing north: column, row
  I: [[-1, 0], [0, 0], [1, 0], [2, 0]], O: [[0, 0], [1, 0], [0, 1], [1, 1]],
  T: [[-1, 0], [0, 0], [1, 0], [0, 1]], L: [[-1, 0], [0, 0], [1, 0], [1, 1]],
  J: [[-1, 0], [0, 0], [1, 0], [-1, 1]], S: [[-1, 0], [0, 0], [0, 1], [1, 1]],
  Z: [[0, 0], [1, 0], [-1, 1], [0, 1]] };
const TURNS = ["north", "east", "south", "west"];
const COLUMNS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
let [board, queue] = [[], []]; // the board: rows from the bottom, true where filled
const cells = ({ type, orientation, x, y }) => SHAPES[type].map((cell) => {
  for (let turns = TURNS.indexOf(orientation); turns > 0; turns--) cell = [cell[1], -cell[0]];
  return [x + cell[0], y + cell[1]];
});
const fits = (spot) => cells(spot).every(([x, y]) => x >= 0 && x < 10 && y >= 0 && !board[y]?.[x]);
const locked = (spot) => { // the board with a piece in it
  const rows = board.map((row) => [...row]);
  for (const [x, y] of cells(spot)) (rows[y] ??= COLUMNS.map(() => false))[x] = true;
  return rows.filter((row) => !row.every(Boolean));
};
const cost = (rows) => { // of a stack: high, uneven, with holes
  const heights = COLUMNS.map((x) => rows.findLastIndex((row) => row[x]) + 1);
  const steps = heights.slice(1).map((height, x) => 0.4 * Math.abs(height - heights[x]));
  return [...heights, ...steps].reduce((a, b) => a + b) - 0.5 * rows.flat().filter(Boolean).length;
};
const drops = (type) => TURNS.flatMap((orientation) => COLUMNS.flatMap((x) => {
  const spot = { type, orientation, x, y: 21 };
  while (fits({ ...spot, y: spot.y - 1 })) spot.y--;
  return fits(spot) ? [[cost(locked(spot)), { location: spot, spin: "none" }]] : [];
})).sort((a, b) => a[0] - b[0]).map(([, move]) => move);
const answers = {
  rules: () => postMessage({ type: "ready" }),
  start: (told) => [board, queue] = [told.board.map((row) => row.map(Boolean)), told.queue],
  suggest: () => postMessage({ type: "suggestion", moves: drops(queue[0]) }),
  play: ({ move }) => [board, queue] = [locked(move.location), queue.slice(1)],
  new_piece: ({ piece }) => queue.push(piece),
};
onmessage = ({ data }) => answers[data.type]?.(data);
postMessage({ type: "info", name: "stacker", version: "1.0", author: "sevenbag", features: [] });
