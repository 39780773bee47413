"""A tournament in figures: what its folder says about each engine, and about any two.

`summary_of` is a pure function of what was recorded; `read_summary` reads a folder first.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from sevenbag.arena.ratings import ratings
from sevenbag.arena.records import read_games, read_header, read_result
from sevenbag.arena.result import Reason
from sevenbag.arena.statistics import Pentanomial, Survival, Trinomial, survival, unpaired_note
from sevenbag.arena.statistics.latency import added, percentile_of
from sevenbag.errors import MissingExtraError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    from sevenbag.arena.ratings import Ratings
    from sevenbag.arena.records import GameRecord, PlayerRecord, TournamentHeader, TournamentResult
    from sevenbag.arena.statistics import Interval, Outcomes, Sprt
    from sevenbag.arena.statistics.sprt import Decision

TOP_OUTS: Final = frozenset(reason.value for reason in Reason if reason.is_top_out)


@dataclass(frozen=True, slots=True)
class EngineSummary:
    """What one engine did in all its games that count.

    Attributes:
        number: its place in the tournament's list.
        name: what it is called.
        spec: the specification by which it is called for.
        wins: games won.
        draws: games drawn.
        losses: games lost.
        resignations: games lost by suggesting no move.
        faults: number of games lost by each fault of the bot: ``crash``, ``timeout`` ...
        pieces: pieces placed.
        lines: rows cleared.
        attack: lines of attack made.
        seconds: duration of its games by the game clock; None if not known.
        clears: by kind, as in `PlayerRecord`.
        attack_by: by kind, likewise.
        lives: pieces until death.
        thinking: histogram of thinking times, see `sevenbag.arena.statistics.latency`.
        apps: attack per piece of each game.
        ppses: pieces per second by the game clock, for each game of known duration.
    """

    number: int
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
    lives: Survival
    thinking: dict[int, int]
    apps: tuple[float, ...]
    ppses: tuple[float, ...]

    @property
    def games(self) -> int:
        """Games that count."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """A win is one, a draw a half."""
        return self.wins + self.draws / 2

    @property
    def score(self) -> float | None:
        """Points per game, 0 to 1; None without a game."""
        return self.points / self.games if self.games else None

    @property
    def app(self) -> float | None:
        """Attack per piece; None without a piece."""
        return self.attack / self.pieces if self.pieces else None

    @property
    def pps(self) -> float | None:
        """Return pieces per second by the game clock; None if the duration is not known."""
        return self.pieces / self.seconds if self.seconds else None

    def thinking_ms(self, share: float) -> float | None:
        """A percentile of its thinking times in milliseconds, within 6 %; None without times."""
        return percentile_of(self.thinking, share)


@dataclass(frozen=True, slots=True)
class Encounter:
    """What two engines did against each other.

    Attributes:
        first: number of the one that the outcomes are seen from.
        second: number of the other.
        pairs: outcomes of pairs of the same opening with the sides swapped.
        games: outcomes of all games, those of pairs too.
    """

    first: int
    second: int
    pairs: Pentanomial
    games: Trinomial

    @property
    def outcomes(self) -> Outcomes:
        """What is judged by: pairs, if most games are in some."""
        return self.pairs if self.pairs.games * 2 > self.games.games else self.games

    @property
    def unpaired(self) -> int:
        """Games that are not among the outcomes, because they have no pair."""
        return self.games.games - self.outcomes.games


@dataclass(frozen=True, slots=True)
class Progress:
    """A sequential test of two engines as it went on.

    Attributes:
        first: number of the one that the hypotheses are about.
        second: number of the other.
        test: the test.
        steps: outcomes counted, and the LLR after them; the last one is how it stands.
        decision: what it decided, or None.
    """

    first: int
    second: int
    test: Sprt
    steps: tuple[tuple[int, float], ...]
    decision: Decision | None


@dataclass(frozen=True, slots=True)
class Summary:
    """A tournament in figures.

    Attributes:
        header: what it is.
        result: how it ended; None where it has not.
        games: those that count, by number.
        engines: as many as the header has, in its order.
        encounters: of every two that have met, the lower number first.
        ratings: of the engines, in the same order; None for two, and without the extra.
        tests: those that end its encounters, the lower numbers first; none in most tournaments.
    """

    header: TournamentHeader
    result: TournamentResult | None
    games: tuple[GameRecord, ...]
    engines: tuple[EngineSummary, ...]
    encounters: tuple[Encounter, ...]
    ratings: Ratings | None
    tests: tuple[Progress, ...]

    @property
    def ranking(self) -> list[EngineSummary]:
        """The engines, best first: by rating, where there are any, else by score."""

        def strength(engine: EngineSummary) -> tuple[float, float, int]:
            elo = self.ratings.elo[engine.number].value if self.ratings else 0.0
            return (-elo, -(engine.score or 0.0), engine.number)

        return sorted(self.engines, key=strength)

    def elo(self, engine: EngineSummary) -> Interval | None:
        """An engine's rating, or of two how much stronger it is; None where it is not known."""
        if self.ratings is not None:
            return self.ratings.elo[engine.number]
        if len(self.engines) == 2 and self.encounters:
            outcomes = self.encounters[0].outcomes
            return (
                outcomes if engine.number == self.encounters[0].first else outcomes.swapped
            ).elo()
        return None

    def los(self, engine: EngineSummary, other: EngineSummary) -> float | None:
        """Likelihood that one is stronger than the other; None where it is not known."""
        if self.ratings is not None:
            return self.ratings.los(engine.number, other.number)
        if len(self.engines) == 2 and self.encounters:
            los = self.encounters[0].outcomes.los()
            return los if engine.number == self.encounters[0].first else 1 - los
        return None


