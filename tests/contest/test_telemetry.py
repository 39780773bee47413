"""Tests of the log thread: no process waits for the reader of its log."""

import io
import logging
import subprocess
import sys
import threading

from sevenbag.contest.telemetry import MAX_WAITING_LINES, BackgroundHandler

LINES = 5_000
PROGRAM = f"""\
from sevenbag.contest.telemetry import create_logger
from sevenbag.contest.settings import LogSettings

logger = create_logger(LogSettings(format="json"))
for number in range({LINES}):
    logger.info("x" * 1_000, number=number)
print("done", flush=True)
input()
"""


class BlockedStream(io.StringIO):
    """Stream that accepts nothing until its gate is open."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()

    def write(self, text: str, /) -> int:
        self.gate.wait()
        return super().write(text)


def log(handler: logging.Handler, text: str) -> None:
    handler.handle(logging.LogRecord("contest", logging.INFO, "", 0, text, None, None))


def test_lines_keep_their_order() -> None:
    target = io.StringIO()
    handler = BackgroundHandler(lambda: target)
    for number in range(1_000):
        log(handler, f"{number} %s")
    assert handler.wait(120)
    assert target.getvalue() == "".join(f"{number} %s\n" for number in range(1_000))


def test_blocked_stream_delays_nothing_and_dropped_lines_are_counted() -> None:
    target = BlockedStream()
    handler = BackgroundHandler(lambda: target)
    for number in range(MAX_WAITING_LINES + 500):
        log(handler, str(number))
    assert not handler.wait(0.01)
    target.gate.set()
    assert handler.wait(120)
    log(handler, "last")
    assert handler.wait(120)
    lines = target.getvalue().splitlines()
    (dropped,) = [int(line.split()[0]) for line in lines if "dropped" in line]
    # The thread may have taken a line from the queue already.
    assert dropped in {499, 500}
    assert lines[-1] == "last"
    numbers = [line for line in lines if line.isdecimal()]
    assert numbers == [str(number) for number in range(MAX_WAITING_LINES + 500 - dropped)]


def test_closed_stream_is_ignored() -> None:
    target = io.StringIO()
    handler = BackgroundHandler(lambda: target)
    target.close()
    log(handler, "not read")
    assert handler.wait(120)


def test_process_continues_while_its_log_is_not_read() -> None:
    # More than a pipe holds.
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "done\n"
        _, log = process.communicate("\n", timeout=120)
    assert process.returncode == 0
    assert log.count("\n") == LINES
    assert f'"number": {LINES - 1}' in log
