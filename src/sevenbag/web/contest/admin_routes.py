"""Routes for administrators: teams, contests, rules, accounts and the audit log."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from litestar import Controller, Response, get, post
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, FromQuery
from litestar.response import Redirect, Template

from sevenbag.config.loader import (
    describe_fields,
    format_fields,
    format_toml,
    loads_toml,
    parse_fields,
)
from sevenbag.contest.bracket import ContestPlan
from sevenbag.contest.passwords import TooBusyError
from sevenbag.contest.ranking import TeamStanding
from sevenbag.contest.settings import ContestRules, GameRules, MatchRules
from sevenbag.contest.store import UNFINISHED, ContestRow, reject_reserved_name
from sevenbag.errors import InputError, NameTakenError, SchedulerError, SettingsError, shown
from sevenbag.web.contest.account_routes import (
    MAX_ECHOED_LENGTH,
    PASSWORD_LIMITS,
    Form,
    Session,
    Site,
    create_admin_invitation,
    create_password_invitation,
)
from sevenbag.web.contest.site_authentication import BrowserSession, require_admin
from sevenbag.web.contest.site_context import SiteContext
from sevenbag.web.contest.site_pages import SubmittedForm, render_page, require_form_token

_PAGE_SIZE: Final = 100
_MAX_TEAMS: Final = 1_024
_MAX_PLACE_DIGITS: Final = 6
_CANCEL_REASON: Final = "called off by the organisers"


class AdminController(Controller):
    """Pages for teams, matches, administrators and the audit log."""

    path = "/admin"
    guards = (require_admin, require_form_token)

    @get("/")
    async def show(self, site: Site, session: Session) -> Template:
        """Show contests, game servers and open matches."""
        store = site.store
        return render_page(
            session,
            "contest/admin.html",
            contests=await asyncio.to_thread(store.contests.list),
            counts=await asyncio.to_thread(store.matches.counts),
            open_matches=await asyncio.to_thread(
                store.matches.list, states=UNFINISHED, limit=_PAGE_SIZE
            ),
            servers=site.scheduler.list_servers(),
            teams=await asyncio.to_thread(store.teams.count),
        )

    @get("/teams", sync_to_thread=True)
    def list_teams(self, site: Site, session: Session, after: FromQuery[str] = "") -> Template:
        """Show the teams in alphabetical order."""
        return _render_teams(site, session, after[:MAX_ECHOED_LENGTH])

    @post("/teams", status_code=200)
    async def add_team(self, site: Site, session: Session, form: Form) -> Response[Any]:
        """Add a team."""
        name = form.text("name").strip()
        try:
            reject_reserved_name(name, site.settings.test_client.name)
            password_hash = await site.passwords.hash(form.text("password"))
            await asyncio.to_thread(site.store.teams.add, name, password_hash)
        except (InputError, NameTakenError, TooBusyError) as error:
            return await asyncio.to_thread(
                _render_teams, site, session, error=str(error), name=name
            )
        await asyncio.to_thread(site.audit, session, "team added", name)
        return Redirect("/admin/teams", status_code=303)

    @post("/teams/{team_id:int}/password-link", status_code=200, sync_to_thread=True)
    def create_password_link(
        self, site: Site, session: Session, team_id: FromPath[int]
    ) -> Template:
        """Create a link for a team's new password, and show it once."""
        team = site.store.teams.get(team_id)
        link = create_password_invitation(site.store, team.id)
        site.audit(session, "password link created", team.name)
        return _render_teams(site, session, name=team.name, link=link)

    @post("/teams/{team_id:int}/disable", status_code=303, sync_to_thread=True)
    def disable_team(self, site: Site, session: Session, team_id: FromPath[int]) -> Redirect:
        """Log a team out and reject its logins."""
        return _set_team_disabled(site, session, team_id, disabled=True)

    @post("/teams/{team_id:int}/enable", status_code=303, sync_to_thread=True)
    def enable_team(self, site: Site, session: Session, team_id: FromPath[int]) -> Redirect:
        """Accept a team's logins again."""
        return _set_team_disabled(site, session, team_id, disabled=False)

    @get("/organisers", sync_to_thread=True)
    def list_admins(self, site: Site, session: Session) -> Template:
        """Show the administrators."""
        return _render_admins(site, session)

    @post("/organisers/link", status_code=200, sync_to_thread=True)
    def invite_admin(self, site: Site, session: Session) -> Template:
        """Create an invitation of an administrator, and show it once."""
        link = create_admin_invitation(site.store)
        site.audit(session, "admin invitation created")
        return _render_admins(site, session, link)

    @post("/organisers/{admin_id:int}/disable", status_code=303, sync_to_thread=True)
    def disable_admin(self, site: Site, session: Session, admin_id: FromPath[int]) -> Redirect:
        """Log an administrator out and reject their logins."""
        return _set_admin_disabled(site, session, admin_id, disabled=True)

    @post("/organisers/{admin_id:int}/enable", status_code=303, sync_to_thread=True)
    def enable_admin(self, site: Site, session: Session, admin_id: FromPath[int]) -> Redirect:
        """Accept an administrator's logins again."""
        return _set_admin_disabled(site, session, admin_id, disabled=False)

    @post("/matches/{match_id:int}/call-off", status_code=303)
    async def cancel_match(self, site: Site, session: Session, match_id: FromPath[int]) -> Redirect:
        """Call a match off."""
        row = await asyncio.to_thread(site.store.matches.find_by_id, match_id)
        if row is not None:
            await site.scheduler.cancel_match(row.token, _CANCEL_REASON)
            target = f"{row.id}: {row.name}"
            await asyncio.to_thread(site.audit, session, "match called off", target)
        return Redirect("/admin", status_code=303)

    @get("/audit", sync_to_thread=True)
    def list_audit(
        self, site: Site, session: Session, before: FromQuery[int | None] = None
    ) -> Template:
        """Show the audit log, newest entries first."""
        rows = site.store.audit.list(limit=_PAGE_SIZE, before=before)
        more = rows[-1].id if len(rows) == _PAGE_SIZE else None
        return render_page(session, "contest/admin_audit.html", rows=rows, more=more)


