"""Tests of the move generator against a slow one: random boards, pieces and rotation systems."""

import pickle

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sevenbag import Board, Kicks, Piece, Placement, Rotation, Spin, SpinMode, SpinRules
from sevenbag._kernel import Game, parse_spin_mode, spin_mode_name
from sevenbag.errors import KicksError, RulesError
from sevenbag.game import Rules
from sevenbag.game.rules import compile_rules
from tests.kernel import reference
from tests.kernel.scenes import (
    NAMES,
    PIECES,
    WITHOUT_HALF_TURNS,
    Scene,
    boards,
    custom_system,
    field_of,
    goal_of,
    kicks_of,
    modes,
    pieces,
    random_board,
    systems,
)
from tests.properties import cases, examples


def any_boards(size: tuple[int, int]) -> st.SearchStrategy[Board]:
    width, rows = size
    return boards(width, rows, rows - 1, (0.2, 0.95))


@examples(400)
@given(
    st.tuples(st.integers(4, 16), st.sampled_from([20, 24, 40, 48])).flatmap(any_boards),
    pieces,
    systems,
    modes,
    st.floats(0.0, 1.0),
)
@example(random_board(1, 10, 40, 11, 0.6), "T", "srs+", "T-spins", 0.45)
def test_any_board(
    board: Board,
    piece: str,
    system: reference.System,
    mode: reference.SpinSetting,
    spawn_height: float,
) -> None:
    spawn = (board.width // 2 - 1, 2 + int(spawn_height * (board.rows - 5)))
    Scene(board, piece, system, mode, spawn).compare()


@examples(400)
@given(
    boards(10, 40, 21, (0.2, 0.95)),
    pieces,
    st.sampled_from(["srs", "srs+"]),
    modes,
    st.integers(19, 21),
)
def test_boards_of_width_ten(
    board: Board, piece: str, system: str, mode: reference.SpinSetting, row: int
) -> None:
    """Compare boards and systems with optimised code."""
    Scene(board, piece, system, mode, (4, row)).compare()


@pytest.mark.parametrize("mode", reference.MODES)
@pytest.mark.parametrize("system", ["srs+", "tetra-x"])
def test_many_spins_are_seen(system: str, mode: str) -> None:
    """Check that boards with many holes have spins of every kind."""
    kinds = dict.fromkeys(((p == "T", spin) for p in PIECES for spin in Spin), 0)
    compared = cases(15)
    for seed in range(60):
        board = random_board(seed, 10, 40, 8, 0.35)
        for piece in PIECES:
            if seed < compared:
                Scene(board, piece, system, mode, (4, 12)).compare()
            for placement in board.placements(piece, system, spins=mode):
                kinds[piece == "T", placement.spin] += 1
    seen = {kind for kind, count in kinds.items() if count > 5 and kind[1] != Spin.NONE}
    assert seen == KINDS[mode]


T_MINI, T_FULL = (True, Spin.MINI), (True, Spin.FULL)
OTHER_MINI, OTHER_FULL = (False, Spin.MINI), (False, Spin.FULL)
KINDS = {
    "none": set(),
    "T-spins": {T_MINI, T_FULL},
    "T-spins+": {T_MINI, T_FULL},
    "all": {T_MINI, T_FULL, OTHER_FULL},
    "all+": {T_MINI, T_FULL, OTHER_FULL},
    "all-mini": {T_MINI, T_FULL, OTHER_MINI},
    "all-mini+": {T_MINI, T_FULL, OTHER_MINI},
    "mini-only": {T_MINI, OTHER_MINI},
    "handheld": {T_MINI, T_FULL, OTHER_FULL},
    "stupid": {T_FULL, OTHER_FULL},
    "immobile": {T_FULL, OTHER_FULL},
}


def placed(scene: Scene) -> set[tuple[Placement, Spin]]:
    return {(Placement(p.piece, p.rotation, p.x, p.y), p.spin) for p in scene.placements()}


@pytest.mark.parametrize(
    ("system", "varied"),
    [
        # In SRS the fifth test alone decides for kicks upwards, and these need rare boards.
        ("tetra-x", reference.Spins("T-spins", kicks="fifth")),
        ("srs", reference.Spins("T-spins", kicks="none")),
        ("srs", reference.Spins("T-spins", shift="keeps")),
        ("srs+", reference.Spins("T-spins+", shift="rejudges")),
        ("srs-x", reference.Spins("handheld", shift="keeps")),
    ],
)
def test_each_spin_variant_has_an_effect(system: str, varied: reference.Spins) -> None:
    """Compare with the reference on boards where the variant differs."""
    plain = reference.Spins(varied.mode)
    different = 0
    for seed in range(400):
        board = random_board(seed, 10, 40, 8, 0.45)
        usual, other = (Scene(board, "T", system, spins) for spins in (plain, varied))
        if placed(usual) != placed(other):
            different += 1
            if different <= 5:
                other.compare()
    assert different >= 2


@pytest.mark.parametrize(("system", "mode"), [("srs+", "T-spins"), ("srs-x", "handheld")])
def test_corners_above_the_board(system: str, mode: str) -> None:
    spins = [reference.Spins(mode, top=top) for top in (False, True)]
    different = 0
    for seed in range(cases(400)):
        board = random_board(seed, 10, 24, 23, 0.45)
        for x in range(3, 7):
            board[x, 22] = False
        for piece in "TLS":
            usual, other = (Scene(board, piece, system, rules, (4, 22)) for rules in spins)
            if placed(usual) != placed(other):
                different += 1
                usual.compare()
                other.compare()
    assert different > cases(3)


def test_spin_rules_are_values() -> None:
    rules = SpinRules(
        "t-spins", full_kicks="none", on_shift="rejudges", hold_keeps_spin=True, top_filled=True
    )
    assert (rules.mode, rules.full_kicks, rules.on_shift) == (SpinMode.T_SPINS, "none", "rejudges")
    assert (rules.hold_keeps_spin, rules.top_filled) == (True, True)
    again = pickle.loads(pickle.dumps(rules))
    assert (again, hash(again)) == (rules, hash(rules))
    assert rules != SpinRules("t-spins") == SpinRules(SpinMode.T_SPINS)
    assert repr(rules) == (
        "SpinRules('T-spins', full_kicks='none', on_shift='rejudges', hold_keeps_spin=True, "
        "top_filled=True)"
    )
    with pytest.raises(
        RulesError, match="invalid full_kicks: expected one of downward, fifth, none, got 'all'"
    ):
        SpinRules("t-spins", full_kicks="all")
    with pytest.raises(
        RulesError, match="invalid on_shift: expected one of ends, keeps, rejudges, got 'x'"
    ):
        SpinRules("t-spins", on_shift="x")


def test_a_piece_that_appears_stuck() -> None:
    """Only there can a piece without kicks be stuck and still be rotated into a spin."""
    board = Board.from_rows(["####..####", "####..####", "##########"][::-1])
    board[4, 3] = board[5, 3] = True
    for mode in reference.MODES:
        assert Scene(board, "O", "srs+", mode, (4, 1)).compare() in (1, 2)
    found = board.placements("O", "srs+", spawn=(4, 1), spins="all-mini+")
    assert {p.spin for p in found} == {Spin.NONE, Spin.MINI}


@pytest.mark.parametrize("system", NAMES + WITHOUT_HALF_TURNS)
@pytest.mark.parametrize("piece", PIECES)
def test_kick_tables_are_the_published_ones(system: str, piece: str) -> None:
    for start in Rotation:
        for end in Rotation:
            published = None if start == end else reference.tests(piece, system, start, end)
            ours = Kicks(system).tests(piece, start, end)
            if published is None:
                assert ours is None
                continue
            # Origin to centre: the centre's own movement is added; rows of the box count down.
            a, b = (reference.centre_in(piece, system, r) for r in (start, end))
            assert ours == [(dx + b[0] - a[0], dy - b[1] + a[1]) for dx, dy in published]


@pytest.mark.parametrize(
    ("name", "spellings"),
    [
        ("srs", ["SRS", "srs without 180"]),
        ("srs+", ["SRS+", "srsPlus", "srs_plus", "SRSPLUS"]),
        ("srs+ without 180", ["srsPlus Without 180"]),
        ("srs-tetrio", ["srsTetrio"]),
        ("srs-x", ["SRS-X", "srsx"]),
        ("none180", ["NONE180"]),
        ("tetra-x", ["TETRA-X", "tetrax"]),
        ("jstris", ["Jstris"]),
    ],
)
def test_names_of_the_field(name: str, spellings: list[str]) -> None:
    for spelling in spellings:
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


def test_every_known_system_is_compared() -> None:
    assert set(Kicks.names()) == set(reference.SYSTEMS)


@pytest.mark.parametrize("name", reference.MODES)
def test_names_of_spin_modes(name: str) -> None:
    mode = parse_spin_mode(name.upper())
    assert spin_mode_name(mode) == name
    assert SpinMode[name.upper().replace("-", "_").replace("+", "_PLUS")] == mode
    with pytest.raises(
        RulesError, match="invalid spin mode: expected one of none, T-spins, T-spins"
    ):
        Board().placements("T", spins="twist")


def test_systems_are_values() -> None:
    plain = Kicks("srs+", half_turns=False)
    assert plain == Kicks("SRS+ without 180") == Kicks("srs+").without_half_turns()
    assert plain != Kicks("srs+")
    assert plain.name == "srs+ without 180"
    assert repr(plain) == "Kicks('srs+ without 180')"
    assert Kicks("srs", half_turns=False).name == "srs"
    assert Kicks("srs-tetrio", half_turns=False) == Kicks("srs")
    assert hash(Kicks("srs-tetrio", half_turns=False)) == hash(Kicks("srs"))
    own = kicks_of(custom_system(1))
    assert isinstance(own, Kicks)
    for kicks in (plain, own, own.without_half_turns(), Kicks("nrs")):
        again = pickle.loads(pickle.dumps(kicks))
        assert (again, again.name, hash(again)) == (kicks, kicks.name, hash(kicks))
        assert (
            Kicks.from_turns("x", kicks.turns(), {p: kicks.spawn_rotation(p) for p in Piece})
            == kicks
        )
    assert not own.is_builtin
    assert repr(own) == "<Kicks 'own', custom>"
    assert [p.name for p in Piece if Kicks("ARS").spawn_rotation(p) == Rotation.SOUTH] == [
        "T",
        "L",
        "J",
    ]


def test_custom_system_is_validated() -> None:
    turn = (Piece.T, Rotation.NORTH, Rotation.EAST)
    with pytest.raises(
        KicksError,
        match=r"piece T, turn 0 to 1: expected kicks within 4 columns and rows, got \(5, 0\)",
    ):
        Kicks.from_turns("x", {turn: [(5, 0)]})
    with pytest.raises(KicksError, match="expected 1 to 24 tests, got 25"):
        Kicks.from_turns("x", {turn: [(0, 0)] * 25})
    with pytest.raises(KicksError, match="expected two different rotations from 0 to 3"):
        Kicks.from_turns("x", {(Piece.T, Rotation.EAST, Rotation.EAST): [(0, 0)]})


ROWS = 24
SPAWN = (4, 10)


def game_rules(system: str, spins: reference.Spins, hold: bool) -> Rules:
    return Rules.preset("tetrio-league").replace(
        {
            "board": {"rows": ROWS, "visible": 20},
            "spawn": {"x": SPAWN[0], "y": SPAWN[1]},
            "pieces": {
                "kicks": system,
                "spins": spins.mode.lower(),
                "spin_kicks": spins.kicks,
                "spin_shift": spins.shift,
                "spin_hold": hold,
                "spin_top": spins.top,
            },
        }
    )


@pytest.mark.parametrize(
    ("system", "spins"),
    [
        # With kicks nearly every piece gets a spin sooner or later.
        ("none", reference.Spins("stupid")),
        ("srs+", reference.Spins("all-mini+", top=True)),
        ("srs", reference.Spins("T-spins", shift="keeps")),
        ("srs-x", reference.Spins("handheld", kicks="none")),
    ],
)
def test_the_next_piece_appears_with_the_spin_of_the_last(
    system: str, spins: reference.Spins
) -> None:
    different = 0
    rules = {hold: compile_rules(game_rules(system, spins, hold)) for hold in (False, True)}
    compared = cases(150)
    for seed in range(150):
        board = random_board(seed, 10, ROWS, 10, 0.5)
        field = field_of(board, system)
        seen = []
        for hold in (False, True):
            game = Game(rules[hold], seed, seed)
            game.start_from(board, 0, 0)
            if game.top_out is not None:
                break
            piece, offered = game.current.name, game.previews[0].name
            held = [p for p in game.placements(True) if p.piece != game.current]
            found = set(map(goal_of, held))
            seen.append(found)
            if seed >= compared:
                continue
            for placement in game.placements(True):
                assert game.find_move(placement, placement.piece != game.current) == placement
            carried: set[str] = set()
            if hold:
                states = reference.reachable(field, piece, SPAWN, spins)
                carried = {s.spin for s in states} - {"NONE"}
            assert found == reference.placements(field, offered, SPAWN, spins, carried)
        different += len(seen) == 2 and seen[0] != seen[1]
    assert different >= 1
