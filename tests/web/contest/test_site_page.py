"""The site in a real browser: forms, scripts and policy together, on a desk and on a phone."""

import re
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest

from sevenbag.web.contest.account_routes import create_admin_link
from tests.browser import Page
from tests.web.contest.conftest import Running
from tests.web.contest.game_server import GameServer
from tests.web.contest.visitor import PASSWORD

pytestmark = pytest.mark.browser

PHONE = 390


@pytest.fixture
def expected_errors() -> tuple[str, ...]:
    """Expect answers such as 422, which browsers call errors."""
    return ("Failed to load resource",)


@pytest.fixture
def visit(new_page: Callable[..., Page], site: Running) -> Callable[..., Page]:
    """Open a page of the site."""

    def opened(path: str = "/", width: int = 1280) -> Page:
        page = new_page(viewport={"width": width, "height": 844})
        page.goto(site.address.rstrip("/") + path)
        return page

    return opened


def fill(page: Page, **fields: str) -> None:
    for name, value in fields.items():
        page.fill(f"main [name={name}]", value)


def arrived(page: Page, heading: str) -> None:
    """Wait for the page with this heading, all of it: a click does not."""
    page.get_by_role("heading", name=heading, exact=True).first.wait_for()
    page.wait_for_load_state()


def fits(page: Page) -> bool:
    """Return True if nothing extends beyond the window."""
    fitting: bool = page.evaluate(
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )
    return fitting


@pytest.mark.parametrize("width", [1280, PHONE])
def test_a_team_from_registration_to_a_test_match(
    visit: Callable[..., Page], site: Running, width: int
) -> None:
    page = visit("/", width)
    page.click("text=Register")
    name = f"Die Steinstapler & Söhne von nebenan ({width} breit)"
    fill(page, name=name, password=PASSWORD, password_again=PASSWORD)
    page.click("main button")
    page.wait_for_url("**/team")
    assert page.inner_text("h1") == name
    assert fits(page)
    page.click("text=Game Testing")
    arrived(page, "Test matches")
    assert page.get_by_text("No test match is open").is_visible()
    with GameServer(site) as server:
        page.click("text=Create a test match")
        page.locator(".token").first.wait_for()
        arrived(page, "Test matches")
        token = page.locator(".token").first.inner_text()
        assert token in server.placed
        assert page.locator("text=play.example").is_visible()
        assert fits(page)
        # The button puts all of it where it can be pasted from.
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.locator("[data-copy]").first.click()
        page.get_by_text("Copied", exact=True).wait_for()
        assert page.evaluate("navigator.clipboard.readText()") == token
        # What has changed is shown without anybody's doing. Left open, the match would be placed on
        # the server of the next test.
        site.run(site.scheduler.cancel_match(token, "enough"))
        page.get_by_text("No test match is open").wait_for()
    page.click("nav >> text=Matches >> nth=1")
    page.locator("text=against Test Client").first.wait_for()
    page.wait_for_load_state()
    assert fits(page)
    page.click("text=Log out")
    page.wait_for_url(site.address)
    page.goto(site.address + "team")
    page.wait_for_url("**/login")


def test_administrator_from_invitation_to_running_contest(
    visit: Callable[..., Page], site: Running
) -> None:
    for name in ("Alpha", "Beta", "Gamma"):
        site.add_team(name)
    link = urlsplit(create_admin_link(site.store, site.settings, site.address)).path
    page = visit(link, PHONE)
    fill(page, name="Grace", password=PASSWORD, password_again=PASSWORD)
    page.click("main button")
    page.wait_for_url("**/admin")
    page.click("text=Plan a contest")
    arrived(page, "Plan a contest")
    page.fill("[name=name]", "Grand Prix")
    page.uncheck("[name=team][value=Gamma]")
    for each in page.locator("[name=team]").all():
        each.set_checked(each.input_value() in {"Alpha", "Beta"})
    page.click("text=Create contest")
    arrived(page, "Grand Prix")
    assert page.locator("text=Alpha, Beta").is_visible()
    assert fits(page)
    # Rules: errors appear beside the field, which can be corrected there.
    page.click("text=Change rules")
    arrived(page, "Rules of Grand Prix")
    assert fits(page)
    page.fill("[name='match.games']", "some")
    page.click("text=Save the rules >> visible=true")
    problem = page.locator("#error-match\\.games")
    problem.wait_for()
    page.wait_for_load_state()
    assert "expected integer from 1" in problem.inner_text()
    assert page.locator("[aria-invalid=true]").count() == 1
    page.fill("[name='match.games']", "7")
    page.click("text=Save the rules >> visible=true")
    arrived(page, "Grand Prix")
    page.click("text=Change rules")
    arrived(page, "Rules of Grand Prix")
    page.click("summary:has-text('TOML')")
    text = page.input_value("textarea")
    assert re.search(r"^games = 7$", text, re.MULTILINE)
    page.fill("textarea", text.replace("games = 7", "games = 9"))
    page.locator("button:visible", has_text="Save the rules").last.click()
    arrived(page, "Grand Prix")
    with GameServer(site) as server:
        page.get_by_role("button", name="Start").click()
        page.get_by_role("button", name="Pause").wait_for()
        page.get_by_text("placed").first.wait_for()
        assert [match["rules"]["match"]["games"] for match in server.placed.values()] == [9]
        # Points are visible without scrolling the table.
        table = visit("/ranking", PHONE).locator(".scroll:has(.ranking)")
        assert table.locator("th:visible").all_inner_texts()[-1] == "Points"
        assert table.evaluate("(each) => each.scrollWidth <= each.clientWidth")
        # Irreversible actions ask for confirmation.
        page.once("dialog", lambda dialog: dialog.dismiss())
        page.get_by_role("button", name="Call off").click()
        assert page.get_by_role("button", name="Pause").is_visible()
        page.once("dialog", lambda dialog: dialog.accept())
        page.get_by_role("button", name="Call off").click()
        page.locator("h1 + .badge", has_text="called off").wait_for()
    page.click("nav[aria-label=Administration] >> text=/^Log$/")
    arrived(page, "Audit log")
    assert page.locator("td", has_text="contest called off").is_visible()
    assert fits(page)


def test_every_field_has_a_name_that_is_read_out(visit: Callable[..., Page], site: Running) -> None:
    site.team("Labelled")
    page = visit()
    for path in ("/login", "/register", "/login/organiser"):
        page.goto(site.address.rstrip("/") + path)
        for field in page.locator("main input:visible").all():
            assert field.evaluate("field => field.labels.length") == 1
        assert page.locator("h1").count() == 1
        assert page.locator("html[lang=en]").count() == 1
        # The form can be used without a mouse.
        page.locator("main input:visible").first.focus()
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.name") == "password"
