"""Tests of matches over time: limits, continuation, pauses, and unusual clocks."""

import itertools
import random
from collections import Counter
from typing import Any

import msgspec
import pytest

from sevenbag.contest.game import pason_replay
from sevenbag.contest.game.match_results import ContestGameResult, MatchResult
from sevenbag.contest.game.pason_game import PlayerIndex
from sevenbag.contest.game.pason_match import MAX_LATE_STEPS
from sevenbag.contest.settings import GameRules
from sevenbag.protocols.pason.messages import MOVES, GameBoardState, GamePieceState, MatchEnd
from tests.contest.game.match_driver import SEATS, TEAMS, TOKEN, Stage, game


def test_more_than_half_of_all_games_win() -> None:
    stage = Stage(games=5, pause_seconds=0)
    stage.both_come()
    losers: tuple[PlayerIndex, ...] = (0, 1, 0, 0)
    for loser in losers:
        assert stage.match.result is None
        stage.lose(loser)
    assert stage.match.result == MatchResult(
        winner=1, ending="majority of games", games=(1, 3), points=(0, 0)
    )
    assert stage.told[-1] == MatchEnd(match_name="Final", match_token=TOKEN)
    assert stage.match.next_event_at is None
    assert stage.wait(1000) == []
    assert stage.move(0, "left") == "game over"


def test_half_of_the_games_is_not_a_majority() -> None:
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
    finished: tuple[ContestGameResult, ...], winner: PlayerIndex, ending: str
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
    winners = Counter[PlayerIndex | None]()
    for seed in range(40):
        even = (game(1, 0, (300, 200)), game(2, 1, (0, 100)))
        stage = Stage(finished=even, games=9, match_seconds=10, seed=seed, first_pause_seconds=100)
        stage.both_come()
        stage.wait(101)
        assert stage.match.result is not None
        assert stage.match.result.ending == "coin flip"
        winners[stage.match.result.winner] += 1
    assert min(winners[0], winners[1]) > 8


def test_match_limit_ends_a_running_game() -> None:
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


def test_match_resumes_after_finished_games() -> None:
    before = (game(1, 0), game(2, 1, last_sequence=4000, last_piece_number=300))
    stage = Stage(finished=before, games=5)
    assert stage.match.game_number == 2
    assert stage.match.games == (1, 1)
    stage.both_come()
    stage.begin()
    first = stage.told[0]
    assert isinstance(first, GameBoardState)
    assert first.game_name == "Game 3"
    # The interrupted game reached numbers that were not recorded.
    assert isinstance(first.sequence, int)
    assert 1_000_000 + 4000 < first.sequence < 1 << 31
    piece = stage.duel().pieces[0]
    assert piece is not None
    assert 500_000 + 300 < piece.number < 1 << 31
    stage.lose(1)
    stage.lose(1)
    assert stage.match.result is not None
    assert stage.match.result.games == (3, 1)


@pytest.mark.parametrize("resumed", [{"finished": (game(1, 0),)}, {"attempt": 2}])
def test_a_resumed_match_publishes_states_until_both_teams_are_back(resumed: Any) -> None:
    """A client that moves only in response to a state needs one."""
    stage = Stage(games=5, connect_seconds=60, repeat_seconds=1, **resumed)
    number = len(resumed.get("finished", ())) + 1
    assert [type(message) for message in stage.told] == [GameBoardState, GamePieceState]
    assert len(stage.wait(10)) == 20
    waiting = stage.told[-1]
    assert isinstance(waiting, GamePieceState)
    assert waiting.game_name == f"Game {number}"
    numbers = [piece.number for piece in waiting.states.values() if piece is not None]
    assert len(numbers) == 2
    assert stage.move(0, "drop", numbers[0]) == "no piece"
    stage.match.connect(0, stage.now)
    assert stage.wait(10), "the other team is still waited for"
    assert stage.match.game_number == number - 1
    stage.match.connect(1, stage.now)
    stage.begin()
    first = stage.told[-1]
    assert isinstance(first, GamePieceState)
    # New numbers make a client that plans once per number plan again.
    assert min(piece.number for piece in first.states.values() if piece is not None) > max(numbers)
    sequences = [
        int(message.sequence) for message in stage.told if not isinstance(message, MatchEnd)
    ]
    assert sequences == sorted(set(sequences))


