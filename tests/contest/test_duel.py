"""The contest's game: its rules one by one, and whole games beside a slow one and the kernel."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sevenbag.contest.duel import Duel, Outcome, Seat, Verdict
from sevenbag.contest.rules import GameRules
from sevenbag.errors import PlacementError
from sevenbag.protocols.pason.board import cell_bit, from_kernel, to_kernel
from sevenbag.protocols.pason.messages import MOVES
from sevenbag.protocols.pason.placing import Place, to_placement
from tests.contest.reference_duel import SlowDuel
from tests.protocols.pason.table import CELLS

if TYPE_CHECKING:
    from sevenbag.contest.duel import Falling
    from sevenbag.protocols.pason.moves import MoveName
    from sevenbag.protocols.pason.shapes import PieceName

FAST = {"level_points": (300, 900), "level_factors": (1, 3), "gravity_ms": (1000, 500, 250)}


def board(*rows: str) -> int:
    """Rows of the board's foot, from the top down; ``#`` is filled."""
    return sum(
        cell_bit(20 - len(rows) + row, column)
        for row, cells in enumerate(rows)
        for column, cell in enumerate(cells)
        if cell == "#"
    )


def piece_of(duel: Duel, seat: Seat) -> Falling:
    piece = duel.pieces[seat]
    assert piece is not None
    return piece


def give(
    duel: Duel, seat: Seat, kind: PieceName, orient: int = 0, row: int = 0, col: int = 5
) -> Falling:
    piece = piece_of(duel, seat)
    piece.kind, piece.orient, piece.row, piece.col = kind, orient, row, col
    return piece


def clearing(duel: Duel, seat: Seat, rows: int) -> None:
    """Prepare a clear of so many rows by a drop."""
    give(duel, seat, "I", orient=1, row=3, col=9)
    duel.boards[seat] = board("#.........", *["#########."] * rows)


# --- the text, sentence by sentence ---------------------------------------------------------------


def test_pieces_enter_at_column_5_of_row_0_in_orientation_0() -> None:
    for seed in range(20):
        duel = Duel(GameRules(), seed)
        for seat in (0, 1):
            piece = piece_of(duel, seat)
            assert (piece.row, piece.col, piece.orient) == (0, 5, 0)


@pytest.mark.parametrize(
    ("rows", "points", "sent"), [(0, 0, 0), (1, 100, 0), (2, 200, 1), (3, 500, 2), (4, 800, 4)]
)
def test_points_and_rows_sent(rows: int, points: int, sent: int) -> None:
    duel = Duel(GameRules(garbage_when="lock"), 1)
    clearing(duel, 0, rows)
    assert duel.move(0, "drop") == "done"
    assert duel.scores == [points, 0]
    assert duel.lines == [rows, 0]
    assert duel.waiting == [0, sent]
    assert duel.take_changes().cleared == (tuple(range(20 - rows, 20)), ())


def test_rows_above_a_clear_move_down() -> None:
    duel = Duel(GameRules(), 1)
    duel.boards[0] = board("##........", "#########.", "..######..", "#########.")
    give(duel, 0, "I", orient=1, row=3, col=9)
    duel.move(0, "drop")
    assert duel.boards[0] == board("##.......#", "..######.#")
    assert duel.take_changes().cleared[0] == (17, 19)


def test_points_are_multiplied_by_the_factor_of_the_level_before() -> None:
    duel = Duel(GameRules(level_points=(800, 1000), level_factors=(1, 5)), 1)
    clearing(duel, 0, 4)
    duel.move(0, "drop")
    assert (duel.scores, duel.level) == ([800, 0], 2)
    clearing(duel, 1, 1)
    duel.move(1, "drop")
    # Whoever raised the level: it is both players'.
    assert (duel.scores, duel.level) == ([800, 500], 2)
    clearing(duel, 1, 1)
    duel.move(1, "drop")
    # The last factor holds on.
    assert (duel.scores, duel.level) == ([800, 1000], 3)
    clearing(duel, 1, 1)
    duel.move(1, "drop")
    assert duel.scores == [800, 1500]


def test_pieces_fall_faster_with_the_level() -> None:
    duel = Duel(GameRules(level_points=(100, 200, 300), gravity_ms=(900, 400, 100)), 1)
    periods = [duel.step_ms]
    for _ in range(4):
        clearing(duel, 0, 1)
        duel.move(0, "drop")
        periods.append(duel.step_ms)
    assert periods == [900, 400, 100, 100, 100]


def test_a_dropped_piece_is_followed_at_once() -> None:
    duel = Duel(GameRules(), 1)
    first, upcoming = piece_of(duel, 0), list(duel.queue)
    assert duel.move(0, "drop") == "done"
    now = piece_of(duel, 0)
    assert now.kind == upcoming[0]
    assert now.number == 3 > first.number
    assert duel.queue[:-1] == upcoming[1:]


