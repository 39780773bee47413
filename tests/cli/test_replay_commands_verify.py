"""Tests of ``sevenbag replay verify``: messages and exit codes."""

import json
from pathlib import Path

from tests.cli.run import sevenbag
from tests.formats.tetrio_files import match, written
from tests.truth import truth


def test_real_matches() -> None:
    files = [truth(f"replays/versus-{letter}.ttrm") for letter in "ab"]
    lists = [truth(f"replays/versus-{letter}.locks.jsonl") for letter in "ab"]
    done = sevenbag("replay", "verify", *files, *(w for one in lists for w in ("--locks", one)))
    assert done.returncode == 0
    assert done.stderr == ""
    first, second, last = done.stdout.splitlines()
    assert first.endswith("versus-a.ttrm: 10 of 10 player-rounds equal")
    assert second.endswith("versus-b.ttrm: 12 of 12 player-rounds equal")
    assert last.startswith("22 of 22 player-rounds equal: 1,342 pieces in ")


def test_edited_file(tmp_path: Path) -> None:
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


def test_json(tmp_path: Path) -> None:
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


def test_unsupported_files(tmp_path: Path) -> None:
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


def test_sevenbag_replays(tmp_path: Path) -> None:
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
