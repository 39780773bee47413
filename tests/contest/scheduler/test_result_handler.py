"""Impossible results are rejected; those of real matches are accepted."""

import uuid

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sevenbag.contest.game.match_results import (
    ContestGameResult,
    MatchResult,
    decide_unplayed_match,
    find_game_error,
    find_match_error,
)
from sevenbag.contest.game.pason_match import ContestMatch
from sevenbag.contest.scheduler_protocol import (
    AssignedPlayer,
    GameDiscarded,
    MatchAssignment,
    MatchFinished,
    MatchStored,
    StopMatch,
)
from sevenbag.contest.settings import ContestRules, GameRules, MatchRules
from tests.contest.scheduler.scripted_server import SchedulerHarness, game_done, match_done

RULES = MatchRules(games=3)
FIRST = game_done("", 1, 0).result


def changed(**changes: object) -> ContestGameResult:
    return msgspec.structs.replace(FIRST, **changes)


@given(
    games=st.integers(1, 6),
    game_seconds=st.sampled_from([0.5, 3.0, 100.0]),
    match_seconds=st.sampled_from([2.0, 1_000.0]),
    seed=st.integers(0, 1000),
    drops=st.booleans(),
)
def test_results_of_real_matches_are_accepted(
    games: int, game_seconds: float, match_seconds: float, seed: int, drops: bool
) -> None:
    rules = ContestRules(
        game=GameRules(gravity_ms=(50,)),
        match=MatchRules(games=games, game_seconds=game_seconds, match_seconds=match_seconds),
    )
    seats = (AssignedPlayer(team="a", bot="x"), AssignedPlayer(team="b", bot="x"))
    match = ContestMatch(str(uuid.uuid4()), "Final", seats, rules, seed, lambda: 0.0)
    finished: list[ContestGameResult] = []
    now = 0.0
    match.advance(now)
    match.connect(0, now)
    match.connect(1, now)
    while match.result is None:
        assert match.next_event_at is not None
        now = max(now, match.next_event_at)
        match.advance(now)
        if drops:
            match.move(0, "drop", None, now)
            match.move(1 if seed % 2 else 0, "drop", None, now)
        match.take_messages()
        for game in match.take_finished_games():
            assert find_game_error(game.result, finished, rules.match) is None
            finished.append(game.result)
            match.confirm_stored(game.result.number, now)
    assert find_match_error(match.result, finished, rules.match) is None


@pytest.mark.parametrize(
    ("result", "finished", "words"),
    [
        (changed(number=2), [], "expected game 1, got game 2"),
        (changed(number=4), [FIRST] * 3, "expected at most 3 games, got game 4"),
        (changed(number=3), [FIRST] * 2, "none after the match was won"),
        (changed(scores=(-1, 0)), [], "no negative numbers"),
        (changed(pieces=(-1, 0)), [], "no negative numbers"),
        (changed(ending="points at the time limit", scores=(5, 5)), [], "points are 5 to 5"),
        (changed(ending="points at the time limit", scores=(5, 9)), [], "points are 5 to 9"),
        (
            changed(ending="coin flip at the time limit"),
            [],
            "won by a coin flip, but points are 100",
        ),
        (changed(move_counts=({str(n): 1 for n in range(51)}, {})), [], "names of move outcomes"),
        (changed(move_counts=({}, {"x" * 51: 1})), [], "names of move outcomes"),
        (changed(move_counts=({"a\n": 1, "a\t": 1}, {})), [], "names of move outcomes"),
    ],
)
def test_games_that_cannot_be(
    result: ContestGameResult, finished: list[ContestGameResult], words: str
) -> None:
    assert words in (find_game_error(result, finished, RULES) or "")


