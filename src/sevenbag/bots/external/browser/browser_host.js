// The page in which a Web Worker bot runs: carries its objects to sevenbag and back, as text frames.
"use strict";

(() => {
  const wanted = new URLSearchParams(location.search);
  const socket = new WebSocket(`ws://${location.host}${location.pathname.replace(/[^/]*$/, "")}talk`);

  const report = (text) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ host: String(text) }));
  };

  socket.addEventListener("open", () => {
    const entry = `files/${wanted.get("entry")}`;
    const bot = new Worker(entry, entry.endsWith(".mjs") ? { type: "module" } : {});
    bot.addEventListener("message", ({ data }) => {
      socket.send(typeof data === "string" ? data : JSON.stringify(data));
    });
    bot.addEventListener("error", (error) => {
      report(`${error.message || "the script cannot be loaded"} (${error.filename || entry}:${error.lineno || 0})`);
    });
    bot.addEventListener("messageerror", () => report("a message that cannot be copied"));
    socket.addEventListener("message", ({ data }) => bot.postMessage(JSON.parse(data)));
    socket.addEventListener("close", () => bot.terminate());
  });
})();
