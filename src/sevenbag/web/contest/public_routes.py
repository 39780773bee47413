"""Public pages: live matches, replays, bracket and ranking.

They need no login. They identify matches by number, since a match's token is secret.
"""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Sequence
from typing import Annotated, Any, Final

import msgspec
from litestar import Controller, Request, Response, WebSocket, get, websocket
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, QueryParameter
from litestar.response import Template

from sevenbag.contest.game.cell_tracker import UNKNOWN
from sevenbag.contest.store import MatchRow, Store
from sevenbag.drawing.picture import COLORS
from sevenbag.errors import FormatError, UnknownEntryError
from sevenbag.protocols.pason.pason_conversion import SHAPES
from sevenbag.web.contest.account_routes import Session, Site
from sevenbag.web.contest.live_broadcast import (
    LiveBroadcaster,
    LiveViewer,
    SlowViewerError,
    ViewerLimitError,
    WatchedMatch,
)
from sevenbag.web.contest.match_frames import render_replay
from sevenbag.web.contest.overview import MATCHES_PER_PAGE, MatchOverview, SiteOverview
from sevenbag.web.contest.site_authentication import BrowserSession
from sevenbag.web.contest.site_pages import render_page
from sevenbag.web.core.http_server import SocketClosedError, TextSocket

DRAWING_DATA: Final = msgspec.json.encode(
    {"colors": COLORS | {UNKNOWN: "#66708a"}, "shapes": SHAPES}
).decode()
"""Colours and shapes of pieces, for the scripts of the pages."""
MAX_WATCHED_MATCHES: Final = 16
"""Maximum number of matches that one page watches."""
_MAX_CACHED_REPLAYS: Final = 24
_MAX_PAGE_MESSAGES: Final = 100
"""Maximum number of messages from a page, which has no reason to send any."""
_SEND_TIMEOUT: Final = 20.0
_TRY_AGAIN_LATER: Final = 1013


