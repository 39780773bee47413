"""Matches of a tournament before they are played: who meets whom, where in the plan."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from sevenbag.contest.link import MatchResult  # noqa: TC001  # msgspec reads the annotations

Stage: TypeAlias = Literal["ranking", "bracket"]


class Fixture(msgspec.Struct, frozen=True, kw_only=True):
    """A match to be played.

    Attributes:
        slot: its place in the plan, which nothing else has.
        name: for people, such as "Quarter-final 2".
        stage: which half of the contest.
        round: within the stage, from 1.
        tie: within the round, from 0.
        entrants: who plays, by number: the first and the second seat.
    """

    slot: str
    name: str
    stage: Stage
    round: int
    tie: int
    entrants: tuple[int, int]


class Tie(msgspec.Struct, frozen=True, kw_only=True):
    """A place of the bracket, played or not.

    Attributes:
        slot: its place in the plan, which nothing else has.
        name: for people, such as "Quarter-final 2".
        round: from 1; the match for the third place is in the last one.
        tie: within the round, from 0.
        entrants: who meets, by number; None while it is not known, or for a bye.
        seeds: places of the ranking that meet here, from 1; None for a bye, and after the first
            round.
        bye: whether the first one goes on without a match.
        winner: who goes on; None while it is not known.
        result: of the match, its seats in the order of the entrants; None before it ends.
    """

    slot: str
    name: str
    round: int
    tie: int
    entrants: tuple[int | None, int | None]
    seeds: tuple[int | None, int | None] = (None, None)
    bye: bool = False
    winner: int | None = None
    result: MatchResult | None = None

    @property
    def loser(self) -> int | None:
        """Who does not go on; None while it is not known, or after a bye."""
        if self.winner is None or self.bye:
            return None
        return self.entrants[1] if self.winner == self.entrants[0] else self.entrants[0]
