"""Game options: clocks, leads, double top-outs, openings."""

import asyncio
import itertools
from pathlib import Path

import pytest

from sevenbag.arena.runner.game_options import GameClock
from sevenbag.arena.runner.observers import ReplayRecorder
from sevenbag.arena.tournament.openings import read_openings
from sevenbag.bots.bot import Limits, Position, SearchInfo, Suggestion
from sevenbag.errors import FormatError, InputError
from sevenbag.formats.fumen import Field, Fumen, Page
from sevenbag.formats.replay_file import Replay
from sevenbag.game.game_config import MAX_SEED, Opening, opening_board
from sevenbag.game.game_result import GameEnding, Loss, LossReason, PlayerStats, decide_winner
from tests.arena.bots import LowBot, QuadBot, TowerBot
from tests.arena.games import PLAIN, play, play_back

WELL = Fumen((Page(Field.from_rows(["GGGGGGGGG."] * 4)),)).encode()


def verified(recorder: ReplayRecorder) -> Replay:
    """Return the replay after checking that its playback equals the record."""
    assert recorder.replay is not None
    assert play_back(recorder.replay).differences() == []
    return recorder.replay


class Thinker(LowBot):
    """Bot that takes a number of seconds per move and records its limits."""

    def __init__(self, seconds: float) -> None:
        super().__init__("thinker")
        self.granted: list[Limits] = []
        self._seconds = seconds

    async def suggest(self, limits: Limits) -> Suggestion:
        self.granted.append(limits)
        await asyncio.sleep(self._seconds)
        return await super().suggest(limits)


async def test_expired_clock_loses() -> None:
    other = LowBot()
    result = await play(
        Thinker(0.05), other, clocks=(GameClock(180), GameClock(60_000)), pieces=100
    )
    assert result.winner == 1
    assert result.losses[0] is not None
    assert result.losses[0].reason is LossReason.TIMEOUT
    assert "its clock ran out: 180 ms" in result.losses[0].detail
    # 180 ms are good for three moves of 50 at the most.
    assert result.stats[0].pieces <= 3
    assert other.calls[-2:] == ["stop", "quit"]


async def test_a_bot_that_hangs_is_waited_for_no_longer_than_its_clock() -> None:
    result = await play(Thinker(3600), LowBot(), clocks=(GameClock(100), None))
    assert result.winner == 1
    assert result.losses[0] is not None
    assert "clock" in result.losses[0].detail


async def test_increment_extends_the_clock() -> None:
    bot = Thinker(0.01)
    result = await play(bot, LowBot(), clocks=(GameClock(3000, 5000), None), pieces=5)
    assert result.losses == (None, None)
    # A fortieth of 3000 and the increment, but not more than the clock has: then there is more.
    first, second = bot.granted[:2]
    assert first.milliseconds == 3000 * 0.8
    assert second.milliseconds is not None
    assert 5000 < second.milliseconds < 5000 + 8000 / 40


async def test_the_smaller_of_clock_and_limit_counts() -> None:
    bot = Thinker(0)
    limits = (Limits(milliseconds=7, nodes=9), Limits())
    await play(bot, LowBot(), clocks=(GameClock(3000), None), limits=limits, pieces=2)
    assert bot.granted == [Limits(7, 9)] * 2


@pytest.mark.parametrize(("bank", "increment"), [(0, 0), (-1, 0), (float("nan"), 0), (1, -1)])
def test_invalid_clocks_are_rejected(bank: float, increment: float) -> None:
    with pytest.raises(InputError, match=r"invalid (bank|increment): expected number"):
        GameClock(bank, increment)


async def test_a_lead_ends_the_game() -> None:
    recorder = ReplayRecorder()
    result = await play(QuadBot("quads"), LowBot(), recorder, seed=3, pieces=400, lead=4)
    assert (result.ending, result.winner) == (GameEnding.LEAD, 0)
    assert result.stats[0].attack - result.stats[1].attack >= 4
    assert "quads wins: " in str(result)
    replay = verified(recorder)
    assert replay.header.version == 2
    assert replay.outcome.ending == "lead"
    # Without the limit the game continues.
    longer = await play(QuadBot("quads"), LowBot(), seed=3, pieces=len(replay.turns) + 1)
    assert longer.ending is not GameEnding.LEAD
    assert len(replay.turns) < 400


@pytest.mark.parametrize(("double", "winner"), [("draw", None), ("attack", 1)])
def test_both_topping_out_may_be_decided_by_attack(double: str, winner: int | None) -> None:
    falls = (Loss(LossReason.BLOCK_OUT), Loss(LossReason.LOCK_OUT))
    stats = (PlayerStats(9, 3, 2), PlayerStats(9, 2, 5))
    assert decide_winner(GameEnding.LOSS, falls, stats, double) == winner  # type: ignore[arg-type]
    # A player that failed has not topped out.
    failed = (Loss(LossReason.BLOCK_OUT), Loss(LossReason.CRASH))
    assert decide_winner(GameEnding.LOSS, failed, stats, double) is None  # type: ignore[arg-type]


