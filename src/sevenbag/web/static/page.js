// The page: a form that starts a match, and two cards that show it.

import { Form } from "./form.js";
import { Match } from "./match.js";
import { Card } from "./side.js";

/** @typedef {import("./types.js").Facts} Facts */
/** @typedef {import("./types.js").Over} Over */
/** @typedef {import("./types.js").PlayerSetup} PlayerSetup */
/** @typedef {import("./types.js").ServerEvent} ServerEvent */
/** @typedef {import("./types.js").Wanted} Wanted */

const find = (/** @type {string} */ what) => /** @type {HTMLElement} */ (document.querySelector(what));

const facts = /** @type {Facts} */ (JSON.parse(document.body.dataset.facts ?? "{}"));
const talks = [...document.querySelectorAll("details.talk")];
const cards = [...document.querySelectorAll("article.side")].map((card, seat) => {
  const talk = /** @type {HTMLDetailsElement} */ (talks[seat]);
  return new Card(/** @type {HTMLElement} */ (card), talk, facts);
});
const setup = /** @type {HTMLDetailsElement} */ (find("#setup"));
const status = find("#status");
const replay = /** @type {HTMLAnchorElement} */ (find("#replay"));
const form = new Form(/** @type {HTMLFormElement} */ (find("#setup form")), play);

/** @type {Match | null} */
let match = null;

find("#stop").addEventListener("click", () => match?.stop());
find("#again").addEventListener("click", () => {
  form.submit(play).then(() => {
    // What is wrong with the form can only be read where the form is.
    if (!playing()) setup.open = true;
  });
});

/** @param {Wanted} wanted */
function play(wanted) {
  if (playing()) return;
  setup.open = false;
  find("#match").hidden = false;
  cards.forEach((card, seat) => {
    const player = wanted.setup.players[seat];
    card.clear(called(player), facts.visible[wanted.setup.rules], player.kind === "worker");
  });
  find("#caption").textContent = "";
  replay.hidden = true;
  status.textContent = "Getting ready…";
  setPlaying(true);
  match = new Match(wanted, {
    event: take,
    said: (seat, direction, text) => cards[seat].talk.add(direction, text),
    lost: end,
  });
}

/** @param {ServerEvent} event */
function take(event) {
  switch (event.event) {
    case "opened":
      event.names.forEach((name, seat) => cards[seat].call(name, event.lines[seat]));
      status.textContent = `${event.names[0]} against ${event.names[1]}`;
      break;
    case "picture":
      event.sides.forEach((side, seat) => cards[seat].show(side));
      find("#caption").textContent = event.caption;
      break;
    case "over":
      showEnd(event);
      break;
    case "refused":
      end(`No game: ${event.reason}`);
      setup.open = true;
      break;
  }
}

/** @param {Over} over */
function showEnd(over) {
  over.sides?.forEach((side, seat) => cards[seat].show(side));
  if (over.replay) {
    replay.href = over.replay;
    replay.download = over.file ?? "match.replay";
    replay.hidden = false;
  }
  end(over.text);
}

/** @param {string} text */
function end(text) {
  status.textContent = text;
  setPlaying(false);
  match = null;
}

function playing() {
  return match !== null;
}

/** @param {boolean} now */
function setPlaying(now) {
  find("#stop").hidden = !now;
  find("#again").hidden = now;
  /** @type {HTMLButtonElement} */ (find("#setup .main")).disabled = now;
}

/** @param {PlayerSetup} player */
function called(player) {
  return player.kind === "house" ? player.spec : player.script;
}
