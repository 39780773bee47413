"""Plan the moves of one team's pieces, one at a time, while gravity moves them.

The planner does no I/O and has no clock: it gets the messages of the state channel with their
times and returns the next move. Paths start at the last known position and stay valid if gravity
moves the piece a little meanwhile. ``drop`` is final, so it is sent only when the piece is known to
be above its target. A piece that left its path, because a move was late or not performed, gets a
new path.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sevenbag._kernel import Board, Key, Placement
from sevenbag.contest.client.match_view import MatchView
from sevenbag.contest.game.state_messages import StatisticsMessage
from sevenbag.game.rules import Rules, compile_rules
from sevenbag.protocols.pason.messages import (
    GameBoardState,
    GameEnd,
    GamePieceState,
    MatchEnd,
    PieceState,
    State,
)
from sevenbag.protocols.pason.pason_conversion import (
    MOVE_KEYS,
    SHAPES,
    MoveName,
    PasonPlacement,
    board_to_kernel,
    parse_placement,
)

if TYPE_CHECKING:
    from sevenbag._kernel import Piece

PASON_RULES: Final = Rules.preset("pason-2012")
"""Rules of movement: shapes of the contest, no kicks, no hold."""


@dataclass(frozen=True, slots=True)
class MoveOrder:
    """Move of a piece, to be sent now."""

    move: MoveName
    number: int


@dataclass(slots=True)
class PieceCounts:
    """Counts of pieces by outcome.

    Attributes:
        dropped: pieces dropped at their target.
        replanned: paths that had to be planned again.
        misplaced: pieces dropped elsewhere because no path led to their target.
        lost: pieces locked by gravity before they were dropped.
    """

    pieces: int = 0
    dropped: int = 0
    replanned: int = 0
    misplaced: int = 0
    lost: int = 0


class PiecePlanner:
    """Planner of the pieces of one team.

    Attributes:
        team: name of the team in state messages.
        view: state of the match.
        number: number of the current piece; None without one.
        piece: last known position of the piece.
        board: last known locked cells.
        counts: counts of all pieces so far.
        step_seconds: observed seconds of a gravity step; infinite until observed.
        is_dropped: True if ``drop`` was sent for the current piece.
    """

    def __init__(self, team: str, moves_per_second: float = 0.0) -> None:
        """Create a planner; 0 moves per second stand for no limit."""
        self.team = team
        self.view = MatchView()
        self.number: int | None = None
        self.piece: Placement | None = None
        self.board = Board(10, _ROWS)
        self.counts = PieceCounts()
        self.step_seconds = math.inf
        self.is_dropped = False
        self._pause = 1.0 / moves_per_second if moves_per_second else 0.0
        self._cells: int = 0
        self._targets: tuple[Placement, ...] = ()
        self._target: Placement | None = None
        self._path: deque[MoveName] = deque()
        self._plans = 0
        self._awaits_answer = False
        self._has_moved = False
        self._sent_at = -math.inf
        self._answered_at = -math.inf
        self._seen_at = -math.inf
        self._next_move_at = -math.inf
        self._round_trip = 0.0
        self._fell_at = 0.0
        self._falls = 0

    def handle_message(self, message: State | StatisticsMessage, now: float) -> None:
        """Process the next message of the state channel.

        Raises:
            ProtocolError: invalid board; the message is ignored.
        """
        self.view.handle_message(message)
        match message:
            case GameBoardState():
                self._update_board(self.view.boards.get(self.team, 0))
            case GamePieceState():
                self._update_piece(message.states.get(self.team), now)
            case GameEnd() | MatchEnd():
                self._remove_piece(lost=False)
                self._update_board(0)
                self.step_seconds = math.inf
            case _:
                pass

    def _update_board(self, board: int) -> None:
        if board != self._cells:
            self._cells = board
            self.board = board_to_kernel(board)
            self._discard_path()

    def _update_piece(self, piece: PieceState | None, now: float) -> None:
        """Update the piece; an invalid position counts as no piece."""
        placement = _parse_piece(piece) if piece is not None else None
        if piece is None or placement is None:
            self._remove_piece()
            return
        if piece.number != self.number:
            self._remove_piece()
            self.number = piece.number
            self._fell_at = now
            self._falls = 0
            self.counts.pieces += 1
        elif not self._has_moved and self.piece is not None and placement.y < self.piece.y:
            self._measure_gravity(now)
        self.piece = placement
        self._seen_at = now

    @property
    def rows_to_fall(self) -> int:
        """Rows between the piece and the cells below it."""
        return 0 if self.piece is None else self.piece.y - _drop(self.board, self.piece).y

    def set_targets(self, placements: Sequence[Placement]) -> None:
        """Set the target placements of the piece, in order of preference; none to wait."""
        self._targets = tuple(placements)
        self._discard_path()
        self._plans = 0

    def choose_low_placement(self) -> None:
        """Set low placements as targets, for a piece without a suggestion."""
        if self.piece is not None:
            placements = list_placements(self.board, self.piece.piece)
            self.set_targets(sorted(placements, key=lambda p: max(y for _, y in p.cells)))

    def next_move(self, now: float) -> MoveOrder | None:
        """Return the move to be sent now, to be followed by `move_answered`; None to wait."""
        number = self.number
        if number is None or not self._can_move:
            return None
        self._next_move_at = self._sent_at + self._pause
        if now < self._next_move_at:
            return None
        move = self._choose_move(now)
        if move is None:
            return None
        self._awaits_answer = True
        self._has_moved = True
        self._sent_at = now
        self.is_dropped = move == "drop"
        return MoveOrder(move, number)

    def move_answered(self, now: float, *, confirmed: bool = True) -> None:
        """Handle the answer to the last move, which may not say whether the move was performed."""
        self._awaits_answer = False
        self._answered_at = now
        self._round_trip = now - self._sent_at
        if not confirmed:
            self.is_dropped = False
            self._discard_path()

    @property
    def next_move_at(self) -> float | None:
        """Time to call `next_move` again unless a message arrives before; None if not needed."""
        return self._next_move_at if self._can_move else None

    @property
    def _can_move(self) -> bool:
        return not (
            self.number is None or self._awaits_answer or self.is_dropped or not self._targets
        )

    def _choose_move(self, now: float) -> MoveName | None:
        piece = self.piece
        assert piece is not None
        while True:
            if self._target is None and not self._plan(piece):
                # No path leads anywhere.
                return self._count_drop(at_target=False)
            assert self._target is not None
            if len(self._path) > 1:
                return self._path.popleft()
            if _drop(self.board, piece).same_cells(self._target):
                return self._count_drop(at_target=self._target in self._targets)
            # The known position may be older than the last move.
            is_current = self._seen_at > self._answered_at
            self._next_move_at = self._answered_at + (_STATE_DELAY if is_current else _MAX_WAIT)
            if now < self._next_move_at:
                return None
            if not is_current:
                # The server sends no states: rely on the path.
                return self._count_drop(at_target=True)
            self.counts.replanned += 1
            self._plans += 1
            if self._plans > _MAX_PLANS:
                return self._count_drop(at_target=False)
            self._discard_path()

    def _count_drop(self, *, at_target: bool) -> MoveName:
        self.counts.dropped += at_target
        self.counts.misplaced += not at_target
        return "drop"

    def _discard_path(self) -> None:
        self._path.clear()
        self._target = None

    def _plan(self, piece: Placement) -> bool:
        """Find a path to the best reachable placement; return False without one."""
        for target in (*self._targets, *self._nearest_placements(self._targets[0])):
            path = self._find_path(piece, target)
            if path is not None:
                self._target = target
                self._path = deque(path)
                return True
        return False

    def _find_path(self, piece: Placement, target: Placement) -> list[MoveName] | None:
        lower = Placement(piece.piece, piece.rotation, piece.x, piece.y - 1)
        # Some servers rotate no piece whose cells would be above the board.
        at_top = piece.y >= _TOP and self.board.fits(lower)
        for fallen in dict.fromkeys((self._expected_fall(), 0)):
            path = self._kernel_path(piece, target, fallen)
            if path is None:
                continue
            if at_top and not _ROTATIONS.isdisjoint(path):
                below = self._kernel_path(lower, target, fallen)
                if below is not None:
                    down: list[MoveName] = ["down"]
                    path = down + below
            return path
        return None

    def _kernel_path(
        self, piece: Placement, target: Placement, fallen: int
    ) -> list[MoveName] | None:
        keys = _KERNEL.find_path(
            self.board, target, cleared=False, keys=_KEYS, gravity_rows=fallen, start=piece
        )
        return None if keys is None else [_MOVE_BY_KEY[key] for key in keys]

    def _expected_fall(self) -> int:
        """Return the number of rows that gravity may move the piece along a typical path."""
        seconds = _TYPICAL_PATH * max(self._pause, self._round_trip)
        return min(_MAX_FALL, 1 + math.ceil(seconds / self.step_seconds))

    def _nearest_placements(self, target: Placement) -> Iterable[Placement]:
        """Return all placements, those most similar to the target first."""
        best = target.canonical()
        return sorted(
            list_placements(self.board, target.piece),
            key=lambda p: (abs(p.x - best.x), p.rotation != best.rotation, abs(p.y - best.y)),
        )

    def _measure_gravity(self, now: float) -> None:
        """Measure the gravity step by a piece that fell without a move."""
        elapsed = now - self._fell_at
        # Pieces appear in the middle of a step, so only the second fall is exact.
        known = 0.0 if math.isinf(self.step_seconds) else self.step_seconds
        self.step_seconds = elapsed if self._falls else max(elapsed, known)
        self._fell_at = now
        self._falls += 1

    def _remove_piece(self, *, lost: bool = True) -> None:
        if self.number is not None and lost and not self.is_dropped:
            self.counts.lost += 1
        self.number = None
        self.piece = None
        self.is_dropped = False
        self._has_moved = False
        self.set_targets(())


def list_placements(board: Board, piece: Piece) -> list[Placement]:
    """Return all placements that a piece can reach from its spawn position."""
    return _KERNEL.placements(board, piece, cleared=False, spins=False)


_ROWS: Final = 24
_TOP: Final = 19
_STATE_DELAY: Final = 0.05
"""Seconds after which the state channel should have shown the effect of the last move."""
_MAX_WAIT: Final = 1.0
"""Seconds to wait for states after a move."""
_MAX_PLANS: Final = 8
_TYPICAL_PATH: Final = 8
_MAX_FALL: Final = 15
_KERNEL: Final = compile_rules(PASON_RULES)
_KEYS: Final = list(MOVE_KEYS.values())
_MOVE_BY_KEY: Final[dict[Key, MoveName]] = {key: move for move, key in MOVE_KEYS.items()}
_ROTATIONS: Final = frozenset(("lrotate", "rrotate"))


def _parse_piece(piece: PieceState) -> Placement | None:
    """Return the position of a piece; None for an invalid orientation or a distant position."""
    if not 0 <= piece.orient < len(SHAPES[piece.piece]):
        return None
    if not (-_ROWS < piece.row < _ROWS and -_ROWS < piece.col < _ROWS):
        return None
    return parse_placement(PasonPlacement(piece.piece, piece.orient, piece.row, piece.col))


def _drop(board: Board, piece: Placement) -> Placement:
    """Return the position of a piece after a drop."""
    while True:
        below = Placement(piece.piece, piece.rotation, piece.x, piece.y - 1)
        if not board.fits(below):
            return piece
        piece = below
