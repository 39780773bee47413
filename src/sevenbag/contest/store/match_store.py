"""Matches with their games and replays."""

from __future__ import annotations

import uuid
from collections.abc import Collection
from typing import Any, Final

import msgspec
from sqlalchemy import ColumnElement, and_, func, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from sevenbag.contest.game.match_results import ContestGameResult, MatchResult
from sevenbag.contest.scheduler_protocol import MAX_FRAME_BYTES, AssignedPlayer, MatchAssignment
from sevenbag.contest.settings import ContestRules
from sevenbag.contest.store.database import StorePart, get_row, newest_first
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

_TOKEN_LENGTH: Final = 36
_MAX_OUTCOMES: Final = 50


class MatchStore(StorePart):
    """All matches of contests, and test matches."""

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
        """Add a waiting match, unless its slot already has one; return the match.

        Args:
            kind: match of a contest or test match.
            name: display name, such as "Final".
            players: numbers of teams, or built-in players.
            rules: rules of the match and its games.
            contest_id: number of its contest.
            slot: position in the plan of the contest, which has one match that is not cancelled.

        Raises:
            InputError: players of the same name, or a slot without a contest.
        """
        if slot and contest_id is None:
            raise InputError("a match with a slot needs a contest")
        in_slot = and_(
            MatchTable.contest_id == contest_id,
            MatchTable.slot == slot,
            MatchTable.state != "called off",
        )
        try:
            with self._database.write_transaction() as session:
                if slot and (match := session.scalars(select(MatchTable).where(in_slot)).first()):
                    return match_row(match)
                if contest_id is not None:
                    get_row(session, ContestTable, contest_id, "contest")
                match = create_match(
                    kind,
                    name,
                    (_find_player(session, players[0]), _find_player(session, players[1])),
                    rules,
                    now=self._clock(),
                    contest_id=contest_id,
                    slot=slot,
                )
                session.add(match)
                session.flush()
                return match_row(match)
        except IntegrityError:
            # Another scheduler added the match in the meantime.
            with self._database.read_transaction() as session:
                return match_row(session.scalars(select(MatchTable).where(in_slot)).one())

    def get(self, token: str) -> MatchRow:
        """Return the match with a token."""
        with self._database.read_transaction() as session:
            return match_row(_get_match(session, token))

    def find(self, token: str) -> MatchRow | None:
        """Return the match with a token; None if it is unknown."""
        with self._database.read_transaction() as session:
            match = _find_match(session, token)
            return None if match is None else match_row(match)

    def find_by_id(self, match_id: int) -> MatchRow | None:
        """Return the match with a number; None if it is unknown."""
        if not is_id(match_id):
            return None
        with self._database.read_transaction() as session:
            match = session.get(MatchTable, match_id)
            return None if match is None else match_row(match)

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
        """Return matches to which the filters apply, the newest first.

        `before` is the number of the last match of the previous page.
        """
        query = newest_first(select(MatchTable), MatchTable.id, limit, before)
        if states is not None:
            query = query.where(MatchTable.state.in_(states))
        if kind is not None:
            query = query.where(MatchTable.kind == kind)
        if contest_id is not None:
            query = query.where(MatchTable.contest_id == min(contest_id, MAX_ID))
        if team_id is not None:
            number = min(team_id, MAX_ID)
            query = query.where(or_(MatchTable.team_0_id == number, MatchTable.team_1_id == number))
        with self._database.read_transaction() as session:
            return tuple(match_row(match) for match in session.scalars(query))

    def list_live(self, limit: int) -> tuple[MatchRow, ...]:
        """Return live matches (`MatchRow.is_live`), contest matches first, then by age."""
        was_begun = or_(MatchTable.kind == "contest", MatchTable.began.is_not(None))
        query = (
            select(MatchTable)
            .where(or_(MatchTable.state == "playing", (MatchTable.state == "placed") & was_begun))
            .order_by(MatchTable.kind != "contest", MatchTable.id)
            .limit(limit)
        )
        with self._database.read_transaction() as session:
            return tuple(match_row(match) for match in session.scalars(query))

    def list_unfinished(self) -> tuple[MatchRow, ...]:
        """Return all matches that have not ended, the oldest first."""
        return self._list_oldest_first(MatchTable.state.in_(UNFINISHED))

    def list_of_contest(self, contest_id: int) -> tuple[MatchRow, ...]:
        """Return all matches of a contest, the oldest first."""
        return self._list_oldest_first(MatchTable.contest_id == min(contest_id, MAX_ID))

    def counts(self) -> dict[MatchState, int]:
        """Return the number of matches by state."""
        with self._database.read_transaction() as session:
            counts = session.execute(
                select(MatchTable.state, func.count()).group_by(MatchTable.state)
            )
            return {msgspec.convert(state, MatchState): count for state, count in counts}

    def set_state(
        self, row: MatchRow, state: MatchState, *, server: str | None = None
    ) -> MatchRow | None:
        """Change the state of a match.

        Args:
            row: match as it was read.
            state: new state except "done", which needs a result (`finish`).
            server: name of its new game server; None for no change. Waiting matches have none.

        Returns:
            The changed match; None if it was changed since it was read.

        Raises:
            InputError: the match has ended, or the state is "done".
        """
        if row.state not in UNFINISHED or state == "done":
            raise InputError(
                f"a match that is {row.state!r} cannot become {state!r}: the state of an ended "
                "match is final, and 'done' needs a result"
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
        """Return a match as game servers get it, with password hashes and finished games."""
        with self._database.read_transaction() as session:
            match = _get_match(session, token)
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
                rules=match.rules,
                finished_games=tuple(game.result for game in _list_games(session, match.id)),
                # The revision grows by at least two from one assignment to the next.
                attempt=max(match.revision // 2, 1),
            )

    def add_game(self, token: str, result: ContestGameResult, replay: bytes) -> bool:
        """Store a finished game and its replay durably.

        Returns:
            True if the store has the game, now or already. False if it was not stored: a different
            game has its number, the match has ended, or an earlier game is missing.

        Raises:
            InputError: replay too long.
        """
        if len(replay) > MAX_FRAME_BYTES:
            raise InputError(
                f"invalid replay: expected at most {MAX_FRAME_BYTES} bytes, got {len(replay)}"
            )
        with self._database.write_transaction() as session:
            match = _get_match(session, token, for_update=True)
            stored = sum(match.games)
            if result.number <= stored:
                return session.get_one(GameTable, (match.id, result.number)).result == result
            if match.state not in UNFINISHED or result.number != stored + 1:
                return False
            self._write_game(session, match, result, replay)
            return True

    def list_game_results(self, token: str) -> tuple[ContestGameResult, ...]:
        """Return the results of the stored games of a match, numbered from 1 without gaps."""
        with self._database.read_transaction() as session:
            match = _get_match(session, token)
            return tuple(game.result for game in _list_games(session, match.id))

    def list_games(self, match_id: int) -> tuple[GameRow, ...]:
        """Return the stored games of a match, without replays."""
        if not is_id(match_id):
            return ()
        with self._database.read_transaction() as session:
            return _list_games(session, match_id)

    def read_replay(self, match_id: int, number: int) -> bytes | None:
        """Return the replay of a game; None if there is no such game."""
        if not (is_id(match_id) and is_id(number)):
            return None
        with self._database.read_transaction() as session:
            replay = session.get(ReplayTable, (match_id, number))
            return None if replay is None else replay.data

    def finish(self, token: str, result: MatchResult) -> bool:
        """Store the result of a match; without a winner the match is cancelled.

        Returns:
            True if this is its result, now or already; False if the match ended otherwise.
        """
        with self._database.write_transaction() as session:
            match = _get_match(session, token, for_update=True)
            if match.state not in UNFINISHED:
                return match.result == result
            match.state = "called off" if result.winner is None else "done"
            match.result = result
            match.ended = self._clock()
            match.revision += 1
            return True

    def _list_oldest_first(self, condition: ColumnElement[bool]) -> tuple[MatchRow, ...]:
        query = select(MatchTable).where(condition).order_by(MatchTable.id)
        with self._database.read_transaction() as session:
            return tuple(match_row(match) for match in session.scalars(query))

    def _write_game(
        self, session: Session, match: MatchTable, result: ContestGameResult, replay: bytes
    ) -> None:
        key = {"match_id": match.id, "number": result.number}
        game = GameTable(**key, result=result, kept=self._clock(), replay_bytes=len(replay))
        session.add(game)
        # The game is written first, because the other rows refer to it.
        session.flush()
        session.add(ReplayTable(**key, data=replay))
        for player, counts in enumerate(result.move_counts):
            for outcome, count in sorted(counts.items())[:_MAX_OUTCOMES]:
                session.add(
                    MoveCountTable(**key, seat=player, fate=clean_text(outcome), count=count)
                )
        match.points_0 += result.scores[0]
        match.points_1 += result.scores[1]
        if result.winner == 0:
            match.games_0 += 1
        else:
            match.games_1 += 1


def _find_match(session: Session, token: str, *, for_update: bool = False) -> MatchTable | None:
    # Databases reject some texts, such as those with null characters.
    if len(token) != _TOKEN_LENGTH or not is_name(token):
        return None
    query = select(MatchTable).where(MatchTable.token == token)
    return session.scalars(query.with_for_update() if for_update else query).one_or_none()


def _get_match(session: Session, token: str, *, for_update: bool = False) -> MatchTable:
    match = _find_match(session, token, for_update=for_update)
    if match is None:
        raise UnknownEntryError("unknown match with this token")
    return match


def _find_player(session: Session, player: int | BuiltinEntrant) -> MatchPlayer:
    if isinstance(player, BuiltinEntrant):
        name, bot = clean_text(player.name, 200), clean_text(player.bot, 200)
        return MatchPlayer(team=name, team_id=None, bot=bot)
    team = get_row(session, TeamTable, player, "team")
    return MatchPlayer(team=team.name, team_id=team.id)


def _list_games(session: Session, match_id: int) -> tuple[GameRow, ...]:
    games = session.scalars(
        select(GameTable).where(GameTable.match_id == match_id).order_by(GameTable.number)
    )
    return tuple(msgspec.convert(game, GameRow, from_attributes=True) for game in games)


def create_match(
    kind: MatchKind,
    name: str,
    players: tuple[MatchPlayer, MatchPlayer],
    rules: ContestRules,
    *,
    now: float,
    contest_id: int | None,
    slot: str,
) -> MatchTable:
    """Create a waiting match.

    Raises:
        InputError: players of the same name.
    """
    first, second = players
    if name_key(first.team) == name_key(second.team):
        raise InputError(
            f"the players of a match cannot both be {shown(first.team)}: clients identify them by "
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
        rules=rules,
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
    """Return a match as users of the store get it."""
    return msgspec.convert(match, MatchRow, from_attributes=True)
