"""The contest's game: its rules one by one, as its text has them."""

from collections import Counter

import pytest

from sevenbag.contest.game.pason_game import FallingPiece, GameOutcome, PasonGame, PlayerIndex
from sevenbag.contest.settings import GameRules
from sevenbag.protocols.pason.messages import MOVES
from sevenbag.protocols.pason.pason_conversion import PieceName, cell_bit
from tests.protocols.pason.table import CELLS


def board(*rows: str) -> int:
    """Rows of the board's foot, from the top down; ``#`` is filled."""
    return sum(
        cell_bit(20 - len(rows) + row, column)
        for row, cells in enumerate(rows)
        for column, cell in enumerate(cells)
        if cell == "#"
    )


def piece_of(duel: PasonGame, seat: PlayerIndex) -> FallingPiece:
    piece = duel.pieces[seat]
    assert piece is not None
    return piece


def give(
    duel: PasonGame, seat: PlayerIndex, kind: PieceName, orient: int = 0, row: int = 0, col: int = 5
) -> FallingPiece:
    piece = piece_of(duel, seat)
    piece.kind, piece.orient, piece.row, piece.col = kind, orient, row, col
    return piece


def clearing(duel: PasonGame, seat: PlayerIndex, rows: int) -> None:
    """Prepare a clear of a number of rows by a drop."""
    give(duel, seat, "I", orient=1, row=3, col=9)
    duel.boards[seat] = board("#.........", *["#########."] * rows)


def test_pieces_enter_at_column_5_of_row_0_in_orientation_0() -> None:
    for seed in range(20):
        duel = PasonGame(GameRules(), seed)
        for seat in (0, 1):
            piece = piece_of(duel, seat)
            assert (piece.row, piece.col, piece.orient) == (0, 5, 0)


@pytest.mark.parametrize(
    ("rows", "points", "sent"), [(0, 0, 0), (1, 100, 0), (2, 200, 1), (3, 500, 2), (4, 800, 4)]
)
def test_points_and_rows_sent(rows: int, points: int, sent: int) -> None:
    duel = PasonGame(GameRules(garbage_when="lock"), 1)
    clearing(duel, 0, rows)
    assert duel.move(0, "drop") == "done"
    assert duel.scores == [points, 0]
    assert duel.lines == [rows, 0]
    assert duel.pending_garbage == [0, sent]
    assert duel.take_changes().cleared == (tuple(range(20 - rows, 20)), ())


def test_rows_above_a_clear_move_down() -> None:
    duel = PasonGame(GameRules(), 1)
    duel.boards[0] = board("##........", "#########.", "..######..", "#########.")
    give(duel, 0, "I", orient=1, row=3, col=9)
    duel.move(0, "drop")
    assert duel.boards[0] == board("##.......#", "..######.#")
    assert duel.take_changes().cleared[0] == (17, 19)


def test_points_are_multiplied_by_the_factor_of_the_level_before() -> None:
    duel = PasonGame(GameRules(level_points=(800, 1000), level_factors=(1, 5)), 1)
    clearing(duel, 0, 4)
    duel.move(0, "drop")
    assert (duel.scores, duel.level) == ([800, 0], 2)
    clearing(duel, 1, 1)
    duel.move(1, "drop")
    # The level is common to both players.
    assert (duel.scores, duel.level) == ([800, 500], 2)
    clearing(duel, 1, 1)
    duel.move(1, "drop")
    # The last factor holds on.
    assert (duel.scores, duel.level) == ([800, 1000], 3)
    clearing(duel, 1, 1)
    duel.move(1, "drop")
    assert duel.scores == [800, 1500]


def test_pieces_fall_faster_with_the_level() -> None:
    duel = PasonGame(GameRules(level_points=(100, 200, 300), gravity_ms=(900, 400, 100)), 1)
    periods = [duel.step_ms]
    for _ in range(4):
        clearing(duel, 0, 1)
        duel.move(0, "drop")
        periods.append(duel.step_ms)
    assert periods == [900, 400, 100, 100, 100]


def test_a_dropped_piece_is_followed_at_once() -> None:
    duel = PasonGame(GameRules(), 1)
    first, upcoming = piece_of(duel, 0), list(duel.queue)
    assert duel.move(0, "drop") == "done"
    now = piece_of(duel, 0)
    assert now.kind == upcoming[0]
    assert now.number == 3 > first.number
    assert duel.queue[:-1] == upcoming[1:]


