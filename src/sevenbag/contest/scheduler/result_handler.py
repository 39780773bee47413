"""Check and store finished games and matches."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

import structlog

from sevenbag.contest.game import match_results
from sevenbag.contest.game.match_results import (
    decide_unplayed_match,
    find_game_error,
    find_match_error,
)
from sevenbag.contest.scheduler.match_assigner import ActiveMatch, MatchAssigner
from sevenbag.contest.scheduler.server_registry import ServerConnection
from sevenbag.contest.scheduler_protocol import (
    GameDiscarded,
    GameFinished,
    GameStored,
    MatchFinished,
    MatchStored,
)
from sevenbag.contest.store import Store
from sevenbag.errors import UnknownEntryError


class ResultHandler:
    """Handle finished games and matches."""

    def __init__(
        self,
        store: Store,
        assigner: MatchAssigner,
        *,
        clock: Callable[[], float],
        on_finished: Callable[[ActiveMatch], Awaitable[None]],
        logger: structlog.typing.FilteringBoundLogger,
    ) -> None:
        self._store = store
        self._assigner = assigner
        self._clock = clock
        self._over = on_finished
        self._log = logger

    async def handle_game(self, connection: ServerConnection, told: GameFinished) -> None:
        """Store a finished game, or reject it."""
        match = self._assigner.matches.get(told.match_token)
        rejection = await self._check_game(connection.name, match, told)
        if rejection is None or rejection.storable:
            try:
                kept = await asyncio.to_thread(
                    self._store.matches.add_game, told.match_token, told.result, told.replay
                )
            except UnknownEntryError:
                kept, rejection = False, _Rejection("there is no such match", stale=False)
            if kept:
                number = told.result.number
                connection.send(GameStored(match_token=told.match_token, number=number))
                if match is not None and rejection is None:
                    match.has_players |= match.server == connection.name
                    self._assigner.counts["games stored"] += 1
                    self._assigner.publish_change("game done", match, number)
                    await self._resolve_overtaken(match, connection)
                return
        await self._reject_game(connection, told, rejection or _MATCH_OVER)

    async def handle_match(self, connection: ServerConnection, told: MatchFinished) -> None:
        """Store the result of a match, or have the match continued."""
        token = told.match_token
        match = self._assigner.matches.get(token)
        connection.hosting.discard(token)
        if match is not None:
            finished = await asyncio.to_thread(self._store.matches.list_game_results, token)
            rejection = find_match_error(told.result, finished, match.row.rules.match)
            elsewhere = match.server not in {"", connection.name}
            if told.history and told.history != match_results.hash_history(finished):
                reason = "it has ended after other games than those in the store"
                await self._assigner.revoke(match, connection.name, reason)
            elif rejection is not None:
                await self._audit_invalid_result(connection.name, match, rejection)
                await self._assigner.revoke(
                    match, connection.name, rejection, seconds=_INVALID_RESULT_SECONDS
                )
            elif elsewhere and not (
                told.result.ending == "majority of games"
                or (told.result.winner is not None and not match.has_players)
            ):
                reason = f"the match has moved to {match.server}"
                connection.stop_match(token, reason, continues_elsewhere=True)
            elif told.result.winner is None and match.row.kind == "contest":
                # No team has connected; the contest must continue.
                await self._finish(match, connection.name, decide_unplayed_match(token, finished))
            else:
                await self._finish(match, connection.name, told.result)
        connection.send(MatchStored(match_token=token))

    async def _check_game(
        self, name: str, match: ActiveMatch | None, told: GameFinished
    ) -> _Rejection | None:
        """Return the reason against storing a game; None if there is none."""
        number = told.result.number
        if match is None:
            return _MATCH_OVER
        finished = await asyncio.to_thread(self._store.matches.list_game_results, told.match_token)
        if number <= len(finished):
            return _Rejection(f"another game {number} is in the store", storable=True)
        if told.history and told.history != match_results.hash_history(finished):
            return _Rejection(f"game {number} follows on other games than those in the store")
        rejection = find_game_error(told.result, finished, match.row.rules.match)
        if rejection is not None:
            await self._audit_invalid_result(name, match, rejection)
            return _Rejection(rejection, stale=False)
        elsewhere = match.server not in {"", name}
        if elsewhere and match.has_players and told.age <= self._clock() - match.since:
            # The old server continued while the teams moved to another one.
            return _Rejection(f"the match has moved to {match.server}")
        return None

    async def _resolve_overtaken(self, match: ActiveMatch, connection: ServerConnection) -> None:
        """Stop a match on its server after another server has finished one of its games."""
        if match.server == connection.name:
            return
        if match.server:
            self._log.warning(
                "match.continued_elsewhere",
                match=match.row.id,
                server=match.server,
                finished_by=connection.name,
            )
        if match.row.token in connection.hosting:
            await self._assigner.assign(match, connection.name)
        elif match.server:
            reason = "another server has finished its game"
            self._assigner.stop_at(match.server, match.row.token, reason, continues_elsewhere=True)
            await self._assigner.requeue(match, "its server was overtaken", delayed=True)
        else:
            self._assigner.delay_assignment(match)

    async def _reject_game(
        self, connection: ServerConnection, told: GameFinished, rejection: _Rejection
    ) -> None:
        token, number = told.match_token, told.result.number
        match = self._assigner.matches.get(token)
        row = match.row if match else await asyncio.to_thread(self._store.matches.find, token)
        tell = self._log.info if rejection.stale else self._log.warning
        tell(
            "game.rejected",
            match=row.id if row else token[:8],
            game=number,
            server=connection.name,
            reason=rejection.reason,
        )
        self._assigner.counts["games rejected"] += 1
        if match is not None:
            await self._assigner.revoke(match, connection.name, rejection.reason)
        else:
            self._assigner.stop_at(connection.name, token, rejection.reason)
        # After the stop: a cancelled match must not publish a game that does not count.
        connection.send(GameDiscarded(match_token=token, number=number, reason=rejection.reason))

    async def _finish(
        self, match: ActiveMatch, name: str, result: match_results.MatchResult
    ) -> None:
        token = match.row.token
        if await asyncio.to_thread(self._store.matches.finish, token, result):
            self._assigner.counts["matches finished"] += 1
            self._log.info(
                "match.finished", match=match.row.id, ending=result.ending, games=result.games
            )
        if match.server != name:
            self._assigner.stop_at(match.server, token, "the match is over")
        self._assigner.remove(match)
        self._assigner.publish_change("match done", match)
        await self._over(match)

    async def _audit_invalid_result(self, name: str, match: ActiveMatch, rejection: str) -> None:
        self._assigner.counts["invalid results"] += 1
        await asyncio.to_thread(
            self._store.audit.add, f"server {name}", rejection, f"match {match.row.id}"
        )


class _Rejection(NamedTuple):
    """Reason against storing a game.

    Attributes:
        reason: for logs and for the game server.
        stale: whether an honest server may report such a game, after it was cut off or stopped.
        storable: whether the store may have exactly this game already.
    """

    reason: str
    stale: bool = True
    storable: bool = False


_MATCH_OVER: Final = _Rejection("the match is over", storable=True)

_INVALID_RESULT_SECONDS: Final = 60.0
