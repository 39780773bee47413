"""Matches that are due in contests, and the next match of a team."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from typing import Final

import structlog

from sevenbag.contest.bracket import ContestPlan, ContestTournament
from sevenbag.contest.ranking import is_ranking_slot
from sevenbag.contest.scheduler.match_assigner import ActiveMatch, MatchAssigner
from sevenbag.contest.scheduler.site_api import ChangeFeed, ContestChange, CurrentMatch
from sevenbag.contest.settings import ContestRules
from sevenbag.contest.store import ContestRow, ContestState, Store, Team
from sevenbag.errors import SchedulerError


class ContestRunner:
    """Run all contests; their standings are derived from stored results each time."""

    def __init__(
        self,
        store: Store,
        assigner: MatchAssigner,
        feed: ChangeFeed,
        logger: structlog.typing.FilteringBoundLogger,
    ) -> None:
        self._store = store
        self._assigner = assigner
        self._changes = feed
        self._log = logger

    async def reload(self) -> None:
        """Continue all running contests of the store."""
        paused = set[int]()
        for row in await self._list({"running", "paused"}):
            if row.state == "paused":
                paused.add(row.id)
            await self.advance(row.id)
        for contest_id in self._assigner.paused | paused:
            self._assigner.set_paused(contest_id, paused=contest_id in paused)

    async def create(
        self, name: str, teams: Sequence[str], rules: ContestRules, plan: ContestPlan
    ) -> ContestRow:
        """Create a contest."""
        entrants: list[int] = []
        for team_name in teams:
            team = await asyncio.to_thread(self._store.teams.find, team_name)
            if team is None:
                raise SchedulerError(f"there is no team named {team_name!r}")
            entrants.append(team.id)
        row = await asyncio.to_thread(self._store.contests.add, name, rules, plan, entrants)
        self._changes.publish(ContestChange("contest", contest_id=row.id))
        return row

    async def start(self, contest_id: int) -> ContestRow:
        """Start a planned contest."""
        row = await asyncio.to_thread(self._store.contests.get, contest_id)
        if len(row.entrants) < 2:
            raise SchedulerError(f"contest {row.name!r} has fewer than two teams")
        row = await self._change(contest_id, {"planned"}, "running")
        await self.advance(contest_id)
        return row

    async def pause(self, contest_id: int) -> ContestRow:
        """Finish running games and start no others."""
        row = await self._change(contest_id, {"running"}, "paused")
        self._assigner.set_paused(contest_id, paused=True)
        return row

    async def resume(self, contest_id: int) -> ContestRow:
        """Continue a paused contest."""
        row = await self._change(contest_id, {"paused"}, "running")
        self._assigner.set_paused(contest_id, paused=False)
        await self.advance(contest_id)
        return row

    async def cancel(self, contest_id: int, reason: str) -> ContestRow:
        """End a contest and its unfinished matches without a winner."""
        # First the contest, or each cancelled match would be due again.
        row = await self._change(contest_id, {"planned", "running", "paused"}, "called off")
        for match in tuple(self._assigner.matches.values()):
            if match.row.contest_id == contest_id:
                await self._assigner.cancel(match.row.token, reason)
        self._assigner.set_paused(contest_id, paused=False)
        return row

    async def match_finished(self, match: ActiveMatch) -> None:
        """Continue the contest of a finished match, if it belongs to one."""
        contest_id = match.row.contest_id
        if contest_id is None:
            return
        in_ranking = match.row.state != "called off" and any(
            other.row.contest_id == contest_id and is_ranking_slot(other.row.slot)
            for other in self._assigner.matches.values()
        )
        if in_ranking:
            # All ranking matches were created at the start; the bracket follows the last one.
            self._changes.publish(ContestChange("contest", contest_id=contest_id))
        else:
            await self.advance(contest_id)

    async def advance(self, contest_id: int) -> None:
        """Create the matches that are due; finish the contest if there are none left."""
        row = await asyncio.to_thread(self._store.contests.get, contest_id)
        if row.state not in {"running", "paused"}:
            return
        tournament = await asyncio.to_thread(self._store.contests.tournament, contest_id)
        if tournament.is_finished:
            await self._change(contest_id, {"running", "paused"}, "finished")
            self._assigner.set_paused(contest_id, paused=False)
            self._log.info("contest.finished", contest=contest_id)
            return
        # Matches that are due during a pause are created at its end.
        for match in await asyncio.to_thread(self._store.contests.create_due_matches, contest_id):
            self._assigner.add(match)
            self._changes.publish(ContestChange("match waiting", match.id, match.token, contest_id))
        self._changes.publish(ContestChange("contest", contest_id=contest_id))

    async def current_match(self, team: Team) -> CurrentMatch:
        """Return the current match of a team."""
        mine = [
            match
            for match in self._assigner.matches.values()
            if match.row.kind == "contest" and team.id in match.teams
        ]
        for match in mine:
            address = self._assigner.find_address(match)
            if address is not None:
                players = match.row.players
                other = players[1] if players[0].team_id == team.id else players[0]
                return CurrentMatch(
                    status="playing",
                    match_token=match.row.token,
                    match_id=match.row.id,
                    match_name=match.row.name,
                    opponent=other.team,
                    address=address,
                )
        if mine:
            return CurrentMatch(status="waiting")
        for row in await self._list({"planned", "running", "paused"}):
            team_ids = [entrant.team_id for entrant in row.entrants]
            if team.id not in team_ids:
                continue
            if row.state == "planned":
                return CurrentMatch(status="waiting")
            tournament = await asyncio.to_thread(self._store.contests.tournament, row.id)
            if _has_more(tournament, team_ids.index(team.id)):
                return CurrentMatch(status="waiting")
        return CurrentMatch(status="finished")

    async def _list(self, states: Collection[ContestState]) -> tuple[ContestRow, ...]:
        return await asyncio.to_thread(self._store.contests.list, states=states, limit=None)

    async def _change(
        self, contest_id: int, allowed: Collection[ContestState], state: ContestState
    ) -> ContestRow:
        for _ in range(_CHANGE_TRIES):
            row = await asyncio.to_thread(self._store.contests.get, contest_id)
            if row.state not in allowed:
                raise SchedulerError(
                    f"contest {row.name!r} is {row.state}, must be {' or '.join(sorted(allowed))}"
                )
            changed = await asyncio.to_thread(self._store.contests.set_state, row, state)
            if changed is not None:
                self._changes.publish(ContestChange("contest", contest_id=contest_id))
                return changed
        raise SchedulerError(f"contest {contest_id} is changed concurrently")


def _has_more(tournament: ContestTournament, entrant: int) -> bool:
    """Return True if the entrant may have further matches."""
    if not tournament.ranking_finished:
        return True
    ties = [tie for number in tournament.bracket_rounds for tie in number]
    if tournament.third_place_match is not None:
        ties.append(tournament.third_place_match)
    return any(tie.winner is None and entrant in tie.entrants for tie in ties)


_CHANGE_TRIES: Final = 5
