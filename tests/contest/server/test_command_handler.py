"""Tests of commands at real sockets: each gets one answer."""

import asyncio
import json
import threading
from collections.abc import Iterator
from typing import get_args

import pytest
import zmq

from sevenbag.contest.settings import MatchRules
from sevenbag.protocols.pason.messages import ErrorKind
from tests.contest.server.hosted_server import PASSWORD, Client, hosting, placement, until

NOBODY = "00000000-0000-4000-8000-000000000000"


async def test_the_word_for_an_executed_move_can_be_that_of_the_text() -> None:
    async with hosting() as hosted:
        place = hosted.place(placement(match=MatchRules(move_reply="ok")))
        client = hosted.client()
        await client.connect(place)
        assert (await client.move("left"))["resp"] == "ok"


async def test_repeated_connect_returns_the_same_token() -> None:
    async with hosting() as hosted:
        place = hosted.place(placement())
        first = await hosted.client().connect(place)
        again = hosted.client()
        assert [await again.connect(place) for _ in range(12)] == [first] * 12
        assert hosted.server.matches[place.match_token].match.connected == [True, False]
        other = await hosted.client().connect(place, "B")
        assert other["client_token"] != first["client_token"]


async def test_every_kind_of_error_is_answered_and_the_socket_is_usable_afterwards() -> None:
    match = MatchRules(moves_per_second=1, linger_seconds=0, first_pause_seconds=3_600)
    async with hosting(max_command_bytes=1_000) as hosted:
        server = hosted.server
        place = hosted.place(placement(match=match))
        over = hosted.place(placement(match=match))
        server.cancel_match(over.match_token, "a test")
        # It is forgotten as soon as it has lingered, which takes no time here.
        await until(lambda: over.match_token not in server.matches)
        client = hosted.client()
        await client.connect(place)
        answers = [
            await client.ask_raw(b"{"),
            await client.ask_raw(b""),
            await client.ask_raw(b"[1]"),
            await client.ask_raw(b"\xff\xfe"),
            await client.ask_raw(b"[" * 900),
            await client.ask(comm_type="GameMove", client_token=client.token),
            await client.ask(comm_type="MatchConnect", match_token=1, team_name="A", password="p"),
            await client.ask_raw(b" " * 1_001),
            await client.ask(comm_type="Hello"),
            await client.ask(comm_type="gamemove", client_token=client.token, move="left"),
            await client.connect(placement()),
            await client.connect(place, "a"),
            await client.connect(place, "C"),
            await client.connect(place, password="wrong"),
            await client.ask(comm_type="GameMove", client_token=NOBODY, move="left"),
            await client.move("hold"),
            await client.move("LEFT"),
            await client.connect(over),
        ]
        assert (await client.move("left"))["comm_type"] == "GameMoveResp"
        # However slow the machine is: more than one a second.
        while "error" not in (answer := await client.move("left")):
            pass
        answers.append(answer)
        stopping = asyncio.create_task(server.stop("finish"))
        await asyncio.sleep(0)
        assert {answer["comm_type"] for answer in answers} == {"ErrorResp"}
        assert all(set(answer) == {"comm_type", "error", "message"} for answer in answers)
        assert all(answer["message"] for answer in answers)
        assert [answer["error"] for answer in answers] == [
            *["malformed message"] * 7,
            "message too large",
            *["unknown comm_type"] * 2,
            "unknown match",
            *["unknown team"] * 2,
            "wrong password",
            "unknown client token",
            *["unknown move"] * 2,
            "match ended",
            "too many moves",
        ]
        await stopping
        assert server.metrics.rejected.total() == len(answers)
        told = {answer["error"] for answer in answers}
        # The others are in tests of their own.
        others = {"server is ending", "server fault", "too many attempts"}
        assert told | others == set(get_args(ErrorKind))


