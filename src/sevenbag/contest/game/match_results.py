"""Results of games and matches: scores, winners and checks of plausibility."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

import msgspec

from sevenbag.contest.game.pason_game import PLAYERS, seeded_random

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sevenbag.contest.game.pason_game import PlayerIndex
    from sevenbag.contest.settings import MatchRules

Ending: TypeAlias = Literal["majority of games", "games at the time limit", "points", "coin flip"]


class MatchScore:
    """Games and points of a match.

    Args:
        most: games of the match, at most.
        seed: of the match; what its last coin follows from.
    """

    def __init__(self, max_games: int, seed: int) -> None:
        self._most = max_games
        self._seed = seed
        self._games = [0, 0]
        self._points = [0, 0]

    @property
    def games(self) -> tuple[int, int]:
        """Won by both seats."""
        return self._games[0], self._games[1]

    @property
    def points(self) -> tuple[int, int]:
        """Of both seats, in all games."""
        return self._points[0], self._points[1]

    @property
    def is_decided(self) -> bool:
        """Whether no further game is needed, or there is none."""
        return max(self._games) * 2 > self._most or sum(self._games) >= self._most

    def add(self, game: ContestGameResult) -> None:
        """Count a game."""
        self._games[game.winner] += 1
        for seat in PLAYERS:
            self._points[seat] += game.scores[seat]

    def result(self) -> MatchResult:
        """How a match ends that ends now, by the contest's text."""
        games, points = self.games, self.points
        winner: PlayerIndex
        if games[0] != games[1]:
            winner = 0 if games[0] > games[1] else 1
            majority = max(games) * 2 > self._most
            ending: Ending = "majority of games" if majority else "games at the time limit"
        elif points[0] != points[1]:
            winner, ending = 0 if points[0] > points[1] else 1, "points"
        else:
            coin = seeded_random(self._seed, "match").getrandbits(1)
            winner, ending = 1 if coin else 0, "coin flip"
        return MatchResult(winner=winner, ending=ending, games=games, points=points)


def find_game_error(
    result: ContestGameResult, finished: Sequence[ContestGameResult], rules: MatchRules
) -> str | None:
    """Why this cannot be the match's next game; None if it can.

    Args:
        result: as it was told.
        finished: the match's games in the store, in their order.
        rules: of the match.
    """
    if result.number > len(finished) + 1:
        return f"game {result.number} is told, and game {len(finished) + 1} is not known"
    if result.number > rules.games:
        return f"game {result.number} is told, and the match has {rules.games}"
    if result.number == len(finished) + 1 and max(_won(finished)) * 2 > rules.games:
        return f"game {result.number} is told, and the match was won before it"
    mine, other = result.scores[result.winner], result.scores[1 - result.winner]
    if min(mine, other) < 0 or min(*result.lines, *result.pieces) < 0:
        return f"game {result.number} has numbers below zero"
    if result.ending == "points at the time limit" and mine <= other:
        return f"game {result.number} is won by points, {mine} to {other}"
    if result.ending == "coin flip at the time limit" and mine != other:
        return f"game {result.number} is won by a coin, and points are {mine} to {other}"
    if any(
        len(verdicts) > _MAX_MOVE_COUNTS or not all(map(_is_outcome_name, verdicts))
        for verdicts in result.move_counts
    ):
        return f"game {result.number} counts more fates of moves than there are"
    return None


def find_match_error(
    result: MatchResult, finished: Sequence[ContestGameResult], rules: MatchRules
) -> str | None:
    """Why the match cannot have ended so; None if it can.

    Args:
        result: as it was told.
        finished: the match's games in the store, in their order.
        rules: of the match.
    """
    games = _won(finished)
    points = _scored(finished)
    if result.games != games:
        return f"games are told to be {_pair(result.games)}, and are {_pair(games)}"
    if result.points != points:
        return f"points are told to be {_pair(result.points)}, and are {_pair(points)}"
    if result.winner is None:
        return None if result.ending == "called off" else "it is told to have no winner"
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
            f"it is told to be won by {result.ending!r}, with games {mine} to {other} "
            f"and points {my_points} to {other_points}"
        )
    return None


def decide_unplayed_match(token: str, finished: Sequence[ContestGameResult]) -> MatchResult:
    """How a match of a contest ends that neither team has come to: as at its time limit.

    Args:
        token: of the match; the coin, where nothing else decides, is a digit of it.
        finished: the match's games in the store, in their order.
    """
    games = _won(finished)
    points = _scored(finished)
    ending: Literal["games at the time limit", "points", "coin flip"]
    if games[0] != games[1]:
        winner, ending = games[1] > games[0], "games at the time limit"
    elif points[0] != points[1]:
        winner, ending = points[1] > points[0], "points"
    else:
        winner, ending = int(token[-1], 16) % 2 == 1, "coin flip"
    return MatchResult(winner=1 if winner else 0, ending=ending, games=games, points=points)


Text: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=10**14)]
"""What is counted; so many of them can be added up that databases take the sum, too."""


class ContestGameResult(msgspec.Struct, frozen=True, kw_only=True):
    """A finished game.

    Attributes:
        number: within the match, from 1.
        game_name: as clients were told.
        winner: seat of the winner, 0 or 1.
        ending: why it ended.
        scores: points of both seats.
        lines: rows cleared by both.
        pieces: pieces locked by both.
        level: at the end.
        seconds: how long it took.
        verdicts: for each seat how many of its moves met which fate, such as
            ``{"done": 812, "collides": 9, "out of date": 4}``.
        last_sequence: the last ``sequence`` told.
        last_piece_number: the highest piece number given out.
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
    """How a match ended.

    Attributes:
        winner: seat of the winner; None for a match that was called off.
        ending: why.
        games: won by both.
        points: of both, in all games.
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
    """A word for a match's games so far; other games have another one.

    Two servers that have played on from the same game have different ones, and what the second of
    them tells of later games cannot be put behind the first one's.

    Args:
        games: in their order.
        line: the word for the games before them.
    """
    for game in games:
        numbers = (
            *(game.number, game.winner, *game.scores, *game.pieces),
            *(game.last_sequence, game.last_piece_number),
        )
        previous = hashlib.sha256(f"{previous} {numbers}".encode()).hexdigest()[:32]
    return previous


# --- helpers ------------------------------------------------------------------------------------

_MAX_MOVE_COUNTS: Final = 50

_MAX_OUTCOME_LENGTH: Final = 50


def _is_outcome_name(name: str) -> bool:
    # The store keeps it in a line: two that differ in what it leaves out would be one there.
    return len(name) <= _MAX_OUTCOME_LENGTH and name.isprintable()


def _won(finished: Sequence[ContestGameResult]) -> tuple[int, int]:
    second = sum(game.winner for game in finished)
    return len(finished) - second, second


def _scored(finished: Sequence[ContestGameResult]) -> tuple[int, int]:
    return sum(game.scores[0] for game in finished), sum(game.scores[1] for game in finished)


def _pair(numbers: tuple[int, int]) -> str:
    return f"{numbers[0]} to {numbers[1]}"
