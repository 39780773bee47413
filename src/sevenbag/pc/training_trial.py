"""How good a network is: how quickly perfect clears are found where searches go by it."""

from __future__ import annotations

import itertools
import random
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from sevenbag._kernel import Kicks, PcSolver
from sevenbag.errors import InputError
from sevenbag.pc.solver import Solver

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sevenbag.pc.network import Network

Measure = Literal["nodes", "seconds"]
"""Perfect clears in a thousand positions that are looked at, which is the same everywhere and every
time; or in a second."""

HEIGHTS: Final = (2, 4, 6)

# After every tenth queue a network that is too bad is given up; so slow are networks that order
# placements by nothing.
_TRIED_AT_ONCE: Final = 10
_HOPELESS: Final = {"nodes": 0.5, "seconds": 15.0}


@dataclass(frozen=True, slots=True)
class Trial:
    """What a network is tried on.

    Attributes:
        queues: held, current and next pieces, in one word.
        height: rows of the perfect clears.
        kicks: name of the rotation system.
        measure: what its fitness is.
    """

    queues: tuple[str, ...]
    height: int
    kicks: str
    measure: Measure = "nodes"


def trial_queues(count: int, height: int, kicks: str, seed: str) -> tuple[str, ...]:
    """Random queues that have a perfect clear: windows of a stream of 7-bags, from any place on.

    Raises:
        InputError: there are hardly any.
    """
    chance = random.Random(seed)
    solver = Solver(kicks)
    length = height * 10 // 4 + 1
    found: list[str] = []
    for _ in range(100 * count):
        if len(found) == count:
            return tuple(found)
        queue = "".join(itertools.islice(_stream(chance), length))
        if solver.solve("", queue, min_height=height, max_height=height) is not None:
            found.append(queue)
    if len(found) < count:
        raise InputError(f"too few queues have a perfect clear of {height} rows under {kicks}")
    return tuple(found)


def fitness_of(network: Network, trial: Trial) -> float:
    """Perfect clears by what the trial measures; networks that are far too bad are given up."""
    solver = _solver(trial.kicks)
    solver.order_by(network.kernel)
    solved, spent = 0, 0.0
    for first in range(0, len(trial.queues), _TRIED_AT_ONCE):
        part = trial.queues[first : first + _TRIED_AT_ONCE]
        if trial.measure == "nodes":
            efforts = solver.efforts(part, trial.height)
            spent += sum(nodes for nodes, _ in efforts) / 1_000
            solved += sum(found for _, found in efforts)
        else:
            times = solver.time(part, trial.height, 1)
            spent += sum(microseconds for microseconds, _ in times) / 1e6
            solved += sum(found for _, found in times)
        if solved < _HOPELESS[trial.measure] * spent:
            break
    return solved / spent


# --- private -------------------------------------------------------------------------------------


def _stream(chance: random.Random) -> Iterator[str]:
    skipped = chance.randrange(7)
    bags = ("".join(chance.sample("IOTLJSZ", 7)) for _ in itertools.count())
    return itertools.islice(itertools.chain.from_iterable(bags), skipped, None)


def _solver(kicks: str) -> PcSolver:
    """One for each thread: the workers of a cluster may have several, with a network each."""
    solver = getattr(_own, "solver", None)
    if not isinstance(solver, PcSolver) or solver.kicks != Kicks(kicks):
        solver = _own.solver = PcSolver(kicks)
    return solver


_own = threading.local()
