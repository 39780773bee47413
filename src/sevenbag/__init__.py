"""Modern block-stacking games: engine, perfect clears, bot protocols, arena, contest."""

from sevenbag._kernel import (
    Board,
    Key,
    Kicks,
    Piece,
    Placement,
    Placements,
    Rotation,
    Spin,
    SpinMode,
    perft,
)
from sevenbag.errors import SevenbagError

__all__ = [
    "Board",
    "Key",
    "Kicks",
    "Piece",
    "Placement",
    "Placements",
    "Rotation",
    "SevenbagError",
    "Spin",
    "SpinMode",
    "perft",
]

__version__ = "0.1.0"
