"""The host's side of the Triangle.js adapter protocol as a state machine: it owns the game.

It does no I/O. Its methods give the message to be sent, and `receive` tells what a message that
came from the bot means now. What the host itself does out of order is a `ProtocolError`.

Moves carry no numbers by which to tell which question they answer: a move answers the question
that waits, and one that comes when none waits is dropped, as Triangle.js does.
"""

from __future__ import annotations

import enum

from sevenbag.errors import ProtocolError
from sevenbag.protocols.triangle import messages as triangle


class TriangleStage(enum.Enum):
    """How far the two have come."""

    LAUNCHED = "launched"
    """The bot has not introduced itself."""
    INTRODUCED = "introduced"
    """It has; the rules may be sent."""
    PLAYING = "playing"
    """It knows the rules, and may be asked."""
    ASKED = "asked"
    """It owes a move."""
    CLOSED = "closed"
    """Nothing is said any more."""


class TriangleEvent(enum.Enum):
    """What a message from the bot means."""

    INTRODUCED = "introduced"
    MOVED = "moved"
    """The answer to the question that waited; whether it is any good is for the host to judge."""
    UNREQUESTED = "unasked"
    """A move where no question waited."""
    IGNORED = "ignored"
    """Nothing that a bot has to say now."""


class TriangleHostConnection:
    """One conversation with one bot, for one game.

    Attributes:
        stage: how far it has come.
        info: how the bot introduced itself; only the first time counts.
        move: its last answer, as it came: keys that there are not, or none at all, too.
        unasked: moves that came when no question waited.
    """

    def __init__(self) -> None:
        self.stage = TriangleStage.LAUNCHED
        self.info: triangle.TriangleInfo | None = None
        self.move: triangle.TriangleMove | None = None
        self.unrequested_moves = 0

    # --- what the host says ---------------------------------------------------------------------

    def config(self, message: triangle.TriangleConfig) -> triangle.TriangleConfig:
        """Tell the rules and the first pieces; another game may begin so, too."""
        self._check_stage("config", TriangleStage.INTRODUCED, TriangleStage.PLAYING)
        self.stage = TriangleStage.PLAYING
        return message

    def state(self, message: triangle.TriangleState) -> triangle.TriangleState:
        """Tell the whole position."""
        self._check_stage("state", TriangleStage.PLAYING)
        return message

    def pieces(self, message: triangle.TrianglePieces) -> triangle.TrianglePieces:
        """Tell which pieces joined the queue."""
        self._check_stage("pieces", TriangleStage.PLAYING)
        return message

    def play(self, message: triangle.TrianglePlay) -> triangle.TrianglePlay:
        """Ask for a move."""
        self._check_stage("play", TriangleStage.PLAYING)
        self.stage = TriangleStage.ASKED
        self.move = None
        return message

    def close(self) -> None:
        """Say nothing more; there is no message for it."""
        self.stage = TriangleStage.CLOSED

    # --- what the bot says ----------------------------------------------------------------------

    def receive(self, message: triangle.TriangleMessage) -> TriangleEvent:
        """What a message of the bot means now."""
        match message:
            case _ if self.stage is TriangleStage.CLOSED:
                return TriangleEvent.IGNORED
            case triangle.TriangleInfo() if self.stage is TriangleStage.LAUNCHED:
                self.info = message
                self.stage = TriangleStage.INTRODUCED
                return TriangleEvent.INTRODUCED
            case triangle.TriangleMove() if self.stage is TriangleStage.ASKED:
                self.move = message
                self.stage = TriangleStage.PLAYING
                return TriangleEvent.MOVED
            case triangle.TriangleMove():
                self.unrequested_moves += 1
                return TriangleEvent.UNREQUESTED
            case _:
                return TriangleEvent.IGNORED

    # --- helpers --------------------------------------------------------------------------------

    def _check_stage(self, kind: str, *stages: TriangleStage) -> None:
        if self.stage not in stages:
            raise ProtocolError(f"{kind} is not to be sent while the bot is {self.stage.value}")
