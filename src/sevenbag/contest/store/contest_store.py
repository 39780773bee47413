"""Contests with their entrants, rules, plans and states."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from sevenbag.contest.bracket import MAX_ENTRANTS, ContestPlan, ContestTournament
from sevenbag.contest.ranking import DueMatch
from sevenbag.contest.settings import ContestRules
from sevenbag.contest.store.database import StorePart, get_row, newest_first
from sevenbag.contest.store.match_store import create_match, match_row
from sevenbag.contest.store.rows import (
    ContestRow,
    ContestState,
    MatchPlayer,
    MatchRow,
    is_id,
    validate_name,
)
from sevenbag.contest.store.tables import ContestTable, EntrantTable, MatchTable, TeamTable
from sevenbag.errors import InputError

_NEXT_STATES: Final[dict[ContestState, frozenset[ContestState]]] = {
    "planned": frozenset({"running", "called off"}),
    "running": frozenset({"paused", "finished", "called off"}),
    "paused": frozenset({"running", "finished", "called off"}),
    "finished": frozenset(),
    "called off": frozenset(),
}


class ContestStore(StorePart):
    """All contests."""

    def add(
        self, name: str, rules: ContestRules, plan: ContestPlan, entrants: Sequence[int] = ()
    ) -> ContestRow:
        """Add a planned contest.

        `entrants` are the numbers of the teams in seeding order.

        Raises:
            InputError: invalid name, repeated team, or too many teams.
        """
        with self._database.write_transaction() as session:
            contest = ContestTable(
                name=validate_name(name, "a contest"),
                state="planned",
                rules=rules,
                plan=plan,
                revision=1,
                created=self._clock(),
            )
            session.add(contest)
            session.flush()
            _add_entrants(session, contest.id, entrants)
            return _contest_row(contest)

    def get(self, contest_id: int) -> ContestRow:
        """Return the contest with a number."""
        with self._database.read_transaction() as session:
            return _contest_row(get_row(session, ContestTable, contest_id, "contest"))

    def list(
        self,
        *,
        states: Collection[ContestState] | None = None,
        limit: int | None = 50,
        before: int | None = None,
    ) -> tuple[ContestRow, ...]:
        """Return contests, the newest first.

        `before` is the number of the last contest of the previous page.
        """
        query = newest_first(select(ContestTable), ContestTable.id, limit, before)
        if states is not None:
            query = query.where(ContestTable.state.in_(states))
        with self._database.read_transaction() as session:
            return tuple(_contest_row(contest) for contest in session.scalars(query))

    def update_plan(
        self,
        row: ContestRow,
        *,
        name: str | None = None,
        rules: ContestRules | None = None,
        plan: ContestPlan | None = None,
        entrants: Sequence[int] | None = None,
    ) -> ContestRow | None:
        """Change a planned contest; values that are None stay.

        Returns:
            The changed contest; None if it was changed since it was read.

        Raises:
            InputError: the contest is not planned, or a value is invalid.
        """
        if row.state != "planned":
            raise InputError(f"a contest that is {row.state!r} is not planned any more")
        if name is not None:
            validate_name(name, "a contest")
        changes = {"name": name, "rules": rules, "plan": plan}
        values = {column: value for column, value in changes.items() if value is not None}
        with self._database.write_transaction() as session:
            changed = _update_contest(session, row, values)
            if changed is None:
                return None
            if entrants is not None:
                session.execute(delete(EntrantTable).where(EntrantTable.contest_id == row.id))
                _add_entrants(session, row.id, entrants)
            return _contest_row(changed)

    def set_state(self, row: ContestRow, state: ContestState) -> ContestRow | None:
        """Change the state of a contest.

        Returns:
            The changed contest; None if it was changed since it was read.

        Raises:
            InputError: the state cannot follow the current one.
        """
        if state not in _NEXT_STATES[row.state]:
            raise InputError(f"a contest that is {row.state!r} cannot become {state!r}")
        if state == "running" and len(row.entrants) < 2:
            raise InputError(f"a contest needs at least 2 teams, got {len(row.entrants)}")
        values: dict[str, Any] = {"state": state}
        if state == "running" and row.began is None:
            values["began"] = self._clock()
        if not _NEXT_STATES[state]:
            values["ended"] = self._clock()
        with self._database.write_transaction() as session:
            changed = _update_contest(session, row, values)
            return None if changed is None else _contest_row(changed)

    def tournament(self, contest_id: int) -> ContestTournament:
        """Return the standing of a contest, from its plan and its finished matches."""
        with self._database.read_transaction() as session:
            contest = get_row(session, ContestTable, contest_id, "contest")
            return _create_tournament(contest, _list_matches(session, contest))

    def create_due_matches(self, contest_id: int) -> tuple[MatchRow, ...]:
        """Add the matches of a running contest that can be played now; return the new ones.

        This is one transaction, so that only one of several schedulers adds them, and a contest
        that was paused meanwhile gets none.
        """
        if not is_id(contest_id):
            return ()
        with self._database.write_transaction() as session:
            contest = session.get(ContestTable, contest_id, with_for_update=True)
            if contest is None or contest.state != "running":
                return ()
            matches = _list_matches(session, contest)
            slots = {match.slot for match in matches}
            added = [
                _create_due_match(contest, due, self._clock())
                for due in _create_tournament(contest, matches).due_matches
                if due.slot not in slots
            ]
            session.add_all(added)
            session.flush()
            return tuple(match_row(match) for match in added)


def _add_entrants(session: Session, contest_id: int, entrants: Sequence[int]) -> None:
    if len(set(entrants)) != len(entrants):
        raise InputError("a team can take part in a contest only once")
    if len(entrants) > MAX_ENTRANTS:
        raise InputError(f"expected at most {MAX_ENTRANTS} teams, got {len(entrants)}")
    for number, team_id in enumerate(entrants):
        get_row(session, TeamTable, team_id, "team")
        session.add(EntrantTable(contest_id=contest_id, number=number, team_id=team_id))
    session.flush()


def _update_contest(
    session: Session, row: ContestRow, values: dict[str, Any]
) -> ContestTable | None:
    return session.scalars(
        update(ContestTable)
        .where(ContestTable.id == row.id, ContestTable.revision == row.revision)
        .values(**values, revision=row.revision + 1)
        .returning(ContestTable)
    ).one_or_none()


def _list_matches(session: Session, contest: ContestTable) -> Sequence[MatchTable]:
    """Return the matches that occupy slots; cancelled ones do not."""
    return session.scalars(
        select(MatchTable).where(
            MatchTable.contest_id == contest.id, MatchTable.state != "called off"
        )
    ).all()


def _create_tournament(contest: ContestTable, matches: Sequence[MatchTable]) -> ContestTournament:
    return ContestTournament(
        [team.name for team in contest.teams],
        contest.plan,
        {match.slot: match.result for match in matches if match.result},
    )


def _create_due_match(contest: ContestTable, due: DueMatch, now: float) -> MatchTable:
    first, second = (contest.teams[entrant] for entrant in due.entrants)
    return create_match(
        "contest",
        due.name,
        (
            MatchPlayer(team=first.name, team_id=first.id),
            MatchPlayer(team=second.name, team_id=second.id),
        ),
        contest.rules,
        now=now,
        contest_id=contest.id,
        slot=due.slot,
    )


def _contest_row(contest: ContestTable) -> ContestRow:
    return msgspec.convert(contest, ContestRow, from_attributes=True)
