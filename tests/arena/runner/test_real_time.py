"""Tests of real time: locks, garbage between locks, and reproducible simulation."""

import asyncio
import itertools
import math

import pytest

from sevenbag._kernel import Board, Placement, Rotation
from sevenbag.arena.runner.game_loop import count_key_frames
from sevenbag.arena.runner.game_options import BotDeadlines, GameConfig
from sevenbag.arena.runner.game_runner import play_game
from sevenbag.arena.runner.observers import GameObserver, PlayedTurn, ReplayRecorder
from sevenbag.bots.bot import Bot, Limits, Position, Suggestion
from sevenbag.bots.registry import create_bot
from sevenbag.errors import InputError
from sevenbag.formats.replay_file import Replay
from sevenbag.game import Game, Rules
from sevenbag.game.game_config import RealTime
from sevenbag.game.game_result import GameEnding, GameResult, LossReason
from sevenbag.replay.playback import Playback
from tests.arena.bots import FaultyBot, LowBot, QuadBot
from tests.arena.games import PLAIN, play


class Locks(GameObserver):
    """Frames of each player's locks, with sent and entered lines."""

    def __init__(self) -> None:
        self.turns: list[PlayedTurn] = []

    def turn_played(self, turn: PlayedTurn) -> None:
        self.turns.append(turn)

    def frames(self, player: int) -> list[int]:
        return [t.frame or 0 for t in self.turns if t.locks[player] is not None]


async def game(
    first: Bot, second: Bot, timing: RealTime, *observers: GameObserver, **changes: object
) -> GameResult:
    return await play(first, second, *observers, real_time=timing, **changes)


async def test_each_plays_at_its_own_pace() -> None:
    locks = Locks()
    result = await game(LowBot("a"), LowBot("b"), RealTime((3, 1.5)), locks)
    assert result.ending is GameEnding.PIECES
    assert locks.frames(0) == [20 * n for n in range(1, 21)]
    assert locks.frames(1) == [40 * n for n in range(1, 11)]
    # At these frames both lock, in one turn.
    both = [t.frame for t in locks.turns if all(lock is not None for lock in t.locks)]
    assert both == [40 * n for n in range(1, 11)]


async def test_fractional_frame_pace_is_observed_on_average() -> None:
    locks = Locks()
    await game(LowBot("a"), LowBot("b"), RealTime((7, 11)), locks, pieces=21)
    assert locks.frames(0) == [
        math.ceil(60 * n / 7 - 1e-9) for n in range(1, len(locks.frames(0)) + 1)
    ]
    assert locks.frames(1) == [math.ceil(60 * n / 11 - 1e-9) for n in range(1, 22)]


async def test_thinking_takes_the_time_that_is_granted() -> None:
    locks = Locks()
    limits = (Limits(milliseconds=500), Limits(nodes=300))
    await game(
        LowBot("a"), LowBot("b"), RealTime((60, 60), nps=600), locks, limits=limits, pieces=5
    )
    assert locks.frames(0) == [30 * n for n in range(1, 6)]
    assert locks.frames(1) == [30 * n for n in range(1, 6)]


async def test_clears_and_spawns_take_their_frames() -> None:
    rules = PLAIN.replace({"delays": {"spawn": 7, "clears": [0, 35, 40, 40, 45]}})
    locks = Locks()
    bots = QuadBot("a"), LowBot("b")
    await game(*bots, RealTime((60, 60)), locks, rules=rules, pieces=60, seed=3)
    seen = set[int]()
    for player in (0, 1):
        turns = [t for t in locks.turns if t.locks[player] is not None]
        for before, after in itertools.pairwise(turns):
            lock = before.locks[player]
            assert lock is not None
            assert before.frame is not None
            assert after.frame is not None
            clear = {0: 0, 1: 35, 2: 40, 3: 40, 4: 45}[lock.lines]
            assert after.frame - before.frame == 7 + clear
            seen.add(lock.lines)
    assert {0, 4} <= seen


