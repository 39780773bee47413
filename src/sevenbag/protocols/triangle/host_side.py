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


class Stage(enum.Enum):
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


class Event(enum.Enum):
    """What a message from the bot means."""

    INTRODUCED = "introduced"
    MOVED = "moved"
    """The answer to the question that waited; whether it is any good is for the host to judge."""
    UNASKED = "unasked"
    """A move where no question waited."""
    IGNORED = "ignored"
    """Nothing that a bot has to say now."""


class HostSide:
    """One conversation with one bot, for one game.

    Attributes:
        stage: how far it has come.
        info: how the bot introduced itself; only the first time counts.
        move: its last answer, as it came: keys that there are not, or none at all, too.
        unasked: moves that came when no question waited.
    """

    def __init__(self) -> None:
        self.stage = Stage.LAUNCHED
        self.info: triangle.Info | None = None
        self.move: triangle.Move | None = None
        self.unasked = 0

    # --- what the host says ---------------------------------------------------------------------

    def config(self, message: triangle.Config) -> triangle.Config:
        """Tell the rules and the first pieces; another game may begin so, too."""
        self._expect("config", Stage.INTRODUCED, Stage.PLAYING)
        self.stage = Stage.PLAYING
        return message

    def state(self, message: triangle.State) -> triangle.State:
        """Tell the whole position."""
        self._expect("state", Stage.PLAYING)
        return message

    def pieces(self, message: triangle.Pieces) -> triangle.Pieces:
        """Tell which pieces joined the queue."""
        self._expect("pieces", Stage.PLAYING)
        return message

    def play(self, message: triangle.Play) -> triangle.Play:
        """Ask for a move."""
        self._expect("play", Stage.PLAYING)
        self.stage = Stage.ASKED
        self.move = None
        return message

    def close(self) -> None:
        """Say nothing more; there is no message for it."""
        self.stage = Stage.CLOSED

    # --- what the bot says ----------------------------------------------------------------------

    def receive(self, message: triangle.Message) -> Event:
        """What a message of the bot means now."""
        match message:
            case _ if self.stage is Stage.CLOSED:
                return Event.IGNORED
            case triangle.Info() if self.stage is Stage.LAUNCHED:
                self.info = message
                self.stage = Stage.INTRODUCED
                return Event.INTRODUCED
            case triangle.Move() if self.stage is Stage.ASKED:
                self.move = message
                self.stage = Stage.PLAYING
                return Event.MOVED
            case triangle.Move():
                self.unasked += 1
                return Event.UNASKED
            case _:
                return Event.IGNORED

    # --- helpers --------------------------------------------------------------------------------

    def _expect(self, kind: str, *stages: Stage) -> None:
        if self.stage not in stages:
            raise ProtocolError(f"{kind} is not to be sent while the bot is {self.stage.value}")