def test_a_piece_locked_by_gravity_is_followed_one_step_later() -> None:
    duel = Duel(GameRules(), 1)
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


def test_both_drawing_in_one_step_do_so_in_random_order() -> None:
    first = Counter[bool]()
    for seed in range(60):
        duel = Duel(GameRules(), seed)
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


def test_the_queue_is_shared_first_come_first_served() -> None:
    duel = Duel(GameRules(), 3)
    upcoming = list(duel.queue)
    seats: tuple[Seat, ...] = (0, 1, 1, 0, 1)
    for place, seat in enumerate(seats):
        duel.move(seat, "drop")
        assert piece_of(duel, seat).kind == upcoming[place]


def test_a_move_that_collides_is_not_performed() -> None:
    duel = Duel(GameRules(), 1)
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
    duel = Duel(GameRules(), 1)
    piece = piece_of(duel, 0)
    for number in (piece.number + 1, piece.number - 1, -1, 10**30, str(piece.number)):
        assert duel.move(0, "left", number) == "out of date"
    assert piece.col == 5
    assert duel.move(0, "left", piece.number) == "done"
    assert piece.col == 4


def test_who_exceeds_row_20_with_a_locked_piece_loses() -> None:
    duel = Duel(GameRules(), 1)
    duel.boards[0] = sum(cell_bit(row, 5) for row in range(2, 20))
    give(duel, 0, "I", orient=1, row=-1)
    duel.move(0, "drop")
    assert duel.outcome == Outcome(1, "top out")
    assert duel.move(0, "left") == duel.move(1, "drop") == "game over"


def test_a_stack_that_ends_at_the_top_goes_on() -> None:
    duel = Duel(GameRules(), 1)
    duel.boards[0] = sum(cell_bit(row, 0) for row in range(4, 20))
    give(duel, 0, "I", orient=1, row=1, col=0)
    assert duel.move(0, "drop") == "done"
    assert duel.outcome is None


def test_a_blocked_entry_loses_or_lifts() -> None:
    blocked = board(*["....##...."] * 20)
    duel = Duel(GameRules(blocked_spawn="lose"), 1)
    give(duel, 0, "O", row=0, col=1)
    duel.boards[0] = blocked
    duel.move(0, "drop")
    assert duel.outcome == Outcome(1, "top out")

    duel = Duel(GameRules(blocked_spawn="lift"), 1)
    give(duel, 0, "O", row=0, col=1)
    duel.boards[0] = blocked
    duel.move(0, "drop")
    piece = piece_of(duel, 0)
    lowest = max(row for row, _ in CELLS[piece.kind][0])
    assert duel.outcome is None
    assert piece.row + lowest == -1


def test_by_time_points_win_then_a_coin() -> None:
    duel = Duel(GameRules(), 1)
    duel.scores = [100, 200]
    duel.time_up()
    assert duel.outcome == Outcome(1, "points at the time limit")
    winners = Counter[int]()
    for seed in range(60):
        duel = Duel(GameRules(), seed)
        duel.time_up()
        assert duel.outcome is not None
        assert duel.outcome.ending == "coin flip at the time limit"
        winners[duel.outcome.winner] += 1
    assert min(winners.values()) > 15


def test_garbage_rows_are_coins_with_at_least_one_gap() -> None:
    # By the players' words about 5 holes a row, sometimes 1, sometimes 10.
    duel = Duel(GameRules(sends=(20, 0, 0, 0, 0), garbage_when="instant", garbage_out="cut"), 4)
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


def test_garbage_pushes_the_stack_up_and_is_cleared_like_any_row() -> None:
    duel = Duel(GameRules(sends=(0, 1, 1, 2, 4), garbage_when="lock"), 1)
    duel.boards[1] = board("##..######")
    clearing(duel, 0, 1)
    duel.move(0, "drop")
    assert duel.waiting == [0, 1]
    give(duel, 1, "O", row=0, col=1)
    duel.boards[1] = board("..########", "..########")
    duel.move(1, "drop")
    assert duel.lines == [1, 2]
    assert duel.waiting[1] == 0
    garbage = duel.boards[1]
    assert garbage >> 10 == 0
    # Fill its gaps: it clears.
    duel.boards[1] = board("#########.") ^ (garbage & 0)
    give(duel, 1, "I", orient=1, row=4, col=9)
    duel.move(1, "drop")
    assert duel.lines[1] == 3


