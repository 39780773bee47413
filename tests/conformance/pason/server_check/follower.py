"""Follows a match by its state messages, and notes what the contest's game does not allow.

Whatever the open points of the rules are: it takes no side where the contest's text takes none.
"""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Final

import msgspec

from sevenbag.protocols.pason.messages import (
    GameBoardState,
    GameEnd,
    GamePieceState,
    MatchEnd,
)
from sevenbag.protocols.pason.pason_conversion import (
    FULL_ROW,
    HEIGHT,
    SHAPES,
    SPAWN_COLUMN,
    SPAWN_ROW,
    WIDTH,
    cell_bit,
    decode_board,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sevenbag.protocols.json_lines import Severity
    from sevenbag.protocols.pason.messages import BoardState, PieceState, State

    Note = Callable[[str, Severity, str], None]


class Follower:
    """One match.

    Attributes:
        looked_at: clauses that there was an occasion to look at.
        pieces: by team, as last told; None where there is none.
        boards: by team, as last told.
        queue: as last told.
        games: the ends of games.
        ended: whether the match's end was told.
        states: messages in the present game.
        voids: how often each team was told to have no piece.
        rows: by team, all rows that its present piece was told to be in, in order.
        newest: the last message of boards and the last one of pieces.
        told: who else is told each message, and when.
    """

    def __init__(self, teams: tuple[str, str], note: Note) -> None:
        """Nothing is told yet.

        Args:
            teams: names of both.
            note: takes a clause, how bad it is, and what is wrong.
        """
        self.looked_at: set[str] = set()
        self.pieces: dict[str, PieceState | None] = {}
        self.boards: dict[str, int] = {}
        self.queue: tuple[str, ...] = ()
        self.games: list[GameEnd] = []
        self.ended = False
        self.states = 0
        self.voids: Counter[str] = Counter()
        self.rows: dict[str, list[int]] = {}
        self.newest: tuple[State, ...] = ()
        self.told: Callable[[State, float], None] | None = None
        self._teams = teams
        self._note = note
        self._sequence: int | None = None
        self._last: dict[str, PieceState] = {}
        self._locked: dict[str, bool] = {}
        self._numbers: set[int] = set()
        self._waiting: Counter[str] = Counter()
        self._overdue: Counter[str] = Counter()
        self._base_points: Counter[str] = Counter()

    def hear(self, message: State) -> None:
        """Take the next message."""
        if self.ended:
            self._found("silence", f"{type(message).__name__} after MatchEnd")
        if not isinstance(message, MatchEnd):
            self._follow_sequence(message.sequence)
        self.states += 1
        match message:
            case GameBoardState():
                self._boards(message)
                self.newest = (message,)
            case GamePieceState():
                self._pieces(message)
                self.newest = (*self.newest[:1], message)
            case GameEnd():
                self._end_game(message)
            case MatchEnd():
                self.looked_at.add("match-end")
                self.ended = True
        if self.told is not None:
            self.told(message, time.monotonic())

    def rows_to_floor(self, team: str) -> int:
        """How far a team's piece can fall; 0 where it has none."""
        piece = self.pieces.get(team)
        return 0 if piece is None else _drop_row(self.boards.get(team, 0), piece) - piece.row

    def is_sent(self, team: str) -> bool:
        """Whether rows are on their way to a team."""
        return self._waiting[team] > 0

    # --- helpers --------------------------------------------------------------------------------

    def _found(self, clause: str, what: str, severity: Severity = "error") -> None:
        self.looked_at.add(clause)
        self._note(clause, severity, what)

    def _follow_sequence(self, sequence: int | str) -> None:
        if not isinstance(sequence, int):
            # Its form is looked at elsewhere.
            return
        if self._sequence is not None and sequence <= self._sequence:
            self._found("sequence", f"sequence {sequence} after {self._sequence}")
        self._sequence = sequence

    # --- boards ---------------------------------------------------------------------------------

    def _boards(self, message: GameBoardState) -> None:
        first = not self.boards
        if first and self.games:
            self.looked_at.add("next-game")
        changed: list[tuple[str, int, BoardState]] = []
        for team, told in message.states.items():
            board = decode_board(told.board_state)
            if first and board:
                clause = "next-game" if self.games else "boards"
                self._found(clause, f"a game begins with cells on the board of {team}")
            if board != self.boards.get(team, 0):
                changed.append((team, board, told))
        # What one sends, the other may get in the same message.
        explained = [(team, *self._explain(team, board, told)) for team, board, told in changed]
        for team, _, cleared in explained:
            for other in self._teams:
                if other != team:
                    self._waiting[other] += _SENT[min(cleared, 4)]
            self._base_points[team] += _POINTS[min(cleared, 4)]
        for team, garbage, _ in explained:
            self._receive(team, garbage)
        for team, board, _ in changed:
            self.boards[team] = board
        for team in message.states:
            self.boards.setdefault(team, 0)

    def _explain(self, team: str, board: int, told: BoardState) -> tuple[int, int]:
        """Rows of garbage that came, and rows that were cleared."""
        before = self.boards.get(team, 0)
        piece = self._last.get(team)
        for cells in _where_locked(before, piece):
            after, cleared = _without_full_rows(before | cells)
            garbage = _risen(after, board)
            if garbage is None:
                continue
            self._locked[team] = True
            self.looked_at.add("boards")
            if cleared or told.cleared_rows:
                self.looked_at.add("clears")
                if tuple(sorted(told.cleared_rows)) != cleared:
                    rows = list(told.cleared_rows)
                    self._found("clears", f"cleared_rows is {rows}, must be {list(cleared)}")
            return garbage, len(cleared)
        garbage = _risen(before, board)
        if garbage is not None:
            return garbage, 0
        self._locked[team] = True
        self._say_why(team, before, board, piece)
        self._waiting[team] = 0
        return 0, 0

    def _say_why(self, team: str, before: int, board: int, piece: PieceState | None) -> None:
        """A board that cannot be: in which way."""
        locked = [before | cells for cells in _where_locked(before, piece)]
        if board in locked:
            self._found("clears", f"a full row stays on the board of {team}")
            return
        bases = [before, *(_without_full_rows(each)[0] for each in locked)]
        if any(_risen(base, board, whole=True) for base in bases):
            self._found("holes", f"{team} got a row without a hole")
            return
        shown = "none" if piece is None else _place(piece)
        what = f"the board of {team} is not what it was with its piece ({shown}) locked"
        self._found("boards", what)

    def _receive(self, team: str, garbage: int) -> None:
        due = self._waiting[team]
        if not garbage and not due:
            return
        if garbage > due:
            self._found("garbage", f"{team} got {garbage} rows where {due} were sent")
        if garbage:
            self.looked_at.update(("garbage", "holes"))
        self._waiting[team] = max(0, due - garbage)

    # --- pieces ---------------------------------------------------------------------------------

    def _pieces(self, message: GamePieceState) -> None:
        drawn: list[str] = []
        # Orientations that there are none of are found elsewhere.
        states = {team: _in_ring(piece) for team, piece in message.states.items()}
        for team, piece in states.items():
            if piece is None:
                self.voids[team] += self.pieces.get(team) is not None
                continue
            last = self._last.get(team)
            if last is None or last.number != piece.number:
                drawn.append(piece.piece)
                self._enter(team, piece)
                self.rows[team] = [piece.row]
            else:
                if piece.row != self.rows[team][-1]:
                    self.rows[team].append(piece.row)
                # Where a piece that enters finds no room, the game is over.
                self._lie(team, piece)
            self._last[team] = piece
        self._draw(drawn, message.queue)
        self.pieces = states
        self.queue = message.queue

    def _enter(self, team: str, piece: PieceState) -> None:
        self.looked_at.update(("numbers", "spawn"))
        if piece.number in self._numbers:
            self._found("numbers", f"{team} gets a piece with the number {piece.number} again")
        self._numbers.add(piece.number)
        if team in self._last:
            self.looked_at.add("order")
            if not self._locked.get(team):
                self._found(
                    "order", f"{team} has its next piece, and where the last one lies is not told"
                )
        overdue, has_fallen = self._overdue[team], len(self.rows.get(team, ())) > 1
        if has_fallen and 0 < overdue <= self._waiting[team]:
            self._found("garbage", f"{overdue} rows that were sent to {team} have not come")
            self._waiting[team] -= overdue
        # Whenever rows enter: when this piece has fallen and is locked, they have come.
        self._overdue[team] = self._waiting[team]
        self._locked[team] = False
        if piece.col != SPAWN_COLUMN or piece.row > SPAWN_ROW:
            where = f"row {piece.row}, column {piece.col}"
            self._found("spawn", f"a piece of {team} enters at {where}; must be row 0, column 5")
        if piece.orient:
            what = f"a piece enters in orientation {piece.orient}; clients take 0 for granted"
            self._found("spawn", what, "note")

    def _lie(self, team: str, piece: PieceState) -> None:
        self.looked_at.add("pieces")
        cells = _mask(piece)
        if cells is None:
            self._found("pieces", f"a piece of {team} sticks out of the board: {_place(piece)}")
        elif cells & self.boards.get(team, 0) and self._locked.get(team) is False:
            self._found("pieces", f"a piece of {team} lies in filled cells: {_place(piece)}")

    def _draw(self, drawn: Sequence[str], queue: tuple[str, ...]) -> None:
        before = self.queue
        if not before:
            return
        count = len(drawn)
        if count:
            self.looked_at.add("queue")
        if count <= len(before) and Counter(before[:count]) != Counter(drawn):
            got, first = " ".join(drawn), " ".join(before[:count])
            self._found("queue", f"{got} came where {first} was first in the queue")
        elif queue[: len(before) - count] != before[count:]:
            self._found(
                "queue", f"the queue {' '.join(before)} becomes {' '.join(queue)}, {count} drawn"
            )

    # --- ends -----------------------------------------------------------------------------------

    def _end_game(self, message: GameEnd) -> None:
        self.looked_at.update(("game-end", "scores"))
        self.games.append(message)
        for team, points in message.scores.items():
            base = self._base_points[team]
            if points < base or bool(points) != bool(base) or points % 100:
                self._found(
                    "scores", f"{team} has {points} points; its clears make {base}, times a factor"
                )
        self.pieces.clear()
        self.boards.clear()
        self.queue = ()
        self.states = 0
        self._last.clear()
        self._locked.clear()
        self._waiting.clear()
        self._overdue.clear()
        self._base_points.clear()


# --- helpers ------------------------------------------------------------------------------------

_SENT: Final = (0, 0, 1, 2, 4)
_POINTS: Final = (0, 100, 200, 500, 800)


def _in_ring(piece: PieceState | None) -> PieceState | None:
    if piece is None or 0 <= piece.orient < len(SHAPES[piece.piece]):
        return piece
    return msgspec.structs.replace(piece, orient=piece.orient % len(SHAPES[piece.piece]))


def _mask(piece: PieceState, row: int | None = None) -> int | None:
    """Its cells as bits of a board, those above the top left out; None if it sticks out."""
    mask = 0
    for down, right in SHAPES[piece.piece][piece.orient]:
        at, column = (piece.row if row is None else row) + down, piece.col + right
        if not (-HEIGHT < at < HEIGHT and 0 <= column < WIDTH):
            return None
        if at >= 0:
            mask |= cell_bit(at, column)
    return mask


def _where_locked(board: int, piece: PieceState | None) -> Iterator[int]:
    """Where it may have locked: on the floor below, or where it was last seen."""
    if piece is None or (here := _mask(piece)) is None:
        return
    at = _mask(piece, _drop_row(board, piece))
    if at is not None:
        yield at
    if at != here:
        yield here


def _drop_row(board: int, piece: PieceState) -> int:
    """The row that its origin falls to."""
    row = piece.row
    while (below := _mask(piece, row + 1)) is not None and not below & board:
        row += 1
    return row


def _without_full_rows(board: int) -> tuple[int, tuple[int, ...]]:
    rows = _rows(board)
    full = tuple(at for at, row in enumerate(rows) if row == FULL_ROW)
    kept = [0] * len(full) + [row for row in rows if row != FULL_ROW]
    return _from_rows(kept), full


def _risen(board: int, told: int, *, whole: bool = False) -> int | None:
    """By how many rows the board has risen to become what is told, the fewest; None if it has not.

    Args:
        board: as it was.
        told: as it is.
        whole: whether rows from below may be full.
    """
    rows, after = _rows(board), _rows(told)
    for count in range(HEIGHT):
        come = after[HEIGHT - count :]
        if after[: HEIGHT - count] == rows[count:] and (whole or FULL_ROW not in come):
            return count
    return None


def _rows(board: int) -> list[int]:
    return [board >> WIDTH * (HEIGHT - 1 - row) & FULL_ROW for row in range(HEIGHT)]


def _from_rows(rows: Sequence[int]) -> int:
    board = 0
    for row in rows:
        board = board << WIDTH | row
    return board


def _place(piece: PieceState) -> str:
    return f"{piece.piece} {piece.orient} at {piece.row},{piece.col}"