def test_keys_take_their_frames() -> None:
    rules = PLAIN.replace({"delays": {"key": 2, "row": 3}})
    # Of the seed's first pieces an O; it appears over columns 4 and 5.
    board = Board(10, 40)
    seed = next(s for s in range(100) if Game(rules, s).current.name == "O")
    player = Game(rules, seed, board=board)
    assert player.spawn is not None
    x = player.spawn[0]
    straight = Placement("O", Rotation.NORTH, x, 0)
    assert count_key_frames(player, straight, rules) == 2
    assert count_key_frames(player, Placement("O", Rotation.NORTH, x + 2, 0), rules) == 6
    assert count_key_frames(player, straight, PLAIN) == 0


def test_hold_is_a_key_and_a_soft_drop_takes_time_by_rows() -> None:
    rules = PLAIN.replace({"delays": {"key": 2, "row": 3}})
    cave = Board.from_text("""
        ######....
        ..........
    """)
    player = Game(
        rules, next(s for s in range(300) if Game(rules, s).current.name == "I"), board=cave
    )
    assert player.spawn is not None
    # Under the roof: down the open columns, then left once; the row it falls to is 0.
    tucked = next(
        p
        for p in player.placements(hold=False)
        if p.rotation is Rotation.NORTH and p.y == 0 and p.x == 6
    )
    keys = cave.find_path(tucked, "srs", spawn=player.spawn)
    assert keys is not None
    assert count_key_frames(player, tucked, rules) == 2 * len(keys) + 3 * player.spawn[1]
    held = next(
        p for p in player.placements() if p.piece != player.current and p.x == player.spawn[0]
    )
    there = cave.find_path(held, "srs", spawn=player.spawn)
    assert there is not None
    assert count_key_frames(player, held, rules) >= 2 * (len(there) + 1)


async def test_garbage_travels_in_frames_and_enters_at_a_lock() -> None:
    locks = Locks()
    travel = PLAIN.garbage.travel
    await game(QuadBot("quads"), LowBot("low"), RealTime((4, 3)), locks, pieces=80, seed=3)
    sent: list[tuple[int, int]] = []
    entered = 0
    for turn in locks.turns:
        assert turn.frame is not None
        lock = turn.locks[1]
        if lock is not None and lock.garbage:
            entered += len(lock.garbage)
            # Everything that is here set out long enough ago.
            assert entered <= sum(lines for frame, lines in sent if turn.frame - frame >= travel)
            assert lock.lines == 0
        own = turn.locks[0]
        sent += [(turn.frame, lines) for lines in (own.sent if own is not None else ())]
    assert entered > 0


async def test_positions_tracked_by_bots_agree_in_real_time() -> None:
    locks = Locks()
    low = LowBot("low")
    await game(QuadBot("quads"), low, RealTime((4, 3)), locks, pieces=80, seed=3)
    # A start for the beginning and one for each entry that a question followed.
    entries = [t for t in locks.turns if t.locks[1] is not None and t.locks[1].garbage]
    assert entries
    assert len(entries) <= len(low.starts) <= len(entries) + 1


@pytest.mark.parametrize("rules", ["guideline", "ppt", "tetrio-enforced-delays", "botris"])
def test_simulated_games_are_deterministic_and_playable(rules: str) -> None:
    files: list[bytes] = []
    for _ in range(2):
        recorder = ReplayRecorder()
        bots = create_bot("beam:nodes=200"), create_bot("beam:nodes=90")
        config = GameConfig(Rules.preset(rules), 7, pieces=70, real_time=RealTime((5, 4), nps=5000))
        asyncio.run(play_game(bots, config, (recorder,)))
        assert recorder.replay is not None
        files.append(recorder.replay.encode())
    assert files[0] == files[1]
    playback = Playback(Replay.decode(files[0]))
    playback.play_to(1000)
    assert playback.differences() == []


