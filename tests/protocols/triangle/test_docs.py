"""The examples in docs/triangle.md."""

import doctest
import json
import re
import subprocess
import sys
from pathlib import Path

from sevenbag.protocols.triangle import decode, to_object

DOCS = Path(__file__).parents[3] / "docs" / "triangle.md"


def exchange(arrow: str) -> list[str]:
    """The lines of one side."""
    return re.findall(f"^{arrow} (.*)$", DOCS.read_text(encoding="utf-8"), re.MULTILINE)


def test_examples_run() -> None:
    failed, tried = doctest.testfile(str(DOCS), module_relative=False)
    assert tried >= 10
    assert failed == 0


def test_the_exchange_consists_of_messages() -> None:
    lines = [*exchange("←"), *exchange("→")]
    assert len(lines) == 6
    for line in lines:
        message = decode(line)
        assert message is not None
        assert to_object(message) == json.loads(line)


def test_host_lines_of_the_manual_work() -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "sevenbag", "serve", "random", "--as", "triangle"],
        input="\n".join(exchange("→")) + "\n",
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert [json.loads(line)["type"] for line in done.stdout.splitlines()] == ["info", "move"]
    assert done.stderr == ""


def test_the_small_bot_runs() -> None:
    [code] = re.findall(r"```\n(from sevenbag import .*?)```", DOCS.read_text("utf-8"), re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", code],
        input="\n".join(exchange("→")[:2]) + "\n",
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert [json.loads(line)["type"] for line in done.stdout.splitlines()] == ["info", "move"]
    assert done.stderr == ""
