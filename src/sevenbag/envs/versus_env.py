"""Two players against each other, for PettingZoo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.spaces import Discrete
from gymnasium.utils import seeding
from pettingzoo import ParallelEnv  # type: ignore[import-untyped]

from sevenbag.envs.env_batch import (
    RENDER_MODES,
    EnvBatch,
    check_render_mode,
    read_row,
    render_players,
)
from sevenbag.envs.env_config import EnvConfig, game_seed
from sevenbag.errors import PlacementError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gymnasium import Space
    from numpy.typing import NDArray

    from sevenbag._kernel import Placement
    from sevenbag.envs.env_config import ActionEncoding, Observation, Reward
    from sevenbag.game import Player, Rules

AGENTS = ("player_0", "player_1")


class VersusEnv(ParallelEnv[str, "Observation", int]):  # type: ignore[misc]
    """A game of two: in a step both place a piece, blind to the other's move.

    ``reset(seed=s)`` begins the very game that ``sevenbag.Versus(rules, seed=s)`` is. Each agent
    sees its own side first, then the other's. An action outside an agent's mask gives its game up.

    Args:
        rules: the rules, or the name of a preset.
        reward: a name of `REWARDS`, or weights.
        frames_per_turn: time that a turn takes.
        max_pieces: pieces after which a game is cut short; None: a day's worth.
        rows: rows of the board that are seen and played in; None: the visible ones and four more.
        spins_apart: whether kinds of spin are actions apart.
        render_mode: ``ansi``, ``rgb_array`` or None.

    Raises:
        RulesError: no such preset, reward or mode, or a number out of its range.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # as PettingZoo declares it
        "name": "sevenbag_versus_v0",
        "render_modes": RENDER_MODES,
        "render_fps": 10,
        "is_parallelizable": True,
    }

    def __init__(
        self,
        rules: Rules | str = "guideline",
        *,
        reward: Reward = "sent",
        frames_per_turn: int = 30,
        max_pieces: int | None = None,
        rows: int | None = None,
        spins_apart: bool = False,
        render_mode: str | None = None,
    ) -> None:
        settings = EnvConfig.create(
            rules,
            reward,
            frames_per_turn=frames_per_turn,
            max_pieces=max_pieces,
            rows=rows,
            spins_apart=spins_apart,
        )
        check_render_mode(render_mode)
        self._batch = EnvBatch(settings, 1, len(AGENTS))
        self._random: np.random.Generator | None = None
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        count = self.actions.count
        self.action_spaces: dict[str, Space[Any]] = {agent: Discrete(count) for agent in AGENTS}
        self.observation_spaces: dict[str, Space[Any]] = {
            agent: settings.observation_space(len(AGENTS), count) for agent in AGENTS
        }

    @property
    def actions(self) -> ActionEncoding:
        """What the actions mean."""
        return self._batch.actions

    @property
    def players(self) -> tuple[Player, Player]:
        """Both sides as they stand, to look at."""
        return self._batch.player(0), self._batch.player(1)

    def observation_space(self, agent: str) -> Space[Any]:
        """What an agent sees."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """What an agent can do."""
        return self.action_spaces[agent]

    def move(self, agent: str, action: int) -> tuple[Placement, bool] | None:
        """The placement that an action plays now, and whether by hold; None if it cannot."""
        return self._batch.kernel.find_move(AGENTS.index(agent), action)

    def reset(
        self,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begin a game; without a seed, the next of those that the last seed has decided."""
        if seed is not None or self._random is None:
            self._random, _ = seeding.np_random(seed)
        self._batch.kernel.reset(0, game_seed(seed, self._random))
        self.agents = list(AGENTS)
        arrays = self._batch.new_arrays()
        self._batch.observe(arrays)
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
        """One turn.

        Raises:
            PlacementError: the game has ended and was not reset, or an agent has no action.
        """
        if not self.agents:
            raise PlacementError("the game has ended and was not reset")
        missing = [agent for agent in AGENTS if agent not in actions]
        if missing:
            raise PlacementError(f"no action for {' and '.join(missing)}")
        arrays = self._batch.new_arrays()
        rewards, terminated, truncated = self._batch.step(
            np.array([actions[agent] for agent in AGENTS], np.int64), arrays, autoreset=False
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
        """Both boards, by the render mode."""
        return render_players(list(self.players), self.render_mode)

    def close(self) -> None:
        """Nothing is kept open."""


def _by_agent(arrays: Observation) -> dict[str, Observation]:
    return {agent: read_row(arrays, seat) for seat, agent in enumerate(AGENTS)}
