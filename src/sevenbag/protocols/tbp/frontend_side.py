"""The frontend's side of TBP as a state machine: it owns the game, the bot answers.

It does no I/O. Its methods give the message to be sent, and `receive` tells what a message that
came from the bot means now. What the frontend itself does out of order is a `ProtocolError`.

Moves carry no numbers by which to tell which question they answer. So every `suggest` is counted,
and an answer to a position that is no more is recognised and called stale.
"""

from __future__ import annotations

import enum

from sevenbag.errors import ProtocolError
from sevenbag.protocols.tbp import messages as tbp


class Stage(enum.Enum):
    """How far the two have come."""

    LAUNCHED = "launched"
    """The bot has not introduced itself."""
    INTRODUCED = "introduced"
    """It has; rules may be sent."""
    READY = "ready"
    """It plays by the rules; a position may be sent."""
    CALCULATING = "calculating"
    """It thinks about a position, and may be asked."""
    REFUSED = "refused"
    """It cannot play."""
    CLOSED = "closed"
    """It was told to quit."""


class Event(enum.Enum):
    """What a message from the bot means."""

    INTRODUCED = "introduced"
    READY = "ready"
    REFUSED = "refused"
    SUGGESTED = "suggested"
    STALE = "stale"
    """An answer to a question about an earlier position."""
    IGNORED = "ignored"
    """Nothing that was asked for."""


class FrontendSide:
    """One conversation with one bot.

    Attributes:
        stage: how far it has come.
        info: how the bot introduced itself.
        reason: why it cannot play, in its own word.
    """

    def __init__(self) -> None:
        self.stage = Stage.LAUNCHED
        self.info: tbp.Info | None = None
        self.reason = ""
        self._rules: tbp.Rules | None = None
        self._asked_rules = 0
        self._current = 0
        self._stale = 0

    @property
    def features(self) -> tuple[str, ...]:
        """What the bot said to understand besides the official text."""
        return self.info.features if self.info is not None else ()

    @property
    def takes_garbage(self) -> bool:
        """Whether `garbage` may be sent: the bot announced it, and the rules told of it."""
        told = self._rules is not None and self._rules.garbage == "general"
        return told and tbp.GARBAGE in self.features

    @property
    def answers_unasked(self) -> bool:
        """Whether the bot suggests moves for each position by itself, once."""
        return tbp.SKIP_SUGGEST in self.features

    @property
    def owed(self) -> int:
        """Suggestions that were asked for and have not come."""
        return self._current + self._stale

    @property
    def owed_stale(self) -> int:
        """Those among them that will be about an earlier position."""
        return self._stale

    # --- what the frontend says -----------------------------------------------------------------

    def rules(self, message: tbp.Rules) -> tbp.Rules:
        """Tell the rules; may be done again at any time."""
        self._expect("rules", Stage.INTRODUCED, Stage.READY, Stage.CALCULATING, Stage.REFUSED)
        self._rules = message
        self._asked_rules += 1
        return message

    def start(self, message: tbp.Start) -> tbp.Start:
        """Tell a position; while another one is calculated, it replaces that."""
        self._expect("start", Stage.READY, Stage.CALCULATING)
        self.stage = Stage.CALCULATING
        self._moved_on()
        return message

    def suggest(self) -> tbp.Suggest | None:
        """Ask for moves; None if an answer about this very position comes anyway, or has come."""
        self._expect("suggest", Stage.CALCULATING)
        if self._current or self.answers_unasked:
            return None
        self._current = 1
        return tbp.Suggest()

    def play(self, message: tbp.Play) -> tbp.Play:
        """Tell which move was made."""
        self._expect("play", Stage.CALCULATING)
        self._moved_on()
        return message

    def new_piece(self, piece: tbp.PieceLetter) -> tbp.NewPiece:
        """Tell which piece joined the queue. Moves that were asked for before stay good."""
        self._expect("new_piece", Stage.CALCULATING)
        return tbp.NewPiece(piece)

    def garbage(self, rows: tuple[tbp.Row, ...]) -> tbp.Garbage:
        """Tell which rows entered from below, the last of them as the new bottom."""
        self._expect("garbage", Stage.CALCULATING)
        if not self.takes_garbage:
            raise ProtocolError(
                f"garbage is not to be sent to a bot that does not announce {tbp.GARBAGE!r}, "
                "nor without rules that tell of it"
            )
        self._outdate()
        return tbp.Garbage(rows)

    def stop(self) -> tbp.Stop:
        """End the game; another may start."""
        self._expect("stop", Stage.CALCULATING)
        self.stage = Stage.READY
        self._outdate()
        return tbp.Stop()

    def quit(self) -> tbp.Quit:
        """End the bot."""
        self.stage = Stage.CLOSED
        return tbp.Quit()

    # --- what the bot says ----------------------------------------------------------------------

    def receive(self, message: tbp.Message) -> Event:
        """What a message of the bot means now."""
        match message:
            case _ if self.stage is Stage.CLOSED:
                return Event.IGNORED
            case tbp.Info() if self.stage is Stage.LAUNCHED:
                self.info = message
                self.stage = Stage.INTRODUCED
                return Event.INTRODUCED
            case tbp.Ready() if self._asked_rules:
                self._asked_rules -= 1
                if self.stage in {Stage.INTRODUCED, Stage.REFUSED}:
                    self.stage = Stage.READY
                return Event.READY
            case tbp.Error():
                # Whenever it comes: the bot says that it cannot play.
                self._asked_rules = 0
                self.stage = Stage.REFUSED
                self.reason = message.reason
                return Event.REFUSED
            case tbp.Suggestion() if self.owed:
                # Answers come in the order of the questions.
                if self._stale:
                    self._stale -= 1
                    return Event.STALE
                self._current = 0
                return Event.SUGGESTED
            case _:
                return Event.IGNORED

    # --- helpers --------------------------------------------------------------------------------

    def _expect(self, kind: str, *stages: Stage) -> None:
        if self.stage not in stages:
            raise ProtocolError(f"{kind} is not to be sent while the bot is {self.stage.value}")

    def _moved_on(self) -> None:
        self._outdate()
        if self.answers_unasked:
            self._current = 1

    def _outdate(self) -> None:
        self._stale += self._current
        self._current = 0
