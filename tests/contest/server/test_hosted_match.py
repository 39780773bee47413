"""Tests of whole matches at real sockets."""

import asyncio
import gc
import time
import weakref

import msgspec
import pytest

from sevenbag.contest.game import pason_replay
from sevenbag.contest.game.match_results import ContestGameResult
from sevenbag.contest.settings import MatchRules
from sevenbag.errors import MatchRejectedError
from sevenbag.protocols.pason.messages import GamePieceState, decode_state
from tests.contest.server.hosted_server import RecordingSink, hosting, lose, placement, until

QUICK = MatchRules(
    games=3,
    game_seconds=3_600,
    first_pause_seconds=0.02,
    pause_seconds=0.02,
    repeat_seconds=0.05,
    linger_seconds=60,
)


def finished(number: int, winner: int, *, sequence: int, piece: int) -> ContestGameResult:
    return ContestGameResult(
        number=number,
        game_name=f"Game {number}",
        winner=1 if winner else 0,
        ending="top out",
        scores=(100, 200),
        last_sequence=sequence,
        last_piece_number=piece,
    )


async def test_a_match_from_its_placement_to_its_end() -> None:
    sink = RecordingSink()
    async with hosting(result_sink=sink) as hosted:
        place = hosted.place(placement(match=QUICK))
        token = place.match_token
        listener, onlooker = hosted.listener(place), hosted.listener(place)
        loser, winner = await hosted.connect_both(place)
        ends = [await lose(loser, listener), await lose(loser, listener)]
        heard = await onlooker.until("MatchEnd")

        assert [end["winner"] for end in ends] == ["B", "B"]
        assert heard[-1] == {
            "comm_type": "MatchEnd",
            "match_name": "A match",
            "match_token": token,
            "status": "ENDED",
        }
        sequences = [message["sequence"] for message in heard[:-1]]
        assert sequences == list(range(sequences[0], sequences[0] + len(sequences)))
        assert abs(heard[0]["timestamp"] - time.time()) < 60
        result = await hosted.server.wait_for_result(token)
        assert (result.winner, result.ending, result.games) == (1, "majority of games", (0, 2))

        # Commands are still answered after the end, but nothing is published.
        assert (await loser.move("drop"))["resp"] == "OK"
        assert (await winner.connect(place, "B"))["error"] == "match ended"
        assert not await listener.socket.poll(0) or (await listener.until("MatchEnd"))
        assert not await onlooker.socket.poll(100)

        assert sink.events[0] == ("start",)
        assert sink.events[1:3] == [("joined", token, 0), ("joined", token, 1)]
        assert sink.events[3:] == [
            ("began", token, 1),
            ("game", token, 1),
            ("began", token, 2),
            ("game", token, 2),
            ("match", token),
        ]
        records = [pason_replay.decode_replay(replay) for replay in sink.replays]
        assert [one.header.number for one in records] == [1, 2]
        for one, end in zip(records, ends, strict=True):
            assert pason_replay.replay_game(one).scores == [end["scores"]["A"], end["scores"]["B"]]


async def test_game_end_is_published_after_storage() -> None:
    sink = RecordingSink()
    sink.gate.clear()
    async with hosting(result_sink=sink) as hosted:
        place = hosted.place(placement(match=QUICK))
        listener = hosted.listener(place)
        loser, _ = await hosted.connect_both(place)
        table = hosted.server.matches[place.match_token]
        await listener.until("GamePieceState")
        async with asyncio.timeout(120):
            while table.match.phase != "held":
                await loser.move("drop")
        assert table.is_storing
        kinds: list[str] = []
        while await listener.socket.poll(50):
            kinds.append((await listener.next())["comm_type"])
        assert "GameEnd" not in kinds
        sink.gate.set()
        assert (await listener.until("GameEnd"))[-1]["winner"] == "B"


async def test_concurrent_matches_publish_their_own_states() -> None:
    async with hosting() as hosted:
        places = [hosted.place(placement(f"{n} A", f"{n} B", match=QUICK)) for n in range(8)]

        async def play(number: int) -> None:
            place = places[number]
            listener = hosted.listener(place)
            clients = await hosted.connect_both(place)
            for _ in range(2):
                end = await lose(clients[number % 2], listener)
                assert end["winner"] == place.players[1 - number % 2].team
                assert end["match_token"] == place.match_token
            for message in await listener.until("MatchEnd"):
                states = message.get("states", {seat.team: 0 for seat in place.players})
                assert set(states) == {seat.team for seat in place.players}
            result = await hosted.server.wait_for_result(place.match_token)
            assert result.winner == 1 - number % 2

        await asyncio.gather(*map(play, range(8)))


