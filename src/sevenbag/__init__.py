"""Modern block-stacking games: an exact, fast engine, bots, bot protocols and an arena.

The kernel's own words are here at once; games and rules are loaded when they are first asked for.
Errors are listed in `sevenbag.errors`.
"""

from typing import TYPE_CHECKING

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
    SpinRules,
    perft,
)
from sevenbag.errors import SevenbagError

if TYPE_CHECKING:
    from sevenbag.game import Game, Position, Rules, Versus

__all__ = [
    "Board",
    "Game",
    "Key",
    "Kicks",
    "Piece",
    "Placement",
    "Placements",
    "Position",
    "Rotation",
    "Rules",
    "SevenbagError",
    "Spin",
    "SpinMode",
    "SpinRules",
    "Versus",
    "perft",
]

__version__ = "0.1.0"

_FROM_GAME = frozenset({"Game", "Position", "Rules", "Versus"})


def __getattr__(name: str) -> object:
    if name in _FROM_GAME:
        from sevenbag import game  # noqa: PLC0415  # what it needs is loaded with it

        return getattr(game, name)
    raise AttributeError(f"module 'sevenbag' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
