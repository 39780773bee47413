"""Routes of programs: test matches as in 2012, current matches, game servers, monitoring."""

import functools
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus, urlencode

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from sevenbag.contest.credentials import bearer_header, read_secret
from sevenbag.contest.scheduler_protocol import LINK_PATH
from tests.cli.run import wait_until
from tests.web.contest.conftest import Running
from tests.web.contest.game_server import GameServer
from tests.web.contest.visitor import PASSWORD

PATH = "/scheduler/create_unauthenticated_test_match"


@pytest.fixture(scope="module")
def game_server(site: Running) -> Iterator[GameServer]:
    with GameServer(site) as server:
        yield server


def asked(site: Running, query: str) -> dict[str, Any]:
    answer = site.visitor().get(f"{PATH}?{query}")
    assert answer.status == 200
    assert answer.headers["Content-Type"].startswith("application/json")
    reply: dict[str, Any] = json.loads(answer.body)
    return reply


def test_the_reply_is_the_one_of_2012(site: Running, game_server: GameServer) -> None:
    site.add_team("Blue Team")
    reply = asked(site, f"team_name=Blue%20Team&password={quote(PASSWORD)}")
    token = reply.pop("match_token")
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", token)
    # These fields and no others: the ports are those that all clients know.
    assert reply == {
        "status": "success",
        "team_name": "Blue Team",
        "server_ip": "play.example",
        "internal_ip": "127.0.0.1",
    }
    placed = game_server.placed[token]
    assert [seat["team"] for seat in placed["seats"]] == ["Blue Team", "Test Client"]
    assert placed["seats"][1]["bot"] == "random"
    assert placed["rules"]["match"]["games"] == site.settings.test_match.games
    assert PASSWORD not in json.dumps(placed)


def test_a_blank_may_be_a_plus_and_the_name_is_as_registered(
    site: Running, game_server: GameServer
) -> None:
    site.add_team("Grün Weiß")
    reply = asked(site, urlencode({"password": PASSWORD, "team_name": "grün weiß"}))
    assert (reply["status"], reply["team_name"]) == ("success", "Grün Weiß")
    reply = asked(site, f"team_name={quote_plus('Grün Weiß')}&password={quote_plus(PASSWORD)}")
    assert reply["status"] == "success"


def test_reply_with_other_ports(site: Running, game_server: GameServer) -> None:
    site.add_team("Elsewhere")
    # The least loaded server is the one that connected last.
    with GameServer(site, "other", command_port=6557, state_port=6556, state_address="state.there"):
        reply = asked(site, urlencode({"team_name": "Elsewhere", "password": PASSWORD}))
    assert reply.pop("match_token")
    assert reply == {
        "status": "success",
        "team_name": "Elsewhere",
        "server_ip": "play.example",
        "internal_ip": "127.0.0.1",
        "state_ip": "state.there",
        "command_port": 6557,
        "state_port": 6556,
    }


@pytest.mark.parametrize(
    "query",
    [
        "",
        "team_name=Failing",
        "password=x",
        f"team_name=Failing&password={quote(PASSWORD)}&password=x",
        "team_name=Failing&password=wrong+password",
        f"team_name=Nobody&password={quote(PASSWORD)}",
        f"team_name=Test%20Client&password={quote(PASSWORD)}",
        f"team_name=Failing&password={quote(PASSWORD)}%ff",
        "&".join(f"team_name={number}" for number in range(50)),
        f"team_name={'x' * 5000}&password=x",
        f"team_name=Failing%00&password={quote(PASSWORD)}",
        f"team_name=Failing;password={quote(PASSWORD)}",
    ],
)
def test_invalid_requests_for_test_matches(
    site: Running, game_server: GameServer, query: str
) -> None:
    if site.store.teams.find("Failing") is None:
        site.add_team("Failing")
    before = len(game_server.placed)
    reply = asked(site, query)
    assert reply.keys() == {"status", "reason"}
    assert reply["status"] == "failed"
    assert len(reply["reason"]) > 10
    assert PASSWORD not in reply["reason"]
    assert len(game_server.placed) == before


def test_match_requires_a_game_server(
    make_site: Callable[..., Running], monkeypatch: pytest.MonkeyPatch
) -> None:
    site = make_site()
    site.add_team("Lonely")
    impatient = functools.partial(site.scheduler.create_test_match, wait_seconds=0.1)
    monkeypatch.setattr(site.scheduler, "create_test_match", impatient)
    reply = asked(site, urlencode({"team_name": "Lonely", "password": PASSWORD}))
    assert reply["status"] == "failed"
    assert "game server" in reply["reason"]


