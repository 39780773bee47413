"""The move generator against a slow, obvious one: random boards, pieces, rotation systems."""

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sevenbag import Board, Kicks, Piece, Rotation, Spin, SpinMode
from tests.kernel import reference

PIECES = "IOTLJSZ"


def random_board(seed: int, width: int, rows: int, height: int, density: float) -> Board:
    """A stack with overhangs and holes, no full rows."""
    rng = random.Random(seed)
    board = Board(width, rows)
    for y in range(height):
        for x in range(width):
            board[x, y] = rng.random() < density
        board[rng.randrange(width), y] = False
    return board


def field_of(board: Board) -> reference.Field:
    return reference.Field(
        board.width,
        board.rows,
        {(x, y) for x in range(board.width) for y in range(board.rows) if board[x, y]},
    )


def same(board: Board, piece: str, system: str, spawn: tuple[int, int], spins: bool) -> int:
    mode = SpinMode.T_SPINS if spins else SpinMode.NONE
    found = board.placements(piece, system, spins=mode, spawn=spawn)
    expected = reference.placements(field_of(board), piece, system, spawn, spins)
    as_cells = [(tuple(p.cells), p.spin.name) for p in found]
    assert len(set(as_cells)) == len(as_cells), "a placement was listed twice"
    assert set(as_cells) == expected
    return len(expected)


boards = st.tuples(
    st.integers(0, 10**9),
    st.integers(4, 16),
    st.sampled_from([20, 24, 40, 48]),
    st.floats(0.0, 1.0),
    st.floats(0.2, 0.95),
)


@settings(max_examples=400, deadline=None)
@given(
    boards,
    st.sampled_from(PIECES),
    st.sampled_from(sorted(reference.SYSTEMS)),
    st.booleans(),
    st.floats(0.0, 1.0),
)
@example((1, 10, 40, 0.3, 0.6), "T", "srs+", True, 0.45)
def test_any_board(
    board_spec: tuple[int, int, int, float, float],
    piece: str,
    system: str,
    spins: bool,
    spawn_height: float,
) -> None:
    seed, width, rows, height, density = board_spec
    spawn = (width // 2 - 1, 2 + int(spawn_height * (rows - 5)))
    board = random_board(seed, width, rows, int(height * (rows - 1)), density)
    same(board, piece, system, spawn, spins)


@settings(max_examples=400, deadline=None)
@given(
    st.integers(0, 10**9),
    st.integers(0, 21),
    st.floats(0.2, 0.95),
    st.sampled_from(PIECES),
    st.sampled_from(["srs", "srs+"]),
    st.booleans(),
    st.sampled_from([(4, 19), (4, 20), (4, 21)]),
)
def test_boards_of_width_ten(
    seed: int,
    height: int,
    density: float,
    piece: str,
    system: str,
    spins: bool,
    spawn: tuple[int, int],
) -> None:
    """The boards and systems that have code of their own."""
    same(random_board(seed, 10, 40, height, density), piece, system, spawn, spins)


def test_many_spins_are_seen() -> None:
    """The comparison is not empty: on cavernous boards there are minis and full spins."""
    kinds: dict[Spin, int] = dict.fromkeys(Spin, 0)
    for seed in range(150):
        board = random_board(seed, 10, 40, 8, 0.3)
        same(board, "T", "srs+", (4, 19), True)
        for placement in board.placements("T", "srs+", spins=SpinMode.T_SPINS):
            kinds[placement.spin] += 1
    assert kinds[Spin.MINI] > 20
    assert kinds[Spin.FULL] > 20


@pytest.mark.parametrize("system", sorted(reference.SYSTEMS))
@pytest.mark.parametrize("piece", PIECES)
def test_kick_tables_are_the_published_ones(system: str, piece: str) -> None:
    for start in Rotation:
        for end in Rotation:
            published = None if start == end else reference.tests(piece, system, start, end)
            ours = Kicks(system).tests(piece, start, end)
            if published is None:
                assert ours is None
                continue
            # Box to centre: the centre's own movement is added; rows of the box count down.
            a, b = reference.centre(piece, start), reference.centre(piece, end)
            assert ours == [(dx + b[0] - a[0], dy - b[1] + a[1]) for dx, dy in published]


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("SRS", "srs"),
        ("SRS+", "srs+"),
        ("srsPlus", "srs+"),
        ("srs_plus", "srs+"),
        ("SRSPLUS", "srs+"),
        ("srsTetrio", "srs-tetrio"),
        ("SRS-X", "srs-x"),
        ("srsx", "srs-x"),
        ("SRS180", "srs180"),
        ("None", "none"),
        ("NONE180", "none180"),
    ],
)
def test_names_of_the_field(spelling: str, name: str) -> None:
    assert Kicks(spelling).name == name
    assert Kicks(spelling) == Kicks(name)


def test_equal_cells_are_one_placement_in_canonical_form() -> None:
    board = Board()
    for piece, rotations in {"I": 2, "S": 2, "Z": 2, "O": 1, "T": 4, "L": 4, "J": 4}.items():
        found = {p.rotation for p in board.placements(piece)}
        assert found == set(list(Rotation)[:rotations])


def test_blocked_or_absent_spawn_has_no_placements() -> None:
    board = Board()
    board[4, 19] = True
    assert len(board.placements("T")) == 0
    assert len(Board(10, 12).placements("T")) == 0
    assert len(Board().placements(Piece.T, spawn=(-3, 19))) == 0
