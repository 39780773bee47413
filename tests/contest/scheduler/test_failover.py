"""Deaths of the scheduler and of game servers at every point: no finished game is lost.

Game servers are scripted, their links are in memory, time stands still; the store is a real one, in
both databases.
"""

import asyncio

import msgspec
import pytest

from sevenbag.contest.game import match_results
from sevenbag.contest.scheduler_protocol import (
    GameDiscarded,
    GameStarted,
    GameStored,
    Heartbeat,
    MatchAccepted,
    MatchAssignment,
    MatchFinished,
    MatchRejected,
    MatchStored,
    ServerDismissed,
    StopMatch,
    TeamJoined,
)
from tests.contest.scheduler.scripted_server import (
    PLAN,
    SchedulerHarness,
    ScriptedServer,
    game_done,
    match_done,
)

pytestmark = pytest.mark.parametrize(
    "harness", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)], indirect=True
)

GRACE = 10.0
SILENCE = 6.0
SETTLED = 1.5


async def begun(server: ScriptedServer) -> str:
    """Return a match in its first game with both teams connected."""
    token = (await server.placed()).match_token
    await server.tell(TeamJoined(match_token=token, player=0))
    await server.tell(TeamJoined(match_token=token, player=1))
    await server.tell(GameStarted(match_token=token, number=1, game_name="Game 1"))
    return token


async def playing(harness: SchedulerHarness, **more: object) -> tuple[ScriptedServer, str]:
    """Return the server "one" and a match in its first game on it."""
    one = await harness.server("one", **more)
    await harness.match()
    return one, await begun(one)


async def test_match_continues_elsewhere_after_the_last_finished_game(
    harness: SchedulerHarness,
) -> None:
    one, token = await playing(harness)
    await one.store_game(token, 1)
    two = await harness.server("two")
    await one.cut()
    await harness.after(GRACE - 1)
    assert not two.heard, "it waits for the server to come back"
    await harness.after(2)
    place = await two.placed()
    assert place.match_token == token
    assert [game.number for game in place.finished_games] == [1]
    assert harness.scheduler.find_address(token) is not None
    await two.finish_game(token, 2)
    await two.tell(match_done(token, (2, 0)))
    await two.told(MatchStored)
    row = harness.store.matches.get(token)
    assert (row.state, row.games) == ("done", (2, 0))
    assert harness.scheduler.metrics()["contest_failovers_total"] == 1


async def test_server_that_returns_in_time_keeps_its_match(harness: SchedulerHarness) -> None:
    one = await harness.server("one", instance="a")
    two = await harness.server("two")
    await harness.match()
    token = await begun(one)
    await one.cut()
    await harness.after(GRACE / 2)
    again = await harness.server("one", instance="a", hosting=[token])
    await harness.after(2 * GRACE / 3)
    assert not two.heard
    assert harness.scheduler.active_tokens() == (token,)
    await again.store_game(token, 1)


async def test_silent_server_is_considered_lost(harness: SchedulerHarness) -> None:
    one, token = await playing(harness)
    two = await harness.server("two")
    one.mute = True
    await harness.after(SILENCE + 2)
    assert [view.is_connected for view in harness.scheduler.list_servers()] == [False, True]
    assert not two.heard
    await harness.after(GRACE)
    assert (await two.placed()).match_token == token


async def test_scheduler_pause_does_not_make_servers_silent(harness: SchedulerHarness) -> None:
    """A suspended machine: time jumps before any message is read."""
    _, token = await playing(harness)
    harness.clock.now += 1000
    await harness.scheduler.run_pass()
    assert harness.scheduler.active_tokens() == (token,)
    await harness.after(SILENCE + 2)
    assert harness.scheduler.active_tokens() == (token,)


async def test_restarted_server_gets_its_match_without_the_grace_period(
    harness: SchedulerHarness,
) -> None:
    one, token = await playing(harness)
    await one.finish_game(token, 1)
    await one.cut()
    before = len(harness.lines())
    again = await harness.server("one")
    await harness.after(SETTLED)
    place = await again.placed()
    assert (place.match_token, len(place.finished_games)) == (token, 1)
    (waiting,) = harness.lines("match.waiting")
    assert (waiting["level"], waiting["reason"]) == ("info", "its server was restarted")
    assert {line["level"] for line in harness.lines()[before:]} == {"info"}


