"""Placements played by keys, frame by frame: every piece comes to lie where it was meant to."""

from __future__ import annotations

import random

import pytest

from sevenbag import Placement, Rotation
from sevenbag.errors import InputError, PlacementError, RulesError
from sevenbag.game import Game, Rules
from sevenbag.game.frame_game import Button, FrameGame, FrameRules, Handling

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
        game = FrameGame(
            preset, seed=seed, frame_rules=FrameRules(gravity=gravity), handling=AT_ONCE
        )
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
        with pytest.raises(PlacementError, match="would be ignored"):
            game.place(game.placements()[0])

    def test_moments(self) -> None:
        game = FrameGame(seed=1, handling=AT_ONCE)
        with pytest.raises(InputError, match="invalid subframe"):
            game.place(game.placements()[0], 1.0)

    def test_a_game_that_is_over(self) -> None:
        game = FrameGame(seed=1, handling=AT_ONCE)
        wanted = game.placements()[0]
        game.run_script([], 100_000)
        assert game.placements() == []
        with pytest.raises(PlacementError, match="over"):
            game.place(wanted)


class TestBots:
    """What a bot needs of a game, it has."""

    def test_judged(self) -> None:
        game = FrameGame(Rules.preset("tetrio-league"), seed=1)
        wanted = game.placements()[0]
        assert game.find_move(wanted) == wanted
        assert game.is_legal(wanted)
        assert not game.is_legal(wanted, hold=True)
        assert not game.is_legal(Placement(game.current, Rotation.NORTH, 4, 10))

    def test_new_pieces(self) -> None:
        """What comes into sight is told as a game of placements tells it."""
        dice = random.Random(1)
        keyed = FrameGame("tetrio-league", seed=5, handling=AT_ONCE)
        placed = Game("tetrio-league", seed=5)
        for _ in range(40):
            # Low, where there is a way without stopping half-way down.
            wanted = min(dice.choices(placed.placements(), k=20), key=lambda one: one.y)
            lock, other = keyed.place(wanted), placed.play(wanted)
            keyed.end_frame()
            assert lock.new_pieces == other.new_pieces
            assert keyed.position().bag == placed.position().bag
            assert keyed.queue == placed.queue
            assert keyed.colors == placed.colors
            if placed.over:
                break
