"""Public pages and live events: many viewers, invalid requests, no secrets."""

import asyncio
import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from sevenbag.contest.bracket import ContestPlan
from sevenbag.contest.game.match_results import WALKOVER, ContestGameResult, MatchResult
from sevenbag.contest.settings import ContestRules, MatchRules
from sevenbag.contest.store import ContestRow
from tests.cli.run import wait_until
from tests.web.contest.conftest import Running
from tests.web.contest.hosted import GameServer
from tests.web.contest.publisher import filled
from tests.web.contest.recorded_game import play


@pytest.fixture
def server(site: Running) -> Iterator[GameServer]:
    with GameServer(site) as started:
        started.host("Alpha")
        yield started


def line(site: Running, query: str = "", origin: str | None = None) -> connect:
    address = site.address.replace("http", "ws", 1)
    own = site.address.rstrip("/")
    return connect(f"{address}live{query}", origin=origin or own, max_size=1 << 20)  # type: ignore[arg-type]


async def heard(socket: Any, *events: str) -> list[dict[str, Any]]:
    """Return the events up to one of a given name."""
    found: list[dict[str, Any]] = []
    async with asyncio.timeout(120):
        while not found or found[-1]["event"] not in events:
            found.append(json.loads(await socket.recv()))
    return found


async def test_a_hundred_viewers(site: Running, server: GameServer) -> None:
    """Viewers follow a running game to its end without delaying each other."""
    crowd = [await line(site, f"?match={server.match}") for _ in range(100)]
    for socket in crowd:
        assert (await heard(socket, "match_frame"))[-1]["status"] == "assigned"
    listening = [asyncio.create_task(heard(socket, "game_finished")) for socket in crowd]

    def game() -> None:
        for move in range(500):
            server.states.pieces(("T", 0, move % 18, 5), None)
        server.states.pieces(("T", 0, 18, 7), None)
        server.states.end_game((5, 6), 1)

    await asyncio.to_thread(game)
    for events in await asyncio.gather(*listening):
        pictures = [event for event in events if event["event"] == "match_frame"]
        # The newest is always seen; not each before it.
        assert pictures[-1]["pieces"] == [["T", 0, 18, 7], None]
        assert len(pictures) < 100
        assert events[-1]["scores"] == [5, 6]
    await asyncio.gather(*(socket.close() for socket in crowd))


async def test_slow_page_does_not_delay_others(site: Running, server: GameServer) -> None:
    sleeper = await connect(
        site.address.replace("http", "ws", 1) + f"live?match={server.match}",
        origin=site.address.rstrip("/"),  # type: ignore[arg-type]
        max_queue=1,
    )
    async with line(site, f"?match={server.match}") as awake:
        await heard(awake, "match_frame")
        for number in range(30):
            server.states.game = f"Game {number}"
            server.states.boards(filled("OO"), filled())
            server.states.end_game((number, 0), 0)
            events = await heard(awake, "game_finished")
            assert events[-1]["game"] == f"Game {number}"
    # It has missed pictures, but no end of a game.
    ends: list[str] = []
    while len(ends) < 30:
        ends.append((await heard(sleeper, "game_finished"))[-1]["game"])
    assert ends == [f"Game {number}" for number in range(30)]
    await sleeper.close()


@pytest.mark.parametrize(
    "query", ["?match=x", "?match=-1", "?match=99999999999999999999999", "?match=987654", "?a=b"]
)
async def test_invalid_queries(site: Running, server: GameServer, query: str) -> None:
    async with line(site, query) as socket, line(site, f"?match={server.match}") as right:
        await heard(right, "match_frame")
        server.states.end_game((1, 2), 1)
        server.states.end_match()
        await heard(right, "match_finished")
        # Public events only.
        await asyncio.to_thread(server.end_match)
        assert {event["event"] for event in await heard(socket, "contest_changed")} == {
            "contest_changed"
        }


async def test_number_of_watched_matches_is_limited(site: Running, server: GameServer) -> None:
    many = "&".join(f"match={number}" for number in range(987_000, 987_300))
    async with line(site, f"?match={server.match}&{many}") as socket:
        assert (await heard(socket, "match_frame"))[-1]["match"] == server.match


