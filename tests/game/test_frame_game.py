"""Tests of frame-by-frame games: two real rounds, placements and invalid input."""

import random
from typing import Any

import pytest

from sevenbag import Placement, Rotation
from sevenbag.errors import InputError, PlacementError, RulesError
from sevenbag.game import Rules
from sevenbag.game.frame_game import Button, FrameGame, FrameRules, Handling
from sevenbag.replay.tetrio_simulation import tetrio_counters
from tests.counted import compared
from tests.game.tetrio_rounds import ROUNDS, board_text, game_of, in_short, script_of


@pytest.mark.parametrize("name", ROUNDS)
def test_locks_and_numbers_of_real_rounds(name: str) -> None:
    told = ROUNDS[name]
    game = game_of(told)
    locks = game.run_recorded(script_of(told), told["frames"])
    for number, (lock, line) in enumerate(zip(locks, told["locks"], strict=True), start=1):
        fields = line.split("|")
        del fields[2]
        assert in_short(number, lock) == "|".join(fields)
    assert board_text(game.colors) == told["board"]
    compared("locks played from keys", len(locks))
    numbers = tetrio_counters(game)
    for field, recorded in told["numbers"].items():
        assert numbers[field] == pytest.approx(recorded, abs=5e-4), field
    assert (game.game_over_reason, game.frame) == (told["out"], told["frames"])
    sent = game.take_sent_attacks()
    assert [lines for _, _, lines, *_ in sent] == [n for lock in locks for n in lock[0].sent]
    assert [number for _, number, *_ in sent] == list(range(1, len(sent) + 1))
    assert game.take_sent_attacks() == ()


class TestKeys:
    @pytest.mark.parametrize("holds", [False, True])
    def test_held_half_turn_rotates_even_without_half_turns(self, holds: bool) -> None:
        """Triangle.js checks whether half turns are allowed only when their key is pressed."""
        rules = Rules.preset("tetrio-default").replace({"pieces": {"kicks": "srs+ without 180"}})
        game = FrameGame(rules, seed=1, handling=Handling(initial_rotation="hold"))
        game.press(Button.ROTATE_180)
        assert game.piece.rotation.name == "NORTH"
        game.press(Button.HOLD if holds else Button.HARD_DROP)
        assert game.piece.rotation.name == "SOUTH"
        game.press(Button.ROTATE_CW)
        game.press(Button.HARD_DROP)
        assert game.piece.rotation.name == "WEST"

    def test_disabled_hard_drop(self) -> None:
        game = FrameGame(seed=1, frame_rules=FrameRules(hard_drop=False))
        game.press(Button.HARD_DROP)
        assert game.stats.pieces == 0


class TestEnd:
    def test_key_counts_if_the_player_tops_out_before_its_moment(self) -> None:
        game = before_the_end()
        inputs, pieces, frame = game.stats.inputs, game.stats.pieces, game.frame
        game.press(Button.HOLD, 0.5)
        assert game.game_over_reason == "topout"
        assert game.stats.inputs == inputs + 1
        assert (game.stats.holds, game.stats.pieces) == (0, pieces + 1)
        assert game.duration == frame
        game.press(Button.MOVE_LEFT, 0.5)
        game.end_frame()
        game.press(Button.MOVE_LEFT)
        assert game.stats.inputs == inputs + 1

    def test_messages_count_up_to_the_frame_after_top_out(self) -> None:
        game = before_the_end()
        for number in range(1, 5):
            game.announce(sender=7, number=number, lines=1, acknowledged=0)
        game.confirm(7, 1)
        game.press(Button.HOLD, 0.5)
        assert game.game_over_reason is not None
        game.confirm(7, 2)
        game.end_frame()
        game.confirm(7, 3)
        game.end_frame()
        game.confirm(7, 4)
        assert game.stats.received == 3


def stacked(pieces: int) -> FrameGame:
    """Return a game with some pieces dropped and the next one falling to the stack."""
    game = FrameGame(seed=1, handling=Handling(soft_drop=41, safe_lock=False))
    for _ in range(pieces):
        game.press(Button.HARD_DROP)
    game.press(Button.SOFT_DROP)
    return game


