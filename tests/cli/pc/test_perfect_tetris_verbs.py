"""Tests of ``pc fumen``, with perfect-tetris 1.3.2's cases, and of ``pc validate``."""

import re
from pathlib import Path

import pytest

from sevenbag import Board, Kicks
from sevenbag.formats.fumen import Field, Fumen, Page
from tests.cli.pc.run import Run, pc, sevenbag_pc

EMPTY = "vhAAgWeAFLDmClcJSAVDEHBEooRBMoAVBzeNFDK3jPCJHBAA"
PART = "9gE8EeF8DeG8CeF8NeAgWZAFLDmClcJSAVDVSAVG88AYe88A5szPCvAAAA"


def check(pages: tuple[Page, ...], kicks: str) -> Board:
    """Return the board after the pages; each must be reachable and played by the quiz."""
    board = pages[0].field.board()
    system = Kicks(kicks)
    for page in pages:
        assert page.placement is not None
        assert page.lock
        assert page.field.board() == board
        reached = board.placements(page.placement.piece, system, spawn=(4, 30))
        assert any(place.same_cells(page.placement) for place in reached)
        board.lock(page.placement)
    return board


def solved(output: str, kicks: str) -> Fumen:
    """Return the fumen of one line, which must be a perfect clear with the pieces of its quiz."""
    fumen = Fumen.parse(output)
    fumen.read_quiz()
    assert check(fumen.pages, kicks).is_empty
    assert fumen.final_field.height == 0
    assert fumen.pages[0].color
    return fumen


@pytest.mark.parametrize("run", [pc, sevenbag_pc], ids=["pc", "sevenbag pc"])
@pytest.mark.parametrize(
    ("words", "kicks", "start", "length"),
    [
        ((f"v115@{EMPTY}",), "srs", "m115@", 10),
        (
            (f"https://fumen.zui.jp/?v115@{EMPTY}", "-k", "srsPlus", "-t", "edit"),
            "srsPlus",
            "https://fumen.zui.jp/?v115@",
            10,
        ),
        ((f"v115@{PART}",), "srs", "m115@", 4),
        ((f"v115@{PART}", "-s", "i"), "srs", "m115@", 4),
        (("v115@vhAAgWYAFLDmClcJSAVDEHBEooRBPoAVBJO1LC",), "srs", "m115@", 5),
        (("v115@vhAAgWZAFLDmClcJSAVjiSAVG88A4N88A5N1LCpAAAA",), "srs", "m115@", 5),
        (("v115@vhAAgWZAFLDmClcJSAVDEHBEooRBPoAVBJO1LC0AAAA",), "srs", "m115@", 5),
        (("v115@bhJ8JeAgWcAFLDmClcJSAVDEHBEooRBPoAVBJO1LCJO1LC",), "srs", "m115@", 5),
        (
            ("v115@vhAAgWhAFLDmClcJSAVDEHBEooRBPoAVBJO1LCsvjFDUX9VCqAAAA", "-m", "4"),
            "srs",
            "m115@",
            10,
        ),
        (
            ("--min-height=3", "v115@vhAAgWeAFLDmClcJSAVDEHBEooRBPoAVBJO1LCJO1LCJ+AAA"),
            "srs",
            "m115@",
            10,
        ),
    ],
)
def test_solutions(words: tuple[str, ...], kicks: str, start: str, length: int, run: Run) -> None:
    done = run("fumen", *words)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(start)
    assert done.stdout.count("\n") == 1
    assert len(solved(done.stdout, kicks).pages) == length


def test_solution_starts_from_field_and_quiz() -> None:
    given = Fumen.parse(f"v115@{PART}")
    fumen = Fumen.parse(pc("fumen", f"v115@{PART}").stdout)
    assert fumen.pages[0].field == given.final_field
    assert fumen.pages[0].comment == "#Q=[I](T)SZJO"


def test_saved_piece_is_held_at_the_end() -> None:
    fumen = Fumen.parse(pc("fumen", f"v115@{PART}", "-s", "I").stdout)
    left = fumen.read_quiz()
    assert left.hold is not None
    assert left.hold.name == "I"


