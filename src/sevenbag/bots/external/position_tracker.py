"""The position that a TBP bot has been sent, and the conversion of its moves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec import UnsetType

from sevenbag._kernel import Placement, Spin
from sevenbag.bots.external.tbp_profile import TbpProfile
from sevenbag.errors import PlacementError
from sevenbag.game import Rules
from sevenbag.game.position import Position, append_piece, apply_placement
from sevenbag.protocols.tbp import messages as tbp
from sevenbag.protocols.tbp import tbp_conversion
from sevenbag.protocols.tbp.tbp_conversion import follow_inputs

if TYPE_CHECKING:
    from sevenbag._kernel import Piece


class PositionTracker:
    """The position that follows from the messages sent, computed on demand."""

    def __init__(self, position: Position) -> None:
        """Begin at a position."""
        self._position = position
        self._updates: list[Placement | Piece] = []

    def play(self, placement: Placement) -> None:
        """Record a move."""
        self._updates.append(placement)

    def add_piece(self, piece: Piece) -> None:
        """Record a piece that joined the queue."""
        self._updates.append(piece)

    @property
    def position(self) -> Position:
        """Current position; `PlacementError` if a recorded move is illegal."""
        updates, self._updates = self._updates, []
        for each in updates:
            if isinstance(each, Placement):
                self._position = apply_placement(self._position, each)
            else:
                self._position = append_piece(self._position, each)
        return self._position

    def is_first_hold(self, placement: Placement) -> bool:
        """Return True if this move is the first hold, which takes two pieces from the queue."""
        position = self.position
        return position.hold is None and position.queue[:1] != (placement.piece,)


def filter_moves(
    moves: Sequence[tbp.TbpMove], profile: TbpProfile, rules: Rules, tracker: PositionTracker
) -> tuple[tuple[Placement, ...], int]:
    """Convert a bot's moves and drop those that its profile does not accept.

    Returns:
        The accepted moves, and the number of moves whose inputs lead to another placement.

    Raises:
        PlacementError: no move is acceptable; the message has the reason for the first one.
    """
    if profile.selection == "first":
        moves = moves[:1]
    elif profile.selection == "last":
        moves = moves[-1:]
    placements: list[Placement] = []
    first_error: PlacementError | None = None
    misdrops = 0
    for move in moves:
        try:
            placement = tbp_conversion.parse_move(move)
            if profile.inputs != "ignore":
                misdrop = _find_misdrop(move, placement, rules, tracker)
                misdrops += misdrop is not None
                if misdrop is not None and profile.inputs == "strict":
                    raise misdrop
            placements.append(_apply_spin_claim(placement, profile, rules, tracker))
        except PlacementError as error:
            first_error = first_error or error
    if first_error is not None and not placements:
        raise first_error
    return tuple(placements), misdrops


@dataclass(frozen=True, slots=True)
class PositionChange:
    """The change from one position to the next; garbage is in the order of TBP's message."""

    placement: Placement
    new_pieces: tuple[Piece, ...]
    garbage: tuple[tbp.Row, ...]


def find_position_change(
    before: Position, moves: Iterable[Placement], after: Position
) -> PositionChange | None:
    """Find the move and garbage between two positions; None if none of the moves explains it.

    A game that is sent as positions only can thus be sent as moves to a bot that accepts garbage.
    The bot can then continue its search.
    """
    for move in moves:
        for spin in (Spin.NONE, Spin.MINI, Spin.FULL):
            placement = Placement(move.piece, move.rotation, move.x, move.y, spin)
            try:
                between = apply_placement(before, placement)
            except PlacementError:
                break
            rows = _find_garbage_rows(between, after)
            if rows is not None and _is_same_except_board(between, after):
                new_pieces = after.queue[len(between.queue) :]
                return PositionChange(placement, new_pieces, rows)
    return None


def _find_misdrop(
    move: tbp.TbpMove, placement: Placement, rules: Rules, tracker: PositionTracker
) -> PlacementError | None:
    """Return an error if the move's inputs lead to another placement."""
    if isinstance(move.inputs, UnsetType):
        return None
    end = follow_inputs(move.inputs, placement.piece, tracker.position.board, rules)
    if end is None or end.same_cells(placement):
        # A piece that cannot appear ends the game in any case.
        return None
    where = f"{end.x}, {end.y}, {end.rotation.name.lower()}"
    return PlacementError(f"the inputs of a {placement.piece.name} lead to {where}, not to it")


def _apply_spin_claim(
    placement: Placement, profile: TbpProfile, rules: Rules, tracker: PositionTracker
) -> Placement:
    """Return the move with its spin claim as the profile treats it."""
    if profile.spin == "ignore":
        return Placement(placement.piece, placement.rotation, placement.x, placement.y, Spin.NONE)
    if profile.spin == "strict":
        _check_spin(placement, rules, tracker)
    return placement


def _check_spin(placement: Placement, rules: Rules, tracker: PositionTracker) -> None:
    board = tracker.position.board
    spawn = tbp_conversion.find_spawn(board, placement.piece, rules)
    if spawn is None:
        return
    pieces = rules.pieces
    places = board.placements(placement.piece, pieces.kicks, spins=pieces.spins, spawn=spawn)
    spins = {place.spin for place in places if place.same_cells(placement)}
    if spins and placement.spin not in spins:
        names = " or ".join(sorted(spin.name.lower() for spin in spins))
        raise PlacementError(
            f"claims spin {placement.spin.name.lower()} where a {placement.piece.name} has {names}"
        )


def _is_same_except_board(between: Position, after: Position) -> bool:
    """Return True if everything except the board matches."""
    return (
        after.queue[: len(between.queue)] == between.queue
        and after.hold == between.hold
        and after.combo == between.combo
        and (after.back_to_back > 0) == (between.back_to_back > 0)
    )


def _find_garbage_rows(between: Position, after: Position) -> tuple[tbp.Row, ...] | None:
    """Return the rows below the old board; None if the old board does not lie above them."""
    old, new = between.board, after.board
    if (old.width, old.rows) != (new.width, new.rows):
        return None
    full = (1 << new.width) - 1
    for count in range(1, new.height + 1):
        if new.row(count - 1) == full:
            return None
        if all(new.row(y) == old.row(y - count) for y in range(count, new.rows)):
            return tbp_conversion.format_board(new, after.colors)[count - 1 :: -1]
    return None
