"""Interface for programs that play a match: `connect` and `connect_async`.

::

    from sevenbag.contest.client import connect

    with connect("pason://127.0.0.1", token, "My Team", password) as match:
        for turn in match.turns():
            turn.place(min(turn.placements(), key=lambda place: max(y for x, y in place.cells)))
    print(match.result)

Asynchronous programs use ``async with connect_async(...)``, ``async for`` and ``await
turn.place(...)``. `connect` runs its own event loop, so it cannot be used in a running one.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Generator
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from sevenbag._kernel import Board, Piece, Placement
from sevenbag.contest.client.connection import (
    MatchSession,
    ServerAddress,
    SessionTimeouts,
    parse_server_address,
)
from sevenbag.contest.client.match_view import TeamMatchResult
from sevenbag.contest.client.piece_planner import PiecePlanner, list_placements
from sevenbag.errors import PlacementError, ProtocolError
from sevenbag.protocols.pason.pason_conversion import MoveName, board_to_kernel

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class TurnState:
    """One piece of the own team, from its arrival until it is locked.

    Attributes:
        board: own locked cells when the piece arrived; row 0 is the lowest.
        opponent: locked cells of the other team.
    """

    number: int
    piece: Piece
    board: Board
    opponent: Board
    queue: tuple[Piece, ...]

    def placements(self) -> list[Placement]:
        """Return all placements that the piece can reach from its spawn position."""
        return list_placements(self.board, self.piece)


@dataclass(frozen=True, eq=False)
class AsyncClientTurn(TurnState):
    """Turn whose moves are awaited; its attributes are those of `TurnState`."""

    _match: AsyncClientMatch = field(repr=False)

    async def place(self, placement: Placement) -> bool:
        """Move the piece to a placement and drop it.

        Gravity continues meanwhile: the path is planned again when needed, and if no path is left,
        the piece goes to the nearest placement.

        Returns:
            True if the piece was dropped there; False if it went elsewhere or was locked before.

        Raises:
            PlacementError: placement of another piece.
        """
        if placement.piece != self.piece:
            raise PlacementError(
                f"invalid placement: expected one of {self.piece.name}, got {placement!r}"
            )
        return await self._match.place(self.number, placement)

    async def move(self, move: MoveName) -> None:
        """Make one move: left, right, down, drop, lrotate or rrotate."""
        await self._match.move(move, self.number)


class AsyncClientMatch:
    """Match that a team plays.

    Its methods and those of its turns raise `CommandRejectedError` if the server does not accept
    the team or its moves, `ServerUnreachableError` if it does not answer or sends no states.
    """

    def __init__(self, session: MatchSession, team: str) -> None:
        self.team = team
        self._session = session
        self._planner = PiecePlanner(team)
        self.view = self._planner.view

    @property
    def is_over(self) -> bool:
        """True if the match has ended."""
        return self._session.is_over

    @property
    def result(self) -> TeamMatchResult:
        """Result of the match; before its end, the score so far."""
        return self.view.result_for(self.team)

    async def turns(self) -> AsyncGenerator[AsyncClientTurn]:
        """Yield a turn for each own piece that can be placed, until the match is over."""
        last: int | None = None
        while not self.is_over:
            number, piece = self._planner.number, self._planner.piece
            boards = self.view.boards
            if number is None or piece is None or number == last or self.team not in boards:
                await self._receive(time.monotonic() + _POLL_INTERVAL)
                continue
            last = number
            others = (cells for team, cells in boards.items() if team != self.team)
            turn = AsyncClientTurn(
                number,
                piece.piece,
                board_to_kernel(boards[self.team]),
                board_to_kernel(next(others, 0)),
                tuple(Piece[name] for name in self.view.queue if name in Piece.__members__),
                self,
            )
            # A piece without placements is left to gravity.
            if turn.placements():
                yield turn

    async def move(self, move: MoveName, number: int | None = None) -> None:
        """Make one move: left, right, down, drop, lrotate or rrotate, by default of any piece."""
        await self._session.move(move, number)
        await self._receive(0)

    async def place(self, number: int, placement: Placement) -> bool:
        """Move a piece to a placement and drop it; see `AsyncClientTurn.place`."""
        planner = self._planner
        if planner.number != number:
            return False
        planner.set_targets((placement,))
        dropped = planner.counts.dropped
        while not self.is_over and planner.number == number:
            now = time.monotonic()
            order = planner.next_move(now)
            if order is None:
                due = planner.next_move_at
                await self._receive(now + _POLL_INTERVAL if due is None else due)
                continue
            confirmed = await self._session.move(order.move, order.number)
            planner.move_answered(time.monotonic(), confirmed=confirmed)
            await self._receive(0)
        return planner.counts.dropped > dropped

    async def _receive(self, until: float) -> None:
        for message in await self._session.receive_states(until):
            with contextlib.suppress(ProtocolError):
                self._planner.handle_message(message, time.monotonic())


@contextlib.asynccontextmanager
async def connect_async(
    server: str | ServerAddress,
    token: str,
    team: str,
    password: str,
    *,
    timeouts: SessionTimeouts | None = None,
) -> AsyncGenerator[AsyncClientMatch]:
    """Connect to a match, as an asynchronous context; leaving the context disconnects.

    Args:
        server: address such as ``pason://127.0.0.1``, with ports if they are not the default.
        token: token of the match.
        team: registered name of the team.
        password: password of the team.
        timeouts: timeouts; None for the defaults.

    Raises:
        InputError: invalid address of the server.
        CommandRejectedError: the server rejects the team or the match.
        ServerUnreachableError: no answer from the server.
    """
    address = server if isinstance(server, ServerAddress) else parse_server_address(server)
    async with MatchSession(address, token, team, password, timeouts) as session:
        yield AsyncClientMatch(session, team)


@dataclass(frozen=True, eq=False)
class ClientTurn(TurnState):
    """Turn whose moves block; its attributes are those of `TurnState`."""

    _turn: AsyncClientTurn = field(repr=False)
    _runner: asyncio.Runner = field(repr=False)

    def place(self, placement: Placement) -> bool:
        """Move the piece to a placement and drop it; see `AsyncClientTurn.place`."""
        return self._runner.run(self._turn.place(placement))

    def move(self, move: MoveName) -> None:
        """Make one move: left, right, down, drop, lrotate or rrotate."""
        self._runner.run(self._turn.move(move))


class ClientMatch:
    """Synchronous `AsyncClientMatch`."""

    def __init__(self, match: AsyncClientMatch, runner: asyncio.Runner) -> None:
        self.team = match.team
        self.view = match.view
        self._match = match
        self._runner = runner

    @property
    def is_over(self) -> bool:
        """True if the match has ended."""
        return self._match.is_over

    @property
    def result(self) -> TeamMatchResult:
        """Result of the match; before its end, the score so far."""
        return self._match.result

    def turns(self) -> Generator[ClientTurn]:
        """Yield a turn for each own piece that can be placed; see `AsyncClientMatch.turns`."""
        turns = self._match.turns()
        try:
            while (turn := self._runner.run(_next(turns))) is not None:
                state = (turn.number, turn.piece, turn.board, turn.opponent, turn.queue)
                yield ClientTurn(*state, turn, self._runner)
        finally:
            self._runner.run(turns.aclose())

    def move(self, move: MoveName, number: int | None = None) -> None:
        """Make one move; see `AsyncClientMatch.move`."""
        self._runner.run(self._match.move(move, number))


@contextlib.contextmanager
def connect(
    server: str | ServerAddress,
    token: str,
    team: str,
    password: str,
    *,
    timeouts: SessionTimeouts | None = None,
) -> Generator[ClientMatch]:
    """Connect to a match, as a context; see `connect_async`."""
    with asyncio.Runner() as runner:
        context = connect_async(server, token, team, password, timeouts=timeouts)
        stack = contextlib.AsyncExitStack()
        match = runner.run(stack.enter_async_context(context))
        try:
            yield ClientMatch(match, runner)
        finally:
            runner.run(stack.aclose())


_POLL_INTERVAL: Final = 1.0
"""Maximum time in seconds between two looks at the state of the match."""


async def _next(turns: AsyncGenerator[T, Any]) -> T | None:
    return await anext(turns, None)