class ReplayAnimations:
    """Cache of the animations of finished games, which do not change."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._cache: dict[tuple[int, int], bytes] = {}
        # One at a time, so that other requests are served meanwhile.
        self._lock = asyncio.Lock()

    async def load(self, match_id: int, number: int) -> bytes:
        """Return the animation of a game, compressed by gzip.

        Raises:
            NotFoundException: there is no such game, or its replay cannot be read.
        """
        key = match_id, number
        async with self._lock:
            animation = self._cache.pop(key, None)
            if animation is None:
                replay = await asyncio.to_thread(_load_replay, self._store, match_id, number)
                try:
                    animation = await asyncio.to_thread(render_replay, replay)
                except FormatError as error:
                    raise NotFoundException(f"this replay cannot be shown: {error}") from error
            self._cache[key] = animation
            if len(self._cache) > _MAX_CACHED_REPLAYS:
                del self._cache[next(iter(self._cache))]
            return animation


Overview = NamedDependency[SiteOverview]
Animations = NamedDependency[ReplayAnimations]
Broadcaster = NamedDependency[LiveBroadcaster]
OptionalId = Annotated[int | None, QueryParameter(ge=1)]


class PublicController(Controller):
    """Public pages."""

    @get("/")
    async def show_home(self, session: Session, overview: Overview) -> Template:
        """Show the current contest and live matches."""
        view = await overview.load_home()
        return render_page(session, "contest/home.html", view=view, drawing=DRAWING_DATA)

    @get("/matches")
    async def list_matches(
        self, session: Session, overview: Overview, before: OptionalId = None
    ) -> Template:
        """Show a page of matches."""
        rows = await overview.list_matches(before)
        more = min(row.id for row in rows) if len(rows) == MATCHES_PER_PAGE else None
        return render_page(
            session, "contest/matches.html", rows=rows, more=more, first=before is None
        )

    @get("/matches/{match_id:int}")
    async def show_match(
        self, session: Session, overview: Overview, match_id: FromPath[int]
    ) -> Template:
        """Show a match, live or finished."""
        view = await _load_match(overview, match_id)
        return render_page(session, "contest/match.html", view=view, drawing=DRAWING_DATA)

    @get("/matches/{match_id:int}/games/{number:int}")
    async def show_game(
        self, session: Session, overview: Overview, match_id: FromPath[int], number: FromPath[int]
    ) -> Template:
        """Show the replay of a game."""
        view = await _load_match(overview, match_id)
        game = next((each for each in view.games if each.number == number), None)
        if game is None:
            raise NotFoundException(f"match {match_id} has no finished game {number}")
        return render_page(session, "contest/game.html", view=view, game=game, drawing=DRAWING_DATA)

    @get("/matches/{match_id:int}/games/{number:int}/frames")
    async def get_frames(
        self,
        request: Request[Any, Any, Any],
        animations: Animations,
        match_id: FromPath[int],
        number: FromPath[int],
    ) -> Response[bytes]:
        """Return the animation of a game as JSON."""
        compressed = await animations.load(match_id, number)
        if "gzip" in request.headers.get("accept-encoding", ""):
            headers = {"content-encoding": "gzip", "vary": "accept-encoding"}
            return Response(compressed, media_type="application/json", headers=headers)
        plain = await asyncio.to_thread(gzip.decompress, compressed)
        return Response(plain, media_type="application/json")

    @get("/matches/{match_id:int}/games/{number:int}/replay", sync_to_thread=True)
    def get_replay(
        self, site: Site, match_id: FromPath[int], number: FromPath[int]
    ) -> Response[bytes]:
        """Return the replay file of a game."""
        name = f"match-{match_id}-game-{number}.replay"
        return Response(
            _load_replay(site.store, match_id, number),
            media_type="application/octet-stream",
            headers={"content-disposition": f'attachment; filename="{name}"'},
        )

    @get("/bracket")
    async def show_bracket(
        self, session: Session, overview: Overview, contest: OptionalId = None
    ) -> Template:
        """Show the bracket of a contest."""
        return await _render_contest(session, "contest/bracket.html", overview, contest)

    @get("/ranking")
    async def show_ranking(
        self, session: Session, overview: Overview, contest: OptionalId = None
    ) -> Template:
        """Show the ranking of a contest."""
        return await _render_contest(session, "contest/ranking.html", overview, contest)

    @websocket("/live")
    async def watch(
        self, socket: WebSocket[Any, Any, Any], overview: Overview, broadcaster: Broadcaster
    ) -> None:
        """Send live events of matches to a page."""
        ids = _parse_ids(socket.query_params.getall("match", []))
        views = [await overview.load_match(match_id) for match_id in ids]
        await socket.accept()
        rows = [view.row for view in views if view is not None]
        await _broadcast(TextSocket(socket), broadcaster, rows)


async def _load_match(overview: SiteOverview, match_id: int) -> MatchOverview:
    view = await overview.load_match(match_id)
    if view is None:
        raise NotFoundException(f"there is no match {match_id}")
    return view


async def _render_contest(
    session: BrowserSession, template: str, overview: SiteOverview, contest: int | None
) -> Template:
    try:
        view = await overview.load_contest(contest)
    except UnknownEntryError:
        raise NotFoundException(f"there is no contest {contest}") from None
    others = await overview.list_contests()
    return render_page(session, template, view=view, others=others)


def _load_replay(store: Store, match_id: int, number: int) -> bytes:
    data = store.matches.read_replay(match_id, number)
    if data is None:
        raise NotFoundException(f"there is no game {number} of a match {match_id}")
    return data


def _parse_ids(texts: Sequence[str]) -> list[int]:
    ids = [int(text) for text in texts if text.isdecimal() and len(text) < 19]
    return list(dict.fromkeys(ids))[:MAX_WATCHED_MATCHES]


async def _broadcast(
    socket: TextSocket, broadcaster: LiveBroadcaster, rows: Sequence[MatchRow]
) -> None:
    try:
        viewer = broadcaster.subscribe([WatchedMatch.from_row(row) for row in rows])
    except ViewerLimitError as error:
        await socket.close(_TRY_AGAIN_LATER, str(error))
        return
    for row in rows:
        if row.state in {"done", "called off"}:
            broadcaster.finish_match(row.token)
    tasks = [
        asyncio.create_task(_send_frames(socket, viewer)),
        asyncio.create_task(_wait_until_closed(socket)),
    ]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        broadcaster.unsubscribe(viewer)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _send_frames(socket: TextSocket, viewer: LiveViewer) -> None:
    try:
        while True:
            for frame in await viewer.next_frames():
                async with asyncio.timeout(_SEND_TIMEOUT):
                    await socket.send(frame)
    except (SocketClosedError, TimeoutError):
        pass
    except SlowViewerError as error:
        await socket.close(_TRY_AGAIN_LATER, str(error))


async def _wait_until_closed(socket: TextSocket) -> None:
    try:
        for _ in range(_MAX_PAGE_MESSAGES):
            await socket.receive()
    except SocketClosedError:
        pass
