import random
from collections.abc import Callable
from itertools import combinations

import msgspec
import pytest

from sevenbag.contest.bracket import MAX_ENTRANTS, ContestPlan, ContestTournament
from sevenbag.contest.game.match_results import MatchResult
from sevenbag.contest.ranking import DueMatch
from sevenbag.errors import InputError

Results = dict[str, MatchResult]


def names(count: int) -> list[str]:
    return [f"team {number}" for number in range(count)]


def result(winner: int | None, games: tuple[int, int] = (2, 1)) -> MatchResult:
    # The winner has more games, whichever seat it is.
    if winner == 1:
        games = games[1], games[0]
    return MatchResult(
        winner=None if winner is None else (0, 1)[winner],
        ending="called off" if winner is None else "majority of games",
        games=games,
        points=(100 * games[0], 100 * games[1]),
    )


def stronger_wins(fixture: DueMatch) -> MatchResult:
    """The entrant of the lower number."""
    return result(0 if fixture.entrants[0] < fixture.entrants[1] else 1)


def played(
    count: int, plan: ContestPlan, judge: Callable[[DueMatch], MatchResult]
) -> tuple[ContestTournament, list[DueMatch], Results]:
    """A tournament to its end, in any order that is allowed."""
    dice = random.Random(count)
    results: Results = {}
    order: list[DueMatch] = []
    while due := ContestTournament(names(count), plan, results).due_matches:
        fixture = dice.choice(due)
        assert fixture.slot not in results
        order.append(fixture)
        results[fixture.slot] = judge(fixture)
    return ContestTournament(names(count), plan, results), order, results


def at_random(seed: int) -> Callable[[DueMatch], MatchResult]:
    dice = random.Random(seed)
    return lambda _: result(dice.randint(0, 1), (dice.randint(2, 5), dice.randint(0, 1)))


@pytest.mark.parametrize("count", range(2, 65))
def test_round_robin_meets_once(count: int) -> None:
    tournament = ContestTournament(names(count), ContestPlan(bracket=False), {})
    met = [fixture.entrants for fixture in tournament.due_matches]
    assert sorted(tuple(sorted(pair)) for pair in met) == list(combinations(range(count), 2))
    assert len({fixture.slot for fixture in tournament.due_matches}) == len(met)
    for number in tournament.ranking_rounds:
        playing = [entrant for fixture in number for entrant in fixture.entrants]
        assert len(playing) == len(set(playing)) == count - count % 2
    for entrant in range(count):
        firsts = sum(first == entrant for first, _ in met)
        assert abs(2 * firsts - (count - 1)) <= 1


@pytest.mark.parametrize("count", range(2, 65))
def test_losers_are_eliminated(count: int) -> None:
    """Single elimination: each match takes one out, until one is left."""
    end, order, results = played(count, ContestPlan(ranking=False), at_random(count))
    assert len(order) == count - 1
    out = [fixture.entrants[1 - (results[fixture.slot].winner or 0)] for fixture in order]
    assert len(set(out)) == count - 1
    (champion,) = set(range(count)) - set(out)
    assert end.champion == champion
    assert end.is_finished
    assert sorted(end.final_ranking) == list(range(count))
    assert end.final_ranking[0] == champion
    # The rounds halve; byes are in the first one only, as many as are missing to a power of two.
    size = 1 << (count - 1).bit_length()
    assert [len(number) for number in end.bracket_rounds] == [
        size >> number for number in range(1, len(end.bracket_rounds) + 1)
    ]
    assert sum(tie.bye for number in end.bracket_rounds for tie in number) == size - count
    assert not any(tie.bye for number in end.bracket_rounds[1:] for tie in number)


@pytest.mark.parametrize("count", range(2, 65))
def test_the_best_meet_as_late_as_can_be(count: int) -> None:
    """If the better team always wins, the seed determines the round of its defeat."""
    end, order, _ = played(count, ContestPlan(ranking=False, third_place=True), stronger_wins)
    assert end.champion == 0
    out = {max(f.entrants): f.round for f in order if f.slot != "bracket/third"}
    rounds = len(end.bracket_rounds)
    for entrant, number in out.items():
        assert number == rounds + 1 - entrant.bit_length()
    assert end.final_ranking[:4] == tuple(range(min(4, count)))
    for tie in end.bracket_rounds[0]:
        if not tie.bye:
            # The first meets the last, and so on: their seeds add up.
            assert sum(seed or 0 for seed in tie.seeds) == (1 << rounds) + 1


