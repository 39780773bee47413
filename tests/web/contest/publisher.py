"""State channel of a game server: a PUB socket and messages of the contest."""

import time
import uuid
from typing import Any, Self

import msgspec
import zmq

from sevenbag.contest.game.state_messages import STATISTICS_TOPIC
from sevenbag.protocols.pason.pason_conversion import cell_bit, encode_board

TEAMS = ("Alpha", "Beta & <b>Co</b>")


def filled(*rows: str) -> str:
    """Encode a board with these rows at its bottom."""
    cells = [
        (20 - len(rows) + y, x)
        for y, row in enumerate(rows)
        for x, letter in enumerate(row)
        if letter != "."
    ]
    return encode_board(sum(cell_bit(y, x) for y, x in cells))


class Publisher:
    """Publisher of one match; each method publishes one message.

    Attributes:
        endpoint: ZeroMQ endpoint.
        token: token of the match.
    """

    def __init__(self, token: str = "", teams: tuple[str, str] = TEAMS, game: str = "Game 1"):
        self.token = token or str(uuid.uuid4())
        self.teams = teams
        self.game = game
        self._sequence = 0
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._socket = self._context.socket(zmq.XPUB)
        self._socket.set(zmq.SNDHWM, 0)
        # A new subscription is reported even before the end of an old one.
        self._socket.set(zmq.XPUB_VERBOSE, 1)
        self._socket.bind("tcp://127.0.0.1:*")
        self.endpoint = self._socket.get_string(zmq.LAST_ENDPOINT).rstrip("\0")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._context.destroy(linger=0)

    def heard(self) -> bytes:
        """Wait for the next subscription, or the end of one, and return it."""
        assert self._socket.poll(120_000), "no subscriber connected"
        return self._socket.recv()

    def wait_until_heard(self) -> None:
        """Wait until a subscriber gets the states and the statistics of the match."""
        wanted = {b"\1" + self.token.encode(), b"\1" + (STATISTICS_TOPIC + self.token).encode()}
        while wanted:
            wanted.discard(self.heard())

    def raw(self, data: bytes, topic: str | None = None) -> None:
        self._socket.send_multipart([(self.token if topic is None else topic).encode(), data])

    def boards(self, one: str, other: str, cleared: tuple[tuple[int, ...], ...] = ((), ())) -> None:
        states = {
            team: {"board_state": board, "piece_number": 1, "cleared_rows": rows}
            for team, board, rows in zip(self.teams, (one, other), cleared, strict=True)
        }
        self._say("GameBoardState", states=states)

    def pieces(self, one: Any, other: Any, queue: str = "TISZO") -> None:
        """Publish pieces as (letter, orientation, row, column), or None."""
        states = {
            team: piece
            and {
                "piece": piece[0],
                "orient": piece[1],
                "number": 1,
                "row": piece[2],
                "col": piece[3],
            }
            for team, piece in zip(self.teams, (one, other), strict=True)
        }
        self._say("GamePieceState", states=states, queue=list(queue))

    def figures(self, scores: tuple[int, int], level: int = 1, **more: tuple[int, int]) -> None:
        pairs = {"scores": scores, "lines": (0, 0), "pieces": (0, 0), "games": (0, 0), **more}
        by_team = {name: dict(zip(self.teams, pair, strict=True)) for name, pair in pairs.items()}
        message = {
            "comm_type": "GameFigures",
            "game_name": self.game,
            "timestamp": time.time(),
            "level": level,
            **by_team,
        }
        self.raw(msgspec.json.encode(message), STATISTICS_TOPIC + self.token)

    def end_game(self, scores: tuple[int, int], winner: int) -> None:
        self._say(
            "GameEnd",
            scores=dict(zip(self.teams, scores, strict=True)),
            winner=self.teams[winner],
            match_token=self.token,
        )

    def end_match(self) -> None:
        message = {
            "comm_type": "MatchEnd",
            "match_name": "Final",
            "match_token": self.token,
            "status": "ENDED",
        }
        self.raw(msgspec.json.encode(message))

    def _say(self, kind: str, **fields: Any) -> None:
        self._sequence += 1
        message = {
            "comm_type": kind,
            "game_name": self.game,
            "sequence": self._sequence,
            "timestamp": time.time(),
            **fields,
        }
        self.raw(msgspec.json.encode(message))
