"""Brings a piece to where it is wanted, one move at a time, while gravity pulls at it.

Sans I/O and without a clock of its own: it is told what the state channel says and when, and says
which move comes next. Moves are planned from where the piece was last seen, so that they lead there
also when gravity has moved it a little. ``drop`` cannot be taken back: it is given only once the
piece is seen where falling ends in the right place. A piece that strayed, because a move was not
done or came too late, gets a new way from where it is.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sevenbag._kernel import Board, Key, Placement
from sevenbag.game.rules import Rules, kernel_rules
from sevenbag.protocols.pason.pason_conversion import (
    MOVE_KEYS,
    SHAPES,
    PasonPlacement,
    board_to_kernel,
    parse_placement,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sevenbag._kernel import Piece
    from sevenbag.protocols.pason.messages import PieceState
    from sevenbag.protocols.pason.pason_conversion import MoveName

PASON_RULES: Final = Rules.preset("pason-2012")
"""How pieces move: their own shapes, no kicks, no hold."""


@dataclass(frozen=True, slots=True)
class MoveOrder:
    """A move to be made now.

    Attributes:
        move: which.
        number: of the piece that it is meant for.
    """

    move: MoveName
    number: int


@dataclass(slots=True)
class PieceCounts:
    """What became of the pieces.

    Attributes:
        pieces: that came.
        dropped: that were dropped where they were wanted.
        strays: ways that had to be planned anew.
        elsewhere: pieces that went elsewhere, as nothing led to where they were wanted.
        lost: pieces that gravity locked before they were dropped.
    """

    pieces: int = 0
    dropped: int = 0
    replanned: int = 0
    misplaced: int = 0
    lost: int = 0


class PiecePlanner:
    """One team's piece.

    Attributes:
        number: of the piece; None while there is none.
        piece: where it was last seen.
        tally: what became of all so far.
        step: seconds of a time step, as far as they could be seen; infinite until then.
    """

    def __init__(self, moves_per_second: float = 0.0) -> None:
        """Nothing is seen yet.

        Args:
            moves_per_second: how often to move, at most; 0 for no limit.
        """
        self.number: int | None = None
        self.piece: Placement | None = None
        self.counts = PieceCounts()
        self.step_seconds = math.inf
        self._pause = 1.0 / moves_per_second if moves_per_second else 0.0
        self._cells = 0
        self._board = Board(10, _ROWS)
        self._wanted: tuple[Placement, ...] = ()
        self._target: Placement | None = None
        self._route: deque[MoveName] = deque()
        self._plans = 0
        self._under_way = False
        self._moved = False
        self._dropped = False
        self._ordered_at = -math.inf
        self._answered_at = -math.inf
        self._seen_at = -math.inf
        self._again_at = -math.inf
        self._round_trip = 0.0
        self._fell_at = 0.0
        self._falls = 0

    # --- what is seen ---------------------------------------------------------------------------

    def update_board(self, board: int) -> None:
        """The team's board, as the wire tells it; on another one, ways are planned anew."""
        if board != self._cells:
            self._cells = board
            self._board = board_to_kernel(board)
            self._replan()

    def update_piece(self, piece: PieceState | None, now: float) -> bool:
        """The team's piece; whether it is another one than before.

        A piece that is in no place that there is counts as none.
        """
        placement = _placement_of(piece) if piece is not None else None
        if piece is None or placement is None:
            self._leave()
            return False
        if piece.number != self.number:
            self._leave()
            self.number = piece.number
            self.piece = placement
            self._seen_at = now
            self._fell_at = now
            self._falls = 0
            self.counts.pieces += 1
            return True
        if not self._moved and self.piece is not None and placement.y < self.piece.y:
            self._time_gravity(now)
        self.piece = placement
        self._seen_at = now
        return False

    def end_game(self) -> None:
        """The game is over; what comes belongs to another one."""
        self._leave(lost=False)
        self.update_board(0)
        self.step_seconds = math.inf

    @property
    def board(self) -> Board:
        """Locked cells, as last seen."""
        return self._board

    @property
    def rows_to_fall(self) -> int:
        """Rows between the piece and what lies below it."""
        return 0 if self.piece is None else self.piece.y - _landing(self._board, self.piece).y

    # --- what is wanted -------------------------------------------------------------------------

    def set_targets(self, placements: Sequence[Placement]) -> None:
        """Where the piece is to lock, in order of preference."""
        self._wanted = tuple(placements)
        self._replan()
        self._plans = 0

    def choose_low_placement(self) -> None:
        """Nobody knows where it should go: somewhere low."""
        if self.piece is not None:
            places = list_placements(self._board, self.piece.piece)
            self.set_targets(sorted(places, key=lambda place: max(y for _, y in place.cells)))

    def clear_targets(self) -> None:
        """Nothing is wanted any more."""
        self.set_targets(())

    @property
    def is_dropped(self) -> bool:
        """Whether ``drop`` was ordered for the present piece."""
        return self._dropped

    def next_move(self, now: float) -> MoveOrder | None:
        """The move to be made now; None if there is none yet."""
        number = self.number
        if number is None or self._under_way or self._dropped or not self._wanted:
            return None
        self._again_at = self._ordered_at + self._pause
        if now < self._again_at:
            return None
        move = self._next_move(now)
        if move is None:
            return None
        self._under_way = True
        self._moved = True
        self._ordered_at = now
        self._dropped = move == "drop"
        return MoveOrder(move, number)

    def move_answered(self, now: float) -> None:
        """The last order was carried out, or refused."""
        self._under_way = False
        self._answered_at = now
        self._round_trip = now - self._ordered_at

    def move_unanswered(self, now: float) -> None:
        """Nobody knows whether the last order was carried out: from here on, only what is seen."""
        self.move_answered(now)
        self._dropped = False
        self._replan()

    @property
    def next_move_at(self) -> float | None:
        """When to ask for the next order again, if nothing else happens."""
        if self.number is None or self._under_way or self._dropped or not self._wanted:
            return None
        return self._again_at

    # --- helpers --------------------------------------------------------------------------------

    def _next_move(self, now: float) -> MoveName | None:
        here = self.piece
        assert here is not None
        while True:
            if self._target is None and not self._plan(here):
                # Nothing leads anywhere.
                return self._drop(as_wanted=False)
            assert self._target is not None
            if len(self._route) > 1:
                return self._route.popleft()
            if _landing(self._board, here).same_cells(self._target):
                return self._drop(as_wanted=self._target in self._wanted)
            # What is seen may be older than the last move.
            is_newer = self._seen_at > self._answered_at
            self._again_at = self._answered_at + (_SETTLED if is_newer else _BLIND)
            if now < self._again_at:
                return None
            if not is_newer:
                # The server does not tell: trust the way.
                return self._drop(as_wanted=True)
            self.counts.replanned += 1
            self._plans += 1
            if self._plans > _MOST_PLANS:
                return self._drop(as_wanted=False)
            self._replan()

    def _drop(self, *, as_wanted: bool) -> MoveName:
        self.counts.dropped += as_wanted
        self.counts.misplaced += not as_wanted
        return "drop"

    def _replan(self) -> None:
        self._route.clear()
        self._target = None

    def _plan(self, here: Placement) -> bool:
        """Find a way to the best place that one leads to; whether there is any."""
        for target in (*self._wanted, *self._nearest(self._wanted[0])):
            route = self._way(here, target)
            if route is not None:
                self._target = target
                self._route = deque(route)
                return True
        return False

    def _way(self, here: Placement, target: Placement) -> list[MoveName] | None:
        lower = Placement(here.piece, here.rotation, here.x, here.y - 1)
        # Some servers turn no piece whose cells would come to be above the board.
        at_top = here.y >= _TOP and self._board.fits(lower)
        for fallen in dict.fromkeys((self._fallen(), 0)):
            keys = _KERNEL.path(
                self._board, target, cleared=False, keys=_KEYS, fallen=fallen, start=here
            )
            if keys is None:
                continue
            route: list[MoveName] = [_MOVE_OF[key] for key in keys]
            if at_top and not _TURNS.isdisjoint(route):
                below = _KERNEL.path(
                    self._board, target, cleared=False, keys=_KEYS, fallen=fallen, start=lower
                )
                if below is not None:
                    route = [_MOVE_OF[Key.SOFT_DROP], *(_MOVE_OF[key] for key in below)]
            return route
        return None

    def _fallen(self) -> int:
        """How many rows gravity may take from the piece on a usual way."""
        seconds = _USUAL_WAY * max(self._pause, self._round_trip)
        return min(_MOST_FALLEN, 1 + math.ceil(seconds / self.step_seconds))

    def _nearest(self, wanted: Placement) -> Iterable[Placement]:
        """Every other place, those first that are most like the wanted one."""
        places = list_placements(self._board, wanted.piece)
        best = wanted.canonical()
        return sorted(
            places,
            key=lambda p: (abs(p.x - best.x), p.rotation != best.rotation, abs(p.y - best.y)),
        )

    def _time_gravity(self, now: float) -> None:
        """A piece that nobody has moved and that falls shows how long a step is."""
        took = now - self._fell_at
        # It appears in the midst of a step: only from its first fall on the clock can be read.
        known = 0.0 if math.isinf(self.step_seconds) else self.step_seconds
        self.step_seconds = took if self._falls else max(took, known)
        self._fell_at = now
        self._falls += 1

    def _leave(self, *, lost: bool = True) -> None:
        if self.number is not None and lost and not self._dropped:
            self.counts.lost += 1
        self.number = None
        self.piece = None
        self._dropped = False
        self._moved = False
        self.clear_targets()


