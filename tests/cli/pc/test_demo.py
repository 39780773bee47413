"""Tests of ``pc demo``, with and without a terminal."""

import os
import re
import signal
import subprocess

import pytest

from tests.cli.pc.run import PC, Terminal, pc
from tests.cli.run import TRACES, environment


def test_demo_plays_perfect_clears() -> None:
    with Terminal("demo", "--seed", "5", "--pps", "40", rows=30) as terminal:
        terminal.wait_for("PC Solver")
        terminal.wait_for("PERFECT CLEAR")
        terminal.type("q")
        assert terminal.end() == 0
        assert "Traceback" not in terminal.text
        assert terminal.text.rstrip().endswith("\x1b[?1049l")


@pytest.mark.parametrize("leave", ["q", "\x03", "\x04"], ids=["q", "ctrl-c", "ctrl-d"])
def test_quit_keys(leave: str) -> None:
    with Terminal("demo") as terminal:
        terminal.wait_for("perfect clears")
        terminal.type(leave)
        assert terminal.end() == 0
        assert "Traceback" not in terminal.text


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


def test_terminal_is_resized() -> None:
    with Terminal("demo", "-s", "1") as terminal:
        terminal.wait_for("PC Solver")
        for columns, rows in ((200, 60), (40, 18), (30, 5), (5, 1)):
            drawn = terminal.resize(columns, rows)
            assert "\x1b[1;1H" in drawn
            assert f"\x1b[{rows + 1};1H" not in drawn
        terminal.type("q")
        assert terminal.end() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signals_restore_the_screen(number: signal.Signals) -> None:
    with Terminal("demo") as terminal:
        terminal.wait_for("PC Solver")
        os.kill(terminal.pid, number)
        terminal.wait_for("\x1b[?1049l")
        assert terminal.end() == 128 + number


def test_lines_without_a_terminal() -> None:
    process = subprocess.Popen(
        [*PC, "demo", "-s", "5", "-k", "srs"],
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(2)]
    assert re.search(r"PPS [0-9.]+  APP [0-9.]+  lines sent \d+", lines[1])
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (0, "")


def test_closed_pipe() -> None:
    done = subprocess.run(
        ["sh", "-c", '"$@" | head -n 1', "sh", *PC, "demo", "-s", "5"],
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert not any(trace in done.stderr for trace in TRACES)
    assert done.stderr == ""


def test_unreachable_heights() -> None:
    done = pc("demo", "--min-height", "127")
    assert (done.returncode, done.stderr) == (1, "error: SolutionTooLong\n")
