"""Pages of administrators: contests, rules, teams, accounts and the audit log."""

import re
from typing import Any

import msgspec
import pytest

from sevenbag.config.loader import format_fields, format_toml
from sevenbag.contest.settings import ContestRules
from sevenbag.contest.store import ContestRow
from tests.cli.run import wait_until
from tests.web.contest.conftest import Running
from tests.web.contest.game_server import GameServer
from tests.web.contest.visitor import PASSWORD, Answer, Visitor

TEAMS = ("Amber", "Blue", "Coral", "Denim")


@pytest.fixture(scope="module")
def admin(site: Running) -> Visitor:
    for name in TEAMS:
        site.add_team(name)
    return site.admin()


def plan(admin: Visitor, name: str, *teams: str, **fields: str) -> Answer:
    chosen = [("team", team) for team in teams or TEAMS]
    return admin.send("/admin/contests/new", *chosen, name=name, **fields)


def planned(site: Running, admin: Visitor, name: str, *teams: str, **fields: str) -> ContestRow:
    answer = plan(admin, name, *teams, **{"bracket": "yes", **fields})
    assert answer.status == 303, answer.words
    assert answer.location is not None
    number = int(answer.location.removeprefix("/admin/contests/"))
    return site.store.contests.get(number)


def changed(admin: Visitor, row: ContestRow, part: str, **fields: str) -> Answer:
    page = f"/admin/contests/{row.id}/{part.removesuffix('-text')}"
    revision = re.findall(r'name="revision" value="(\d+)"', admin.get(page).text)[0]
    return admin.send(
        page, action=f"/admin/contests/{row.id}/{part}", **{"revision": revision, **fields}
    )


def deed(admin: Visitor, row: ContestRow, what: str) -> Answer:
    return admin.send("/admin/organisers", action=f"/admin/contests/{row.id}/{what}")


def test_a_contest_is_planned(site: Running, admin: Visitor) -> None:
    row = planned(
        site, admin, "Spring & Co", "Blue", "Amber", ranking="yes", third_place="yes", seed="7"
    )
    assert row.state == "planned"
    assert [entrant.name for entrant in row.entrants] == ["Blue", "Amber"]
    assert (row.plan.ranking, row.plan.bracket, row.plan.third_place) == (True, True, True)
    assert row.plan.seed == 7
    assert row.rules == ContestRules(game=site.settings.game, match=site.settings.match)
    page = admin.get(f"/admin/contests/{row.id}")
    assert "Spring & Co" in page.words
    assert "round robin, bracket, match for the third place" in page.words
    assert admin.get("/admin").text.count(f'href="/admin/contests/{row.id}"') == 1


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"name": "", "bracket": "yes"}, "Invalid name"),
        ({"name": "x" * 100, "bracket": "yes"}, "Invalid name"),
        ({"name": "Neither"}, "a ranking, a bracket or both"),
        ({"name": "One", "bracket": "yes", "qualifiers": "1"}, "at least 2, or 0"),
        ({"name": "Minus", "bracket": "yes", "qualifiers": "-1"}, "non-negative integer"),
        ({"name": "Long", "bracket": "yes", "seed": "9" * 30}, "non-negative integer"),
        ({"name": "Many", "bracket": "yes", "qualifiers": "5000"}, "1024"),
        ({"name": "Placed", "bracket": "yes", "place Blue": "first"}, "place of 'Blue'"),
        ({"name": "Nobody", "bracket": "yes", "team": "Unknown"}, "no team"),
    ],
)
def test_impossible_plan_is_explained(
    site: Running, admin: Visitor, fields: dict[str, str], told: str
) -> None:
    before = len(site.store.contests.list())
    answer = plan(admin, **fields)
    assert answer.status == 422
    assert told in answer.words
    # The form keeps its input.
    assert f'name="name" value="{fields["name"]}"' in answer.text
    assert len(site.store.contests.list()) == before


def test_a_plan_is_changed_before_it_starts(site: Running, admin: Visitor) -> None:
    row = planned(site, admin, "Changeable", "Amber", "Blue")
    page = f"/admin/contests/{row.id}/plan"
    revision = ("revision", str(row.revision))
    answer = admin.send(page, revision, ("team", "Coral"), ("team", "Amber"), name="New name")
    assert (answer.status, "a bracket or both" in answer.words) == (422, True)
    answer = admin.send(
        page, revision, ("team", "Coral"), ("team", "Amber"), name="New name", bracket="yes"
    )
    assert answer.status == 303
    after = site.store.contests.get(row.id)
    assert after.name == "New name"
    assert [entrant.name for entrant in after.entrants] == ["Coral", "Amber"]
    # A page loaded before another administrator's change has no effect.
    late = admin.send(page, revision, ("team", "Blue"), name="Late", bracket="yes")
    assert (late.status, "changed in the meantime" in late.words.lower()) == (422, True)
    assert site.store.contests.get(row.id) == after


