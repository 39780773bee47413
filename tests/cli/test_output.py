"""Tests of unwritable output: one line on standard error."""

import subprocess
from pathlib import Path

import pytest

from tests.cli.run import COMMAND, TRACES, environment, sevenbag

PLAY = ["play", "random", "random", "--seed", "1"]
SERVE = ["serve", "random"]
COMMANDS = [
    ["--help"],
    ["--version"],
    ["play", "--help"],
    PLAY,
    [*PLAY, "--quiet"],
    [*PLAY, "--json"],
    SERVE,
    ["perft", "IOL"],
    ["pc", "version"],
    ["pc", "fumen", "v115@vhAAgWYAFLDmClcJSAVDEHBEooRBPoAVBJO1LC"],
    ["replay", "show", "game.replay"],
    ["replay", "show", "game.replay", "--svg", "-"],
    ["replay", "show", "game.replay", "--turn", "3"],
]


MOSTLY_SLOW = [
    words if words in (PLAY, SERVE) else pytest.param(words, marks=pytest.mark.slow)
    for words in COMMANDS
]


def in_shell(words: list[str], redirection: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", f'exec "$@" {redirection}', "sh", *COMMAND, *words],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture(name="folder", scope="module")
def folder_with_a_game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("output")
    words = ("random:seed=1", "random:seed=2", "--replay", "game.replay", "--quiet")
    assert sevenbag("play", *words, folder=folder).returncode == 0
    return folder


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("words", MOSTLY_SLOW, ids=" ".join)
def test_full_disk(words: list[str], folder: Path) -> None:
    done = in_shell(words, "</dev/null >/dev/full", folder)
    lines = done.stderr.splitlines()
    assert lines[-1] == "sevenbag: cannot write: No space left on device"
    assert len(lines) <= 1 + ("play" in words)  # which says as well what was kept of the game
    assert not any(trace in done.stderr for trace in TRACES)
    assert done.returncode == 1


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_closed_output(words: list[str], folder: Path) -> None:
    done = in_shell(words, "</dev/null >&-", folder)
    assert (done.returncode, done.stderr) == (1, "sevenbag: standard output is closed\n")


@pytest.mark.parametrize("words", MOSTLY_SLOW, ids=" ".join)
def test_other_streams_may_be_closed(words: list[str], folder: Path) -> None:
    done = in_shell(words, "<&- 2>&-", folder)
    assert done.returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("words", [PLAY, SERVE], ids=" ".join)
@pytest.mark.parametrize("closed", ["<&-", "</dev/null 2>&-"])
def test_one_other_stream_may_be_closed(closed: str, words: list[str], folder: Path) -> None:
    done = in_shell(words, closed, folder)
    assert (done.returncode, done.stderr) == (0, "")