def test_resumed_match_publishes_states_while_paused() -> None:
    stage = Stage(attempt=2, connect_seconds=60, repeat_seconds=1)
    stage.match.set_paused(True, stage.now)
    assert len(stage.wait(100)) == 200
    stage.both_come()
    assert len(stage.wait(100)) == 200
    assert stage.match.phase == "pause"
    stage.match.set_paused(False, stage.now)
    stage.wait(5)
    assert stage.match.phase == "game"


def test_match_publishes_nothing_before_the_first_connection() -> None:
    stage = Stage(connect_seconds=60)
    assert stage.told == []
    assert stage.wait(59) == []


@pytest.mark.parametrize(
    ("finished", "present", "winner", "ending"),
    [
        ((game(1, 0), game(2, 0)), 1, 0, "games at the time limit"),
        ((game(1, 0), game(2, 0)), 0, 0, "the other team did not come"),
        ((game(1, 0), game(2, 1)), 1, 1, "the other team did not come"),
    ],
)
def test_won_games_count_when_a_team_does_not_return(
    finished: tuple[ContestGameResult, ...], present: PlayerIndex, winner: PlayerIndex, ending: str
) -> None:
    stage = Stage(finished=finished, games=9, connect_seconds=10)
    stage.match.connect(present, stage.now)
    stage.wait(11)
    assert stage.match.result is not None
    assert (stage.match.result.winner, stage.match.result.ending) == (winner, ending)
    wins = [sum(one.winner == seat for one in finished) for seat in SEATS]
    assert list(stage.match.result.games) == wins


def test_time_waiting_for_storage_does_not_count() -> None:
    stage = Stage(games=3, match_seconds=60, game_seconds=50, pause_seconds=0, keeps=False)
    stage.both_come()
    stage.lose(0)
    stage.wait(1_000)
    stage.match.confirm_stored(1, stage.now)
    stage.begin()
    assert stage.match.game_number == 2


def test_numbers_increase_with_each_attempt() -> None:
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


def test_paused_match_starts_no_game_and_stops_its_clock() -> None:
    stage = Stage(games=9, match_seconds=50, pause_seconds=5, game_seconds=1000)
    stage.both_come()
    stage.begin()
    stage.wait(10)
    stage.match.set_paused(True, stage.now)
    # The game continues to its end.
    assert stage.wait(5)
    stage.lose(0)
    assert stage.match.paused
    assert stage.wait(1000) == []
    stage.match.set_paused(False, stage.now)
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
        stage.match.set_paused(True, stage.now)
    stage.wait(1000)
    assert stage.match.result is None
    stage.match.set_paused(False, stage.now)
    stage.wait(4)
    assert stage.match.result is None
    stage.wait(2)
    assert stage.match.result is not None


def test_team_that_joins_a_paused_match_waits_for_the_pause() -> None:
    stage = Stage(connect_seconds=5000, first_pause_seconds=2, match_seconds=60, games=9)
    stage.match.set_paused(True, stage.now)
    stage.wait(1000)
    stage.both_come()
    assert stage.wait(500) == []
    stage.match.set_paused(False, stage.now)
    assert stage.wait(1.9) == []
    stage.wait(0.2)
    assert stage.match.phase == "game"


def test_a_match_that_is_called_off_has_no_winner() -> None:
    stage = Stage()
    stage.both_come()
    stage.begin()
    for reason in ("the server is ending", "again"):
        stage.match.cancel(reason, stage.now)
    assert stage.wait(0) == [MatchEnd(match_name="Final", match_token=TOKEN)]
    assert stage.match.result == MatchResult(
        winner=None, ending="called off", games=(0, 0), points=(0, 0)
    )
    assert stage.match.cancel_reason == "the server is ending"
    stage.match.set_paused(True, stage.now)
    stage.match.confirm_stored(1, stage.now)
    assert stage.wait(100) == []


def test_due_events_precede_a_move() -> None:
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


def test_late_clock_catches_up_a_limited_number_of_steps() -> None:
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
    assert 6 <= piece.row <= 6 + MAX_LATE_STEPS


