"""Tests of the replay file: round trips and rejected input."""

import contextlib
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from sevenbag._kernel import Piece, Placement, Rotation, Spin
from sevenbag.errors import FormatError
from sevenbag.formats import replay_file
from sevenbag.formats.replay_file import (
    Adjudication,
    Replay,
    ReplayClock,
    ReplayHeader,
    ReplayLoss,
    ReplayPlayer,
    ReplayResult,
    ReplayScore,
    ReplaySearchInfo,
    ReplayTurn,
    format_placement,
    parse_placement,
    required_version,
)

placements = st.builds(
    Placement,
    st.sampled_from(list(Piece)),
    st.sampled_from(list(Rotation)),
    st.integers(0, 15),
    st.integers(0, 63),
    st.sampled_from(list(Spin)),
)


FIRST = Placement(Piece.T, Rotation.SOUTH, 4, 1, Spin.FULL)
SECOND = Placement(Piece.I, Rotation.NORTH, 4, 0)
HEADER = ReplayHeader(
    format="sevenbag-replay",
    version=1,
    seed=7,
    players=(ReplayPlayer(name="a", nodes=500), ReplayPlayer(name="b")),
    frames_per_turn=30,
    rules={"name": "guideline", "board": {"width": 10}},
)
OUTCOME = ReplayResult(
    finished=True,
    winner=0,
    ending="fall",
    losses=(None, ReplayLoss("block out")),
    score=(ReplayScore(1, 0, 0), ReplayScore(1, 0, 0)),
)
SAMPLE = Replay(
    HEADER, (ReplayTurn((FIRST, SECOND)), ReplayTurn((SECOND, FIRST), (12.25, 0.5))), OUTCOME
)
# A game from a given field, with clocks and all optional data.
REAL_TIME = Replay(
    structs.replace(
        HEADER,
        version=2,
        players=(
            ReplayPlayer(name="a", pps=2.5, clock=ReplayClock(60_000, 500)),
            ReplayPlayer(name="b"),
        ),
        frames_per_turn=0,
        time="real time",
        opening="v115@vhAAgH",
        adjudication=Adjudication(lead=10, double="attack"),
    ),
    (
        ReplayTurn(
            (FIRST, None), (12.25, None), 37, (ReplaySearchInfo(nodes=1e6, extra="b"), None)
        ),
        ReplayTurn((None, SECOND), None, 37),
        ReplayTurn((FIRST, SECOND), (None, 3.5), 60),
    ),
    structs.replace(OUTCOME, ending="lead", winner=1, losses=(None, None)),
)


def lines_of(game: Replay) -> list[bytes]:
    return game.encode().splitlines()


def broken(number: int, line: str | bytes, game: Replay = SAMPLE) -> bytes:
    """Replace the line of a number."""
    lines = lines_of(game)
    lines[number - 1] = line.encode() if isinstance(line, str) else line
    return b"\n".join(lines) + b"\n"


def changed(number: int, game: Replay = SAMPLE, **changes: object) -> bytes:
    """Replace values in the object of a line."""
    data = json.loads(lines_of(game)[number - 1])
    target = data.get("result", data)
    for key, value in changes.items():
        if value is ...:
            del target[key]
        else:
            target[key] = value
    return broken(number, json.dumps(data), game)


@given(st.lists(st.tuples(placements, placements), max_size=30), st.integers(0, 2**31))
def test_random_game_round_trip(turns: list[tuple[Placement, Placement]], seed: int) -> None:
    game = Replay(structs.replace(HEADER, seed=seed), tuple(map(ReplayTurn, turns)), OUTCOME)
    assert Replay.decode(game.encode()) == game
    assert Replay.decode(game.encode()).encode() == game.encode()


def test_real_time_game_round_trip() -> None:
    assert Replay.decode(REAL_TIME.encode()) == REAL_TIME
    lines = lines_of(REAL_TIME)
    assert lines[1] == (
        b'["TS4,1f",null,{"frame":37,"ms":[12.25,null],"info":[{"nodes":1000000.0,"extra":"b"},null]}]'
    )
    assert lines[2] == b'[null,"IN4,0",{"frame":37}]'


def test_version_depends_on_the_features_used() -> None:
    assert required_version() == 1
    assert required_version("turns", None, Adjudication()) == 1
    assert required_version("real time") == 2
    assert required_version(opening="v115@vhAAgH") == 2
    assert required_version(adjudication=Adjudication(lead=5)) == 2


def test_search_info_does_not_raise_the_version() -> None:
    turn = ReplayTurn((FIRST, SECOND), infos=(None, ReplaySearchInfo(depth=3.0)))
    game = Replay(HEADER, (turn,), OUTCOME)
    assert Replay.decode(game.encode()) == game
    assert lines_of(game)[1] == b'["TS4,1f","IN4,0",{"info":[null,{"depth":3.0}]}]'


