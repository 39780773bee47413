"""Tournament folders: round trips and incomplete lines."""

import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from sevenbag.arena.statistics import Sprt
from sevenbag.arena.tournament import tournament_files
from sevenbag.arena.tournament.tournament_config import (
    PlayerConfig,
    TournamentHeader,
    TournamentSettings,
)
from sevenbag.arena.tournament.tournament_files import (
    GameRecord,
    GamesFileWriter,
    LossRecord,
    TournamentOutcome,
    read_games,
    read_header,
    read_result,
    write_header,
    write_result,
)
from sevenbag.errors import FormatError
from sevenbag.replay.player_statistics import PlayerStatistics

HEADER = TournamentHeader(
    name="test",
    kind="match",
    engines=(PlayerConfig(name="a", spec="beam:nodes=5"), PlayerConfig(name="b")),
    rules={"name": "guideline"},
    settings=TournamentSettings(pieces=100),
    sprt=Sprt(elo0=0, elo1=50),
    seed=7,
)


def game(number: int, **changes: object) -> GameRecord:
    fields: dict[str, object] = {
        "id": number,
        "pair": number // 2,
        "seed": 3,
        "players": (0, 1),
        "names": ("a", "b"),
        "winner": 0,
        "ending": "fall",
        "losses": (None, LossRecord("block out")),
        "stats": (
            PlayerStatistics(
                pieces=20, lines=8, attack=5, clears={"quad": 2}, attack_by={"quad": 5}
            ),
            PlayerStatistics(pieces=20, lines=0, attack=0),
        ),
        "replay": f"replays/{number}.replay",
    }
    return GameRecord(**(fields | changes))  # type: ignore[arg-type]


def changed(**changes: object) -> bytes:
    data = json.loads(msgspec.json.encode(game(0)))
    return json.dumps(data | changes).encode() + b"\n"


def games_file(folder: Path, data: bytes) -> None:
    (folder / "games.jsonl").write_bytes(data)


def test_written_files_are_read_again(tmp_path: Path) -> None:
    write_header(tmp_path, HEADER)
    assert read_header(tmp_path) == HEADER
    assert read_games(tmp_path, HEADER) == []
    assert read_result(tmp_path) is None
    with GamesFileWriter(tmp_path) as file:
        file.append(game(1))
        assert read_games(tmp_path, HEADER) == [game(1)]
        file.append(game(0, winner=None))
    result = TournamentOutcome(finished=True, counted_games=2, counted_pairs=1, decision="H1")
    write_result(tmp_path, result)
    assert read_games(tmp_path, HEADER) == [game(1), game(0, winner=None)]
    assert read_result(tmp_path) == result


def test_points() -> None:
    assert [game(0).points(engine) for engine in (0, 1)] == [1, 0]
    turned = game(1, players=(1, 0), winner=0)
    assert [turned.points(engine) for engine in (0, 1)] == [0, 1]
    assert game(2, winner=None).points(1) == 0.5


@pytest.mark.parametrize("cut", range(1, 300, 23))
def test_a_torn_line_is_dropped_and_cut_off(tmp_path: Path, cut: int) -> None:
    with GamesFileWriter(tmp_path) as file:
        file.append(game(0))
        file.append(game(1))
    path = tmp_path / "games.jsonl"
    path.write_bytes(path.read_bytes()[:-cut])
    assert read_games(tmp_path, HEADER) == [game(0)]
    with GamesFileWriter(tmp_path) as file:
        file.append(game(2))
    assert read_games(tmp_path, HEADER) == [game(0), game(2)]


def test_a_file_of_one_torn_line_is_emptied(tmp_path: Path) -> None:
    games_file(tmp_path, b'{"id":0' + b" " * 200_000)
    with GamesFileWriter(tmp_path) as file:
        file.append(game(0))
    assert read_games(tmp_path, HEADER) == [game(0)]


