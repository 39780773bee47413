"""Files of perfect clears: the format's examples, faults, and a slow, obvious checker."""

import random
from pathlib import Path

import pytest

from sevenbag import Board, Kicks, Piece, Placement, Rotation
from sevenbag._kernel import PcFault
from sevenbag.errors import KicksError, PcFileError
from sevenbag.formats.fumen import Fumen
from sevenbag.formats.pc_file import (
    ANY_KICKS,
    PcFileIndex,
    PcRecord,
    read_solutions,
    validate_file,
    write_solutions,
)
from tests.formats.test_fumen import SOLUTIONS
from tests.properties import cases

# Hold T, then O I I I I without hold: the format's own example.
EXAMPLE = bytes.fromhex("0a00fcffffff0000000c341c1c")

SIX_SYSTEMS = ("none", "none180", "srs", "srs180", "srsPlus", "srsTetrio")

# Pieces of printed solutions for the empty field.
PRINTED = {
    "LSTIZJOSJIO": SOLUTIONS[0],
    "TOIIII": SOLUTIONS[3],
    "OIIIII": SOLUTIONS[4],
    "OIIIILJSZTO": SOLUTIONS[7],
}


def printed_solutions() -> list[PcRecord]:
    found: list[PcRecord] = []
    for letters, text in PRINTED.items():
        placements = [page.placement for page in Fumen.parse(text).pages if page.placement]
        found.append(PcRecord.from_placements([Piece[letter] for letter in letters], placements))
    return found


def file_of(folder: Path, data: bytes) -> Path:
    path = folder / "file.pc"
    path.write_bytes(data)
    return path


def test_the_example() -> None:
    solution = PcRecord.decode(EXAMPLE)
    assert "".join(piece.name for piece in solution.sequence) == "TOIIII"
    assert solution.holds == 0
    assert solution.placements == tuple(
        Placement(piece, Rotation.NORTH, x, y)
        for piece, x, y in [("O", 0, 0), ("I", 3, 0), ("I", 3, 1), ("I", 7, 0), ("I", 7, 0)]
    )
    assert solution.encode() == EXAMPLE


def test_records_of_eleven_pieces_have_eighteen_bytes() -> None:
    assert len(printed_solutions()[0].encode()) == 18


def test_random_record_round_trip() -> None:
    dice = random.Random(1)
    for _ in range(3000):
        length = dice.randint(2, 16)
        bits = sum(dice.randrange(7) << 3 * i for i in range(length))
        bits |= sum(7 << 3 * i for i in range(length, 16))
        head = bits.to_bytes(6, "little") + dice.randbytes(1) + bytes([dice.randrange(128)])
        data = head + bytes(dice.randrange(240) for _ in range(length - 1))
        assert PcRecord.decode(data).encode() == data


def test_holding() -> None:
    # T is held and I is next: T is placed and I held; then L is next and I is placed.
    solution = PcRecord.from_placements(
        [Piece.T, Piece.I, Piece.L],
        [Placement("T", Rotation.NORTH, 1, 0), Placement("I", Rotation.NORTH, 4, 0)],
    )
    assert solution.holds == 0b11
    assert solution.encode()[6:8] == b"\x03\x00"
    assert [p.piece for p in PcRecord.decode(solution.encode()).placements] == [Piece.T, Piece.I]


@pytest.mark.parametrize(
    ("pieces", "placements"),
    [
        ("T", []),
        ("TO", []),
        ("TOI", [("O", 0, 0)]),
        ("TOIIIIIIIIIIIIIII", [("O", 0, 0)] * 16),
        ("TO", [("L", 1, 0)]),
        ("TO", [("O", 10, 0)]),
        ("TO", [("O", -1, 0)]),
        ("TO", [("O", 0, 7)]),
        ("TO", [("O", 4, 6)]),
    ],
)
def test_invalid_records(pieces: str, placements: list[tuple[str, int, int]]) -> None:
    with pytest.raises(PcFileError, check=lambda error: error.code == "InvalidSolution"):
        PcRecord.from_placements(
            [Piece[letter] for letter in pieces],
            [Placement(letter, Rotation.NORTH, x, y) for letter, x, y in placements],
        ).encode()


