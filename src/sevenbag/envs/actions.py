"""What the number of an action means."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sevenbag._kernel import Placement, Rotation, Spin
from sevenbag.errors import PlacementError

if TYPE_CHECKING:
    from sevenbag._kernel import Piece


@dataclass(frozen=True, slots=True)
class Actions:
    """Placements as numbers: the same number is the same placement in every state of every game.

    A number counts through (hold, spin, rotation, y, x), the last fastest: an array of values by
    action, such as a mask, can be reshaped to `shape`. The placement is the canonical one.

    Attributes:
        holds: 2 where the rules have hold: 1 plays the piece that hold offers; else 1.
        spins: 3 where kinds of spin are actions apart; else 1, and a placement is played as the
            best spin there is.
        rows: rows for the centre of a piece, from 0 at the bottom.
        width: columns.
    """

    holds: int
    spins: int
    rows: int
    width: int

    @property
    def shape(self) -> tuple[int, int, int, int, int]:
        """Sizes of (hold, spin, rotation, y, x)."""
        return self.holds, self.spins, len(Rotation), self.rows, self.width

    @property
    def count(self) -> int:
        """How many actions there are."""
        return math.prod(self.shape)

    def number(self, placement: Placement, *, hold: bool = False) -> int:
        """The action that plays a placement.

        Args:
            placement: in any form; the piece itself is told by `hold`.
            hold: whether its piece comes by hold.

        >>> actions = Actions(holds=2, spins=1, rows=24, width=10)
        >>> actions.number(Placement("T", Rotation.SOUTH, 4, 1), hold=True)
        1454

        Raises:
            PlacementError: there is no such action: its centre is too high, or the rules have no
                hold.
        """
        if hold and self.holds == 1:
            raise PlacementError("these rules have no hold")
        form = placement.canonical()
        if not (0 <= form.y < self.rows and 0 <= form.x < self.width):
            raise PlacementError(
                f"{placement} is no action: the centre must be in rows 0 to {self.rows - 1}, "
                f"columns 0 to {self.width - 1}"
            )
        spin = int(form.spin) if self.spins > 1 else 0
        block = (int(hold) * self.spins + spin) * len(Rotation) + int(form.rotation)
        return (block * self.rows + form.y) * self.width + form.x

    def placement(self, action: int, piece: Piece) -> tuple[Placement, bool]:
        """What an action plays, and whether by hold.

        Args:
            action: 0 to below `count`.
            piece: the piece it is played with: the current one, or the one that hold offers.

        Returns: the placement; where kinds of spin are no actions apart, without a spin.

        Raises:
            PlacementError: the number is out of its range.
        """
        if not 0 <= action < self.count:
            raise PlacementError(f"action {action}, must be 0 to {self.count - 1}")
        rest, x = divmod(action, self.width)
        rest, y = divmod(rest, self.rows)
        rest, rotation = divmod(rest, len(Rotation))
        hold, spin = divmod(rest, self.spins)
        return Placement(piece, Rotation(rotation), x, y, Spin(spin)), bool(hold)
