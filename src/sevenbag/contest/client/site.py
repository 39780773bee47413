"""What a team asks a contest's site: where it plays now, and for a test match."""

from __future__ import annotations

import asyncio
import threading
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final, Literal

import msgspec

from sevenbag.contest.client.address import Address
from sevenbag.contest.settings import COMMAND_PORT, STATE_PORT, Port
from sevenbag.errors import InputError, ProtocolError, RefusedError, SilentServerError, shown

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Task:
    """What a team is to do now.

    Attributes:
        status: whether there is a match to play, there will be one, or there is no more.
        token: of the match.
        address: where it is played.
        opponent: against whom; empty if that is not told.
    """

    status: Literal["playing", "waiting", "finished"]
    token: str = ""
    address: Address | None = None
    opponent: str = ""


class Site:
    """A contest's site, for one team.

    Attributes:
        url: of the site, without a slash at its end.
    """

    def __init__(self, url: str, team: str, password: str, *, seconds: float = 10.0) -> None:
        """Nothing is asked yet.

        Args:
            url: such as ``http://127.0.0.1:8080``.
            team: name as registered.
            password: the team's.
            seconds: to wait for an answer.

        Raises:
            InputError: the URL is none.
        """
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise InputError(f"{shown(url)} is no site; expected one such as http://127.0.0.1:8080")
        self.url = url.rstrip("/")
        self._team = team
        self._password = password
        self._seconds = seconds

    async def task(self) -> Task:
        """What the team is to do now.

        Raises:
            RefusedError: wrong team or password.
            SilentServerError: the site does not answer, or cannot now; it may be asked again.
            ProtocolError: it answers with something else.
        """
        said = {"team_name": self._team, "password": self._password}
        reply = await self._ask("/scheduler/current_match", msgspec.json.encode(said))
        if reply.status in {"waiting", "finished"}:
            return Task("waiting" if reply.status == "waiting" else "finished")
        if reply.status != "playing":
            raise RefusedError(reply.status, reply.reason or "no reason given")
        return Task("playing", reply.match_token, _address(reply), reply.opponent)

    async def create_test_match(self) -> Task:
        """A new test match, by the contest's own call.

        Raises:
            RefusedError: wrong team or password, or it cannot be created; with the site's words.
            SilentServerError: the site does not answer, or cannot now; it may be asked again.
            ProtocolError: it answers with something else.
        """
        query = urllib.parse.urlencode(
            {"team_name": self._team, "password": self._password}, quote_via=urllib.parse.quote
        )
        reply = await self._ask(f"/scheduler/create_unauthenticated_test_match?{query}", None)
        if reply.status != "success":
            raise RefusedError(reply.status, reply.reason or "no reason given")
        return Task("playing", reply.match_token, _address(reply), reply.opponent)

    # --- helpers --------------------------------------------------------------------------------

    async def _ask(self, path: str, body: bytes | None) -> _Reply:
        request = urllib.request.Request(  # the scheme was looked at
            self.url + path,
            data=body,
            headers={"Content-Type": "application/json"} if body is not None else {},
        )
        data = await _beside(lambda: self._fetch(request))
        try:
            return msgspec.json.decode(data, type=_Reply)
        except msgspec.MsgspecError as error:
            raise ProtocolError(
                f"{self.url} answers with something else than a contest's site does: {error}"
            ) from None

    def _fetch(self, request: urllib.request.Request) -> bytes:
        # Whatever the URL says must not end in an error's text: the password is in one of them.
        try:
            with urllib.request.urlopen(request, timeout=self._seconds) as answer:
                data: bytes = answer.read(_LONGEST)
                return data
        except urllib.error.HTTPError as error:
            with error:
                data = error.read(_LONGEST)
            if error.code in _LATER:
                raise SilentServerError(f"{self.url} cannot answer now ({error.code})") from None
            try:
                # Some refuse with a code and the same words.
                msgspec.json.decode(data, type=_Reply)
            except msgspec.MsgspecError:
                raise RefusedError(f"{error.code}", f"{self.url}: {error.reason}") from None
            return data
        except (OSError, ValueError) as error:
            why = getattr(error, "reason", error)
            raise SilentServerError(f"{self.url} does not answer: {why}") from None


# --- helpers ------------------------------------------------------------------------------------

_LONGEST: Final = 64 << 10
_LATER: Final = frozenset((429, 500, 502, 503, 504))


class _Reply(msgspec.Struct):
    """All that a reply may have."""

    status: str
    reason: str = ""
    match_token: Annotated[str, msgspec.Meta(max_length=200)] = ""
    server_ip: Annotated[str, msgspec.Meta(max_length=200)] = ""
    internal_ip: Annotated[str, msgspec.Meta(max_length=200)] = ""
    state_ip: Annotated[str, msgspec.Meta(max_length=200)] = ""
    command_port: Port = COMMAND_PORT
    state_port: Port = STATE_PORT
    opponent: str = ""


def _address(reply: _Reply) -> Address:
    host = reply.server_ip or reply.internal_ip
    if not (host and reply.match_token):
        raise ProtocolError("the site names a match without a server or a token")
    return Address(host, reply.command_port, reply.state_port, reply.state_ip)


async def _beside(work: Callable[[], bytes]) -> bytes:
    """What a blocking call returns, from a thread that nobody waits for when all ends."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[bytes] = loop.create_future()

    def settle(data: bytes | None, error: Exception | None) -> None:
        if done.done():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(data or b"")

    def run() -> None:
        data, failure = None, None
        try:
            data = work()
        except Exception as error:  # noqa: BLE001  # raised where it is waited for
            failure = error
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, data, failure)

    threading.Thread(target=run, daemon=True).start()
    return await done
