"""Routes for registration, login, logout and single-use links."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from litestar import Controller, Response, get, post
from litestar.connection import ASGIConnection
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException, PermissionDeniedException
from litestar.handlers import BaseRouteHandler
from litestar.params import FromPath
from litestar.response import Redirect, Template

from sevenbag.contest.passwords import MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH, TooBusyError
from sevenbag.contest.settings import ContestSettings, bracket_host
from sevenbag.contest.store import Invitation, Role, Store, reject_reserved_name
from sevenbag.contest.store.rows import validate_name
from sevenbag.errors import InputError, NameTakenError
from sevenbag.web.contest.site_authentication import BrowserSession, LoginRejectedError
from sevenbag.web.contest.site_context import (
    ADMIN_SESSION_SECONDS,
    TEAM_SESSION_SECONDS,
    SiteContext,
)
from sevenbag.web.contest.site_pages import SubmittedForm, render_page, require_form_token
from sevenbag.web.core.connection_limits import client_key

PASSWORD_LIMITS: Final = {"shortest": MIN_PASSWORD_LENGTH, "longest": MAX_PASSWORD_LENGTH}
"""Length of passwords, for the templates of forms."""
MAX_ECHOED_LENGTH: Final = 200
"""Maximum length of input that a page shows again."""
_INVITATION_SECONDS: Final = 86_400.0

Site = NamedDependency[SiteContext]
Session = NamedDependency[BrowserSession]
Form = NamedDependency[SubmittedForm]


def create_admin_link(store: Store, settings: ContestSettings, address: str | None = None) -> str:
    """Create a link that makes its user an administrator.

    Args:
        store: store of the contest, which keeps a hash of the token.
        settings: settings of the contest.
        address: URL of the site; that of the settings by default.
    """
    site = settings.site
    address = address or site.url or f"http://{bracket_host(site.host)}:{site.port}"
    return address.rstrip("/") + create_admin_invitation(store)


def create_admin_invitation(store: Store) -> str:
    """Create an invitation of an administrator and return the path of its page."""
    return f"/welcome/{store.invitations.add('admin', lifetime=_INVITATION_SECONDS)}"


def create_password_invitation(store: Store, team_id: int) -> str:
    """Create a link for a team's new password and return the path of its page."""
    token = store.invitations.add("team password", team_id=team_id, lifetime=_INVITATION_SECONDS)
    return f"/welcome/{token}"


async def hash_new_password(site: SiteContext, form: SubmittedForm) -> str:
    """Return the hash of the password that a form sets.

    Raises:
        InputError: the password is invalid, or the repeated one differs.
        TooBusyError: too many passwords are being hashed.
    """
    password = form.text("password")
    if password != form.text("password_again"):
        raise InputError("the two passwords are not the same")
    return await site.passwords.hash(password)


async def start_session(
    site: SiteContext, session: BrowserSession, role: Role, account_id: int
) -> None:
    """Log an account in with a new session, whatever cookie the request had."""
    seconds = TEAM_SESSION_SECONDS if role == "team" else ADMIN_SESSION_SECONDS

    def open_session() -> str:
        sessions = site.store.sessions
        if session.token:
            sessions.close(session.token)
        sessions.prune()
        return sessions.open(role, account_id, seconds)

    session.start(await asyncio.to_thread(open_session), seconds)


def require_open_registration(
    connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler
) -> None:
    """Guard the routes of the registration."""
    if not connection.app.state.site.settings.site.open_registration:
        raise PermissionDeniedException(
            "Teams are registered by the administrators; ask them for a name and a password."
        )


class RegistrationController(Controller):
    """Registration of teams."""

    path = "/register"
    guards = (require_open_registration, require_form_token)

    @get(sync_to_thread=False)
    def show(self, session: Session) -> Template:
        """Show the form."""
        return _render_registration(session)

    @post(status_code=200)
    async def register(self, site: Site, session: Session, form: Form) -> Response[Any]:
        """Register a team and log it in."""
        name = form.text("name").strip()
        try:
            reject_reserved_name(name, site.settings.test_client.name)
            if not site.registration_limit.try_acquire(client_key(session.client)):
                raise LoginRejectedError("too many registrations; try again later", 429)
            password_hash = await hash_new_password(site, form)
            team = await asyncio.to_thread(site.store.teams.add, name, password_hash)
        except (InputError, NameTakenError, TooBusyError, LoginRejectedError) as error:
            status = error.status if isinstance(error, LoginRejectedError) else 422
            return _render_registration(session, status=status, error=str(error), name=name)
        await asyncio.to_thread(site.audit, session, "team registered", actor=team.name)
        await start_session(site, session, "team", team.id)
        return Redirect("/team", status_code=303)