@pytest.mark.parametrize(
    "data",
    [
        SAMPLE.encode().rstrip(b"\n"),
        changed(1, comment="hello", venue={"a": 1}),
        broken(3, '["IN4,0","TS4,1f",{"ms":[12.25,0.5],"nodes":[1,2]}]'),
    ],
    ids=["no last line break", "unknown fields", "unknown notes"],
)
def test_variations_are_read(data: bytes) -> None:
    assert Replay.decode(data) == SAMPLE


def test_a_turn_takes_twenty_bytes() -> None:
    assert lines_of(SAMPLE)[1] == b'["TS4,1f","IN4,0"]'


@given(placements)
def test_placement_round_trip(placement: Placement) -> None:
    assert parse_placement(format_placement(placement)) == placement


@pytest.mark.parametrize(
    "text",
    ["", "T", "TN4", "TN4,", "XN4,0", "TX4,0", "TN4,0x", "tn4,0", "TN4,0 ", "TN444,0", "TN٤,0",
     "TN4,0\n", "T" * 1000],
)  # fmt: skip
def test_invalid_placement_is_rejected(text: str) -> None:
    with pytest.raises(FormatError, match="is no placement") as caught:
        parse_placement(text)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    ("data", "place", "what"),
    [
        (b"", "line 1", "empty"),
        (b"\n", "line 1", ""),
        (b"\x00\xff", "line 1", ""),
        (broken(1, "no JSON"), "line 1", ""),
        (broken(1, "[]"), "line 1", ""),
        (broken(1, b'{"format": "\xff"}'), "line 1", ""),
        (broken(1, "[" * 5000), "line 1", ""),
        (changed(1, format="pgn"), "line 1", "format"),
        (changed(1, format=...), "line 1", "format"),
        (changed(1, version=3), "line 1", "version 3"),
        (changed(1, version=True), "line 1", "version True"),
        (changed(1, version="1"), "line 1", "version '1'"),
        (changed(1, seed="x"), "line 1", "seed"),
        (changed(1, seed=-1), "line 1", "seed"),
        (changed(1, seed=...), "line 1", "seed"),
        (changed(1, seed=2**63), "line 1", "seed"),
        (changed(1, players=[{"name": "a"}]), "line 1", "players"),
        (changed(1, players=[{"name": "a"}, {"name": ""}]), "line 1", "players[1].name"),
        (changed(1, players=[{"name": "a"}, {"name": "b", "nodes": 0}]), "line 1", "nodes"),
        (changed(1, rules=[]), "line 1", "rules"),
        (changed(1, pieces=0), "line 1", "pieces"),
        (changed(1, pieces=1), "line 4", "limit"),
        (changed(1, frames_per_turn=-1), "line 1", "frames_per_turn"),
        (changed(1, padding="x" * 70_000), "line 1", "longer than"),
        (broken(2, "[]"), "line 2", ""),
        (broken(2, '["TN4,0"]'), "line 2", ""),
        (broken(2, '["TN4,0","TN4,0",{},1]'), "line 2", ""),
        (broken(2, '["TN4,0",4]'), "line 2", "$[1]"),
        (broken(2, '["TN4,0","nonsense"]'), "line 2", "player 2"),
        (broken(2, '{"turn":1}'), "line 2", ""),
        (broken(2, ""), "line 2", ""),
        (broken(3, '["IN4,0","TS4,1f",{"ms":[1]}]'), "line 3", "ms"),
        (broken(3, '["IN4,0","TS4,1f",{"ms":[1,-2]}]'), "line 3", "ms"),
        (broken(4, '["TN4,0","TN4,0"]'), "line 4", "cut short"),
        (broken(4, "{}"), "line 4", "result"),
        (broken(4, '{"result":null}'), "line 4", "result"),
        (changed(4, winner=2), "line 4", "winner"),
        (changed(4, winner=True), "line 4", "winner"),
        (changed(4, winner=1), "line 4", "result.winner"),
        (changed(4, winner=None), "line 4", "winner"),
        (changed(4, ending="magic"), "line 4", "ending"),
        (changed(4, ending="pieces"), "line 4", "falls"),
        (changed(4, falls=[None, None]), "line 4", "falls"),
        (changed(4, finished=False), "line 4", "finished"),
        (changed(4, finished=False, ending="interrupted"), "line 4", "no winner"),
        (changed(4, score=[{"pieces": 1, "lines": 0, "attack": -1}] * 2), "line 4", "attack"),
        (b"\n".join(lines_of(SAMPLE)[:-1]), "line 3", "cut short"),
        (changed(1, time="real time"), "line 1", "need version 2"),
        (changed(1, opening="v115@vhAAgH"), "line 1", "need version 2"),
        (changed(1, REAL_TIME, version=1), "line 1", "need version 2"),
        (changed(1, REAL_TIME, time="slow"), "line 1", "time"),
        (changed(1, REAL_TIME, adjudication={"lead": 0}), "line 1", "lead"),
        (changed(1, REAL_TIME, adjudication=None), "line 5", "lead"),
        (changed(1, REAL_TIME, pieces=1), "line 5", "limit"),
        (changed(1, REAL_TIME, time="turns"), "line 2", "both players place"),
        (broken(2, '["IN4,0",null]'), "line 2", "both players place"),
        (broken(2, '["IN4,0","IN4,0",{"frame":3}]'), "line 2", "no frame"),
        (broken(2, '["IN4,0",null]', REAL_TIME), "line 2", "has a frame"),
        (broken(2, '[null,null,{"frame":3}]', REAL_TIME), "line 2", "at least one"),
        (broken(2, '[null,"IN4,0",{"frame":38}]', REAL_TIME), "line 3", "frame 37 comes after"),
        (broken(2, '[null,"IN4,0",{"frame":-1}]', REAL_TIME), "line 2", "frame"),
        (changed(5, REAL_TIME, winner=None), "line 5", "lead"),
        (broken(2, '["IN4,0","IN4,0",{"info":[{"nodes":"x"},null]}]'), "line 2", "nodes"),
        (SAMPLE.encode() + b"more\n", "line 5", "comes after the result"),
        (SAMPLE.encode() + b"\n", "line 5", "comes after the result"),
        (SAMPLE.encode() + b"{}\n", "line 5", "comes after the result"),
        (SAMPLE.encode() * 2, "line 5", "comes after the result"),
    ],
)
def test_invalid_replay_is_rejected_with_line_and_field(data: bytes, place: str, what: str) -> None:
    with pytest.raises(FormatError) as caught:
        Replay.decode(data, "game.replay")
    message = str(caught.value)
    assert message.startswith(f"game.replay: {place}: ")
    assert what in message
    assert len(message) < 500


