// WebSocket to the site that reconnects when it is closed.

/** @typedef {import("./types.js").LiveEvent} LiveEvent */

const MIN_RETRY_DELAY = 500; // milliseconds
const MAX_RETRY_DELAY = 15_000;

/**
 * @typedef {{
 *   event: (event: LiveEvent) => void,
 *   stateChanged: (open: boolean, retrySeconds: number, reason: string) => void,
 * }} Listener  `stateChanged`: whether the socket is open, the time until the next attempt, and the
 *   reason that the site gave
 */

export class LiveSocket {
  #address;
  #listener;
  #retryDelay = MIN_RETRY_DELAY;
  /** @type {WebSocket | null} */
  #socket = null;
  #timer = 0;
  #closed = false;

  /**
   * @param {number[]} matches  to watch
   * @param {Listener} listener
   */
  constructor(matches, listener) {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const query = matches.map((match) => `match=${match}`).join("&");
    this.#address = `${scheme}//${location.host}/live?${query}`;
    this.#listener = listener;
    this.#open();
    // Reconnect at once when a phone wakes up.
    addEventListener("online", () => this.#reconnectNow());
    addEventListener("pageshow", () => this.#reconnectNow());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.#reconnectNow();
    });
  }

  /** Close without reconnecting. */
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
      this.#retryDelay = MIN_RETRY_DELAY;
      this.#listener.stateChanged(true, 0, "");
    });
    socket.addEventListener("message", ({ data }) => {
      if (this.#closed) return;
      this.#listener.event(/** @type {LiveEvent} */ (JSON.parse(data)));
    });
    socket.addEventListener("close", ({ reason }) => {
      if (this.#closed || socket !== this.#socket) return;
      // Random delays spread the load after a restart of the site.
      const delay = this.#retryDelay * (0.5 + Math.random());
      this.#retryDelay = Math.min(MAX_RETRY_DELAY, this.#retryDelay * 2);
      this.#listener.stateChanged(false, delay / 1000, reason);
      this.#timer = setTimeout(() => this.#open(), delay);
    });
  }

  #reconnectNow() {
    if (this.#socket?.readyState !== WebSocket.CLOSED) return;
    clearTimeout(this.#timer);
    this.#open();
  }
}

/**
 * Open the socket of a page, show its state and reload the sections after an interruption.
 * @param {number[]} matches  to watch
 * @param {import("./page_sections.js").PageSections} sections
 * @param {() => import("./connection_status.js").ConnectionStatus | null} status  to show the state of the socket, if any
 * @param {(event: LiveEvent) => void} handleEvent
 */
export function connectPage(matches, sections, status, handleEvent) {
  return new LiveSocket(matches, {
    event: handleEvent,
    stateChanged: (open, retrySeconds, reason) => {
      status()?.setConnection(open, retrySeconds, reason);
      // Events may have been lost since the page was rendered.
      if (open) sections.invalidate();
    },
  });
}
