"""Tests of ``sevenbag report``."""

import shutil
from pathlib import Path

import pytest

from tests.arena.tournaments import make_tournament
from tests.cli.run import sevenbag


@pytest.fixture(name="match", scope="module")
def small_match(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tournaments") / "match"
    make_tournament(folder, pairs=1)
    return folder


def test_output_option(match: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    done = sevenbag("report", match, "-o", out)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"report: {out}  (")
    assert out.read_text().count("data-game=") >= 2
    done = sevenbag("report", match, "-o", out, "--playable-games", "0")
    assert done.returncode == 0
    assert 'data-game="' not in out.read_text()


def test_default_file_is_in_the_folder(match: Path, tmp_path: Path) -> None:
    folder = tmp_path / "match"
    shutil.copytree(match, folder)
    assert sevenbag("report", folder).returncode == 0
    assert (folder / "report.html").is_file()


def test_missing_replay_is_reported(match: Path, tmp_path: Path) -> None:
    folder = tmp_path / "match"
    shutil.copytree(match, folder)
    (folder / "replays" / "1.replay").unlink()
    done = sevenbag("report", folder)
    assert done.returncode == 1
    assert "no player for a game: " in done.stderr
    assert (folder / "report.html").is_file()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["{none}"], "a tournament's folder has it"),
        (["{match}", "-o", "{none}"], "expected a file, got the folder"),
        (["{match}", "-o", "{none}/no/page.html"], "cannot be written"),
        (["{match}", "--playable-games", "-1"], "-1"),
    ],
)
def test_invalid_folder_is_an_error(
    words: list[str], message: str, match: Path, tmp_path: Path
) -> None:
    done = sevenbag("report", *(word.format(match=match, none=tmp_path) for word in words))
    assert done.returncode == 2
    assert done.stderr.startswith("sevenbag: ")
    assert message in done.stderr
    assert list(tmp_path.iterdir()) == []