def test_pages_are_appended() -> None:
    text = f"https://harddrop.com/fumen/?v115@{EMPTY}#english.js"
    done = pc("fumen", text, "-a", "-t", "list")
    assert done.stdout.startswith(f"https://harddrop.com/fumen/?D115@{EMPTY}")
    assert done.stdout.endswith("#english.js\n")
    fumen = Fumen.parse(done.stdout)
    fumen.read_quiz()
    assert len(fumen.pages) == 11
    assert fumen.pages[0] == Fumen.parse(text).pages[0]
    assert check(fumen.pages[1:], "srs").is_empty


def test_high_pillar() -> None:
    field = Field.from_rows(["GG........"] * 8)
    text = Fumen((Page(field, comment=f"#Q=[](O){'O' * 16}", color=True),)).encode()
    done = pc("fumen", text)
    assert len(solved(done.stdout, "srs").pages) == 16


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ((f"v115@{PART}", "-s", "L"), "ImpossibleSaveHold"),
        (("v115@vhAAgWYAFLDmClcJSAVDEHBEooRBPoAVBJO1LC", "-s", "I"), "SolutionTooLong"),
        (("v115@bhA8SeAgWdAFLDmClcJSAVDEHBEooRBPoAVBJO1LCJO1LCpAAAA",), "NoPcExists"),
        (("v115@vhAAgWYAFLDmClcJSAVDEHBEooRBPoAVBJO1LC", "-m", "4"), "SolutionTooLong"),
        (("v115@vhAAgWYAFLDmClcJSAVDEHBEooRBPoAVBJO1LC", "-m", "127"), "SolutionTooLong"),
    ],
)
def test_unsolvable_inputs(words: tuple[str, ...], name: str) -> None:
    done = pc("fumen", *words)
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        f"Unable to solve: error.{name}\n",
        "",
    )


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("v115@vhAAgH", "NotQuiz"),
        ("v110@vhAAgH", "UnsupportedFumenVersion"),
        ("v115@vhAAg", "EndOfData"),
        (Fumen((Page(comment="#Q=[](O)IIII;"),)).encode(), "InvalidPieceLetter"),
        (Fumen((Page(comment="#Q=[](O)IIXI"),)).encode(), "InvalidPieceLetter"),
        (Fumen((Page(comment="#Q=(O)IIII"),)).encode(), "InvalidQuizCaption"),
        (Fumen((Page(comment="#Q=[]()"),)).encode(), "NotQuiz"),
        ("", "UnsupportedFumenVersion"),
        ("v115@" + "A" * 100_000, "InvalidBlock"),
    ],
    ids=["no quiz", "110", "cut", "semicolon", "letter", "caption", "no piece", "nothing", "long"],
)
def test_invalid_fumens(text: str, name: str) -> None:
    done = pc("fumen", text)
    assert (done.returncode, done.stdout) == (1, "")
    why, error = done.stderr.splitlines()
    assert why.startswith(f"pc: '{text[:5]}")
    assert error == f"error: {name}"
    assert len(why) < 300


def test_held_piece_counts() -> None:
    # Five pieces for five placements, one of them held: perfect-tetris leaves the last one out.
    done = pc("fumen", "v115@vhAAgWYAFLDmClcJSAVjiSAVG88A4N88A5N1LC")
    assert len(solved(done.stdout, "srs").pages) == 5


def test_invalid_input_does_not_stop_the_others() -> None:
    good = "v115@vhAAgWYAFLDmClcJSAVDEHBEooRBPoAVBJO1LC"
    done = pc("fumen", good, "v115@vhAAgH", good)
    assert done.returncode == 1
    assert done.stderr == (
        "pc: 'v115@vhAAgH': invalid comment of the last page: expected a quiz that names the"
        " pieces, such as #Q=[](L)STIZJO, got ''\nerror: NotQuiz\n"
    )
    assert len(done.stdout.splitlines()) == 2


@pytest.mark.parametrize("name", ["srsPlus", "srs+", "SRS+", "srs_plus", "SRS Plus"])
def test_any_name_of_a_rotation_system_is_accepted(name: str) -> None:
    text = "v115@vhAAgWYAFLDmClcJSAVDEHBEooRBPoAVBJO1LC"
    assert pc("fumen", "--kicks", name, text).stdout == pc("fumen", "-k", "srsPlus", text).stdout


