import itertools
from collections.abc import Sequence

import pytest

from sevenbag.contest.bracket import MAX_ENTRANTS, ContestPlan
from sevenbag.contest.game.match_results import MatchResult
from sevenbag.contest.settings import ContestRules
from sevenbag.contest.store import ContestRow, ContestState, MatchRow, Store
from sevenbag.errors import InputError, SevenbagError, UnknownEntryError
from tests.contest.store.entries import HASH, RULES, ending, run_at_once, teams

PLAN = ContestPlan(qualifiers=4, third_place=True, seed=7)


def planned(store: Store, entrants: int, plan: ContestPlan = PLAN) -> ContestRow:
    ids = [team.id for team in teams(store, *(f"team {n}" for n in range(entrants)))]
    return store.contests.add("Autumn", RULES, plan, ids)


def running(store: Store, entrants: int, plan: ContestPlan = PLAN) -> ContestRow:
    row = store.contests.set_state(planned(store, entrants, plan), "running")
    assert row is not None
    return row


def test_contest_round_trip(store: Store) -> None:
    one, two = teams(store, "one", "two")
    row = store.contests.add("Autumn", RULES, PLAN, [two.id, one.id])
    assert (row.name, row.state, row.rules, row.plan) == ("Autumn", "planned", RULES, PLAN)
    assert [(entrant.team_id, entrant.name) for entrant in row.entrants] == [
        (two.id, "two"),
        (one.id, "one"),
    ]
    assert store.contests.get(row.id) == row
    later = store.contests.add("Winter", RULES, PLAN)
    assert store.contests.list() == (later, row)
    assert store.contests.list(before=later.id) == (row,)
    assert store.contests.list(limit=1) == (later,)


def test_plans_change_until_the_contest_begins(store: Store) -> None:
    row = planned(store, 3)
    ids = [entrant.team_id for entrant in row.entrants]
    other = store.contests.update_plan(
        row, name="Winter", rules=ContestRules(), plan=ContestPlan(), entrants=ids[::-1]
    )
    assert other is not None
    assert (other.name, other.rules, other.plan) == ("Winter", ContestRules(), ContestPlan())
    assert [entrant.team_id for entrant in other.entrants] == ids[::-1]
    assert store.contests.get(row.id) == other
    assert store.contests.update_plan(row, name="Spring") is None
    same = store.contests.update_plan(other, plan=PLAN)
    assert same is not None
    assert (same.name, same.entrants) == ("Winter", other.entrants)
    running = store.contests.set_state(same, "running")
    assert running is not None
    with pytest.raises(InputError, match="not planned any more"):
        store.contests.update_plan(running, name="Spring")


def test_invalid_entrants_roll_back(store: Store) -> None:
    teams(store, "one")
    wrong: list[tuple[Sequence[int], type[SevenbagError], str]] = [
        ([1, 1], InputError, "once"),
        ([1, 99], UnknownEntryError, "team with number 99"),
        ([2**40], UnknownEntryError, "unknown team"),
        (range(1, MAX_ENTRANTS + 2), InputError, "at most 256 teams"),
    ]
    for entrants, kind, words in wrong:
        with pytest.raises(kind, match=words):
            store.contests.add("Autumn", RULES, PLAN, entrants)
    with pytest.raises(InputError, match="name of a contest"):
        store.contests.add("", RULES, PLAN)
    assert store.contests.list() == ()


ALLOWED = {
    *itertools.pairwise(("planned", "running", "paused", "running", "finished")),
    ("paused", "finished"),
    *((state, "called off") for state in ("planned", "running", "paused")),
}


WAYS: dict[ContestState, tuple[ContestState, ...]] = {
    "planned": (),
    "running": ("running",),
    "paused": ("running", "paused"),
    "finished": ("running", "finished"),
    "called off": ("called off",),
}


def test_states_follow_on_each_other(store: Store) -> None:
    ids = [team.id for team in teams(store, "one", "two")]
    for state, following in itertools.product(WAYS, repeat=2):
        row = store.contests.add("Autumn", RULES, PLAN, ids)
        for step in WAYS[state]:
            row = store.contests.set_state(row, step) or row
        assert row.state == state
        if (state, following) not in ALLOWED:
            with pytest.raises(InputError, match="cannot become"):
                store.contests.set_state(row, following)
            continue
        changed = store.contests.set_state(row, following)
        assert changed is not None
        assert changed.state == following
        # A change based on an outdated contest is rejected.
        assert store.contests.set_state(row, following) is None
        assert store.contests.get(row.id) == changed