def test_a_piece_falls_that_garbage_took_its_ground_from() -> None:
    fates = Counter[bool]()
    for seed in range(20):
        duel = Duel(GameRules(garbage_when="instant"), seed)
        clearing(duel, 0, 4)
        piece_of(duel, 0).row = 17
        duel.boards[1] = cell_bit(10, 5)
        piece = give(duel, 1, "O", row=8)
        duel.step()
        assert duel.lines == [4, 0]
        locked = duel.pieces[1] is None
        # The coin says who is first. If it is the other one, four rows lift the single cell away.
        assert locked or (piece.row == 9 and duel.boards[1] & cell_bit(6, 5))
        fates[locked] += 1
    assert len(fates) == 2


def test_bags_hold_each_piece_once() -> None:
    duel = Duel(GameRules(queue="bag", queue_length=12), 9)
    both = sorted((piece_of(duel, 0), piece_of(duel, 1)), key=lambda piece: piece.number)
    drawn = [piece.kind for piece in both] + duel.queue
    assert sorted(drawn[:7]) == sorted(drawn[7:14]) == sorted("OISZLJT")


def test_even_draws_are_even() -> None:
    duel = Duel(GameRules(queue_length=20), 2)
    drawn = Counter[str]()
    for _ in range(2000):
        duel.boards[0] = 0
        duel.move(0, "drop")
        drawn[piece_of(duel, 0).kind] += 1
    assert len(drawn) == 7
    assert max(drawn.values()) - min(drawn.values()) < 100


# --- beside the slow game -------------------------------------------------------------------------

_CHOICES = {
    field.name: get_args(field.type)
    for field in msgspec.structs.fields(GameRules)
    if get_origin(field.type) is Literal
}

SENDS = ((0, 0, 1, 2, 4), (1, 1, 2, 3, 4), (0, 2, 3, 5, 8), (3, 3, 3, 3, 3))
ALL_RULES = [
    GameRules(
        **{**FAST, **dict(zip(_CHOICES, chosen, strict=True))},
        rotate_above_top=above,
        spawn_orientation=number % 4,
        queue_length=1 + number % 6,
        sends=SENDS[number % 7 % 4],
    )
    for number, (above, *chosen) in enumerate(itertools.product((False, True), *_CHOICES.values()))
]
"""Every combination of what has few values; the rest goes round."""

Action = tuple[Seat, "MoveName", int | None] | None
"""Seat, move, and how far off the piece number is (None: without one); None for a time step."""


def random_actions(chance: random.Random, count: int) -> list[Action]:
    """Such that pieces come down: garbage meets most of them near the stack."""
    actions: list[Action] = []
    for _ in range(count):
        if chance.random() < 0.35:
            actions.append(None)
            continue
        move = chance.choice((*MOVES, "down", "down", "down"))
        actions.append((chance.choice((0, 1)), move, chance.choice((None, None, 0, 0, 0, 1))))
    return actions


def random_stack(chance: random.Random) -> list[int]:
    """Rows from the lowest one, none of them full."""
    return [
        1023 ^ 1 << chance.randrange(10) if chance.random() < 0.7 else chance.randrange(1023)
        for _ in range(chance.choice((0, 4, 9, 14, 17)))
    ]


def test_every_open_point_of_the_game_is_tried() -> None:
    assert set(_CHOICES) == {
        "queue",
        "blocked_spawn",
        "down_on_floor",
        "garbage_when",
        "garbage_overlap",
        "garbage_out",
        "full_garbage_row",
        "piece_numbers",
    }
    for field in msgspec.structs.fields(GameRules):
        if field.name not in {"points", *FAST}:
            assert len({getattr(rules, field.name) for rules in ALL_RULES}) > 1, field.name


