"""Tests with rotations recorded from another engine, in all ten spin modes."""

import json

import pytest

from sevenbag import Board, Kicks, Piece, Placement, Rotation, Spin
from tests.counted import compared
from tests.kernel import reference
from tests.truth import TRUTH

TURNS = {"rotateCW": 1, "rotate180": 2, "rotateCCW": 3}
VERDICTS = {"0": Spin.NONE, "m": Spin.MINI, "N": Spin.FULL}
# The engine's "SRS" has half turns.
SYSTEMS = {"SRS": "srs-tetrio", "SRS+": "srs+", "SRS-X": "srs-x", "TETRA-X": "tetra-x"}


def placed(piece: str, left: int, top: int, rotation: int) -> Placement:
    """Return a placement from the top left corner of the piece's box."""
    column, row = reference.centre(piece, rotation)
    return Placement(piece, Rotation(rotation), left + column, top - row)


@pytest.mark.parametrize("table", SYSTEMS)
def test_recorded_rotations(table: str) -> None:
    """Read the whole table, or without the recorded data the excerpt beside the tests."""
    name = f"triangle/rotate-{table}.jsonl"
    path = next(folder / name for folder in (TRUTH, reference.DATA) if (folder / name).exists())
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
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
    assert rotations >= 190
    compared("rotations x 10 modes", rotations)
