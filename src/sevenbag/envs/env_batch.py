"""Batches of games in the kernel, their arrays, and rendering."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sevenbag.drawing.picture import COLORS, GARBAGE
from sevenbag.envs.env_config import COUNTERS, EnvConfig, Observation, actions_of
from sevenbag.game import Player


class EnvBatch:
    """Games stepped together; each array has one row per agent.

    An agent is a player of a game; the agents of a game are adjacent.
    """

    def __init__(self, config: EnvConfig, games: int, players: int, threads: int = 1) -> None:
        self.kernel = config.kernel(games, players)
        self.config = config
        self.actions = actions_of(self.kernel)
        self.games = games
        self.players = players
        self.agents = games * players
        self.threads = threads

    def new_arrays(self) -> Observation:
        """Return arrays for the observations of all agents."""
        agents, players = self.agents, self.players
        config = self.config
        width = config.rules.board.width
        return {
            "board": np.zeros((agents, players, config.rows, width), np.uint8),
            "pieces": np.zeros((agents, players, self.kernel.observed_pieces), np.uint8),
            "counters": np.zeros((agents, players, COUNTERS), np.int32),
            "action_mask": np.zeros((agents, self.actions.count), np.int8),
        }

    def observe(self, into: Observation) -> None:
        """Write the observations of all agents."""
        self.kernel.observe(
            self.threads, into["board"], into["pieces"], into["counters"], into["action_mask"]
        )

    def reset_ended(self, into: Observation) -> None:
        """Start a new game in place of each ended one, and write its observations."""
        self.kernel.reset_ended(
            into["board"], into["pieces"], into["counters"], into["action_mask"]
        )

    def step(
        self, actions: NDArray[np.int64], into: Observation, *, autoreset: bool
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
        """Play one turn of every game.

        Args:
            actions: one action per agent.
            into: arrays of observations.
            autoreset: start a new game in place of one that has ended before.

        Returns:
            Rewards, terminated games, and truncated games.
        """
        rewards = np.empty(self.agents, np.float64)
        terminated = np.empty(self.agents, np.bool_)
        truncated = np.empty(self.agents, np.bool_)
        self.kernel.step(
            actions,
            autoreset,
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

    def player(self, agent: int) -> Player:
        """Return the player of an agent."""
        seed = self.kernel.seed(agent // self.players)
        return Player(self.kernel.game(agent), self.config.rules, seed)


def read_row(arrays: Observation, agent: int) -> Observation:
    """Copy the observation of one agent."""
    return {name: array[agent].copy() for name, array in arrays.items()}


CELL: Final = 12
"""Size of a cell in pixels."""

Cells = tuple[tuple[int, int], ...]


def render_text(players: Sequence[Player], falling: Cells = ()) -> str:
    """Render boards side by side as text, with hold and queue below.

    Args:
        players: the players.
        falling: cells of the falling piece on the first board.
    """
    boards = [_rows(player, falling if i == 0 else ()) for i, player in enumerate(players)]
    lines = ["  ".join(rows) for rows in zip(*boards, strict=True)]
    for player in players:
        hold = "-" if player.hold is None else player.hold.name
        queue = "".join(piece.name for piece in player.queue)
        lines.append(f"hold {hold}  queue {queue}  pending {sum(player.pending)}")
    return "\n".join(lines) + "\n"


def render_image(players: Sequence[Player], falling: Cells = ()) -> NDArray[np.uint8]:
    """Render boards as an image of height x width x 3, one column of pixels between them."""
    parts: list[NDArray[np.uint8]] = []
    for i, player in enumerate(players):
        rows = _rows(player, falling if i == 0 else ())
        letters = np.array([[ord(letter) for letter in row] for row in rows], np.uint8)
        if parts:
            parts.append(np.full((len(rows) * CELL, CELL // 2, 3), 255, np.uint8))
        parts.append(_PALETTE[letters].repeat(CELL, axis=0).repeat(CELL, axis=1))
    return np.concatenate(parts, axis=1)


def render_players(
    players: list[Player], mode: str | None, falling: tuple[tuple[int, int], ...] = ()
) -> str | NDArray[np.uint8] | None:
    """Render players in a render mode."""
    if mode is None:
        return None
    return render_text(players, falling) if mode == "ansi" else render_image(players, falling)


def _palette() -> NDArray[np.uint8]:
    """Return colours by the character code of a cell."""
    palette = np.zeros((128, 3), np.uint8)
    for letter, color in COLORS.items():
        palette[ord(letter)] = tuple(bytes.fromhex(color[1:]))
    return palette


_PALETTE: Final = _palette()


def _rows(player: Player, falling: Cells) -> list[str]:
    """Return the visible rows and the two above them, from the top, one letter per cell."""
    board = player.rules.board
    rows = [list(row) for row in player.colors[: min(board.visible + 2, board.rows)]]
    for x, y in falling:
        if y < len(rows):
            rows[y][x] = GARBAGE if player.over else player.current.name
    return ["".join(row) for row in reversed(rows)]
