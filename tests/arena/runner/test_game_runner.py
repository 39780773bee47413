"""Tests of the game runner: endings, and faults of bots."""

import asyncio
import time
from collections.abc import Callable
from typing import NoReturn

import pytest

from sevenbag._kernel import LockResult, Piece, Placement, Rotation, Spin
from sevenbag.arena.runner.game_options import BotDeadlines
from sevenbag.arena.runner.game_runner import unique_names
from sevenbag.arena.runner.observers import GameObserver, GameStart, PlayedTurn
from sevenbag.bots.bot import Limits, Position, Suggestion, make_names_unique
from sevenbag.errors import (
    BotDiedError,
    BotForfeitError,
    BotProtocolError,
    BotStartError,
    BotTimeoutError,
    ProtocolError,
)
from sevenbag.game.game_result import GameEnding, GameResult, LossReason
from tests.arena.bots import FaultyBot, HoldBot, LowBot, QuadBot, TowerBot
from tests.arena.games import PATIENT, play

QUICK = BotDeadlines(prepare=0.2, update=0.2, suggest=0.2, stop=0.2, quit=0.2)
"""Deadlines for bots that hang."""


def locks_of(turn: PlayedTurn) -> tuple[LockResult, LockResult]:
    """Return the locks of both players, which take turns."""
    first, second = turn.locks
    assert first is not None
    assert second is not None
    return first, second


def raising(error: BaseException) -> Callable[[], NoReturn]:
    def fail() -> NoReturn:
        raise error

    return fail


async def hang() -> None:
    await asyncio.sleep(3600)


class Stubborn:
    """Will not be cancelled, until it is released."""

    def __init__(self) -> None:
        self.released = asyncio.Event()

    async def __call__(self) -> None:
        while not self.released.is_set():
            try:
                await self.released.wait()
            except asyncio.CancelledError:
                continue


class Log(GameObserver):
    """Observer that records its events."""

    def __init__(self) -> None:
        self.openings: list[GameStart] = []
        self.turns: list[PlayedTurn] = []
        self.results: list[GameResult] = []

    def game_started(self, start: GameStart) -> None:
        self.openings.append(start)

    def turn_played(self, turn: PlayedTurn) -> None:
        self.turns.append(turn)

    def game_ended(self, result: GameResult) -> None:
        self.results.append(result)


async def test_a_game_ends_at_the_piece_limit_and_more_attack_wins() -> None:
    log = Log()
    result = await play(LowBot("a"), LowBot("b"), log)
    assert result.ending is GameEnding.PIECES
    assert result.losses == (None, None)
    assert result.names == ("a", "b")
    assert [stats.pieces for stats in result.stats] == [20, 20]
    # Same bot, same pieces, no garbage yet: a draw.
    assert result.winner is None
    assert log.results == [result]
    assert [turn.number for turn in log.turns] == list(range(1, 21))
    assert log.openings[0].game.turn == 20


async def test_top_out_loses() -> None:
    result = await play(LowBot(), TowerBot(), pieces=None)
    assert result.winner == 0
    assert result.ending is GameEnding.LOSS
    assert result.losses[0] is None
    assert result.losses[1] is not None
    assert result.losses[1].reason in {LossReason.BLOCK_OUT, LossReason.LOCK_OUT}
    assert "low wins: tower lost by" in str(result)


async def test_both_topping_out_at_once_is_a_draw() -> None:
    result = await play(TowerBot("a"), TowerBot("b"), pieces=None)
    assert result.winner is None
    assert result.ending is GameEnding.LOSS
    assert all(result.losses)
    assert str(result).startswith("draw as both topped out")


async def test_bots_receive_updates_in_order() -> None:
    first, second = LowBot(), LowBot()
    await play(first, second, pieces=3)
    turn = ["suggest", "play", "new_piece"]
    assert first.calls == ["prepare", "start", *turn, *turn, "suggest", "stop", "quit"]
    assert second.calls == first.calls


async def test_a_first_hold_deals_two_pieces() -> None:
    bot = HoldBot()
    result = await play(bot, LowBot(), pieces=8)
    assert result.losses == (None, None)
    assert bot.calls.count("new_piece") == 8
    assert bot.hold is not None
    assert len(bot.queue) == 6


async def test_positions_tracked_by_bots_agree() -> None:
    log = Log()
    bot = HoldBot()
    await play(bot, LowBot(), log, pieces=15)
    before_last = log.openings[0].game.players[0]
    assert bot.board is not None
    assert bot.calls.count("start") == 1
    # The last move is not sent, because the game is over.
    last, _ = locks_of(log.turns[-1])
    assert bot.board.cell_count + 4 - 10 * last.lines == before_last.board.cell_count


