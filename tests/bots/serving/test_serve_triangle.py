"""Bots of ours on Triangle hosts: the real command, driven as Triangle.js drives it."""

import asyncio
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sevenbag.bots.bot import Limits, Suggestion
from sevenbag.bots.builtin.random_bot import RandomBot
from sevenbag.bots.registry import create_bot
from sevenbag.bots.serving.adapter import triangle_adapter
from sevenbag.errors import BotDiedError
from sevenbag.game import Rules
from tests.bots.conftest import slow
from tests.fakes.triangle_host import Host, Lock, Room

Json = dict[str, Any]

SEVENBAG = [sys.executable, "-P", "-m", "sevenbag"]
EXAMPLES = Path(__file__).parents[3] / "examples"
QUEUE = list("jilstzt")
CONFIG: Json = {"type": "config", "kicks": "SRS+", "spins": "all-mini+", "queue": QUEUE}
PLAY: Json = {"type": "play", "garbageCap": 8, "garbageMultiplier": 1}


BEAM = "beam:nodes=1000"


def served(bot: str) -> list[str]:
    return [*SEVENBAG, "serve", bot, "--as", "triangle"]


def misdrops(locks: list[tuple[Lock, Json]]) -> list[int]:
    """Which moves led elsewhere than the bot expected."""
    return [i for i, (lock, move) in enumerate(locks) if lock.board != move["data"]["board"]]


def now_and_then(seed: int) -> Callable[[int], int]:
    """Attacks of any size, at any time."""
    chance = random.Random(seed)
    return lambda _: chance.choice([0, 0, 0, 0, 1, 2])


@contextlib.contextmanager
def hosted(
    bot: str | list[str], room: Room, seed: int, *, may_misdrop: bool = False
) -> Iterator[Host]:
    """Host a bot that has to expect every board, and to end quietly with its input."""
    command = served(bot) if isinstance(bot, str) else bot
    with Host(command, room, seed) as host:
        yield host
        assert may_misdrop or misdrops(host.played) == []
        assert host.bot.communicate(timeout=120) == (b"", b"")
        assert host.bot.returncode == 0


def held(locks: list[tuple[Lock, Json]]) -> list[int]:
    """Return for each move whether it pressed hold."""
    return [i for i, (_, move) in enumerate(locks) if "hold" in move["keys"]]


@pytest.mark.parametrize("pps", [2, *slow(7.5, 30)])
def test_every_board_is_the_expected_one(pps: float) -> None:
    with hosted(BEAM, Room(), seed=2) as host:
        locks = host.play(200, pps, now_and_then(5))
        assert len(locks) == 200
        assert sum(lock.entered for lock, _ in locks) > 5


def test_host_that_sends_every_state() -> None:
    with hosted(BEAM, Room(), seed=5) as host:
        host.play(70, 30, now_and_then(3), states="always")


@pytest.mark.parametrize("bag", ["7-bag", *slow("total mayhem")])
@pytest.mark.parametrize("states", ["after garbage", *slow("always")])
def test_a_room_without_hold(states: str, bag: str) -> None:
    """No host announces that hold is off, but its states never show a held piece."""
    room = Room(hold=False, bag=bag)
    with hosted(BEAM, room, seed=2, may_misdrop=True) as host:
        locks = host.play(60, 4, now_and_then(5), states=states)
        assert held(locks)
        told = next(i for i, (lock, _) in enumerate(locks) if i >= held(locks)[0] and lock.entered)
        last = held(locks)[0] if states == "always" else told
        assert held(locks)[-1] <= last
        assert [i for i in misdrops(locks) if i > last] == []


@pytest.mark.parametrize(
    "room",
    [
        Room(kicks="SRS-X"),
        Room(width=4, height=26, kicks="SRS-X", spins="handheld"),
        *slow(
            *(Room(kicks=kicks) for kicks in ("SRS", "TETRA-X", "NRS", "ARS", "ASC", "none")),
            Room(width=7),
            Room(width=12, height=16),
            Room(bag="14-bag"),
            Room(spins="T-spins", combo_table="classic guideline"),
            Room(gravity=0.2, gravity_growth=0.0),
        ),
    ],
    ids=str,
)
def test_rooms(room: Room) -> None:
    with hosted(BEAM, room, seed=8) as host:
        host.play(70, 4)


@pytest.mark.parametrize("garbage", [True, *slow(False)])
def test_a_first_piece_that_cannot_be_known(garbage: bool) -> None:
    with hosted(BEAM, Room(bag="total mayhem"), seed=11) as host:
        locks = host.play(70, 4, now_and_then(2) if garbage else lambda _: 0)
        # The piece is held back until its name is known.
        assert held(locks)[0] == 0
        assert (len(held(locks)) > 1) == garbage


@pytest.mark.parametrize(
    ("bot", "pieces"),
    [
        ("random:seed=4", 12),
        *slow(("pc:nodes=2000", 12)),
        (f"tbp:{sys.executable} {EXAMPLES / 'tbp_bot.py'}", 60),
        ([sys.executable, str(EXAMPLES / "triangle_bot.py")], 60),
    ],
)
def test_other_bots(bot: str | list[str], pieces: int) -> None:
    with hosted(bot, Room(), seed=7) as host:
        host.play(pieces, 10, lambda n: 2 * (n % 9 == 0))


