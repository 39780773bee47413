// Log of the messages between a worker and the server. Messages are shown as text, never as markup.

/** @typedef {import("./match_connection.js").Direction} Direction */
/** @typedef {{ direction: Direction, seconds: number, text: string }} Message */

const MAX_MESSAGES = 500;
const MAX_SHOWN_LENGTH = 240;
const MAX_LENGTH = 20_000;
const ARROWS = { in: "→", out: "←", error: "✗" };

export class MessageLog {
  /** @type {Message[]} */
  #messages = [];
  #count = 0;
  #newMessages = 0;
  #isScheduled = false;
  #startTime = 0;
  #details;
  #list;
  #counter;
  #name;

  /** @param {HTMLDetailsElement} details */
  constructor(details) {
    this.#details = details;
    this.#list = /** @type {HTMLOListElement} */ (details.querySelector("ol"));
    this.#counter = /** @type {HTMLElement} */ (details.querySelector(".count"));
    this.#name = /** @type {HTMLElement} */ (details.querySelector(".player-name"));
    details.addEventListener("toggle", () => this.#scheduleShow());
    details.querySelector(".copy")?.addEventListener("click", () => {
      navigator.clipboard?.writeText(this.#messages.map((message) => formatMessage(message)).join("\n"));
    });
  }

  /**
   * Remove all messages.
   *
   * @param {boolean} hasWorker  whether the player has messages
   */
  clear(hasWorker) {
    this.#messages = [];
    this.#count = this.#newMessages = 0;
    this.#startTime = performance.now();
    this.#list.replaceChildren();
    this.#counter.textContent = "0";
    this.#details.toggleAttribute("hidden", !hasWorker);
  }

  /** @param {string} name */
  setName(name) {
    this.#name.textContent = name;
  }

  /**
   * @param {Direction} direction
   * @param {string} text
   */
  add(direction, text) {
    const seconds = (performance.now() - this.#startTime) / 1000;
    this.#messages.push({ direction, seconds, text: text.slice(0, MAX_LENGTH) });
    this.#count++;
    this.#newMessages++;
    if (this.#messages.length > MAX_MESSAGES) this.#messages.shift();
    this.#scheduleShow();
  }

  /** Show new messages with the next frame, if the log is open. */
  #scheduleShow() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => {
      this.#isScheduled = false;
      this.#counter.textContent = String(this.#count);
      if (!this.#details.open || !this.#newMessages) return;
      const list = this.#list;
      const atEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 4;
      const messages = this.#messages.slice(-Math.min(this.#newMessages, MAX_MESSAGES));
      this.#newMessages = 0;
      list.append(...messages.map((message) => createItem(message)));
      while (list.childElementCount > MAX_MESSAGES) list.firstElementChild?.remove();
      if (atEnd) list.scrollTop = list.scrollHeight;
    });
  }
}

/** @param {Message} message */
function formatMessage({ direction, seconds, text }) {
  return `${seconds.toFixed(3)} ${ARROWS[direction]} ${text}`;
}

/** @param {Message} message */
function createItem({ direction, seconds, text }) {
  const item = document.createElement("li");
  item.className = direction;
  const head = document.createElement("b");
  head.textContent = `${seconds.toFixed(3)} ${ARROWS[direction]} `;
  const hiddenLength = text.length - MAX_SHOWN_LENGTH;
  item.append(head, hiddenLength > 0 ? `${text.slice(0, MAX_SHOWN_LENGTH)}… (${hiddenLength} more)` : text);
  return item;
}
