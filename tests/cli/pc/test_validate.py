"""Tests of ``pc validate``: messages and exit codes."""

from pathlib import Path

import pytest

from tests.cli.pc.run import Run, pc, sevenbag_pc

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
def test_results(tmp_path: Path, data: bytes, line: str, run: Run) -> None:
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
