"""A file of perfect clears for all sequences: complete, in order, and safe from any end."""

import fcntl
import itertools
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sevenbag import Kicks
from sevenbag._kernel import PcFault, find_pc_sequence_index
from sevenbag.errors import BoardError, PcFileError, QueueError
from sevenbag.formats.pc_file import read_solutions, validate_file
from sevenbag.pc.batch_solver import BatchProgress, solve_all_sequences
from sevenbag.pc.odds import compute_odds
from tests.cli.run import assert_no_trace, read_folder, sevenbag, start

ALL = 57_750
RECORD = 13


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of two lines, made in one go."""
    folder = tmp_path_factory.mktemp("whole")
    solve_all_sequences(folder, 2, threads=2)
    return (folder / "2.pc").read_bytes()


def letters_of(path: Path) -> list[str]:
    return ["".join(p.name for p in solution.sequence) for solution in read_solutions(path)]


def expect_whole(folder: Path, whole: bytes) -> None:
    assert (folder / "2.pc").read_bytes() == whole
    assert (folder / "2.count").read_text() == f"{ALL}\n"
    assert (folder / "2-backup.pc").read_bytes() == whole
    assert (folder / "2-backup.count").read_text() == f"{ALL}\n"
    assert sorted(read_folder(folder)) == ["2-backup.count", "2-backup.pc", "2.count", "2.pc"]


@pytest.mark.parametrize("kicks", ["srs", "none", "srs+", "asc"])
def test_all_sequences_have_valid_solutions(tmp_path: Path, kicks: str) -> None:
    tally = solve_all_sequences(tmp_path, 2, kicks)
    (path,) = (p for p in tmp_path.glob("*.pc") if "backup" not in p.name)
    verdict = validate_file(path, [kicks], allow_early_clear=False)
    assert verdict.fault is PcFault.NONE, verdict.describe_fault()
    impossible = compute_odds(2, kicks).unsolvable.decode().split()
    assert verdict.solutions == tally.solved == ALL - len(impossible)
    listed = letters_of(path)
    assert not set(listed) & set(impossible)
    numbers = [find_pc_sequence_index(solution.sequence) for solution in read_solutions(path)]
    assert all(a < b for a, b in itertools.pairwise(numbers))


def test_each_system_has_its_own_file(tmp_path: Path) -> None:
    solve_all_sequences(tmp_path, 2, "srs", backup=False)
    solve_all_sequences(tmp_path, 2, "none", backup=False)
    # A system with the rotations of SRS is SRS under any name; other names stay in the folder.
    for base in ("srs", "none"):
        kicks = Kicks.from_text(f'base = "{base}"\n', "../../my table!")
        solve_all_sequences(tmp_path, 2, kicks, backup=False)
    names = ("2-my-table", "2-none", "2")
    found = read_folder(tmp_path)
    assert set(found) == {f"{name}{end}" for name in names for end in (".count", ".pc")}


def test_progress_is_reported(tmp_path: Path) -> None:
    told: list[BatchProgress] = []
    last = solve_all_sequences(tmp_path, 2, report=told.append)
    assert [t.done for t in told] == sorted(t.done for t in told)
    assert told[-1].done == last.total == ALL
    assert told[-1].seconds_left == 0


@pytest.mark.faults
def test_a_program_killed_again_and_again_gets_through(tmp_path: Path, whole: bytes) -> None:
    rng = random.Random(5)
    # Each run is killed some computing time after its first block.
    program = (
        "import signal, sys\nfrom sevenbag.pc.batch_solver import solve_all_sequences\n"
        "def arm(tally):\n"
        "    if not any(signal.getitimer(signal.ITIMER_PROF)):\n"
        "        signal.setitimer(signal.ITIMER_PROF, float(sys.argv[2]))\n"
        "solve_all_sequences(sys.argv[1], 2, threads=2, save_every=0, report=arm)\n"
    )
    seconds = [rng.uniform(0.001, 0.03) for _ in range(12)]
    sizes = set()
    code = None
    for limit in (*seconds, 0):  # 0: no alarm
        command = [sys.executable, "-c", program, str(tmp_path), str(limit)]
        code = subprocess.run(command, check=False).returncode
        if code == -signal.SIGPROF and (tmp_path / "2.pc").exists():
            sizes.add((tmp_path / "2.pc").stat().st_size)
    assert len(sizes - {0}) >= 2, "no kills while it wrote"
    assert code == 0
    expect_whole(tmp_path, whole)


@pytest.mark.parametrize("count", [0, 1, 777, 30_000, 57_749, ALL])
@pytest.mark.parametrize("size", [0, 5, 13 * 100, 13 * 100 + 7, 13 * 3000 + 12, None])
def test_any_cut_is_mended(tmp_path: Path, whole: bytes, count: int, size: int | None) -> None:
    # The count may be ahead of the file or behind it, the last record be cut short.
    (tmp_path / "2.pc").write_bytes(whole[:size])
    (tmp_path / "2.count").write_text(f"{count}\n")
    (tmp_path / "2-backup.pc").write_bytes(whole[: size and size // 2])
    solve_all_sequences(tmp_path, 2)
    expect_whole(tmp_path, whole)


def test_finished_work_is_not_repeated(tmp_path: Path, whole: bytes) -> None:
    solve_all_sequences(tmp_path, 2)
    told: list[BatchProgress] = []
    solve_all_sequences(tmp_path, 2, report=told.append)
    assert sum(1 for _ in told) <= 300, "no more than from the block of the last solution on"
    expect_whole(tmp_path, whole)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_the_command_tidily(tmp_path: Path, whole: bytes, number: int) -> None:
    words = ("pc", "solve", "--height", "2", "--folder", "x")
    process = start(*words, "--save-every", "0.000001", folder=tmp_path)
    path = tmp_path / "x" / "2.count"
    while process.poll() is None and not path.exists():
        time.sleep(0.001)
    process.send_signal(number)
    _, error = process.communicate(timeout=120)
    assert process.returncode in (128 + number, 0)
    assert_no_trace(error)
    assert sevenbag(*words, folder=tmp_path).returncode == 0
    expect_whole(tmp_path / "x", whole)


def test_limit_pauses_the_batch(tmp_path: Path, whole: bytes) -> None:
    done = [solve_all_sequences(tmp_path, 2, limit=20_000).done for _ in range(4)]
    assert done == sorted(done)
    assert 20_000 <= done[0] < 20_100, "no more than the rest of a block"
    assert done[-1] == ALL
    expect_whole(tmp_path, whole)


@pytest.mark.parametrize("kicks", ["srs", "srs+"])
def test_six_lines_are_solved_as_far_as_wanted(tmp_path: Path, kicks: str) -> None:
    tallies = [
        solve_all_sequences(tmp_path, 6, kicks, limit=limit, threads=2) for limit in (1, 100)
    ]
    assert [tally.total for tally in tallies] == [58_154_216_400] * 2
    assert tallies[1].done >= tallies[0].done >= 64
    (path,) = (p for p in tmp_path.glob("*.pc") if "backup" not in p.name)
    verdict = validate_file(path, [kicks])
    assert verdict.fault is PcFault.NONE, verdict.describe_fault()
    assert verdict.solutions == tallies[1].solved
    numbers = [find_pc_sequence_index(solution.sequence) for solution in read_solutions(path)]
    assert numbers == sorted(set(numbers))
    assert numbers[-1] < tallies[1].done


@pytest.mark.parametrize("text", ["", "many\n", "-1\n", "57751\n", "9" * 30, "1.5\n", "\0\n"])
def test_invalid_count_is_reported(tmp_path: Path, text: str) -> None:
    (tmp_path / "2.count").write_text(text)
    with pytest.raises(PcFileError, match=r"2\.count: invalid count: expected 0 to"):
        solve_all_sequences(tmp_path, 2)


def test_solutions_without_a_count_are_not_touched(tmp_path: Path, whole: bytes) -> None:
    (tmp_path / "2.pc").write_bytes(whole)
    with pytest.raises(PcFileError, match="the number of finished sequences, is missing"):
        solve_all_sequences(tmp_path, 2)
    assert (tmp_path / "2.pc").read_bytes() == whole


@pytest.mark.parametrize("byte", [b"\xff", b"\0", b"a"])
def test_another_file_is_not_touched(tmp_path: Path, byte: bytes) -> None:
    (tmp_path / "2.pc").write_bytes(byte * 1300)
    (tmp_path / "2.count").write_text("100\n")
    with pytest.raises(PcFileError, match="does not belong to this batch"):
        solve_all_sequences(tmp_path, 2)
    assert (tmp_path / "2.pc").read_bytes() == byte * 1300


def test_concurrent_writers_are_rejected(tmp_path: Path) -> None:
    with (tmp_path / "2.pc").open("wb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(PcFileError, match="another program"):
            solve_all_sequences(tmp_path, 2)


def test_invalid_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(PcFileError, match="cannot be written"):
        solve_all_sequences(tmp_path / "file" / "x", 2)
    with pytest.raises(BoardError, match="2, 4 or 6"):
        solve_all_sequences(tmp_path, 3)
    with pytest.raises(QueueError, match="invalid limit: expected a number"):
        solve_all_sequences(tmp_path, 6)
    with pytest.raises(QueueError, match="expected at least 1"):
        solve_all_sequences(tmp_path, 2, limit=0)


def test_command_summary(tmp_path: Path, whole: bytes) -> None:
    done = sevenbag("pc", "solve", "--height", "2", "--no-backup", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"Solved {len(whole) // RECORD:,} out of {ALL:,}\n"
    assert sorted(read_folder(tmp_path / "pc-data")) == ["2.count", "2.pc"]
    assert sevenbag("pc", "solve", "--height", "3", folder=tmp_path).returncode == 2
