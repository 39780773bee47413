"""Tests of ``sevenbag stats`` and ``sevenbag report``."""

import json
import shutil
from pathlib import Path

import pytest

from sevenbag.arena.statistics import Sprt
from sevenbag.arena.tournament.tournament_config import PlayerConfig, TournamentHeader
from sevenbag.arena.tournament.tournament_files import write_header
from tests.arena.tournaments import make_tournament
from tests.cli.run import assert_rejected, run_ok, sevenbag


@pytest.fixture(name="match", scope="module")
def small_match(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tournaments") / "match"
    make_tournament(folder, pairs=3, sprt=Sprt(elo0=0, elo1=50))
    return folder


def test_tables(match: Path) -> None:
    output = run_ok("stats", match)
    lines = output.splitlines()
    assert lines[0] == "small · 6 games · not finished"
    rows = {line.split()[0]: line.split() for line in lines if line.strip()}
    assert rows["quad"] is not None
    assert any(line.split()[:2] == ["quad", "low"] for line in lines)
    assert any(line.startswith("quad vs low: Elo: ") for line in lines)
    assert not any("..." in line or "…" in line for line in lines)


def test_json(match: Path) -> None:
    told = json.loads(sevenbag("stats", match, "--json").stdout)
    assert (told["games"], told["kind"], told["finished"]) == (6, "match", False)
    assert sum(engine["points"] for engine in told["engines"]) == 6
    assert sum(told["encounters"][0]["pairs"]) == 3
    assert [test["pairs"] for test in told["tests"]] == [3]
    for engine in told["engines"]:
        assert sum(engine["attack_by"].values()) == engine["attack"]


def test_many_bots(tmp_path: Path) -> None:
    pytest.importorskip("choix")
    make_tournament(tmp_path / "t", ("quad", "low", "hold"), pairs=1)
    told = json.loads(sevenbag("stats", tmp_path / "t", "--json").stdout)
    assert told["rated"]
    elos = [engine["elo"]["value"] for engine in told["engines"]]
    assert elos == sorted(elos, reverse=True)
    assert sum(elos) == pytest.approx(0, abs=1e-6)
    assert len(told["encounters"]) == 3


def test_names_are_plain_text(tmp_path: Path) -> None:
    engines = (PlayerConfig(name="[bold]x[/bold]\x1b[2J"), PlayerConfig(name="y"))
    write_header(tmp_path, TournamentHeader(name="\x1b]0;title", engines=engines))
    done = sevenbag("stats", tmp_path)
    assert "\x1b" not in done.stdout
    assert "[bold]x[/bold]?[2J" in done.stdout


def test_invalid_folder_is_an_error(tmp_path: Path, match: Path) -> None:
    assert_rejected("a tournament's folder has it", "stats", tmp_path)
    shutil.copy(match / "tournament.json", tmp_path)
    (tmp_path / "games.jsonl").write_text("rubbish\n")
    assert_rejected("games.jsonl: line 1: ", "stats", tmp_path)


def test_output_option(match: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    output = run_ok("report", match, "-o", out)
    assert output.startswith(f"report: {out}  (")
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
def test_invalid_arguments_of_report(
    words: list[str], message: str, match: Path, tmp_path: Path
) -> None:
    assert_rejected(message, "report", *(w.format(match=match, none=tmp_path) for w in words))
    assert list(tmp_path.iterdir()) == []
