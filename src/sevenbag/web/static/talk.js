// What was said between a worker and the server. All of it is text to this page, whatever it holds.

/** @typedef {import("./match.js").Direction} Direction */
/** @typedef {{ direction: Direction, when: number, text: string }} Line */

const MOST_LINES = 500;
const LONGEST_SHOWN = 240;
const LONGEST_KEPT = 20_000;
const ARROWS = { in: "→", out: "←", bad: "✗" };

export class Talk {
  /** @type {Line[]} */
  #lines = [];
  #count = 0;
  #unshown = 0;
  #waiting = false;
  #began = 0;
  #details;
  #list;
  #counter;
  #whose;

  /** @param {HTMLDetailsElement} details */
  constructor(details) {
    this.#details = details;
    this.#list = /** @type {HTMLOListElement} */ (details.querySelector("ol"));
    this.#counter = /** @type {HTMLElement} */ (details.querySelector(".count"));
    this.#whose = /** @type {HTMLElement} */ (details.querySelector(".whose"));
    details.addEventListener("toggle", () => this.#showSoon());
    details.querySelector(".copy")?.addEventListener("click", () => {
      navigator.clipboard?.writeText(this.#lines.map((line) => written(line)).join("\n"));
    });
  }

  /**
   * Begin anew.
   *
   * @param {boolean} hasWorker  whether there is anything to be said at all
   */
  clear(hasWorker) {
    this.#lines = [];
    this.#count = this.#unshown = 0;
    this.#began = performance.now();
    this.#list.replaceChildren();
    this.#counter.textContent = "0";
    this.#details.toggleAttribute("hidden", !hasWorker);
  }

  /** @param {string} name */
  call(name) {
    this.#whose.textContent = name;
  }

  /**
   * @param {Direction} direction
   * @param {string} text
   */
  add(direction, text) {
    const when = (performance.now() - this.#began) / 1000;
    this.#lines.push({ direction, when, text: text.slice(0, LONGEST_KEPT) });
    this.#count++;
    this.#unshown++;
    if (this.#lines.length > MOST_LINES) this.#lines.shift();
    this.#showSoon();
  }

  /** Once a frame at most; what is folded away is not drawn. */
  #showSoon() {
    if (this.#waiting) return;
    this.#waiting = true;
    requestAnimationFrame(() => {
      this.#waiting = false;
      this.#counter.textContent = String(this.#count);
      if (!this.#details.open || !this.#unshown) return;
      const list = this.#list;
      const atEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 4;
      const fresh = this.#lines.slice(-Math.min(this.#unshown, MOST_LINES));
      this.#unshown = 0;
      list.append(...fresh.map((line) => item(line)));
      while (list.childElementCount > MOST_LINES) list.firstElementChild?.remove();
      if (atEnd) list.scrollTop = list.scrollHeight;
    });
  }
}

/** @param {Line} line */
function written({ direction, when, text }) {
  return `${when.toFixed(3)} ${ARROWS[direction]} ${text}`;
}

/** @param {Line} line */
function item({ direction, when, text }) {
  const shown = document.createElement("li");
  shown.className = direction;
  const head = document.createElement("b");
  head.textContent = `${when.toFixed(3)} ${ARROWS[direction]} `;
  const rest = text.length - LONGEST_SHOWN;
  shown.append(head, rest > 0 ? `${text.slice(0, LONGEST_SHOWN)}… (${rest} more)` : text);
  return shown;
}
