"""Minimal game server in a thread: matches behind plain sockets.

Subclasses change its replies and states, to test clients and checks against faulty servers.
"""

import contextlib
import threading
import time
import uuid
from typing import Any, Self

import msgspec
import zmq

from sevenbag.contest.client.connection import ServerAddress
from sevenbag.contest.game.pason_game import MoveOutcome
from sevenbag.contest.game.pason_match import ContestMatch
from sevenbag.contest.scheduler_protocol import AssignedPlayer
from sevenbag.contest.settings import ContestRules, GameRules, MatchRules
from sevenbag.protocols.pason.messages import (
    CommandError,
    ErrorKind,
    ErrorResp,
    GameMove,
    GameMoveResp,
    MatchConnectResp,
    decode_command,
    encode,
)

TEAMS = ("Alpha team", "Beta")
PASSWORDS = ("alpha's word", "beta's word")
QUICK = ContestRules(
    game=GameRules(gravity_ms=(40,)),
    match=MatchRules(
        games=3,
        game_seconds=20,
        match_seconds=60,
        connect_seconds=20,
        first_pause_seconds=0.1,
        pause_seconds=0.05,
        repeat_seconds=0.2,
    ),
)

Json = dict[str, Any]


class SmallServer:
    """One match, or several of the same teams.

    Attributes:
        address: where it is.
        token: of the match that there is at first.
        matches: by token.
        verdicts: of all moves.
        moves: all of them.
    """

    def __init__(self, rules: ContestRules = QUICK, *, ports: str = "*:*") -> None:
        self.rules = rules
        self.matches: dict[str, ContestMatch] = {}
        self.verdicts: list[MoveOutcome] = []
        self.moves: list[str] = []
        self.token = self.add_match()
        self._clients: dict[str, tuple[str, int]] = {}
        self._context = zmq.Context()
        command_port, _, state_port = ports.partition(":")
        self._commands = self._context.socket(zmq.ROUTER)
        self._commands.bind(f"tcp://127.0.0.1:{command_port}")
        self._states = self._context.socket(zmq.PUB)
        self._states.setsockopt(zmq.SNDHWM, 0)
        self._states.bind(f"tcp://127.0.0.1:{state_port}")
        self.address = ServerAddress("127.0.0.1", _port(self._commands), _port(self._states))
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def add_match(self) -> str:
        """Add a match of the same teams; return its token."""
        token = str(uuid.uuid4())
        seats = (AssignedPlayer(team=TEAMS[0]), AssignedPlayer(team=TEAMS[1]))
        self.matches[token] = ContestMatch(token, "A match", seats, self.rules, 1, time.time)
        return token

    @property
    def url(self) -> str:
        """Address as a text."""
        return str(self.address)

    @property
    def is_stopped(self) -> bool:
        """True once the server was stopped."""
        return self._ends.is_set()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop without notifying clients."""
        self._ends.set()
        if self._thread.is_alive():
            self._thread.join()
        self._context.destroy(linger=0)

    def answers_to(self, data: bytes) -> list[bytes]:
        """Return the replies to a command: one, unless the server is tampered with."""
        sent = self.answer(self.follow(data))
        return [] if sent is None else [sent]

    def publications(self) -> list[list[bytes]]:
        """Return the frames of the states that are due on the state channel."""
        due = []
        for token, match in self.matches.items():
            for finished in match.take_finished_games():
                match.confirm_stored(finished.result.number, time.monotonic())
            for message in match.take_messages():
                for state in self.say(match, msgspec.to_builtins(message)):
                    frames = self.envelope(token, state)
                    if frames is not None:
                        due.append(frames)
        return due

    def advance(self) -> None:
        """Advance the matches to the current time."""
        for match in self.matches.values():
            match.advance(time.monotonic())

    def answer(self, reply: Json) -> bytes | None:
        """Encode a reply; None for no reply."""
        return msgspec.json.encode(reply)

    def say(self, match: ContestMatch, state: Json) -> list[Json]:
        """Return the messages to publish for a state."""
        del match
        return [state]

    def envelope(self, token: str, state: Json) -> list[bytes] | None:
        """Return the frames of a state; None to publish nothing."""
        return [token.encode(), msgspec.json.encode(state)]

    def follow(self, data: bytes) -> Json:
        """Return the reply to a command."""
        try:
            command = decode_command(data)
        except CommandError as error:
            return _plain(error.reply)
        if isinstance(command, GameMove):
            return self.move(command)
        match = self.matches.get(command.match_token)
        if match is None:
            return refusal("unknown match", "no such match")
        if command.team_name not in TEAMS:
            return refusal("unknown team", "not yours")
        seat = TEAMS.index(command.team_name)
        if command.password != PASSWORDS[seat]:
            return refusal("wrong password", "it is not the team's")
        match.connect(0 if seat == 0 else 1, time.monotonic())
        token = str(uuid.uuid5(uuid.UUID(command.match_token), command.team_name))
        self._clients[token] = (command.match_token, seat)
        return _plain(MatchConnectResp(client_token=token))

    def move(self, command: GameMove) -> Json:
        """Return the reply to a move."""
        known = self._clients.get(command.client_token)
        if known is None:
            return refusal("unknown client token", "who are you")
        match = self.matches[known[0]]
        if match.result is not None:
            return refusal("match ended", "it is over")
        number = command.piece_number
        verdict = match.move(
            0 if known[1] == 0 else 1,
            command.move,
            number if not isinstance(number, str) else -2,
            time.monotonic(),
        )
        self.verdicts.append(verdict)
        self.moves.append(command.move)
        return _plain(GameMoveResp(resp=self.rules.match.move_reply))

    def _run(self) -> None:
        poller = zmq.Poller()
        poller.register(self._commands, zmq.POLLIN)
        try:
            while not self._ends.is_set():
                poller.poll(2)
                with contextlib.suppress(zmq.Again):
                    for _ in range(50):
                        self._serve(self._commands.recv_multipart(zmq.NOBLOCK))
                        self._tell()
                self.advance()
                self._tell()
        finally:
            self._commands.close(0)
            self._states.close(0)

    def _serve(self, frames: list[bytes]) -> None:
        *way, data = frames
        for reply in self.answers_to(data):
            self._commands.send_multipart([*way, reply])

    def _tell(self) -> None:
        for frames in self.publications():
            self._states.send_multipart(frames)


def refusal(error: ErrorKind, message: str) -> Json:
    """Return an `ErrorResp`."""
    return _plain(ErrorResp(error=error, message=message))


def _plain(message: msgspec.Struct) -> Json:
    content: Json = msgspec.json.decode(encode(message))
    return content


def _port(socket: zmq.Socket[bytes]) -> int:
    endpoint = socket.getsockopt_string(zmq.LAST_ENDPOINT)
    return int(endpoint.rpartition(":")[2])