class AccountController(Controller):
    """Login and logout."""

    guards = (require_form_token,)

    @get("/login", sync_to_thread=False)
    def show_team_login(self, session: Session) -> Template:
        """Show the login form of teams."""
        return _render_login(session, "team")

    @get("/login/organiser", sync_to_thread=False)
    def show_admin_login(self, session: Session) -> Template:
        """Show the login form of administrators."""
        return _render_login(session, "admin")

    @post("/login", status_code=200)
    async def log_team_in(self, site: Site, session: Session, form: Form) -> Response[Any]:
        """Log a team in."""
        return await _log_in(site, session, form, "team")

    @post("/login/organiser", status_code=200)
    async def log_admin_in(self, site: Site, session: Session, form: Form) -> Response[Any]:
        """Log an administrator in."""
        return await _log_in(site, session, form, "admin")

    @post("/logout", status_code=303, sync_to_thread=True)
    def log_out(self, site: Site, session: Session) -> Redirect:
        """End the session."""
        if session.token:
            site.store.sessions.close(session.token)
            session.end()
        return Redirect("/", status_code=303)


class InvitationController(Controller):
    """Single-use links: a new administrator, or a team's new password."""

    path = "/welcome/{token:str}"
    guards = (require_form_token,)

    @get(sync_to_thread=True)
    def show(self, site: Site, session: Session, token: FromPath[str]) -> Template:
        """Show the form."""
        return _render_invitation(site, session, _find_invitation(site, token))

    @post(status_code=200)
    async def accept(
        self, site: Site, session: Session, form: Form, token: FromPath[str]
    ) -> Response[Any]:
        """Create the administrator, or set the team's password."""
        invitation = await asyncio.to_thread(_find_invitation, site, token)
        name = form.text("name").strip()
        try:
            password_hash = await hash_new_password(site, form)
            account_id, actor = await asyncio.to_thread(
                _use_invitation, site, invitation, token, name, password_hash
            )
        except (InputError, NameTakenError, TooBusyError) as error:
            return await asyncio.to_thread(
                _render_invitation, site, session, invitation, str(error), name
            )
        if invitation.team_id is not None:
            await asyncio.to_thread(site.audit, session, "password changed by link", actor=actor)
            # The team is not logged in, since it may be disabled.
            return Redirect("/login", status_code=303)
        await asyncio.to_thread(site.audit, session, "admin joined by link", actor=actor)
        await start_session(site, session, "admin", account_id)
        return Redirect("/admin", status_code=303)


def _render_registration(
    session: BrowserSession, *, status: int = 200, error: str = "", name: str = ""
) -> Template:
    return render_page(
        session,
        "contest/register.html",
        status=status,
        error=error,
        name=name[:MAX_ECHOED_LENGTH],
        limits=PASSWORD_LIMITS,
    )


def _render_login(
    session: BrowserSession,
    role: Role,
    error: LoginRejectedError | TooBusyError | None = None,
    name: str = "",
) -> Template:
    status = error.status if isinstance(error, LoginRejectedError) else 503 if error else 200
    return render_page(
        session,
        "contest/login.html",
        status=status,
        role=role,
        error=str(error or ""),
        name=name[:MAX_ECHOED_LENGTH],
    )


async def _log_in(
    site: SiteContext, session: BrowserSession, form: SubmittedForm, role: Role
) -> Response[Any]:
    name = form.text("name").strip()
    try:
        account = await site.authenticator.authenticate(
            role, name, form.text("password"), session.client
        )
    except (LoginRejectedError, TooBusyError) as error:
        return _render_login(session, role, error, name)
    if role == "admin":
        await asyncio.to_thread(site.audit, session, "admin logged in", actor=account.name)
    await start_session(site, session, role, account.id)
    return Redirect("/team" if role == "team" else "/admin", status_code=303)


def _find_invitation(site: SiteContext, token: str) -> Invitation:
    invitation = site.store.invitations.find(token[:MAX_ECHOED_LENGTH])
    if invitation is None:
        raise NotFoundException("This link is used up, expired or invalid. Ask for a new one.")
    return invitation


def _use_invitation(
    site: SiteContext, invitation: Invitation, token: str, name: str, password_hash: str
) -> tuple[int, str]:
    """Use up an invitation; return the account's number and name."""
    store = site.store
    # An invalid name must not use up the link.
    if invitation.team_id is None:
        validate_name(name, "an administrator")
        if store.admins.find(name):
            raise NameTakenError("there is an administrator of this name")
    if store.invitations.redeem(token) is None:
        raise NotFoundException("This link has just been used.")
    if invitation.team_id is None:
        admin = store.admins.add(name, password_hash)
        return admin.id, admin.name
    team = store.teams.get(invitation.team_id)
    store.teams.set_password(team.id, password_hash)
    return team.id, team.name


def _render_invitation(
    site: SiteContext,
    session: BrowserSession,
    invitation: Invitation,
    error: str = "",
    name: str = "",
) -> Template:
    team_id = invitation.team_id
    return render_page(
        session,
        "contest/invitation.html",
        status=422 if error else 200,
        team="" if team_id is None else site.store.teams.get(team_id).name,
        error=error,
        name=name[:MAX_ECHOED_LENGTH],
        limits=PASSWORD_LIMITS,
    )
