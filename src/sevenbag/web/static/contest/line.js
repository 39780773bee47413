// The line to the site: events as they come, and a new line whenever it breaks.

/** @typedef {import("./types.js").LiveEvent} LiveEvent */

const FIRST_WAIT = 500; // milliseconds
const LONGEST_WAIT = 15_000;

/**
 * @typedef {{
 *   event: (event: LiveEvent) => void,
 *   standing: (open: boolean, seconds: number, reason: string) => void,
 * }} Listener  `standing`: whether the line is open, in how many seconds it is tried again, and what
 *   the site gave as its reason
 */

export class Line {
  #address;
  #listener;
  #wait = FIRST_WAIT;
  /** @type {WebSocket | null} */
  #socket = null;
  #timer = 0;
  #closed = false;

  /**
   * @param {number[]} matches  to look at
   * @param {Listener} listener
   */
  constructor(matches, listener) {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const wanted = matches.map((match) => `match=${match}`).join("&");
    this.#address = `${scheme}//${location.host}/live?${wanted}`;
    this.#listener = listener;
    this.#open();
    // A phone that was asleep does not wait until the next try is due.
    addEventListener("online", () => this.#hurry());
    addEventListener("pageshow", () => this.#hurry());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.#hurry();
    });
  }

  /** For good. */
  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#socket?.close();
  }

  #open() {
    if (this.#closed) return;
    const socket = new WebSocket(this.#address);
    this.#socket = socket;
    socket.addEventListener("open", () => {
      this.#wait = FIRST_WAIT;
      this.#listener.standing(true, 0, "");
    });
    socket.addEventListener("message", ({ data }) => {
      if (this.#closed) return;
      this.#listener.event(/** @type {LiveEvent} */ (JSON.parse(data)));
    });
    socket.addEventListener("close", ({ reason }) => {
      if (this.#closed || socket !== this.#socket) return;
      // Not all who lost the same server come back in the same moment.
      const wait = this.#wait * (0.5 + Math.random());
      this.#wait = Math.min(LONGEST_WAIT, this.#wait * 2);
      this.#listener.standing(false, wait / 1000, reason);
      this.#timer = setTimeout(() => this.#open(), wait);
    });
  }

  #hurry() {
    if (this.#socket?.readyState !== WebSocket.CLOSED) return;
    clearTimeout(this.#timer);
    this.#open();
  }
}
