"""Teams that only connect to their match, or that move only in response to states."""

import itertools
import json
import threading
from collections.abc import Sequence
from typing import Any, Final, Self

import zmq

PASSWORD: Final = "correct horse battery"
TEAMS: Final = ("red", "blue")


def has_come(endpoint: str, token: str, team: str) -> bool:
    """Ask a game server for a team's seat; False if it is not to be had there yet."""
    with zmq.Context() as context, context.socket(zmq.REQ) as client:
        client.setsockopt(zmq.LINGER, 0)
        client.setsockopt(zmq.RCVTIMEO, 30_000)
        client.connect(endpoint)
        client.send_json(
            {
                "comm_type": "MatchConnect",
                "match_token": token,
                "team_name": team,
                "password": PASSWORD,
            }
        )
        return bool(json.loads(client.recv())["comm_type"] == "MatchConnectResp")


class ReactiveTeam:
    """Client that connects once, then moves only in response to a state with its piece.

    It listens to several hosts, as one does whose host name is given to another machine.

    Attributes:
        told: messages of the state channel in order, without those of pieces and boards.
        games: names of games of which it has seen a piece of its own.
        moves: moves that it has sent to each host.
    """

    def __init__(self, hosts: Sequence[str], token: str, team: str) -> None:
        self.told: list[dict[str, Any]] = []
        self.games: list[str] = []
        self.moves = dict.fromkeys(hosts, 0)
        self._token = token
        self._team = team
        self._ended = threading.Event()
        self._client_token = ""
        self._context = zmq.Context()
        self._states = {host: self._socket(zmq.SUB, host, 5556) for host in hosts}
        self._commands = {host: self._socket(zmq.DEALER, host, 5557) for host in hosts}
        for states in self._states.values():
            states.subscribe(token)
        self._thread = threading.Thread(target=self._react)

    def __enter__(self) -> Self:
        """Connect to the match at the first host."""
        command = next(iter(self._commands.values()))
        self._send(
            command,
            comm_type="MatchConnect",
            match_token=self._token,
            team_name=self._team,
            password=PASSWORD,
        )
        self._client_token = json.loads(command.recv_multipart()[1])["client_token"]
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._thread.join()
        self._context.destroy(0)

    @property
    def ends(self) -> list[dict[str, Any]]:
        """Ends of games that the client has received."""
        return [message for message in self.told if message["comm_type"] == "GameEnd"]

    def _socket(self, kind: int, host: str, port: int) -> zmq.Socket[bytes]:
        made = self._context.socket(kind)
        made.setsockopt(zmq.RCVTIMEO, 60_000)
        made.connect(f"tcp://{host}:{port}")
        return made

    def _send(self, socket: zmq.Socket[bytes], **command: object) -> None:
        socket.send_multipart([b"", json.dumps(command).encode()])

    def _react(self) -> None:
        turns = itertools.cycle(("left", "right"))
        poller = zmq.Poller()
        for socket in (*self._states.values(), *self._commands.values()):
            poller.register(socket, zmq.POLLIN)
        while not self._ended.is_set():
            ready = dict(poller.poll(100))
            for host, states in self._states.items():
                if self._commands[host] in ready:
                    self._commands[host].recv_multipart()
                if states in ready and self._shows_piece(json.loads(states.recv_multipart()[1])):
                    self.moves[host] += 1
                    self._send(
                        self._commands[host],
                        comm_type="GameMove",
                        client_token=self._client_token,
                        move=next(turns),
                    )

    def _shows_piece(self, message: dict[str, Any]) -> bool:
        if message["comm_type"] in {"GameEnd", "MatchEnd"}:
            self.told.append(message)
        if message["comm_type"] != "GamePieceState" or message["states"][self._team] is None:
            return False
        if message["game_name"] not in self.games:
            self.games.append(message["game_name"])
        return True