async def test_match_continues_after_known_games() -> None:
    async with hosting() as hosted:
        known = (
            finished(1, 0, sequence=5_000, piece=300),
            finished(2, 1, sequence=9_000, piece=700),
        )
        place = hosted.place(placement(match=QUICK, finished=known))
        listener = hosted.listener(place)
        loser, _ = await hosted.connect_both(place)
        first = (await listener.until("GamePieceState"))[-1]
        assert first["game_name"] == "Game 3"
        assert first["sequence"] > 9_000
        assert all(state["number"] > 700 for state in first["states"].values())
        await lose(loser, listener)
        result = await hosted.server.wait_for_result(place.match_token)
        assert (result.winner, result.games) == (1, (1, 2))


async def test_client_token_survives_a_move_to_another_server() -> None:
    place = placement(match=QUICK)
    async with hosting() as hosted:
        hosted.place(place)
        clients = await hosted.connect_both(place)
        tokens = [client.token for client in clients]
    async with hosting() as hosted:
        hosted.place(place)
        listener = hosted.listener(place)
        # Moves are accepted from any owner of the token, even without a connect.
        for token in tokens:
            client = hosted.client()
            client.token = token
            assert (await client.move("left"))["resp"] == "OK"
        state = decode_state(await _raw(listener.socket))
        while not isinstance(state, GamePieceState):
            state = decode_state(await _raw(listener.socket))
        assert set(state.states) == {"A", "B"}


async def test_a_match_that_lacks_a_team_is_won_by_the_other() -> None:
    match = MatchRules(connect_seconds=0.3)
    sink = RecordingSink()
    async with hosting(result_sink=sink) as hosted:
        place = hosted.place(placement(match=match))
        empty = hosted.place(placement(match=match))
        listener = hosted.listener(place)
        # As by its token, so that it is there in time however slow the machine is.
        hosted.server.matches[place.match_token].join(1)
        result = await hosted.server.wait_for_result(place.match_token)
        assert (result.winner, result.ending) == (1, "the other team did not come")
        assert (await hosted.server.wait_for_result(empty.match_token)).winner is None
        await listener.until("MatchEnd")
        await until(lambda: [told[0] for told in sink.events].count("match") == 2)


async def test_match_end_is_published_after_its_result_is_stored() -> None:
    sink = RecordingSink()
    sink.gate.clear()
    async with hosting(result_sink=sink) as hosted:
        place = hosted.place(placement(match=MatchRules(connect_seconds=0.1)))
        token = place.match_token
        table = hosted.server.matches[token]
        table.join(1)
        listener, onlooker = hosted.listener(place), hosted.listener(f"/figures/{token}")
        await until(lambda: table.match.result is not None)
        result = asyncio.ensure_future(hosted.server.wait_for_result(token))
        assert not await listener.socket.poll(100)
        assert not await onlooker.socket.poll(0)
        assert not result.done()
        assert token in hosted.server.create_hello().hosting
        sink.gate.set()
        await listener.until("MatchEnd")
        assert (await onlooker.next())["winner"] == "B"
        assert (await result).winner == 1
        assert token not in hosted.server.create_hello().hosting


async def test_halted_matches_begin_no_game_and_called_off_ones_end() -> None:
    sink = RecordingSink()
    async with hosting(result_sink=sink) as hosted:
        place = hosted.place(placement(match=QUICK))
        token = place.match_token
        listener = hosted.listener(place)
        hosted.server.pause_match(token, paused=True)
        await hosted.connect_both(place)
        assert not await listener.socket.poll(150)
        hosted.server.pause_match(token, paused=False)
        await listener.until("GamePieceState")
        hosted.server.cancel_match(token, "rain")
        await listener.until("MatchEnd")
        assert (await hosted.server.wait_for_result(token)).ending == "called off"
        # The scheduler, which cancelled it, knows.
        assert ("match", token) not in sink.events
        hosted.server.cancel_match(token, "again")
        hosted.server.cancel_match("nothing of that kind", "at all")
        hosted.server.pause_match("nothing of that kind", paused=True)


async def test_match_that_continues_elsewhere_publishes_no_end() -> None:
    sink = RecordingSink()
    async with hosting(result_sink=sink) as hosted:
        place = hosted.place(placement(match=QUICK))
        token = place.match_token
        listener = hosted.listener(place)
        client, _ = await hosted.connect_both(place)
        await listener.until("GamePieceState")
        hosted.server.release_match(token, "the match has moved to another server")
        hosted.server.release_match("nothing of that kind", "at all")
        assert token not in hosted.server.create_hello().hosting
        with pytest.raises(MatchRejectedError):
            await hosted.server.wait_for_result(token)
        assert (await client.move("drop"))["resp"] == "OK"
        # It may be assigned again.
        hosted.place(msgspec.structs.replace(place, attempt=2))
        sequences = [0]
        while sequences[-1] < 10_000_000:
            message = await listener.next()
            assert message["comm_type"] in {"GameBoardState", "GamePieceState"}
            sequences.append(message["sequence"])
        assert ("match", token) not in sink.events


