"""Matches and games in the store."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any, Final

import msgspec
from sqlalchemy import and_, func, or_, select, update
from sqlalchemy.exc import IntegrityError

from sevenbag.contest.game.match_results import ContestGameResult, MatchResult
from sevenbag.contest.scheduler_protocol import MAX_FRAME_BYTES, AssignedPlayer, MatchAssignment
from sevenbag.contest.settings import ContestRules
from sevenbag.contest.store.rows import (
    MAX_ID,
    UNFINISHED,
    BuiltinEntrant,
    GameRow,
    MatchKind,
    MatchPlayer,
    MatchRow,
    MatchState,
    clean_text,
    is_id,
    is_name,
    name_key,
)
from sevenbag.contest.store.tables import (
    ContestTable,
    GameTable,
    MatchTable,
    MoveCountTable,
    ReplayTable,
    TeamTable,
)
from sevenbag.errors import InputError, UnknownEntryError, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from sevenbag.contest.store.database import Database

_TOKEN_LENGTH: Final = 36

_MOST_FATES: Final = 50


class MatchStore:
    """All matches of contests, and tests."""

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        self._database = database
        self._clock = clock

    def add(
        self,
        *,
        kind: MatchKind,
        name: str,
        players: tuple[int | BuiltinEntrant, int | BuiltinEntrant],
        rules: ContestRules,
        contest_id: int | None = None,
        slot: str = "",
    ) -> MatchRow:
        """A match that waits for a server; or the one that is in its slot already.

        Args:
            kind: of a contest, or a test.
            name: for people, such as "Final".
            seats: teams by number, or bots of ours.
            rules: of its games and of itself.
            contest_id: its contest.
            slot: its place in the contest's plan, which has one match that was not called off.

        Raises:
            UnknownEntryError: no such team or contest.
            InputError: two seats of one name, or a slot without a contest.
        """
        if slot and contest_id is None:
            raise InputError("a slot is one of a contest's plan: say which contest's")
        in_slot = and_(
            MatchTable.contest_id == contest_id,
            MatchTable.slot == slot,
            MatchTable.state != "called off",
        )
        try:
            with self._database.write_transaction() as session:
                if slot and (there := session.scalars(select(MatchTable).where(in_slot)).first()):
                    return match_row(there)
                if contest_id is not None and not _is_known(session, ContestTable, contest_id):
                    raise UnknownEntryError(f"the store knows no contest number {contest_id}")
                match = new_match(
                    kind,
                    name,
                    (_seat(session, players[0]), _seat(session, players[1])),
                    rules,
                    now=self._clock(),
                    contest_id=contest_id,
                    slot=slot,
                )
                session.add(match)
                session.flush()
                return match_row(match)
        except IntegrityError:
            # Another scheduler was faster by a moment.
            with self._database.read_transaction() as session:
                return match_row(session.scalars(select(MatchTable).where(in_slot)).one())

    def get(self, token: str) -> MatchRow:
        """The match of a token.

        Raises:
            UnknownEntryError: there is none.
        """
        with self._database.read_transaction() as session:
            return match_row(_by_token(session, token))

    def find(self, token: str) -> MatchRow | None:
        """The match of a token; None if there is none."""
        with self._database.read_transaction() as session:
            found = _find(session, token)
            return None if found is None else match_row(found)

    def find_by_id(self, match_id: int) -> MatchRow | None:
        """The match of a number; None if there is none."""
        if not is_id(match_id):
            return None
        with self._database.read_transaction() as session:
            found = session.get(MatchTable, match_id)
            return None if found is None else match_row(found)

    def list(
        self,
        *,
        states: Collection[MatchState] | None = None,
        kind: MatchKind | None = None,
        contest_id: int | None = None,
        team_id: int | None = None,
        limit: int = 50,
        before: int | None = None,
    ) -> tuple[MatchRow, ...]:
        """Matches, the newest first.

        Args:
            states: only those in these states.
            kind: only those of this kind.
            contest_id: only those of this contest.
            team_id: only those of this team.
            limit: so many, at most.
            before: only those older than the match of this number.
        """
        asked = select(MatchTable).order_by(MatchTable.id.desc()).limit(limit)
        if states is not None:
            asked = asked.where(MatchTable.state.in_(states))
        if kind is not None:
            asked = asked.where(MatchTable.kind == kind)
        if contest_id is not None:
            asked = asked.where(MatchTable.contest_id == min(contest_id, MAX_ID))
        if team_id is not None:
            asked = asked.where(_plays(min(team_id, MAX_ID)))
        if before is not None:
            asked = asked.where(MatchTable.id < min(before, MAX_ID))
        with self._database.read_transaction() as session:
            return tuple(match_row(match) for match in session.scalars(asked))

    def list_live(self, limit: int) -> tuple[MatchRow, ...]:
        """Return live matches (`MatchRow.is_live`), contest matches first, then by age.

        Args:
            limit: maximum number of matches.
        """
        was_begun = or_(MatchTable.kind == "contest", MatchTable.began.is_not(None))
        asked = (
            select(MatchTable)
            .where(or_(MatchTable.state == "playing", (MatchTable.state == "placed") & was_begun))
            .order_by(MatchTable.kind != "contest", MatchTable.id)
            .limit(limit)
        )
        with self._database.read_transaction() as session:
            return tuple(match_row(match) for match in session.scalars(asked))

    def list_unfinished(self) -> tuple[MatchRow, ...]:
        """All that are still to be played, the oldest first."""
        return self._oldest_first(MatchTable.state.in_(UNFINISHED))

    def list_of_contest(self, contest_id: int) -> tuple[MatchRow, ...]:
        """All of a contest, the oldest first."""
        return self._oldest_first(MatchTable.contest_id == min(contest_id, MAX_ID))

    def current(self, team_id: int) -> MatchRow | None:
        """The match of a contest that a team is to play now; None if there is none.

        It is the one that is played, or placed; else the oldest that waits.
        """
        mine = self._oldest_first(
            _plays(min(team_id, MAX_ID))
            & (MatchTable.kind == "contest")
            & MatchTable.state.in_(UNFINISHED)
        )
        return min(mine, key=lambda match: _URGENCY[match.state], default=None)

    def counts(self) -> dict[MatchState, int]:
        """How many matches are in which state."""
        with self._database.read_transaction() as session:
            found = session.execute(
                select(MatchTable.state, func.count()).group_by(MatchTable.state)
            )
            return {msgspec.convert(state, MatchState): count for state, count in found}

    def set_state(
        self, row: MatchRow, state: MatchState, *, server: str | None = None
    ) -> MatchRow | None:
        """Put a match into another state, unless somebody else did since it was read.

        Args:
            row: the match as it was read.
            state: the new one: any but "done", which takes a result.
            server: that plays it from now on; None leaves it as it is. A match that waits has none.

        Returns:
            The match as it is now; None if somebody else was faster: read it again.

        Raises:
            InputError: a match that is over, or "done".
        """
        if row.state not in UNFINISHED or state == "done":
            raise InputError(
                f"a match that is {row.state!r} cannot become {state!r}: matches that are over "
                "stay so, and done are those that have a result"
            )
        now = self._clock()
        values: dict[str, Any] = {"state": state, "revision": row.revision + 1}
        if state == "waiting":
            values["server"] = ""
        elif server is not None:
            values["server"] = clean_text(server)
        if state == "placed":
            values["placed"] = now
        elif state == "playing" and row.began is None:
            values["began"] = now
        elif state == "called off":
            values["ended"] = now
        with self._database.write_transaction() as session:
            changed = session.scalars(
                update(MatchTable)
                .where(MatchTable.id == row.id, MatchTable.revision == row.revision)
                .values(**values)
                .returning(MatchTable)
            ).one_or_none()
            return None if changed is None else match_row(changed)

    def load_assignment(self, token: str) -> MatchAssignment:
        """What a game server is told about a match: the teams' present passwords, what was played.

        Raises:
            UnknownEntryError: no such match.
        """
        with self._database.read_transaction() as session:
            match = _by_token(session, token)
            hashes = [
                "" if team_id is None else session.get_one(TeamTable, team_id).password_hash
                for team_id in (match.team_0_id, match.team_1_id)
            ]
            return MatchAssignment(
                match_token=match.token,
                match_name=match.name,
                players=(
                    AssignedPlayer(team=match.team_0, password_hash=hashes[0], bot=match.bot_0),
                    AssignedPlayer(team=match.team_1, password_hash=hashes[1], bot=match.bot_1),
                ),
                rules=rules_of(match.rules),
                finished_games=tuple(game.result for game in _games(session, match.id)),
                # From one placement to the next it changes twice at least.
                attempt=max(match.revision // 2, 1),
            )

    def add_game(self, token: str, result: ContestGameResult, replay: bytes) -> bool:
        """Keep a finished game and its replay; they are on disk when this returns.

        Returns:
            True if the store has this game, from now on or already. False if it is not kept:
            another game of that number was, the match is over, or a game before it is missing.

        Raises:
            UnknownEntryError: no such match.
            InputError: a replay that is too long.
        """
        if len(replay) > MAX_FRAME_BYTES:
            raise InputError(
                f"a replay of {len(replay)} bytes is too long: {MAX_FRAME_BYTES} at most"
            )
        with self._database.write_transaction() as session:
            match = _by_token(session, token, to_write=True)
            kept = session.scalars(
                select(GameTable.result)
                .where(GameTable.match_id == match.id)
                .order_by(GameTable.number)
            ).all()
            if result.number <= len(kept):
                return game_result_of(kept[result.number - 1]) == result
            if match.state not in UNFINISHED or result.number != len(kept) + 1:
                return False
            self._write_game(session, match, result, replay)
            return True

    def list_game_results(self, token: str) -> tuple[ContestGameResult, ...]:
        """The games of a match that are kept: numbers 1, 2, 3 ... without a gap.

        Raises:
            UnknownEntryError: no such match.
        """
        with self._database.read_transaction() as session:
            return tuple(game.result for game in _games(session, _by_token(session, token).id))

    def list_games(self, match_id: int) -> tuple[GameRow, ...]:
        """The games of a match that are kept, without their replays."""
        if not is_id(match_id):
            return ()
        with self._database.read_transaction() as session:
            return _games(session, match_id)

    def read_replay(self, match_id: int, number: int) -> bytes | None:
        """A game's replay; None if there is no such game."""
        if not (is_id(match_id) and is_id(number)):
            return None
        with self._database.read_transaction() as session:
            found = session.get(ReplayTable, (match_id, number))
            return None if found is None else found.data

    def finish(self, token: str, result: MatchResult) -> bool:
        """Write down how a match ended; without a winner it is called off.

        Returns:
            True if this is its result, from now on or already; False if it ended otherwise before.

        Raises:
            UnknownEntryError: no such match.
        """
        with self._database.write_transaction() as session:
            match = _by_token(session, token, to_write=True)
            if match.state not in UNFINISHED:
                return match.result is not None and match_result_of(match.result) == result
            match.state = "called off" if result.winner is None else "done"
            match.result = as_json(result)
            match.ended = self._clock()
            match.revision += 1
            return True

    # --- helpers ----------------------------------------------------------------------------

    def _oldest_first(self, condition: ColumnElement[bool]) -> tuple[MatchRow, ...]:
        with self._database.read_transaction() as session:
            found = session.scalars(select(MatchTable).where(condition).order_by(MatchTable.id))
            return tuple(match_row(match) for match in found)

    def _write_game(
        self, session: Session, match: MatchTable, result: ContestGameResult, replay: bytes
    ) -> None:
        game = {"match_id": match.id, "number": result.number}
        session.add(
            GameTable(**game, result=as_json(result), kept=self._clock(), replay_bytes=len(replay))
        )
        # The game goes first: what follows refers to it.
        session.flush()
        session.add(ReplayTable(**game, data=replay))
        for seat, verdicts in enumerate(result.move_counts):
            for fate, count in sorted(verdicts.items())[:_MOST_FATES]:
                session.add(MoveCountTable(**game, seat=seat, fate=clean_text(fate), count=count))
        match.points_0 += result.scores[0]
        match.points_1 += result.scores[1]
        if result.winner == 0:
            match.games_0 += 1
        else:
            match.games_1 += 1