def read_summary(folder: str | os.PathLike[str]) -> Summary:
    """A tournament's folder in figures.

    Raises:
        FormatError: it is none, or one of its files is not as described in docs/statistics.md.
    """
    header = read_header(folder)
    return summary_of(header, read_games(folder, header), read_result(folder))


def summary_of(
    header: TournamentHeader,
    games: Iterable[GameRecord],
    result: TournamentResult | None = None,
) -> Summary:
    """What these games say.

    Args:
        header: what the tournament is.
        games: of it, in any order.
        result: how it ended; it may say that the last games do not count.
    """
    end = result.counted_games if result is not None else None
    ordered = sorted(games, key=lambda game: game.id)
    counted = [game for game in ordered[:end] if game.played_out]
    encounters = tuple(_encounters(counted))
    rated = None
    if len(header.engines) > 2:
        try:
            rated = _rated(len(header.engines), encounters)
        except MissingExtraError:
            rated = None
    return Summary(
        header,
        result,
        tuple(counted),
        tuple(_engines(header, counted)),
        encounters,
        rated,
        tuple(_tests(header, counted)),
    )


# --- games ----------------------------------------------------------------------------------------


def _encounters(games: Sequence[GameRecord]) -> Iterable[Encounter]:
    met: dict[tuple[int, int], list[GameRecord]] = defaultdict(list)
    for game in games:
        met[min(game.players), max(game.players)].append(game)
    for (first, second), theirs in sorted(met.items()):
        single = Trinomial()
        for game in theirs:
            single = single.add(game.points(first))
        yield Encounter(first, second, _pairs(first, theirs), single)


def _pairs(first: int, games: Sequence[GameRecord]) -> Pentanomial:
    pairs = Pentanomial()
    for points in pair_points(first, games):
        pairs = pairs.add(points)
    return pairs


def pair_points(first: int, games: Sequence[GameRecord]) -> Iterable[float]:
    """What an engine got out of each complete pair, in the order of the schedule."""
    paired: dict[int, list[GameRecord]] = defaultdict(list)
    for game in games:
        paired[game.pair].append(game)
    for _, both in sorted(paired.items()):
        if len(both) == 2 and both[0].players == both[1].players[::-1]:
            yield sum(game.points(first) for game in both)