def cells_of(number: int) -> set[tuple[int, int]]:
    cells: set[tuple[int, int]] = set()
    place = 0
    while number:
        if number & 1:
            cells.add((19 - place // 10, 9 - place % 10))
        number >>= 1
        place += 1
    return cells


def state(duel: Duel) -> dict[str, Any]:
    return {
        "boards": [cells_of(number) for number in duel.boards],
        "pieces": [
            piece and (piece.kind, piece.orient, piece.row, piece.col, piece.number)
            for piece in duel.pieces
        ],
        "queue": list(duel.queue),
        "figures": (duel.scores, duel.lines, duel.locked, duel.waiting, duel.level),
        "next": duel.next_numbers,
        "outcome": duel.outcome and tuple(duel.outcome),
    }


def slow_state(duel: SlowDuel) -> dict[str, Any]:
    return {
        "boards": duel.boards,
        "pieces": [
            piece and (piece.kind, piece.orient, piece.row, piece.col, piece.number)
            for piece in duel.pieces
        ],
        "queue": duel.queue,
        "figures": (duel.scores, duel.lines, duel.locked, duel.waiting, duel.level),
        "next": duel.next_numbers,
        "outcome": None if duel.winner is None else (duel.winner, duel.ending),
    }


def play_both(
    rules: GameRules, seed: int, stacks: tuple[list[int], list[int]], actions: list[Action]
) -> None:
    """Play a game in both, and compare all that is after every move and step."""
    fast, slow = Duel(rules, seed, first_number=7), SlowDuel(rules, seed, 7)
    for seat, stack in enumerate(stacks):
        fast.boards[seat] = sum(bits << 10 * row for row, bits in enumerate(stack))
        slow.boards[seat] = cells_of(fast.boards[seat])
    assert state(fast) == slow_state(slow)
    fast.take_changes()
    before = state(fast)
    for action in actions:
        slow.cleared = [[], []]
        slow.last = [-1, -1]
        if action is None:
            fast.step()
            slow.step()
        else:
            seat, move, wrong = action
            piece = fast.pieces[seat]
            number = None if wrong is None or piece is None else piece.number + wrong
            assert fast.move(seat, move, number) == slow.move(seat, move, number)
        after = state(fast)
        assert after == slow_state(slow)
        changes = fast.take_changes()
        assert [list(rows) for rows in changes.cleared] == slow.cleared
        assert list(changes.numbers) == slow.last
        assert changes.boards == (before["boards"] != after["boards"] or slow.last != [-1, -1])
        seen = ("pieces", "queue")
        assert changes.pieces == any(before[key] != after[key] for key in seen)
        before = after
    fast.time_up()
    slow.time_up()
    assert state(fast) == slow_state(slow)


@pytest.mark.parametrize("part", range(8))
def test_games_go_as_the_slow_one_under_every_setting(part: int) -> None:
    for number, rules in enumerate(ALL_RULES[part::8]):
        for game in range(2):
            chance = random.Random(f"{part} {number} {game}")
            stacks = random_stack(chance), random_stack(chance)
            play_both(rules, chance.getrandbits(62), stacks, random_actions(chance, 150))


@settings(max_examples=60, deadline=None)
@given(
    rules=st.sampled_from(ALL_RULES),
    seed=st.integers(0, 1 << 62),
    chance=st.randoms(use_true_random=False),
    actions=st.lists(
        st.none()
        | st.tuples(st.sampled_from((0, 1)), st.sampled_from(MOVES), st.sampled_from((None, 0, 1))),
        max_size=60,
    ),
)
def test_games_go_as_the_slow_one_whatever_is_done(
    rules: GameRules, seed: int, chance: random.Random, actions: list[Action]
) -> None:
    play_both(rules, seed, (random_stack(chance), random_stack(chance)), actions)


# --- beside the kernel ----------------------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(
    seed=st.integers(0, 1 << 62),
    chance=st.randoms(use_true_random=False),
    moves=st.lists(st.sampled_from(MOVES), min_size=1, max_size=80),
)
def test_the_kernel_agrees_on_collisions_and_clears(
    seed: int, chance: random.Random, moves: list[MoveName]
) -> None:
    duel = Duel(GameRules(), seed)
    duel.boards[0] = sum(bits << 10 * row for row, bits in enumerate(random_stack(chance)))
    for move in moves:
        piece = duel.pieces[0]
        if duel.over or piece is None:
            break
        kernel = to_kernel(duel.boards[0])
        place = Place(piece.kind, piece.orient, piece.row, piece.col)
        assert kernel.fits(to_placement(place))
        if move == "drop":
            lines = duel.lines[0]
            while not kernel.is_resting(to_placement(place)):
                place = place._replace(row=place.row + 1)
            duel.move(0, move)
            above = any(row < 0 for row, _ in place.cells)
            cleared = kernel.lock(to_placement(place))
            assert (duel.outcome == Outcome(1, "top out")) >= above
            if not above:
                assert from_kernel(kernel) == duel.boards[0]
                assert duel.lines[0] - lines == cleared
            continue
        ring = len(CELLS[piece.kind])
        wanted = {
            "left": place._replace(col=place.col - 1),
            "right": place._replace(col=place.col + 1),
            "down": place._replace(row=place.row + 1),
            "lrotate": place._replace(orient=(place.orient + 1) % ring),
            "rrotate": place._replace(orient=(place.orient - 1) % ring),
        }[move]
        try:
            fits = kernel.fits(to_placement(wanted))
        except PlacementError:
            fits = False
        assert duel.move(0, move) == (Verdict.DONE if fits else Verdict.COLLIDES)
        now = wanted if fits else place
        assert (piece.orient, piece.row, piece.col) == (now.orient, now.row, now.col)