def list_placements(board: Board, piece: Piece) -> list[Placement]:
    """Every place where a piece can lock, from where it enters; none if it cannot enter."""
    return _KERNEL.placements(board, piece, cleared=False, spins=False)


# --- helpers ------------------------------------------------------------------------------------

_ROWS: Final = 24

_TOP: Final = 19

_SETTLED: Final = 0.05
"""Seconds after which the state channel should have told what the last move did."""

_BLIND: Final = 1.0
"""Seconds after which a server that tells nothing is not waited for."""

_MOST_PLANS: Final = 8

_USUAL_WAY: Final = 8

_MOST_FALLEN: Final = 15

_KERNEL: Final = kernel_rules(PASON_RULES)

_KEYS: Final = list(MOVE_KEYS.values())

_MOVE_OF: Final[dict[Key, MoveName]] = {key: move for move, key in MOVE_KEYS.items()}

_TURNS: Final = frozenset(("lrotate", "rrotate"))


def _placement_of(piece: PieceState) -> Placement | None:
    """Where it is; None for what is in no orientation of its own, or far away."""
    if not 0 <= piece.orient < len(SHAPES[piece.piece]):
        return None
    if not (-_ROWS < piece.row < _ROWS and -_ROWS < piece.col < _ROWS):
        return None
    return parse_placement(PasonPlacement(piece.piece, piece.orient, piece.row, piece.col))


def _landing(board: Board, here: Placement) -> Placement:
    """Where it lies after a fall."""
    while True:
        below = Placement(here.piece, here.rotation, here.x, here.y - 1)
        if not board.fits(below):
            return here
        here = below
