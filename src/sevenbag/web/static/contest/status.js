// The line of text that tells whether what is shown is what happens.

const SILENCE = 6000; // milliseconds after which it is told that nothing comes

export class Status {
  #shown;
  #text = "";
  /** @type {"good" | "bad" | ""} */
  #kind = "";
  #open = false;
  #again = 0;
  #reason = "";
  #heard = performance.now();
  #expected = false;

  /** @param {HTMLElement} shown */
  constructor(shown) {
    this.#shown = shown;
    setInterval(() => this.#show(), 1000);
  }

  /**
   * @param {boolean} open
   * @param {number} seconds  until the next try
   * @param {string} reason
   */
  line(open, seconds, reason) {
    this.#open = open;
    this.#reason = reason || "connection lost";
    this.#again = performance.now() + seconds * 1000;
    this.#heard = performance.now();
    this.#show();
  }

  /**
   * @param {string} text
   * @param {"good" | "bad" | ""} kind
   * @param {boolean} expected  whether pictures are to come, one after the other
   */
  tell(text, kind = "", expected = false) {
    this.#text = text;
    this.#kind = kind;
    this.#expected = expected;
    this.#heard = performance.now();
    this.#show();
  }

  #show() {
    const now = performance.now();
    const silent = now - this.#heard;
    if (!this.#open) {
      const left = Math.ceil((this.#again - now) / 1000);
      const why = this.#reason[0].toUpperCase() + this.#reason.slice(1);
      this.#write(`${why}; trying again ${left > 0 ? `in ${left} s` : "now"}…`, "bad");
    } else if (this.#expected && silent > SILENCE) {
      this.#write(`Nothing heard from the game server for ${Math.floor(silent / 1000)} s…`, "bad");
    } else {
      this.#write(this.#text, this.#kind);
    }
  }

  /**
   * @param {string} text
   * @param {string} kind
   */
  #write(text, kind) {
    // What is read out loud is not written anew for nothing.
    if (this.#shown.textContent !== text) this.#shown.textContent = text;
    this.#shown.dataset.kind = kind;
  }
}
