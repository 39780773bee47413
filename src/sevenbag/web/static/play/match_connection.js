// Connection of a match: forwards the messages of this page's workers, and reports events.

/** @typedef {import("./types.js").ServerEvent} ServerEvent */
/** @typedef {import("./types.js").StartRequest} StartRequest */
/** @typedef {"in" | "out" | "error"} Direction  to the worker, from it, or an error of it */

const MAX_MESSAGE_LENGTH = 1024 * 1024; // the server's limit, too
const MAX_BUFFERED = 8 * 1024 * 1024;
const MAX_UNANSWERED = 2000; // messages of a worker between two messages to it

/**
 * @typedef {{
 *   event: (event: ServerEvent) => void,
 *   message: (player: number, direction: Direction, text: string) => void,
 *   disconnected: (reason: string) => void,
 * }} Listener  `disconnected`: before the end of the match
 */

export class MatchConnection {
  #sources;
  #listener;
  #socket;
  #finished = false;
  #stopped = false;
  /** @type {Map<number, { player: number, worker: Worker, unansweredMessages: number }>} */
  #workers = new Map();

  /**
   * @param {StartRequest} request
   * @param {Listener} listener
   */
  constructor(request, listener) {
    this.#sources = request.sources;
    this.#listener = listener;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    this.#socket = new WebSocket(`${scheme}//${location.host}/match`);
    this.#socket.addEventListener("open", () => {
      this.#send(request.match);
      if (this.#stopped) this.stop();
    });
    this.#socket.addEventListener("message", ({ data }) => this.#handleFrame(data));
    this.#socket.addEventListener("close", () => this.#handleClose());
  }

  /** Ask the server to stop the match. It then sends the final state. */
  stop() {
    this.#stopped = true;
    this.#send({ command: "stop" });
  }

  #handleClose() {
    for (const { worker } of this.#workers.values()) worker.terminate();
    this.#workers.clear();
    if (!this.#finished) this.#listener.disconnected("the connection to the server is lost, and the game with it");
    this.#finished = true;
  }

  /** @param {string} frame  JSON of the server, or a worker's number and a message to it */
  #handleFrame(frame) {
    const number = parseInt(frame, 10);
    if (!Number.isNaN(number)) {
      const text = frame.slice(frame.indexOf(" ") + 1);
      const entry = this.#workers.get(number);
      if (!entry) return;
      this.#listener.message(entry.player, "in", text);
      entry.unansweredMessages = 0;
      entry.worker.postMessage(JSON.parse(text));
      return;
    }
    const event = /** @type {ServerEvent} */ (JSON.parse(frame));
    if (event.event === "start_worker") this.#start(event.number, event.player);
    else if (event.event === "stop_worker") this.#stop(event.number);
    else {
      this.#finished ||= event.event === "match_finished" || event.event === "match_rejected";
      this.#listener.event(event);
    }
  }

  /**
   * @param {number} number
   * @param {number} player
   */
  #start(number, player) {
    const source = this.#sources[player];
    try {
      if (!source) throw new Error("this page has no such worker");
      const worker = source.start();
      this.#workers.set(number, { player, worker, unansweredMessages: 0 });
      worker.addEventListener("message", ({ data }) => this.#handleMessage(number, player, data));
      worker.addEventListener("error", (error) => {
        error.preventDefault();
        const position = error.lineno ? ` (line ${error.lineno})` : "";
        this.#fail(number, player, `${error.message || `${source.script} cannot be loaded`}${position}`);
      });
      worker.addEventListener("messageerror", () => {
        this.#fail(number, player, "posted a message that cannot be copied");
      });
    } catch (error) {
      this.#fail(number, player, error instanceof Error ? error.message : String(error));
    }
  }

  /** @param {number} number */
  #stop(number) {
    this.#workers.get(number)?.worker.terminate();
    this.#workers.delete(number);
  }

  /**
   * @param {number} number
   * @param {number} player
   * @param {unknown} data
   */
  #handleMessage(number, player, data) {
    const entry = this.#workers.get(number);
    if (!entry) return;
    if (++entry.unansweredMessages > MAX_UNANSWERED) {
      this.#fail(number, player, `posted ${MAX_UNANSWERED} messages that were not requested`);
      return;
    }
    let text;
    try {
      text = typeof data === "string" ? data : String(JSON.stringify(data));
    } catch (error) {
      this.#fail(number, player, `posted data that is not JSON: ${error}`);
      return;
    }
    this.#listener.message(player, "out", text);
    if (text.length > MAX_MESSAGE_LENGTH) {
      this.#fail(number, player, `posted a message longer than ${MAX_MESSAGE_LENGTH} bytes`);
    } else if (this.#socket.bufferedAmount > MAX_BUFFERED) {
      this.#fail(number, player, "posts messages faster than they can be sent");
    } else if (this.#socket.readyState === WebSocket.OPEN) {
      this.#socket.send(`${number} ${text}`);
    }
  }

  /**
   * @param {number} number
   * @param {number} player
   * @param {string} reason
   */
  #fail(number, player, reason) {
    this.#listener.message(player, "error", reason);
    this.#stop(number);
    this.#send({ command: "worker_failed", number, reason: reason.slice(0, 1000) });
  }

  /** @param {object} message */
  #send(message) {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }
}