class ContestController(Controller):
    """Pages for contests: plan, rules and state."""

    path = "/admin/contests"
    guards = (require_admin, require_form_token)

    @get("/new", sync_to_thread=True)
    def show_new_plan(self, site: Site, session: Session) -> Template:
        """Show the form of a new contest."""
        return _render_plan(site, session, None)

    @post("/new", status_code=200)
    async def create_contest(self, site: Site, session: Session, form: Form) -> Response[Any]:
        """Create a contest."""
        try:
            row = await site.scheduler.create_contest(
                form.text("name").strip(), _parse_entrants(form), plan=_parse_plan(form)
            )
        except (InputError, SchedulerError) as error:
            return await asyncio.to_thread(_render_plan, site, session, None, str(error), form)
        await asyncio.to_thread(site.audit, session, "contest planned", row.name)
        return _redirect_to_contest(row)

    @get("/{contest_id:int}", sync_to_thread=True)
    def show_contest(self, site: Site, session: Session, contest_id: FromPath[int]) -> Template:
        """Show a contest with its matches, ranking and rules."""
        contests = site.store.contests
        row = contests.get(contest_id)
        table: tuple[TeamStanding, ...] = ()
        champion: int | None = None
        # A contest that has not started may have too few teams for a tournament.
        if row.began is not None:
            tournament = contests.tournament(contest_id)
            table = tournament.ranking if row.plan.ranking else ()
            champion = tournament.champion
        matches = site.store.matches.list_of_contest(contest_id)
        return render_page(
            session,
            "contest/admin_contest.html",
            row=row,
            table=table,
            champion=None if champion is None else row.entrants[champion].name,
            matches=tuple(reversed(matches)),
            texts=format_fields(row.rules),
            fields=_RULE_FIELDS,
        )

    @get("/{contest_id:int}/plan", sync_to_thread=True)
    def show_plan(self, site: Site, session: Session, contest_id: FromPath[int]) -> Template:
        """Show the form of a contest's plan."""
        return _render_plan(site, session, _load_planned_contest(site, contest_id))

    @post("/{contest_id:int}/plan", status_code=200, sync_to_thread=True)
    def change_plan(
        self, site: Site, session: Session, form: Form, contest_id: FromPath[int]
    ) -> Response[Any]:
        """Change a contest's name, plan and teams."""
        row = _load_planned_contest(site, contest_id)
        try:
            teams = {team.name: team for team in site.store.teams.list(limit=_MAX_TEAMS)}
            changed = _update_contest(
                site,
                row,
                form,
                name=form.text("name").strip(),
                plan=_parse_plan(form),
                entrants=[teams[name].id for name in _parse_entrants(form) if name in teams],
            )
        except InputError as error:
            return _render_plan(site, session, row, str(error), form)
        site.audit(session, "contest's plan changed", changed.name)
        return _redirect_to_contest(row)

    @get("/{contest_id:int}/rules", sync_to_thread=True)
    def show_rules(self, site: Site, session: Session, contest_id: FromPath[int]) -> Template:
        """Show the forms of a contest's rules."""
        return _render_rules(session, _load_planned_contest(site, contest_id))

    @post("/{contest_id:int}/rules", status_code=200, sync_to_thread=True)
    def change_rules(
        self, site: Site, session: Session, form: Form, contest_id: FromPath[int]
    ) -> Response[Any]:
        """Change a contest's rules by fields."""
        row = _load_planned_contest(site, contest_id)
        texts = {name: form.text(name) for name in format_fields(row.rules)}
        try:
            _update_contest(site, row, form, rules=parse_fields(texts, ContestRules))
        except SettingsError as error:
            return _render_rules(session, row, texts=texts, errors=error.errors)
        except InputError as error:
            return _render_rules(session, row, texts=texts, errors={"": str(error)})
        site.audit(session, "contest's rules changed", row.name)
        return _redirect_to_contest(row)

    @post("/{contest_id:int}/rules-text", status_code=200, sync_to_thread=True)
    def change_rules_text(
        self, site: Site, session: Session, form: Form, contest_id: FromPath[int]
    ) -> Response[Any]:
        """Change a contest's rules by a TOML text."""
        row = _load_planned_contest(site, contest_id)
        text = form.text("toml")
        try:
            rules = loads_toml(text, ContestRules, "rules", error=SettingsError)
            _update_contest(site, row, form, rules=rules)
        except InputError as error:
            return _render_rules(session, row, toml=text, errors={"": str(error)})
        site.audit(session, "contest's rules changed", row.name)
        return _redirect_to_contest(row)

    @post("/{contest_id:int}/{action:str}", status_code=303)
    async def change_state(
        self, site: Site, session: Session, contest_id: FromPath[int], action: FromPath[str]
    ) -> Redirect:
        """Start, pause, resume or call off a contest."""
        scheduler = site.scheduler
        match action:
            case "start":
                row = await scheduler.start_contest(contest_id)
            case "pause":
                row = await scheduler.pause_contest(contest_id)
            case "resume":
                row = await scheduler.resume_contest(contest_id)
            case "call-off":
                row = await scheduler.cancel_contest(contest_id, _CANCEL_REASON)
            case _:
                raise NotFoundException("There is no such page.")
        await asyncio.to_thread(site.audit, session, _AUDIT_ACTIONS[action], row.name)
        return _redirect_to_contest(row)


