"""The bot's side of TBP as a state machine: it is told, and answers.

It does no I/O and does not think. Each message that comes becomes a list of actions for whoever
runs the bot. It follows the game itself, so that a bot behind it is spared what frontends in the
field do: questions before there is a position, positions without pieces, queues of a wrong length,
`new_piece` before or after `play`, moves that nobody suggested.
"""

from __future__ import annotations

import dataclasses
import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec import UNSET, UnsetType

from sevenbag.errors import PlacementError, printable
from sevenbag.game.course import after_new_piece, after_placement
from sevenbag.protocols.bot_actions import (
    Advance,
    Begin,
    Close,
    Common,
    End,
    Expect,
    Extend,
    Face,
    Note,
    Think,
)
from sevenbag.protocols.tbp import messages as tbp
from sevenbag.protocols.tbp import tbp_conversion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sevenbag._kernel import Piece, Placement
    from sevenbag.game.position import Position

FEATURES: Final = (tbp.GARBAGE,)
"""What this side understands besides the official text, of what has to be announced."""

# --- actions ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Send:
    """Send this message."""

    message: tbp.FromBot


@dataclass(frozen=True, slots=True)
class Prepare:
    """Get the bot ready for these rules, then call `BotSide.accept` or `BotSide.refuse`.

    If it is not ready, what comes after this in the same list is void.
    """

    rules: tbp.Rules


Action: TypeAlias = Send | Prepare | Common


class State(enum.Enum):
    """Where the bot is in its life."""

    LAUNCHED = "launched"
    READY = "ready"
    CALCULATING = "calculating"
    CLOSED = "closed"


# --- the machine --------------------------------------------------------------------------------


