// A match as it is played.

import { Line } from "./line.js";
import { Parts } from "./parts.js";
import { Stage } from "./stage.js";
import { Status } from "./status.js";

/** @typedef {import("./types.js").GameOver} GameOver */
/** @typedef {import("./types.js").LiveEvent} LiveEvent */
/** @typedef {import("./types.js").Picture} Picture */

const parts = new Parts();
const root = /** @type {HTMLElement | null} */ (document.querySelector("#watch"));
if (root) watch(root, new Status(/** @type {HTMLElement} */ (root.querySelector("#line"))));

/** @param {[number, number] | null} games  won, which the site writes as well, but later */
function tally(games) {
  const shown = document.querySelector(".tally strong");
  if (shown && games) shown.textContent = games.join(" : ");
}

/**
 * @param {HTMLElement} root
 * @param {Status} status
 */
function watch(root, status) {
  const match = Number(root.dataset.match);
  const stage = new Stage(root);
  const names = [...root.querySelectorAll("h2")].map((name) => name.textContent ?? "");
  let ended = ""; // the name of the game that was over last
  let over = false;

  new Line([match], {
    event: take,
    standing: (open, seconds, reason) => {
      // When the match is over, nobody misses the line.
      if (!over) status.line(open, seconds, reason);
      if (open) parts.stir();
    },
  });

  /** @param {LiveEvent} event */
  function take(event) {
    if (event.event === "picture") show(event);
    else if (event.event === "game over") end(event);
    else if (event.event === "match over") finish();
    else if (!event.matches.length || event.matches.includes(match)) parts.stir();
  }

  /** @param {Picture} picture */
  function show(picture) {
    if (ended && picture.game !== ended) {
      ended = "";
      stage.crown(null);
    }
    // Of a server that has ended, perhaps, and not of the match.
    over &&= picture.standing === "over";
    stage.show(picture);
    stage.move(picture);
    tally(picture.games);
    switch (picture.standing) {
      case "waiting":
        status.tell("Waiting for a game server…");
        break;
      case "placed":
        status.tell(picture.game ? "Goes on on another game server in a moment…" : "Waiting for the teams…");
        break;
      case "playing":
        status.tell(`Live: ${picture.game}`, "good", true);
        break;
      case "over":
        // It ended while the line was broken.
        finish();
    }
  }

  function finish() {
    if (over) return;
    over = true;
    status.tell("The match is over.", "good");
    parts.stir();
  }

  /** @param {GameOver} event */
  function end(event) {
    ended = event.game;
    stage.crown(event.winner);
    const winner = event.winner === null ? "Nobody" : names[event.winner];
    const [one, other] = event.scores.map((score) => score.toLocaleString("en"));
    status.tell(`${winner} has won ${event.game}, ${one} : ${other}`, "good");
    parts.stir();
  }
}
