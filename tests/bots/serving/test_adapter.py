"""Tests of built-in bots as TBP bots: the real command with lists of lines."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from unittest.mock import AsyncMock

import pytest

from sevenbag._kernel import Placement, Rotation
from sevenbag.bots.bot import Bot, Limits, SearchInfo, Suggestion
from sevenbag.bots.external.tbp_driver import TbpDriver
from sevenbag.bots.external.tbp_profile import ServeSettings
from sevenbag.bots.registry import create_bot
from sevenbag.bots.serving import adapter
from sevenbag.bots.serving.adapter import tbp_adapter
from sevenbag.bots.serving.stdio_server import serve_stdio
from sevenbag.errors import BotDiedError
from sevenbag.game import Game
from tests.bots.conftest import Command
from tests.bots.games import drive, prepared
from tests.protocols.tbp.messages import EMPTY, PLAY, RULES, STOP, SUGGEST, Json
from tests.protocols.tbp.messages import START as DATA

SEVENBAG = [sys.executable, "-P", "-m", "sevenbag"]
SERVE = [*SEVENBAG, "serve", "random:seed=1", "--as", "tbp"]

START = DATA | {"randomizer": {"type": "seven_bag", "bag_state": ["J"]}}
QUIT: Json = {"type": "quit"}


def new_piece(piece: str) -> Json:
    return {"type": "new_piece", "piece": piece}


def lines_of(messages: Iterable[Json | str]) -> bytes:
    lines = (m if isinstance(m, str) else json.dumps(m) for m in messages)
    return "".join(line + "\n" for line in lines).encode()


def serve(
    *messages: Json | str, command: list[str] | None = None
) -> tuple[list[Json], subprocess.CompletedProcess[bytes]]:
    """Return all answers to these lines; only messages may appear."""
    done = subprocess.run(
        command or SERVE, input=lines_of(messages), capture_output=True, timeout=120, check=False
    )
    assert b"Traceback" not in done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(len(line) < 4096 for line in done.stdout.splitlines(keepends=True))
    return answers, done


def kinds(answers: list[Json]) -> list[str]:
    return [answer["type"] for answer in answers]


def test_the_example_of_the_text() -> None:
    messages = [RULES, START, SUGGEST, PLAY, new_piece("J"), SUGGEST, STOP, QUIT]
    answers, done = serve(*messages, command=[*SERVE, "--moves", "5", "--nodes", "10"])
    assert kinds(answers) == ["info", "ready", "suggestion", "suggestion"]
    assert answers[0]["name"] == "random"
    assert answers[0]["features"] == ["garbage"]
    assert answers[1] == {"type": "ready"}
    [move] = answers[2]["moves"]
    assert move["location"]["type"] in {"S", "Z"}
    assert answers[3]["moves"][0]["location"]["type"] in {"Z", "O"}
    assert done.returncode == 0
    assert done.stderr == b""


def test_the_end_of_input_is_an_end() -> None:
    answers, done = serve(RULES, START, SUGGEST)
    assert kinds(answers) == ["info", "ready", "suggestion"]
    assert done.returncode == 0
    assert done.stderr == b""
    assert serve()[1].returncode == 0


def test_invalid_lines_are_skipped_and_logged() -> None:
    answers, done = serve(
        "",
        "hello",
        '{"type":"fly"}',
        RULES,
        {**START, "queue": ["S", "N"]},
        SUGGEST,
        "x" * 3_000_000,
        START,
        SUGGEST,
        QUIT,
    )
    assert kinds(answers) == ["info", "ready", "suggestion", "suggestion"]
    assert answers[2]["moves"] == []
    assert answers[3]["moves"] != []
    assert done.returncode == 0
    told = done.stderr.decode().splitlines()
    assert "queue[1]: expected one of I O T L J S Z, got 'N'" in "\n".join(told)
    assert "serve.line_ignored reason=too_long" in "\n".join(told)
    assert all(line.startswith("serve.") for line in told)


def test_impossible_move_is_logged() -> None:
    far = {**PLAY, "move": {**PLAY["move"], "location": {**PLAY["move"]["location"], "x": 99}}}
    answers, done = serve(RULES, START, far, SUGGEST, QUIT)
    assert answers[2]["moves"] != []
    assert b"serve.move_mismatch error=" in done.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["beem"], "no bot 'beem' (did you mean 'beam'?)"),
        pytest.param(["tbp:"], "no command; expected tbp:COMMAND", marks=pytest.mark.slow),
        (["tbp:/nonexistent"], "sevenbag: bot 'tbp:/nonexistent': no such command: /nonexistent"),
        pytest.param(
            ["random", "--as", "telnet"], "invalid choice: 'telnet'", marks=pytest.mark.slow
        ),
        pytest.param(["random", "--ms", "0"], "expected number above 0", marks=pytest.mark.slow),
    ],
)
def test_wrong_words(words: list[str], told: str) -> None:
    done = subprocess.run(
        [*SEVENBAG, "serve", *words], capture_output=True, text=True, check=False, input=""
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_a_bot_that_cannot_be_had_is_an_error_on_the_wire() -> None:
    command = [*SEVENBAG, "serve", f"tbp:{sys.executable} -c 'raise SystemExit(3)'"]
    answers, done = serve(RULES, SUGGEST, QUIT, command=command)
    assert answers[1] == {"type": "error", "reason": "unsupported_rules"}
    assert answers[2]["moves"] == []
    assert b"ended with exit code 3" in done.stderr


def started(command: list[str] | None = None) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        command or SERVE,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert json.loads(process.stdout.readline())["type"] == "info"
    return process


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (signal.SIGINT, 130),
        pytest.param(signal.SIGTERM, 143, marks=pytest.mark.slow),
        pytest.param(signal.SIGHUP, 129, marks=pytest.mark.slow),
    ],
)
def test_signals_end_the_adapter_quietly(number: signal.Signals, code: int, mark: str) -> None:
    with started() as process:
        process.send_signal(number)
        # Not yet its end of input, which would end it, too.
        process.wait(timeout=120)
        out, err = process.communicate(timeout=120)
    assert process.returncode == code
    assert (out, err) == (b"", b"")


def test_closed_output_ends_the_adapter_quietly(mark: str) -> None:
    with started() as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.write(lines_of([RULES, RULES]))
        process.stdin.flush()
        assert process.wait(timeout=120) == 0
        assert process.stderr.read() == b""


def test_info_is_sent_immediately(mark: str) -> None:
    # Loading unneeded modules would make the start slow.
    with started([sys.executable, "-X", "importtime", *SERVE[1:]]) as process:
        _, times = process.communicate(lines_of([QUIT]), timeout=120)
    loaded = {
        line.rpartition("|")[2].strip().partition(".")[0] for line in times.decode().split("\n")
    }
    assert "sevenbag" in loaded
    assert not loaded & {"litestar", "numpy", "PIL", "rich", "sqlalchemy", "websockets", "zmq"}


def test_bridge_leaves_no_process(fake: Command) -> None:
    bot = subprocess.list2cmdline(fake("LeavesChildren"))
    with started([*SEVENBAG, "serve", f"tbp:{bot}"]) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(lines_of([RULES, START, SUGGEST]))
        process.stdin.flush()
        assert json.loads(process.stdout.readline()) == {"type": "ready"}
        assert json.loads(process.stdout.readline())["moves"]
        process.kill()
        process.communicate(timeout=120)


async def test_driver_and_server_back_to_back(mark: str) -> None:
    driver = TbpDriver(SERVE, options={"move_seconds": "10"})
    async with prepared(driver):
        game = await drive(driver, Game(seed=4), 1000)
        assert game.over
        assert game.stats.pieces > 10


def mock_bot(suggest_seconds: float = 0.0) -> AsyncMock:
    """Return a bot that records calls and suggests long-winded moves."""
    bot = AsyncMock(spec=Bot, protocol=None, takes_positions=False)
    bot.name = "mock"
    bot.step_timeout.return_value = None
    moves = tuple(Placement("T", Rotation.NORTH, x, 0) for x in range(1, 9))

    async def suggest(limits: Limits) -> Suggestion:
        await asyncio.sleep(suggest_seconds)
        return Suggestion(moves, SearchInfo(nodes=7, extra="well\n" * 5000))

    bot.suggest.side_effect = suggest
    return bot


def calls(bot: AsyncMock) -> list[str]:
    return [name for name, _, _ in bot.mock_calls if name != "step_timeout"]


class Wire:
    """A frontend's end of two pipes."""

    def __init__(self) -> None:
        self.input, self._to_bot = os.pipe()
        self._from_bot, self.output = os.pipe()
        self._read = b""

    def say(self, *messages: Json | str) -> None:
        os.write(self._to_bot, lines_of(messages))

    async def hear(self) -> Json:
        while b"\n" not in self._read:
            self._read += await asyncio.to_thread(os.read, self._from_bot, 65536)
        line, _, self._read = self._read.partition(b"\n")
        answer: Json = json.loads(line)
        return answer

    def close(self) -> None:
        # A server's thread may be about to read once more. If its descriptor were closed before
        # that, the next pipe would get the same number, and lose what is said there to this thread.
        os.close(self._to_bot)
        for thread in threading.enumerate():
            if thread.name == "sevenbag-serve-input":
                thread.join(120)
        for descriptor in (self.input, self._from_bot, self.output):
            os.close(descriptor)