@pytest.mark.parametrize("size", range(0, len(SAMPLE.encode()) - 1, 7))
def test_truncated_file_is_rejected(size: int) -> None:
    with pytest.raises(FormatError):
        Replay.decode(SAMPLE.encode()[:size])


@given(st.integers(0, 10_000), st.integers(0, 255))
def test_a_changed_byte_is_refused_or_read_but_never_worse(place: int, value: int) -> None:
    data = bytearray(SAMPLE.encode())
    data[place % len(data)] = value
    with contextlib.suppress(FormatError):
        Replay.decode(bytes(data))


def test_oversized_replay_is_rejected_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay_file, "MAX_TURNS", 1)
    with pytest.raises(FormatError, match="more than 1 turns"):
        Replay.decode(SAMPLE.encode())
    monkeypatch.setattr(replay_file, "MAX_BYTES", 100)
    (tmp_path / "game.replay").write_bytes(b"x" * 1000)
    with pytest.raises(FormatError, match="larger than 100 bytes"):
        Replay.load(tmp_path / "game.replay")


def test_files_are_written_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "game.replay"
    SAMPLE.write(path)
    assert Replay.load(path) == SAMPLE
    SAMPLE.write(path)
    assert [each.name for each in tmp_path.iterdir()] == ["game.replay"]


def test_existing_files_are_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "game.v1.replay"
    names = [SAMPLE.write_new(path).name for _ in range(3)]
    assert names == ["game.v1.replay", "game.v1-2.replay", "game.v1-3.replay"]
    (tmp_path / "game.v1-4.replay").symlink_to("nowhere")
    assert SAMPLE.write_new(path).name == "game.v1-5.replay"
    assert sorted(each.suffix for each in tmp_path.iterdir()) == [".replay"] * 5
    assert Replay.load(tmp_path / "game.v1-5.replay") == SAMPLE


@pytest.mark.parametrize("works", [True, False])
def test_concurrent_file_is_not_replaced(
    works: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_late(_: int) -> None:
        monkeypatch.undo()
        (tmp_path / "game.replay").write_text("mine")
        if not works:
            monkeypatch.setattr(os, "link", refuse)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "no links here")

    monkeypatch.setattr(os, "fsync", too_late)
    assert SAMPLE.write_new(tmp_path / "game.replay").name == "game-2.replay"
    assert (tmp_path / "game.replay").read_text() == "mine"
    assert len(list(tmp_path.iterdir())) == 2


def test_an_old_file_survives_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "game.replay"
    path.write_text("old")

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(FormatError, match="No space left"):
        SAMPLE.write(path)
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["game.replay"]


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="No such file"):
        Replay.load(tmp_path / "none.replay")
    with pytest.raises(FormatError, match="cannot be read"):
        Replay.load(tmp_path)
    with pytest.raises(FormatError, match="cannot be written"):
        SAMPLE.write(tmp_path / "no" / "folder.replay")
