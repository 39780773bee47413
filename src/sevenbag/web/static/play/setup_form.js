// The form for players and game. It keeps chosen files, so that a new game needs no new choice.

import { createUrlWorker, loadFileWorker } from "./worker_source.js";

/** @typedef {import("./types.js").PlayerRequest} PlayerRequest */
/** @typedef {import("./types.js").StartRequest} StartRequest */
/** @typedef {import("./types.js").WorkerSource} WorkerSource */

const EXAMPLE = "/static/worker_bot.js";

/** Invalid value of a field. */
class FieldError extends Error {
  /**
   * @param {string} message
   * @param {HTMLElement} field
   */
  constructor(message, field) {
    super(message);
    this.field = field;
  }
}

export class SetupForm {
  /** @type {[File | null, File | null]} */
  #files = [null, null];
  #form;
  #onStart;
  #players;

  /**
   * @param {HTMLFormElement} form
   * @param {(request: StartRequest) => void} onStart
   */
  constructor(form, onStart) {
    this.#form = form;
    this.#onStart = onStart;
    this.#players = [...form.querySelectorAll("fieldset.player")];
    this.#players.forEach((player, index) => this.#prepare(player, index));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    // The browser opens files that are dropped elsewhere on the page.
    for (const type of ["dragover", "drop"]) {
      window.addEventListener(type, (event) => hasFiles(event) && event.preventDefault());
    }
  }

  /** Read the form and start a match, or show an error beside its field. */
  async submit() {
    this.#showError(null);
    try {
      this.#onStart(await this.#readRequest());
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      this.#showError(error);
    }
  }

  /** @returns {Promise<StartRequest>} */
  async #readRequest() {
    const [first, second] = [await this.#readPlayer(0), await this.#readPlayer(1)];
    const rules = /** @type {HTMLSelectElement} */ (this.#form.elements.namedItem("rules"));
    return {
      match: {
        players: [first.player, second.player],
        rules: rules.value,
        seed: this.#readNumber("seed"),
        pieces: this.#readNumber("pieces") ?? 200,
        milliseconds: this.#readNumber("milliseconds"),
        nodes: this.#readNumber("nodes"),
        pps: this.#readNumber("pps"),
        timeout: this.#readNumber("timeout") ?? 5,
      },
      sources: [first.source, second.source],
    };
  }

  /**
   * @param {number} index
   * @returns {Promise<{ player: PlayerRequest, source: WorkerSource | null }>}
   */
  async #readPlayer(index) {
    const fieldset = this.#players[index];
    const [kind, name] = value(fieldset, "player").split(":");
    if (kind === "builtin") {
      const options = value(fieldset, "options").trim();
      return {
        player: { kind: "builtin", spec: options ? `${name}:${options}` : name },
        source: null,
      };
    }
    const source = await this.#createSource(fieldset, index, kind);
    return { player: { kind: "worker", script: source.script.slice(0, 200) }, source };
  }

  /**
   * @param {Element} player
   * @param {number} index
   * @param {string} kind
   */
  async #createSource(player, index, kind) {
    if (kind === "example") return createUrlWorker(EXAMPLE);
    const field = input(player, kind);
    try {
      if (kind === "address") {
        if (!field.value.trim()) throw new Error("enter an address");
        return createUrlWorker(field.value.trim());
      }
      const file = this.#files[index];
      if (!file) throw new Error("choose a file, or drop one here");
      return await loadFileWorker(file);
    } catch (error) {
      throw new FieldError(errorMessage(error), field);
    }
  }

  /** @param {string} name */
  #readNumber(name) {
    const field = input(this.#form, name);
    if (!field.checkValidity()) throw new FieldError(field.validationMessage, field);
    return field.value === "" ? null : field.valueAsNumber;
  }

  /**
   * @param {Element} player
   * @param {number} index
   */
  #prepare(player, index) {
    const select = /** @type {HTMLSelectElement} */ (player.querySelector("select"));
    const show = () => {
      const kind = select.value.split(":")[0];
      for (const part of player.querySelectorAll("[data-for]")) {
        part.toggleAttribute("hidden", part.getAttribute("data-for") !== kind);
      }
    };
    // Bots have different options.
    select.addEventListener("change", () => {
      input(player, "options").value = "";
      this.#showError(null);
      show();
    });
    show();

    const files = input(player, "file");
    files.addEventListener("change", () => {
      this.#files[index] = files.files?.[0] ?? null;
    });
    player.addEventListener("dragover", (event) => {
      player.classList.toggle("over", hasFiles(event));
    });
    player.addEventListener("dragleave", () => player.classList.remove("over"));
    player.addEventListener("drop", (event) => {
      player.classList.remove("over");
      const dropped = /** @type {DragEvent} */ (event).dataTransfer?.files;
      if (!dropped?.length) return;
      this.#files[index] = dropped[0];
      files.files = dropped;
      select.value = "file";
      show();
    });
  }

  /** @param {FieldError | null} error */
  #showError(error) {
    for (const place of this.#form.querySelectorAll(".error")) place.toggleAttribute("hidden", true);
    for (const field of this.#form.querySelectorAll("[aria-invalid]")) {
      field.removeAttribute("aria-invalid");
    }
    if (error === null) return;
    const within = error.field.closest("fieldset.player") ?? this.#form;
    const places = [...within.querySelectorAll(".error")];
    const place = places[places.length - 1];
    place.textContent = error.message;
    place.toggleAttribute("hidden", false);
    error.field.setAttribute("aria-invalid", "true");
    error.field.focus();
  }
}

/** @param {Event} event */
function hasFiles(event) {
  return /** @type {DragEvent} */ (event).dataTransfer?.types.includes("Files") ?? false;
}

/** @param {unknown} error */
function errorMessage(error) {
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
