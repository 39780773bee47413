"""Contests with their entrants, rules, plans and states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec
from sqlalchemy import delete, select, update

from sevenbag.contest.bracket import MAX_ENTRANTS, ContestPlan, ContestTournament
from sevenbag.contest.store.database import get_row, newest_first
from sevenbag.contest.store.match_store import (
    create_match,
    decode_match_result,
    decode_rules,
    encode_column,
    match_row,
)
from sevenbag.contest.store.rows import (
    ContestRow,
    ContestState,
    Entrant,
    MatchPlayer,
    MatchRow,
    is_id,
    validate_name,
)
from sevenbag.contest.store.tables import ContestTable, EntrantTable, MatchTable, TeamTable
from sevenbag.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy.orm import Session

    from sevenbag.contest.ranking import DueMatch
    from sevenbag.contest.settings import ContestRules
    from sevenbag.contest.store.database import Database

_NEXT_STATES: Final[dict[ContestState, frozenset[ContestState]]] = {
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
        """Add a planned contest.

        Args:
            name: display name.
            rules: rules of its matches.
            plan: plan of its matches.
            entrants: numbers of the teams in seeding order.

        Raises:
            InputError: invalid name, repeated team, or too many teams.
            UnknownEntryError: no such team.
        """
        with self._database.write_transaction() as session:
            contest = ContestTable(
                name=validate_name(name, "a contest"),
                state="planned",
                rules=encode_column(rules),
                plan=encode_column(plan),
                revision=1,
                created=self._clock(),
            )
            session.add(contest)
            session.flush()
            _add_entrants(session, contest.id, entrants)
            return _contest_row(session, contest)

    def get(self, contest_id: int) -> ContestRow:
        """Return the contest with a number.

        Raises:
            UnknownEntryError: no such contest.
        """
        with self._database.read_transaction() as session:
            return _contest_row(session, get_row(session, ContestTable, contest_id, "contest"))

    def list(self, *, limit: int = 50, before: int | None = None) -> tuple[ContestRow, ...]:
        """Return contests, the newest first.

        Args:
            limit: maximum number of contests.
            before: number of the last contest of the previous page.
        """
        query = newest_first(select(ContestTable), ContestTable.id, limit, before)
        with self._database.read_transaction() as session:
            contests = session.scalars(query).all()
            return tuple(_contest_row(session, contest) for contest in contests)

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
            UnknownEntryError: no such team.
        """
        if row.state != "planned":
            raise InputError(f"a contest that is {row.state!r} is not planned any more")
        values: dict[str, Any] = {}
        if name is not None:
            values["name"] = validate_name(name, "a contest")
        if rules is not None:
            values["rules"] = encode_column(rules)
        if plan is not None:
            values["plan"] = encode_column(plan)
        with self._database.write_transaction() as session:
            changed = _update_contest(session, row, values)
            if changed is None:
                return None
            if entrants is not None:
                session.execute(delete(EntrantTable).where(EntrantTable.contest_id == row.id))
                _add_entrants(session, row.id, entrants)
            return _contest_row(session, changed)

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
            return None if changed is None else _contest_row(session, changed)

    def tournament(self, contest_id: int) -> ContestTournament:
        """Return the standing of a contest, from its plan and its finished matches.

        Raises:
            UnknownEntryError: no such contest.
        """
        with self._database.read_transaction() as session:
            contest = get_row(session, ContestTable, contest_id, "contest")
            matches = _list_matches(session, contest)
            return _create_tournament(contest, _list_teams(session, contest), matches)

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
            teams, matches = _list_teams(session, contest), _list_matches(session, contest)
            slots = {match.slot for match in matches}
            added = [
                _create_due_match(contest, due, teams, self._clock())
                for due in _create_tournament(contest, teams, matches).due_matches
                if due.slot not in slots
            ]
            session.add_all(added)
            session.flush()
            return tuple(match_row(match) for match in added)


_decode_plan = msgspec.json.Decoder(ContestPlan).decode


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


def _list_teams(session: Session, contest: ContestTable) -> Sequence[TeamTable]:
    return session.scalars(
        select(TeamTable)
        .join(EntrantTable, EntrantTable.team_id == TeamTable.id)
        .where(EntrantTable.contest_id == contest.id)
        .order_by(EntrantTable.number)
    ).all()


def _list_matches(session: Session, contest: ContestTable) -> Sequence[MatchTable]:
    """Return the matches that occupy slots; cancelled ones do not."""
    return session.scalars(
        select(MatchTable).where(
            MatchTable.contest_id == contest.id, MatchTable.state != "called off"
        )
    ).all()


def _create_tournament(
    contest: ContestTable, teams: Sequence[TeamTable], matches: Sequence[MatchTable]
) -> ContestTournament:
    return ContestTournament(
        [team.name for team in teams],
        _decode_plan(contest.plan),
        {match.slot: decode_match_result(match.result) for match in matches if match.result},
    )


def _create_due_match(
    contest: ContestTable, due: DueMatch, teams: Sequence[TeamTable], now: float
) -> MatchTable:
    first, second = (teams[entrant] for entrant in due.entrants)
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


def _contest_row(session: Session, contest: ContestTable) -> ContestRow:
    entrants = tuple(
        Entrant(team_id=team.id, name=team.name) for team in _list_teams(session, contest)
    )
    return ContestRow(
        id=contest.id,
        name=contest.name,
        state=msgspec.convert(contest.state, ContestState),
        rules=decode_rules(contest.rules),
        plan=_decode_plan(contest.plan),
        entrants=entrants,
        revision=contest.revision,
        created=contest.created,
        began=contest.began,
        ended=contest.ended,
    )
