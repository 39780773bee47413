"""Whether what a game server tells of a game or a match can be true.

A server is trusted with the game itself, not with sums: what it tells must fit what is in the
store, or the contest's bracket would stand on numbers that nobody can follow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from sevenbag.contest.link import MatchResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sevenbag.contest.link import GameResult
    from sevenbag.contest.rules import MatchRules


def doubt_game(result: GameResult, finished: Sequence[GameResult], rules: MatchRules) -> str | None:
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
        len(verdicts) > _MOST_VERDICTS or not all(map(_is_verdict, verdicts))
        for verdicts in result.verdicts
    ):
        return f"game {result.number} counts more fates of moves than there are"
    return None


def doubt_match(
    result: MatchResult, finished: Sequence[GameResult], rules: MatchRules
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


def without_teams(token: str, finished: Sequence[GameResult]) -> MatchResult:
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


# --- helpers ------------------------------------------------------------------------------------

_MOST_VERDICTS: Final = 50
_LONGEST_VERDICT: Final = 50


def _is_verdict(name: str) -> bool:
    # The store keeps it in a line: two that differ in what it leaves out would be one there.
    return len(name) <= _LONGEST_VERDICT and name.isprintable()


def _won(finished: Sequence[GameResult]) -> tuple[int, int]:
    second = sum(game.winner for game in finished)
    return len(finished) - second, second


def _scored(finished: Sequence[GameResult]) -> tuple[int, int]:
    return sum(game.scores[0] for game in finished), sum(game.scores[1] for game in finished)


def _pair(numbers: tuple[int, int]) -> str:
    return f"{numbers[0]} to {numbers[1]}"
