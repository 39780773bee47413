"""Measure the contest's game server, compared with an echo server of the same library.

    python bench/contest_speed.py [--runs N] [--seconds S] [--clients N] [--matches N] [--json]

"full speed": clients that move again after each answer, two per match, in turns with the same
clients at a server that returns every request (pyzmq's REP); medians of the runs. The
server publishes a state message for every move. "with subscribers": every client also receives all
states in the same process, which costs that process more than the moves.

"contest": matches of two clients with 10 moves per second each; measures the delay of answers and
whether a subscriber lost a message, which would leave a gap in the sequence numbers.

Server and clients are one process each, on any processors.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import select
import statistics
import subprocess
import sys
import time
import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import zmq

from sevenbag.contest.passwords import hash_password
from sevenbag.contest.scheduler_protocol import AssignedPlayer, MatchAssignment
from sevenbag.contest.server import GameServer
from sevenbag.contest.server.authentication import derive_client_token
from sevenbag.contest.settings import (
    ContestRules,
    GameRules,
    LogSettings,
    MatchRules,
    ServerSettings,
    TestClientSettings,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

MOVES_A_SECOND = 10
SEQUENCE = re.compile(rb'"sequence":(\d+)')
# At full speed pieces do not fall, so that every move is executed and published.
STILL = GameRules(gravity_ms=(3_600_000,))
AS_EVER = GameRules()


def echo() -> None:
    """Return every request to its sender."""
    with zmq.Context() as context, context.socket(zmq.REP) as socket:
        port = socket.bind_to_random_port("tcp://127.0.0.1")
        say({"commands": f"tcp://127.0.0.1:{port}"})
        while True:
            socket.send(socket.recv())


async def contest(matches: int, rules: GameRules) -> None:
    """Host matches with long games."""
    password_hash = hash_password("a password")
    match_rules = MatchRules(
        games=10_000, first_pause_seconds=0, pause_seconds=0.1, game_seconds=3_600
    )
    settings = ServerSettings(command_port=0, state_port=0, capacity=10_000)
    async with GameServer(
        settings, test_client=TestClientSettings(), log=LogSettings(moves="none")
    ) as server:
        tokens: dict[str, list[str]] = {}
        for number in range(matches):
            token = str(uuid.uuid4())
            seats = (
                AssignedPlayer(team="First", password_hash=password_hash),
                AssignedPlayer(team="Second", password_hash=password_hash),
            )
            server.accept_match(
                MatchAssignment(
                    match_token=token,
                    match_name=f"Match {number}",
                    players=seats,
                    rules=ContestRules(game=rules, match=match_rules),
                )
            )
            # The answers of MatchConnect, without checking 400 passwords.
            tokens[token] = [derive_client_token(token, seat, password_hash) for seat in (0, 1)]
        say(
            {"commands": server.command_endpoint, "states": server.state_endpoint, "tokens": tokens}
        )
        await asyncio.Event().wait()


def say(what: object) -> None:
    print(json.dumps(what), flush=True)


@contextmanager
def running(*words: str) -> Iterator[dict[str, Any]]:
    """Start a server as another process and return its addresses."""
    process = subprocess.Popen(
        [sys.executable, __file__, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdout is not None
    try:
        yield json.loads(process.stdout.readline())
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


class Client:
    """Client that sends a move and waits for the answer."""

    def __init__(self, context: zmq.Context[zmq.Socket[bytes]], endpoint: str, token: str) -> None:
        self.socket = context.socket(zmq.REQ)
        self.socket.linger = 0
        self.socket.connect(endpoint)
        self.moves = [
            json.dumps({"comm_type": "GameMove", "client_token": token, "move": move}).encode()
            for move in ("left", "right")
        ]
        self.answers = 0
        self.asked = 0.0
        self.waits = False

    def ask(self) -> None:
        self.waits = True
        self.asked = time.perf_counter()
        self.socket.send(self.moves[self.answers & 1])


class Subscriber:
    """Subscriber to the states of one match."""

    def __init__(self, context: zmq.Context[zmq.Socket[bytes]], endpoint: str, token: str) -> None:
        self.socket = context.socket(zmq.SUB)
        self.socket.linger = 0
        self.socket.rcvhwm = 0
        self.socket.subscribe(token.encode())
        self.socket.connect(endpoint)
        self.messages = self.lost = 0
        self.last = 0

    def take(self) -> None:
        recv = self.socket.recv
        try:
            while True:
                recv(zmq.DONTWAIT)
                found = SEQUENCE.search(recv())
                self.messages += 1
                if found:
                    number = int(found[1])
                    self.lost += number - self.last - 1 if self.last else 0
                    self.last = number
        except zmq.Again:
            pass


class Crowd:
    """Clients and subscribers behind one epoll, because libzmq polls all sockets each time."""

    def __init__(self, place: dict[str, Any], clients: int, *, subscribing: bool) -> None:
        self.context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.context.max_sockets = 4_096
        seats = [(token, own) for token, both in place.get("tokens", {}).items() for own in both]
        seats = seats[:clients] or [("", str(uuid.uuid4())) for _ in range(clients)]
        self.clients = [Client(self.context, place["commands"], own) for _, own in seats]
        self.subscribers = (
            [Subscriber(self.context, place["states"], token) for token, _ in seats]
            if subscribing
            else []
        )
        self.waits: list[float] = []
        self._epoll = select.epoll()
        self._by_file: dict[int, Client | Subscriber] = {}
        everybody: list[Client | Subscriber] = [*self.clients, *self.subscribers]
        for one in everybody:
            file = int(one.socket.FD)
            self._by_file[file] = one
            self._epoll.register(file, select.EPOLLIN)
        # Connections and subscriptions complete in the background.
        self.take_for(1.0)

    def take_for(self, seconds: float) -> None:
        until = time.perf_counter() + seconds
        while (left := until - time.perf_counter()) > 0:
            self.take(left)

    def take(self, patience: float) -> list[Client]:
        """Receive the answers that have arrived."""
        answered: list[Client] = []
        for file, _ in self._epoll.poll(max(patience, 0.0)):
            one = self._by_file[file]
            if isinstance(one, Subscriber):
                one.take()
                continue
            if not one.socket.poll(0) or not one.waits:
                continue
            one.socket.recv()
            one.waits = False
            self.waits.append(time.perf_counter() - one.asked)
            one.answers += 1
            answered.append(one)
        return answered

    def close(self) -> None:
        self._epoll.close()
        self.context.destroy(0)


def at_full_speed(
    place: dict[str, Any], clients: int, seconds: float, *, subscribing: bool
) -> float:
    """Return the number of commands per second."""
    crowd = Crowd(place, clients, subscribing=subscribing)
    try:
        for client in crowd.clients:
            client.ask()
        warm = time.perf_counter() + seconds / 5
        while time.perf_counter() < warm:
            for client in crowd.take(0.1):
                client.ask()
        crowd.waits.clear()
        began = time.perf_counter()
        while time.perf_counter() < began + seconds:
            for client in crowd.take(0.1):
                client.ask()
        return len(crowd.waits) / (time.perf_counter() - began)
    finally:
        crowd.close()


def as_in_a_contest(place: dict[str, Any], clients: int, seconds: float) -> dict[str, float]:
    """Measure clients that move ten times per second at different moments."""
    crowd = Crowd(place, clients, subscribing=True)
    try:
        period = 1 / MOVES_A_SECOND
        began = time.perf_counter()
        timetable = [
            (began + period * number / clients, client)
            for number, client in enumerate(crowd.clients)
        ]
        position, asked = 0, 0
        due = [when for when, _ in timetable]
        while time.perf_counter() < began + seconds:
            now = time.perf_counter()
            if due[position] <= now:
                client = timetable[position][1]
                if not client.waits:
                    client.ask()
                    asked += 1
                due[position] += period
                position = (position + 1) % clients
                patience = 0.0
            else:
                patience = due[position] - now
            crowd.take(patience)
        crowd.take_for(1.0)
        waits = sorted(crowd.waits)
        return {
            "commands a second": asked / seconds,
            "median ms": 1000 * statistics.median(waits),
            "p99 ms": 1000 * waits[int(len(waits) * 0.99)],
            "longest ms": 1000 * waits[-1],
            "unanswered": asked - len(waits),
            "states taken in": sum(one.messages for one in crowd.subscribers),
            "states lost": sum(one.lost for one in crowd.subscribers),
        }
    finally:
        crowd.close()


def measured(args: argparse.Namespace) -> dict[str, Any]:
    rates: dict[str, list[float]] = {"echo": [], "server": [], "server, with subscribers": []}
    hosted = str((args.clients + 1) // 2)
    for _ in range(args.runs):
        for what, values in rates.items():
            words = ("echo",) if what == "echo" else ("still", hosted)
            with running(*words) as place:
                subscribing = what.endswith("subscribers")
                values.append(
                    at_full_speed(place, args.clients, args.seconds, subscribing=subscribing)
                )
    medians = {what: statistics.median(values) for what, values in rates.items()}
    with running("falling", str(args.matches)) as place:
        contest_figures = as_in_a_contest(place, 2 * args.matches, args.seconds * 5)
    return {
        "processors": os.cpu_count(),
        "clients": args.clients,
        "matches": args.matches,
        "commands a second": medians,
        "of the echo server's": {
            what: value / medians["echo"] for what, value in medians.items() if what != "echo"
        },
        "contest": contest_figures,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("serve", nargs="*", help=argparse.SUPPRESS)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--clients", type=int, default=40)
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    match args.serve:
        case ["echo"]:
            echo()
        case ["still" | "falling" as rules, matches]:
            asyncio.run(contest(int(matches), STILL if rules == "still" else AS_EVER))
        case _:
            show(measured(args), as_json=args.json)


def show(figures: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(figures))
        return
    print(f"{figures['processors']} processors; full speed, {figures['clients']} clients:")
    for what, value in figures["commands a second"].items():
        part = figures["of the echo server's"].get(what)
        print(f"  {what:26}{value:9,.0f}/s" + (f"   {part:.0%} of echo" if part else ""))
    print(f"contest, {figures['matches']} matches, {MOVES_A_SECOND} moves per second each:")
    for what, value in figures["contest"].items():
        print(f"  {what:26}{value:11,.2f}")


if __name__ == "__main__":
    main()
