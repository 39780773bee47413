"""Routes of a logged-in team: status, matches, test matches and password."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from litestar import Controller, Request, Response, get, post
from litestar.di import NamedDependency
from litestar.exceptions import TooManyRequestsException
from litestar.params import FromQuery
from litestar.response import Redirect, Template

from sevenbag.contest.passwords import TooBusyError
from sevenbag.contest.store import UNFINISHED, GameRow, MatchRow, Team
from sevenbag.errors import InputError
from sevenbag.web.contest.account_routes import (
    PASSWORD_LIMITS,
    Form,
    Session,
    Site,
    hash_new_password,
    start_session,
)
from sevenbag.web.contest.site_authentication import (
    BrowserSession,
    LoginRejectedError,
    get_browser_session,
    require_team,
)
from sevenbag.web.contest.site_context import SiteContext
from sevenbag.web.contest.site_pages import render_page, require_form_token

_PAGE_SIZE: Final = 20

LoggedInTeam = NamedDependency[Team]


class TeamGame(NamedTuple):
    """Finished game from the point of view of a team."""

    number: int
    won: bool
    points: tuple[int, int]
    ending: str
    moves: tuple[tuple[str, int], ...]


class TeamMatch(NamedTuple):
    """Match from the point of view of a team, whose values come first.

    Attributes:
        outcome: ``won``, ``lost``, or empty.
        moves: the team's moves in all games by outcome.
    """

    row: MatchRow
    opponent: str
    games: tuple[int, int]
    points: tuple[int, int]
    outcome: str
    played: tuple[TeamGame, ...]
    moves: tuple[tuple[str, int], ...]


def get_team(request: Request[Any, Any, Any]) -> Team:
    """Return the team that is logged in."""
    team = get_browser_session(request).team
    assert team is not None, "require_team guards these routes"
    return team


class TeamController(Controller):
    """Pages of a team."""

    path = "/team"
    guards = (require_team, require_form_token)

    @get("/")
    async def show(self, site: Site, session: Session, team: LoggedInTeam) -> Template:
        """Show the team's current match and statistics."""
        return await _render_team(site, session, team)

    @post("/password", status_code=200)
    async def change_password(
        self, site: Site, session: Session, form: Form, team: LoggedInTeam
    ) -> Response[Any]:
        """Change the password and end the team's other sessions."""
        try:
            await site.authenticator.authenticate(
                "team", team.name, form.text("old_password"), session.client
            )
            password_hash = await hash_new_password(site, form)
        except (InputError, TooBusyError) as error:
            return await _render_team(site, session, team, str(error))
        except LoginRejectedError as error:
            text = "the old password is wrong" if error.status == 401 else str(error)
            return await _render_team(site, session, team, text)
        await asyncio.to_thread(site.store.teams.set_password, team.id, password_hash)
        await asyncio.to_thread(site.audit, session, "password changed")
        await start_session(site, session, "team", team.id)
        return Redirect("/team", status_code=303)

    @get("/matches", sync_to_thread=True)
    def list_matches(
        self, site: Site, session: Session, team: LoggedInTeam, before: FromQuery[int | None] = None
    ) -> Template:
        """Show the team's matches, newest first."""
        rows = site.store.matches.list(team_id=team.id, limit=_PAGE_SIZE + 1, before=before)
        return render_page(
            session,
            "contest/team_matches.html",
            team=team,
            matches=[_build_match(site, team, row) for row in rows[:_PAGE_SIZE]],
            more=rows[_PAGE_SIZE - 1].id if len(rows) > _PAGE_SIZE else None,
        )

    @get("/testing")
    async def list_test_matches(self, site: Site, session: Session, team: LoggedInTeam) -> Template:
        """Show the team's open test matches."""
        rows = await asyncio.to_thread(
            site.store.matches.list,
            states=UNFINISHED,
            kind="test",
            team_id=team.id,
            limit=_PAGE_SIZE,
        )
        return render_page(
            session,
            "contest/team_testing.html",
            team=team,
            matches=[(row, site.scheduler.find_address(row.token)) for row in rows],
            test_client=site.settings.test_client,
            max_open=site.settings.site.max_test_matches,
        )

    @post("/testing", status_code=303)
    async def create_test_match(self, site: Site, team: LoggedInTeam) -> Redirect:
        """Create a test match."""
        if not site.test_match_limit.try_acquire(str(team.id)):
            raise TooManyRequestsException("Too many test matches; try again in a few seconds.")
        await site.scheduler.create_test_match(team.name)
        return Redirect("/team/testing", status_code=303)


def sort_outcomes(verdicts: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    """Sort moves by outcome: performed moves first, then the most frequent."""
    return tuple(sorted(verdicts.items(), key=lambda item: (item[0] != "done", -item[1])))


async def _render_team(
    site: SiteContext, session: BrowserSession, team: Team, error: str = ""
) -> Template:
    current = await site.scheduler.current_match(team.name)
    verdicts = await asyncio.to_thread(site.store.teams.count_moves, team.id)
    return render_page(
        session,
        "contest/team.html",
        status=422 if error else 200,
        team=team,
        current=current,
        moves=sort_outcomes(verdicts),
        error=error,
        limits=PASSWORD_LIMITS,
    )


def _build_match(site: SiteContext, team: Team, row: MatchRow) -> TeamMatch:
    seat = 0 if row.players[0].team_id == team.id else 1
    games = site.store.matches.list_games(row.id)
    moves: Counter[str] = Counter()
    for game in games:
        moves.update(game.result.move_counts[seat])
    outcome = ""
    if row.result is not None and row.result.winner is not None:
        outcome = "won" if row.result.winner == seat else "lost"
    return TeamMatch(
        row,
        row.players[1 - seat].team,
        _own_first(row.games, seat),
        _own_first(row.points, seat),
        outcome,
        tuple(_build_game(game, seat) for game in games),
        sort_outcomes(moves),
    )


def _build_game(game: GameRow, seat: int) -> TeamGame:
    result = game.result
    return TeamGame(
        game.number,
        result.winner == seat,
        _own_first(result.scores, seat),
        result.ending,
        sort_outcomes(result.move_counts[seat]),
    )


def _own_first(pair: tuple[int, int], seat: int) -> tuple[int, int]:
    return pair if seat == 0 else (pair[1], pair[0])
