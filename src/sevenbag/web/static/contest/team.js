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
    // Nobody loses the place in what has not changed.
    if (newer.innerHTML !== part.innerHTML && !part.contains(document.activeElement)) {
      part.innerHTML = newer.innerHTML;
    }
  }
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
