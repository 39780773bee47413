// Sources of workers: a file from disk, or a URL of this server.

/** @typedef {import("./types.js").WorkerSource} WorkerSource */

const MAX_FILE_SIZE = 32 * 1024 * 1024;
const FILE_LOADER = "/static/worker_loader.js";

/**
 * Create a worker from a file. The text is kept, so that later games need no new choice.
 *
 * @param {File} file
 * @returns {Promise<WorkerSource>}
 */
export async function loadFileWorker(file) {
  if (file.size > MAX_FILE_SIZE) throw new Error(`${file.name} is larger than 32 MiB`);
  const text = await file.text();
  return {
    script: file.name,
    start() {
      const script = new Blob([text], { type: "text/javascript" });
      return startWorker(`${FILE_LOADER}#${URL.createObjectURL(script)}`, file.name);
    },
  };
}

/**
 * Create a worker from a URL of this server.
 *
 * @param {string} address
 * @returns {WorkerSource}
 */
export function createUrlWorker(address) {
  let url;
  try {
    url = new URL(address, location.href);
  } catch {
    throw new Error(`${address} is not a URL`);
  }
  if (url.origin !== location.origin) {
    throw new Error(
      `workers must come from the page's own origin, ${location.origin}, ` +
        `not from ${url.origin === "null" ? url.protocol : url.origin}`,
    );
  }
  return { script: url.pathname, start: () => startWorker(url.href, url.pathname) };
}

/**
 * @param {string} address
 * @param {string} name
 */
function startWorker(address, name) {
  return new Worker(address, { type: name.endsWith(".mjs") ? "module" : "classic", name });
}
