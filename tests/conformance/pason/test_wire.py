"""Hand-written peers of ZMTP/1.0 (libzmq 2.x) and ZMTP/3.0 play on the game server."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.pason.addresses import COMMAND_PORT, STATE_PORT, free_address
from tests.fakes.pason.hosting import Hosted, Match, hosted
from tests.fakes.pason.zmtp import NewPeer, OldPeer, Peer


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    with hosted(tmp_path_factory.mktemp("server")) as server:
        yield server


def entered(peer: Peer, match: Match, seat: int) -> str:
    """Connect a team and return its client token."""
    team = match.teams[seat]
    reply = ask(
        peer,
        comm_type="MatchConnect",
        match_token=match.token,
        team_name=team.name,
        password=team.password,
    )
    assert (reply["comm_type"], reply["resp"]) == ("MatchConnectResp", "ok")
    token: str = reply["client_token"]
    return token


def ask(peer: Peer, **fields: object) -> dict[str, Any]:
    reply: dict[str, Any] = json.loads(peer.ask(json.dumps(fields).encode()))
    return reply


@pytest.mark.parametrize("kind", [OldPeer, NewPeer])
def test_a_match_by_hand(server: Hosted, kind: type[Peer]) -> None:
    match = server.place(match={"games": 2, "game_seconds": 0.7})
    referee = match.referee()
    with (
        kind(server.host, STATE_PORT, kind="SUB") as states,
        kind(server.host, COMMAND_PORT, kind="REQ") as first,
        kind(server.host, COMMAND_PORT, kind="REQ") as second,
    ):
        if isinstance(states, NewPeer):
            states.subscribe(match.token)
        peers = [(first, entered(first, match, 0)), (second, entered(second, match, 1))]
        assert len({token for _, token in peers}) == 2
        sent = 0
        while not referee.ended:
            frames = states.receive()
            if frames[0] != match.token.encode():
                # Peers of 2.x filter messages of other matches themselves.
                assert kind is OldPeer
                continue
            if referee.read(frames) == "GamePieceState" and sent < 400:
                peer, token = peers[sent % 2]
                move = ("left", "lrotate", "drop")[sent % 3]
                reply = ask(peer, comm_type="GameMove", client_token=token, move=move)
                assert reply == {"comm_type": "GameMoveResp", "resp": "OK"}
                sent += 1
        # The match is over, and late moves are answered.
        late = ask(first, comm_type="GameMove", client_token=peers[0][1], move="drop")
        assert late["comm_type"] in {"GameMoveResp", "ErrorResp"}
    assert len(referee.games) == 2
    assert sent > 20
    assert min(referee.pieces.values()) >= 3


def test_old_subscriber_alone(server: Hosted) -> None:
    """Publish without a subscription by name, because old subscribers send none."""
    match = server.place(match={"games": 1, "game_seconds": 0.3})
    referee = match.referee()
    with (
        OldPeer(server.host, STATE_PORT, kind="SUB") as states,
        OldPeer(server.host, COMMAND_PORT, kind="REQ") as commands,
    ):
        entered(commands, match, 0)
        entered(commands, match, 1)
        while not referee.ended:
            frames = states.receive()
            if frames[0] == match.token.encode():
                referee.read(frames)
    assert len(referee.games) == 1


def test_one_connection_for_both_teams(server: Hosted) -> None:
    """Clients are identified by their token, not by their connection."""
    match = server.place(match={"games": 1, "game_seconds": 0.5})
    with NewPeer(server.host, COMMAND_PORT, kind="REQ") as here:
        tokens = [entered(here, match, seat) for seat in (0, 1)]
        again = [entered(here, match, seat) for seat in (0, 1)]
    with NewPeer(server.host, COMMAND_PORT, kind="REQ") as there:
        # The token of each MatchConnect is valid, from any connection.
        for token in tokens + again:
            reply = ask(there, comm_type="GameMove", client_token=token, move="left")
            assert reply["comm_type"] == "GameMoveResp"
    server.result(match)


def test_order_and_white_space_of_json(server: Hosted) -> None:
    match = server.place(match={"games": 1, "game_seconds": 0.3})
    with OldPeer(server.host, COMMAND_PORT, kind="REQ") as peer:
        team = match.teams[0]
        text = (
            f'\r\n{{ "password" :"{team.password}",\n\t"team_name": "{team.name}" ,'
            f'"version": [1, {{"of": null}}], "match_token":"{match.token}",'
            '"comm_type" : "MatchConnect"}\n\n'
        )
        reply = json.loads(peer.ask(text.encode()))
        assert reply["resp"] == "ok"
        entered(peer, match, 1)
        text = f'{{"move": "left", "client_token": "{reply["client_token"]}", "comm_type": '
        for end in ('"GameMove"}', '"GameMove", "piece_number": null}', '"GameMove"}\0'):
            assert json.loads(peer.ask((text + end).encode()))["resp"] == "OK"
    server.result(match)


@pytest.mark.slow
def test_channels_at_different_hosts(tmp_path: Path) -> None:
    elsewhere = free_address()
    with hosted(tmp_path, state_bind=elsewhere) as server:
        match = server.place(match={"games": 1, "game_seconds": 0.3})
        referee = match.referee()
        with (
            NewPeer(elsewhere, STATE_PORT, kind="SUB") as states,
            NewPeer(server.host, COMMAND_PORT, kind="REQ") as commands,
        ):
            states.subscribe(match.token)
            entered(commands, match, 0)
            entered(commands, match, 1)
            while not referee.ended:
                referee.read(states.receive())
        for host, port in ((server.host, STATE_PORT), (elsewhere, COMMAND_PORT)):
            with pytest.raises(ConnectionRefusedError):
                NewPeer(host, port, kind="SUB")
