"""What programs of one's own are written with: a match, and a turn for each piece.

::

    from sevenbag.contest.client import connect

    with connect("pason://127.0.0.1", token, "My Team", password) as match:
        for turn in match.turns():
            turn.place(min(turn.placements(), key=lambda place: max(y for x, y in place.cells)))
    print(match.result)

The same with ``async with connect_async(...)``, ``async for`` and ``await turn.place(...)``. The
plain one has an event loop of its own, and must not be used where one runs already.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from sevenbag._kernel import Board, Piece, Placement
from sevenbag.contest.client.connection import ServerAddress, parse_server_address
from sevenbag.contest.client.match_session import MatchSession, SessionTimeouts
from sevenbag.contest.client.match_view import MatchView
from sevenbag.contest.client.piece_planner import PiecePlanner, list_placements
from sevenbag.contest.game.match_results import describe_ending
from sevenbag.contest.game.state_encoder import GameStatistics, MatchStatistics
from sevenbag.errors import PlacementError, ProtocolError
from sevenbag.protocols.pason.messages import GameBoardState, GameEnd, GamePieceState, MatchEnd
from sevenbag.protocols.pason.pason_conversion import board_to_kernel

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Coroutine, Generator, Iterator
    from types import TracebackType
    from typing import Any, Self

    from sevenbag.contest.game.state_encoder import StatisticsMessage
    from sevenbag.protocols.pason.messages import State
    from sevenbag.protocols.pason.pason_conversion import MoveName

__all__ = [
    "AsyncClientMatch",
    "AsyncClientTurn",
    "ClientMatch",
    "ClientTurn",
    "TeamMatchResult",
    "connect",
    "connect_async",
]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TeamMatchResult:
    """Result of a match.

    It comes from the server's figures or, if it publishes none, from the messages received.

    Attributes:
        team: own team.
        opponent: other team; empty if no message named it.
        games: games won by us and by them.
        points: points in all games, of us and of them.
        won: whether the own team has won; None if neither has or it is not known. Without figures
            it follows from games, then points; a coin toss of the server is then not known.
        end_heard: whether the match's end was heard; what came before may be missing otherwise.
        ending: reason from the server, such as ``the other team did not come``; empty if unknown.
    """

    team: str
    opponent: str
    games: tuple[int, int]
    points: tuple[int, int]
    won: bool | None
    end_heard: bool
    ending: str = ""

    def __str__(self) -> str:
        how = {True: "won", False: "lost", None: "undecided"}[self.won]
        against = f" against {self.opponent}" if self.opponent else ""
        why = f" ({describe_ending(self.ending)})" if self.ending else ""
        return (
            f"{self.team} {how}{against}: {self.games[0]}:{self.games[1]} games, "
            f"{self.points[0]}:{self.points[1]} points{why}"
        )


def summarize_match(view: MatchView, team: str) -> TeamMatchResult:
    """Return the result of a match from the messages of its state channel."""
    wins, points = view.wins, view.points
    others = [name for name in {**wins, **view.boards} if name != team]
    opponent = others[0] if others else ""
    leader = view.leader
    return TeamMatchResult(
        team,
        opponent,
        (wins.get(team, 0), wins.get(opponent, 0)),
        (points.get(team, 0), points.get(opponent, 0)),
        None if leader is None else leader == team,
        view.ended is not None,
        "" if view.result is None else view.result.ending,
    )


class AsyncClientTurn:
    """One piece of ours, from its coming until it is locked.

    Attributes:
        number: of the piece.
        piece: which it is.
        board: our locked cells when it came; row 0 is the lowest.
        opponent: the other team's.
        queue: upcoming pieces, which both draw from.
    """

    def __init__(self, match: AsyncClientMatch, number: int, piece: Piece) -> None:
        self.number = number
        self.piece = piece
        view = match.view
        self.board: Board = board_to_kernel(view.boards.get(match.team, 0))
        others = [cells for team, cells in view.boards.items() if team != match.team]
        self.opponent: Board = board_to_kernel(others[0] if others else 0)
        self.queue = tuple(Piece[name] for name in view.queue if name in Piece.__members__)
        self._match = match
        self._places = list_placements(self.board, self.piece)

    def placements(self) -> list[Placement]:
        """Every place where the piece can lock, from where it enters."""
        return list(self._places)

    async def place(self, placement: Placement) -> bool:
        """Bring the piece there and drop it; whether that is where it went.

        Gravity goes on meanwhile: what strays gets a new way, and if none leads there, the nearest
        place. False, too, if it was locked on the way.

        Raises:
            PlacementError: it is no placement of this piece.
            CommandRejectedError: the server wants no moves of this team any more.
            ServerUnreachableError: no server answers.
        """
        if placement.piece != self.piece:
            raise PlacementError(f"{placement!r} is no placement of {self.piece.name}")
        return await self._match.steer(self.number, placement)

    async def move(self, move: MoveName) -> None:
        """Make one move: left, right, down, drop, lrotate or rrotate.

        Raises:
            CommandRejectedError: the server wants no moves of this team any more.
            ServerUnreachableError: no server answers.
        """
        await self._match.move(move, self.number)


class AsyncClientMatch:
    """A match that a team plays.

    Attributes:
        team: ours.
        view: all that the state channel has told.
    """

    def __init__(self, session: MatchSession, team: str) -> None:
        self.team = team
        self.view = MatchView()
        self._session = session
        self._steering = PiecePlanner()
        self._turned = False

    @property
    def is_over(self) -> bool:
        """Whether the match has ended."""
        return self._session.is_over

    @property
    def result(self) -> TeamMatchResult:
        """How it stands, or has ended."""
        return summarize_match(self.view, self.team)

    async def turns(self) -> AsyncGenerator[AsyncClientTurn]:
        """A turn for each of our pieces that can be placed, until the match is over.

        Raises:
            CommandRejectedError: the server knows this team no more.
            ServerUnreachableError: no server answers, or it tells no states.
        """
        last: int | None = None
        while not self.is_over:
            steering = self._steering
            number, piece = steering.number, steering.piece
            if number is None or piece is None or number == last or not self._board_known:
                await self._listen(time.monotonic() + _LISTENS)
                continue
            last = number
            turn = AsyncClientTurn(self, number, piece.piece)
            # Where there is no room, gravity decides.
            if turn.placements():
                yield turn

    async def move(self, move: MoveName, number: int | None = None) -> None:
        """Make one move.

        Args:
            move: left, right, down, drop, lrotate or rrotate.
            number: of the piece that it is meant for; None for whatever piece is there.

        Raises:
            CommandRejectedError: the server wants no moves of this team any more.
            ServerUnreachableError: no server answers.
        """
        await self._session.move(move, number)
        await self._listen(0)

    async def steer(self, number: int, placement: Placement) -> bool:
        """Bring a piece to a place; see `AsyncClientTurn.place`."""
        steering = self._steering
        if steering.number != number:
            return False
        steering.set_targets((placement,))
        dropped = steering.counts.dropped
        while not self.is_over and steering.number == number:
            now = time.monotonic()
            order = steering.next_move(now)
            if order is None:
                due = steering.next_move_at
                await self._listen(now + _LISTENS if due is None else due)
                continue
            if await self._session.move(order.move, order.number):
                steering.move_answered(time.monotonic())
            else:
                steering.move_unanswered(time.monotonic())
            await self._listen(0)
        return steering.counts.dropped > dropped

    async def _listen(self, until: float) -> None:
        for message in await self._session.receive_states(until):
            with contextlib.suppress(ProtocolError):
                self._hear(message)

    def _hear(self, message: State | StatisticsMessage) -> None:
        self.view.handle_message(message)
        now = time.monotonic()
        match message:
            case GameBoardState():
                self._steering.update_board(self.view.boards.get(self.team, 0))
            case GamePieceState():
                self._steering.update_piece(message.states.get(self.team), now)
            case GameEnd() | MatchEnd():
                self._steering.end_game()
            case GameStatistics() | MatchStatistics():
                pass

    @property
    def _board_known(self) -> bool:
        return self.team in self.view.boards


@contextlib.asynccontextmanager
async def connect_async(
    server: str | ServerAddress,
    token: str,
    team: str,
    password: str,
    *,
    timeouts: SessionTimeouts | None = None,
) -> AsyncGenerator[AsyncClientMatch]:
    """Connect to a match; leaving the context leaves the match.

    Args:
        server: such as ``pason://127.0.0.1``, with ports where they are others than usual.
        token: names the match.
        team: name as registered.
        password: the team's.
        patience: how long to wait for what.

    Raises:
        InputError: the server's address is none.
        CommandRejectedError: the server does not let this team into this match.
        ServerUnreachableError: no server answers.
    """
    address = server if isinstance(server, ServerAddress) else parse_server_address(server)
    async with MatchSession(address, token, team, password, timeouts) as session:
        yield AsyncClientMatch(session, team)


class ClientTurn:
    """`AsyncClientTurn` for plain programs."""

    def __init__(self, turn: AsyncClientTurn, match: ClientMatch) -> None:
        self._turn = turn
        self._match = match
        self.number = turn.number
        self.piece = turn.piece
        self.board = turn.board
        self.opponent = turn.opponent
        self.queue = turn.queue

    def placements(self) -> list[Placement]:
        """Every place where the piece can lock, from where it enters."""
        return self._turn.placements()

    def place(self, placement: Placement) -> bool:
        """Bring the piece there and drop it; whether that is where it went."""
        return self._match.run(self._turn.place(placement))

    def move(self, move: MoveName) -> None:
        """Make one move: left, right, down, drop, lrotate or rrotate. See `AsyncClientTurn`."""
        self._match.run(self._turn.move(move))


class ClientMatch:
    """`AsyncClientMatch` for plain programs; made by `connect`."""

    def __init__(
        self,
        server: str | ServerAddress,
        token: str,
        team: str,
        password: str,
        patience: SessionTimeouts | None,
    ) -> None:
        self._runner = asyncio.Runner()
        self._context = connect_async(server, token, team, password, timeouts=patience)
        self._match: AsyncClientMatch | None = None

    def __enter__(self) -> Self:
        try:
            self._match = self.run(self._context.__aenter__())
        except BaseException:
            self._runner.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.run(self._context.__aexit__(kind, error, trace))
        finally:
            self._runner.close()

    @property
    def team(self) -> str:
        """Ours."""
        return self._known.team

    @property
    def view(self) -> MatchView:
        """All that the state channel has told."""
        return self._known.view

    @property
    def is_over(self) -> bool:
        """Whether the match has ended."""
        return self._known.is_over

    @property
    def result(self) -> TeamMatchResult:
        """How it stands, or has ended."""
        return self._known.result

    def turns(self) -> Iterator[ClientTurn]:
        """A turn for each of our pieces that can be placed. See `AsyncClientMatch.turns`."""
        return self._turns()

    def move(self, move: MoveName, number: int | None = None) -> None:
        """Make one move. See `AsyncClientMatch.move`."""
        self.run(self._known.move(move, number))

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """What a coroutine returns, in the match's own loop."""
        return self._runner.run(work)

    def _turns(self) -> Generator[ClientTurn]:
        turns = self._known.turns()
        try:
            while (turn := self.run(_next(turns))) is not None:
                yield ClientTurn(turn, self)
        finally:
            self.run(turns.aclose())

    @property
    def _known(self) -> AsyncClientMatch:
        if self._match is None:
            raise RuntimeError("not connected; use it as a context: with connect(...) as match")
        return self._match


def connect(
    server: str | ServerAddress,
    token: str,
    team: str,
    password: str,
    *,
    timeouts: SessionTimeouts | None = None,
) -> ClientMatch:
    """`connect_async` for plain programs: ``with connect(...) as match``."""
    return ClientMatch(server, token, team, password, timeouts)


# --- helpers ------------------------------------------------------------------------------------


async def _next(turns: AsyncGenerator[AsyncClientTurn]) -> AsyncClientTurn | None:
    return await anext(turns, None)


_LISTENS: Final = 1.0
"""Seconds between looks at whether anything is to be done."""
