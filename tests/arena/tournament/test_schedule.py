"""Tests of the pairings of all kinds of tournaments, with invented results."""

import collections
import itertools
import math
import random
from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sevenbag.arena.statistics import Sprt
from sevenbag.arena.tournament.pairing import bracket_order, pair_swiss_round
from sevenbag.arena.tournament.schedule import ScheduledGame, iterate_waves
from sevenbag.arena.tournament.tournament_config import (
    PlayerConfig,
    TournamentHeader,
    TournamentKind,
    TournamentSettings,
)
from sevenbag.arena.tournament.tournament_files import GameRecord, LossRecord
from sevenbag.arena.tournament.tournament_results import TournamentResults
from sevenbag.game import Rules
from sevenbag.game.game_config import MAX_SEED
from sevenbag.replay.player_statistics import PlayerStatistics


def header(
    kind: TournamentKind, engines: int, sprt: Sprt | None = None, **settings: int
) -> TournamentHeader:
    return TournamentHeader(
        kind=kind,
        engines=tuple(PlayerConfig(name=f"e{number}") for number in range(engines)),
        settings=TournamentSettings(**settings),  # type: ignore[arg-type]
        sprt=sprt,
        seed=1,
    )


def record(
    scheduled: ScheduledGame, winner: int | None, attack: tuple[int, int] = (0, 0)
) -> GameRecord:
    return GameRecord(
        id=scheduled.id,
        pair=scheduled.pair,
        round=scheduled.round,
        encounter=scheduled.encounter,
        seed=scheduled.seed,
        players=scheduled.players,
        names=(f"e{scheduled.players[0]}", f"e{scheduled.players[1]}"),
        winner=winner,
        ending="pieces",
        stats=(
            PlayerStatistics(pieces=10, lines=0, attack=attack[0]),
            PlayerStatistics(pieces=10, lines=0, attack=attack[1]),
        ),
    )


def stronger(scheduled: ScheduledGame) -> int | None:
    """The lower number wins."""
    return 0 if scheduled.players[0] < scheduled.players[1] else 1


def played(
    kind: TournamentKind,
    engines: int,
    judge: Callable[[ScheduledGame], int | None] = stronger,
    **settings: int,
) -> tuple[list[list[ScheduledGame]], TournamentResults]:
    """A tournament played to its end, wave by wave."""
    done: list[list[ScheduledGame]] = []
    results = play_out(header(kind, engines, None, **settings), judge, done)
    return done, results


def play_out(
    of: TournamentHeader,
    judge: Callable[[ScheduledGame], int | None] = stronger,
    done: list[list[ScheduledGame]] | None = None,
    attack: Callable[[ScheduledGame], tuple[int, int]] = lambda _: (0, 0),
) -> TournamentResults:
    results = TournamentResults(of)
    for wave in iterate_waves(of, results):
        wave_games = list(wave)
        if done is not None:
            done.append(wave_games)
        for scheduled in wave_games:
            results.add(record(scheduled, judge(scheduled), attack(scheduled)))
    return results


def meetings(wave_games: list[ScheduledGame]) -> collections.Counter[frozenset[int]]:
    return collections.Counter(frozenset(scheduled.players) for scheduled in wave_games)


@pytest.mark.parametrize("kind", ["match", "round robin", "gauntlet", "knockout", "swiss"])
@pytest.mark.parametrize("games", [1, 2, 7])
def test_games_are_numbered_pairs_with_swapped_sides(kind: TournamentKind, games: int) -> None:
    done, _ = played(kind, 2 if kind == "match" else 5, games=games)
    wave_games = list(itertools.chain(*done))
    assert [scheduled.id for scheduled in wave_games] == list(range(1, len(wave_games) + 1))
    for _, pair in itertools.groupby(wave_games, key=lambda scheduled: scheduled.pair):
        first, *rest = pair
        assert len(rest) <= 1
        for second in rest:
            assert second.players == first.players[::-1]
            assert second.seed == first.seed
            assert 1 <= second.seed <= MAX_SEED


