"""Perfect clears: sequences of placements that leave the field empty.

>>> from sevenbag import pc
>>> solution = pc.solve("", "LSTIZJOSJIO", min_height=4)
>>> solution.height, len(solution.placements)
(4, 10)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sevenbag._kernel import SolveStatus
from sevenbag.pc.chance import PcChance, compute_chance
from sevenbag.pc.cover import Coverage, Setup, compute_coverage, read_setups
from sevenbag.pc.path import SolutionSet, find_solutions
from sevenbag.pc.patterns import Pattern
from sevenbag.pc.problem import DropMode, PcProblem
from sevenbag.pc.solver import (
    PcSolution,
    PcTile,
    Solver,
    SolveResult,
    Tiling,
    find_solvable,
    find_tilings,
    solve,
)

if TYPE_CHECKING:
    from sevenbag.pc.network import Network

__all__ = [
    "Coverage",
    "DropMode",
    "Network",
    "Pattern",
    "PcChance",
    "PcProblem",
    "PcSolution",
    "PcTile",
    "Setup",
    "SolutionSet",
    "SolveResult",
    "SolveStatus",
    "Solver",
    "Tiling",
    "compute_chance",
    "compute_coverage",
    "find_solutions",
    "find_solvable",
    "find_tilings",
    "read_setups",
    "solve",
]


def __getattr__(name: str) -> object:
    if name == "Network":
        from sevenbag.pc import network  # noqa: PLC0415  # loaded on first use

        return network.Network
    raise AttributeError(f"module 'sevenbag.pc' has no attribute {name!r}")
