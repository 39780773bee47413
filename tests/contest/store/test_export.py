import csv
import json

import pytest

from sevenbag.contest.bracket import ContestPlan
from sevenbag.contest.game.match_results import WALKOVER, MatchResult
from sevenbag.contest.store import Store
from sevenbag.contest.store.export import CSV_COLUMNS, export_csv, export_json
from sevenbag.errors import UnknownEntryError
from tests.contest.store.entries import HASH, RULES, ending, game, teams

FORMULA = '=HYPERLINK("http://x")'


@pytest.fixture
def contest(store: Store) -> int:
    """Three teams, one of them with a bye; the semi-final is played, the final has begun."""
    ids = [team.id for team in teams(store, 'a, "b"', FORMULA, "Büro")]
    row = store.contests.add("Autumn", RULES, ContestPlan(ranking=False), ids)
    store.contests.set_state(row, "running")
    (semi,) = store.contests.create_due_matches(row.id)
    store.matches.add_game(semi.token, game(1, 0), b"x")
    store.matches.add_game(semi.token, game(2, 1, (0, 10**9)), b"x")
    store.matches.finish(semi.token, ending(0))
    store.contests.create_due_matches(row.id)
    return row.id


def test_csv_has_one_line_per_game(store: Store, contest: int) -> None:
    lines = list(csv.DictReader(export_csv(store, contest).splitlines()))
    assert [(line["match"], line["team 1"], line["team 2"], line["game"]) for line in lines] == [
        ("Semi-final 2", "'" + FORMULA, "Büro", "1"),
        ("Semi-final 2", "'" + FORMULA, "Büro", "2"),
        ("Final", 'a, "b"', "'" + FORMULA, ""),
    ]
    assert tuple(lines[1]) == CSV_COLUMNS
    assert (lines[1]["winner"], lines[1]["points 2"]) == ("Büro", "1000000000")
    assert (lines[0]["rows 1"], lines[0]["pieces 2"], lines[0]["seconds"]) == ("3", "18", "12.5")


def test_every_line_of_a_match_has_winner_and_ending(store: Store, contest: int) -> None:
    (final,) = [each for each in store.matches.list_of_contest(contest) if each.name == "Final"]
    walkover = MatchResult(winner=1, ending=WALKOVER, games=(0, 0), points=(0, 0))
    assert store.matches.finish(final.token, walkover)
    lines = list(csv.DictReader(export_csv(store, contest).splitlines()))
    assert [(line["match winner"], line["match ending"]) for line in lines] == [
        ("'" + FORMULA, "majority of games"),
        ("'" + FORMULA, "majority of games"),
        ("'" + FORMULA, "walkover, the other team did not come"),
    ]


def test_json_has_no_secrets(store: Store, contest: int) -> None:
    text = export_json(store, contest).decode()
    told = json.loads(text)
    assert told["entrants"] == ['a, "b"', FORMULA, "Büro"]
    assert told["rules"]["match"]["games"] == RULES.match.games
    assert [match["state"] for match in told["matches"]] == ["done", "waiting"]
    assert [match["result"]["winner"] for match in told["matches"][:1]] == [0]
    assert [one["number"] for one in told["matches"][0]["games"]] == [1, 2]
    assert [[tie["bye"] for tie in number] for number in told["bracket"]] == [
        [True, False],
        [False],
    ]
    assert HASH not in text
    for match in store.matches.list_of_contest(contest):
        assert match.token not in text


def test_export_of_an_unknown_contest(store: Store) -> None:
    for export in (export_csv, export_json):
        with pytest.raises(UnknownEntryError):
            export(store, 4)
