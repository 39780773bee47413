"""Pictures of spins, and the table of their results by mode."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from docs.figures.boards import board_of
from docs.figures.markdown import table
from sevenbag import Board, Placement, Rotation, Spin, SpinMode, SpinRules
from sevenbag._kernel import spin_mode_name
from sevenbag.drawing import (
    Picture,
    add_caption,
    add_heading,
    arrange_column,
    arrange_row,
    draw_board,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Cell = tuple[int, int]


def corners() -> Picture:
    """T-spins by their corners: full, mini, none, and a full one by its kick."""
    slot = board_of("##.....", "#...###", "##.####")
    fin = board_of(".##....", "#......", "#...###", "#..####", "#.#####")
    turned = fin.rotate(Placement("T", Rotation.SOUTH, 2, 3), Rotation.EAST, spins="T-spins")
    assert turned is not None
    by_kick, used = turned
    assert (by_kick.spin, used) == (Spin.FULL, 4)
    shown = [
        (slot, Placement("T", Rotation.SOUTH, 2, 1), "both in front"),
        (slot, Placement("T", Rotation.EAST, 2, 1), "one in front"),
        (board_of("#...###", "##.####"), Placement("T", Rotation.NORTH, 2, 1), "only two"),
        (fin, by_kick, "one, but kicked far"),
    ]
    pictures = [
        add_caption(
            draw_board(board, placements=[t], marks=_corner_marks(board, t), rows=5),
            f"{_verdict(board, t, SpinMode.T_SPINS)}:",
            words,
        )
        for board, t, words in shown
    ]
    return arrange_row(pictures)


def immobile() -> Picture:
    """Pieces that can move neither left nor right, down nor up, and what holds them."""
    shown = [
        (board_of("###..##", "##..###"), Placement("S", Rotation.NORTH, 3, 0)),
        (board_of("###.###", "#...###", "#.#####"), Placement("L", Rotation.NORTH, 2, 1)),
        (board_of("..#.#..", "#....##"), Placement("I", Rotation.NORTH, 2, 0)),
        (board_of("..#....", "##...##", "##.#.##"), Placement("T", Rotation.NORTH, 3, 1)),
    ]
    pictures = [
        add_caption(
            draw_board(board, placements=[piece], marks=_stops(board, piece), rows=4),
            f"{piece.piece.name} under all+:",
            _verdict(board, piece, SpinMode.ALL_PLUS),
        )
        for board, piece in shown
    ]
    return arrange_row(pictures)


def handheld() -> Picture:
    """The four corners of J, L, S and Z in mode handheld; they turn with the piece."""
    pictures: list[Picture] = []
    for letter, offsets in _HANDHELD.items():
        corners = [(3 + dx, 3 + dy) for dx, dy in offsets]
        piece = Placement(letter, Rotation.NORTH, 3, 3)
        for count, verdict in ((2, Spin.NONE), (3, Spin.FULL)):
            found = {_turned(piece, filled) for filled in combinations(corners, count)}
            assert found - {None} == {verdict}
        marks = dict.fromkeys(corners, "C")
        board = Board(7, 6)
        pictures.append(
            add_caption(draw_board(board, placements=[piece], marks=marks, rows=6), letter)
        )
    return arrange_row(pictures)


def shifts() -> Picture:
    """A T that has turned (outlined) and is then shifted along the ground, by three rules."""
    shown = [
        (board_of("#......", ".......", "#.#...#"), 1, Placement("T", Rotation.NORTH, 3, 1)),
        (board_of("....#..", ".......", "#.###.."), 1, Placement("T", Rotation.NORTH, 3, 1)),
    ]
    pictures: list[Picture] = []
    for board, start, piece in shown:
        turned = Placement("T", piece.rotation, start, piece.y)
        verdicts = (
            f"{shift}: {_verdict(board, piece, SpinRules('T-spins', on_shift=shift))}"
            for shift in ("ends", "keeps", "rejudges")
        )
        picture = draw_board(board, placements=[piece], ghosts=[turned], rows=4)
        pictures.append(add_caption(picture, *verdicts))
    return arrange_row(pictures)


class _Situation(NamedTuple):
    board: Board
    piece: Placement


def modes() -> Picture:
    """Six pieces that turned into their place, A to F."""
    pictures = [
        add_heading(draw_board(board, placements=[piece], rows=4), letter)
        for letter, (board, piece) in _situations().items()
    ]
    return arrange_column([arrange_row(pictures[:3]), arrange_row(pictures[3:])])


def spin_modes() -> str:
    """Return the result of each mode for the six pieces."""
    situations = _situations()
    rows = [
        [f"`{spin_mode_name(mode)}`", *(_verdict(*s, mode) for s in situations.values())]
        for mode in SpinMode
    ]
    return table(["mode", *situations], rows)


# --- helpers ------------------------------------------------------------------------------------


_HANDHELD = {
    "J": ((0, 1), (1, 1), (1, -1), (-1, -1)),
    "L": ((-1, 1), (0, 1), (1, -1), (-1, -1)),
    "S": ((-1, 1), (2, 1), (1, 0), (-2, 0)),
    "Z": ((-2, 1), (1, 1), (2, 0), (-1, 0)),
}
"""From the centre of the piece, pointing north."""


def _turned(piece: Placement, filled: Sequence[Cell]) -> Spin | None:
    """Return the result of handheld for a piece turned into its place, or None."""
    board = Board(7, 8)
    for cell in filled:
        board[cell] = True
    if not board.is_resting(piece):
        corners = {(piece.x + dx, piece.y + dy) for dx, dy in _HANDHELD[piece.piece.name]}
        below = ((x, y - 1) for x, y in piece.cells)
        board[next(c for c in below if c not in corners and c not in piece.cells)] = True
    for start in (Rotation.EAST, Rotation.SOUTH, Rotation.WEST):
        for x in range(7):
            for y in range(8):
                before = Placement(piece.piece, start, x, y)
                if not board.fits(before):
                    continue
                turned = board.rotate(before, piece.rotation, "srs-x", spins="handheld")
                if turned is not None and turned[0].same_cells(piece):
                    return turned[0].spin
    return None


def _situations() -> dict[str, _Situation]:
    slot = board_of("##.....", "#...###", "##.####")
    return {
        "A": _Situation(slot, Placement("T", Rotation.SOUTH, 2, 1)),
        "B": _Situation(slot, Placement("T", Rotation.EAST, 2, 1)),
        "C": _Situation(
            board_of("..#....", "##...##", "##.#.##"), Placement("T", Rotation.NORTH, 3, 1)
        ),
        "D": _Situation(board_of("###..##", "##..###"), Placement("S", Rotation.NORTH, 3, 0)),
        "E": _Situation(
            board_of("..#....", "###...#", "###.###"), Placement("J", Rotation.EAST, 3, 1)
        ),
        "F": _Situation(board_of("......."), Placement("L", Rotation.SOUTH, 3, 1)),
    }


def _verdict(board: Board, piece: Placement, mode: SpinMode | SpinRules) -> str:
    """Return the best spin with which SRS reaches the place."""
    ways = board.placements(piece.piece, "srs", spins=mode, spawn=(3, 20))
    spins = [way.spin for way in ways if way.same_cells(piece) and _points(way, piece)]
    assert spins
    best = max(spins)
    return best.name.lower()


def _points(way: Placement, piece: Placement) -> bool:
    """Return the rotation of the T, which determines its front corners."""
    return way.rotation == piece.rotation or way.piece.name != "T"


def _corner_marks(board: Board, t: Placement) -> dict[Cell, str]:
    """Mark filled corners with F and B, empty ones with a ring."""
    ahead = {Rotation.NORTH: (0, 1), Rotation.EAST: (1, 0), Rotation.SOUTH: (0, -1)}
    front = ahead.get(t.rotation, (-1, 0))
    marks: dict[Cell, str] = {}
    for dx in (-1, 1):
        for dy in (-1, 1):
            cell = (t.x + dx, t.y + dy)
            letter = "F" if front in ((dx, 0), (0, dy)) else "B"
            marks[cell] = letter if board[cell] else "○"
    return marks


def _stops(board: Board, piece: Placement) -> dict[Cell, str]:
    """Return a filled cell for each blocked direction except the floor."""
    marks: dict[Cell, str] = {}
    for arrow, dx, dy in (("←", -1, 0), ("→", 1, 0), ("↑", 0, 1), ("↓", 0, -1)):
        for cell in _beside(piece.cells, dx, dy):
            if cell[1] >= 0 and board[cell] and cell not in marks:
                marks[cell] = arrow
                break
    return marks


def _beside(cells: Sequence[Cell], dx: int, dy: int) -> Iterable[Cell]:
    return ((x + dx, y + dy) for x, y in cells)


PICTURES = (corners, immobile, modes, handheld, shifts)
TABLES = {"spin-modes": spin_modes}
