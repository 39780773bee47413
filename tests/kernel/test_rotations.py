"""Rotations recorded from another engine, each judged in all ten spin modes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sevenbag import Board, Kicks, Piece, Placement, Rotation, Spin
from tests.counted import compared
from tests.kernel import reference
from tests.truth import truth_lines

TURNS = {"rotateCW": 1, "rotate180": 2, "rotateCCW": 3}
VERDICTS = {"0": Spin.NONE, "m": Spin.MINI, "N": Spin.FULL}
# The engine's "SRS" has half turns.
SYSTEMS = {"SRS": "srs-tetrio", "SRS+": "srs+", "SRS-X": "srs-x", "TETRA-X": "tetra-x"}


def placed(piece: str, left: int, top: int, rotation: int) -> Placement:
    """From the top left corner of the piece's box."""
    column, row = reference.centre(piece, rotation)
    return Placement(piece, Rotation(rotation), left + column, top - row)


EXCERPTS = Path(__file__).parent.parent / "data" / "triangle"


@pytest.mark.parametrize("table", SYSTEMS)
def test_recorded_rotations(table: str) -> None:
    lines = truth_lines(f"triangle/rotate-{table}.jsonl")
    compare(table, lines, 2500, "rotations x 10 modes")


@pytest.mark.parametrize("table", SYSTEMS)
def test_excerpt_of_the_rotation_table(table: str) -> None:
    with (EXCERPTS / f"rotate-{table}.jsonl").open(encoding="utf-8") as lines:
        compare(table, map(json.loads, lines), 190, "rotations of the excerpt x 10 modes")


def compare(table: str, lines: Iterator[Any], least: int, what: str) -> None:
    modes = next(lines)["modes"]
    kicks = Kicks(SYSTEMS[table])
    rotations = 0
    for line in lines:
        board = Board.from_rows([row.ljust(10, ".") for row in line["b"].split("/")])
        piece = line["p"].upper()
        start = placed(piece, *line["at"])
        assert board.is_resting(start)
        to = Rotation((start.rotation + TURNS[line["key"]]) % 4)
        for mode, detect_spin in zip(modes, line["spin"], strict=True):
            rotated = board.rotate(start, to, kicks, spins=mode)
            if not line["ok"]:
                assert rotated is None, line
                assert detect_spin == "-"
                continue
            assert rotated is not None, line
            expected = placed(piece, *line["to"])
            seen, test = rotated
            assert seen.spin == VERDICTS[detect_spin], (mode, line)
            assert (seen.piece, seen.rotation, seen.x, seen.y) == (
                Piece[piece],
                to,
                expected.x,
                expected.y,
            ), line
            tests = kicks.tests(piece, start.rotation, to)
            assert tests is not None
            assert tests[test] == (seen.x - start.x, seen.y - start.y)
        rotations += 1
    assert rotations >= least
    compared(what, rotations)
