// Plays the games of a report. Text is never inserted as markup.
"use strict";

/**
 * @typedef {{ names: string[], width: number, pieces: string[], opening: string[], frames: number, steps: string, result: string }} Game
 * @typedef {{ colors: Record<string, string>, cells: Record<string, number[][]>, visible: number }} Config
 * @typedef {{ player: number, piece: string, rotation: string, x: number, y: number, spin: string, held: boolean, frame: number | null, attack: number, garbage: number[], ms: number | null, nodes: number | null, depth: number | null, lines: number | null, board: string[] | null }} Step
 * @typedef {{ rows: string[], hold: string, next: number, pieces: number, lines: number, attack: number, last: Step | null, cleared: number, ms: number }} Side
 */

(() => {
  const CELL = 20;
  const EDGE = 2;
  const SIDE = 92; // beside the board: hold on its left, the next pieces on its right
  const NEXT = 5;
  const SPEEDS = [0.5, 1, 2, 4, 8, 16, 32];
  const SPINS = { m: "mini ", f: "spin " };
  const LINES = ["", "single", "double", "triple", "quad", "five or more"];
  const CHANGE = /^([01])k(.*)$/;
  const STEP = /^([01])([IOTLJSZ])([NESW])(-?\d+),(-?\d+)([mf]?)(h?)(?:@(\d+))?(?:a(\d+))?(?:g([\d,]+))?(?:t([\d.e+-]+))?(?:n([\d.e+-]+))?(?:d([\d.e+-]+))?(?:l(\d+)k(.*))?$/;

  /** @template {HTMLElement} T @param {string} id @param {new () => T} type @returns {T} */
  const element = (id, type) => {
    const found = document.getElementById(id);
    if (!(found instanceof type)) throw new Error(`the page has no ${id}`);
    return found;
  };

  /** @param {string} id @returns {any} */
  const data = (id) => JSON.parse(element(id, HTMLScriptElement).textContent || "null");

  /** @type {Config} */
  const config = data("config");

  /** Size of the boards of the open game. */
  let columns = 10;
  let shown = 20;

  // --- a game -------------------------------------------------------------------------------------

  /** @param {string | undefined} text @returns {number | null} */
  const number = (text) => (text === undefined ? null : Number(text));

  /** @param {string} text */
  const parseRows = (text) => text.split("/").filter((row) => row !== "");

  /** A step without a piece is a board that the opponent's attack has changed. @type {Step} */
  const CHANGED = {
    player: 0,
    piece: "",
    rotation: "",
    x: 0,
    y: 0,
    spin: "",
    held: false,
    frame: null,
    attack: 0,
    garbage: [],
    ms: null,
    nodes: null,
    depth: null,
    lines: null,
    board: null,
  };

  /** @param {string} text @returns {Step} */
  const parseStep = (text) => {
    const change = CHANGE.exec(text);
    if (change !== null) return { ...CHANGED, player: Number(change[1]), board: parseRows(change[2]) };
    const part = STEP.exec(text);
    if (part === null) throw new Error(`invalid step: ${text}`);
    return {
      player: Number(part[1]),
      piece: part[2],
      rotation: part[3],
      x: Number(part[4]),
      y: Number(part[5]),
      spin: part[6],
      held: part[7] === "h",
      frame: number(part[8]),
      attack: Number(part[9] || 0),
      garbage: part[10] ? part[10].split(",").map(Number) : [],
      ms: number(part[11]),
      nodes: number(part[12]),
      depth: number(part[13]),
      lines: number(part[14]),
      board: part[15] === undefined ? null : parseRows(part[15]),
    };
  };

  /** @param {string} steps @returns {Step[][]} */
  const parseTurns = (steps) => (steps === "" ? [] : steps.split("|").map((turn) => turn.split(";").map(parseStep)));

  /** @param {Game} game @returns {Side} */
  const initialState = (game) => ({
    rows: game.opening,
    hold: "",
    next: 0,
    pieces: 0,
    lines: 0,
    attack: 0,
    last: null,
    cleared: 0,
    ms: 0,
  });

  /** @param {Side} side @param {Step} step @param {string} queue @returns {Side} */
  const applyStep = (side, step, queue) => {
    if (step.piece === "") return { ...side, rows: step.board ?? [], last: null };
    const current = queue[side.next];
    const full = placePiece(side.rows, step);
    const left = full.filter((row) => row.includes("."));
    const cleared = step.lines ?? full.length - left.length;
    const garbage = step.garbage.map((hole) => "G".repeat(hole) + "." + "G".repeat(columns - 1 - hole));
    return {
      rows: step.board ?? [...garbage.reverse(), ...left],
      hold: step.held ? current : side.hold,
      next: side.next + (step.held && side.hold === "" ? 2 : 1),
      pieces: side.pieces + 1,
      lines: side.lines + cleared,
      attack: side.attack + step.attack,
      last: step,
      cleared,
      ms: side.ms + (step.ms ?? 0),
    };
  };

  /** @param {string[]} rows @param {Step} step @returns {string[]} */
  const placePiece = (rows, step) => {
    const board = rows.map((row) => [...row]);
    for (const [dx, dy] of config.cells[step.piece + step.rotation]) {
      while (board.length <= step.y + dy) board.push([...".".repeat(columns)]);
      board[step.y + dy][step.x + dx] = step.piece;
    }
    return board.map((row) => row.join(""));
  };

  // --- drawing ------------------------------------------------------------------------------------

  /** @param {CanvasRenderingContext2D} pen @param {string} letter @param {number} left @param {number} top @param {number} size */
  const drawCell = (pen, letter, left, top, size) => {
    pen.fillStyle = config.colors[letter] ?? config.colors.G;
    pen.fillRect(left + 0.5, top + 0.5, size - 1, size - 1);
    pen.fillStyle = "#ffffff55";
    pen.fillRect(left + 2, top + 1.5, size - 4, 1);
  };

  /** @param {CanvasRenderingContext2D} pen @param {string} piece @param {number} left @param {number} top */
  const drawPiece = (pen, piece, left, top) => {
    if (piece === "" || piece === undefined) return;
    for (const [x, y] of config.cells[`${piece}N`]) drawCell(pen, piece, left + 14 + x * 14, top + 14 - y * 14, 14);
  };

  /** @param {HTMLCanvasElement} canvas @param {Side} side @param {string} queue */
  const draw = (canvas, side, queue) => {
    const rows = shown;
    const width = columns * CELL;
    canvas.width = width + 2 * (SIDE + EDGE);
    canvas.height = rows * CELL + 2 * EDGE;
    const pen = canvas.getContext("2d");
    if (pen === null) return;
    pen.fillStyle = "#0b0d11";
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.translate(SIDE + EDGE, EDGE);
    pen.strokeStyle = "#262b36";
    pen.beginPath();
    for (let x = 0; x <= columns; x += 1) {
      pen.moveTo(x * CELL, 0);
      pen.lineTo(x * CELL, rows * CELL);
    }
    for (let y = 0; y <= rows; y += 1) {
      pen.moveTo(0, y * CELL);
      pen.lineTo(width, y * CELL);
    }
    pen.stroke();
    side.rows.forEach((row, y) => {
      [...row].forEach((letter, x) => {
        if (letter !== ".") drawCell(pen, letter, x * CELL, (rows - 1 - y) * CELL, CELL);
      });
    });
    const last = side.last;
    if (last !== null && side.cleared === 0 && last.garbage.length === 0) {
      pen.strokeStyle = "#ffffffcc";
      for (const [dx, dy] of config.cells[last.piece + last.rotation]) {
        pen.strokeRect((last.x + dx) * CELL + 1.5, (rows - 1 - last.y - dy) * CELL + 1.5, CELL - 3, CELL - 3);
      }
    }
    pen.fillStyle = "#a2aaba";
    pen.font = "13px sans-serif";
    pen.fillText("hold", 8 - SIDE, 16);
    pen.fillText("next", width + 12, 16);
    drawPiece(pen, side.hold, 8 - SIDE, 26);
    for (let index = 0; index <= NEXT; index += 1) drawPiece(pen, queue[side.next + index], width + 12, 26 + index * 44);
  };

  /** @param {Step} step @param {number} cleared @returns {string} */
  const describeStep = (step, cleared) => {
    const words = [`${step.piece}${step.held ? " from hold" : ""}`];
    const spin = step.spin === "m" || step.spin === "f" ? SPINS[step.spin] : "";
    if (cleared > 0) words.push(spin + LINES[Math.min(cleared, LINES.length - 1)]);
    else if (spin !== "") words.push(spin.trim());
    if (step.attack > 0) words.push(`attack ${step.attack}`);
    if (step.garbage.length > 0) words.push(`${step.garbage.length} garbage`);
    if (step.ms !== null) words.push(`${step.ms} ms`);
    if (step.nodes !== null) words.push(`${step.nodes} nodes`);
    if (step.depth !== null) words.push(`depth ${step.depth}`);
    return words.join(", ");
  };

  // --- the player ---------------------------------------------------------------------------------

  const dialog = element("player", HTMLDialogElement);
  const slider = element("turn", HTMLInputElement);
  const speed = element("speed", HTMLInputElement);
  const playButton = element("play", HTMLButtonElement);

  /** @type {{ id: string, game: Game, turns: Step[][], sides: Side[][], panes: { canvas: HTMLCanvasElement, text: HTMLElement }[] } | null} */
  let open = null;
  /** @type {number | undefined} */
  let timer;

  /** @param {Game} game @param {number} player */
  const queueOf = (game, player) => game.pieces[player] ?? game.pieces[0];

  /** The sides after every turn are stored: stepping back is as fast as stepping forward. @param {Game} game @param {Step[][]} turns */
  const computeStates = (game, turns) => {
    const all = [[initialState(game), initialState(game)]];
    for (const turn of turns) {
      const sides = [...all[all.length - 1]];
      for (const step of turn) sides[step.player] = applyStep(sides[step.player], step, queueOf(game, step.player));
      all.push(sides);
    }
    return all;
  };

  const render = () => {
    if (open === null) return;
    const turn = Number(slider.value);
    const { game, turns, sides } = open;
    open.panes.forEach(({ canvas, text }, player) => {
      const side = sides[turn][player];
      const queue = queueOf(game, player);
      draw(canvas, side, queue);
      const next = queue.slice(side.next, side.next + NEXT + 1);
      canvas.setAttribute("aria-label", `board of ${game.names[player]}, hold ${side.hold || "empty"}, next ${next}`);
      const app = side.pieces ? (side.attack / side.pieces).toFixed(2) : "0";
      text.textContent = `${side.pieces} pieces · ${side.lines} lines · ${side.attack} attack · ${app} APP`;
    });
    const steps = turn > 0 ? turns[turn - 1] : [];
    element("description", HTMLElement).textContent = steps
      .filter((step) => step.piece !== "")
      .map((step) => `${game.names[step.player]}: ${describeStep(step, sides[turn][step.player].cleared)}`)
      .join(" — ");
    const frame = steps[0]?.frame ?? turn * game.frames;
    element("position", HTMLOutputElement).textContent = `turn ${turn} of ${turns.length} · ${(frame / 60).toFixed(1)} s`;
    history.replaceState(null, "", `#game=${open.id}&turn=${turn}`);
  };

  /** @param {number} turn */
  const goToTurn = (turn) => {
    slider.value = String(Math.min(Math.max(turn, 0), Number(slider.max)));
    render();
  };

  const pause = () => {
    clearInterval(timer);
    timer = undefined;
    playButton.textContent = "play";
  };

  const togglePlay = () => {
    if (timer !== undefined) return pause();
    if (Number(slider.value) >= Number(slider.max)) goToTurn(0);
    playButton.textContent = "pause";
    timer = setInterval(() => {
      goToTurn(Number(slider.value) + 1);
      if (Number(slider.value) >= Number(slider.max)) pause();
    }, 1000 / SPEEDS[Number(speed.value)]);
  };

  /** @param {string} id @param {number} turn */
  const play = (id, turn) => {
    if (!/^\d+$/.test(id) || document.getElementById(`game-${id}`) === null) return;
    /** @type {Game} */
    const game = data(`game-${id}`);
    const turns = parseTurns(game.steps);
    columns = game.width;
    const box = element("boards", HTMLElement);
    box.replaceChildren();
    const panes = game.names.map((name) => {
      const pane = document.createElement("div");
      pane.className = "side";
      const head = document.createElement("h3");
      head.textContent = name;
      head.title = name;
      const canvas = document.createElement("canvas");
      canvas.setAttribute("role", "img");
      const text = document.createElement("p");
      pane.append(head, canvas, text);
      box.append(pane);
      return { canvas, text };
    });
    const sides = computeStates(game, turns);
    // All boards of a game have the height of the highest one.
    shown = sides.flat().reduce((most, side) => Math.max(most, side.rows.length), config.visible);
    open = { id, game, turns, sides, panes };
    element("player-title", HTMLElement).textContent = `game ${id}: ${game.names.join(" – ")}`;
    element("player-result", HTMLElement).textContent = game.result;
    slider.max = String(turns.length);
    if (!dialog.open) dialog.showModal();
    slider.focus();
    goToTurn(turn);
  };

  slider.addEventListener("input", () => {
    pause();
    render();
  });
  speed.addEventListener("input", () => {
    if (timer !== undefined) {
      pause();
      togglePlay();
    }
  });
  /** @type {Record<string, () => void>} */
  const buttons = {
    first: () => goToTurn(0),
    back: () => goToTurn(Number(slider.value) - 1),
    play: togglePlay,
    forward: () => goToTurn(Number(slider.value) + 1),
    last: () => goToTurn(Number(slider.max)),
    close: () => dialog.close(),
  };
  for (const [id, act] of Object.entries(buttons)) {
    element(id, HTMLButtonElement).addEventListener("click", () => {
      if (id !== "play") pause();
      act();
    });
  }
  /** @type {Record<string, string>} */
  const keys = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", " ": "play" };
  dialog.addEventListener("keydown", (event) => {
    const id = keys[event.key];
    // Sliders and buttons use these keys themselves.
    if (id === undefined || event.target === speed) return;
    if (event.key === " " && event.target instanceof HTMLButtonElement) return;
    event.preventDefault();
    if (id !== "play") pause();
    buttons[id]();
  });
  dialog.addEventListener("close", () => {
    pause();
    open = null;
    history.replaceState(null, "", location.pathname + location.search);
  });

  // --- the page -----------------------------------------------------------------------------------

  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("button[data-game]") : null;
    if (button instanceof HTMLButtonElement) play(button.dataset.game ?? "", 0);
  });
  for (const button of document.querySelectorAll("button[data-game]")) button.removeAttribute("hidden");

  const filter = document.getElementById("filter");
  if (filter instanceof HTMLInputElement) {
    filter.hidden = false;
    filter.addEventListener("input", () => {
      const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
      for (const row of document.querySelectorAll("#games tbody tr")) {
        // Titles contain the full text of shortened names.
        const titles = Array.from(row.querySelectorAll("[title]"), (cell) => cell.getAttribute("title"));
        const text = [row.textContent, ...titles].join(" ").toLowerCase();
        row.classList.toggle("hidden", !wanted.every((word) => text.includes(word)));
      }
    });
  }

  const theme = element("theme", HTMLButtonElement);
  theme.hidden = false;
  theme.addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme
      ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });

  const parameters = new URLSearchParams(location.hash.slice(1));
  const gameId = parameters.get("game");
  if (gameId !== null) play(gameId, Math.trunc(Number(parameters.get("turn"))) || 0);
})();
