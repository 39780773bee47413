// The first page: every match that is played, small; and what the site writes about the contest.

import { Line } from "./line.js";
import { Parts } from "./parts.js";
import { Stage } from "./stage.js";
import { Status } from "./status.js";

/** @typedef {import("./types.js").LiveEvent} LiveEvent */
/** @typedef {import("./types.js").Picture} Picture */

const parts = new Parts(build);
const status = new Status(/** @type {HTMLElement} */ (document.querySelector("#line")));

/** @type {Map<number, Stage>} */
let stages = new Map();
/** @type {Line | null} */
let line = null;
let watched = "";
let lost = false; // and something may have been missed
build();

/** The matches that are live now are looked at. */
function build() {
  const minis = [...document.querySelectorAll("[data-match]")].map((mini) => /** @type {HTMLElement} */ (mini));
  const wanted = minis.map((mini) => mini.dataset.match).join();
  if (line && wanted === watched) return;
  watched = wanted;
  stages = new Map(
    minis.map((mini) => {
      const match = Number(mini.dataset.match);
      return [match, stages.get(match) ?? new Stage(mini)];
    }),
  );
  line?.close();
  line = new Line([...stages.keys()], {
    event: take,
    standing: (open, seconds, reason) => {
      status.line(open, seconds, reason);
      if (open && lost) parts.stir();
      lost = !open;
    },
  });
}

/** @param {LiveEvent} event */
function take(event) {
  if (event.event === "changed") parts.stir();
  else if (event.event === "picture") {
    const stage = stages.get(event.match);
    stage?.show(event);
    stage?.move(event);
    if (event.standing === "playing") stage?.crown(null);
  } else if (event.event === "game over") stages.get(event.match)?.crown(event.winner);
}
