"""Tests of matches with a simulated clock: times of messages, and winners."""

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sevenbag.contest import scheduler_protocol
from sevenbag.contest.game import pason_replay
from sevenbag.contest.game.match_results import MatchResult
from sevenbag.contest.game.pason_game import PasonGame
from sevenbag.contest.game.pason_match import ContestMatch
from sevenbag.contest.settings import ContestRules, GameRules
from sevenbag.errors import InputError
from sevenbag.protocols.pason import pason_conversion
from sevenbag.protocols.pason.messages import (
    MOVES,
    GameBoardState,
    GameEnd,
    GamePieceState,
    MatchEnd,
    PieceState,
)
from tests.contest.game.match_driver import FIELDS, SEATS, STATE_FIELDS, TEAMS, TOKEN, Stage, game
from tests.properties import examples


def test_first_state_follows_both_connections_and_the_pause() -> None:
    stage = Stage(first_pause_seconds=1.5)
    assert stage.wait(5) == []
    stage.match.connect(0, stage.now)
    assert stage.match.connected == (True, False)
    assert stage.wait(5) == []
    stage.match.connect(1, stage.now)
    stage.match.connect(1, stage.now + 0.5)
    assert stage.move(0, "left") == "no piece"
    assert stage.wait(1.4) == []
    told = stage.wait(0.2)
    assert [type(message) for message in told] == [GameBoardState, GamePieceState]
    assert stage.match.game_number == 1


def test_connected_team_wins_by_walkover() -> None:
    for there in SEATS:
        stage = Stage(connect_seconds=30)
        stage.match.connect(there, stage.now)
        assert stage.wait(29) == []
        told = stage.wait(2)
        assert told == [MatchEnd(match_name="Final", match_token=TOKEN)]
        assert stage.match.result == MatchResult(
            winner=there, ending="the other team did not come", games=(0, 0), points=(0, 0)
        )


def test_match_without_teams_has_no_winner() -> None:
    stage = Stage(connect_seconds=30)
    stage.wait(31)
    assert stage.match.result is not None
    assert (stage.match.result.winner, stage.match.result.ending) == (None, "called off")


def test_teams_must_differ_and_games_be_without_a_gap() -> None:
    seats = (
        scheduler_protocol.AssignedPlayer(team="A"),
        scheduler_protocol.AssignedPlayer(team="A"),
    )
    with pytest.raises(InputError, match="'A'"):
        ContestMatch(TOKEN, "x", seats, ContestRules(), 1, float)
    with pytest.raises(InputError, match="the numbers 1, 2, 3"):
        Stage(finished=(game(2, 0),))


def state_of(duel: PasonGame) -> tuple[dict[str, Any], list[str]]:
    pieces = {
        team: piece
        and PieceState(
            orient=piece.orient,
            piece=piece.kind,
            number=piece.number,
            row=piece.row,
            col=piece.col,
        )
        for team, piece in zip(TEAMS, duel.pieces, strict=True)
    }
    return pieces, list(duel.queue)


@given(seed=st.integers(0, 1 << 40))
@examples(20)
def test_states_are_those_of_the_game_and_in_order(seed: int) -> None:
    chance = random.Random(seed)
    quick = GameRules(
        gravity_ms=(200, 100), level_points=(100,), sends=(0, 1, 2, 3, 4), garbage_when="instant"
    )
    stage = Stage(
        seed=seed, game=quick, games=3, game_seconds=20, pause_seconds=1, first_pause_seconds=0
    )
    stage.both_come()
    known: dict[str, str] = {}
    while stage.match.result is None:
        seen = len(stage.told)
        if chance.random() < 0.3:
            stage.now += chance.choice((0.01, 0.1, 0.5))
            stage.match.advance(stage.now)
            stage.look()
        else:
            stage.move(chance.choice(SEATS), chance.choice(MOVES))
        for message in stage.told[seen:]:
            if isinstance(message, GameBoardState):
                known = {team: of.board_state for team, of in message.states.items()}
        if stage.match.phase == "game":
            duel = stage.duel()
            # The pieces follow the boards that they are placed on.
            newest = stage.told[-1]
            assert isinstance(newest, GamePieceState)
            assert (dict(newest.states), list(newest.queue)) == state_of(duel)
            assert list(known.values()) == [
                pason_conversion.encode_board(number) for number in duel.boards
            ]
    # Every message of any kind has a higher number, and those are numbers.
    sequences = [json.loads(raw).get("sequence") for raw in stage.raw]
    assert sequences.pop() is None
    assert sequences == list(range(1, len(sequences) + 1))
    for message in map(json.loads, stage.raw):
        assert set(message) == FIELDS[message["comm_type"]]
        for state in message.get("states", {}).values():
            assert state is None or set(state) == STATE_FIELDS[message["comm_type"]]
    # Piece numbers are unique within a game and between games.
    numbers = [
        {
            (of.number, team)
            for message in stage.told
            if isinstance(message, GamePieceState) and message.game_name == kept.game_name
            for team, of in message.states.items()
            if of is not None
        }
        for kept in stage.games
    ]
    drawn = [number for game_numbers in numbers for number, _ in sorted(game_numbers)]
    assert drawn == sorted(set(drawn))
    assert drawn[0] == 1
    for result, kept in zip(stage.games, stage.records, strict=True):
        again = pason_replay.replay_game(kept)
        assert again.outcome == (result.winner, result.ending)
        assert (tuple(again.scores), tuple(again.locked_pieces)) == (result.scores, result.pieces)
        assert again.next_number == result.last_piece_number + 1
        *_, (at, last) = pason_replay.iterate_frames(kept)
        assert at <= kept.end.milliseconds
        assert last["boards"] == kept.end.boards