@pytest.mark.parametrize(
    ("winner", "ending", "games", "points", "words"),
    [
        (0, "majority of games", (2, 1), (200, 100), "invalid games: expected 1 to 1, got 2 to 1"),
        (0, "majority of games", (1, 1), (200, 100), "invalid points: expected "),
        (0, "majority of games", (1, 1), (100, 100), "won by 'majority of games'"),
        (0, "games at the time limit", (1, 1), (100, 100), "but games are 1 to 1"),
        (0, "all games played", (1, 1), (100, 100), "but games are 1 to 1"),
        (1, "points", (1, 1), (100, 100), "and points 100 to 100"),
        (1, "called off", (1, 1), (100, 100), "won by 'called off'"),
        (None, "points", (1, 1), (100, 100), "expected a player, got none"),
    ],
)
def test_ends_that_cannot_be(
    winner: object, ending: object, games: object, points: object, words: str
) -> None:
    told = msgspec.convert(
        {"winner": winner, "ending": ending, "games": games, "points": points}, MatchResult
    )
    finished = [FIRST, game_done("", 2, 1).result]
    assert words in (find_match_error(told, finished, RULES) or "")


def test_a_match_without_teams_is_decided_as_at_its_time_limit() -> None:
    token = "00000000-0000-4000-8000-00000000000"
    first, second = game_done("", 1, 0).result, game_done("", 2, 1).result
    richer = game_done("", 2, 1, points=500).result
    for finished, winner, ending in [
        ([first], 0, "games at the time limit"),
        ([second], 1, "games at the time limit"),
        ([first, richer], 1, "points"),
    ]:
        result = decide_unplayed_match(token + "0", finished)
        assert (result.winner, result.ending) == (winner, ending)
        assert find_match_error(result, finished, RULES) is None
    coins = [decide_unplayed_match(token + digit, []) for digit in "0123456789abcdef"]
    assert {coin.ending for coin in coins} == {"coin flip"}
    assert sum(coin.winner or 0 for coin in coins) == 8


async def test_a_server_that_lies_of_a_game_loses_the_match(harness: SchedulerHarness) -> None:
    one, token = await harness.placed_match()
    two = await harness.server("two")
    await one.finish_game(token, 2)
    assert (await one.told(StopMatch)).match_token == token
    assert "expected game 1" in (await one.told(GameDiscarded)).reason
    await harness.scheduler.run_pass()
    place = await two.placed()
    assert (place.match_token, place.finished_games) == (token, ())
    assert harness.results(token) == []
    (row,) = harness.store.audit.list()
    assert (row.who, row.about) == ("server one", "match 1")
    assert harness.scheduler.metrics()["contest_invalid_results_total"] == 1
    (refused,) = harness.lines("game.rejected")
    assert (refused["level"], refused["match"], refused["game"]) == ("warning", 1, 2)


async def test_a_server_that_lies_of_the_end_loses_the_match(harness: SchedulerHarness) -> None:
    one, token = await harness.placed_match()
    await one.finish_game(token, 1, 1)
    await one.tell(match_done(token, (2, 0)))
    assert (await one.told(StopMatch)).match_token == token
    assert (await one.told(MatchStored)).match_token == token, "it need not tell it again"
    assert harness.store.matches.get(token).result is None
    await harness.after(50)
    assert not one.has_heard(MatchAssignment)
    await harness.after(20)
    assert len((await one.placed()).finished_games) == 1, "after a while it may try again"


async def test_match_without_teams_does_not_stop_the_contest(harness: SchedulerHarness) -> None:
    one, token = await harness.placed_match()
    nobody = MatchResult(winner=None, ending="called off", games=(0, 0), points=(0, 0))
    await one.tell(MatchFinished(match_token=token, result=nobody))
    await one.told(MatchStored)
    row = harness.store.matches.get(token)
    assert row.state == "done"
    assert row.result is not None
    assert row.result.ending == "coin flip"
    assert harness.store.contests.get(1).state == "finished"


async def test_test_match_without_teams_is_cancelled(harness: SchedulerHarness) -> None:
    one = await harness.server("one")
    harness.teams("red")
    token = (await harness.test_match(one)).match_token
    nobody = MatchResult(winner=None, ending="called off", games=(0, 0), points=(0, 0))
    await one.tell(MatchFinished(match_token=token, result=nobody))
    await one.told(MatchStored)
    assert harness.store.matches.get(token).state == "called off"
    assert harness.scheduler.metrics()["contest_invalid_results_total"] == 0