@pytest.mark.parametrize("wall", [False, True])
async def test_garbage_that_enters_at_once_puts_bots_before_the_new_board(wall: bool) -> None:
    rules = PLAIN.replace({"garbage": {"blocking": "instant"}})
    locks, recorder = Locks(), ReplayRecorder()
    low = LowBot("low")
    pace = (60.0, 25.0) if wall else (4.0, 3.0)
    result = await game(
        QuadBot("quads"),
        low,
        RealTime(pace, wall=wall),
        locks,
        recorder,
        rules=rules,
        pieces=60,
        seed=3,
    )
    # Never was a move illegal, though boards changed while it was on its way.
    assert all(fall is None or not fall.reason.is_fault for fall in result.losses)
    assert len(low.starts) > 1
    assert recorder.replay is not None
    playback = Playback(recorder.replay)
    playback.play_to(1000)
    assert playback.differences() == []


async def test_thinking_takes_wall_clock_time() -> None:
    class Slow(LowBot):
        async def suggest(self, limits: Limits) -> Suggestion:
            await asyncio.sleep(0.05)
            return await super().suggest(limits)

    locks = Locks()
    result = await game(Slow("slow"), LowBot("quick"), RealTime((60, 60), wall=True), locks)
    assert result.ending is GameEnding.PIECES
    # Three frames of thinking at the least.
    frames = [0, *locks.frames(0)]
    assert all(b - a >= 3 for a, b in itertools.pairwise(frames))


@pytest.mark.parametrize("wall", [False, True])
@pytest.mark.parametrize("method", ["start", "suggest", "play"])
async def test_faults_cost_the_game_here_too(method: str, wall: bool) -> None:
    def fail() -> None:
        raise ZeroDivisionError

    faulty = FaultyBot(method, fail, turn=1 if method == "start" else 2)
    other = LowBot()
    result = await game(other, faulty, RealTime((60, 60), wall=wall))
    assert result.winner == 0
    assert result.losses[1] is not None
    assert result.losses[1].reason is LossReason.CRASH
    assert other.calls[-2:] == ["stop", "quit"]
    assert faulty.calls[-1] == "quit"


@pytest.mark.parametrize("wall", [False, True])
async def test_hanging_bot_does_not_delay_the_end(wall: bool) -> None:
    async def hang() -> None:
        await asyncio.sleep(3600)

    deadlines = BotDeadlines(prepare=0.3, update=0.3, suggest=0.3, stop=0.3, quit=0.3)
    result = await game(
        LowBot(),
        FaultyBot("suggest", hang, 3),
        RealTime((60, 60), wall=wall),
        deadlines=deadlines,
        pieces=1000,
    )
    assert result.winner == 0
    assert result.losses[1] is not None
    assert result.losses[1].reason is LossReason.TIMEOUT


async def test_bots_receive_positions_of_opponents() -> None:
    heard: list[tuple[Position, ...]] = []

    class Curious(LowBot):
        async def opponents(self, positions: tuple[Position, ...]) -> None:
            heard.append(positions)

    locks = Locks()
    await game(Curious("curious"), LowBot("low"), RealTime((2, 4)), locks, pieces=12)
    # Before each question: the opponent's position when the own piece locked.
    filled = [0]
    for turn in locks.turns:
        lock = turn.locks[1]
        filled.append(filled[-1] + (4 - 10 * lock.lines if lock is not None else 0))
    own = [number for number, turn in enumerate(locks.turns, 1) if turn.locks[0] is not None]
    assert [len(positions) for positions in heard] == [1] * len(heard)
    assert [p[0].board.cell_count for p in heard] == [filled[n] for n in [0, *own]][: len(heard)]
    assert len(heard) >= 6


@pytest.mark.parametrize(
    ("timing", "words"),
    [
        (((0, 2), None), "invalid pps: .*, got 0"),
        (((2, 61), None), "invalid pps: .*, got 61"),
        (((2, 2), 0), "invalid nps: .*, got 0"),
        (((2, math.nan), None), "invalid pps: .*, got nan"),
    ],
)
def test_times_that_cannot_be_played_are_named(
    timing: tuple[tuple[float, float], float | None], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        RealTime(*timing)