@dataclass(frozen=True, slots=True)
class RuleField:
    """Form field of a rule.

    Attributes:
        name: name of the field, such as ``game.points``.
        label: name for the page.
        description: meaning of the rule.
        choices: allowed values; empty for free text.
    """

    name: str
    label: str
    description: str
    choices: tuple[str, ...]


_AUDIT_ACTIONS: Final = {
    "start": "contest started",
    "pause": "contest paused",
    "resume": "contest resumed",
    "call-off": "contest called off",
}


def _render_teams(
    site: SiteContext,
    session: BrowserSession,
    after: str = "",
    *,
    error: str = "",
    name: str = "",
    link: str = "",
) -> Template:
    teams = site.store.teams.list(limit=_PAGE_SIZE + 1, after=after)
    return render_page(
        session,
        "contest/admin_teams.html",
        status=422 if error else 200,
        teams=teams[:_PAGE_SIZE],
        more=teams[_PAGE_SIZE - 1].name if len(teams) > _PAGE_SIZE else None,
        error=error,
        name=name[:MAX_ECHOED_LENGTH],
        link=link,
        limits=PASSWORD_LIMITS,
    )


def _set_team_disabled(
    site: SiteContext, session: BrowserSession, team_id: int, *, disabled: bool
) -> Redirect:
    team = site.store.teams.get(team_id)
    site.store.teams.set_disabled(team.id, disabled)
    site.audit(session, "team disabled" if disabled else "team enabled", team.name)
    return Redirect("/admin/teams", status_code=303)


def _render_admins(site: SiteContext, session: BrowserSession, link: str = "") -> Template:
    admins = site.store.admins.list()
    return render_page(session, "contest/admin_admins.html", admins=admins, link=link)


def _set_admin_disabled(
    site: SiteContext, session: BrowserSession, admin_id: int, *, disabled: bool
) -> Redirect:
    if session.admin is not None and session.admin.id == admin_id:
        raise InputError("you cannot disable your own account")
    admin = site.store.admins.get(admin_id)
    site.store.admins.set_disabled(admin.id, disabled)
    site.audit(session, "admin disabled" if disabled else "admin enabled", admin.name)
    return Redirect("/admin/organisers", status_code=303)


def _redirect_to_contest(row: ContestRow) -> Redirect:
    return Redirect(f"/admin/contests/{row.id}", status_code=303)