async def test_double_top_out_is_recorded_as_decided() -> None:
    recorder = ReplayRecorder()
    result = await play(TowerBot("a"), TowerBot("b"), recorder, pieces=None, double="attack")
    # Neither has attacked.
    assert result.winner is None
    assert verified(recorder).header.adjudication is not None


async def test_both_begin_on_the_board_of_a_fumen() -> None:
    recorder = ReplayRecorder()
    low, other = LowBot(), LowBot("other")
    await play(low, other, recorder, opening=WELL)
    for bot in (low, other):
        board = bot.starts[0].board
        assert [[board[x, y] for x in range(10)] for y in range(5)] == [
            [True] * 9 + [False]
        ] * 4 + [[False] * 10]
    assert verified(recorder).header.opening == WELL


def test_openings_are_seeds_and_boards(tmp_path: Path) -> None:
    book = tmp_path / "book.txt"
    book.write_text(f"# seeds\n12\n\n  {WELL}  # a well\n{WELL} 7\n{MAX_SEED}\n")
    starts = read_openings(book, PLAIN)
    assert starts == (Opening(12), Opening(None, WELL), Opening(7, WELL), Opening(MAX_SEED))
    assert str(starts[2]) == f"{WELL} 7"
    assert opening_board(WELL, PLAIN).cell_count == 36


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "expected an opening, got none"),
        ("12\nx1\n", "line 2: invalid opening: .*got 'x1'"),
        ("1 2\n", "line 1: invalid opening: .*got '2'"),
        (f"{2**31 - 1}\n", "line 1: invalid seed: .*got '2147483647'"),
        ("9" * 5000, "line 1: invalid seed: .*got '999"),
        ("v115@nonsense\n", "line 1: invalid fumen"),
        (
            Fumen((Page(Field.from_rows(["GGGGGGGGGG"])),)).encode(),
            "expected no full rows, got row 0",
        ),
        (
            Fumen((Page(Field.from_rows(["G........."] * 21)),)).encode(),
            "expected at most 20 filled rows, got 21",
        ),
    ],
)
def test_invalid_openings_are_rejected_with_line(text: str, words: str, tmp_path: Path) -> None:
    book = tmp_path / "book.txt"
    book.write_text(text)
    with pytest.raises(FormatError, match=words):
        read_openings(book, PLAIN)


def test_a_book_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read"):
        read_openings(tmp_path / "none.txt", PLAIN)
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    with pytest.raises(FormatError, match="cannot be read"):
        read_openings(tmp_path / "bytes", PLAIN)
    with pytest.raises(FormatError, match="10 columns"):
        opening_board(WELL, PLAIN.replace({"board": {"width": 8}}))


async def test_opponents_are_sent_before_each_question() -> None:
    heard: list[int] = []

    class Curious(LowBot):
        async def opponents(self, positions: tuple[Position, ...]) -> None:
            self.calls.append("opponents")
            heard.extend(position.board.cell_count for position in positions)

    curious, low = Curious(), LowBot()
    await play(curious, low, pieces=3)
    turn = ["suggest", "opponents", "play", "new_piece"]
    calls = ["prepare", "opponents", "start", *turn, *turn, "suggest", "stop", "quit"]
    assert curious.calls == calls
    assert heard[:2] == [0, 4]


async def test_search_statistics_are_recorded_within_bounds() -> None:
    class Boaster(LowBot):
        answers = itertools.cycle(
            [
                SearchInfo(nodes=12, nps=3.5, depth=4, extra="line"),
                SearchInfo(),
                SearchInfo(nodes=float("nan"), depth=float("inf"), nps=1e30, extra="x" * 5000),
                SearchInfo(nodes="many", extra=5),  # type: ignore[arg-type]
                "nothing",
            ]
        )

        async def suggest(self, limits: Limits) -> Suggestion:
            moves = (await super().suggest(limits)).moves
            return Suggestion(moves, next(self.answers))  # type: ignore[arg-type]

    recorder = ReplayRecorder(infos=True)
    result = await play(Boaster(), LowBot(), recorder, pieces=5)
    assert result.losses == (None, None)
    infos = [turn.infos[0] if turn.infos else None for turn in verified(recorder).turns]
    assert infos[0] is not None
    assert (infos[0].nodes, infos[0].nps, infos[0].depth, infos[0].extra) == (12, 3.5, 4, "line")
    assert infos[1] is None
    assert infos[2] is not None
    assert (infos[2].nodes, infos[2].depth, infos[2].extra) == (None, None, "x" * 1000)
    assert infos[4] is None
