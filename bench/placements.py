"""Measure `board.placements(...)` from Python, and a loop over its result.

    python bench/placements.py [--json]

Medians of many timed batches; boards have stacks of 0 to 17 rows, with overhangs and holes.
"""

from __future__ import annotations

import argparse
import functools
import json
import random
import statistics
import time
from typing import TYPE_CHECKING

from sevenbag import Board, Kicks, SpinMode

if TYPE_CHECKING:
    from collections.abc import Callable

BATCHES = 30
BOARDS = 50


def stack(height: int, seed: int) -> Board:
    rng = random.Random(seed)
    board = Board()
    for y in range(height):
        for x in range(10):
            board[x, y] = rng.random() < 0.7
        board[rng.randrange(10), y] = False
    return board


def median_microseconds(call: Callable[[Board], object], boards: list[Board]) -> float:
    times = []
    for _ in range(BATCHES):
        start = time.perf_counter()
        for board in boards:
            call(board)
        times.append((time.perf_counter() - start) / len(boards))
    return statistics.median(times) * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    rows = []
    for kicks, spins in ((Kicks("srs"), SpinMode.NONE), (Kicks("srs+"), SpinMode.T_SPINS)):
        for height in (0, 4, 8, 14, 17):
            boards = [stack(height, seed) for seed in range(BOARDS)]
            row: dict[str, object] = {"kicks": kicks.name, "spins": spins.name, "height": height}
            for piece in "TI":
                generate = functools.partial(
                    Board.placements, piece=piece, kicks=kicks, spins=spins
                )
                row[f"{piece}_us"] = round(median_microseconds(generate, boards), 3)

            def loop(board: Board, kicks: Kicks = kicks, spins: SpinMode = spins) -> list[int]:
                return [p.x for p in board.placements("T", kicks, spins=spins)]

            row["T_loop_us"] = round(median_microseconds(loop, boards), 3)
            rows.append(row)
    if args.json:
        print(json.dumps(rows))
        return
    print(
        f"{'kicks':<6} {'spins':<8} {'stack':>5} {'T, us':>8} {'I, us':>8} {'T and a loop, us':>17}"
    )
    for row in rows:
        print(
            f"{row['kicks']:<6} {row['spins']:<8} {row['height']:>5} {row['T_us']:>8}"
            f" {row['I_us']:>8} {row['T_loop_us']:>10}"
        )


if __name__ == "__main__":
    main()
