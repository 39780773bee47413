"""The driver of Triangle.js engines: right ones play, wrong ones are named."""

import asyncio
import functools
import sys
from collections.abc import Callable

import msgspec
import pytest

from sevenbag._kernel import Board
from sevenbag.arena.runner.game_options import GameConfig
from sevenbag.arena.runner.game_runner import play_game
from sevenbag.bots.bot import Limits, Suggestion, ask_bot
from sevenbag.bots.external import triangle_driver
from sevenbag.bots.external.triangle_driver import TriangleDriver, TriangleSettings
from sevenbag.bots.registry import create_bot
from sevenbag.errors import BotDiedError, BotError, BotProtocolError, BotStartError, BotTimeoutError
from sevenbag.game import Game, Rules
from sevenbag.protocols.triangle.triangle_connections import TriangleStage
from tests.bots import games
from tests.bots.conftest import FAKES, slow
from tests.fakes.silence import launch_impatiently

Command = Callable[[str], list[str]]

# As many visible pieces as in Triangle.js, so that a bot without states can find the first.
RULES = Rules.preset("tetrio-league").replace({"pieces": {"previews": 20}})
prepared = functools.partial(games.prepared, rules=RULES)
PATIENT = TriangleSettings(info_seconds=120, move_seconds=120, quit_seconds=5)
RARE_STATES = msgspec.structs.replace(PATIENT, states="garbage")