def before_the_end() -> FrameGame:
    """Return a game that ends by the lock timer in the first half of the current frame."""
    whole = FrameGame(seed=1)
    while whole.game_over_reason is None:
        whole.press(Button.HARD_DROP)
    pieces = whole.stats.pieces - 1
    whole = stacked(pieces)
    while whole.game_over_reason is None:
        whole.end_frame()
    game = stacked(pieces)
    for _ in range(whole.frame - 1):
        game.end_frame()
    assert game.game_over_reason is None
    return game


class TestBounds:
    @pytest.mark.parametrize(
        "script",
        [
            [1],
            [-1, 0, 0, 0],
            [0, 9],
            [0, 0, 99, 0],
            [0, 0, 0, 2],
            [0, 0, 0, float("nan")],
            [0.5, 0, 0, 0],
            [5, 0, 0, 0, 4, 0, 0, 0],
            [0, 3, 1, 1, -5, 0, -1],
            [0, 3, 1, 1, 5, 0, 40],
            [0, 5, 1e9],
            [0, 5, 3, 1],
        ],
        ids=str,
    )
    def test_no_script(self, script: list[float]) -> None:
        with pytest.raises(InputError, match="of a script"):
            FrameGame().run_script(script, 10)

    def test_script_with_unknown_events(self) -> None:
        with pytest.raises(TypeError):
            FrameGame().run_script(["now"], 10)  # type: ignore[list-item]

    @pytest.mark.parametrize(
        ("kind", "wrong"),
        [
            (Handling, {"das": -1}),
            (Handling, {"arr": 1e-9}),
            (Handling, {"soft_drop": float("nan")}),
            (Handling, {"initial_hold": "yes"}),
            (FrameRules, {"gravity": -1}),
            (FrameRules, {"lock_resets": -1}),
        ],
        ids=str,
    )
    def test_invalid_settings(self, kind: Any, wrong: dict[str, object]) -> None:
        with pytest.raises(RulesError, match=next(iter(wrong))):
            kind(**wrong)

    @pytest.mark.parametrize("moment", [-0.1, 1.5, float("nan")])
    def test_no_moment(self, moment: float) -> None:
        with pytest.raises(InputError, match="invalid subframe"):
            FrameGame().press(Button.HOLD, moment)

    @pytest.mark.parametrize("preset", ["jstris", "ppt", "botris", "pason-2012", "guideline"])
    def test_rules_that_are_not_played_so(self, preset: str) -> None:
        rules = Rules.preset(preset)
        try:
            FrameGame(rules).run_script([], 2000)
        except RulesError as error:
            assert "frame-by-frame" in str(error)  # noqa: PT017


AT_ONCE = Handling(soft_drop=41)


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
            assert lock.placement.same_cells(wanted)
            assert lock.spin == wanted.spin
            placed += 1
    assert placed > 150
    assert skipped < placed / 10


def test_hold() -> None:
    game = FrameGame(seed=1, handling=AT_ONCE)
    first, second, third = game.queue[:3]
    wanted = next(one for one in game.placements() if one.piece == second)
    assert game.is_legal(wanted)
    assert not game.is_legal(wanted, hold=False)
    assert game.place(wanted).placement.piece == second
    assert (game.hold, game.current) == (first, third)
    assert game.stats.holds == 1


def test_refused_placements() -> None:
    game = FrameGame(seed=1, handling=AT_ONCE)
    wanted = game.placements()[0]
    with pytest.raises(PlacementError, match="is in the air, and hold offers"):
        game.place(Placement(game.queue[2], Rotation.NORTH, 4, 0))
    nowhere = Placement(game.current, Rotation.NORTH, 4, 10)
    assert not game.is_legal(nowhere)
    with pytest.raises(PlacementError, match="no keys lead to"):
        game.place(nowhere)
    with pytest.raises(InputError, match="invalid subframe"):
        game.place(wanted, 1.0)
    assert game.stats.inputs == 0
    with pytest.raises(RulesError, match="soft drop by 20"):
        FrameGame(seed=1, handling=Handling(soft_drop=20)).place(wanted)
    game.press(Button.SOFT_DROP)
    while game.stats.pieces == 0:
        game.end_frame()
    game.release(Button.SOFT_DROP)
    with pytest.raises(PlacementError, match="would be ignored"):
        game.place(game.placements()[0])
    game.run_script([], 100_000)
    assert game.placements() == []
    with pytest.raises(PlacementError, match="over"):
        game.place(wanted)
