"""The public pages: matches as they are played, finished games, bracket and ranking.

Nobody has to log in, and nobody is told a match's token: pages know matches by their number.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
from litestar import Request, Response, WebSocket, get, websocket
from litestar.exceptions import NotFoundException, WebSocketDisconnect
from litestar.params import FromPath, QueryParameter
from litestar.response import Template

from sevenbag.contest.game.cell_tracker import UNKNOWN
from sevenbag.drawing.cells import COLORS
from sevenbag.errors import FormatError, UnknownEntryError
from sevenbag.protocols.pason.pason_conversion import SHAPES
from sevenbag.web.contest.live_broadcast import (
    LiveHub,
    Subject,
    TooManyOnlookersError,
    TooSlowError,
)
from sevenbag.web.contest.match_frames import playback
from sevenbag.web.contest.overview import PAGE_OF_MATCHES, Overview
from sevenbag.web.contest.site_pages import page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from litestar.types import ControllerRouterHandler

    from sevenbag.contest.store import MatchRow, Store
    from sevenbag.web.contest.live_broadcast import Onlooker
    from sevenbag.web.contest.overview import MatchView

FACTS: Final = msgspec.json.encode(
    {"colors": COLORS | {UNKNOWN: "#66708a"}, "shapes": SHAPES}
).decode()
"""What the pages' scripts draw with."""

MOST_MATCHES: Final = 16
"""That one page looks at."""


def monitor_routes(store: Store, hub: LiveHub) -> list[ControllerRouterHandler]:
    """The public pages.

    Args:
        store: what has been played.
        hub: what is being played.
    """
    overview = Overview(store)
    playbacks = _Playbacks(store)

    @get("/")
    async def home(request: Request[Any, Any, Any]) -> Template:
        view = await overview.home()
        return page(request, "contest/home.html", view=view, facts=FACTS)

    @get("/matches")
    async def matches(request: Request[Any, Any, Any], before: _Number = None) -> Template:
        rows = await overview.matches(before)
        more = min(row.id for row in rows) if len(rows) == PAGE_OF_MATCHES else None
        return page(request, "contest/matches.html", rows=rows, more=more, first=before is None)

    @get("/matches/{match_id:int}")
    async def match(request: Request[Any, Any, Any], match_id: FromPath[int]) -> Template:
        view = await _match(overview, match_id)
        return page(request, "contest/match.html", view=view, facts=FACTS)

    @get("/matches/{match_id:int}/games/{number:int}")
    async def game(
        request: Request[Any, Any, Any], match_id: FromPath[int], number: FromPath[int]
    ) -> Template:
        view = await _match(overview, match_id)
        chosen = next((each for each in view.games if each.number == number), None)
        if chosen is None:
            raise NotFoundException(f"match {match_id} has no finished game {number}")
        return page(request, "contest/game.html", view=view, game=chosen, facts=FACTS)

    @get("/matches/{match_id:int}/games/{number:int}/frames")
    async def frames(
        request: Request[Any, Any, Any], match_id: FromPath[int], number: FromPath[int]
    ) -> Response[bytes]:
        packed = await playbacks.find(match_id, number)
        if "gzip" in request.headers.get("accept-encoding", ""):
            coding = {"content-encoding": "gzip", "vary": "accept-encoding"}
            return Response(packed, media_type="application/json", headers=coding)
        plain = await asyncio.to_thread(gzip.decompress, packed)
        return Response(plain, media_type="application/json")

    @get("/matches/{match_id:int}/games/{number:int}/replay")
    async def replay(match_id: FromPath[int], number: FromPath[int]) -> Response[bytes]:
        data = await _replay(store, match_id, number)
        name = f"match-{match_id}-game-{number}.replay"
        return Response(
            data,
            media_type="application/octet-stream",
            headers={"content-disposition": f'attachment; filename="{name}"'},
        )

    @get("/bracket")
    async def bracket(request: Request[Any, Any, Any], contest: _Number = None) -> Template:
        return await _contest_page(request, "contest/bracket.html", overview, contest)

    @get("/ranking")
    async def ranking(request: Request[Any, Any, Any], contest: _Number = None) -> Template:
        return await _contest_page(request, "contest/ranking.html", overview, contest)

    @websocket("/live")
    async def live(socket: WebSocket[Any, Any, Any]) -> None:
        wanted = _numbers(socket.query_params.getall("match", []))
        rows = [await overview.match(number) for number in wanted]
        await socket.accept()
        await _show(socket, hub, [view.row for view in rows if view is not None])

    return [home, matches, match, game, frames, replay, bracket, ranking, live]