def _load_planned_contest(site: SiteContext, contest_id: int) -> ContestRow:
    """Return a contest that has not started.

    Raises:
        SchedulerError: the contest has started.
        UnknownEntryError: there is no such contest.
    """
    row = site.store.contests.get(contest_id)
    if row.state != "planned":
        raise SchedulerError(
            f"This contest is {row.state}: plan and rules can be changed only before it starts."
        )
    return row


def _update_contest(
    site: SiteContext,
    row: ContestRow,
    form: SubmittedForm,
    *,
    name: str | None = None,
    rules: ContestRules | None = None,
    plan: ContestPlan | None = None,
    entrants: list[int] | None = None,
) -> ContestRow:
    """Change a contest, unless it has changed since the form was loaded.

    Raises:
        InputError: the contest has changed, or a value is invalid.
    """
    changed = None
    if form.integer("revision") == row.revision:
        changed = site.store.contests.update_plan(
            row, name=name, rules=rules, plan=plan, entrants=entrants
        )
    if changed is None:
        raise InputError("this contest was changed in the meantime; reload the page")
    return changed


def _render_plan(
    site: SiteContext,
    session: BrowserSession,
    row: ContestRow | None,
    error: str = "",
    form: SubmittedForm | None = None,
) -> Template:
    """Render the form of a contest's plan; submitted values are shown again."""
    chosen = [entrant.name for entrant in row.entrants] if row else None
    places = {name: str(place) for place, name in enumerate(chosen or (), start=1)}
    plan = row.plan if row else ContestPlan()
    name = row.name if row else ""
    if form is not None:
        chosen, name = list(form.values("team")), form.text("name")[:MAX_ECHOED_LENGTH]
        places = {team: form.text(f"place {team}")[:_MAX_PLACE_DIGITS] for team in chosen}
    return render_page(
        session,
        "contest/admin_plan.html",
        status=422 if error else 200,
        row=row,
        name=name,
        plan=_read_plan(form) if form is not None else msgspec.to_builtins(plan),
        teams=site.store.teams.list(limit=_MAX_TEAMS),
        chosen=chosen,
        places=places,
        error=error,
    )


def _parse_entrants(form: SubmittedForm) -> list[str]:
    """Return the names of the chosen teams by place; teams without a place come last.

    Raises:
        InputError: a place is invalid.
    """
    places: dict[str, int] = {}
    for name in form.values("team"):
        text = form.text(f"place {name}").strip() or "9" * _MAX_PLACE_DIGITS
        if not (text.isascii() and text.isdecimal()) or len(text) > _MAX_PLACE_DIGITS:
            raise InputError(f"invalid place of {shown(name)}: expected an integer")
        places[name] = int(text)
    return sorted(places, key=places.__getitem__)


def _read_plan(form: SubmittedForm) -> dict[str, object]:
    return {
        "ranking": form.is_checked("ranking"),
        "bracket": form.is_checked("bracket"),
        "third_place": form.is_checked("third_place"),
        "qualifiers": form.text("qualifiers").strip()[:20],
        "seed": form.text("seed").strip()[:20],
    }


def _parse_plan(form: SubmittedForm) -> ContestPlan:
    """Parse the plan in a form.

    Raises:
        InputError: the plan is invalid.
    """
    plan = _read_plan(form)
    for key in ("qualifiers", "seed"):
        text = form.text(key).strip() or "0"
        if not (text.isascii() and text.isdecimal()) or len(text) > 18:
            raise InputError(f"invalid {key}: expected a non-negative integer")
        plan[key] = int(text)
    try:
        return msgspec.convert(plan, ContestPlan)
    except msgspec.ValidationError as error:
        raise InputError(str(error)) from None


def _render_rules(
    session: BrowserSession,
    row: ContestRow,
    *,
    texts: Mapping[str, str] | None = None,
    toml: str | None = None,
    errors: Mapping[str, str] | None = None,
) -> Template:
    """Render the forms of a contest's rules: fields, and a TOML text."""
    return render_page(
        session,
        "contest/admin_rules.html",
        status=422 if errors else 200,
        row=row,
        fields=_RULE_FIELDS,
        texts=format_fields(row.rules) if texts is None else texts,
        toml=format_toml(row.rules) if toml is None else toml,
        as_text=toml is not None,
        errors=errors or {},
    )


_RULE_FIELDS: Final = {
    section: tuple(
        RuleField(
            f"{section}.{key}",
            key.replace("_", " "),
            field.description.replace("`", ""),
            field.choices,
        )
        for key, field in describe_fields(rules).items()
    )
    for section, rules in (("game", GameRules), ("match", MatchRules))
}
