"""Routes for teams: status, matches, test matches and password."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from litestar import Request, Response, get, post
from litestar.exceptions import TooManyRequestsException
from litestar.params import FromQuery
from litestar.response import Redirect, Template

from sevenbag.contest.passwords import TooBusyError
from sevenbag.contest.store import UNFINISHED, MatchRow, Team
from sevenbag.errors import InputError
from sevenbag.web.contest.account_routes import PASSWORD_LIMITS, change_password
from sevenbag.web.contest.site_authentication import NotLetInError, visitor_of
from sevenbag.web.contest.site_pages import page, read_form

if TYPE_CHECKING:
    from collections.abc import Mapping

    from litestar.handlers import HTTPRouteHandler

    from sevenbag.contest.store import GameRow
    from sevenbag.web.contest.site_context import Desk

AnyRequest = Request[Any, Any, Any]

_A_PAGE: Final = 20


class OwnGame(NamedTuple):
    """A finished game, as the team sees it."""

    number: int
    won: bool
    points: tuple[int, int]
    ending: str
    moves: tuple[tuple[str, int], ...]


class OwnMatch(NamedTuple):
    """A match, as the team sees it: its own figures first.

    Attributes:
        outcome: ``won``, ``lost``, or empty.
        moves: of the team, by fate, in all its games.
    """

    row: MatchRow
    opponent: str
    games: tuple[int, int]
    points: tuple[int, int]
    outcome: str
    played: tuple[OwnGame, ...]
    moves: tuple[tuple[str, int], ...]


def team_routes(desk: Desk) -> list[HTTPRouteHandler]:
    """The routes of this file, below ``/team``."""
    store = desk.store

    async def information(request: AnyRequest, wrong: str = "") -> Template:
        team = _team(request)
        current = await desk.scheduler.current_match(team.name)
        verdicts = await asyncio.to_thread(store.teams.verdicts, team.id)
        return page(
            request,
            "contest/team.html",
            status=422 if wrong else 200,
            team=team,
            current=current,
            moves=in_order(verdicts),
            wrong=wrong,
            limits=PASSWORD_LIMITS,
        )

    @get("/")
    async def team_page(request: AnyRequest) -> Template:
        return await information(request)

    @post("/password", status_code=200)
    async def password(request: AnyRequest) -> Response[Any]:
        form = await read_form(request)
        try:
            await change_password(desk, visitor_of(request), form)
        except (InputError, TooBusyError) as error:
            return await information(request, str(error))
        except NotLetInError as error:
            wrong = "the old password is wrong" if error.status == 401 else str(error)
            return await information(request, wrong)
        return Redirect("/team", status_code=303)

    @get("/matches")
    async def matches(request: AnyRequest, before: FromQuery[int | None] = None) -> Template:
        team = _team(request)
        rows = await asyncio.to_thread(
            store.matches.list, team_id=team.id, limit=_A_PAGE + 1, before=_bounded(before)
        )
        shown = [await _own_match(desk, team, row) for row in rows[:_A_PAGE]]
        return page(
            request,
            "contest/team_matches.html",
            team=team,
            matches=shown,
            more=rows[_A_PAGE - 1].id if len(rows) > _A_PAGE else None,
        )

    @get("/testing")
    async def testing(request: AnyRequest) -> Template:
        team = _team(request)
        rows = await asyncio.to_thread(
            store.matches.list, states=UNFINISHED, kind="test", team_id=team.id, limit=_A_PAGE
        )
        return page(
            request,
            "contest/team_testing.html",
            team=team,
            matches=[(row, desk.scheduler.address(row.token)) for row in rows],
            test_client=desk.settings.test_client,
            most=desk.settings.site.test_matches,
        )

    @post("/testing", status_code=303)
    async def make_test_match(request: AnyRequest) -> Redirect:
        await read_form(request)
        team = _team(request)
        if not desk.test_matches.take(str(team.id)):
            raise TooManyRequestsException("Too many test matches; try again in a few seconds.")
        await desk.scheduler.create_test_match(team.name)
        return Redirect("/team/testing", status_code=303)

    return [team_page, password, matches, testing, make_test_match]


def in_order(verdicts: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    """Moves by fate: those that were done first, then the most frequent."""
    return tuple(sorted(verdicts.items(), key=lambda each: (each[0] != "done", -each[1])))


# --- helpers ------------------------------------------------------------------------------------


def _team(request: AnyRequest) -> Team:
    team = visitor_of(request).team
    assert team is not None, "the door of /team lets nobody else in"
    return team


def _bounded(number: int | None) -> int | None:
    return None if number is None else max(1, min(number, 1 << 53))


async def _own_match(desk: Desk, team: Team, row: MatchRow) -> OwnMatch:
    seat = 0 if row.seats[0].team_id == team.id else 1
    games = await asyncio.to_thread(desk.store.matches.games, row.id)
    moves: Counter[str] = Counter()
    for game in games:
        moves.update(game.result.verdicts[seat])
    outcome = ""
    if row.result is not None and row.result.winner is not None:
        outcome = "won" if row.result.winner == seat else "lost"
    return OwnMatch(
        row,
        row.seats[1 - seat].team,
        _own_first(row.games, seat),
        _own_first(row.points, seat),
        outcome,
        tuple(_own_game(game, seat) for game in games),
        in_order(moves),
    )


def _own_game(game: GameRow, seat: int) -> OwnGame:
    result = game.result
    return OwnGame(
        game.number,
        result.winner == seat,
        _own_first(result.scores, seat),
        result.ending,
        in_order(result.verdicts[seat]),
    )


def _own_first(pair: tuple[int, int], seat: int) -> tuple[int, int]:
    return pair if seat == 0 else (pair[1], pair[0])
