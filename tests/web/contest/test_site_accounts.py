"""Registration, login, cookies, and limits on guessing."""

import functools
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import argon2
import pytest

from sevenbag.contest import passwords, telemetry
from sevenbag.contest.passwords import verify_password
from sevenbag.web.contest import site_authentication
from sevenbag.web.contest.account_routes import create_admin_link
from sevenbag.web.contest.site_authentication import RateLimit
from tests.web.contest.conftest import Running
from tests.web.contest.visitor import PASSWORD, Answer, Visitor


def registered(visitor: Visitor, name: str, password: str = PASSWORD, again: str = "") -> Answer:
    return visitor.send("/register", name=name, password=password, password_again=again or password)


def test_a_team_registers_and_is_in(site: Running) -> None:
    visitor = site.visitor()
    answer = registered(visitor, "Stack & <b>Attack</b>")
    assert (answer.status, answer.location) == (303, "/team")
    page = visitor.get("/team")
    # Its name is a name, not markup.
    assert "Stack & <b>Attack</b>" in page.words
    assert "<b>Attack" not in page.text
    kept = site.store.teams.find("stack & <B>attack</b>")
    assert kept is not None
    assert argon2.PasswordHasher().verify(kept.password_hash, PASSWORD)


@pytest.mark.parametrize(
    ("name", "password", "again", "told"),
    [
        ("", PASSWORD, "", "Invalid name of a team"),
        ("x" * 81, PASSWORD, "", "1 to 80 printable characters"),
        ("tab\there", PASSWORD, "", "printable"),
        ("Short", "seven77", "", "expected 8 to 128 characters, got 7"),
        ("Long", "x" * 129, "", "expected 8 to 128 characters, got 129"),
        ("Twice", PASSWORD, "something else", "not the same"),
        ("test  client", PASSWORD, "", "our own player"),
        ("taken", PASSWORD, "", "'taken' is already taken"),
    ],
)
def test_invalid_registrations(
    site: Running, name: str, password: str, again: str, told: str
) -> None:
    if site.store.teams.find("Taken") is None:
        site.add_team("Taken")
    visitor = site.visitor()
    answer = registered(visitor, name, password, again)
    assert answer.status == 422
    assert told in answer.words
    assert password not in answer.text
    assert visitor.get("/team").status == 303


def test_closed_registration_is_closed(make_site: Callable[..., Running]) -> None:
    site = make_site(open_registration=False)
    visitor = site.visitor()
    assert visitor.get("/register").status == 403
    assert "/register" not in visitor.get("/login").text
    token = visitor.form_token("/login")
    fields = [("form_token", token), ("name", "Sneaky"), ("password", PASSWORD)]
    answer = visitor.post("/register", [*fields, ("password_again", PASSWORD)])
    assert answer.status == 403
    assert site.store.teams.count() == 0


def test_one_place_registers_no_crowd(make_site: Callable[..., Running]) -> None:
    site = make_site()
    # Refused before any password is hashed.
    answers = [registered(site.visitor(), f"Team {number}", "short") for number in range(35)]
    assert {answer.status for answer in answers[:30]} == {422}
    assert {answer.status for answer in answers[30:]} == {429}
    assert site.store.teams.count() == 0


def test_session_renewal_and_end(site: Running) -> None:
    site.add_team("Fixed")
    visitor = site.visitor()
    planted = "planted-by-somebody-else-0123456789"
    visitor.cookies = {"sevenbag_session": planted, "sevenbag_visit": planted}
    assert visitor.send("/login", name="fixed", password=PASSWORD).location == "/team"
    token = visitor.cookies["sevenbag_session"]
    assert token != planted
    assert "sevenbag_visit" not in visitor.cookies
    # The next login has another one, and the old one is over.
    assert visitor.send("/login", name="Fixed", password=PASSWORD).status == 303
    assert visitor.cookies["sevenbag_session"] != token
    before = site.visitor()
    before.cookies = {"sevenbag_session": token}
    assert before.get("/team").status == 303
    after = dict(visitor.cookies)
    assert visitor.send("/team", action="/logout").location == "/"
    assert "sevenbag_session" not in visitor.cookies
    # Ended here, not only forgotten there.
    visitor.cookies = after
    assert visitor.get("/team").status == 303