@pytest.mark.parametrize("paused", [False, True])
async def test_match_that_no_server_takes_is_reported_once(
    harness: SchedulerHarness, *, paused: bool
) -> None:
    one = await harness.server("one")
    contest = await harness.contest("red", "blue", plan=PLAN)
    token = await begun(one)
    await one.cut()
    again = await harness.server("one")
    await again.tell(Heartbeat(matches=0, commands=0, draining=True))
    again.mute = True
    if paused:
        await harness.scheduler.pause_contest(contest)
    await harness.after(SETTLED)
    assert "match.overdue" not in harness.warnings()
    await harness.after(10 * GRACE)
    number = harness.store.matches.get(token).id
    matches = [(line["match"], line["level"]) for line in harness.lines("match.overdue")]
    assert matches == ([] if paused else [(number, "warning")])


async def test_games_of_the_spool_count_before_the_match_is_placed_again(
    harness: SchedulerHarness,
) -> None:
    """Killed between the end of a game and its storage: the game is sent after the restart."""
    one, token = await playing(harness)
    await one.finish_game(token, 1)
    await one.cut()
    again = await harness.server("one")
    await again.tell(game_done(token, 2, 1, age=30.0))
    assert (await again.told(GameStored)).number == 2
    await harness.after(SETTLED)
    assert [game.winner for game in (await again.placed()).finished_games] == [0, 1]


async def test_a_whole_match_of_the_spool_is_done_without_being_played_again(
    harness: SchedulerHarness,
) -> None:
    one, token = await playing(harness)
    await one.cut()
    again = await harness.server("one")
    for number in (1, 2):
        await again.tell(game_done(token, number, 1))
    await again.tell(match_done(token, (0, 2)))
    await again.told(MatchStored)
    await harness.after(GRACE)
    assert harness.store.matches.get(token).state == "done"
    assert not again.has_heard(MatchAssignment)


@pytest.mark.parametrize("restarts", [True, False])
async def test_match_that_ended_while_the_site_was_down(
    harness: SchedulerHarness, *, restarts: bool
) -> None:
    one, token = await playing(harness, instance="a")
    await (harness.restart() if restarts else one.cut())
    before = len(harness.warnings())
    again = await harness.server("one", instance="a", ended=[token])
    assert (await harness.scheduler.current_match("red")).status == "waiting"
    for number in (1, 2):
        await again.tell(game_done(token, number, 1, age=20.0))
    await again.tell(match_done(token, (0, 2)))
    await again.told(MatchStored)
    await harness.after(GRACE)
    assert harness.store.matches.get(token).state == "done"
    assert harness.warnings()[before:] == []


async def test_match_without_reported_end_continues(harness: SchedulerHarness) -> None:
    one, token = await playing(harness, instance="a")
    await one.cut()
    two = await harness.server("two")
    await harness.server("one", instance="a", ended=[token])
    await harness.after(2 * GRACE)
    assert (await two.placed()).match_token == token


async def test_games_of_a_killed_server_cause_no_warning(harness: SchedulerHarness) -> None:
    one, token = await playing(harness)
    await one.cut()
    again = await harness.server("one")
    await again.finish_game(token, 1)
    assert "match.continued_elsewhere" not in harness.warnings()


async def test_repeated_result_is_stored_once_and_acknowledged_twice(
    harness: SchedulerHarness,
) -> None:
    one, token = await playing(harness)
    for number in (1, 1, 2, 1, 2):
        await one.store_game(token, number)
    for _ in range(3):
        await one.tell(match_done(token, (2, 0)))
        await one.told(MatchStored)
    await one.finish_game(token, 2)
    assert (await one.told(GameStored)).number == 2, "also when the match is over"
    assert harness.results(token) == [(1, 0), (2, 0)]
    assert not one.heard


async def test_the_scheduler_dies_between_store_and_answer(harness: SchedulerHarness) -> None:
    """The store has the game, but the server got no acknowledgement: it sends the game again."""
    _, token = await playing(harness, instance="a")
    harness.store.matches.add_game(token, game_done(token, 1).result, b"replay")
    await harness.restart()
    again = await harness.server("one", instance="a", hosting=[token])
    await again.store_game(token, 1)
    await again.store_game(token, 2)
    assert harness.results(token) == [(1, 0), (2, 0)]