def test_a_piece_locked_by_gravity_is_followed_one_step_later() -> None:
    duel = PasonGame(GameRules(), 1)
    piece = give(duel, 0, "O", row=18)
    number = piece.number
    duel.step()
    assert duel.pieces[0] is None
    assert duel.boards[0] == board("....##....", "....##....")
    assert duel.take_changes().numbers[0] == number
    for move in MOVES:
        assert duel.move(0, move) == "no piece"
    duel.step()
    piece = piece_of(duel, 0)
    # It does not fall in the step that it enters with.
    assert (piece.row, piece.col) == (0, 5)
    duel.step()
    assert piece_of(duel, 0).row == 1


def test_simultaneous_draws_have_random_order() -> None:
    first = Counter[bool]()
    for seed in range(60):
        duel = PasonGame(GameRules(), seed)
        for seat in (0, 1):
            give(duel, seat, "O", row=18)
        duel.step()
        assert duel.pieces == [None, None]
        upcoming = duel.queue[:2]
        duel.step()
        ahead = piece_of(duel, 0).number < piece_of(duel, 1).number
        first[ahead] += 1
        kinds = [piece_of(duel, 0).kind, piece_of(duel, 1).kind]
        assert (kinds if ahead else kinds[::-1]) == upcoming
    assert min(first.values()) > 15


def test_queue_is_shared() -> None:
    duel = PasonGame(GameRules(), 3)
    upcoming = list(duel.queue)
    seats: tuple[PlayerIndex, ...] = (0, 1, 1, 0, 1)
    for place, seat in enumerate(seats):
        duel.move(seat, "drop")
        assert piece_of(duel, seat).kind == upcoming[place]


def test_a_move_that_collides_is_not_performed() -> None:
    duel = PasonGame(GameRules(), 1)
    piece = give(duel, 0, "T", row=5, col=1)
    assert duel.move(0, "left") == "collides"
    assert (piece.row, piece.col, piece.orient) == (5, 1, 0)
    piece.orient, piece.col = 1, 0
    for move in ("left", "lrotate", "rrotate"):
        assert duel.move(0, move) == "collides"
    piece.orient, piece.col, piece.row = 1, 4, 18
    assert duel.move(0, "down") == "collides"
    duel.boards[0] = cell_bit(17, 6)
    assert duel.move(0, "right") == "done"
    assert duel.move(0, "right") == "collides"
    assert (piece.row, piece.col, piece.orient) == (18, 5, 1)


def test_a_move_for_another_piece_is_not_performed() -> None:
    duel = PasonGame(GameRules(), 1)
    piece = piece_of(duel, 0)
    for number in (piece.number + 1, piece.number - 1, -1, 10**30, str(piece.number)):
        assert duel.move(0, "left", number) == "out of date"
    assert piece.col == 5
    assert duel.move(0, "left", piece.number) == "done"
    assert piece.col == 4


def test_lock_above_row_20_loses() -> None:
    duel = PasonGame(GameRules(), 1)
    duel.boards[0] = sum(cell_bit(row, 5) for row in range(2, 20))
    give(duel, 0, "I", orient=1, row=-1)
    duel.move(0, "drop")
    assert duel.outcome == GameOutcome(1, "top out")
    assert duel.move(0, "left") == duel.move(1, "drop") == "game over"


def test_full_stack_without_excess_continues() -> None:
    duel = PasonGame(GameRules(), 1)
    duel.boards[0] = sum(cell_bit(row, 0) for row in range(4, 20))
    give(duel, 0, "I", orient=1, row=1, col=0)
    assert duel.move(0, "drop") == "done"
    assert duel.outcome is None


def test_a_blocked_entry_loses_or_lifts() -> None:
    blocked = board(*["....##...."] * 20)
    duel = PasonGame(GameRules(blocked_spawn="lose"), 1)
    give(duel, 0, "O", row=0, col=1)
    duel.boards[0] = blocked
    duel.move(0, "drop")
    assert duel.outcome == GameOutcome(1, "top out")

    duel = PasonGame(GameRules(blocked_spawn="lift"), 1)
    give(duel, 0, "O", row=0, col=1)
    duel.boards[0] = blocked
    duel.move(0, "drop")
    piece = piece_of(duel, 0)
    lowest = max(row for row, _ in CELLS[piece.kind][0])
    assert duel.outcome is None
    assert piece.row + lowest == -1


