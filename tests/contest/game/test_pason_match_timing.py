"""Tests of matches over time: limits, continuation, pauses, and unusual clocks."""

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
from tests.contest.game.match_driver import SEATS, TEAMS, TOKEN, MatchDriver, game


def test_more_than_half_of_all_games_win() -> None:
    driver = MatchDriver(games=5, pause_seconds=0)
    driver.connect_both()
    losers: tuple[PlayerIndex, ...] = (0, 1, 0, 0)
    for loser in losers:
        assert driver.match.result is None
        driver.lose(loser)
    assert driver.match.result == MatchResult(
        winner=1, ending="majority of games", games=(1, 3), points=(0, 0)
    )
    assert driver.messages[-1] == MatchEnd(match_name="Final", match_token=TOKEN)
    assert driver.match.next_event_at is None
    assert driver.wait(1000) == []
    assert driver.move(0, "left") == "game over"


def test_half_of_the_games_is_not_a_majority() -> None:
    driver = MatchDriver(games=2, pause_seconds=0)
    driver.connect_both()
    driver.lose(0)
    assert driver.match.result is None
    driver.start_game()
    driver.pason_game().scores[0] = 100
    driver.lose(1)
    # One each: points.
    assert driver.match.result == MatchResult(
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
    driver = MatchDriver(
        finished=finished, games=9, match_seconds=60, pause_seconds=1, first_pause_seconds=100
    )
    driver.connect_both()
    driver.wait(101)
    assert driver.match.result is not None
    assert (driver.match.result.winner, driver.match.result.ending) == (winner, ending)
    assert driver.games == []


def test_then_a_coin_decides() -> None:
    winners = Counter[PlayerIndex | None]()
    for seed in range(40):
        even = (game(1, 0, (300, 200)), game(2, 1, (0, 100)))
        driver = MatchDriver(
            finished=even, games=9, match_seconds=10, seed=seed, first_pause_seconds=100
        )
        driver.connect_both()
        driver.wait(101)
        assert driver.match.result is not None
        assert driver.match.result.ending == "coin flip"
        winners[driver.match.result.winner] += 1
    assert min(winners[0], winners[1]) > 8


def test_match_limit_ends_a_running_game() -> None:
    driver = MatchDriver.started(games=9, match_seconds=50, pause_seconds=1, game_seconds=1000)
    began = driver.now
    driver.wait(20)
    driver.lose(0)
    driver.start_game()
    driver.pason_game().scores[0] = 100
    driver.wait(began + 50.1 - driver.now)
    assert [result.ending for result in driver.games] == ["top out", "points at the time limit"]
    assert driver.match.result == MatchResult(
        winner=0, ending="points", games=(1, 1), points=(100, 0)
    )


def test_no_game_begins_after_the_limit() -> None:
    driver = MatchDriver(games=9, match_seconds=5, pause_seconds=30)
    driver.connect_both()
    driver.lose(0)
    driver.wait(6)
    assert driver.match.result is not None
    assert driver.match.result.ending == "games at the time limit"
    assert driver.match.game_number == 1


def test_match_resumes_after_finished_games() -> None:
    before = (game(1, 0), game(2, 1, last_sequence=4000, last_piece_number=300))
    driver = MatchDriver(finished=before, games=5)
    assert driver.match.game_number == 2
    assert driver.match.games == (1, 1)
    driver.connect_both()
    driver.start_game()
    first = driver.messages[0]
    assert isinstance(first, GameBoardState)
    assert first.game_name == "Game 3"
    # The interrupted game reached numbers that were not recorded.
    assert isinstance(first.sequence, int)
    assert 1_000_000 + 4000 < first.sequence < 1 << 31
    piece = driver.piece(0)
    assert 500_000 + 300 < piece.number < 1 << 31
    driver.lose(1)
    driver.lose(1)
    assert driver.match.result is not None
    assert driver.match.result.games == (3, 1)


@pytest.mark.parametrize("resumed", [{"finished": (game(1, 0),)}, {"attempt": 2}])
def test_a_resumed_match_publishes_states_until_both_teams_are_back(resumed: Any) -> None:
    """A client that moves only in response to a state needs one."""
    driver = MatchDriver(games=5, connect_seconds=60, repeat_seconds=1, **resumed)
    number = len(resumed.get("finished", ())) + 1
    assert [type(message) for message in driver.messages] == [GameBoardState, GamePieceState]
    assert len(driver.wait(10)) == 20
    waiting = driver.messages[-1]
    assert isinstance(waiting, GamePieceState)
    assert waiting.game_name == f"Game {number}"
    numbers = [piece.number for piece in waiting.states.values() if piece is not None]
    assert len(numbers) == 2
    assert driver.move(0, "drop", numbers[0]) == "no piece"
    driver.match.connect(0, driver.now)
    assert driver.wait(10), "the other team is still waited for"
    assert driver.match.game_number == number - 1
    driver.match.connect(1, driver.now)
    driver.start_game()
    first = driver.messages[-1]
    assert isinstance(first, GamePieceState)
    # New numbers make a client that plans once per number plan again.
    assert min(piece.number for piece in first.states.values() if piece is not None) > max(numbers)
    sequences = [
        int(message.sequence) for message in driver.messages if not isinstance(message, MatchEnd)
    ]
    assert sequences == sorted(set(sequences))


def test_resumed_match_publishes_states_while_paused() -> None:
    driver = MatchDriver(attempt=2, connect_seconds=60, repeat_seconds=1)
    driver.match.set_paused(True, driver.now)
    assert len(driver.wait(100)) == 200
    driver.connect_both()
    assert len(driver.wait(100)) == 200
    assert driver.match.phase == "pause"
    driver.match.set_paused(False, driver.now)
    driver.wait(5)
    assert driver.match.phase == "game"


def test_match_publishes_nothing_before_the_first_connection() -> None:
    driver = MatchDriver(connect_seconds=60)
    assert driver.messages == []
    assert driver.wait(59) == []


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
    driver = MatchDriver(finished=finished, games=9, connect_seconds=10)
    driver.match.connect(present, driver.now)
    driver.wait(11)
    assert driver.match.result is not None
    assert (driver.match.result.winner, driver.match.result.ending) == (winner, ending)
    wins = [sum(one.winner == seat for one in finished) for seat in SEATS]
    assert list(driver.match.result.games) == wins


def test_time_waiting_for_storage_does_not_count() -> None:
    driver = MatchDriver(games=3, match_seconds=60, game_seconds=50, pause_seconds=0, stores=False)
    driver.connect_both()
    driver.lose(0)
    driver.wait(1_000)
    driver.match.confirm_stored(1, driver.now)
    driver.start_game()
    assert driver.match.game_number == 2


def test_a_match_that_is_decided_already_ends_at_once() -> None:
    driver = MatchDriver(finished=(game(1, 1), game(2, 1)), games=3)
    assert driver.match.result is not None
    assert (driver.match.result.winner, driver.match.result.games) == (1, (0, 2))
    assert driver.messages == [MatchEnd(match_name="Final", match_token=TOKEN)]


def test_time_that_was_played_before_counts() -> None:
    before = (game(1, 0, seconds=30.0),)
    driver = MatchDriver(
        finished=before,
        games=9,
        match_seconds=60,
        pause_seconds=10,
        game_seconds=1000,
        first_pause_seconds=0,
    )
    driver.connect_both()
    driver.wait(19)
    assert driver.match.phase == "game"
    driver.wait(1.1)
    assert driver.match.result is not None


def test_paused_match_starts_no_game_and_stops_its_clock() -> None:
    driver = MatchDriver.started(games=9, match_seconds=50, pause_seconds=5, game_seconds=1000)
    driver.wait(10)
    driver.match.set_paused(True, driver.now)
    # The game continues to its end.
    assert driver.wait(5)
    driver.lose(0)
    assert driver.match.paused
    assert driver.wait(1000) == []
    driver.match.set_paused(False, driver.now)
    driver.wait(4.9)
    assert driver.match.game_number == 1
    driver.wait(0.2)
    assert driver.match.game_number == 2
    # Of fifty seconds some sixteen were played, and the pause.
    driver.wait(27)
    assert driver.match.phase == "game"
    driver.wait(3)
    assert driver.match.result is not None


def test_a_halted_match_waits_for_teams_without_end() -> None:
    driver = MatchDriver(connect_seconds=10)
    driver.wait(5)
    for _ in range(2):
        driver.match.set_paused(True, driver.now)
    driver.wait(1000)
    assert driver.match.result is None
    driver.match.set_paused(False, driver.now)
    driver.wait(4)
    assert driver.match.result is None
    driver.wait(2)
    assert driver.match.result is not None


def test_team_that_joins_a_paused_match_waits_for_the_pause() -> None:
    driver = MatchDriver(connect_seconds=5000, first_pause_seconds=2, match_seconds=60, games=9)
    driver.match.set_paused(True, driver.now)
    driver.wait(1000)
    driver.connect_both()
    assert driver.wait(500) == []
    driver.match.set_paused(False, driver.now)
    assert driver.wait(1.9) == []
    driver.wait(0.2)
    assert driver.match.phase == "game"


def test_a_match_that_is_called_off_has_no_winner() -> None:
    driver = MatchDriver.started()
    for reason in ("the server is ending", "again"):
        driver.match.cancel(reason, driver.now)
    assert driver.wait(0) == [MatchEnd(match_name="Final", match_token=TOKEN)]
    assert driver.match.result == MatchResult(
        winner=None, ending="called off", games=(0, 0), points=(0, 0)
    )
    assert driver.match.cancel_reason == "the server is ending"
    driver.match.set_paused(True, driver.now)
    driver.match.confirm_stored(1, driver.now)
    assert driver.wait(100) == []


def test_due_events_precede_a_move() -> None:
    driver = MatchDriver.started(game=GameRules(gravity_ms=(1000,)), repeat_seconds=60)
    piece = driver.piece(0)
    driver.now += 2.5
    assert driver.move(0, "left") == "done"
    assert (piece.row, piece.col) == (2, 4)
    driver.now += 1000
    assert driver.move(0, "left") == "game over"


def test_late_clock_catches_up_a_limited_number_of_steps() -> None:
    rules = GameRules(gravity_ms=(100,))
    driver = MatchDriver.started(game=rules, repeat_seconds=60)
    piece = driver.piece(0)
    driver.now += 0.55
    driver.match.advance(driver.now)
    assert piece.row == 5
    driver.now += 100 * 0.1
    driver.match.advance(driver.now)
    assert 6 <= piece.row <= 6 + MAX_LATE_STEPS


@pytest.mark.parametrize("jump", [1e3, 1e6, 1e12])
def test_clock_jump_causes_bounded_work(jump: float) -> None:
    driver = MatchDriver.started(games=5, pause_seconds=0, game=GameRules(gravity_ms=(1,)))
    told = len(driver.messages)
    driver.now += jump
    driver.match.advance(driver.now)
    driver.collect()
    assert len(driver.messages) - told < 10 * MAX_LATE_STEPS
    [result] = driver.games
    assert result.ending == "coin flip at the time limit"
    assert result.seconds == 180


def test_a_clock_that_runs_backwards_is_harmless() -> None:
    driver = MatchDriver.started()
    driver.now -= 50
    assert driver.wait(49) == []
    assert driver.move(0, "left") == "done"
    assert driver.wait(2)


def test_statistics_are_published_on_change() -> None:
    driver = MatchDriver(game=GameRules(gravity_ms=(60_000,)), repeat_seconds=60)
    assert driver.match.take_statistics() is None
    driver.connect_both()
    driver.start_game()
    assert driver.match.take_statistics() is not None
    assert driver.match.take_statistics() is None
    driver.move(0, "left")
    assert driver.match.take_statistics() is None
    driver.move(0, "drop")
    figures = driver.match.take_statistics()
    assert figures is not None
    assert msgspec.to_builtins(figures) == {
        "comm_type": "GameFigures",
        "game_name": "Game 1",
        "timestamp": driver.wall(),
        "scores": {TEAMS[0]: 0, TEAMS[1]: 0},
        "lines": {TEAMS[0]: 0, TEAMS[1]: 0},
        "pieces": {TEAMS[0]: 1, TEAMS[1]: 0},
        "level": 1,
        "games": {TEAMS[0]: 0, TEAMS[1]: 0},
        "points": {TEAMS[0]: 0, TEAMS[1]: 0},
    }
    while driver.match.phase == "game":
        driver.move(0, "drop")
    figures = driver.match.take_statistics()
    assert figures is not None
    assert figures.games == {TEAMS[0]: 0, TEAMS[1]: 1}


def operate(driver: MatchDriver, chance: random.Random) -> None:
    """Run one random operation."""
    match = driver.match
    what = chance.choices(
        ("wait", "jump", "come", "halt", "go on", "drops", "moves", "keep"),
        (10, 2, 3, 1, 2, 6, 6, 6),
    )[0]
    if what == "wait":
        driver.wait(chance.choice((0.0, 0.01, 0.3, 2.0, 20.0)))
    elif what == "jump":
        driver.now += chance.choice((-5.0, 0.5, 3.0, 200.0))
        match.advance(driver.now)
    elif what == "come":
        match.connect(chance.choice(SEATS), driver.now)
    elif what in {"halt", "go on"}:
        match.set_paused(what == "halt", driver.now)
    elif what == "drops":
        seat = chance.choice(SEATS)
        for _ in range(chance.choice((3, 15))):
            match.move(seat, "drop", None, driver.now)
    elif what == "moves":
        match.move(chance.choice(SEATS), chance.choice(MOVES), None, driver.now)
    elif driver.games:
        match.confirm_stored(driver.games[-1].number, driver.now)
    driver.collect()


@pytest.mark.parametrize("seed", range(60))
def test_random_events_keep_the_order_of_a_match(seed: int) -> None:
    chance = random.Random(seed)
    games = chance.randint(1, 5)
    driver = MatchDriver(
        games=games,
        game_seconds=chance.choice((0.0, 0.5, 30.0)),
        match_seconds=chance.choice((0.0, 20.0, 1000.0, 1000.0)),
        pause_seconds=chance.choice((0.0, 2.0)),
        connect_seconds=chance.choice((5.0, 1000.0, 1000.0)),
        states_per_second=chance.choice((0, 3)),
        stores=False,
        attempt=chance.choice((1, 2)),
    )
    match = driver.match
    for _ in range(150):
        operate(driver, chance)
        # All events due by the latest time are done, and a finished match has none.
        match.advance(driver.now)
        driver.collect()
        assert match.next_event_at is None or match.next_event_at > driver.now
        assert (match.result is None) == (match.phase != "over")
        assert sum(match.games) <= len(driver.games) <= games
    ordered = [message.sequence for message in driver.messages if not isinstance(message, MatchEnd)]
    assert ordered == sorted(set(ordered), key=int)
    ends = [place for place, message in enumerate(driver.messages) if isinstance(message, MatchEnd)]
    assert ends == ([] if match.result is None else [len(driver.messages) - 1])
    for number, kept in enumerate(driver.records, start=1):
        assert kept.header.number == number
        pason_replay.replay_game(kept)
    if match.result is not None and match.result.ending == "majority of games":
        assert max(match.result.games) * 2 > games