@pytest.mark.parametrize("jump", [1e3, 1e6, 1e12])
def test_clock_jump_causes_bounded_work(jump: float) -> None:
    stage = Stage(games=5, pause_seconds=0, game=GameRules(gravity_ms=(1,)))
    stage.both_come()
    stage.begin()
    told = len(stage.told)
    stage.now += jump
    stage.match.advance(stage.now)
    stage.look()
    assert len(stage.told) - told < 10 * MAX_LATE_STEPS
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


def test_statistics_are_published_on_change() -> None:
    stage = Stage(game=GameRules(gravity_ms=(60_000,)), repeat_seconds=60)
    assert stage.match.take_statistics() is None
    stage.both_come()
    stage.begin()
    assert stage.match.take_statistics() is not None
    assert stage.match.take_statistics() is None
    stage.move(0, "left")
    assert stage.match.take_statistics() is None
    stage.move(0, "drop")
    figures = stage.match.take_statistics()
    assert figures is not None
    assert msgspec.to_builtins(figures) == {
        "comm_type": "GameFigures",
        "game_name": "Game 1",
        "timestamp": stage.wall(),
        "scores": {TEAMS[0]: 0, TEAMS[1]: 0},
        "lines": {TEAMS[0]: 0, TEAMS[1]: 0},
        "pieces": {TEAMS[0]: 1, TEAMS[1]: 0},
        "level": 1,
        "games": {TEAMS[0]: 0, TEAMS[1]: 0},
        "points": {TEAMS[0]: 0, TEAMS[1]: 0},
    }
    while stage.match.phase == "game":
        stage.move(0, "drop")
    figures = stage.match.take_statistics()
    assert figures is not None
    assert figures.games == {TEAMS[0]: 0, TEAMS[1]: 1}


def operate(stage: Stage, chance: random.Random) -> None:
    """Let one thing happen."""
    match = stage.match
    what = chance.choices(
        ("wait", "jump", "come", "halt", "go on", "drops", "moves", "keep"),
        (10, 2, 3, 1, 2, 6, 6, 6),
    )[0]
    if what == "wait":
        stage.wait(chance.choice((0.0, 0.01, 0.3, 2.0, 20.0)))
    elif what == "jump":
        stage.now += chance.choice((-5.0, 0.5, 3.0, 200.0))
        match.advance(stage.now)
    elif what == "come":
        match.connect(chance.choice(SEATS), stage.now)
    elif what in {"halt", "go on"}:
        match.set_paused(what == "halt", stage.now)
    elif what == "drops":
        seat = chance.choice(SEATS)
        for _ in range(chance.choice((3, 15))):
            match.move(seat, "drop", None, stage.now)
    elif what == "moves":
        match.move(chance.choice(SEATS), chance.choice(MOVES), None, stage.now)
    elif stage.games:
        match.confirm_stored(stage.games[-1].number, stage.now)
    stage.look()


@pytest.mark.parametrize("seed", range(60))
def test_random_events_keep_the_order_of_a_match(seed: int) -> None:
    chance = random.Random(seed)
    games = chance.randint(1, 5)
    stage = Stage(
        games=games,
        game_seconds=chance.choice((0.0, 0.5, 30.0)),
        match_seconds=chance.choice((0.0, 20.0, 1000.0, 1000.0)),
        pause_seconds=chance.choice((0.0, 2.0)),
        connect_seconds=chance.choice((5.0, 1000.0, 1000.0)),
        states_per_second=chance.choice((0, 3)),
        keeps=False,
        attempt=chance.choice((1, 2)),
    )
    match = stage.match
    for _ in range(150):
        operate(stage, chance)
        # All events due by the latest time are done, and a finished match has none.
        match.advance(stage.now)
        stage.look()
        assert match.next_event_at is None or match.next_event_at > stage.now
        assert (match.result is None) == (match.phase != "over")
        assert sum(match.games) <= len(stage.games) <= games
    ordered = [message.sequence for message in stage.told if not isinstance(message, MatchEnd)]
    assert ordered == sorted(set(ordered), key=int)
    ends = [place for place, message in enumerate(stage.told) if isinstance(message, MatchEnd)]
    assert ends == ([] if match.result is None else [len(stage.told) - 1])
    for number, kept in enumerate(stage.records, start=1):
        assert kept.header.number == number
        pason_replay.replay_game(kept)
    if match.result is not None and match.result.ending == "majority of games":
        assert max(match.result.games) * 2 > games
