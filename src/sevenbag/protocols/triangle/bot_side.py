"""The bot's side of the Triangle.js adapter protocol as a state machine: it is told, and answers.

It does no I/O and does not think. Each message that comes becomes a list of actions for whoever
runs the bot. It keeps the position itself, as hosts tell it only now and then: the first piece of
a game, which they tell nowhere, the board after each move, hold, combo, back-to-back. A bot behind
it is given positions, and answers with placements; these become keys here.
"""

from __future__ import annotations

import dataclasses
import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec
from msgspec import UNSET, Struct

from sevenbag._kernel import Board
from sevenbag.errors import PlacementError, RulesError
from sevenbag.game.course import after_new_piece, after_placement
from sevenbag.game.position import Position
from sevenbag.game.rules import kernel_rules
from sevenbag.protocols.bot_actions import Advance, Begin, Common, Expect, Extend, Note, Think
from sevenbag.protocols.triangle import messages as triangle
from sevenbag.protocols.triangle import triangle_conversion
from sevenbag.protocols.triangle.reading import MOST_QUEUED
from sevenbag.protocols.triangle.triangle_keys import keys_to

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sevenbag._kernel import Piece, Placement
    from sevenbag.game.rules import Rules

MOST_SEEN: Final = 11
"""Pieces that a bot is shown at most, the current one included: as many as the longest look-ahead
for perfect clears takes. Hosts tell some thirty."""

STEADY: Final = 2
"""Rows that a piece may have fallen before it is moved, in a room of Tetra League at half a piece a
second; near the top of the board not all keys allow for them."""


class Expectation(Struct, frozen=True):
    """The data of our moves: what the board will be, unless garbage enters.

    Attributes:
        board: rows from the bottom, those that are hidden included; 1 for a filled cell.
    """

    board: list[list[int]]


# --- actions ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Send:
    """Send this message."""

    message: triangle.FromBot


@dataclass(frozen=True, slots=True)
class Prepare:
    """Get the bot ready for these rules; if it cannot be, call `BotSide.refuse`.

    In that case what comes after this in the same list is void.
    """

    rules: Rules


@dataclass(frozen=True, slots=True)
class Adjust:
    """The rules have become these in mid-game; what a bot cannot be told then it need not know.

    Only the limit of garbage at a lock, the factor on all that is sent, and whether there are bombs
    and a hold change. A position follows.
    """

    rules: Rules


Action: TypeAlias = Send | Prepare | Adjust | Common


class State(enum.Enum):
    """Where the bot is in its life."""

    LAUNCHED = "launched"
    """It knows no rules."""
    PLAYING = "playing"
    REFUSED = "refused"
    """The rules are none that it can play by: it lets pieces fall."""


# --- the machine --------------------------------------------------------------------------------


