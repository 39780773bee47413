"""Lets teams and organisers in, by name and password, and keeps guessers out."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from litestar.exceptions import PermissionDeniedException

from sevenbag.contest.passwords import TooBusyError
from sevenbag.contest.store import Admin, Team, name_key
from sevenbag.errors import SevenbagError, StoreError
from sevenbag.web.core.connection_limits import address_of, household

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, MutableMapping, Sequence

    from litestar.connection import ASGIConnection
    from litestar.handlers import BaseRouteHandler

    from sevenbag.contest.passwords import PasswordChecks
    from sevenbag.contest.store import Session, Store
    from sevenbag.web.contest.site_context import Figures
    from sevenbag.web.core.connection_limits import Network
    from sevenbag.web.core.origin_guard import Application, Receive, Scope, Send

_MOST_KEYS: Final = 20_000


class Limit:
    """So many times at once, then once in so many seconds, for each key.

    What is remembered is one time a key, and of so many keys at most.

    Args:
        burst: times at once.
        seconds: until one more is allowed.
        clock: seconds that only grow.
    """

    def __init__(
        self, burst: int, seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._ahead = burst * seconds
        self._seconds = seconds
        self._clock = clock
        # When each key will have all its times again: each use puts it off.
        self._whole: OrderedDict[str, float] = OrderedDict()

    def take(self, key: str) -> bool:
        """Use one; False if there is none left."""
        now = self._clock()
        whole = max(self._whole.get(key, now), now) + self._seconds
        if whole - now > self._ahead:
            return False
        self._whole[key] = whole
        self._whole.move_to_end(key)
        self._forget(now)
        return True

    def give_back(self, key: str) -> None:
        """It was none of those that are counted."""
        if key in self._whole:
            self._whole[key] -= self._seconds

    def _forget(self, now: float) -> None:
        # The longest unused first; who has all its times again needs no remembering.
        while self._whole:
            key = next(iter(self._whole))
            if self._whole[key] > now and len(self._whole) <= _MOST_KEYS:
                break
            del self._whole[key]


_KEY: Final = "sevenbag.visitor"
_LONGEST_TOKEN: Final = 200
_VISIT_SECONDS: Final = 86_400


class Visitor:
    """Whoever makes a request.

    Attributes:
        address: from where, as far as it can be told.
        session_token: of the session by which the visitor is known; empty for none.
        leaves: headers by which cookies are set in the answer.
        fault: why it could not be found out who it is.
    """

    def __init__(
        self,
        address: str,
        cookies: Cookies,
        given: Mapping[str, str],
        session: Session | None,
        fault: StoreError | None = None,
    ) -> None:
        self.address = address
        self.fault = fault
        self.session_token = given.get(cookies.session, "") if session else ""
        self.leaves: list[bytes] = []
        self._cookies = cookies
        self._session = session
        self._visit = given.get(cookies.visit, "")

    @property
    def team(self) -> Team | None:
        """The team that is logged in."""
        return self._session.team if self._session else None

    @property
    def admin(self) -> Admin | None:
        """The organiser who is logged in."""
        return self._session.admin if self._session else None

    @property
    def form_token(self) -> str:
        """What forms of this visitor's pages have in them."""
        if not self.session_token and not self._visit:
            self._visit = secrets.token_urlsafe(32)
            self.leaves.append(self._cookies.set(self._cookies.visit, self._visit, _VISIT_SECONDS))
        cookie = self.session_token or self._visit
        return hmac.new(cookie.encode(), b"form", hashlib.sha256).hexdigest()

    def enters(self, token: str, seconds: float) -> None:
        """A session has begun."""
        self.leaves = [
            self._cookies.set(self._cookies.session, token, seconds),
            self._cookies.drop(self._cookies.visit),
        ]

    def goes(self) -> None:
        """The session has ended."""
        self.leaves = [self._cookies.drop(self._cookies.session)]


