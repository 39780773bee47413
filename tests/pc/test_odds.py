"""The odds of two lines: published counts, the exhaustive lists, the command."""

import json
import signal
import threading
import time
from pathlib import Path

import pytest

from sevenbag import Kicks
from sevenbag.errors import BoardError, KicksError, QueueError, ScarceMemoryError
from sevenbag.pc import tablebase
from sevenbag.pc.odds import compute_odds
from tests.cli.run import assert_no_trace, assert_rejected, read_folder, sevenbag, start
from tests.truth import truth

ORDER = "IOTSZLJ"


def canonical(letters: str) -> str:
    """The two pieces to choose from in listing order."""
    pair = sorted(letters[:2], key=ORDER.index, reverse=True)
    return "".join(pair) + letters[2:]


def counts(kicks: str) -> list[tuple[int, int]]:
    return [(row.possible, row.total) for row in compute_odds(2, kicks, threads=2).rows]


@pytest.mark.parametrize(
    ("kicks", "none", "any_held"),
    [("srs", 5148, 15132), ("srs+", 5148, None), ("none", 5020, 5020 + 9700)],
)
def test_two_line_rows_are_the_published_ones(kicks: str, none: int, any_held: int | None) -> None:
    opener, windows, everything = counts(kicks)
    assert opener == (0, 5040)
    assert windows == (none, 154_980)
    assert everything[1] == 378_420
    if any_held is not None:
        assert everything[0] == any_held


def test_sequences_are_those_of_the_exhaustive_lists() -> None:
    listed = set()
    for name in ("pc/two_line_nohold.txt", "pc/two_line_hold.txt"):
        for line in truth(name).read_text().splitlines():
            if not line.startswith("#"):
                listed.add(canonical(line.split()[0]))
    impossible = compute_odds(2, "srs").unsolvable.decode().split()
    assert len(listed) + len(impossible) == 57_750, "all canonical sequences of six"
    assert not listed & set(impossible)


def test_fewer_rotations_never_help() -> None:
    still = Kicks.from_text("[ITLJSZ]\n", "still")
    impossible = [
        set(compute_odds(2, kicks).unsolvable.split()) for kicks in (still, "none", "srs")
    ]
    assert impossible[0] > impossible[1] > impossible[2]


def test_result_is_independent_of_threads() -> None:
    assert compute_odds(2, "srs", threads=1) == compute_odds(2, "srs", threads=5)


@pytest.mark.parametrize("height", [-2, 0, 1, 3, 6, 10**9])
def test_other_heights_are_refused(height: int) -> None:
    with pytest.raises(BoardError, match="expected 2 or 4"):
        compute_odds(height)


def test_other_arguments_are_checked() -> None:
    with pytest.raises(KicksError):
        compute_odds(2, "nothing")
    for threads in (0, -1, 257):
        with pytest.raises(QueueError, match="threads"):
            compute_odds(2, threads=threads)


def test_insufficient_memory_is_reported_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tablebase, "available_memory", lambda: 100 << 20)
    begun: list[tablebase.TablebaseProgress] = []
    with pytest.raises(ScarceMemoryError, match="expected 3200 MiB, got 100 MiB"):
        compute_odds(4, report=begun.append)
    assert begun == []
    assert compute_odds(2).rows[0].total == 5040, "two lines need little"


def test_available_memory_is_known() -> None:
    free = tablebase.available_memory()
    assert free is None or 0 < free < 1 << 50


def test_progress_grows_from_none_to_all() -> None:
    seen: list[tablebase.TablebaseProgress] = []
    compute_odds(2, report=seen.append)
    fractions = [now.fraction for now in seen]
    assert fractions == sorted(fractions)
    assert all(0 <= fraction <= 1 for fraction in fractions)


def test_an_exception_stops_the_work_of_four_lines_at_once() -> None:
    class EnoughError(Exception):
        pass

    stopped_at: list[float] = []

    def stop(now: tablebase.TablebaseProgress) -> None:
        if now.seconds > 0.5:
            stopped_at.append(now.fraction)
            raise EnoughError

    with pytest.raises(EnoughError):
        compute_odds(4, report=stop)
    assert len(stopped_at) == 1
    assert stopped_at[0] < 1
    assert not [t for t in threading.enumerate() if t.name.startswith("sevenbag")]


def test_the_command_prints_the_rows() -> None:
    done = sevenbag("pc", "odds", "--height", "2")
    assert done.returncode == 0, done.stderr
    rows = [line.split("  ") for line in done.stdout.splitlines()[1:]]
    assert [(row[0].strip(), row[-1].strip()) for row in rows] == [
        ("2-line, opener", "0 of 5,040"),
        ("2-line", "5,148 of 154,980"),
        ("2-line", "15,132 of 378,420"),
    ]
    assert "3.3217%" in done.stdout
    assert "3.9987%" in done.stdout


def test_the_command_speaks_json_and_writes_the_impossible(tmp_path: Path) -> None:
    target = tmp_path / "impossible.txt"
    target.write_text("what was there before")
    done = sevenbag("pc", "odds", "--height", "2", "--json", "--impossible", target)
    data = json.loads(done.stdout)
    assert [(row["possible"], row["total"]) for row in data["rows"]] == [
        (0, 5040),
        (5148, 154_980),
        (15_132, 378_420),
    ]
    lines = target.read_text().splitlines()
    assert data["impossible_sequences"] == {"2": len(lines)}
    assert lines == sorted(set(lines))
    assert lines == [canonical(line) for line in lines]
    assert sorted(read_folder(tmp_path)) == ["impossible.txt"], "nothing else is left behind"


def test_command_accepts_custom_systems(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('base = "none"\n')
    done = sevenbag("pc", "odds", "--height", "2", "--kicks", "mine.toml", folder=tmp_path)
    assert "14,720 of 378,420" in done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ["--height", "3"],
        ["--kicks", "nothing"],
        ["--kicks", "missing.toml"],
        ["--threads", "0"],
        ["--threads", "1000000"],
        ["--impossible", "no/such/folder/file"],
        ["--impossible", "."],
    ],
)
def test_the_command_refuses(words: list[str], tmp_path: Path) -> None:
    assert_rejected("", "pc", "odds", *words, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("times", [1, 3])
def test_ctrl_c_ends_the_command_cleanly(tmp_path: Path, times: int) -> None:
    process = start("pc", "odds", "--impossible", "list", folder=tmp_path)
    try:
        assert process.stderr is not None
        assert "%" in process.stderr.readline(), "how far it is"
        for _ in range(times):
            process.send_signal(signal.SIGINT)
            time.sleep(0.01)
        out, error = process.communicate(timeout=120)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130
    assert out == ""
    assert_no_trace(error)
    assert list(tmp_path.iterdir()) == []
