// Pages that only have to be right: the bracket, the ranking, the list of matches.

import { Line } from "./line.js";
import { Parts } from "./parts.js";
import { Status } from "./status.js";

const parts = new Parts();
const shown = /** @type {HTMLElement | null} */ (document.querySelector("#line"));
if (shown) {
  const status = new Status(shown);
  let lost = false;
  new Line([], {
    event: (event) => {
      if (event.event === "changed") parts.stir();
    },
    standing: (open, seconds, reason) => {
      status.line(open, seconds, reason);
      // Something may have been missed.
      if (open && lost) parts.stir();
      lost = !open;
    },
  });
}
