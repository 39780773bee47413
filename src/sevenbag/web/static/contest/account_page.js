// Pages of teams and administrators: sections are polled, long values can be copied, and some forms
// ask for confirmation.

const POLL_INTERVAL = 3000; // milliseconds

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("[data-copy]") : null;
  if (!(button instanceof HTMLElement)) return;
  navigator.clipboard.writeText(button.dataset.copy ?? "").then(() => {
    button.textContent = "Copied";
  });
});

for (const form of document.querySelectorAll("form[data-confirm]")) {
  form.addEventListener("submit", (event) => {
    if (!confirm(/** @type {HTMLElement} */ (form).dataset.confirm)) event.preventDefault();
  });
}

/** @param {ParentNode} root */
function showCopyButtons(root) {
  // The clipboard is available only over TLS and on localhost.
  if (!navigator.clipboard) return;
  for (const button of root.querySelectorAll("[data-copy]")) {
    /** @type {HTMLElement} */ (button).hidden = false;
  }
}

/** Replace the sections by those of a new version of the page. */
async function refresh() {
  const response = await fetch(location.href);
  if (!response.ok || response.redirected) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const section of document.querySelectorAll("[data-section]")) {
    const name = /** @type {HTMLElement} */ (section).dataset.section;
    const newer = page.querySelector(`[data-section="${name}"]`);
    if (!newer) continue;
    showCopyButtons(newer);
    // Keep selected text, and sections that have not changed.
    if (newer.innerHTML === section.innerHTML || isSelected(section)) continue;
    const focused = section.contains(document.activeElement) ? document.activeElement : null;
    const copy = focused instanceof HTMLElement ? focused.dataset.copy : undefined;
    section.innerHTML = newer.innerHTML;
    for (const button of section.querySelectorAll("[data-copy]")) {
      if (button instanceof HTMLElement && button.dataset.copy === copy) button.focus();
    }
  }
}

/** @param {Node} section */
function isSelected(section) {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(section, true);
}

async function poll() {
  try {
    if (!document.hidden) await refresh();
  } catch {
    // The server may be available again at the next attempt.
  }
  setTimeout(poll, POLL_INTERVAL);
}

showCopyButtons(document);
if (document.querySelector("[data-section]")) setTimeout(poll, POLL_INTERVAL);
