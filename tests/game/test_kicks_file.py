"""Tests of rotation systems from files, and of their errors."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sevenbag.game.kicks_file
from sevenbag import Board, Kicks, Piece, Rotation
from sevenbag.errors import KicksError, RulesError
from sevenbag.game import Game, Rules
from sevenbag.game.kicks_file import kicks_from_dict, kicks_to_dict, parse_kicks
from tests.kernel import reference
from tests.kernel.scenes import kicks_of, systems
from tests.properties import examples

PAGE = Path(__file__).parents[2] / "docs" / "kicks.md"

SRS = """
name = "plain"
# Box coordinates: columns to the right, rows up.
[JLSTZ]
0-1 = [[-1, 0], [-1, 1], [0, -2], [-1, -2]]
1-0 = [[1, 0], [1, -1], [0, 2], [1, 2]]
1-2 = [[1, 0], [1, -1], [0, 2], [1, 2]]
2-1 = [[-1, 0], [-1, 1], [0, -2], [-1, -2]]
2-3 = [[1, 0], [1, 1], [0, -2], [1, -2]]
3-2 = [[-1, 0], [-1, -1], [0, 2], [-1, 2]]
3-0 = [[-1, 0], [-1, -1], [0, 2], [-1, 2]]
0-3 = [[1, 0], [1, 1], [0, -2], [1, -2]]

