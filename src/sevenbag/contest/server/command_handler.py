"""Answers to commands, and the tokens of clients."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import uuid
from collections import OrderedDict
from typing import TYPE_CHECKING, Final, NamedTuple

from sevenbag.contest.passwords import TooBusyError
from sevenbag.contest.telemetry import REJECTION_PERIOD, RateLimitedLog
from sevenbag.errors import shown
from sevenbag.protocols.pason.messages import (
    CommandError,
    ErrorResp,
    GameMove,
    MatchConnectResp,
    decode_command,
    encode,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    import structlog

    from sevenbag.contest.game.pason_game import PlayerIndex
    from sevenbag.contest.server.hosted_match import HostedMatch
    from sevenbag.contest.server.monitoring import ServerMetrics
    from sevenbag.contest.server.zmq_channels import ReplyAddress
    from sevenbag.protocols.pason.messages import ErrorKind, MatchConnect


class CommandHandler:
    """Answers commands.

    Attributes:
        ending: whether nobody is let in any more.

    Args:
        sessions: whose tokens are whose.
        figures: counts.
        logger: of the server.
        clock: monotonic seconds.
        reply: sends an answer that takes longer.
        address: returns the address of the client whose command is being answered.
        max_command_bytes: bytes of a command, at most.
    """

    def __init__(
        self,
        sessions: ClientTokens,
        metrics: ServerMetrics,
        logger: structlog.typing.FilteringBoundLogger,
        clock: Callable[[], float],
        reply: Callable[[ReplyAddress, bytes], None],
        *,
        address: Callable[[], str],
        max_command_bytes: int,
    ) -> None:
        self.is_shutting_down = False
        self._sessions = sessions
        self._seats = sessions.players
        self._figures = metrics
        self._logger = logger
        self._log = RateLimitedLog(logger, clock, lines=1, seconds=REJECTION_PERIOD)
        self._reply = reply
        self._address = address
        self._largest_message = max_command_bytes
        self._checking: set[asyncio.Task[None]] = set()

    def handle(self, sender: ReplyAddress, body: bytes) -> bytes | None:
        """The answer to a command; None when a password must be checked first."""
        try:
            return self._answer(sender, body)
        except Exception as error:  # noqa: BLE001  # others must not notice, and it is answered
            return self._failed(error)

    async def close(self) -> None:
        """Check no more passwords."""
        tasks = tuple(self._checking)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._log.log_suppressed()

    # --- helpers --------------------------------------------------------------------------------

    def _answer(self, sender: ReplyAddress, body: bytes) -> bytes | None:
        if len(body) > self._largest_message:
            return self._refused(
                "message too large",
                f"{len(body)} bytes; a command has at most {self._largest_message}",
            )
        try:
            command = decode_command(body)
        except CommandError as error:
            return self._refused(error.error, error.message)
        if isinstance(command, GameMove):
            found = self._seats.get(command.client_token)
            if found is None:
                return self._unknown_client(command)
            return found[0].move(found[1], command.move, command.piece_number)
        return self._connect(sender, command)

    def _connect(self, sender: ReplyAddress, command: MatchConnect) -> bytes | None:
        token, team = command.match_token, command.team_name
        table = self._sessions.matches.get(token)
        if table is None:
            owner = self._sessions.find_ended(token)
            if owner is not None:
                return self._refused("match ended", "this match is over", match=owner.match)
            return self._refused("unknown match", f"no match {shown(_short(token))} is played here")
        seat = table.find_player(team)
        if seat is None:
            return self._refused(
                "unknown team", f"this match is not one of team {shown(team)}", table
            )
        if table.ended:
            return self._refused("match ended", "this match is over", table, team)
        if self.is_shutting_down and not table.is_busy:
            words = "this server ends; it takes no clients"
            return self._refused("server is ending", words, table, team)
        address = self._address()
        known = table.authenticators[seat].cached_result(command.password, address)
        if known is None:
            check = self._check(sender, table, seat, command.password, address)
            task = asyncio.create_task(check)
            self._checking.add(task)
            task.add_done_callback(self._checking.discard)
            return None
        return self._let_in(table, seat) if known else self._wrong_password(table, seat)

    async def _check(
        self,
        sender: ReplyAddress,
        table: HostedMatch,
        seat: PlayerIndex,
        password: str,
        address: str,
    ) -> None:
        team = table.assignment.players[seat].team
        try:
            if not await table.authenticators[seat].verify(password, address):
                answer = self._wrong_password(table, seat)
            elif table.ended:
                answer = self._refused("match ended", "this match is over", table, team)
            else:
                answer = self._let_in(table, seat)
        except TooBusyError as error:
            answer = self._refused("too many attempts", str(error), table, team)
        except Exception as error:  # noqa: BLE001  # it is answered, whatever it is
            answer = self._failed(error)
        self._reply(sender, answer)

    def _let_in(self, table: HostedMatch, seat: PlayerIndex) -> bytes:
        table.join(seat)
        self._figures.connects += 1
        return encode(MatchConnectResp(client_token=table.client_tokens[seat]))

    def _wrong_password(self, table: HostedMatch, seat: PlayerIndex) -> bytes:
        team = table.assignment.players[seat].team
        words = f"this is not the password of {shown(team)}"
        return self._refused("wrong password", words, table, team)

    def _unknown_client(self, command: GameMove) -> bytes:
        token = command.client_token
        owner = self._sessions.find_ended(token)
        if owner is not None:
            words = "the match of this client_token is over"
            return self._refused("match ended", words, team=owner.team, match=owner.match)
        return self._refused("unknown client token", f"no client has {shown(_short(token))}")

    def _failed(self, error: Exception) -> bytes:
        self._logger.error("command.failed", exc_info=error)
        return self._refused("server fault", f"a fault of the server's: {type(error).__name__}")

    def _refused(
        self,
        error: ErrorKind,
        message: str,
        table: HostedMatch | None = None,
        team: str | None = None,
        match: str | None = None,
    ) -> bytes:
        """Count, log and encode a refusal; `team` must be a team of the match."""
        self._figures.rejected[error] += 1
        log = self._log if table is None else table.rejections
        log.log("command.rejected", error, match=match, team=team, message=message)
        return encode(ErrorResp(error=error, message=message))


def _short(token: str) -> str:
    """So much of a token that its owner knows it, and nobody can use it."""
    return token if len(token) <= _SHOWN else token[:_SHOWN] + "..."


_SHOWN = 8

LOGGED_TOKEN_LENGTH: Final = 8
"""Characters of a match token that logs show."""

_MAX_ENDED: Final = 20_000
"""Tokens of which it is remembered that their match is over."""


class TokenOwner(NamedTuple):
    """Match and team of a token.

    Attributes:
        match: start of the match token.
        team: team name; None for a match token.
    """

    match: str
    team: str | None


def derive_client_token(match_token: str, seat: int, password_hash: str) -> str:
    """The token that a team is given for its moves.

    It follows from what only the store and the game servers know, so that a client whose server
    was started anew, or whose match went on elsewhere, goes on with the one that it has.
    """
    digest = hmac.digest(
        password_hash.encode(), f"client of {match_token}, seat {seat}".encode(), hashlib.sha256
    )
    return str(uuid.UUID(bytes=digest[:16], version=4))


class ClientTokens:
    """The matches that are here, by match token and by client token.

    Attributes:
        tables: by match token.
        seats: by client token.
    """

    def __init__(self) -> None:
        self.matches: dict[str, HostedMatch] = {}
        self.players: dict[str, tuple[HostedMatch, PlayerIndex]] = {}
        self._ended: OrderedDict[str, TokenOwner] = OrderedDict()

    def add(self, table: HostedMatch) -> None:
        """A match has come."""
        self.matches[table.token] = table
        for seat, token in enumerate(table.client_tokens):
            self._ended.pop(token, None)
            if token:
                self.players[token] = (table, 1 if seat else 0)
        self._ended.pop(table.token, None)

    def remove(self, table: HostedMatch) -> None:
        """A match is gone; for a while it is known that there was one."""
        self.matches.pop(table.token, None)
        match = table.token[:LOGGED_TOKEN_LENGTH]
        self._ended[table.token] = TokenOwner(match, None)
        for seat, token in zip(table.assignment.players, table.client_tokens, strict=True):
            if token:
                self.players.pop(token, None)
                self._ended[token] = TokenOwner(match, seat.team)
        while len(self._ended) > _MAX_ENDED:
            self._ended.popitem(last=False)

    def find_ended(self, token: str) -> TokenOwner | None:
        """Return the owner of a token if its match was played here and is over; else None.

        Args:
            token: token of a match or client.
        """
        return self._ended.get(token)
