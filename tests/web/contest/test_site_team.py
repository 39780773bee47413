"""Pages of a team: matches, moves and test matches."""

import pytest

from sevenbag.contest.game.match_results import ContestGameResult, MatchResult
from sevenbag.contest.settings import ContestRules
from sevenbag.contest.store import BuiltinEntrant, MatchRow
from sevenbag.errors import SchedulerError
from tests.web.contest.conftest import Running


def match_of(site: Running, *seats: int | BuiltinEntrant) -> MatchRow:
    first, second = seats
    row = site.store.matches.add(
        kind="test", name="A match", players=(first, second), rules=ContestRules()
    )
    placed = site.store.matches.set_state(row, "placed", server="here")
    assert placed is not None
    playing = site.store.matches.set_state(placed, "playing")
    assert playing is not None
    return playing


def game(
    number: int, winner: int, scores: tuple[int, int], *verdicts: dict[str, int]
) -> ContestGameResult:
    first, second = verdicts
    return ContestGameResult(
        number=number,
        game_name=f"Game {number}",
        winner=1 if winner else 0,
        ending="top out",
        scores=scores,
        move_counts=(first, second),
        last_sequence=number * 100,
        last_piece_number=number * 50,
    )


@pytest.fixture(scope="module")
def played(site: Running) -> MatchRow:
    """Two games between two teams, of which the second one sits on the right."""
    left, right = site.add_team("Left"), site.add_team("Right")
    row = match_of(site, left, right)
    keep = site.store.matches.add_game
    moves = {"done": 40, "collides": 2}, {"done": 1_812, "collides": 9, "out of date": 14}
    assert keep(row.token, game(1, 1, (100, 12_500), *moves), b"replay")
    assert keep(row.token, game(2, 0, (800, 300), {}, {"no piece": 3}), b"replay")
    result = MatchResult(winner=1, ending="points", games=(1, 1), points=(900, 12_800))
    assert site.store.matches.finish(row.token, result)
    return row


def test_team_sees_its_matches(site: Running, played: MatchRow) -> None:
    page = site.team("Right").get("/team/matches")
    assert "A match against Left won" in page.words
    assert "1 : 1 games, 12,800 : 900 points (points)" in page.words
    assert "Your moves: 1,812 done, 14 out of date, 9 collides, 3 no piece." in page.words
    assert "1 won 12,500 : 100 top out 1,812 done, 14 out of date, 9 collides" in page.words
    assert "2 lost 300 : 800 top out 3 no piece" in page.words
    for link in (f"/matches/{played.id}", f"/matches/{played.id}/games/2"):
        assert f'href="{link}"' in page.text
    assert played.token not in page.text

    other = site.team("Left").get("/team/matches").words
    assert "A match against Right lost" in other
    assert "1 : 1 games, 900 : 12,800 points" in other
    assert "Your moves: 40 done, 2 collides." in other


def test_move_counts_of_a_team(site: Running, played: MatchRow) -> None:
    page = site.team("Right").get("/team").words
    assert "done 1,812 out of date 14 collides 9 no piece 3" in page
    assert "None yet" in site.team("Newcomer").get("/team").words


def test_matches_are_shown_page_by_page(site: Running) -> None:
    number = site.add_team("Busy")
    rows = [
        match_of(site, number, BuiltinEntrant(name="Test Client", bot="random")) for _ in range(45)
    ]
    busy = site.team("Busy")
    shown: list[str] = []
    path: str | None = "/team/matches"
    pages = 0
    while path:
        text = busy.get(path).text
        shown += [part.partition('"')[0] for part in text.split('<h2><a href="/matches/')[1:]]
        _, found, rest = text.partition('<a href="/team/matches?before=')
        path = "/team/matches?before=" + rest.partition('"')[0] if found else None
        pages += 1
    assert pages == 3
    assert shown == [str(row.id) for row in reversed(rows)]


@pytest.mark.parametrize("before", ["0", "-1", "x", "", str(1 << 80), "1&before=2"])
def test_odd_pages_are_pages(site: Running, before: str) -> None:
    answer = site.team("Newcomer").get(f"/team/matches?before={before}")
    assert answer.status in {200, 400}
    assert "Traceback" not in answer.text


def test_no_test_match_without_a_server(site: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuses(team: str, *, patience: float = 0) -> None:
        raise SchedulerError("there is no game server now")

    monkeypatch.setattr(site.scheduler, "create_test_match", refuses)
    answer = site.team("Newcomer").send("/team/testing")
    assert (answer.status, "there is no game server now" in answer.words) == (400, True)
