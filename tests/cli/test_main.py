"""Tests of the command line: help, version, invalid arguments."""

import json
import sys
from pathlib import Path

import pytest

from sevenbag.cli.command_table import COMMANDS
from sevenbag.cli.main import main
from sevenbag.cli.signals import SignalInterrupt
from sevenbag.errors import BotDiedError, PieceError
from tests.cli.run import run_process, sevenbag


def test_help_names_every_command() -> None:
    done = sevenbag("--help")
    assert done.returncode == 0
    assert all(command in done.stdout for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str) -> None:
    done = sevenbag(command, "--help")
    assert done.returncode == 0
    assert done.stdout.startswith(f"usage: sevenbag {command}")


def test_version_is_printed() -> None:
    done = sevenbag("--version")
    assert done.returncode == 0
    name, version = done.stdout.split()
    assert name == "sevenbag"
    assert version.count(".") == 2


@pytest.mark.parametrize(
    "group", [(), ("pc",), ("pc", "table"), ("replay",), ("contest",)], ids=" ".join
)
def test_group_without_command_prints_help(group: tuple[str, ...]) -> None:
    bare, asked = sevenbag(*group), sevenbag(*group, "--help")
    assert (bare.returncode, bare.stderr) == (0, "")
    assert bare.stdout == asked.stdout
    assert bare.stdout.startswith(" ".join(("usage: sevenbag", *group)))


@pytest.mark.parametrize("words", [("dance",), ("--dance",), ("replay", "x"), ("play", "--dance")])
def test_invalid_command_line_prints_one_line_and_the_help_command(words: tuple[str, ...]) -> None:
    done = sevenbag(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("sevenbag: ")
    assert "--help" in done.stderr


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (("match", "beam", "beam", "--dance"), "match"),
        (("play", "beam", "beam", "--dance"), "play"),
        (("tournament", "a.toml", "b.toml"), "tournament"),
        (("replay", "show", "a.replay", "--dance"), "replay show"),
        (("contest", "serve", "--dance"), "contest serve"),
        (("--dance", "match", "beam", "beam"), ""),
    ],
)
def test_unknown_arguments_refer_to_the_help_of_their_command(
    words: tuple[str, ...], command: str
) -> None:
    done = sevenbag(*words)
    assert done.returncode == 2
    assert done.stderr.splitlines()[1] == " ".join(f"Try: sevenbag {command} --help".split())


def test_help_imports_neither_bots_nor_drawing() -> None:
    done = run_process([sys.executable, "-P", "-X", "importtime", "-m", "sevenbag", "--help"])
    assert done.returncode == 0
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "sevenbag.cli.main" in loaded
    assert loaded.isdisjoint({"sevenbag.bots", "sevenbag.drawing", "sevenbag.game", "rich"})


def test_installed_command() -> None:
    done = run_process([str(Path(sys.executable).with_name("sevenbag"))], "perft", "IO", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["queue"] == "IO"


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (PieceError("no piece 'X'"), 2, "sevenbag: no piece 'X'\n"),
        (BotDiedError("beam", "ended"), 1, "sevenbag: beam: ended\n"),
        (KeyboardInterrupt(), 130, ""),
        (SignalInterrupt(15), 143, ""),
    ],
)
def test_errors_have_messages_and_exit_codes(
    error: BaseException,
    code: int,
    text: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(_: list[str]) -> int:
        raise error

    monkeypatch.setattr("sevenbag.cli.main.run_command_line", fail)
    assert main(["play"]) == code
    assert capsys.readouterr() == ("", text)