def test_teams_are_seeded_by_their_places(site: Running, admin: Visitor) -> None:
    row = planned(site, admin, "Seeded", **{"place Coral": "1", "place Amber": "2"})
    assert [entrant.name for entrant in row.entrants] == ["Coral", "Amber", "Blue", "Denim"]
    page = admin.get(f"/admin/contests/{row.id}/plan").text
    assert re.findall(r'name="place (\w+)" value="(\d+)"', page)[:4] == [
        ("Amber", "2"),
        ("Blue", "3"),
        ("Coral", "1"),
        ("Denim", "4"),
    ]


def test_rules_are_changed_as_a_form(site: Running, admin: Visitor) -> None:
    row = planned(site, admin, "Formed")
    texts = format_fields(row.rules)
    answer = changed(admin, row, "rules", **{**texts, "match.games": "5", "game.queue": "bag"})
    assert answer.status == 303
    rules = site.store.contests.get(row.id).rules
    assert (rules.match.games, rules.game.queue) == (5, "bag")
    # Nothing else has changed.
    same: Any = {**format_fields(rules), "match.games": "19", "game.queue": "uniform"}
    assert same == texts


def test_invalid_rule_is_shown_at_its_field(site: Running, admin: Visitor) -> None:
    row = planned(site, admin, "Wronged")
    texts = {
        **format_fields(row.rules),
        "match.games": "many",
        "game.gravity_ms": "0",
        "game.sends": "<",
    }
    answer = changed(admin, row, "rules", **texts)
    assert answer.status == 422
    for name in ("match.games", "game.gravity_ms", "game.sends"):
        field = answer.text.partition(f'<input name="{name}"')[2].partition("</label>")[0]
        assert 'aria-invalid="true"' in field
        assert f'id="error-{name}"' in field
        assert "expected" in field
    assert answer.text.count("aria-invalid") == 3
    # The form keeps its input for corrections.
    assert 'value="many"' in answer.text
    assert 'value="&lt;"' in answer.text
    assert site.store.contests.get(row.id) == row


def test_rules_are_changed_as_a_text(site: Running, admin: Visitor) -> None:
    row = planned(site, admin, "Texted")
    shown = admin.get(f"/admin/contests/{row.id}/rules")
    assert "[game]" in shown.words
    text = format_toml(row.rules).replace("games = 19", "games = 7")
    assert changed(admin, row, "rules-text", toml=text).status == 303
    assert site.store.contests.get(row.id).rules.match.games == 7
    wrong = changed(admin, row, "rules-text", toml="[match]\ngames = 7\nspeed = '</textarea>'\n")
    assert wrong.status == 422
    assert "line 3: unknown key 'speed'".lower() in wrong.words.lower()
    assert "'</textarea>'" not in wrong.text
    assert site.store.contests.get(row.id).rules.match.games == 7


def test_concurrent_changes_of_rules(site: Running, admin: Visitor) -> None:
    row = planned(site, admin, "Disputed")
    page, old = f"/admin/contests/{row.id}/rules", str(row.revision)
    assert changed(admin, row, "rules-text", toml="[match]\ngames = 3\n").status == 303
    texts = {**format_fields(row.rules), "match.games": "5"}
    for late in (
        admin.send(page, **{**texts, "revision": old}),
        admin.send(page, action=f"{page}-text", revision=old, toml=""),
    ):
        assert (late.status, "reload the page" in late.words) == (422, True)
    for revision in ("", "x", "-1", "9" * 40):
        assert admin.send(page, **{**texts, "revision": revision}).status == 400
    assert site.store.contests.get(row.id).rules.match.games == 3