@pytest.fixture
def engine(mark: str, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Return the command of a faulty engine, or of ``Engine``, which has no fault."""
    monkeypatch.setenv("PYTHONPATH", str(FAKES.parents[1]))
    return lambda fault: [sys.executable, "-S", str(FAKES / "triangle_bots.py"), fault]


async def play(
    bot: TriangleDriver,
    pieces: int,
    *,
    rules: Rules = RULES,
    seed: int = 1,
    garbage_every: int = 0,
    board: Board | None = None,
) -> Game:
    """Play a number of pieces; every move must be legal."""
    garbage_at = range(garbage_every - 1, pieces, garbage_every) if garbage_every else ()
    return await games.drive(bot, Game(rules, seed, board=board), pieces, garbage_at)


async def faulty(command: list[str], settings: TriangleSettings = PATIENT) -> TriangleDriver:
    """Play some pieces with a bot and end it in any case."""
    async with prepared(TriangleDriver(command, settings=settings)) as bot:
        await play(bot, 20, garbage_every=6)
    return bot


@pytest.mark.parametrize("states", ["always", "garbage"])
@pytest.mark.parametrize("process", ["new", *slow("kept")])
async def test_plays_games(states: str, process: str, engine: Command) -> None:
    settings = TriangleSettings(states=states, process=process, move_seconds=120, quit_seconds=5)  # type: ignore[arg-type]
    async with prepared(TriangleDriver(engine("Engine"), settings=settings)) as bot:
        pid = bot.pid
        game = await play(bot, 40, garbage_every=7)
        assert game.stats.pieces == 40
        assert game.stats.received > 0
        await play(bot, 20, seed=2)
        assert (bot.pid == pid) is (process == "kept")
        assert bot.name == "fake"
        assert (bot.misdrops, bot.skipped_lines, bot.unrequested_moves) == (0, 0, 0)
    await bot.quit()


@pytest.mark.parametrize(
    "fault",
    [
        "NoKeysAtFirst",
        "NeedsState",
        "Slow",
        *slow(
            "NoAuthor",
            "Chatty",
            "Das",
            "IgnoresPieces",
            "OneSpelling",
            "OldSpelling",
            "TalksToStderr",
            "NeedsEnvironment",
            "AppendsTwice",
        ),
    ],
)
async def test_plays_in_spite_of(fault: str, engine: Command) -> None:
    bot = await faulty(engine(fault))
    assert fault == "Das" or bot.misdrops == 0


async def test_a_game_that_begins_elsewhere(engine: Command) -> None:
    board = Board()
    board.add_garbage(3, 4)
    async with prepared(TriangleDriver(engine("Engine"), settings=RARE_STATES)) as bot:
        await play(bot, 10, board=board)
        assert bot.misdrops == 0


async def test_moves_other_than_the_chosen_one(engine: Command) -> None:
    async with prepared(TriangleDriver(engine("Engine"), settings=RARE_STATES)) as bot:
        game = Game(RULES, 5)
        await bot.start(game.position())
        for _ in range(12):
            await ask_bot(bot, Limits())
            lock = game.play(game.placements()[0])
            await bot.play(lock.placement)
            for piece in lock.new_pieces:
                await bot.new_piece(piece)
        assert bot.misdrops == 0


async def test_published_key_names_are_accepted(engine: Command) -> None:
    await faulty(engine("PublishedNames"), TriangleSettings(keys="tolerant", move_seconds=120))


@pytest.mark.parametrize("fault", ["IgnoresState", "FirstOfQueue"])
async def test_invalid_lines_are_counted(fault: str, engine: Command) -> None:
    bot = await faulty(engine(fault), RARE_STATES)
    assert bot.misdrops > 0


async def test_unsolicited_moves_are_counted(engine: Command) -> None:
    bot = await faulty(engine("Twice"))
    assert bot.unrequested_moves > 0


@pytest.mark.parametrize(
    ("fault", "error", "says"),
    [
        ("DiesAtStart", BotStartError, "exit code 3; last error line: no model file"),
        ("PublishedNames", BotProtocolError, "hosts call it rotateCW"),
        ("NoHardDrop", BotProtocolError, "a move without hardDrop locks nothing"),
        ("TwoHardDrops", BotProtocolError, "2 hardDrops places 2 pieces at once"),
        ("KeysBehind", BotProtocolError, "moveLeft behind hardDrop moves the next piece"),
        ("MissingKeys", BotProtocolError, "a move without keys"),
        ("DiesAtPlay", BotDiedError, "exit code 1; last error line: index out of range"),
        (
            "DiesAtState",
            BotDiedError,
            "exit code 101; last error line: called `unwrap.*unknown variant `gb`; if it cannot "
            "read a state, states=garbage sends none",
        ),
    ],
)
async def test_errors_name_the_invalid_field(
    fault: str, error: type[BotError], says: str, engine: Command
) -> None:
    with pytest.raises(error, match=says):
        await faulty(engine(fault))


async def test_bot_needs_state_but_none_is_sent(engine: Command) -> None:
    with pytest.raises(BotDiedError, match=r"RuntimeError: no state; if it needs .* states=always"):
        await faulty(engine("NeedsState"), RARE_STATES)


async def test_bot_that_cannot_read_states_plays_without_them(engine: Command) -> None:
    async with prepared(TriangleDriver(engine("DiesAtState"), settings=RARE_STATES)) as bot:
        assert (await play(bot, 20)).stats.pieces == 20


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("HangsAtInfo", "no info within 120 s; is its output flushed"),
        ("NoNewline", "bytes came without a line end"),
    ],
)
async def test_bot_without_info_message(fault: str, says: str, engine: Command) -> None:
    bot = TriangleDriver(
        fault, settings=PATIENT, launcher=launch_impatiently(engine(fault), interrupted=True)
    )
    with pytest.raises(BotTimeoutError, match=says):
        await bot.prepare(RULES)


async def test_bot_without_an_answer(engine: Command) -> None:
    with pytest.raises(BotTimeoutError, match=r"no answer to suggest within 0\.2 s"):
        await faulty(engine("Silent"), TriangleSettings(info_seconds=120, move_seconds=0.2))


async def test_a_bot_that_never_presses_a_key_resigns(
    engine: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Before it could be asked again, the time would be over.
    monkeypatch.setattr(triangle_driver, "_RETRY_TIMEOUT", PATIENT.move_seconds)
    async with prepared(TriangleDriver(engine("NoKeys"), settings=PATIENT)) as bot:
        await bot.start(Game(RULES, seed=1).position())
        assert await ask_bot(bot, Limits()) == Suggestion(())


@pytest.mark.parametrize("fault", ["IgnoresInterrupt", "StaysAtEnd", "StaysForEver"])
async def test_no_process_remains(fault: str, engine: Command) -> None:
    # The fixture asserts that no process is left.
    await faulty(
        engine(fault), TriangleSettings(info_seconds=120, move_seconds=120, quit_seconds=0.2)
    )


async def test_answer_after_a_timeout_is_not_used_later(engine: Command) -> None:
    async with prepared(TriangleDriver(engine("Slow"), settings=PATIENT)) as bot:
        game = Game(RULES, 3)
        await bot.start(game.position())
        question = asyncio.create_task(ask_bot(bot, Limits()))
        while bot._connection.stage is not TriangleStage.ASKED:  # noqa: ASYNC110
            await asyncio.sleep(0)
        question.cancel()
        with pytest.raises(asyncio.CancelledError):
            await question
        game.play(game.placements()[0])
        await bot.start(game.position())
        move = (await ask_bot(bot, Limits())).moves[0]
        assert game.is_legal(move)
        assert bot.misdrops == 0


async def test_unsupported_rules(engine: Command) -> None:
    bot = TriangleDriver(engine("Engine"))
    with pytest.raises(BotStartError, match="no word for pieces that turn by 'pason'"):
        await bot.prepare(Rules.preset("pason-2012"))


def test_named_by_a_specification() -> None:
    bot = create_bot("triangle:states=garbage,move_seconds=3:sevenbag serve beam --as triangle")
    assert isinstance(bot, TriangleDriver)
    assert bot.settings == TriangleSettings(states="garbage", move_seconds=3)
    assert bot.effective_limits(Limits(milliseconds=5, nodes=5)) == Limits()


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("OnlyDrops", "lost by block out"),
        ("NoHardDrop", "lost by rubbish (keys: a move without hardDrop"),
        (
            "DiesAtPlay",
            "lost by crash (ended with exit code 1; last error line: index out of range",
        ),
    ],
)
async def test_counted_losses(fault: str, says: str, engine: Command) -> None:
    bots = TriangleDriver(engine(fault), settings=PATIENT), create_bot("random:seed=1")
    result = await play_game(bots, GameConfig(rules=RULES, seed=4, pieces=60))
    assert result.winner == 1
    assert says in str(result)
