"""Sees to it that a process group ends no later than we do, however we end.

A group that is only killed by our own code lives on when we are killed ourselves. So every group
gets a guard: a shell that waits on a pipe whose other end only we hold, and kills the group when
the pipe closes. That works for kill -9 as well, needs no signal handler, and reaches the children
of the bot, too.
"""

from __future__ import annotations

import contextlib
import os
import signal
import weakref
from typing import Final

_SCRIPT: Final = """\
trap '' HUP INT TERM
cd /
read -r line
kill -KILL "-$1"
"""


class Guard:
    """Guards a process group as long as this object lives, at the longest.

    A process that makes itself a session of its own has left the group, and is not reached.
    """

    def __init__(self, group: int) -> None:
        """Start guarding the group with this number.

        Raises:
            OSError: no process can be started for it.
        """
        reader, writer = os.pipe()
        try:
            guard = os.posix_spawn(
                "/bin/sh",
                ["sh", "-c", _SCRIPT, "sevenbag-guard", str(group)],
                {"PATH": os.defpath},
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, reader, 0),
                    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                    (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
                ],
                # Out of reach of the terminal's Ctrl-C, and of who kills our own group.
                setsid=True,
            )
        except BaseException:
            os.close(writer)
            raise
        finally:
            os.close(reader)
        self._kill = weakref.finalize(self, _kill, group, guard, writer)

    def kill(self) -> None:
        """Kill what is left of the group, now and for good, and be done with it."""
        self._kill()


def signal_group(group: int, number: signal.Signals) -> None:
    """Send a signal to a process group; one that is no more is none."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _kill(group: int, guard: int, writer: int) -> None:
    signal_group(group, signal.SIGKILL)
    # First the guard, then its pipe: it has nothing to do any more.
    with contextlib.suppress(ProcessLookupError):
        os.kill(guard, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(guard, 0)
    os.close(writer)
