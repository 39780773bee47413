// A bot of sevenbag as a Web Worker that speaks TBP: objects through postMessage.
//
//     const bot = new Worker("worker.js");                             // served by sevenbag itself
//     const bot = new Worker("worker.js?ws=ws://localhost:7717/");     // copied to another place
//
// It thinks in a running `sevenbag serve BOT --websocket PORT`, to which it only carries messages.
"use strict";

(() => {
  const here = new URL(self.location.href);
  const address = here.searchParams.get("ws") || `${here.protocol === "https:" ? "wss:" : "ws:"}//${here.host}/`;

  const waiting = []; // what is said before the connection is open
  let socket = null;
  let leaving = false; // it was told to quit
  let over = false;

  const end = () => {
    over = true;
    if (socket) socket.close();
    self.close();
  };

  const fail = (reason) => {
    if (over) return;
    self.postMessage({ type: "error", reason });
    end();
  };

  const say = (message) => {
    const text = JSON.stringify(message);
    if (socket.readyState === WebSocket.OPEN) socket.send(text);
    else waiting.push(text);
  };

  // Some frontends say their JSON as text.
  const read = (data) => {
    if (typeof data !== "string") return data;
    try {
      return JSON.parse(data);
    } catch {
      return null;
    }
  };

  self.addEventListener("message", ({ data }) => {
    const message = read(data);
    if (over || message === null || typeof message !== "object") return;
    say(message);
    if (message.type === "quit") {
      leaving = true;
      setTimeout(end, 200);
    }
  });

  try {
    socket = new WebSocket(address);
  } catch {
    fail(`${address} is no address of a WebSocket`);
    return;
  }
  socket.addEventListener("open", () => {
    for (const text of waiting.splice(0)) socket.send(text);
  });
  socket.addEventListener("message", ({ data }) => {
    if (!over) self.postMessage(JSON.parse(data));
  });
  socket.addEventListener("close", () => (leaving ? end() : fail(`no sevenbag at ${address}`)));
})();
