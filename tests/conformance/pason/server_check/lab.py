"""Where a contest's server is checked: its two channels, and all that was said on them."""

from __future__ import annotations

import contextlib
import json
import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

import zmq

from sevenbag.checks.harness import ConformanceReport, FindingRecorder
from sevenbag.contest.client.connection import ClientSocket, resolve_host
from sevenbag.errors import ContestError, ProtocolError, ServerUnreachableError
from sevenbag.protocols.pason.messages import decode_state
from tests.conformance.pason.server_check.clauses import CLAUSES
from tests.conformance.pason.server_check.follower import Follower
from tests.conformance.pason.server_check.letter import faults

if TYPE_CHECKING:
    from collections.abc import Callable

    from sevenbag.contest.client.connection import ServerAddress
    from sevenbag.protocols.json_lines import Severity
    from sevenbag.protocols.pason.messages import PieceState

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Side:
    """A team of the match.

    Attributes:
        name: as registered.
        password: its own; None for a side that somebody else plays.
    """

    name: str
    password: str | None


@dataclass(frozen=True, slots=True)
class Timing:
    """How patient a check is, in seconds.

    Attributes:
        answer: for an answer.
        begin: from the second team's coming to the first state.
        settle: in which the state channel tells what a move did.
        quiet: in which it would have told what is not to be.
        step: within which a time step must pass.
        pause: less than this before the first state is called short.
        whole: for everything.
    """

    answer: float = 5.0
    begin: float = 30.0
    settle: float = 1.0
    quiet: float = 0.3
    step: float = 10.0
    pause: float = 0.2
    whole: float = 600.0


class GoneError(ContestError):
    """The server has ended the check."""


