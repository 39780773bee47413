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
from tests.contest.game.match_driver import (
    FIELDS,
    SEATS,
    STATE_FIELDS,
    TEAMS,
    TOKEN,
    MatchDriver,
    game,
)
from tests.properties import examples


def test_first_state_follows_both_connections_and_the_pause() -> None:
    driver = MatchDriver(first_pause_seconds=1.5)
    assert driver.wait(5) == []
    driver.match.connect(0, driver.now)
    assert driver.match.connected == [True, False]
    assert driver.wait(5) == []
    driver.match.connect(1, driver.now)
    driver.match.connect(1, driver.now + 0.5)
    assert driver.move(0, "left") == "no piece"
    assert driver.wait(1.4) == []
    told = driver.wait(0.2)
    assert [type(message) for message in told] == [GameBoardState, GamePieceState]
    assert driver.match.game_number == 1


def test_connected_team_wins_by_walkover() -> None:
    for there in SEATS:
        driver = MatchDriver(connect_seconds=30)
        driver.match.connect(there, driver.now)
        assert driver.wait(29) == []
        told = driver.wait(2)
        assert told == [MatchEnd(match_name="Final", match_token=TOKEN)]
        assert driver.match.result == MatchResult(
            winner=there, ending="the other team did not come", games=(0, 0), points=(0, 0)
        )


def test_match_without_teams_has_no_winner() -> None:
    driver = MatchDriver(connect_seconds=30)
    driver.wait(31)
    assert driver.match.result is not None
    assert (driver.match.result.winner, driver.match.result.ending) == (None, "called off")


def test_teams_must_differ_and_games_be_without_a_gap() -> None:
    seats = (
        scheduler_protocol.AssignedPlayer(team="A"),
        scheduler_protocol.AssignedPlayer(team="A"),
    )
    with pytest.raises(InputError, match="'A'"):
        ContestMatch(TOKEN, "x", seats, ContestRules(), 1, float)
    with pytest.raises(InputError, match="the numbers 1, 2, 3"):
        MatchDriver(finished=(game(2, 0),))


