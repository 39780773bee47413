"""Routes for administrators: teams, contests, rules, accounts and the audit log."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec
import msgspec.inspect as types
from litestar import Request, Response, get, post
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, FromQuery
from litestar.response import Redirect, Template

from sevenbag.contest import settings_loader
from sevenbag.contest.bracket import Plan
from sevenbag.contest.passwords import TooBusyError
from sevenbag.contest.settings import ContestRules, GameRules, MatchRules, Settings
from sevenbag.contest.store import UNFINISHED, expect_other_than
from sevenbag.errors import InputError, NameTakenError, SchedulerError, SettingsError, shown
from sevenbag.web.contest.account_routes import (
    LONGEST_SHOWN,
    PASSWORD_LIMITS,
    admin_path,
    password_path,
)
from sevenbag.web.contest.site_authentication import visitor_of
from sevenbag.web.contest.site_pages import Form, page, read_form

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from litestar.handlers import HTTPRouteHandler

    from sevenbag.contest.ranking import Standing
    from sevenbag.contest.store import ContestRow, Team
    from sevenbag.web.contest.site_context import Desk

AnyRequest = Request[Any, Any, Any]

_SECTIONS: Final[dict[str, type[msgspec.Struct]]] = {"game": GameRules, "match": MatchRules}


class WrongRulesError(SettingsError):
    """Rules that cannot be.

    Attributes:
        words: what is wrong by field, such as ``game.points``; under an empty name, what is wrong
            with the whole.
    """

    def __init__(self, words: Mapping[str, str]) -> None:
        super().__init__("; ".join(words.values()))
        self.words = dict(words)


@dataclass(frozen=True, slots=True)
class Field:
    """One rule in a form.

    Attributes:
        name: such as ``game.points``.
        label: the same for people.
        hint: what it means.
        choices: what may be chosen; empty for what is typed.
    """

    name: str
    label: str
    hint: str
    choices: tuple[str, ...]


def fields() -> dict[str, tuple[Field, ...]]:
    """All rules, by section."""
    return _FIELDS


def to_texts(rules: ContestRules) -> dict[str, str]:
    """Values of all fields."""
    whole = cast("dict[str, dict[str, object]]", msgspec.to_builtins(rules))
    return {
        f"{section}.{key}": _text(value)
        for section, values in whole.items()
        for key, value in values.items()
    }


def from_texts(texts: Mapping[str, str]) -> ContestRules:
    """Rules of a form; a field that is not there has its default.

    Raises:
        WrongRulesError: fields are wrong; all of them are named.
        SettingsError: each for itself is right, but not all together.
    """
    flags: list[str] = []
    wrong: dict[str, str] = {}
    for section, group in _FIELDS.items():
        for field in group:
            if field.name not in texts:
                continue
            key, text = field.name.removeprefix(f"{section}."), texts[field.name].strip()
            try:
                settings_loader.value_of(section, key, text)
            except SettingsError as error:
                wrong[field.name] = str(error).removeprefix(f"flag {section}.").strip()
            else:
                flags.append(f"{field.name}={text}")
    if wrong:
        raise WrongRulesError(wrong)
    return _rules(settings_loader.load(None, {}, flags))


def to_toml(rules: ContestRules) -> str:
    """Rules as the sections of a settings file."""
    whole = Settings(game=rules.game, match=rules.match)
    return settings_loader.as_toml(whole, sections=tuple(_SECTIONS))


def from_toml(text: str) -> ContestRules:
    """Rules of such sections.

    Raises:
        WrongRulesError: it is no TOML, or has something else; the line is named.
    """
    try:
        return _rules(settings_loader.loads(text, "rules", sections=tuple(_SECTIONS)))
    except SettingsError as error:
        raise WrongRulesError({"": str(error).removeprefix("rules: ")}) from None


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


_MOST_TEAMS: Final = 1_024
_LONGEST_PLACE: Final = 6
_CALLED_OFF: Final = "called off by the organisers"


def contest_routes(desk: Desk) -> list[HTTPRouteHandler]:
    """The routes of this file, below ``/admin``."""
    store, scheduler = desk.store, desk.scheduler
    deeds: dict[str, tuple[str, Callable[[int], Awaitable[ContestRow]]]] = {
        "start": ("contest started", scheduler.start_contest),
        "pause": ("contest paused", scheduler.pause_contest),
        "resume": ("contest resumed", scheduler.resume_contest),
        "call-off": (
            "contest called off",
            lambda contest_id: scheduler.call_off_contest(contest_id, _CALLED_OFF),
        ),
    }

    async def planning(
        request: AnyRequest, row: ContestRow | None, wrong: str = "", form: Form | None = None
    ) -> Template:
        """The page on which a contest is planned, or changed before it runs."""
        chosen = [entrant.name for entrant in row.entrants] if row else None
        places = {name: str(place) for place, name in enumerate(chosen or (), start=1)}
        plan = row.plan if row else Plan()
        name = row.name if row else ""
        if form is not None:
            chosen, name = list(form.all("team")), form.text("name")[:200]
            places = {team: form.text(f"place {team}")[:_LONGEST_PLACE] for team in chosen}
        return page(
            request,
            "contest/admin_plan.html",
            status=422 if wrong else 200,
            row=row,
            name=name,
            # What was sent is what is shown again, also where it was wrong.
            plan=_plan_as_sent(form) if form is not None else msgspec.to_builtins(plan),
            teams=await asyncio.to_thread(store.teams.list, limit=_MOST_TEAMS),
            chosen=chosen,
            places=places,
            wrong=wrong,
        )

    @get("/contests/new")
    async def plan_page(request: AnyRequest) -> Template:
        return await planning(request, None)

    @post("/contests/new", status_code=200)
    async def plan_contest(request: AnyRequest) -> Response[Any]:
        form = await read_form(request)
        try:
            name = form.text("name").strip()
            row = await scheduler.create_contest(name, _entrants(form), plan=_plan(form))
        except (InputError, SchedulerError) as error:
            return await planning(request, None, str(error), form)
        await desk.note(visitor_of(request), "contest planned", row.name)
        return Redirect(f"/admin/contests/{row.id}", status_code=303)

    @get("/contests/{contest_id:int}")
    async def contest(request: AnyRequest, contest_id: FromPath[int]) -> Template:
        row = await asyncio.to_thread(store.contests.get, contest_id)
        table: tuple[Standing, ...] = ()
        champion: int | None = None
        # Before it starts there may be fewer than two teams, of which nothing can be made.
        if row.began is not None:
            tournament = await asyncio.to_thread(store.contests.tournament, contest_id)
            table = tournament.table if row.plan.ranking else ()
            champion = tournament.champion
        matches = await asyncio.to_thread(store.matches.of_contest, contest_id)
        return page(
            request,
            "contest/admin_contest.html",
            row=row,
            table=table,
            champion=None if champion is None else row.entrants[champion].name,
            matches=tuple(reversed(matches)),
            texts=to_texts(row.rules),
            fields=fields(),
        )

    @get("/contests/{contest_id:int}/plan")
    async def replan_page(request: AnyRequest, contest_id: FromPath[int]) -> Template:
        return await planning(request, await planned(desk, contest_id))

    @post("/contests/{contest_id:int}/plan", status_code=200)
    async def replan(request: AnyRequest, contest_id: FromPath[int]) -> Response[Any]:
        form = await read_form(request)
        row = await planned(desk, contest_id)
        try:
            teams = {team.name: team for team in await _teams(desk)}
            ids = [teams[name].id for name in _entrants(form) if name in teams]
            changed = await revised(
                desk, row, form, name=form.text("name").strip(), plan=_plan(form), entrants=ids
            )
        except InputError as error:
            return await planning(request, row, str(error), form)
        await desk.note(visitor_of(request), "contest's plan changed", changed.name)
        return Redirect(f"/admin/contests/{row.id}", status_code=303)

    @post("/contests/{contest_id:int}/{deed:str}", status_code=303)
    async def do(request: AnyRequest, contest_id: FromPath[int], deed: FromPath[str]) -> Redirect:
        await read_form(request)
        if deed not in deeds:
            raise NotFoundException("There is no such page.")
        what, act = deeds[deed]
        row = await act(contest_id)
        await desk.note(visitor_of(request), what, row.name)
        return Redirect(f"/admin/contests/{row.id}", status_code=303)

    return [
        plan_page,
        plan_contest,
        contest,
        replan_page,
        replan,
        do,
    ]


async def planned(desk: Desk, contest_id: int) -> ContestRow:
    """A contest that has not started yet.

    Raises:
        SchedulerError: it has.
        UnknownEntryError: there is none.
    """
    row = await asyncio.to_thread(desk.store.contests.get, contest_id)
    if row.state != "planned":
        raise SchedulerError(
            f"This contest is {row.state}: its plan and rules are settled before it starts."
        )
    return row


async def revised(
    desk: Desk,
    row: ContestRow,
    form: Form,
    *,
    name: str | None = None,
    rules: ContestRules | None = None,
    plan: Plan | None = None,
    entrants: list[int] | None = None,
) -> ContestRow:
    """Change a contest that is as the form's page had it.

    Raises:
        InputError: it is not, or cannot be changed so.
    """
    changed = None
    if form.number("revision") == row.revision:
        changed = await asyncio.to_thread(
            desk.store.contests.revise, row, name=name, rules=rules, plan=plan, entrants=entrants
        )
    if changed is None:
        raise InputError("somebody else has changed this contest meanwhile; load the page again")
    return changed


def contest_rules_routes(desk: Desk) -> list[HTTPRouteHandler]:
    """The routes of this file, below ``/admin``."""

    def rules(
        request: AnyRequest,
        row: ContestRow,
        *,
        texts: Mapping[str, str] | None = None,
        toml: str | None = None,
        wrong: Mapping[str, str] | None = None,
    ) -> Template:
        """The page of a contest's rules: fields, and the same as a text."""
        return page(
            request,
            "contest/admin_rules.html",
            status=422 if wrong else 200,
            row=row,
            fields=fields(),
            texts=to_texts(row.rules) if texts is None else texts,
            toml=to_toml(row.rules) if toml is None else toml,
            as_text=toml is not None,
            wrong=wrong or {},
        )

    @get("/contests/{contest_id:int}/rules")
    async def rules_page(request: AnyRequest, contest_id: FromPath[int]) -> Template:
        return rules(request, await planned(desk, contest_id))

    @post("/contests/{contest_id:int}/rules", status_code=200)
    async def change_rules(request: AnyRequest, contest_id: FromPath[int]) -> Response[Any]:
        form = await read_form(request)
        row = await planned(desk, contest_id)
        texts = {
            field.name: form.text(field.name) for group in fields().values() for field in group
        }
        try:
            await revised(desk, row, form, rules=from_texts(texts))
        except WrongRulesError as error:
            return rules(request, row, texts=texts, wrong=error.words)
        except InputError as error:
            return rules(request, row, texts=texts, wrong={"": str(error)})
        await desk.note(visitor_of(request), "contest's rules changed", row.name)
        return Redirect(f"/admin/contests/{row.id}", status_code=303)

    @post("/contests/{contest_id:int}/rules-text", status_code=200)
    async def change_rules_text(request: AnyRequest, contest_id: FromPath[int]) -> Response[Any]:
        form = await read_form(request)
        row = await planned(desk, contest_id)
        text = form.text("toml")
        try:
            await revised(desk, row, form, rules=from_toml(text))
        except InputError as error:
            return rules(request, row, toml=text, wrong={"": str(error)})
        await desk.note(visitor_of(request), "contest's rules changed", row.name)
        return Redirect(f"/admin/contests/{row.id}", status_code=303)

    return [rules_page, change_rules, change_rules_text]


