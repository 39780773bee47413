"""Playback on the page, compared with the game."""

import gzip
import json
from typing import Any

import pytest

from sevenbag.errors import FormatError
from sevenbag.protocols.pason.pason_conversion import VISIBLE_CELLS
from sevenbag.web.contest.match_frames import render_replay
from tests.web.contest.recorded_game import CLEARS_A_ROW, play

TEAMS = ("Alpha", "Beta")


def changes(replay: bytes, most: int = 20_000) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(gzip.decompress(render_replay(replay, most)))
    return found


def bits(letters: str) -> int:
    return int("".join("0" if letter == "." else "1" for letter in letters), 2)


@pytest.mark.parametrize(("seed", "moves"), [(3, 1), (CLEARS_A_ROW, 1), (5, 20)])
def test_playback_reaches_the_recorded_end(seed: int, moves: int) -> None:
    game = play(1, TEAMS, seed=seed, moves=moves)
    told = changes(game.replay)
    assert (told["teams"], told["winner"]) == (list(TEAMS), game.result.winner)
    assert (told["scores"], told["milliseconds"]) == (list(game.result.scores), game.milliseconds)
    boards, last = ["", ""], {"s": [], "l": [], "v": 0}
    before = 0
    for change in told["frames"]:
        assert change["t"] >= before
        before = change["t"]
        for seat, board in enumerate(change.get("b") or ()):
            boards[seat] = board or boards[seat]
        last |= {key: change[key] for key in last if key in change}
    assert [bits(board) for board in boards] == [
        board & VISIBLE_CELLS for board in game.duel.boards
    ]
    assert last == {"s": game.duel.scores, "l": game.duel.lines, "v": game.duel.level}
    rows = sum(len(rows) for change in told["frames"] for _, rows in change.get("c", ()))
    assert rows == sum(game.duel.lines) == (1 if seed == CLEARS_A_ROW else 0)
    # Everything was seen from the beginning, so the piece of each cell is known.
    assert set("".join(boards)) <= set("OISZLJTG.")


def test_a_game_of_very_many_moves_is_thinned_out() -> None:
    game = play(1, TEAMS, seed=8, moves=40, apart=10)
    all_changes, few = changes(game.replay)["frames"], changes(game.replay, 50)["frames"]
    assert len(few) < len(all_changes)
    # Every lock is still there.
    locks = [[change["t"], change["b"]] for change in all_changes if change.get("b")]
    assert [
        [each["t"], [bits(b) if b else None for b in each["b"]]] for each in few if each.get("b")
    ] == [[time, [bits(board) if board else None for board in boards]] for time, boards in locks]


@pytest.mark.parametrize("replay", [b"", b"rubbish", b"x\x9c" + bytes(100)])
def test_no_replay(replay: bytes) -> None:
    with pytest.raises(FormatError):
        render_replay(replay)
