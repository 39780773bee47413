"""What organisers find: teams, game servers, matches, who did what."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

from litestar import Request, Response, get, post
from litestar.params import FromPath, FromQuery  # noqa: TC002  # Litestar reads the annotations
from litestar.response import Redirect, Template

from sevenbag.contest.passwords import TooBusyError
from sevenbag.contest.store import UNFINISHED, expect_other_than
from sevenbag.errors import InputError, NameTakenError
from sevenbag.web.contest.accounts import LONGEST_SHOWN, PASSWORD_LIMITS
from sevenbag.web.contest.forms import read_form
from sevenbag.web.contest.invitations import admin_path, password_path
from sevenbag.web.contest.pages import page
from sevenbag.web.contest.visit import visitor_of

if TYPE_CHECKING:
    from litestar.handlers import HTTPRouteHandler

    from sevenbag.web.contest.desk import Desk

AnyRequest = Request[Any, Any, Any]

_A_PAGE: Final = 100


def admin_routes(desk: Desk) -> list[HTTPRouteHandler]:
    """The routes of this file, below ``/admin``; contests have their own."""
    store = desk.store

    @get("/")
    async def overview(request: AnyRequest) -> Template:
        return page(
            request,
            "contest/admin.html",
            contests=await asyncio.to_thread(store.contests.list),
            counts=await asyncio.to_thread(store.matches.counts),
            open_matches=await asyncio.to_thread(
                store.matches.list, states=UNFINISHED, limit=_A_PAGE
            ),
            servers=desk.scheduler.servers(),
            teams=await asyncio.to_thread(store.teams.count),
        )

    async def teams_page(
        request: AnyRequest, after: str = "", *, wrong: str = "", name: str = "", link: str = ""
    ) -> Template:
        found = await asyncio.to_thread(store.teams.list, limit=_A_PAGE + 1, after=after)
        return page(
            request,
            "contest/admin_teams.html",
            status=422 if wrong else 200,
            teams=found[:_A_PAGE],
            more=found[_A_PAGE - 1].name if len(found) > _A_PAGE else None,
            wrong=wrong,
            name=name[:LONGEST_SHOWN],
            link=link,
            limits=PASSWORD_LIMITS,
        )

    @get("/teams")
    async def teams(request: AnyRequest, after: FromQuery[str] = "") -> Template:
        return await teams_page(request, after[:LONGEST_SHOWN])

    @post("/teams", status_code=200)
    async def add_team(request: AnyRequest) -> Response[Any]:
        form = await read_form(request)
        name = form.text("name").strip()
        try:
            expect_other_than(name, desk.settings.test_client.name)
            password_hash = await desk.passwords.hash(form.text("password"))
            await asyncio.to_thread(store.teams.add, name, password_hash)
        except (InputError, NameTakenError, TooBusyError) as error:
            return await teams_page(request, wrong=str(error), name=name)
        await desk.note(visitor_of(request), "team added", name)
        return Redirect("/admin/teams", status_code=303)

    @post("/teams/{team_id:int}/password-link", status_code=200)
    async def password_link(request: AnyRequest, team_id: FromPath[int]) -> Template:
        await read_form(request)
        team = await asyncio.to_thread(store.teams.get, team_id)
        path = await asyncio.to_thread(password_path, store, team.id)
        await desk.note(visitor_of(request), "link for a new password made", team.name)
        # Shown once: the store has a hash of it only.
        return await teams_page(request, name=team.name, link=path)

    @post("/teams/{team_id:int}/disable", status_code=303)
    async def disable(request: AnyRequest, team_id: FromPath[int]) -> Redirect:
        return await _set_disabled(desk, request, team_id, disabled=True)

    @post("/teams/{team_id:int}/enable", status_code=303)
    async def enable(request: AnyRequest, team_id: FromPath[int]) -> Redirect:
        return await _set_disabled(desk, request, team_id, disabled=False)

    @get("/organisers")
    async def organisers(request: AnyRequest) -> Template:
        found = await asyncio.to_thread(store.admins.list)
        return page(request, "contest/admin_organisers.html", organisers=found, link="")

    @post("/organisers/link", status_code=200)
    async def organiser_link(request: AnyRequest) -> Template:
        await read_form(request)
        link = await asyncio.to_thread(admin_path, store)
        await desk.note(visitor_of(request), "link for a new organiser made")
        found = await asyncio.to_thread(store.admins.list)
        return page(request, "contest/admin_organisers.html", organisers=found, link=link)

    @post("/organisers/{admin_id:int}/disable", status_code=303)
    async def disable_organiser(request: AnyRequest, admin_id: FromPath[int]) -> Redirect:
        return await _set_organiser_disabled(desk, request, admin_id, disabled=True)

    @post("/organisers/{admin_id:int}/enable", status_code=303)
    async def enable_organiser(request: AnyRequest, admin_id: FromPath[int]) -> Redirect:
        return await _set_organiser_disabled(desk, request, admin_id, disabled=False)

    @post("/matches/{match_id:int}/call-off", status_code=303)
    async def call_off(request: AnyRequest, match_id: FromPath[int]) -> Redirect:
        await read_form(request)
        row = await asyncio.to_thread(store.matches.by_id, match_id)
        if row is not None:
            await desk.scheduler.call_off_match(row.token, "called off by the organisers")
            await desk.note(visitor_of(request), "match called off", f"{row.id}: {row.name}")
        return Redirect("/admin", status_code=303)

    @get("/audit")
    async def audit(request: AnyRequest, before: FromQuery[int | None] = None) -> Template:
        bounded = None if before is None else max(1, min(before, 1 << 53))
        rows = await asyncio.to_thread(store.audit.list, limit=_A_PAGE, before=bounded)
        more = rows[-1].id if len(rows) == _A_PAGE else None
        return page(request, "contest/admin_audit.html", rows=rows, more=more)

    return [
        overview,
        teams,
        add_team,
        password_link,
        disable,
        enable,
        organisers,
        organiser_link,
        disable_organiser,
        enable_organiser,
        call_off,
        audit,
    ]


# --- helpers ------------------------------------------------------------------------------------


async def _set_disabled(
    desk: Desk, request: AnyRequest, team_id: int, *, disabled: bool
) -> Redirect:
    await read_form(request)
    team = await asyncio.to_thread(desk.store.teams.get, team_id)
    await asyncio.to_thread(desk.store.teams.set_disabled, team.id, disabled)
    what = "team disabled" if disabled else "team enabled"
    await desk.note(visitor_of(request), what, team.name)
    return Redirect("/admin/teams", status_code=303)


async def _set_organiser_disabled(
    desk: Desk, request: AnyRequest, admin_id: int, *, disabled: bool
) -> Redirect:
    await read_form(request)
    visitor = visitor_of(request)
    if visitor.admin is not None and visitor.admin.id == admin_id:
        raise InputError("nobody shuts out themselves: another organiser has to do it")
    admin = await asyncio.to_thread(desk.store.admins.get, admin_id)
    await asyncio.to_thread(desk.store.admins.set_disabled, admin.id, disabled)
    await desk.note(visitor, "organiser disabled" if disabled else "organiser enabled", admin.name)
    return Redirect("/admin/organisers", status_code=303)
