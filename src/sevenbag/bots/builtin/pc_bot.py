"""A bot that plays perfect clears where it finds any, and otherwise plays like `beam`."""

from __future__ import annotations

import random
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sevenbag._kernel import PcSolver, SolveStatus, StopFlag
from sevenbag.bots.bot import Limits, Position, SearchInfo, Suggestion
from sevenbag.bots.builtin.beam_bot import BeamBot, ThreadedBot
from sevenbag.errors import SpecError
from sevenbag.game import Rules
from sevenbag.game.position import apply_placement
from sevenbag.game.rules import compile_rules
from sevenbag.pc.solver import MAX_HEIGHT

if TYPE_CHECKING:
    from sevenbag._kernel import Board, Piece, Placement

_COLUMNS: Final = 10
_MAX_ROWS: Final = 6
"""Maximum rows of a perfect clear; ``min-height`` may raise it."""
_MAX_GUESSED_PIECES: Final = 6
"""Maximum unknown pieces of a perfect clear."""
_SAMPLED_QUEUES: Final = 12
"""Number of sampled continuations of the queue."""
_CANDIDATES: Final = 5
"""Number of first moves that are tested against all samples."""
_MIN_SUCCESS_RATE: Final = 1 / 3
"""Minimum share of sampled queues that have a perfect clear after a move."""
_PC_SHARE: Final = 0.5
"""Share of the limits for perfect clears; the rest is for beam."""
_NODES_PER_SAMPLE: Final = 4_000
"""Maximum nodes for one sample."""


class PcBot(ThreadedBot):
    """A bot that plays towards perfect clears, and like `beam` if it finds none.

    It plays a perfect clear that the known pieces allow. If pieces are missing, it samples queues
    from the bag and makes the move after which most of them have a perfect clear. On boards that
    are not ten columns wide it plays like beam. Limited by nodes (or without limits, as for beam)
    it always gives the same answer to the same position.

    Args:
        nodes: positions to examine per move; the perfect-clear search may exceed it by up to 256.
        milliseconds: time to use for a move.
        min_height: rows of the lowest perfect clear it plays for.

    Raises:
        InputError: a value is out of its range.
    """

    def __init__(
        self, nodes: int | None = None, milliseconds: float | None = None, min_height: int = 1
    ) -> None:
        if not 1 <= min_height <= 20:
            raise SpecError(f"invalid min_height: expected integer from 1 to 20, got {min_height}")
        super().__init__("pc")
        self._beam = BeamBot(nodes, milliseconds)
        self._min_height = min_height
        self._solver: PcSolver | None = None
        # Rows cleared since the board was empty are part of the height of a perfect clear.
        self._cleared = 0

    def effective_limits(self, limits: Limits) -> Limits:
        """Return the smaller of the bot's limits and these."""
        return self._beam.effective_limits(limits)

    async def prepare(self, rules: Rules) -> None:
        """Prepare for these rules; all rules are supported."""
        await super().prepare(rules)
        # The solver caches its results for the fields of a game.
        self._solver = None
        if rules.board.width == _COLUMNS:
            self._solver = PcSolver(rules.pieces.kicks)
        await self._beam.prepare(rules)

    async def start(self, position: Position) -> None:
        """Set the current position."""
        if self._position is None or self._position.board != position.board:
            self._cleared = 0
        self._position = position
        await self._beam.start(position)

    async def suggest(self, limits: Limits) -> Suggestion:
        """Suggest the first move of a perfect clear, else the moves of `beam`."""
        rules, position = self.rules, self.position
        effective = self.effective_limits(limits)
        started = time.perf_counter()
        # Positions after a move are searched as well and may be higher by one piece.
        low = position.board.height + 4 <= MAX_HEIGHT
        if self._solver is not None and position.queue and low:
            least = max(1, self._min_height - self._cleared)
            search = _PcSearch(self._solver, rules, least, effective, started)
            found = await self._run(lambda stop: search.move(position, stop))
            if found is not None:
                seconds = max(time.perf_counter() - started, 1e-6)
                info = SearchInfo(search.nodes, search.nodes / seconds, found.depth, found.summary)
                return Suggestion((found.placement,), info)
        left = effective.milliseconds
        if left is not None:
            left = max(left - (time.perf_counter() - started) * 1000, 0.01)
        nodes = effective.nodes
        if nodes is not None and self._solver is not None:
            nodes = max(1, nodes - int(nodes * _PC_SHARE))
        return await self._beam.suggest(Limits(left, nodes))

    async def play(self, placement: Placement) -> None:
        """Count the rows that the move clears; the new position follows."""
        before = self.position
        after = self._position = apply_placement(before, placement, self._rules)
        self._cleared += _rows_cleared(before.board, after.board)
        if after.board.is_empty:
            self._cleared = 0

    async def stop(self) -> None:
        """End the search and forget the position."""
        await super().stop()
        await self._beam.stop()

    async def quit(self) -> None:
        """End the search and its threads."""
        await super().quit()
        await self._beam.quit()


@dataclass(frozen=True, slots=True)
class _FoundClear:
    placement: Placement
    depth: int
    summary: str


