"""Systems whose pieces lie otherwise than in SRS's boxes: a contest's, old games', own ones."""

import pickle

import pytest

from sevenbag import Board, Kicks, Piece, Placement, Rotation, Rules
from sevenbag.errors import KicksError
from sevenbag.game import Game
from sevenbag.game.kicks_file import kicks_from_dict, kicks_to_dict
from tests.kernel import reference
from tests.kernel.scenes import PIECES

# Effect of the contest's `lrotate`: a step to the next orientation, a quarter turn to the left.
LEFT = -1
STATES = [
    (piece, state) for piece, states in reference.PASON.items() for state in range(len(states))
]


def pason_rotation(state: int) -> Rotation:
    return Rotation((2 + LEFT * state) % 4)


def test_nineteen_shapes() -> None:
    assert len(STATES) == 19
    seen = {
        (piece, tuple(map(tuple, shape)))
        for piece in PIECES
        for shape in Kicks("pason").shapes(piece)
    }
    assert len(seen) == 19


@pytest.mark.parametrize(("piece", "state"), STATES)
def test_every_shape_of_the_contest(piece: str, state: int) -> None:
    """From its origin, and turned to both sides from there, over a free board."""
    kicks = Kicks("pason")
    board = Board(10, 20)
    origin = (5, 10)

    def cells(number: int) -> list[tuple[int, int]]:
        states = reference.PASON[piece]
        drawn = states[number % len(states)]
        return sorted(((origin[0] + c, origin[1] - r) for r, c in drawn), key=lambda x: x[::-1])

    at = kicks.spawn_at(piece, *origin)
    assert at.cells == cells(0)
    for number in range(state):
        turned = board.rotate(at, Rotation((at.rotation + LEFT) % 4), kicks)
        assert turned is not None
        at = turned[0]
        assert at.cells == cells(number + 1)
    assert at.rotation == pason_rotation(state)
    for by, number in ((LEFT, state + 1), (-LEFT, state - 1)):
        turned = board.rotate(at, Rotation((at.rotation + by) % 4), kicks)
        assert turned is not None
        assert turned[0].cells == cells(number)
        assert turned[1] == 0
    assert board.rotate(at, Rotation((at.rotation + 2) % 4), kicks) is None


def test_the_contests_pieces_never_kick() -> None:
    turns = Kicks("pason").turns()
    assert {abs(start - end) % 2 for _, start, end in turns} == {1}
    assert all(tests == [(0, 0)] for tests in turns.values())
    # Upright at the left wall, lying down would take it outside.
    assert (
        Board(10, 20).rotate(Placement("I", Rotation.EAST, 1, 9), Rotation.SOUTH, "pason") is None
    )


@pytest.mark.parametrize("piece", PIECES)
def test_pieces_enter_within_the_top_rows(piece: str) -> None:
    at = Kicks("pason").spawn_at(piece, 5, 19)
    assert {y for _, y in at.cells} <= {18, 19}
    board = Board(10, 20)
    assert board.fits(at)
    # Every other state has a cell above the top, so it cannot rotate before the first step down.
    for to in ((at.rotation + 1) % 4, (at.rotation + 3) % 4):
        turned = board.rotate(at, Rotation(to), "pason")
        assert (turned is None) == (len(reference.PASON[piece]) > 1)


def test_game_with_contest_shapes() -> None:
    rules = Rules.preset("guideline").replace(
        {
            "board": {"rows": 20, "visible": 20},
            "spawn": {"x": 5, "y": 19, "drop": 0},
            "pieces": {"kicks": "pason", "spins": "none"},
        }
    )
    game = Game(rules, seed=3)
    for _ in range(10):
        placement = min(game.placements(), key=lambda p: sum(y for _, y in p.cells))
        path = game.board.find_path(placement, "pason", spawn=(5, 19))
        assert path is not None
        game.play(placement)
    assert game.stats.pieces == 10


