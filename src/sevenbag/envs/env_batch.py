"""Batches of games in the kernel, their arrays, and rendering."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sevenbag.drawing.picture import COLORS, GARBAGE
from sevenbag.envs.env_config import COUNTERS, ActionEncoding, EnvConfig, Observation
from sevenbag.game import Player


class EnvBatch:
    """Games stepped together; each array has one row per agent.

    An agent is a player of a game; the agents of a game are adjacent.
    """

    def __init__(self, config: EnvConfig, games: int, players: int, threads: int = 1) -> None:
        self.kernel = config.kernel(games, players)
        self.config = config
        holds, spins, _, rows, width = self.kernel.action_shape
        self.actions = ActionEncoding(holds, spins, rows, width)
        self.games = games
        self.players = players
        self.agents = games * players
        self.threads = threads

    def new_arrays(self) -> Observation:
        """Return arrays for the observations of all agents, in the kernel's order."""
        shape = self.agents, self.players
        return {
            "board": np.zeros((*shape, self.config.rows, self.actions.width), np.uint8),
            "pieces": np.zeros((*shape, self.kernel.observed_pieces), np.uint8),
            "counters": np.zeros((*shape, COUNTERS), np.int32),
            "action_mask": np.zeros((self.agents, self.actions.count), np.int8),
        }

    def observe(self, into: Observation) -> None:
        """Write the observations of all agents."""
        self.kernel.observe(self.threads, *into.values())

    def start(self, seed: int) -> Observation:
        """Start the first game; return new arrays with its observations."""
        self.kernel.reset(0, seed)
        arrays = self.new_arrays()
        self.observe(arrays)
        return arrays

    def step(
        self, actions: NDArray[np.int64], into: Observation, *, autoreset: bool = False
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
        """Play one turn of every game; return rewards, terminated games and truncated games.

        With `autoreset` a new game starts in place of one that has ended before.
        """
        rewards = np.empty(self.agents, np.float64)
        terminated, truncated = np.empty((2, self.agents), np.bool_)
        results = rewards, terminated, truncated
        boards, pieces, counters, masks = into.values()
        self.kernel.step(
            actions, autoreset, self.threads, boards, pieces, counters, masks, *results
        )
        return results

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


def render_players(
    players: Sequence[Player], mode: str | None, falling: Cells = ()
) -> str | NDArray[np.uint8] | None:
    """Render boards side by side in a render mode.

    Text has hold and queue below the boards; an image has half a cell between them. `falling` are
    the cells of the falling piece on the first board.
    """
    if mode is None:
        return None
    boards = [_rows(player, () if i else falling) for i, player in enumerate(players)]
    if mode == "ansi":
        lines = ["  ".join(rows) for rows in zip(*boards, strict=True)]
        for player in players:
            hold = "-" if player.hold is None else player.hold.name
            queue = "".join(piece.name for piece in player.queue)
            lines.append(f"hold {hold}  queue {queue}  pending {sum(player.pending)}")
        return "\n".join(lines) + "\n"
    parts: list[NDArray[np.uint8]] = []
    for rows in boards:
        letters = np.array([[ord(letter) for letter in row] for row in rows], np.uint8)
        if parts:
            parts.append(np.full((len(rows) * CELL, CELL // 2, 3), 255, np.uint8))
        parts.append(_PALETTE[letters].repeat(CELL, axis=0).repeat(CELL, axis=1))
    return np.concatenate(parts, axis=1)


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
