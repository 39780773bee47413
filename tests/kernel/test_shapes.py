"""Tests of rotation systems with other shapes than those of SRS."""

import pickle

import pytest

from sevenbag import Board, Kicks, Piece, Placement, Rotation
from sevenbag.errors import KicksError
from sevenbag.game.kicks_file import kicks_from_dict, kicks_to_dict

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
