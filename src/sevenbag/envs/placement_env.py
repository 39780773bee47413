"""One player; an action is a whole placement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import gymnasium
import numpy as np

from sevenbag.envs.env_batch import (
    RENDER_MODES,
    EnvBatch,
    check_render_mode,
    read_row,
    render_players,
)
from sevenbag.envs.env_config import EnvConfig, game_seed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sevenbag._kernel import Placement
    from sevenbag.envs.env_config import ActionEncoding, Observation, Reward
    from sevenbag.game import Player, Rules


class PlacementEnv(gymnasium.Env["Observation", np.int64]):
    """A game of one player, a placement a step.

    ``reset(seed=s)`` begins the very game that ``sevenbag.Game(rules, seed=s)`` is. The mask of
    actions that can be played is in the observation and in the info; an action outside it gives
    the game up. Spaces and rewards are described in docs/envs.md.

    Args:
        rules: the rules, or the name of a preset.
        reward: a name of `REWARDS`, or weights.
        frames_per_turn: time that a move takes.
        max_pieces: pieces after which a game is cut short; None: a day's worth.
        rows: rows of the board that are seen and played in; None: the visible ones and four more.
        spins_apart: whether kinds of spin are actions apart.
        render_mode: ``ansi``, ``rgb_array`` or None.

    Raises:
        RulesError: no such preset, reward or mode, or a number out of its range.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": RENDER_MODES, "render_fps": 10}  # type: ignore[misc]

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
        self._batch = EnvBatch(settings, 1, 1)
        self.render_mode = render_mode
        self.action_space = gymnasium.spaces.Discrete(self.actions.count)
        self.observation_space: gymnasium.Space[Any] = settings.observation_space(
            1, self.actions.count
        )

    @property
    def actions(self) -> ActionEncoding:
        """What the actions mean."""
        return self._batch.actions

    @property
    def player(self) -> Player:
        """The game as it stands, to look at."""
        return self._batch.player(0)

    def move(self, action: int) -> tuple[Placement, bool] | None:
        """The placement that an action plays now, and whether by hold; None if it cannot."""
        return self._batch.kernel.find_move(0, action)

    def reset(
        self,
        *,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a game; without a seed, the next of those that the last seed has decided."""
        super().reset(seed=seed)
        self._batch.kernel.reset(0, game_seed(seed, self.np_random))
        arrays = self._batch.new_arrays()
        self._batch.observe(arrays)
        return _seen(arrays)

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play a placement.

        Raises:
            PlacementError: the game has ended and was not reset.
        """
        arrays = self._batch.new_arrays()
        rewards, terminated, truncated = self._batch.step(
            np.array([action], np.int64), arrays, autoreset=False
        )
        observation, info = _seen(arrays)
        return observation, float(rewards[0]), bool(terminated[0]), bool(truncated[0]), info

    def render(self) -> str | NDArray[np.uint8] | None:
        """The board, by the render mode."""
        return render_players([self.player], self.render_mode)


def _seen(arrays: Observation) -> tuple[Observation, dict[str, Any]]:
    observation = read_row(arrays, 0)
    return observation, {"action_mask": observation["action_mask"]}
