"""Tests of ``sevenbag perft`` with every instruction set of this machine."""

import json
import signal
from pathlib import Path

import pytest

from tests.cli.run import COMMAND, assert_rejected, run_process, sevenbag, start


def test_every_depth_is_printed_with_its_rate() -> None:
    done = sevenbag("perft", "IOLJSZT", "--depth", "5")
    assert done.returncode == 0
    rows = [line.split() for line in done.stdout.splitlines()[2:]]
    assert [(row[0], row[1]) for row in rows] == [
        ("1", "17"),
        ("2", "153"),
        ("3", "5,266"),
        ("4", "188,374"),
        ("5", "3,497,187"),
    ]
    assert all(float(row[3].replace(",", "")) > 0 for row in rows)


@pytest.mark.parametrize("instruction_set", ["base", "x86-64-v3", "avx512"])
def test_every_instruction_set_counts_the_same(instruction_set: str) -> None:
    # The kernel selects once per process.
    words = ("perft", "IOLJSZ", "--json")
    done = run_process(COMMAND, *words, SEVENBAG_INSTRUCTION_SET=instruction_set)
    if f"got '{instruction_set}'" in done.stderr:
        pytest.skip(f"this kernel or machine has no {instruction_set}")
    said = json.loads(done.stdout)
    assert said["instruction_set"] == instruction_set
    assert said["leaves"] == 67002200


def test_unknown_instruction_set_is_reported() -> None:
    done = run_process([*COMMAND, "perft", "IOL"], SEVENBAG_INSTRUCTION_SET="z80")
    assert done.returncode == 2
    assert "invalid SEVENBAG_INSTRUCTION_SET: expected " in done.stderr
    assert "got 'z80'" in done.stderr
    assert "Traceback" not in done.stderr


def test_pieces_that_spawn_in_another_rotation() -> None:
    # On a board of twenty rows only pieces that point south fit at the top.
    done = sevenbag("perft", "IOT", "--kicks=pason", "--rows=20", "--spawn=5,19", "--json")
    assert json.loads(done.stdout)["leaves"] > 1000
    srs = ("perft", "IOT", "--kicks=srs", "--rows=20", "--spawn=5,19")
    assert_rejected("spawn (5, 19): O does not fit there", *srs)


def test_custom_rotation_system(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('base = "srs"\n[T]\n0-2 = [[0, 1]]\n', encoding="utf-8")
    done = sevenbag("perft", "TT", "--json", "--kicks", str(path), "--spins", "All-Mini+")
    said = json.loads(done.stdout)
    assert (said["kicks"], said["spins"], said["leaves"]) == ("mine", "all-mini+", 1190)
    path.write_text('base = "srs"\n[T]\n0-2 = [\n  [0, 7],\n]\n', encoding="utf-8")
    message = "mine.toml: line 4: invalid T.0-2[0][1]: expected integer from -4 to 4, got 7"
    assert_rejected(message, "perft", "TT", "--kicks", path)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["IOL", "--kicks", "none.toml"], "none.toml: cannot be read: "),
        (["IOX"], "invalid piece: expected one of I O T L J S Z, got 'X'"),
        (["IOL", "--depth", "4"], "depth 4 needs 4 pieces, 'IOL' has 3"),
        (["IOL", "--depth", "0"], "expected integer from 1"),
        (["IOL", "--kicks", "best"], "invalid rotation system: expected one of none, none180, srs"),
        (["IOL", "--width", "3"], "invalid width: expected 4 to 16, got 3"),
        (["IOL", "--rows", "100"], "invalid rows: expected 4 to 64, got 100"),
        (["IOL", "--spawn", "here"], "expected a cell such as 4,19, got 'here'"),
        (
            ["IOL", "--spawn", "900,900"],
            "invalid spawn: expected x and y from -64 to 64, got (900, 900)",
        ),
        (["IOL", "--threads", "9999"], "invalid threads: expected 1 to 256, got 9999"),
        (["IOL", "--spawn", "20,5"], "spawn (20, 5): I does not fit there on a board of 10"),
        (["OIL", "--spawn", "0,5"], "spawn (0, 5): I does not fit there"),
        (["IOL", "--rows", "10"], "spawn (4, 19): I does not fit there"),
        ([""], "invalid queue"),
        ([], "the following arguments are required: QUEUE"),
    ],
)
def test_invalid_input_is_reported(words: list[str], says: str) -> None:
    assert_rejected(says, "perft", *words)


def test_interrupt_during_a_count() -> None:
    counting = start("perft", "IOLJSZT" * 2)
    assert counting.stdout is not None
    for _ in range(8):
        counting.stdout.readline()
    counting.send_signal(signal.SIGINT)
    _, errors = counting.communicate(timeout=120)
    assert counting.returncode in {-signal.SIGINT, 130}
    assert errors == ""
