"""Measure questions about perfect clears: chance, and all solutions.

    python bench/pc_questions.py [--runs N] [--json]

Each question is answered `N` times, including the parsing of the pattern, with one thread; the
result is the median. The fields are those of published counts: the perfect clear opener (711 of 840
queues after an I, 63 solutions, 33 of them needed) and the same with the I placed (514 of 840).
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from typing import TYPE_CHECKING

from sevenbag.formats.fumen import Fumen
from sevenbag.pc import PcProblem, compute_chance, find_solutions

if TYPE_CHECKING:
    from collections.abc import Callable

    from sevenbag import Board

OPENER = "XXXXX.....\nXXXXXX....\nXXXXXXX...\nXXXXXX...."
AFTER_I = Fumen.parse("v115@9gE8DeG8CeH8BeG8CeA8JeAgH").pages[0].field.board()


def questions() -> dict[str, Callable[[], tuple[object, object]]]:
    """Return each question with its function and the published answer."""

    def chance(field: Board | str, pattern: str, truth: tuple[int, int]) -> tuple[object, object]:
        found = compute_chance(PcProblem(field), pattern)
        return (found.solved, found.total), truth

    def paths(field: Board | str, pattern: str, truth: tuple[int, int]) -> tuple[object, object]:
        found = find_solutions(PcProblem(field), pattern)
        return (len(found.solutions), len(found.minimal)), truth

    return {
        "chance, opener, I,*p4": lambda: chance(OPENER, "I,*p4", (711, 840)),
        "chance, after the I, *p4": lambda: chance(AFTER_I, "*p4", (514, 840)),
        "all solutions, opener, I,*p4": lambda: paths(OPENER, "I,*p4", (63, 33)),
        "all solutions, after the I, *p4": lambda: paths(AFTER_I, "*p4", (18, 16)),
    }


def milliseconds(ask: Callable[[], tuple[object, object]], runs: int) -> float:
    """Return the median of the runs."""
    taken = []
    for _ in range(runs):
        began = time.perf_counter()
        answer, truth = ask()
        taken.append((time.perf_counter() - began) * 1000)
        assert answer == truth, (answer, truth)
    return statistics.median(taken)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    found = {name: round(milliseconds(ask, args.runs), 2) for name, ask in questions().items()}
    if args.json:
        print(json.dumps({"milliseconds": found}))
        return
    for name, median in found.items():
        print(f"{name:32} {median:7.2f} ms")


if __name__ == "__main__":
    main()
