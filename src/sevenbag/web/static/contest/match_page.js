// Page of a match: live boards, and reloaded sections.

import { connectPage } from "./live_socket.js";
import { PageSections } from "./page_sections.js";
import { MatchDisplay } from "./match_display.js";
import { ConnectionStatus } from "./connection_status.js";

/** @typedef {import("./types.js").GameFinished} GameFinished */
/** @typedef {import("./types.js").LiveEvent} LiveEvent */
/** @typedef {import("./types.js").MatchFrame} MatchFrame */

const sections = new PageSections();
const root = /** @type {HTMLElement | null} */ (document.querySelector("#live-match"));
if (root) watch(root, new ConnectionStatus(/** @type {HTMLElement} */ (root.querySelector("#connection"))));

/**
 * Show the games won before the reloaded section has them. A late frame must not replace newer numbers of that section.
 * @param {[number, number] | null} games
 */
function showGames(games) {
  const tally = document.querySelector(".tally strong");
  if (!tally || !games) return;
  const shown = (tally.textContent ?? "").split(":").map(Number);
  if (games.every((count, player) => count >= (shown[player] || 0))) tally.textContent = games.join(" : ");
}

/**
 * @param {HTMLElement} root
 * @param {ConnectionStatus} status
 */
function watch(root, status) {
  const match = Number(root.dataset.match);
  const display = new MatchDisplay(root);
  const names = [...root.querySelectorAll("h2")].map((name) => name.textContent ?? "");
  let endedGame = ""; // name of the last finished game
  let isFinished = false;

  // After the match, the state of the connection is of no interest.
  connectPage([match], sections, () => (isFinished ? null : status), handleEvent);

  /** @param {LiveEvent} event */
  function handleEvent(event) {
    if (event.event === "match_frame") show(event);
    else if (event.event === "game_finished") showGameResult(event);
    else if (event.event === "match_finished") finish();
    else if (!event.matches.length || event.matches.includes(match)) sections.invalidate();
  }

  /** @param {MatchFrame} frame */
  function show(frame) {
    if (endedGame && frame.game !== endedGame) {
      endedGame = "";
      display.showWinner(null);
    }
    // A match that was finished by a stopping server goes on.
    isFinished &&= frame.status === "finished";
    display.show(frame);
    display.animate(frame);
    showGames(frame.games);
    switch (frame.status) {
      case "waiting":
        status.setMessage("Waiting for a game server…");
        break;
      case "assigned":
        status.setMessage(frame.game ? "Continues on another game server in a moment…" : "Waiting for the teams…");
        break;
      case "playing":
        status.setMessage(`Live: ${frame.game}`, "good", true);
        break;
      case "finished":
        // It ended while the socket was closed.
        finish();
    }
  }

  function finish() {
    if (isFinished) return;
    isFinished = true;
    status.setMessage("The match is over.", "good");
    sections.invalidate();
  }

  /** @param {GameFinished} event */
  function showGameResult(event) {
    endedGame = event.game;
    display.showWinner(event.winner);
    const winner = event.winner === null ? "Nobody" : names[event.winner];
    const [one, other] = event.scores.map((score) => score.toLocaleString("en"));
    status.setMessage(`${winner} has won ${event.game}, ${one} : ${other}`, "good");
    sections.invalidate();
  }
}
