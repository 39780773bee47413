"""A scripted server: three pieces, regardless of the moves, then the end of the match.

It is what the clients are tried with before they are a measure of anything: a client that does not
see what is wrong with a server proves nothing about one that it is content with.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from typing import Any

import zmq

from tests.fakes.pason.addresses import COMMAND_PORT, STATE_PORT, free_address

TOKEN = "4b2f7d0e-93a1-4c55-8d7e-0a6f1c2b3d4e"
TEAM = "Falling Stars"
OTHER = "Test Client"

EMPTY = "0" * 50


class Scripted:
    """Answers commands, and publishes.

    Attributes:
        host: where it is.
        commands: all that was asked.
        told: messages published.
    """

    def __init__(
        self,
        *,
        reply: str = "OK",
        spoil: Callable[[dict[str, Any]], None] = lambda message: None,
        frames: Callable[[list[bytes]], list[bytes]] = lambda frames: frames,
    ) -> None:
        self.host = free_address()
        self.commands: list[dict[str, Any]] = []
        self.told = 0
        self._reply, self._spoil, self._frames = reply, spoil, frames
        self._context = zmq.Context()
        self._answers = self._context.socket(zmq.REP)
        self._states = self._context.socket(zmq.XPUB)
        self._answers.bind(f"tcp://{self.host}:{COMMAND_PORT}")
        self._states.bind(f"tcp://{self.host}:{STATE_PORT}")
        self._sequence = 0
        self._number = 1
        self._row = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Scripted:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._over.set()
        self._thread.join()
        self._context.destroy(linger=0)

    @property
    def moves(self) -> list[dict[str, Any]]:
        """Return the moves among the commands."""
        return [command for command in self.commands if command["comm_type"] == "GameMove"]

    def _run(self) -> None:
        subscribed = connected = False
        told = 0.0
        while not self._over.is_set():
            while self._states.poll(0):
                # ZeroMQ 2.x filters at the subscriber: it counts as subscribed to everything.
                subscribed |= self._states.recv() in {b"\1", b"\1" + TOKEN.encode()}
            if self._answers.poll(5):
                command = json.loads(self._answers.recv())
                self.commands.append(command)
                connected = True
                self._answers.send_json(self._answer(command))
                if command["comm_type"] == "GameMove" and subscribed:
                    self._publish()
            elif connected and subscribed and time.monotonic() - told > 0.1:
                # Repeat the state for clients that wait for the next one.
                told = time.monotonic()
                self._publish()

    def _answer(self, command: dict[str, Any]) -> dict[str, Any]:
        if command["comm_type"] == "MatchConnect":
            return {"comm_type": "MatchConnectResp", "resp": "ok", "client_token": "a-uuid"}
        self._row += 1
        # Six moves count as a drop, for clients that never drop.
        if command["move"] == "drop" or self._row == 6:
            self._number += 1
            self._row = 0
        return {"comm_type": "GameMoveResp", "resp": self._reply}

    def _publish(self) -> None:
        if self._number > 3:
            self._state("GameEnd", scores={TEAM: 100, OTHER: 0}, winner=TEAM, match_token=TOKEN)
            self._tell(
                {
                    "comm_type": "MatchEnd",
                    "match_name": "a match",
                    "match_token": TOKEN,
                    "status": "ENDED",
                }
            )
            return
        board = {"board_state": EMPTY, "piece_number": -1, "cleared_rows": []}
        self._state("GameBoardState", states={TEAM: board, OTHER: board})
        piece = {"orient": 0, "piece": "S", "number": self._number, "row": self._row, "col": 5}
        self._state("GamePieceState", states={TEAM: piece, OTHER: None}, queue=list("TIOLJ"))

    def _state(self, kind: str, **fields: Any) -> None:
        self._sequence += 1
        common = {"game_name": "a game", "sequence": self._sequence, "timestamp": time.time()}
        self._tell({"comm_type": kind} | common | fields)

    def _tell(self, message: dict[str, Any]) -> None:
        self._spoil(message)
        self.told += 1
        self._states.send_multipart(self._frames([TOKEN.encode(), json.dumps(message).encode()]))
