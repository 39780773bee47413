"""Collect the results of a tournament: standings, tests and decisions.

Games end in any order. Decisions follow the order of the schedule: they use the longest run of
finished games from the first one on.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from sevenbag.arena.statistics import Outcomes, Pentanomial, Sprt, Trinomial
from sevenbag.game.game_result import LossReason

if TYPE_CHECKING:
    from sevenbag.arena.tournament.tournament_config import TournamentHeader
    from sevenbag.arena.tournament.tournament_files import GameRecord


PAIR: Final = 2

FAULT_LABELS: Final = {
    LossReason.CRASH: "crashes",
    LossReason.TIMEOUT: "timeouts",
    LossReason.ILLEGAL: "illegal moves",
    LossReason.NO_START: "no starts",
    LossReason.INVALID_MESSAGE: "rubbish",
    LossReason.FORFEIT: "forfeits",
}
"""Labels of the faults of a bot."""


@dataclass(frozen=True, slots=True)
class MatchDecision:
    """Decision of a match, and the number of games until then.

    Attributes:
        games: number of games that count, from the start of the schedule.
        decision: hypothesis that the test accepts; None if the number of wins decided.
    """

    games: int
    decision: Literal["H0", "H1"] | None = None

    @property
    def pairs(self) -> int:
        """Return the number of complete pairs that count."""
        return self.games // PAIR


@dataclass(frozen=True, slots=True)
class SprtState:
    """State of the sequential test of an encounter.

    Attributes:
        players: indices of the engines; the hypotheses are about the first.
        pairs: results of the pairs for the first engine.
        decision: accepted hypothesis; None before a decision.
    """

    players: tuple[int, int]
    games: int
    pairs: Pentanomial
    llr: float
    decision: Literal["H0", "H1"] | None


@dataclass(slots=True)
class EngineStanding:
    """Standing of an engine.

    Attributes:
        byes: points without a game.
        resignations: games lost by suggesting no move.
        faults: number of faults by label, see `FAULT_LABELS`.
        tie_break: tie break between equal points; larger is better.
    """

    engine: int
    name: str
    wins: int = 0
    draws: int = 0
    losses: int = 0
    byes: int = 0
    attack: int = 0
    pieces: int = 0
    resignations: int = 0
    faults: dict[str, int] = field(default_factory=dict)
    tie_break: tuple[float, ...] = ()

    @property
    def games(self) -> int:
        """Return the number of games played."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """Return the points: 1 for a win, 0.5 for a draw, and byes."""
        return self.wins + self.draws / 2 + self.byes


class TournamentResults:
    """Finished games of a tournament.

    Attributes:
        champion: winner of a knockout tournament; None before its end.
        decision: decision of a match; None before it, and if nothing decides.
    """

    def __init__(self, header: TournamentHeader, games: Iterable[GameRecord] = ()) -> None:
        self.champion: int | None = None
        self.decision: MatchDecision | None = None
        self.header = header
        self._games: dict[int, GameRecord] = {}
        self._encounters: dict[tuple[int, int], list[GameRecord]] = {}
        self._byes: Counter[int] = Counter()
        self._run = 0  # finished games without a gap from the first one
        self._pairs = Pentanomial()
        self._single = Trinomial()
        self._wins: Counter[int] = Counter()
        for game in games:
            self.add(game)

    def __contains__(self, game: int) -> bool:
        return game in self._games

    def __len__(self) -> int:
        return len(self._games)

    def add(self, game: GameRecord) -> None:
        """Add a finished game."""
        self._games[game.id] = game
        self._encounters.setdefault((game.round, game.encounter), []).append(game)
        if self.header.kind == "match":
            self._follow()

    def add_bye(self, engine: int, points: int) -> None:
        """Give points to an engine without an opponent in a round."""
        self._byes[engine] += points

    def encounter_games(self, number: int, encounter: int) -> list[GameRecord]:
        """Return the finished games of an encounter in the order of the schedule."""
        games = self._encounters.get((number, encounter), [])
        return sorted(games, key=lambda game: game.id)

    def points_before(self, engine: int, *, before: int) -> float:
        """Return the points of an engine before a round, without byes."""
        return sum(
            game.points(engine)
            for game in self._games.values()
            if game.round < before and engine in game.players
        )

    def sprt_decision(self, games: Sequence[GameRecord]) -> Literal["H0", "H1"] | None:
        """Return the decision of the test on an encounter, seen from its first engine."""
        return None if self.sprt is None else self.sprt.decision(_count_pairs(games))

    def tests(self) -> list[SprtState]:
        """Return the states of the tests of the encounters of a round robin or gauntlet."""
        if self.sprt is None or self.header.kind == "match":
            return []
        tests: list[SprtState] = []
        for key in sorted(self._encounters):
            games = self.encounter_games(*key)
            pairs = _count_pairs(games)
            llr, decision = self.sprt.llr(pairs), self.sprt.decision(pairs)
            tests.append(SprtState(games[0].players, len(games), pairs, llr, decision))
        return tests

    @property
    def counted_games(self) -> list[GameRecord]:
        """Return the games that count in the order of the schedule."""
        end = None if self.decision is None else self.decision.games
        ordered = sorted(self._games.values(), key=lambda game: game.id)
        return ordered[:end]

    @property
    def sprt(self) -> Sprt | None:
        """Return the test of the tournament."""
        return self.header.sprt

    @property
    def llr(self) -> float:
        """Return the log-likelihood ratio of the test."""
        return 0.0 if self.sprt is None else self.sprt.llr(self._pairs)

    @property
    def pairs(self) -> Pentanomial:
        """Return the results of the pairs of a match for the first engine."""
        return self._pairs

    @property
    def outcomes(self) -> Outcomes | None:
        """Return the results of the first engine: of pairs if there are any, else of games.

        None before the first counted game.
        """
        if self._pairs.pairs:
            return self._pairs
        return self._single if self._run else None

    def _follow(self) -> None:
        """Extend the run of finished games until the match is decided."""
        first_to = self.header.settings.first_to
        while self.decision is None and self._run + 1 in self._games:
            self._run += 1
            game = self._games[self._run]
            self._single = self._single.with_points(game.points(0))
            if game.winner is not None:
                self._wins[game.players[game.winner]] += 1
            before = self._games[self._run - 1] if self._run % PAIR == 0 else None
            if before is not None and before.pair == game.pair:
                self._pairs = self._pairs.with_points(before.points(0) + game.points(0))
                decision = None if self.sprt is None else self.sprt.decision(self._pairs)
                if decision is not None:
                    self.decision = MatchDecision(self._run, decision)
            if first_to is not None and max(self._wins.values(), default=0) >= first_to:
                self.decision = MatchDecision(self._run)

    @property
    def winner(self) -> int | None:
        """Return the engine with more points in a match, or the champion of a knockout tournament.

        None for a tie, and for other tournaments, which have standings only.
        """
        if self.header.kind != "match":
            return self.champion
        first, second = self.standings()
        return None if first.points == second.points else first.engine

    def standings(self) -> list[EngineStanding]:
        """Return the standings of all engines, best first."""
        table = [
            EngineStanding(number, engine.name, byes=self._byes[number])
            for number, engine in enumerate(self.header.engines)
        ]
        games = self.counted_games
        for game in games:
            for player, engine in enumerate(game.players):
                _count_player(table[engine], game, player)
        points = [standing.points for standing in table]
        for standing in table:
            standing.tie_break = self._tie_break(standing, games, points)
        return sorted(table, key=lambda one: (-one.points, [-x for x in one.tie_break], one.engine))

    def to_dict(self) -> dict[str, object]:
        """Return the results as data for JSON."""
        header, decision, sprt, outcomes = self.header, self.decision, self.sprt, self.outcomes
        counts = "games points wins draws losses byes pieces attack resignations faults"
        return {
            "name": header.name,
            "kind": header.kind,
            "seed": header.seed,
            "games": len(self.counted_games),
            "played": len(self),
            "decision": decision.decision if decision is not None else None,
            "sprt": sprt
            and {**msgspec.structs.asdict(sprt), "llr": self.llr, "bounds": list(sprt.bounds)},
            "tests": [
                {
                    "engines": [header.engines[engine].name for engine in each.players],
                    "games": each.games,
                    "llr": each.llr,
                    "decision": each.decision,
                }
                for each in self.tests()
            ],
            "elo": None if outcomes is None else outcomes.elo().to_dict(),
            "pentanomial": list(self.pairs.counts) if header.kind == "match" else None,
            "winner": None if self.winner is None else header.engines[self.winner].name,
            "engines": [
                {
                    "name": standing.name,
                    "bot": header.engines[standing.engine].spec,
                    **{field: getattr(standing, field) for field in counts.split()},
                }
                for standing in self.standings()
            ],
        }

    def _tie_break(
        self, standing: EngineStanding, games: Sequence[GameRecord], points: Sequence[float]
    ) -> tuple[float, ...]:
        """Return the tie break: Buchholz, Sonneborn-Berger, attack per piece."""
        engine = standing.engine
        beaten, met = 0.0, 0.0
        for game in games:
            if engine in game.players:
                other = game.players[1 - game.players.index(engine)]
                met += points[other]
                beaten += points[other] * game.points(engine)
        app = standing.attack / standing.pieces if standing.pieces else 0.0
        if self.header.kind == "knockout":
            return (float(engine == self.champion), beaten, app)
        return (met, beaten, app) if self.header.kind == "swiss" else (beaten, app)


def _count_pairs(games: Sequence[GameRecord]) -> Pentanomial:
    """Return the results of complete pairs for the first player of the first game.

    Args:
        games: in the order of the schedule.
    """
    pairs = Pentanomial()
    for first, second in itertools.pairwise(games):
        if first.pair == second.pair:
            engine = games[0].players[0]
            pairs = pairs.with_points(first.points(engine) + second.points(engine))
    return pairs


_FAULT_BY_REASON: Final = {reason.value: word for reason, word in FAULT_LABELS.items()}


def _count_player(standing: EngineStanding, game: GameRecord, player: int) -> None:
    if game.winner is None:
        standing.draws += 1
    elif game.winner == player:
        standing.wins += 1
    else:
        standing.losses += 1
    standing.attack += game.stats[player].attack
    standing.pieces += game.stats[player].pieces
    loss = game.losses[player]
    standing.resignations += loss is not None and loss.reason == LossReason.RESIGNATION
    fault = _FAULT_BY_REASON.get(loss.reason) if loss is not None else None
    if fault is not None:
        standing.faults[fault] = standing.faults.get(fault, 0) + 1