@given(
    kind=st.sampled_from(["swiss", "knockout", "round robin", "gauntlet"]),
    engines=st.integers(2, 9),
    settings=st.sampled_from([{"games": 1}, {"games": 2}, {"games": 4}, {"first_to": 2}]),
    seed=st.integers(0, 10**6),
    random=st.randoms(use_true_random=False),
)
def test_interrupted_schedule_resumes_unchanged(
    kind: TournamentKind, engines: int, settings: dict[str, int], seed: int, random: random.Random
) -> None:
    def judge(scheduled: ScheduledGame) -> int | None:
        return (0, 1, None)[hash((seed, scheduled.id)) % 3]

    waves_played, whole = played(kind, engines, judge, **settings)
    # All of some waves is over when it breaks off, and any games of the next.
    broken = random.randrange(len(waves_played))
    over = [
        record(scheduled, judge(scheduled))
        for number, wave in enumerate(waves_played[: broken + 1])
        for scheduled in wave
        if number < broken or random.random() < 0.5
    ]
    random.shuffle(over)
    of = header(kind, engines, None, **settings)
    results = TournamentResults(of, over)
    again: list[list[ScheduledGame]] = []
    for wave in iterate_waves(of, results):
        again.append(list(wave))
        for scheduled in again[-1]:
            if scheduled.id not in results:
                results.add(record(scheduled, judge(scheduled)))
    assert again == waves_played
    assert results.champion == whole.champion
    assert results.standings() == whole.standings()


