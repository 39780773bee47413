"""What `sevenbag contest serve` tells, and to whom."""

from __future__ import annotations

import os
import pty
import subprocess
from typing import TYPE_CHECKING

from tests.cli.run import COMMAND, environment, sevenbag, start

if TYPE_CHECKING:
    from pathlib import Path

SERVE = ("contest", "serve", "--game-servers", "0", "--set", "site.port=0")


def test_the_link_of_an_organiser_is_in_no_log(tmp_path: Path) -> None:
    process = start(*SERVE, folder=tmp_path)
    try:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("site: http://")
        hint = process.stdout.readline()
    finally:
        process.terminate()
        out, err = process.communicate(timeout=60)
    assert "`sevenbag contest admin`" in hint
    assert "/welcome/" not in hint + out + err
    # The command that the hint names does print one.
    done = sevenbag("contest", "admin", folder=tmp_path)
    assert (done.returncode, "/welcome/" in done.stdout) == (0, True)


def test_somebody_at_a_terminal_is_shown_the_link(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *SERVE],
        cwd=tmp_path,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
    )
    os.close(theirs)
    try:
        with open(ours, encoding="utf-8") as terminal:  # noqa: PTH123  # a descriptor
            assert terminal.readline().startswith("site: http://")
            assert "/welcome/" in terminal.readline()
    finally:
        process.terminate()
        process.wait(60)
