"""Placements played by keys, frame by frame: every piece comes to lie where it was meant to."""

from __future__ import annotations

import random

import pytest

from sevenbag import Placement, Rotation
from sevenbag.errors import InputError, PlacementError, RulesError
from sevenbag.game import Rules
from sevenbag.game.frames import Button, FrameGame, FrameRules, Handling

AT_ONCE = Handling(soft_drop=41)


def cells(placement: Placement) -> frozenset[tuple[int, int]]:
    return frozenset(placement.cells)


@pytest.mark.parametrize(
    "preset", ["tetrio-default", "tetrio-league", "tetrio-quickplay", "4wide", "tetrio-arcade"]
)
@pytest.mark.parametrize("gravity", [0.02, 0.5])
def test_random_placements(preset: str, gravity: float) -> None:
    dice = random.Random(f"{preset} {gravity}")
    placed = skipped = 0
    for seed in range(12):
        game = FrameGame(preset, seed=seed, time=FrameRules(gravity=gravity), handling=AT_ONCE)
        while not game.over and placed < 40 * (seed + 1):
            for _ in range(dice.randrange(4)):
                game.end_frame()
            if game.over:
                break
            wanted = dice.choice(game.placements())
            pieces = game.stats.pieces
            try:
                lock = game.place(wanted, dice.random() / 2)
            except PlacementError:
                # It has sunk past the way.
                skipped += 1
                game.press(Button.HARD_DROP)
                continue
            assert game.stats.pieces == pieces + 1
            assert cells(lock.placement) == cells(wanted)
            assert lock.spin == wanted.spin
            placed += 1
    assert placed > 150
    assert skipped < placed / 10


def test_hold() -> None:
    game = FrameGame(seed=1, handling=AT_ONCE)
    first, second, third = game.queue[:3]
    wanted = next(one for one in game.placements() if one.piece == second)
    assert game.place(wanted).placement.piece == second
    assert (game.hold, game.current) == (first, third)
    assert game.stats.holds == 1


class TestRefused:
    def test_another_piece(self) -> None:
        game = FrameGame(seed=1, handling=AT_ONCE)
        with pytest.raises(PlacementError, match="is in the air, and hold offers"):
            game.place(Placement(game.queue[2], Rotation.NORTH, 4, 0))

    def test_no_way(self) -> None:
        game = FrameGame(seed=1, handling=AT_ONCE)
        with pytest.raises(PlacementError, match="no keys lead to"):
            game.place(Placement(game.current, Rotation.NORTH, 4, 10))
        assert game.stats.inputs == 0

    def test_a_slow_soft_drop(self) -> None:
        game = FrameGame(seed=1, handling=Handling(soft_drop=20))
        with pytest.raises(RulesError, match="soft drop by 20"):
            game.place(game.placements()[0])

    def test_just_after_a_lock_by_time(self) -> None:
        game = FrameGame(seed=1, handling=AT_ONCE)
        game.press(Button.SOFT_DROP)
        while game.stats.pieces == 0:
            game.end_frame()
        game.release(Button.SOFT_DROP)
        with pytest.raises(PlacementError, match="swallowed"):
            game.place(game.placements()[0])

    def test_moments(self) -> None:
        game = FrameGame(seed=1, handling=AT_ONCE)
        with pytest.raises(InputError, match="moment"):
            game.place(game.placements()[0], 1.0)

    def test_a_game_that_is_over(self) -> None:
        game = FrameGame(seed=1, handling=AT_ONCE)
        wanted = game.placements()[0]
        game.play([], 100_000)
        assert game.placements() == []
        with pytest.raises(PlacementError, match="over"):
            game.place(wanted)

    def test_nothing_is_judged(self) -> None:
        game = FrameGame(Rules.preset("tetrio-league"), seed=1)
        wanted = game.placements()[0]
        assert game.is_legal(wanted)
        with pytest.raises(PlacementError, match="keys"):
            game.judge(wanted)
