// The world of a Web Worker, as far as bots in the field need it, inside a thread of Node.
//
// They are classic scripts with relative addresses: importScripts, fetch of a .wasm file beside them,
// workers of their own; the glue of wasm-bindgen and emscripten asks what kind of world it is in.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");
const { createRequire } = require("node:module");
const { pathToFileURL, fileURLToPath } = require("node:url");
const { Worker: Thread, parentPort, workerData } = require("node:worker_threads");

const entry = workerData.entry;
const entryUrl = pathToFileURL(entry);
const scope = globalThis;

const TYPES = { ".wasm": "application/wasm", ".js": "text/javascript", ".json": "application/json" };

const toUrl = (address) => new URL(String(address), entryUrl);

const fileOf = (address) => {
  const url = toUrl(address);
  return url.protocol === "file:" ? fileURLToPath(new URL(url.pathname, "file:")) : null;
};

// --- what scripts ask of their world ------------------------------------------------------------

class DedicatedWorkerGlobalScope {
  static [Symbol.hasInstance](value) {
    return value === scope;
  }
}
scope.DedicatedWorkerGlobalScope = DedicatedWorkerGlobalScope;
scope.WorkerGlobalScope = DedicatedWorkerGlobalScope;
scope.self = scope;
scope.location = Object.assign(new URL(entryUrl), {});
scope.require = createRequire(entry);
scope.__filename = entry;
scope.__dirname = path.dirname(entry);
scope.close = () => process.exit(0);

scope.importScripts = (...addresses) => {
  for (const address of addresses) {
    const file = fileOf(address);
    if (file === null) throw new Error(`importScripts: ${address} is no file beside ${entry}`);
    vm.runInThisContext(fs.readFileSync(file, "utf8"), { filename: file });
  }
};

const fetchElsewhere = scope.fetch;
scope.fetch = async (resource, options) => {
  const address = typeof resource === "object" && "url" in resource ? resource.url : resource;
  const file = fileOf(address);
  if (file === null) return fetchElsewhere(resource, options);
  try {
    const type = TYPES[path.extname(file)] || "application/octet-stream";
    return new Response(fs.readFileSync(file), { headers: { "Content-Type": type } });
  } catch {
    return new Response("", { status: 404 });
  }
};

// --- messages: held back until somebody listens, one for each task ------------------------------

const listeners = [];
const waiting = [];
let onmessage = null;
let scheduled = false;

const deliver = () => {
  scheduled = false;
  if (waiting.length === 0 || (listeners.length === 0 && onmessage === null)) return;
  const event = { type: "message", data: waiting.shift(), target: scope, currentTarget: scope };
  if (onmessage !== null) onmessage.call(scope, event);
  for (const each of [...listeners]) {
    if (each.once) listeners.splice(listeners.indexOf(each), 1);
    if (typeof each.call === "function") each.call.call(scope, event);
    else each.call.handleEvent(event);
  }
  schedule();
};

const schedule = () => {
  if (scheduled || waiting.length === 0) return;
  scheduled = true;
  setImmediate(deliver);
};

Object.defineProperty(scope, "onmessage", {
  get: () => onmessage,
  set: (listener) => {
    onmessage = typeof listener === "function" ? listener : null;
    schedule();
  },
});
scope.addEventListener = (type, call, options) => {
  if (type !== "message") return;
  listeners.push({ call, once: typeof options === "object" && Boolean(options.once) });
  schedule();
};
scope.removeEventListener = (type, call) => {
  const at = listeners.findIndex((each) => each.call === call);
  if (type === "message" && at >= 0) listeners.splice(at, 1);
};
scope.postMessage = (message, transfer) => parentPort.postMessage(message, transfer);
parentPort.on("message", (message) => {
  waiting.push(message);
  schedule();
});

// --- workers of its own -------------------------------------------------------------------------

class Worker extends EventTarget {
  #thread;
  onmessage = null;
  onerror = null;

  constructor(address) {
    super();
    this.#thread = new Thread(__filename_of_this, { workerData: { entry: fileOf(address) } });
    this.#thread.on("message", (data) => this.#tell("message", { data }));
    this.#thread.on("error", (error) => this.#tell("error", { message: String(error), error }));
  }

  postMessage(message, transfer) {
    this.#thread.postMessage(message, transfer);
  }

  terminate() {
    this.#thread.terminate();
  }

  #tell(type, parts) {
    const event = Object.assign(new Event(type), parts);
    this.dispatchEvent(event);
    const listener = this[`on${type}`];
    if (typeof listener === "function") listener.call(this, event);
  }
}
const __filename_of_this = __filename;
scope.Worker = Worker;

// --- the script ---------------------------------------------------------------------------------

if (entry.endsWith(".mjs")) {
  import(entryUrl.href);
} else {
  vm.runInThisContext(fs.readFileSync(entry, "utf8"), { filename: entry });
}
