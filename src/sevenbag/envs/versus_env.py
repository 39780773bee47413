"""Environment of PettingZoo for two players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from gymnasium import Space
from gymnasium.spaces import Discrete
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import ParallelEnv  # type: ignore[import-untyped]

from sevenbag.envs.env_batch import EnvBatch, read_row, render_players
from sevenbag.envs.env_config import RENDER_MODES, EnvConfig, EnvOptions, Observation, game_seed
from sevenbag.errors import PlacementError
from sevenbag.game import Player, Rules

if TYPE_CHECKING:
    from sevenbag._kernel import Placement

AGENTS = ("player_0", "player_1")


class VersusEnv(ParallelEnv[str, "Observation", int]):  # type: ignore[misc]
    """Game of two players; in a step both place a piece without knowledge of the other's move.

    The game of ``reset(seed=s)`` is that of ``sevenbag.Versus(rules, seed=s)``. Each agent observes
    its own side first, then the other's. An action outside an agent's mask forfeits its game.

    Raises:
        RulesError: the preset, reward or mode is unknown, or a number is out of range.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # as PettingZoo declares it
        "name": "sevenbag_versus_v0",
        "render_modes": RENDER_MODES,
        "render_fps": 10,
        "is_parallelizable": True,
    }

    def __init__(self, rules: Rules | str = "guideline", **options: Unpack[EnvOptions]) -> None:
        config = EnvConfig(rules, **options)
        self._batch = EnvBatch(config, 1, len(AGENTS))
        self.actions = self._batch.actions
        self._random: np.random.Generator | None = None
        self.render_mode = config.render_mode
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        count = self.actions.count
        self.action_spaces: dict[str, Space[Any]] = {agent: Discrete(count) for agent in AGENTS}
        self.observation_spaces: dict[str, Space[Any]] = {
            agent: config.observation_space(len(AGENTS), count) for agent in AGENTS
        }

    @property
    def players(self) -> tuple[Player, Player]:
        """Read-only views of both players."""
        return self._batch.player(0), self._batch.player(1)

    def observation_space(self, agent: str) -> Space[Any]:
        """Return the observation space of an agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """Return the action space of an agent."""
        return self.action_spaces[agent]

    def move(self, agent: str, action: int) -> tuple[Placement, bool] | None:
        """Return the placement of an action, and True if it uses hold; None if it is illegal."""
        return self._batch.kernel.find_move(AGENTS.index(agent), action)

    def reset(
        self,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Start a game; without a seed, the next one determined by the last seed."""
        if seed is not None or self._random is None:
            self._random, _ = seeding.np_random(seed)
        arrays = self._batch.start(game_seed(seed, self._random))
        self.agents = list(AGENTS)
        return _by_agent(arrays), {agent: {} for agent in AGENTS}

    def step(
        self, actions: Mapping[str, int | np.int64]
    ) -> tuple[
        dict[str, Observation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Play one turn.

        Raises:
            PlacementError: the game has ended, or an agent has no action.
        """
        if not self.agents:
            raise PlacementError("the game has ended and was not reset")
        missing = [agent for agent in AGENTS if agent not in actions]
        if missing:
            raise PlacementError(f"no action for {' and '.join(missing)}")
        arrays = self._batch.new_arrays()
        rewards, terminated, truncated = self._batch.step(
            np.array([actions[agent] for agent in AGENTS], np.int64), arrays
        )
        if self._batch.kernel.has_ended(0):
            self.agents = []
        return (
            _by_agent(arrays),
            dict(zip(AGENTS, rewards.tolist(), strict=True)),
            dict(zip(AGENTS, terminated.tolist(), strict=True)),
            dict(zip(AGENTS, truncated.tolist(), strict=True)),
            {agent: {} for agent in AGENTS},
        )

    def render(self) -> str | NDArray[np.uint8] | None:
        """Render both boards."""
        return render_players(self.players, self.render_mode)

    def close(self) -> None:
        """Do nothing: no resources are open."""


def _by_agent(arrays: Observation) -> dict[str, Observation]:
    return {agent: read_row(arrays, index) for index, agent in enumerate(AGENTS)}
