"""Matches by a clock of the tests' own: what is told when, and who wins."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sevenbag.contest import link, record
from sevenbag.contest.duel import Duel, Seat
from sevenbag.contest.link import GameResult, MatchResult
from sevenbag.contest.match import LATEST_STEPS, Match
from sevenbag.contest.rules import ContestRules, GameRules, MatchRules
from sevenbag.errors import InputError
from sevenbag.protocols.pason import board as wire
from sevenbag.protocols.pason.messages import (
    MOVES,
    GameBoardState,
    GameEnd,
    GamePieceState,
    MatchEnd,
    PieceState,
    State,
    decode_state,
)

TOKEN = "0b4ce4a7-7a8b-4a51-9c27-5b8f0e3c7c11"
TEAMS = ("Team Awesome", 'Vierzig "€"')
WALL = 1_352_764_800.0


IN_GAME = {"comm_type", "game_name", "sequence", "timestamp"}
FIELDS = {
    "GameBoardState": IN_GAME | {"states"},
    "GamePieceState": IN_GAME | {"states", "queue"},
    "GameEnd": IN_GAME | {"scores", "winner", "match_token"},
    "MatchEnd": {"comm_type", "match_name", "match_token", "status"},
}
STATE_FIELDS = {
    "GameBoardState": {"board_state", "piece_number", "cleared_rows"},
    "GamePieceState": {"orient", "piece", "number", "row", "col"},
}


class Stage:
    """A match, its clock, and all that it has told."""

    def __init__(
        self,
        *,
        game: GameRules | None = None,
        finished: tuple[GameResult, ...] = (),
        seed: int = 5,
        attempt: int = 1,
        keeps: bool = True,
        **match: Any,
    ) -> None:
        self.now = 100.0
        self.told: list[State] = []
        self.raw: list[bytes] = []
        self.games: list[GameResult] = []
        self.records: list[record.Record] = []
        self.keeps = keeps
        rules = ContestRules(game=game or GameRules(), match=MatchRules(**match))
        seats = (link.Seat(team=TEAMS[0]), link.Seat(team=TEAMS[1]))
        self.match = Match(TOKEN, "Final", seats, rules, seed, self.wall, finished, attempt=attempt)
        self.match.advance(self.now)
        self.look()

    def wall(self) -> float:
        return WALL + self.now

    def look(self) -> None:
        raw = self.match.take_messages()
        self.raw += raw
        self.told += map(decode_state, raw)
        for game in self.match.take_finished():
            self.games.append(game.result)
            self.records.append(record.decode(game.replay))
            if self.keeps:
                self.match.game_kept(game.result.number, self.now)
                self.look()

    def wait(self, seconds: float) -> list[State]:
        """Let time pass, moment by moment; what is told meanwhile."""
        before = len(self.told)
        until = self.now + seconds
        while self.match.due is not None and self.match.due <= until:
            self.now = max(self.match.due, self.now)
            self.match.advance(self.now)
            self.look()
        self.now = until
        self.match.advance(until)
        self.look()
        return self.told[before:]

    def both_come(self) -> None:
        for seat in SEATS:
            self.match.connect(seat, self.now)
        self.look()

    def move(self, seat: Seat, move: Any, number: Any = None) -> str:
        verdict = self.match.move(seat, move, number, self.now)
        self.look()
        return verdict

    def begin(self) -> None:
        """Let the next game begin."""
        self.wait((self.match.due or self.now) - self.now)
        assert self.match.phase == "game"

    def lose(self, seat: Seat) -> None:
        """Stack up until the game is over."""
        self.begin()
        while self.match.phase == "game":
            self.move(seat, "drop")

    def duel(self) -> Duel:
        assert self.match.duel is not None
        return self.match.duel


SEATS: tuple[Seat, Seat] = (0, 1)


def game(number: int, winner: Seat, scores: tuple[int, int] = (0, 0), **more: Any) -> GameResult:
    return GameResult(
        number=number,
        game_name=f"Game {number}",
        winner=winner,
        ending="top out",
        scores=scores,
        **more,
    )


# --- how it begins --------------------------------------------------------------------------------


def test_nothing_is_told_before_both_have_come_and_a_pause_is_over() -> None:
    stage = Stage(first_pause_seconds=1.5)
    assert stage.wait(5) == []
    stage.match.connect(0, stage.now)
    assert stage.match.present == (True, False)
    assert stage.wait(5) == []
    stage.match.connect(1, stage.now)
    stage.match.connect(1, stage.now + 0.5)
    assert stage.move(0, "left") == "no piece"
    assert stage.wait(1.4) == []
    told = stage.wait(0.2)
    assert [type(message) for message in told] == [GameBoardState, GamePieceState]
    assert stage.match.game_number == 1


def test_who_is_there_wins_against_who_does_not_come() -> None:
    for there in SEATS:
        stage = Stage(connect_seconds=30)
        stage.match.connect(there, stage.now)
        assert stage.wait(29) == []
        told = stage.wait(2)
        assert told == [MatchEnd(match_name="Final", match_token=TOKEN)]
        assert stage.match.result == MatchResult(
            winner=there, ending="the other team did not come", games=(0, 0), points=(0, 0)
        )


def test_where_nobody_comes_nobody_wins() -> None:
    stage = Stage(connect_seconds=30)
    stage.wait(31)
    assert stage.match.result is not None
    assert (stage.match.result.winner, stage.match.result.ending) == (None, "called off")


def test_teams_must_differ_and_games_be_without_a_gap() -> None:
    seats = (link.Seat(team="A"), link.Seat(team="A"))
    with pytest.raises(InputError, match="'A'"):
        Match(TOKEN, "x", seats, ContestRules(), 1, float)
    with pytest.raises(InputError, match="numbered 1, 2, 3"):
        Stage(finished=(game(2, 0),))


# --- what is told ---------------------------------------------------------------------------------


def state_of(duel: Duel) -> tuple[dict[str, Any], list[str]]:
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
@settings(max_examples=20, deadline=None)
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
            # The pieces are told last, when the boards that they are placed on are known.
            newest = stage.told[-1]
            assert isinstance(newest, GamePieceState)
            assert (dict(newest.states), list(newest.queue)) == state_of(duel)
            assert list(known.values()) == [wire.encode(number) for number in duel.boards]
    # Every message of any kind has a higher number, and those are numbers.
    sequences = [json.loads(raw).get("sequence") for raw in stage.raw]
    assert sequences.pop() is None
    assert sequences == list(range(1, len(sequences) + 1))
    for message in map(json.loads, stage.raw):
        assert set(message) == FIELDS[message["comm_type"]]
        for state in message.get("states", {}).values():
            assert state is None or set(state) == STATE_FIELDS[message["comm_type"]]
    # No piece number comes twice, within a game or from one to the next.
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
        again = record.replayed(kept)
        assert again.outcome == (result.winner, result.ending)
        assert (tuple(again.scores), tuple(again.locked)) == (result.scores, result.pieces)
        assert again.next_number == result.last_piece_number + 1
        *_, (at, last) = record.frames(kept)
        assert at <= kept.end.milliseconds
        assert last["boards"] == kept.end.boards


def test_timestamps_are_seconds_since_1970() -> None:
    stage = Stage()
    stage.both_come()
    stage.begin()
    for message in stage.told:
        assert isinstance(message, GameBoardState | GamePieceState)
        assert message.timestamp == pytest.approx(stage.wall())


def test_gravity_is_told_step_by_step() -> None:
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


def test_cleared_rows_are_told_once() -> None:
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


def test_every_move_that_is_done_is_told_and_no_other() -> None:
    stage = Stage()
    stage.both_come()
    stage.begin()
    seen = len(stage.told)
    verdicts = [stage.move(0, "left") for _ in range(10)]
    verdicts += [stage.move(0, "right", 99), stage.move(0, "down")]
    assert verdicts.count("collides") > 3
    assert verdicts[-2:] == ["out of date", "done"]
    assert len(stage.told) - seen == verdicts.count("done")


def test_states_can_be_told_less_often() -> None:
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
    # A new piece is told at once, after its board.
    seen = len(stage.told)
    for _ in range(3):
        stage.move(0, "drop")
    assert [type(message) for message in stage.told[seen:]] == [GameBoardState, GamePieceState] * 3
    # Where it ends there is nothing left to tell.
    stage.move(1, "left")
    stage.move(1, "right")
    while stage.match.phase == "game":
        stage.move(0, "drop")
    assert isinstance(stage.told[-1], GameEnd)
    assert stage.wait(1.9) == []


def test_numbers_and_names_begin_as_the_rules_say() -> None:
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
    # Nobody's number comes again.
    highest = stage.games[0].last_piece_number
    for piece in stage.duel().pieces:
        assert piece is not None
        assert piece.number == highest + 1


# --- the end of a game ----------------------------------------------------------------------------


def test_the_end_of_a_game_is_told_when_it_is_kept() -> None:
    stage = Stage(keeps=False, pause_seconds=3)
    stage.both_come()
    stage.lose(0)
    assert stage.match.phase == "held"
    assert isinstance(stage.told[-1], GameBoardState)
    assert stage.wait(100) == []
    assert stage.match.games == (0, 0)
    assert stage.move(1, "left") == "game over"
    assert stage.match.take_figures() is not None
    stage.match.game_kept(7, stage.now)
    assert stage.match.phase == "held"
    assert stage.match.take_figures() is None
    for _ in range(2):
        stage.match.game_kept(1, stage.now)
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
    assert stage.match.take_figures() is not None
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
    assert record.replayed(kept).outcome == (stage.games[0].winner, "coin flip at the time limit")
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
    stage.match.count(1, "too many moves")
    stage.lose(0)
    stage.move(1, "left")
    stage.lose(0)
    first, second = stage.games
    assert first.verdicts[1] == {"done": 1, "out of date": 2, "too many moves": 1}
    assert set(first.verdicts[0]) == {"done"}
    assert second.verdicts == ({"done": second.pieces[0]}, {"game over": 1})
    assert all(type(fate) is str for fate in first.verdicts[1])


def test_numbers_in_texts_count_where_the_rules_say_so() -> None:
    stage = Stage(text_numbers=True)
    stage.both_come()
    stage.begin()
    piece = stage.duel().pieces[0]
    assert piece is not None
    assert stage.move(0, "left", str(piece.number)) == "done"
    for text in ("", "-1", "x", "1.0", "99", "\u0661"):
        assert stage.move(0, "left", text) == "out of date"


# --- who wins the match ---------------------------------------------------------------------------


def test_more_than_half_of_all_games_win() -> None:
    stage = Stage(games=5, pause_seconds=0)
    stage.both_come()
    losers: tuple[Seat, ...] = (0, 1, 0, 0)
    for loser in losers:
        assert stage.match.result is None
        stage.lose(loser)
    assert stage.match.result == MatchResult(
        winner=1, ending="majority of games", games=(1, 3), points=(0, 0)
    )
    assert stage.told[-1] == MatchEnd(match_name="Final", match_token=TOKEN)
    assert stage.match.due is None
    assert stage.wait(1000) == []
    assert stage.move(0, "left") == "game over"


def test_half_of_an_even_number_is_no_majority() -> None:
    stage = Stage(games=2, pause_seconds=0)
    stage.both_come()
    stage.lose(0)
    assert stage.match.result is None
    stage.begin()
    stage.duel().scores[0] = 100
    stage.lose(1)
    # One each: points.
    assert stage.match.result == MatchResult(
        winner=0, ending="points", games=(1, 1), points=(100, 0)
    )


@pytest.mark.parametrize(
    ("finished", "winner", "ending"),
    [
        ((game(1, 1),), 1, "games at the time limit"),
        ((game(1, 0, (0, 900)), game(2, 0), game(3, 1)), 0, "games at the time limit"),
        ((game(1, 0, (100, 300)), game(2, 1, (100, 0))), 1, "points"),
    ],
)
def test_at_the_time_limit_games_then_points_win(
    finished: tuple[GameResult, ...], winner: Seat, ending: str
) -> None:
    stage = Stage(
        finished=finished, games=9, match_seconds=60, pause_seconds=1, first_pause_seconds=100
    )
    stage.both_come()
    stage.wait(101)
    assert stage.match.result is not None
    assert (stage.match.result.winner, stage.match.result.ending) == (winner, ending)
    assert stage.games == []


def test_then_a_coin_decides() -> None:
    winners = Counter[Seat | None]()
    for seed in range(40):
        even = (game(1, 0, (300, 200)), game(2, 1, (0, 100)))
        stage = Stage(finished=even, games=9, match_seconds=10, seed=seed, first_pause_seconds=100)
        stage.both_come()
        stage.wait(101)
        assert stage.match.result is not None
        assert stage.match.result.ending == "coin flip"
        winners[stage.match.result.winner] += 1
    assert min(winners[0], winners[1]) > 8


def test_the_matchs_limit_ends_a_running_game_as_its_own_does() -> None:
    stage = Stage(games=9, match_seconds=50, pause_seconds=1, game_seconds=1000)
    stage.both_come()
    stage.begin()
    began = stage.now
    stage.wait(20)
    stage.lose(0)
    stage.begin()
    stage.duel().scores[0] = 100
    stage.wait(began + 50.1 - stage.now)
    assert [result.ending for result in stage.games] == ["top out", "points at the time limit"]
    assert stage.match.result == MatchResult(
        winner=0, ending="points", games=(1, 1), points=(100, 0)
    )


def test_no_game_begins_after_the_limit() -> None:
    stage = Stage(games=9, match_seconds=5, pause_seconds=30)
    stage.both_come()
    stage.lose(0)
    stage.wait(6)
    assert stage.match.result is not None
    assert stage.match.result.ending == "games at the time limit"
    assert stage.match.game_number == 1


# --- going on elsewhere ---------------------------------------------------------------------------


def test_a_match_goes_on_after_its_finished_games() -> None:
    before = (game(1, 0), game(2, 1, last_sequence=4000, last_piece_number=300))
    stage = Stage(finished=before, games=5)
    assert stage.match.game_number == 2
    assert stage.match.games == (1, 1)
    stage.both_come()
    stage.begin()
    first = stage.told[0]
    assert isinstance(first, GameBoardState)
    assert first.game_name == "Game 3"
    # The game that was broken off went on to numbers that nobody wrote down.
    assert isinstance(first.sequence, int)
    assert 1_000_000 + 4000 < first.sequence < 1 << 31
    piece = stage.duel().pieces[0]
    assert piece is not None
    assert 500_000 + 300 < piece.number < 1 << 31
    stage.lose(1)
    stage.lose(1)
    assert stage.match.result is not None
    assert stage.match.result.games == (3, 1)


def test_it_tells_higher_numbers_with_every_attempt() -> None:
    starts: list[tuple[int, int]] = []
    for attempt in (1, 2, 3):
        stage = Stage(attempt=attempt)
        stage.both_come()
        stage.begin()
        first, piece = stage.told[0], stage.duel().pieces[0]
        assert isinstance(first, GameBoardState)
        assert isinstance(first.sequence, int)
        assert piece is not None
        starts.append((first.sequence, piece.number))
    assert starts[0][0] == 1
    for (sequence, number), (later, higher) in itertools.pairwise(starts):
        assert later - sequence > 1_000_000
        assert higher - number > 500_000


def test_a_match_that_is_decided_already_ends_at_once() -> None:
    stage = Stage(finished=(game(1, 1), game(2, 1)), games=3)
    assert stage.match.result is not None
    assert (stage.match.result.winner, stage.match.result.games) == (1, (0, 2))
    assert stage.told == [MatchEnd(match_name="Final", match_token=TOKEN)]


def test_time_that_was_played_before_counts() -> None:
    before = (game(1, 0, seconds=30.0),)
    stage = Stage(
        finished=before,
        games=9,
        match_seconds=60,
        pause_seconds=10,
        game_seconds=1000,
        first_pause_seconds=0,
    )
    stage.both_come()
    stage.wait(19)
    assert stage.match.phase == "game"
    stage.wait(1.1)
    assert stage.match.result is not None


# --- halts, ends by hand, and clocks --------------------------------------------------------------


def test_a_halted_match_begins_no_game_and_its_clock_stands() -> None:
    stage = Stage(games=9, match_seconds=50, pause_seconds=5, game_seconds=1000)
    stage.both_come()
    stage.begin()
    stage.wait(10)
    stage.match.halt(True, stage.now)
    # The game goes on to its end.
    assert stage.wait(5)
    stage.lose(0)
    assert stage.match.halted
    assert stage.wait(1000) == []
    stage.match.halt(False, stage.now)
    stage.wait(4.9)
    assert stage.match.game_number == 1
    stage.wait(0.2)
    assert stage.match.game_number == 2
    # Of fifty seconds some sixteen were played, and the pause.
    stage.wait(27)
    assert stage.match.phase == "game"
    stage.wait(3)
    assert stage.match.result is not None


def test_a_halted_match_waits_for_teams_without_end() -> None:
    stage = Stage(connect_seconds=10)
    stage.wait(5)
    for _ in range(2):
        stage.match.halt(True, stage.now)
    stage.wait(1000)
    assert stage.match.result is None
    stage.match.halt(False, stage.now)
    stage.wait(4)
    assert stage.match.result is None
    stage.wait(2)
    assert stage.match.result is not None


def test_a_match_that_is_called_off_has_no_winner() -> None:
    stage = Stage()
    stage.both_come()
    stage.begin()
    for reason in ("the server is ending", "again"):
        stage.match.call_off(reason, stage.now)
    assert stage.wait(0) == [MatchEnd(match_name="Final", match_token=TOKEN)]
    assert stage.match.result == MatchResult(
        winner=None, ending="called off", games=(0, 0), points=(0, 0)
    )
    assert stage.match.reason == "the server is ending"
    stage.match.halt(True, stage.now)
    stage.match.game_kept(1, stage.now)
    assert stage.wait(100) == []


def test_what_is_due_comes_before_a_move() -> None:
    stage = Stage(game=GameRules(gravity_ms=(1000,)), repeat_seconds=60)
    stage.both_come()
    stage.begin()
    piece = stage.duel().pieces[0]
    assert piece is not None
    stage.now += 2.5
    assert stage.move(0, "left") == "done"
    assert (piece.row, piece.col) == (2, 4)
    stage.now += 1000
    assert stage.move(0, "left") == "game over"


def test_a_late_clock_makes_up_for_some_steps_and_no_more() -> None:
    rules = GameRules(gravity_ms=(100,))
    stage = Stage(game=rules, repeat_seconds=60)
    stage.both_come()
    stage.begin()
    piece = stage.duel().pieces[0]
    assert piece is not None
    stage.now += 0.55
    stage.match.advance(stage.now)
    assert piece.row == 5
    stage.now += 100 * 0.1
    stage.match.advance(stage.now)
    assert 6 <= piece.row <= 6 + LATEST_STEPS


@pytest.mark.parametrize("jump", [1e3, 1e6, 1e12])
def test_a_clock_that_jumps_far_ahead_does_bounded_work(jump: float) -> None:
    stage = Stage(games=5, pause_seconds=0, game=GameRules(gravity_ms=(1,)))
    stage.both_come()
    stage.begin()
    told = len(stage.told)
    stage.now += jump
    stage.match.advance(stage.now)
    stage.look()
    assert len(stage.told) - told < 10 * LATEST_STEPS
    [result] = stage.games
    assert result.ending == "coin flip at the time limit"
    assert result.seconds == 180


def test_a_clock_that_runs_backwards_is_harmless() -> None:
    stage = Stage()
    stage.both_come()
    stage.begin()
    stage.now -= 50
    assert stage.wait(49) == []
    assert stage.move(0, "left") == "done"
    assert stage.wait(2)


def test_figures_are_told_when_they_change() -> None:
    stage = Stage(game=GameRules(gravity_ms=(60_000,)), repeat_seconds=60)
    assert stage.match.take_figures() is None
    stage.both_come()
    stage.begin()
    assert stage.match.take_figures() is not None
    assert stage.match.take_figures() is None
    stage.move(0, "left")
    assert stage.match.take_figures() is None
    stage.move(0, "drop")
    figures = stage.match.take_figures()
    assert figures is not None
    assert json.loads(figures) == {
        "comm_type": "GameFigures",
        "game_name": "Game 1",
        "timestamp": stage.wall(),
        "scores": {TEAMS[0]: 0, TEAMS[1]: 0},
        "lines": {TEAMS[0]: 0, TEAMS[1]: 0},
        "pieces": {TEAMS[0]: 1, TEAMS[1]: 0},
        "level": 1,
        "games": {TEAMS[0]: 0, TEAMS[1]: 0},
    }
    while stage.match.phase == "game":
        stage.move(0, "drop")
    figures = stage.match.take_figures()
    assert figures is not None
    assert json.loads(figures)["games"] == {TEAMS[0]: 0, TEAMS[1]: 1}
