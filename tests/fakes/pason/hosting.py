"""A game server at a separate address, with matches observed from outside."""

from __future__ import annotations

import contextlib
import json
import math
import os
import queue
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import zmq

from tests.fakes.pason.addresses import STATE_PORT, free_address
from tests.fakes.pason.referee import Referee

# Short games that end by their time limit, so the machine's speed does not matter.
GAME = {
    "gravity_ms": (20, 15, 10),
    "level_points": (1_000, 3_000, 8_000),
    "level_factors": (1, 2, 3, 4),
}
MATCH = {
    "games": 2,
    "game_seconds": 1,
    "match_seconds": 60,
    "first_pause_seconds": 0.4,
    "pause_seconds": 0.05,
    "repeat_seconds": 0.1,
    "linger_seconds": 20,
}


@dataclass
class Team:
    """A team and its password."""

    name: str
    password: str


@dataclass
class Match:
    """A match as the organiser places it."""

    token: str
    teams: tuple[Team, Team]
    level_points: tuple[int, ...]
    level_factors: tuple[int, ...]

    def connect(self, player: int = 0, **changes: Any) -> dict[str, Any]:
        """Return the command that connects a player, with some fields changed."""
        team = self.teams[player]
        return {
            "comm_type": "MatchConnect",
            "match_token": self.token,
            "team_name": team.name,
            "password": team.password,
        } | changes

    def referee(self) -> Referee:
        """Return a referee of the match."""
        return Referee(
            self.token,
            (self.teams[0].name, self.teams[1].name),
            level_points=self.level_points,
            level_factors=self.level_factors,
        )


@dataclass
class Hosted:
    """A running game server.

    Attributes:
        host: its address; ports are the contest's.
        log: what it has logged so far.
        told: what it said, in order, besides that a match was placed.
    """

    host: str
    process: subprocess.Popen[str]
    log: Path
    told: list[dict[str, Any]] = field(default_factory=list)
    _heard: queue.Queue[dict[str, Any]] = field(default_factory=queue.Queue)

    def place(
        self, *names: str, game: dict[str, Any] | None = None, match: dict[str, Any] | None = None
    ) -> Match:
        """Place a match of these two teams."""
        token = str(uuid.uuid4())
        teams = [Team(name, f"secret-{uuid.uuid4()}") for name in names or ("Home", "Guests")]
        rules = {"game": GAME | (game or {}), "match": MATCH | (match or {})}
        order = {
            "match_token": token,
            "match_name": " against ".join(names),
            "teams": [(team.name, team.password) for team in teams],
            "rules": rules,
        }
        self._order(order)
        level_points = tuple(rules["game"]["level_points"])
        level_factors = tuple(rules["game"]["level_factors"])
        return Match(token, (teams[0], teams[1]), level_points, level_factors)

    def jump(self, seconds: float) -> None:
        """Set its wall clock."""
        self._order({"jump": seconds})

    def call_off(self, match: Match) -> None:
        """Call off a match; it has no result then."""
        self._order({"call_off": match.token})

    def result(self, match: Match, seconds: float = 120) -> dict[str, Any]:
        """Wait for the end of a match and return its result."""
        end = time.monotonic() + seconds
        while True:
            for told in self.told:
                if told["match_token"] == match.token and "match" in told:
                    result: dict[str, Any] = told["match"]
                    return result
            self.told.append(self._heard.get(timeout=max(end - time.monotonic(), 0.001)))

    def games(self, match: Match) -> list[dict[str, Any]]:
        """Return the finished games of a match so far."""
        while not self._heard.empty():
            self.told.append(self._heard.get())
        mine = [told for told in self.told if told["match_token"] == match.token]
        return [told["game"] for told in mine if "game" in told]

    def listen(self, output: IO[str]) -> None:
        for line in output:
            self._heard.put(json.loads(line))

    def memory(self) -> int:
        """Return the resident memory in megabytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) // 1024

    def _order(self, order: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        print(json.dumps(order), file=self.process.stdin, flush=True)
        while "done" not in (heard := self._heard.get(timeout=120)):
            self.told.append(heard)


@contextlib.contextmanager
def hosted(folder: Path, preload: list[str] | None = None, /, **settings: Any) -> Iterator[Hosted]:
    """Run a game server; at the end it must still run, and exit when its input closes.

    Args:
        folder: for its log.
        preload: words of a command that is to run the server's.
        settings: of the server.
    """
    host = free_address()
    log = folder / "server.log"
    with (
        log.open("w") as errors,
        subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("host.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=os.environ | {"PYTHONPATH": "."},
        ) as process,
    ):
        server = Hosted(host, process, log)
        assert process.stdin is not None
        assert process.stdout is not None
        ears = threading.Thread(target=server.listen, args=[process.stdout], daemon=True)
        ears.start()
        try:
            print(json.dumps({"bind": host} | settings), file=process.stdin, flush=True)
            try:
                ready = server._heard.get(timeout=120)
            except queue.Empty:
                raise AssertionError(log.read_text()) from None
            assert "ready" in ready
            yield server
            assert process.poll() is None, log.read_text()[-3_000:]
            process.stdin.close()
            assert process.wait(120) == 0, log.read_text()[-3_000:]
        finally:
            process.kill()
            ears.join()
    for trace in ("Traceback", "Exception ignored", "never awaited"):
        assert trace not in log.read_text()


class Witness:
    """A subscriber that lets the referee judge a match to its end."""

    def __init__(self, server: Hosted, match: Match) -> None:
        self.referee = match.referee()
        self.kinds: list[str] = []
        self.texts: list[bytes] = []
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.SUB)
        # The referee may be slow.
        self._socket.set(zmq.RCVHWM, 0)
        self._socket.set(zmq.SUBSCRIBE, match.token.encode())
        self._socket.connect(f"tcp://{server.host}:{STATE_PORT}")

    def __enter__(self) -> Witness:
        return self

    def __exit__(self, *raised: object) -> None:
        self._context.destroy(linger=0)

    def watch(self, seconds: float = 120, *, messages: float = math.inf) -> Referee:
        """Judge the match until it is over, or for a number of messages."""
        end = time.monotonic() + seconds
        while not self.referee.ended and self.referee.told < messages:
            assert self._socket.poll(max(int((end - time.monotonic()) * 1_000), 0)), (
                f"no MatchEnd in {seconds} s; {self.kinds[-5:]}, {self.texts[-1:]}"
            )
            frames = self._socket.recv_multipart()
            self.texts.append(frames[-1])
            self.kinds.append(self.referee.read(frames))
        return self.referee

    def sequences(self) -> list[int]:
        """Return the sequence numbers of all messages that have one."""
        messages = [json.loads(text) for text in self.texts]
        return [message["sequence"] for message in messages if "sequence" in message]


def run(command: list[str], server: Hosted, match: Match, seat: int) -> Client:
    """Start a client as one team of a match."""
    team = match.teams[seat]
    return Client([*command, server.host, match.token, team.name, team.password])


class Client:
    """A client's process."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.output = ""

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *raised: object) -> None:
        self.process.kill()
        self.process.communicate()

    def ends_well(self, seconds: float = 120) -> str:
        """Return the output; fail if the client reports an error or does not exit."""
        try:
            self.output, errors = self.process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGKILL)
            output, errors = self.process.communicate()
            raise AssertionError(f"it does not end: {output[-1_000:]} {errors[-1_000:]}") from None
        assert (self.process.returncode, errors) == (0, ""), self.output[-1_000:]
        return self.output
