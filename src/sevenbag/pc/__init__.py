"""Perfect clears: sequences of placements that leave the field empty.

>>> from sevenbag import pc
>>> solution = pc.solve("", "LSTIZJOSJIO", min_height=4)
>>> solution.height, len(solution.placements)
(4, 10)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sevenbag.pc.chance import Chance, chance_of
from sevenbag.pc.cover import Coverage, Setup, coverage_of, setups_in
from sevenbag.pc.path import Paths, solutions_of
from sevenbag.pc.patterns import Pattern
from sevenbag.pc.question import Drop, Question
from sevenbag.pc.solver import Answer, Reason, Solution, Solver, solve
from sevenbag.pc.tilings import Tile, Tiling, all_solutions, solvable

if TYPE_CHECKING:
    from sevenbag.pc.network import Network

__all__ = [
    "Answer",
    "Chance",
    "Coverage",
    "Drop",
    "Network",
    "Paths",
    "Pattern",
    "Question",
    "Reason",
    "Setup",
    "Solution",
    "Solver",
    "Tile",
    "Tiling",
    "all_solutions",
    "chance_of",
    "coverage_of",
    "setups_in",
    "solutions_of",
    "solvable",
    "solve",
]


def __getattr__(name: str) -> object:
    if name == "Network":
        from sevenbag.pc import network  # noqa: PLC0415  # what it needs is loaded with it

        return network.Network
    raise AttributeError(f"module 'sevenbag.pc' has no attribute {name!r}")
