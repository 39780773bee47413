"""Two teams whose match must not be disturbed by other clients."""

from __future__ import annotations

import itertools
import json
import threading
import time
from typing import Any

import zmq

from tests.cli.run import wait_until
from tests.fakes.pason.addresses import COMMAND_PORT, STATE_PORT
from tests.fakes.pason.hosting import Hosted, Match

MOVES = ("left", "lrotate", "right", "rrotate", "right", "down")


class Bystanders:
    """An endless match in a thread, judged throughout.

    Attributes:
        match: which.
        served: moves that were answered as they should.
        timestamps: of the last state message.
    """

    def __init__(self, server: Hosted) -> None:
        self.match: Match = server.place(match={"games": 10_000, "match_seconds": 3_600})
        self.served = 0
        self.timestamp = 0.0
        self._referee = self.match.referee()
        self._context = zmq.Context()
        self._states = self._socket(zmq.SUB)
        self._states.set(zmq.RCVHWM, 0)
        self._states.set(zmq.SUBSCRIBE, self.match.token.encode())
        self._states.connect(f"tcp://{server.host}:{STATE_PORT}")
        self._commands = self._socket(zmq.REQ)
        self._commands.connect(f"tcp://{server.host}:{COMMAND_PORT}")
        self._sequence: int | None = None
        self._noticed = ""
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._play, daemon=True)

    def __enter__(self) -> Bystanders:
        self._thread.start()
        self.are_served()
        return self

    def __exit__(self, kind: type[BaseException] | None, *raised: object) -> None:
        try:
            if kind is None:
                self.are_served()
        finally:
            self._over.set()
            self._thread.join()
            self._context.destroy(linger=0)

    def are_served(self, moves: int = 20) -> None:
        """Wait for more answered moves; fail if the match was disturbed."""
        goal = self.served + moves
        wait_until(lambda: self.served >= goal or bool(self._noticed))
        assert not self._noticed, self._noticed

    def _play(self) -> None:
        try:
            tokens = [self._enter(seat) for seat in (0, 1)]
            # Moves before the first state message have no piece.
            while not self._states.poll(100):
                assert not self._over.is_set(), "no game begins"
            for number in itertools.count():
                if self._over.is_set():
                    return
                reply = self._ask(
                    comm_type="GameMove", client_token=tokens[number % 2], move=MOVES[number % 6]
                )
                assert reply == {"comm_type": "GameMoveResp", "resp": "OK"}, reply
                self.served += 1
                self._watch()
                time.sleep(0.002)
        except Exception as error:  # noqa: BLE001  # told to who waits
            self._noticed = f"{type(error).__name__}: {error}"

    def _watch(self) -> None:
        while self._states.poll(0):
            frames = self._states.recv_multipart()
            self._referee.read(frames)
            message = json.loads(frames[1])
            # Numbers of messages are consecutive: none is lost.
            if self._sequence is not None:
                assert message["sequence"] == self._sequence + 1, "a message was lost"
            self._sequence = message["sequence"]
            self.timestamp = message["timestamp"]

    def _enter(self, seat: int) -> str:
        token: str = self._ask(**self.match.connect(seat))["client_token"]
        return token

    def _ask(self, **fields: Any) -> dict[str, Any]:
        self._commands.send(json.dumps(fields).encode())
        assert self._commands.poll(120_000), f"no answer to {fields['comm_type']}"
        reply: dict[str, Any] = json.loads(self._commands.recv())
        return reply

    def _socket(self, kind: int) -> zmq.Socket[bytes]:
        return self._context.socket(kind)
