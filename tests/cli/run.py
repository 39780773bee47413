"""Run commands as users do, in this process or in another one."""

import contextlib
import os
import pty
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, cast
from unittest import mock

from sevenbag.cli.main import main

COMMAND = [sys.executable, "-P", "-m", "sevenbag"]

FAKES = Path(__file__).parents[1] / "fakes"

QUICK_BOT = f"tbp:{sys.executable} -S {FAKES / 'dropper.py'}"
"""An external bot, named "dropper", that starts in a tenth of the time of ours."""

TRACES = ("Traceback", "Warning", "nanobind", "asyncio", "Exception ignored")
"""What no user should ever see."""


def environment() -> dict[str, str]:
    """Return the environment of this process without variables that change the output."""
    shown = {"COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR", "TERM"}
    return {key: value for key, value in os.environ.items() if key not in shown} | {"TERM": "xterm"}


def sevenbag(
    *words: str | Path, folder: Path | None = None, typed: str = "", **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run ``sevenbag`` in this process.

    Args:
        words: Arguments of the command.
        folder: Working directory; default: the present one.
        typed: Standard input.
        variables: Environment variables to add.

    Returns:
        Exit code and output.
    """
    return run_main(main, *words, folder=folder, typed=typed, **variables)


def run_main(
    program: Callable[[list[str]], int],
    *words: str | Path,
    folder: Path | None = None,
    typed: str = "",
    **variables: str,
) -> subprocess.CompletedProcess[str]:
    """Run the main function of a command; arguments as for `sevenbag`."""
    arguments = list(map(str, words))
    handlers = {number: signal.getsignal(number) for number in _CHANGED_BY_COMMANDS}
    # Files, because commands use the descriptors of streams as well.
    with (
        text_file() as stdin,
        text_file() as stdout,
        text_file() as stderr,
        contextlib.chdir(folder or Path.cwd()),
        mock.patch.dict(os.environ, environment() | variables, clear=True),
        mock.patch.multiple(sys, stdin=stdin, stdout=stdout, stderr=stderr),
    ):
        stdin.write(typed)
        stdin.seek(0)
        try:
            code = program(arguments)
        except SystemExit as stop:
            code = cast("int", stop.code)  # argparse has no others
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
        stdout.seek(0)
        stderr.seek(0)
        done = subprocess.CompletedProcess(arguments, code, stdout.read(), stderr.read())
    assert_no_trace(done.stdout + done.stderr)
    return done


def run_process(
    command: list[str], *words: str | Path, folder: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a command in another process; arguments as for `sevenbag`."""
    done = subprocess.run(
        [*command, *map(str, words)],
        cwd=folder,
        env=environment() | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert_no_trace(done.stdout + done.stderr)
    return done


def assert_no_trace(text: str) -> None:
    """Assert that an output contains no traceback or internal name."""
    assert not any(trace in text for trace in TRACES), text


def text_file() -> IO[str]:
    """Open a temporary text file."""
    return tempfile.TemporaryFile("w+", encoding="utf-8")


_CHANGED_BY_COMMANDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_ok(*words: str | Path, folder: Path | None = None) -> str:
    """Run a command that succeeds without a message; return its output."""
    done = sevenbag(*words, folder=folder)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


def assert_rejected(message: str, *words: str | Path, folder: Path | None = None) -> str:
    """Assert that a command rejects its arguments with a message; return its error output."""
    done = sevenbag(*words, folder=folder)
    assert (done.returncode, done.stdout) == (2, ""), done
    assert done.stderr.startswith("sevenbag: "), done
    assert message in done.stderr, done
    return done.stderr


def start(
    *words: str | Path,
    folder: Path | None = None,
    command: Sequence[str] = COMMAND,
    **variables: str,
) -> subprocess.Popen[str]:
    """Start a command in the background, in its own process group."""
    return subprocess.Popen(
        [*command, *map(str, words)],
        cwd=folder,
        env=environment() | variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def run_in_terminal(
    *words: str | Path, folder: Path | None = None, keys: bytes = b"", columns: int = 80
) -> tuple[int, str]:
    """Run in a terminal and press keys when it draws; return exit code and output."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *map(str, words)],
        cwd=folder,
        env=environment() | {"COLUMNS": str(columns), "LINES": "40"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # the terminal has no other side any more
        while True:
            shown += os.read(ours, 65536)
            if keys and b"\x1b[?1049h" in shown:
                os.write(ours, keys)
                keys = b""
    os.close(ours)
    assert_no_trace(shown.decode())
    return process.wait(timeout=120), shown.decode()


def descendants(pid: int) -> set[int]:
    """Return all processes below a process."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1])
    found = {pid}
    while True:
        more = {child for child, parent in parents.items() if parent in found} - found
        if not more:
            return found - {pid}
        found |= more


def alive(pid: int) -> bool:
    """Return whether a process runs; a zombie does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def read_folder(folder: Path) -> dict[str, bytes]:
    """Return the content of each file of a folder, by name."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def loopback(number: int) -> str:
    """Return a loopback address that no other test process uses.

    Args:
        number: Distinguishes the addresses of one process; from 1 to 254.
    """
    pid = os.getpid()
    return f"127.{100 + pid % 100}.{pid // 100 % 256}.{number}"


def wait_until(condition: Callable[[], bool], seconds: float = 120) -> None:
    """Wait for something to become true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)
