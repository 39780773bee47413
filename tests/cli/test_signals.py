"""Tests of signals during and after a coroutine."""

import asyncio
import signal
from collections.abc import Iterator

import pytest

from sevenbag.cli.signals import SignalInterrupt, run_until_signal

NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.fixture(autouse=True)
def handlers() -> Iterator[list[object]]:
    """Restore the handlers of the test process."""
    before = [signal.getsignal(number) for number in NUMBERS]
    yield list(before)
    for number, handler in zip(NUMBERS, before, strict=True):
        signal.signal(number, handler)


async def interrupted() -> None:
    signal.raise_signal(signal.SIGTERM)
    await asyncio.Event().wait()


async def interrupted_but_complete() -> str:
    with pytest.raises(asyncio.CancelledError):
        await interrupted()
    return "complete"


async def interrupted_and_failed() -> None:
    with pytest.raises(asyncio.CancelledError):
        await interrupted()
    raise OSError("disk full")


def test_handlers_are_restored_if_no_signal_came(handlers: list[object]) -> None:
    assert run_until_signal(asyncio.sleep(0, "result")) == "result"
    assert [signal.getsignal(number) for number in NUMBERS] == handlers


def test_signals_are_ignored_after_a_coroutine_that_is_cancelled() -> None:
    with pytest.raises(SignalInterrupt):
        run_until_signal(interrupted())
    assert {signal.getsignal(number) for number in NUMBERS} == {signal.SIG_IGN}


def test_signals_are_ignored_after_a_coroutine_that_completes_its_work() -> None:
    assert run_until_signal(interrupted_but_complete()) == "complete"
    assert {signal.getsignal(number) for number in NUMBERS} == {signal.SIG_IGN}


def test_signals_are_ignored_after_a_coroutine_that_fails_during_cancellation() -> None:
    with pytest.raises(OSError, match="disk full"):
        run_until_signal(interrupted_and_failed())
    assert {signal.getsignal(number) for number in NUMBERS} == {signal.SIG_IGN}


def test_foreign_handler_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = []
    monkeypatch.setattr(signal, "getsignal", lambda _: None)
    monkeypatch.setattr(signal, "signal", lambda *args: changed.append(args))
    assert run_until_signal(asyncio.sleep(0, "result")) == "result"
    assert changed == []