async def test_bot_is_told_pending_garbage_at_every_question() -> None:
    log = Log()
    known: list[tuple[int, ...]] = []
    there: list[tuple[int, ...]] = []

    class Listener(LowBot):
        pending: tuple[int, ...] = ()

        async def start(self, position: Position) -> None:
            await super().start(position)
            self.pending = position.pending

        async def garbage(self, pending: tuple[int, ...]) -> None:
            self.pending = pending

        async def suggest(self, limits: Limits) -> Suggestion:
            known.append(self.pending)
            there.append(log.openings[0].game.players[1].pending)
            return await super().suggest(limits)

    await play(QuadBot("quads"), Listener(), log, pieces=60, seed=3)
    assert any(there)
    assert known == there


async def test_garbage_puts_a_bot_before_a_new_position() -> None:
    log = Log()
    quads, low = QuadBot("quads"), LowBot()
    result = await play(quads, low, log, pieces=60, seed=3)
    assert result.stats[0].attack > 0
    entered = [turn.number for turn in log.turns if locks_of(turn)[1].garbage]
    assert entered
    # One start for the beginning and one for each entry that a turn followed.
    followed = [number for number in entered if number < len(log.turns)]
    assert len(low.starts) == 1 + len(followed)
    assert any("G" in row for row in (low.starts[1].colors or ()))
    assert low.calls.count("play") == len(log.turns) - 1 - len(followed)


async def test_the_first_legal_move_is_played() -> None:
    log = Log()

    class Hopeful(LowBot):
        def choice(self) -> Placement:
            return super().choice()

        async def suggest(self, limits: Limits) -> Suggestion:
            good = (await super().suggest(limits)).moves[0]
            wrong = next(piece for piece in Piece if piece not in self.queue[:2])
            impossible = (
                Placement(wrong, Rotation.NORTH, 4, 0),
                Placement(good.piece, good.rotation, good.x, 30),
                Placement(good.piece, good.rotation, 15, good.y),
            )
            return Suggestion((*impossible, good))

    result = await play(Hopeful(), LowBot(), log, pieces=5)
    assert result.losses == (None, None)
    for turn in log.turns:
        first, second = locks_of(turn)
        assert first.placement.same_cells(second.placement)


async def test_spins_are_judged_and_not_believed() -> None:
    log = Log()

    class Boaster(LowBot):
        def choice(self) -> Placement:
            move = super().choice()
            return Placement(move.piece, move.rotation, move.x, move.y, Spin.FULL)

    result = await play(Boaster(), LowBot(), log, pieces=10)
    assert result.stats[0].attack == result.stats[1].attack
    assert all(locks_of(turn)[0].placement.spin is Spin.NONE for turn in log.turns)


@pytest.mark.parametrize("method", ["start", "suggest", "play", "new_piece"])
@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (raising(BotDiedError("x", "ended with exit code 3")), LossReason.CRASH),
        (raising(BotTimeoutError("x", "said nothing")), LossReason.TIMEOUT),
        (raising(BotProtocolError("x", "said 'hello'")), LossReason.INVALID_MESSAGE),
        (raising(BotForfeitError("x", "gave up")), LossReason.FORFEIT),
        (raising(ProtocolError("is 7", "move.location.x")), LossReason.INVALID_MESSAGE),
        (raising(ZeroDivisionError("division by zero")), LossReason.CRASH),
        (raising(TimeoutError()), LossReason.TIMEOUT),
        (raising(asyncio.CancelledError()), LossReason.CRASH),
        (hang, LossReason.TIMEOUT),
    ],
)
async def test_a_fault_is_a_counted_loss(
    method: str, fault: Callable[[], object], reason: LossReason
) -> None:
    other = LowBot()
    faulty = FaultyBot(method, fault, turn=1 if method == "start" else 2)
    log = Log()
    result = await play(other, faulty, log, deadlines=QUICK)
    assert result.winner == 0
    assert result.ending is GameEnding.LOSS
    assert result.losses[1] is not None
    assert result.losses[1].reason is reason
    assert result.losses[0] is None
    assert log.results == [result]
    assert other.calls[-2:] == ["stop", "quit"]
    assert faulty.calls[-1] == "quit"
    assert result.stats[0].pieces == len(log.turns)


@pytest.mark.parametrize(
    ("answer", "reason", "words"),
    [
        (Suggestion(()), LossReason.RESIGNATION, "no move"),
        ("rubbish", LossReason.INVALID_MESSAGE, "'rubbish'"),
        (Suggestion(("I",)), LossReason.INVALID_MESSAGE, "'I'"),  # type: ignore[arg-type]
        (Suggestion((Placement("I", Rotation.NORTH, 4, 30),)), LossReason.ILLEGAL, "I"),
    ],
)
async def test_a_wrong_answer_is_a_counted_loss(
    answer: object, reason: LossReason, words: str
) -> None:
    result = await play(FaultyBot("suggest", lambda: answer, turn=3), LowBot())
    assert result.winner == 1
    assert result.losses[0] is not None
    assert result.losses[0].reason is reason
    assert words in result.losses[0].detail
    assert result.stats[1].pieces == 2


