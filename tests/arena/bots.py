"""Bots that behave, and bots that do not, for the tests of the arena."""

import inspect
import itertools
from collections.abc import Awaitable, Callable

from sevenbag._kernel import Board, Piece, Placement, Rotation
from sevenbag.bots.bot import Bot, Limits, Position, Suggestion
from sevenbag.game import Rules


class LowBot(Bot):
    """Bot that places each piece as low as possible and tracks its own position.

    Attributes:
        calls: what it was told, in order, by method name.
        starts: positions it was put before.
    """

    def __init__(self, name: str = "low", *, worst: bool = False) -> None:
        self.name = name
        self.calls: list[str] = []
        self.starts: list[Position] = []
        self.board: Board | None = None
        self.queue: list[Piece] = []
        self.hold: Piece | None = None
        self._worst = worst

    async def prepare(self, rules: Rules) -> None:
        self.calls.append("prepare")

    async def start(self, position: Position) -> None:
        self.calls.append("start")
        self.starts.append(position)
        self.board = position.board.copy()
        self.queue = list(position.queue)
        self.hold = position.hold

    async def suggest(self, limits: Limits) -> Suggestion:
        self.calls.append("suggest")
        return Suggestion((self.choice(),))

    async def play(self, placement: Placement) -> None:
        self.calls.append("play")
        assert self.board is not None
        if placement.piece == self.queue[0]:
            self.queue.pop(0)
        else:
            put_away = self.queue.pop(0)
            if self.hold is None:
                assert self.queue.pop(0) == placement.piece
            else:
                assert self.hold == placement.piece
            self.hold = put_away
        self.board.lock(placement)

    async def new_piece(self, piece: Piece) -> None:
        self.calls.append("new_piece")
        self.queue.append(piece)

    async def stop(self) -> None:
        self.calls.append("stop")

    async def quit(self) -> None:
        self.calls.append("quit")

    def moves(self) -> list[Placement]:
        """Of the current piece, which falls one row as it appears, if it can."""
        assert self.board is not None
        piece = self.queue[0]
        low = self.board.fits(Placement(piece, Rotation.NORTH, 4, 19))
        return list(self.board.placements(piece, spawn=(4, 19 if low else 20)))

    def choice(self) -> Placement:
        moves = self.moves()
        heights = [sum(y for _, y in move.cells) for move in moves]
        best = max(heights) if self._worst else min(heights)
        return moves[heights.index(best)]


class HoldBot(LowBot):
    """Holds at every other move."""

    def choice(self) -> Placement:
        if self.calls.count("suggest") % 2 == 0:
            return super().choice()
        current = self.queue[0]
        self.queue[0] = self.hold if self.hold is not None else self.queue[1]
        try:
            return super().choice()
        finally:
            self.queue[0] = current


class QuadBot(LowBot):
    """Fills nine columns evenly and keeps the tenth for the I: it attacks."""

    def choice(self) -> Placement:
        moves = self.moves()
        return min(moves, key=self._cost)

    def _cost(self, move: Placement) -> tuple[float, int, int]:
        assert self.board is not None
        board = self.board.copy()
        lines = board.lock(move)
        heights, holes = [], 0
        for x in range(board.width):
            top = max((y + 1 for y in range(board.height) if board[x, y]), default=0)
            holes += sum(not board[x, y] for y in range(top))
            heights.append(top)
        steps = sum(abs(a - b) for a, b in itertools.pairwise(heights[:9]))
        well = 0 if lines == 4 else 30 * heights[9]
        return 8 * holes + steps + sum(heights) / 2 + well - 100 * (lines == 4), move.x, move.y


class TowerBot(LowBot):
    """Piles everything up in the middle and tops out."""

    def __init__(self, name: str = "tower") -> None:
        super().__init__(name, worst=True)


class FaultyBot(LowBot):
    """Does something else than it should, once, at one call of one method.

    Args:
        method: the method.
        turn: at which of its calls, from 1.
        fault: what it does instead.
    """

    def __init__(
        self, method: str, fault: Callable[[], object], turn: int = 1, name: str = "faulty"
    ) -> None:
        super().__init__(name)
        self._method = method
        self._fault = fault
        self._turn = turn

    async def _faulty(self, method: str) -> object:
        if method != self._method or self.calls.count(method) + 1 != self._turn:
            return None
        answer = self._fault()
        return await answer if inspect.isawaitable(answer) else answer


def _with_fault(method: str) -> Callable[..., Awaitable[object]]:
    async def call(self: FaultyBot, *args: object) -> object:
        answer = await self._faulty(method)
        return await getattr(super(FaultyBot, self), method)(*args) if answer is None else answer

    return call


for _method in ("prepare", "start", "suggest", "play", "new_piece", "stop", "quit"):
    setattr(FaultyBot, _method, _with_fault(_method))
