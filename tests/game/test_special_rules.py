"""Tests of rules that few games have."""

import itertools
from collections import Counter

import pytest

from sevenbag._kernel import Board, GarbageQueue, Piece, Placement, Rotation
from sevenbag.errors import PlacementError, RulesError
from sevenbag.game import Game, Rules, TopOut, Versus
from sevenbag.game.rules import compile_rules
from tests.game.moves import lowest, start_with

GUIDELINE = Rules.preset("guideline")


def board_of(rules: Rules, rows: list[str]) -> Board:
    return Board.from_rows(rows, height=rules.board.rows)


BOMBS = Rules.preset("tetrio-bombs").replace(
    {
        "pieces": {"bag": "7-bag"},
        "attack": {"multiplier": 1.0, "multiplier_growth": 0.0},
        "garbage": {"travel": 0, "inner": 0.0, "cap": 20.0, "cap_limit": 20},
    }
)


def test_bomb_clears_all_rows_with_a_bomb_below_it() -> None:
    game = Game(BOMBS, seed=1)  # O J I L S T
    game.receive_garbage(9)
    game.play(Placement(Piece.O, Rotation.NORTH, 8, 0))
    hole = game.colors[0].index("B")
    assert [row.index("B") for row in game.colors[:9]] == [hole] * 9
    assert game.board.cell_count == 9 * 10 + 4
    # A J on top of them, standing on the hole's column: nine lines at once.
    lock = game.play(next(p for p in game.placements(hold=False) if (hole, 9) in p.cells))
    assert (lock.lines, lock.garbage_lines) == (9, 9)
    assert lock.rows == tuple(range(9))
    assert lock.attacks == (5 + 4,)
    assert game.stats.clears == {"five or more": 1}
    assert game.board.cell_count == 8


def test_bombs_in_other_columns_stay() -> None:
    rows = ["GGGGGGGGGB", "BGGGGGGGGG", "BGGGGGGGGG"]
    kernel = compile_rules(BOMBS)
    colors = [*rows, *["." * 10] * 37]
    board = Board.from_rows(rows)
    after, left, _, _ = kernel.apply_lock(
        board, colors, Placement(Piece.O, Rotation.NORTH, 0, 3), 0, 0
    )
    assert left is not None
    assert [row for row in left if row.strip(".")] == ["GGGGGGGGGB", "OO........", "OO........"]
    assert after.cell_count == 14


def test_garbage_at_once_may_end_the_game() -> None:
    rules = GUIDELINE.replace({"garbage": {"blocking": "instant"}})
    game = Game(rules, seed=5)
    game.receive_garbage(20)
    assert not game.over
    game.receive_garbage(1)
    assert game.top_out is TopOut.BLOCK_OUT
    game.receive_garbage(5)
    assert game.pending == (5,)


@pytest.mark.parametrize(
    ("preset", "edge", "changes"),
    [("jstris", 1 / 18, 0.0), ("ppt", 0.1, 28 / 99), ("botris", 0.1, 0.045)],
)
def test_published_frequencies_of_holes(preset: str, edge: float, changes: float) -> None:
    rules = Rules.preset(preset).replace({"garbage": {"travel": 0, "travel_unit": "frames"}})
    queue = GarbageQueue(compile_rules(rules), 7)
    columns: Counter[int] = Counter()
    changed = 0
    for _ in range(4000):
        queue.receive(10, 0)
        rows = [row[0] for row in queue.enter(0, 100)]
        columns.update(rows)
        changed += sum(a != b for a, b in itertools.pairwise(rows))
    assert abs(changed / 36_000 - changes) < 0.01
    assert abs(columns[0] / 40_000 - edge) < 0.015
    assert abs(columns[9] / 40_000 - edge) < 0.015


def test_a_multiplier_in_a_straight_line() -> None:
    rules = Rules.preset("botris").replace(
        {
            "attack": {
                "multiplier": 1.0,
                "multiplier_margin": 600,
                "multiplier_end": 3.0,
                "multiplier_end_frame": 1200,
            }
        }
    )
    board = board_of(rules, ["####..####", "####..####"])
    start = start_with(rules, Piece.O, board)
    for frame, lines in [(0, 10), (600, 10), (750, 15), (900, 20), (1199, 29), (9999, 30)]:
        lock = start.copy().play(Placement(Piece.O, Rotation.NORTH, 4, 0), frame=frame)
        assert lock.attacks == (lines,), frame
    with pytest.raises(RulesError, match="a growth per second and an end value exclude each other"):
        Game(rules.replace({"attack": {"multiplier_growth": 0.1}}))
    with pytest.raises(
        RulesError, match="end frame: expected a frame after the margin, 600, got 600"
    ):
        Game(rules.replace({"attack": {"multiplier_end_frame": 600}}))


