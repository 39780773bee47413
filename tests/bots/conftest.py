"""Fixtures of the tests of drivers, which end all processes of a test."""

import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sevenbag.bots.external import process

FAKES = Path(__file__).parents[1] / "fakes"

Command = Callable[..., list[str]]


def slow(*values: object) -> list[object]:
    """Mark these parameters as slow."""
    return [
        pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.slow)
        for value in values
    ]


def marked(mark: str) -> list[str]:
    """Command lines of all processes whose environment holds the mark."""
    found: list[str] = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (entry / "environ").read_bytes():
                found.append(f"{entry.name} " + (entry / "cmdline").read_text().replace("\0", " "))
        except (OSError, UnicodeDecodeError):
            continue
    return found


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits for the exit code of a bot that has ended, however busy the machine is."""
    monkeypatch.setattr(process, "_EXIT_CODE_TIMEOUT", 120.0)
    monkeypatch.setattr(process, "_KILL_GRACE", 120.0)


@pytest.fixture
def mark(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Mark every process that the test starts, with its children; all must end."""
    text = uuid.uuid4().hex
    monkeypatch.setenv("SEVENBAG_TEST_MARK", text)
    yield text
    # A killed process takes a moment to disappear.
    ends = time.monotonic() + 120
    while (left := marked(text)) and time.monotonic() < ends:
        time.sleep(0.02)
    assert left == []


@pytest.fixture
def fake(mark: str, monkeypatch: pytest.MonkeyPatch) -> Command:
    """The command of a faulty bot; without a name, of the one that has no fault."""
    monkeypatch.setenv("PYTHONPATH", str(FAKES.parents[1]))

    def command(fault: str = "") -> list[str]:
        # Without site-packages: they start ten at a time.
        python = [sys.executable, "-S"]
        if not fault:
            return [*python, str(FAKES / "dropper.py")]
        return [*python, str(FAKES / "faulty.py"), fault]

    return command
