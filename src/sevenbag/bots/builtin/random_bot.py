"""A baseline bot that plays random legal moves."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from sevenbag.bots.bot import Limits, PositionBot, Suggestion
from sevenbag.game import Rules
from sevenbag.game.rules import compile_rules

if TYPE_CHECKING:
    from sevenbag._kernel import Placement


class RandomBot(PositionBot):
    """A bot that suggests a random placement of the current piece or the hold piece."""

    def __init__(self, seed: int | None = None) -> None:
        """Create a bot; with a seed it makes the same choices in every game."""
        self.name = "random"
        self._seed = seed
        self._random = random.Random(seed)

    def effective_limits(self, limits: Limits) -> Limits:
        """Return no limits: it does not search."""
        del limits
        return Limits()

    async def prepare(self, rules: Rules) -> None:
        """Store the rules and reset the random choices."""
        await super().prepare(rules)
        self._random.seed(self._seed)

    async def suggest(self, limits: Limits) -> Suggestion:
        """Suggest one legal move; all are equally likely."""
        del limits
        moves = self._moves()
        return Suggestion((self._random.choice(moves),) if moves else ())

    def _moves(self) -> list[Placement]:
        position, rules = self.position, self.rules
        queue = position.queue
        pieces = set(queue[:1])
        if rules.pieces.hold:
            pieces.update(queue[1:2] if position.hold is None else (position.hold,))
        kernel = compile_rules(rules)
        moves: list[Placement] = []
        for piece in sorted(pieces):
            # Only locks that clear rows continue a combo.
            cleared = position.combo > 0
            moves.extend(kernel.placements(position.board, piece, cleared, spins=False))
        return moves
