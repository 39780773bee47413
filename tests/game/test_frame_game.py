"""Games played frame by frame: two real rounds to the last number, and rules one by one."""

import random
from typing import Any

import pytest

from sevenbag import Placement, Rotation
from sevenbag.errors import InputError, PlacementError, RulesError
from sevenbag.game import Game, Rules
from sevenbag.game.frame_game import Button, FrameGame, FrameRules, Handling
from sevenbag.replay.tetrio_simulation import tetrio_counters
from tests.counted import compared
from tests.game.tetrio_rounds import ROUNDS, board_text, game_of, in_short, script_of


@pytest.mark.parametrize("name", ROUNDS)
class TestRealRounds:
    def test_locks(self, name: str) -> None:
        told = ROUNDS[name]
        game = game_of(told)
        locks = game.run_recorded(script_of(told), told["frames"])
        for number, (lock, line) in enumerate(zip(locks, told["locks"], strict=True), start=1):
            fields = line.split("|")
            del fields[2]
            assert in_short(number, lock) == "|".join(fields)
        assert board_text(game.colors) == told["board"]
        compared("locks played from keys", len(locks))

    def test_numbers(self, name: str) -> None:
        told = ROUNDS[name]
        game = game_of(told)
        game.run_script(script_of(told), told["frames"])
        numbers = tetrio_counters(game)
        for field, recorded in told["numbers"].items():
            assert numbers[field] == pytest.approx(recorded, abs=5e-4), field
        assert game.game_over_reason == told["out"]
        assert game.frame == told["frames"]

    def test_sent_attacks_match_locks(self, name: str) -> None:
        told = ROUNDS[name]
        game = game_of(told)
        locks = game.run_recorded(script_of(told), told["frames"])
        sent = game.take_sent_attacks()
        assert [lines for _, _, lines, _, _, _ in sent] == [
            n for lock in locks for n in lock[0].sent
        ]
        assert [number for _, number, *_ in sent] == list(range(1, len(sent) + 1))
        assert game.take_sent_attacks() == ()

    # Each of these is a rule that decides this round: another one gives other numbers.
    @pytest.mark.parametrize(
        "changes",
        [
            {"das": 16.0},
            {"arr": 5.0},
            {"soft_drop": 6.0},
            {"gravity": 0.06},
            {"cancels_in_flight": False},
        ],
        ids=str,
    )
    def test_loss_reasons(self, name: str, changes: dict[str, float]) -> None:
        told = ROUNDS[name]
        if name == "won" and changes == {"cancels_in_flight": False}:
            pytest.skip("nothing crossed in this round")
        game = game_of(told, **changes)
        game.run_script(script_of(told), told["frames"])
        numbers = tetrio_counters(game)
        assert any(
            numbers[field] != pytest.approx(recorded, abs=5e-4)
            for field, recorded in told["numbers"].items()
        )


def columns(game: FrameGame) -> int:
    return game.piece.x


def frames(game: FrameGame, count: int) -> None:
    for _ in range(count):
        game.end_frame()


