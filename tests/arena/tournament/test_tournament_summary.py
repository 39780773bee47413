"""Summaries of games with known statistics."""

import math

import pytest

from sevenbag.arena.statistics import Pentanomial, Sprt
from sevenbag.arena.statistics.ratings import rate_engines
from sevenbag.arena.tournament.tournament_config import PlayerConfig, TournamentHeader
from sevenbag.arena.tournament.tournament_files import GameRecord, LossRecord, TournamentOutcome
from sevenbag.arena.tournament.tournament_summary import summarize_games, summary_to_dict
from sevenbag.replay.player_statistics import LatencySummary, PlayerStatistics, bucket_index


def header(*names: str, sprt: Sprt | None = None) -> TournamentHeader:
    return TournamentHeader(engines=tuple(PlayerConfig(name=name) for name in names), sprt=sprt)


def player(
    pieces: int = 10, attack: int = 5, seconds: float = 2, ms: float = 4
) -> PlayerStatistics:
    return PlayerStatistics(
        pieces=pieces,
        lines=4,
        attack=attack,
        clears={"quad": 1},
        attack_by={"quad": attack},
        elapsed_s=seconds,
        game_s=seconds * 2,
        thinking_ms=LatencySummary(
            mean=ms, p50=ms, p95=ms, p99=ms, max=ms, histogram=((bucket_index(ms), pieces),)
        ),
    )


def game(
    number: int,
    players: tuple[int, int],
    winner: int | None,
    *,
    pair: int | None = None,
    reason: str = "block out",
    ending: str = "fall",
    stats: tuple[PlayerStatistics, PlayerStatistics] | None = None,
) -> GameRecord:
    """A game; `winner` is an engine, and the other one falls."""
    seat = None if winner is None else players.index(winner)
    falls: list[LossRecord | None] = [None, None]
    if seat is not None and ending == "fall":
        falls[1 - seat] = LossRecord(reason)
    return GameRecord(
        id=number,
        pair=number // 2 if pair is None else pair,
        seed=0,
        players=players,
        names=(f"engine {players[0]}", f"engine {players[1]}"),
        winner=seat,
        ending=ending,
        losses=(falls[0], falls[1]),
        stats=stats or (player(), player()),
    )


def test_pairs_are_counted_by_their_points() -> None:
    # Engine 0 gets 2, 1, 1 (two draws), a half and 0 points; the last game has no partner.
    games = [
        *(game(0, (0, 1), 0), game(1, (1, 0), 0)),
        *(game(2, (0, 1), 0), game(3, (1, 0), 1)),
        *(game(4, (0, 1), None), game(5, (1, 0), None)),
        *(game(6, (0, 1), None), game(7, (1, 0), 1)),
        *(game(8, (0, 1), 1), game(9, (1, 0), 1)),
        game(10, (0, 1), 0),
    ]
    summary = summarize_games(header("a", "b"), reversed(games))
    (encounter,) = summary.encounters
    assert encounter.pairs == Pentanomial((1, 1, 2, 0, 1))
    assert encounter.games.counts == (4, 3, 4)
    assert encounter.outcomes is encounter.pairs
    first, second = summary.engines
    assert (first.wins, first.draws, first.losses, first.points) == (4, 3, 4, 5.5)
    assert (second.wins, second.draws, second.losses, second.score) == (4, 3, 4, 0.5)


def test_unpaired_games_count_singly() -> None:
    games = [game(n, (0, 1), 0 if n % 3 else 1, pair=n) for n in range(12)]
    (encounter,) = summarize_games(header("a", "b"), games).encounters
    assert encounter.pairs.total == 0
    assert encounter.outcomes.counts == (4, 0, 8)
    same_sides = [game(n, (0, 1), 0) for n in range(4)]
    (encounter,) = summarize_games(header("a", "b"), same_sides).encounters
    assert encounter.pairs.total == 0


def test_of_two_the_elo_is_that_of_the_pairs() -> None:
    games = [game(n, (n % 2, 1 - n % 2), 0 if n % 5 else 1) for n in range(40)]
    summary = summarize_games(header("a", "b"), games)
    elo = summary.encounters[0].pairs.elo()
    first, second = summary.ranking
    assert (first.name, summary.elo(first)) == ("a", elo)
    behind = summary.elo(second)
    assert behind is not None
    assert behind.value == pytest.approx(-elo.value)
    assert summary.los(first, second) == pytest.approx(1 - (summary.los(second, first) or 0))


def test_many_are_ranked_by_rating() -> None:
    pytest.importorskip("choix")
    # The third beats the first, who beats the second; the others have not met.
    games = [game(n, (0, 1), 0, pair=n) for n in range(6)]
    games += [game(n, (2, 0), 2, pair=n) for n in range(6, 9)]
    games.append(game(9, (1, 0), None, pair=9))
    summary = summarize_games(header("a", "b", "c", "d"), games)
    assert [engine.name for engine in summary.ranking] == ["c", "a", "d", "b"]
    assert summary.ratings == rate_engines(4, {(0, 1): 6.5, (1, 0): 0.5, (2, 0): 3, (0, 2): 0})
    assert summary.engines[3].score is None


