"""The driver of foreign bots, against real processes: right ones play, wrong ones are named."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sevenbag._kernel import Spin
from sevenbag.bots.bot import Limits, ask_bot
from sevenbag.bots.external import process, tbp_driver
from sevenbag.bots.external.process import create_process_launcher
from sevenbag.bots.external.tbp_driver import TbpDriver
from sevenbag.errors import (
    BotDiedError,
    BotError,
    BotForfeitError,
    BotProtocolError,
    BotStartError,
    BotTimeoutError,
)
from sevenbag.game import Game, Rules
from tests.bots.conftest import Command, slow
from tests.bots.games import SHORT, drive, prepared
from tests.fakes.silence import launch_impatiently

RULES = Rules.preset("guideline")
FIRST = Game(seed=1).position()


def hurried(**seconds: float) -> dict[str, str]:
    return SHORT | {f"{name}_seconds": str(value) for name, value in seconds.items()}


async def play(bot: TbpDriver, pieces: int, seed: int = 1) -> None:
    """Play a game of so many pieces; every move must be legal."""
    game = await drive(bot, Game(seed=seed), pieces)
    assert game.stats.pieces == pieces


async def ask_and_cancel(bot: TbpDriver) -> None:
    """Ask for a move and cancel the question at once."""
    question = asyncio.create_task(ask_bot(bot, Limits()))
    while not bot._connection.pending_answers:  # noqa: ASYNC110 - a question is no event
        await asyncio.sleep(0)
    question.cancel()
    with pytest.raises(asyncio.CancelledError):
        await question


async def test_plays_games(fake: Command) -> None:
    async with prepared(TbpDriver(fake(), options=SHORT)) as bot:
        await play(bot, 60)
        assert bot.name == "dropper"
        assert bot.skipped_lines == 0
        # The next game, in the same process.
        pid = bot.pid
        await play(bot, 20, seed=2)
        assert bot.pid == pid
    await bot.quit()


@pytest.mark.parametrize(
    "fault",
    [
        "NullFeatures",
        "EmptyAtFirst",
        "IgnoresQuit",
        "StrictTypes",
        *slow(
            "NeedsRandomizer",
            "GrepsCompactJson",
            "Chatty",
            "FirstMoveIllegal",
            "FalseSpins",
            "LowerCase",
            "OddForms",
            "MoveInfo",
            "ExitsAtEndOfInput",
            "TalksToStderr",
        ),
    ],
)
async def test_plays_in_spite_of(fault: str, fake: Command) -> None:
    async with prepared(TbpDriver(fake(fault), options=SHORT)) as bot:
        await play(bot, 12)


@pytest.fixture
def note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], str]:
    """Return the text that some fakes write to a file."""
    file = tmp_path / "note"
    monkeypatch.setenv("SEVENBAG_FAKE_NOTE", str(file))
    return file.read_text


async def test_stop_precedes_quit(fake: Command, note: Callable[[], str]) -> None:
    async with prepared(TbpDriver(fake("NotesWhatItHears"), options=SHORT), position=FIRST) as bot:
        await ask_bot(bot, Limits())
    assert note().split() == ["rules", "start", "suggest", "stop", "quit"]


async def test_skipped_lines_are_counted(fake: Command) -> None:
    async with prepared(TbpDriver(fake("Chatty"), options=SHORT)) as bot:
        await play(bot, 2)
        assert bot.skipped_lines == 2 * 101


async def test_unprintable_name_is_cleaned(fake: Command) -> None:
    async with prepared(TbpDriver(fake("NullFeatures"), options=SHORT)) as bot:
        assert bot.name == "null?[2J features"
        assert bot.info is not None
        assert bot.info.version == "2"
        assert bot.info.features == ()


async def test_a_given_name_stays(fake: Command) -> None:
    async with prepared(TbpDriver(fake(), name="mine", options=SHORT)) as bot:
        assert bot.name == "mine"


async def test_search_info_is_passed_on(fake: Command) -> None:
    async with prepared(TbpDriver(fake("MoveInfo"), options=SHORT), position=FIRST) as bot:
        info = (await ask_bot(bot, Limits())).info
        assert (info.nodes, info.nps, info.depth, info.extra) == (12.5, 0, None, "NaN%")


async def test_claimed_spins_are_passed_on_unchanged(fake: Command) -> None:
    async with prepared(TbpDriver(fake("FalseSpins"), options=SHORT), position=FIRST) as bot:
        suggestion = await ask_bot(bot, Limits())
        assert {move.spin for move in suggestion.moves} == {Spin.FULL}


async def test_thinking_time_elapses_before_the_question(fake: Command) -> None:
    async with prepared(TbpDriver(fake(), options=SHORT), position=FIRST) as bot:
        began = time.monotonic()
        await ask_bot(bot, Limits(milliseconds=150))
        assert time.monotonic() - began >= 0.14


async def test_second_answer_is_not_used_for_the_next_question(fake: Command) -> None:
    async with prepared(TbpDriver(fake("AnswersTwiceAtOnce"), options=SHORT)) as bot:
        await play(bot, 40)
    # One that comes after the next question is taken for its answer, at the worst an illegal move.
    with contextlib.suppress(BotForfeitError):
        async with prepared(TbpDriver(fake("AnswersTwice"), options=SHORT)) as bot:
            await play(bot, 12)


@pytest.mark.parametrize(
    ("fault", "error", "words", "deadlines"),
    [
        (
            "DiesAtStart",
            BotStartError,
            "ended with exit code 3; last error line: no model file",
            {},
        ),
        (
            "HangsAtInfo",
            BotTimeoutError,
            r"no info within 0.3 s; is its output flushed\?",
            {"info": 0.3},
        ),
        (
            "ChattyAtInfo",
            BotTimeoutError,
            r"skipped 3 lines that are not messages, such as 'warm",
            {},
        ),
        ("NoNewline", BotTimeoutError, "68 bytes came without a line end", {}),
        ("Refuses", BotStartError, r"does not play these rules \(unsupported_rules\)", {}),
        ("HangsAtReady", BotTimeoutError, "no answer to the rules within 0.3 s", {"ready": 0.3}),
        ("DiesInGame", BotDiedError, "exit code 7; last error line: segmentation imminent", {}),
        ("KilledInGame", BotDiedError, "was killed by SIGSEGV", {}),
        ("DiesInMidMessage", BotDiedError, "ended with exit code 0", {}),
        ("HangsAtSuggest", BotTimeoutError, "no answer to suggest within 0.3 s", {"move": 0.3}),
        ("DoesNotRead", BotTimeoutError, "no answer to suggest within 0.3 s", {"move": 0.3}),
        ("Rubbish", BotProtocolError, "1000 lines that are not messages, such as 'Lorem ipsum", {}),
        ("MalformedMove", BotProtocolError, r"moves\[0\]\.location\.x: .*'four'", {}),
        ("BogusPiece", BotProtocolError, r"moves\[0\]\.location\.type: .* got 'N'", {}),
        ("LongLine", BotProtocolError, "a line longer than 1048576 bytes", {}),
        ("IllegalMoves", BotForfeitError, "no legal move", {}),
        ("FarMoves", BotForfeitError, "no acceptable move", {}),
        ("GivesUp", BotForfeitError, "no legal move", {}),
        ("GivesUpByError", BotForfeitError, r"sent error \(garbage\)", {}),
        ("LeavesChildren", BotDiedError, "ended with exit code 9", {}),
    ],
)
async def test_fails_by_name(
    fault: str, error: type[BotError], words: str, deadlines: dict[str, float], fake: Command
) -> None:
    # Deadlines are short for bots that never answer, regardless of the limit.
    launch = create_process_launcher if deadlines else launch_impatiently
    options = hurried(**deadlines) | {"retries": "0"}
    with pytest.raises(error, match=words):
        async with prepared(TbpDriver(fault, launcher=launch(fake(fault)), options=options)) as bot:
            await play(bot, 12)


async def test_a_bot_that_closes_its_output(fake: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    # The process keeps running, so there is no exit code to wait for.
    monkeypatch.setattr(process, "_EXIT_CODE_TIMEOUT", 0.1)
    with pytest.raises(BotDiedError, match="closed its output"):
        async with prepared(TbpDriver(fake("ClosesOutput"), options=SHORT)) as bot:
            await play(bot, 12)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"pieces": {"hold": False}}, "TBP cannot say that no piece may be held"),
        ({"board": {"rows": 50}}, "TBP knows boards of at most 40 rows; these rules have 50"),
        ({"board": {"width": 8}, "spawn": {"x": 3}}, "TBP knows boards 10 wide only; .* have 8"),
    ],
)
async def test_unsupported_rules(
    changes: dict[str, dict[str, object]], words: str, fake: Command
) -> None:
    bot = TbpDriver(fake(), options=SHORT)
    with pytest.raises(BotStartError, match=words):
        await bot.prepare(RULES.replace(changes))
    assert bot.pid is None


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("no-such-command-anywhere --fast", "no such command: no-such-command-anywhere"),
        ("/no/such/path/bot", "no such command: /no/such/path/bot"),
        ("/etc", "cannot be run: /etc is a folder"),
        (__file__, "cannot be run: .* is not executable"),
        ("", "empty"),
        ("  ", "empty"),
        ("a 'b", "no closing quotation"),
    ],
)
async def test_commands_that_cannot_be_started(command: str, words: str, mark: str) -> None:
    with pytest.raises(BotStartError, match=words):
        await TbpDriver(command).prepare(RULES)


async def test_a_script_without_its_interpreter(tmp_path: Path, mark: str) -> None:
    script = tmp_path / "bot"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    with pytest.raises(BotStartError, match=r"the interpreter that .* does not exist"):
        await TbpDriver([str(script)]).prepare(RULES)


async def test_command_is_split_without_a_shell(tmp_path: Path, mark: str) -> None:
    script = tmp_path / "a bot.py"
    script.write_text("import sys; print(sys.argv[1:], file=sys.stderr); sys.exit(5)")
    bot = TbpDriver(f"{sys.executable} -S '{script}' $HOME '*' \"a b\" ; ls")
    with pytest.raises(BotStartError, match=r"\['\$HOME', '\*', 'a b', ';', 'ls'\]"):
        await bot.prepare(RULES)


async def test_unprepared_bot_raises_an_error() -> None:
    bot = TbpDriver("anything")
    with pytest.raises(BotError):
        await bot.start(Game(seed=1).position())
    await bot.quit()


async def test_stderr_is_logged_and_its_tail_quoted(fake: Command, tmp_path: Path) -> None:
    log = tmp_path / "bot.log"
    async with prepared(TbpDriver(fake("TalksToStderr"), options=SHORT, log=log)) as bot:
        await play(bot, 2)
        assert bot.stderr.endswith("thinking hard\n")
        assert len(bot.stderr) <= 8192
    assert log.read_text() == "thinking hard\n" * 40_000


async def test_a_log_that_cannot_be_written(fake: Command, tmp_path: Path) -> None:
    bot = TbpDriver(fake(), log=tmp_path / "no" / "such" / "folder.log")
    with pytest.raises(BotStartError, match=r"log file .* cannot be written: No such file"):
        await bot.prepare(RULES)


async def test_a_folder_to_run_in(tmp_path: Path, mark: str) -> None:
    where = [sys.executable, "-S", "-c", "import os; raise SystemExit(os.getcwd())"]
    with pytest.raises(BotStartError, match=f"last error line: {tmp_path}"):
        await TbpDriver(where, folder=tmp_path).prepare(RULES)
    with pytest.raises(BotStartError, match="no such folder"):
        await TbpDriver(where, folder=tmp_path / "none").prepare(RULES)


async def test_a_cancelled_question_is_not_asked_twice(fake: Command) -> None:
    async with prepared(TbpDriver(fake("AnswersLate"), options=SHORT), position=FIRST) as bot:
        await ask_and_cancel(bot)
        suggestion = await ask_bot(bot, Limits())
        assert Game(seed=1).is_legal(suggestion.moves[0])


async def test_late_answer_is_not_used_for_the_next_question(
    fake: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tbp_driver, "STALE_ANSWER_TIMEOUT", 60.0)
    async with prepared(TbpDriver(fake("AnswersLate"), options=SHORT), position=FIRST) as bot:
        pid = bot.pid
        await ask_and_cancel(bot)
        await bot.stop()
        await play(bot, 5, seed=7)
        assert bot.pid == pid


async def test_a_bot_that_owes_an_answer_is_restarted(
    fake: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tbp_driver, "STALE_ANSWER_TIMEOUT", 0.1)
    driver = TbpDriver(fake("HangsAtSuggest"), options=hurried(move=0.2))
    async with prepared(driver, position=FIRST) as bot:
        pid = bot.pid
        with pytest.raises(BotTimeoutError):
            await ask_bot(bot, Limits())
        await bot.start(Game(seed=2).position())
        assert bot.pid != pid


async def test_a_dead_bot_can_be_prepared_again(fake: Command) -> None:
    async with prepared(TbpDriver(fake("DiesInGame"), options=SHORT)) as bot:
        with pytest.raises(BotDiedError):
            await play(bot, 5)
        await bot.prepare(RULES)
        await play(bot, 2)


async def test_cancelled_end_still_terminates_the_bot(fake: Command) -> None:
    bot = TbpDriver(fake("IgnoresQuit"), options=hurried(quit=30.0))
    await bot.prepare(RULES)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await bot.quit()


async def test_child_processes_of_a_bot_are_terminated(fake: Command) -> None:
    async with prepared(TbpDriver(fake("LeavesChildren"), options=SHORT), position=FIRST) as bot:
        await ask_bot(bot, Limits())


def host(bot: list[str], end: str) -> list[str]:
    """Return a program that prepares a bot, reports it, and then ends in a given way."""
    program = f"""
import asyncio, os, signal, sys
from sevenbag.bots.external.tbp_driver import TbpDriver
from sevenbag.game import Game, Rules
async def main():
    bot = TbpDriver({bot!r})
    await bot.prepare(Rules.preset("guideline"))
    await bot.start(Game(seed=1).position())
    print("prepared", flush=True)
    {end}
asyncio.run(main())
"""
    return [sys.executable, "-c", program]


@pytest.mark.parametrize("fault", ["IgnoresQuit", "LeavesChildren"])
@pytest.mark.parametrize(
    "end",
    ["await asyncio.sleep(600)", *slow("os._exit(1)", "sys.exit(1)", "raise OSError", "return")],
)
def test_no_bot_outlives_the_interpreter(fault: str, end: str, fake: Command) -> None:
    with subprocess.Popen(
        host(fake(fault), end), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"prepared\n"
        if "sleep" in end:
            os.kill(process.pid, signal.SIGKILL)
        process.wait(timeout=120)
    # The fixture asserts that no process is left.
