"""Tests of ``sevenbag replay``."""

import json
import os
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from sevenbag.formats.fumen import Fumen
from tests.cli.run import (
    COMMAND,
    TRACES,
    assert_rejected,
    run_in_terminal,
    run_ok,
    run_process,
    sevenbag,
    start,
)
from tests.formats.tetrio_files import match, written
from tests.truth import truth


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
    output = run_ok("replay", "show", game)
    told, again = played.stdout.splitlines(), output.splitlines()
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
        (["show", "none.replay"], "none.replay: cannot be read: No such file or directory"),
        (["show", "."], "cannot be read"),
        (["show", "{game}", "--turn", "9999"], "turns, not 9999"),
        (["show", "{game}", "--turn", "-1"], "expected integer from 0, got '-1'"),
        (["show", "{game}", "--speed", "0"], "expected number above 0, got '0'"),
        (["show", "{game}", "--svg", "no/folder/out.svg"], "cannot be written"),
        (["show"], "FILE"),
        (["convert", "{game}"], "--format"),
        (["convert", "{game}", "--format", "pgn"], "pgn"),
        (["convert", "{game}", "--format", "csv", "-o", "no/folder/x"], "cannot be written"),
        (["convert", "none.replay", "--format", "csv"], "cannot be read"),
        (["stats", "none.replay"], "cannot be read"),
    ],
)
def test_invalid_arguments_are_errors(words: list[str], message: str, game: Path) -> None:
    assert_rejected(message, "replay", *(word.format(game=game) for word in words))


def test_invalid_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.replay"
    path.write_bytes(os.urandom(1000))
    assert_rejected(f"sevenbag: {path}: line 1: ", "replay", "show", path)


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
    assert len(assert_rejected(f"sevenbag: {path}: {message}", "replay", "show", path)) < 500


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
    shown = start("replay", "show", game)
    assert shown.stdout is not None
    assert shown.stderr is not None
    shown.stdout.close()
    assert not any(trace in shown.stderr.read() for trace in TRACES)
    shown.stderr.close()
    assert shown.wait(timeout=120) in {0, 141}


def test_live_view_in_a_terminal_quits_with_q(game: Path) -> None:
    keys = b" \x1b[C\x1b[C\x1b[C\x1b[Dq"
    code, shown = run_in_terminal("replay", "show", game, "--speed", "0.5", keys=keys)
    assert code == 0
    assert "\x1b[?1049h" in shown
    assert "turn 2 " in shown
    assert shown.rindex("\x1b[?1049l") < shown.rindex("Played again")


def test_match_restores_the_terminal(tmp_path: Path) -> None:
    code, shown = run_in_terminal(
        *("play", "random:seed=1", "random:seed=2", "--seed", "5", "--speed", "200"),
        *("--replay", tmp_path / "a.replay"),
    )
    assert code == 0
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


def test_verify_real_matches() -> None:
    files = [truth(f"replays/versus-{letter}.ttrm") for letter in "ab"]
    lists = [truth(f"replays/versus-{letter}.locks.jsonl") for letter in "ab"]
    output = run_ok("replay", "verify", *files, *(w for one in lists for w in ("--locks", one)))
    first, second, last = output.splitlines()
    assert first.endswith("versus-a.ttrm: 10 of 10 player-rounds equal")
    assert second.endswith("versus-b.ttrm: 12 of 12 player-rounds equal")
    assert last.startswith("22 of 22 player-rounds equal: 1,342 pieces in ")


def test_verify_edited_file(tmp_path: Path) -> None:
    path = tmp_path / "edited.ttrm"
    file = match("won", "lost")
    replay = file["replay"]["rounds"][1][0]["replay"]
    replay["results"]["stats"]["score"] += 1
    path.write_bytes(written(file))
    done = sevenbag("replay", "verify", path.name, folder=tmp_path)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "edited.ttrm: round 2, lost: score: 7288, recorded is 7289",
        "edited.ttrm: 1 of 2 player-rounds equal",
    ]


def test_verify_json(tmp_path: Path) -> None:
    path = tmp_path / "round.ttrm"
    path.write_bytes(written(match("lost")))
    (tmp_path / "locks").write_text(
        '{"round":0,"user":"lost","n":1,"frame":1,"mino":"i"}', encoding="utf-8"
    )
    words = ("replay", "verify", path.name, "--locks", "locks", "--json")
    done = sevenbag(*words, folder=tmp_path)
    assert done.returncode == 1
    (told,) = map(json.loads, done.stdout.splitlines())
    assert (told["round"], told["player"], told["equal"], told["pieces"]) == (1, "lost", False, 40)
    assert {"lock": 1, "frame": 27, "field": "frame", "played": 27, "recorded": 1} in told[
        "differences"
    ]


def test_verify_unsupported_files(tmp_path: Path) -> None:
    good, odd = tmp_path / "good.ttrm", tmp_path / "odd.ttrm"
    file = match("lost")
    good.write_bytes(written(file))
    file["replay"]["rounds"][0][0]["replay"]["options"]["usebombs"] = True
    odd.write_bytes(written(file))
    (tmp_path / "broken.ttrm").write_bytes(b"{")
    words = ("replay", "verify", "broken.ttrm", "odd.ttrm", "none.ttrm", "good.ttrm")
    done = sevenbag(*words, folder=tmp_path)
    assert done.returncode == 2
    assert [line.split(": ")[1] for line in done.stderr.splitlines()] == [
        "broken.ttrm",
        "odd.ttrm",
        "none.ttrm",
    ]
    assert "invalid option usebombs: expected False, got True" in done.stderr
    assert "good.ttrm: 1 of 1 player-rounds equal" in done.stdout


def test_verify_sevenbag_replays(tmp_path: Path) -> None:
    words = ("random:seed=1", "random:seed=2", "--replay", "game.replay", "--quiet")
    assert sevenbag("play", *words, folder=tmp_path).returncode == 0
    done = sevenbag("replay", "verify", "game.replay", folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, "game.replay: 2 of 2 player-rounds equal\n")
    header, *turns, result = (tmp_path / "game.replay").read_text().splitlines()
    edited = json.loads(result)
    edited["result"]["score"][1]["attack"] += 3
    (tmp_path / "edited.replay").write_text("\n".join([header, *turns, json.dumps(edited), ""]))
    done = sevenbag("replay", "verify", "edited.replay", "game.replay", folder=tmp_path)
    assert done.returncode == 1
    first, second, third, last = done.stdout.splitlines()
    assert first.startswith("edited.replay: round 1, random:seed=2: attack: ")
    assert second == "edited.replay: 1 of 2 player-rounds equal"
    assert third == "game.replay: 2 of 2 player-rounds equal"
    assert last.startswith("3 of 4 player-rounds equal: ")
    (tmp_path / "short.replay").write_text("\n".join([header, *turns[1:], result, ""]))
    done = sevenbag("replay", "verify", "--json", "short.replay", "game.replay", folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("sevenbag: short.replay: line ")
    assert [json.loads(line)["equal"] for line in done.stdout.splitlines()] == [True, True]
