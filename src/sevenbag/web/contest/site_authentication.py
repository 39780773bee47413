"""Authentication: sessions, login limits and form tokens.

A logged-in browser has a cookie with a session token; the store keeps a hash of it. Other browsers
get a cookie with a visit token when a page with a form is rendered, so that another site cannot
log them in (login CSRF). The token in forms is derived from the cookie, which other sites cannot
read. Each login creates a new session, so a cookie that was planted before is worthless.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any, Final, TypeAlias, cast

from litestar.connection import ASGIConnection
from litestar.datastructures import Cookie, MutableScopeHeaders
from litestar.exceptions import PermissionDeniedException
from litestar.handlers import BaseRouteHandler

from sevenbag.contest.passwords import PasswordVerifier, TooBusyError
from sevenbag.contest.store import Account, Admin, LoginSession, Role, Store, Team, name_key
from sevenbag.errors import SevenbagError, StoreError
from sevenbag.web.contest.site_monitoring import SiteMetrics
from sevenbag.web.core.connection_limits import client_address, client_key
from sevenbag.web.core.origin_guard import AsgiApp, Receive, Scope, Send

Connection: TypeAlias = ASGIConnection[Any, Any, Any, Any]


MAX_NAME_LENGTH: Final = 200
_MAX_KNOWN_ADDRESSES: Final = 20_000
_MAX_LIMIT_KEYS: Final = 20_000
_MAX_COOKIE_LENGTH: Final = 200
_VISIT_SECONDS: Final = 86_400


class LoginRequiredError(SevenbagError):
    """A page requires a login.

    Attributes:
        login_path: path of the login page.
    """

    def __init__(self, login_path: str) -> None:
        super().__init__("this page requires a login")
        self.login_path = login_path


class LoginRejectedError(SevenbagError):
    """A login was rejected; the text is shown to the user."""

    def __init__(self, text: str, status: int = 401) -> None:
        super().__init__(text)
        self.status = status


class BrowserSession:
    """Session of the browser that makes a request.

    Attributes:
        client: IP address of the client; empty if unknown.
        token: session token; empty without a valid session.
        cookies: cookies to set with the response.
        store_error: error that prevented the lookup of the session.

    Args:
        session: session in the store.
        store_error: error of the lookup.
        secure: set cookies for HTTPS only.
    """

    def __init__(
        self,
        client: str,
        cookies: Mapping[str, str],
        session: LoginSession | None,
        store_error: StoreError | None,
        *,
        secure: bool,
    ) -> None:
        self.client = client
        self.token = cookies.get(_session_cookie(secure), "") if session else ""
        self.cookies: list[Cookie] = []
        self.store_error = store_error
        self._session = session
        self._secure = secure
        self._visit_token = cookies.get(_visit_cookie(secure), "")

    @property
    def team(self) -> Team | None:
        """Return the team that is logged in."""
        return self._session.team if self._session else None

    @property
    def admin(self) -> Admin | None:
        """Return the administrator who is logged in."""
        return self._session.admin if self._session else None

    @property
    def form_token(self) -> str:
        """Return the token of this session's forms; set a cookie if it has no token."""
        if not self.token and not self._visit_token:
            self._visit_token = secrets.token_urlsafe(32)
            self.cookies.append(
                self._make_cookie(_visit_cookie(self._secure), self._visit_token, _VISIT_SECONDS)
            )
        cookie = self.token or self._visit_token
        return hmac.new(cookie.encode(), b"form", hashlib.sha256).hexdigest()

    def is_form_token_valid(self, token: str) -> bool:
        """Return whether a form's token belongs to this session."""
        return hmac.compare_digest(self.form_token.encode(), token.encode())

    def start(self, token: str, seconds: int) -> None:
        """Set the cookie of a new session."""
        self.cookies = [
            self._make_cookie(_session_cookie(self._secure), token, seconds),
            self._make_cookie(_visit_cookie(self._secure), "", 0),
        ]

    def end(self) -> None:
        """Remove the cookie of the session."""
        self.cookies = [self._make_cookie(_session_cookie(self._secure), "", 0)]

    def _make_cookie(self, name: str, value: str, seconds: int) -> Cookie:
        return Cookie(
            name, value=value, max_age=seconds, httponly=True, samesite="lax", secure=self._secure
        )


