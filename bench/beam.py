"""Measure strength and speed of `beam` in solo games: attack and time per piece.

python bench/beam.py                      ten seeds, 500 pieces each, 14 ms per piece
python bench/beam.py --nodes 20000        the same with a limit that does not depend on the machine
python bench/beam.py --json               JSON output
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import time
from dataclasses import asdict, dataclass

from sevenbag import _kernel
from sevenbag.bots.bot import Limits
from sevenbag.bots.builtin.beam_bot import BeamBot
from sevenbag.game import Game, Rules

MEDIAN, NEARLY_ALL = 0.5, 0.99


@dataclass(frozen=True, slots=True)
class SoloGame:
    """Lines of attack of a game, and the times of its moves."""

    seed: int
    pieces: int
    attack: int
    attack_per_piece: float
    perfect_clears: int
    t_spin_clears: int
    quads: int
    top_out: str | None
    nodes: float
    milliseconds: list[float]


async def play(bot: BeamBot, rules: Rules, seed: int, pieces: int) -> SoloGame:
    game = Game(rules, seed=seed)
    nodes = 0.0
    times: list[float] = []
    await bot.prepare(rules)
    while not game.over and game.stats.pieces < pieces:
        await bot.start(game.position())
        begun = time.perf_counter()
        suggestion = await bot.suggest(Limits())
        times.append((time.perf_counter() - begun) * 1000)
        nodes += suggestion.info.nodes or 0
        game.play(suggestion.moves[0])
    stats = game.stats
    return SoloGame(
        seed=seed,
        pieces=stats.pieces,
        attack=stats.attack,
        attack_per_piece=stats.attack / stats.pieces,
        perfect_clears=stats.perfect_clears,
        t_spin_clears=sum(n for kind, n in stats.clears.items() if kind.startswith("spin ")),
        quads=stats.clears.get("quad", 0),
        top_out=game.top_out,
        nodes=nodes,
        milliseconds=times,
    )


def percentile(values: list[float], part: float) -> float:
    ordered = sorted(values)
    return ordered[min(int(part * len(ordered)), len(ordered) - 1)]


def summary(games: list[SoloGame]) -> dict[str, float]:
    times = [t for game in games for t in game.milliseconds]
    nodes = sum(game.nodes for game in games)
    return {
        "attack_per_piece": statistics.fmean(game.attack_per_piece for game in games),
        "lowest_attack_per_piece": min(game.attack_per_piece for game in games),
        "topped_out": sum(game.top_out is not None for game in games),
        "nodes_per_piece": nodes / len(times),
        "nodes_per_second": nodes / sum(times) * 1000,
        "milliseconds_median": percentile(times, MEDIAN),
        "milliseconds_99": percentile(times, NEARLY_ALL),
        "milliseconds_most": max(times),
    }


def show(games: list[SoloGame], figures: dict[str, float]) -> None:
    print("seed  pieces  attack    APP  perfect clears  T-spin clears  quads  end")
    for g in games:
        print(
            f"{g.seed:4}  {g.pieces:6}  {g.attack:6}  {g.attack_per_piece:.3f}  "
            f"{g.perfect_clears:14}  {g.t_spin_clears:13}  {g.quads:5}  {g.top_out or '-'}"
        )
    print(
        f"mean APP {figures['attack_per_piece']:.3f}, "
        f"lowest {figures['lowest_attack_per_piece']:.3f}, "
        f"{figures['topped_out']:.0f} of {len(games)} topped out"
    )
    print(
        f"{figures['nodes_per_piece']:,.0f} nodes a piece, "
        f"{figures['nodes_per_second'] / 1e6:.1f} M nodes/s ({_kernel.instruction_set()}); "
        f"ms a piece: median {figures['milliseconds_median']:.1f}, "
        f"99 % {figures['milliseconds_99']:.1f}, most {figures['milliseconds_most']:.1f}"
    )


async def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=10, help="games, with seeds from 0 (10)")
    parser.add_argument("--pieces", type=int, default=500, help="pieces per game (500)")
    parser.add_argument(
        "--ms", type=float, help="milliseconds per piece (14, unless --nodes is given)"
    )
    parser.add_argument("--nodes", type=int, help="nodes per piece")
    parser.add_argument("--rules", default="guideline", help="rules preset (guideline)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args()
    milliseconds = 14.0 if args.ms is None and args.nodes is None else args.ms
    rules = Rules.preset(args.rules)
    bot = BeamBot(nodes=args.nodes, milliseconds=milliseconds)
    games = [await play(bot, rules, seed, args.pieces) for seed in range(args.seeds)]
    await bot.quit()
    figures = summary(games)
    if args.json:
        rows = [{k: v for k, v in asdict(g).items() if k != "milliseconds"} for g in games]
        print(json.dumps({"games": rows, "summary": figures}, indent=2))
    else:
        show(games, figures)


if __name__ == "__main__":
    asyncio.run(main())