@pytest.mark.parametrize("size", [0, 5, 7, 12, 14])
def test_not_one_record(size: int) -> None:
    with pytest.raises(PcFileError, check=lambda error: error.code == "EndOfStream"):
        PcRecord.decode((EXAMPLE * 2)[:size])


def test_file_round_trip(tmp_path: Path) -> None:
    solutions = printed_solutions() * 5000
    path = tmp_path / "many.pc"
    assert write_solutions(path, solutions) == len(solutions)
    assert list(read_solutions(path)) == solutions
    assert validate_file(path, ["srs"]).solutions == len(solutions)


def test_failed_write_leaves_no_file(tmp_path: Path) -> None:
    path = file_of(tmp_path, EXAMPLE)
    with pytest.raises(PcFileError):
        write_solutions(path, [*printed_solutions(), PcRecord((Piece.T,), 0, ())])
    assert path.read_bytes() == EXAMPLE
    assert list(tmp_path.iterdir()) == [path]


def test_unwritable_folder(tmp_path: Path) -> None:
    with pytest.raises(PcFileError, check=lambda error: error.code == "CannotWrite"):
        write_solutions(tmp_path / "no" / "folder.pc", [])


@pytest.mark.parametrize(
    ("data", "solutions", "read"),
    [
        (b"", 0, 0),
        (EXAMPLE * 3, 3, 39),
        (EXAMPLE + b"\x00" * 5, 1, 13),
        (EXAMPLE + EXAMPLE[:-1] + b"\x44", 1, 26),
        (EXAMPLE + b"\xff" * 6 + b"\x00\x00", 1, 21),
    ],
    ids=["empty", "three", "rest", "wrong y", "no piece"],
)
def test_verdicts(tmp_path: Path, data: bytes, solutions: int, read: int) -> None:
    verdict = validate_file(file_of(tmp_path, data))
    assert (verdict.solutions, verdict.bytes) == (solutions, read)
    assert bool(verdict.describe_fault()) == (read > 13 * solutions)


@pytest.mark.parametrize("cut", [6, 7, 8, 12])
def test_a_record_that_is_cut_short(tmp_path: Path, cut: int) -> None:
    path = file_of(tmp_path, EXAMPLE + EXAMPLE[:cut])
    with PcFileIndex(path) as index:
        for reading in (
            lambda: validate_file(path),
            lambda: list(read_solutions(path)),
            lambda: index.read(1),
        ):
            with pytest.raises(PcFileError, check=lambda error: error.code == "EndOfStream"):
                reading()


@pytest.mark.parametrize("name", ["none.pc", ".", "a\0b"])
def test_files_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    codes = {"none.pc": "FileNotFound", ".": "CannotRead", "a\0b": "FileNotFound"}
    for reading in (validate_file, lambda path: list(read_solutions(path)), PcFileIndex):
        with pytest.raises(PcFileError, check=lambda error: error.code == codes[name]):
            reading(tmp_path / name)


def test_no_such_system(tmp_path: Path) -> None:
    with pytest.raises(KicksError):
        validate_file(file_of(tmp_path, EXAMPLE), ["arika"])


def test_a_spin_needs_its_kick(tmp_path: Path) -> None:
    path = tmp_path / "spin.pc"
    write_solutions(path, printed_solutions()[:1])
    assert validate_file(path, ["srs"]).fault is PcFault.NONE
    assert validate_file(path).fault is PcFault.NONE
    without = validate_file(path, ["none"])
    assert without.fault is PcFault.UNREACHABLE
    assert without.describe_fault() == "placement 8 cannot be reached from above"
    assert validate_file(path, []).fault is PcFault.NONE


def test_intermediate_empty_field(tmp_path: Path) -> None:
    once = PcRecord.decode(EXAMPLE)
    twice = PcRecord.from_placements(
        [once.sequence[0], *once.sequence[1:] * 2], [*once.placements, *once.placements]
    )
    path = tmp_path / "twice.pc"
    write_solutions(path, [twice])
    assert validate_file(path).fault is PcFault.NONE
    refused = validate_file(path, allow_early_clear=False)
    assert (refused.fault, refused.placement) == (PcFault.CLEARED_EARLY, 5)