class BotSide:
    """One conversation with one host.

    Attributes:
        state: where the bot is in its life.
        rules: of the room, as far as they are known; None before they are told.
        position: the position with every piece that is known; None while there is none.
    """

    def __init__(self, *, most_seen: int = MOST_SEEN) -> None:
        """Start before the first message.

        Args:
            most_seen: pieces that the bot is shown at most, the current one included.
        """
        self.state = State.LAUNCHED
        self.rules: Rules | None = None
        self.position: Position | None = None
        self._most_seen = min(max(most_seen, 2), _MOST_SEEN)
        # Of the first piece only the host knows which it is; it lies in the hold slot then.
        self._parked = False
        self._to_park = False
        # True once a hold was requested in this game.
        self._pressed_hold = False
        self._seen = 0

    def introduce(
        self, name: str, version: str, author: str, data: object = UNSET
    ) -> triangle.Info:
        """The message to be sent at once, before anything else."""
        return triangle.Info(name=name, version=version, author=author, data=data)

    def receive(self, message: triangle.Message) -> list[Action]:
        """What to do about a message."""
        match message:
            case triangle.Config():
                return self._told_config(message)
            case triangle.State():
                return self._told_state(message)
            case triangle.Pieces():
                return self._told_pieces(triangle_conversion.pieces_of(message.pieces))
            case triangle.Play():
                return self._told_play(message)
            case _:
                return []

    def misheard(self, kind: str) -> list[Action]:
        """What to do about a message of this type that makes no sense.

        If it was to tell a position, none is known until the next one is told. Pieces that are not
        heard of only make the queue shorter. A question is one, whatever comes with it.
        """
        if kind in {"config", "state"}:
            self.position = None
        return self._asked() if kind == "play" else []

    # --- what came of the actions ---------------------------------------------------------------

    def refuse(self) -> None:
        """The bot cannot play by the rules."""
        self.state = State.REFUSED
        self.position = None

    def answer(self, moves: Sequence[Placement], data: object = UNSET) -> list[Action]:
        """The answer to a question, and what it makes of the position.

        The first move counts to which keys lead, and that also if the piece has fallen by
        `STEADY` rows; else the first to which they lead at all. If there is none, some other one is
        made, as a host that is not answered stands still.

        Args:
            moves: in order of preference.
            data: goes along with it; by default what the board is expected to be.
        """
        position, rules = self.position, self.rules
        if position is None or rules is None or not position.queue:
            # Whatever falls there: nothing is known until the next `State`.
            self.position = None
            return [Send(triangle.Move(keys=_FALL, data=data))]
        for placement, fallen in self._candidates(position, rules, moves):
            keys = self._way_to(position, rules, placement, fallen)
            if keys is not None:
                return self._moved(placement, keys, data)
        # Nothing fits any more: the game is lost.
        return [Send(triangle.Move(keys=_FALL, data=data))]

    def placements(self) -> list[Placement]:
        """The moves to which keys lead: of the current piece, then of the one that hold offers.

        Nothing where no position is known, and where no piece can appear any more.
        """
        position, rules = self.position, self.rules
        if position is None or rules is None or not position.queue:
            return []
        return [
            placement
            for piece in self._pieces(position, rules)
            for placement in self._places(position, rules, piece)
            if self._way_to(position, rules, placement) is not None
        ]

    def forget_bot(self) -> None:
        """The bot has missed what it was told; it is put before the position again when asked."""
        self._seen = 0

    # --- helpers: what is told ------------------------------------------------------------------

    def _told_config(self, config: triangle.Config) -> list[Action]:
        opening = triangle_conversion.opening_of(triangle_conversion.pieces_of(config.queue))
        notes: list[Action] = []
        if not triangle_conversion.knows_kicks(config):
            known = ", ".join(triangle_conversion.kick_names())
            notes.append(
                Note(
                    f"invalid kicks: expected {known}, got {config.kicks!r}; "
                    "pieces rotate without kicks"
                )
            )
            # What is done without kicks is the same everywhere.
            config = msgspec.structs.replace(config, kicks="none")
        try:
            previews = min(self._most_seen - 1, max(len(opening.queue), 1))
            rules = triangle_conversion.rules_of(config, bag=opening.bag, previews=previews)
            kernel_rules(rules)
        except RulesError as error:
            self.refuse()
            return [*notes, Note(f"cannot play in this room: {error}")]
        self.state = State.PLAYING
        self.rules = rules
        self._parked = self._to_park = opening.first is None
        self._pressed_hold = False
        pieces = opening.queue if opening.first is None else (opening.first, *opening.queue)
        board = Board(rules.board.width, rules.board.rows)
        self.position = self._with_bag(
            Position(board, pieces, colors=("." * board.width,) * board.rows)
        )
        return [*notes, Prepare(rules), *self._begun()]

    def _told_state(self, state: triangle.State) -> list[Action]:
        if self.rules is None or self.state is State.REFUSED:
            return []
        width = self.rules.board.width
        if any(len(row) != width for row in state.board):
            self.position = None
            return [Note(f"a state has {len(state.board[0])} columns, the room has {width}")]
        told = triangle_conversion.position_of(self._without_current(state), self.rules.board.rows)
        adjusted = [*self._with_bombs(state), *self._without_hold(told)]
        known = None if self._parked else self.position
        self.position = self._with_bag(told)
        if not adjusted and known is not None and self._seen and _goes_on(known, told):
            # As it was thought to be: the bot need not begin anew.
            return [Expect(told.pending), *self._extended()]
        self._parked = self._to_park = False
        return [*adjusted, *self._begun()]

    def _told_pieces(self, pieces: tuple[Piece, ...]) -> list[Action]:
        if self.position is None:
            return []
        if len(self.position.queue) > MOST_QUEUED:
            return [Note(f"passed over {len(pieces)} pieces: {MOST_QUEUED} wait already")]
        for piece in pieces:
            self.position = after_new_piece(self.position, piece)
        return self._extended() if self._seen and not self._parked else self._begun()

    def _told_play(self, play: triangle.Play) -> list[Action]:
        return [*self._adjusted(play), *self._asked()]

    def _asked(self) -> list[Action]:
        if self.position is None or not self.position.queue:
            return self.answer(())
        # Whoever lost the bot on the way puts it before the position again.
        return [Think()] if self._seen else [*self._begun(), Think()]

    def _adjusted(self, play: triangle.Play) -> list[Action]:
        """What the question says of the rules, where it changes them."""
        if self.rules is None or self.position is None:
            return []
        cap, factor = float(int(play.garbage_cap)), float(play.garbage_multiplier)
        alike = abs(factor - self.rules.attack.multiplier) < _OF_NO_MATTER
        if cap == self.rules.garbage.cap and alike:
            return []
        changes = {"garbage": {"cap": cap}, "attack": {"multiplier": factor}}
        try:
            self.rules = self.rules.replace(changes, name=self.rules.name)
        except RulesError:
            return []
        return [Adjust(self.rules), *self._begun()]

    def _with_bombs(self, state: triangle.State) -> list[Action]:
        """Play with bombs from when one is seen, as only boards tell of them."""
        assert self.rules is not None
        if self.rules.garbage.bombs or not any("bomb" in row for row in state.board):
            return []
        self.rules = self.rules.replace({"garbage": {"bombs": True}}, name=self.rules.name)
        return [Adjust(self.rules)]

    def _without_hold(self, told: Position) -> list[Action]:
        """Disable hold once a state shows that a hold had no effect.

        Hosts do not announce whether hold is allowed. If it is not, the hold slot stays empty, and
        the queue is one piece longer than after a first hold.
        """
        assert self.rules is not None
        if self.position is None or not self._pressed_hold or told.hold is not None:
            return []
        expected, queue = self.position.queue, told.queue[1:]
        count = min(len(expected), len(queue))
        if count == 0 or expected[:count] != queue[:count]:
            return []
        self._pressed_hold = False
        self.rules = self.rules.replace({"pieces": {"hold": False}}, name=self.rules.name)
        return [Adjust(self.rules)]

    # --- helpers: the bot -----------------------------------------------------------------------

    def _begun(self) -> list[Action]:
        """Put the bot before the position, if there is a piece to place."""
        position = self.position
        if position is None or not position.queue:
            self._seen = 0
            return []
        self._seen = min(self._most_seen, len(position.queue))
        bag = triangle_conversion.bag_before(
            position.queue[self._seen :], position.bag, position.filled_bag
        )
        shown = dataclasses.replace(position, queue=position.queue[: self._seen], bag=bag)
        if self._parked:
            # The hold slot is not to be touched: a bot that believes this has no use for it.
            shown = dataclasses.replace(shown, hold=shown.queue[0])
        return [Begin(shown)]

    def _extended(self) -> list[Action]:
        """Show the bot what has moved up."""
        assert self.position is not None
        seen, self._seen = self._seen, min(self._most_seen, len(self.position.queue))
        return [Extend(piece) for piece in self.position.queue[seen : self._seen]]

    # --- helpers: moves -------------------------------------------------------------------------

    def _candidates(
        self, position: Position, rules: Rules, moves: Sequence[Placement]
    ) -> Iterator[tuple[Placement, int]]:
        """Moves that may be made now, and what keys have to allow for, in the order to be tried.

        Those suggested, if they are steady; those suggested; then all others, low ones first.
        """
        pieces = self._pieces(position, rules)
        possible = [move for move in moves if move.piece in pieces]
        yield from ((move, STEADY) for move in possible)
        yield from ((move, 0) for move in possible)
        for piece in pieces:
            places = self._places(position, rules, piece)
            yield from ((place, 0) for place in sorted(places, key=lambda place: place.y))

    def _pieces(self, position: Position, rules: Rules) -> list[Piece]:
        """The pieces that can be placed now: the current one, and the one that hold offers."""
        queue, held = position.queue, position.hold
        if not rules.pieces.hold or self._parked:
            return [queue[0]]
        return list(dict.fromkeys((queue[0], *(queue[1:2] if held is None else (held,)))))

    def _places(self, position: Position, rules: Rules, piece: Piece) -> list[Placement]:
        kernel = kernel_rules(triangle_conversion.rules_for(rules, piece))
        return kernel.placements(position.board, piece, position.combo > 0)

    def _way_to(
        self, position: Position, rules: Rules, placement: Placement, fallen: int = 0
    ) -> tuple[str, ...] | None:
        try:
            keys = keys_to(
                position.board,
                placement,
                triangle_conversion.rules_for(rules, placement.piece),
                hold=self._to_park or placement.piece != position.queue[0],
                cleared=position.combo > 0,
                fallen=fallen,
            )
        except PlacementError:
            return None
        return keys

    def _moved(self, placement: Placement, keys: tuple[str, ...], data: object) -> list[Action]:
        position = self.position
        assert position is not None
        after = after_placement(position, placement, self.rules)
        self.position = after
        self._to_park = False
        self._pressed_hold |= keys[0] == "hold"
        if data is UNSET:
            data = Expectation(triangle_conversion.cells_of(after.board))
        actions: list[Action] = [Send(triangle.Move(keys=keys, data=data))]
        if self._parked or not after.queue:
            return [*actions, *self._begun()]
        self._seen -= len(position.queue) - len(after.queue)
        return [*actions, Advance(placement), *self._extended()]

    # --- helpers: the queue ---------------------------------------------------------------------

    def _with_bag(self, position: Position) -> Position:
        assert self.rules is not None
        bag = self.rules.pieces.bag
        return dataclasses.replace(
            position,
            bag=triangle_conversion.open_bag(position.queue, bag),
            filled_bag=triangle_conversion.filled_bag(bag),
        )

    def _without_current(self, state: triangle.State) -> triangle.State:
        """The state with a queue in which the current piece is not, as some hosts have it."""
        if state.queue[:1] != (state.current,):
            return state
        assert self.rules is not None
        queue = triangle_conversion.pieces_of(state.queue)
        as_told, without = (queue[0], *queue), queue
        if self.position is not None and not self._parked and len(self.position.queue) > 1:
            known = self.position.queue
            is_begun = [known[: len(each)] == each[: len(known)] for each in (as_told, without)]
        else:
            is_begun = [False, False]
        if is_begun == [False, False]:
            bag = self.rules.pieces.bag
            is_begun = [triangle_conversion.is_dealt(each, bag) for each in (as_told, without)]
        if is_begun == [False, True]:
            return msgspec.structs.replace(state, queue=state.queue[1:])
        return state


# --- helpers ------------------------------------------------------------------------------------

_MOST_SEEN: Final = 33
"""As rules have it."""
_FALL: Final = ("hardDrop",)
_OF_NO_MATTER: Final = 0.05
"""Factors on what is sent that differ by less are one: they grow with every frame."""


def _goes_on(known: Position, told: Position) -> bool:
    """Whether what is told is what was known, with more pieces in sight at most."""
    return (
        known.board == told.board
        and known.hold == told.hold
        and known.combo == told.combo
        and known.back_to_back == told.back_to_back
        and known.queue == told.queue[: len(known.queue)]
    )