def test_team_with_the_name_of_the_test_client(site: Running, game_server: GameServer) -> None:
    site.add_team("Test Client")
    reply = asked(site, f"team_name=Test%20Client&password={quote(PASSWORD)}")
    assert reply["status"] == "failed"
    assert "cannot both be 'Test Client'" in reply["reason"]


def test_number_of_test_matches_is_limited(site: Running, game_server: GameServer) -> None:
    site.add_team("Greedy")
    query = urlencode({"team_name": "Greedy", "password": PASSWORD})
    replies = [asked(site, query) for _ in range(25)]
    kinds = [reply["status"] for reply in replies]
    assert kinds[:20] == ["success"] * 20
    assert "failed" in kinds[20:]
    assert "too many test matches" in next(
        reply["reason"] for reply in replies if reply["status"] == "failed"
    )
    # However many were made, a few are open.
    greedy = site.store.teams.find("Greedy")
    assert greedy is not None
    open_ones = site.store.matches.list(
        states=("waiting", "placed", "playing"), team_id=greedy.id, limit=50
    )
    assert len(open_ones) == site.settings.site.max_test_matches


def test_team_creates_a_test_match(site: Running, game_server: GameServer) -> None:
    team = site.team("By Hand")
    assert "No test match is open" in team.get("/team/testing").words
    assert team.send("/team/testing").location == "/team/testing"
    page = team.get("/team/testing")
    shown = re.findall(r'class="token">([^<]*)<', page.text)
    assert shown[0] in game_server.placed
    assert shown[1] == "play.example"
    assert "5557 for commands, 5556 for the state" in page.words
    match = site.store.matches.find(shown[0])
    assert match is not None
    assert f'href="/matches/{match.id}"' in page.text
    # The token is invisible to other teams and the public.
    for other in (site.team("Somebody"), site.visitor(), site.admin()):
        for path in ("/", "/matches", f"/matches/{match.id}", "/bracket"):
            assert shown[0] not in other.get(path).text
    assert shown[0] not in site.admin().get("/admin").text


def posted(site: Running, body: bytes, **headers: str) -> tuple[int, dict[str, Any]]:
    kind = {"Content-Type": "application/json", **headers}
    answer = site.visitor().ask("POST", "/scheduler/current_match", body, **kind)
    return answer.status, json.loads(answer.body)


def test_a_program_asks_what_to_play(site: Running, game_server: GameServer) -> None:
    for name in ("Red", "Green"):
        site.add_team(name)
    login = json.dumps({"team_name": "Red", "password": PASSWORD}).encode()
    assert posted(site, login) == (200, {"status": "finished"})
    row = site.run(site.scheduler.create_contest("Duel", ["Red", "Green"]))
    site.run(site.scheduler.start_contest(row.id))
    wait_until(lambda: posted(site, login)[1]["status"] == "playing")
    _, reply = posted(site, login)
    assert reply["opponent"] == "Green"
    assert reply["server_ip"] == "play.example"
    assert reply["match_token"] in game_server.placed
    # The manual documents every field of the reply.
    manual = (Path(__file__).parents[3] / "docs" / "contest.md").read_text("utf-8")
    (row_of_playing,) = re.findall(r"(?m)^\| `playing` \|.*$", manual)
    assert set(reply) <= {"status", *re.findall(r"`(\w+)`", row_of_playing)}
    # The team's page shows the same.
    page = site.team("Red").get("/team")
    assert reply["match_token"] in page.text
    assert "against Green" in page.words
    site.run(site.scheduler.cancel_contest(row.id, "enough"))
    wait_until(lambda: posted(site, login)[1] == {"status": "finished"})


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{}", b"[]", b'{"team_name": 1, "password": "x"}', b"\xff", b"[" * 60_000),
        json.dumps({"team_name": "Red", "password": "wrong"}).encode(),
        json.dumps({"team_name": "Red\0", "password": PASSWORD}).encode(),
    ],
)
def test_invalid_requests_for_matches(site: Running, body: bytes) -> None:
    status, reply = posted(site, body)
    assert (status, reply["status"]) == (200, "failed")
    assert len(reply["reason"]) > 10