def test_the_two_systems_allow_what_all_six_allow() -> None:
    allowing = [Kicks(name) for name in ANY_KICKS]
    for name in SIX_SYSTEMS:
        kicks = Kicks(name)
        assert any(
            all(
                tests == (wider.tests(piece, start, end) or [])[: len(tests)]
                for piece in Piece
                for start in Rotation
                for end in Rotation
                if (tests := kicks.tests(piece, start, end)) is not None
            )
            for wider in allowing
        ), name


def slowly(solution: PcRecord, kicks: list[Kicks]) -> tuple[PcFault, int]:
    """Return the published rules of the format."""
    board = Board(rows=30)
    for number, placement in enumerate(solution.placements):
        if any(not (0 <= x < 10 and y >= 0) for x, y in placement.cells):
            return PcFault.OUTSIDE, number
        if not board.fits(placement):
            return PcFault.OVERLAP, number
        if not board.is_resting(placement):
            return PcFault.FLOATING, number
        if not any(
            reached.same_cells(placement)
            for system in kicks
            for reached in board.placements(placement.piece, system, spawn=(4, 20))
        ):
            return PcFault.UNREACHABLE, number
        board.lock(placement)
    if board.is_empty:
        return PcFault.NONE, 0
    return PcFault.NOT_CLEARED, len(solution.placements) - 1


def broken_solution(dice: random.Random) -> bytes:
    """A printed solution with some placements exchanged or replaced by anything."""
    data = bytearray(dice.choice(printed_solutions()).encode())
    for _ in range(dice.randint(0, 2)):
        data[dice.randrange(8, len(data))] = dice.randrange(256)
    if dice.random() < 0.5:
        one, other = dice.randrange(8, len(data)), dice.randrange(8, len(data))
        data[one], data[other] = data[other], data[one]
    return bytes(data)


def piled_pieces(dice: random.Random) -> bytes:
    """Pieces that rest on one another, wherever there is room, reachable or not."""
    board = Board(rows=30)
    placements: list[Placement] = []
    for _ in range(dice.randint(4, 10)):
        piece = dice.choice(list(Piece))
        places = [
            placement
            for rotation in Rotation
            for x in range(10)
            for y in range(6)
            if board.is_resting(placement := Placement(piece, rotation, x, y))
        ]
        placements.append(dice.choice(places[:20]))
        board.lock(placements[-1])
    sequence = [Piece.T, *(placement.piece for placement in placements)]
    return PcRecord(tuple(sequence), 0, tuple(placements)).encode()


@pytest.mark.parametrize("name", SIX_SYSTEMS)
def test_solutions_are_judged_as_one_would(tmp_path: Path, name: str) -> None:
    dice = random.Random(name)
    kicks = Kicks(name)
    seen: set[PcFault] = set()
    for number in range(cases(500)):
        data = piled_pieces(dice) if number % 5 == 0 else broken_solution(dice)
        verdict = validate_file(file_of(tmp_path, data), [kicks])
        assert (verdict.fault, verdict.placement) == slowly(PcRecord.decode(data), [kicks]), data
        seen.add(verdict.fault)
    assert seen >= set(PcFault) - {PcFault.NO_PLACEMENT, PcFault.CLEARED_EARLY}


def test_an_index_finds_every_solution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sevenbag.formats.pc_file.PcFileIndex.EVERY", 7)
    monkeypatch.setattr("sevenbag.formats.pc_file._CHUNK", 100)
    solutions = printed_solutions() * 25
    path = tmp_path / "many.pc"
    write_solutions(path, solutions)
    with PcFileIndex(path) as index:
        assert index.read(0) == solutions[0]
        assert not index.complete
        assert [index.read(number) for number in range(len(solutions))] == solutions
        assert index.read(len(solutions)) is None
        assert index.read(-1) is None
        assert (index.count, index.complete) == (len(solutions), True)


def test_a_file_that_becomes_shorter(tmp_path: Path) -> None:
    path = file_of(tmp_path, EXAMPLE * 10)
    with PcFileIndex(path) as index:
        assert index.read(9) is not None
        path.write_bytes(EXAMPLE * 2)
        with pytest.raises(PcFileError) as caught:
            index.read(9)
    assert caught.value.code == "EndOfStream"


def test_an_empty_file(tmp_path: Path) -> None:
    with PcFileIndex(file_of(tmp_path, b"")) as index:
        assert index.read(0) is None
        assert index.complete