def test_very_long_queues() -> None:
    text = Fumen((Page(comment=f"#Q=[](O){'I' * 200}"),)).encode()
    done = pc("fumen", text)
    assert done.returncode == 0
    assert len(solved(done.stdout, "srs").pages) == 5


def test_verbose_prints_the_time() -> None:
    good = "v115@vhAAgWYAFLDmClcJSAVDEHBEooRBPoAVBJO1LC"
    done = pc("fumen", "-v", good)
    assert re.fullmatch(r"Found solution of length 5 in [0-9.]+(ns|us|ms|s)\n", done.stderr)
    done = pc("fumen", "-vm4", good)
    assert re.fullmatch(r"No solution found in [0-9.]+(ns|us|ms|s)\n", done.stderr)


EXAMPLE = bytes.fromhex("0a00fcffffff0000000c341c1c")
# LSTIZJOSJIO, as perfect-tetris 1.3.2 solves it under SRS: the eighth piece needs a kick.
KICKED = bytes.fromhex("9d406746feff1b002048946a1400340c3400")


@pytest.mark.parametrize("run", [pc, sevenbag_pc], ids=["pc", "sevenbag pc"])
@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"", "Validated 0 solutions. All solutions ok."),
        (EXAMPLE * 3, "Validated 3 solutions. All solutions ok."),
        (EXAMPLE + b"\x00" * 5, "Validated 1 solutions. All solutions ok."),
        (EXAMPLE + EXAMPLE[:-1] + b"\x44", "Error at solution 1 (byte 26)"),
        (EXAMPLE + b"\xff" * 6 + b"\x00\x00", "Error at solution 1 (byte 21)"),
        (KICKED, "Validated 1 solutions. All solutions ok."),
    ],
    ids=["empty", "three", "rest", "wrong y", "no piece", "kick"],
)
def test_validation(tmp_path: Path, data: bytes, line: str, run: Run) -> None:
    path = tmp_path / "file.pc"
    path.write_bytes(data)
    done = run("validate", path)
    assert (done.returncode, done.stdout) == (0, f"Validating {path}\n{line}\n")
    assert bool(done.stderr) == line.startswith("Error")


def test_reason_is_printed(tmp_path: Path) -> None:
    path = tmp_path / "file.pc"
    path.write_bytes(EXAMPLE + EXAMPLE[:-1] + b"\x34")
    done = pc("validate", path)
    assert done.stderr == f"{path}: solution 2: the field is not empty at its end\n"


def test_rotation_system_option(tmp_path: Path) -> None:
    path = tmp_path / "file.pc"
    path.write_bytes(KICKED)
    assert "All solutions ok" in pc("validate", "-k", "srs", path).stdout
    done = pc("validate", "--kicks", "none", path)
    assert (done.returncode, done.stdout) == (
        0,
        f"Validating {path}\nError at solution 0 (byte 18)\n",
    )
    assert done.stderr == f"{path}: solution 1: placement 8 cannot be reached from above\n"


def test_strict_rejects_early_clears(tmp_path: Path) -> None:
    path = tmp_path / "file.pc"
    # T is held; O I I I I O I I I I follow.
    bits = 2 | sum(n << 3 * (i + 1) for i, n in enumerate([1, 0, 0, 0, 0] * 2)) | 0o77777 << 33
    twice = bits.to_bytes(6, "little") + b"\x00\x00" + EXAMPLE[8:] * 2
    path.write_bytes(twice)
    assert "All solutions ok" in pc("validate", path).stdout
    assert "Error at solution 0 (byte 18)" in pc("validate", "--strict", path).stdout


def test_unreadable_files_do_not_stop_the_others(tmp_path: Path) -> None:
    good, cut = tmp_path / "good.pc", tmp_path / "cut.pc"
    good.write_bytes(EXAMPLE)
    cut.write_bytes(EXAMPLE + EXAMPLE[:9])
    done = pc("validate", tmp_path / "none.pc", cut, good)
    assert (done.returncode, done.stderr) == (1, "error: FileNotFound\nerror: EndOfStream\n")
    assert done.stdout.endswith(f"Validating {good}\nValidated 1 solutions. All solutions ok.\n")
