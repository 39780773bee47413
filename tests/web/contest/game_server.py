"""Game server that accepts every match over the WebSocket of the site and plays none."""

from __future__ import annotations

import contextlib
import json
import threading
from types import TracebackType
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from sevenbag.contest.credentials import bearer_header, read_secret
from sevenbag.contest.scheduler_protocol import (
    LINK_PATH,
    Heartbeat,
    MatchAccepted,
    ServerHello,
    encode,
)
from tests.cli.run import wait_until
from tests.web.contest.conftest import Running


class GameServer:
    """Game server that is connected inside its context.

    Attributes:
        placed: assigned matches by token.
    """

    def __init__(self, site: Running, name: str = "first", **different: Any) -> None:
        self.placed: dict[str, dict[str, Any]] = {}
        self._site = site
        self._over = threading.Event()
        self._stack = contextlib.ExitStack()
        self._hello = ServerHello(
            **{
                "name": name,
                "version": "0",
                "command_address": "play.example",
                "state_address": "play.example",
                "internal_address": "127.0.0.1",
                "command_port": 5557,
                "state_port": 5556,
                "capacity": 50,
                **different,
            }
        )

    def __enter__(self) -> GameServer:
        secret = read_secret(self._site.settings.site.secret_file)
        self._socket = self._stack.enter_context(
            connect(
                self._site.address.replace("http", "ws", 1).rstrip("/") + LINK_PATH,
                additional_headers={"Authorization": bearer_header(secret)},
                proxy=None,
            )
        )
        self._socket.send(encode(self._hello).decode())
        self._threads = [threading.Thread(target=each) for each in (self._hear, self._pulse)]
        for thread in self._threads:
            thread.start()
        wait_until(lambda: self._hello.name in self._alive())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._stack.close()
        for thread in self._threads:
            thread.join(120)

    def _alive(self) -> set[str]:
        return {
            server.name for server in self._site.scheduler.list_servers() if server.is_connected
        }

    def _hear(self) -> None:
        with contextlib.suppress(ConnectionClosed):
            for frame in self._socket:
                message = json.loads(frame)
                if message["type"] == "place":
                    token = message["match_token"]
                    self.placed[token] = message
                    self._say(MatchAccepted(match_token=token))

    def _pulse(self) -> None:
        while not self._over.wait(1.0):
            self._say(Heartbeat(matches=len(self.placed), commands=0))

    def _say(self, message: object) -> None:
        with contextlib.suppress(ConnectionClosed):
            self._socket.send(encode(message).decode())
