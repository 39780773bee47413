"""Two players."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sevenbag._kernel import Placement, Rotation
from sevenbag.errors import PlacementError, RulesError
from sevenbag.game import Player, TopOut, Versus


def lowest(player: Player) -> Placement:
    return min(
        player.placements(), key=lambda p: (sum(y for _, y in p.cells), p.x, p.rotation, p.spin)
    )


def tower(player: Player) -> Placement:
    moves = [p for p in player.placements(hold=False) if p.rotation is Rotation.NORTH]
    return max(moves, key=lambda p: (p.y, -abs(p.x - 4)))


def test_both_get_the_same_pieces_and_other_holes() -> None:
    versus = Versus(seed=7)
    first, second = versus.players
    assert first.queue == second.queue
    assert (versus.turn, versus.frame, versus.over, versus.winner) == (0, 0, False, None)


def test_a_turn_passes_for_both_at_once() -> None:
    versus = Versus(seed=7, frames_per_turn=20)
    locks = versus.play(*(lowest(player) for player in versus.players))
    assert [lock.frame for lock in locks] == [20, 20]
    assert (versus.turn, versus.frame) == (1, 20)
    assert versus.players[0].board == versus.players[1].board


def test_an_illegal_move_stops_both() -> None:
    versus = Versus(seed=7)
    good = lowest(versus.players[0])
    bad = Placement(good.piece, good.rotation, good.x, good.y + 3)
    for moves in ((good, bad), (bad, good)):
        with pytest.raises(PlacementError, match=r"mid-air|fit"):
            versus.play(*moves)
        assert versus.turn == 0
        assert all(player.board.is_empty for player in versus.players)


def test_who_tops_out_loses() -> None:
    versus = Versus(seed=7)
    while not versus.over:
        versus.play(tower(versus.players[0]), lowest(versus.players[1]))
    assert versus.winner == 1
    assert versus.players[0].top_out is TopOut.BLOCK_OUT
    with pytest.raises(PlacementError, match="the game is over"):
        versus.play(lowest(versus.players[1]), lowest(versus.players[1]))


def test_both_at_once_is_a_draw() -> None:
    versus = Versus(seed=7)
    while not versus.over:
        versus.play(tower(versus.players[0]), tower(versus.players[1]))
    assert versus.winner is None
    assert all(player.over for player in versus.players)


def test_impossible_time() -> None:
    with pytest.raises(RulesError, match="frames_per_turn is 40000"):
        Versus(frames_per_turn=40000)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**31), choices=st.lists(st.integers(0, 2**16), max_size=80))
def test_what_one_sends_the_other_receives(seed: int, choices: list[int]) -> None:
    versus = Versus(seed=seed)
    sent = [0, 0]
    for choice in choices:
        if versus.over:
            break
        moves = [
            sorted(player.placements(), key=lambda p: sum(y for _, y in p.cells))
            for player in versus.players
        ]
        branch = versus.copy()
        picked = [of[(choice >> i) % min(4, len(of))] for i, of in enumerate(moves)]
        locks = versus.play(picked[0], picked[1])
        again = branch.play(picked[0], picked[1])
        for i, (lock, same) in enumerate(zip(locks, again, strict=True)):
            sent[i] += sum(lock.sent)
            assert (lock.sent, lock.garbage) == (same.sent, same.garbage)
            assert versus.players[i].position() == branch.players[i].position()
    for i, player in enumerate(versus.players):
        assert player.stats.sent == sent[i]
        assert player.stats.received == sent[1 - i]
