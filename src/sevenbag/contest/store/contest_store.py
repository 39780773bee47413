"""Contests: who takes part, by which rules and plan, and where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec
from sqlalchemy import delete, select, update

from sevenbag.contest.bracket import MAX_ENTRANTS, ContestPlan, ContestTournament
from sevenbag.contest.store.match_store import (
    as_json,
    match_result_of,
    match_row,
    new_match,
    rules_of,
)
from sevenbag.contest.store.rows import (
    MAX_ID,
    ContestRow,
    ContestState,
    Entrant,
    MatchPlayer,
    MatchRow,
    is_id,
    validate_name,
)
from sevenbag.contest.store.tables import ContestTable, EntrantTable, MatchTable, TeamTable
from sevenbag.errors import InputError, UnknownEntryError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy.orm import Session

    from sevenbag.contest.ranking import DueMatch
    from sevenbag.contest.settings import ContestRules
    from sevenbag.contest.store.database import Database

_NEXT: Final[dict[ContestState, frozenset[ContestState]]] = {
    "planned": frozenset({"running", "called off"}),
    "running": frozenset({"paused", "finished", "called off"}),
    "paused": frozenset({"running", "finished", "called off"}),
    "finished": frozenset(),
    "called off": frozenset(),
}


class ContestStore:
    """All contests."""

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        self._database = database
        self._clock = clock

    def add(
        self, name: str, rules: ContestRules, plan: ContestPlan, entrants: Sequence[int] = ()
    ) -> ContestRow:
        """Plan a contest.

        Args:
            name: for people.
            rules: of its matches.
            plan: of their order.
            entrants: teams by number, in the order in which they are seeded.

        Raises:
            InputError: a name that can be none, a team twice, or too many.
            UnknownEntryError: no such team.
        """
        with self._database.write_transaction() as session:
            contest = ContestTable(
                name=validate_name(name, "a contest"),
                state="planned",
                rules=as_json(rules),
                plan=as_json(plan),
                revision=1,
                created=self._clock(),
            )
            session.add(contest)
            session.flush()
            _enter(session, contest.id, entrants)
            return _row(session, contest)

    def get(self, contest_id: int) -> ContestRow:
        """The contest of this number.

        Raises:
            UnknownEntryError: there is none.
        """
        with self._database.read_transaction() as session:
            found = session.get(ContestTable, contest_id) if is_id(contest_id) else None
            if found is None:
                raise UnknownEntryError(f"the store knows no contest number {contest_id}")
            return _row(session, found)

    def list(self, *, limit: int = 50, before: int | None = None) -> tuple[ContestRow, ...]:
        """Contests, the newest first.

        Args:
            limit: so many, at most.
            before: only those older than the contest of this number.
        """
        last = MAX_ID if before is None else min(before - 1, MAX_ID)
        with self._database.read_transaction() as session:
            found = session.scalars(
                select(ContestTable)
                .where(ContestTable.id <= last)
                .order_by(ContestTable.id.desc())
                .limit(limit)
            ).all()
            return tuple(_row(session, contest) for contest in found)

    def update_plan(
        self,
        row: ContestRow,
        *,
        name: str | None = None,
        rules: ContestRules | None = None,
        plan: ContestPlan | None = None,
        entrants: Sequence[int] | None = None,
    ) -> ContestRow | None:
        """Change what was planned; what is None stays.

        Returns:
            The contest as it is now; None if somebody else changed it first: read it again.

        Raises:
            InputError: the contest has begun, or what is given can be none of a contest.
            UnknownEntryError: no such team.
        """
        if row.state != "planned":
            raise InputError(f"a contest that is {row.state!r} is not planned any more")
        values: dict[str, Any] = {}
        if name is not None:
            values["name"] = validate_name(name, "a contest")
        if rules is not None:
            values["rules"] = as_json(rules)
        if plan is not None:
            values["plan"] = as_json(plan)
        with self._database.write_transaction() as session:
            changed = _changed(session, row, values)
            if changed is None:
                return None
            if entrants is not None:
                session.execute(delete(EntrantTable).where(EntrantTable.contest_id == row.id))
                _enter(session, row.id, entrants)
            return _row(session, changed)

    def set_state(self, row: ContestRow, state: ContestState) -> ContestRow | None:
        """Put a contest into another state, unless somebody else changed it since it was read.

        Returns:
            The contest as it is now; None if somebody else was faster: read it again.

        Raises:
            InputError: a state that does not follow on its own.
        """
        if state not in _NEXT[row.state]:
            raise InputError(f"a contest that is {row.state!r} cannot become {state!r}")
        if state == "running" and len(row.entrants) < 2:
            raise InputError(f"a contest of {len(row.entrants)} teams cannot begin: 2 at least")
        values: dict[str, Any] = {"state": state}
        if state == "running" and row.began is None:
            values["began"] = self._clock()
        if not _NEXT[state]:
            values["ended"] = self._clock()
        with self._database.write_transaction() as session:
            changed = _changed(session, row, values)
            return None if changed is None else _row(session, changed)

    def tournament(self, contest_id: int) -> ContestTournament:
        """Where a contest stands, from its plan and its finished matches.

        Raises:
            UnknownEntryError: no such contest.
        """
        with self._database.read_transaction() as session:
            contest = session.get(ContestTable, contest_id) if is_id(contest_id) else None
            if contest is None:
                raise UnknownEntryError(f"the store knows no contest number {contest_id}")
            matches = _matches(session, contest)
            return _tournament(contest, _teams(session, contest), matches)

    def create_due_matches(self, contest_id: int) -> tuple[MatchRow, ...]:
        """Add all matches of a running contest that can be played now and are not there yet.

        All in one transaction: of two schedulers one adds them, and a contest that was paused a
        moment before gets none.

        Returns:
            The new ones.
        """
        if not is_id(contest_id):
            return ()
        with self._database.write_transaction() as session:
            contest = session.get(ContestTable, contest_id, with_for_update=True)
            if contest is None or contest.state != "running":
                return ()
            teams, there = _teams(session, contest), _matches(session, contest)
            taken = {match.slot for match in there}
            added = [
                _match(contest, fixture, teams, self._clock())
                for fixture in _tournament(contest, teams, there).due_matches
                if fixture.slot not in taken
            ]
            session.add_all(added)
            session.flush()
            return tuple(match_row(match) for match in added)


# --- helpers ------------------------------------------------------------------------------------

_plan_of = msgspec.json.Decoder(ContestPlan).decode


def _enter(session: Session, contest_id: int, entrants: Sequence[int]) -> None:
    if len(set(entrants)) != len(entrants):
        raise InputError("a team takes part in a contest once")
    if len(entrants) > MAX_ENTRANTS:
        raise InputError(f"{len(entrants)} teams are too many: {MAX_ENTRANTS} at most")
    for number, team_id in enumerate(entrants):
        if not is_id(team_id) or session.get(TeamTable, team_id) is None:
            raise UnknownEntryError(f"the store knows no team number {team_id}")
        session.add(EntrantTable(contest_id=contest_id, number=number, team_id=team_id))
    session.flush()


def _changed(session: Session, row: ContestRow, values: dict[str, Any]) -> ContestTable | None:
    return session.scalars(
        update(ContestTable)
        .where(ContestTable.id == row.id, ContestTable.revision == row.revision)
        .values(**values, revision=row.revision + 1)
        .returning(ContestTable)
    ).one_or_none()


def _teams(session: Session, contest: ContestTable) -> Sequence[TeamTable]:
    return session.scalars(
        select(TeamTable)
        .join(EntrantTable, EntrantTable.team_id == TeamTable.id)
        .where(EntrantTable.contest_id == contest.id)
        .order_by(EntrantTable.number)
    ).all()


def _matches(session: Session, contest: ContestTable) -> Sequence[MatchTable]:
    """Those that were not called off, and so have their slots."""
    return session.scalars(
        select(MatchTable).where(
            MatchTable.contest_id == contest.id, MatchTable.state != "called off"
        )
    ).all()


def _tournament(
    contest: ContestTable, teams: Sequence[TeamTable], matches: Sequence[MatchTable]
) -> ContestTournament:
    return ContestTournament(
        [team.name for team in teams],
        _plan_of(contest.plan),
        {match.slot: match_result_of(match.result) for match in matches if match.result},
    )


def _match(
    contest: ContestTable, fixture: DueMatch, teams: Sequence[TeamTable], now: float
) -> MatchTable:
    first, second = (teams[entrant] for entrant in fixture.entrants)
    return new_match(
        "contest",
        fixture.name,
        (
            MatchPlayer(team=first.name, team_id=first.id),
            MatchPlayer(team=second.name, team_id=second.id),
        ),
        rules_of(contest.rules),
        now=now,
        contest_id=contest.id,
        slot=fixture.slot,
    )


def _row(session: Session, contest: ContestTable) -> ContestRow:
    return ContestRow(
        id=contest.id,
        name=contest.name,
        state=msgspec.convert(contest.state, ContestState),
        rules=rules_of(contest.rules),
        plan=_plan_of(contest.plan),
        entrants=tuple(
            Entrant(team_id=team.id, name=team.name) for team in _teams(session, contest)
        ),
        revision=contest.revision,
        created=contest.created,
        began=contest.began,
        ended=contest.ended,
    )
