"""Answers to commands, and the tokens of clients."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, NamedTuple

import structlog

from sevenbag.contest.game.pason_game import PlayerIndex
from sevenbag.contest.passwords import TooBusyError
from sevenbag.contest.server.authentication import LOGGED_TOKEN_LENGTH
from sevenbag.contest.server.hosted_match import HostedMatch
from sevenbag.contest.server.monitoring import ServerMetrics
from sevenbag.contest.server.zmq_channels import CommandChannel, ReplyAddress
from sevenbag.contest.telemetry import REJECTION_PERIOD, RateLimitedLog
from sevenbag.errors import shown
from sevenbag.protocols.pason.messages import (
    CommandError,
    ErrorKind,
    ErrorResp,
    GameMove,
    MatchConnect,
    MatchConnectResp,
    decode_command,
    encode,
)


class CommandHandler:
    """Answer commands.

    Attributes:
        is_shutting_down: reject new clients.

    Args:
        clock: monotonic seconds.
        channel: channel of delayed answers.
        max_command_bytes: maximum size of a command.
    """

    def __init__(
        self,
        sessions: ClientTokens,
        metrics: ServerMetrics,
        logger: structlog.typing.FilteringBoundLogger,
        clock: Callable[[], float],
        channel: CommandChannel,
        *,
        max_command_bytes: int,
    ) -> None:
        self.is_shutting_down = False
        self._sessions = sessions
        self._players = sessions.players
        self._metrics = metrics
        self._logger = logger
        self._log = RateLimitedLog(logger, clock, lines=1, seconds=REJECTION_PERIOD)
        self._channel = channel
        self._max_command_bytes = max_command_bytes
        self._checking: set[asyncio.Task[None]] = set()

    def handle(self, sender: ReplyAddress, body: bytes) -> bytes | None:
        """Return the answer to a command; None if a password is checked first."""
        try:
            return self._dispatch(sender, body)
        except Exception as error:  # noqa: BLE001  # other matches continue
            return self._failed(error)

    async def close(self) -> None:
        """Cancel all password checks."""
        tasks = tuple(self._checking)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._log.log_suppressed()

    def _dispatch(self, sender: ReplyAddress, body: bytes) -> bytes | None:
        if len(body) > self._max_command_bytes:
            return self._reject(
                "message too large",
                f"{len(body)} bytes; a command has at most {self._max_command_bytes}",
            )
        try:
            command = decode_command(body)
        except CommandError as error:
            return self._reject(error.error, error.message)
        if isinstance(command, GameMove):
            found = self._players.get(command.client_token)
            if found is None:
                return self._unknown_client(command)
            return found[0].move(found[1], command.move, command.piece_number)
        return self._connect(sender, command)

    def _connect(self, sender: ReplyAddress, command: MatchConnect) -> bytes | None:
        token, team = command.match_token, command.team_name
        match = self._sessions.matches.get(token)
        if match is None:
            if owner := self._sessions.find_ended(token):
                return self._reject("match ended", "this match is over", match_token=owner.match)
            return self._reject("unknown match", f"no match {shown(_short(token))} is played here")
        player = match.find_player(team)
        if player is None:
            return self._reject(
                "unknown team", f"this match is not one of team {shown(team)}", match
            )
        if match.ended:
            return self._reject("match ended", "this match is over", match, team)
        if self.is_shutting_down and not match.is_busy:
            words = "the server is shutting down"
            return self._reject("server is ending", words, match, team)
        address = self._channel.address
        known = match.authenticators[player].cached_result(command.password, address)
        if known is None:
            task = asyncio.create_task(
                self._check(sender, match, player, command.password, address)
            )
            self._checking.add(task)
            task.add_done_callback(self._checking.discard)
            return None
        return self._let_in(match, player) if known else self._wrong_password(match, player)

    async def _check(
        self,
        sender: ReplyAddress,
        match: HostedMatch,
        player: PlayerIndex,
        password: str,
        address: str,
    ) -> None:
        team = match.assignment.players[player].team
        try:
            if not await match.authenticators[player].verify(password, address):
                answer = self._wrong_password(match, player)
            elif match.ended:
                answer = self._reject("match ended", "this match is over", match, team)
            else:
                answer = self._let_in(match, player)
        except TooBusyError as error:
            answer = self._reject("too many attempts", str(error), match, team)
        except Exception as error:  # noqa: BLE001  # every command is answered
            answer = self._failed(error)
        self._channel.reply(sender, answer)

    def _let_in(self, match: HostedMatch, player: PlayerIndex) -> bytes:
        match.join(player)
        self._metrics.connects += 1
        return encode(MatchConnectResp(client_token=match.client_tokens[player]))

    def _wrong_password(self, match: HostedMatch, player: PlayerIndex) -> bytes:
        team = match.assignment.players[player].team
        words = f"this is not the password of {shown(team)}"
        return self._reject("wrong password", words, match, team)

    def _unknown_client(self, command: GameMove) -> bytes:
        token = command.client_token
        if owner := self._sessions.find_ended(token):
            words = "the match of this client_token is over"
            return self._reject("match ended", words, team=owner.team, match_token=owner.match)
        return self._reject("unknown client token", f"no client has {shown(_short(token))}")

    def _failed(self, error: Exception) -> bytes:
        self._logger.error("command.failed", exc_info=error)
        return self._reject("server fault", f"internal error: {type(error).__name__}")

    def _reject(
        self,
        error: ErrorKind,
        message: str,
        match: HostedMatch | None = None,
        team: str | None = None,
        match_token: str | None = None,
    ) -> bytes:
        """Count, log and encode a rejection; `team` must be a team of the match."""
        self._metrics.rejected[error] += 1
        log = self._log if match is None else match.rejections
        log.log("command.rejected", error, match=match_token, team=team, message=message)
        return encode(ErrorResp(error=error, message=message))


def _short(token: str) -> str:
    """Shorten a token so that its owner recognises it and nobody can use it."""
    return token if len(token) <= LOGGED_TOKEN_LENGTH else token[:LOGGED_TOKEN_LENGTH] + "..."


_MAX_ENDED: Final = 20_000
"""Maximum number of tokens of ended matches that are remembered."""


class TokenOwner(NamedTuple):
    """Match and team of a token.

    Attributes:
        match: start of the match token.
        team: team name; None for a match token.
    """

    match: str
    team: str | None


class ClientTokens:
    """Matches of the server by match token and by client token.

    Attributes:
        matches: matches by match token.
        players: matches and players by client token.
    """

    def __init__(self) -> None:
        self.matches: dict[str, HostedMatch] = {}
        self.players: dict[str, tuple[HostedMatch, PlayerIndex]] = {}
        self._ended: OrderedDict[str, TokenOwner] = OrderedDict()

    def add(self, match: HostedMatch) -> None:
        """Add a match."""
        self.matches[match.token] = match
        for player, token in enumerate(match.client_tokens):
            self._ended.pop(token, None)
            if token:
                self.players[token] = (match, 1 if player else 0)
        self._ended.pop(match.token, None)

    def remove(self, match: HostedMatch) -> None:
        """Remove a match; its tokens are remembered as ended for a while."""
        self.matches.pop(match.token, None)
        token = match.token[:LOGGED_TOKEN_LENGTH]
        self._ended[match.token] = TokenOwner(token, None)
        for player, client_token in zip(match.assignment.players, match.client_tokens, strict=True):
            if client_token:
                self.players.pop(client_token, None)
                self._ended[client_token] = TokenOwner(token, player.team)
        while len(self._ended) > _MAX_ENDED:
            self._ended.popitem(last=False)

    def find_ended(self, token: str) -> TokenOwner | None:
        """Return the owner of a token if its match was played here and is over; else None."""
        return self._ended.get(token)
