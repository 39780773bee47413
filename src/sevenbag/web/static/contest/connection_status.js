// Status line of a live page: connection and state of the match.

const MAX_SILENCE = 6000; // milliseconds without a frame after which a message is shown

export class ConnectionStatus {
  #element;
  #text = "";
  /** @type {"good" | "bad" | ""} */
  #kind = "";
  #open = false;
  #retryTime = 0;
  #reason = "";
  #lastFrame = performance.now();
  #expected = false;

  /** @param {HTMLElement} element */
  constructor(element) {
    this.#element = element;
    setInterval(() => this.#update(), 1000);
  }

  /**
   * @param {boolean} open
   * @param {number} retrySeconds  until the next attempt
   * @param {string} reason
   */
  setConnection(open, retrySeconds, reason) {
    this.#open = open;
    this.#reason = reason || "connection lost";
    this.#retryTime = performance.now() + retrySeconds * 1000;
    this.#lastFrame = performance.now();
    this.#update();
  }

  /**
   * @param {string} text
   * @param {"good" | "bad" | ""} kind
   * @param {boolean} expected  whether frames arrive continuously
   */
  setMessage(text, kind = "", expected = false) {
    this.#text = text;
    this.#kind = kind;
    this.#expected = expected;
    this.#lastFrame = performance.now();
    this.#update();
  }

  #update() {
    const now = performance.now();
    const silent = now - this.#lastFrame;
    if (!this.#open) {
      const left = Math.ceil((this.#retryTime - now) / 1000);
      const why = this.#reason[0].toUpperCase() + this.#reason.slice(1);
      this.#setText(`${why}; trying again ${left > 0 ? `in ${left} s` : "now"}…`, "bad");
    } else if (this.#expected && silent > MAX_SILENCE) {
      this.#setText(`No message from the game server for ${Math.floor(silent / 1000)} s…`, "bad");
    } else {
      this.#setText(this.#text, this.#kind);
    }
  }

  /**
   * @param {string} text
   * @param {string} kind
   */
  #setText(text, kind) {
    // Screen readers read each change aloud.
    if (this.#element.textContent !== text) this.#element.textContent = text;
    this.#element.dataset.kind = kind;
  }
}