def test_a_contest_needs_two(store: Store) -> None:
    row = planned(store, 1)
    with pytest.raises(InputError, match="at least 2 teams, got 1"):
        store.contests.set_state(row, "running")


def test_unknown_contests(store: Store) -> None:
    for number in (0, 5, 2**50):
        with pytest.raises(UnknownEntryError, match=str(number)):
            store.contests.get(number)
        with pytest.raises(UnknownEntryError, match=str(number)):
            store.contests.tournament(number)
        assert store.contests.create_due_matches(number) == ()


def by_number(match: MatchRow) -> MatchResult:
    """The team of the lower number wins."""
    return ending(0 if match.players[0].team < match.players[1].team else 1)


def test_matches_are_created_until_the_contest_ends(store: Store) -> None:
    """Five teams: ten matches of the ranking, then semi-finals, third place and final."""
    row = planned(store, 5)
    assert store.contests.create_due_matches(row.id) == ()
    row = store.contests.set_state(row, "running") or row
    drawn = store.contests.create_due_matches(row.id)
    assert len(drawn) == 10
    assert len({frozenset(seat.team for seat in match.players) for match in drawn}) == 10
    assert all(match.kind == "contest" and match.rules == RULES for match in drawn)
    assert store.contests.create_due_matches(row.id) == ()
    for match in drawn:
        assert store.matches.finish(match.token, by_number(match))
    names: list[list[str]] = []
    while drawn := store.contests.create_due_matches(row.id):
        names.append([match.name for match in drawn])
        for match in drawn:
            store.matches.finish(match.token, by_number(match))
    assert names == [["Semi-final 1", "Semi-final 2"], ["Match for third place", "Final"]]
    end = store.contests.tournament(row.id)
    assert end.is_finished
    assert [end.entrants[place] for place in end.final_ranking] == [f"team {n}" for n in range(5)]


def test_cancelled_match_is_created_again(store: Store) -> None:
    row = running(store, 2, ContestPlan(ranking=False))
    (first,) = store.contests.create_due_matches(row.id)
    store.matches.finish(first.token, ending(None))
    (again,) = store.contests.create_due_matches(row.id)
    assert (again.slot, again.name) == (first.slot, first.name)
    assert again.token != first.token
    store.matches.finish(again.token, ending(1))
    standing = store.contests.tournament(row.id)
    assert standing.is_finished
    assert standing.bracket_rounds[-1][0].result == ending(1)


def test_a_paused_contest_gets_no_matches(store: Store) -> None:
    row = running(store, 3)
    row = store.contests.set_state(row, "paused") or row
    assert store.contests.create_due_matches(row.id) == ()
    store.contests.set_state(row, "running")
    assert len(store.contests.create_due_matches(row.id)) == 3


def test_two_schedulers_draw_up_each_match_once(store: Store, url: str) -> None:
    row = running(store, 8)

    def draw(_: int) -> list[str]:
        with Store(url) as own:
            return [match.slot for match in own.contests.create_due_matches(row.id)]

    drawn = [slot for slots in run_at_once(4, draw) for slot in slots]
    assert len(drawn) == len(set(drawn)) == 8 * 7 // 2
    assert len(store.matches.list_of_contest(row.id)) == 8 * 7 // 2


def test_slot_has_one_match(store: Store, url: str) -> None:
    row = planned(store, 2)
    first, second = (entrant.team_id for entrant in row.entrants)

    def add(_: int) -> int:
        with Store(url) as own:
            return own.matches.add(
                kind="contest",
                name="Final",
                players=(first, second),
                rules=RULES,
                contest_id=row.id,
                slot="bracket/1/0",
            ).id

    added = run_at_once(6, add)
    assert len(set(added)) == 1
    with pytest.raises(InputError, match="needs a contest"):
        store.matches.add(kind="test", name="T", players=(first, second), rules=RULES, slot="x")


def test_disabled_team_stays_in_its_contest(store: Store) -> None:
    row = planned(store, 2)
    store.teams.set_disabled(row.entrants[0].team_id, True)
    store.teams.set_password(row.entrants[1].team_id, HASH)
    assert store.contests.get(row.id).entrants == row.entrants