def test_round_robin_uses_the_same_openings() -> None:
    done, _ = played("round robin", 5, games=6)
    (wave_games,) = done
    assert meetings(wave_games) == dict.fromkeys(
        map(frozenset, itertools.combinations(range(5), 2)), 6
    )
    seeds = collections.defaultdict[int, list[int]](list)
    for scheduled in wave_games:
        seeds[scheduled.encounter].append(scheduled.seed)
    assert len(seeds) == 10
    assert len(set(map(tuple, seeds.values()))) == 1
    assert len(set(seeds[0])) == 3
    # At any time no player is more than one pair of an encounter ahead.
    ahead = meetings(wave_games[: len(wave_games) // 2])
    assert max(ahead.values()) - min(ahead.values()) <= 2


def test_in_a_gauntlet_the_first_meet_the_rest() -> None:
    done, _ = played("gauntlet", 5, games=2, gauntlet=2)
    assert set(meetings(done[0])) == {frozenset((a, b)) for a in (0, 1) for b in (2, 3, 4)}


def test_openings_follow_each_other_and_never_repeat_a_game() -> None:
    boards = [f"v115@{board}" for board in ("9gE8DeG8CeH8BeG8CeA8JeAAA", "9gE8seAAA")]
    of = msgspec.structs.replace(
        header("match", 2, games=14),
        openings=["5", boards[0], f"{boards[1]} 9"],
        rules=Rules.preset("guideline").to_dict(),
    )
    wave_games = list(next(iterate_waves(of, TournamentResults(of))))
    begun = [(scheduled.seed, scheduled.fumen) for scheduled in wave_games[::2]]
    assert begun[0] == (5, None)
    assert begun[2] == (9, boards[1])
    assert [fumen for _, fumen in begun] == [None, *boards] * 2 + [None]
    assert len(set(begun)) == 7


@pytest.mark.parametrize("kind", ["round robin", "gauntlet", "swiss"])
def test_first_to_ends_each_encounter(kind: TournamentKind) -> None:
    # The lower number wins two games of three.
    def judge(scheduled: ScheduledGame) -> int | None:
        return stronger(scheduled) if scheduled.id % 3 else 1 - (stronger(scheduled) or 0)

    _, results = played(kind, 4, judge, first_to=3)
    encounters = collections.defaultdict[tuple[int, int], list[GameRecord]](list)
    for game in results.counted_games:
        encounters[game.round, game.encounter].append(game)
    assert encounters
    for games in encounters.values():
        wins = collections.Counter(
            game.players[game.winner] for game in games if game.winner is not None
        )
        assert max(wins.values()) >= 3
        assert len(games) % 2 == 0
        # Two games fewer would not have been enough.
        before = collections.Counter(
            game.players[game.winner] for game in games[:-2] if game.winner is not None
        )
        assert max(before.values(), default=0) < 3


def test_each_encounter_of_a_round_robin_has_its_test() -> None:
    sprt = Sprt(elo0=0, elo1=100)
    dice = random.Random(1)

    def judge(scheduled: ScheduledGame) -> int:
        # Two is much stronger than the others, who are equal.
        return scheduled.players.index(2) if 2 in scheduled.players else dice.choice((0, 1))

    results = play_out(header("round robin", 3, sprt=sprt, games=400), judge)
    tests = {test.players: test for test in results.tests()}
    assert set(tests) == {(0, 1), (0, 2), (1, 2)}
    assert tests[0, 2].decision == tests[1, 2].decision == "H0"
    assert all(test.games % 2 == 0 for test in tests.values())
    assert tests[0, 2].games < tests[0, 1].games
    assert results.decision is None


@given(st.integers(2, 70))
def test_bracket_separates_top_seeds(entrants: int) -> None:
    lines = bracket_order(entrants)
    assert sorted(one for one in lines if one is not None) == list(range(entrants))
    assert len(lines) == 2 ** math.ceil(math.log2(entrants))
    # A bye goes to the best player without one.
    byes = [a for a, b in zip(lines[::2], lines[1::2], strict=True) if b is None]
    assert sorted(one for one in byes if one is not None) == list(range(len(byes)))
    # If the better one always wins, the best n meet in the last n.
    while len(lines) > 2:
        lines = [
            min(one for one in pair if one is not None)
            for pair in zip(lines[::2], lines[1::2], strict=True)
        ]
        assert sorted(one for one in lines if one is not None) == list(range(len(lines)))[:entrants]


@pytest.mark.parametrize("engines", [2, 3, 5, 8, 13])
def test_a_knockout_has_a_champion(engines: int) -> None:
    done, results = played("knockout", engines, games=2)
    assert results.champion == 0
    assert sum(map(len, done)) == 2 * (engines - 1)
    assert results.standings()[0].engine == 0


def test_first_to_stops_when_decided() -> None:
    done, results = played("knockout", 2, first_to=3)
    assert [len(wave) for wave in done] == [4]
    assert results.champion == 0
    # Alternating winners: pairs of two until a player has three.
    done, _ = played("knockout", 2, lambda scheduled: scheduled.id % 2, first_to=3)
    assert sum(map(len, done)) <= 8


def test_tied_encounter_adds_pairs_up_to_a_limit() -> None:
    done, results = played("knockout", 2, lambda _: None, games=4)
    assert [len(wave) for wave in done] == [4, 2, 2, 2, 2, 2]
    # All criteria are equal, so the seed decides.
    assert results.champion == 0


def test_attack_breaks_a_lasting_tie() -> None:
    results = play_out(
        header("knockout", 2, games=2),
        lambda _: None,
        attack=lambda scheduled: (1, 2) if scheduled.players == (0, 1) else (2, 1),
    )
    assert results.champion == 1


@pytest.mark.parametrize("engines", [2, 3, 4, 7, 8, 16])
def test_swiss_rounds(engines: int) -> None:
    done, results = played("swiss", engines, games=2)
    assert len(done) == max(1, math.ceil(math.log2(engines)))
    for wave in done:
        seated = collections.Counter(engine for scheduled in wave for engine in scheduled.players)
        # Every player once, except the one with the bye.
        assert set(seated.values()) == {2}
        assert len(seated) == engines - engines % 2
    pairs = [set(meetings(wave)) for wave in done]
    met = list(itertools.chain(*pairs))
    if engines > len(done) + 1:
        assert len(met) == len(set(met))
    assert results.standings()[0].engine == 0
    assert sum(one.points for one in results.standings()) == len(done) * 2 * ((engines + 1) // 2)


@given(st.integers(2, 24), st.randoms(use_true_random=False))
def test_swiss_pairs_are_not_repeated(engines: int, dice: random.Random) -> None:
    met: set[frozenset[int]] = set()
    points = [0.0] * engines
    byes: list[int] = []
    for _ in range(max(1, (engines - 1) // 2)):
        pairs, bye = pair_swiss_round(points, met, byes)
        found = {frozenset(pair) for pair in pairs}
        assert not found & met
        assert len(set(itertools.chain(*pairs))) == 2 * len(pairs) == engines - engines % 2
        if bye is not None:
            assert bye not in byes
            byes.append(bye)
        met |= found
        for pair in pairs:
            points[dice.choice(pair)] += 1


def test_a_match_is_decided_in_the_order_of_the_schedule() -> None:
    of = header("match", 2, first_to=3)
    wave_games = list(itertools.islice(next(iterate_waves(of, TournamentResults(of))), 12))
    winners = [0, None, 0, 1, 0, 0, 0, 1, 1, 1, 1, 1]
    games = [
        record(
            scheduled,
            None if seat is None else int(scheduled.players[seat] != scheduled.players[0]),
        )
        for scheduled, seat in zip(wave_games, winners, strict=True)
    ]
    verdicts = set[int]()
    for order in range(50):
        results = TournamentResults(of)
        for game in random.Random(order).sample(games, len(games)):
            results.add(game)
        assert results.decision is not None
        verdicts.add(results.decision.games)
    wins = [0, 0]
    for number, game in enumerate(games, start=1):
        if game.winner is not None:
            wins[game.players[game.winner]] += 1
        if max(wins) == 3:
            assert verdicts == {number}
            break
    else:
        pytest.fail("nobody has won three")


def test_a_test_counts_whole_pairs_from_the_first_on() -> None:
    sprt = Sprt(elo0=0, elo1=50)
    of = header("match", 2, sprt=sprt)
    wave_games = itertools.islice(next(iterate_waves(of, TournamentResults(of))), 600)
    dice = random.Random(4)
    games = [record(scheduled, dice.choice((0, 0, 1, None))) for scheduled in wave_games]
    games = [
        game if game.players == (0, 1) or game.winner is None else record_swapped(game)
        for game in games
    ]
    ordered = TournamentResults(of, games)
    assert ordered.decision is not None
    assert ordered.decision.decision == "H1"
    assert ordered.decision.games % 2 == 0
    for seed in range(5):
        mixed = TournamentResults(of)
        # Every player is some games ahead of the schedule.
        for start in range(0, 600, 6):
            for game in random.Random(seed).sample(games[start : start + 6], 6):
                mixed.add(game)
        assert mixed.decision == ordered.decision
        assert mixed.llr == ordered.llr
        assert mixed.counted_games == ordered.counted_games == games[: ordered.decision.games]


def record_swapped(game: GameRecord) -> GameRecord:
    """The same, won from the other seat."""
    scheduled = ScheduledGame(
        game.id, game.pair, game.round, game.encounter, game.players, game.seed
    )
    return record(scheduled, None if game.winner is None else 1 - game.winner)


def test_standings_count_points_and_faults() -> None:
    of = header("round robin", 3, games=2)
    results = TournamentResults(of)
    winner_of = {frozenset((0, 1)): 0, frozenset((0, 2)): 2, frozenset((1, 2)): 1}
    for wave in iterate_waves(of, results):
        for scheduled in wave:
            winner = scheduled.players.index(winner_of[frozenset(scheduled.players)])
            game = record(scheduled, winner)
            if scheduled.id == 1:
                fall = LossRecord(reason="illegal move", detail="x")
                falls = (None, fall) if winner == 0 else (fall, None)
                game = GameRecord(
                    **{f: getattr(game, f) for f in game.__struct_fields__ if f != "losses"},
                    losses=falls,
                )
            results.add(game)
    standings = results.standings()
    assert [one.points for one in standings] == [2, 2, 2]
    assert [one.games for one in standings] == [4, 4, 4]
    assert {one.engine: one.faults for one in standings}[1] == {"illegal moves": 1}
    assert sum(len(one.faults) for one in standings) == 1


def test_equal_points_are_ranked_by_beaten_opponents() -> None:
    # 3 beats 0, the best of the others; 2 beats 1.
    beats = {(0, 1): 0, (0, 2): 0, (0, 3): 3, (1, 2): 2, (1, 3): 1, (2, 3): None}

    def judge(scheduled: ScheduledGame) -> int | None:
        winner = beats[min(scheduled.players), max(scheduled.players)]
        return None if winner is None else scheduled.players.index(winner)

    results = play_out(header("round robin", 4, games=1), judge)
    standings = results.standings()
    assert [(one.engine, one.points) for one in standings] == [
        (0, 2.0),
        (3, 1.5),
        (2, 1.5),
        (1, 1.0),
    ]
