"""Schedule the games of a tournament in waves.

A wave depends only on the results of earlier waves, never on games that finished since: results
read back after a crash may include later games. The schedule is therefore the same on any number of
machines and after any interruption.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sevenbag.arena.tournament.pairing import bracket_order, pair_swiss_round
from sevenbag.arena.tournament.tournament_config import EXTRA_PAIRS, TournamentHeader
from sevenbag.arena.tournament.tournament_results import TournamentResults
from sevenbag.game.game_config import MAX_SEED

if TYPE_CHECKING:
    from sevenbag.arena.tournament.tournament_files import GameRecord


@dataclass(frozen=True, slots=True)
class ScheduledGame:
    """Game of the schedule.

    Attributes:
        id: number of the game, from 1, counted across waves.
        pair: number of the pair; its games start alike, with swapped sides.
        round: number of the round, from 1.
        encounter: number of the encounter within the round, from 0.
        players: indices of the engines.
        fumen: first board; None for an empty one.
    """

    id: int
    pair: int
    round: int
    encounter: int
    players: tuple[int, int]
    seed: int
    fumen: str | None = None

    def record_fields(self) -> dict[str, Any]:
        """Return the fields that the record of the game has in common."""
        fields = dataclasses.asdict(self)
        return {"opening": fields.pop("fumen"), **fields}


def iterate_waves(
    header: TournamentHeader, results: TournamentResults
) -> Iterator[Iterable[ScheduledGame]]:
    """Iterate over waves of games; the results must have a wave before the next one is requested.

    The only wave of a match may be longer than needed; the runner stops when it is decided.
    """
    if header.kind == "knockout":
        return _knockout_rounds(header, results)
    if header.kind == "swiss":
        return _swiss_rounds(header, results)
    if header.kind != "match" and header.is_open_ended:
        encounters = [
            _EncounterKey(1, tie, players) for tie, players in enumerate(_encounters(header))
        ]
        return _until_decided(header, results, _Writer(header), encounters)
    return iter([_side_by_side(header)])


def _encounters(header: TournamentHeader) -> list[tuple[int, int]]:
    if header.kind == "gauntlet":
        first = header.gauntlet
        return [(a, b) for a in range(first) for b in range(first, len(header.engines))]
    return list(itertools.combinations(range(len(header.engines)), 2))


def _side_by_side(header: TournamentHeader) -> Iterator[ScheduledGame]:
    """Iterate over the pairs of all encounters in turn, so that all have equally many games."""
    writer = _Writer(header)
    encounters = [_EncounterKey(1, tie, players) for tie, players in enumerate(_encounters(header))]
    for done in range(0, header.games, 2):
        for encounter in encounters:
            yield from writer.games(encounter, range(done, min(done + 2, header.games)))


def _swiss_rounds(
    header: TournamentHeader, results: TournamentResults
) -> Iterator[Iterable[ScheduledGame]]:
    writer = _Writer(header)
    met: set[frozenset[int]] = set()
    byes: list[int] = []
    for number in range(1, header.rounds + 1):
        bye_points = header.settings.first_to or header.games
        points = [
            results.points_before(engine, before=number) + byes.count(engine) * bye_points
            for engine in range(len(header.engines))
        ]
        pairs, bye = pair_swiss_round(points, met, byes)
        met.update(frozenset(pair) for pair in pairs)
        if bye is not None:
            byes.append(bye)
            results.add_bye(bye, bye_points)
        encounters = [_EncounterKey(number, tie, players) for tie, players in enumerate(pairs)]
        yield from _until_decided(header, results, writer, encounters)


def _knockout_rounds(
    header: TournamentHeader, results: TournamentResults
) -> Iterator[Iterable[ScheduledGame]]:
    writer = _Writer(header)
    entrants = bracket_order(len(header.engines))
    for number in itertools.count(1):
        if len(entrants) == 1:
            break
        ties = list(zip(entrants[::2], entrants[1::2], strict=True))
        met = {
            tie: _EncounterKey(number, tie, (a, b))
            for tie, (a, b) in enumerate(ties)
            if a is not None and b is not None
        }
        yield from _until_decided(header, results, writer, list(met.values()))
        winners = {
            tie: _winner(header, each, results.encounter_games(number, tie))
            for tie, each in met.items()
        }
        # An engine without an opponent advances.
        entrants = [winners[tie] if tie in met else a for tie, (a, _) in enumerate(ties)]
    results.champion = entrants[0]


def _until_decided(
    header: TournamentHeader,
    results: TournamentResults,
    writer: _Writer,
    encounters: Sequence[_EncounterKey],
) -> Iterator[Iterable[ScheduledGame]]:
    """Iterate over waves of games that are needed in any case."""
    written = dict.fromkeys(encounters, 0)
    while True:
        over = {
            encounter: results.encounter_games(encounter.round, encounter.number)[:games]
            for encounter, games in written.items()
        }
        wave = {
            encounter: _games_needed(header, games)
            for encounter, games in over.items()
            if not _is_decided(header, results, encounter, games)
        }
        if not wave:
            return
        written.update((encounter, games.stop) for encounter, games in wave.items())
        yield [game for encounter, games in wave.items() for game in writer.games(encounter, games)]


def _is_decided(
    header: TournamentHeader,
    results: TournamentResults,
    encounter: _EncounterKey,
    games: Sequence[GameRecord],
) -> bool:
    """Return True if an encounter needs no more games."""
    if header.kind == "knockout":
        return _winner(header, encounter, games) is not None
    if len(games) >= header.games:
        return True
    if header.sprt is not None:
        return results.sprt_decision(games) is not None
    target = header.settings.first_to
    wins = Counter(game.players[game.winner] for game in games if game.winner is not None)
    return target is not None and max(wins.values(), default=0) >= target


def _winner(
    header: TournamentHeader, encounter: _EncounterKey, games: Sequence[GameRecord]
) -> int | None:
    """Return the winner of an encounter; None while it is undecided."""
    first, second = encounter.players
    if header.settings.first_to is not None:
        wins = Counter[int]()
        for game in games:
            if game.winner is not None:
                winner = game.players[game.winner]
                wins[winner] += 1
                if wins[winner] == header.settings.first_to:
                    return winner
    if len(games) < header.games:
        return None
    leads = sum(game.points(first) - game.points(second) for game in games)
    if leads == 0 and len(games) >= header.games + 2 * EXTRA_PAIRS:
        # On equal points more attack decides, then the seeding.
        attack = Counter[int]()
        for game in games:
            for player, engine in enumerate(game.players):
                attack[engine] += game.stats[player].attack
        leads = attack[first] - attack[second] or second - first
    if leads == 0:
        return None
    return first if leads > 0 else second


def _games_needed(header: TournamentHeader, games: Sequence[GameRecord]) -> range:
    """Return the next games of an encounter that are needed in any case."""
    done, target = len(games), header.settings.first_to
    if done >= header.games or header.sprt is not None:
        needed = 2
    elif target is not None:
        wins = Counter(game.players[game.winner] for game in games if game.winner is not None)
        needed = min(target - max(wins.values(), default=0), header.games - done)
        # Whole pairs.
        needed += (done + needed) % 2
    else:
        needed = header.games - done
    return range(done, done + needed)


@dataclass(frozen=True, slots=True)
class _EncounterKey:
    """Two engines that meet in a round."""

    round: int
    number: int
    players: tuple[int, int]


class _Writer:
    """Creates the games of encounters and numbers them."""

    def __init__(self, header: TournamentHeader) -> None:
        self._header = header
        self._openings = header.parse_openings()
        self._game = itertools.count(1)
        self._pair = itertools.count()

    def games(self, encounter: _EncounterKey, numbers: range) -> Iterator[ScheduledGame]:
        """Create games of an encounter, given their numbers within it, from 0."""
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
        header = self._header
        place = (number - 1) * ((header.games + 1) // 2) + pair
        if not self._openings:
            return _game_seed(header.seed, place), None
        again, line = divmod(place, len(self._openings))
        start = self._openings[line]
        if start.seed is None:
            return _game_seed(header.seed, place), start.fumen
        # The same seed would give the same game.
        return start.seed if again == 0 else _game_seed(start.seed, again), start.fumen


def _game_seed(*parts: int) -> int:
    digest = hashlib.blake2b(repr(parts).encode(), digest_size=8).digest()
    return 1 + int.from_bytes(digest, "big") % MAX_SEED
