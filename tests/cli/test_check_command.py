"""Tests of ``sevenbag check``."""

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.cli.run import COMMAND, assert_rejected, run_process, sevenbag

FAKES = Path(__file__).parents[1] / "fakes"


def check(*arguments: str) -> subprocess.CompletedProcess[str]:
    return sevenbag("check", *arguments)


def fake(fault: str = "") -> str:
    file = "faulty.py" if fault else "dropper.py"
    return f"tbp:{sys.executable} -S {FAKES / file} {fault}"


@pytest.fixture(autouse=True)
def _fakes_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(FAKES.parents[1]))


def test_valid_bot() -> None:
    done = check(fake(), "--only", "hold")
    assert done.returncode == 0
    assert done.stdout.startswith("TBP check of dropper 1 (tbp:")
    assert "0 errors, 0 warnings, 0 notes" in done.stdout
    assert done.stderr == ""


def test_invalid_bot() -> None:
    done = check(fake("LowerCase"), "--only", "hold")
    assert done.returncode == 1
    problem = "moves[0].location.type: expected one of I O T L J S Z, got 'o'"
    assert f"error: message-format: {problem}" in done.stdout


def test_engines_for_triangle_hosts() -> None:
    def engine(fault: str) -> str:
        return f"triangle:{sys.executable} -S {FAKES / 'triangle_bots.py'} {fault}"

    right = check(engine("Engine"), "--only", "state-before-play")
    assert right.returncode == 0
    assert right.stdout.startswith("Triangle check of fake 1.0 (triangle:")
    assert "0 errors, 0 warnings, 0 notes" in right.stdout
    wrong = check(engine("PublishedNames"), "--only", "state-before-play")
    assert wrong.returncode == 1
    assert "error: keys: invalid key: expected rotateCW, got 'rotateClockwise'" in wrong.stdout
    assert "invalid check name 'hold'" in check(engine("Engine"), "--only", "hold").stderr


@pytest.mark.parametrize(
    ("level", "code"), [("error", 0), ("warning", 1), ("note", 1), ("never", 0)]
)
def test_fail_on_option(level: str, code: int) -> None:
    arguments = ("--only", "hold", "--fail-on", level)
    assert check(fake("LongSuggestions"), *arguments).returncode == code


def test_files(tmp_path: Path) -> None:
    for form, suffix in (("json", "json"), ("junit", "xml")):
        file = tmp_path / f"report.{suffix}"
        done = check(fake(), "--only", "hold", "--format", form, "--output", str(file))
        assert done.stdout == ""
        assert done.returncode == 0
    assert json.loads((tmp_path / "report.json").read_text())["name"] == "dropper"
    assert ET.parse(tmp_path / "report.xml").getroot().get("failures") == "0"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["report.json", "report.xml"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "expected one such as tbp:./my-bot, or --frontend, got none"),
        (("tbp:/no/such/bot",), "no such command: /no/such/bot"),
        (("stockfish",), "no bot 'stockfish'"),
        (("random", "--only", "holds"), "invalid check name 'holds': expected one of rules-empty"),
        (("random", "--output", "/no/such/folder/x"), "there is no folder /no/such/folder"),
        (("random", "--output", "/"), "cannot be written"),
        (("random", "--answer-seconds", "0"), "expected number above 0"),
    ],
)
def test_invalid_input(arguments: tuple[str, ...], words: str) -> None:
    assert_rejected(words, "check", *arguments)


def test_silent_frontend() -> None:
    done = run_process([*COMMAND, "check", "--frontend"])
    assert json.loads(done.stdout)["type"] == "info"
    assert "warning: quit: end of input without quit" in done.stderr
    assert done.returncode == 0
