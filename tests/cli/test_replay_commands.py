"""Tests of ``sevenbag replay``."""

import contextlib
import json
import os
import pty
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from sevenbag.formats.fumen import Fumen
from tests.cli.run import COMMAND, TRACES, environment, run_process, sevenbag


@pytest.fixture(name="game", scope="module")
def recorded_game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("games")
    words = ("random:seed=1", "random:seed=2", "--seed", "5", "--replay", "game.replay")
    assert sevenbag("play", *words, folder=folder).returncode == 0
    return folder / "game.replay"


def changed(game: Path, folder: Path, number: int, old: str, new: str) -> Path:
    """Return the game with a changed line."""
    lines = game.read_text().splitlines()
    assert old in lines[number - 1]
    lines[number - 1] = lines[number - 1].replace(old, new, 1)
    path = folder / "changed.replay"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_replay_shows_the_played_game(game: Path) -> None:
    played = sevenbag(
        *("play", "random:seed=1", "random:seed=2", "--seed", "5", "--no-replay", "--plain")
    )
    shown = sevenbag("replay", "show", game)
    assert shown.returncode == 0
    assert shown.stderr == ""
    told, again = played.stdout.splitlines(), shown.stdout.splitlines()
    turns = len(game.read_text().splitlines()) - 2
    assert again[: turns + 4] == told[: turns + 4]
    assert again[-1] == "Played again, the game is the recorded one."


def test_single_turn_is_shown(game: Path) -> None:
    done = sevenbag("replay", "show", game, "--turn", "7")
    assert done.returncode == 0
    assert "turn 7 · rules guideline · seed 5" in done.stdout
    assert "┌ random:seed=1 " in done.stdout
    assert "█" in done.stdout


def test_terminal_with_few_characters(game: Path) -> None:
    done = run_process(COMMAND, "replay", "show", game, "--turn", "7", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "????" in done.stdout


def test_picture_of_a_turn(game: Path, tmp_path: Path) -> None:
    out = tmp_path / "match.svg"
    done = sevenbag("replay", "show", game, "--turn", "12", "--svg", out)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    root = ET.fromstring(out.read_text())
    words = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "random:seed=1" in words
    assert "turn 12 · rules guideline · seed 5" in words
    assert sevenbag("replay", "show", game, "--turn", "12", "--svg", "-").stdout == out.read_text()


def test_picture_of_the_end_shows_the_winner(game: Path, tmp_path: Path) -> None:
    out = tmp_path / "match.svg"
    assert sevenbag("replay", "show", game, "--svg", out).returncode == 0
    assert ">winner<" in out.read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["none.replay"], "none.replay: cannot be read: No such file or directory"),
        (["."], "cannot be read"),
        (["{game}", "--turn", "9999"], "turns, not 9999"),
        (["{game}", "--turn", "-1"], "expected integer from 0, got '-1'"),
        (["{game}", "--speed", "0"], "expected number above 0, got '0'"),
        (["{game}", "--svg", "no/folder/out.svg"], "cannot be written"),
        ([], "FILE"),
    ],
)
def test_invalid_replays_are_errors(words: list[str], message: str, game: Path) -> None:
    done = sevenbag("replay", "show", *(word.format(game=game) for word in words))
    assert done.returncode == 2
    assert done.stderr.startswith("sevenbag: ")
    assert message in done.stderr


def test_invalid_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.replay"
    path.write_bytes(os.urandom(1000))
    done = sevenbag("replay", "show", path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"sevenbag: {path}: line 1: ")


@pytest.mark.parametrize(
    ("number", "old", "new", "message"),
    [
        (1, '"seed":5', '"seed":6', "line 2: player 1: "),
        (1, '"width":10', '"width":400', "line 1: "),
        (1, '"kicks":"srs"', '"kicks":"magic"', "line 1: "),
        (4, '["', '["ZN9,39","', "line 4: "),
        (4, '["', '["nonsense ', "line 4: player 1: 'nonsense"),
    ],
)
def test_illegal_game_is_an_error(
    number: int, old: str, new: str, message: str, game: Path, tmp_path: Path
) -> None:
    path = changed(game, tmp_path, number, old, new)
    done = sevenbag("replay", "show", path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"sevenbag: {path}: {message}")
    assert len(done.stderr) < 500


def test_different_result_is_reported(game: Path, tmp_path: Path) -> None:
    last = len(game.read_text().splitlines())
    path = changed(game, tmp_path, last, '"attack":0', '"attack":7')
    done = sevenbag("replay", "show", path)
    assert done.returncode == 1
    assert "does not play back as recorded: player 1: attack: 0, recorded is 7" in done.stderr
    assert "Played again" not in done.stdout


def test_different_ending_is_reported(game: Path, tmp_path: Path) -> None:
    lines = game.read_text().splitlines()
    result = json.loads(lines[-1])["result"]
    loser = 1 - result["winner"]
    result["falls"][loser]["reason"] = "garbage out"
    path = tmp_path / "changed.replay"
    path.write_text("\n".join([*lines[:-1], json.dumps({"result": result})]))
    done = sevenbag("replay", "show", path)
    assert done.returncode == 1
    assert f"player {loser + 1}: top out: " in done.stderr
    result["falls"][loser]["reason"] = "boredom"
    path.write_text("\n".join([*lines[:-1], json.dumps({"result": result})]))
    done = sevenbag("replay", "show", path)
    assert done.returncode == 2
    assert "got 'boredom'" in done.stderr