def test_faults_deaths_and_limits_are_distinguished() -> None:
    games = [
        game(0, (0, 1), 0, reason="crash"),
        game(1, (1, 0), 0, reason="timeout"),
        game(2, (0, 1), 0, reason="crash"),
        game(3, (1, 0), 0, reason="lock out", stats=(player(pieces=7), player(pieces=7))),
        game(4, (0, 1), 0, ending="pieces"),
        game(5, (0, 1), None, ending="interrupted"),
        game(6, (0, 1), 0, reason="resignation"),
    ]
    summary = summarize_games(header("a", "b"), games)
    loser = summary.engines[1]
    assert loser.faults == {"crash": 2, "timeout": 1}
    assert loser.resignations == 1
    assert summary_to_dict(summary)["engines"][1]["resignations"] == 1
    assert (loser.games, loser.losses) == (6, 6)
    # Only one of six players topped out, after 7 pieces.
    assert (loser.survival.deaths, loser.survival.observed) == (1, 6)
    assert loser.survival.steps == ((7, pytest.approx(5 / 6)),)
    assert loser.survival.median is None
    assert summary.engines[0].faults == {}


def test_figures_add_up() -> None:
    games = [
        game(0, (0, 1), 0, stats=(player(10, 5, 2, ms=1), player(10, 2, 2, ms=50))),
        game(1, (1, 0), 0, stats=(player(30, 6, 4, ms=50), player(30, 15, 4, ms=100))),
    ]
    first, second = summarize_games(header("a", "b"), games).engines
    assert (first.pieces, first.attack, first.app) == (40, 20, 0.5)
    assert (second.pieces, second.attack, second.app) == (40, 8, 0.2)
    assert first.pps == 40 / 12
    assert first.clears == {"quad": 2}
    assert first.attack_by == {"quad": 20}
    # Of its 40 times 10 were 1 ms and 30 were 100 ms.
    assert first.thinking_ms(0.1) == pytest.approx(1, rel=0.06)
    assert first.thinking_ms(0.5) == pytest.approx(100, rel=0.06)
    assert first.app_by_game == (0.5, 0.5)
    assert first.pps_by_game == (2.5, 3.75)


def test_games_beyond_the_decision_do_not_count() -> None:
    games = [game(n, (n % 2, 1 - n % 2), 0) for n in range(10)]
    result = TournamentOutcome(finished=True, counted_games=6, counted_pairs=3, decision="H1")
    summary = summarize_games(header("a", "b"), games, result)
    assert summary.encounters[0].pairs == Pentanomial((0, 0, 0, 0, 3))


def test_each_encounter_has_its_test() -> None:
    sprt = Sprt(elo0=0, elo1=100, model="logistic")
    met = [(0, 1), (0, 2), (1, 2)] * 40
    # The later one wins all games, but for those of the first two, who are equals.
    games: list[GameRecord] = []
    for a, b in met:
        winners = (a, b) if (a, b) == (0, 1) else (b, b)
        for seats, winner in zip(((a, b), (b, a)), winners, strict=True):
            games.append(game(len(games), seats, winner))
    summary = summarize_games(header("a", "b", "c", sprt=sprt), games)
    assert [(each.first, each.second) for each in summary.tests] == met[:3]
    for test, encounter in zip(summary.tests, summary.encounters, strict=True):
        assert test.steps[-1] == (40, Sprt(0, 100, model="logistic").llr(encounter.pairs))
    assert summary.tests[1].decision == summary.tests[2].decision == "H0"
    assert summarize_games(header("a", "b", "c", sprt=sprt), []).tests == ()


def test_summary_contains_course_of_test() -> None:
    sprt = Sprt(elo0=0, elo1=100, alpha=0.1, beta=0.2, model="logistic")
    games = [game(n, (n % 2, 1 - n % 2), 0 if n % 4 != 1 else 1) for n in range(1400)]
    summary = summarize_games(header("a", "b", sprt=sprt), games)
    (progress,) = summary.tests
    assert (progress.first, progress.second) == (0, 1)
    assert progress.test == Sprt(0, 100, 0.1, 0.2, "logistic")
    assert progress.steps[0] == (0, 0)
    assert len(progress.steps) <= 502
    pairs = summary.encounters[0].pairs
    assert progress.steps[-1] == (pairs.total, progress.test.llr(pairs))
    assert progress.decision == progress.test.decision(pairs) == "H1"
    assert summarize_games(header("a", "b", sprt=sprt), []).tests[0].steps == ((0, 0.0),)
    middle = progress.steps[len(progress.steps) // 2]
    half = [each for each in games if each.pair < middle[0]]
    assert middle[1] == progress.test.llr(
        summarize_games(header("a", "b"), half).encounters[0].pairs
    )


def test_json_has_no_infinity() -> None:
    summary = summarize_games(header("a", "b"), [game(0, (0, 1), 0), game(1, (1, 0), 0)])
    told = summary_to_dict(summary)
    assert told["engines"][0]["elo"] == {"value": None, "low": None, "high": None}
    assert told["encounters"][0]["pairs"] == [0, 0, 0, 0, 1]

    def numbers(value: object) -> list[float]:
        if isinstance(value, dict):
            return [n for each in value.values() for n in numbers(each)]
        if isinstance(value, list | tuple):
            return [n for each in value for n in numbers(each)]
        return [value] if isinstance(value, float) else []

    assert all(math.isfinite(number) for number in numbers(told))


def test_a_tournament_without_games_has_figures() -> None:
    told = summary_to_dict(summarize_games(header("a", "b"), []))
    assert told["games"] == 0
    assert told["engines"][0]["score"] is None
    assert told["encounters"] == []
