"""A server that exposes any bot over file descriptors."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import sys
import threading
from collections.abc import Callable, Generator

from sevenbag.bots.bot import Bot
from sevenbag.bots.serving.adapter import AdapterFactory, LineReceiver, OutputClosedError
from sevenbag.protocols.json_lines import LineSplitter


async def serve_stdio(
    bot: Bot,
    create_adapter: AdapterFactory,
    *,
    input_descriptor: int = 0,
    output_descriptor: int = 1,
) -> None:
    """Serve a bot until told to quit, or until input or output is closed; then end it.

    Problems are logged on standard error. Nothing else may write to the output.

    Raises:
        OSError: the output cannot be written for another reason than being closed.
    """

    def send(line: bytes) -> None:
        write_line(output_descriptor, line)

    adapter = create_adapter(bot, send)
    start_reading(input_descriptor, adapter.inbox)
    try:
        await adapter.run()
    except OutputClosedError as error:
        # A closed output is a regular end.
        if isinstance(error.__cause__, OSError) and not isinstance(
            error.__cause__, BrokenPipeError
        ):
            raise error.__cause__ from None
    finally:
        await bot.quit()


def start_reading(descriptor: int, receiver: LineReceiver) -> None:
    """Read lines in a thread: the input may be a file or a terminal as well as a pipe.

    The receiver gets the lines in the current event loop.
    """
    loop = asyncio.get_running_loop()
    splitter = LineSplitter()

    def take(data: bytes) -> None:
        for line in splitter.feed(data) if data else splitter.finish():
            receiver.add_line(line)
        if not data:
            receiver.close()

    def deliver(data: bytes) -> None:
        # The loop may be closed already.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(take, data)

    threading.Thread(
        target=_read, args=(descriptor, deliver), name="sevenbag-serve-input", daemon=True
    ).start()


def write_line(descriptor: int, line: bytes) -> None:
    """Write a line immediately; `OutputClosedError` if it cannot be written."""
    while line:
        try:
            line = line[os.write(descriptor, line) :]
        except BlockingIOError:
            select.select([], [descriptor], [])
        except OSError as error:
            raise OutputClosedError(str(error)) from error


@contextlib.contextmanager
def reserve_stdout() -> Generator[int]:
    """Return a descriptor of standard output that nothing else writes to.

    Other output of this process, such as a print in a bot, goes to standard error meanwhile:
    between messages it would end the game.
    """
    sys.stdout.flush()
    output = os.dup(1)
    os.dup2(2, 1)
    try:
        yield output
    finally:
        sys.stdout.flush()
        os.dup2(output, 1)
        os.close(output)


def _read(descriptor: int, deliver: Callable[[bytes], None]) -> None:
    """Deliver all input, and an empty chunk at its end."""
    while True:
        try:
            data = os.read(descriptor, 1 << 16)
        except BlockingIOError:
            select.select([descriptor], [], [])
            continue
        except OSError:
            data = b""
        deliver(data)
        if not data:
            return
