"""The pieces of the contest, compared with its table."""

from typing import cast

import pytest

from sevenbag import Board, Kicks, Piece, Placement
from sevenbag.contest.game.pason_game import PasonGame
from sevenbag.contest.settings import GameRules
from sevenbag.errors import PlacementError
from sevenbag.protocols.pason.pason_conversion import (
    PIECES,
    ROTATIONS,
    SHAPES,
    PasonPlacement,
    PieceName,
    board_to_kernel,
    format_placement,
    parse_placement,
)
from tests.protocols.pason.table import CELLS, STEP

ALL_SHAPES: list[tuple[PieceName, int]] = [
    (piece, orient) for piece in PIECES for orient in range(len(SHAPES[piece]))
]


def test_nineteen_shapes() -> None:
    assert set(SHAPES) == set(CELLS)
    assert len(ALL_SHAPES) == sum(len(shapes) for shapes in CELLS.values()) == 19


@pytest.mark.parametrize(("piece", "orient"), ALL_SHAPES)
def test_a_shape_is_that_of_the_table(piece: PieceName, orient: int) -> None:
    assert sorted(SHAPES[piece][orient]) == sorted(CELLS[piece][orient])


@pytest.mark.parametrize(
    ("piece", "orient"),
    # Pieces with two orientations repeat after two turns; O does not turn.
    [
        (piece, orient)
        for piece, orient in ALL_SHAPES
        if len(CELLS[piece]) == 4 or (len(CELLS[piece]) == 2 and orient == 0)
    ],
)
def test_a_left_turn_is_a_quarter_counter_clockwise_on_the_screen(
    piece: PieceName, orient: int
) -> None:
    states = CELLS[piece]
    # Around the origin, (row, column) becomes (-column, row).
    turned = sorted((-column, row) for row, column in states[orient])
    assert turned == sorted(SHAPES[piece][(orient + STEP["lrotate"]) % len(states)])


@pytest.mark.parametrize(("piece", "orient"), ALL_SHAPES)
@pytest.mark.parametrize("move", ["lrotate", "rrotate"])
def test_rotations_go_round_the_ring(piece: PieceName, orient: int, move: str) -> None:
    duel = PasonGame(GameRules(), 1)
    falling = duel.pieces[0]
    assert falling is not None
    falling.kind, falling.orient, falling.row = piece, orient, 9
    assert duel.move(0, "lrotate" if move == "lrotate" else "rrotate") == "done"
    assert falling.orient == (orient + STEP[move]) % len(CELLS[piece])
    assert (falling.row, falling.col) == (9, 5)


@pytest.mark.parametrize(("piece", "orient"), ALL_SHAPES)
def test_kernel_rotates_the_same(piece: PieceName, orient: int) -> None:
    board, kicks = Board(10, 24), Kicks("pason")
    for step in STEP.values():
        states = len(CELLS[piece])
        start = parse_placement(PasonPlacement(piece, orient, 9, 4))
        turned = board.rotate(start, ROTATIONS[(orient + step) % len(ROTATIONS)], kicks)
        if states == 1:
            continue
        assert turned is not None
        assert format_placement(turned[0]) == PasonPlacement(piece, (orient + step) % states, 9, 4)


@pytest.mark.parametrize(("piece", "orient"), ALL_SHAPES)
def test_places_become_placements_and_back(piece: PieceName, orient: int) -> None:
    place = PasonPlacement(piece, orient, 12, 4)
    assert sorted(place.cells) == sorted((12 + row, 4 + col) for row, col in CELLS[piece][orient])
    placement = parse_placement(place)
    assert sorted((19 - y, x) for x, y in placement.cells) == sorted(place.cells)
    assert format_placement(placement) == place
    assert format_placement(placement.canonical()) == place


@pytest.mark.parametrize("piece", PIECES)
def test_kernel_placements_convert(piece: PieceName) -> None:
    for placement in board_to_kernel(0).placements(piece, "pason", spawn=(5, 19)):
        place = format_placement(placement)
        assert sorted((19 - y, x) for x, y in placement.cells) == sorted(place.cells)


def test_foreign_shapes_do_not_convert() -> None:
    class Bent:
        piece = Piece.T
        cells = ((0, 0), (1, 0), (2, 0), (3, 0))

    with pytest.raises(PlacementError, match="no orientation"):
        format_placement(cast("Placement", Bent()))