def answers(*lines: Json | str) -> tuple[list[Json], str]:
    """Return the answers to these lines and the log."""
    text = "".join((m if isinstance(m, str) else json.dumps(m)) + "\n" for m in lines)
    done = subprocess.run(
        served("random:seed=1"),
        input=text.encode(),
        capture_output=True,
        timeout=120,
        check=False,
        env={},
    )
    assert done.returncode == 0
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr.decode()


def test_every_question_is_answered_once() -> None:
    said, log = answers(CONFIG, PLAY, PLAY, {"type": "pieces", "pieces": ["o"]}, PLAY)
    assert [message["type"] for message in said] == ["info", "move", "move", "move"]
    assert said[0].keys() == {"type", "name", "version", "author"}
    assert log == ""


def test_invalid_messages_are_logged_and_skipped() -> None:
    said, log = answers(
        "{", "", '"play"', {"type": "news"}, CONFIG, {"type": "pieces", "pieces": 3}, PLAY
    )
    assert [message["type"] for message in said] == ["info", "move"]
    assert len(log.splitlines()) == 4
    assert "pieces: expected a list, got 3" in log


def test_a_question_before_a_position_is_answered_all_the_same() -> None:
    said, _ = answers(PLAY, CONFIG | {"boardWidth": 30}, PLAY, CONFIG | {"queue": 3}, PLAY)
    assert [message.get("keys") for message in said[1:]] == [["hardDrop"]] * 3


def test_a_question_with_nonsense_is_a_question() -> None:
    said, log = answers(CONFIG, PLAY | {"garbageCap": "eight"})
    assert said[1]["keys"][-1] == "hardDrop"
    assert "garbageCap" in log


@pytest.mark.parametrize("ignored", [*slow(False), True], ids=["heeded", "ignored at first"])
@pytest.mark.parametrize(
    "command",
    [served("beam"), [sys.executable, str(EXAMPLES / "triangle_bot.py")]],
    ids=["served", "example"],
)
def test_sigint_ends_the_server_quietly(command: list[str], *, ignored: bool) -> None:
    """Also where the host was started in the background, by a shell that lets it ignore Ctrl-C."""
    shell = ["/bin/sh", "-c", 'trap "" INT; exec "$@"', "sh"] if ignored else []
    bot = subprocess.Popen(
        [*shell, *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={},
    )
    try:
        assert bot.stdout is not None
        assert json.loads(bot.stdout.readline())["type"] == "info"
        bot.send_signal(signal.SIGINT)
        rest, words = bot.communicate(timeout=120)
    finally:
        bot.kill()
    assert (rest, words) == (b"", b"")
    assert bot.returncode in {0, 128 + signal.SIGINT}


def test_options_of_tbp_are_none_here() -> None:
    done = subprocess.run(
        [*served("beam"), "--moves", "3"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 2
    assert b"--moves is for TBP" in done.stderr


class Fickle(RandomBot):
    """Fails when it is asked for the second time, and is of no use until it is made ready again."""

    def __init__(self) -> None:
        super().__init__(seed=1)
        self.made_ready = 0
        self._asked = 0

    async def prepare(self, rules: Rules) -> None:
        self.made_ready += 1
        await super().prepare(rules)

    async def suggest(self, limits: Limits) -> Suggestion:
        self._asked += 1
        if self._asked == 2:
            raise BotDiedError(self.name, "ended")
        return await super().suggest(limits)


def test_failed_bot_is_prepared_again(capfd: pytest.CaptureFixture[str]) -> None:
    bot, said = Fickle(), list[Json]()

    async def talk() -> None:
        service = triangle_adapter(Limits())(bot, lambda line: said.append(json.loads(line)))
        for message in (CONFIG, PLAY, PLAY, PLAY):
            service.inbox.add_line(json.dumps(message).encode())
        service.inbox.close()
        await service.run()
        await bot.quit()

    asyncio.run(talk())
    assert [message["type"] for message in said] == ["info", "move", "move", "move"]
    assert bot.made_ready == 2
    assert capfd.readouterr().err == "serve.bot_failed bot=random error=ended\n"


def test_over_a_websocket() -> None:
    websockets = pytest.importorskip("websockets.asyncio.client")
    from sevenbag.bots.serving.websocket_server import WebSocketBotServer  # noqa: PLC0415  # needs an extra

    async def talk() -> list[Json]:
        server = WebSocketBotServer(lambda: create_bot("random"), triangle_adapter(Limits()))
        await server.open()
        try:
            async with websockets.connect(f"ws://127.0.0.1:{server.port}/") as host:
                said = [json.loads(await host.recv())]
                for message in (CONFIG, PLAY, PLAY):
                    await host.send(json.dumps(message))
                said += [json.loads(await host.recv()) for _ in range(2)]
                return said
        finally:
            await server.close()

    said = asyncio.run(asyncio.wait_for(talk(), 60))
    assert [message["type"] for message in said] == ["info", "move", "move"]


def test_an_input_that_never_ends_a_line_costs_no_memory() -> None:
    bot = subprocess.Popen(
        served("random"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        assert bot.stdin is not None
        for _ in range(40):
            bot.stdin.write(b"x" * (1 << 16))
        bot.stdin.write(b"\n" + json.dumps(CONFIG).encode() + os.linesep.encode())
        rest, words = bot.communicate(json.dumps(PLAY).encode() + b"\n", timeout=120)
    finally:
        bot.kill()
    assert len(rest.splitlines()) == 2
    assert b"reason=too_long" in words