[I]
N-E = [[-2, 0], [1, 0], [-2, -1], [1, 2]]
e-n = [[2, 0], [-1, 0], [2, 1], [-1, -2]]
12 = [[-1, 0], [2, 0], [-1, 2], [2, -1]]
21 = [[1, 0], [-2, 0], [1, -2], [-2, 1]]
"SW" = [[2, 0], [-1, 0], [2, 1], [-1, -2]]
W-S = [[-2, 0], [1, 0], [-2, -1], [1, 2]]
3-N = [[1, 0], [-2, 0], [1, -2], [-2, 1]]
0-3 = [[-1, 0], [2, 0], [-1, 2], [2, -1]]
"""


def test_a_system_spelled_out() -> None:
    kicks = parse_kicks(SRS)
    assert kicks == Kicks("srs")
    assert (kicks.name, kicks.is_builtin) == ("plain", False)


def test_a_system_on_the_base_of_another(tmp_path: Path) -> None:
    path = tmp_path / "flips.toml"
    path.write_text('base = "srs"\n[jlt]\n0-2 = [[0, 1]]\nspawn = "S"\n', encoding="utf-8")
    kicks = Kicks.from_file(path)
    assert kicks.name == "flips"
    assert kicks.tests("L", Rotation.NORTH, Rotation.SOUTH) == [(0, 0), (0, 1)]
    assert kicks.tests("S", Rotation.NORTH, Rotation.SOUTH) is None
    assert [kicks.spawn_rotation(piece) for piece in "ITLS"] == [0, 2, 2, 0]
    assert kicks.without_half_turns().tests("L", Rotation.NORTH, Rotation.SOUTH) is None
    assert Kicks.from_text(path.read_text(encoding="utf-8"), name="flips") == kicks


def test_rotation_in_place_may_be_tried_last() -> None:
    kicks = parse_kicks('base = "srs"\n[O]\nin_place_first = false\n0-1 = [[1, -1], [0, 0]]\n')
    assert kicks.tests("O", Rotation.NORTH, Rotation.EAST) == [(1, 0), (0, 1)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = 'x'\n[I]\n0-1 = [[1, 0]", "the text: line 3: invalid TOML: "),
        ("", "the text: no section for I, T, L, J, S, Z; every piece but O needs one"),
        ("[JLSTZ]\n0-1 = []\n", "no section for I; every piece but O needs one, or there must be"),
        ("name = 3\n", "line 1: invalid name: expected string, got 3"),
        ("name = ''\n", "line 1: invalid name: expected 1 to 64 printable characters, got ''"),
        ("\nbase = 'srz'\n", "line 2: base: invalid rotation system: expected one of none, "),
        ("base = 1\n", "line 1: invalid base: expected string, got 1"),
        ("base = 'srs'\n\n[JQ]\n", "line 3: unknown key 'JQ'; keys are name, base, and sections"),
        ("base = 'srs'\nkind = 1\n", "line 2: unknown key 'kind'; keys are name, base"),
        ("base = 'srs'\nT = 1\n", "line 2: invalid T: expected table, got 1"),
        ("base = 'srs'\n[TL]\n[TT]\n", "line 3: duplicate piece T in TL, TT"),
        ("base = 'srs'\n[T]\n\n0-4 = []\n", "line 4: unknown key '0-4' in T; a turn is named by"),
        ("base = 'srs'\n[T]\n1-E = []\n", "line 3: unknown key '1-E' in T"),
        ("base = 'srs'\n[T]\n0-1 = []\nNE=[]\n", "line 4: duplicate turn in T: 0-1, NE"),
        (
            "base = 'srs'\n[T]\n0-1 = [ # [0, 9]\n  [0, 1],\n\n  [0, 5],\n]\n",
            r"line 6: invalid T\.0-1\[1\]\[1\]: expected integer from -4 to 4, got 5",
        ),
        ("base = 'srs'\n[T]\n0-1 = [[0]]\n", r"T\.0-1\[0\]: expected list of 2 .*, got \[0\]"),
        ("base = 'srs'\n[T]\n0-1 = [[0, true]]\n", r"T\.0-1\[0\]\[1\]: expected integer .* True"),
        (f"base = 'srs'\n[T]\n0-1 = {[[0, 0]] * 24}\n", r"T\.0-1: expected list of at most 23"),
        (
            "base = 'srs'\n[T]\nin_place_first = false\n0-1 = []\n",
            r"line 4: invalid T\.0-1: expected list of 1 to 24 items",
        ),
        (
            "base = 'srs'\n[T]\nin_place_first = 1\n",
            r"line 3: invalid T\.in_place_first: expected true or false, got 1",
        ),
        (
            "base = 'srs'\n[T]\nspawn = 'up'\n",
            r"line 3: invalid T\.spawn: expected 0, 1, 2, 3 or N, E, S, W, got 'up'",
        ),
        ("base = 'srs'\nT.0-1 = [[0, 7]]\n", "line 2: .* got 7"),
        ("base = 'srs'\nT = { 0-1 = [[0, 7]] }\n", "line 2: .* got 7"),
        (
            "name = 'SRS+'\nbase = 'srs'\n",
            r"line 1: invalid name: expected a name that no other system has, got 'SRS\+'",
        ),
    ],
)
def test_errors_name_the_line(text: str, message: str) -> None:
    with pytest.raises(KicksError, match=message):
        parse_kicks(text)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(KicksError, match=r"none\.toml: cannot be read: "):
        Kicks.from_file(tmp_path / "none.toml")
    bad = tmp_path / "bad.toml"
    bad.write_text("base = 'srs'\n[T]\n0-1 = [[9, 9]]\n", encoding="utf-8")
    with pytest.raises(KicksError, match=r"bad\.toml: line 3: invalid T\.0-1\[0\]"):
        Kicks.from_file(str(bad))


@examples(100)
@given(systems)
def test_plain_data_and_back(system: reference.System) -> None:
    made = kicks_of(system)
    kicks = made if isinstance(made, Kicks) else Kicks(made)
    again = kicks_from_dict(json.loads(json.dumps(kicks_to_dict(kicks))), "data")
    assert (again, again.name) == (kicks, kicks.name)


@examples(200)
@given(st.text(alphabet='IOTLJSZ0123-=[], "\n#.basenmrx+', max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        kicks = parse_kicks("base = 'srs'\n" + text)
    except KicksError:
        return
    assert Board().placements("T", kicks)


def test_rules_hold_a_system(tmp_path: Path) -> None:
    kicks = parse_kicks('base = "srs"\n[T]\n0-2 = [[0, 1]]\n', "flips")
    rules = Rules.preset("guideline").replace({"pieces": {"kicks": kicks}})
    assert rules.pieces.kicks == kicks
    again = Rules.from_dict(json.loads(json.dumps(rules.to_dict())))
    assert again == rules
    assert hash(again) == hash(rules)
    game = Game(rules, seed=3)
    for _ in range(20):
        game.play(game.placements()[0])
    # A rules file holds the table itself, or names the file, which lies beside it.
    preset = Path(sevenbag.game.kicks_file.__file__).parent / "presets" / "guideline.toml"
    text = preset.read_text(encoding="utf-8")
    (tmp_path / "flips.toml").write_text('base = "srs"\n[T]\n0-2 = [[0, 1]]\n', encoding="utf-8")
    path = tmp_path / "rules.toml"
    path.write_text(text.replace('kicks = "srs"', 'kicks = "flips.toml"'), encoding="utf-8")
    assert Rules.from_file(path) == rules
    path.write_text(
        text.replace('kicks = "srs"', 'kicks = { name = "flips", base = "srs", T.0-2 = [[0, 1]] }'),
        encoding="utf-8",
    )
    assert Rules.from_file(path) == rules
    (tmp_path / "flips.toml").write_text("[T]\n0-2 = [[0, 9]]\n", encoding="utf-8")
    path.write_text(text.replace('kicks = "srs"', 'kicks = "flips.toml"'), encoding="utf-8")
    with pytest.raises(RulesError, match=r"rules\.toml: line 28: pieces\.kicks: .*flips\.toml"):
        Rules.from_file(path)
    with pytest.raises(RulesError, match=r"pieces\.kicks: .*: unknown key 'Q'"):
        rules.replace({"pieces": {"kicks": {"base": "srs", "Q": {}}}})


def test_page() -> None:
    blocks = PAGE.read_text(encoding="utf-8").split("```toml\n")[1:]
    assert blocks
    for block in blocks:
        assert parse_kicks(block.split("```")[0]).turns()


def test_pieces_are_letters_of_either_case() -> None:
    kicks = parse_kicks('base = "none"\n[t]\n0-1 = [[1, 0]]\n')
    assert kicks.turns()[Piece.T, Rotation.NORTH, Rotation.EAST] == [(0, 0), (1, 0)]
