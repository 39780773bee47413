// Plays a finished game: forwards at any speed, and to any place.

import { Stage } from "./stage.js";

/** @typedef {import("./types.js").Change} Change */
/** @typedef {import("./types.js").Picture} Picture */
/** @typedef {import("./types.js").Playback} Playback */
/** @typedef {Pick<Picture, "boards" | "pieces" | "queue" | "scores" | "lines" | "level"> & { t: number }} Frame */

const LEAP = 5000; // milliseconds by an arrow key

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
function element(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`the page has no ${id}`);
  return found;
}

const root = element("replay", HTMLElement);
const told = element("told", HTMLElement);
load().then(
  (playback) => new Player(playback),
  (error) => {
    told.textContent = `The replay cannot be loaded: ${error instanceof Error ? error.message : error}`;
  },
);

/** @returns {Promise<Playback>} */
async function load() {
  const answer = await fetch(root.dataset.frames ?? "");
  if (!answer.ok) throw new Error(`the site answers ${answer.status}`);
  return answer.json();
}

class Player {
  #playback;
  #frames;
  #stage = new Stage(root);
  #button = element("play", HTMLButtonElement);
  #place = element("place", HTMLInputElement);
  #clock = element("clock", HTMLOutputElement);
  #speed = element("speed", HTMLSelectElement);
  #now = 0; // milliseconds of the game
  #shown = -1; // which frame
  #playing = false;
  #before = 0; // when it was drawn last

  /** @param {Playback} playback */
  constructor(playback) {
    this.#playback = playback;
    this.#frames = framesOf(playback.changes);
    this.#place.max = String(playback.milliseconds);
    this.#place.disabled = false;
    this.#button.disabled = false;
    told.textContent = "";
    this.#button.addEventListener("click", () => this.#toggle());
    this.#place.addEventListener("input", () => this.#seek(Number(this.#place.value)));
    document.addEventListener("keydown", (event) => this.#press(event));
    this.#show(false);
    // Who has asked for less movement presses Play.
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) this.#toggle();
  }

  #toggle() {
    this.#playing = !this.#playing;
    if (this.#playing) {
      if (this.#now >= this.#playback.milliseconds) this.#seek(0);
      this.#before = performance.now();
      requestAnimationFrame(() => this.#step());
    }
    this.#button.textContent = this.#playing ? "Pause" : "Play";
  }

  #step() {
    if (!this.#playing) return;
    const now = performance.now();
    this.#now = Math.min(this.#now + (now - this.#before) * Number(this.#speed.value), this.#playback.milliseconds);
    this.#before = now;
    this.#show(true);
    if (this.#now >= this.#playback.milliseconds) this.#toggle();
    else requestAnimationFrame(() => this.#step());
  }

  /** @param {number} place */
  #seek(place) {
    this.#now = Math.max(0, Math.min(place, this.#playback.milliseconds));
    this.#show(false);
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const { target, key } = event;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const busy = target instanceof HTMLButtonElement || target instanceof HTMLSelectElement || target instanceof HTMLInputElement;
    // Sliders and buttons have their own meaning for these.
    if (busy) return;
    if (key === " ") this.#toggle();
    else if (key === "ArrowLeft") this.#seek(this.#now - LEAP);
    else if (key === "ArrowRight") this.#seek(this.#now + LEAP);
    else return;
    event.preventDefault();
  }

  /** @param {boolean} moving  whether what happens on the way is to be seen */
  #show(moving) {
    const index = lastUntil(this.#frames, this.#now);
    if (moving && index > this.#shown) this.#move(this.#shown + 1, index);
    if (index !== this.#shown) this.#stage.show(this.#frames[index]);
    this.#shown = index;
    const over = this.#now >= this.#playback.milliseconds;
    this.#stage.crown(over ? this.#playback.winner : null);
    const words = over ? `${this.#playback.teams[this.#playback.winner]} has won: ${this.#playback.ending}.` : "";
    if (told.textContent !== words) told.textContent = words;
    this.#place.value = String(Math.round(this.#now));
    const clock = `${minutes(this.#now)} / ${minutes(this.#playback.milliseconds)}`;
    if (this.#clock.value !== clock) {
      this.#clock.value = clock;
      this.#place.setAttribute("aria-valuetext", clock);
    }
  }

  /**
   * @param {number} first
   * @param {number} last
   */
  #move(first, last) {
    for (let i = Math.max(first, last - 20); i <= last; i++) {
      const { c = [], r = [] } = this.#playback.changes[i];
      for (const [seat, rows] of c) this.#stage.flash(seat, rows);
      for (const [seat, rows] of r) this.#stage.rise(seat, rows);
    }
  }
}

/**
 * All that is to be seen, at each change.
 *
 * @param {Change[]} changes
 * @returns {Frame[]}
 */
function framesOf(changes) {
  /** @type {Frame} */
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
 * The last frame that was there by then.
 *
 * @param {Frame[]} frames
 * @param {number} time
 */
function lastUntil(frames, time) {
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
function minutes(milliseconds) {
  const seconds = Math.floor(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