def test_a_multiplier_by_steps() -> None:
    """The multiplier grows by one 60th of its step in each frame after the margin."""
    rules = Rules.preset("tetrio-default").replace({"attack": {"multiplier_growth": 0.6}})
    board = board_of(rules, ["####..####", "####..####"])
    for frame in (10_800, 10_900, 11_000):
        game = start_with(rules, Piece.O, board)
        value = 1.0
        for _ in range(frame - 10_800):
            value += 0.6 / 60
        lock = game.play(Placement(Piece.O, Rotation.NORTH, 4, 0), frame=frame)
        assert lock.attacks == (int(value), int(10 * value))


def test_attackers_are_set_in_the_game() -> None:
    rules = Rules.preset("tetrio-100-battle-royale")
    game = start_with(rules, Piece.O, board_of(rules, ["####..####", "####..#..."]))
    game.set_attackers(4)
    assert game.play(Placement(Piece.O, Rotation.NORTH, 4, 0)).attacks == (5,)
    with pytest.raises(RulesError, match=r"invalid players: .*, got -1"):
        game.set_attackers(-1)


def test_huge_attacks_do_not_fail() -> None:
    rules = GUIDELINE.replace(
        {
            "attack": {"none": [1000] * 5, "multiplier": 1000.0, "multiplier_growth": 1000.0},
            "combo": {"table": [1000]},
        }
    )
    versus = Versus(rules, seed=3, frames_per_turn=36_000)
    while not versus.over and versus.turn < 300:
        versus.play(*map(lowest, versus.players))
    assert versus.over
    game = start_with(rules, Piece.I, board_of(rules, ["#########."]))
    move = next(p for p in game.placements(hold=False) if {x for x, _ in p.cells} == {9})
    assert game.play(move).attacks == (100_000,)


def test_game_time_is_limited_to_a_day() -> None:
    versus = Versus("guideline", seed=3, frames_per_turn=36_000)
    while not versus.over and versus.turn < 200:
        versus.play(*map(lowest, versus.players))
    assert versus.turn == 200 or versus.over
    assert versus.frame == min(versus.turn * 36_000, 24 * 60 * 60 * 60)


def test_hold_cannot_use_unseen_pieces() -> None:
    game = Game(GUIDELINE.replace({"pieces": {"previews": 0}}), seed=1)
    assert game.queue == (Piece.O,)
    assert {p.piece for p in game.placements()} == {Piece.O}
    for hold in (None, True):
        with pytest.raises(PlacementError, match=r"J cannot be played: .* next piece is not known"):
            game.play(Placement(Piece.J, Rotation.NORTH, 1, 0), hold=hold)


# Cells by (row, column) from the origin, rows downwards, as the contest's figure has them.
CONTEST = {
    "O": [(0, -1), (0, 0), (1, -1), (1, 0)],
    "I": [(0, -2), (0, -1), (0, 0), (0, 1)],
    "S": [(0, 0), (0, 1), (1, -1), (1, 0)],
    "Z": [(0, -1), (0, 0), (1, 0), (1, 1)],
    "L": [(0, -1), (0, 0), (0, 1), (1, -1)],
    "J": [(0, -1), (0, 0), (0, 1), (1, 1)],
    "T": [(0, -1), (0, 0), (0, 1), (1, 0)],
}


@pytest.mark.parametrize("letter", CONTEST)
def test_pieces_of_the_contest_enter_in_column_5_of_the_top_row(letter: str) -> None:
    rules = Rules.preset("pason-2012")
    entered = {(5 + column, 19 - row) for row, column in CONTEST[letter]}
    # A board full except for these cells: every placement stays there.
    board = Board(10, rules.board.rows)
    for y in range(rules.board.rows):
        for x in range(10):
            board[x, y] = (x, y) not in entered
    (only,) = compile_rules(rules).placements(board, letter, cleared=False)
    assert set(only.cells) == entered


def test_a_cell_above_row_20_loses_the_contest() -> None:
    rules = Rules.preset("pason-2012")
    game = start_with(rules, Piece.Z, board_of(rules, ["....####.."] * 18))
    assert not game.over
    ends = {
        max(y for _, y in move.cells) >= 20: game.copy().play(move).top_out
        for move in game.placements()
        if max(y for _, y in move.cells) >= 18
    }
    assert ends[True] == TopOut.LOCK_OUT
