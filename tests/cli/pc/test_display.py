"""Tests of ``pc display``, with and without a terminal."""

import os
import signal
from pathlib import Path

import pytest

from tests.cli.pc.run import Terminal, pc

TWO_LINES = bytes.fromhex("0a00fcffffff0000000c341c1c")
FOUR_LINES = bytes.fromhex("9d406746feff1b002048946a1400340c3400")


@pytest.fixture(name="path")
def file_of_solutions(tmp_path: Path) -> Path:
    path = tmp_path / "file.pc"
    path.write_bytes(FOUR_LINES + TWO_LINES * 2)
    return path


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


@pytest.mark.parametrize(
    "leave", ["q", "\x04", "\x03", "9\r"], ids=["q", "ctrl-d", "ctrl-c", "past"]
)
def test_quit_keys(path: Path, leave: str) -> None:
    with Terminal("display", path) as terminal:
        terminal.wait_for("Skip to:")
        terminal.type(leave)
        assert terminal.end() == 0
        assert "Traceback" not in terminal.text


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


def test_terminal_is_resized(path: Path) -> None:
    with Terminal("display", path) as terminal:
        terminal.wait_for("Skip to:")
        for columns, rows in ((200, 60), (30, 12), (20, 5), (8, 2)):
            drawn = terminal.resize(columns, rows)
            assert "\x1b[1;1H" in drawn
            assert f"\x1b[{rows + 1};1H" not in drawn
        terminal.type("q")
        assert terminal.end() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signals_restore_the_screen(path: Path, number: signal.Signals) -> None:
    with Terminal("display", path) as terminal:
        terminal.wait_for("Skip to:")
        os.kill(terminal.pid, number)
        terminal.wait_for("\x1b[?1049l")
        assert terminal.end() == 128 + number


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
