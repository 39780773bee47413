"""Tests of the output of `sevenbag contest serve`."""

import os
import pty
import subprocess
from pathlib import Path

import pytest

from tests.cli.run import COMMAND, environment, sevenbag, start

SERVE = ("contest", "serve", "--game-servers", "0", "--set", "site.port=0")


def test_administrator_link_is_not_logged(tmp_path: Path) -> None:
    process = start(*SERVE, folder=tmp_path)
    try:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("site: http://")
        hint = process.stdout.readline()
    finally:
        process.terminate()
        out, err = process.communicate(timeout=120)
    assert "`sevenbag contest admin`" in hint
    assert "/welcome/" not in hint + out + err
    # The command in the hint prints the link.
    done = sevenbag("contest", "admin", folder=tmp_path)
    assert (done.returncode, "/welcome/" in done.stdout) == (0, True)


@pytest.mark.slow
def test_administrator_link_is_printed_in_a_terminal(tmp_path: Path) -> None:
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
        process.wait(120)
