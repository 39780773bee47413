"""A game between two planners, without sockets, on a clock that only moves when nobody thinks."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections import Counter
from typing import TYPE_CHECKING

from sevenbag.contest.game.pason_game import PLAYERS, MoveOutcome, PasonGame
from sevenbag.protocols.pason import pason_conversion
from sevenbag.protocols.pason.messages import (
    BoardState,
    GameBoardState,
    GamePieceState,
    PieceState,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sevenbag.contest.client.bot_controller import BotController, MoveOrder
    from sevenbag.contest.settings import GameRules
    from sevenbag.protocols.pason.messages import State

TEAMS = ("Alpha", "Beta")


class Table:
    """One game.

    Attributes:
        duel: the game.
        verdicts: of every move, by seat.
        locked: placements of pieces that were dropped: seat, and the move orders of each.
    """

    def __init__(
        self,
        planners: Sequence[BotController | None],
        rules: GameRules,
        *,
        seed: int = 1,
        latency: float = 0.0005,
        lag: float = 0.0005,
        thinks: float = 0.0,
    ) -> None:
        """Nothing happens before `play`.

        Args:
            planners: prepared ones; None for a seat that does nothing.
            rules: of the game.
            seed: of the game.
            latency: seconds from an order to its answer.
            lag: seconds that a state message takes.
            thinks: seconds that a thought takes on the table's clock.
        """
        self.duel = PasonGame(rules, seed)
        self.planners = planners
        self.verdicts: tuple[Counter[MoveOutcome], Counter[MoveOutcome]] = (Counter(), Counter())
        self.now = 0.0
        self._latency = latency
        self._lag = lag
        self._thinks = thinks
        self._free_at: list[float | None] = [None, None]
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self._sequence = 0

    async def play(self, seconds: float) -> None:
        """Play to the end, or for so long."""
        self._tell()
        self._at(self.duel.step_ms / 1000, self._step)
        while self._events and not self.duel.is_over:
            self.now, _, event = heapq.heappop(self._events)
            if self.now > seconds:
                return
            event()
            await self._let_think()
            for seat in PLAYERS:
                self._ask(seat)

    # --- helpers --------------------------------------------------------------------------------

    async def _let_think(self) -> None:
        """A thought is finished at its time on this clock, and not before."""
        for seat, planner in enumerate(self.planners):
            if planner is None:
                continue
            if planner.is_thinking and self._free_at[seat] is None:
                self._free_at[seat] = self.now + self._thinks
                self._at(self._thinks, lambda: None)
            free_at = self._free_at[seat]
            if free_at is not None and free_at <= self.now:
                while planner.is_thinking:  # noqa: ASYNC110  # it is no real waiting
                    await asyncio.sleep(0)
                self._free_at[seat] = None

    def _ask(self, seat: int) -> None:
        planner = self.planners[seat]
        if planner is None or self._free_at[seat] is not None:
            return
        order = planner.next_move(self.now)
        if order is not None:
            self._at(self._latency, lambda: self._carry_out(seat, planner, order))
        elif planner.next_move_at is not None:
            self._at(max(planner.next_move_at - self.now, 1e-6), lambda: None)

    def _carry_out(self, seat: int, planner: BotController, order: MoveOrder) -> None:
        verdict = self.duel.move(PLAYERS[seat], order.move, order.number)
        self.verdicts[seat][verdict] += 1
        planner.move_answered(self.now)
        if verdict is MoveOutcome.DONE:
            self._tell()

    def _step(self) -> None:
        self.duel.step()
        self._tell()
        self._at(self.duel.step_ms / 1000, self._step)

    def _tell(self) -> None:
        changes = self.duel.take_changes()
        messages: list[State] = []
        if changes.boards:
            messages.append(self._boards())
        messages.append(self._pieces())
        self._at(self._lag, lambda: self._deliver(messages))

    def _deliver(self, messages: Sequence[State]) -> None:
        for planner in self.planners:
            for message in messages:
                if planner is not None:
                    planner.handle_message(message, self.now)

    def _boards(self) -> GameBoardState:
        states = {
            team: BoardState(board_state=pason_conversion.encode_board(cells))
            for team, cells in zip(TEAMS, self.duel.boards, strict=True)
        }
        return GameBoardState(
            game_name="a game", sequence=self._next(), timestamp=self.now, states=states
        )

    def _pieces(self) -> GamePieceState:
        states = {
            team: None
            if piece is None
            else PieceState(
                orient=piece.orient,
                piece=piece.kind,
                number=piece.number,
                row=piece.row,
                col=piece.col,
            )
            for team, piece in zip(TEAMS, self.duel.pieces, strict=True)
        }
        return GamePieceState(
            game_name="a game",
            sequence=self._next(),
            timestamp=self.now,
            states=states,
            queue=tuple(self.duel.queue),
        )

    def _next(self) -> int:
        self._sequence += 1
        return self._sequence

    def _at(self, delay: float, event: Callable[[], None]) -> None:
        heapq.heappush(self._events, (self.now + delay, next(self._order), event))
