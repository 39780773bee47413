// A match over its socket: carries the words of this page's workers, and passes on what is to be seen.

/** @typedef {import("./types.js").ServerEvent} ServerEvent */
/** @typedef {import("./types.js").Wanted} Wanted */
/** @typedef {"in" | "out" | "bad"} Direction  to the worker, from it, or something about it */

const LONGEST_MESSAGE = 1024 * 1024; // the server takes no longer one either
const MOST_UNSENT = 8 * 1024 * 1024;
const MOST_UNASKED = 2000; // messages between two that it is told

/**
 * @typedef {{
 *   event: (event: ServerEvent) => void,
 *   said: (seat: number, direction: Direction, text: string) => void,
 *   lost: (reason: string) => void,
 * }} Listener  `lost`: the connection was, before the match was over
 */

export class Match {
  #sources;
  #listener;
  #socket;
  #over = false;
  #stopped = false;
  /** @type {Map<number, { seat: number, worker: Worker, said: number }>} */
  #workers = new Map();

  /**
   * @param {Wanted} wanted
   * @param {Listener} listener
   */
  constructor(wanted, listener) {
    this.#sources = wanted.sources;
    this.#listener = listener;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    this.#socket = new WebSocket(`${scheme}//${location.host}/match`);
    this.#socket.addEventListener("open", () => {
      this.#tell(wanted.setup);
      if (this.#stopped) this.stop();
    });
    this.#socket.addEventListener("message", ({ data }) => this.#take(data));
    this.#socket.addEventListener("close", () => this.#close());
  }

  /** Ask the server to end the match; it then tells how it stands. */
  stop() {
    this.#stopped = true;
    this.#tell({ word: "stop" });
  }

  #close() {
    for (const { worker } of this.#workers.values()) worker.terminate();
    this.#workers.clear();
    if (!this.#over) this.#listener.lost("the connection to the server is lost, and the game with it");
    this.#over = true;
  }

  /** @param {string} frame  JSON of the server, or a worker's number and what it is told */
  #take(frame) {
    const number = parseInt(frame, 10);
    if (!Number.isNaN(number)) {
      const text = frame.slice(frame.indexOf(" ") + 1);
      const told = this.#workers.get(number);
      if (!told) return;
      this.#listener.said(told.seat, "in", text);
      told.said = 0;
      told.worker.postMessage(JSON.parse(text));
      return;
    }
    const event = /** @type {ServerEvent} */ (JSON.parse(frame));
    if (event.event === "start_worker") this.#start(event.number, event.seat);
    else if (event.event === "end_worker") this.#end(event.number);
    else {
      this.#over ||= event.event === "over" || event.event === "refused";
      this.#listener.event(event);
    }
  }

  /**
   * @param {number} number
   * @param {number} seat
   */
  #start(number, seat) {
    const source = this.#sources[seat];
    try {
      if (!source) throw new Error("this page has no such worker");
      const worker = source.start();
      this.#workers.set(number, { seat, worker, said: 0 });
      worker.addEventListener("message", ({ data }) => this.#hear(number, seat, data));
      worker.addEventListener("error", (error) => {
        error.preventDefault();
        const where = error.lineno ? ` (line ${error.lineno})` : "";
        this.#fail(number, seat, `${error.message || `${source.script} cannot be loaded`}${where}`);
      });
      worker.addEventListener("messageerror", () => {
        this.#fail(number, seat, "posted a message that cannot be copied");
      });
    } catch (error) {
      this.#fail(number, seat, error instanceof Error ? error.message : String(error));
    }
  }

  /** @param {number} number */
  #end(number) {
    this.#workers.get(number)?.worker.terminate();
    this.#workers.delete(number);
  }

  /**
   * @param {number} number
   * @param {number} seat
   * @param {unknown} data
   */
  #hear(number, seat, data) {
    const teller = this.#workers.get(number);
    if (!teller) return;
    if (++teller.said > MOST_UNASKED) {
      this.#fail(number, seat, `posted ${MOST_UNASKED} messages that nobody had asked for`);
      return;
    }
    let text;
    try {
      text = typeof data === "string" ? data : String(JSON.stringify(data));
    } catch (error) {
      this.#fail(number, seat, `posted something that is no JSON: ${error}`);
      return;
    }
    this.#listener.said(seat, "out", text);
    if (text.length > LONGEST_MESSAGE) {
      this.#fail(number, seat, `posted a message longer than ${LONGEST_MESSAGE} bytes`);
    } else if (this.#socket.bufferedAmount > MOST_UNSENT) {
      this.#fail(number, seat, "posts more than can be carried");
    } else if (this.#socket.readyState === WebSocket.OPEN) {
      this.#socket.send(`${number} ${text}`);
    }
  }

  /**
   * @param {number} number
   * @param {number} seat
   * @param {string} reason
   */
  #fail(number, seat, reason) {
    this.#listener.said(seat, "bad", reason);
    this.#end(number);
    this.#tell({ word: "failed", number, reason: reason.slice(0, 1000) });
  }

  /** @param {object} word */
  #tell(word) {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(word));
  }
}