@pytest.mark.parametrize("piece", "ISZ")
def test_the_true_nrs_has_two_states_of_these(piece: str) -> None:
    shapes = Kicks("nrs-offsets").shapes(piece)
    assert shapes[0] == shapes[2] != shapes[1] == shapes[3]
    boxed = Kicks("nrs").shapes(piece)
    assert boxed[0] != boxed[2]
    assert boxed[1] != boxed[3]


OWN = """
base = "none"
[I]
shapes = [
  [[-1, 0], [0, 0], [1, 0], [2, 0]],
  [[0, -1], [0, 0], [0, 1], [0, 2]],
]
[O]
shapes = [[[0, 0], [1, 0], [0, 1], [1, 1]]]
0-1 = [[0, 1]]
"""


def test_custom_shapes() -> None:
    kicks = Kicks.from_text(OWN, name="mine")
    board = Board()
    flat = kicks.spawn_at("I", 4, 10)
    assert flat == Placement("I", Rotation.NORTH, 4, 10)
    seen = [flat]
    for _ in range(4):
        turned = board.rotate(seen[-1], Rotation((seen[-1].rotation + 1) % 4), kicks)
        assert turned is not None
        seen.append(turned[0])
    cells = [p.cells for p in seen]
    assert cells[0] == cells[2] == cells[4]
    assert cells[1] == cells[3] == [(4, 9), (4, 10), (4, 11), (4, 12)]
    assert kicks.shapes("T") == Kicks("none").shapes("T")
    assert kicks.has_custom_shapes("I")
    assert not kicks.has_custom_shapes("T")
    # Wherever the O is, it lies as it did.
    square = kicks.spawn_at("O", 4, 10)
    turned = board.rotate(square, Rotation.EAST, kicks)
    assert turned is not None
    assert turned[0].cells == square.cells
    assert len(board.placements("O", kicks)) == 9


@pytest.mark.parametrize("name", ["pason", "nrs-offsets", "ars-offsets", "asc-offsets", "srs"])
def test_shapes_survive_every_form(name: str) -> None:
    kicks = Kicks(name)
    again = Kicks.from_turns(
        "again",
        kicks.turns(),
        {p: kicks.spawn_rotation(p) for p in Piece},
        {p: kicks.shapes(p) for p in Piece if kicks.has_custom_shapes(p)},
    )
    assert again == kicks
    assert hash(again) == hash(kicks)
    assert pickle.loads(pickle.dumps(again)) == kicks
    assert kicks_from_dict(kicks_to_dict(again), "data") == kicks
    assert Kicks.from_text(f'base = "{name}"', name="other") == kicks
    assert kicks != Kicks("none")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("shapes = 1", r"line 3: invalid T\.shapes"),
        ("shapes = [[], [], []]", r"line 3: invalid T\.shapes"),
        (
            "shapes = [[[0, 0], [1, 0], [2, 0]]]",
            r"line 3: invalid T\.shapes\[0\]: expected list of 4 items",
        ),
        ("shapes = [[[0, 0], [1, 0], [2, 0], [9, 0]]]", "expected integer from -4 to 4, got 9"),
        (
            "shapes = [\n[[-1, 0], [0, 0], [1, 0], [0, 1]],\n[[0, 0], [1, 0], [0, 1], [1, 1]]\n]",
            "line 5: .*piece T, rotation 1: expected the cells of T pointing east",
        ),
    ],
)
def test_invalid_shapes_are_reported_by_line(text: str, says: str) -> None:
    with pytest.raises(KicksError, match=says):
        Kicks.from_text(f'base = "srs"\n[T]\n{text}\n')


def test_names_that_rules_would_refuse_are_refused_at_once() -> None:
    for name in ("", "x" * 65, "a\nb", "srs+"):
        with pytest.raises(KicksError, match="name"):
            Kicks.from_turns(name, {})
    long = Kicks.from_turns("x" * 64, Kicks("srs+").turns()).without_half_turns()
    assert kicks_from_dict(kicks_to_dict(long), "data") == long
