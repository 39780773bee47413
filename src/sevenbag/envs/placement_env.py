"""Environment of one player with placements as actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Unpack

import gymnasium
import numpy as np
from numpy.typing import NDArray

from sevenbag.envs.env_batch import EnvBatch, read_row, render_players
from sevenbag.envs.env_config import RENDER_MODES, EnvConfig, EnvOptions, Observation, game_seed
from sevenbag.game import Player, Rules

if TYPE_CHECKING:
    from sevenbag._kernel import Placement


class PlacementEnv(gymnasium.Env["Observation", np.int64]):
    """Game of one player with one placement per step.

    The game of ``reset(seed=s)`` is that of ``sevenbag.Game(rules, seed=s)``. Observation and info
    contain the mask of legal actions; an action outside it forfeits the game. docs/envs.md
    describes spaces and rewards.

    Raises:
        RulesError: the preset, reward or mode is unknown, or a number is out of range.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": RENDER_MODES, "render_fps": 10}  # type: ignore[misc]

    def __init__(self, rules: Rules | str = "guideline", **options: Unpack[EnvOptions]) -> None:
        config = EnvConfig(rules, **options)
        self._batch = EnvBatch(config, 1, 1)
        self.actions = self._batch.actions
        self.render_mode = config.render_mode
        self.action_space = gymnasium.spaces.Discrete(self.actions.count)
        self.observation_space: gymnasium.Space[Any] = config.observation_space(
            1, self.actions.count
        )

    @property
    def player(self) -> Player:
        """Read-only view of the game."""
        return self._batch.player(0)

    def move(self, action: int) -> tuple[Placement, bool] | None:
        """Return the placement of an action, and True if it uses hold; None if it is illegal."""
        return self._batch.kernel.find_move(0, action)

    def reset(
        self,
        *,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a game; without a seed, the next one determined by the last seed."""
        super().reset(seed=seed)
        observation = read_row(self._batch.start(game_seed(seed, self.np_random)), 0)
        return observation, {"action_mask": observation["action_mask"]}

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play a placement.

        Raises:
            PlacementError: the game has ended.
        """
        arrays = self._batch.new_arrays()
        rewards, terminated, truncated = self._batch.step(np.array([action], np.int64), arrays)
        observation = read_row(arrays, 0)
        info = {"action_mask": observation["action_mask"]}
        return observation, float(rewards[0]), bool(terminated[0]), bool(truncated[0]), info

    def render(self) -> str | NDArray[np.uint8] | None:
        """Render the board."""
        return render_players([self.player], self.render_mode)
