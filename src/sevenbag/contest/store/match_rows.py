"""Matches as they lie in the store, and as they are given out."""

from __future__ import annotations

import uuid

import msgspec

from sevenbag.contest.link import GameResult, MatchResult
from sevenbag.contest.rules import ContestRules
from sevenbag.contest.store.names import cleaned, name_key
from sevenbag.contest.store.rows import MatchKind, MatchRow, MatchSeat, MatchState
from sevenbag.contest.store.tables import MatchTable
from sevenbag.errors import InputError, shown

rules_of = msgspec.json.Decoder(ContestRules).decode
game_result_of = msgspec.json.Decoder(GameResult).decode
match_result_of = msgspec.json.Decoder(MatchResult).decode


def as_json(value: msgspec.Struct) -> str:
    """As a column holds it."""
    return msgspec.json.encode(value).decode()


def new_match(
    kind: MatchKind,
    name: str,
    seats: tuple[MatchSeat, MatchSeat],
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
        name=cleaned(name, 200),
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
        seats=(
            MatchSeat(team=match.team_0, team_id=match.team_0_id, bot=match.bot_0),
            MatchSeat(team=match.team_1, team_id=match.team_1_id, bot=match.bot_1),
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
