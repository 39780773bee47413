"""Tests of ``sevenbag pc path``."""

import json
from pathlib import Path

import pytest

from sevenbag import Board, Kicks, Placement, Rotation
from sevenbag.formats.fumen import Fumen
from tests.cli.run import sevenbag

PCO = "XXXXX_____/XXXXXX____/XXXXXXX___/XXXXXX____"
AFTER_I = "v115@9gE8DeG8CeH8BeG8CeA8JeAgH"


def test_counts_and_fumen() -> None:
    done = sevenbag("pc", "path", AFTER_I, "*p4")
    assert (done.returncode, done.stderr) == (0, "")
    *figures, fumen = done.stdout.splitlines()
    assert figures == ["solved: 61.19% [514/840]", "unique: 18", "minimal: 16", "smallest: 16"]
    assert len(Fumen.parse(fumen).pages) == 18


def test_every_printed_solution_can_be_played() -> None:
    done = sevenbag("pc", "path", PCO, "I,*p4", "--json", "--solutions", "minimal")
    found = json.loads(done.stdout)
    assert (found["solved"], found["unique"], found["minimal"]) == (711, 63, 33)
    assert (found["smallest"], found["smallest_proved"]) == (24, True)
    assert len(found["solutions"]) == 33
    kicks = Kicks("srs")
    for solution in found["solutions"]:
        board = Board.from_text(PCO.replace("/", "\n").replace("_", "."))
        for move in solution["example"]["placements"]:
            placement = Placement(
                move["piece"], Rotation[move["rotation"].upper()], move["x"], move["y"]
            )
            reachable = board.placements(placement.piece, kicks, spawn=(4, 30))
            assert placement.canonical() in [p.canonical() for p in reachable]
            board.lock(placement)
        assert board.is_empty


def test_files(tmp_path: Path) -> None:
    outs = ["--fumen", "a.txt", "--csv", "a.csv", "--html", "a.html"]
    done = sevenbag("pc", "path", AFTER_I, "*p4", "--solutions", "smallest", *outs, folder=tmp_path)
    assert len(done.stdout.splitlines()) == 4
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "a.html", "a.txt"]
    assert len((tmp_path / "a.csv").read_text().splitlines()) == 17
    assert (tmp_path / "a.html").read_text().count("<svg") == 16
    assert len(Fumen.parse((tmp_path / "a.txt").read_text()).pages) == 16


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([AFTER_I, "*p2"], "expected queues of at least 3 pieces to fill the 4 rows, got 2"),
        (["", "*p7,*p4"], "expected at most 200000 queues"),
        ([AFTER_I, "*p4", "--html", "no/where.html"], "no/where.html: cannot be written"),
        ([AFTER_I, "*p4", "--solutions", "all"], "invalid choice: 'all'"),
    ],
)
def test_invalid_input(words: list[str], message: str) -> None:
    done = sevenbag("pc", "path", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