async def test_messages_of_pages_are_limited(site: Running, server: GameServer) -> None:
    """Pages send nothing; a connection that sends much is closed."""
    async with line(site, f"?match={server.match}") as socket:
        await socket.send("hello")
        await socket.send(b"\0\xff")
        await heard(socket, "match_frame")
        for _ in range(100):
            await socket.send("x" * 1000)
        async with asyncio.timeout(120):
            await socket.wait_closed()


async def test_other_pages_cannot_watch(site: Running) -> None:
    with pytest.raises(InvalidStatus, match="403"):
        await line(site, origin="http://elsewhere.example")


async def test_finished_match_is_reported(site: Running, server: GameServer) -> None:
    async with line(site, f"?match={server.match}") as socket:
        await asyncio.to_thread(server.end_match)
        await heard(socket, "match_finished")
    # Viewers that were disconnected meanwhile see it, too.
    async with line(site, f"?match={server.match}") as socket:
        assert (await heard(socket, "match_frame"))[-1]["status"] == "finished"


async def test_metrics_of_viewers(site: Running, server: GameServer) -> None:
    async with line(site, f"?match={server.match}") as socket:
        await heard(socket, "match_frame")
        server.states.raw(b"rubbish")
        server.states.end_game((1, 2), 1)
        await heard(socket, "game_finished")
        text = (await asyncio.to_thread(site.visitor().get, "/metrics")).text
    lines = dict(each.split(" ") for each in text.splitlines() if not each.startswith("#"))
    assert float(lines["sevenbag_site_viewers"]) >= 1
    assert float(lines["sevenbag_site_live_matches"]) >= 1
    assert float(lines["sevenbag_site_invalid_states_total"]) >= 1


def test_no_token_is_on_any_public_page(site: Running, server: GameServer) -> None:
    game = play(1, server.states.teams)
    server.end_game(game.result, game.replay)
    token = server.states.token
    visitor = site.visitor()
    here = f"/matches/{server.match}"
    for path in ("/", "/matches", here, f"{here}/games/1", "/bracket", "/ranking"):
        answer = visitor.get(path)
        assert answer.status == 200, path
        assert token not in answer.text
    frames = visitor.get(f"{here}/games/1/frames", **{"Accept-Encoding": "gzip"})
    assert token not in gzip.decompress(frames.body).decode()
    # For those who cannot unpack it.
    assert visitor.get(f"{here}/games/1/frames").body == gzip.decompress(frames.body)
    assert token not in zlib.decompress(visitor.get(f"{here}/games/1/replay").body).decode()


@pytest.mark.parametrize(
    "path",
    [
        "/matches/0",
        "/matches/987654",
        "/matches/99999999999999999999999999",
        "/matches/987654/games/1",
        "/matches/1/games/0",
        "/matches/1/games/99999999999999999999999999/frames",
        "/matches/99999999999999999999999999/games/1/replay",
        "/bracket?contest=987654",
        "/ranking?contest=987654",
    ],
)
def test_missing_pages(site: Running, path: str) -> None:
    answer = site.visitor().get(path)
    assert answer.status == 404
    assert "there is no" in answer.words or "has no" in answer.words


@pytest.mark.parametrize("path", ["/bracket?contest=x", "/matches?before=-1", "/matches?before=x"])
def test_invalid_numbers(site: Running, path: str) -> None:
    assert site.visitor().get(path).status == 400


RULES = ContestRules(match=MatchRules(games=3))
NAMES = ("Ant", "Bee", "Cat", "Dog", "Eel & <i>Co</i>")


def contest(site: Running, plan: ContestPlan, names: tuple[str, ...] = NAMES) -> ContestRow:
    ids = [
        found.id if (found := site.store.teams.find(name)) else site.add_team(name)
        for name in names
    ]
    row = site.store.contests.add("Cup", RULES, plan, ids)
    running = site.store.contests.set_state(row, "running")
    assert running is not None
    return running


def play_slot(site: Running, row: ContestRow, slot: str, winner: int) -> None:
    """Let a seat win a match by three simple games."""
    matches = site.store.matches
    found = next(each for each in matches.list_of_contest(row.id) if each.slot == slot)
    needed = row.rules.match.games // 2 + 1
    for number in range(1, needed + 1):
        result = ContestGameResult(
            number=number,
            game_name=f"Game {number}",
            winner=winner,  # type: ignore[arg-type]
            ending="top out",
            scores=(100, 200),
        )
        assert matches.add_game(found.token, result, b"replay")
    games = (needed, 0) if winner == 0 else (0, needed)
    points = (100 * needed, 200 * needed)
    assert matches.finish(
        found.token,
        MatchResult(winner=winner, ending="majority of games", games=games, points=points),  # type: ignore[arg-type]
    )


