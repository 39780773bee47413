"""Tests of ``sevenbag pc cover``."""

import json
from pathlib import Path

import pytest

from tests.cli.run import sevenbag

AFTER_I = "v115@9gE8DeG8CeH8BeG8CeA8JeAgH"


@pytest.fixture(scope="module")
def solutions() -> str:
    done = sevenbag("pc", "path", AFTER_I, "*p4", "--solutions", "smallest")
    return done.stdout.splitlines()[-1]


def test_shares_of_solutions_of_path(solutions: str) -> None:
    done = sevenbag("pc", "cover", solutions, "*p4", "--sort", "--failed", "0")
    assert (done.returncode, done.stderr) == (0, "")
    *lines, whole, each = done.stdout.splitlines()
    assert len(lines) == 16
    assert whole == "any of them: 61.19% [514/840]"
    assert each == "each of them: 0.00% [0/840]"
    counts = [int(line.split("[")[1].split("/")[0]) for line in lines]
    assert counts == sorted(counts, reverse=True)


def test_json_and_a_file(solutions: str, tmp_path: Path) -> None:
    (tmp_path / "list").write_text(f"{solutions}\n{solutions}\n")
    done = sevenbag("pc", "cover", "@list", "*p7", "--json", "--failed", "5", folder=tmp_path)
    found = json.loads(done.stdout)
    assert (found["any"], found["total"], len(found["setups"])) == (514, 840, 32)
    assert found["setups"][15]["accumulated"] == found["setups"][31]["accumulated"] == 514
    assert len(found["failed"]) == 5
    assert "3 more are left out" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["v115@vhAAgH", "*p4"], "fumen 1: invalid fumen: expected pieces"),
        (["v115@", "*p4"], "fumen 1: "),
        (["nothing", "*p4"], "fumen 1: there is no 115@"),
        (["@nowhere", "*p4"], "nowhere: No such file"),
        (["v115@vhFRQJ", "*p9"], "from 1 to 7"),
    ],
)
def test_invalid_input(words: list[str], message: str) -> None:
    done = sevenbag("pc", "cover", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
