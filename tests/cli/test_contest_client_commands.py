"""Tests of ``sevenbag join``: complete matches, exit codes, clean-up of bots."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

from tests.bots.conftest import mark  # noqa: F401  # a fixture
from tests.cli.run import QUICK_BOT, assert_rejected, sevenbag, start, wait_until
from tests.contest.client.small_server import PASSWORDS, QUICK, TEAMS, SmallServer
from tests.contest.client.test_contest_client import Answers
from tests.contest.client.test_match_session import LONG

_BOT = """
import json
def say(**message): print(json.dumps(message), flush=True)
say(type="info", name="{name}", version="1", author="me", features=[])
input()
say({answer})
input()
"""
EXAMPLES = Path(__file__).parents[2] / "examples"


ONE_GAME = msgspec.structs.replace(
    QUICK, match=msgspec.structs.replace(QUICK.match, games=1, game_seconds=3)
)


def join(server: SmallServer, seat: int, bot: str, *more: str) -> subprocess.Popen[str]:
    words = ("join", server.url, "--token", server.token, "--team", TEAMS[seat], "--bot", bot)
    limit = ("--server-seconds", "120")
    return start(*words, *limit, *more, SEVENBAG_PASSWORD=PASSWORDS[seat])


def ended(*programs: subprocess.Popen[str]) -> list[tuple[int, list[str]]]:
    told = [
        ("".join(program.communicate(timeout=120)).splitlines(), program) for program in programs
    ]
    assert not any("Traceback" in line for lines, _ in told for line in lines)
    return [(program.returncode, lines) for lines, program in told]


def test_match_and_its_exit_codes() -> None:
    with SmallServer() as server:
        both = ended(join(server, 0, "beam:nodes=500"), join(server, 1, "random:seed=1"))
    (won, winner), (lost, loser) = both
    assert (won, lost) == (0, 3)
    assert winner[-1].startswith("Alpha team won against Beta: 2:0 games, ")
    assert loser[-1].startswith("Beta lost against Alpha team: 0:2 games, ")
    assert winner[0].startswith(f"Alpha team has connected to {server.url}, played by beam")


@pytest.mark.slow
def test_bots_of_all_protocols_play(mark: str) -> None:  # noqa: F811
    tbp = f"tbp:{sys.executable} {EXAMPLES / 'tbp_bot.py'}"
    triangle = f"triangle:{sys.executable} {EXAMPLES / 'triangle_bot.py'}"
    # No piece falls by itself before the game is over.
    slow_fall = msgspec.structs.replace(QUICK.game, gravity_ms=(60_000,))
    with SmallServer(msgspec.structs.replace(ONE_GAME, game=slow_fall)) as server:
        both = ended(join(server, 0, tbp, "--moves-per-second", "300"), join(server, 1, triangle))
    assert mark
    assert sorted(code for code, _ in both) == [0, 3]
    for _, lines in both:
        pieces, missed = (
            int(word) for word in lines[-2].replace(",", "").split() if word.isdigit()
        )
        assert pieces > 0
        assert missed <= 1, "only the end of the game interrupts a piece"


def test_tbp_bot_plays(mark: str) -> None:  # noqa: F811
    # The game ends when a board is full, and pieces fall slowly enough for any machine.
    rules = msgspec.structs.replace(
        QUICK,
        game=msgspec.structs.replace(QUICK.game, gravity_ms=(60_000,)),
        match=msgspec.structs.replace(QUICK.match, games=1, game_seconds=300, match_seconds=600),
    )
    with SmallServer(rules) as server:
        other = join(server, 1, "random:seed=1", "--moves-per-second", "20")
        words = ["--token", server.token, "--team", TEAMS[0], "--bot", QUICK_BOT]
        done = sevenbag("join", server.url, *words, SEVENBAG_PASSWORD=PASSWORDS[0])
        ended(other)
    assert mark
    assert done.returncode in (0, 3)
    connected, *_, pieces, result = done.stdout.splitlines()
    assert connected.endswith(", played by dropper")
    assert re.fullmatch(r"[1-9]\d* pieces, 0 of them not as planned", pieces)
    assert result.startswith(f"Alpha team {'lost' if done.returncode else 'won'} against Beta: ")


@pytest.mark.faults
def test_crashed_bot_is_reported_at_the_end(
    mark: str,  # noqa: F811
    tmp_path: Path,
) -> None:
    bot = tmp_path / "mortal.py"
    bot.write_text(_BOT.format(name="mortal", answer="type='ready'"))
    dies = f"tbp:{sys.executable} {bot}"
    with SmallServer() as server:
        both = ended(join(server, 0, dies), join(server, 1, "beam:nodes=300"))
    assert mark
    (failed, lines), (won, _) = both
    assert (failed, won) == (1, 0)
    assert lines[-1].startswith("the bot has failed: mortal: ")
    assert lines[-2].startswith("Alpha team lost against Beta")
    assert any("its pieces are left to gravity" in line for line in lines)


def test_ctrl_c_leaves_no_bot_behind(mark: str) -> None:  # noqa: F811
    bot = f"tbp:{sys.executable} {EXAMPLES / 'tbp_bot.py'}"
    with SmallServer(LONG) as server:
        programs = [join(server, seat, bot, "--moves-per-second", "20") for seat in (0, 1)]
        wait_until(lambda: bool(server.moves))
        for program in programs:
            os.kill(program.pid, signal.SIGINT)
        codes = [code for code, _ in ended(*programs)]
    assert mark
    assert codes == [130, 130]


@pytest.mark.faults
def test_server_exits_during_a_match() -> None:
    with SmallServer(LONG) as server:
        programs = [
            join(server, seat, "random", "--moves-per-second", "20", "--server-seconds", "1")
            for seat in (0, 1)
        ]
        wait_until(lambda: bool(server.moves))
    for code, lines in ended(*programs):
        assert code == 1
        assert "does not answer on its command channel" in lines[-1]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["pason://127.0.0.1", "--bot", "beam"], "no match token; give it by --token"),
        (["pason://a b", "--token", "t", "--bot", "beam"], "invalid game server"),
        (["nowhere", "--bot", "beam"], "expected a game server, pason://HOST, or a site"),
        (["127.0.0.1", "--token", "t", "--bot", "beam"], "got '127.0.0.1'"),
        (["http://x", "--token", "t", "--bot", "beam"], "--token is for a game server"),
        (["pason://x", "--test", "--bot", "beam"], "only that creates test matches"),
        (["pason://x", "--token", "t", "--bot", "bean"], "no bot 'bean' (did you mean 'beam'?)"),
        (["pason://x", "--token", "t", "--bot", "tbp:./nothing"], "nothing"),
    ],
)
def test_invalid_input_is_one_line(words: Sequence[str], says: str, tmp_path: Path) -> None:
    password = tmp_path / "password"
    password.write_text("secret\n")
    error = assert_rejected(says, "join", *words, "--team", "A", "--password-file", password)
    assert error.count("\n") == 1


def test_no_password(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("\n")
    base = ("join", "pason://127.0.0.1", "--token", "t", "--team", "A", "--bot", "random")
    cases: list[tuple[list[str | Path], str]] = [
        ([], "no password of A; give a file by --password-file, or set SEVENBAG_PASSWORD"),
        (["--password-file", tmp_path / "none"], "none: cannot be read: No such file"),
        (["--password-file", tmp_path / "empty"], "its first line, the password, is empty"),
    ]
    for more, says in cases:
        assert_rejected(says, *base, *more)


def test_bot_that_rejects_the_rules_never_connects(tmp_path: Path) -> None:
    """A bot can reject the rules; the server receives no message then."""
    bot = tmp_path / "choosy.py"
    bot.write_text(_BOT.format(name="choosy", answer="type='error', reason='unsupported_rules'"))
    with SmallServer() as server:
        ((code, lines),) = ended(join(server, 0, f"tbp:{sys.executable} {bot}"))
        present = server.matches[server.token].connected
    assert code == 1
    assert lines == ["sevenbag: choosy: does not play these rules (unsupported_rules)"]
    assert not any(present)


@pytest.fixture
def answers() -> Iterator[Answers]:
    site = Answers()
    yield site
    site.stop()


def test_match_from_a_site(answers: Answers) -> None:
    """A test match that the site makes; and the check of a server, by one, too."""
    with SmallServer() as server:
        answers.body = {
            "status": "success",
            "team_name": TEAMS[0],
            "server_ip": "127.0.0.1",
            "internal_ip": "127.0.0.1",
            "match_token": server.token,
            "command_port": server.address.command_port,
            "state_port": server.address.state_port,
        }
        words = ["join", answers.url, "--team", TEAMS[0], "--bot", "beam:nodes=300", "--test"]
        other = join(server, 1, "random")
        done = sevenbag(*words, SEVENBAG_PASSWORD=PASSWORDS[0])
        ended(other)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == f"test match {server.token} on {server.url}"
    assert lines[-1].startswith("Alpha team won against Beta: 2:0 games")
    assert answers.asked == (
        "/scheduler/create_unauthenticated_test_match",
        {"team_name": TEAMS[0], "password": PASSWORDS[0]},
    )


def test_site_that_rejects(answers: Answers) -> None:
    answers.body = {"status": "failed", "reason": "bad team or password"}
    for more in ([], ["--test"]):
        words = ["join", answers.url, "--team", "A", "--bot", "random", *more]
        done = sevenbag(*words, SEVENBAG_PASSWORD="secret word")
        assert done.returncode == 1
        assert done.stderr == ("sevenbag: the server refuses: failed: bad team or password\n")