async def test_internal_error_is_answered_and_isolated(monkeypatch: pytest.MonkeyPatch) -> None:
    async with hosting() as hosted:
        place, other = hosted.place(placement()), hosted.place(placement())
        client, unlucky = hosted.client(), hosted.client()
        await client.connect(other)
        table = hosted.server.matches[place.match_token]
        monkeypatch.setattr(table, "join", None)
        for _ in range(3):
            assert (await unlucky.connect(place))["error"] == "server fault"
        assert (await client.move("left"))["resp"] == "OK"


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Block all password checks; every password is wrong."""
    opened = threading.Event()

    def checked(password_hash: str, text: str) -> bool:
        del password_hash, text
        return not opened.wait(120)

    monkeypatch.setattr("sevenbag.contest.passwords.verify_password", checked)
    yield opened
    opened.set()


async def test_many_passwords_at_once_are_not_all_tried(gate: threading.Event) -> None:
    async with hosting() as hosted:
        place = hosted.place(placement())
        guesser = hosted.context.socket(zmq.DEALER)
        guesser.connect(hosted.server.command_endpoint)
        for number in range(40):
            guess = {"match_token": place.match_token, "team_name": "A", "password": str(number)}
            command = json.dumps({"comm_type": "MatchConnect"} | guess).encode()
            await guesser.send_multipart([b"", command])
        errors = [json.loads((await guesser.recv_multipart())[1])["error"] for _ in range(32)]
        assert set(errors) == {"too many attempts"}
        gate.set()
        errors = [json.loads((await guesser.recv_multipart())[1])["error"] for _ in range(8)]
        assert set(errors) == {"wrong password"}


async def test_shutdown_rejects_new_clients() -> None:
    match = MatchRules(first_pause_seconds=0, repeat_seconds=0.05)
    async with hosting(shutdown_seconds=3_600) as hosted:
        playing, waiting = hosted.place(placement(match=match)), hosted.place(placement())
        first, _ = await hosted.connect_both(playing)
        listener = hosted.listener(playing)
        await listener.next()
        stopping = asyncio.create_task(hosted.server.stop("finish"))
        await asyncio.sleep(0)
        refused = await hosted.client().connect(waiting)
        assert refused["error"] == "server is ending"
        # Clients in a game continue.
        assert (await hosted.client().connect(playing))["resp"] == "ok"
        assert (await first.move("left"))["resp"] == "OK"
        hosted.server.cancel_match(playing.match_token, "enough")
        await stopping


async def test_the_opponents_token_moves_the_opponent_and_no_other_matchs() -> None:
    async with hosting() as hosted:
        one, two = hosted.place(placement()), hosted.place(placement())
        clients = [*await hosted.connect_both(one), *await hosted.connect_both(two)]
        assert len({client.token for client in clients}) == 4
        # A password is valid for its own match only; a match token is not a client token.
        answer = await clients[0].ask(
            comm_type="GameMove", client_token=one.match_token, move="left"
        )
        assert answer["error"] == "unknown client token"


async def test_concurrent_answers_reach_their_clients() -> None:
    async with hosting() as hosted:
        places = [hosted.place(placement()) for _ in range(10)]

        async def play(number: int) -> None:
            place, team = places[number // 2], "AB"[number % 2]
            client = hosted.client()
            tokens = {(await client.connect(place, team))["client_token"] for _ in range(3)}
            assert tokens == {hosted.server.matches[place.match_token].client_tokens[number % 2]}
            for _ in range(20):
                assert (await client.move("left"))["resp"] == "OK"
                answer = await client.ask(comm_type=f"number {number}")
                assert f"'number {number}'" in answer["message"]

        await asyncio.gather(*(play(number) for number in range(20)))
        assert hosted.server.metrics.moves.total() == 400


async def test_password_checks_do_not_delay_other_clients(gate: threading.Event) -> None:
    async with hosting() as hosted:
        place = hosted.place(placement())
        strangers = [hosted.client() for _ in range(6)]
        checks = [
            asyncio.create_task(stranger.connect(place, password=f"wrong {number}"))
            for number, stranger in enumerate(strangers)
        ]
        client = hosted.client()
        client.token = hosted.server.matches[place.match_token].client_tokens[1]
        for _ in range(20):
            assert (await client.move("left"))["resp"] == "OK"
        assert not any(check.done() for check in checks)
        gate.set()
        assert {(await check)["error"] for check in checks} == {"wrong password"}


@pytest.mark.parametrize(
    "frames", [[b"no delimiter"], [b""], [b"a", b"b", b"c"], [b"a", b"b", b""], [b"x"] * 500]
)
async def test_messages_without_an_envelope_are_dropped_and_counted(frames: list[bytes]) -> None:
    async with hosting() as hosted:
        stranger = hosted.context.socket(zmq.DEALER)
        stranger.connect(hosted.server.command_endpoint)
        await stranger.send_multipart(frames)
        # Later commands on the same connection are answered as usual.
        await stranger.send_multipart([b"", b"{}"])
        delimiter, answer = await stranger.recv_multipart()
        assert delimiter == b""
        assert Client.read([answer])["error"] == "malformed message"
        assert hosted.server._commands.dropped == 1
        assert not await stranger.poll(20)


@pytest.mark.parametrize("more", [1, 7, 500])
async def test_a_request_of_several_frames_is_answered_once(more: int) -> None:
    """Or a REQ would wait for ever."""
    async with hosting() as hosted:
        client = hosted.client()
        for _ in range(2):
            await client.socket.send_multipart([b"{}"] + [b"more"] * more)
            answer = await asyncio.wait_for(client.socket.recv_multipart(), 120)
            assert Client.read(answer)["error"] == "malformed message"
        # One command is one command.
        halves = [b'{"comm_type": "GameMove", "client_token": "nobody",', b'"move": "left"}']
        await client.socket.send_multipart(halves)
        answer = await asyncio.wait_for(client.socket.recv_multipart(), 120)
        assert Client.read(answer)["error"] == "unknown client token"
        assert hosted.server._commands.dropped == 0


async def test_unusual_envelopes_are_returned() -> None:
    async with hosting() as hosted:
        dealer = hosted.context.socket(zmq.DEALER)
        dealer.connect(hosted.server.command_endpoint)
        await dealer.send_multipart([b"hop 1", b"hop 2", b"", b"{}"])
        *envelope, answer = await dealer.recv_multipart()
        assert envelope == [b"hop 1", b"hop 2", b""]
        assert json.loads(answer)["comm_type"] == "ErrorResp"
        numbered = hosted.client()
        numbered.socket.set(zmq.REQ_CORRELATE, 1)
        assert (await numbered.ask())["comm_type"] == "ErrorResp"


async def test_a_megabyte_is_refused_in_words_and_more_cuts_off_one_connection_only() -> None:
    async with hosting() as hosted:
        place = hosted.place(placement())
        client, huge = hosted.client(), hosted.client()
        await client.connect(place)
        assert (await huge.ask_raw(b"x" * (1 << 20)))["error"] == "message too large"
        await huge.socket.send(b"x" * (8 << 20))
        assert (await client.move("left"))["resp"] == "OK"
        assert not await huge.socket.poll(50)


@pytest.mark.parametrize("text_numbers", [False, True])
async def test_move_applies_to_the_named_piece(text_numbers: bool) -> None:
    rules = MatchRules(
        first_pause_seconds=0, repeat_seconds=0.05, game_seconds=3_600, text_numbers=text_numbers
    )
    async with hosting() as hosted:
        place = hosted.place(placement(match=rules))
        listener = hosted.listener(place)
        client, _ = await hosted.connect_both(place)

        async def piece() -> dict[str, int]:
            # The state is repeated; the second one was made after the move.
            await listener.until("GamePieceState")
            state: dict[str, int] = (await listener.until("GamePieceState"))[-1]["states"]["A"]
            return state

        first = await piece()
        number = first["number"]
        for stale in (number + 1, -1, "x", 10**30, str(number + 1)):
            assert (await client.move("left", piece_number=stale))["resp"] == "OK"
        assert await piece() == first
        await client.move("left", piece_number=number)
        await client.move("left", piece_number=None)
        moved = await piece()
        assert moved["col"] == first["col"] - 2
        await client.move("right", piece_number=str(number))
        assert (await piece())["col"] == moved["col"] + int(text_numbers)
        fates = hosted.server.metrics.moves
        assert fates["done"] == 2 + int(text_numbers)
        assert fates["out of date"] == 6 - int(text_numbers)


async def test_passwords_are_not_normalized() -> None:
    async with hosting() as hosted:
        place = hosted.place(placement())
        for wrong in ("", PASSWORD + " ", PASSWORD.upper(), PASSWORD + "\0", "\ud83d"):
            answer = await hosted.client().connect(place, password=wrong)
            assert answer["error"] in {"wrong password", "malformed message"}, wrong