@contextlib.asynccontextmanager
async def served(bot: Bot, max_moves: int = 1) -> AsyncIterator[Wire]:
    """Serve a bot through pipes until it receives quit."""
    wire = Wire()
    try:
        adapter = tbp_adapter(settings=ServeSettings(max_moves=max_moves))
        server = asyncio.create_task(
            serve_stdio(bot, adapter, input_descriptor=wire.input, output_descriptor=wire.output)
        )
        yield wire
        wire.say(QUIT)
        await asyncio.wait_for(server, 120)
    finally:
        wire.close()


async def conversation(
    bot: Bot, *messages: Json | str, answers: int, max_moves: int = 1
) -> list[Json]:
    """Return the answers of the bot."""
    async with served(bot, max_moves) as wire:
        # In a thread: the pipe may be full until the server reads.
        await asyncio.to_thread(wire.say, *messages)
        return [await wire.hear() for _ in range(answers)]


@pytest.mark.parametrize(
    "broken",
    [
        {**START, "queue": "SZO"},
        {**START, "board": [[None] * 9]},
        {"type": "play"},
        {"type": "play", "move": {"location": {"type": "S", "orientation": "up", "x": 1, "y": 0}}},
        {"type": "garbage", "rows": [["G"] * 10]},
        '{"type":"start","queue":["S"',
        '{"type":"play","move":{"location"',
        '{"type":"start",' + "x" * (1 << 20),
    ],
)
async def test_no_answer_for_a_position_that_was_not_understood(
    broken: Json | str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adapter, "STALE_ANSWER_GRACE", 120.0)
    bot = create_bot("random:seed=1")
    messages = [RULES, START, SUGGEST, broken, SUGGEST, START, SUGGEST]
    answers = await conversation(bot, *messages, answers=5)
    assert [bool(answer["moves"]) for answer in answers[2:]] == [True, False, True]
    assert "serve." in capsys.readouterr().err


