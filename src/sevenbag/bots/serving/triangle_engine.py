"""Runs an author's own engine for Triangle hosts over standard input and output."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from typing import TYPE_CHECKING

from msgspec import UNSET

from sevenbag.bots.serving.service import LostOutputError
from sevenbag.bots.serving.stdio_server import output_to_itself, write
from sevenbag.protocols.json_lines import LineSplitter
from sevenbag.protocols.triangle.engine import Engine

if TYPE_CHECKING:
    from sevenbag.protocols.triangle.engine import Choose


def run_engine(
    choose: Choose, *, name: str, version: str, author: str, data: object = UNSET
) -> None:
    """Serve one host, until it ends the input or sends SIGINT; then return, quietly.

    Whatever the engine prints goes to standard error: standard output belongs to the host.

    Args:
        choose: chooses a move when one is due.
        name: who it is.
        version: of it.
        author: whose it is.
        data: what goes to the host with the introduction.
    """
    engine = Engine(choose, name=name, version=version, author=author, data=data, log=_log)
    splitter = LineSplitter()
    # Hosts end their bots so. Where a bot was started in the background it is ignored at first.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt, LostOutputError), output_to_itself() as output:
        write(output, engine.introduce())
        while received := os.read(0, 1 << 16):
            for line in splitter.feed(received):
                if line is None:
                    _log("passed over a line that is too long")
                else:
                    write(output, engine.receive(line))


# --- helpers ------------------------------------------------------------------------------------


def _log(text: str) -> None:
    with contextlib.suppress(OSError):
        print(text, file=sys.stderr, flush=True)
