"""Tests of one player's game, also against a slow reference."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sevenbag._kernel import Board, Piece, Placement, Rotation, Spin
from sevenbag.errors import BoardError, PlacementError
from sevenbag.game import Game, Rules, TopOut
from tests.game.moves import lowest, start_with
from tests.game.reference import Reference
from tests.properties import examples

GUIDELINE = Rules.preset("guideline")
SEEDS = st.integers(0, 2**31)


def test_a_new_game() -> None:
    game = Game(seed=1)
    assert "".join(piece.name for piece in game.queue) == "OJILST"
    assert game.hold is None
    assert (game.combo, game.back_to_back, game.pending, game.frame) == (0, 0, (), 0)
    assert game.board.is_empty
    assert game.colors == ("." * 10,) * 40
    assert (game.over, game.top_out) == (False, None)
    assert game.spawn == (4, 19)
    assert game.stats.clears == {}


def test_lock_result_fields() -> None:
    board = Board.from_rows(["####..####", "####..####"])
    game = Game(seed=1, board=board, combo=2, back_to_back=3)
    lock = game.play(Placement(Piece.O, Rotation.NORTH, 4, 0))
    assert (lock.lines, lock.rows, lock.spin, lock.garbage_lines) == (2, (0, 1), Spin.NONE, 2)
    assert lock.perfect_clear
    assert not lock.is_difficult
    assert (lock.attacks, lock.attack, lock.cancelled, lock.sent) == ((10,), 10, 0, (10,))
    assert (lock.combo, lock.back_to_back) == (3, 0)
    assert lock.new_pieces == (Piece.Z,)
    assert (lock.from_hold, lock.top_out, lock.frame, lock.garbage) == (False, None, 30, ())
    stats = game.stats
    assert (stats.pieces, stats.lines, stats.perfect_clears, stats.sent) == (1, 2, 1, 10)
    assert (stats.clears, stats.max_combo, stats.max_back_to_back) == ({"double": 1}, 3, 0)


def test_hold_takes_the_next_piece_first_and_swaps_later() -> None:
    game = Game(seed=1)  # O J I L S T Z
    lock = game.play(Placement("J", Rotation.NORTH, 1, 0))
    assert lock.from_hold
    assert game.hold == Piece.O
    assert "".join(piece.name for piece in game.queue) == "ILSTZT"
    assert lock.new_pieces == (Piece.Z, Piece.T)
    lock = game.play(Placement("O", Rotation.NORTH, 8, 0))
    assert [game.hold] == [Piece.I]
    assert lock.new_pieces == (Piece.O,)
    assert game.stats.holds == 2


def test_without_hold() -> None:
    game = Game(GUIDELINE.replace({"pieces": {"hold": False}}), seed=1)
    assert {p.piece for p in game.placements()} == {Piece.O}
    with pytest.raises(PlacementError, match=r"J cannot be played: .* is O, and these rules"):
        game.play(Placement("J", Rotation.NORTH, 1, 0))


def test_piece_both_current_and_held_is_played_without_hold() -> None:
    game = Game(seed=1)
    while game.hold is None or game.hold != game.current:
        game.play(lowest(game, hold=game.hold is None))
    placement = lowest(game)
    assert len({p.piece for p in game.placements()}) == 1
    other = game.copy()
    assert not game.play(placement).from_hold
    assert other.play(placement, hold=True).from_hold
    assert game.hold == other.hold
    assert game.board == other.board


def test_the_kernel_judges_spins() -> None:
    # A T-spin double: the overhang on the left lets no T drop in.
    rows = ["####.#####", "###...####", "##...#####"]
    game = start_with(GUIDELINE, Piece.T, Board.from_rows(rows))
    place = Placement("T", Rotation.SOUTH, 4, 1)
    assert {p.spin for p in game.placements(hold=False) if p.same_cells(place)} == {Spin.FULL}
    for claimed in Spin:
        lock = game.copy().play(Placement("T", Rotation.SOUTH, 4, 1, claimed))
        assert lock.spin is Spin.FULL
        assert (lock.lines, lock.attacks, lock.is_difficult) == (2, (4,), True)


def test_a_claimed_spin_chooses_between_two_ways() -> None:
    rows = ["##.#######", "#...######", "#...######"]
    game = start_with(GUIDELINE, Piece.T, Board.from_rows(rows))
    place = Placement("T", Rotation.SOUTH, 2, 1)
    ways = {p.spin for p in game.placements(hold=False) if p.same_cells(place)}
    assert ways
    for claimed in Spin:
        judged = game.find_move(Placement("T", Rotation.SOUTH, 2, 1, claimed)).spin
        better = [spin for spin in ways if spin <= claimed]
        assert judged == (max(better) if better else min(ways))


def test_illegal_placements_leave_the_game_unchanged() -> None:
    board = Board.from_rows(["....######", "....#.....", "....######"])
    game = Game(seed=1, board=board)
    before = game.position()
    for placement, message in [
        (Placement("S", Rotation.NORTH, 4, 5), "S cannot be played: the current piece is O, and h"),
        (Placement("O", Rotation.NORTH, 3, 0), "does not fit"),
        (Placement("O", Rotation.NORTH, 9, 3), "does not fit"),
        (Placement("O", Rotation.NORTH, 0, 5), "is in mid-air"),
        (Placement("J", Rotation.NORTH, 60, 0), "does not fit"),
    ]:
        assert not game.is_legal(placement)
        with pytest.raises(PlacementError, match=message):
            game.play(placement)
    with pytest.raises(
        PlacementError, match="O cannot be played: the current piece is O, and hold"
    ):
        game.play(Placement("O", Rotation.NORTH, 0, 0), hold=True)
    after = game.position()
    assert before == after


def test_a_place_that_cannot_be_reached() -> None:
    rows = ["##..#####.", "##..#####.", "#########."]
    game = Game(seed=1, board=Board.from_rows(rows))
    with pytest.raises(PlacementError, match="cannot be reached"):
        game.play(Placement("O", Rotation.NORTH, 2, 0))


def test_a_board_of_another_size() -> None:
    with pytest.raises(
        BoardError, match="invalid board: expected 10 x 40 cells, as in the rules, got 10 x 20"
    ):
        Game(board=Board(10, 20))


def test_block_out() -> None:
    game = Game(seed=1, board=Board.from_rows(["...###...."] * 19))
    spot = Placement("O", Rotation.NORTH, 4, 19)
    lock = game.play(spot)
    assert lock.top_out == TopOut.BLOCK_OUT
    assert game.top_out is TopOut.BLOCK_OUT
    assert game.placements() == []
    assert game.spawn is None
    with pytest.raises(PlacementError, match="the game is over"):
        game.play(spot)


def test_blocked_new_piece_does_not_fall() -> None:
    board = Board.from_rows(["...#......"] * 20)
    game = start_with(GUIDELINE, Piece.J, board)
    assert game.spawn == (4, 20)
    assert not game.over


Changes = dict[str, dict[str, object]]

# The reference covers rules without growth over time and with 7-bags only.
_STEADY: Changes = {
    "pieces": {"bag": "7-bag"},
    "attack": {"multiplier_growth": 0.0},
    "garbage": {"cap_growth": 0.0},
}
_CHANGED: dict[str, tuple[str, Changes]] = {
    "generous": ("guideline", {"attack": {"none": [0, 4, 8, 12, 16]}}),
    "bombs for everything": (
        "tetrio-bombs",
        {"garbage": {"travel": 0, "hole_size": 2}, "attack": {"none": [0, 2, 3, 4, 5]}},
    ),
    "nothing cancels": ("guideline", {"garbage": {"blocking": "none", "travel": 10}}),
    "at random": (
        "tetrio-league",
        {"attack": {"multiplier": 1.3, "rounding": "random"}, "garbage": {"inner": 0.3}},
    ),
    "low": (
        "jstris",
        {"board": {"visible": 6, "solid": 6, "kept": 7, "rows": 11}, "spawn": {"y": 5}},
    ),
    "low and partial": (
        "guideline",
        {
            "board": {"visible": 6, "kept": 8, "rows": 12},
            "spawn": {"y": 6},
            "top_out": {"lock_out": "partial"},
        },
    ),
    "low and cut off": ("tetrio-league", {"board": {"visible": 4, "rows": 10}, "spawn": {"y": 5}}),
}
_VARIANTS: dict[str, Rules] = {
    name: Rules.preset(name).replace(_STEADY)
    for name in Rules.preset_names()
    # That board is too narrow to be played on for long.
    if name != "4wide"
} | {
    name: Rules.preset(base).replace(_STEADY).replace(changes)
    for name, (base, changes) in _CHANGED.items()
}


@pytest.mark.parametrize("name", _VARIANTS)
@examples(25)
@given(seed=SEEDS, choices=st.lists(st.integers(0, 2**16), min_size=20, max_size=60))
def test_against_the_reference(name: str, seed: int, choices: list[int]) -> None:
    rules = _VARIANTS[name]
    game, reference = Game(rules, seed=seed), Reference(rules, seed)
    entered = at_once = 0
    for turn, choice in enumerate(choices, start=1):
        if choice % 3 == 0:
            lines = choice // 3 % 5
            frame = turn * 30 - choice % 31
            game.receive_garbage(lines, frame=frame)
            reference.receive(lines, frame)
            if rules.garbage.blocking == "instant":
                at_once += reference.enter_at_once(frame)
                assert list(game.colors) == reference.rows
                assert game.over == reference.over
                if game.over:
                    break
        assert game.spawn == reference.spawn(reference.current)
        # Mostly sensible moves, so that lines are cleared.
        moves = sorted(game.placements(hold=choice % 4 == 0), key=lambda p: _cost(game.board, p))
        placement = moves[choice % min(3, len(moves))]
        lock = game.play(placement, frame=turn * 30)
        assert lock.spin == placement.spin
        expected = reference.play(placement, turn * 30)
        entered += len(lock.garbage)
        assert lock.lines == expected.lines
        assert lock.perfect_clear == expected.perfect
        assert list(lock.attacks) == expected.attacks
        assert list(lock.sent) == expected.sent
        assert list(lock.garbage_holes) == expected.entered
        assert [columns[0] for columns in lock.garbage_holes] == list(lock.garbage)
        assert lock.top_out == expected.lost
        assert list(game.colors) == reference.rows
        assert (game.combo, game.back_to_back) == (reference.combo, reference.chain)
        assert game.hold == (None if reference.hold is None else Piece[reference.hold])
        assert game.current.name == reference.current
        assert game.pending == reference.waiting.pending
        _check_books(game, entered + at_once)
        if game.over:
            break


def _cost(board: Board, placement: Placement) -> tuple[int, int, int]:
    cells = set(placement.cells)
    after = board.copy()
    lines = after.lock(placement) if board.fits(placement) else 0
    covered = sum(1 for x, y in cells if y and (x, y - 1) not in cells and not board[x, y - 1])
    return (covered * 3 - lines * 4 + max(y for _, y in cells), placement.x, placement.rotation)


def _check_books(game: Game, entered: int) -> None:
    """Assert that cells are conserved and that colours match cells."""
    stats, rules = game.stats, game.rules
    plain = rules.board.kept >= rules.board.rows and not rules.garbage.bombs
    if plain and rules.garbage.holes != "coins" and rules.top_out.garbage_out:
        width = rules.board.width
        if game.top_out is not TopOut.GARBAGE_OUT:
            assert game.board.cell_count == 4 * stats.pieces + 9 * entered - width * stats.lines
    assert stats.garbage_entered == entered
    for y, row in enumerate(game.colors):
        assert game.board.row(y) == sum(1 << x for x, cell in enumerate(row) if cell != ".")
    if rules.attack.spin_quads_send and not rules.garbage.opener_pieces:
        assert stats.attack == stats.cancelled + stats.sent
    if not rules.garbage.absolute_cap:
        assert sum(game.pending) == stats.received - stats.cancelled - entered