async def test_two_faults_in_one_turn_are_a_draw() -> None:
    first = FaultyBot("suggest", hang, turn=2, name="a")
    second = FaultyBot("suggest", raising(BotDiedError("b", "killed")), turn=2, name="b")
    result = await play(first, second, deadlines=QUICK)
    assert result.winner is None
    assert [fall and fall.reason for fall in result.losses] == [
        LossReason.TIMEOUT,
        LossReason.CRASH,
    ]
    assert str(result).startswith("draw by double fault")


async def test_resignation_is_not_a_fault() -> None:
    resigning = FaultyBot("suggest", lambda: Suggestion(()), turn=2, name="a")
    result = await play(resigning, LowBot())
    assert str(result).startswith("low wins: a lost by resignation (suggested no move)")
    fall = result.losses[0]
    assert fall is not None
    assert not fall.reason.is_fault
    assert not fall.reason.is_top_out
    both = [FaultyBot("suggest", lambda: Suggestion(()), turn=2, name=name) for name in "ab"]
    result = await play(both[0], both[1], double="attack")
    assert result.winner is None
    assert str(result).startswith("draw as both lost: a: resignation")


async def test_a_fault_and_an_illegal_move_in_one_turn_are_a_draw() -> None:
    impossible = Suggestion((Placement("I", Rotation.NORTH, 4, 30),))
    first = FaultyBot("suggest", lambda: impossible, name="a")
    second = FaultyBot("suggest", raising(BotDiedError("b", "killed")), name="b")
    result = await play(first, second)
    assert [fall and fall.reason for fall in result.losses] == [
        LossReason.ILLEGAL,
        LossReason.CRASH,
    ]


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (raising(BotStartError("x", "no such command")), LossReason.NO_START),
        (hang, LossReason.TIMEOUT),
    ],
)
async def test_bot_that_does_not_start_loses(
    fault: Callable[[], object], reason: LossReason
) -> None:
    log, other = Log(), LowBot()
    result = await play(FaultyBot("prepare", fault), other, log, deadlines=QUICK)
    assert result.winner == 1
    assert result.losses[0] is not None
    assert result.losses[0].reason is reason
    assert other.calls == ["prepare", "quit"]
    assert not log.turns
    assert len(log.openings) == 1
    assert log.results == [result]


@pytest.mark.parametrize("method", ["suggest", "play", "stop", "quit"])
async def test_bot_that_ignores_cancellation_is_abandoned(method: str) -> None:
    stubborn = Stubborn()
    result = await play(FaultyBot(method, stubborn), other := LowBot(), pieces=3, deadlines=QUICK)
    assert other.calls[-1] == "quit"
    if method in {"suggest", "play"}:
        assert result.winner == 1
    stubborn.released.set()
    await asyncio.sleep(0)


@pytest.mark.parametrize("method", ["stop", "quit"])
@pytest.mark.parametrize("fault", [raising(OSError("broken pipe")), hang])
async def test_faults_after_the_game_are_ignored(method: str, fault: Callable[[], object]) -> None:
    result = await play(FaultyBot(method, fault), LowBot(), pieces=3, deadlines=QUICK)
    assert result.ending is GameEnding.PIECES
    assert result.losses == (None, None)


async def test_interrupted_game_is_reported_and_bots_are_ended() -> None:
    log = Log()
    asked = asyncio.Event()

    async def hang_when_asked() -> None:
        asked.set()
        await hang()

    first, second = FaultyBot("suggest", hang_when_asked, turn=4, name="a"), LowBot()
    task = asyncio.ensure_future(play(first, second, log, deadlines=BotDeadlines(suggest=3600)))
    await asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [result.ending for result in log.results] == [GameEnding.INTERRUPTED]
    assert log.results[0].winner is None
    assert len(log.turns) == 3
    assert first.calls[-2:] == second.calls[-2:] == ["stop", "quit"]


async def test_repeated_interrupts_still_end_the_bots() -> None:
    asked, quitting, released = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def think() -> None:
        asked.set()
        await hang()

    class Slow(FaultyBot):
        async def quit(self) -> None:
            quitting.set()
            await released.wait()
            await super().quit()

    slow = Slow("suggest", think)
    patient = BotDeadlines(suggest=3600, stop=3600, quit=3600)
    task = asyncio.ensure_future(play(slow, LowBot(), deadlines=patient))
    await asked.wait()
    task.cancel()
    await quitting.wait()
    for _ in range(5):
        task.cancel()
        await asyncio.sleep(0)
    assert not task.done()
    released.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert slow.calls[-1] == "quit"


