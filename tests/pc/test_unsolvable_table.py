"""Tables of queues without a perfect clear: made, found, believed only if they are right."""

from pathlib import Path

import pytest

from sevenbag import pc
from sevenbag._kernel import PcSolver
from sevenbag.errors import BoardError, FormatError, QueueError
from sevenbag.pc.unsolvable_table import (
    build_table,
    find_table_path,
    load_available_tables,
    load_table,
)
from tests.truth import truth


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "tables"
    monkeypatch.setenv("SEVENBAG_TABLES", str(folder))
    return folder


@pytest.fixture(scope="module")
def two_lines(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return build_table(2, "srs", tmp_path_factory.mktemp("made") / "two.table").read_bytes()


def test_table_of_two_lines_has_all_unsolvable_windows(folder: Path, two_lines: bytes) -> None:
    solver = PcSolver("srs")
    height, count = solver.load_table(two_lines)
    assert (height, len(two_lines)) == (2, 40 + 5 * count)
    # Every window of six pieces; held and current change places, so that a half and the doubles
    # of them are left. 54,228 is 57,750, the published number of different sequences of this
    # length, less those with a perfect clear.
    possible = {
        "".join(sorted(line[:2])) + line[2:6]
        for name in ("nohold", "hold")
        for line in truth(f"pc/two_line_{name}.txt").read_text().splitlines()
    }
    assert count == 57_750 - len(possible)
    queues = [line[:6] for line in truth("pc/two_line_hold.txt").read_text().splitlines()]
    assert all(found for _, found in solver.time_queues(queues, 2, 1))


def test_solvers_use_available_tables(folder: Path, two_lines: bytes) -> None:
    assert load_available_tables(PcSolver("srs")) == []
    path = find_table_path(2, "srs")
    assert path.parent == folder
    folder.mkdir()
    path.write_bytes(two_lines)
    assert load_available_tables(PcSolver("srs")) == [path]
    assert load_available_tables(PcSolver("srs+")) == []
    # Queues ruled out by the table cost no position.
    queue = "SZSZOI"
    for tables in (True, False):
        assert pc.Solver("srs", tables=tables).search("", queue, max_height=2).solution is None
    # Without hold, or for another field, the table does not apply.
    assert pc.solve("", "OIIII", kicks="srs", use_hold=False) is not None
    assert pc.solve("XXXXXX....", "II", kicks="srs") is not None


def test_table_is_trusted_by_its_header() -> None:
    # A table that rules out a queue which has a perfect clear.
    solver = PcSolver("srs")
    assert solver.time_queues(["IJLOOI"], 2, 1)[0][1]
    solver.load_table(solver.encode_table(2, ["JILOOI", "SZSZSZ"]))
    assert not solver.time_queues(["IJLOOI"], 2, 1)[0][1]
    assert solver.time_queues(["OIIIII"], 2, 1)[0][1]
    # Another one takes its place.
    solver.load_table(solver.encode_table(2, []))
    assert solver.time_queues(["IJLOOI"], 2, 1)[0][1]


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda table: b"", "an empty file"),
        (lambda table: b"no table at all" * 10, "expected a table of perfect clears"),
        (lambda table: table[:39], "expected a table of perfect clears"),
        (lambda table: table[:-5], "truncated or damaged"),
        (lambda table: table[:-1], "truncated or damaged"),
        (lambda table: table[:100] + bytes([table[100] ^ 1]) + table[101:], "truncated or damaged"),
        (lambda table: table[:8] + b"\2" + table[9:], "expected version 1, got 2"),
        (lambda table: table[:12] + b"\3" + table[13:], "truncated or damaged"),
        (lambda table: table[:16] + b"\0" * 8 + table[24:], "another rotation system"),
        (lambda table: table[:24] + b"\xff" * 8 + table[32:], "truncated or damaged"),
    ],
)
def test_a_wrong_table_is_named_and_not_used(
    folder: Path, two_lines: bytes, damage: object, said: str
) -> None:
    folder.mkdir()
    path = find_table_path(2, "srs")
    path.write_bytes(damage(two_lines))  # type: ignore[operator]
    with pytest.raises(FormatError, match=said) as error:
        load_table(PcSolver("srs"), path)
    assert str(path) in str(error.value)
    # A solver that finds it continues without it.
    assert load_available_tables(PcSolver("srs")) == []
    assert pc.solve("", "OIIII", kicks="srs") is not None


def test_a_table_for_another_system_is_none(two_lines: bytes, tmp_path: Path) -> None:
    path = tmp_path / "srs.table"
    path.write_bytes(two_lines)
    with pytest.raises(FormatError, match="another rotation system"):
        load_table(PcSolver("srs+"), path)
    with pytest.raises(FormatError, match="No such file"):
        load_table(PcSolver("srs"), tmp_path / "none")


def test_invalid_table_requests(tmp_path: Path) -> None:
    solver = PcSolver("srs")
    with pytest.raises(QueueError, match="expected 6 pieces, got 3"):
        solver.encode_table(2, ["IOT"])
    with pytest.raises(QueueError, match="2 or 4"):
        solver.encode_table(6, [])
    with pytest.raises(BoardError):
        build_table(6, "srs", tmp_path / "six.table")
    file = tmp_path / "file"
    file.write_bytes(b"")
    with pytest.raises(FormatError, match="cannot be written"):
        build_table(2, "srs", file / "two.table")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