def test_timestamps_are_seconds_since_1970() -> None:
    stage = Stage()
    stage.both_come()
    stage.begin()
    for message in stage.told:
        assert isinstance(message, GameBoardState | GamePieceState)
        assert message.timestamp == pytest.approx(stage.wall())


def test_gravity_steps_are_published() -> None:
    stage = Stage(game=GameRules(gravity_ms=(400,)), repeat_seconds=60)
    stage.both_come()
    stage.begin()
    row = 0
    for message in stage.wait(2.1):
        row += 1
        assert isinstance(message, GamePieceState)
        assert [of and of.row for of in message.states.values()] == [row, row]
    assert row == 5


def test_the_state_is_repeated_where_gravity_is_slow() -> None:
    stage = Stage(game=GameRules(gravity_ms=(60_000,)), repeat_seconds=0.5)
    stage.both_come()
    stage.begin()
    first = stage.told[-2:]
    told = stage.wait(1.6)
    assert [type(message) for message in told] == [GameBoardState, GamePieceState] * 3
    board, piece = told[:2]
    assert isinstance(board, GameBoardState)
    assert isinstance(first[0], GameBoardState)
    assert board.states == first[0].states
    assert isinstance(piece, GamePieceState)
    assert isinstance(first[1], GamePieceState)
    assert piece.states == first[1].states


def test_cleared_rows_are_published_once() -> None:
    stage = Stage(game=GameRules(gravity_ms=(60_000,)), repeat_seconds=0.5)
    stage.both_come()
    stage.begin()
    duel = stage.duel()
    duel.boards[0] = int("1111111110" * 2, 2)
    piece = duel.pieces[0]
    assert piece is not None
    piece.kind, piece.orient, piece.row, piece.col = "I", 1, 4, 9
    number = piece.number
    stage.move(0, "drop")
    board = stage.told[-2]
    assert isinstance(board, GameBoardState)
    mine = board.states[TEAMS[0]]
    assert (mine.cleared_rows, mine.piece_number) == ((18, 19), number)
    assert board.states[TEAMS[1]].cleared_rows == ()
    repeated = stage.wait(0.6)[0]
    assert isinstance(repeated, GameBoardState)
    assert repeated.states[TEAMS[0]].cleared_rows == ()
    assert repeated.states[TEAMS[0]].board_state == mine.board_state


def test_executed_moves_are_published() -> None:
    stage = Stage()
    stage.both_come()
    stage.begin()
    seen = len(stage.told)
    verdicts = [stage.move(0, "left") for _ in range(10)]
    verdicts += [stage.move(0, "right", 99), stage.move(0, "down")]
    assert verdicts.count("collides") > 3
    assert verdicts[-2:] == ["out of date", "done"]
    assert len(stage.told) - seen == verdicts.count("done")


def test_state_interval_is_configurable() -> None:
    stage = Stage(states_per_second=10, game=GameRules(gravity_ms=(60_000,)), repeat_seconds=60)
    stage.both_come()
    stage.begin()
    first = stage.duel().pieces[0]
    assert first is not None
    seen = len(stage.told)
    # A hundred moves in a second: one state of pieces every tenth of it.
    for turn in range(100):
        assert stage.move(0, "left" if turn % 2 else "right") == "done"
        stage.wait(0.01)
    told = stage.told[seen:]
    assert 9 <= len(told) <= 11
    stage.wait(0.2)
    newest = stage.told[-1]
    assert isinstance(newest, GamePieceState)
    assert dict(newest.states) == state_of(stage.duel())[0]
    # A new piece is published immediately after its board.
    seen = len(stage.told)
    for _ in range(3):
        stage.move(0, "drop")
    assert [type(message) for message in stage.told[seen:]] == [GameBoardState, GamePieceState] * 3
    # At its end there is no further message.
    stage.move(1, "left")
    stage.move(1, "right")
    while stage.match.phase == "game":
        stage.move(0, "drop")
    assert isinstance(stage.told[-1], GameEnd)
    assert stage.wait(1.9) == []


