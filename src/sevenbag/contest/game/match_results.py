"""Results of games and matches: scores, winners and checks of plausibility."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple, TypeAlias

import msgspec

if TYPE_CHECKING:
    from sevenbag.contest.settings import MatchRules

Ending: TypeAlias = Literal["majority of games", "games at the time limit", "points", "coin flip"]


class MatchScore(NamedTuple):
    """Games won by each player, and the points of each player in all games."""

    games: tuple[int, int]
    points: tuple[int, int]

    def has_majority(self, max_games: int) -> bool:
        """Return whether a player has won more than half of the games of the match."""
        return max(self.games) * 2 > max_games

    def decide(self, max_games: int, coin: int) -> MatchResult:
        """Return the result of a match that ends now, by the text of the contest.

        Args:
            max_games: maximum number of games of the match.
            coin: index of the winner if games and points are equal.
        """
        ending: Ending
        if self.games[0] != self.games[1]:
            second_wins = self.games[1] > self.games[0]
            majority = self.has_majority(max_games)
            ending = "majority of games" if majority else "games at the time limit"
        elif self.points[0] != self.points[1]:
            second_wins, ending = self.points[1] > self.points[0], "points"
        else:
            second_wins, ending = bool(coin), "coin flip"
        return MatchResult(
            winner=1 if second_wins else 0, ending=ending, games=self.games, points=self.points
        )


def sum_score(finished: Sequence[ContestGameResult]) -> MatchScore:
    """Return the score of the finished games of a match."""
    second = sum(game.winner for game in finished)
    return MatchScore(
        games=(len(finished) - second, second),
        points=(sum(game.scores[0] for game in finished), sum(game.scores[1] for game in finished)),
    )


def find_game_error(
    result: ContestGameResult, finished: Sequence[ContestGameResult], rules: MatchRules
) -> str | None:
    """Return the reason why a result cannot be the next game of a match; None if it can."""
    if result.number > len(finished) + 1:
        return f"invalid game: expected game {len(finished) + 1}, got game {result.number}"
    if result.number > rules.games:
        return f"invalid game: expected at most {rules.games} games, got game {result.number}"
    if result.number == len(finished) + 1 and sum_score(finished).has_majority(rules.games):
        return f"invalid game: expected none after the match was won, got game {result.number}"
    mine, other = result.scores[result.winner], result.scores[1 - result.winner]
    if min(mine, other) < 0 or min(*result.lines, *result.pieces) < 0:
        return f"invalid game {result.number}: expected no negative numbers"
    if result.ending == "points at the time limit" and mine <= other:
        return f"invalid game {result.number}: won by points, but points are {mine} to {other}"
    if result.ending == "coin flip at the time limit" and mine != other:
        return f"invalid game {result.number}: won by a coin flip, but points are {mine} to {other}"
    if any(
        len(counts) > _MAX_MOVE_COUNTS or not all(map(_is_outcome_name, counts))
        for counts in result.move_counts
    ):
        return f"invalid game {result.number}: too many or invalid names of move outcomes"
    return None


def find_match_error(
    result: MatchResult, finished: Sequence[ContestGameResult], rules: MatchRules
) -> str | None:
    """Return the reason why a result of a match is impossible; None if it is possible."""
    games, points = sum_score(finished)
    if result.games != games:
        return f"invalid games: expected {_pair(games)}, got {_pair(result.games)}"
    if result.points != points:
        return f"invalid points: expected {_pair(points)}, got {_pair(result.points)}"
    if result.winner is None:
        is_valid = result.ending == "called off"
        return None if is_valid else "invalid winner: expected a player, got none"
    mine, other = games[result.winner], games[1 - result.winner]
    my_points, other_points = points[result.winner], points[1 - result.winner]
    fits = {
        "majority of games": mine * 2 > rules.games,
        "all games played": len(finished) == rules.games and mine > other,
        "games at the time limit": mine > other,
        "points": mine == other and my_points > other_points,
        "coin flip": mine == other and my_points == other_points,
        "the other team did not come": True,
        "called off": False,
    }
    if not fits[result.ending]:
        return (
            f"invalid ending: won by {result.ending!r}, but games are {mine} to {other} "
            f"and points {my_points} to {other_points}"
        )
    return None


def decide_unplayed_match(token: str, finished: Sequence[ContestGameResult]) -> MatchResult:
    """Return the result of a match that neither team connected to, as at its time limit.

    The last digit of the token decides if the finished games do not.
    """
    # Without a majority: of twice as many games nobody can have won more than half.
    return sum_score(finished).decide(2 * len(finished), int(token[-1], 16) % 2)


Text: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=10**14)]
"""A count, limited so that sums of counts fit the integers of databases."""


class ContestGameResult(msgspec.Struct, frozen=True, kw_only=True):
    """A finished game.

    Attributes:
        number: number of the game in the match, from 1.
        move_counts: number of moves of each player by outcome, such as
            ``{"done": 812, "collides": 9, "out of date": 4}``.
        last_sequence: last sequence number that was sent.
        last_piece_number: highest piece number that was used.
    """

    number: Annotated[int, msgspec.Meta(ge=1, le=10_000)]
    game_name: Text
    winner: Literal[0, 1]
    ending: Literal["top out", "points at the time limit", "coin flip at the time limit"]
    scores: tuple[Count, Count]
    lines: tuple[Count, Count] = (0, 0)
    pieces: tuple[Count, Count] = (0, 0)
    level: Count = 1
    seconds: float = 0.0
    move_counts: tuple[dict[str, Count], dict[str, Count]] = msgspec.field(
        default_factory=lambda: ({}, {}), name="verdicts"
    )
    last_sequence: Count = 0
    last_piece_number: Count = 0


class MatchResult(msgspec.Struct, frozen=True, kw_only=True):
    """Result of a match.

    Attributes:
        winner: index of the winner; None for a match that was called off.
    """

    winner: Literal[0, 1] | None
    ending: Literal[
        "majority of games",
        "all games played",
        "games at the time limit",
        "points",
        "coin flip",
        "the other team did not come",
        "called off",
    ]
    games: tuple[Count, Count]
    points: tuple[Count, Count]


WALKOVER: Final = "the other team did not come"
"""Ending of a match that was won because the other team was absent."""


def describe_ending(ending: str) -> str:
    """Return the reason for the end of a match as text for users."""
    return f"walkover, {ending}" if ending == WALKOVER else ending


def hash_history(games: Iterable[ContestGameResult], previous: str = "") -> str:
    """Return a hash of the games of a match so far.

    Two servers that continue a match from the same game have different hashes, so the later games
    of the second cannot be appended to those of the first. `previous` is the hash of earlier games.
    """
    for game in games:
        numbers = (
            *(game.number, game.winner, *game.scores, *game.pieces),
            *(game.last_sequence, game.last_piece_number),
        )
        previous = hashlib.sha256(f"{previous} {numbers}".encode()).hexdigest()[:32]
    return previous


_MAX_MOVE_COUNTS: Final = 50

_MAX_OUTCOME_LENGTH: Final = 50


def _is_outcome_name(name: str) -> bool:
    # The store removes unprintable characters; two names must not become equal.
    return len(name) <= _MAX_OUTCOME_LENGTH and name.isprintable()


def _pair(numbers: tuple[int, int]) -> str:
    return f"{numbers[0]} to {numbers[1]}"
