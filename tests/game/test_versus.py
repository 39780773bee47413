"""Tests of games of two players."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sevenbag._kernel import Board, Placement, Rotation
from sevenbag.errors import BoardError, PlacementError, RulesError
from sevenbag.game import Player, TopOut, Versus
from tests.game.moves import lowest
from tests.properties import examples


def tower(player: Player) -> Placement:
    moves = [p for p in player.placements(hold=False) if p.rotation is Rotation.NORTH]
    return max(moves, key=lambda p: (p.y, -abs(p.x - 4)))


def test_a_turn_passes_for_both_at_once() -> None:
    versus = Versus(seed=7, frames_per_turn=20)
    assert (versus.turn, versus.frame, versus.over, versus.winner) == (0, 0, False, None)
    locks = versus.play(*(lowest(player) for player in versus.players))
    assert [lock.frame for lock in locks] == [20, 20]
    assert (versus.turn, versus.frame) == (1, 20)
    assert versus.players[0].position() == versus.players[1].position()


def test_an_illegal_move_stops_both() -> None:
    versus = Versus(seed=7)
    good = lowest(versus.players[0])
    bad = Placement(good.piece, good.rotation, good.x, good.y + 3)
    for moves in ((good, bad), (bad, good)):
        with pytest.raises(PlacementError, match=r"mid-air|fit"):
            versus.play(*moves)
        assert versus.turn == 0
        assert all(player.board.is_empty for player in versus.players)


def test_top_out_loses() -> None:
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


@examples(15)
@given(seed=st.integers(0, 2**31), choices=st.lists(st.integers(0, 2**16), max_size=80))
def test_sent_lines_are_received(seed: int, choices: list[int]) -> None:
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


WELL = Board.from_text("#########.\n" * 4)


def vertical(player: Player) -> Placement:
    """Return the placement of an I in the well on the right."""
    return next(p for p in player.placements() if {x for x, _ in p.cells} == {9} and p.y <= 3)


@given(st.integers(0, 1000), st.lists(st.integers(0, 2**30), min_size=1, max_size=60))
@examples(40)
def test_both_at_the_same_frames_are_as_in_turns(seed: int, choices: list[int]) -> None:
    turns, times = Versus(seed=seed, frames_per_turn=12), Versus(seed=seed)
    for number, choice in enumerate(choices, start=1):
        if turns.over:
            break
        moves = [player.placements() for player in turns.players]
        first, second = (each[choice % len(each)] for each in moves)
        locks = turns.play(first, second)
        same = times.lock_at(12 * number, first, second)
        for lock, other in zip(locks, same, strict=True):
            assert other is not None
            assert (lock.placement, lock.frame, lock.lines, tuple(lock.garbage)) == (
                other.placement,
                other.frame,
                other.lines,
                tuple(other.garbage),
            )
    assert (times.over, times.winner) == (turns.over, turns.winner)
    for one, two in zip(turns.players, times.players, strict=True):
        assert one.position() == two.position()
        assert (one.stats.sent, one.stats.received) == (two.stats.sent, two.stats.received)


def test_attacks_travel_during_play() -> None:
    seed = next(s for s in range(99) if Versus(seed=s).players[0].current.name == "I")
    versus = Versus(seed=seed, boards=(WELL, None))
    first, second = versus.players
    lock, nothing = versus.lock_at(100, vertical(first))
    assert lock is not None
    assert (lock.lines, tuple(lock.sent), nothing) == (4, (10,), None)
    assert second.pending == (10,)
    # Under the guideline's rules it travels for 30 frames.
    for frame, entered in ((129, 0), (130, 10)):
        _, lock = versus.lock_at(frame, None, lowest(second))
        assert lock is not None
        assert len(lock.garbage) == entered
    assert (versus.frame, second.frame, first.frame) == (130, 130, 100)


def test_simultaneous_locks_precede_their_attacks() -> None:
    seed = next(s for s in range(99) if Versus(seed=s).players[0].current.name == "I")
    versus = Versus(seed=seed, boards=(WELL, WELL))
    locks = versus.lock_at(9, *(vertical(player) for player in versus.players))
    assert [tuple(lock.sent) for lock in locks if lock is not None] == [(10,), (10,)]
    assert [player.pending for player in versus.players] == [(10,), (10,)]


def test_errors_leave_the_game_unchanged() -> None:
    versus = Versus(seed=7)
    first, second = versus.players
    versus.lock_at(50, lowest(first))
    before = [player.position() for player in versus.players]
    with pytest.raises(RulesError, match="invalid frame: expected at least 50, got 49"):
        versus.lock_at(49, None, lowest(second))
    with pytest.raises(RulesError, match="frame"):
        versus.lock_at(6_000_000, lowest(first))
    good = lowest(first)
    bad = Placement(good.piece, good.rotation, good.x, good.y + 3)
    with pytest.raises(PlacementError):
        versus.lock_at(60, lowest(first), bad)
    assert [player.position() for player in versus.players] == before
    while not versus.over:
        versus.lock_at(versus.frame + 1, tower(first))
    with pytest.raises(PlacementError, match="over"):
        versus.lock_at(versus.frame + 1, None, lowest(second))
    assert versus.winner == 1


def test_a_board_must_be_of_the_size_of_the_rules() -> None:
    with pytest.raises(BoardError):
        Versus(boards=(Board(8, 40), None))