def state_of(duel: PasonGame) -> tuple[dict[str, Any], list[str]]:
    pieces = {
        team: piece
        and PieceState(
            orient=piece.orient, piece=piece.kind, number=piece.number, row=piece.row, col=piece.col
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
    driver = MatchDriver(
        seed=seed, game=quick, games=3, game_seconds=20, pause_seconds=1, first_pause_seconds=0
    )
    driver.connect_both()
    known: dict[str, str] = {}
    while driver.match.result is None:
        seen = len(driver.messages)
        if chance.random() < 0.3:
            driver.now += chance.choice((0.01, 0.1, 0.5))
            driver.match.advance(driver.now)
            driver.collect()
        else:
            driver.move(chance.choice(SEATS), chance.choice(MOVES))
        for message in driver.messages[seen:]:
            if isinstance(message, GameBoardState):
                known = {team: of.board_state for team, of in message.states.items()}
        if driver.match.phase == "game":
            duel = driver.pason_game()
            # The pieces follow the boards that they are placed on.
            newest = driver.messages[-1]
            assert isinstance(newest, GamePieceState)
            assert (dict(newest.states), list(newest.queue)) == state_of(duel)
            assert list(known.values()) == [
                pason_conversion.encode_board(number) for number in duel.boards
            ]
    # Every message of any kind has a higher number, and those are numbers.
    sequences = [json.loads(raw).get("sequence") for raw in driver.encoded]
    assert sequences.pop() is None
    assert sequences == list(range(1, len(sequences) + 1))
    for message in map(json.loads, driver.encoded):
        assert set(message) == FIELDS[message["comm_type"]]
        for state in message.get("states", {}).values():
            assert state is None or set(state) == STATE_FIELDS[message["comm_type"]]
    # Piece numbers are unique within a game and between games.
    numbers = [
        {
            (of.number, team)
            for message in driver.messages
            if isinstance(message, GamePieceState) and message.game_name == kept.game_name
            for team, of in message.states.items()
            if of is not None
        }
        for kept in driver.games
    ]
    drawn = [number for game_numbers in numbers for number, _ in sorted(game_numbers)]
    assert drawn == sorted(set(drawn))
    assert drawn[0] == 1
    for result, kept in zip(driver.games, driver.records, strict=True):
        again = pason_replay.replay_game(kept)
        assert again.outcome == (result.winner, result.ending)
        assert (tuple(again.scores), tuple(again.locked_pieces)) == (result.scores, result.pieces)
        assert again.next_number == result.last_piece_number + 1
        *_, (at, last) = pason_replay.iterate_frames(kept)
        assert at <= kept.end.milliseconds
        assert last.boards == kept.end.boards


def test_timestamps_are_seconds_since_1970() -> None:
    driver = MatchDriver.started()
    for message in driver.messages:
        assert isinstance(message, GameBoardState | GamePieceState)
        assert message.timestamp == pytest.approx(driver.wall())


def test_gravity_steps_are_published() -> None:
    driver = MatchDriver.started(game=GameRules(gravity_ms=(400,)), repeat_seconds=60)
    row = 0
    for message in driver.wait(2.1):
        row += 1
        assert isinstance(message, GamePieceState)
        assert [of and of.row for of in message.states.values()] == [row, row]
    assert row == 5


def test_the_state_is_repeated_where_gravity_is_slow() -> None:
    driver = MatchDriver.started(game=GameRules(gravity_ms=(60_000,)), repeat_seconds=0.5)
    first = driver.messages[-2:]
    told = driver.wait(1.6)
    assert [type(message) for message in told] == [GameBoardState, GamePieceState] * 3
    board, piece = told[:2]
    assert isinstance(board, GameBoardState)
    assert isinstance(first[0], GameBoardState)
    assert board.states == first[0].states
    assert isinstance(piece, GamePieceState)
    assert isinstance(first[1], GamePieceState)
    assert piece.states == first[1].states


def test_cleared_rows_are_published_once() -> None:
    driver = MatchDriver.started(game=GameRules(gravity_ms=(60_000,)), repeat_seconds=0.5)
    duel = driver.pason_game()
    duel.boards[0] = int("1111111110" * 2, 2)
    piece = duel.pieces[0]
    assert piece is not None
    piece.kind, piece.orient, piece.row, piece.col = "I", 1, 4, 9
    number = piece.number
    driver.move(0, "drop")
    board = driver.messages[-2]
    assert isinstance(board, GameBoardState)
    mine = board.states[TEAMS[0]]
    assert (mine.cleared_rows, mine.piece_number) == ((18, 19), number)
    assert board.states[TEAMS[1]].cleared_rows == ()
    repeated = driver.wait(0.6)[0]
    assert isinstance(repeated, GameBoardState)
    assert repeated.states[TEAMS[0]].cleared_rows == ()
    assert repeated.states[TEAMS[0]].board_state == mine.board_state


def test_executed_moves_are_published() -> None:
    driver = MatchDriver.started()
    seen = len(driver.messages)
    verdicts = [driver.move(0, "left") for _ in range(10)]
    verdicts += [driver.move(0, "right", 99), driver.move(0, "down")]
    assert verdicts.count("collides") > 3
    assert verdicts[-2:] == ["out of date", "done"]
    assert len(driver.messages) - seen == verdicts.count("done")


def test_state_interval_is_configurable() -> None:
    driver = MatchDriver.started(
        states_per_second=10, game=GameRules(gravity_ms=(60_000,)), repeat_seconds=60
    )
    seen = len(driver.messages)
    # A hundred moves in a second: one state of pieces every tenth of it.
    for turn in range(100):
        assert driver.move(0, "left" if turn % 2 else "right") == "done"
        driver.wait(0.01)
    told = driver.messages[seen:]
    assert 9 <= len(told) <= 11
    driver.wait(0.2)
    newest = driver.messages[-1]
    assert isinstance(newest, GamePieceState)
    assert dict(newest.states) == state_of(driver.pason_game())[0]
    # A new piece is published immediately after its board.
    seen = len(driver.messages)
    for _ in range(3):
        driver.move(0, "drop")
    assert [type(message) for message in driver.messages[seen:]] == [
        GameBoardState,
        GamePieceState,
    ] * 3
    # At its end there is no further message.
    driver.move(1, "left")
    driver.move(1, "right")
    while driver.match.phase == "game":
        driver.move(0, "drop")
    assert isinstance(driver.messages[-1], GameEnd)
    assert driver.wait(1.9) == []


def test_new_pieces_are_published_regardless_of_the_interval() -> None:
    driver = MatchDriver.started(
        states_per_second=1, game=GameRules(gravity_ms=(100,)), repeat_seconds=60
    )
    seen = set[int | None]()
    for _ in range(100):
        driver.wait(0.1)
        newest = [state for state in driver.messages if isinstance(state, GamePieceState)][-1]
        told = {team: piece and piece.number for team, piece in newest.states.items()}
        now = [None if piece is None else piece.number for piece in driver.pason_game().pieces]
        assert told == dict(zip(TEAMS, now, strict=True))
        seen.update(now)
    assert len(seen) > 6


def test_first_numbers_and_names_follow_the_rules() -> None:
    driver = MatchDriver.started(
        first_sequence=500,
        first_piece_number=70,
        game_name="{match}: {number}",
        game=GameRules(piece_numbers="own"),
    )
    board, pieces = driver.messages
    assert isinstance(board, GameBoardState)
    assert (board.sequence, board.game_name) == (500, "Final: 1")
    assert isinstance(pieces, GamePieceState)
    assert [of and of.number for of in pieces.states.values()] == [70, 70]
    driver.move(1, "drop")
    driver.move(1, "drop")
    later = driver.messages[-1]
    assert isinstance(later, GamePieceState)
    assert [of and of.number for of in later.states.values()] == [70, 72]
    driver.lose(0)
    driver.start_game()
    # Numbers are not reused.
    highest = driver.games[0].last_piece_number
    for piece in driver.pason_game().pieces:
        assert piece is not None
        assert piece.number == highest + 1


def test_game_end_is_published_once_stored() -> None:
    driver = MatchDriver(stores=False, pause_seconds=3)
    driver.connect_both()
    driver.lose(0)
    assert driver.match.phase == "held"
    assert isinstance(driver.messages[-1], GameBoardState)
    assert driver.wait(100) == []
    assert driver.match.games == (0, 0)
    assert driver.move(1, "left") == "game over"
    assert driver.match.take_statistics() is not None
    driver.match.confirm_stored(7, driver.now)
    assert driver.match.phase == "held"
    assert driver.match.take_statistics() is None
    for _ in range(2):
        driver.match.confirm_stored(1, driver.now)
    end = driver.wait(0)
    [result] = driver.games
    assert end == [
        GameEnd(
            game_name="Game 1",
            sequence=result.last_sequence,
            timestamp=driver.wall(),
            scores={TEAMS[0]: 0, TEAMS[1]: 0},
            winner=TEAMS[1],
            match_token=TOKEN,
        )
    ]
    assert driver.match.games == (0, 1)
    assert driver.match.take_statistics() is not None
    assert driver.wait(2.9) == []
    following = driver.wait(0.2)
    assert isinstance(following[0], GameBoardState)
    assert following[0].game_name == "Game 2"
    assert following[0].sequence == result.last_sequence + 1


def test_a_game_ends_at_its_time_limit_by_points() -> None:
    driver = MatchDriver.started(game_seconds=10, game=GameRules(gravity_ms=(3_000,)))
    driver.pason_game().scores[1] = 100
    driver.wait(9.9)
    assert driver.games == []
    driver.wait(0.2)
    [result] = driver.games
    assert (result.winner, result.ending) == (1, "points at the time limit")
    assert result.seconds == pytest.approx(10)


def test_a_game_that_ends_at_its_limit_is_on_record() -> None:
    driver = MatchDriver.started(game_seconds=2, games=1)
    driver.wait(3)
    [kept] = driver.records
    assert pason_replay.replay_game(kept).outcome == (
        driver.games[0].winner,
        "coin flip at the time limit",
    )
    assert kept.end.milliseconds == 2000
    assert kept.header.began == pytest.approx(driver.wall() - 3)


def test_verdicts_are_counted_by_seat_and_game() -> None:
    driver = MatchDriver.started(games=9, pause_seconds=1)
    piece = driver.piece(1)
    driver.move(1, "left")
    driver.move(1, "left", str(piece.number))
    driver.move(1, "left", piece.number + 1)
    driver.match.count_move(1, "too many moves")
    driver.lose(0)
    driver.move(1, "left")
    driver.lose(0)
    first, second = driver.games
    assert first.move_counts[1] == {"done": 1, "out of date": 2, "too many moves": 1}
    assert set(first.move_counts[0]) == {"done"}
    assert second.move_counts == ({"done": second.pieces[0]}, {"game over": 1})
    assert all(type(fate) is str for fate in first.move_counts[1])


def test_numbers_in_strings_follow_the_rules() -> None:
    driver = MatchDriver.started(text_numbers=True)
    piece = driver.piece(0)
    assert driver.move(0, "left", str(piece.number)) == "done"
    for text in ("", "-1", "x", "1.0", "99", "\u0661"):
        assert driver.move(0, "left", text) == "out of date"