_URGENCY: Final[dict[MatchState, int]] = {"playing": 0, "placed": 1, "waiting": 2}


def _find(session: Session, token: str, *, to_write: bool = False) -> MatchTable | None:
    # Databases do not take every text.
    if len(token) != _TOKEN_LENGTH or not is_name(token):
        return None
    asked = select(MatchTable).where(MatchTable.token == token)
    return session.scalars(asked.with_for_update() if to_write else asked).one_or_none()


def _by_token(session: Session, token: str, *, to_write: bool = False) -> MatchTable:
    found = _find(session, token, to_write=to_write)
    if found is None:
        raise UnknownEntryError("the store knows no match with this token")
    return found


def _is_known(session: Session, table: type[ContestTable | TeamTable], number: int) -> bool:
    return is_id(number) and session.get(table, number) is not None


def _seat(session: Session, seat: int | BuiltinEntrant) -> MatchPlayer:
    if isinstance(seat, BuiltinEntrant):
        return MatchPlayer(
            team=clean_text(seat.name, 200), team_id=None, bot=clean_text(seat.bot, 200)
        )
    team = session.get(TeamTable, seat) if is_id(seat) else None
    if team is None:
        raise UnknownEntryError(f"the store knows no team number {seat}")
    return MatchPlayer(team=team.name, team_id=team.id)


