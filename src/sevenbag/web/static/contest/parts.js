// Parts of a page that the site writes: fetched anew when they may be old, and put in place of the
// old ones. A part is an element with data-part and an id; what has data-keep and an id in it stays
// as it is, as long as the new part has it, too: boards that scripts draw.

const LEAST_PAUSE = 3000; // milliseconds between two times
const SPREAD = 1000; // not all pages at once

export class Parts {
  #last = -LEAST_PAUSE;
  #wanted = false;
  #timer = 0;
  #after;
  /** @type {Map<string, string>}  as the site wrote them: scripts may have changed them since */
  #written = new Map();

  /** @param {() => void} after  what is to be done with new parts */
  constructor(after = () => {}) {
    this.#after = after;
    for (const part of document.querySelectorAll("[data-part]")) this.#written.set(part.id, part.outerHTML);
    document.addEventListener("visibilitychange", () => this.#plan());
  }

  /** Something that they show has changed. */
  stir() {
    this.#wanted = true;
    this.#plan();
  }

  #plan() {
    if (!this.#wanted || this.#timer || document.hidden) return;
    const pause = Math.max(0, this.#last + LEAST_PAUSE - performance.now());
    this.#timer = setTimeout(() => this.#fetch(), pause + Math.random() * SPREAD);
  }

  async #fetch() {
    this.#wanted = false;
    try {
      const answer = await fetch(location.href, { headers: { accept: "text/html" } });
      if (answer.ok) this.#replace(await answer.text());
    } catch {
      // The site is away: the line will tell, and bring a new change with it.
    }
    this.#last = performance.now();
    this.#timer = 0;
    this.#plan();
  }

  /** @param {string} text */
  #replace(text) {
    const fresh = new DOMParser().parseFromString(text, "text/html");
    for (const old of document.querySelectorAll("[data-part]")) {
      const now = fresh.getElementById(old.id);
      if (!now || now.outerHTML === this.#written.get(old.id)) continue;
      this.#written.set(old.id, now.outerHTML);
      // Whoever reads it with a keyboard stays where they are.
      const focused = old.contains(document.activeElement) ? document.activeElement?.id : "";
      for (const kept of old.querySelectorAll("[data-keep]")) {
        now.querySelector(`#${kept.id}`)?.replaceWith(kept);
      }
      old.replaceWith(document.adoptNode(now));
      if (focused) document.getElementById(focused)?.focus();
    }
    this.#after();
  }
}
