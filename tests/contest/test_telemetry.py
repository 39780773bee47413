"""Nobody waits for a log that nobody reads."""

import io
import subprocess
import sys
import threading

from sevenbag.contest.telemetry import MAX_WAITING_LINES, BackgroundStream

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


class Stuck(io.StringIO):
    """Takes nothing until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()

    def write(self, text: str, /) -> int:
        self.gate.wait()
        return super().write(text)


def test_what_is_written_arrives_in_order() -> None:
    target = io.StringIO()
    stream = BackgroundStream(lambda: target)
    for number in range(1_000):
        assert stream.write(f"{number}\n") == len(f"{number}\n")
    assert stream.wait(120)
    assert target.getvalue() == "".join(f"{number}\n" for number in range(1_000))


def test_a_stream_that_takes_nothing_holds_nobody_up_and_what_is_left_out_is_counted() -> None:
    target = Stuck()
    stream = BackgroundStream(lambda: target)
    for number in range(MAX_WAITING_LINES + 500):
        stream.write(f"{number}\n")
    assert not stream.wait(0.01)
    target.gate.set()
    assert stream.wait(120)
    stream.write("last\n")
    assert stream.wait(120)
    lines = target.getvalue().splitlines()
    told = [line for line in lines if "dropped" in line]
    assert len(told) == 1
    # One may have been taken out of the line already.
    assert int(told[0].split()[0]) in {499, 500}
    assert lines[-1] == "last"
    numbers = [line for line in lines if line.isdecimal()]
    assert numbers == [str(number) for number in range(len(numbers))]
    assert len(numbers) + int(told[0].split()[0]) == MAX_WAITING_LINES + 500


def test_a_stream_that_is_closed_is_passed_over() -> None:
    target = io.StringIO()
    stream = BackgroundStream(lambda: target)
    target.close()
    stream.write("nobody reads this\n")
    assert stream.wait(120)


def test_a_process_goes_on_though_nobody_reads_its_log_and_ends_with_all_of_it() -> None:
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
