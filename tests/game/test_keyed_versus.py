"""A versus game whose placements are keys: it plays as every other, and pieces fall meanwhile."""

from __future__ import annotations

import random

import pytest

from sevenbag.errors import PlacementError, RulesError
from sevenbag.game import Versus
from sevenbag.game.frame_versus import GravityVersus


def test_placements_as_in_every_other_game() -> None:
    """As long as nothing waits and nothing enters, the same placements make the same boards."""
    dice = random.Random(4)
    keyed, placed = GravityVersus("tetrio-league", 6), Versus("tetrio-league", 6)
    turn = 0
    for turn in range(1, 25):
        moves = [
            min(dice.choices(player.placements(), k=30), key=lambda one: one.y)
            for player in placed.players
        ]
        locks = keyed.lock_at(turn * 20, moves[0], moves[1])
        others = placed.lock_at(turn * 20, moves[0], moves[1])
        for lock, other in zip(locks, others, strict=True):
            assert lock is not None
            assert other is not None
            assert (lock.lines, lock.attacks, lock.spin) == (other.lines, other.attacks, other.spin)
            assert set(lock.placement.cells) == set(other.placement.cells)
        assert not keyed.locked_by_itself
        if any(player.stats.sent for player in placed.players):
            break
        for one, other_player in zip(keyed.players, placed.players, strict=True):
            assert one.colors == other_player.colors
            assert one.queue == other_player.queue
    assert turn > 5


def test_a_piece_that_nobody_places_locks_by_itself() -> None:
    game = GravityVersus("tetrio-league", 1)
    wanted = game.players[0].placements()[0]
    locks = game.lock_at(10_000, wanted, None)
    assert game.locked_by_itself
    assert all(lock is not None for lock in locks)
    # Twenty rows at 0.02 rows a frame, and half a second.
    assert 1000 < game.frame < 1100
    while not game.over:
        game.lock_at(500_000)
    assert game.winner is None


def test_refused() -> None:
    game = GravityVersus("tetrio-league", 1)
    first = game.players[0].placements()[0]
    with pytest.raises(PlacementError, match="the game has no turns"):
        game.play(first, first)
    with pytest.raises(PlacementError, match="copied"):
        game.copy()
    game.lock_at(5, first)
    with pytest.raises(RulesError, match="invalid frame: expected at least 5, got 4"):
        game.lock_at(4, first)
    with pytest.raises(PlacementError, match="cannot be reached"):
        game.lock_at(6, first)
    with pytest.raises(RulesError, match="frame-by-frame"):
        GravityVersus("ppt", 1)
