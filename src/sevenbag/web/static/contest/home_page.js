// Home page: live matches as cards, and sections about the contest.

import { connectPage } from "./live_socket.js";
import { PageSections } from "./page_sections.js";
import { MatchDisplay } from "./match_display.js";
import { ConnectionStatus } from "./connection_status.js";

/** @typedef {import("./types.js").LiveEvent} LiveEvent */
/** @typedef {import("./types.js").MatchFrame} MatchFrame */

const sections = new PageSections(build);
const status = new ConnectionStatus(/** @type {HTMLElement} */ (document.querySelector("#connection")));

/** @type {Map<number, MatchDisplay>} */
let displays = new Map();
/** @type {import("./live_socket.js").LiveSocket | null} */
let socket = null;
let watchedIds = "";
build();

/** Watch the matches that have a card. */
function build() {
  const cards = [...document.querySelectorAll("[data-match]")].map((card) => /** @type {HTMLElement} */ (card));
  const ids = cards.map((card) => card.dataset.match).join();
  if (socket && ids === watchedIds) return;
  watchedIds = ids;
  displays = new Map(
    cards.map((card) => {
      const match = Number(card.dataset.match);
      return [match, displays.get(match) ?? new MatchDisplay(card)];
    }),
  );
  socket?.close();
  socket = connectPage([...displays.keys()], sections, () => status, handleEvent);
}

/** @param {LiveEvent} event */
function handleEvent(event) {
  if (event.event === "contest_changed") sections.invalidate();
  else if (event.event === "match_frame") {
    const display = displays.get(event.match);
    display?.show(event);
    display?.animate(event);
    if (event.status === "playing") display?.showWinner(null);
  } else if (event.event === "game_finished") displays.get(event.match)?.showWinner(event.winner);
}