class SessionMiddleware:
    """ASGI middleware that looks up the session of each request.

    It wraps the application, since Litestar runs middleware for matched routes only and error pages
    show the login as well.

    Args:
        secure: set cookies for HTTPS only.
    """

    def __init__(self, app: AsgiApp, store: Store, *, secure: bool) -> None:
        self._app = app
        self._store = store
        self._secure = secure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its `BrowserSession` in ``scope["auth"]``."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        cookies = _read_cookies(scope)
        stored = store_error = None
        token = cookies.get(_session_cookie(self._secure), "")
        # Files do not depend on the session.
        if token and not scope["path"].startswith("/static/"):
            try:
                stored = await asyncio.to_thread(self._store.sessions.find, token)
            except StoreError as error:
                store_error = error
        session = scope["auth"] = BrowserSession(
            client_address(scope), cookies, stored, store_error, secure=self._secure
        )

        async def send_with_cookies(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                headers = MutableScopeHeaders.from_message(cast("Any", message))
                for cookie in session.cookies:
                    headers.add("set-cookie", cookie.to_header(header=""))
            await send(message)

        await self._app(scope, receive, send_with_cookies)


def get_browser_session(connection: Connection) -> BrowserSession:
    """Return the session of a request."""
    return cast("BrowserSession", connection.auth)


def require_team(connection: Connection, _: BaseRouteHandler) -> None:
    """Guard routes of logged-in teams."""
    if get_browser_session(connection).team is None:
        _reject(connection, "/login", "This is for teams that are logged in.")


def require_admin(connection: Connection, _: BaseRouteHandler) -> None:
    """Guard routes of logged-in administrators."""
    if get_browser_session(connection).admin is None:
        _reject(connection, "/login/organiser", "This is for administrators who are logged in.")


class RateLimit:
    """Token bucket for each key.

    Args:
        burst: number of uses at once.
        interval: time in seconds until another use is allowed.
        clock: monotonic clock in seconds.
    """

    def __init__(
        self, burst: int, interval: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._max_ahead = burst * interval
        self._interval = interval
        self._clock = clock
        # Time at which the bucket of each key is full again.
        self._full_at: OrderedDict[str, float] = OrderedDict()

    def try_acquire(self, key: str) -> bool:
        """Use one token; return False if the bucket is empty."""
        now = self._clock()
        full_at = max(self._full_at.get(key, now), now) + self._interval
        if full_at - now > self._max_ahead:
            return False
        self._full_at[key] = full_at
        self._full_at.move_to_end(key)
        self._prune(now)
        return True

    def release(self, key: str) -> None:
        """Return one token."""
        if key in self._full_at:
            self._full_at[key] -= self._interval

    def _prune(self, now: float) -> None:
        # Full buckets need no entry. Beyond the maximum, the least recently used keys are dropped.
        while self._full_at:
            key = next(iter(self._full_at))
            if self._full_at[key] > now and len(self._full_at) <= _MAX_LIMIT_KEYS:
                break
            del self._full_at[key]


class Authenticator:
    """Password checks for teams and administrators, with limits on wrong passwords.

    Wrong passwords are counted for each name at each address, for each address, and for each name.
    Addresses from which a name has logged in are exempt from the last count, so that guesses from
    many addresses do not lock the account's owner out.
    """

    def __init__(self, store: Store, passwords: PasswordVerifier, metrics: SiteMetrics) -> None:
        self._store = store
        self._passwords = passwords
        self._metrics = metrics
        self._pair_limit = RateLimit(8, 10.0)
        self._name_limit = RateLimit(100, 2.0)
        self._address_limit = RateLimit(60, 2.0)
        # Pairs of name and address that have logged in.
        self._known_addresses: OrderedDict[str, None] = OrderedDict()

    async def authenticate(self, role: Role, name: str, password: str, address: str) -> Account:
        """Return the account of a name and password.

        Raises:
            LoginRejectedError: name or password are wrong, or the account is disabled.
            TooBusyError: too many passwords are being checked.
        """
        if len(name) > MAX_NAME_LENGTH:
            name = ""
        accounts = self._store.teams if role == "team" else self._store.admins
        account = await asyncio.to_thread(accounts.find, name) if name else None
        client = client_key(address)
        key = f"{role} {name_key(name)}"
        pair = f"{key} {client}"
        limits = [(self._pair_limit, pair), (self._address_limit, client)]
        if pair not in self._known_addresses:
            limits.append((self._name_limit, key))
        # Applied before the password check: a right guess must not succeed where a wrong one is
        # rejected, and concurrent guesses must not exceed the limits.
        for number, (limit, limit_key) in enumerate(limits):
            if not limit.try_acquire(limit_key):
                _release(limits[:number])
                self._metrics.logins.labels(role, "limited").inc()
                raise LoginRejectedError("too many wrong passwords; try again in a minute", 429)
        password_hash = account.password_hash if account else None
        try:
            is_right = await self._passwords.verify(password_hash, password)
        except TooBusyError:
            # The password was not checked, so this does not count as a guess.
            _release(limits)
            raise
        if account is None or not is_right:
            self._metrics.logins.labels(role, "wrong").inc()
            title = "team" if role == "team" else "administrator"
            raise LoginRejectedError(f"there is no {title} of this name and password")
        _release(limits)
        self._known_addresses[pair] = None
        self._known_addresses.move_to_end(pair)
        if len(self._known_addresses) > _MAX_KNOWN_ADDRESSES:
            self._known_addresses.popitem(last=False)
        self._metrics.logins.labels(role, "success").inc()
        if account.disabled:
            raise LoginRejectedError(
                "this team was disabled by the administrators"
                if role == "team"
                else "this account was disabled",
                403,
            )
        return account


_READ_METHODS: Final = frozenset({"GET", "HEAD"})


def _session_cookie(secure: bool) -> str:
    # Browsers accept a `__Host-` cookie from this very host only.
    return "__Host-sevenbag_session" if secure else "sevenbag_session"


def _visit_cookie(secure: bool) -> str:
    return "__Host-sevenbag_visit" if secure else "sevenbag_visit"


def _read_cookies(scope: Scope) -> dict[str, str]:
    header = b"; ".join(value for name, value in scope["headers"] if name == b"cookie")
    cookies: dict[str, str] = {}
    for pair in header.decode("latin-1").split(";"):
        name, _, value = pair.strip().partition("=")
        if len(value) <= _MAX_COOKIE_LENGTH:
            cookies[name] = value
    return cookies


def _reject(connection: Connection, login_path: str, text: str) -> None:
    session = get_browser_session(connection)
    if session.store_error is not None:
        raise session.store_error
    is_logged_in = session.team is not None or session.admin is not None
    scope = cast("Mapping[str, object]", connection.scope)
    if not is_logged_in and scope.get("method") in _READ_METHODS:
        raise LoginRequiredError(login_path)
    raise PermissionDeniedException(text)


def _release(limits: list[tuple[RateLimit, str]]) -> None:
    for limit, key in limits:
        limit.release(key)
