"""Tests of unwritable output, and of untrusted names, which are printed as plain text."""

import json
import shutil
import subprocess
import sys
import unicodedata
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from rich.console import Console

from sevenbag.arena.terminal.scoreboard import StandingsView
from sevenbag.arena.tournament.tournament_runner import TournamentRunner
from sevenbag.cli.output import escape_json
from sevenbag.drawing.picture import Picture, escape_text
from sevenbag.errors import printable
from tests.cli.run import COMMAND, run_process, sevenbag

pytestmark = pytest.mark.usefixtures("no_single_worker")

PLAY = ["play", "random", "random", "--seed", "1"]
SERVE = ["serve", "random"]
COMMANDS = [
    ["--help"],
    ["--version"],
    ["play", "--help"],
    PLAY,
    [*PLAY, "--quiet"],
    [*PLAY, "--json"],
    SERVE,
    ["perft", "IOL"],
    ["pc", "version"],
    ["pc", "fumen", "v115@vhAAgWYAFLDmClcJSAVDEHBEooRBPoAVBJO1LC"],
    ["replay", "show", "game.replay"],
    ["replay", "show", "game.replay", "--svg", "-"],
    ["replay", "show", "game.replay", "--turn", "3"],
]


MOSTLY_SLOW = [
    words if words in (PLAY, SERVE) else pytest.param(words, marks=pytest.mark.slow)
    for words in COMMANDS
]


