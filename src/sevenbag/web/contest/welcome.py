"""What links lead to that work once: a new organiser, a team's new password."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from litestar import Request, Response, get, post
from litestar.exceptions import NotFoundException
from litestar.params import FromPath  # noqa: TC002  # Litestar reads the annotations of handlers
from litestar.response import Redirect, Template

from sevenbag.contest.passwords import TooBusyError
from sevenbag.contest.store.names import checked_name
from sevenbag.errors import InputError, NameTakenError
from sevenbag.web.contest.accounts import LONGEST_SHOWN, PASSWORD_LIMITS, enter, new_password
from sevenbag.web.contest.forms import read_form
from sevenbag.web.contest.pages import page
from sevenbag.web.contest.visit import visitor_of

if TYPE_CHECKING:
    from litestar.handlers import HTTPRouteHandler

    from sevenbag.contest.store import Invitation
    from sevenbag.web.contest.desk import Desk
    from sevenbag.web.contest.visit import Visitor

AnyRequest = Request[Any, Any, Any]


def welcome_routes(desk: Desk) -> list[HTTPRouteHandler]:
    """The routes of this file."""
    store = desk.store

    async def invited(word: str) -> Invitation:
        invitation = await asyncio.to_thread(store.invitations.look, word[:LONGEST_SHOWN])
        if invitation is None:
            raise NotFoundException(
                "This link has been used, or is too old, or never was one. Ask for a new one."
            )
        return invitation

    async def welcome(
        request: AnyRequest, invitation: Invitation, wrong: str = "", name: str = ""
    ) -> Template:
        team = ""
        if invitation.team_id is not None:
            team = (await asyncio.to_thread(store.teams.get, invitation.team_id)).name
        return page(
            request,
            "contest/welcome.html",
            status=422 if wrong else 200,
            team=team,
            wrong=wrong,
            name=name[:LONGEST_SHOWN],
            limits=PASSWORD_LIMITS,
        )

    @get("/welcome/{word:str}")
    async def welcome_page(request: AnyRequest, word: FromPath[str]) -> Template:
        return await welcome(request, await invited(word))

    @post("/welcome/{word:str}", status_code=200)
    async def accept(request: AnyRequest, word: FromPath[str]) -> Response[Any]:
        form = await read_form(request)
        visitor = visitor_of(request)
        invitation = await invited(word)
        name = form.text("name").strip()
        try:
            password_hash = await new_password(desk, form)
            # Before the link is used up.
            if invitation.team_id is None:
                checked_name(name, "an organiser")
                if await asyncio.to_thread(store.admins.find, name):
                    raise NameTakenError("there is an organiser of this name")
            if await asyncio.to_thread(store.invitations.take, word) is None:
                raise NotFoundException("This link has just been used.")
            if invitation.team_id is not None:
                return await renew(visitor, invitation.team_id, password_hash)
            admin = await asyncio.to_thread(store.admins.add, name, password_hash)
        except (InputError, NameTakenError, TooBusyError) as error:
            return await welcome(request, invitation, str(error), name)
        await desk.note_of(admin.name, visitor, "organiser joined by a link")
        await enter(desk, visitor, "admin", admin.id)
        return Redirect("/admin", status_code=303)

    async def renew(visitor: Visitor, team_id: int, password_hash: str) -> Redirect:
        team = await asyncio.to_thread(store.teams.get, team_id)
        await asyncio.to_thread(store.teams.set_password, team.id, password_hash)
        await desk.note_of(team.name, visitor, "new password by a link")
        # Not logged in by it: a disabled team stays out.
        return Redirect("/login", status_code=303)

    return [welcome_page, accept]
