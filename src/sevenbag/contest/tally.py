"""What a match stands at, and who has won it: games, then points, then a coin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from sevenbag.contest.chance import stream
from sevenbag.contest.duel import SEATS
from sevenbag.contest.link import MatchResult

if TYPE_CHECKING:
    from sevenbag.contest.duel import Seat
    from sevenbag.contest.link import GameResult

Ending: TypeAlias = Literal["majority of games", "games at the time limit", "points", "coin flip"]


class Tally:
    """Games and points of a match.

    Args:
        most: games of the match, at most.
        seed: of the match; what its last coin follows from.
    """

    def __init__(self, most: int, seed: int) -> None:
        self._most = most
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
    def decided(self) -> bool:
        """Whether no further game is needed, or there is none."""
        return max(self._games) * 2 > self._most or sum(self._games) >= self._most

    def add(self, game: GameResult) -> None:
        """Count a game."""
        self._games[game.winner] += 1
        for seat in SEATS:
            self._points[seat] += game.scores[seat]

    def result(self) -> MatchResult:
        """How a match ends that ends now, by the contest's text."""
        games, points = self.games, self.points
        winner: Seat
        if games[0] != games[1]:
            winner = 0 if games[0] > games[1] else 1
            majority = max(games) * 2 > self._most
            ending: Ending = "majority of games" if majority else "games at the time limit"
        elif points[0] != points[1]:
            winner, ending = 0 if points[0] > points[1] else 1, "points"
        else:
            coin = stream(self._seed, "match").getrandbits(1)
            winner, ending = 1 if coin else 0, "coin flip"
        return MatchResult(winner=winner, ending=ending, games=games, points=points)
