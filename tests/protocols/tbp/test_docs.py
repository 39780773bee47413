"""The examples in docs/tbp.md."""

import doctest
import json
import re
import subprocess
import sys
from pathlib import Path

from sevenbag.protocols.tbp import decode

DOCS = Path(__file__).parents[3] / "docs" / "tbp.md"


def test_examples_run() -> None:
    failed, tried = doctest.testfile(str(DOCS), module_relative=False)
    assert tried >= 3
    assert failed == 0


def test_the_exchange_consists_of_messages() -> None:
    text = DOCS.read_text(encoding="utf-8")
    messages = [decode(line) for line in re.findall(r"^[←→] (.*)$", text, re.MULTILINE)]
    assert len(messages) == 8
    assert None not in messages


def test_frontend_lines_of_the_manual_work() -> None:
    told = re.findall(r"^→ (.*)$", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    done = subprocess.run(
        [sys.executable, "-P", "-m", "sevenbag", "serve", "random", "--as", "tbp"],
        input="\n".join(told) + "\n",
        capture_output=True,
        text=True,
        check=True,
    )
    kinds = [json.loads(line)["type"] for line in done.stdout.splitlines()]
    assert kinds == ["info", "ready", "suggestion"]
    assert done.stderr == ""
