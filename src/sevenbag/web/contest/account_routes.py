"""Routes for registration, login, logout and single-use links."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

from litestar import Request, Response, get, post
from litestar.exceptions import NotFoundException, PermissionDeniedException
from litestar.params import FromPath
from litestar.response import Redirect, Template

from sevenbag.contest.passwords import LONGEST, SHORTEST, TooBusyError
from sevenbag.contest.store import expect_other_than
from sevenbag.contest.store.rows import checked_name
from sevenbag.errors import InputError, NameTakenError
from sevenbag.web.contest.site_authentication import NotLetInError, visitor_of
from sevenbag.web.contest.site_context import ADMIN_SECONDS, TEAM_SECONDS
from sevenbag.web.contest.site_pages import page, read_form
from sevenbag.web.core.connection_limits import household

if TYPE_CHECKING:
    from litestar.handlers import HTTPRouteHandler

    from sevenbag.contest.settings import Settings
    from sevenbag.contest.store import Invitation, Role, Store
    from sevenbag.web.contest.site_authentication import Visitor
    from sevenbag.web.contest.site_context import Desk
    from sevenbag.web.contest.site_pages import Form

_SECONDS: Final = 86_400.0


def create_admin_link(store: Store, settings: Settings, address: str | None = None) -> str:
    """A link by which somebody becomes an organiser.

    Args:
        store: keeps a hash of it.
        settings: of the contest.
        address: of the site, where it is known; None for the one that the settings tell.
    """
    site = settings.site
    host = f"[{site.host}]" if ":" in site.host else site.host
    address = address or site.url or f"http://{host}:{site.port}"
    return address.rstrip("/") + admin_path(store)


def admin_path(store: Store) -> str:
    """The path of a page where somebody becomes an organiser."""
    return f"/welcome/{store.invitations.add('admin', lifetime=_SECONDS)}"


def password_path(store: Store, team_id: int) -> str:
    """The path of a page where a team gives itself a new password."""
    word = store.invitations.add("team password", team_id=team_id, lifetime=_SECONDS)
    return f"/welcome/{word}"


AnyRequest = Request[Any, Any, Any]

PASSWORD_LIMITS: Final = {"shortest": SHORTEST, "longest": LONGEST}
"""As forms have them."""
LONGEST_SHOWN: Final = 200
"""Characters of what was typed, when it is shown again."""


def account_routes(desk: Desk) -> list[HTTPRouteHandler]:
    """The routes of this file."""
    store, settings = desk.store, desk.settings

    @get("/register", sync_to_thread=False)
    def register_page(request: AnyRequest) -> Template:
        _need_registration(desk)
        return page(request, "contest/register.html", wrong="", name="", limits=PASSWORD_LIMITS)

    @post("/register", status_code=200)
    async def register(request: AnyRequest) -> Response[Any]:
        _need_registration(desk)
        form = await read_form(request)
        visitor = visitor_of(request)
        name = form.text("name").strip()
        try:
            expect_other_than(name, settings.test_client.name)
            if not desk.registrations.take(household(visitor.address)):
                raise NotLetInError("too many teams come from one place; try again later", 429)
            password_hash = await new_password(desk, form)
            team = await asyncio.to_thread(store.teams.add, name, password_hash)
        except (InputError, NameTakenError, TooBusyError, NotLetInError) as error:
            return page(
                request,
                "contest/register.html",
                status=error.status if isinstance(error, NotLetInError) else 422,
                wrong=str(error),
                name=name[:LONGEST_SHOWN],
                limits=PASSWORD_LIMITS,
            )
        await desk.note_of(team.name, visitor, "team registered")
        await enter(desk, visitor, "team", team.id)
        return Redirect("/team", status_code=303)

    @get("/login", sync_to_thread=False)
    def login_page(request: AnyRequest) -> Template:
        return page(request, "contest/login.html", role="team", wrong="", name="")

    @get("/login/organiser", sync_to_thread=False)
    def admin_login_page(request: AnyRequest) -> Template:
        return page(request, "contest/login.html", role="admin", wrong="", name="")

    async def log_in(request: AnyRequest, role: Role) -> Response[Any]:
        form = await read_form(request)
        visitor = visitor_of(request)
        let_in = desk.entrance.team if role == "team" else desk.entrance.admin
        name = form.text("name").strip()
        try:
            account = await let_in(name, form.text("password"), visitor.address)
        except (NotLetInError, TooBusyError) as error:
            return page(
                request,
                "contest/login.html",
                status=error.status if isinstance(error, NotLetInError) else 503,
                role=role,
                wrong=str(error),
                name=name[:LONGEST_SHOWN],
            )
        if role == "admin":
            await desk.note_of(account.name, visitor, "organiser logged in")
        await enter(desk, visitor, role, account.id)
        return Redirect("/admin" if role == "admin" else "/team", status_code=303)

    @post("/login", status_code=200)
    async def login(request: AnyRequest) -> Response[Any]:
        return await log_in(request, "team")

    @post("/login/organiser", status_code=200)
    async def admin_login(request: AnyRequest) -> Response[Any]:
        return await log_in(request, "admin")

    @post("/logout", status_code=303)
    async def logout(request: AnyRequest) -> Redirect:
        await read_form(request)
        visitor = visitor_of(request)
        if visitor.session_token:
            await asyncio.to_thread(store.sessions.close, visitor.session_token)
            visitor.goes()
        return Redirect("/", status_code=303)

    return [
        register_page,
        register,
        login_page,
        login,
        admin_login_page,
        admin_login,
        logout,
    ]


async def change_password(desk: Desk, visitor: Visitor, form: Form) -> None:
    """Give a team that is logged in the password that it has chosen, and end its other sessions.

    Raises:
        InputError, NotLetInError, TooBusyError: the password stays as it was.
    """
    team = visitor.team
    assert team is not None
    await desk.entrance.team(team.name, form.text("old_password"), visitor.address)
    password_hash = await new_password(desk, form)
    await asyncio.to_thread(desk.store.teams.set_password, team.id, password_hash)
    await desk.note(visitor, "new password")
    await enter(desk, visitor, "team", team.id)


async def new_password(desk: Desk, form: Form) -> str:
    """The hash of the password that a form sets.

    Raises:
        InputError: it may not be set, or is not the same twice.
        TooBusyError: too many are to be made.
    """
    password = form.text("password")
    if password != form.text("password_again"):
        raise InputError("the two passwords are not the same")
    return await desk.passwords.hash(password)


async def enter(desk: Desk, visitor: Visitor, role: Role, number: int) -> None:
    """A session of its own each time, whatever cookie came with the request."""
    seconds = TEAM_SECONDS if role == "team" else ADMIN_SECONDS
    if visitor.session_token:
        await asyncio.to_thread(desk.store.sessions.close, visitor.session_token)
    await asyncio.to_thread(desk.store.sessions.prune)
    token = await asyncio.to_thread(desk.store.sessions.open, role, number, seconds)
    visitor.enters(token, seconds)


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


# --- helpers ------------------------------------------------------------------------------------


def _need_registration(desk: Desk) -> None:
    if not desk.settings.site.open_registration:
        raise PermissionDeniedException(
            "Teams are registered by the organisers; ask them for a name and a password."
        )
