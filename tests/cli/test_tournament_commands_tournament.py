"""Tests of ``sevenbag tournament``: files, folders, output."""

import json
import re
from pathlib import Path

import pytest

from sevenbag.arena.tournament.tournament_config import read_tournament_config
from sevenbag.errors import FormatError
from tests.cli.run import assert_rejected, run_ok, sevenbag

pytestmark = pytest.mark.usefixtures("no_single_worker")

FILE = """\
name = "spring"
kind = "round robin"
games = 2
pieces = 8
ms = 20

[[engine]]
name = "small"
bot = "beam:nodes=30"

[[engine]]
bot = "beam:nodes=60"
nodes = 50

[[engine]]
bot = "random:seed=3"
"""


def written(folder: Path, text: str, name: str = "spring.toml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize("kind", ["round robin", "gauntlet", "knockout", "swiss"])
def test_every_kind_is_played(kind: str, tmp_path: Path) -> None:
    written(tmp_path, FILE.replace("round robin", kind))
    output = run_ok("tournament", "spring.toml", "--json", folder=tmp_path)
    data = json.loads(output)
    assert (data["name"], data["kind"], data["folder"]) == ("spring", kind, "spring")
    assert data["finished"]
    assert [engine["name"] for engine in data["engines"]][-1] == "random" or kind == "swiss"
    assert data["games"] == sum(engine["games"] for engine in data["engines"]) / 2
    assert (data["winner"] is None) == (kind != "knockout")


def test_tournament_is_resumed(tmp_path: Path) -> None:
    written(tmp_path, FILE)
    whole = sevenbag("tournament", "spring.toml", "--json", folder=tmp_path)
    games = tmp_path / "spring/games.jsonl"
    lines = games.read_bytes().splitlines(keepends=True)
    games.write_bytes(b"".join(lines[:2]) + lines[2][:40])
    assert_rejected("--resume continues it", "tournament", "spring.toml", folder=tmp_path)
    again = sevenbag("tournament", "--resume", "--folder", "spring", "--json", folder=tmp_path)
    assert again.stdout == whole.stdout
    assert games.read_bytes().count(b"\n") == 6
    done = sevenbag("tournament", "spring.toml", "--resume", folder=tmp_path)
    assert "resuming in spring: 6 games finished" in done.stderr
    assert "game 1" not in done.stdout
    written(tmp_path, FILE.replace("games = 2", "games = 4"))
    words = ("tournament", "spring.toml", "--resume")
    assert_rejected("with other settings", *words, folder=tmp_path)


def test_named_files_are_relative_to_the_file(tmp_path: Path) -> None:
    deep = tmp_path / "deep"
    deep.mkdir()
    (deep / "own.toml").write_text('base = "guideline"\n[delays]\nspawn = 6\n')
    (deep / "book.txt").write_text("5\n6\n")
    text = f'rules = "own.toml"\nopenings = "book.txt"\n{FILE}'
    written(deep, text)
    run_ok("tournament", "deep/spring.toml", "--json", folder=tmp_path)
    header = json.loads((tmp_path / "spring/tournament.json").read_text())
    assert header["rules"]["delays"]["spawn"] == 6
    assert header["openings"] == ["5", "6"]
    assert [engine["limits"]["ms"] for engine in header["engines"]] == [20] * 3
    assert [engine["limits"].get("nodes") for engine in header["engines"]] == [None, 50, None]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("games = 2", "gmes = 2", "line 3: unknown key 'gmes' (did you mean 'games'?)"),
        ("games = 2", "games = 0", "invalid games: expected integer from 1"),
        ("games = 2", 'games = "many"', "invalid games: "),
        ("games = 2", "games = 2\npairs = 1", "expected either games or pairs"),
        ("games = 2", "games = 2\nfirst-to = 2", "first-to"),
        ("games = 2", "sprt = {elo0 = 5, elo1 = 0}", "sprt: invalid elo0"),
        ('"round robin"', '"swiss"\nsprt = {elo0 = 0, elo1 = 5}', "expected no test in a swiss"),
        ('"round robin"', '"brawl"', "invalid kind: "),
        ("nodes = 50", "nodes = 0", "line 13: invalid engine[1].nodes: expected integer from 1"),
        ("nodes = 50", "nods = 50", "unknown key 'nods' in engine[1] (did you mean 'nodes'?)"),
        ("nodes = 50", "bank = -1", "invalid engine[1].bank: expected number above 0"),
        ("nodes = 50", 'restart = "often"', "restart"),
        ('bot = "random:seed=3"', 'bot = "randm"', "engine 'randm': no bot 'randm'"),
        ('bot = "random:seed=3"', 'name = "nobody"', "missing key 'bot' in engine[2]"),
        ("ms = 20", "ms = 20\nrules = 'magic'", "magic"),
        ("ms = 20", "ms = 20\nopenings = 'none.txt'", "none.txt: cannot be read"),
        ("ms = 20", "ms = 20\nseed = -1", "invalid seed: expected integer from 0"),
        ("ms = 20", "ms = ", "line 5: invalid TOML"),
        (FILE, "", "missing key 'engine'"),
        (FILE, "engine = 5", "invalid engine: expected list of 2 to 1000"),
        (FILE, "engine = [5, 6]", "invalid engine[0]: expected table, got 5"),
        ('"round robin"', '"gauntlet"\ngauntlet = 3', "expected less than 3 engines, got 3"),
        ('"round robin"', '"match"', "expected 2 in a match"),
        ('"round robin"', '"robin"', "expected one of 'gauntlet', 'knockout', 'match'"),
        ("nodes = 50", 'restart = "often"', "expected one of 'game', 'never'"),
        ("ms = 20", "rounds = 3", "invalid rounds: expected a swiss"),
        ("ms = 20", "gauntlet = 2", "invalid gauntlet: expected a gauntlet"),
        ("ms = 20", "nps = 1000", "invalid nps: expected real-time games"),
        ("nodes = 50", "pps = 3", "engine 'beam:nodes=60': invalid pps: expected real-time games"),
        ("nodes = 50", "increment = 3", "engine 'beam:nodes=60': invalid increment"),
    ],
)
def test_invalid_files_are_reported(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert old in FILE
    written(tmp_path, FILE.replace(old, new))
    error = assert_rejected(message, "tournament", "spring.toml", folder=tmp_path)
    assert error.startswith("sevenbag: spring.toml: ") or "none.txt" in error
    assert [path.name for path in tmp_path.iterdir()] == ["spring.toml"]


@pytest.mark.parametrize("name", [r"x\u202ey", "n" * 61])
def test_names_are_checked_before_they_are_numbered(name: str, tmp_path: Path) -> None:
    path = written(
        tmp_path, FILE.replace('"small"', f'"{name}"').replace("nodes = 50", f'name = "{name}"')
    )
    with pytest.raises(FormatError, match="expected 1 to 60 printable characters") as caught:
        read_tournament_config(path)
    assert "(1)" not in str(caught.value)


def test_equal_names_are_numbered(tmp_path: Path) -> None:
    path = written(tmp_path, FILE.replace("nodes = 50", 'name = "small"'))
    names = [engine.name for engine in read_tournament_config(path).engines]
    assert names == ["small (1)", "small (2)", "random"]


def test_documented_file_is_valid(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "tournaments.md").read_text("utf-8")
    text = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)[0]
    text = text.replace("tbp:./my-bot --fast", "random:seed=1").replace("games = 20", "games = 2")
    text = text.replace("pieces = 300", "pieces = 4")
    (tmp_path / "boards.txt").write_text("1\n")
    written(tmp_path, text)
    output = run_ok("tournament", "spring.toml", "--workers", "2", folder=tmp_path)
    assert "mine" in output


def test_every_key_is_documented() -> None:
    from sevenbag.arena.tournament import tournament_config  # noqa: PLC0415

    page = (Path(__file__).parents[2] / "docs" / "tournaments.md").read_text("utf-8")
    for table in (tournament_config.TournamentFile, tournament_config.EngineTable):
        for name in table.__struct_fields__:
            key = name.replace("_", "-")
            assert f"`{key}" in page or f"{key} = " in page or key == "engine", key