@dataclass(slots=True)
class _PcSearch:
    """One search for a move."""

    solver: PcSolver
    rules: Rules
    min_height: int
    limits: Limits
    started: float
    stop: StopFlag | None = None
    nodes: int = 0

    def move(self, position: Position, stop: StopFlag) -> _FoundClear | None:
        """Return a move that leads, or may lead, to a perfect clear, or None."""
        self.stop = stop
        solved = self._solve(position.board, _known_pieces(position), None)
        if solved is not None:
            height, placements = solved
            placement = self._legal(position, placements[0])
            if placement is not None:
                pieces = len(placements)
                return _FoundClear(
                    placement, pieces, f"perfect clear: {height} rows, {pieces} pieces"
                )
        return self._most_likely_move(position)

    def _most_likely_move(self, position: Position) -> _FoundClear | None:
        """Return the move after which most sampled queues have a perfect clear."""
        goal = self._goal(position)
        if goal is None:
            return None
        height, missing = goal
        known = _known_pieces(position)
        samples = _sample_queues(position, missing)
        firsts: Counter[Placement] = Counter()
        for sample in samples:
            solved = self._solve(position.board, [*known, *sample], height)
            if solved is not None:
                firsts[solved[1][0]] += 1
        best: tuple[int, Placement] | None = None
        for first, _ in firsts.most_common(_CANDIDATES):
            placement = self._legal(position, first)
            if placement is None:
                continue
            after = apply_placement(position, placement, self.rules)
            cleared = _rows_cleared(position.board, after.board)
            rest = _known_pieces(after)
            left = sum(
                self._solve(after.board, [*rest, *sample], height - cleared) is not None
                for sample in samples
            )
            if best is None or left > best[0]:
                best = (left, placement)
        if best is None or best[0] < len(samples) * _MIN_SUCCESS_RATE:
            return None
        summary = f"perfect clear of {height} rows for {best[0]} of {len(samples)} queues"
        return _FoundClear(best[1], len(known) + missing, summary)

    def _goal(self, position: Position) -> tuple[int, int] | None:
        """Return the rows of the lowest perfect clear that lacks pieces, and how many it lacks."""
        cells = position.board.cell_count
        known = len(_known_pieces(position))
        for height in range(max(position.board.height, 1), max(_MAX_ROWS, self.min_height) + 1):
            empty = _COLUMNS * height - cells
            if height < self.min_height or empty <= 0 or empty % 4:
                continue
            missing = empty // 4 + self.rules.pieces.hold - known
            if missing > 0:
                return (height, missing) if missing <= _MAX_GUESSED_PIECES else None
        return None

    def _solve(
        self, board: Board, pieces: list[Piece], height: int | None
    ) -> tuple[int, tuple[Placement, ...]] | None:
        """Find a perfect clear of exactly this height, or the lowest one."""
        nodes = _NODES_PER_SAMPLE if height is not None else None
        if self.limits.nodes is not None:
            left = int(self.limits.nodes * _PC_SHARE) - self.nodes
            if left <= 0:
                return None
            nodes = left if nodes is None else min(nodes, left)
        milliseconds = None
        if self.limits.milliseconds is not None:
            passed = (time.perf_counter() - self.started) * 1000
            milliseconds = self.limits.milliseconds * _PC_SHARE - passed
            if milliseconds <= 0:
                return None
        answer = self.solver.solve(
            board,
            pieces,
            None,
            use_hold=self.rules.pieces.hold,
            min_height=self.min_height if height is None else height,
            max_height=max(_MAX_ROWS, self.min_height) if height is None else height,
            nodes=nodes,
            milliseconds=milliseconds,
            stop=self.stop,
        )
        self.nodes += max(answer.nodes, 1)
        if answer.status != SolveStatus.FOUND or not answer.placements:
            return None
        return answer.height, answer.placements

    def _legal(self, position: Position, placement: Placement) -> Placement | None:
        """Return the move with the game's spin if the piece can reach it."""
        wanted = placement.canonical().cells
        legal = [
            move
            for move in compile_rules(self.rules).placements(
                position.board, placement.piece, position.combo > 0, spins=True
            )
            if move.cells == wanted
        ]
        return max(legal, key=lambda move: int(move.spin), default=None)


def _rows_cleared(before: Board, after: Board) -> int:
    """Return the number of rows that a piece of four cells cleared."""
    return (before.cell_count + 4 - after.cell_count) // before.width


def _known_pieces(position: Position) -> list[Piece]:
    """Return the pieces in the order in which they can be placed."""
    return [*(() if position.hold is None else (position.hold,)), *position.queue]


def _sample_queues(position: Position, count: int) -> list[tuple[Piece, ...]]:
    """Return possible continuations of the queue; equal for equal bags."""
    choice = random.Random(0)  # not security-relevant
    samples: dict[tuple[Piece, ...], None] = {}
    for _ in range(_SAMPLED_QUEUES):
        bag = list(position.bag or position.filled_bag)
        sample: list[Piece] = []
        while len(sample) < count:
            bag = bag or list(position.filled_bag)
            sample.append(bag.pop(choice.randrange(len(bag))))
        samples[tuple(sample)] = None
    return list(samples)