async def test_the_scheduler_dies_between_the_result_and_the_next_round(
    harness: SchedulerHarness,
) -> None:
    one = await harness.server("one")
    contest = await harness.contest("a", "b", "c", "d", plan=PLAN)
    tokens = [(await one.placed()).match_token for _ in range(2)]
    for token in tokens:
        for number in (1, 2):
            harness.store.matches.add_game(token, game_done(token, number).result, b"")
        harness.store.matches.finish(token, match_done(token, (2, 0)).result)
    await harness.restart()
    one = await harness.server("one", hosting=tokens)
    assert {(await one.told(StopMatch)).match_token for _ in tokens} == set(tokens)
    await harness.scheduler.run_pass()
    assert (await one.placed()).match_name == "Final"
    assert harness.store.contests.get(contest).state == "running"


async def test_a_restarted_scheduler_waits_for_the_servers_that_play(
    harness: SchedulerHarness,
) -> None:
    _, token = await playing(harness, instance="a")
    await harness.restart()
    two = await harness.server("two")
    await harness.after(GRACE - 1)
    assert not two.heard
    again = await harness.server("one", instance="a", hosting=[token])
    await harness.after(5)
    assert not two.heard
    assert harness.scheduler.active_tokens() == (token,)
    await again.store_game(token, 1)


async def test_restarted_scheduler_gives_up_absent_servers(harness: SchedulerHarness) -> None:
    one, token = await playing(harness)
    await one.finish_game(token, 1)
    await harness.restart()
    await harness.after(GRACE + 1)
    two = await harness.server("two")
    await harness.scheduler.run_pass()
    place = await two.placed()
    assert (place.match_token, len(place.finished_games)) == (token, 1)


async def test_scheduler_dies_between_assignment_and_message(harness: SchedulerHarness) -> None:
    await harness.match()
    (row,) = harness.store.matches.list_unfinished()
    harness.store.matches.set_state(row, "placed", server="one")
    await harness.restart()
    one = await harness.server("one")
    await harness.after(SETTLED)
    assert (await one.placed()).match_token == row.token


async def test_a_server_that_ends_gives_its_matches_back_at_once(harness: SchedulerHarness) -> None:
    one, token = await playing(harness)
    await one.finish_game(token, 1)
    two = await harness.server("two")
    await one.tell(Heartbeat(matches=1, commands=0, draining=True))
    await one.tell(MatchRejected(match_token=token, reason="the game server ends"))
    await one.cut()
    await harness.scheduler.run_pass()
    assert len((await two.placed()).finished_games) == 1


async def test_both_servers_die(harness: SchedulerHarness) -> None:
    one, two = await harness.server("one"), await harness.server("two")
    await harness.match()
    token = await begun(one)
    await one.finish_game(token, 1)
    await one.cut()
    await harness.after(GRACE)
    assert (await two.placed()).match_token == token
    await two.finish_game(token, 2, 1)
    await two.cut()
    await harness.after(GRACE)
    assert harness.store.matches.get(token).state == "waiting"
    await harness.after(1000)
    three = await harness.server("three")
    await harness.scheduler.run_pass()
    assert [game.winner for game in (await three.placed()).finished_games] == [0, 1]


async def test_restarted_server_gets_its_match_back_despite_less_load_elsewhere(
    harness: SchedulerHarness,
) -> None:
    """Clients of 2012 know only one host, so they stay there."""
    one, token = await playing(harness)
    other = await harness.server("another", capacity=1_000)
    await one.cut()
    again = await harness.server("one")
    await harness.after(SETTLED)
    assert (await again.placed()).match_token == token
    assert not other.heard


@pytest.mark.parametrize("followed", [False, True])
async def test_late_restarted_server_gets_back_match_whose_teams_have_not_moved(
    harness: SchedulerHarness, followed: bool
) -> None:
    one, token = await playing(harness)
    two = await harness.server("two")
    await one.cut()
    await harness.after(GRACE)
    await two.placed()
    if followed:
        await two.tell(TeamJoined(match_token=token, player=0))
    again = await harness.server("one")
    await harness.after(SETTLED)
    if followed:
        assert not again.heard
        assert not two.heard
    else:
        call_off = await two.told(StopMatch)
        assert (call_off.match_token, call_off.continues_elsewhere) == (token, True)
        assert (await again.placed()).match_token == token