class Cookies:
    """The site's cookies.

    Args:
        secure: whether browsers are to send them through TLS only.
    """

    def __init__(self, *, secure: bool) -> None:
        # A browser lets nobody but this very host set a cookie of such a name.
        prefix = "__Host-" if secure else ""
        self.session: Final = f"{prefix}sevenbag_session"
        self.visit: Final = f"{prefix}sevenbag_visit"
        self._attributes = "; Path=/; HttpOnly; SameSite=Lax" + ("; Secure" if secure else "")

    def read(self, header: str) -> dict[str, str]:
        """Cookies of ours in a request's header."""
        found: dict[str, str] = {}
        for each in header.split(";"):
            name, _, value = each.strip().partition("=")
            if name in {self.session, self.visit} and len(value) <= _LONGEST_TOKEN:
                found[name] = value
        return found

    def set(self, name: str, token: str, seconds: float) -> bytes:
        """The header that sets one."""
        return f"{name}={token}; Max-Age={seconds:.0f}{self._attributes}".encode()

    def drop(self, name: str) -> bytes:
        """The header that ends one."""
        return f"{name}=; Max-Age=0{self._attributes}".encode()


class Visits:
    """Finds out who is calling before anything else is asked.

    Args:
        application: what is called.
        store: knows the sessions.
        cookies: of the site.
        proxies: whose word is believed on where a request comes from.
    """

    def __init__(
        self, application: Application, store: Store, cookies: Cookies, proxies: Sequence[Network]
    ) -> None:
        self._application = application
        self._store = store
        self._cookies = cookies
        self._proxies = proxies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve."""
        if scope["type"] == "lifespan":
            await self._application(scope, receive, send)
            return
        headers = [(name, value.decode("latin-1")) for name, value in scope["headers"]]
        given = self._cookies.read("; ".join(v for name, v in headers if name == b"cookie"))
        session = fault = None
        token = given.get(self._cookies.session, "")
        # Files are the same for everybody.
        if token and not scope["path"].startswith("/static/"):
            try:
                session = await asyncio.to_thread(self._store.sessions.find, token)
            except StoreError as error:
                fault = error
        address = address_of(scope, self._proxies)
        visitor = scope[_KEY] = Visitor(address, self._cookies, given, session, fault)

        async def send_with_cookie(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                leaves = [(b"set-cookie", line) for line in visitor.leaves]
                message["headers"] = [*message.get("headers", ()), *leaves]
            await send(message)

        await self._application(scope, receive, send_with_cookie)


def address_seen(scope: Scope) -> str:
    """From where a request has come that has passed `Visits`; empty if it has not."""
    visitor = cast("Visitor | None", scope.get(_KEY))
    return visitor.address if visitor else ""


def visitor_of(connection: ASGIConnection[Any, Any, Any, Any]) -> Visitor:
    """Who is calling."""
    scope = cast("MutableMapping[str, Any]", connection.scope)
    return cast("Visitor", scope[_KEY])


class NeedsLoginError(SevenbagError):
    """Somebody who is not logged in wants to see a page for those who are.

    Attributes:
        page: where to log in.
    """

    def __init__(self, page: str) -> None:
        super().__init__("this page is for those who are logged in")
        self.page = page


def teams_only(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    """Lets teams through that are logged in."""
    if visitor_of(connection).team is None:
        _turn_away(connection, "/login", "This is for teams that are logged in.")


def admins_only(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    """Lets organisers through who are logged in."""
    if visitor_of(connection).admin is None:
        _turn_away(connection, "/login/organiser", "This is for organisers who are logged in.")


Known = TypeVar("Known", Team, Admin)

LONGEST_NAME: Final = 200
_MOST_PROVED: Final = 20_000


class NotLetInError(SevenbagError):
    """The name or the password is wrong, or too many were; the words are for whoever tried.

    Attributes:
        status: of HTTP, that says the same.
    """

    def __init__(self, words: str, status: int = 401) -> None:
        super().__init__(words)
        self.status = status


class Entrance:
    """Password checks for teams and organisers, with limits on wrong passwords.

    Wrong passwords are counted for each name at each address, for each address, and for each name.
    Addresses from which a name has logged in are exempt from the last count, so that guesses from
    many addresses do not lock the account's owner out.

    Args:
        store: knows the names.
        passwords: checks them.
        figures: counts who was let in.
    """

    def __init__(self, store: Store, passwords: PasswordChecks, figures: Figures) -> None:
        self._store = store
        self._passwords = passwords
        self._figures = figures
        self._pair = Limit(8, 10.0)
        self._name = Limit(100, 2.0)
        self._address = Limit(60, 2.0)
        # Names with the addresses from which they have logged in.
        self._proved: OrderedDict[str, None] = OrderedDict()

    async def team(self, name: str, password: str, address: str) -> Team:
        """The team of this name and password.

        Raises:
            NotLetInError: it is not let in.
            TooBusyError: too many try at once.
        """
        team = await self._known("team", self._store.teams.find, name, password, address)
        if team.disabled:
            raise NotLetInError("this team was disabled by the organisers", 403)
        return team

    async def admin(self, name: str, password: str, address: str) -> Admin:
        """The organiser of this name and password.

        Raises:
            NotLetInError: not let in.
            TooBusyError: too many try at once.
        """
        admin = await self._known("admin", self._store.admins.find, name, password, address)
        if admin.disabled:
            raise NotLetInError("this account was disabled", 403)
        return admin

    # --- helpers --------------------------------------------------------------------------------

    async def _known(
        self,
        role: str,
        find: Callable[[str], Known | None],
        name: str,
        password: str,
        address: str,
    ) -> Known:
        if len(name) > LONGEST_NAME:
            name = ""
        known = await asyncio.to_thread(find, name) if name else None
        house = household(address)
        key = f"{role} {name_key(name)}"
        pair = f"{key} {house}"
        counts = [(self._pair, pair), (self._address, house)]
        # Guesses from elsewhere do not lock out an address that has logged in before.
        if pair not in self._proved:
            counts.append((self._name, key))
        # Applied before the password check: a right guess must not succeed where a wrong one is
        # refused, and concurrent guesses must not exceed the limits.
        for number, (limit, who) in enumerate(counts):
            if not limit.take(who):
                for taken, its in counts[:number]:
                    taken.give_back(its)
                self._figures.logins.labels(role, "refused").inc()
                raise NotLetInError("too many wrong passwords; try again in a minute", 429)
        try:
            right = await self._passwords.is_right(known.password_hash if known else None, password)
        except TooBusyError:
            # The password was not checked, so this does not count as a guess.
            for limit, who in counts:
                limit.give_back(who)
            raise
        if known is None or not right:
            self._figures.logins.labels(role, "wrong").inc()
            raise NotLetInError(
                "there is no team of this name and password"
                if role == "team"
                else "there is no organiser of this name and password"
            )
        for limit, who in counts:
            limit.give_back(who)
        self._proved[pair] = None
        self._proved.move_to_end(pair)
        if len(self._proved) > _MOST_PROVED:
            self._proved.popitem(last=False)
        self._figures.logins.labels(role, "right").inc()
        return known


# --- helpers ------------------------------------------------------------------------------------

_LOOKS: Final = frozenset({"GET", "HEAD"})


def _turn_away(connection: ASGIConnection[Any, Any, Any, Any], page: str, words: str) -> None:
    visitor = visitor_of(connection)
    if visitor.fault is not None:
        raise visitor.fault
    nobody = visitor.team is None and visitor.admin is None
    scope = cast("Mapping[str, object]", connection.scope)
    if nobody and scope.get("method") in _LOOKS:
        raise NeedsLoginError(page)
    raise PermissionDeniedException(words)