def test_cookie_attributes(make_site: Callable[..., Running], site: Running) -> None:
    site.add_team("Cookie")
    visitor = site.visitor()
    first = visitor.get("/login").cookies
    assert len(first) == 1
    entered = visitor.send("/login", name="Cookie", password=PASSWORD).cookies
    for line in [*first, *entered]:
        assert {"httponly", "samesite=lax", "path=/"} <= set(line.lower().split("; "))
        assert "Secure" not in line
    # Pages without a form, and files, set no cookie.
    for path in ("/static/shared/theme.css", "/health"):
        assert site.visitor().get(path).cookies == []

    secure = make_site(url="https://contest.example")
    secure.add_team("Cookie")
    behind = secure.visitor()
    behind.headers = {"Host": "contest.example", "Origin": "https://contest.example"}
    lines = [
        *behind.get("/login").cookies,
        *behind.send("/login", name="Cookie", password=PASSWORD).cookies,
    ]
    assert len(lines) == 3
    for line in lines:
        assert line.startswith("__Host-sevenbag_")
        assert "Secure" in line.split("; ")
        assert "Domain" not in line
    assert behind.get("/team").status == 200


def test_no_open_redirect(site: Running) -> None:
    site.add_team("Redirected")
    visitor = site.visitor()
    for name in ("next", "url", "return_to", "redirect"):
        answer = visitor.send(
            "/login",
            action=f"/login?{name}=https://evil.example",
            **{"name": "Redirected", "password": PASSWORD, name: "//evil.example"},
        )
        assert answer.location == "/team"
    for path in ("//evil.example", "/\\evil.example", "/team//evil.example"):
        location = visitor.get(path).location
        assert location is None or location.startswith(("/team", "/login"))


def test_an_unknown_name_looks_like_a_wrong_password(make_site: Callable[..., Running]) -> None:
    site = make_site()
    site.add_team("Known")
    site.add_admin("Ada")
    for page, known in (("/login", "Known"), ("/login/organiser", "Ada")):
        answers = [
            site.visitor().send(page, name=name, password="wrong password")
            for name in (known, "Unknown")
        ]
        bodies = [re.sub(r'value="[^"]*"', "", answer.text) for answer in answers]
        assert [answer.status for answer in answers] == [401, 401]
        assert bodies[0] == bodies[1]
    # A team's name and password are not valid for administrators.
    assert site.visitor().send("/login/organiser", name="Known", password=PASSWORD).status == 401
    assert site.visitor().send("/login", name="Ada", password=PASSWORD).status == 401