def test_a_contest_is_started_paused_and_called_off(site: Running, admin: Visitor) -> None:
    row = planned(site, admin, "Held", "Amber", "Blue")
    page = f"/admin/contests/{row.id}"
    with GameServer(site) as server:
        assert deed(admin, row, "pause").status == 400
        assert deed(admin, row, "start").location == page
        wait_until(lambda: len(server.placed) == 1)
        placed = next(iter(server.placed.values()))
        assert {seat["team"] for seat in placed["seats"]} == {"Amber", "Blue"}
        assert msgspec.convert(placed["rules"], ContestRules) == row.rules
        again = deed(admin, row, "start")
        assert (again.status, "Held" in again.words or "runs" in again.words) == (400, True)
        assert deed(admin, row, "pause").status == 303
        assert "paused" in admin.get(page).words
        assert deed(admin, row, "resume").status == 303
        shown = admin.get("/admin")
        match = site.store.matches.list_of_contest(row.id)[0]
        assert f'action="/admin/matches/{match.id}/call-off"' in shown.text
        assert admin.send("/admin", action=f"/admin/matches/{match.id}/call-off").status == 303
        # It is replayed.
        wait_until(lambda: len(server.placed) == 2)
        assert deed(admin, row, "call-off").status == 303
    assert site.store.contests.get(row.id).state == "called off"
    assert deed(admin, row, "resume").status == 400
    assert deed(admin, row, "delete").status == 404
    for part in ("plan", "rules"):
        settled = admin.get(f"{page}/{part}")
        assert (settled.status, "only before it starts" in settled.words) == (400, True)


def test_missing_objects(site: Running, admin: Visitor) -> None:
    for path in ("contests/999999", f"contests/{1 << 70}", "contests/0/rules", "contests/x"):
        assert admin.get(f"/admin/{path}").status == 404, path
    for path in ("contests/999999/start", "teams/999999/disable", f"teams/{1 << 80}/enable"):
        assert admin.send("/admin/organisers", action=f"/admin/{path}").status == 404, path
    for query in ("before=0", "before=x", f"before={1 << 80}", "before=-5"):
        assert admin.get(f"/admin/audit?{query}").status in {200, 400}, query
    assert admin.get("/admin/teams?after=%00%ff").status in {200, 400}


def test_administrators_add_teams(site: Running, admin: Visitor) -> None:
    assert admin.send("/admin/teams", name="Added", password=PASSWORD).status == 303
    assert site.visitor().send("/login", name="Added", password=PASSWORD).status == 303
    for name, password, told in (
        ("added", PASSWORD, "already"),
        ("Test Client", PASSWORD, "our own player"),
        ("Fine", "short", "8 to 128"),
    ):
        answer = admin.send("/admin/teams", name=name, password=password)
        assert (answer.status, told in answer.words) == (422, True)


def test_actions_of_administrators_are_logged(site: Running, admin: Visitor) -> None:
    row = planned(site, admin, "Noted")
    deed(admin, row, "call-off")
    amber = site.store.teams.find("Amber")
    assert amber is not None
    admin.send("/admin/teams", action=f"/admin/teams/{amber.id}/disable")
    admin.send("/admin/teams", action=f"/admin/teams/{amber.id}/enable")
    admin.send("/admin/organisers", action="/admin/organisers/link")
    page = admin.get("/admin/audit").words
    for line in (
        "Ada contest planned Noted 127.0.0.1",
        "Ada contest called off Noted 127.0.0.1",
        "Ada team disabled Amber 127.0.0.1",
        "Ada team enabled Amber 127.0.0.1",
        "Ada admin invitation created 127.0.0.1",
    ):
        assert line in page


def test_administrator_invites_another(site: Running, admin: Visitor) -> None:
    shown = admin.send("/admin/organisers", action="/admin/organisers/link")
    path = re.findall(r"/welcome/[\w-]+", shown.text)[0]
    guest = site.visitor()
    done = guest.send(path, name="Grace", password=PASSWORD, password_again=PASSWORD)
    assert done.location == "/admin"
    assert "Grace" in admin.get("/admin/organisers").words
    grace = site.store.admins.find("Grace")
    assert grace is not None
    # Either of the two may disable the other, but not themselves.
    to_grace = f"/admin/organisers/{grace.id}"
    assert guest.send("/admin/organisers", action=f"{to_grace}/disable").status == 400
    assert admin.send("/admin/organisers", action=f"{to_grace}/disable").status == 303
    assert guest.get("/admin").status == 303
    refused = site.visitor().send("/login/organiser", name="Grace", password=PASSWORD)
    assert refused.status == 403
    assert admin.send("/admin/organisers", action=f"{to_grace}/enable").status == 303
    again = site.visitor().send("/login/organiser", name="Grace", password=PASSWORD)
    assert again.status == 303