class TestAServerThatComesBackTooLate:
    """Its match was placed on another one meanwhile."""

    async def moved(self, harness: SchedulerHarness) -> tuple[ScriptedServer, ScriptedServer, str]:
        one, token = await playing(harness, instance="a")
        await one.finish_game(token, 1)
        await one.cut()
        two = await harness.server("two")
        await harness.after(GRACE)
        await two.placed()
        return one, two, token

    async def test_old_server_is_told_to_stop_a_moved_match(
        self, harness: SchedulerHarness
    ) -> None:
        _, two, token = await self.moved(harness)
        await two.tell(TeamJoined(match_token=token, player=0))
        one = await harness.server("one", instance="a", hosting=[token])
        call_off = await one.told(StopMatch)
        assert (call_off.match_token, call_off.continues_elsewhere) == (token, True)
        await one.tell(game_done(token, 2, 1, age=0.0))
        assert "moved to two" in (await one.told(GameDiscarded)).reason
        assert [line["level"] for line in harness.lines("game.rejected")] == ["info"]
        await two.store_game(token, 2)
        assert harness.results(token) == [(1, 0), (2, 0)]

    async def test_old_server_regains_a_match_without_clients(
        self, harness: SchedulerHarness
    ) -> None:
        """The link was cut, not the players' connections: they play on where they were."""
        _, two, token = await self.moved(harness)
        one = await harness.server("one", instance="a", hosting=[token])
        assert (await two.told(StopMatch)).match_token == token
        await one.store_game(token, 2)
        await two.tell(game_done(token, 2, 1))
        assert (await two.told(GameDiscarded)).number == 2
        assert harness.results(token) == [(1, 0), (2, 0)]
        address = harness.scheduler.find_address(token)
        assert address is not None
        assert address.server == "one"

    async def test_its_game_from_before_the_move_counts_also_while_the_next_is_played(
        self, harness: SchedulerHarness
    ) -> None:
        _, two, token = await self.moved(harness)
        await two.tell(TeamJoined(match_token=token, player=0))
        harness.clock.now += 5
        one = await harness.server("one")
        await one.tell(game_done(token, 2, 1, age=10.0))
        assert (await one.told(GameStored)).number == 2
        assert (await two.told(StopMatch)).match_token == token
        await two.tell(game_done(token, 2, 0))
        assert (await two.told(GameDiscarded)).number == 2
        assert harness.results(token) == [(1, 0), (2, 1)]
        await harness.after(SETTLED)
        place = await one.told(MatchAssignment)
        assert [game.winner for game in place.finished_games] == [0, 1]

    async def test_first_stored_game_counts(self, harness: SchedulerHarness) -> None:
        _, two, token = await self.moved(harness)
        await two.finish_game(token, 2, 0)
        one = await harness.server("one")
        await one.tell(game_done(token, 2, 1, age=1000.0))
        assert (await one.told(StopMatch)).match_token == token
        assert "another game 2" in (await one.told(GameDiscarded)).reason
        assert harness.results(token) == [(1, 0), (2, 0)]

    async def test_games_with_another_history_are_rejected(self, harness: SchedulerHarness) -> None:
        """Both servers have played a second game; one plays a third."""
        _, two, token = await self.moved(harness)
        await two.tell(TeamJoined(match_token=token, player=0))
        await two.finish_game(token, 2, 1)
        second = game_done(token, 2, 1, points=200, age=99.0)
        third = game_done(token, 3, 1, age=99.0)
        one = await harness.server("one")
        await one.tell(second)
        line = match_results.hash_history([game_done(token, 1).result, second.result])
        await one.tell(msgspec.structs.replace(third, history=line))
        assert [(await one.told(GameDiscarded)).number for _ in range(2)] == [2, 3]
        assert harness.results(token) == [(1, 0), (2, 1)]
        line = match_results.hash_history(harness.store.matches.list_game_results(token))
        await two.tell(msgspec.structs.replace(third, history=line, age=0.0))
        assert [(await two.told(GameStored)).number for _ in range(2)] == [2, 3]

    async def test_finished_match_is_stopped(self, harness: SchedulerHarness) -> None:
        _, two, token = await self.moved(harness)
        await two.finish_game(token, 2)
        await two.tell(match_done(token, (2, 0)))
        one = await harness.server("one", instance="a", hosting=[token])
        assert (await one.told(StopMatch)).match_token == token
        await one.tell(game_done(token, 2, 1))
        assert (await one.told(GameDiscarded)).number == 2
        await one.tell(match_done(token, (2, 0)))
        await one.told(MatchStored)
        assert harness.lines("game.rejected") == [
            {
                "event": "game.rejected",
                "level": "info",
                "match": harness.store.matches.get(token).id,
                "game": 2,
                "server": "one",
                "reason": "the match is over",
            }
        ]

    async def test_result_of_moved_players_does_not_count(self, harness: SchedulerHarness) -> None:
        _, two, token = await self.moved(harness)
        await two.tell(TeamJoined(match_token=token, player=0))
        one = await harness.server("one", instance="a")
        left = match_results.MatchResult(
            winner=0, ending="the other team did not come", games=(1, 0), points=(100, 0)
        )
        await one.tell(MatchFinished(match_token=token, result=left))
        await one.told(StopMatch)
        await one.told(MatchStored)
        assert harness.store.matches.get(token).state == "placed"


