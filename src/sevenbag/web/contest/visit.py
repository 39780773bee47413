"""Who is calling: from which address, and as which team or organiser.

Somebody who is logged in has a cookie with a session's token, of which the store keeps a hash. Who
is not has a cookie too as soon as a page with a form is shown, so that nobody can be made to log in
by a form of somebody else's. A form's token is made of the cookie, which no other site can read.
Logging in makes a new session each time: a cookie that was planted before is worth nothing.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
from typing import TYPE_CHECKING, Any, Final, cast

from sevenbag.errors import StoreError
from sevenbag.web.client_address import address_of

if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping, Sequence

    from litestar.connection import ASGIConnection

    from sevenbag.contest.store import Admin, Session, Store, Team
    from sevenbag.web.client_address import Network
    from sevenbag.web.guard import Application, Receive, Scope, Send

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
