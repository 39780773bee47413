"""The game at which an engine is checked: known pieces, known boards, one player."""

from __future__ import annotations

import dataclasses
import random
from typing import TYPE_CHECKING, Any, Final, Literal

from sevenbag._kernel import Board, Piece
from sevenbag.game import Rules
from sevenbag.game.position import Position, after_new_piece, after_placement
from sevenbag.game.rules import kernel_rules
from sevenbag.protocols.triangle import triangle_conversion
from sevenbag.protocols.triangle.messages import TrianglePlay, to_object

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sevenbag.protocols.triangle.triangle_keys import ResolvedKeys

Json = dict[str, Any]
Bag = Literal["7-bag", "14-bag", "none"]

LEAGUE: Final = Rules.preset("tetrio-league")
_LEAST_SEEN: Final = 31
"""Pieces in the queue below which another bag is dealt, as Triangle.js has it."""


class Room:
    """One player's game as a host has it.

    Attributes:
        position: the present one, all dealt pieces in its queue.
        rules: by which it is played.
    """

    def __init__(
        self,
        seed: int = 1,
        *,
        rules: Rules = LEAGUE,
        bag: Bag = "7-bag",
        seen: int = _LEAST_SEEN,
        rows: Sequence[str] = (),
    ) -> None:
        """Deal.

        Args:
            seed: of the pieces.
            rules: by which it is played.
            bag: how pieces are dealt.
            seen: fewer pieces than this are never in the queue.
            rows: of the board, from the bottom; ``X`` is garbage.
        """
        self.rules = rules
        self._random = random.Random(seed)
        self._bag: Bag = bag
        self._seen = seen
        height = rules.board.rows
        board = Board.from_rows(rows, height=height) if rows else Board(rules.board.width, height)
        self.position = Position(board=board, queue=())
        self._refill()
        # The first piece is taken, and the queue told without it.
        self._fill_up(1)

    # --- what the host says ---------------------------------------------------------------------

    def config(self, **changes: object) -> Json:
        """The room and the first pieces, as releases of Triangle.js write them."""
        message = to_object(triangle_conversion.format_config(self.rules, self.position.queue[1:]))
        # In its releases the field has this name alone, and the cap is the multiplier.
        del message["b2bCharging"]
        message["garbageCap"] = message["garbageMultiplier"]
        return {**message, **changes}

    def state(self, **changes: object) -> Json:
        """The present position."""
        return {**to_object(triangle_conversion.format_state(self.position)), **changes}

    def question(self, **changes: object) -> Json:
        """Asks for a move."""
        return {**to_object(TrianglePlay()), **changes}

    # --- what happens ---------------------------------------------------------------------------

    def lock(self, move: ResolvedKeys) -> list[Json]:
        """Make a move: the messages of the pieces that were dealt then."""
        if move.uses_hold:
            # Told apart even where both pieces are the same.
            current, *queue = self.position.queue
            if self.position.hold is not None:
                queue.insert(0, self.position.hold)
            self.position = dataclasses.replace(self.position, queue=tuple(queue), hold=current)
        self.position = after_placement(self.position, move.placement, self.rules)
        dealt = self._fill_up(1)
        if not dealt:
            return []
        return [{"type": "pieces", "pieces": [piece.name.lower() for piece in dealt]}]

    def deal_ahead(self, bags: int) -> Json:
        """Deal more bags than are needed: the message that tells them, joined."""
        dealt = [piece for _ in range(bags) for piece in self._refill()]
        return {"type": "pieces", "pieces": [piece.name.lower() for piece in dealt]}

    def add_garbage(self, holes: Sequence[int]) -> None:
        """Let rows enter from below, each with its hole."""
        board, width = self.position.board, self.rules.board.width
        rows = ["".join("." if x == hole else "G" for x in range(width)) for hole in holes]
        colors = self.position.colors or _letters(board)
        colors = (*rows[::-1], *colors)[: board.rows]
        board = Board.from_rows(colors, height=board.rows)
        self.position = dataclasses.replace(self.position, board=board, colors=colors)

    @property
    def is_lost(self) -> bool:
        """Whether the current piece cannot appear."""
        position = self.position
        cleared = position.combo > 0
        kernel = kernel_rules(self.rules)
        return not kernel.placements(position.board, position.queue[0], cleared, spins=False)

    # --- helpers --------------------------------------------------------------------------------

    def _fill_up(self, taken: int) -> list[Piece]:
        dealt: list[Piece] = []
        while len(self.position.queue) - taken < self._seen:
            dealt += self._refill()
        return dealt

    def _refill(self) -> list[Piece]:
        pieces = list(Piece)
        if self._bag == "none":
            bag = [self._random.choice(pieces)]
        else:
            bag = pieces * (2 if self._bag == "14-bag" else 1)
            self._random.shuffle(bag)
        for piece in bag:
            self.position = after_new_piece(self.position, piece)
        return bag


def _letters(board: Board) -> tuple[str, ...]:
    return tuple(
        "".join("G" if board[x, y] else "." for x in range(board.width)) for y in range(board.rows)
    )