def test_temporary_failures_have_their_status(make_site: Callable[..., Running]) -> None:
    site = make_site()
    login = json.dumps({"team_name": "Nobody", "password": "wrong"}).encode()
    assert [posted(site, login)[0] for _ in range(9)] == [200] * 8 + [429]
    site.store.close()
    try:
        other = json.dumps({"team_name": "Somebody", "password": "wrong"}).encode()
        status, reply = posted(site, other)
        assert (status, reply["status"]) == (503, "failed")
    finally:
        site.store.open()


def test_other_pages_cannot_request_matches(site: Running) -> None:
    login = json.dumps({"team_name": "Red", "password": PASSWORD}).encode()
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        answer = site.visitor().ask("POST", "/scheduler/current_match", login, **headers)
        assert answer.status == 403


def dialled(site: Running, **headers: str) -> Any:
    address = site.address.replace("http", "ws", 1).rstrip("/") + LINK_PATH
    return connect(address, additional_headers=headers, proxy=None)


def test_game_servers_need_the_secret(site: Running) -> None:
    secret = read_secret(site.settings.site.secret_file)
    for header in ("", "Bearer ", f"Bearer {secret[:-1]}", f"Basic {secret}", secret, "Bearer ä"):
        with pytest.raises(InvalidStatus) as refused, dialled(site, Authorization=header):
            pass
        assert refused.value.response.status_code == 403
    # Browsers are rejected, even with the secret.
    browser = {"Authorization": bearer_header(secret), "Origin": site.address.rstrip("/")}
    with pytest.raises(InvalidStatus) as refused, dialled(site, **browser):
        pass
    assert refused.value.response.status_code == 403


def test_nonsense_from_a_game_server_ends_its_link_alone(
    site: Running, game_server: GameServer
) -> None:
    secret = read_secret(site.settings.site.secret_file)
    for nonsense in ("", "{", '{"type": "pulse"}', "x" * 100_000, b"\xff\xfe"):
        with dialled(site, Authorization=bearer_header(secret)) as socket:
            socket.send(nonsense)
            # A message before the close, if any, gives the reason.
            for _ in socket:
                pass
    assert any(server.is_connected for server in site.scheduler.list_servers())


def test_health_and_figures(site: Running, game_server: GameServer) -> None:
    visitor = site.visitor()
    assert visitor.get("/health").text == "ok\n"
    ready = visitor.get("/ready")
    assert (ready.status, json.loads(ready.body)["ready"]) == (200, True)
    site.add_team("Counted")
    count = 'sevenbag_site_logins_total{outcome="wrong",role="team"}'
    before = figure(visitor.get("/metrics").text, count)
    site.visitor().send("/login", name="Counted", password="a wrong one")
    text = visitor.get("/metrics").text
    assert figure(text, count) == before + 1
    assert figure(text, "sevenbag_contest_servers") >= 1
    assert figure(text, "sevenbag_site_connections") >= 1
    for name in ("closed", "refused"):
        assert figure(text, f"sevenbag_site_connections_{name}_total") == 0
    # Requests do not create new metrics.
    for name in ("one", "two", "three"):
        visitor.get(f"/{name}")
        visitor.ask(name.upper(), "/")
    text = visitor.get("/metrics").text
    assert "one" not in re.findall(r'part="(\w+)"', text)
    assert "ONE" not in text


def figure(text: str, name: str) -> float:
    return next(
        (float(line.split()[-1]) for line in text.splitlines() if line.startswith(name)), 0.0
    )


def test_unavailable_store_is_reported(make_site: Callable[..., Running]) -> None:
    site = make_site()
    team = site.team("Stranded")
    site.store.close()
    try:
        ready = site.visitor().get("/ready")
        assert (ready.status, json.loads(ready.body)["ready"]) == (503, False)
        reply = asked(site, urlencode({"team_name": "Stranded", "password": PASSWORD}))
        assert reply["status"] == "failed"
        for visitor, path in ((site.visitor(), "/"), (team, "/"), (team, "/team")):
            page = visitor.get(path)
            assert (page.status, "store cannot be reached" in page.words) == (503, True)
        assert team.send("/login", name="Stranded", password=PASSWORD).status == 503
        assert site.visitor().get("/health").status == 200
    finally:
        site.store.open()
    assert team.get("/team").status == 200
