"""Tests of ``sevenbag pc bench``."""

import json
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.run import COMMAND, assert_rejected, environment, sevenbag

QUEUES = """\
# seed	queue
0	LSTIZJOSJIOLTZOL	10
no queue here
OIZSOZOISLT 0.5
ZJILTOSOZLJITSJO
"""


@pytest.fixture
def queues(tmp_path: Path) -> Path:
    path = tmp_path / "queues.txt"
    path.write_text(QUEUES)
    return path


def test_statistics_of_a_file_of_queues(queues: Path) -> None:
    done = sevenbag("pc", "bench", str(queues), "--height", "4", "--kicks", "srs+", "--json")
    assert done.returncode == 0
    figures = json.loads(done.stdout)
    assert (figures["queues"], figures["solved"], figures["none"]) == (3, 2, 1)
    assert 0 < figures["median_us"] <= figures["p99_us"] <= figures["max_us"]
    assert figures["median_us"] <= figures["mean_us"] * 3
    assert 1000 < figures["peak_rss_kib"] < 10**7


def test_json_object_is_the_last_line(queues: Path) -> None:
    done = sevenbag("pc", "bench", str(queues), "--repeat", "2")
    lines = done.stdout.splitlines()
    assert "3 queues, 4 lines, srs: 2 solved, 1 without a perfect clear" in lines[0]
    assert json.loads(lines[-1])["repeat"] == 2


def test_two_lines_from_standard_input() -> None:
    words = ("pc", "bench", "-", "--height", "2", "--kicks", "srs", "--json")
    done = sevenbag(*words, typed="IJLOOI\nSZSZSZ\n")
    figures = json.loads(done.stdout)
    assert (figures["solved"], figures["none"]) == (1, 1)


@pytest.mark.parametrize(
    ("content", "options", "said"),
    [
        ("LSTIZJO", ["--height", "4"], "line 1: LSTIZJO has 7 pieces, this height needs 11"),
        ("nothing", [], "six or more piece letters"),
        (QUEUES, ["--height", "3"], "expected even integer from 2 to 20"),
        (QUEUES, ["--height", "22"], "expected even integer from 2 to 20"),
        (QUEUES, ["--kicks", "srsx9"], "invalid rotation system"),
    ],
)
def test_invalid_input_is_reported(
    tmp_path: Path, content: str, options: list[str], said: str
) -> None:
    path = tmp_path / "queues.txt"
    path.write_text(content)
    assert_rejected(said, "pc", "bench", path, *options)


def test_missing_file_is_reported(tmp_path: Path) -> None:
    assert_rejected("none.txt: No such file", "pc", "bench", tmp_path / "none.txt")


def test_interrupt() -> None:
    with subprocess.Popen(
        [*COMMAND, "pc", "bench", "-"],
        stdin=subprocess.PIPE,
        env=environment(),
        bufsize=0,
        pipesize=4096,
    ) as running:
        assert running.stdin is not None
        # More than pipe and buffer can hold: the first queues are solved once it is written.
        running.stdin.write(b"OIZSOZOISLT\n" * 2_000)
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=600) == -signal.SIGINT


def test_table_is_built_shown_and_used(tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    queues = tmp_path / "queues.txt"
    queues.write_text("OIIIII\nSZSZSZ\n")
    words = ("pc", "bench", str(queues), "--height", "2", "--kicks", "srs", "--json")
    made = sevenbag("pc", "table", "build", "--height", "2", SEVENBAG_TABLES=str(folder))
    assert made.returncode == 0
    assert "queues without a perfect clear of 2 lines under srs" in made.stdout
    shown = sevenbag("pc", "table", "show", "--height", "2", SEVENBAG_TABLES=str(folder))
    assert shown.stdout == made.stdout
    [table] = folder.iterdir()
    for options, used in (([], [table]), (["--no-table"], []), (["--table", table], [table])):
        done = sevenbag(*words, *options, SEVENBAG_TABLES=str(folder))
        figures = json.loads(done.stdout)
        assert (figures["solved"], figures["none"]) == (1, 1)
        assert figures["tables"] == [str(path) for path in used]
    assert_rejected("expected a table of perfect clears", *words, "--table", queues)
