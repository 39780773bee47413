"""State machines for both ends of a TBP connection, without I/O.

`TbpBotConnection` is the bot's end. It turns each message of the frontend into a list of actions
for the caller that runs the bot. It follows the game itself to shield the bot from common frontend
errors: questions before the first position, positions without pieces, queues of a wrong length,
`new_piece` before or after `play`, and moves that were not suggested.

`TbpFrontendConnection` is the frontend's end. The frontend owns the game: `send` checks the order
of its messages, and `receive` classifies the messages of the bot. Moves carry no question number,
so every `suggest` is counted, and an answer to an earlier position is recognized as stale.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from msgspec import UNSET, UnsetType

from sevenbag.errors import PlacementError, ProtocolError, printable
from sevenbag.game.position import Position, append_piece, apply_placement
from sevenbag.game.rules import Rules
from sevenbag.protocols.bot_actions import (
    BotAction,
    GarbageAction,
    LogAction,
    NewPieceAction,
    OpponentsAction,
    PlayAction,
    PrepareAction,
    QuitAction,
    SearchInfo,
    SendAction,
    StartAction,
    StopAction,
    SuggestAction,
)
from sevenbag.protocols.json_lines import parse_json
from sevenbag.protocols.tbp import messages as tbp
from sevenbag.protocols.tbp import tbp_conversion

if TYPE_CHECKING:
    from sevenbag._kernel import Piece, Placement

FEATURES: Final = (tbp.GARBAGE,)
"""Supported extensions that bots have to announce."""


class TbpBotState(enum.Enum):
    """State of the bot."""

    LAUNCHED = "launched"
    READY = "ready"
    CALCULATING = "calculating"
    CLOSED = "closed"


class TbpBotConnection:
    """The bot's end of a connection to one frontend.

    Attributes:
        position: position that follows from the messages; None without one.
    """

    def __init__(
        self,
        *,
        rules: Rules | None = None,
        features: tuple[str, ...] = FEATURES,
        inputs: bool = False,
        max_moves: int | None = None,
        max_line_bytes: int | None = None,
    ) -> None:
        """Create a connection before its first message.

        Args:
            rules: rules that the frontend does not send; the preset ``guideline`` by default.
            features: extensions to announce.
            inputs: send the inputs of the first move, as in the versus dialect.
            max_moves: maximum number of moves in a suggestion. All frontends treat a single move
                alike; of several, some play the first and some the last.
            max_line_bytes: maximum size of an answer with its line end. It has at least one move,
                and as many as fit even if all had the maximum size.
        """
        self.state = TbpBotState.LAUNCHED
        self.position: Position | None = None
        self._base_rules = rules
        self._rules: Rules | None = None
        self._features = features
        self._inputs = inputs
        self._max_moves = max_moves
        self._max_line_bytes = max_line_bytes
        self._received_rules: tbp.TbpRules | None = None
        self._pending_answers = 0
        self._bot_in_sync = False

    @property
    def visible_position(self) -> Position | None:
        """Return the position as the bot sees it; None without a piece to place."""
        return self.position if self._bot_in_sync else None

    def introduce(self, name: str, version: str, author: str) -> tbp.TbpInfo:
        """Return the message that is sent first."""
        return tbp.TbpInfo(name, version, author, self._features)

    def decode(self, line: bytes) -> tbp.TbpMessage | None:
        """Decode a line; None if it is not a message.

        Raises:
            ProtocolError: a message is invalid or incomplete.
        """
        message = tbp.decode(line, ignore_extensions=True)
        if message is None and line.lstrip().startswith(b"{") and parse_json(line) is None:
            kinds = ("start", "play", "garbage")
            kind = next((kind for kind in kinds if f'"{kind}"'.encode() in line), "unknown")
            raise ProtocolError("invalid JSON", kind=kind)
        return message

    def encode(self, message: tbp.TbpMessage) -> bytes:
        """Encode a message as one line with its end."""
        return tbp.encode(message)

    def is_superseding(self, message: object) -> bool:
        """Return True for a new position and for an end."""
        return isinstance(message, tbp.TbpStart | tbp.TbpStop | tbp.TbpQuit)

    def receive(self, message: tbp.TbpMessage) -> list[BotAction]:
        """Return the actions for a message."""
        if self.state is TbpBotState.CLOSED:
            return []
        match message:
            case tbp.TbpRules():
                return self._handle_rules(message)
            case tbp.TbpStart():
                return self._handle_start(message)
            case tbp.TbpSuggest():
                # Every question gets an answer, even one without a position.
                if self._bot_in_sync:
                    return [SuggestAction()]
                return self.answer(())
            case tbp.TbpPlay():
                return self._handle_play(message)
            case tbp.TbpNewPiece():
                return self._handle_new_piece(tbp_conversion.parse_piece(message.piece))
            case tbp.TbpGarbage():
                return self._handle_garbage(message.rows)
            case tbp.TbpStop():
                return self._handle_stop()
            case tbp.TbpQuit():
                self.state = TbpBotState.CLOSED
                return [QuitAction()]
            case _:
                return []

    def receive_invalid(self, message_type: str) -> list[BotAction]:
        """Return the actions for an invalid message.

        If it set the position or changed the board, suggestions are empty until the next
        `TbpStart`. A lost piece only shortens the queue.
        """
        if message_type in {"start", "play", "garbage", ""}:
            self.handle_bot_failure()
        return []

    def accept_rules(self) -> list[BotAction]:
        """Confirm the rules: the bot is ready."""
        if self.state is TbpBotState.LAUNCHED:
            self.state = TbpBotState.READY
        return [SendAction(tbp.TbpReady()) for _ in range(self._take_pending_answers())]

    def reject_rules(self, reason: str = "unsupported_rules") -> list[BotAction]:
        """Reject the rules: the bot cannot play by them."""
        self._received_rules = None
        self.state = TbpBotState.LAUNCHED
        self._forget()
        return [SendAction(tbp.TbpError(reason)) for _ in range(self._take_pending_answers())]

    def answer(self, moves: Sequence[Placement], info: SearchInfo | None = None) -> list[BotAction]:
        """Answer a question; no moves mean that the bot resigns."""
        kept = tuple(tbp_conversion.format_move(move) for move in moves[: self._max_moves])
        inputs = None
        if moves and self._inputs and self.position is not None and self._rules is not None:
            inputs = tbp_conversion.find_inputs(moves[0], self.position.board, self._rules)
        if self._max_line_bytes is not None:
            rest = _MAX_ENVELOPE_BYTES + (0 if inputs is None else _MAX_INPUTS_BYTES)
            kept = kept[: max(1, (self._max_line_bytes - rest) // _MAX_MOVE_BYTES)]
        if kept and inputs is not None and len(inputs) <= _MAX_INPUTS:
            kept = (tbp.TbpMove(kept[0].location, kept[0].spin, inputs), *kept[1:])
        return [SendAction(tbp.TbpSuggestion(kept, _format_info(info)))]

    def handle_bot_failure(self) -> None:
        """Forget the position: suggest no moves until the next `TbpStart`."""
        self._forget()

    def _handle_rules(self, rules: tbp.TbpRules) -> list[BotAction]:
        if self._received_rules == rules or self.state is TbpBotState.CALCULATING:
            # Repeated rules, or rules during a game, change nothing.
            return [SendAction(tbp.TbpReady())]
        self._pending_answers += 1
        return [self._prepare(rules)]

    def _prepare(self, rules: tbp.TbpRules) -> PrepareAction:
        # Imported late, so that the introduction is sent without delay.
        from sevenbag.game.rules import Rules  # noqa: PLC0415

        self._received_rules = rules
        self._rules = self._base_rules or Rules.preset("guideline")
        if changes := tbp_conversion.parse_rules(rules):
            self._rules = self._rules.replace(changes, name="TBP")
        return PrepareAction(self._rules)

    def _handle_start(self, start: tbp.TbpStart) -> list[BotAction]:
        actions: list[BotAction] = []
        if self._received_rules is None:
            # Some frontends send no rules.
            actions.append(self._prepare(tbp.TbpRules()))
        assert self._received_rules is not None
        self.state = TbpBotState.CALCULATING
        self.position = tbp_conversion.parse_start(start)
        actions += _check_randomizer(start, self._received_rules)
        return [*actions, *self._start_bot(), *self._update_opponents(start.opponents)]

    def _handle_play(self, play: tbp.TbpPlay) -> list[BotAction]:
        if self.position is None:
            return []
        actions = [*self._apply_move(play.move), *self._update_opponents(play.opponents)]
        if isinstance(play.meter, int) and self._bot_in_sync:
            pending = tbp_conversion.parse_meter(play.meter)
            self.position = dataclasses.replace(self.position, pending=pending)
            actions.append(GarbageAction(pending))
        return actions

    def _apply_move(self, move: tbp.TbpMove) -> list[BotAction]:
        assert self.position is not None
        try:
            placement = tbp_conversion.parse_move(move)
            self.position = apply_placement(self.position, placement)
        except PlacementError as error:
            return self._resynchronize(move, str(error))
        if not self._bot_in_sync:
            return self._start_bot()
        if not self.position.queue:
            # The bot gets the position when there is a piece again.
            self._bot_in_sync = False
            return []
        return [PlayAction(placement)]

    def _update_opponents(
        self, opponents: tuple[tbp.TbpOpponent, ...] | UnsetType
    ) -> list[BotAction]:
        if not opponents or not self._bot_in_sync:
            return []
        return [OpponentsAction(tuple(tbp_conversion.parse_opponent(each) for each in opponents))]

    def _handle_new_piece(self, piece: Piece) -> list[BotAction]:
        if self.position is None:
            return []
        self.position = append_piece(self.position, piece)
        return [NewPieceAction(piece)] if self._bot_in_sync else self._start_bot()

    def _handle_garbage(self, rows: tuple[tbp.Row, ...]) -> list[BotAction]:
        if self.position is None:
            return []
        self.position = tbp_conversion.add_garbage_rows(self.position, rows)
        return self._start_bot()

    def _handle_stop(self) -> list[BotAction]:
        if self.state is not TbpBotState.CALCULATING:
            return []
        self.state = TbpBotState.READY
        followed = self._bot_in_sync
        self._forget()
        return [StopAction()] if followed else []

    def _start_bot(self) -> list[BotAction]:
        """Send the position to the bot if there is a piece to place."""
        assert self.position is not None
        self._bot_in_sync = bool(self.position.queue)
        return [StartAction(self.position)] if self._bot_in_sync else []

    def _resynchronize(self, move: tbp.TbpMove, error: str) -> list[BotAction]:
        """Keep as much of the position as possible after a move that does not fit it.

        An unexpected piece means that our queue is wrong, not the board. If the board does not fit
        either, the position is unknown until the next `start`.
        """
        assert self.position is not None
        note = LogAction("serve.move_mismatch", {"error": error})
        queue = self.position.queue
        piece = tbp_conversion.parse_piece(move.location.type)
        assumed = dataclasses.replace(self.position, queue=(piece, *queue[1:]))
        try:
            self.position = apply_placement(assumed, tbp_conversion.parse_move(move))
        except PlacementError:
            return [note]
        return [note, *self._start_bot()]

    def _forget(self) -> None:
        self.position = None
        self._bot_in_sync = False

    def _take_pending_answers(self) -> int:
        count, self._pending_answers = self._pending_answers, 0
        return count


class TbpStage(enum.Enum):
    """Stage of the connection."""

    LAUNCHED = "launched"
    """The bot has not sent ``info``."""
    INTRODUCED = "introduced"
    """Rules may be sent."""
    READY = "ready"
    """The bot supports the rules; a position may be sent."""
    CALCULATING = "calculating"
    """The bot searches a position and may be asked."""
    REFUSED = "refused"
    """The bot sent ``error``."""
    CLOSED = "closed"
    """``quit`` was sent."""


class TbpEvent(enum.Enum):
    """Meaning of a message from the bot."""

    INTRODUCED = "introduced"
    READY = "ready"
    REFUSED = "refused"
    SUGGESTED = "suggested"
    STALE = "stale"
    """An answer to a question about an earlier position."""
    IGNORED = "ignored"
    """Not an answer to any message."""


class TbpFrontendConnection:
    """The frontend's end of a connection to one bot.

    Attributes:
        info: the bot's ``info`` message.
        error_reason: reason of the bot's ``error`` message.
        spaced: put a space after each colon and comma, as some frontends do.
    """

    def __init__(self, *, spaced: bool = False) -> None:
        self.spaced = spaced
        self.stage = TbpStage.LAUNCHED
        self.info: tbp.TbpInfo | None = None
        self.error_reason = ""
        self._rules: tbp.TbpRules | None = None
        self._pending_rules = 0
        self._current = 0
        self._stale = 0

    @property
    def features(self) -> tuple[str, ...]:
        """Extensions that the bot announced."""
        return self.info.features if self.info is not None else ()

    @property
    def accepts_garbage(self) -> bool:
        """True if `garbage` may be sent: the bot announced it and the rules have it."""
        allowed = self._rules is not None and self._rules.garbage == "general"
        return allowed and tbp.GARBAGE in self.features

    @property
    def suggests_unasked(self) -> bool:
        """True if the bot sends one suggestion for each position without a question."""
        return tbp.SKIP_SUGGEST in self.features

    @property
    def pending_answers(self) -> int:
        """Number of suggestions that are still to come."""
        return self._current + self._stale

    @property
    def stale_answers(self) -> int:
        """Number of pending suggestions for earlier positions."""
        return self._stale

    @property
    def may_ask(self) -> bool:
        """True unless the answer for this position is pending or comes unasked."""
        return not (self._current or self.suggests_unasked)

    def send(self, message: tbp.TbpFrontendMessage) -> bytes:
        """Encode a message to send.

        Raises:
            ProtocolError: the message is not allowed in this stage.
        """
        kind = str(message.__struct_config__.tag)
        if self.stage not in _ALLOWED_STAGES.get(kind, (TbpStage.CALCULATING,)):
            raise ProtocolError(f"{kind} is not to be sent while the bot is {self.stage.value}")
        match message:
            case tbp.TbpRules():
                self._rules = message
                self._pending_rules += 1
            case tbp.TbpStart():
                self.stage = TbpStage.CALCULATING
                self._update_position()
            case tbp.TbpSuggest():
                self._current = 1
            case tbp.TbpPlay():
                self._update_position()
            case tbp.TbpGarbage():
                if not self.accepts_garbage:
                    raise ProtocolError(
                        f"garbage is not to be sent to a bot that does not announce "
                        f"{tbp.GARBAGE!r}, nor without rules that have it"
                    )
                self._mark_stale()
            case tbp.TbpStop():
                self.stage = TbpStage.READY
                self._mark_stale()
            case tbp.TbpQuit():
                self.stage = TbpStage.CLOSED
            case tbp.TbpNewPiece():
                # Earlier questions stay valid.
                pass
        return tbp.encode(message, spaced=self.spaced)

    def receive(self, message: tbp.TbpMessage) -> TbpEvent:
        """Classify a message of the bot."""
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
                # At any time, an error means that the bot cannot play.
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

    def _update_position(self) -> None:
        self._mark_stale()
        if self.suggests_unasked:
            self._current = 1

    def _mark_stale(self) -> None:
        self._stale += self._current
        self._current = 0


_ALLOWED_STAGES: Final = {
    "rules": (TbpStage.INTRODUCED, TbpStage.READY, TbpStage.CALCULATING, TbpStage.REFUSED),
    "start": (TbpStage.READY, TbpStage.CALCULATING),
    "quit": tuple(TbpStage),
}
"""Stages in which a message may be sent; others may be sent only while the bot calculates."""

# Maximum size of a suggestion without its moves, and of one move.
_MAX_ENVELOPE_BYTES = 1000
_MAX_MOVE_BYTES = 100
# Longer inputs are left out: no player would press them.
_MAX_INPUTS = 64
_MAX_INPUTS_BYTES = 8 * _MAX_INPUTS
_MAX_EXTRA_BYTES = 300


def _check_randomizer(start: tbp.TbpStart, rules: tbp.TbpRules) -> list[BotAction]:
    """Return a log action if the start has another randomizer than the rules."""
    if not start.randomizer or not rules.randomizer:
        return []
    name = tbp_conversion.randomizer_name(start.randomizer)
    if name == rules.randomizer:
        return []
    return [LogAction("serve.randomizer_mismatch", {"rules": rules.randomizer, "start": name})]


def _format_info(info: SearchInfo | None) -> tbp.TbpMoveInfo | UnsetType:
    """Return the info with a bounded `extra`."""
    if info is None or info == SearchInfo():
        return UNSET
    extra = info.extra
    if extra is not None:
        # JSON escape sequences take up to six times the length of a character.
        plain = printable(extra).encode("utf-8", "replace")
        extra = plain[:_MAX_EXTRA_BYTES].decode("utf-8", "ignore")
    return tbp.TbpMoveInfo(info.nodes, info.nps, info.depth, extra)
