"""Host and origin checks and security headers for every request."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final, TypeAlias
from urllib.parse import unquote, urlsplit

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Any]]
Send: TypeAlias = Callable[[Any], Awaitable[None]]
AsgiApp: TypeAlias = Callable[[Any, Any, Any], Awaitable[None]]


def content_security_policy(*, scripts: str = "", workers: str = "", forms: bool = False) -> str:
    """Build a Content-Security-Policy header.

    Args:
        scripts: script sources besides the server itself, each preceded by a space.
        workers: worker sources besides the server itself, likewise.
        forms: allow forms that are sent to the server itself.
    """
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src 'self'{scripts}",
            "style-src 'self'",
            "img-src 'self'",
            "connect-src 'self'",
            f"worker-src 'self'{workers}",
            "base-uri 'none'",
            "form-action " + ("'self'" if forms else "'none'"),
            "frame-ancestors 'none'",
        )
    )


PAGE_CSP: Final = content_security_policy()
# Bots use WebAssembly, and the output of Emscripten calls `new Function`. A worker has no document,
# so evaluated code can do no more than the worker's own script.
WORKER_CSP: Final = content_security_policy(
    scripts=" blob: 'wasm-unsafe-eval' 'unsafe-eval'", workers=" blob:"
)

_HEADERS: Final = (
    (b"x-content-type-options", b"nosniff"),
    # With `no-referrer`, browsers send `Origin: null` with forms of our own pages.
    (b"referrer-policy", b"same-origin"),
    # These three isolate the page from other origins, so that bots may use several threads.
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-embedder-policy", b"require-corp"),
    (b"cross-origin-resource-policy", b"same-origin"),
    # An edited bot takes effect in the next game.
    (b"cache-control", b"no-cache"),
)
_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_OWN_FETCH_SITES: Final = frozenset({b"none", b"same-origin"})
_SCHEMES: Final = frozenset({"http", "https", "ws", "wss"})


def split_request_target(target: str) -> tuple[str | None, str]:
    """Split a request target into host and path; the host is None if there is only a path."""
    # `urlsplit` raises ValueError for some targets.
    scheme, separator, rest = target.partition("://")
    if not separator or scheme.lower() not in _SCHEMES:
        return None, target
    host, _, path = rest.partition("/")
    return host, f"/{path}"


class OriginGuard:
    """ASGI middleware that rejects foreign hosts and origins and adds security headers.

    The host check prevents DNS rebinding. The origin check keeps other sites' pages from opening
    WebSockets and sending forms.

    Args:
        host: address or name at which the server listens.
        csp: Content-Security-Policy of responses without a policy.
        public_url: URL of the server behind a reverse proxy.
        api_paths: paths for programs, which authenticate each request. They accept any host;
            WebSocket requests with an origin are rejected.
        host_error: text of the response to an unknown host.
    """

    def __init__(
        self,
        app: AsgiApp,
        host: str,
        *,
        csp: str = PAGE_CSP,
        public_url: str = "",
        api_paths: frozenset[str] = frozenset(),
        host_error: str = "invalid Host header: expected the address of this server",
    ) -> None:
        self._app = app
        self._api_paths = api_paths
        self._host_error = host_error
        public = urlsplit(public_url)
        self._hosts = {"localhost", host.lower(), socket.gethostname().lower()}
        self._origins: set[str] = set()
        if public.hostname:
            self._hosts.add(public.hostname)
            self._origins.add(f"{public.scheme}://{public.netloc}".lower())
        self._headers = ((b"content-security-policy", csp.encode()), *_HEADERS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or reject it with status 403."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        scope = _in_origin_form(scope)
        error = self._find_error(scope)
        if error:
            await self._reject(scope["type"], error, send)
            return

        async def send_with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                given: list[tuple[bytes, bytes]] = list(message.get("headers", ()))
                names = {name.lower() for name, _ in given}
                added = (header for header in self._headers if header[0] not in names)
                message["headers"] = [*given, *added]
            await send(message)

        await self._app(scope, receive, send_with_headers)

    def _find_error(self, scope: Scope) -> str:
        """Return the reason to reject a request, or an empty string."""
        headers: dict[bytes, bytes] = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1").lower()
        is_api = scope["path"] in self._api_paths
        if not is_api and not self._is_own_host(host):
            return self._host_error
        # Programs send no origin, and browsers send none with GET requests of a page.
        origin = headers.get(b"origin")
        # A reverse proxy may terminate TLS.
        own_origins = {f"http://{host}", f"https://{host}"} | self._origins
        is_own_origin = origin is not None and origin.decode("latin-1").lower() in own_origins
        if scope["type"] == "websocket":
            if is_api:
                return "" if origin is None else "invalid Origin header: expected none"
            return "" if is_own_origin else _ORIGIN_ERROR
        if scope["method"] not in _SAFE_METHODS:
            site = headers.get(b"sec-fetch-site", b"none")
            is_foreign = site not in _OWN_FETCH_SITES if origin is None else not is_own_origin
            return _ORIGIN_ERROR if is_foreign else ""
        return ""

    def _is_own_host(self, host: str) -> bool:
        has_port = ":" in host and not host.endswith("]")
        name = (host.rpartition(":")[0] if has_port else host).strip("[]")
        if name in self._hosts:
            return True
        # DNS rebinding needs a name, so any IP address is safe.
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    async def _reject(self, kind: str, text: str, send: Send) -> None:
        if kind == "websocket":
            # Closing before the handshake is answered with status 403.
            await send({"type": "websocket.close", "code": 1008, "reason": text})
            return
        headers = [(b"content-type", b"text/plain; charset=utf-8"), *self._headers]
        await send({"type": "http.response.start", "status": 403, "headers": headers})
        await send({"type": "http.response.body", "body": f"{text}\n".encode()})


_ORIGIN_ERROR: Final = "invalid Origin header: expected a page of this server"


def _in_origin_form(scope: Scope) -> Scope:
    """Convert a request with a target in absolute form to origin form.

    The host in the target replaces the header ``Host`` (RFC 9112, 3.2.2).
    """
    host, path = split_request_target(scope["raw_path"].decode("latin-1"))
    if host is None:
        return scope
    headers = [header for header in scope["headers"] if header[0] != b"host"]
    return {
        **scope,
        "path": unquote(path),
        "raw_path": path.encode("latin-1"),
        "headers": [(b"host", host.encode("latin-1")), *headers],
    }