class BotSide:
    """One conversation with one frontend.

    Attributes:
        state: where the bot is in its life.
        position: the position as the frontend has told it; None while there is none.
    """

    def __init__(self, *, most_moves: int | None = None, longest_line: int | None = None) -> None:
        """Start before the first message.

        Args:
            most_moves: how many moves a suggestion has at most. One is what every frontend
                takes alike: some play the first, some the last.
            longest_line: bytes of an answer with its end, at most. It has as many moves as fit
                even if all were of the longest kind, and at least one.
        """
        self.state = State.LAUNCHED
        self.position: Position | None = None
        self._most_moves = most_moves
        self._longest_line = longest_line
        self._rules: tbp.Rules | None = None
        self._answers_due = 0
        self._bot_follows = False

    def introduce(
        self, name: str, version: str, author: str, features: tuple[str, ...] = FEATURES
    ) -> tbp.Info:
        """The message to be sent at once, before anything else."""
        return tbp.Info(name, version, author, features)

    def receive(self, message: tbp.Message) -> list[Action]:
        """What to do about a message."""
        if self.state is State.CLOSED:
            return []
        match message:
            case tbp.Rules():
                return self._told_rules(message)
            case tbp.Start():
                return self._told_start(message)
            case tbp.Suggest():
                # Every question gets its answer, even one that should not have been asked.
                if self._bot_follows:
                    return [Think()]
                return [Send(self.answer(()))]
            case tbp.Play():
                return self._told_play(message)
            case tbp.NewPiece():
                return self._told_new_piece(tbp_conversion.piece_of(message.piece))
            case tbp.Garbage():
                return self._told_garbage(message.rows)
            case tbp.Stop():
                return self._ended()
            case tbp.Quit():
                self.state = State.CLOSED
                return [Close()]
            case _:
                return []

    def misheard(self, kind: str) -> None:
        """A message came that makes no sense.

        What it was to say of the position is not known. So if it was to tell one, or to change
        the board, there is none to answer for until the next `Start`. A piece that is not heard
        of only makes the queue shorter than it is.

        Args:
            kind: its type; empty if not even that is known.
        """
        if kind in {"start", "play", "garbage", ""}:
            self.lose_track()

    # --- what came of the actions ---------------------------------------------------------------

    def accept(self) -> list[Action]:
        """The bot is ready for the rules."""
        if self.state is State.LAUNCHED:
            self.state = State.READY
        return [Send(tbp.Ready()) for _ in range(self._take_due())]

    def refuse(self, reason: str = "unsupported_rules") -> list[Action]:
        """The bot cannot play by the rules."""
        self._rules = None
        self.state = State.LAUNCHED
        self._forget()
        return [Send(tbp.Error(reason)) for _ in range(self._take_due())]

    def answer(
        self,
        moves: Sequence[Placement],
        move_info: tbp.MoveInfo | None = None,
        *,
        inputs: tuple[tbp.InputName, ...] | None = None,
    ) -> tbp.Suggestion:
        """The answer to a question; no moves mean that the bot gives up.

        Args:
            moves: in order of preference.
            move_info: of the search.
            inputs: the way to the first move, for frontends of the versus dialect.
        """
        kept = tuple(tbp_conversion.move_of(move) for move in moves[: self._most_moves])
        info = _fitting(move_info)
        if self._longest_line is not None:
            rest = _LONGEST_REST if inputs is None else _LONGEST_REST + _LONGEST_WAY
            kept = kept[: max(1, (self._longest_line - rest) // _LONGEST_MOVE)]
        if kept and inputs is not None and len(inputs) <= _MOST_INPUTS:
            kept = (tbp.Move(kept[0].location, kept[0].spin, inputs), *kept[1:])
        return tbp.Suggestion(kept, UNSET if info is None else info)

    def lose_track(self) -> None:
        """Nothing is known of the position any more: no moves until the next `Start`."""
        self._forget()

    # --- helpers --------------------------------------------------------------------------------

    def _told_rules(self, rules: tbp.Rules) -> list[Action]:
        if self._rules == rules or self.state is State.CALCULATING:
            # Told again, or in the middle of a game, where they can change no more.
            return [Send(tbp.Ready())]
        self._rules = rules
        self._answers_due += 1
        return [Prepare(rules)]

    def _told_start(self, start: tbp.Start) -> list[Action]:
        actions: list[Action] = []
        if self._rules is None:
            # Some do not tell the rules at all.
            self._rules = tbp.Rules()
            actions.append(Prepare(self._rules))
        self.state = State.CALCULATING
        self.position = tbp_conversion.position_of(start)
        actions += _oddities(start, self._rules)
        return [*actions, *self._begun(), *self._faced(start.opponents)]

    def _told_play(self, play: tbp.Play) -> list[Action]:
        if self.position is None:
            return []
        actions = [*self._moved(play.move), *self._faced(play.opponents)]
        if isinstance(play.meter, int) and self._bot_follows:
            pending = tbp_conversion.pending_of(play.meter)
            self.position = dataclasses.replace(self.position, pending=pending)
            actions.append(Expect(pending))
        return actions

    def _moved(self, move: tbp.Move) -> list[Action]:
        assert self.position is not None
        try:
            placement = tbp_conversion.placement_of(move)
            self.position = after_placement(self.position, placement)
        except PlacementError as error:
            return self._resynchronised(move, str(error))
        if not self._bot_follows:
            return self._begun()
        if not self.position.queue:
            # The bot is told when there is a piece again.
            self._bot_follows = False
            return []
        return [Advance(placement)]

    def _faced(self, opponents: tuple[tbp.Opponent, ...] | UnsetType) -> list[Action]:
        if not opponents or not self._bot_follows:
            return []
        return [Face(tuple(tbp_conversion.position_of_opponent(each) for each in opponents))]

    def _told_new_piece(self, piece: Piece) -> list[Action]:
        if self.position is None:
            return []
        self.position = after_new_piece(self.position, piece)
        return [Extend(piece)] if self._bot_follows else self._begun()

    def _told_garbage(self, rows: tuple[tbp.Row, ...]) -> list[Action]:
        if self.position is None:
            return []
        self.position = tbp_conversion.with_garbage(self.position, rows)
        return self._begun()

    def _ended(self) -> list[Action]:
        if self.state is not State.CALCULATING:
            return []
        self.state = State.READY
        followed = self._bot_follows
        self._forget()
        return [End()] if followed else []

    def _begun(self) -> list[Action]:
        """Put the bot before the position, if there is a piece to place."""
        assert self.position is not None
        self._bot_follows = bool(self.position.queue)
        return [Begin(self.position)] if self._bot_follows else []

    def _resynchronised(self, move: tbp.Move, why: str) -> list[Action]:
        """A move was made that cannot follow from what we know: keep what can be kept of it.

        A piece that should not have been there means that our queue is wrong, not that the cells
        are. Where even those do not fit, the next `start` has to tell us.
        """
        assert self.position is not None
        note = Note(f"a move that does not fit the position: {why}")
        queue = self.position.queue
        piece = tbp_conversion.piece_of(move.location.type)
        assumed = dataclasses.replace(self.position, queue=(piece, *queue[1:]))
        try:
            self.position = after_placement(assumed, tbp_conversion.placement_of(move))
        except PlacementError:
            return [note]
        return [note, *self._begun()]

    def _forget(self) -> None:
        self.position = None
        self._bot_follows = False

    def _take_due(self) -> int:
        due, self._answers_due = self._answers_due, 0
        return due


# What a suggestion takes besides its moves, and what a move takes, at most.
_LONGEST_REST = 1000
_LONGEST_MOVE = 100
# A way to a move that is longer is left out: it is no way that anybody would press.
_MOST_INPUTS = 64
_LONGEST_WAY = 8 * _MOST_INPUTS
_LONGEST_EXTRA = 300


def _oddities(start: tbp.Start, rules: tbp.Rules) -> list[Action]:
    """What a start says of the bag that the rules had said otherwise."""
    if not start.randomizer or not rules.randomizer:
        return []
    told = tbp_conversion.name_of(start.randomizer)
    if told == rules.randomizer:
        return []
    return [Note(f"the rules said randomizer {rules.randomizer}, the start says {told}")]


def _fitting(info: tbp.MoveInfo | None) -> tbp.MoveInfo | None:
    """The info without an `extra` of any length, None if nothing is in it."""
    if info is None or info == tbp.MoveInfo():
        return None
    if info.extra is None:
        return info
    # What JSON would write as an escape sequence takes up to six times its length.
    plain = printable(info.extra)
    cut = plain.encode("utf-8", "replace")[:_LONGEST_EXTRA].decode("utf-8", "ignore")
    return tbp.MoveInfo(info.nodes, info.nps, info.depth, cut)