def _rated(engines: int, encounters: Sequence[Encounter]) -> Ratings:
    points: dict[tuple[int, int], float] = {}
    for each in encounters:
        got = each.games.score * each.games.games
        points[each.first, each.second] = got
        points[each.second, each.first] = each.games.games - got
    return ratings(engines, points, {(each.first, each.second): each.pairs for each in encounters})


# --- tests ----------------------------------------------------------------------------------------

# A curve needs no more points than it is wide.
_MOST_STEPS: Final = 500


def _tests(header: TournamentHeader, games: Sequence[GameRecord]) -> Iterable[Progress]:
    if header.sprt is None:
        return
    test = header.sprt.test()
    # A match has its test before its first game, too.
    met: dict[tuple[int, int], list[GameRecord]] = {(0, 1): []} if len(header.engines) == 2 else {}
    for game in games:
        met.setdefault((min(game.players), max(game.players)), []).append(game)
    for (first, second), theirs in sorted(met.items()):
        yield _progress(test, first, second, theirs)


def _progress(test: Sprt, first: int, second: int, games: Sequence[GameRecord]) -> Progress:
    points = list(pair_points(first, games))
    stride = max(1, -(-len(points) // _MOST_STEPS))
    seen = Pentanomial()
    steps = [(0, 0.0)]
    for number, each in enumerate(points, start=1):
        seen = seen.add(each)
        if number % stride == 0 or number == len(points):
            steps.append((number, test.llr(seen)))
    return Progress(first, second, test, tuple(steps), test.decision(seen))


def encounters_note(summary: Summary) -> str:
    """Say how many games Elo and LOS of encounters leave out; empty if none."""
    note = unpaired_note(sum(each.unpaired for each in summary.encounters))
    return f"Elo and LOS between two: {note}" if note else ""


def sprt_line(summary: Summary, progress: Progress) -> str:
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


# --- engines --------------------------------------------------------------------------------------


class _Appearance(NamedTuple):
    """An engine in one of its games."""

    points: float
    done: PlayerRecord
    fall: str | None


def _engines(header: TournamentHeader, games: Iterable[GameRecord]) -> Iterable[EngineSummary]:
    seen: list[list[_Appearance]] = [[] for _ in header.engines]
    for game in games:
        for number, done, fall in zip(game.players, game.stats, game.falls, strict=True):
            reason = fall.reason if fall is not None else None
            seen[number].append(_Appearance(game.points(number), done, reason))
    for number, appearances in enumerate(seen):
        yield _engine(number, header, appearances)


def _engine(number: int, header: TournamentHeader, seen: Sequence[_Appearance]) -> EngineSummary:
    played = [each.done for each in seen]
    seconds = [done.game_s for done in played]
    results = Counter(each.points for each in seen)
    falls = Counter(each.fall for each in seen if each.fall and each.fall not in TOP_OUTS)
    resignations = falls.pop(Reason.RESIGNATION, 0)
    engine = header.engines[number]
    return EngineSummary(
        number,
        engine.name,
        engine.spec,
        results[1.0],
        results[0.5],
        results[0.0],
        resignations,
        dict(sorted(falls.items())),
        sum(done.pieces for done in played),
        sum(done.lines for done in played),
        sum(done.attack for done in played),
        sum(each for each in seconds if each) or None,
        _added(done.clears for done in played),
        _added(done.attack_by for done in played),
        survival((each.done.pieces, each.fall in TOP_OUTS) for each in seen),
        added(done.thinking_ms.histogram for done in played if done.thinking_ms is not None),
        tuple(done.attack / done.pieces for done in played if done.pieces),
        tuple(done.pieces / each for done, each in zip(played, seconds, strict=True) if each),
    )


def _added(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return dict(total)
