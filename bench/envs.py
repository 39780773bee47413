"""Measure the environments: placements per second, including observations and action masks.

    python bench/envs.py [--runs N] [--json]

The vector environment is stepped with random legal actions. "step" is the time in `step` only,
"loop" includes the choice of the actions; "core" is the loop by processor time, which is the speed
of one core on a shared machine. Medians over the runs.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from sevenbag.envs import KeysEnv, PlacementEnv, VectorEnv, VersusEnv

if TYPE_CHECKING:
    from collections.abc import Callable

STEPS = 200_000
"""Steps of a run, over all sub-environments."""

Rates = tuple[float, float, float]


def rates(placed: int, inside: float, begun: float, used: float) -> Rates:
    """Return rates by time in `step`, wall time and processor time since `begun` and `used`."""
    loop, core = time.perf_counter() - begun, time.process_time() - used
    return placed / inside, placed / loop, placed / core


def vector(num_envs: int, players: int, threads: int) -> Rates:
    envs = VectorEnv(num_envs, players=players, threads=threads)
    envs.reset(seed=1)
    steps = max(STEPS // num_envs, 1)
    placed, inside = 0, 0.0
    ended = np.zeros(num_envs, np.bool_)
    begun, used = time.perf_counter(), time.process_time()
    for _ in range(steps):
        actions = envs.random_actions()
        start = time.perf_counter()
        _, _, terminated, truncated, _ = envs.step(actions)
        inside += time.perf_counter() - start
        # The step after the end of a game starts the next one and places nothing.
        placed += num_envs - int(ended.sum())
        ended = terminated | truncated
    return rates(placed, inside, begun, used)


def single(env: Any) -> Rates:
    steps = STEPS // 20
    inside = 0.0
    observation, _ = env.reset(seed=1)
    begun, used = time.perf_counter(), time.process_time()
    for _ in range(steps):
        action = np.random.choice(np.flatnonzero(observation["action_mask"]))
        start = time.perf_counter()
        observation, _, terminated, truncated, _ = env.step(action)
        inside += time.perf_counter() - start
        if terminated or truncated:
            observation, _ = env.reset()
    return rates(steps, inside, begun, used)


def versus() -> Rates:
    env = VersusEnv()
    steps = STEPS // 40
    inside = 0.0
    seen, _ = env.reset(seed=1)
    begun, used = time.perf_counter(), time.process_time()
    for _ in range(steps):
        actions = {
            agent: np.random.choice(np.flatnonzero(seen[agent]["action_mask"])) for agent in seen
        }
        start = time.perf_counter()
        seen, *_ = env.step(actions)
        inside += time.perf_counter() - start
        if not env.agents:
            seen, _ = env.reset()
    return rates(2 * steps, inside, begun, used)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    tasks: dict[str, Callable[[], Rates]] = {}
    for players in (1, 2):
        for num_envs in (256, 512, 1024):
            for threads in (1, 2):
                name = f"VectorEnv, {num_envs}, players {players}, threads {threads}"
                tasks[name] = lambda n=num_envs, p=players, t=threads: vector(n, p, t)  # type: ignore[misc]
    tasks["PlacementEnv"] = lambda: single(PlacementEnv())
    tasks["KeysEnv (keys)"] = lambda: single(KeysEnv())
    tasks["VersusEnv"] = versus
    rows = []
    for name, task in tasks.items():
        columns = zip(*(task() for _ in range(args.runs)), strict=True)
        step, loop, core = (round(statistics.median(column)) for column in columns)
        rows.append({"task": name, "step": step, "loop": loop, "core": core})
    if args.json:
        print(json.dumps(rows))
        return
    print(f"{'placements per second':<42} {'step':>10} {'loop':>10} {'core':>10}")
    for row in rows:
        print(f"{row['task']:<42} {row['step']:>10,} {row['loop']:>10,} {row['core']:>10,}")


if __name__ == "__main__":
    main()
