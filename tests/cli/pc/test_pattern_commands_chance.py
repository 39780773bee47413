"""Tests of ``sevenbag pc chance``."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.run import sevenbag

PCO = "XXXXX_____/XXXXXX____/XXXXXXX___/XXXXXX____"
AFTER_I = "v115@9gE8DeG8CeH8BeG8CeA8JeAgH"


def test_share_and_failed_queues() -> None:
    done = sevenbag("pc", "chance", PCO, "I,*p4", "--failed", "3")
    assert (done.returncode, done.stderr) == (0, "")
    first, _, heading, *queues = done.stdout.splitlines()
    assert first == "success: 84.64% [711/840]"
    assert heading == "without a perfect clear: 129, the first 3"
    assert len(queues) == 3
    assert all(queue[0] == "I" and len(queue) == 5 for queue in queues)


def test_fumen_and_json() -> None:
    done = sevenbag("pc", "chance", AFTER_I, "*p4", "--json", "--failed", "1000", "--tree", "1")
    found = json.loads(done.stdout)
    assert (found["solved"], found["total"], len(found["failed"])) == (514, 840, 840 - 514)
    assert sum(branch["solved"] for branch in found["tree"]) == 514
    assert (found["hold"], found["kicks"], found["drop"]) == (True, "srs", "soft")


def test_tree() -> None:
    done = sevenbag("pc", "chance", AFTER_I, "*p4", "--tree", "2", "--failed", "0")
    assert len(done.stdout.splitlines()) == 1 + 7 + 42


def test_unused_pieces_are_reported() -> None:
    done = sevenbag("pc", "chance", AFTER_I, "*p7", "--failed", "0")
    assert done.stdout == "success: 61.19% [514/840]\n"
    assert "only the first 4 pieces of each queue can be used, 3 more are left out" in done.stderr


def test_field_and_pattern_from_files(tmp_path: Path) -> None:
    (tmp_path / "field").write_text(PCO.replace("/", "\n") + "\n")
    (tmp_path / "pattern").write_text("# after the opener\nI,*p4\n")
    done = sevenbag("pc", "chance", "@field", "@pattern", "--failed", "0", folder=tmp_path)
    assert done.stdout == "success: 84.64% [711/840]\n"


def test_time_limit() -> None:
    done = sevenbag("pc", "chance", "", "*p7,*p4", "--seconds", "0.05")
    assert (done.returncode, done.stdout) == (1, "")
    assert "stopped before all of 4233600 queues were searched" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([PCO, "*p3"], "expected queues of at least 4 pieces to fill the 4 rows, got 3"),
        ([PCO, "*p9"], "from 1 to 7"),
        (["XX/XX", "*p7"], "expected a fumen with 115@ or rows of ten cells, got 'XX'"),
        (["v115@", "*p7"], "EndOfData|no page"),
        ([AFTER_I, "*p7", "--page", "2"], "no page 2: the fumen has 1"),
        (["@nowhere", "*p7"], "nowhere: No such file"),
        (
            ["", "*p7", "--height", "9007199254740992"],
            "invalid height: expected 1 to 64, got 9007199254740992",
        ),
        (["X_________", "*p7"], "expected a multiple of four empty cells, got 39"),
        (["", "*p7", "--drop", "sonic"], "invalid choice: 'sonic'"),
        (["", "*p7", "--kicks", "nope"], "invalid rotation system: expected one of none"),
        (["", "*p7", "--seconds", "0"], "expected number above 0, got '0'"),
        (["", "*p7", "--failed", "-1"], "expected integer from 0, got '-1'"),
    ],
)
def test_invalid_input(words: list[str], message: str) -> None:
    done = sevenbag("pc", "chance", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.search(message, done.stderr), done.stderr
