"""Game between two bot controllers, without sockets and in simulated time."""

import asyncio
import heapq
import itertools
from collections import Counter
from collections.abc import Callable, Sequence

from sevenbag.contest.client.bot_controller import BotController
from sevenbag.contest.client.piece_planner import MoveOrder
from sevenbag.contest.game.pason_game import PLAYERS, MoveOutcome, PasonGame
from sevenbag.contest.game.state_messages import StateBuilder
from sevenbag.contest.settings import GameRules

TEAMS = ("Alpha", "Beta")


class LocalGame:
    """Game whose clock advances only while no bot is thinking.

    Attributes:
        game: state of the game.
        outcomes: outcomes of the moves of each player.

    Args:
        controllers: prepared controllers; None for a player without moves.
        rules: rules of the game.
        seed: seed of the pieces.
        latency: seconds that a move or a state message takes.
        thinks: seconds of the simulated clock that a bot takes for an answer.
    """

    def __init__(
        self,
        controllers: Sequence[BotController | None],
        rules: GameRules,
        *,
        seed: int = 1,
        latency: float = 0.0005,
        thinks: float = 0.0,
    ) -> None:
        self.game = PasonGame(rules, seed)
        self.outcomes: tuple[Counter[MoveOutcome], Counter[MoveOutcome]] = (Counter(), Counter())
        self._controllers = controllers
        self._messages = StateBuilder("t", "a match", TEAMS, lambda: self._now, 0)
        self._now = 0.0
        self._latency = latency
        self._thinks = thinks
        self._free_at: list[float | None] = [None, None]
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._order = itertools.count()

    @property
    def moves(self) -> int:
        """Number of moves of both players."""
        return sum(map(sum, (each.values() for each in self.outcomes)))

    @property
    def rejected(self) -> Counter[MoveOutcome]:
        """Moves of both players that were not performed."""
        rejected = self.outcomes[0] + self.outcomes[1]
        del rejected[MoveOutcome.DONE]
        return rejected

    async def play(self, seconds: float) -> None:
        """Play to the end, or for a limited time."""
        self._publish()
        self._schedule(self.game.step_ms / 1000, self._step)
        while self._events and not self.game.is_over:
            self._now, _, event = heapq.heappop(self._events)
            if self._now > seconds:
                return
            event()
            for player, controller in zip(PLAYERS, self._controllers, strict=True):
                if controller is not None:
                    await self._let_think(player, controller)
            for player, controller in zip(PLAYERS, self._controllers, strict=True):
                if controller is not None and self._free_at[player] is None:
                    self._request_move(player, controller)

    async def _let_think(self, player: int, controller: BotController) -> None:
        """Deliver the answer of a bot at its simulated time."""
        if controller.is_thinking and self._free_at[player] is None:
            self._free_at[player] = self._now + self._thinks
            self._schedule(self._thinks, lambda: None)
        free_at = self._free_at[player]
        if free_at is not None and free_at <= self._now:
            while controller.is_thinking:  # noqa: ASYNC110  # takes no simulated time
                await asyncio.sleep(0)
            self._free_at[player] = None

    def _request_move(self, player: int, controller: BotController) -> None:
        order = controller.next_move(self._now)
        if order is not None:
            self._schedule(self._latency, lambda: self._perform(player, controller, order))
        elif controller.next_move_at is not None:
            self._schedule(max(controller.next_move_at - self._now, 1e-6), lambda: None)

    def _perform(self, player: int, controller: BotController, order: MoveOrder) -> None:
        outcome = self.game.move(PLAYERS[player], order.move, order.number)
        self.outcomes[player][outcome] += 1
        controller.move_answered(self._now)
        if outcome is MoveOutcome.DONE:
            self._publish()

    def _step(self) -> None:
        self.game.step()
        self._publish()
        self._schedule(self.game.step_ms / 1000, self._step)

    def _publish(self) -> None:
        changes = self.game.take_changes()
        if changes.boards:
            self._messages.add_boards(self.game, changes)
        self._messages.add_pieces(self.game)
        messages = self._messages.take()

        def deliver() -> None:
            for controller, message in itertools.product(self._controllers, messages):
                if controller is not None:
                    controller.handle_message(message, self._now)

        self._schedule(self._latency, deliver)

    def _schedule(self, delay: float, event: Callable[[], None]) -> None:
        heapq.heappush(self._events, (self._now + delay, next(self._order), event))