@pytest.mark.parametrize("count", [2, 3, 5, 8, 13])
def test_the_ranking_seeds_the_bracket(count: int) -> None:
    def weaker_wins_the_ranking(fixture: DueMatch) -> MatchResult:
        first, second = fixture.entrants
        return result(0 if (first > second) == (fixture.stage == "ranking") else 1)

    end, order, _ = played(count, ContestPlan(qualifiers=4), weaker_wins_the_ranking)
    stages = [fixture.stage for fixture in order]
    assert stages == sorted(stages, reverse=True)
    assert stages.count("ranking") == count * (count - 1) // 2
    assert [standing.entrant for standing in end.ranking] == list(reversed(range(count)))
    qualified = min(4, count)
    assert stages.count("bracket") == qualified - 1
    seeded = {
        seed: entrant
        for tie in end.bracket_rounds[0]
        for seed, entrant in zip(tie.seeds, tie.entrants, strict=True)
        if seed is not None
    }
    assert seeded == {seed: count - seed for seed in range(1, qualified + 1)}
    # Teams that did not qualify follow all that did.
    assert end.final_ranking[qualified:] == tuple(reversed(range(count - qualified)))
    assert end.champion == count - qualified


def test_bracket_is_independent_of_the_entrants() -> None:
    tournament = ContestTournament(names(5), ContestPlan(), {})
    assert not tournament.ranking_finished
    assert [tie.name for number in tournament.bracket_rounds for tie in number] == [
        *(f"Quarter-final {number}" for number in range(1, 5)),
        *("Semi-final 1", "Semi-final 2", "Final"),
    ]
    assert [tie.seeds for tie in tournament.bracket_rounds[0]] == [
        (1, None),
        (4, 5),
        (2, None),
        (3, None),
    ]
    for number in tournament.bracket_rounds:
        for tie in number:
            assert (tie.entrants, tie.winner) == ((None, None), None)
    assert (tournament.champion, tournament.is_finished, tournament.final_ranking) == (
        None,
        False,
        (),
    )
    assert len(ContestTournament(names(30), ContestPlan(), {}).bracket_rounds[0]) == 16
    assert (
        ContestTournament(names(30), ContestPlan(), {}).bracket_rounds[0][8].name
        == "Round of 32, match 9"
    )


def test_matches_before_games_before_points_before_a_coin() -> None:
    """Three teams win one match each, so later criteria decide."""
    fixtures = {
        frozenset(f.entrants): f for f in ContestTournament(names(3), ContestPlan(), {}).due_matches
    }

    def ranking(
        scores: dict[tuple[int, int], tuple[int, int]], points: dict[int, int], seed: int = 0
    ) -> list[int]:
        results: Results = {}
        for pair, games in scores.items():
            fixture = fixtures[frozenset(pair)]
            by_entrant = dict(zip(pair, games, strict=True))
            first, second = fixture.entrants
            results[fixture.slot] = MatchResult(
                winner=0 if by_entrant[first] > by_entrant[second] else 1,
                ending="majority of games",
                games=(by_entrant[first], by_entrant[second]),
                points=(points[first], points[second]),
            )
        plan = ContestPlan(bracket=False, seed=seed)
        return [line.entrant for line in ContestTournament(names(3), plan, results).ranking]

    circle = {(0, 1): (2, 0), (1, 2): (2, 0), (2, 0): (2, 0)}
    # More matches won beat more games and points.
    two_wins = {(2, 0): (2, 1), (2, 1): (2, 1), (0, 1): (10, 0)}
    assert ranking(two_wins, {0: 900, 1: 500, 2: 1}) == [2, 0, 1]
    # One match each: more games won, regardless of points.
    assert ranking(circle | {(2, 0): (2, 1)}, {0: 1, 1: 500, 2: 400})[0] == 0
    # As many games: points.
    assert ranking(circle, {0: 20, 1: 30, 2: 10}) == [1, 0, 2]
    # All equal: a coin, which depends on the seed alone.
    alike = {0: 1, 1: 1, 2: 1}
    orders = {tuple(ranking(circle, alike, seed)) for seed in range(200)}
    assert len(orders) == 6
    assert ranking(circle, alike, 7) == ranking(circle, alike, 7)


def test_the_table_adds_up() -> None:
    end, order, results = played(7, ContestPlan(bracket=False), at_random(3))
    assert end.bracket_rounds == ()
    assert end.champion == end.final_ranking[0] == end.ranking[0].entrant
    for line in end.ranking:
        mine = [
            (results[f.slot], f.entrants.index(line.entrant))
            for f in order
            if line.entrant in f.entrants
        ]
        assert line.played == len(mine) == 6
        assert line.wins == sum(one.winner == seat for one, seat in mine)
        assert line.wins + line.losses == 6
        assert line.games_won == sum(one.games[seat] for one, seat in mine)
        assert line.games_lost == sum(one.games[1 - seat] for one, seat in mine)
        assert line.points == sum(one.points[seat] for one, seat in mine)
        assert line.points_against == sum(one.points[1 - seat] for one, seat in mine)
    assert [line.place for line in end.ranking] == list(range(1, 8))


