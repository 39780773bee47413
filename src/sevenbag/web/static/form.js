// The form: who plays whom, and how. It remembers files, so that a new game needs no new choice.

import { fromAddress, fromFile } from "./sources.js";

/** @typedef {import("./types.js").PlayerSetup} PlayerSetup */
/** @typedef {import("./types.js").Wanted} Wanted */
/** @typedef {import("./types.js").WorkerSource} WorkerSource */

const EXAMPLE = "/static/worker_bot.js";

/** Something in the form that cannot be used, and where. */
class Wrong extends Error {
  /**
   * @param {string} what
   * @param {HTMLElement} field
   */
  constructor(what, field) {
    super(what);
    this.field = field;
  }
}

export class Form {
  /** @type {[File | null, File | null]} */
  #files = [null, null];
  #form;
  #players;

  /**
   * @param {HTMLFormElement} form
   * @param {(wanted: Wanted) => void} play  is called with what the visitor wants
   */
  constructor(form, play) {
    this.#form = form;
    this.#players = [...form.querySelectorAll("fieldset.player")];
    this.#players.forEach((player, seat) => this.#prepare(player, seat));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit(play);
    });
    // A file dropped beside a player would take the page's place.
    for (const type of ["dragover", "drop"]) {
      window.addEventListener(type, (event) => hasFiles(event) && event.preventDefault());
    }
  }

  /**
   * Read the form; what is wrong is told beside it.
   *
   * @param {(wanted: Wanted) => void} play
   */
  async submit(play) {
    this.#complain(null);
    try {
      play(await this.#wanted());
    } catch (error) {
      if (!(error instanceof Wrong)) throw error;
      this.#complain(error);
    }
  }

  /** @returns {Promise<Wanted>} */
  async #wanted() {
    const [first, second] = [await this.#player(0), await this.#player(1)];
    const rules = /** @type {HTMLSelectElement} */ (this.#form.elements.namedItem("rules"));
    return {
      setup: {
        players: [first.setup, second.setup],
        rules: rules.value,
        seed: this.#number("seed"),
        pieces: this.#number("pieces") ?? 200,
        milliseconds: this.#number("milliseconds"),
        nodes: this.#number("nodes"),
        pps: this.#number("pps"),
        patience: this.#number("patience") ?? 5,
      },
      sources: [first.source, second.source],
    };
  }

  /**
   * @param {number} seat
   * @returns {Promise<{ setup: PlayerSetup, source: WorkerSource | null }>}
   */
  async #player(seat) {
    const player = this.#players[seat];
    const [kind, name] = value(player, "who").split(":");
    if (kind === "house") {
      const options = value(player, "options").trim();
      return {
        setup: { kind: "house", spec: options ? `${name}:${options}` : name },
        source: null,
      };
    }
    const source = await this.#source(player, seat, kind);
    return { setup: { kind: "worker", script: source.script.slice(0, 200) }, source };
  }

  /**
   * @param {Element} player
   * @param {number} seat
   * @param {string} kind
   */
  async #source(player, seat, kind) {
    if (kind === "example") return fromAddress(EXAMPLE);
    const field = input(player, kind);
    try {
      if (kind === "address") {
        if (!field.value.trim()) throw new Error("an address is missing here");
        return fromAddress(field.value.trim());
      }
      const file = this.#files[seat];
      if (!file) throw new Error("choose a file, or drop one here");
      return await fromFile(file);
    } catch (error) {
      throw new Wrong(reasonOf(error), field);
    }
  }

  /** @param {string} name */
  #number(name) {
    const field = input(this.#form, name);
    if (!field.checkValidity()) throw new Wrong(field.validationMessage, field);
    return field.value === "" ? null : field.valueAsNumber;
  }

  /**
   * @param {Element} player
   * @param {number} seat
   */
  #prepare(player, seat) {
    const who = /** @type {HTMLSelectElement} */ (player.querySelector("select"));
    const show = () => {
      const kind = who.value.split(":")[0];
      for (const part of player.querySelectorAll("[data-for]")) {
        part.toggleAttribute("hidden", part.getAttribute("data-for") !== kind);
      }
    };
    // An option of one bot is none of another.
    who.addEventListener("change", () => {
      input(player, "options").value = "";
      this.#complain(null);
      show();
    });
    show();

    const files = input(player, "file");
    files.addEventListener("change", () => {
      this.#files[seat] = files.files?.[0] ?? null;
    });
    player.addEventListener("dragover", (event) => {
      player.classList.toggle("over", hasFiles(event));
    });
    player.addEventListener("dragleave", () => player.classList.remove("over"));
    player.addEventListener("drop", (event) => {
      player.classList.remove("over");
      const dropped = /** @type {DragEvent} */ (event).dataTransfer?.files;
      if (!dropped?.length) return;
      this.#files[seat] = dropped[0];
      files.files = dropped;
      who.value = "file";
      show();
    });
  }

  /** @param {Wrong | null} wrong */
  #complain(wrong) {
    for (const place of this.#form.querySelectorAll(".wrong")) place.toggleAttribute("hidden", true);
    for (const field of this.#form.querySelectorAll("[aria-invalid]")) {
      field.removeAttribute("aria-invalid");
    }
    if (wrong === null) return;
    const within = wrong.field.closest("fieldset.player") ?? this.#form;
    const places = [...within.querySelectorAll(".wrong")];
    const place = places[places.length - 1];
    place.textContent = wrong.message;
    place.toggleAttribute("hidden", false);
    wrong.field.setAttribute("aria-invalid", "true");
    wrong.field.focus();
  }
}

/** @param {Event} event */
function hasFiles(event) {
  return /** @type {DragEvent} */ (event).dataTransfer?.types.includes("Files") ?? false;
}

/** @param {unknown} error */
function reasonOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/**
 * @param {Element} within
 * @param {string} name
 */
function input(within, name) {
  return /** @type {HTMLInputElement} */ (within.querySelector(`input[name="${name}"]`));
}

/**
 * @param {Element} within
 * @param {string} name
 */
function value(within, name) {
  const field = within.querySelector(`[name="${name}"]`);
  return /** @type {HTMLInputElement | HTMLSelectElement} */ (field).value;
}