class Lab(FindingRecorder):
    """A match on the server that is checked.

    Attributes:
        sides: both teams; the first one is ours.
        token: of the match.
        timing: how patient it is.
        follower: what the states say of the game.
        heard_first: when the first state came.
        tokens: client tokens, by team.
    """

    def __init__(
        self, address: ServerAddress, token: str, sides: tuple[Side, Side], timing: Timing
    ):
        """Nothing is connected yet."""
        report = ConformanceReport(str(address), protocol="Pason")
        super().__init__(tuple(CLAUSES.values()), report)
        self.sides = sides
        self.token = token
        self.timing = timing
        self.heard_first: float | None = None
        self.tokens: dict[str, str] = {}
        names = (sides[0].name, sides[1].name)
        self.follower = Follower(names, self.note)
        self._names = names
        self._address = address
        self._lines: deque[str] = deque(maxlen=200)
        self._context = zmq.Context()
        self._commands: dict[str, ClientSocket] = {}
        self._states: ClientSocket | None = None
        self._looked_at: set[str] = set()
        self._silent = 0
        self._ends_at = time.monotonic() + timing.whole

    async def open(self) -> None:
        """Subscribe.

        Raises:
            ServerUnreachableError: there is no such host.
        """
        await resolve_host(self._address, self.timing.answer)
        self._states = self.subscribe()

    def subscribe(self) -> ClientSocket:
        """One more subscriber."""
        endpoint = self._address.state_endpoint
        return ClientSocket(self._context, zmq.SUB, endpoint, (self.token.encode(),))

    def close(self) -> None:
        """Leave."""
        for channel in (*self._commands.values(), self._states):
            if channel is not None:
                channel.close()
        self._context.destroy(linger=0)

    # --- noting ---------------------------------------------------------------------------------

    def note(self, clause: str, severity: Severity, what: str) -> None:
        """Note a finding of some clause, with the last lines."""
        self._looked_at.add(clause)
        self.add(what, clause=clause, severity=severity, lines=3)

    def look_at(self, *clauses: str) -> None:
        """There was an occasion to look at these."""
        self._looked_at.update(clauses)

    def was_looked_at(self, clause: str) -> bool:
        """Whether there was an occasion."""
        return clause in self._looked_at or clause in self.follower.looked_at

    def quote(self, count: int) -> tuple[str, ...]:
        """The last lines of what was said; passwords are not among them."""
        return tuple(self._lines)[-count:]

    # --- the command channel --------------------------------------------------------------------

    async def ask(self, team: str, command: Json | bytes) -> Json | None:
        """The answer to a command; None, with a finding, where there is none that can be read.

        Raises:
            GoneError: the check has taken too long, or nobody answers any more.
        """
        channel = self._channel(team)
        data = command if isinstance(command, bytes) else json.dumps(command).encode()
        self.look_at("answers")
        self._expect_time()
        self._expect_nothing(channel)
        self._lines.append(f"> {_without_password(command)}")
        channel.send(b"", data)
        ends = time.monotonic() + self.timing.answer
        while not channel.received and (left := ends - time.monotonic()) > 0:
            await channel.wait(left)
        self._hear()
        if not channel.received:
            self.note("answers", "error", f"no answer within {self.timing.answer:g} s")
            # What comes now would be taken for the next answer.
            self._commands.pop(team).close()
            self._silent += 1
            if self._silent == _MOST_SILENT:
                raise GoneError(f"the server does not answer any more, {_MOST_SILENT} times now")
            return None
        self._silent = 0
        return self._read_answer(channel.received.popleft())

    async def move(self, team: str, move: str, number: int | None = None) -> Json | None:
        """The answer to a move; without a number it is for whatever piece is there."""
        command: Json = {
            "comm_type": "GameMove",
            "client_token": self.tokens.get(team, ""),
            "move": move,
        }
        if number is not None:
            command["piece_number"] = number
        return await self.ask(team, command)

    def connecting(self, side: Side, **changes: object) -> Json:
        """A side's MatchConnect, with some fields otherwise."""
        return {
            "comm_type": "MatchConnect",
            "match_token": self.token,
            "team_name": side.name,
            "password": side.password,
            **changes,
        }

    # --- the state channel ----------------------------------------------------------------------

    async def until(self, known: Callable[[], object], seconds: float) -> bool:
        """Listen until something is known; whether it is, in time.

        Raises:
            GoneError: the check has taken too long.
        """
        assert self._states is not None
        ends = min(time.monotonic() + seconds, self._ends_at)
        self._hear()
        while not known():
            left = ends - time.monotonic()
            if left <= 0:
                self._expect_time()
                return False
            await self._states.wait(left)
            self._hear()
        return True

    async def listen(self, seconds: float) -> None:
        """Listen for so long."""
        await self.until(lambda: False, seconds)

    def piece(self, team: str) -> PieceState | None:
        """A team's piece, as last told."""
        return self.follower.pieces.get(team)

    # --- helpers --------------------------------------------------------------------------------

    def _channel(self, team: str) -> ClientSocket:
        if team not in self._commands:
            # It hears what a REQ socket would pass over: a second answer.
            endpoint = self._address.command_endpoint
            self._commands[team] = ClientSocket(self._context, zmq.DEALER, endpoint)
        return self._commands[team]

    def _expect_nothing(self, channel: ClientSocket) -> None:
        while channel.received:
            frames = channel.received.popleft()
            self._lines.append(f"< {_shortened(frames[-1])}")
            self.note("answers", "error", "a request was answered twice")

    def _expect_time(self) -> None:
        if time.monotonic() >= self._ends_at:
            raise GoneError(
                f"the check has taken {self.timing.whole:g} s; what is left is not done"
            )

    def _read_answer(self, frames: list[bytes]) -> Json | None:
        self._lines.append(f"< {_shortened(frames[-1])}")
        if len(frames) != 2 or frames[0]:
            self.note("answers", "error", f"an answer has {len(frames) - 1} frames, must have one")
        try:
            answer: object = json.loads(frames[-1])
        except (ValueError, RecursionError):
            self.note("answers", "error", "an answer is no JSON")
            return None
        if not isinstance(answer, dict):
            self.note("answers", "error", "an answer is no JSON object")
            return None
        return cast("Json", answer)

    def _hear(self) -> None:
        assert self._states is not None
        while self._states.received:
            frames = self._states.received.popleft()
            if self.heard_first is None:
                self.heard_first = time.monotonic()
            self._lines.append(f"* {_shortened(frames[-1])}")
            self.look_at("envelope")
            if len(frames) != 2 or frames[0] != self.token.encode():
                self.note(
                    "envelope",
                    "error",
                    f"a state message has {len(frames)} frames, the first one {frames[0]!r:.60}; "
                    "must be two, the match token and the JSON",
                )
            self._follow(frames[1] if len(frames) > 1 else frames[0])

    def _follow(self, data: bytes) -> None:
        self.look_at("form", "sequence", "timestamp", "teams", "board-state")
        message: object = None
        with contextlib.suppress(ValueError, RecursionError):
            message = json.loads(data)
        if not isinstance(message, dict):
            self.note("form", "error", "a state message is no JSON object")
            return
        for clause, severity, what in faults(cast("Json", message), self.token, self._names):
            self.note(clause, severity, what)
        # What is told well enough is followed.
        with contextlib.suppress(ProtocolError):
            self.follower.hear(decode_state(data))


ENDS: Final = (GoneError, ServerUnreachableError)
"""What ends a check."""
_MOST_SILENT: Final = 3


def _without_password(command: Json | bytes) -> str:
    if isinstance(command, bytes):
        return _shortened(command)
    shown = {**command, "password": "..."} if "password" in command else command
    return json.dumps(shown)


def _shortened(data: bytes) -> str:
    return data[:1_000].decode("utf-8", "replace")
