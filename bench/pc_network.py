"""Compare orders of the perfect-clear search: positions and time.

    python bench/pc_network.py [--queues N] [--rounds R] [--nn FILE...] [--json]

Random queues with a perfect clear, from the empty field, with one thread and without tables.
Each queue is solved in the built-in order, with perfect-tetris 1.3.2's network, with
sevenbag's, and with those of the files. The time of a queue is the minimum of three. Rounds
alternate, so that other load affects all orders, and the median of the rounds counts.
"""

from __future__ import annotations

import argparse
import json
import statistics
from pathlib import Path

from sevenbag._kernel import PcSolver
from sevenbag.pc.network import Network, NetworkGene
from sevenbag.pc.training import draw_test_queues

# perfect-tetris 1.3.2, its built-in network "Fast3": features and weights.
FAST3 = {
    0: 0.9031453728675842,
    3: -1.84650719165802,
    4: -0.7464601993560791,
    6: 1.1719337701797485,
    7: -0.7672251462936401,
    8: -0.5730836987495422,
}
REPEAT = 3


def orders(files: list[Path]) -> dict[str, Network | None]:
    """Return the networks to compare, by name."""
    fast3 = Network(
        genes=tuple(NetworkGene(i, 10, weight, enabled=True) for i, weight in FAST3.items())
    )
    found = {"built in": None, "perfect-tetris's": fast3, "ours": Network.default()}
    return found | {path.name: Network.load(path) for path in files}


def measured(
    solvers: dict[str, PcSolver], queues: tuple[str, ...], height: int, rounds: int
) -> list[dict[str, object]]:
    times: dict[str, list[list[float]]] = {name: [] for name in solvers}
    for _ in range(rounds):
        for name, solver in solvers.items():
            spent = [microseconds for microseconds, _ in solver.time_queues(queues, height, REPEAT)]
            times[name].append(spent)
    rows: list[dict[str, object]] = []
    for name, solver in solvers.items():
        nodes = [count for count, _ in solver.measure_effort(queues, height)]
        rows.append(
            {
                "order": name,
                "mean_nodes": round(statistics.fmean(nodes), 1),
                "median_nodes": statistics.median_low(nodes),
                "mean_us": round(statistics.median(map(statistics.fmean, times[name])), 1),
                "median_us": round(statistics.median(map(statistics.median, times[name])), 1),
            }
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queues", type=int, default=1000, metavar="N")
    parser.add_argument("--rounds", type=int, default=5, metavar="R")
    parser.add_argument("--nn", type=Path, nargs="*", default=[], metavar="FILE")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    rows: list[dict[str, object]] = []
    for height, kicks in ((4, "srs"), (4, "srs+"), (6, "srs+")):
        solvers = {}
        for name, network in orders(args.nn).items():
            solvers[name] = PcSolver(kicks)
            solvers[name].set_network(network.kernel if network is not None else None)
        # Queues that no network was trained with.
        queues = draw_test_queues(args.queues, height, kicks, "bench of networks")
        found = measured(solvers, queues, height, args.rounds)
        rows += [{"lines": height, "kicks": kicks, **row} for row in found]
    if args.json:
        print(json.dumps(rows))
        return
    print(
        f"{'lines':>5} {'kicks':<5} {'order':<18} {'positions, mean':>15} {'median':>7}"
        f" {'us, mean':>9} {'median':>7}"
    )
    for row in rows:
        print(
            f"{row['lines']:>5} {row['kicks']:<5} {row['order']:<18} {row['mean_nodes']:>15}"
            f" {row['median_nodes']:>7} {row['mean_us']:>9} {row['median_us']:>7}"
        )


if __name__ == "__main__":
    main()