class TestKeys:
    def test_one_shift_at_once(self) -> None:
        game = FrameGame(seed=1)
        game.press(Button.MOVE_LEFT)
        assert columns(game) == 3
        frames(game, 9)
        assert columns(game) == 3

    def test_repeats_begin_when_the_charge_is_full(self) -> None:
        game = FrameGame(seed=1, handling=Handling(das=7.5, arr=2))
        game.press(Button.MOVE_LEFT)
        frames(game, 7)
        assert columns(game) == 3
        frames(game, 1)  # 7.5 frames are over: the first repeat
        assert columns(game) == 2
        frames(game, 2)
        assert columns(game) == 1

    def test_no_time_between_repeats(self) -> None:
        game = FrameGame(seed=1, handling=Handling(das=5, arr=0))
        game.press(Button.MOVE_RIGHT)
        frames(game, 5)
        piece = game.piece
        assert not game.board.fits(Placement(piece.piece, piece.rotation, piece.x + 1, piece.y))

    def test_hoisted_keys_are_charged(self) -> None:
        game = FrameGame(seed=1, handling=Handling(das=10, arr=0))
        game.press(Button.MOVE_LEFT, hoisted=True)
        frames(game, 1)
        slow = FrameGame(seed=1, handling=Handling(das=10, arr=0))
        slow.press(Button.MOVE_LEFT)
        frames(slow, 1)
        assert columns(game) < columns(slow)

    def test_the_side_pressed_last_wins(self) -> None:
        game = FrameGame(seed=1, handling=Handling(das=3, arr=1))
        game.press(Button.MOVE_LEFT)
        game.press(Button.MOVE_RIGHT)
        frames(game, 4)
        assert columns(game) > 4

    def test_releasing_gives_the_other_side_back(self) -> None:
        handling: dict[str, Any] = {"das": 3.0, "arr": 1.0}
        kept, dropped = (
            FrameGame(seed=1, handling=Handling(**handling, cancel=cancel))
            for cancel in (False, True)
        )
        for game in (kept, dropped):
            game.press(Button.MOVE_LEFT)
            frames(game, 3)
            game.press(Button.MOVE_RIGHT)
            game.release(Button.MOVE_RIGHT)
            frames(game, 1)
        assert columns(kept) < columns(dropped)

    def test_hold_is_once_a_piece(self) -> None:
        game = FrameGame(seed=1)
        first, second = game.queue[:2]
        game.press(Button.HOLD)
        game.press(Button.HOLD)
        assert (game.hold, game.piece.piece) == (first, second)
        assert (game.stats.holds, game.stats.inputs) == (1, 2)
        free = FrameGame(seed=1, frame_rules=FrameRules(infinite_hold=True))
        free.press(Button.HOLD)
        free.press(Button.HOLD)
        assert (free.hold, free.piece.piece) == (second, first)

    def test_a_held_hold_key_holds_the_next_piece(self) -> None:
        game = FrameGame(seed=1, handling=Handling(initial_hold="hold"))
        pieces = game.queue
        game.press(Button.HOLD)
        game.press(Button.HARD_DROP, 0.5)
        assert (game.hold, game.piece.piece) == (pieces[2], pieces[0])
        assert game.stats.holds == 2

    def test_a_held_key_turns_the_next_piece(self) -> None:
        game = FrameGame(seed=1, handling=Handling(initial_rotation="hold"))
        game.press(Button.ROTATE_CW)
        game.press(Button.HARD_DROP, 0.5)
        assert game.piece.rotation.name == "EAST"

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

    def test_no_hard_drop_just_after_a_lock_by_time(self) -> None:
        def after_lock(*, safe: bool, wait: int) -> int:
            game = FrameGame(seed=1, handling=Handling(soft_drop=41, safe_lock=safe))
            game.press(Button.SOFT_DROP)
            while game.stats.pieces == 0:
                game.end_frame()
            game.release(Button.SOFT_DROP)
            frames(game, wait)
            game.press(Button.HARD_DROP)
            return game.stats.pieces

        assert after_lock(safe=True, wait=6) == 1
        assert after_lock(safe=True, wait=7) == 2
        assert after_lock(safe=False, wait=0) == 2

    def test_disabled_hard_drop(self) -> None:
        game = FrameGame(seed=1, frame_rules=FrameRules(hard_drop=False))
        game.press(Button.HARD_DROP)
        assert game.stats.pieces == 0


