"""A bot that plays by the kernel's beam search."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, TypeVar

from sevenbag._kernel import BeamSearch, StopFlag
from sevenbag.bots.bot import Limits, Position, PositionBot, SearchInfo, Suggestion
from sevenbag.errors import BotStartError, SpecError
from sevenbag.game import Rules
from sevenbag.game.rules import compile_rules

if TYPE_CHECKING:
    from sevenbag._kernel import Piece, SearchResult

_Number = TypeVar("_Number", int, float)
_Result = TypeVar("_Result")

DEFAULT_NODES: Final = 50_000
"""Default if no limit is set."""

MAX_WIDTH: Final = 2**15
"""Maximum boards kept at each depth."""

_MAX_PENDING: Final = 1_000_000
_MAX_MOVES: Final = 10
"""Maximum suggested moves."""
_TIME_SHARE: Final = 0.95
"""Share of the time for the search; the rest is for the transfer."""


class ThreadedBot(PositionBot):
    """A bot that searches in a thread of its own."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._stop = StopFlag()
        # One thread: a cancelled search ends before the next one starts.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)

    async def stop(self) -> None:
        """End the search and forget the position."""
        self._stop.set()
        await super().stop()

    async def quit(self) -> None:
        """End the search and its thread."""
        self._stop.set()
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _run(self, search: Callable[[StopFlag], _Result]) -> _Result:
        """Run a search in the thread; stop it when this is cancelled."""
        self._stop = stop = StopFlag()
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, search, stop)
        finally:
            stop.set()


class BeamBot(ThreadedBot):
    """A bot that searches for the best sequence of moves over the known pieces.

    The smaller one of the limits of the bot and of `suggest` applies. Limited by nodes (or without
    limits, which means `DEFAULT_NODES`) it always gives the same answer to the same position.

    Args:
        nodes: boards to evaluate per move; exceeded only if the first piece has more placements,
            which are all evaluated.
        milliseconds: time to use for a move.
        width: boards kept at each depth, at most `MAX_WIDTH`; by default as many as the other
            limits allow.

    Raises:
        InputError: a limit is out of its range.
    """

    def __init__(
        self, nodes: int | None = None, milliseconds: float | None = None, width: int | None = None
    ) -> None:
        self._limits = Limits(milliseconds=milliseconds, nodes=nodes)
        if width is not None and not 0 < width <= MAX_WIDTH:
            raise SpecError(f"invalid width: expected integer from 1 to {MAX_WIDTH}, got {width}")
        super().__init__("beam")
        self._width = width
        self._search: BeamSearch | None = None

    def effective_limits(self, limits: Limits) -> Limits:
        """Return the smaller of the bot's limits and these, or `DEFAULT_NODES` without any."""
        nodes = _smaller(self._limits.nodes, limits.nodes)
        milliseconds = _smaller(self._limits.milliseconds, limits.milliseconds)
        if nodes is None and milliseconds is None and self._width is None:
            nodes = DEFAULT_NODES
        return Limits(milliseconds, nodes)

    async def prepare(self, rules: Rules) -> None:
        """Prepare for these rules; all rules are supported."""
        await super().prepare(rules)
        self._search = BeamSearch(compile_rules(rules))

    async def suggest(self, limits: Limits) -> Suggestion:
        """Suggest the first moves of the best sequences."""
        search, position = self._search, self.position
        if search is None:
            raise BotStartError(self.name, "knows no rules")
        if not position.queue:
            return Suggestion(())
        started = time.perf_counter()
        effective = self.effective_limits(limits)
        queue, bag = _known_pieces(position)

        def run(stop: StopFlag) -> SearchResult:
            left = effective.milliseconds
            if left is not None:
                left = max(left * _TIME_SHARE - (time.perf_counter() - started) * 1000, 0.01)
            return search.run(
                position.board,
                queue,
                position.hold,
                position.combo,
                position.back_to_back,
                min(sum(position.pending), _MAX_PENDING),
                bag,
                nodes=effective.nodes,
                milliseconds=left,
                width=self._width,
                stop=stop,
            )

        result = await self._run(run)
        seconds = max(time.perf_counter() - started, 1e-6)
        info = SearchInfo(nodes=result.nodes, nps=result.nodes / seconds, depth=result.depth)
        return Suggestion(tuple(result.moves[:_MAX_MOVES]), info)


def _smaller(a: _Number | None, b: _Number | None) -> _Number | None:
    return b if a is None else a if b is None else min(a, b)


def _known_pieces(position: Position) -> tuple[list[Piece], list[Piece]]:
    """Return the certain upcoming pieces and the possible pieces after them.

    A bag with a single kind of piece is certain as well. An empty list means any piece.
    """
    bag = list(position.bag or ())
    # A single piece without a hold piece cannot be exchanged for an unknown piece.
    if len(set(bag)) == 1 and (len(position.queue) > 1 or position.hold is not None):
        return [*position.queue, *bag], []
    return list(position.queue), bag