@pytest.mark.parametrize("count", [2, 6, 9])
def test_bracket_is_independent_of_the_order_of_results(count: int) -> None:
    """The state goes through JSON after each match."""

    def judge(fixture: DueMatch) -> MatchResult:
        dice = random.Random(f"{fixture.slot} {fixture.entrants}")
        return result(dice.randint(0, 1), (dice.randint(2, 5), dice.randint(0, 1)))

    plan = ContestPlan(third_place=True, seed=11)
    end, _, results = played(count, plan, judge)
    decoder = msgspec.json.Decoder(tuple[list[str], ContestPlan, Results])
    kept = msgspec.json.encode((names(count), plan, Results()))
    while (again := ContestTournament(*decoder.decode(kept))).due_matches:
        later = decoder.decode(kept)[2]
        later[again.due_matches[-1].slot] = judge(again.due_matches[-1])
        kept = msgspec.json.encode((names(count), plan, later))
    assert decoder.decode(kept)[2] == results
    assert (again.final_ranking, again.ranking, again.bracket_rounds) == (
        end.final_ranking,
        end.ranking,
        end.bracket_rounds,
    )


@pytest.mark.parametrize("third", [False, True])
@pytest.mark.parametrize("count", [2, 3, 4, 7])
def test_the_third_place_is_played_for_where_two_lose_before_the_final(
    count: int, third: bool
) -> None:
    end, order, _ = played(count, ContestPlan(ranking=False, third_place=third), stronger_wins)
    slots = [fixture.slot for fixture in order]
    assert ("bracket/third" in slots) == (third and count >= 4)
    if end.third_place_match is not None:
        assert {end.third_place_match.winner, end.third_place_match.loser} == {2, 3}
        semis = {f.slot for f in order if f.name.startswith("Semi-final")}
        assert semis <= set(slots[: slots.index("bracket/third")])


def test_the_third_place_may_go_to_the_worse_seed() -> None:
    def judge(fixture: DueMatch) -> MatchResult:
        if fixture.name == "Match for third place":
            return result(0 if fixture.entrants[0] > fixture.entrants[1] else 1)
        return stronger_wins(fixture)

    end, _, _ = played(6, ContestPlan(ranking=False, third_place=True), judge)
    assert end.final_ranking == (0, 1, 3, 2, 4, 5)


def test_a_match_that_was_called_off_is_due_again() -> None:
    (final,) = ContestTournament(names(2), ContestPlan(ranking=False), {}).due_matches
    again = ContestTournament(names(2), ContestPlan(ranking=False), {final.slot: result(None)})
    assert again.due_matches == (final,)
    assert not again.is_finished
    league = ContestTournament(names(2), ContestPlan(bracket=False), {"ranking/1/0": result(None)})
    assert not league.ranking_finished
    assert [line.played for line in league.ranking] == [0, 0]


def test_results_of_other_plans_are_ignored() -> None:
    strange = {"": result(0), "bracket/9/9": result(1), "ranking/1/0": result(1)}
    plan = ContestPlan(ranking=False)
    assert (
        ContestTournament(names(4), plan, strange).due_matches
        == ContestTournament(names(4), plan, {}).due_matches
    )
    # A final cannot be over before it is known who plays it.
    final = {"bracket/2/0": result(0)}
    early = ContestTournament(names(4), plan, final)
    assert early.champion is None
    assert [fixture.name for fixture in early.due_matches] == ["Semi-final 1", "Semi-final 2"]
    early = ContestTournament(names(4), plan, final | {"bracket/1/0": result(0)})
    assert early.champion is None
    assert [fixture.name for fixture in early.due_matches] == ["Semi-final 2"]


@pytest.mark.parametrize("count", [0, 1])
@pytest.mark.parametrize(
    "plan", [ContestPlan(), ContestPlan(ranking=False), ContestPlan(bracket=False)]
)
def test_no_matches_for_fewer_than_two_teams(count: int, plan: ContestPlan) -> None:
    tournament = ContestTournament(names(count), plan, {})
    assert tournament.due_matches == ()
    assert tournament.champion == (0 if count else None)
    assert tournament.final_ranking == tuple(range(count))


def test_plans_that_make_no_contest_are_refused() -> None:
    with pytest.raises(ValueError, match="ranking, a bracket or both"):
        ContestPlan(ranking=False, bracket=False)
    with pytest.raises(msgspec.ValidationError, match="invalid qualifiers"):
        msgspec.json.decode(b'{"qualifiers": 1}', type=ContestPlan)
    with pytest.raises(InputError, match="expected at most"):
        ContestTournament(names(MAX_ENTRANTS + 1), ContestPlan(), {})


def test_the_largest_contest_is_planned_whole() -> None:
    tournament = ContestTournament(names(MAX_ENTRANTS), ContestPlan(), {})
    assert len(tournament.due_matches) == MAX_ENTRANTS * (MAX_ENTRANTS - 1) // 2
    assert len(tournament.bracket_rounds) == 8