def test_unknown_names_take_as_much_work(
    make_site: Callable[..., Running], monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[str] = []

    def counted(password_hash: str, text: str) -> bool:
        checked.append(text)
        return verify_password(password_hash, text)

    monkeypatch.setattr(passwords, "verify_password", counted)
    site = make_site()
    site.add_team("Known")
    for name in ("Known", "Unknown", "x" * 1000, ""):
        site.visitor().send("/login", name=name, password=f"wrong for {name[:9]}")
    # Each by argon2, once; that its parameters are the same is a test of passwords.
    assert len(checked) == len(set(checked)) == 4


def test_guesses_are_limited_for_one_address(make_site: Callable[..., Running]) -> None:
    site = make_site(trusted_proxies=("127.0.0.0/8",))
    site.add_team("Victim")
    site.add_team("Neighbour")
    guesser = site.visitor()
    guesser.headers = {"X-Forwarded-For": "203.0.113.7"}
    answers = [guesser.send("/login", name="Victim", password=f"guess {n}") for n in range(12)]
    assert [answer.status for answer in answers] == [401] * 8 + [429] * 4
    assert "too many" in answers[-1].words.lower()
    # From there even the right one has to wait now.
    assert guesser.send("/login", name="Victim", password=PASSWORD).status == 429
    # The team itself can log in elsewhere, and another team from there.
    victim = site.visitor()
    victim.headers = {"X-Forwarded-For": "198.51.100.1"}
    assert victim.send("/login", name="Victim", password=PASSWORD).status == 303
    assert guesser.send("/login", name="Neighbour", password=PASSWORD).status == 303
    # With a forged header, the address that the proxy has added counts.
    guesser.headers = {"X-Forwarded-For": "192.0.2.99, 203.0.113.7"}
    assert guesser.send("/login", name="Victim", password="more").status == 429


@pytest.fixture
def frozen_site(make_site: Callable[..., Running], monkeypatch: pytest.MonkeyPatch) -> Running:
    """Return a site with a frozen clock for its limits and immediate password checks."""
    monkeypatch.setattr(
        site_authentication, "RateLimit", functools.partial(RateLimit, clock=lambda: 0.0)
    )
    monkeypatch.setattr(passwords, "verify_password", lambda _, text: text == PASSWORD)
    return make_site(trusted_proxies=("127.0.0.0/8",))


def login_status(site: Running, address: str, password: str, page: str = "/login") -> int:
    visitor = site.visitor()
    visitor.headers = {"X-Forwarded-For": address}
    return visitor.send(page, name="Playing", password=password).status


@pytest.mark.parametrize("page", ["/login", "/login/organiser"])
def test_limit_applies_to_remembered_passwords(frozen_site: Running, page: str) -> None:
    """A right guess must not differ from a wrong one, even after the account has logged in."""
    frozen_site.add_team("Playing")
    frozen_site.add_admin("Playing")

    def status(password: str) -> int:
        return login_status(frozen_site, "203.0.113.7", password, page)

    assert status(PASSWORD) == 303
    assert [status(f"guess {number}") for number in range(10)] == [401] * 8 + [429] * 2
    assert status(PASSWORD) == 429


def test_passwords_that_were_not_checked_do_not_count(
    frozen_site: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    frozen_site.add_team("Playing")

    async def busy(*_: object) -> bool:
        raise passwords.TooBusyError("too many passwords are being checked")

    with monkeypatch.context() as crowded:
        crowded.setattr(passwords.PasswordVerifier, "verify", busy)
        statuses = {login_status(frozen_site, "203.0.113.7", PASSWORD) for _ in range(10)}
    assert statuses == {503}
    assert login_status(frozen_site, "203.0.113.7", PASSWORD) == 303


def test_limits_apply_to_programs(frozen_site: Running) -> None:
    frozen_site.add_team("Playing")

    def status(password: str) -> int:
        body = json.dumps({"team_name": "Playing", "password": password}).encode()
        return frozen_site.visitor().ask("POST", "/scheduler/current_match", body).status

    right = status(PASSWORD)
    assert right != 429
    assert [status(f"guess {number}") for number in range(10)][-2:] == [429] * 2
    assert status(PASSWORD) == 429


def test_guesses_from_many_addresses_do_not_lock_the_owner_out(frozen_site: Running) -> None:
    site = frozen_site
    site.add_team("Playing")
    assert login_status(site, "198.51.100.1", PASSWORD) == 303
    guesses = [login_status(site, f"203.0.113.{n}", f"guess {n}") for n in range(102)]
    assert guesses == [401] * 100 + [429] * 2
    assert login_status(site, "203.0.113.250", PASSWORD) == 429
    assert login_status(site, "198.51.100.1", PASSWORD) == 303
    # The other limits still apply to that address.
    statuses = [login_status(site, "198.51.100.1", "guess") for _ in range(10)]
    assert statuses == [401] * 8 + [429] * 2


def test_a_header_from_nowhere_is_not_believed(make_site: Callable[..., Running]) -> None:
    site = make_site()
    site.add_team("Victim")
    statuses: list[int] = []
    for number in range(10):
        guesser = site.visitor()
        guesser.headers = {"X-Forwarded-For": f"203.0.113.{number}"}
        statuses.append(guesser.send("/login", name="Victim", password="guess").status)
    assert statuses == [401] * 8 + [429] * 2


def test_right_passwords_are_not_limited(site: Running) -> None:
    site.add_team("Frequent")
    for _ in range(15):
        assert site.visitor().send("/login", name="Frequent", password=PASSWORD).status == 303


def test_a_team_changes_its_password(site: Running) -> None:
    here, there = site.team("Changing"), site.team("Changing")
    new = "quite another password"

    def change(old: str, password: str = new, again: str = "") -> Answer:
        return here.send(
            "/team",
            action="/team/password",
            old_password=old,
            password=password,
            password_again=again or password,
        )

    assert "old password is wrong" in change("wrong").words
    assert "not the same" in change(PASSWORD, new, "other than new").words
    assert "expected 8 to 128" in change(PASSWORD, "short").words
    assert there.get("/team").status == 200
    assert change(PASSWORD).location == "/team"
    assert here.get("/team").status == 200
    # All other sessions have ended.
    assert there.get("/team").status == 303
    assert site.visitor().send("/login", name="Changing", password=PASSWORD).status == 401
    assert site.visitor().send("/login", name="Changing", password=new).status == 303


def test_link_creates_one_administrator(make_site: Callable[..., Running]) -> None:
    site = make_site()
    link = create_admin_link(site.store, site.settings, site.address)
    assert link.startswith(site.address)
    path = urlsplit(link).path
    visitor = site.visitor()
    assert "Become an administrator" in visitor.get(path).words
    # Opening the page does not use the link, nor does an invalid form.
    wrong = visitor.send(path, name=" ", password=PASSWORD, password_again=PASSWORD)
    assert (wrong.status, "Invalid name" in wrong.words) == (422, True)
    short = visitor.send(path, name="Grace", password="short", password_again="short")
    assert (short.status, "8 to 128" in short.words) == (422, True)
    done = visitor.send(path, name="Grace", password=PASSWORD, password_again=PASSWORD)
    assert (done.status, done.location) == (303, "/admin")
    assert visitor.get("/admin").status == 200
    second = site.visitor()
    assert second.get(path).status == 404
    token = second.form_token("/login")
    fields = [("form_token", token), ("name", "Eve"), ("password", PASSWORD)]
    assert second.post(path, [*fields, ("password_again", PASSWORD)]).status == 404
    assert [admin.name for admin in site.store.admins.list()] == ["Grace"]
    for made_up in ("", "x", "0" * 43, "x" * 5000, "%00", "../admin"):
        assert site.visitor().get(f"/welcome/{made_up}").status in {400, 404}


def test_administrator_resets_a_password(site: Running) -> None:
    team = site.team("Forgetful")
    number = site.store.teams.find("Forgetful")
    assert number is not None
    admin = site.admin()
    shown = admin.send("/admin/teams", action=f"/admin/teams/{number.id}/password-link")
    path = re.findall(r"/welcome/[\w-]+", shown.text)[0]
    # Shown once only.
    assert "/welcome/" not in admin.get("/admin/teams").text
    visitor = site.visitor()
    assert "A new password for Forgetful" in visitor.get(path).words
    new = "newly made password"
    assert visitor.send(path, password=new, password_again=new).location == "/login"
    assert visitor.get(path).status == 404
    assert team.get("/team").status == 303
    assert site.visitor().send("/login", name="Forgetful", password=new).status == 303


def test_a_disabled_team_is_out(site: Running) -> None:
    team, admin = site.team("Rude"), site.admin()
    found = site.store.teams.find("Rude")
    assert found is not None
    admin.send("/admin/teams", action=f"/admin/teams/{found.id}/disable")
    assert team.get("/team").status == 303
    refused = site.visitor().send("/login", name="Rude", password=PASSWORD)
    assert (refused.status, "disabled" in refused.words) == (403, True)
    # Without the password the answer reveals nothing.
    guess = site.visitor().send("/login", name="Rude", password="not the password")
    assert (guess.status, "disabled" in guess.words) == (401, False)
    admin.send("/admin/teams", action=f"/admin/teams/{found.id}/enable")
    assert site.visitor().send("/login", name="Rude", password=PASSWORD).status == 303


def test_passwords_and_tokens_are_not_stored_or_logged(
    make_site: Callable[..., Running], capfd: pytest.CaptureFixture[str]
) -> None:
    site = make_site()
    visitor = site.visitor()
    link = create_admin_link(site.store, site.settings, site.address)
    secret = "Un-forgettable_words"
    registered(visitor, "Careful", secret)
    visitor.get(f"/scheduler/create_unauthenticated_test_match?team_name=Nobody&password={secret}")
    visitor.get(f"/team?password={secret}")
    visitor.send("/login", name="Careful", password=secret + "x")
    site.visitor().send(urlsplit(link).path, name="Grace", password=secret, password_again=secret)
    assert telemetry.flush_logs()
    out, err = capfd.readouterr()
    logged = out + err
    assert "/scheduler/create_unauthenticated_test_match" in logged
    assert "admin joined by link" in logged
    assert secret not in logged
    assert link.rpartition("/")[2] not in logged
    assert visitor.cookies["sevenbag_session"] not in logged
    store = site.settings.site.store.removeprefix("sqlite:///")
    kept = b"".join(path.read_bytes() for path in Path(store).parent.glob("contest.db*"))
    assert b"Careful" in kept
    for hidden in (secret, link.rpartition("/")[2], visitor.cookies["sevenbag_session"]):
        assert hidden.encode() not in kept


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_burst_and_then_one_at_a_time() -> None:
    clock = Clock()
    limit = RateLimit(3, 10, clock)
    assert [limit.try_acquire("a") for _ in range(5)] == [True, True, True, False, False]
    assert limit.try_acquire("b")
    clock.now += 10
    assert [limit.try_acquire("a") for _ in range(2)] == [True, False]
    clock.now += 1000
    assert [limit.try_acquire("a") for _ in range(4)] == [True, True, True, False]


def test_released_tokens_can_be_used_again() -> None:
    limit = RateLimit(2, 10, Clock())
    for _ in range(10):
        assert limit.try_acquire("a")
        limit.release("a")
    assert [limit.try_acquire("a") for _ in range(3)] == [True, True, False]
    limit.release("never seen")
    assert [limit.try_acquire("never seen") for _ in range(3)] == [True, True, False]


def test_bucket_against_a_count_by_the_second() -> None:
    """A bucket that is filled drop by drop, by the second: the plainest reading of the rule."""
    random.seed(5)
    clock = Clock()
    limit = RateLimit(4, 8, clock)
    drops = 4 * 8  # whole seconds: exact
    for _ in range(3000):
        passed = random.choice([0, 0, 1, 2, 5, 30])
        clock.now += passed
        drops = min(4 * 8, drops + passed)
        allowed = drops >= 8
        assert limit.try_acquire("a") == allowed
        drops -= 8 * allowed


def test_number_of_keys_is_limited() -> None:
    clock = Clock()
    limit = RateLimit(1, 1000, clock)
    for number in range(30_000):
        limit.try_acquire(str(number))
    assert len(limit._full_at) == 20_000
    clock.now += 2000
    limit.try_acquire("one more")
    assert len(limit._full_at) == 1
