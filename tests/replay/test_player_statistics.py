"""Tests that statistics of single locks agree with the kernel's counts."""

import random
import statistics

import pytest

from sevenbag._kernel import Placement, Rotation
from sevenbag.game import Game, Rules
from sevenbag.replay.player_statistics import (
    CLEAR_KINDS,
    PERFECT_CLEAR,
    PlayerTally,
    summarize_latency,
)


@pytest.mark.parametrize("preset", ["guideline", "tetrio-league", "jstris"])
def test_statistics_agree_with_the_kernel(preset: str) -> None:
    seen: set[str] = set()
    for seed in range(8):
        game, tally = Game(preset, seed), PlayerTally()
        dice = random.Random(seed)
        while not game.over and game.stats.pieces < 300:
            # Low placements clear rows; now and then any other, for spins and messes.
            moves = game.placements()
            heights = [sum(y for _, y in move.cells) + dice.random() for move in moves]
            move = moves[heights.index(min(heights))]
            spins = [each for each in moves if each.spin]
            if spins and dice.random() < 0.5:
                move = dice.choice(spins)
            tally.add(game.play(move))
        record, stats = tally.summarize(), game.stats
        for name in ("pieces", "lines", "attack"):
            assert getattr(record, name) == getattr(stats, name)
        clears = {**stats.clears, PERFECT_CLEAR: stats.perfect_clears}
        assert record.clears == {kind: count for kind, count in clears.items() if count}
        assert (record.combo, record.b2b) == (stats.max_combo, stats.max_back_to_back)
        assert sum(record.attack_by.values()) == record.attack
        seen |= set(record.clears)
    assert seen <= set(CLEAR_KINDS)
    assert len(seen) >= 3


def test_a_perfect_clear_counts_twice_but_its_attack_once() -> None:
    rules = Rules.preset("guideline")
    game = next(each for seed in range(100) if (each := Game(rules, seed)).current.name == "I")
    board = game.board
    for x in (0, 1, 2, 7, 8, 9):
        board[x, 0] = True
    game = Game(rules, game.seed, board=board)
    move = next(
        each
        for each in game.placements()
        if each.piece.name == "I" and each.cells == Placement("I", Rotation.NORTH, 4, 0).cells
    )
    tally = PlayerTally()
    lock = game.play(move)
    tally.add(lock, 12.5)
    record = tally.summarize(elapsed_s=2, game_s=0.5)
    assert record.clears == {"single": 1, PERFECT_CLEAR: 1}
    assert record.attack_by == {PERFECT_CLEAR: lock.attack}
    assert lock.attack > 0
    assert (record.elapsed_s, record.game_s) == (2, 0.5)
    assert record.thinking_ms is not None
    assert record.thinking_ms.p99 == record.thinking_ms.max == 12.5


def test_latency() -> None:
    dice = random.Random(2)
    times = [dice.uniform(1, 100) for _ in range(1000)]
    told = summarize_latency(times)
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    assert (told.p50, told.p95, told.p99) == pytest.approx((cuts[49], cuts[94], cuts[98]), abs=1e-3)
    assert told.mean == pytest.approx(statistics.fmean(times), abs=1e-3)
    assert told.max == pytest.approx(max(times), abs=1e-3)
    assert sum(count for _, count in told.histogram) == 1000
