"""Whole games beside a slow reference under every setting, and beside the kernel."""

import itertools
import random
from typing import Any, Literal, get_args, get_origin

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sevenbag.contest.game.pason_game import GameOutcome, MoveOutcome, PasonGame, PlayerIndex
from sevenbag.contest.settings import GameRules
from sevenbag.errors import PlacementError
from sevenbag.protocols.pason.messages import MOVES
from sevenbag.protocols.pason.pason_conversion import (
    MoveName,
    PasonPlacement,
    board_from_kernel,
    board_to_kernel,
    parse_placement,
)
from tests.contest.game.reference_game import SlowDuel
from tests.properties import examples
from tests.protocols.pason.table import CELLS

FAST = {"level_points": (300, 900), "level_factors": (1, 3), "gravity_ms": (1000, 500, 250)}
"""Rules of many values: levels are soon reached."""


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

Action = tuple[PlayerIndex, "MoveName", int | None] | None
"""Seat, move, and how far off the piece number is (None: without one); None for a time step."""


def random_actions(chance: random.Random, count: int) -> list[Action]:
    """Choose moves such that most garbage meets pieces near the stack."""
    actions: list[Action] = []
    for _ in range(count):
        if chance.random() < 0.35:
            actions.append(None)
            continue
        move = chance.choice((*MOVES, "down", "down", "down"))
        actions.append((chance.choice((0, 1)), move, chance.choice((None, None, 0, 0, 0, 1))))
    return actions


def random_stack(chance: random.Random) -> list[int]:
    """Return random rows from the lowest one; none is full."""
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


def state(duel: PasonGame) -> dict[str, Any]:
    return {
        "boards": [cells_of(number) for number in duel.boards],
        "pieces": [
            piece and (piece.kind, piece.orient, piece.row, piece.col, piece.number)
            for piece in duel.pieces
        ],
        "queue": list(duel.queue),
        "figures": (duel.scores, duel.lines, duel.locked_pieces, duel.pending_garbage, duel.level),
        "next": duel.next_piece_numbers,
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
    fast, slow = PasonGame(rules, seed, first_piece_number=7), SlowDuel(rules, seed, 7)
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
    fast.end_by_time()
    slow.time_up()
    assert state(fast) == slow_state(slow)


@pytest.mark.parametrize(
    "part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, 8))]
)
def test_games_go_as_the_slow_one_under_every_setting(part: int) -> None:
    for number, rules in enumerate(ALL_RULES[part::8]):
        chance = random.Random(f"{part} {number}")
        stacks = random_stack(chance), random_stack(chance)
        play_both(rules, chance.getrandbits(62), stacks, random_actions(chance, 150))


@examples(60)
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


@examples(100)
@given(
    seed=st.integers(0, 1 << 62),
    chance=st.randoms(use_true_random=False),
    moves=st.lists(st.sampled_from(MOVES), min_size=1, max_size=80),
)
def test_the_kernel_agrees_on_collisions_and_clears(
    seed: int, chance: random.Random, moves: list[MoveName]
) -> None:
    duel = PasonGame(GameRules(), seed)
    duel.boards[0] = sum(bits << 10 * row for row, bits in enumerate(random_stack(chance)))
    for move in moves:
        piece = duel.pieces[0]
        if duel.is_over or piece is None:
            break
        kernel = board_to_kernel(duel.boards[0])
        place = PasonPlacement(piece.kind, piece.orient, piece.row, piece.col)
        assert kernel.fits(parse_placement(place))
        if move == "drop":
            lines = duel.lines[0]
            while not kernel.is_resting(parse_placement(place)):
                place = place._replace(row=place.row + 1)
            duel.move(0, move)
            above = any(row < 0 for row, _ in place.cells)
            cleared = kernel.lock(parse_placement(place))
            assert (duel.outcome == GameOutcome(1, "top out")) >= above
            if not above:
                assert board_from_kernel(kernel) == duel.boards[0]
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
            fits = kernel.fits(parse_placement(wanted))
        except PlacementError:
            fits = False
        assert duel.move(0, move) == (MoveOutcome.DONE if fits else MoveOutcome.COLLIDES)
        now = wanted if fits else place
        assert (piece.orient, piece.row, piece.col) == (now.orient, now.row, now.col)
