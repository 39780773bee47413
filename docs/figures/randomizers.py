"""Picture and table of the pieces of each randomizer."""

from __future__ import annotations

from typing import get_args, get_type_hints

from docs.figures.markdown import table
from sevenbag import Game, Rules
from sevenbag.drawing import Picture, add_heading, arrange_column, draw_queue
from sevenbag.game.rule_sections import PieceRules

SHOWN = 21

BAGS = {
    "7-bag": (7, 14),
    "14-bag": (14,),
    "7+1-bag": (8, 16),
    "7+2-bag": (9, 18),
    "7+x-bag": (10, 19),
    "pairs": (6, 12, 18),
}
"""Where bags end."""


def randomizers() -> Picture:
    """The first 21 pieces of seed 1 from every randomizer, a line where a bag ends."""
    rows = [add_heading(draw_queue(_dealt(bag), bags=BAGS.get(bag, ())), bag) for bag in _names()]
    return arrange_column(rows, gap=10)


def first_pieces() -> str:
    """Return the first 14 pieces of seed 1."""
    return table(
        ["randomizer", "first 14 pieces of seed 1"],
        [[f"`{bag}`", f"`{' '.join(_dealt(bag)[:14])}`"] for bag in _names()],
    )


# --- helpers ------------------------------------------------------------------------------------


def _names() -> tuple[str, ...]:
    # The pieces of a general bag depend on `bag_pieces`.
    hint: object = get_type_hints(PieceRules)["bag"]
    return tuple(name for name in get_args(hint) if name != "general_bag")


def _dealt(bag: str) -> list[str]:
    rules = Rules.preset("guideline").replace({"pieces": {"bag": bag, "previews": SHOWN - 1}})
    return [piece.name for piece in Game(rules, seed=1).queue]


PICTURES = (randomizers,)
TABLES = {"first-pieces": first_pieces}