@pytest.mark.parametrize(
    "odd",
    [
        {"type": "new_piece", "piece": "N"},
        {**START, "opponents": 3, "meter": "x"},
        {"type": "new_start", "board": None},
        '{"type":"new_piece","piece":"J"',
        "not JSON at all",
    ],
)
async def test_tolerated_deviations(odd: Json | str) -> None:
    bot = create_bot("random:seed=1")
    answers = await conversation(bot, RULES, START, SUGGEST, odd, SUGGEST, answers=4)
    assert [bool(answer["moves"]) for answer in answers[2:]] == [True, True]


def test_rules_that_the_protocol_does_not_cover() -> None:
    # Half turns, kicks and hold are not sent: the bot keeps its initial rules.
    board = [["G"] * 4 + [None] * 3 + ["G"] * 3] * 30 + [[None] * 10] * 10
    start = {**START, "queue": ["T", "T"], "board": board}
    command = [*SEVENBAG, "serve", "random:seed=1", "--rules"]
    [_, _, answer], _ = serve(RULES, start, SUGGEST, QUIT, command=[*command, "guideline"])
    assert answer["moves"] == []
    for rules, words in (("no-such", b"got 'no-such'"), ("x.toml", b"x.toml")):
        done = subprocess.run([*command, rules], capture_output=True, timeout=120, check=False)
        assert done.returncode == 2
        assert words in done.stderr


def test_uniform_randomizer_overrides_the_rules() -> None:
    command = [*SEVENBAG, "serve", "beam:nodes=50", "--rules", "tetrio-league"]
    answers, done = serve(
        {"type": "rules", "randomizer": "uniform"}, START, SUGGEST, QUIT, command=command
    )
    assert answers[2]["moves"]
    assert done.stderr.count(b"\n") == 1  # the start says seven_bag


def test_inputs_are_sent_on_request() -> None:
    command = [*SEVENBAG, "serve", "beam:nodes=50", "--inputs"]
    answers, _ = serve(RULES, START, SUGGEST, QUIT, command=command)
    [move] = answers[2]["moves"]
    assert set(move["inputs"]) <= {"left", "right", "ccw", "cw", "flip", "sonic"}
    assert "inputs" not in serve(RULES, START, SUGGEST, QUIT)[0][2]["moves"][0]


