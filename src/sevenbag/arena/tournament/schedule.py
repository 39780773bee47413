"""Schedule the games of a tournament in waves.

A wave depends only on the results of earlier waves, never on games that finished since: results
read back after a crash may include later games. The schedule is therefore the same on any number of
machines and after any interruption.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sevenbag.arena.tournament.pairing import bracket_order, pair_swiss_round
from sevenbag.arena.tournament.tournament_config import DEFAULT_GAMES, MAX_SPRT_GAMES
from sevenbag.game.game_config import MAX_SEED, Opening

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sevenbag.arena.tournament.tournament_config import TournamentKind, TournamentSettings
    from sevenbag.arena.tournament.tournament_files import GameRecord
    from sevenbag.arena.tournament.tournament_results import TournamentResults


_FIRST_TO_GAMES: Final = 20
"""Maximum number of games of an encounter, as a multiple of the wins needed."""
_EXTRA_PAIRS: Final = 5
"""Number of extra pairs after a tie in a knockout tournament."""


@dataclass(frozen=True, slots=True)
class ScheduledGame:
    """A game to be played.

    Attributes:
        id: its number, from 1, counted across waves.
        pair: games of the same pair begin alike, with the sides swapped.
        round: from 1.
        encounter: number of the encounter within the round, from 0.
        players: engines by number: the first and the second seat.
        seed: what pieces and garbage follow from.
        fumen: the board it begins on; None for an empty one.
    """

    id: int
    pair: int
    round: int
    encounter: int
    players: tuple[int, int]
    seed: int
    fumen: str | None = None


@dataclass(frozen=True, slots=True)
class TournamentPlan:
    """Parameters of a schedule.

    Attributes:
        kind: of the tournament.
        engines: how many.
        settings: how many games, and the like.
        seed: what the seeds of games follow from.
        openings: what pairs begin with.
        tested: whether a test ends it.
    """

    kind: TournamentKind
    engines: int
    settings: TournamentSettings
    seed: int
    openings: Sequence[Opening] = ()
    tested: bool = False

    @property
    def games(self) -> int:
        """Games of an encounter, at most."""
        settings = self.settings
        if settings.games is not None:
            return settings.games
        if settings.first_to is not None:
            return settings.first_to * _FIRST_TO_GAMES
        return MAX_SPRT_GAMES if self.tested else DEFAULT_GAMES

    @property
    def open_ended(self) -> bool:
        """Return True if the results decide the number of games of an encounter."""
        return self.tested or self.settings.first_to is not None

    @property
    def total(self) -> int | None:
        """Games of the whole tournament; None where that depends on the results."""
        return None if self.open_ended or self.kind == "knockout" else self.most_games

    @property
    def most_games(self) -> int:
        """Return the maximum number of games in the whole tournament."""
        if self.kind == "swiss":
            return self.rounds * (self.engines // 2) * self.games
        if self.kind == "knockout":
            return (self.engines - 1) * (self.games + 2 * _EXTRA_PAIRS)
        return len(_encounters(self)) * self.games

    @property
    def rounds(self) -> int:
        """Rounds of a Swiss tournament."""
        return self.settings.rounds or max(1, math.ceil(math.log2(self.engines)))


def iterate_waves(
    plan: TournamentPlan, ledger: TournamentResults
) -> Iterator[Iterable[ScheduledGame]]:
    """The games in waves; ask for the next wave when all of one are in the ledger.

    The only wave of a match may be longer than needed; the runner stops when it is decided.
    """
    if plan.kind == "knockout":
        return _knockout_rounds(plan, ledger)
    if plan.kind == "swiss":
        return _swiss_rounds(plan, ledger)
    if plan.kind != "match" and plan.open_ended:
        encounters = [
            _EncounterKey(1, tie, players) for tie, players in enumerate(_encounters(plan))
        ]
        return _until_decided(plan, ledger, _Writer(plan), encounters)
    return iter([_side_by_side(plan)])


# --- all at once --------------------------------------------------------------------------------


def _encounters(plan: TournamentPlan) -> list[tuple[int, int]]:
    if plan.kind == "gauntlet":
        first = plan.settings.gauntlet or 1
        return [(a, b) for a in range(first) for b in range(first, plan.engines)]
    return list(itertools.combinations(range(plan.engines), 2))


def _side_by_side(plan: TournamentPlan) -> Iterator[ScheduledGame]:
    """A pair of each encounter, then the next of each, so that at any time all have as many."""
    writer = _Writer(plan)
    encounters = [_EncounterKey(1, tie, players) for tie, players in enumerate(_encounters(plan))]
    for done in range(0, plan.games, 2):
        for encounter in encounters:
            yield from writer.games(encounter, range(done, min(done + 2, plan.games)))


# --- round by round -----------------------------------------------------------------------------


def _swiss_rounds(
    plan: TournamentPlan, ledger: TournamentResults
) -> Iterator[Iterable[ScheduledGame]]:
    writer = _Writer(plan)
    met: set[frozenset[int]] = set()
    byes: list[int] = []
    for number in range(1, plan.rounds + 1):
        bye_points = plan.settings.first_to or plan.games
        points = [
            ledger.points_before(engine, before=number) + byes.count(engine) * bye_points
            for engine in range(plan.engines)
        ]
        pairs, bye = pair_swiss_round(points, met, byes)
        met.update(frozenset(pair) for pair in pairs)
        if bye is not None:
            byes.append(bye)
            ledger.add_bye(bye, bye_points)
        encounters = [_EncounterKey(number, tie, players) for tie, players in enumerate(pairs)]
        yield from _until_decided(plan, ledger, writer, encounters)


def _knockout_rounds(
    plan: TournamentPlan, ledger: TournamentResults
) -> Iterator[Iterable[ScheduledGame]]:
    writer = _Writer(plan)
    entrants = bracket_order(plan.engines)
    for number in itertools.count(1):
        if len(entrants) == 1:
            break
        ties = list(zip(entrants[::2], entrants[1::2], strict=True))
        met = {
            tie: _EncounterKey(number, tie, (a, b))
            for tie, (a, b) in enumerate(ties)
            if a is not None and b is not None
        }
        yield from _until_decided(plan, ledger, writer, list(met.values()))
        winners = {
            tie: _winner(plan, each, ledger.encounter_games(number, tie))
            for tie, each in met.items()
        }
        # An engine without an opponent advances.
        entrants = [winners[tie] if tie in met else a for tie, (a, _) in enumerate(ties)]
    ledger.champion = entrants[0]


def _until_decided(
    plan: TournamentPlan,
    ledger: TournamentResults,
    writer: _Writer,
    encounters: Sequence[_EncounterKey],
) -> Iterator[Iterable[ScheduledGame]]:
    """Waves of the games that are needed in any case, until no encounter needs any."""
    written = dict.fromkeys(encounters, 0)
    while True:
        over = {
            encounter: ledger.encounter_games(encounter.round, encounter.number)[:games]
            for encounter, games in written.items()
        }
        wave = {
            encounter: _games_needed(plan, games)
            for encounter, games in over.items()
            if not _is_decided(plan, ledger, encounter, games)
        }
        if not wave:
            return
        written.update((encounter, games.stop) for encounter, games in wave.items())
        yield [
            fixture
            for encounter, games in wave.items()
            for fixture in writer.games(encounter, games)
        ]


def _is_decided(
    plan: TournamentPlan,
    ledger: TournamentResults,
    encounter: _EncounterKey,
    games: Sequence[GameRecord],
) -> bool:
    """Return True if an encounter needs no more games."""
    if plan.kind == "knockout":
        return _winner(plan, encounter, games) is not None
    if len(games) >= plan.games:
        return True
    if plan.tested:
        return ledger.sprt_decision(games) is not None
    target = plan.settings.first_to
    wins = Counter(game.players[game.winner] for game in games if game.winner is not None)
    return target is not None and max(wins.values(), default=0) >= target


def _winner(
    plan: TournamentPlan, encounter: _EncounterKey, games: Sequence[GameRecord]
) -> int | None:
    """Return the winner of an encounter; None while it is undecided."""
    first, second = encounter.players
    if plan.settings.first_to is not None:
        wins = Counter[int]()
        for game in games:
            if game.winner is not None:
                winner = game.players[game.winner]
                wins[winner] += 1
                if wins[winner] == plan.settings.first_to:
                    return winner
    if len(games) < plan.games:
        return None
    leads = sum(game.points(first) - game.points(second) for game in games)
    if leads == 0 and len(games) >= plan.games + 2 * _EXTRA_PAIRS:
        # On equal points more attack decides, then the seeding.
        attack = Counter[int]()
        for game in games:
            for seat, engine in enumerate(game.players):
                attack[engine] += game.stats[seat].attack
        leads = attack[first] - attack[second] or second - first
    if leads == 0:
        return None
    return first if leads > 0 else second


def _games_needed(plan: TournamentPlan, games: Sequence[GameRecord]) -> range:
    """The games of an encounter that are played in any case, after those that are over."""
    done, target = len(games), plan.settings.first_to
    if done >= plan.games or plan.tested:
        needed = 2
    elif target is not None:
        wins = Counter(game.players[game.winner] for game in games if game.winner is not None)
        needed = min(target - max(wins.values(), default=0), plan.games - done)
        # Whole pairs.
        needed += (done + needed) % 2
    else:
        needed = plan.games - done
    return range(done, done + needed)


# --- games --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _EncounterKey:
    """Two engines that meet in a round."""

    round: int
    number: int
    players: tuple[int, int]


class _Writer:
    """Writes the games of encounters, and counts them."""

    def __init__(self, plan: TournamentPlan) -> None:
        self._plan = plan
        self._game = itertools.count(1)
        self._pair = itertools.count()

    def games(self, encounter: _EncounterKey, numbers: range) -> Iterator[ScheduledGame]:
        """Some games of an encounter, the second of each pair with the sides swapped.

        Args:
            encounter: who meets.
            numbers: the games' numbers within the encounter, from 0.
        """
        pair = -1
        first, second = encounter.players
        for game in numbers:
            swapped = game % 2 == 1
            if not swapped or pair < 0:
                pair = next(self._pair)
            seed, fumen = self._begin(encounter.round, game // 2)
            yield ScheduledGame(
                next(self._game),
                pair,
                encounter.round,
                encounter.number,
                (second, first) if swapped else (first, second),
                seed,
                fumen,
            )

    def _begin(self, number: int, pair: int) -> tuple[int, str | None]:
        """Return the opening of a pair; all encounters of a round use the same ones."""
        plan = self._plan
        place = (number - 1) * ((plan.games + 1) // 2) + pair
        if not plan.openings:
            return _game_seed(plan.seed, place), None
        again, line = divmod(place, len(plan.openings))
        start = plan.openings[line]
        if start.seed is None:
            return _game_seed(plan.seed, place), start.fumen
        # The same seed again would be the same game again.
        return start.seed if again == 0 else _game_seed(start.seed, again), start.fumen


def _game_seed(*parts: int) -> int:
    digest = hashlib.blake2b(repr(parts).encode(), digest_size=8).digest()
    return 1 + int.from_bytes(digest, "big") % MAX_SEED
