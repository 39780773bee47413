"""A tournament in figures as JSON: what `sevenbag stats --json` prints."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from sevenbag.arena.tally import KINDS

if TYPE_CHECKING:
    from sevenbag.arena.statistics import Interval, Outcomes
    from sevenbag.arena.summary import Encounter, EngineSummary, Progress, Summary


def summary_dict(summary: Summary) -> dict[str, Any]:
    """The whole of it, of what JSON can hold; what is infinite or unknown is None."""
    header, result = summary.header, summary.result
    return {
        "name": header.name,
        "kind": header.kind,
        "finished": bool(result and result.finished),
        "games": len(summary.games),
        "rated": summary.ratings is not None,
        "engines": [_engine(summary, place) for place in range(len(summary.engines))],
        "encounters": [_encounter(summary, each) for each in summary.encounters],
        "tests": [_test(summary, each) for each in summary.tests],
    }


def interval_dict(interval: Interval | None) -> dict[str, float | None] | None:
    """Return an estimate and its bounds; infinite values become None."""
    if interval is None:
        return None
    return {
        name: value if math.isfinite(value) else None for name, value in interval._asdict().items()
    }


# --- helpers ------------------------------------------------------------------------------------


def _engine(summary: Summary, place: int) -> dict[str, Any]:
    ranking = summary.ranking
    engine = ranking[place]
    following = ranking[place + 1] if place + 1 < len(ranking) else None
    los = summary.los(engine, following) if following is not None else None
    return {
        "name": engine.name,
        "spec": engine.spec,
        "elo": interval_dict(summary.elo(engine)),
        "los_next": los,
        "games": engine.games,
        "wins": engine.wins,
        "draws": engine.draws,
        "losses": engine.losses,
        "points": engine.points,
        "score": engine.score,
        "resignations": engine.resignations,
        "faults": engine.faults,
        "pieces": engine.pieces,
        "lines": engine.lines,
        "attack": engine.attack,
        "app": engine.app,
        "pps": engine.pps,
        "clears": {kind: engine.clears[kind] for kind in KINDS if kind in engine.clears},
        "attack_by": {kind: engine.attack_by[kind] for kind in KINDS if kind in engine.attack_by},
        "survival": {
            "median": engine.lives.median,
            "deaths": engine.lives.deaths,
            "games": engine.lives.observed,
        },
        "thinking_ms": _thinking(engine),
    }


def _thinking(engine: EngineSummary) -> dict[str, float | None] | None:
    if not engine.thinking:
        return None
    shares = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
    return {name: engine.thinking_ms(share) for name, share in shares.items()}


def _encounter(summary: Summary, each: Encounter) -> dict[str, Any]:
    names = [summary.engines[number].name for number in (each.first, each.second)]
    outcomes: Outcomes = each.outcomes
    return {
        "players": names,
        "games": list(each.games.counts),
        "pairs": list(each.pairs.counts),
        "by_pairs": outcomes is each.pairs,
        "score": outcomes.score,
        "elo": interval_dict(outcomes.elo()),
        "nelo": interval_dict(outcomes.nelo()),
        "los": outcomes.los(),
    }


def _test(summary: Summary, progress: Progress) -> dict[str, Any]:
    test = progress.test
    return {
        "first": summary.engines[progress.first].name,
        "second": summary.engines[progress.second].name,
        "elo0": test.elo0,
        "elo1": test.elo1,
        "alpha": test.alpha,
        "beta": test.beta,
        "model": test.model,
        "pairs": progress.steps[-1][0],
        "llr": progress.steps[-1][1],
        "bounds": list(test.bounds),
        "decision": progress.decision,
    }