async def test_a_watcher_that_fails_ends_the_game_but_not_without_ending_the_bots() -> None:
    class Broken(GameObserver):
        def turn_played(self, turn: PlayedTurn) -> None:
            raise BrokenPipeError

    bot = LowBot()
    with pytest.raises(BrokenPipeError):
        await play(bot, LowBot(), Broken())
    assert bot.calls[-2:] == ["stop", "quit"]


async def test_both_bots_think_at_the_same_time() -> None:
    both = asyncio.Barrier(2)

    async def think() -> None:
        await both.wait()
        await asyncio.sleep(0.15)

    result = await play(FaultyBot("suggest", think), FaultyBot("suggest", think), pieces=1)
    assert result.losses == (None, None)
    assert all((stats.thinking_seconds or 0) > 0.14 for stats in result.stats)


@pytest.mark.parametrize(("milliseconds", "deadlines"), [(60_000, QUICK), (100, PATIENT)])
async def test_granted_time_extends_the_deadline(
    milliseconds: float, deadlines: BotDeadlines
) -> None:
    async def think() -> None:
        await asyncio.sleep(0.3)

    limits = Limits(milliseconds=milliseconds)
    result = await play(
        FaultyBot("suggest", think),
        LowBot(),
        pieces=1,
        limits=(limits, limits),
        deadlines=deadlines,
    )
    assert result.losses == (None, None)


async def test_pace_is_observed() -> None:
    began = time.monotonic()
    result = await play(LowBot(), LowBot(), pieces=3, pps=5)
    took = time.monotonic() - began
    assert took >= 2 / 5
    # Waiting for the turn is not thinking.
    assert all((stats.thinking_seconds or 0) < took / 2 for stats in result.stats)


async def test_positions_match_the_game() -> None:
    bot = LowBot()
    await play(bot, LowBot(), pieces=1)
    position: Position = bot.starts[0]
    assert position.board.is_empty
    assert len(position.queue) == 6
    assert position.hold is None
    assert position.bag is not None
    assert len(position.bag) == 1


def test_equal_names_get_suffixes() -> None:
    assert unique_names("a", "b") == ("a", "b")
    assert unique_names("a", "b", ("x", "y")) == ("a", "b")
    assert unique_names("a", "a") == ("a (1)", "a (2)")
    assert unique_names("a", "a", ("a", "a:n=1")) == ("a", "a:n=1")
    assert unique_names("a", "a", ("a:n=1", "a:n=1")) == ("a (1)", "a (2)")
    assert unique_names("a", "a", ("a", "a:" + "n" * 50)) == ("a (1)", "a (2)")
    assert unique_names("a", "a", ("a", "a\n")) == ("a (1)", "a (2)")
    names, specs = ("a:n=1", "a", "a"), ("b", "a:n=1", "a:n=2")
    assert make_names_unique(names, specs, (True, False, False)) == ["a:n=1", "a (1)", "a (2)"]
    # The announced name of a program is more useful than its command.
    assert unique_names("a", "a", ("tbp:x", "tbp:y")) == ("a (1)", "a (2)")
    assert make_names_unique(["a", "a", "a (1)"], ["", "", ""], [False] * 3) == [
        "a (2)",
        "a (3)",
        "a (1)",
    ]
    assert make_names_unique(["a", "a", "b"], ["", "", ""], [False, True, False]) == [
        "a (2)",
        "a",
        "b",
    ]


async def test_names_contain_protocol_and_limits_are_effective() -> None:
    log = Log()

    class Foreign(LowBot):
        protocol = "tbp"

        def effective_limits(self, limits: Limits) -> Limits:
            return Limits(nodes=min(limits.nodes or 3, 3))

    limits = Limits(nodes=50)
    await play(LowBot(), Foreign(), log, limits=(limits, limits), specs=("low", "tbp:low"))
    assert log.openings[0].names == ("low", "low (tbp)")
    assert log.openings[0].config.specs == ("low", "tbp:low")
    assert log.openings[0].limits == (limits, Limits(nodes=3))


async def test_bot_specific_deadline_applies() -> None:
    class Slow(LowBot):
        def effective_limits(self, limits: Limits) -> Limits:
            return Limits(milliseconds=60_000)

        async def suggest(self, limits: Limits) -> Suggestion:
            await asyncio.sleep(0.4)
            return await super().suggest(limits)

    result = await play(Slow(), LowBot(), pieces=1, deadlines=QUICK)
    assert result.losses == (None, None)