def test_a_writer_that_is_killed_loses_no_game(tmp_path: Path) -> None:
    program = f"""
import os, signal, sys
from sevenbag.arena.tournament.tournament_files import GameRecord, GamesFileWriter
from sevenbag.replay.player_statistics import PlayerStatistics
none = PlayerStatistics(pieces=0, lines=0, attack=0)
file = GamesFileWriter({str(tmp_path)!r})
for number in range(5):
    file.append(GameRecord(id=number, pair=0, seed=0, players=(0, 1), names=("a", "b"), winner=None,
        ending="pieces", stats=(none, none)))
os.kill(os.getpid(), signal.SIGKILL)
"""
    subprocess.run([sys.executable, "-c", program], check=False, timeout=120)
    assert [each.id for each in read_games(tmp_path, HEADER)] == list(range(5))


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (b"no JSON\n", "line 1: "),
        (b"\n", "line 1: "),
        (b"[]\n", "line 1: "),
        (changed(id=-1), "id"),
        (changed(winner=2), "winner"),
        (changed(players=[0, 2]), "players"),
        (changed(players=[1, 1]), "players"),
        (changed(players=[0]), "players"),
        (changed(names=["a", ""]), "names"),
        (changed(ending="interrupted"), "winner"),
        (changed(stats=[]), "stats"),
        (changed(stats=[{"pieces": -1, "lines": 0, "attack": 0}] * 2), "pieces"),
        (changed(replay="../../etc/passwd"), "replay"),
        (changed(replay="replays/../x.replay"), "replay"),
        (changed(replay="/etc/passwd"), "replay"),
        (changed(opening="x" * 70_000), "expected at most 65536 bytes"),
        (changed() * 2, "line 2: game 0 is in line 1 already"),
    ],
)
def test_invalid_line_is_rejected_with_number_and_field(
    tmp_path: Path, line: bytes, what: str
) -> None:
    games_file(tmp_path, line)
    with pytest.raises(FormatError, match=r"games\.jsonl: line \d+: ") as caught:
        read_games(tmp_path, HEADER)
    assert what in str(caught.value)


def test_unknown_fields_are_passed_over(tmp_path: Path) -> None:
    games_file(tmp_path, changed(weather="fine"))
    assert read_games(tmp_path, HEADER) == [game(0)]


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"format": "pgn"}, "invalid format"),
        ({"version": 2}, "invalid version: expected 1, got 2"),
        ({"engines": [{"name": "a"}]}, "engines"),
        ({"engines": [{"name": "a"}, {"name": "a"}]}, "expected unique names, got 'a' twice"),
        ({"seed": -1}, "seed"),
        ({"sprt": {"elo0": 0}}, "sprt"),
        ({"sprt": {"elo0": 0, "elo1": 5, "alpha": 2}}, "invalid alpha"),
        ({"sprt": {"elo0": 5, "elo1": 0}}, "invalid elo0"),
    ],
)
def test_invalid_headers_are_rejected(
    tmp_path: Path, changes: dict[str, object], what: str
) -> None:
    data = json.loads(msgspec.json.encode(HEADER)) | changes
    (tmp_path / "tournament.json").write_text(json.dumps(data))
    with pytest.raises(FormatError, match=r"tournament\.json: ") as caught:
        read_header(tmp_path)
    assert what in str(caught.value)


def test_a_folder_without_a_tournament_is_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="there is no such file"):
        read_header(tmp_path)
    with pytest.raises(FormatError, match="cannot be written"):
        GamesFileWriter(tmp_path / "none")


def test_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournament_files, "MAX_GAMES", 1)
    games_file(tmp_path, changed() + changed(id=1))
    with pytest.raises(FormatError, match="line 2: more than 1 games"):
        read_games(tmp_path, HEADER)
    monkeypatch.setattr(tournament_files, "MAX_HEADER_BYTES", 10)
    write_header(tmp_path, HEADER)
    with pytest.raises(FormatError, match="larger than 10 bytes"):
        read_header(tmp_path)
