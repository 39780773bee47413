"""A team's connection to its match: both channels, and what to do when one falls silent.

Every wait is bounded. A request socket that gets no answer is of no more use, as it may not ask
again before it has one: it is replaced. A server that is silent is asked again for as long as
`SessionTimeouts` allows; a state channel that is silent is asked about on the other one, which also
answers whether the match is over and its `MatchEnd` was lost.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import zmq

from sevenbag.contest.client.connection import ClientSocket, resolve_host
from sevenbag.contest.game.state_encoder import STATISTICS_TOPIC, decode_statistics
from sevenbag.errors import CommandRejectedError, ProtocolError, ServerUnreachableError
from sevenbag.protocols.pason.messages import (
    ErrorResp,
    GameEnd,
    GameMove,
    GameMoveResp,
    MatchConnect,
    MatchConnectResp,
    MatchEnd,
    decode_reply,
    decode_state,
    encode,
)

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from sevenbag.contest.client.connection import ServerAddress
    from sevenbag.contest.game.state_encoder import StatisticsMessage
    from sevenbag.protocols.pason.messages import Command, Reply, State
    from sevenbag.protocols.pason.pason_conversion import MoveName


@dataclass(frozen=True, slots=True)
class SessionTimeouts:
    """How long to wait, in seconds.

    Attributes:
        answer: for the answer to a command, before it is asked anew.
        server: for a server that answers nothing at all, before it is given up.
        state: for a state message, before it is asked whether the match goes on.
        silence: for a state channel that is silent in mid-game, though commands are answered.
    """

    answer: float = 2.0
    server: float = 30.0
    state: float = 5.0
    silence: float = 60.0


class MatchSession:
    """One team in one match.

    Attributes:
        is_over: whether the match has ended.
        end_was_lost: whether it ended without its ``MatchEnd`` being heard.
        odd: messages that could not be understood, and were passed over.
    """

    def __init__(
        self,
        address: ServerAddress,
        token: str,
        team: str,
        password: str,
        timeouts: SessionTimeouts | None = None,
    ) -> None:
        """Nothing is connected before `open`.

        Args:
            address: of the game server.
            token: names the match.
            team: name as registered.
            password: the team's.
            patience: how long to wait for what.
        """
        self.is_over = False
        self.end_was_lost = False
        self.odd = 0
        self._address = address
        self._token = token
        self._connect = MatchConnect(match_token=token, team_name=team, password=password)
        self._patience = timeouts or SessionTimeouts()
        self._context = zmq.Context()
        self._commands: ClientSocket | None = None
        self._states: ClientSocket | None = None
        self._client_token = ""
        self._in_game = False
        self._has_heard = False
        self._nudged = False
        self._heard_at = 0.0
        self._asked_at = 0.0

    async def open(self) -> None:
        """Subscribe, and connect to the match.

        Raises:
            CommandRejectedError: the server does not let this team into this match.
            ServerUnreachableError: no server answers.
        """
        await resolve_host(self._address, self._patience.server)
        # First: what is said right after the connection is to be heard.
        self._subscribe()
        await self._register(time.monotonic() + self._patience.server)
        self._heard_at = self._asked_at = time.monotonic()

    async def move(self, move: MoveName, number: int | None = None) -> bool:
        """Make a move; whether the server answered that it took it.

        False: nobody knows whether it was done, or it was refused as too many.

        Raises:
            CommandRejectedError: the server wants no moves of this team any more.
            ServerUnreachableError: no server answers.
        """
        reply = await self._ask(
            GameMove(client_token=self._client_token, move=move, piece_number=number)
        )
        if isinstance(reply, GameMoveResp):
            return True
        if isinstance(reply, ErrorResp) and reply.error == "too many moves":
            return False
        await self._find_out(reply)
        return False

    async def receive_states(self, until: float) -> list[State | StatisticsMessage]:
        """Return the received states and figures in order; wait for one until the given time.

        `interrupt` ends the waiting.

        Args:
            until: a moment of `time.monotonic`; one that has passed for no waiting at all.

        Raises:
            CommandRejectedError: the server knows this team no more.
            ServerUnreachableError: no server answers, or it tells no states.
        """
        self._nudged = False
        while True:
            assert self._states is not None
            due = min(until, max(self._heard_at, self._asked_at) + self._patience.state)
            await self._states.wait(due - time.monotonic())
            messages = self._read_states()
            if messages or self.is_over or self._nudged or time.monotonic() >= until:
                return messages
            if time.monotonic() >= max(self._heard_at, self._asked_at) + self._patience.state:
                await self._see_whether_it_goes_on()

    def interrupt(self) -> None:
        """Whoever waits for states is to wait no longer."""
        self._nudged = True
        if self._states is not None:
            self._states.wake()

    async def close(self) -> None:
        """Leave; nothing of the connection stays."""
        for channel in (self._commands, self._states):
            if channel is not None:
                channel.close()
        self._commands = self._states = None
        self._context.destroy(linger=0)

    async def __aenter__(self) -> Self:
        try:
            await self.open()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    # --- the command channel --------------------------------------------------------------------

    async def _ask(self, command: Command) -> Reply | None:
        """The answer to a command; None if there was none in time, or none that makes sense."""
        if self._commands is None:
            self._commands = ClientSocket(self._context, zmq.REQ, self._address.command_endpoint)
        commands = self._commands
        commands.send(encode(command))
        ends = time.monotonic() + self._patience.answer
        while not commands.received and (left := ends - time.monotonic()) > 0:
            await commands.wait(left)
        if not commands.received:
            self._drop_commands()
            return None
        frames = commands.received.popleft()
        try:
            return decode_reply(frames[-1])
        except ProtocolError:
            self.odd += 1
            return None

    async def _register(self, ends: float) -> None:
        """Say who we are, again and again until the server answers."""
        refused: ErrorResp | None = None
        while True:
            reply = await self._ask(self._connect)
            if isinstance(reply, MatchConnectResp):
                self._client_token = reply.client_token
                return
            if isinstance(reply, ErrorResp):
                if reply.error == "match ended" and self._client_token:
                    self._lose_end()
                    return
                refused = reply
                if not self._client_token or reply.error not in _MAY_PASS:
                    raise CommandRejectedError(reply.error, reply.message)
            if time.monotonic() >= ends:
                if refused is not None:
                    raise CommandRejectedError(refused.error, refused.message)
                raise ServerUnreachableError(
                    f"{self._address} does not answer on its command channel, port "
                    f"{self._address.command_port}, within {self._patience.server:g} s"
                )
            # A server that is about to be started again refuses at once.
            await asyncio.sleep(_PAUSE if reply is not None else 0)

    async def _find_out(self, reply: Reply | None) -> None:
        """A move was not answered as moves are: see what holds."""
        if isinstance(reply, ErrorResp) and reply.error == "match ended":
            self._lose_end()
            return
        if isinstance(reply, ErrorResp) and reply.error in _BY_NO_FAULT_OF_THE_SERVER:
            raise CommandRejectedError(reply.error, reply.message)
        try:
            await self._register(time.monotonic() + self._patience.server)
        except CommandRejectedError:
            if not (isinstance(reply, ErrorResp) and self._has_heard):
                raise
            # A server that has no word for it: moves and team are refused, so it is over.
            self._lose_end()

    def _drop_commands(self) -> None:
        if self._commands is not None:
            self._commands.close()
            self._commands = None

    # --- the state channel ----------------------------------------------------------------------

    def _subscribe(self) -> None:
        if self._states is not None:
            self._states.close()
        topics = (self._token.encode(), _FIGURES + self._token.encode())
        self._states = ClientSocket(self._context, zmq.SUB, self._address.state_endpoint, topics)

    def _read_states(self) -> list[State | StatisticsMessage]:
        assert self._states is not None
        received = self._states.received
        messages: list[State | StatisticsMessage] = []
        while received:
            frames = received.popleft()
            try:
                if frames[0].startswith(_FIGURES):
                    messages.append(decode_statistics(frames[-1]))
                    continue
                message = decode_state(frames[-1])
            except ProtocolError:
                self.odd += 1
                continue
            messages.append(message)
            self._has_heard = True
            self._heard_at = time.monotonic()
            self._in_game = not isinstance(message, GameEnd | MatchEnd)
            if isinstance(message, MatchEnd):
                self.is_over = True
        return messages

    async def _see_whether_it_goes_on(self) -> None:
        """The state channel is silent: ask on the other one.

        No piece has the number -1, so the move that asks moves nothing.
        """
        silent = time.monotonic() - self._heard_at
        if self._in_game and silent > self._patience.silence:
            raise ServerUnreachableError(
                f"{self._address} tells no states any more, port {self._address.state_port}, "
                f"though it answers commands; the last one came {silent:.0f} s ago"
            )
        self._asked_at = time.monotonic()
        reply = await self._ask(
            GameMove(client_token=self._client_token, move="down", piece_number=-1)
        )
        if isinstance(reply, GameMoveResp):
            if self._in_game:
                self._subscribe()
            return
        await self._find_out(reply)
        if not self.is_over:
            # It was away, and is back: perhaps as another one.
            self._subscribe()

    def _lose_end(self) -> None:
        self.is_over = True
        self.end_was_lost = True


# --- helpers ------------------------------------------------------------------------------------

_FIGURES: Final = STATISTICS_TOPIC.encode()

_PAUSE: Final = 0.25

_MAY_PASS: Final = frozenset(("unknown match", "unknown client token", "server is ending"))
"""Refusals of a server that was started anew and has not got its matches back yet."""

_BY_NO_FAULT_OF_THE_SERVER: Final = frozenset(("unknown move", "malformed message"))