def test_closed_pipe_is_no_error(game: Path) -> None:
    shown = subprocess.Popen(
        [*COMMAND, "replay", "show", game],
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert shown.stdout is not None
    assert shown.stderr is not None
    shown.stdout.close()
    assert not any(trace in shown.stderr.read() for trace in TRACES)
    shown.stderr.close()
    assert shown.wait(timeout=120) in {0, 141}


def in_terminal(*words: str | Path, keys: bytes = b"") -> tuple[int, str]:
    """Run in a terminal and press keys when it draws; return exit code and output."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *map(str, words)],
        env=environment() | {"COLUMNS": "80", "LINES": "24"},
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
    )
    os.close(slave)
    shown = b""
    with contextlib.suppress(OSError):  # how a terminal says that nobody is there any more
        while True:
            shown += os.read(master, 65536)
            if keys and b"\x1b[?1049h" in shown:
                os.write(master, keys)
                keys = b""
    os.close(master)
    return process.wait(timeout=120), shown.decode()


def test_live_view_in_a_terminal_quits_with_q(game: Path) -> None:
    keys = b" \x1b[C\x1b[C\x1b[C\x1b[Dq"
    code, shown = in_terminal("replay", "show", game, "--speed", "0.5", keys=keys)
    assert code == 0
    assert not any(trace in shown for trace in TRACES)
    assert "\x1b[?1049h" in shown
    assert "turn 2 " in shown
    assert shown.rindex("\x1b[?1049l") < shown.rindex("Played again")


def test_match_restores_the_terminal(tmp_path: Path) -> None:
    code, shown = in_terminal(
        *("play", "random:seed=1", "random:seed=2", "--seed", "5", "--speed", "200"),
        *("--replay", tmp_path / "a.replay"),
    )
    assert code == 0
    assert not any(trace in shown for trace in TRACES)
    assert "\x1b[?1049h" in shown
    assert shown.rindex("\x1b[?1049l") < shown.rindex(" wins: ")
    assert shown.index("starting random:seed=1, random:seed=2") < shown.index("turn 0")
    assert shown.endswith("\n")


def test_convert_writes_the_game(game: Path, tmp_path: Path) -> None:
    turns = len(game.read_text().splitlines()) - 2
    fumens = sevenbag("replay", "convert", game, "--format", "fumen").stdout.splitlines()
    assert [len(Fumen.parse(each).pages) for each in fumens] == [turns + 1] * 2
    second = sevenbag("replay", "convert", game, "--format", "fumen", "--player", "2").stdout
    assert second.splitlines() == fumens[1:]
    told = json.loads(sevenbag("replay", "convert", game, "--format", "json").stdout)
    assert len(told["placements"]) == 2 * turns
    table = sevenbag("replay", "convert", game, "--format", "csv").stdout
    assert len(table.splitlines()) == 2 * turns + 1
    out = tmp_path / "game.csv"
    done = sevenbag("replay", "convert", game, "--format", "csv", "-o", out)
    assert (done.returncode, done.stdout, out.read_text()) == (0, "", table)


def test_stats_count_the_game(game: Path) -> None:
    lines = game.read_text().splitlines()
    score = json.loads(lines[-1])["result"]["score"]
    told = json.loads(sevenbag("replay", "stats", game, "--json").stdout)
    assert told["differences"] == []
    for player, recorded in zip(told["players"], score, strict=True):
        assert {name: player[name] for name in recorded} == recorded
        assert player["pps"] == pytest.approx(2)
    done = sevenbag("replay", "stats", game)
    assert done.returncode == 0
    assert done.stdout.splitlines()[0].split() == ["random:seed=1", "random:seed=2"]
    assert done.stdout.splitlines()[1].split()[0] == "pieces"


def test_names_are_no_markup_in_tables(game: Path, tmp_path: Path) -> None:
    path = changed(game, tmp_path, 1, '"name":"random:seed=1"', '"name":"[red]a[/red]\\u001b[2J"')
    shown = sevenbag("replay", "stats", path).stdout.splitlines()[0]
    assert shown.split() == ["[red]a[/red]?[2J", "random:seed=2"]


@pytest.mark.parametrize("verb", [["stats"], ["stats", "--json"], ["convert", "--format", "json"]])
def test_contradicting_result_is_reported(verb: list[str], game: Path, tmp_path: Path) -> None:
    last = len(game.read_text().splitlines())
    path = changed(game, tmp_path, last, '"attack":0', '"attack":7')
    done = sevenbag("replay", verb[0], path, *verb[1:])
    assert done.returncode == 1
    assert "does not play back as recorded: player 1: attack: 0, recorded is 7" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["convert", "{game}"], "--format"),
        (["convert", "{game}", "--format", "pgn"], "pgn"),
        (["convert", "{game}", "--format", "csv", "-o", "no/folder/x"], "cannot be written"),
        (["convert", "none.replay", "--format", "csv"], "cannot be read"),
        (["stats", "none.replay"], "cannot be read"),
    ],
)
def test_invalid_conversions_are_errors(words: list[str], message: str, game: Path) -> None:
    done = sevenbag("replay", *(word.format(game=game) for word in words))
    assert done.returncode == 2
    assert done.stderr.startswith("sevenbag: ")
    assert message in done.stderr
