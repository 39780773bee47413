// Sections of a page that are loaded again when they may be out of date. A section is an element with
// data-section and an id. Elements in it with data-preserve and an id, such as boards that scripts draw,
// stay as long as the new section has them.

const MIN_INTERVAL = 3000; // milliseconds between two requests
const MAX_DELAY = 1000; // random delay, to spread the load

export class PageSections {
  #last = -MIN_INTERVAL;
  #isInvalid = false;
  #timer = 0;
  #onReplace;
  /** @type {Map<string, string>}  as loaded: scripts may have changed the elements since */
  #html = new Map();

  /** @param {() => void} onReplace  called after sections were replaced */
  constructor(onReplace = () => {}) {
    this.#onReplace = onReplace;
    for (const section of document.querySelectorAll("[data-section]")) this.#html.set(section.id, section.outerHTML);
    document.addEventListener("visibilitychange", () => this.#schedule());
  }

  /** Load the sections again soon. */
  invalidate() {
    this.#isInvalid = true;
    this.#schedule();
  }

  #schedule() {
    if (!this.#isInvalid || this.#timer || document.hidden) return;
    const pause = Math.max(0, this.#last + MIN_INTERVAL - performance.now());
    this.#timer = setTimeout(() => this.#fetch(), pause + Math.random() * MAX_DELAY);
  }

  async #fetch() {
    this.#isInvalid = false;
    try {
      const response = await fetch(location.href, { headers: { accept: "text/html" } });
      if (response.ok) this.#replace(await response.text());
    } catch {
      // The site is unavailable; the live socket shows it, and reports a change when it is back.
    }
    this.#last = performance.now();
    this.#timer = 0;
    this.#schedule();
  }

  /** @param {string} text */
  #replace(text) {
    const page = new DOMParser().parseFromString(text, "text/html");
    for (const old of document.querySelectorAll("[data-section]")) {
      const section = page.getElementById(old.id);
      if (!section || section.outerHTML === this.#html.get(old.id)) continue;
      this.#html.set(old.id, section.outerHTML);
      // Keep the keyboard focus.
      const focused = old.contains(document.activeElement) ? document.activeElement?.id : "";
      for (const preserved of old.querySelectorAll("[data-preserve]")) {
        section.querySelector(`#${preserved.id}`)?.replaceWith(preserved);
      }
      old.replaceWith(document.adoptNode(section));
      if (focused) document.getElementById(focused)?.focus();
    }
    this.#onReplace();
  }
}