class TestTime:
    def test_gravity(self) -> None:
        game = FrameGame(seed=1)
        begun = game.piece.y
        assert game.height == pytest.approx(22.04)
        frames(game, 2)
        assert game.piece.y == begun - 1  # 22.04 less than 0.04 is no longer in row 22
        frames(game, 50)
        assert game.piece.y == begun - 2

    def test_a_soft_dropped_piece_locks_after_half_a_second(self) -> None:
        game = FrameGame(seed=1, handling=Handling(soft_drop=41))
        game.press(Button.SOFT_DROP)
        while game.stats.pieces == 0:
            game.end_frame()
        # It falls and lands in the first frame, and locks after more than 30 frames.
        assert game.frame == 31

    def test_moves_reset_the_lock_delay(self) -> None:
        def locks_at(moves: int) -> int:
            game = FrameGame(seed=1, handling=Handling(soft_drop=41))
            game.press(Button.SOFT_DROP)
            frames(game, 1)
            for number in range(moves):
                frames(game, 20)
                side = Button.MOVE_LEFT if number % 2 else Button.MOVE_RIGHT
                game.press(side)
                game.release(side)
            while game.stats.pieces == 0:
                game.end_frame()
            return game.frame

        assert locks_at(1) == 1 + 20 + 31
        assert locks_at(5) == 1 + 100 + 31
        # The fifteenth does not: the piece locks on landing.
        assert locks_at(15) == 1 + 15 * 20 + 1

    def test_gravity_above_the_board_is_at_once(self) -> None:
        game = FrameGame(seed=1, frame_rules=FrameRules(gravity=21))
        piece = game.piece
        assert game.board.fits(piece)
        assert not game.board.fits(
            Placement(piece.piece, piece.rotation, piece.x, piece.y - 1, piece.spin)
        )

    def test_garbage_enters_after_its_travel_time(self) -> None:
        def enters(wait: int) -> int:
            game = FrameGame(seed=1)
            game.announce(7, 1, 4, 0)
            frames(game, 5)
            game.confirm(7, 1)
            frames(game, wait)
            game.press(Button.HARD_DROP)
            return game.stats.garbage_entered

        assert enters(19) == 0
        assert enters(20) == 4

    def test_unconfirmed_garbage_never_enters(self) -> None:
        game = FrameGame(seed=1)
        game.announce(7, 1, 4, 0)
        frames(game, 100)
        game.press(Button.HARD_DROP)
        assert game.stats.garbage_entered == 0
        assert game.pending == (4,)

    def test_a_game_without_keys_ends(self) -> None:
        game = FrameGame(seed=1)
        game.run_script([], 100_000)
        assert game.game_over_reason == "topout"
        frame = game.frame
        game.press(Button.HARD_DROP)
        assert game.stats.inputs == 0
        game.end_frame()
        assert game.frame == frame + 1
        assert game.duration <= frame


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


def before_the_end() -> FrameGame:
    """Return a game that ends by the lock timer in the first half of the current frame."""

    def stacked() -> FrameGame:
        game = FrameGame(seed=1, handling=Handling(soft_drop=41, safe_lock=False))
        for _ in range(pieces):
            game.press(Button.HARD_DROP)
        game.press(Button.SOFT_DROP)
        return game

    pieces = 0
    whole = FrameGame(seed=1)
    while whole.game_over_reason is None:
        whole.press(Button.HARD_DROP)
        pieces = whole.stats.pieces - 1
    whole = stacked()
    while whole.game_over_reason is None:
        whole.end_frame()
    game = stacked()
    frames(game, whole.frame - 1)
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
        "wrong",
        [{"das": -1}, {"arr": 1e-9}, {"soft_drop": float("nan")}, {"initial_hold": "yes"}],
        ids=str,
    )
    def test_no_keyboard(self, wrong: dict[str, float]) -> None:
        with pytest.raises(RulesError, match=next(iter(wrong))):
            Handling(**wrong)  # type: ignore[arg-type]

    @pytest.mark.parametrize("wrong", [{"gravity": -1}, {"lock_resets": -1}], ids=str)
    def test_no_rules_of_time(self, wrong: dict[str, int]) -> None:
        with pytest.raises(RulesError, match=next(iter(wrong))):
            FrameRules(**wrong)  # type: ignore[arg-type]

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


class TestRefusedPlacements:
    def test_another_piece(self) -> None:
        game = FrameGame(seed=1, handling=AT_ONCE)
        with pytest.raises(PlacementError, match="is in the air, and hold offers"):
            game.place(Placement(game.queue[2], Rotation.NORTH, 4, 0))

    def test_no_path(self) -> None:
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
    def test_judged(self) -> None:
        game = FrameGame(Rules.preset("tetrio-league"), seed=1)
        wanted = game.placements()[0]
        assert game.find_move(wanted) == wanted
        assert game.is_legal(wanted)
        assert not game.is_legal(wanted, hold=True)
        assert not game.is_legal(Placement(game.current, Rotation.NORTH, 4, 10))

    def test_new_pieces(self) -> None:
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
