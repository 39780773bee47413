"""Every route of the site with its access rights; a route that is not listed here fails."""

import re
from collections.abc import Iterator
from typing import Final

import pytest
from litestar.routes import HTTPRoute, WebSocketRoute

from sevenbag.contest.scheduler_protocol import LINK_PATH
from sevenbag.web.contest.api_routes import API_PATHS
from sevenbag.web.contest.app import create_contest_app
from sevenbag.web.contest.live_broadcast import LiveBroadcaster
from sevenbag.web.contest.site_context import SiteContext
from sevenbag.web.contest.site_pages import require_form_token
from tests.web.contest.conftest import Running
from tests.web.contest.visitor import Visitor

EVERYBODY: Final = {
    "GET /",
    "GET /bracket",
    "GET /health",
    "GET /login",
    "GET /login/organiser",
    "GET /matches",
    "GET /matches/{}",
    "GET /matches/{}/games/{}",
    "GET /matches/{}/games/{}/frames",
    "GET /matches/{}/games/{}/replay",
    "GET /metrics",
    "GET /ranking",
    "GET /ready",
    "GET /register",
    "GET /static/{}",
    "HEAD /static/{}",
    "GET /welcome/{}",
}
FORMS_FOR_EVERYBODY: Final = {
    "POST /login",
    "POST /login/organiser",
    "POST /logout",
    "POST /register",
    "POST /welcome/{}",
}
PROGRAMS: Final = {
    "GET /scheduler/create_unauthenticated_test_match",
    "POST /scheduler/current_match",
}
TEAMS: Final = {
    "GET /team",
    "GET /team/matches",
    "GET /team/testing",
    "POST /team/password",
    "POST /team/testing",
}
ADMINS: Final = {
    "GET /admin",
    "GET /admin/audit",
    "GET /admin/contests/new",
    "GET /admin/contests/{}",
    "GET /admin/contests/{}/plan",
    "GET /admin/contests/{}/rules",
    "GET /admin/organisers",
    "GET /admin/teams",
    "POST /admin/contests/new",
    "POST /admin/contests/{}/plan",
    "POST /admin/contests/{}/rules",
    "POST /admin/contests/{}/rules-text",
    "POST /admin/contests/{}/{}",
    "POST /admin/matches/{}/call-off",
    "POST /admin/organisers/link",
    "POST /admin/organisers/{}/disable",
    "POST /admin/organisers/{}/enable",
    "POST /admin/teams",
    "POST /admin/teams/{}/disable",
    "POST /admin/teams/{}/enable",
    "POST /admin/teams/{}/password-link",
}
SOCKETS: Final = {"/live", LINK_PATH}


@pytest.fixture(scope="module")
def contest(site: Running) -> int:
    """A contest that is planned, so that pages about it have something to show."""
    site.add_team("Alpha")
    site.add_team("Beta")
    row = site.run(site.scheduler.create_contest("Cup", ["Alpha", "Beta"]))
    return int(row.id)


def found(site: Running) -> Iterator[str]:
    hub = LiveBroadcaster(site.scheduler.state_endpoint)
    context = SiteContext(site.store, site.scheduler, site.settings, "secret")
    for route in create_contest_app(context, hub).routes:
        path = re.sub(r"\{[^}]*\}", "{}", route.path)
        if isinstance(route, HTTPRoute):
            for method in route.methods:
                if method != "OPTIONS":
                    yield f"{method} {path}"
        else:
            assert isinstance(route, WebSocketRoute)
            yield f"SOCKET {path}"


def test_every_form_route_checks_the_token(site: Running) -> None:
    hub = LiveBroadcaster(site.scheduler.state_endpoint)
    context = SiteContext(site.store, site.scheduler, site.settings, "secret")
    for route in create_contest_app(context, hub).routes:
        if isinstance(route, HTTPRoute) and route.path not in API_PATHS:
            for handler in route.route_handlers:
                if "POST" in handler.http_methods:
                    assert require_form_token in handler.resolve_guards(), route.path


def filled(path: str, contest: int) -> str:
    """An address of this form, of something that is there where there may be."""
    return path.replace("{}", str(contest), 1).replace("{}", "1")


