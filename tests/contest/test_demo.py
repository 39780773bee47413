"""`sevenbag contest demo` and `contest match`, as a new user types them."""

import re
import signal
import subprocess
import threading
import urllib.request
from pathlib import Path

import pytest

from tests.cli.run import TRACES, alive, descendants, loopback, sevenbag, start, wait_until

QUICK = (
    "--port",
    "0",
    "--set",
    "match.games=1",
    "--moves-per-second",
    "200",
    "--set",
    "match.game_seconds=1",
)
# The ports are fixed, so each test process has its own address; the demo finds a free one.
HOST = loopback(1)
ALONE = ("--set", f"server.bind={HOST}", "--set", "log.level=warning")


def lines_of(process: subprocess.Popen[str]) -> list[str]:
    """Return the output line by line."""
    lines: list[str] = []
    stream = process.stdout
    assert stream is not None
    threading.Thread(target=lambda: lines.extend(iter(stream.readline, "")), daemon=True).start()
    return lines


def close(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    for stream in (process.stdout, process.stderr):
        assert stream is not None
        stream.close()


def test_demo_plays_a_match_and_prints_the_winner(tmp_path: Path) -> None:
    done = sevenbag("contest", "demo", "random", "random:seed=2", "--once", *QUICK, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.search(r"open http://127\.0\.0\.1:\d+/ to watch", done.stdout)
    assert re.search(r"^(Alpha|Beta) has won: majority of games$", done.stdout, re.MULTILINE)
    assert done.stderr == ""
    assert list(tmp_path.iterdir()) == []
    (token,) = re.findall(r"(?m)^match token: ([0-9a-f-]{36})$", done.stdout)
    assert re.search(
        rf"sevenbag contest watch pason://127\.0\.0\.\d+(:\d+,\d+)? --token {token}$",
        done.stdout,
        re.MULTILINE,
    )


@pytest.mark.slow
def test_the_demo_stays_to_be_looked_at_until_ctrl_c(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    process = start("contest", "demo", "--folder", folder, *QUICK, folder=tmp_path)
    try:
        lines = lines_of(process)
        wait_until(lambda: any("has won" in line for line in lines))
        match = next(line.split()[-1] for line in lines if line.startswith("match: "))
        with urllib.request.urlopen(match, timeout=120) as answer:
            assert b"Alpha" in answer.read()
        children = descendants(process.pid)
        assert children
        process.send_signal(signal.SIGINT)
        assert process.wait(120) == 130
        assert not any(alive(child) for child in children)
        assert process.stderr is not None
        assert process.stderr.read() == ""
    finally:
        close(process)
    again = sevenbag("contest", "demo", "--folder", folder, folder=tmp_path)
    assert again.returncode == 2
    assert "has a contest already" in again.stderr
    exported = sevenbag("contest", "export", "--settings", folder / "contest.toml", folder=tmp_path)
    assert exported.returncode == 0, exported.stderr
    assert exported.stdout.count("\n") == 2


@pytest.mark.slow
def test_a_client_that_cannot_play_ends_the_demo_in_words(tmp_path: Path) -> None:
    done = sevenbag("contest", "demo", "beam", "tbp:false", *QUICK, folder=tmp_path)
    assert done.returncode == 1
    assert "Beta's client has failed" in done.stderr


def test_one_match_without_a_site(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("correct horse\n")
    process = start(
        *("contest", "match", "My Team", "Test Client=random", "--password-file", "password"),
        *ALONE,
        *("--set", "match.games=1", "--set", "match.game_seconds=1"),
        *("--set", "match.linger_seconds=3", "--set", "server.spool=spool"),
        folder=tmp_path,
    )
    try:
        lines = lines_of(process)
        wait_until(lambda: any("built-in bot random" in line for line in lines))
        token = next(line.split()[-1] for line in lines if line.startswith("match token: "))
        played = sevenbag(
            *("join", f"pason://{HOST}", "--token", token, "--team", "My Team"),
            *("--password-file", "password", "--bot", "beam:nodes=300"),
            folder=tmp_path,
        )
        assert played.returncode == 0, played.stderr
        assert process.wait(120) == 0
        wait_until(lambda: any("My Team has won" in line for line in lines))
        assert [path.name for path in tmp_path.iterdir()] == ["password"], "nothing is stored"
        assert not any("correct horse" in line for line in lines)
        assert process.stderr is not None
        assert not any(trace in process.stderr.read() for trace in TRACES)
    finally:
        close(process)


@pytest.mark.slow
def test_each_team_of_a_match_has_its_own_password(tmp_path: Path) -> None:
    teams = ("Team A", "Team B")
    for team in teams:
        (tmp_path / f"{team}.txt").write_text(f"correct horse of {team}\n")
    process = start(
        *("contest", "match", *teams, "--set", f"server.bind={HOST}"),
        *(word for team in teams for word in ("--password-file", f"{team}={team}.txt")),
        *("--set", "match.games=1", "--set", "match.game_seconds=1"),
        folder=tmp_path,
    )
    clients: list[subprocess.Popen[str]] = []
    try:
        lines = lines_of(process)
        wait_until(lambda: any(line.startswith("Team B: ") for line in lines))
        token = next(line.split()[-1] for line in lines if line.startswith("match token: "))
        here = ("join", f"pason://{HOST}", "--token", token, "--bot", "random")
        wrong = sevenbag(
            *(*here, "--team", "Team A", "--password-file", "Team B.txt"), folder=tmp_path
        )
        assert wrong.returncode == 1
        assert "wrong password" in wrong.stderr
        clients += [
            start(*here, "--team", team, "--password-file", f"{team}.txt", folder=tmp_path)
            for team in teams
        ]
        assert sorted(client.wait(120) for client in clients) == [0, 3]
        assert not any("correct horse" in line for line in lines)
    finally:
        for each in (process, *clients):
            close(each)


@pytest.mark.slow
@pytest.mark.parametrize("times", [1, 2])
def test_running_games_are_finished_unless_one_insists(tmp_path: Path, times: int) -> None:
    (tmp_path / "password").write_text("correct horse\n")
    password = ("--password-file", "password")
    settings = (
        *("--set", f"server.bind={HOST}", "--set", "site.port=0"),
        *("--set", f"test_match.game_seconds={3 if times == 1 else 600}"),
        *("--set", "test_client.moves_per_second=1"),
    )
    registered = sevenbag("contest", "register", "--team", "A", *password, folder=tmp_path)
    assert registered.returncode == 0, registered.stderr
    process = start("contest", "serve", *settings, folder=tmp_path)
    logged: list[str] = []
    errors = process.stderr
    assert errors is not None
    threading.Thread(target=lambda: logged.extend(iter(errors.readline, "")), daemon=True).start()
    client = None
    try:
        lines = lines_of(process)
        wait_until(lambda: any("game server: commands" in line for line in lines))
        wait_until(lambda: any("game_server.connected" in line for line in logged))
        site = next(line.split()[-1] for line in lines if line.startswith("site: "))
        client = start(
            *("join", site, "--test", "--team", "A", *password, "--bot", "beam:nodes=300"),
            *("--moves-per-second", "2", "--server-seconds", "2"),
            folder=tmp_path,
        )
        wait_until(lambda: any("game.started" in line for line in logged))
        process.send_signal(signal.SIGINT)
        wait_until(lambda: any("server.stopping" in line for line in logged))
        if times == 2:
            process.send_signal(signal.SIGINT)
        assert process.wait(120) == 130
        assert any("game.finished" in line for line in logged) == (times == 1)
    finally:
        for each in (process, client):
            if each is not None:
                close(each)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["demo", "beam"], "expected two, got 1"),
        (["demo", "beam", "nonesuch"], "nonesuch"),
        (["match", "A", "A"], "both sides are called 'A'"),
        (["match", "A", "B="], "got 'B='"),
        (["match", "A", "B=tbp:cat"], "sevenbag join"),
        (["match", "A", "B", "--password-file", "missing"], "missing: cannot be read"),
        (["match", "A", "B", "--password-file", "B=missing"], "missing: cannot be read"),
        (["match", "A", "B", "--password-file", "C=x"], "expected A=FILE or B=FILE, got 'C=x'"),
        (["match", "A", "B=random", "--password-file", "B=x"], "expected A=FILE, got 'B=x'"),
        (
            ["match", "A", "B", *["--password-file", "A=x"] * 2],
            "expected one file for 'A', got two",
        ),
        (["match", "A", "B", *["--password-file", "x"] * 2], "expected TEAM=FILE for each team"),
        (["match", "A", "B", "--set", "server.bind=256.1.1.1"], "256.1.1.1"),
        (["match", "A", "B", "--set", "match.games=0"], "match.games"),
        (["game-server"], "invalid server.scheduler"),
        (["serve", "--settings", "missing.toml"], "missing.toml"),
        (["serve", "--set", "site.port=x"], "site.port"),
        (["serve", "--set", "site.store=nonsense"], "expected sqlite:///FILE"),
        (
            ["serve", "--set", "server.bind=0.0.0.0", "--game-servers", "2"],
            "each needs its own address",
        ),
        (["register", "--team", "A", "--password-file", "missing"], "missing: cannot be read"),
        (["watch", "http://x", "--token", "t"], "pason://"),
    ],
)
def test_unusable_settings_are_named(words: list[str], told: str, tmp_path: Path) -> None:
    done = sevenbag("contest", *words, folder=tmp_path)
    assert done.returncode == 2, done.stderr
    assert told in done.stderr
    assert done.stderr.count("\n") <= 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["export"], "no file contest.db"),
        (["register", "--team", "test  client", "--password-file", "password"], "our own player"),
    ],
)
def test_failed_start_leaves_nothing(words: list[str], told: str, tmp_path: Path) -> None:
    (tmp_path / "password").write_text("correct horse\n")
    done = sevenbag("contest", *words, folder=tmp_path)
    assert done.returncode == 1
    assert told in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["password"]


def test_settings_are_a_file_to_begin_with(tmp_path: Path) -> None:
    told = sevenbag("contest", "settings", "--set", "match.games=7", folder=tmp_path)
    (tmp_path / "contest.toml").write_text(told.stdout)
    again = sevenbag("contest", "settings", folder=tmp_path)
    assert again.stdout == told.stdout
    assert "games = 7" in told.stdout