# --- pages --------------------------------------------------------------------------------------

_LARGEST: Final = (1 << 63) - 1
"""No database knows larger numbers."""
_Number = Annotated[int | None, QueryParameter(ge=1, le=_LARGEST)]


async def _match(overview: Overview, match_id: int) -> MatchView:
    view = await overview.match(match_id) if match_id <= _LARGEST else None
    if view is None:
        raise NotFoundException(f"there is no match {match_id}")
    return view


async def _contest_page(
    request: Request[Any, Any, Any], template: str, overview: Overview, contest: int | None
) -> Template:
    try:
        view = await overview.contest(contest)
    except UnknownEntryError:
        raise NotFoundException(f"there is no contest {contest}") from None
    others = await overview.contests()
    return page(request, template, view=view, others=others)


# --- replays ------------------------------------------------------------------------------------

_MOST_KEPT: Final = 24


async def _replay(store: Store, match_id: int, number: int) -> bytes:
    data = None
    if max(match_id, number) <= _LARGEST:
        data = await asyncio.to_thread(store.matches.replay, match_id, number)
    if data is None:
        raise NotFoundException(f"there is no game {number} of a match {match_id} here")
    return data


class _Playbacks:
    """The last ones that were asked for: games that are over change no more."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: dict[tuple[int, int], bytes] = {}
        # One at a time: others have to be served meanwhile.
        self._lock = asyncio.Lock()

    async def find(self, match_id: int, number: int) -> bytes:
        key = match_id, number
        async with self._lock:
            found = self._kept.pop(key, None)
            if found is None:
                replay = await _replay(self._store, match_id, number)
                try:
                    found = await asyncio.to_thread(playback, replay)
                except FormatError as error:
                    raise NotFoundException(f"this replay cannot be shown: {error}") from error
            self._kept[key] = found
            if len(self._kept) > _MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            return found


# --- the line -----------------------------------------------------------------------------------

_MOST_HEARD: Final = 100
"""Messages of a page: it has nothing to say."""
_PATIENCE: Final = 20.0
"""Seconds that a page may take to take one message."""
_TRY_LATER: Final = 1013
"""What WebSockets call it when a server is too busy."""


def _numbers(texts: Sequence[str]) -> list[int]:
    numbers = [int(text) for text in texts if text.isdecimal() and len(text) < 19]
    return list(dict.fromkeys(numbers))[:MOST_MATCHES]


async def _show(socket: WebSocket[Any, Any, Any], hub: LiveHub, rows: Sequence[MatchRow]) -> None:
    try:
        onlooker = hub.join([Subject.of(row) for row in rows])
    except TooManyOnlookersError as error:
        await _close(socket, str(error))
        return
    for row in rows:
        if row.state in {"done", "called off"}:
            hub.end(row.token)
    both = [
        asyncio.create_task(_tell(socket, onlooker)),
        asyncio.create_task(_wait_until_gone(socket)),
    ]
    try:
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    finally:
        hub.leave(onlooker)
        for task in both:
            task.cancel()
        await asyncio.gather(*both, return_exceptions=True)


async def _tell(socket: WebSocket[Any, Any, Any], onlooker: Onlooker) -> None:
    # uvicorn's word for a socket that was closed meanwhile is an OSError.
    with contextlib.suppress(OSError, WebSocketDisconnect, TimeoutError):
        try:
            while True:
                for frame in await onlooker.look():
                    async with asyncio.timeout(_PATIENCE):
                        await socket.send_text(frame)
        except TooSlowError as error:
            await _close(socket, str(error))


async def _wait_until_gone(socket: WebSocket[Any, Any, Any]) -> None:
    with contextlib.suppress(OSError, RuntimeError, WebSocketDisconnect):
        for _ in range(_MOST_HEARD):
            await socket.receive_data(mode="text")


async def _close(socket: WebSocket[Any, Any, Any], reason: str) -> None:
    """Close, unless the page was quicker."""
    with contextlib.suppress(OSError, RuntimeError, WebSocketDisconnect):
        await socket.close(_TRY_LATER, reason)
