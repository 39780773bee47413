"""A batch of games in the kernel, and the arrays that it writes to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sevenbag.envs.settings import COUNTERS, Settings, actions_of
from sevenbag.game import Player

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sevenbag.envs.settings import Observation


class Batch:
    """Games that are played together, one row of every array for each seat.

    A seat is a player of a game; seats of a game follow one another.
    """

    def __init__(self, settings: Settings, games: int, players: int, threads: int = 1) -> None:
        self.kernel = settings.kernel(games, players)
        self.settings = settings
        self.actions = actions_of(self.kernel)
        self.games = games
        self.players = players
        self.seats = games * players
        self.threads = threads

    def new_arrays(self) -> Observation:
        """Room for what all seats see."""
        seats, players = self.seats, self.players
        settings = self.settings
        width = settings.rules.board.width
        return {
            "board": np.zeros((seats, players, settings.rows, width), np.uint8),
            "pieces": np.zeros((seats, players, self.kernel.pieces_seen), np.uint8),
            "counters": np.zeros((seats, players, COUNTERS), np.int32),
            "action_mask": np.zeros((seats, self.actions.count), np.int8),
        }

    def observe(self, into: Observation) -> None:
        """Write what all seats see."""
        self.kernel.observe(
            self.threads, into["board"], into["pieces"], into["counters"], into["action_mask"]
        )

    def renew(self, into: Observation) -> None:
        """Begin the next game where one has ended; write what is seen of it."""
        self.kernel.renew(into["board"], into["pieces"], into["counters"], into["action_mask"])

    def step(
        self, actions: NDArray[np.int64], into: Observation, *, begin_next: bool
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
        """One turn of every game.

        Args:
            actions: one for each seat.
            into: where what is seen is written.
            begin_next: whether a game that has ended begins anew instead.

        Returns: rewards, and which games are over, and which cut short.
        """
        rewards = np.empty(self.seats, np.float64)
        terminated = np.empty(self.seats, np.bool_)
        truncated = np.empty(self.seats, np.bool_)
        self.kernel.step(
            actions,
            begin_next,
            self.threads,
            into["board"],
            into["pieces"],
            into["counters"],
            into["action_mask"],
            rewards,
            terminated,
            truncated,
        )
        return rewards, terminated, truncated

    def player(self, seat: int) -> Player:
        """A seat's side of its game, as it stands now."""
        seed = self.kernel.seed(seat // self.players)
        return Player(self.kernel.game(seat), self.settings.rules, seed)


def row(arrays: Observation, seat: int) -> Observation:
    """What one seat sees, copied."""
    return {name: array[seat].copy() for name, array in arrays.items()}
