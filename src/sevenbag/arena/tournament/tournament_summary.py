"""Summarize the games of a tournament, as objects and as JSON."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import msgspec

from sevenbag.arena.statistics import (
    Interval,
    Outcomes,
    Pentanomial,
    Sprt,
    Trinomial,
    format_unpaired_note,
)
from sevenbag.arena.statistics.ratings import Ratings, rate_engines
from sevenbag.arena.statistics.sprt import SprtDecision
from sevenbag.arena.tournament.tournament_config import TournamentHeader
from sevenbag.arena.tournament.tournament_files import (
    GameRecord,
    TournamentOutcome,
    read_games,
    read_header,
    read_result,
)
from sevenbag.errors import MissingExtraError
from sevenbag.game.game_result import LossReason
from sevenbag.replay.player_statistics import (
    CLEAR_KINDS,
    PlayerStatistics,
    histogram_percentile,
    merge_histograms,
)


@dataclass(frozen=True, slots=True)
class Survival:
    """Kaplan-Meier estimate of the share of players that survive each time.

    Attributes:
        steps: times of deaths, ascending, and the share that survives each.
    """

    steps: tuple[tuple[int, float], ...]
    deaths: int
    observed: int

    @property
    def median(self) -> int | None:
        """Return the first time that at most half survive; None if more than half always do."""
        return next((time for time, share in self.steps if share <= _HALF), None)

    def survival_rate(self, time: int) -> float:
        """Return the share that survives a time."""
        left = 1.0
        for step, share in self.steps:
            if step > time:
                break
            left = share
        return left


def estimate_survival(lives: Iterable[tuple[int, bool]]) -> Survival:
    """Return the Kaplan-Meier estimate.

    Args:
        lives: duration and death of each player. A player whose observation ended at the time of
            another's death counts as observed at that time.
    """
    seen: Counter[int] = Counter()
    died: Counter[int] = Counter()
    for time, dead in lives:
        seen[time] += 1
        died[time] += dead
    observed = left = sum(seen.values())
    share = 1.0
    steps: list[tuple[int, float]] = []
    for time in sorted(seen):
        if died[time]:
            share *= 1 - died[time] / left
            steps.append((time, share))
        left -= seen[time]
    return Survival(tuple(steps), sum(died.values()), observed)


# Tolerance for rounding errors of a product of fractions.
_HALF = 0.5 + 1e-12

TOP_OUTS: Final = frozenset(reason.value for reason in LossReason if reason.is_top_out)


@dataclass(frozen=True, slots=True)
class EngineSummary:
    """Statistics of one engine over all its games that count.

    Attributes:
        engine: index of the engine in the header.
        resignations: games lost by suggesting no move.
        faults: number of games lost by each fault of the bot: ``crash``, ``timeout`` ...
        seconds: duration of its games by the game clock; None if not known.
        clears: by kind, as in `PlayerStatistics`.
        attack_by: by kind, likewise.
        survival: pieces until death.
        latency_histogram: histogram of thinking times, see `sevenbag.replay.player_statistics`.
        app_by_game: attack per piece of each game.
        pps_by_game: pieces per second by the game clock, for each game of known duration.
    """

    engine: int
    name: str
    spec: str
    wins: int
    draws: int
    losses: int
    resignations: int
    faults: dict[str, int]
    pieces: int
    lines: int
    attack: int
    seconds: float | None
    clears: dict[str, int]
    attack_by: dict[str, int]
    survival: Survival
    latency_histogram: dict[int, int]
    app_by_game: tuple[float, ...]
    pps_by_game: tuple[float, ...]

    @property
    def games(self) -> int:
        """Return the number of games that count."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """Return the points: 1 for a win, 0.5 for a draw."""
        return self.wins + self.draws / 2

    @property
    def score(self) -> float | None:
        """Return points per game, 0 to 1; None without a game."""
        return self.points / self.games if self.games else None

    @property
    def app(self) -> float | None:
        """Return attack per piece; None without a piece."""
        return self.attack / self.pieces if self.pieces else None

    @property
    def pps(self) -> float | None:
        """Return pieces per second by the game clock; None if the duration is not known."""
        return self.pieces / self.seconds if self.seconds else None

    def thinking_ms(self, share: float) -> float | None:
        """Return a percentile of thinking times in milliseconds, within 6 %; None without times."""
        return histogram_percentile(self.latency_histogram, share)


@dataclass(frozen=True, slots=True)
class EncounterSummary:
    """Statistics of two engines against each other.

    Attributes:
        first: index of the engine that the outcomes refer to.
        second: index of the other engine.
        pairs: outcomes of pairs with the same opening and swapped sides.
        games: outcomes of all games, including pairs.
    """

    first: int
    second: int
    pairs: Pentanomial
    games: Trinomial

    @property
    def outcomes(self) -> Outcomes:
        """Return the outcomes used for estimates: pairs, if most games belong to pairs."""
        return self.pairs if self.pairs.games * 2 > self.games.games else self.games

    @property
    def unpaired(self) -> int:
        """Return the number of games without a pair, which the outcomes omit."""
        return self.games.games - self.outcomes.games


@dataclass(frozen=True, slots=True)
class SprtProgress:
    """Course of the sequential test of two engines.

    Attributes:
        first: index of the engine that the hypotheses are about.
        second: index of the other engine.
        steps: numbers of outcomes, each with the LLR after it.
        decision: accepted hypothesis; None before a decision.
    """

    first: int
    second: int
    test: Sprt
    steps: tuple[tuple[int, float], ...]
    decision: SprtDecision | None


@dataclass(frozen=True, slots=True)
class TournamentSummary:
    """Statistics of a tournament.

    Attributes:
        result: outcome of a finished tournament; None before.
        games: games that count, by number.
        engines: summaries in the order of the header.
        encounters: summaries of each two engines that have met.
        ratings: ratings of the engines; None for two engines, and without the extra.
        tests: sequential tests of the encounters.
    """

    header: TournamentHeader
    result: TournamentOutcome | None
    games: tuple[GameRecord, ...]
    engines: tuple[EngineSummary, ...]
    encounters: tuple[EncounterSummary, ...]
    ratings: Ratings | None
    tests: tuple[SprtProgress, ...]

    @property
    def ranking(self) -> list[EngineSummary]:
        """Return the engines, best first, by rating if available, else by score."""

        def strength(engine: EngineSummary) -> tuple[float, float, int]:
            elo = self.ratings.elo[engine.engine].value if self.ratings else 0.0
            return (-elo, -(engine.score or 0.0), engine.engine)

        return sorted(self.engines, key=strength)

    def elo(self, engine: EngineSummary) -> Interval | None:
        """Return the rating of an engine, or its Elo difference to the only other one."""
        if self.ratings is not None:
            return self.ratings.elo[engine.engine]
        if len(self.engines) == 2 and self.encounters:
            outcomes = self.encounters[0].outcomes
            return (
                outcomes if engine.engine == self.encounters[0].first else outcomes.swapped
            ).elo()
        return None

    def los(self, engine: EngineSummary, other: EngineSummary) -> float | None:
        """Return the likelihood that one engine is stronger than another; None if unknown."""
        if self.ratings is not None:
            return self.ratings.los(engine.engine, other.engine)
        if len(self.engines) == 2 and self.encounters:
            los = self.encounters[0].outcomes.los()
            return los if engine.engine == self.encounters[0].first else 1 - los
        return None


def read_tournament_summary(folder: str | os.PathLike[str]) -> TournamentSummary:
    """Read and summarize the folder of a tournament.

    Raises:
        FormatError: a file is missing or invalid.
    """
    header = read_header(folder)
    return summarize_games(header, read_games(folder, header), read_result(folder))


def summarize_games(
    header: TournamentHeader, games: Iterable[GameRecord], result: TournamentOutcome | None = None
) -> TournamentSummary:
    """Summarize the games of a tournament.

    Args:
        header: header of the tournament.
        games: games in any order.
        result: outcome; it may exclude the last games.
    """
    end = result.counted_games if result is not None else None
    ordered = sorted(games, key=lambda game: game.id)
    counted = [game for game in ordered[:end] if game.is_finished]
    encounters = tuple(_summarize_encounters(counted))
    rated = None
    if len(header.engines) > 2:
        try:
            rated = _rate(len(header.engines), encounters)
        except MissingExtraError:
            rated = None
    return TournamentSummary(
        header,
        result,
        tuple(counted),
        tuple(_summarize_engines(header, counted)),
        encounters,
        rated,
        tuple(_sprt_tests(header, counted)),
    )


def _summarize_encounters(games: Sequence[GameRecord]) -> Iterable[EncounterSummary]:
    met: dict[tuple[int, int], list[GameRecord]] = defaultdict(list)
    for game in games:
        met[min(game.players), max(game.players)].append(game)
    for (first, second), theirs in sorted(met.items()):
        single = Trinomial()
        for game in theirs:
            single = single.with_points(game.points(first))
        yield EncounterSummary(first, second, _group_pairs(first, theirs), single)


def _group_pairs(first: int, games: Sequence[GameRecord]) -> Pentanomial:
    pairs = Pentanomial()
    for points in iterate_pair_points(first, games):
        pairs = pairs.with_points(points)
    return pairs


def iterate_pair_points(first: int, games: Sequence[GameRecord]) -> Iterable[float]:
    """Iterate over the points of an engine in each complete pair, in schedule order."""
    paired: dict[int, list[GameRecord]] = defaultdict(list)
    for game in games:
        paired[game.pair].append(game)
    for _, both in sorted(paired.items()):
        if len(both) == 2 and both[0].players == both[1].players[::-1]:
            yield sum(game.points(first) for game in both)


def _rate(engines: int, encounters: Sequence[EncounterSummary]) -> Ratings:
    points: dict[tuple[int, int], float] = {}
    for each in encounters:
        got = each.games.score * each.games.games
        points[each.first, each.second] = got
        points[each.second, each.first] = each.games.games - got
    return rate_engines(
        engines, points, {(each.first, each.second): each.pairs for each in encounters}
    )


# A curve needs no more points than pixels.
_MAX_STEPS: Final = 500


def _sprt_tests(header: TournamentHeader, games: Sequence[GameRecord]) -> Iterable[SprtProgress]:
    if header.sprt is None:
        return
    # A match has a test even before its first game.
    met: dict[tuple[int, int], list[GameRecord]] = {(0, 1): []} if len(header.engines) == 2 else {}
    for game in games:
        met.setdefault((min(game.players), max(game.players)), []).append(game)
    for (first, second), theirs in sorted(met.items()):
        yield _sprt_progress(header.sprt, first, second, theirs)


def _sprt_progress(
    test: Sprt, first: int, second: int, games: Sequence[GameRecord]
) -> SprtProgress:
    points = list(iterate_pair_points(first, games))
    stride = max(1, -(-len(points) // _MAX_STEPS))
    seen = Pentanomial()
    steps = [(0, 0.0)]
    for number, each in enumerate(points, start=1):
        seen = seen.with_points(each)
        if number % stride == 0 or number == len(points):
            steps.append((number, test.llr(seen)))
    return SprtProgress(first, second, test, tuple(steps), test.decision(seen))


def format_unpaired(summary: TournamentSummary) -> str:
    """Say how many games Elo and LOS of encounters leave out; empty if none."""
    note = format_unpaired_note(sum(each.unpaired for each in summary.encounters))
    return f"Elo and LOS between two: {note}" if note else ""


def format_sprt(summary: TournamentSummary, progress: SprtProgress) -> str:
    """Format the state of a test as one line."""
    first, second = (summary.engines[each].name for each in (progress.first, progress.second))
    pairs, llr = progress.steps[-1]
    elo = next(
        (
            f" Elo: {each.outcomes.elo()},"
            for each in summary.encounters
            if (each.first, each.second) == (progress.first, progress.second)
        ),
        "",
    )
    return (
        f"{first} vs {second}:{elo} {progress.test.describe(llr, progress.decision)}, {pairs} pairs"
    )


class _Appearance(NamedTuple):
    """Result of an engine in one of its games."""

    points: float
    done: PlayerStatistics
    loss: str | None


def _summarize_engines(
    header: TournamentHeader, games: Iterable[GameRecord]
) -> Iterable[EngineSummary]:
    seen: list[list[_Appearance]] = [[] for _ in header.engines]
    for game in games:
        for number, done, loss in zip(game.players, game.stats, game.losses, strict=True):
            reason = loss.reason if loss is not None else None
            seen[number].append(_Appearance(game.points(number), done, reason))
    for number, appearances in enumerate(seen):
        yield _summarize_engine(number, header, appearances)


def _summarize_engine(
    number: int, header: TournamentHeader, seen: Sequence[_Appearance]
) -> EngineSummary:
    played = [each.done for each in seen]
    seconds = [done.game_s for done in played]
    results = Counter(each.points for each in seen)
    faults = Counter(each.loss for each in seen if each.loss and each.loss not in TOP_OUTS)
    resignations = faults.pop(LossReason.RESIGNATION, 0)
    engine = header.engines[number]
    return EngineSummary(
        number,
        engine.name,
        engine.spec,
        results[1.0],
        results[0.5],
        results[0.0],
        resignations,
        dict(sorted(faults.items())),
        sum(done.pieces for done in played),
        sum(done.lines for done in played),
        sum(done.attack for done in played),
        sum(each for each in seconds if each) or None,
        _sum_counts(done.clears for done in played),
        _sum_counts(done.attack_by for done in played),
        estimate_survival((each.done.pieces, each.loss in TOP_OUTS) for each in seen),
        merge_histograms(
            done.thinking_ms.histogram for done in played if done.thinking_ms is not None
        ),
        tuple(done.attack / done.pieces for done in played if done.pieces),
        tuple(done.pieces / each for done, each in zip(played, seconds, strict=True) if each),
    )


def _sum_counts(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return dict(total)


def summary_to_dict(summary: TournamentSummary) -> dict[str, Any]:
    """Return a summary as data for JSON; infinite or unknown values are None."""
    header, result = summary.header, summary.result
    return {
        "name": header.name,
        "kind": header.kind,
        "finished": bool(result and result.finished),
        "games": len(summary.games),
        "rated": summary.ratings is not None,
        "engines": [_engine_to_dict(summary, place) for place in range(len(summary.engines))],
        "encounters": [_encounter_to_dict(summary, each) for each in summary.encounters],
        "tests": [_sprt_to_dict(summary, each) for each in summary.tests],
    }


def _engine_to_dict(summary: TournamentSummary, place: int) -> dict[str, Any]:
    ranking = summary.ranking
    engine = ranking[place]
    following = ranking[place + 1] if place + 1 < len(ranking) else None
    los = summary.los(engine, following) if following is not None else None
    fields = (
        "name spec games wins draws losses points score resignations faults"
        " pieces lines attack app pps"
    )
    return {
        **{field: getattr(engine, field) for field in fields.split()},
        "elo": elo.to_dict() if (elo := summary.elo(engine)) is not None else None,
        "los_next": los,
        "clears": {kind: engine.clears[kind] for kind in CLEAR_KINDS if kind in engine.clears},
        "attack_by": {
            kind: engine.attack_by[kind] for kind in CLEAR_KINDS if kind in engine.attack_by
        },
        "survival": {
            "median": engine.survival.median,
            "deaths": engine.survival.deaths,
            "games": engine.survival.observed,
        },
        "thinking_ms": _latency_to_dict(engine),
    }


def _latency_to_dict(engine: EngineSummary) -> dict[str, float | None] | None:
    if not engine.latency_histogram:
        return None
    shares = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
    return {name: engine.thinking_ms(share) for name, share in shares.items()}


def _encounter_to_dict(summary: TournamentSummary, each: EncounterSummary) -> dict[str, Any]:
    names = [summary.engines[number].name for number in (each.first, each.second)]
    outcomes: Outcomes = each.outcomes
    return {
        "players": names,
        "games": list(each.games.counts),
        "pairs": list(each.pairs.counts),
        "by_pairs": outcomes is each.pairs,
        "score": outcomes.score,
        "elo": outcomes.elo().to_dict(),
        "nelo": outcomes.nelo().to_dict(),
        "los": outcomes.los(),
    }


def _sprt_to_dict(summary: TournamentSummary, progress: SprtProgress) -> dict[str, Any]:
    test = progress.test
    return {
        "first": summary.engines[progress.first].name,
        "second": summary.engines[progress.second].name,
        **msgspec.structs.asdict(test),
        "pairs": progress.steps[-1][0],
        "llr": progress.steps[-1][1],
        "bounds": list(test.bounds),
        "decision": progress.decision,
    }
