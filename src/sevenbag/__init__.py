"""Modern block-stacking games: an exact, fast engine, bots, bot protocols and an arena.

Classes of the kernel are imported immediately, games and rules on first use. `sevenbag.errors`
defines the exceptions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

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
from sevenbag.errors import KicksError, SevenbagError, expect_type

if TYPE_CHECKING:
    import os

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
        from sevenbag import game  # noqa: PLC0415  # loads its dependencies

        return getattr(game, name)
    raise AttributeError(f"module 'sevenbag' has no attribute {name!r}")


# The kernel does not depend on other packages, so the methods are added here; each imports what it
# needs when it is first called. The kernel's stub documents them.


def _svg(board: Board, **options: Any) -> str:
    from sevenbag.drawing import draw_board  # noqa: PLC0415  # used for pictures only

    return draw_board(board, **options).svg()


def _kicks_from_file(path: str | os.PathLike[str]) -> Kicks:
    from sevenbag.game.kicks_file import load_kicks  # noqa: PLC0415  # as above

    return load_kicks(path)


def _kicks_from_text(text: object, name: object = "own") -> Kicks:
    from sevenbag.game.kicks_file import parse_kicks  # noqa: PLC0415  # as above

    for what, value in (("text", text), ("name", name)):
        expect_type(what, value, str, "a string", KicksError)
    return parse_kicks(cast("str", text), cast("str", name))


for _class, _name, _method in (
    (Board, "svg", _svg),
    (Board, "_repr_svg_", _svg),
    (Kicks, "from_file", staticmethod(_kicks_from_file)),
    (Kicks, "from_text", staticmethod(_kicks_from_text)),
):
    setattr(_class, _name, _method)
del _class, _name, _method


def __dir__() -> list[str]:
    return sorted(__all__)
