"""State machines for both ends of a Triangle.js adapter connection, without I/O.

`TriangleBotConnection` is the bot's end. It turns each message of the host into a list of actions
for the caller that runs the bot. It keeps the position itself, because hosts send it only now and
then: the first piece of a game (never sent), the board after each move, hold, combo and
back-to-back. The bot receives positions and answers with placements; they become keys here.

`TriangleHostConnection` is the host's end. The host owns the game: `send` checks the order of its
messages, and `receive` classifies the messages of the bot. Moves carry no question number: a move
answers the pending question, and a move without a pending question is dropped, as in Triangle.js.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import UNSET, Struct

from sevenbag._kernel import Board
from sevenbag.errors import PlacementError, ProtocolError, RulesError
from sevenbag.game.position import Position, append_piece, apply_placement
from sevenbag.game.rules import Rules, compile_rules
from sevenbag.protocols.bot_actions import (
    BotAction,
    GarbageAction,
    LogAction,
    NewPieceAction,
    PlayAction,
    PrepareAction,
    SearchInfo,
    SendAction,
    StartAction,
    SuggestAction,
    UpdateRulesAction,
)
from sevenbag.protocols.triangle import messages as triangle
from sevenbag.protocols.triangle import triangle_conversion
from sevenbag.protocols.triangle.messages import MAX_QUEUE
from sevenbag.protocols.triangle.triangle_keys import find_keys

if TYPE_CHECKING:
    from sevenbag._kernel import Piece, Placement

MAX_VISIBLE_PIECES: Final = 11
"""Maximum visible pieces of a bot, with the current one: the longest look-ahead for perfect clears.
Hosts send some thirty."""

SAFE_FALL_ROWS: Final = 2
"""Rows that a piece may have fallen before it moves, in a Tetra League room at half a piece per
second. Near the top of the board not all keys allow for them."""


class ExpectedBoard(Struct, frozen=True):
    """Data of our moves: the board after the move if no garbage enters.

    Attributes:
        board: rows from the bottom, with the hidden ones; 1 for a filled cell.
    """

    board: list[list[int]]


class TriangleBotState(enum.Enum):
    """State of the bot."""

    LAUNCHED = "launched"
    """The bot has no rules."""
    PLAYING = "playing"
    REFUSED = "refused"
    """The bot does not support the rules; pieces are dropped."""


class TriangleBotConnection:
    """The bot's end of a connection to one host.

    Attributes:
        rules: known rules of the room; None before its ``config``.
        position: position with every known piece; None without one.
    """

    def __init__(self, *, max_visible: int = MAX_VISIBLE_PIECES) -> None:
        """Create a connection before its first message.

        Args:
            max_visible: maximum number of pieces that the bot sees, with the current one.
        """
        self.state = TriangleBotState.LAUNCHED
        self.rules: Rules | None = None
        self.position: Position | None = None
        self._max_visible = min(max(max_visible, 2), _MAX_VISIBLE)
        # Only the host knows the first piece; it is in the hold slot then.
        self._first_piece_unknown = False
        self._to_park = False
        # True once a hold was requested in this game.
        self._pressed_hold = False
        self._visible_count = 0

    @property
    def visible_position(self) -> Position | None:
        """Return the position as the bot sees it; None without a piece to place."""
        position, count = self.position, self._visible_count
        if position is None or not count:
            return None
        bag = triangle_conversion.rewind_bag(
            position.queue[count:], position.bag, position.filled_bag
        )
        shown = dataclasses.replace(position, queue=position.queue[:count], bag=bag)
        if self._first_piece_unknown:
            # The hold slot must not be used; with this piece in it, a bot has no reason to.
            shown = dataclasses.replace(shown, hold=shown.queue[0])
        return shown

    def introduce(
        self, name: str, version: str, author: str, data: object = UNSET
    ) -> triangle.TriangleInfo:
        """Return the message that is sent first."""
        return triangle.TriangleInfo(name=name, version=version, author=author, data=data)

    def decode(self, line: bytes) -> triangle.TriangleMessage | None:
        """Decode a line; None if it is not a message.

        Raises:
            ProtocolError: a message is invalid.
        """
        return triangle.decode(line)

    def encode(self, message: triangle.TriangleMessage) -> bytes:
        """Encode a message as one line with its end."""
        return triangle.encode(message)

    def is_superseding(self, message: object) -> bool:
        """Return True for a new position and for a new game."""
        return isinstance(message, triangle.TriangleConfig | triangle.TriangleState)

    def receive(self, message: triangle.TriangleMessage) -> list[BotAction]:
        """Return the actions for a message."""
        match message:
            case triangle.TriangleConfig():
                return self._handle_config(message)
            case triangle.TriangleState():
                return self._handle_state(message)
            case triangle.TrianglePieces():
                return self._handle_pieces(triangle_conversion.parse_pieces(message.pieces))
            case triangle.TrianglePlay():
                return self._handle_play(message)
            case _:
                return []

    def receive_invalid(self, message_type: str) -> list[BotAction]:
        """Return the actions for an invalid message of this type.

        After an invalid state the position is unknown until the next one. Lost pieces only shorten
        the queue. A question is answered even if its other fields are invalid.
        """
        if message_type in {"config", "state"}:
            self.position = None
        return self._ask_bot() if message_type == "play" else []

    def accept_rules(self) -> list[BotAction]:
        """Do nothing: the protocol has no such message."""
        return []

    def reject_rules(self) -> list[BotAction]:
        """Reject the rules: the bot cannot play by them."""
        self.state = TriangleBotState.REFUSED
        self.position = None
        return []

    def answer(
        self, moves: Sequence[Placement], info: SearchInfo | None = None, *, data: object = UNSET
    ) -> list[BotAction]:
        """Answer a question and apply the move to the position.

        Send the first move that keys reach even if the piece has fallen by `SAFE_FALL_ROWS` rows;
        else the first move that keys reach at all. Otherwise send another legal move,
        because the host waits for an answer.

        Args:
            moves: moves in order of preference.
            info: statistics of the search, which the protocol does not have.
            data: data of the answer; by default the expected board.
        """
        del info
        position, rules = self.position, self.rules
        if position is None or rules is None or not position.queue:
            # The falling piece is unknown until the next `TriangleState`.
            self.position = None
            return [SendAction(triangle.TriangleMove(keys=_HARD_DROP_KEYS, data=data))]
        for placement, fallen in self._candidates(position, rules, moves):
            keys = self._find_keys(position, rules, placement, fallen)
            if keys is not None:
                return self._apply_move(placement, keys, data)
        # No piece fits: the game is lost.
        return [SendAction(triangle.TriangleMove(keys=_HARD_DROP_KEYS, data=data))]

    def placements(self) -> list[Placement]:
        """Return the moves that keys reach, of the current piece and then of the hold piece.

        Empty if the position is unknown or no piece can appear.
        """
        position, rules = self.position, self.rules
        if position is None or rules is None or not position.queue:
            return []
        return [
            placement
            for piece in self._pieces(position, rules)
            for placement in self._list_placements(position, rules, piece)
            if self._find_keys(position, rules, placement) is not None
        ]

    def handle_bot_failure(self) -> None:
        """Send the position to the bot again before its next question."""
        self._visible_count = 0

    def _handle_config(self, config: triangle.TriangleConfig) -> list[BotAction]:
        opening = triangle_conversion.infer_opening(triangle_conversion.parse_pieces(config.queue))
        notes: list[BotAction] = []
        if not triangle_conversion.is_known_kicks(config):
            known = ", ".join(triangle_conversion.list_kick_names())
            notes.append(LogAction("serve.kicks_unknown", {"kicks": config.kicks, "known": known}))
            # Moves without kicks are the same in every rotation system.
            config = msgspec.structs.replace(config, kicks="none")
        try:
            previews = min(self._max_visible - 1, max(len(opening.queue), 1))
            rules = triangle_conversion.parse_config(config, bag=opening.bag, previews=previews)
            compile_rules(rules)
        except RulesError as error:
            self.reject_rules()
            return [*notes, LogAction("serve.room_rejected", {"error": error})]
        self.state = TriangleBotState.PLAYING
        self.rules = rules
        self._first_piece_unknown = self._to_park = opening.first_piece is None
        self._pressed_hold = False
        pieces = (
            opening.queue if opening.first_piece is None else (opening.first_piece, *opening.queue)
        )
        board = Board(rules.board.width, rules.board.rows)
        self.position = self._with_bag(
            Position(board, pieces, colors=("." * board.width,) * board.rows)
        )
        return [*notes, PrepareAction(rules), *self._start_bot()]

    def _handle_state(self, state: triangle.TriangleState) -> list[BotAction]:
        if self.rules is None or self.state is TriangleBotState.REFUSED:
            return []
        width = self.rules.board.width
        if any(len(row) != width for row in state.board):
            self.position = None
            columns = {"columns": len(state.board[0]), "expected": width}
            return [LogAction("serve.state_ignored", columns)]
        position = triangle_conversion.parse_state(
            self._without_current(state), self.rules.board.rows
        )
        adjusted = [*self._with_bombs(state), *self._without_hold(position)]
        known = None if self._first_piece_unknown else self.position
        self.position = self._with_bag(position)
        if (
            not adjusted
            and known is not None
            and self._visible_count
            and _continues(known, position)
        ):
            # The state is as expected: the bot can continue its search.
            return [GarbageAction(position.pending), *self._add_visible_pieces()]
        self._first_piece_unknown = self._to_park = False
        return [*adjusted, *self._start_bot()]

    def _handle_pieces(self, pieces: tuple[Piece, ...]) -> list[BotAction]:
        if self.position is None:
            return []
        if len(self.position.queue) > MAX_QUEUE:
            return [LogAction("serve.pieces_ignored", {"pieces": len(pieces), "max": MAX_QUEUE})]
        for piece in pieces:
            self.position = append_piece(self.position, piece)
        return (
            self._add_visible_pieces()
            if self._visible_count and not self._first_piece_unknown
            else self._start_bot()
        )

    def _handle_play(self, play: triangle.TrianglePlay) -> list[BotAction]:
        return [*self._update_rules(play), *self._ask_bot()]

    def _ask_bot(self) -> list[BotAction]:
        if self.position is None or not self.position.queue:
            return self.answer(())
        # After a failure the bot gets the position again.
        return [SuggestAction()] if self._visible_count else [*self._start_bot(), SuggestAction()]

    def _update_rules(self, play: triangle.TrianglePlay) -> list[BotAction]:
        """Apply the rules that the question changes."""
        if self.rules is None or self.position is None:
            return []
        cap, factor = float(int(play.garbage_cap)), float(play.garbage_multiplier)
        alike = abs(factor - self.rules.attack.multiplier) < _MULTIPLIER_TOLERANCE
        if cap == self.rules.garbage.cap and alike:
            return []
        changes = {"garbage": {"cap": cap}, "attack": {"multiplier": factor}}
        try:
            self.rules = self.rules.replace(changes, name=self.rules.name)
        except RulesError:
            return []
        return [UpdateRulesAction(self.rules), *self._start_bot()]

    def _with_bombs(self, state: triangle.TriangleState) -> list[BotAction]:
        """Enable bombs from the first bomb on: only boards show them."""
        assert self.rules is not None
        if self.rules.garbage.bombs or not any("bomb" in row for row in state.board):
            return []
        self.rules = self.rules.replace({"garbage": {"bombs": True}}, name=self.rules.name)
        return [UpdateRulesAction(self.rules)]

    def _without_hold(self, received: Position) -> list[BotAction]:
        """Disable hold once a state shows that a hold had no effect.

        Hosts do not announce whether hold is allowed. If it is not, the hold slot stays empty, and
        the queue is one piece longer than after a first hold.
        """
        assert self.rules is not None
        if self.position is None or not self._pressed_hold or received.hold is not None:
            return []
        expected, queue = self.position.queue, received.queue[1:]
        count = min(len(expected), len(queue))
        if count == 0 or expected[:count] != queue[:count]:
            return []
        self._pressed_hold = False
        self.rules = self.rules.replace({"pieces": {"hold": False}}, name=self.rules.name)
        return [UpdateRulesAction(self.rules)]

    def _start_bot(self) -> list[BotAction]:
        """Send the position to the bot if there is a piece to place."""
        queue = () if self.position is None else self.position.queue
        self._visible_count = min(self._max_visible, len(queue))
        shown = self.visible_position
        return [] if shown is None else [StartAction(shown)]

    def _add_visible_pieces(self) -> list[BotAction]:
        """Send the bot the pieces that became visible."""
        assert self.position is not None
        seen, self._visible_count = (
            self._visible_count,
            min(self._max_visible, len(self.position.queue)),
        )
        return [NewPieceAction(piece) for piece in self.position.queue[seen : self._visible_count]]

    def _candidates(
        self, position: Position, rules: Rules, moves: Sequence[Placement]
    ) -> Iterator[tuple[Placement, int]]:
        """Return the moves to try, in order, with the fall for which keys have to allow.

        First the suggested moves that allow for the fall, then the suggested ones, then all others
        from the lowest.
        """
        pieces = self._pieces(position, rules)
        possible = [move for move in moves if move.piece in pieces]
        yield from ((move, SAFE_FALL_ROWS) for move in possible)
        yield from ((move, 0) for move in possible)
        for piece in pieces:
            places = self._list_placements(position, rules, piece)
            yield from ((place, 0) for place in sorted(places, key=lambda place: place.y))

    def _pieces(self, position: Position, rules: Rules) -> list[Piece]:
        """Return the pieces that can be placed: the current one and the hold piece."""
        queue, held = position.queue, position.hold
        if not rules.pieces.hold or self._first_piece_unknown:
            return [queue[0]]
        return list(dict.fromkeys((queue[0], *(queue[1:2] if held is None else (held,)))))

    def _list_placements(self, position: Position, rules: Rules, piece: Piece) -> list[Placement]:
        kernel = compile_rules(triangle_conversion.rules_for_piece(rules, piece))
        return kernel.placements(position.board, piece, position.combo > 0)

    def _find_keys(
        self, position: Position, rules: Rules, placement: Placement, fallen: int = 0
    ) -> tuple[str, ...] | None:
        try:
            keys = find_keys(
                position.board,
                placement,
                triangle_conversion.rules_for_piece(rules, placement.piece),
                hold=self._to_park or placement.piece != position.queue[0],
                cleared=position.combo > 0,
                fallen=fallen,
            )
        except PlacementError:
            return None
        return keys

    def _apply_move(
        self, placement: Placement, keys: tuple[str, ...], data: object
    ) -> list[BotAction]:
        position = self.position
        assert position is not None
        after = apply_placement(position, placement, self.rules)
        self.position = after
        self._to_park = False
        self._pressed_hold |= keys[0] == "hold"
        if data is UNSET:
            data = ExpectedBoard(triangle_conversion.format_expected_board(after.board))
        actions: list[BotAction] = [SendAction(triangle.TriangleMove(keys=keys, data=data))]
        if self._first_piece_unknown or not after.queue:
            return [*actions, *self._start_bot()]
        self._visible_count -= len(position.queue) - len(after.queue)
        return [*actions, PlayAction(placement), *self._add_visible_pieces()]

    def _with_bag(self, position: Position) -> Position:
        assert self.rules is not None
        bag = self.rules.pieces.bag
        return dataclasses.replace(
            position,
            bag=triangle_conversion.infer_remaining_bag(position.queue, bag),
            filled_bag=triangle_conversion.full_bag(bag),
        )

    def _without_current(self, state: triangle.TriangleState) -> triangle.TriangleState:
        """Return the state without the current piece in its queue, where some hosts put it."""
        if state.queue[:1] != (state.current,):
            return state
        assert self.rules is not None
        queue = triangle_conversion.parse_pieces(state.queue)
        as_told, without = (queue[0], *queue), queue
        if (
            self.position is not None
            and not self._first_piece_unknown
            and len(self.position.queue) > 1
        ):
            known = self.position.queue
            is_begun = [known[: len(each)] == each[: len(known)] for each in (as_told, without)]
        else:
            is_begun = [False, False]
        if is_begun == [False, False]:
            bag = self.rules.pieces.bag
            is_begun = [triangle_conversion.is_valid_deal(each, bag) for each in (as_told, without)]
        if is_begun == [False, True]:
            return msgspec.structs.replace(state, queue=state.queue[1:])
        return state


class TriangleStage(enum.Enum):
    """Stage of the connection."""

    LAUNCHED = "launched"
    """The bot has not sent ``info``."""
    INTRODUCED = "introduced"
    """The rules may be sent."""
    PLAYING = "playing"
    """The bot has the rules and may be asked."""
    ASKED = "asked"
    """A move is pending."""
    CLOSED = "closed"


class TriangleEvent(enum.Enum):
    """Meaning of a message from the bot."""

    INTRODUCED = "introduced"
    MOVED = "moved"
    """The answer to the pending question; the host judges it."""
    UNREQUESTED = "unasked"
    """A move without a pending question."""
    IGNORED = "ignored"
    """Not an answer to any message."""


class TriangleHostConnection:
    """The host's end of a connection to one bot, for one game.

    Attributes:
        info: the bot's first ``info`` message.
        move: its last answer, unchecked: keys may be unknown or missing.
        unrequested_moves: number of moves without a pending question.
    """

    def __init__(self) -> None:
        self.stage = TriangleStage.LAUNCHED
        self.info: triangle.TriangleInfo | None = None
        self.move: triangle.TriangleMove | None = None
        self.unrequested_moves = 0

    def send(self, message: triangle.TriangleHostMessage) -> bytes:
        """Encode a message to send; ``config`` also starts another game.

        Raises:
            ProtocolError: the message is not allowed in this stage.
        """
        is_config = isinstance(message, triangle.TriangleConfig)
        introduced = is_config and self.stage is TriangleStage.INTRODUCED
        if self.stage is not TriangleStage.PLAYING and not introduced:
            kind = message.__struct_config__.tag
            raise ProtocolError(f"{kind} is not to be sent while the bot is {self.stage.value}")
        self.stage = TriangleStage.PLAYING
        if isinstance(message, triangle.TrianglePlay):
            self.stage = TriangleStage.ASKED
            self.move = None
        return triangle.encode(message)

    def close(self) -> None:
        """Close the connection; the protocol has no message for it."""
        self.stage = TriangleStage.CLOSED

    def receive(self, message: triangle.TriangleMessage) -> TriangleEvent:
        """Classify a message of the bot."""
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


_MAX_VISIBLE: Final = 33
"""Maximum of the rules."""
_HARD_DROP_KEYS: Final = ("hardDrop",)
_MULTIPLIER_TOLERANCE: Final = 0.05
"""Attack multipliers grow with every frame; smaller differences are ignored."""


def _continues(known: Position, received: Position) -> bool:
    """Return True if the pieces continue the known ones."""
    return (
        known.board == received.board
        and known.hold == received.hold
        and known.combo == received.combo
        and known.back_to_back == received.back_to_back
        and known.queue == received.queue[: len(known.queue)]
    )
