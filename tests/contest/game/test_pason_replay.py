"""Replays of contest games: written, read, played again; broken ones are refused in words."""

import itertools
import json
import random
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sevenbag.contest.game import pason_replay
from sevenbag.contest.game.pason_game import MoveOutcome, PasonGame, PlayerIndex
from sevenbag.contest.game.pason_replay import PasonReplay, PasonReplayHeader, PasonReplayRecorder
from sevenbag.contest.settings import GameRules
from sevenbag.errors import FormatError
from sevenbag.protocols.pason.messages import MOVES
from sevenbag.protocols.pason.pason_conversion import encode_board
from tests.properties import examples

SEATS: tuple[PlayerIndex, PlayerIndex] = (0, 1)
RULES = GameRules(
    sends=(0, 2, 3, 4, 5), garbage_when="instant", level_points=(100,), blocked_spawn="lift"
)


def played(
    seed: int, rules: GameRules = RULES, most: int = 100_000
) -> tuple[PasonReplay, PasonGame]:
    """A game of random moves and steps, recorded while it is played."""
    chance = random.Random(seed)
    duel, recorder = PasonGame(rules, seed, first_piece_number=40), PasonReplayRecorder()
    now = 0
    for _ in range(most):
        if duel.is_over:
            break
        now += chance.randrange(120)
        if chance.random() < 0.1:
            duel.step()
            recorder.add_step(now)
            continue
        seat, move = chance.choice(SEATS), chance.choice(MOVES)
        if duel.move(seat, move) is MoveOutcome.DONE:
            recorder.add_move(now, seat, move)
    else:
        recorder.add_time_limit(now)
        duel.end_by_time()
    header = PasonReplayHeader(
        rules=rules,
        seed=seed,
        first_number=40,
        teams=("Team Awesome", "Test Client"),
        match_name="Final",
        game_name="Game 1",
        number=1,
        began=1_352_764_800.5,
    )
    return recorder.finish(header, duel, now), duel


@given(st.integers(0, 1 << 62), st.sampled_from((5, 60, 100_000)))
@examples(40)
def test_a_record_that_is_read_again_plays_the_same_game(seed: int, most: int) -> None:
    kept, duel = played(seed, most=most)
    again = pason_replay.decode_replay(pason_replay.encode_replay(kept))
    assert again == kept
    replayed = pason_replay.replay_game(again)
    for name in ("boards", "scores", "lines", "locked_pieces", "level", "outcome", "queue"):
        assert getattr(replayed, name) == getattr(duel, name)


def test_frames_match_the_game() -> None:
    kept, duel = played(3)
    frames = list(pason_replay.iterate_frames(kept))
    times = [at for at, _ in frames]
    assert times[0] == 0
    assert times == sorted(times)
    assert len(frames) == len(kept.events) + 1
    first, last = frames[0][1], frames[-1][1]
    assert first.boards == ("0" * 50, "0" * 50)
    assert sorted(piece.number for piece in first.pieces if piece) == [40, 41]
    assert last.boards == tuple(map(encode_board, duel.boards))
    assert (last.scores, last.lines, last.level) == (duel.scores, duel.lines, duel.level)
    assert sum(len(rows) for _, view in frames for rows in view.cleared) == sum(duel.lines)


@pytest.mark.parametrize("most", [40, 60, 100])
def test_of_many_frames_those_with_another_board_stay(most: int) -> None:
    kept, duel = played(8)
    every = list(pason_replay.iterate_frames(kept))
    few = list(pason_replay.iterate_frames(kept, most))
    assert len(few) < len(every)
    boards = [view.boards for _, view in every]
    changes = sum(before != after for before, after in itertools.pairwise(boards))
    assert changes <= most
    thinned = [view.boards for _, view in few]
    assert list(dict.fromkeys(thinned)) == list(dict.fromkeys(boards))
    assert few[-1][1].boards == tuple(map(encode_board, duel.boards))


@pytest.mark.parametrize("most", [1, 3, 10])
def test_number_of_frames_is_limited(most: int) -> None:
    kept, duel = played(8)
    few = list(pason_replay.iterate_frames(kept, most))
    assert most < len(few) <= 2 * most + 3
    assert few[-1][1].boards == tuple(map(encode_board, duel.boards))


