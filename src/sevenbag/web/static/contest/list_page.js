// Bracket, ranking and list of matches: reloaded when the contest changes.

import { connectPage } from "./live_socket.js";
import { PageSections } from "./page_sections.js";
import { ConnectionStatus } from "./connection_status.js";

const sections = new PageSections();
const element = /** @type {HTMLElement | null} */ (document.querySelector("#connection"));
if (element) {
  const status = new ConnectionStatus(element);
  connectPage([], sections, () => status, (event) => {
    if (event.event === "contest_changed") sections.invalidate();
  });
}