async def test_when_a_match_has_lingered_its_tokens_are_still_known_as_ended() -> None:
    match = MatchRules(games=1, first_pause_seconds=0, repeat_seconds=0.05, linger_seconds=0.05)
    async with hosting() as hosted:
        place = hosted.place(placement(match=match))
        listener = hosted.listener(place)
        loser, _ = await hosted.connect_both(place)
        await lose(loser, listener)
        await until(lambda: place.match_token not in hosted.server.matches)
        assert (await loser.move("drop"))["error"] == "match ended"
        assert (await loser.connect(place))["error"] == "match ended"


async def test_finished_matches_leave_nothing_behind() -> None:
    match = MatchRules(games=1, first_pause_seconds=0, game_seconds=0.05, linger_seconds=0)
    async with hosting() as hosted:
        bots = {"A": "random", "B": "random"}
        places = [hosted.place(placement("A", "B", match=match, bots=bots)) for _ in range(20)]
        matches_hosted = [weakref.ref(hosted.server.matches[place.match_token]) for place in places]
        await until(lambda: not hosted.server.matches)
        # Tasks that close them end in their own time.
        await until(lambda: gc.collect() >= 0 and not any(table() for table in matches_hosted))


async def test_placements_that_a_server_refuses() -> None:
    async with hosting(capacity=2) as hosted:
        server = hosted.server
        place = hosted.place(placement())
        # The scheduler may say so again.
        hosted.place(place)
        ahead = placement(token=place.match_token, finished=(finished(1, 0, sequence=1, piece=1),))
        with pytest.raises(MatchRejectedError, match="fewer finished games"):
            server.accept_match(ahead)
        with pytest.raises(MatchRejectedError, match="invalid teams"):
            server.accept_match(placement("A", "A"))
        with pytest.raises(MatchRejectedError, match="invalid finished games"):
            server.accept_match(placement(finished=(finished(2, 0, sequence=1, piece=1),)))
        for bot, words in (("tbp:./bot", "within a server"), ("beam:x=1", "unknown option")):
            with pytest.raises(MatchRejectedError, match=words):
                server.accept_match(placement("A", "Bot", bots={"Bot": bot}))
        hosted.place(placement())
        with pytest.raises(MatchRejectedError, match="hosts 2 matches"):
            server.accept_match(placement())
        # A cancelled match frees its place at once and may return.
        server.cancel_match(place.match_token, "a test")
        hosted.place(ahead)
        assert server.create_heartbeat().matches == 2
        assert set(server.create_hello().hosting) == set(server.matches)
        with pytest.raises(MatchRejectedError, match="no match"):
            await server.wait_for_result("nothing of that kind")


async def test_a_fault_in_one_match_ends_that_match_alone() -> None:
    sink = RecordingSink()
    async with hosting(result_sink=sink) as hosted:
        broken, whole = hosted.place(placement(match=QUICK)), hosted.place(placement(match=QUICK))
        client, _ = await hosted.connect_both(broken)
        listener = hosted.listener(whole)
        loser, _ = await hosted.connect_both(whole)
        match = hosted.server.matches[broken.match_token].match
        match.advance = match.move = None  # type: ignore[method-assign, assignment]
        await client.move("left")
        assert ("lost", broken.match_token) in sink.events
        assert hosted.server.metrics.failures == 1
        await lose(loser, listener)
        # It continues here or elsewhere when the scheduler says so.
        assert broken.match_token not in hosted.server.matches
        hosted.place(broken)
        assert (await client.move("left"))["resp"] == "OK"


async def test_internal_error_without_a_scheduler_ends_the_match() -> None:
    async with hosting() as hosted:
        place = hosted.place(placement(match=QUICK))
        listener = hosted.listener(place)
        client, _ = await hosted.connect_both(place)
        await listener.next()
        result = asyncio.ensure_future(hosted.server.wait_for_result(place.match_token))
        await asyncio.sleep(0)
        hosted.server.matches[place.match_token].match.move = None  # type: ignore[method-assign, assignment]
        await client.move("left")
        await listener.until("MatchEnd")
        assert (await result).ending == "called off"


async def _raw(socket: object) -> bytes:
    frames: list[bytes] = await asyncio.wait_for(socket.recv_multipart(), 30)  # type: ignore[attr-defined]
    return frames[1]