def test_modified_record_has_another_end() -> None:
    kept, _ = played(3)
    lines = zlib.decompress(pason_replay.encode_replay(kept)).splitlines()
    end = json.loads(lines[-1])
    end["scores"] = [end["scores"][0] + 1, end["scores"][1]]
    lines[-1] = json.dumps(end).encode()
    with pytest.raises(FormatError, match="expected the end"):
        pason_replay.replay_game(
            pason_replay.decode_replay(zlib.compress(b"\n".join(lines) + b"\n"))
        )


def test_a_record_without_its_last_events_is_noticed() -> None:
    kept, _ = played(3)
    short = PasonReplay(header=kept.header, events=kept.events[:-3], end=kept.end)
    with pytest.raises(FormatError, match="events end before the game"):
        pason_replay.replay_game(short)


def test_long_game_is_recorded_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pason_replay, "MAX_EVENTS", 20)
    kept, duel = played(3)
    assert len(kept.events) == 20
    assert not kept.end.is_complete
    again = pason_replay.decode_replay(pason_replay.encode_replay(kept))
    assert pason_replay.replay_game(again).outcome is None
    assert again.end.boards == tuple(map(encode_board, duel.boards))


def test_a_game_of_the_most_events_can_be_read_again() -> None:
    events = pason_replay.MAX_EVENTS // 1000
    chance, recorder = random.Random(1), PasonReplayRecorder()
    now = 0
    for _ in range(events):
        now += chance.randrange(100)
        recorder.add_move(now, chance.choice(SEATS), chance.choice(MOVES))
    kept, duel = played(3)
    data = pason_replay.encode_replay(recorder.finish(kept.header, duel, now))
    # A thousandth of them takes less than a thousandth of the room.
    assert len(data) * 1000 < pason_replay.MAX_FILE_BYTES
    assert len(zlib.decompress(data)) * 1000 < pason_replay.MAX_TEXT_BYTES


def lines_of(kept: PasonReplay) -> list[bytes]:
    return zlib.decompress(pason_replay.encode_replay(kept)).splitlines()


def packed(lines: list[bytes]) -> bytes:
    return zlib.compress(b"\n".join(lines) + b"\n")


@pytest.mark.parametrize(
    ("line", "text", "words"),
    [
        (0, b"{}", "line 1 .*rules"),
        (0, b'{"format": "another"}', "line 1 .*format"),
        (0, b"[]", "line 1"),
        (1, b"[1]", "line 2: invalid events: expected pairs"),
        (1, b"[1, 14]", "line 2: invalid event: expected at most 13, got 14"),
        (1, b"[-1, 3]", "line 2"),
        (1, b"[8640000000, 1, 1, 1]", "line 2: invalid time: expected at most"),
        (1, b"[1.5, 1]", "line 2"),
        (1, b"{", "line 2"),
        (-1, b"{}", "line"),
        (-1, b"[" * 50_000, "line"),
        (-1, b"\xff", "line"),
    ],
)
def test_broken_lines_are_named(line: int, text: bytes, words: str) -> None:
    lines = lines_of(played(3)[0])
    lines[line] = text
    with pytest.raises(FormatError, match=words):
        pason_replay.decode_replay(packed(lines))


def test_invalid_record_is_rejected() -> None:
    good = pason_replay.encode_replay(played(3)[0])
    bomb = zlib.compress(b"\0" * (pason_replay.MAX_TEXT_BYTES + 1))
    for data in (b"", b"x", good[:-1], good + b"x", bomb, zlib.compress(b""), zlib.compress(b"{}")):
        with pytest.raises(FormatError):
            pason_replay.decode_replay(data)
    with pytest.raises(FormatError, match="at most"):
        pason_replay.decode_replay(bytes(pason_replay.MAX_FILE_BYTES + 1))


@given(st.binary(max_size=400))
def test_any_bytes_are_a_record_or_a_format_error(data: bytes) -> None:
    for packed_data in (data, zlib.compress(data)):
        with pytest.raises(FormatError):
            pason_replay.decode_replay(packed_data)


def test_record_contains_no_token() -> None:
    header = json.loads(lines_of(played(3)[0])[0])
    assert set(header) == {
        "format",
        "version",
        "game",
        "rules",
        "seed",
        "first_number",
        "teams",
        "match_name",
        "game_name",
        "number",
        "began",
    }
