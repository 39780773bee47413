// Bracket, ranking and list of matches: reloaded when the contest changes.

import { LiveSocket } from "./live_socket.js";
import { PageSections } from "./page_sections.js";
import { ConnectionStatus } from "./connection_status.js";

const sections = new PageSections();
const element = /** @type {HTMLElement | null} */ (document.querySelector("#connection"));
if (element) {
  const status = new ConnectionStatus(element);
  new LiveSocket([], {
    event: (event) => {
      if (event.event === "contest_changed") sections.invalidate();
    },
    stateChanged: (open, retrySeconds, reason) => {
      status.setConnection(open, retrySeconds, reason);
      // Events may have been lost since the page was rendered.
      if (open) sections.invalidate();
    },
  });
}
