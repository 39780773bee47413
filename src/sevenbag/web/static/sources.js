// Where the workers of a page come from: a file from disk, or an address of this server.

/** @typedef {import("./types.js").WorkerSource} WorkerSource */

const LARGEST_FILE = 32 * 1024 * 1024;
const FILE_LOADER = "/static/worker_file.js";

/**
 * A worker from a file. The text is kept, so that the game after the next one needs no new choice.
 *
 * @param {File} file
 * @returns {Promise<WorkerSource>}
 */
export async function fromFile(file) {
  if (file.size > LARGEST_FILE) throw new Error(`${file.name} is larger than 32 MiB`);
  let text = await file.text();
  return {
    script: file.name,
    start() {
      const script = new Blob([text], { type: "text/javascript" });
      return started(`${FILE_LOADER}#${URL.createObjectURL(script)}`, file.name);
    },
  };
}

/**
 * A worker from this server.
 *
 * @param {string} address
 * @returns {WorkerSource}
 */
export function fromAddress(address) {
  let url;
  try {
    url = new URL(address, location.href);
  } catch {
    throw new Error(`${address} is no address`);
  }
  if (url.origin !== location.origin) {
    throw new Error(
      `a browser takes workers from the page's own place only, which is ${location.origin}, ` +
        `and not from ${url.origin === "null" ? url.protocol : url.origin}`,
    );
  }
  return { script: url.pathname, start: () => started(url.href, url.pathname) };
}

/**
 * @param {string} address
 * @param {string} name
 */
function started(address, name) {
  return new Worker(address, { type: name.endsWith(".mjs") ? "module" : "classic", name });
}
