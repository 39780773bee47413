"""Contests, as organisers plan and hold them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

import msgspec
from litestar import Request, Response, get, post
from litestar.exceptions import NotFoundException
from litestar.params import FromPath  # noqa: TC002  # Litestar reads the annotations of handlers
from litestar.response import Redirect, Template

from sevenbag.contest.tournament import Plan, Standing
from sevenbag.errors import InputError, SchedulerError, shown
from sevenbag.web.contest import rules_form
from sevenbag.web.contest.forms import Form, read_form
from sevenbag.web.contest.pages import page
from sevenbag.web.contest.visit import visitor_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from litestar.handlers import HTTPRouteHandler

    from sevenbag.contest.rules import ContestRules
    from sevenbag.contest.store import ContestRow, Team
    from sevenbag.web.contest.desk import Desk

AnyRequest = Request[Any, Any, Any]

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
            texts=rules_form.to_texts(row.rules),
            fields=rules_form.fields(),
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


# --- helpers ------------------------------------------------------------------------------------


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
