"""Tests of assignments, and of the messages to teams and the site."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from sevenbag.contest.scheduler import ContestChange, Scheduler
from sevenbag.contest.scheduler_protocol import (
    GameStarted,
    GameStored,
    Heartbeat,
    MatchAccepted,
    MatchAssignment,
    MatchRejected,
    PauseMatch,
    ServerDismissed,
    StopMatch,
    TeamJoined,
    decode_scheduler_message,
    encode,
)
from sevenbag.errors import SchedulerError, StoreError
from tests.contest import postgres
from tests.contest.scheduler.scripted_server import (
    PLAN,
    SchedulerHarness,
    ScriptedServer,
    game_done,
    match_done,
    settings,
)


async def play(server: ScriptedServer, token: str, winner: int = 0) -> None:
    """A match that one side wins without losing a game."""
    for number in (1, 2):
        await server.finish_game(token, number, winner)
    await server.tell(match_done(token, (2, 0) if winner == 0 else (0, 2)))


async def test_the_least_loaded_server_gets_the_next_match(harness: SchedulerHarness) -> None:
    small, large = (
        await harness.server("small", capacity=2),
        await harness.server("large", capacity=6),
    )
    await harness.contest(*(f"team {number}" for number in range(20)), plan=PLAN)
    for _ in range(2):
        await small.placed()
    for _ in range(6):
        await large.placed()
    await harness.after(4)
    assert not [
        message for message in small.heard + large.heard if isinstance(message, MatchAssignment)
    ]
    loads = {view.name: view.matches for view in harness.scheduler.list_servers()}
    assert loads == {"small": 2, "large": 6}


class TestATestMatch:
    async def test_is_against_the_test_client(self, harness: SchedulerHarness) -> None:
        harness.teams("red")
        one = await harness.server("one")
        place = await harness.test_match(one, "RED")
        address = harness.scheduler.find_address(place.match_token)
        assert address is not None
        assert (address.command_address, address.internal_address) == ("one.example", "127.0.0.1")
        assert (address.command_port, address.state_port) == (5557, 5556)
        assert [(seat.team, seat.bot) for seat in place.players] == [
            ("red", ""),
            ("Test Client", "random"),
        ]
        assert place.players[0].password_hash.startswith("$argon2id$")
        assert place.rules.match.games == 3

    async def test_needs_a_server(self, harness: SchedulerHarness) -> None:
        harness.teams("red")
        with pytest.raises(SchedulerError, match="no game server is connected"):
            await harness.scheduler.create_test_match("red", wait_seconds=0.05)
        assert harness.store.matches.list_unfinished() == ()

    async def test_needs_room(self, harness: SchedulerHarness) -> None:
        harness.teams("red", "blue")
        one = await harness.server("one", capacity=1)
        await harness.test_match(one)
        with pytest.raises(SchedulerError, match="no game server"):
            await harness.scheduler.create_test_match("blue", wait_seconds=0.05)

    async def test_needs_a_team_that_may_play(self, harness: SchedulerHarness) -> None:
        (name,) = harness.teams("red")
        team = harness.store.teams.find(name)
        assert team is not None
        harness.store.teams.set_disabled(team.id, True)
        for nobody in ("red", "blue", "", "x" * 1000):
            with pytest.raises(SchedulerError, match="no such team"):
                await harness.scheduler.create_test_match(nobody)

    async def test_calls_off_the_oldest_one_of_too_many(self, harness: SchedulerHarness) -> None:
        harness.teams("red")
        one = await harness.server("one")
        tokens = [(await harness.test_match(one)).match_token for _ in range(5)]
        assert harness.scheduler.active_tokens() == tuple(tokens[2:])
        assert [(await one.told(StopMatch)).match_token for _ in range(2)] == tokens[:2]

    async def test_rejected_match_is_assigned_to_another_server(
        self, harness: SchedulerHarness
    ) -> None:
        harness.teams("red")
        one, two = await harness.server("one"), await harness.server("two")
        creating = asyncio.create_task(harness.scheduler.create_test_match("red"))
        place = await one.told(MatchAssignment)
        await one.tell(MatchRejected(match_token=place.match_token, reason="no"))
        await harness.scheduler.run_pass()
        assert (await two.placed()).match_token == place.match_token
        assert (await creating).address.command_address == "two.example"

    async def test_match_rejected_everywhere_ends(self, harness: SchedulerHarness) -> None:
        harness.teams("red")
        one = await harness.server("one")
        token = (await harness.test_match(one)).match_token
        await one.cut()
        await harness.after(10)
        assert harness.store.matches.get(token).state == "waiting"
        await harness.after(130)
        assert harness.store.matches.get(token).state == "called off"

    async def test_test_match_is_created_without_a_waiting_caller(
        self, harness: SchedulerHarness
    ) -> None:
        """The caller has closed its HTTP connection."""
        harness.teams("red")
        one = await harness.server("one")
        creating = asyncio.create_task(harness.scheduler.create_test_match("red"))
        place = await one.told(MatchAssignment)
        creating.cancel()
        await one.tell(MatchAccepted(match_token=place.match_token))
        assert harness.scheduler.active_tokens() == (place.match_token,)


async def test_draining_server_gets_no_match(harness: SchedulerHarness) -> None:
    one = await harness.server("one")
    await one.tell(Heartbeat(matches=0, commands=5, draining=True))
    await harness.match()
    assert not one.heard
    (view,) = harness.scheduler.list_servers()
    assert (view.draining, view.commands, view.is_connected) == (True, 5, True)


async def test_match_without_acceptance_is_reassigned(harness: SchedulerHarness) -> None:
    one = await harness.server("one")
    await harness.match()
    place = await one.told(MatchAssignment)
    two = await harness.server("two")
    await harness.after(12)
    assert (await one.told(StopMatch)).match_token == place.match_token
    assert (await two.placed()).match_token == place.match_token
    await one.tell(MatchAccepted(match_token=place.match_token))
    assert (await one.told(StopMatch)).match_token == place.match_token


class TestAContest:
    async def test_runs_from_the_ranking_to_the_final(self, harness: SchedulerHarness) -> None:
        one = await harness.server("one")
        contest = await harness.contest("a", "b", "c", "d")
        names = []
        while harness.store.contests.get(contest).state == "running":
            await harness.scheduler.run_pass()
            place = await one.placed()
            names.append(place.match_name)
            better = 0 if place.players[0].team < place.players[1].team else 1
            await play(one, place.match_token, better)
        assert len(names) == 6 + 3
        assert names[-1] == "Final"
        tournament = harness.store.contests.tournament(contest)
        assert tournament.final_ranking == (0, 1, 2, 3)
        assert (await harness.scheduler.current_match("a")).status == "finished"

    async def test_team_plays_one_match_at_a_time(self, harness: SchedulerHarness) -> None:
        one = await harness.server("one")
        await harness.contest("a", "b", "c", "d")
        places = [await one.placed() for _ in range(2)]
        teams = [seat.team for place in places for seat in place.players]
        assert sorted(teams) == ["a", "b", "c", "d"]
        await harness.after(4)
        assert not one.has_heard(MatchAssignment)

    async def test_number_of_live_matches_is_limited(self, tmp_path: Path) -> None:
        harness = SchedulerHarness(f"sqlite:///{tmp_path}/contest.db")
        harness.scheduler = Scheduler(
            harness.store, settings(max_matches=1), clock=harness.clock, pass_interval=None
        )
        await harness.scheduler.start()
        one = await harness.server("one")
        await harness.contest("a", "b", "c", "d", plan=PLAN)
        place = await one.placed()
        await harness.after(4)
        assert not one.has_heard(MatchAssignment)
        await play(one, place.match_token)
        await harness.scheduler.run_pass()
        await one.placed()
        await harness.end()

    async def test_teams_get_their_current_match(self, harness: SchedulerHarness) -> None:
        current = harness.scheduler.current_match
        row = await harness.scheduler.create_contest(
            "Cup", harness.teams("a", "b", "c", "d", "x"), plan=PLAN
        )
        row = await harness.scheduler.create_contest("Cup 2", ["a", "b", "c", "d"], plan=PLAN)
        await harness.scheduler.cancel_contest(1, "a mistake")
        assert (await current("a")).status == "waiting"
        assert (await current("x")).status == "finished"
        await harness.scheduler.start_contest(row.id)
        assert (await current("a")).to_reply() == {"status": "waiting"}
        one = await harness.server("one")
        await harness.scheduler.run_pass()
        places = [await one.placed() for _ in range(2)]
        now = await current("a")
        assert (now.status, now.opponent) == ("playing", "d")
        (mine,) = [place for place in places if "a" in [seat.team for seat in place.players]]
        assert now.to_reply() == {
            "status": "playing",
            "match_token": mine.match_token,
            "match_id": harness.store.matches.get(mine.match_token).id,
            "match_name": mine.match_name,
            "opponent": "d",
            "server_ip": "one.example",
            "internal_ip": "127.0.0.1",
        }
        await play(one, mine.match_token, 0)
        assert (await current("a")).status == "waiting"
        assert (await current("d")).status == "finished"
        with pytest.raises(SchedulerError, match="no such team"):
            await current("nobody")

    async def test_contest_can_be_paused_and_resumed(self, harness: SchedulerHarness) -> None:
        one = await harness.server("one", instance="a")
        contest = await harness.contest("a", "b", "c", "d", plan=PLAN)
        tokens = [(await one.placed()).match_token for _ in range(2)]
        await harness.scheduler.pause_contest(contest)
        assert {(await one.told(PauseMatch)).match_token for _ in tokens} == set(tokens)
        await play(one, tokens[0])
        await play(one, tokens[1])
        await harness.scheduler.run_pass()
        assert not one.has_heard(MatchAssignment)
        await harness.restart()
        one = await harness.server("one", instance="a")
        await harness.scheduler.run_pass()
        assert not one.heard, "it is remembered"
        with pytest.raises(SchedulerError, match="is paused, must be running"):
            await harness.scheduler.pause_contest(contest)
        await harness.scheduler.resume_contest(contest)
        await harness.scheduler.run_pass()
        assert (await one.placed()).match_name == "Final"

    async def test_pause_during_a_disconnect_is_sent_later(self, harness: SchedulerHarness) -> None:
        one = await harness.server("one", instance="a")
        contest = await harness.contest("a", "b", plan=PLAN)
        token = (await one.placed()).match_token
        for halted in (True, False):
            await one.cut()
            if halted:
                await harness.scheduler.pause_contest(contest)
            else:
                await harness.scheduler.resume_contest(contest)
            one = await harness.server("one", instance="a", hosting=[token])
            assert (await one.told(PauseMatch)).paused is halted

    async def test_can_be_called_off(self, harness: SchedulerHarness) -> None:
        one = await harness.server("one")
        contest = await harness.contest("a", "b", "c")
        token = (await one.placed()).match_token
        row = await harness.scheduler.cancel_contest(contest, "rain")
        assert row.state == "called off"
        assert (await one.told(StopMatch)).match_token == token
        assert harness.store.matches.list_unfinished() == ()
        await harness.after(10)
        assert not one.has_heard(MatchAssignment)

    async def test_cancelled_match_is_replayed(self, harness: SchedulerHarness) -> None:
        one, token = await harness.placed_match()
        await one.finish_game(token, 1)
        await harness.scheduler.cancel_match(token, "a broken cable")
        with pytest.raises(SchedulerError, match="no such match"):
            await harness.scheduler.cancel_match(token, "twice")
        await harness.scheduler.run_pass()
        place = await one.placed()
        assert place.match_token != token
        assert place.finished_games == ()

    async def test_cancelled_ranking_match_is_replayed(self, harness: SchedulerHarness) -> None:
        one = await harness.server("one")
        contest = await harness.contest("a", "b", "c")
        token = (await one.placed()).match_token
        await harness.scheduler.cancel_match(token, "a broken cable")
        played = 0
        while harness.store.contests.get(contest).state == "running":
            await harness.scheduler.run_pass()
            await play(one, (await one.placed()).match_token)
            played += 1
        assert played == 3 + 2

    async def test_needs_teams(self, harness: SchedulerHarness) -> None:
        with pytest.raises(SchedulerError, match="no team named 'a'"):
            await harness.scheduler.create_contest("Cup", ["a"])
        row = await harness.scheduler.create_contest("Cup", harness.teams("a"))
        with pytest.raises(SchedulerError, match="fewer than two teams"):
            await harness.scheduler.start_contest(row.id)
        with pytest.raises(StoreError):
            await harness.scheduler.start_contest(1000)


async def test_changes_are_published(harness: SchedulerHarness) -> None:
    with harness.scheduler.subscribe() as changes:
        one = await harness.server("one")
        contest = await harness.contest("a", "b", plan=PLAN)
        token = (await one.placed()).match_token
        await one.tell(TeamJoined(match_token=token, player=0))
        await one.tell(GameStarted(match_token=token, number=1, game_name="1"))
        await play(one, token)
        told = []
        async for change in changes:
            told.append(change)
            if change.kind == "match done":
                break
    assert [change.kind for change in told] == [
        "server",
        "contest",
        "contest",
        "match waiting",
        "contest",
        "match placed",
        "joined",
        "game began",
        "game done",
        "game done",
        "match done",
    ]
    row = harness.store.matches.get(token)
    assert told[-2] == ContestChange("game done", row.id, token, contest, 2, "one")


async def test_slow_listener_is_bounded_and_notified(harness: SchedulerHarness) -> None:
    with harness.scheduler.subscribe() as changes:
        one, token = await harness.placed_match()
        for _ in range(1000):
            await one.tell(TeamJoined(match_token=token, player=0))
        await harness.scheduler.stop()
        kinds = [change.kind async for change in changes]
    assert len(kinds) <= 257
    assert "lost" in kinds


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"{",
        b"[]",
        b"\xff",
        b'{"type": "hello"}',
        b'{"type": "kept"}',
        encode(Heartbeat(matches=1, commands=1)),
    ],
)
async def test_server_without_hello_is_dismissed(harness: SchedulerHarness, frame: bytes) -> None:
    said: list[bytes] = []

    async def hear() -> bytes:
        return frame

    async def say(data: bytes) -> None:
        said.append(data)

    await harness.scheduler.serve_game_server(hear, say)
    assert isinstance(decode_scheduler_message(said[0]), ServerDismissed)
    assert harness.scheduler.list_servers() == ()
    assert harness.scheduler.metrics()["contest_connection_errors_total"] == 1


@pytest.mark.parametrize("frame", [b"{", b'{"type": "dance"}', b"\xff\xff", b'{"type": "pulse"}'])
async def test_a_server_that_cannot_be_understood_is_cut_off(
    harness: SchedulerHarness, frame: bytes
) -> None:
    one = await harness.server("one")
    await one.tell_frame(frame)
    assert one.over is not None
    await one.over
    assert [view.is_connected for view in harness.scheduler.list_servers()] == [False]


class TestAStoreThatFails:
    """Nothing unstored is published; everything continues once the store works."""

    async def test_store_failure_while_a_game_is_reported(
        self, harness: SchedulerHarness, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        one, token = await harness.placed_match(instance="a")
        with monkeypatch.context() as patch:
            patch.setattr(harness.store.matches, "add_game", _failing)
            await one.tell(game_done(token, 1))
            assert one.over is not None
            await one.over
        assert not one.has_heard(GameStored)
        assert not harness.scheduler.is_healthy
        await harness.scheduler.run_pass()
        assert harness.scheduler.is_healthy
        one = await harness.server("one", instance="a", hosting=[token])
        await one.store_game(token, 1)

    async def test_while_a_match_is_placed(
        self, harness: SchedulerHarness, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        one = await harness.server("one")
        with monkeypatch.context() as patch:
            patch.setattr(harness.store.matches, "load_assignment", _failing)
            with pytest.raises(StoreError):
                await harness.match()
        assert not one.heard
        await harness.after(30)
        await one.placed()

    async def test_store_failure_while_a_server_connects(
        self, harness: SchedulerHarness, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        one, token = await harness.placed_match(instance="a")
        await one.cut()
        with monkeypatch.context() as patch:
            patch.setattr(harness.store.matches, "set_state", _failing)
            refused = await harness.server("one", instance="a", hosting=[token])
            assert refused.over is not None
            await refused.over
        await harness.scheduler.run_pass()
        again = await harness.server("one", instance="a", hosting=[token])
        await again.store_game(token, 1)


@pytest.fixture
def database() -> Iterator[postgres.Server]:
    """A server of one test, which it may kill."""
    if why := postgres.missing():
        pytest.skip(why)
    with postgres.running_server() as running:
        yield running


@pytest.mark.postgres
@pytest.mark.faults
async def test_games_are_resent_until_the_database_returns(database: postgres.Server) -> None:
    harness = SchedulerHarness(database.new_database())
    await harness.scheduler.start()
    one, token = await harness.placed_match(instance="a")
    await one.store_game(token, 1)

    database.crash()
    await one.tell(game_done(token, 2))
    assert one.over is not None
    await one.over
    assert not one.has_heard(GameStored)
    refused = await harness.server("one", instance="a", hosting=[token])
    assert refused.over is not None
    await refused.over
    assert not harness.scheduler.is_healthy

    database.restart()
    await harness.scheduler.run_pass()
    assert harness.scheduler.is_healthy
    again = await harness.server("one", instance="a", hosting=[token])
    await again.store_game(token, 2)
    assert harness.results(token) == [(1, 0), (2, 0)]
    await harness.end()


async def test_the_scheduler_looks_by_itself_whatever_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = SchedulerHarness(f"sqlite:///{tmp_path}/contest.db")
    harness.scheduler = Scheduler(harness.store, harness.settings, pass_interval=0.02)
    await harness.scheduler.start()
    one = await harness.server("one")
    harness.teams("red")
    for trouble in (_failing, _broken):
        with monkeypatch.context() as patch:
            patch.setattr("sevenbag.contest.scheduler.match_assigner.choose_server", trouble)
            with pytest.raises(SchedulerError, match="no game server"):
                await harness.scheduler.create_test_match("red", wait_seconds=0.2)
    row = await harness.scheduler.create_contest("Cup", harness.teams("a", "b"), plan=PLAN)
    await harness.scheduler.start_contest(row.id)
    await one.placed()
    assert harness.scheduler.is_healthy
    await harness.scheduler.stop()
    assert one.over is not None
    async with asyncio.timeout(120):
        await one.over
    harness.store.close()


def _failing(*args: object, **more: object) -> None:
    raise StoreError("the disk is full")


def _broken(*args: object, **more: object) -> None:
    raise RuntimeError("a fault of ours")
