"""Configure all tests, and report the number of comparisons with recorded data."""

import os
import signal
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.counted import FILE

# The same cases on every machine; --hypothesis-profile selects another profile.
settings.register_profile(
    "fast",
    max_examples=20,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("ci", settings.get_profile("fast"), max_examples=100)
# Generates new cases on every run.
settings.register_profile("random", settings.get_profile("ci"), derandomize=False)
settings.load_profile("fast")


def pytest_configure() -> None:
    # A background runner may ignore these signals, and processes under test would inherit that.
    for number, usual in (
        (signal.SIGINT, signal.default_int_handler),
        (signal.SIGHUP, signal.SIG_DFL),
    ):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, usual)
    if FILE not in os.environ:
        # Worker processes inherit it.
        handle, name = tempfile.mkstemp(prefix="sevenbag-compared-")
        os.close(handle)
        os.environ[FILE] = name
        _mine.append(Path(name))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for file in _mine:
        counts: Counter[str] = Counter()
        for line in file.read_text(encoding="utf-8").splitlines():
            count, what = line.split("\t")
            counts[what] += int(count)
        if not counts:
            continue
        counted = ", ".join(f"{count:,} {what}" for what, count in counts.most_common())
        failed = len(terminalreporter.stats.get("failed", []))
        end = "differences: 0" if not failed else f"{failed} tests failed: see above"
        terminalreporter.write_line(f"compared with recorded truth: {counted}; {end}")


def pytest_unconfigure() -> None:
    while _mine:
        _mine.pop().unlink(missing_ok=True)
        del os.environ[FILE]


_mine: list[Path] = []