def test_new_pieces_are_published_regardless_of_the_interval() -> None:
    stage = Stage(states_per_second=1, game=GameRules(gravity_ms=(100,)), repeat_seconds=60)
    stage.both_come()
    stage.begin()
    seen = set[int | None]()
    for _ in range(100):
        stage.wait(0.1)
        newest = [state for state in stage.told if isinstance(state, GamePieceState)][-1]
        told = {team: piece and piece.number for team, piece in newest.states.items()}
        now = [None if piece is None else piece.number for piece in stage.duel().pieces]
        assert told == dict(zip(TEAMS, now, strict=True))
        seen.update(now)
    assert len(seen) > 6


def test_first_numbers_and_names_follow_the_rules() -> None:
    stage = Stage(
        first_sequence=500,
        first_piece_number=70,
        game_name="{match}: {number}",
        game=GameRules(piece_numbers="own"),
    )
    stage.both_come()
    stage.begin()
    board, pieces = stage.told
    assert isinstance(board, GameBoardState)
    assert (board.sequence, board.game_name) == (500, "Final: 1")
    assert isinstance(pieces, GamePieceState)
    assert [of and of.number for of in pieces.states.values()] == [70, 70]
    stage.move(1, "drop")
    stage.move(1, "drop")
    later = stage.told[-1]
    assert isinstance(later, GamePieceState)
    assert [of and of.number for of in later.states.values()] == [70, 72]
    stage.lose(0)
    stage.begin()
    # Numbers are not reused.
    highest = stage.games[0].last_piece_number
    for piece in stage.duel().pieces:
        assert piece is not None
        assert piece.number == highest + 1


def test_game_end_is_published_once_stored() -> None:
    stage = Stage(keeps=False, pause_seconds=3)
    stage.both_come()
    stage.lose(0)
    assert stage.match.phase == "held"
    assert isinstance(stage.told[-1], GameBoardState)
    assert stage.wait(100) == []
    assert stage.match.games == (0, 0)
    assert stage.move(1, "left") == "game over"
    assert stage.match.take_statistics() is not None
    stage.match.confirm_stored(7, stage.now)
    assert stage.match.phase == "held"
    assert stage.match.take_statistics() is None
    for _ in range(2):
        stage.match.confirm_stored(1, stage.now)
    end = stage.wait(0)
    [result] = stage.games
    assert end == [
        GameEnd(
            game_name="Game 1",
            sequence=result.last_sequence,
            timestamp=stage.wall(),
            scores={TEAMS[0]: 0, TEAMS[1]: 0},
            winner=TEAMS[1],
            match_token=TOKEN,
        )
    ]
    assert stage.match.games == (0, 1)
    assert stage.match.take_statistics() is not None
    assert stage.wait(2.9) == []
    following = stage.wait(0.2)
    assert isinstance(following[0], GameBoardState)
    assert following[0].game_name == "Game 2"
    assert following[0].sequence == result.last_sequence + 1


def test_a_game_ends_at_its_time_limit_by_points() -> None:
    stage = Stage(game_seconds=10, game=GameRules(gravity_ms=(3_000,)))
    stage.both_come()
    stage.begin()
    stage.duel().scores[1] = 100
    stage.wait(9.9)
    assert stage.games == []
    stage.wait(0.2)
    [result] = stage.games
    assert (result.winner, result.ending) == (1, "points at the time limit")
    assert result.seconds == pytest.approx(10)


def test_a_game_that_ends_at_its_limit_is_on_record() -> None:
    stage = Stage(game_seconds=2, games=1)
    stage.both_come()
    stage.begin()
    stage.wait(3)
    [kept] = stage.records
    assert pason_replay.replay_game(kept).outcome == (
        stage.games[0].winner,
        "coin flip at the time limit",
    )
    assert kept.end.milliseconds == 2000
    assert kept.header.began == pytest.approx(stage.wall() - 3)


def test_verdicts_are_counted_by_seat_and_game() -> None:
    stage = Stage(games=9, pause_seconds=1)
    stage.both_come()
    stage.begin()
    piece = stage.duel().pieces[1]
    assert piece is not None
    stage.move(1, "left")
    stage.move(1, "left", str(piece.number))
    stage.move(1, "left", piece.number + 1)
    stage.match.count_move(1, "too many moves")
    stage.lose(0)
    stage.move(1, "left")
    stage.lose(0)
    first, second = stage.games
    assert first.move_counts[1] == {"done": 1, "out of date": 2, "too many moves": 1}
    assert set(first.move_counts[0]) == {"done"}
    assert second.move_counts == ({"done": second.pieces[0]}, {"game over": 1})
    assert all(type(fate) is str for fate in first.move_counts[1])


def test_numbers_in_strings_follow_the_rules() -> None:
    stage = Stage(text_numbers=True)
    stage.both_come()
    stage.begin()
    piece = stage.duel().pieces[0]
    assert piece is not None
    assert stage.move(0, "left", str(piece.number)) == "done"
    for text in ("", "-1", "x", "1.0", "99", "\u0661"):
        assert stage.move(0, "left", text) == "out of date"
