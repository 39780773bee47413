// Plays a finished game at any speed, from any position.

import { MatchDisplay } from "./match_display.js";

/** @typedef {import("./types.js").ReplayFrame} ReplayFrame */
/** @typedef {import("./types.js").MatchFrame} MatchFrame */
/** @typedef {import("./types.js").ReplayAnimation} ReplayAnimation */
/** @typedef {Pick<MatchFrame, "boards" | "pieces" | "queue" | "scores" | "lines" | "level"> & { t: number }} State */

const STEP = 5000; // milliseconds of an arrow key

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
function element(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`the page has no element ${id}`);
  return found;
}

const root = element("replay", HTMLElement);
const status = element("replay-status", HTMLElement);
load().then(
  (animation) => new ReplayPlayer(animation),
  (error) => {
    status.textContent = `The replay cannot be loaded: ${error instanceof Error ? error.message : error}`;
  },
);

/** @returns {Promise<ReplayAnimation>} */
async function load() {
  const answer = await fetch(root.dataset.frames ?? "");
  if (!answer.ok) throw new Error(`the site answers ${answer.status}`);
  return answer.json();
}

class ReplayPlayer {
  #animation;
  #frames;
  #display = new MatchDisplay(root);
  #button = element("play", HTMLButtonElement);
  #position = element("position", HTMLInputElement);
  #clock = element("clock", HTMLOutputElement);
  #speed = element("speed", HTMLSelectElement);
  #now = 0; // milliseconds of the game
  #frame = -1; // index of the displayed frame
  #isPlaying = false;
  #lastDrawn = 0; // time of the last drawing

  /** @param {ReplayAnimation} animation */
  constructor(animation) {
    this.#animation = animation;
    this.#frames = completeFrames(animation.frames);
    this.#position.max = String(animation.milliseconds);
    this.#position.disabled = false;
    this.#button.disabled = false;
    status.textContent = "";
    this.#button.addEventListener("click", () => this.#toggle());
    this.#position.addEventListener("input", () => this.#seek(Number(this.#position.value)));
    document.addEventListener("keydown", (event) => this.#press(event));
    this.#show(false);
    // With reduced motion, the visitor starts the replay.
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) this.#toggle();
  }

  #toggle() {
    this.#isPlaying = !this.#isPlaying;
    if (this.#isPlaying) {
      if (this.#now >= this.#animation.milliseconds) this.#seek(0);
      this.#lastDrawn = performance.now();
      requestAnimationFrame(() => this.#step());
    }
    this.#button.textContent = this.#isPlaying ? "Pause" : "Play";
  }

  #step() {
    if (!this.#isPlaying) return;
    const now = performance.now();
    this.#now = Math.min(this.#now + (now - this.#lastDrawn) * Number(this.#speed.value), this.#animation.milliseconds);
    this.#lastDrawn = now;
    this.#show(true);
    if (this.#now >= this.#animation.milliseconds) this.#toggle();
    else requestAnimationFrame(() => this.#step());
  }

  /** @param {number} place */
  #seek(place) {
    this.#now = Math.max(0, Math.min(place, this.#animation.milliseconds));
    this.#show(false);
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const { target, key } = event;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const isControl = target instanceof HTMLButtonElement || target instanceof HTMLSelectElement || target instanceof HTMLInputElement;
    // Controls handle these keys themselves.
    if (isControl) return;
    if (key === " ") this.#toggle();
    else if (key === "ArrowLeft") this.#seek(this.#now - STEP);
    else if (key === "ArrowRight") this.#seek(this.#now + STEP);
    else return;
    event.preventDefault();
  }

  /** @param {boolean} animate  whether to animate the frames in between */
  #show(animate) {
    const index = findFrame(this.#frames, this.#now);
    if (animate && index > this.#frame) this.#animateFrames(this.#frame + 1, index);
    if (index !== this.#frame) this.#display.show(this.#frames[index]);
    this.#frame = index;
    const isOver = this.#now >= this.#animation.milliseconds;
    this.#display.showWinner(isOver ? this.#animation.winner : null);
    const text = isOver ? `${this.#animation.teams[this.#animation.winner]} has won: ${this.#animation.ending}.` : "";
    if (status.textContent !== text) status.textContent = text;
    this.#position.value = String(Math.round(this.#now));
    const clock = `${formatTime(this.#now)} / ${formatTime(this.#animation.milliseconds)}`;
    if (this.#clock.value !== clock) {
      this.#clock.value = clock;
      this.#position.setAttribute("aria-valuetext", clock);
    }
  }

  /**
   * @param {number} first
   * @param {number} last
   */
  #animateFrames(first, last) {
    for (let i = Math.max(first, last - 20); i <= last; i++) {
      const { c = [], r = [] } = this.#animation.frames[i];
      for (const [seat, rows] of c) this.#display.flash(seat, rows);
      for (const [seat, rows] of r) this.#display.animateGarbage(seat, rows);
    }
  }
}

/**
 * Return the complete state at each change.
 *
 * @param {ReplayFrame[]} changes
 * @returns {State[]}
 */
function completeFrames(changes) {
  /** @type {State} */
  let frame = { t: 0, boards: ["", ""], pieces: [null, null], queue: "", scores: null, lines: null, level: null };
  return changes.map((change) => {
    const [one, other] = change.b ?? [null, null];
    frame = {
      t: change.t,
      boards: [one ?? frame.boards[0], other ?? frame.boards[1]],
      pieces: change.p ?? frame.pieces,
      queue: change.q ?? frame.queue,
      scores: change.s ?? frame.scores,
      lines: change.l ?? frame.lines,
      level: change.v ?? frame.level,
    };
    return frame;
  });
}

/**
 * Return the index of the last frame until a time.
 *
 * @param {State[]} frames
 * @param {number} time
 */
function findFrame(frames, time) {
  let low = 0;
  let high = frames.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (frames[middle].t <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** @param {number} milliseconds */
function formatTime(milliseconds) {
  const seconds = Math.floor(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
