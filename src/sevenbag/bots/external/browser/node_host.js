// Runs a Web Worker bot under Node: objects inside, lines of JSON on standard input and output.
//
//     node node_host.js ENTRY.js
//
// This thread only carries messages; the worker's world is built in node_worker_scope.js.
"use strict";

const path = require("node:path");
const readline = require("node:readline");
const { Worker } = require("node:worker_threads");

const GRACE_MS = 300; // for a worker to close itself after quit; most do not know quit

const entry = path.resolve(process.argv[2]);
const worker = new Worker(path.join(__dirname, "node_worker_scope.js"), {
  workerData: { entry },
  stdout: true, // what it writes to its console is no message
  stderr: true,
});
worker.stdout.pipe(process.stderr);
worker.stderr.pipe(process.stderr);

worker.on("message", (message) => {
  const text = typeof message === "string" ? message : JSON.stringify(message);
  process.stdout.write(text + "\n");
});
worker.on("error", (error) => {
  // The last line is what is quoted.
  process.stderr.write(`${(error && error.stack) || ""}\n${error}\n`);
  process.exitCode = 1;
});
worker.on("exit", (code) => process.exit(process.exitCode || code));

const terminate = () => setTimeout(() => process.exit(0), GRACE_MS);

const lines = readline.createInterface({ input: process.stdin, terminal: false });
lines.on("line", (line) => {
  if (!line.trim()) return;
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    return; // no message
  }
  worker.postMessage(message);
  if (message !== null && message.type === "quit") terminate();
});
lines.on("close", terminate);