def test_a_bracket_fills(make_site: Callable[..., Running]) -> None:
    site = make_site()
    visitor = site.visitor()
    assert "No contest has been announced" in visitor.get("/bracket").words
    assert "No contest has been announced" in visitor.get("/").words
    row = contest(site, ContestPlan(ranking=False, third_place=True))
    words = visitor.get(f"/bracket?contest={row.id}").words
    # Five in a bracket of eight: the first three have byes, the fourth meets the fifth.
    assert words.count(": bye") == 3
    assert "Quarter-finals" in words
    assert "Winner of Semi-final 1 Winner of Semi-final 2" in words
    assert "Loser of Semi-final 1 Loser of Semi-final 2" in words
    tournament = site.store.contests.tournament(row.id)
    assert [[NAMES[i] for i in each.entrants] for each in tournament.due_matches] == [
        ["Dog", "Eel & <i>Co</i>"],
        ["Bee", "Cat"],
    ]
    for fixture in tournament.due_matches:
        one, other = fixture.entrants
        site.store.matches.add(
            kind="contest",
            contest_id=row.id,
            slot=fixture.slot,
            name=fixture.name,
            players=(row.entrants[one].team_id, row.entrants[other].team_id),
            rules=row.rules,
        )
    play_slot(site, row, tournament.due_matches[0].slot, 1)
    # Of another address: what was read is shown for a second.
    wait_until(lambda: "Ant Eel" in visitor.get("/bracket").words)
    page = visitor.get("/bracket")
    assert "Ant Eel & <i>Co</i>" in page.words
    assert "<i>" not in page.text
    assert "Eel & <i>Co</i> 2 goes on" in page.words


@pytest.mark.parametrize(
    ("ending", "tie", "page"),
    [
        (WALKOVER, "walkover", "won the match: walkover, the other team did not come."),
        ("coin flip", "by coin flip", "won the match: coin flip."),
    ],
)
def test_match_won_without_games(
    make_site: Callable[..., Running], ending: Any, tie: str, page: str
) -> None:
    site = make_site()
    row = contest(site, ContestPlan(ranking=False), NAMES[:2])
    (match,) = site.store.contests.create_due_matches(row.id)
    result = MatchResult(winner=1, ending=ending, games=(0, 0), points=(0, 0))
    assert site.store.matches.finish(match.token, result)
    visitor = site.visitor()
    assert f"Final {tie}" in visitor.get("/bracket").words
    words = visitor.get(f"/matches/{match.id}").words
    assert f"{NAMES[1]} has {page}" in words
    assert "No games were played." in words
    assert ("walkover" in visitor.get("/matches").words) == (ending == WALKOVER)


def test_test_match_is_live_after_its_first_game_began(make_site: Callable[..., Running]) -> None:
    site = make_site()
    visitor = site.visitor()
    with GameServer(site) as server:
        server.host("Alpha")
        here = f"/matches/{server.match}"
        assert "No match is being played." in visitor.get("/").words
        for path in (here, "/matches"):
            words = visitor.get(path).words
            assert (" waiting " in words, " live " in words) == (True, False), path
        server.begin_game()
        wait_until(lambda: "Test of Alpha (test)" in visitor.get("/").words)
        wait_until(lambda: " live " in visitor.get(here).words)


def test_a_ranking(make_site: Callable[..., Running]) -> None:
    site = make_site()
    contest(site, ContestPlan(ranking=True, qualifiers=4), NAMES[:4])
    visitor = site.visitor()
    words = visitor.get("/ranking").words
    assert "6 matches still to be played" in words
    assert "Place 1 of the ranking Place 4 of the ranking" in visitor.get("/bracket").words
    for name in NAMES[:4]:
        assert name in words


def test_contest_without_entrants(make_site: Callable[..., Running]) -> None:
    site = make_site()
    site.store.contests.add("Empty", RULES, ContestPlan(), [])
    for path in ("/", "/bracket", "/ranking"):
        answer = site.visitor().get(path)
        assert answer.status == 200
        assert "Empty" in answer.words
