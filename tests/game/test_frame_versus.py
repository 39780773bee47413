"""Tests of frame-by-frame games of several players: network, attacks and placements."""

import random

import pytest

from sevenbag.errors import PlacementError, RulesError
from sevenbag.game import Rules, Versus
from sevenbag.game.frame_game import Button, Handling
from sevenbag.game.frame_versus import FrameVersus, GravityVersus

AT_ONCE = Handling(soft_drop=41)

# Every clear sends, so that random placements do.
HEAVY = Rules.preset("tetrio-default").replace(
    {
        "board": {"width": 4, "rows": 40, "visible": 20},
        "spawn": {"x": 1},
        "attack": {"none": [0, 1, 3, 5, 7]},
    }
)


def play(match: FrameVersus, seed: int, frames: int = 2000) -> list[tuple[object, ...]]:
    """Place pieces at random; return boards, pending garbage and sent lines of each frame."""
    dice = random.Random(seed)
    seen: list[tuple[object, ...]] = []
    while not match.over and match.frame < frames:
        for player in match.players:
            if dice.random() < 0.1 and not player.over:
                try:
                    player.place(dice.choice(player.placements()))
                except PlacementError:
                    player.press(Button.HARD_DROP)
        match.end_frame()
        seen.append(tuple((one.colors, one.pending, one.stats.sent) for one in match.players))
    return seen


class TestNetwork:
    @pytest.mark.parametrize("latency", [0, 1, 7, 60])
    def test_attacks_arrive_after_so_long(self, latency: int) -> None:
        match = FrameVersus(HEAVY, 3, handlings=(AT_ONCE, AT_ONCE), latency=latency)
        first, second = match.players
        dice = random.Random(latency)
        while not first.stats.sent:
            first.place(dice.choice(first.placements()))
            match.end_frame()
            assert not first.over
        sent_at = match.frame - 1
        while not second.pending:
            assert match.frame <= sent_at + latency + 1
            match.end_frame()
        assert match.frame == sent_at + latency + 1
        assert sum(second.pending) == first.stats.sent
        # It leaves once confirmed, and may enter after its travel time.
        while match.frame < sent_at + 1 + 2 * latency + HEAVY.garbage.travel - 1:
            match.end_frame()
        second.place(second.placements()[0])
        assert second.stats.garbage_entered == 0
        match.end_frame()
        second.place(second.placements()[0])
        assert second.stats.garbage_entered > 0

    @pytest.mark.parametrize("latency", [0, 12])
    def test_no_line_is_lost(self, latency: int) -> None:
        sent = 0
        for seed in range(15):
            match = FrameVersus(HEAVY, seed, handlings=(AT_ONCE, AT_ONCE), latency=latency)
            play(match, seed)
            first, second = match.players
            for one, other in ((first, second), (second, first)):
                assert other.stats.received <= one.stats.sent
                sent += one.stats.sent
                done = other.stats.garbage_entered + other.stats.cancelled + sum(other.pending)
                assert done <= one.stats.sent
        assert sent > 40

    def test_crossing_attacks_cancel(self) -> None:
        """Attacks that cross on the way cancel each other."""
        match = FrameVersus(HEAVY, 3, handlings=(AT_ONCE, AT_ONCE), latency=30)
        dice = random.Random(1)
        first, second = match.players
        while not first.stats.sent:
            wanted = dice.choice(first.placements())
            first.place(wanted)
            second.place(wanted)
            match.end_frame()
        for _ in range(61):
            match.end_frame()
        assert first.stats.sent == second.stats.sent
        assert first.pending == second.pending == ()

    def test_the_same_again(self) -> None:
        one, two = (FrameVersus(HEAVY, 5, handlings=(AT_ONCE, AT_ONCE)) for _ in range(2))
        assert play(one, 9) == play(two, 9)


class TestEnd:
    def test_the_one_who_is_left(self) -> None:
        match = FrameVersus(seed=1, handlings=(AT_ONCE, AT_ONCE, AT_ONCE))
        for number in (1, 0):
            assert not match.over
            while number in match.remaining:
                match.players[number].press(Button.HARD_DROP)
                match.end_frame()
        assert (match.over, match.winner, match.remaining) == (True, 2, (2,))

    def test_simultaneous_locks(self) -> None:
        match = FrameVersus(seed=1)
        while not match.over:
            for player in match.players:
                player.press(Button.HARD_DROP)
            match.end_frame()
        assert match.winner is None


@pytest.mark.parametrize(
    ("wrong", "words"),
    [({"latency": -1}, "latency"), ({"latency": 601}, "latency"), ({"handlings": [None]}, "got 1")],
)
def test_refused(wrong: dict[str, object], words: str) -> None:
    with pytest.raises(RulesError, match=words):
        FrameVersus(**wrong)  # type: ignore[arg-type]


def test_placements_as_in_every_other_game() -> None:
    """Without pending garbage, equal placements give equal boards."""
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
            assert lock.placement.same_cells(other.placement)
            assert lock.new_pieces == other.new_pieces
        assert not keyed.locked_by_itself
        if any(player.stats.sent for player in placed.players):
            break
        for one, other_player in zip(keyed.players, placed.players, strict=True):
            assert one.colors == other_player.colors
            assert one.queue == other_player.queue
            assert one.position().bag == other_player.position().bag
    assert turn > 5


def test_unplaced_piece_locks_by_gravity() -> None:
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


def test_refused_placements() -> None:
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