def _plays(team_id: int) -> ColumnElement[bool]:
    return or_(MatchTable.team_0_id == team_id, MatchTable.team_1_id == team_id)


def _games(session: Session, match_id: int) -> tuple[GameRow, ...]:
    found = session.scalars(
        select(GameTable).where(GameTable.match_id == match_id).order_by(GameTable.number)
    )
    return tuple(
        GameRow(
            number=game.number,
            result=game_result_of(game.result),
            kept=game.kept,
            replay_bytes=game.replay_bytes,
        )
        for game in found
    )


rules_of = msgspec.json.Decoder(ContestRules).decode

game_result_of = msgspec.json.Decoder(ContestGameResult).decode

match_result_of = msgspec.json.Decoder(MatchResult).decode


def as_json(value: msgspec.Struct) -> str:
    """As a column holds it."""
    return msgspec.json.encode(value).decode()


def new_match(
    kind: MatchKind,
    name: str,
    seats: tuple[MatchPlayer, MatchPlayer],
    rules: ContestRules,
    *,
    now: float,
    contest_id: int | None,
    slot: str,
) -> MatchTable:
    """A match that waits for a server.

    Raises:
        InputError: two seats of one name.
    """
    first, second = seats
    if name_key(first.team) == name_key(second.team):
        raise InputError(
            f"two seats of a match cannot both be {shown(first.team)}: clients tell them apart by "
            "name"
        )
    return MatchTable(
        token=str(uuid.uuid4()),
        kind=kind,
        name=clean_text(name, 200),
        contest_id=contest_id,
        slot=slot,
        team_0_id=first.team_id,
        team_1_id=second.team_id,
        team_0=first.team,
        team_1=second.team,
        bot_0=first.bot,
        bot_1=second.bot,
        rules=as_json(rules),
        state="waiting",
        server="",
        revision=1,
        games_0=0,
        games_1=0,
        points_0=0,
        points_1=0,
        created=now,
    )


def match_row(match: MatchTable) -> MatchRow:
    """As it is given out."""
    return MatchRow(
        id=match.id,
        token=match.token,
        kind=msgspec.convert(match.kind, MatchKind),
        name=match.name,
        contest_id=match.contest_id,
        slot=match.slot,
        players=(
            MatchPlayer(team=match.team_0, team_id=match.team_0_id, bot=match.bot_0),
            MatchPlayer(team=match.team_1, team_id=match.team_1_id, bot=match.bot_1),
        ),
        rules=rules_of(match.rules),
        state=msgspec.convert(match.state, MatchState),
        server=match.server,
        games=(match.games_0, match.games_1),
        points=(match.points_0, match.points_1),
        result=None if match.result is None else match_result_of(match.result),
        revision=match.revision,
        created=match.created,
        placed=match.placed,
        began=match.began,
        ended=match.ended,
    )
