// The page: a form that starts a match, and two cards that show it.

import { MatchConnection } from "./match_connection.js";
import { PlayerCard } from "./player_card.js";
import { SetupForm } from "./setup_form.js";

/** @typedef {import("./types.js").DrawingData} DrawingData */
/** @typedef {import("./types.js").MatchFinished} MatchFinished */
/** @typedef {import("./types.js").PlayerRequest} PlayerRequest */
/** @typedef {import("./types.js").ServerEvent} ServerEvent */
/** @typedef {import("./types.js").StartRequest} StartRequest */

const find = (/** @type {string} */ selector) => /** @type {HTMLElement} */ (document.querySelector(selector));

const drawing = /** @type {DrawingData} */ (JSON.parse(document.body.dataset.drawing ?? "{}"));
const logs = [...document.querySelectorAll("details.messages")];
const cards = [...document.querySelectorAll("article.player-card")].map((card, index) => {
  const log = /** @type {HTMLDetailsElement} */ (logs[index]);
  return new PlayerCard(/** @type {HTMLElement} */ (card), log, drawing);
});
const setup = /** @type {HTMLDetailsElement} */ (find("#setup"));
const status = find("#status");
const replay = /** @type {HTMLAnchorElement} */ (find("#replay"));
const form = new SetupForm(/** @type {HTMLFormElement} */ (find("#setup form")), start);

/** @type {MatchConnection | null} */
let match = null;

find("#stop").addEventListener("click", () => match?.stop());
find("#again").addEventListener("click", () => {
  form.submit().then(() => {
    // Errors are shown in the form.
    if (!isPlaying()) setup.open = true;
  });
});

/** @param {StartRequest} request */
function start(request) {
  if (isPlaying()) return;
  setup.open = false;
  find("#match").hidden = false;
  cards.forEach((card, index) => {
    const player = request.match.players[index];
    card.reset(displayName(player), drawing.visible[request.match.rules], player.kind === "worker");
  });
  find("#caption").textContent = "";
  replay.hidden = true;
  status.textContent = "Starting the bots…";
  showPlaying(true);
  match = new MatchConnection(request, {
    event: handleEvent,
    message: (player, direction, text) => cards[player].log.add(direction, text),
    disconnected: finish,
  });
}

/** @param {ServerEvent} event */
function handleEvent(event) {
  switch (event.event) {
    case "match_started":
      event.names.forEach((name, index) => cards[index].setName(name, event.descriptions[index]));
      status.textContent = `${event.names[0]} against ${event.names[1]}`;
      break;
    case "match_state":
      event.players.forEach((panel, index) => cards[index].update(panel));
      find("#caption").textContent = event.caption;
      break;
    case "match_finished":
      showResult(event);
      break;
    case "match_rejected":
      finish(`No game: ${event.reason}`);
      setup.open = true;
      break;
  }
}

/** @param {MatchFinished} event */
function showResult(event) {
  event.players?.forEach((panel, index) => cards[index].update(panel));
  if (event.replay_url) {
    replay.href = event.replay_url;
    replay.download = event.file_name ?? "match.replay";
    replay.hidden = false;
  }
  finish(event.summary);
}

/** @param {string} text */
function finish(text) {
  status.textContent = text;
  showPlaying(false);
  match = null;
}

function isPlaying() {
  return match !== null;
}

/** @param {boolean} playing */
function showPlaying(playing) {
  find("#stop").hidden = !playing;
  find("#again").hidden = playing;
  /** @type {HTMLButtonElement} */ (find("#setup .main")).disabled = playing;
}

/** @param {PlayerRequest} player */
function displayName(player) {
  return player.kind === "builtin" ? player.spec : player.script;
}