# --- helpers ------------------------------------------------------------------------------------


def _rules(settings: Settings) -> ContestRules:
    return ContestRules(game=settings.game, match=settings.match)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return ", ".join(map(_text, cast("list[object]", value)))
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _section_fields(section: str, rules: type[msgspec.Struct]) -> tuple[Field, ...]:
    _, hints = settings_loader.meanings(rules)
    info = cast("types.StructType", types.type_info(rules))
    return tuple(
        Field(
            f"{section}.{field.name}",
            field.name.replace("_", " "),
            hints[field.name].replace("`", ""),
            _choices(field.type),
        )
        for field in info.fields
    )


def _choices(wanted: types.Type) -> tuple[str, ...]:
    if isinstance(wanted, types.LiteralType):
        return tuple(map(str, wanted.values))
    return ("true", "false") if isinstance(wanted, types.BoolType) else ()


_FIELDS: Final = {section: _section_fields(section, rules) for section, rules in _SECTIONS.items()}


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


async def _teams(desk: Desk) -> tuple[Team, ...]:
    return await asyncio.to_thread(desk.store.teams.list, limit=_MOST_TEAMS)


def _entrants(form: Form) -> list[str]:
    """Names of the teams that are chosen: by their places, those without one behind.

    Raises:
        InputError: a place is no number.
    """
    places: dict[str, int] = {}
    for name in form.all("team"):
        text = form.text(f"place {name}").strip() or "9" * _LONGEST_PLACE
        if not (text.isascii() and text.isdecimal()) or len(text) > _LONGEST_PLACE:
            raise InputError(f"the place of {shown(name)} must be a whole number")
        places[name] = int(text)
    return sorted(places, key=places.__getitem__)


def _plan_as_sent(form: Form) -> dict[str, object]:
    return {
        "ranking": form.ticked("ranking"),
        "bracket": form.ticked("bracket"),
        "third_place": form.ticked("third_place"),
        "qualifiers": form.text("qualifiers").strip()[:20],
        "seed": form.text("seed").strip()[:20],
    }


def _plan(form: Form) -> Plan:
    """The plan that a form has.

    Raises:
        InputError: it cannot be.
    """
    numbers = {key: form.text(key).strip() or "0" for key in ("qualifiers", "seed")}
    for key, text in numbers.items():
        if not (text.isascii() and text.isdecimal()) or len(text) > 18:
            raise InputError(f"{key} must be a whole number of 0 at least")
    try:
        return msgspec.convert(
            {**_plan_as_sent(form), **{key: int(text) for key, text in numbers.items()}}, Plan
        )
    except msgspec.ValidationError as error:
        raise InputError(str(error)) from None