def in_shell(words: list[str], redirection: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return run_process(
        ["sh", "-c", f'exec "$@" {redirection}', "sh", *COMMAND, *words], folder=folder
    )


@pytest.fixture(name="folder", scope="module")
def folder_with_a_game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("output")
    words = ("random:seed=1", "random:seed=2", "--replay", "game.replay", "--quiet")
    assert sevenbag("play", *words, folder=folder).returncode == 0
    return folder


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("words", MOSTLY_SLOW, ids=" ".join)
def test_full_disk(words: list[str], folder: Path) -> None:
    done = in_shell(words, "</dev/null >/dev/full", folder)
    lines = done.stderr.splitlines()
    assert lines[-1] == "sevenbag: cannot write: No space left on device"
    assert len(lines) <= 1 + ("play" in words)  # which says as well what was kept of the game
    assert done.returncode == 1


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_closed_output(words: list[str], folder: Path) -> None:
    done = in_shell(words, "</dev/null >&-", folder)
    assert (done.returncode, done.stderr) == (1, "sevenbag: standard output is closed\n")


@pytest.mark.parametrize("words", MOSTLY_SLOW, ids=" ".join)
def test_other_streams_may_be_closed(words: list[str], folder: Path) -> None:
    done = in_shell(words, "<&- 2>&-", folder)
    assert done.returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("words", [PLAY, SERVE], ids=" ".join)
@pytest.mark.parametrize("closed", ["<&-", "</dev/null 2>&-"])
def test_one_other_stream_may_be_closed(closed: str, words: list[str], folder: Path) -> None:
    done = in_shell(words, closed, folder)
    assert (done.returncode, done.stderr) == (0, "")


EVIL = "a\x1b[31m\x1b]0;title\x07\x9b2J\x85\u202e\u2066\u200b\ufeff\0\r\nb[/red] & <c> \ue000"
"""Escape sequences, C1 controls, bidi overrides, invisible characters, a line break, markup."""


def assert_plain(text: str) -> None:
    """Return whether a text has only printable characters and line breaks."""
    wrong = {f"{ord(letter):04x}" for letter in text if not letter.isprintable()} - {"000a"}
    assert wrong == set()
    assert not any(
        unicodedata.category(letter) in ("Cc", "Cf") for letter in text if letter != "\n"
    )


@pytest.fixture(name="evil_folder", scope="module")
def folder_of_evil_names(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    evil_folder = tmp_path_factory.mktemp("foreign")
    shutil.copy(folder / "game.replay", evil_folder)
    header, *rest = (evil_folder / "game.replay").read_text().splitlines()
    data = json.loads(header)
    for player in data["players"]:
        player |= {"name": EVIL, "spec": EVIL}
    data["rules"]["name"] = EVIL
    (evil_folder / "game.replay").write_text("\n".join([json.dumps(data), *rest, ""]))
    bots = ("random:seed=1", "random:seed=2", "--games", "2")
    kept = ("--no-replay", "--quiet", "--folder", "kept")
    done = sevenbag("match", *bots, *kept, folder=evil_folder)
    assert done.returncode == 0
    path = evil_folder / "kept" / "tournament.json"
    data = json.loads(path.read_text())
    data["name"] = EVIL
    for number, engine in enumerate(data["engines"]):
        engine["name"] = f"{EVIL} {number}"
    path.write_text(json.dumps(data))
    path = evil_folder / "kept" / "games.jsonl"
    games = [json.loads(line) for line in path.read_text().splitlines()]
    for game in games:
        game["names"] = [f"{EVIL} 0", f"{EVIL} 1"]
        game["falls"] = [fall and fall | {"detail": EVIL} for fall in game["falls"]]
    path.write_text("".join(json.dumps(game) + "\n" for game in games))
    (evil_folder / "kept" / "result.json").unlink(missing_ok=True)
    return evil_folder


@pytest.mark.parametrize(
    "words",
    [
        "replay show game.replay",
        "replay show game.replay --turn 3",
        "replay stats game.replay",
        "replay stats game.replay --json",
        "replay verify game.replay",
        "replay verify game.replay --json",
        "replay convert game.replay --format json",
        "stats kept",
        "stats kept --json",
        "match --resume --folder kept",
        "match --resume --folder kept --json",
        "tournament --resume --folder kept --plain",
        "report kept",
    ],
)
def test_commands_print_names_as_plain_text(words: str, evil_folder: Path) -> None:
    done = sevenbag(*words.split(), folder=evil_folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert_plain(done.stdout)
    assert_plain(done.stderr)
    if words.endswith("json"):
        # JSON keeps the original names.
        told = json.dumps(json.loads(done.stdout.splitlines()[0]))
        assert json.dumps(EVIL)[1:-1] in told


def test_errors_are_plain_text(evil_folder: Path) -> None:
    header, *_ = (evil_folder / "game.replay").read_text().splitlines()
    result = {"result": {"finished": True, "winner": 0, "ending": EVIL, "falls": [], "score": []}}
    (evil_folder / "odd.replay").write_text(f"{header}\n{json.dumps(result)}\n")
    done = sevenbag("replay", "show", "odd.replay", folder=evil_folder)
    assert done.returncode == 2
    assert_plain(done.stderr)


def test_pictures_and_pages_are_valid(evil_folder: Path) -> None:
    done = sevenbag("replay", "show", "game.replay", "--svg", "picture.svg", folder=evil_folder)
    assert done.returncode == 0
    text = (evil_folder / "picture.svg").read_text(encoding="utf-8")
    assert_plain(text)
    assert "b[/red] & <c>" in "".join(ET.fromstring(text).itertext())
    assert sevenbag("report", "kept", "-o", "page.html", folder=evil_folder).returncode == 0
    assert_plain((evil_folder / "page.html").read_text(encoding="utf-8").replace("\t", " "))


def test_live_table_shows_plain_text(evil_folder: Path) -> None:
    console = Console(width=200, force_terminal=True, color_system=None)
    with TournamentRunner(evil_folder / "kept") as tournament, console.capture() as captured:
        console.print(StandingsView(tournament).render("2 games"))
    assert_plain(captured.get())


def test_announced_name_is_the_same_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = "null?[2J features"
    fakes = Path(__file__).parents[1] / "fakes"
    monkeypatch.setenv("PYTHONPATH", str(fakes.parents[1]))
    bot = f"tbp:{sys.executable} -S {fakes / 'faulty.py'} NullFeatures"
    assert shown in sevenbag("check", bot, "--only", "quit", folder=tmp_path).stdout
    few = ("--pieces", "3", "--folder", "kept")
    done = sevenbag("match", bot, "random", "--games", "1", *few, folder=tmp_path)
    assert shown in done.stdout, done.stderr
    assert sevenbag("report", "kept", "-o", "page.html", folder=tmp_path).returncode == 0
    assert shown in (tmp_path / "page.html").read_text(encoding="utf-8")
    (replay,) = (tmp_path / "kept").rglob("*.replay")
    picture = ("replay", "show", str(replay), "--svg", "picture.svg")
    assert sevenbag(*picture, folder=tmp_path).returncode == 0
    assert shown in (tmp_path / "picture.svg").read_text(encoding="utf-8")


def test_printable_and_xml_text() -> None:
    assert printable("Tĕst 方块 🙂 é") == "Tĕst 方块 🙂 é"
    assert printable("a\x1b\x9b\u202e\ud800\nb") == "a?????b"
    assert escape_text("<&>'\"\0\ud800\ufffe") == "&lt;&amp;&gt;'\"???"
    ET.fromstring(Picture(1, 1, ()).svg(EVIL + "'\"\ud800"))
    text = json.dumps({"a": EVIL + "\U000e0001\x7f é"}, ensure_ascii=False)
    assert json.loads(escape_json(text)) == {"a": EVIL + "\U000e0001\x7f é"}
    assert_plain(escape_json(text))