def test_the_lists_are_complete(site: Running) -> None:
    listed = EVERYBODY | FORMS_FOR_EVERYBODY | PROGRAMS | TEAMS | ADMINS
    assert set(found(site)) == listed | {f"SOCKET {path}" for path in SOCKETS}


def test_closed_routes_need_a_login(site: Running, contest: int) -> None:
    for route in sorted(TEAMS | ADMINS):
        method, path = route.split()
        answer = site.visitor().ask(method, filled(path, contest))
        if method == "GET":
            door = "/login" if route in TEAMS else "/login/organiser"
            assert (route, answer.status, answer.location) == (route, 303, door)
        else:
            assert (route, answer.status) == (route, 403)


def test_roles_are_separate(site: Running, contest: int) -> None:
    team, admin = site.team("Alpha"), site.admin()
    for visitor, closed in ((team, ADMINS), (admin, TEAMS)):
        for route in sorted(closed):
            method, path = route.split()
            answer = with_form(visitor, method, filled(path, contest))
            assert (route, answer) == (route, 403)
    # Nothing was changed.
    assert site.store.contests.get(contest).state == "planned"
    assert not any(team.disabled for team in site.store.teams.list())


def with_form(visitor: Visitor, method: str, path: str) -> int:
    """The status with a form token that is right."""
    if method == "GET":
        return visitor.get(path).status
    page = "/team/testing" if visitor.get("/team").status == 200 else "/admin/organisers"
    return visitor.send(page, action=path).status


def test_open_routes_show_their_page(site: Running, contest: int) -> None:
    for visitor, routes in (
        (site.visitor(), EVERYBODY),
        (site.team("Alpha"), EVERYBODY | TEAMS),
        (site.admin(), EVERYBODY | ADMINS),
    ):
        for route in sorted(routes):
            method, path = route.split()
            if method != "GET":
                continue
            answer = visitor.get(filled(path, contest))
            # There are no matches, files or links here.
            missing = path.startswith(("/matches/", "/static/", "/welcome/"))
            assert (route, answer.status) == (route, 404 if missing else 200)
            assert "Traceback" not in answer.text


def test_forms_need_their_token(site: Running, contest: int) -> None:
    forms = [
        *((site.visitor(), route) for route in sorted(FORMS_FOR_EVERYBODY)),
        *((site.team("Alpha"), route) for route in sorted(TEAMS | FORMS_FOR_EVERYBODY)),
        *((site.admin(), route) for route in sorted(ADMINS | FORMS_FOR_EVERYBODY)),
    ]
    of_another = site.team("Beta").form_token("/team/testing")
    for visitor, route in forms:
        method, path = route.split()
        if method != "POST":
            continue
        for token in ("", "0" * 64, of_another, "\u00e4"):
            answer = visitor.post(filled(path, contest), [("form_token", token), ("name", "x")])
            assert (route, answer.status) == (route, 403)
            assert "out of date" in answer.words
    assert site.store.contests.get(contest).state == "planned"


def test_pages_follow_their_content_policy(site: Running, contest: int) -> None:
    """Assert that a page uses only what its policy permits."""
    admin = site.admin()
    team = site.team("Alpha")
    pages = [
        *(("GET", admin, path) for path in ("/admin", "/admin/teams", "/admin/contests/new")),
        *(("GET", admin, f"/admin/contests/{contest}{part}") for part in ("", "/plan", "/rules")),
        *(("GET", team, path) for path in ("/team", "/team/matches", "/team/testing", "/", "/no")),
        *(("GET", site.visitor(), path) for path in ("/login", "/register", "/bracket")),
    ]
    for _, visitor, path in pages:
        answer = visitor.get(path)
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "form-action 'self'" in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert " style=" not in answer.text
        assert "<style" not in answer.text
        assert not re.search(r"<[^>]* on\w+=", answer.text)
        for script in re.findall(r"<script[^>]*>.*?</script>", answer.text, re.DOTALL):
            assert re.fullmatch(r'<script type="module" src="/static/[\w/.]+"></script>', script)
        forms = answer.text.count('<form method="post"')
        assert forms == answer.text.count("<form")
        assert answer.text.count('name="form_token"') == forms
        assert answer.headers["Cache-Control"] == "no-store"