def test_by_time_points_win_then_a_coin() -> None:
    duel = PasonGame(GameRules(), 1)
    duel.scores = [100, 200]
    duel.end_by_time()
    assert duel.outcome == GameOutcome(1, "points at the time limit")
    winners = Counter[int]()
    for seed in range(60):
        duel = PasonGame(GameRules(), seed)
        duel.end_by_time()
        assert duel.outcome is not None
        assert duel.outcome.ending == "coin flip at the time limit"
        winners[duel.outcome.winner] += 1
    assert min(winners.values()) > 15


def test_garbage_rows_are_coins_with_at_least_one_gap() -> None:
    # By the players' words about 5 holes a row, sometimes 1, sometimes 10.
    duel = PasonGame(
        GameRules(sends=(20, 0, 0, 0, 0), garbage_when="instant", garbage_out="cut"), 4
    )
    holes, columns = Counter[int](), Counter[int]()
    rows = 0
    while rows < 6000:
        give(duel, 0, "O", row=18)
        duel.boards[0] = 0
        give(duel, 1, "O", row=0)
        duel.boards[1] = 0
        duel.move(0, "drop")
        assert duel.outcome is None
        for row in range(20):
            bits = duel.boards[1] >> 10 * row & 1023
            holes[10 - bits.bit_count()] += 1
            columns.update(column for column in range(10) if bits >> column & 1)
            rows += 1
    assert holes[0] == 0
    assert holes[10] > 0
    assert holes[1] > 20
    # Half of all cells, within five standard deviations.
    for column in range(10):
        assert abs(columns[column] - rows / 2) < 5 * (rows / 4) ** 0.5
    assert holes.most_common(1)[0][0] == 5


def test_garbage_raises_the_stack_and_can_be_cleared() -> None:
    duel = PasonGame(GameRules(sends=(0, 1, 1, 2, 4), garbage_when="lock"), 1)
    duel.boards[1] = board("##..######")
    clearing(duel, 0, 1)
    duel.move(0, "drop")
    assert duel.pending_garbage == [0, 1]
    give(duel, 1, "O", row=0, col=1)
    duel.boards[1] = board("..########", "..########")
    duel.move(1, "drop")
    assert duel.lines == [1, 2]
    assert duel.pending_garbage[1] == 0
    garbage = duel.boards[1]
    assert garbage >> 10 == 0
    # Fill all its gaps but one, then that one: it clears.
    full = board("##########")
    gap = next(column for column in range(10) if not garbage & cell_bit(19, column))
    duel.boards[1] = full ^ cell_bit(19, gap)
    assert duel.boards[1] & garbage == garbage
    give(duel, 1, "I", orient=1, row=4, col=gap)
    duel.move(1, "drop")
    assert duel.lines[1] == 3


def test_a_piece_falls_that_garbage_took_its_ground_from() -> None:
    fates = Counter[bool]()
    for seed in range(20):
        duel = PasonGame(GameRules(garbage_when="instant"), seed)
        clearing(duel, 0, 4)
        piece_of(duel, 0).row = 17
        duel.boards[1] = cell_bit(10, 5)
        piece = give(duel, 1, "O", row=8)
        duel.step()
        assert duel.lines == [4, 0]
        locked = duel.pieces[1] is None
        # The coin decides who is first. Otherwise four rows lift the single cell away.
        assert locked or (piece.row == 9 and duel.boards[1] & cell_bit(6, 5))
        fates[locked] += 1
    assert len(fates) == 2


def test_bags_hold_each_piece_once() -> None:
    duel = PasonGame(GameRules(queue="bag", queue_length=12), 9)
    both = sorted((piece_of(duel, 0), piece_of(duel, 1)), key=lambda piece: piece.number)
    drawn = [piece.kind for piece in both] + duel.queue
    assert sorted(drawn[:7]) == sorted(drawn[7:14]) == sorted("OISZLJT")


def test_even_draws_are_even() -> None:
    duel = PasonGame(GameRules(queue_length=20), 2)
    drawn = Counter[str]()
    for _ in range(2000):
        duel.boards[0] = 0
        duel.move(0, "drop")
        drawn[piece_of(duel, 0).kind] += 1
    assert len(drawn) == 7
    assert max(drawn.values()) - min(drawn.values()) < 100
