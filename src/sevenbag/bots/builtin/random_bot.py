"""A baseline bot that plays random legal moves."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from sevenbag.bots.bot import Bot, Limits, Suggestion
from sevenbag.errors import BotStartError
from sevenbag.game.position import after_new_piece, after_placement
from sevenbag.game.rules import kernel_rules

if TYPE_CHECKING:
    from sevenbag._kernel import Piece, Placement
    from sevenbag.bots.bot import Position
    from sevenbag.game import Rules


class RandomBot(Bot):
    """A bot that suggests a random placement of the current piece or the hold piece."""

    def __init__(self, seed: int | None = None) -> None:
        """Create a bot; with a seed it makes the same choices in every game."""
        self.name = "random"
        self._seed = seed
        self._random = random.Random(seed)
        self._rules: Rules | None = None
        self._position: Position | None = None

    def effective_limits(self, limits: Limits) -> Limits:
        """Return no limits: it does not search."""
        del limits
        return Limits()

    async def prepare(self, rules: Rules) -> None:
        """Store the rules and reset the random choices."""
        self._rules = rules
        self._random.seed(self._seed)

    async def start(self, position: Position) -> None:
        """Set the current position."""
        self._position = position

    async def suggest(self, limits: Limits) -> Suggestion:
        """Suggest one legal move; all are equally likely."""
        del limits
        moves = self._moves()
        return Suggestion((self._random.choice(moves),) if moves else ())

    async def play(self, placement: Placement) -> None:
        """Advance the position by a move."""
        self._position = after_placement(self._require_position(), placement, self._rules)

    async def new_piece(self, piece: Piece) -> None:
        """Append a piece to the queue."""
        self._position = after_new_piece(self._require_position(), piece)

    async def stop(self) -> None:
        """Forget the position."""
        self._position = None

    async def quit(self) -> None:
        """Do nothing: the bot holds no resources."""

    # --- helpers --------------------------------------------------------------------------------

    def _moves(self) -> list[Placement]:
        position = self._require_position()
        rules = self._rules
        if rules is None:
            raise BotStartError(self.name, "knows no rules")
        queue = position.queue
        pieces = set(queue[:1])
        if rules.pieces.hold:
            pieces.update(queue[1:2] if position.hold is None else (position.hold,))
        kernel = kernel_rules(rules)
        moves: list[Placement] = []
        for piece in sorted(pieces):
            # Only locks that clear rows continue a combo.
            cleared = position.combo > 0
            moves.extend(kernel.placements(position.board, piece, cleared, spins=False))
        return moves

    def _require_position(self) -> Position:
        if self._position is None:
            raise BotStartError(self.name, "has no position")
        return self._position
