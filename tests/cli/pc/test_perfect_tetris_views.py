"""Tests of ``pc demo`` and ``pc display``, with and without a terminal."""

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.pc.run import PC, Terminal, pc
from tests.cli.run import run_process, start


def test_demo_plays_perfect_clears() -> None:
    with Terminal("demo", "--seed", "5", "--pps", "40", rows=30) as terminal:
        terminal.wait_for("PC Solver")
        terminal.wait_for("PERFECT CLEAR")
        terminal.type("q")
        assert terminal.end() == 0
        assert "Traceback" not in terminal.text
        assert terminal.text.rstrip().endswith("\x1b[?1049l")


def test_pause_and_speed_keys() -> None:
    with Terminal("demo", "-s", "1") as terminal:
        terminal.wait_for("10 PPS")
        terminal.type(" ")
        terminal.wait_for("paused")
        terminal.type("+")
        terminal.wait_for("12.5 PPS")
        terminal.type("--")
        terminal.wait_for("8 PPS")
        terminal.type("q")
        assert terminal.end() == 0


def test_lines_without_a_terminal() -> None:
    process = start("demo", "-s", "5", "-k", "srs", command=PC)
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(2)]
    assert re.search(r"PPS [0-9.]+  APP [0-9.]+  lines sent \d+", lines[1])
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (0, "")


def test_closed_pipe() -> None:
    done = run_process(["sh", "-c", '"$@" | head -n 1', "sh", *PC, "demo", "-s", "5"])
    assert done.stderr == ""


def test_unreachable_heights() -> None:
    done = pc("demo", "--min-height", "127")
    assert (done.returncode, done.stderr) == (1, "error: SolutionTooLong\n")


TWO_LINES = bytes.fromhex("0a00fcffffff0000000c341c1c")
FOUR_LINES = bytes.fromhex("9d406746feff1b002048946a1400340c3400")


@pytest.fixture(name="path")
def file_of_solutions(tmp_path: Path) -> Path:
    path = tmp_path / "file.pc"
    path.write_bytes(FOUR_LINES + TWO_LINES * 2)
    return path


@pytest.fixture(params=["demo", "display"])
def view(request: pytest.FixtureRequest, path: Path) -> Iterator[Terminal]:
    """Run each view in a terminal, until it has drawn."""
    words = ("demo", "-s", "1") if request.param == "demo" else ("display", path)
    with Terminal(*words) as terminal:
        terminal.wait_for("PC Solver" if request.param == "demo" else "Skip to:")
        yield terminal


@pytest.mark.parametrize("leave", ["q", "\x03", "\x04"], ids=["q", "ctrl-c", "ctrl-d"])
def test_quit_keys(view: Terminal, leave: str) -> None:
    view.type(leave)
    assert view.end() == 0
    assert "Traceback" not in view.text


def test_terminal_is_resized(view: Terminal) -> None:
    for columns, rows in ((200, 60), (40, 18), (30, 5), (5, 1)):
        drawn = view.resize(columns, rows)
        assert "\x1b[1;1H" in drawn
        assert f"\x1b[{rows + 1};1H" not in drawn
    view.type("q")
    assert view.end() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signals_restore_the_screen(view: Terminal, number: signal.Signals) -> None:
    os.kill(view.pid, number)
    view.wait_for("\x1b[?1049l")
    assert view.end() == 128 + number


def test_number_past_the_end_quits(path: Path) -> None:
    with Terminal("display", path) as terminal:
        terminal.wait_for("Skip to:")
        terminal.type("9\r")
        assert terminal.end() == 0


def test_enter_shows_the_next_solution(path: Path) -> None:
    with Terminal("display", path) as terminal:
        terminal.wait_for("Solution 1 of 3")
        terminal.type("\r")
        terminal.wait_for("Solution 2 of 3")
        terminal.type("\r")
        terminal.wait_for("Solution 3 of 3")
        terminal.type("\r")
        assert terminal.end() == 0
        assert terminal.text.rstrip().endswith("\x1b[?1049l")


def test_number_selects_a_solution(path: Path) -> None:
    with Terminal("display", path) as terminal:
        terminal.wait_for("Skip to:")
        for typed, number in (("2", 2), ("0", 1), ("03", 3), ("x3\x7f2", 2)):
            terminal.type(f"{typed}\r")
            terminal.wait_for(f"Solution {number} of 3")
        terminal.type("q")
        assert terminal.end() == 0


def test_arrows_step_through_pieces(path: Path) -> None:
    with Terminal("display", path) as terminal:
        terminal.wait_for("Skip to:")
        terminal.type("\x1b[A")
        terminal.wait_for("piece 9 of 10")
        terminal.type("\x1b[A")
        terminal.wait_for("piece 8 of 10")
        terminal.type("q")
        assert terminal.end() == 0


def test_arrows_stop_at_first_and_last(path: Path) -> None:
    with Terminal("display", path) as terminal:
        terminal.wait_for("Skip to:")
        terminal.type("\x1b[D")
        terminal.wait_for("this is the first solution")
        terminal.type("3\r\x1b[C")
        terminal.wait_for("this is the last solution")
        terminal.type("q")
        assert terminal.end() == 0


def test_input_by_lines(path: Path) -> None:
    done = pc("display", path, typed="\nx\n0\n\n3\n\n")
    assert (done.returncode, done.stderr) == (0, "")
    found = [line for line in done.stdout.splitlines() if line.startswith("Solution")]
    assert found == [f"Solution {number} of 3" for number in (1, 2, 1, 2, 3)]
    assert done.stdout.startswith(
        "[L] STIZJOSJIO\nOOIIIIIIII\nOOJSSTTTSS\nOOSSZZTSSL\nOOJJJZZLLL\nSolution 1 of 3\n"
    )


def test_invalid_solutions_are_shown_up_to_the_error(tmp_path: Path) -> None:
    path = tmp_path / "file.pc"
    # The second I lies where the first one does.
    path.write_bytes(TWO_LINES[:8] + bytes.fromhex("000c0c1c1c") + TWO_LINES)
    done = pc("display", path, typed="\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "OO........\nOOIIII....\nSolution 1 of 2   placement 3 does not fit\n" in done.stdout
    assert "Solution 2 of 2\n" in done.stdout


@pytest.mark.parametrize(
    ("data", "name"), [(None, "FileNotFound"), (FOUR_LINES[:10], "EndOfStream")]
)
def test_invalid_files(tmp_path: Path, data: bytes | None, name: str) -> None:
    path = tmp_path / "file.pc"
    if data is not None:
        path.write_bytes(data)
    done = pc("display", path)
    assert (done.returncode, done.stderr) == (1, f"error: {name}\n")


def test_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "file.pc"
    path.write_bytes(b"")
    done = pc("display", path)
    assert (done.returncode, done.stdout) == (0, "There is no solution in it.\n")