async def test_two_servers_of_one_name(harness: SchedulerHarness) -> None:
    one, token = await playing(harness)
    for hosting in ([], [token]):
        coming = asyncio.create_task(harness.server("one", hosting=hosting))
        while not coming.done():
            await one.tell(Heartbeat(matches=1, commands=0))
            await asyncio.sleep(0.01)
        other = await coming
        assert "named 'one' is connected already" in (await other.told(ServerDismissed)).reason
        assert other.over is not None
        await other.over
    await one.store_game(token, 1)
    assert not one.heard, "it does not notice"


async def test_server_returns_before_its_loss_is_noticed(harness: SchedulerHarness) -> None:
    """After a power failure the old connection is half-open and silent."""
    one, token = await playing(harness)
    other = await harness.server("one")
    assert not any(isinstance(message, ServerDismissed) for message in one.heard + other.heard)
    assert one.over is not None
    await one.over
    await harness.after(SETTLED)
    assert (await other.placed()).match_token == token


async def test_the_next_connection_of_a_server_replaces_the_old_one_silently(
    harness: SchedulerHarness,
) -> None:
    """Half-open: the server has seen the cut, the scheduler has not."""
    old, token = await playing(harness, instance="a")
    new = await harness.server("one", instance="a", hosting=[token])
    assert old.over is not None
    await old.over
    assert not old.has_heard(ServerDismissed)
    assert harness.scheduler.active_tokens() == (token,)
    await new.store_game(token, 1)


async def test_an_unknown_match(harness: SchedulerHarness) -> None:
    token = "00000000-0000-0000-0000-000000000000"
    one = await harness.server("one", hosting=[token])
    assert (await one.told(StopMatch)).match_token == token
    await one.finish_game(token, 1)
    assert (await one.told(StopMatch)).match_token == token
    assert (await one.told(GameDiscarded)).reason == "there is no such match"
    (refused,) = harness.lines("game.rejected")
    assert (refused["level"], refused["match"]) == ("warning", token[:8])
    await one.tell(match_done(token, (2, 0)))
    assert (await one.told(MatchStored)).match_token == token
    for message in (MatchAccepted(match_token=token), TeamJoined(match_token=token, player=0)):
        await one.tell(message)
        assert (await one.told(StopMatch)).match_token == token
    await one.tell(MatchRejected(match_token=token, reason="no"))
    assert not one.heard


async def test_interrupted_match_precedes_other_matches_of_its_teams(
    harness: SchedulerHarness,
) -> None:
    one = await harness.server("one", instance="a")
    await harness.contest("a", "b", "c")
    token = await begun(one)
    await one.cut()
    again = await harness.server("one")
    await harness.scheduler.run_pass()
    assert not again.heard, "its teams wait for it"
    await harness.after(SETTLED)
    assert (await again.placed()).match_token == token
