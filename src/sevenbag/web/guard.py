"""Who may speak to the server, and what its page may do: seen before any other code of ours."""

from __future__ import annotations

import ipaddress
import socket
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, MutableMapping

    Scope = MutableMapping[str, Any]
    Receive = Callable[[], Awaitable[Any]]
    Send = Callable[[Any], Awaitable[None]]
    Application = Callable[[Any, Any, Any], Awaitable[None]]

PAGE_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        # Bots bring WebAssembly; text is never run.
        "script-src 'self' 'wasm-unsafe-eval'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "worker-src 'self' blob:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)

_HEADERS: Final = (
    (b"content-security-policy", PAGE_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    # Together: nobody else's page gets hold of ours, and bots may use several threads.
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-embedder-policy", b"require-corp"),
    (b"cross-origin-resource-policy", b"same-origin"),
    # What is edited is to be seen at the next game.
    (b"cache-control", b"no-cache"),
)


class Guard:
    """Lets through who calls the server by a name of its own, and pages that came from it.

    A name of somebody else's that leads to this machine is the one way for a foreign page to have
    our origin; a foreign origin is what every other way has.

    Args:
        application: what is guarded.
        host: the address or name at which the server listens.
    """

    def __init__(self, application: Application, host: str) -> None:
        self._application = application
        self._names = {"localhost", host.lower(), socket.gethostname().lower()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve, or refuse."""
        kind = scope["type"]
        if kind == "lifespan":
            await self._application(scope, receive, send)
            return
        headers: dict[bytes, bytes] = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1")
        refusal = "" if self._is_ours(host) else "call this server by its address\n"
        if kind == "websocket" and not refusal:
            origin = headers.get(b"origin", b"").decode("latin-1")
            # Also behind something that speaks TLS for us.
            if origin not in {f"http://{host}", f"https://{host}"}:
                refusal = "only the page of this server may connect\n"
        if refusal:
            await _refuse(kind, refusal, send)
            return

        async def send_with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                ours = {name for name, _ in _HEADERS}
                kept = [each for each in message.get("headers", ()) if each[0].lower() not in ours]
                message["headers"] = [*kept, *_HEADERS]
            await send(message)

        await self._application(scope, receive, send_with_headers)

    def _is_ours(self, host: str) -> bool:
        name = host.rpartition(":")[0] if _has_port(host) else host
        name = name.strip("[]").lower()
        if name in self._names:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


# --- helpers ------------------------------------------------------------------------------------


def _has_port(host: str) -> bool:
    return ":" in host and not host.endswith("]")


async def _refuse(kind: str, text: str, send: Send) -> None:
    if kind == "websocket":
        # Before it was accepted: an answer of 403.
        await send({"type": "websocket.close", "code": 1008, "reason": text.strip()})
        return
    headers = [(b"content-type", b"text/plain; charset=utf-8"), *_HEADERS]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": text.encode()})
