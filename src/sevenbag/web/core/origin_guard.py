"""Host and origin checks and security headers for HTTP and WebSocket requests."""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, MutableMapping

    Scope = MutableMapping[str, Any]
    Receive = Callable[[], Awaitable[Any]]
    Send = Callable[[Any], Awaitable[None]]
    Application = Callable[[Any, Any, Any], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What is let through, and what pages may do.

    Attributes:
        scripts: where scripts may come from, beyond the server itself.
        workers: the same of workers.
        forms: whether pages have forms, which go to the server itself.
        url: how the server is called from outside, where something stands before it.
        programs: paths that programs call, by whatever name of this machine, with a password or a
            secret each time; a foreign page has nothing of theirs.
        stranger: what is said to whoever calls the server by a name that is not its own.
    """

    scripts: str = ""
    workers: str = ""
    forms: bool = False
    url: str = ""
    programs: frozenset[str] = frozenset()
    stranger: str = "call this server by its address"

    def header(self) -> str:
        """The Content-Security-Policy."""
        return "; ".join(
            (
                "default-src 'none'",
                f"script-src 'self'{self.scripts}",
                "style-src 'self'",
                "img-src 'self'",
                "connect-src 'self'",
                f"worker-src 'self'{self.workers}",
                "base-uri 'none'",
                "form-action " + ("'self'" if self.forms else "'none'"),
                "frame-ancestors 'none'",
            )
        )


PAGE_POLICY: Final = Policy()
# Bots use WebAssembly, and the output of Emscripten calls `new Function`. A worker has no document,
# so evaluated code can do no more than the worker's own script.
WORKER_POLICY: Final = Policy(scripts=" blob: 'wasm-unsafe-eval' 'unsafe-eval'", workers=" blob:")

_POLICY_HEADER: Final = b"content-security-policy"
_HEADERS: Final = (
    (b"x-content-type-options", b"nosniff"),
    # With none at all browsers would not tell us that a form comes from a page of ours.
    (b"referrer-policy", b"same-origin"),
    # Together: nobody else's page gets hold of ours, and bots may use several threads.
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-embedder-policy", b"require-corp"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
# What is edited is to be seen at the next game.
_FRESH: Final = (b"cache-control", b"no-cache")
_HARMLESS: Final = frozenset({"GET", "HEAD", "OPTIONS"})


def split_target(target: str) -> tuple[str | None, str]:
    """Split a request target into host and path; the host is None if there is only a path."""
    # `urlsplit` raises ValueError for some targets.
    scheme, separator, rest = target.partition("://")
    if not separator or scheme.lower() not in _SCHEMES:
        return None, target
    host, _, path = rest.partition("/")
    return host, f"/{path}"


class Guard:
    """Lets through who calls the server by a name of its own, and pages that came from it.

    A name of somebody else's that leads to this machine is the one way for a foreign page to have
    our origin; a foreign origin is what every other way has.

    Args:
        application: what is guarded.
        host: the address or name at which the server listens.
        policy: Content-Security-Policy of responses that have none of their own.
    """

    def __init__(self, application: Application, host: str, policy: Policy = PAGE_POLICY) -> None:
        self._application = application
        self._policy = policy
        outside = urlsplit(policy.url)
        self._names = {"localhost", host.lower(), socket.gethostname().lower()}
        self._names |= {outside.hostname} if outside.hostname else set()
        self._origins: set[str] = set()
        if policy.url:
            self._origins.add(f"{outside.scheme}://{outside.netloc}".lower())
        self._headers = ((_POLICY_HEADER, policy.header().encode()), *_HEADERS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve, or refuse."""
        kind = scope["type"]
        if kind == "lifespan":
            await self._application(scope, receive, send)
            return
        scope = _in_origin_form(scope)
        refusal = self._refusal(scope)
        if refusal:
            await self._refuse(kind, f"{refusal}\n", send)
            return

        async def send_with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                given: list[tuple[bytes, bytes]] = list(message.get("headers", ()))
                names = {name.lower() for name, _ in given}
                ours = [*self._headers, _FRESH]
                message["headers"] = [*given, *(each for each in ours if each[0] not in names)]
            await send(message)

        await self._application(scope, receive, send_with_headers)

    # --- helpers --------------------------------------------------------------------------------

    def _refusal(self, scope: Scope) -> str:
        """Why a request is refused; empty if it is not."""
        headers: dict[bytes, bytes] = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1").lower()
        for_programs = scope["path"] in self._policy.programs
        if not for_programs and not self._is_ours(host):
            return self._policy.stranger
        # None is what programs send, and browsers with what changes nothing.
        origin = headers.get(b"origin")
        # Also behind something that speaks TLS for us.
        ours = {f"http://{host}", f"https://{host}"} | self._origins
        comes_from_us = origin is not None and origin.decode("latin-1").lower() in ours
        if scope["type"] == "websocket":
            if for_programs:
                return "" if origin is None else "only programs may connect here"
            return "" if comes_from_us else "only the page of this server may connect"
        if scope["method"] not in _HARMLESS:
            site = headers.get(b"sec-fetch-site", b"none")
            foreign = not comes_from_us if origin is not None else site not in _OWN_SITES
            return "only pages of this server may send this" if foreign else ""
        return ""

    def _is_ours(self, host: str) -> bool:
        name = host.rpartition(":")[0] if _has_port(host) else host
        name = name.strip("[]")
        if name in self._names:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    async def _refuse(self, kind: str, text: str, send: Send) -> None:
        if kind == "websocket":
            # Before it was accepted: an answer of 403.
            await send({"type": "websocket.close", "code": 1008, "reason": text.strip()})
            return
        headers = [(b"content-type", b"text/plain; charset=utf-8"), *self._headers]
        await send({"type": "http.response.start", "status": 403, "headers": headers})
        await send({"type": "http.response.body", "body": text.encode()})


# --- helpers ------------------------------------------------------------------------------------

_OWN_SITES: Final = frozenset({b"none", b"same-origin"})
_SCHEMES: Final = frozenset({"http", "https", "ws", "wss"})


def _in_origin_form(scope: Scope) -> Scope:
    """Convert a request with a target in absolute form to origin form.

    The host in the target replaces the header ``Host`` (RFC 9112, 3.2.2).
    """
    host, path = split_target(scope["raw_path"].decode("latin-1"))
    if host is None:
        return scope
    headers = [each for each in scope["headers"] if each[0] != b"host"]
    return {
        **scope,
        "path": unquote(path),
        "raw_path": path.encode("latin-1"),
        "headers": [(b"host", host.encode("latin-1")), *headers],
    }


def _has_port(host: str) -> bool:
    return ":" in host and not host.endswith("]")
