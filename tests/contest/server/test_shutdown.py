"""Tests of shutdown: games are finished or aborted, and finished games are never lost."""

import asyncio
from typing import Any

import pytest

from sevenbag.contest.server import GameServer
from sevenbag.contest.settings import LogSettings, MatchRules, ServerSettings, TestClientSettings
from sevenbag.errors import InputError, MatchRejectedError, ServerDismissedError
from tests.contest.server.hosted_server import RecordingSink, hosting, placement

QUICK = MatchRules(
    games=19, game_seconds=3_600, first_pause_seconds=0, pause_seconds=0.02, repeat_seconds=0.05
)


async def test_running_games_are_finished_and_no_other_begins() -> None:
    sink = RecordingSink()
    async with hosting(result_sink=sink, shutdown_mode="finish", shutdown_seconds=3_600) as hosted:
        place, idle = hosted.place(placement(match=QUICK)), hosted.place(placement(match=QUICK))
        listener = hosted.listener(place)
        loser, _ = await hosted.connect_both(place)
        await listener.next()
        stopping = asyncio.create_task(hosted.server.stop())
        await asyncio.sleep(0)
        assert hosted.server.create_heartbeat().draining
        with pytest.raises(MatchRejectedError, match="shutting down"):
            hosted.server.accept_match(placement())
        # After the end an answer is not guaranteed.
        table = hosted.server.matches[place.match_token]
        while table.match.phase == "game":
            await loser.move("drop")
        await listener.until("GameEnd")
        async with asyncio.timeout(120):
            await stopping
        assert [told for told in sink.events if told[0] in {"game", "began", "match", "lost"}] == [
            ("began", place.match_token, 1),
            ("game", place.match_token, 1),
        ]
        assert sink.events[-1] == ("stop",)
        # The match continues elsewhere, so its end is not published.
        while await listener.socket.poll(50):
            assert (await listener.next())["comm_type"] != "MatchEnd"
        assert idle.match_token not in hosted.server.matches


async def test_a_game_that_takes_too_long_is_not_waited_for() -> None:
    async with hosting(result_sink=RecordingSink(), shutdown_seconds=0) as hosted:
        place = hosted.place(placement(match=QUICK))
        await hosted.connect_both(place)
        hosted.server.matches[place.match_token].match.cancel = None  # type: ignore[method-assign, assignment]
        async with asyncio.timeout(120):
            await hosted.server.stop("finish")


async def test_finished_games_are_stored_before_an_abort() -> None:
    sink = RecordingSink()
    sink.gate.clear()
    async with hosting(result_sink=sink) as hosted:
        place = hosted.place(placement(match=QUICK))
        listener = hosted.listener(place)
        loser, _ = await hosted.connect_both(place)
        await listener.next()
        table = hosted.server.matches[place.match_token]
        async with asyncio.timeout(120):
            while not table.is_storing:
                await loser.move("drop")
        stopping = asyncio.create_task(hosted.server.stop("abort"))
        await asyncio.sleep(0.1)
        assert not stopping.done()
        sink.gate.set()
        await stopping
        assert ("game", place.match_token, 1) in sink.events
        assert sink.events[-1] == ("stop",)


async def test_shutdown_without_a_scheduler_ends_matches() -> None:
    async with hosting() as hosted:
        place = hosted.place(placement(match=QUICK))
        listener = hosted.listener(place)
        await hosted.connect_both(place)
        await listener.next()
        result = asyncio.ensure_future(hosted.server.wait_for_result(place.match_token))
        await asyncio.sleep(0)
        await hosted.server.stop("abort")
        await listener.until("MatchEnd")
        assert (await result).ending == "called off"


async def test_cancelled_run_shuts_down_in_order() -> None:
    sink = RecordingSink()
    server = GameServer(
        ServerSettings(command_port=0, state_port=0, shutdown_mode="abort"),
        test_client=TestClientSettings(),
        log=LogSettings(moves="none"),
        result_sink=sink,
    )
    await server.start()
    running = asyncio.create_task(server.run())
    await asyncio.sleep(0.01)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert sink.events == [("start",), ("stop",)]
    # Both ports are free again.
    with pytest.raises(MatchRejectedError):
        server.accept_match(placement())


async def test_dismissed_server_stops_with_the_reason() -> None:
    async with hosting(result_sink=RecordingSink()) as hosted:
        place = hosted.place(placement(match=QUICK))
        listener = hosted.listener(place)
        await hosted.connect_both(place)
        await listener.next()
        running = asyncio.create_task(hosted.server.run())
        await asyncio.sleep(0)
        hosted.server.dismiss("another server has this name")
        with pytest.raises(ServerDismissedError, match="this name"):
            await running
        assert not hosted.server.matches


@pytest.mark.parametrize("port", ["command_port", "state_port", "http_port"])
async def test_port_in_use_is_reported_and_sockets_are_closed(port: str) -> None:
    listening = await asyncio.start_server(lambda _reader, _writer: None, "127.0.0.1", 0)
    taken = listening.sockets[0].getsockname()[1]
    settings: dict[str, Any] = {"command_port": 0, "state_port": 0} | {port: taken}
    server = GameServer(
        ServerSettings(**settings), test_client=TestClientSettings(), log=LogSettings()
    )
    with pytest.raises(InputError, match=f"cannot listen at 127.0.0.1:{taken}.*in use"):
        await server.start()
    listening.close()
    await listening.wait_closed()


@pytest.mark.parametrize("bind", ["no.such.host.invalid", "192.0.2.1", "not an address"])
async def test_foreign_address_is_reported(bind: str) -> None:
    server = GameServer(
        ServerSettings(bind=bind, command_port=0, state_port=0),
        test_client=TestClientSettings(),
        log=LogSettings(),
    )
    with pytest.raises(InputError, match=f"the command channel cannot listen at {bind}"):
        await server.start()


async def test_both_channels_may_listen_at_different_addresses() -> None:
    async with hosting(bind="127.0.0.1", state_bind="127.0.0.2") as hosted:
        hello = hosted.server.create_hello()
        assert hosted.server.state_endpoint == f"tcp://127.0.0.2:{hello.state_port}"
        assert (hello.command_address, hello.state_address) == ("127.0.0.1", "127.0.0.2")
        place = hosted.place(placement(match=QUICK))
        listener = hosted.listener(place)
        await hosted.connect_both(place)
        await listener.next()


async def test_hello_has_the_addresses_of_the_settings() -> None:
    addresses: dict[str, Any] = {
        "address": "games.example",
        "internal_address": "10.0.0.1",
        "name": "one",
    }
    async with hosting(**addresses) as hosted:
        hello = hosted.server.create_hello()
        assert hello.command_address == hello.state_address == "games.example"
        assert (hello.internal_address, hello.name) == ("10.0.0.1", "one")
    async with hosting() as hosted:
        hello = hosted.server.create_hello()
        assert hello.internal_address == hello.command_address == "127.0.0.1"
        assert hello.name.endswith(f" 127.0.0.1:{hello.command_port}")


async def test_default_names_of_servers_are_unique() -> None:
    async with hosting(bind="127.0.0.1") as one, hosting(bind="127.0.0.2") as two:
        names = (server.create_hello().name for server in (one.server, two.server))
        first, second = (name.rpartition(":")[0] for name in names)
        assert first != second