def test_frontend_without_features() -> None:
    command = [*SEVENBAG, "serve", "random", "--profile", "quadspace"]
    assert serve(QUIT, command=command)[0][0]["features"] == []


async def test_opponents_and_what_waits_reach_the_bot() -> None:
    bot = mock_bot()
    theirs = {"board": EMPTY[:32], "queue": ["I"]}
    start = {**START, "opponents": [theirs]}
    played = {**PLAY, "opponents": [theirs], "meter": 2}
    await conversation(bot, RULES, start, played, SUGGEST, answers=3)
    assert calls(bot)[:7] == [
        *("prepare", "start", "opponents", "play", "opponents", "garbage", "suggest")
    ]


async def test_bot_receives_the_game_in_order() -> None:
    bot = mock_bot()
    await conversation(bot, RULES, START, SUGGEST, PLAY, new_piece("T"), STOP, answers=3)
    assert calls(bot) == ["prepare", "start", "suggest", "play", "new_piece", "stop", "quit"]


async def test_moves_and_info_are_bounded() -> None:
    [_, _, answer] = await conversation(mock_bot(), RULES, START, SUGGEST, answers=3)
    assert len(answer["moves"]) == 1
    assert answer["move_info"]["nodes"] == 7
    assert len(json.dumps(answer)) < 4096
    [_, _, answer] = await conversation(mock_bot(), RULES, START, SUGGEST, answers=3, max_moves=6)
    assert len(answer["moves"]) == 6


@pytest.mark.parametrize("after", [START, STOP, QUIT])
async def test_obsolete_search_is_cancelled(after: Json, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter, "STALE_ANSWER_GRACE", 0.1)
    bot = mock_bot(suggest_seconds=3_600.0)
    began = time.monotonic()
    answers = await conversation(bot, RULES, START, SUGGEST, after, answers=3)
    assert answers[2] == {"type": "suggestion", "moves": []}
    assert time.monotonic() - began >= 0.09


async def test_new_pieces_do_not_cancel_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter, "STALE_ANSWER_GRACE", 0.1)
    bot = mock_bot(suggest_seconds=0.3)
    answers = await conversation(bot, RULES, START, SUGGEST, new_piece("J"), answers=3)
    assert answers[2]["moves"]


FAILURES = [BotDiedError("mock", "ended"), ZeroDivisionError("by zero")]


@pytest.mark.parametrize("error", FAILURES)
@pytest.mark.parametrize("step", ["start", "suggest", "play", "new_piece"])
async def test_failed_bot_is_asked_again_from_the_next_position(
    step: str, error: Exception
) -> None:
    bot = mock_bot()
    method: AsyncMock = getattr(bot, step)
    works, method.side_effect = method.side_effect, error
    async with served(bot) as wire:
        wire.say(RULES, START, SUGGEST, PLAY, new_piece("T"), SUGGEST)
        heard = [await wire.hear() for _ in range(4)]
        assert kinds(heard) == ["info", "ready", "suggestion", "suggestion"]
        assert heard[3]["moves"] == []
        method.side_effect = works
        wire.say(START, SUGGEST)
        assert (await wire.hear())["moves"]


@pytest.mark.parametrize("error", FAILURES)
async def test_a_bot_that_cannot_be_prepared_refuses(error: Exception) -> None:
    bot = mock_bot()
    bot.prepare.side_effect = error
    answers = await conversation(bot, RULES, START, SUGGEST, answers=3)
    assert answers[1] == {"type": "error", "reason": "unsupported_rules"}
    assert answers[2] == {"type": "suggestion", "moves": []}


def test_output_of_a_bot_does_not_reach_the_protocol() -> None:
    program = """
import sevenbag.bots.builtin.random_bot as random_bot
import sevenbag.cli.main as cli
class Loud(random_bot.RandomBot):
    async def suggest(self, limits):
        print("thinking")
        return await super().suggest(limits)
random_bot.RandomBot = Loud
raise SystemExit(cli.main(["serve", "random"]))
"""
    answers, done = serve(RULES, START, SUGGEST, QUIT, command=[sys.executable, "-c", program])
    assert kinds(answers) == ["info", "ready", "suggestion"]
    assert done.stderr == b"thinking\n"


def test_input_from_a_file(tmp_path: Path) -> None:
    lines = tmp_path / "lines"
    lines.write_bytes(lines_of([RULES, START, SUGGEST]))
    with lines.open("rb") as file:
        done = subprocess.run(SERVE, stdin=file, capture_output=True, timeout=120, check=False)
    assert kinds([json.loads(line) for line in done.stdout.splitlines()])[-1] == "suggestion"
