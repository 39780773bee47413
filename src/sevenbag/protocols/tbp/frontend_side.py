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


class TbpStage(enum.Enum):
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


class TbpEvent(enum.Enum):
    """What a message from the bot means."""

    INTRODUCED = "introduced"
    READY = "ready"
    REFUSED = "refused"
    SUGGESTED = "suggested"
    STALE = "stale"
    """An answer to a question about an earlier position."""
    IGNORED = "ignored"
    """Nothing that was asked for."""


class TbpFrontendConnection:
    """One conversation with one bot.

    Attributes:
        stage: how far it has come.
        info: how the bot introduced itself.
        reason: why it cannot play, in its own word.
    """

    def __init__(self) -> None:
        self.stage = TbpStage.LAUNCHED
        self.info: tbp.TbpInfo | None = None
        self.error_reason = ""
        self._rules: tbp.TbpRules | None = None
        self._pending_rules = 0
        self._current = 0
        self._stale = 0

    @property
    def features(self) -> tuple[str, ...]:
        """What the bot said to understand besides the official text."""
        return self.info.features if self.info is not None else ()

    @property
    def accepts_garbage(self) -> bool:
        """Whether `garbage` may be sent: the bot announced it, and the rules told of it."""
        told = self._rules is not None and self._rules.garbage == "general"
        return told and tbp.GARBAGE in self.features

    @property
    def suggests_unasked(self) -> bool:
        """Whether the bot suggests moves for each position by itself, once."""
        return tbp.SKIP_SUGGEST in self.features

    @property
    def pending_answers(self) -> int:
        """Suggestions that were asked for and have not come."""
        return self._current + self._stale

    @property
    def stale_answers(self) -> int:
        """Those among them that will be about an earlier position."""
        return self._stale

    # --- what the frontend says -----------------------------------------------------------------

    def rules(self, message: tbp.TbpRules) -> tbp.TbpRules:
        """Tell the rules; may be done again at any time."""
        self._check_stage(
            "rules", TbpStage.INTRODUCED, TbpStage.READY, TbpStage.CALCULATING, TbpStage.REFUSED
        )
        self._rules = message
        self._pending_rules += 1
        return message

    def start(self, message: tbp.TbpStart) -> tbp.TbpStart:
        """Tell a position; while another one is calculated, it replaces that."""
        self._check_stage("start", TbpStage.READY, TbpStage.CALCULATING)
        self.stage = TbpStage.CALCULATING
        self._update_position()
        return message

    def suggest(self) -> tbp.TbpSuggest | None:
        """Ask for moves; None if an answer about this very position comes anyway, or has come."""
        self._check_stage("suggest", TbpStage.CALCULATING)
        if self._current or self.suggests_unasked:
            return None
        self._current = 1
        return tbp.TbpSuggest()

    def play(self, message: tbp.TbpPlay) -> tbp.TbpPlay:
        """Tell which move was made."""
        self._check_stage("play", TbpStage.CALCULATING)
        self._update_position()
        return message

    def new_piece(self, piece: tbp.PieceLetter) -> tbp.TbpNewPiece:
        """Tell which piece joined the queue. Moves that were asked for before stay good."""
        self._check_stage("new_piece", TbpStage.CALCULATING)
        return tbp.TbpNewPiece(piece)

    def garbage(self, rows: tuple[tbp.Row, ...]) -> tbp.TbpGarbage:
        """Tell which rows entered from below, the last of them as the new bottom."""
        self._check_stage("garbage", TbpStage.CALCULATING)
        if not self.accepts_garbage:
            raise ProtocolError(
                f"garbage is not to be sent to a bot that does not announce {tbp.GARBAGE!r}, "
                "nor without rules that tell of it"
            )
        self._mark_stale()
        return tbp.TbpGarbage(rows)

    def stop(self) -> tbp.TbpStop:
        """End the game; another may start."""
        self._check_stage("stop", TbpStage.CALCULATING)
        self.stage = TbpStage.READY
        self._mark_stale()
        return tbp.TbpStop()

    def quit(self) -> tbp.TbpQuit:
        """End the bot."""
        self.stage = TbpStage.CLOSED
        return tbp.TbpQuit()

    # --- what the bot says ----------------------------------------------------------------------

    def receive(self, message: tbp.TbpMessage) -> TbpEvent:
        """What a message of the bot means now."""
        match message:
            case _ if self.stage is TbpStage.CLOSED:
                return TbpEvent.IGNORED
            case tbp.TbpInfo() if self.stage is TbpStage.LAUNCHED:
                self.info = message
                self.stage = TbpStage.INTRODUCED
                return TbpEvent.INTRODUCED
            case tbp.TbpReady() if self._pending_rules:
                self._pending_rules -= 1
                if self.stage in {TbpStage.INTRODUCED, TbpStage.REFUSED}:
                    self.stage = TbpStage.READY
                return TbpEvent.READY
            case tbp.TbpError():
                # Whenever it comes: the bot says that it cannot play.
                self._pending_rules = 0
                self.stage = TbpStage.REFUSED
                self.error_reason = message.reason
                return TbpEvent.REFUSED
            case tbp.TbpSuggestion() if self.pending_answers:
                # Answers come in the order of the questions.
                if self._stale:
                    self._stale -= 1
                    return TbpEvent.STALE
                self._current = 0
                return TbpEvent.SUGGESTED
            case _:
                return TbpEvent.IGNORED

    # --- helpers --------------------------------------------------------------------------------

    def _check_stage(self, kind: str, *stages: TbpStage) -> None:
        if self.stage not in stages:
            raise ProtocolError(f"{kind} is not to be sent while the bot is {self.stage.value}")

    def _update_position(self) -> None:
        self._mark_stale()
        if self.suggests_unasked:
            self._current = 1

    def _mark_stale(self) -> None:
        self._stale += self._current
        self._current = 0
