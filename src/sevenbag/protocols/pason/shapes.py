"""The contest's pieces: which cells each fills in each orientation, from its origin.

The kernel's rotation system ``pason`` is where they stand; here they are as the contest counts:
(row, column), rows downwards, orientations in the ring of its figure, where ``lrotate`` is one step
on and ``rrotate`` one step back.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from sevenbag._kernel import Kicks, Rotation

PieceName: TypeAlias = Literal["O", "I", "S", "Z", "L", "J", "T"]
Offsets: TypeAlias = tuple[tuple[int, int], ...]

PIECES: Final[tuple[PieceName, ...]] = ("O", "I", "S", "Z", "L", "J", "T")
ROTATIONS: Final = (Rotation.SOUTH, Rotation.EAST, Rotation.NORTH, Rotation.WEST)
"""The kernel's rotation for each orientation: pieces point down at first, and `lrotate` turns them
counter-clockwise."""
SPAWN_ROW: Final = 0
SPAWN_COLUMN: Final = 5
"""Where every piece's origin enters."""


def _shapes(kicks: Kicks, piece: PieceName) -> tuple[Offsets, ...]:
    all_ways = kicks.shapes(piece)
    ring = [tuple(sorted((-y, x) for x, y in all_ways[rotation])) for rotation in ROTATIONS]
    # Pieces of one or two orientations lie in the kernel's four alike in turn.
    for states in (1, 2):
        if all(ring[way] == ring[way % states] for way in range(len(ring))):
            return tuple(ring[:states])
    return tuple(ring)


SHAPES: Final[dict[PieceName, tuple[Offsets, ...]]] = {
    piece: _shapes(Kicks("pason"), piece) for piece in PIECES
}
"""By piece and orientation the four (row, column) from the origin, sorted."""
