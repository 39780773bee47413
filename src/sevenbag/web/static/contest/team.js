// Pages for those who are logged in: what changes is fetched again, what is long can be copied.

const EVERY = 3000;

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("[data-copy]") : null;
  if (!(button instanceof HTMLElement)) return;
  navigator.clipboard.writeText(button.dataset.copy ?? "").then(() => {
    button.textContent = "Copied";
  });
});

for (const form of document.querySelectorAll("form[data-sure]")) {
  form.addEventListener("submit", (event) => {
    if (!confirm(/** @type {HTMLElement} */ (form).dataset.sure)) event.preventDefault();
  });
}

/** @param {ParentNode} where */
function offerCopies(where) {
  // A page without TLS, unless on this very machine, may not copy.
  if (!navigator.clipboard) return;
  for (const button of where.querySelectorAll("[data-copy]")) {
    /** @type {HTMLElement} */ (button).hidden = false;
  }
}

/** Takes the parts that change from a newer version of the page. */
async function refresh() {
  const answer = await fetch(location.href);
  if (!answer.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of document.querySelectorAll("[data-refresh]")) {
    const name = /** @type {HTMLElement} */ (part).dataset.refresh;
    const newer = page.querySelector(`[data-refresh="${name}"]`);
    if (!newer) continue;
    offerCopies(newer);
    // Nobody loses what is being selected, or the place in what has not changed.
    if (newer.innerHTML === part.innerHTML || selected(part)) continue;
    const focused = part.contains(document.activeElement) ? document.activeElement : null;
    const copy = focused instanceof HTMLElement ? focused.dataset.copy : undefined;
    part.innerHTML = newer.innerHTML;
    for (const button of part.querySelectorAll("[data-copy]")) {
      if (button instanceof HTMLElement && button.dataset.copy === copy) button.focus();
    }
  }
}

/** @param {Node} part */
function selected(part) {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(part, true);
}

async function keepFresh() {
  try {
    if (!document.hidden) await refresh();
  } catch {
    // The server is away; it may come back.
  }
  setTimeout(keepFresh, EVERY);
}

offerCopies(document);
if (document.querySelector("[data-refresh]")) setTimeout(keepFresh, EVERY);
