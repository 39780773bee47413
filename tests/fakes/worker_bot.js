// A bot as a Web Worker: drops pieces where the stack stays low. Its faults are chosen by its address.
"use strict";

const SHAPES = {
  I: [[-1, 0], [0, 0], [1, 0], [2, 0]],
  O: [[0, 0], [1, 0], [0, 1], [1, 1]],
  T: [[-1, 0], [0, 0], [1, 0], [0, 1]],
  L: [[-1, 0], [0, 0], [1, 0], [1, 1]],
  J: [[-1, 0], [0, 0], [1, 0], [-1, 1]],
  S: [[-1, 0], [0, 0], [0, 1], [1, 1]],
  Z: [[0, 0], [1, 0], [-1, 1], [0, 1]],
};
const TURNS = ["north", "east", "south", "west"];

let board = [];
let queue = [];
let held = null;

const cellsOf = ({ type, orientation, x, y }) => {
  let shape = SHAPES[type];
  for (let i = 0; i < TURNS.indexOf(orientation); i++) shape = shape.map(([dx, dy]) => [dy, -dx]);
  return shape.map(([dx, dy]) => [x + dx, y + dy]);
};
const free = (cells) => cells.every(([x, y]) => x >= 0 && x < 10 && y >= 0 && y < 40 && !board[y][x]);

const moves = () => {
  const found = [];
  for (const orientation of TURNS) {
    for (let x = 0; x < 10; x++) {
      let y = 19;
      while (free(cellsOf({ type: queue[0], orientation, x, y: y - 1 }))) y--;
      const location = { type: queue[0], orientation, x, y };
      if (free(cellsOf(location))) found.push({ location, spin: "none" });
    }
  }
  const top = (move) => cellsOf(move.location).reduce((sum, [, y]) => sum + y * y, 0);
  return found.sort((a, b) => top(a) - top(b));
};

const play = ({ location }) => {
  for (const [x, y] of cellsOf(location)) board[y][x] = true;
  board = board.filter((row) => !row.every(Boolean));
  while (board.length < 40) board.push(Array(10).fill(false));
  const current = queue.shift();
  if (location.type !== current) {
    if (held === null) queue.shift();
    held = current;
  }
};

const hear = (message) => {
  switch (message.type) {
    case "rules":
      self.postMessage({ type: "ready" });
      break;
    case "start":
      queue = message.queue;
      held = message.hold;
      board = message.board.map((row) => row.map((cell) => cell !== null));
      break;
    case "suggest":
      self.postMessage({ type: "suggestion", moves: queue.length ? moves().slice(0, 1) : [] });
      break;
    case "play":
      play(message.move);
      break;
    case "new_piece":
      queue.push(message.piece);
      break;
  }
};

self.addEventListener("message", ({ data }) => {
  if (typeof data !== "object") throw new Error("not an object");
  hear(data);
});
self.postMessage({ type: "info", name: "worker", version: "1", author: "us", features: [] });
