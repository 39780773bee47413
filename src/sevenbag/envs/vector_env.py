"""Vector environment: many games of one or two players, stepped in the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from gymnasium.spaces import Discrete
from gymnasium.vector import AutoresetMode
from gymnasium.vector import VectorEnv as GymnasiumVectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from sevenbag.envs.env_batch import EnvBatch, read_row, render_players
from sevenbag.envs.env_config import RENDER_MODES, EnvConfig, EnvOptions, Observation, game_seed
from sevenbag.errors import RulesError, check_integer
from sevenbag.game import Player, Rules

if TYPE_CHECKING:
    from sevenbag._kernel import Placement

MAX_THREADS = 256


class VectorEnv(GymnasiumVectorEnv["Observation", "NDArray[np.int64]", "NDArray[Any]"]):
    """Games of `PlacementEnv` stepped together.

    Observations alternate between two sets of arrays: those of a step are overwritten two steps
    later. Copy them to keep them longer.

    Args:
        num_envs: sub-environments. With two players, 2 k and 2 k + 1 are the players of game k.
        rules: rules, or the name of a preset.
        players: 1, or 2 for versus games.
        autoreset_mode: start of the game after an ended one: at the next step, whose actions are
            ignored; at the same step (the info contains the last observation as ``final_obs``); or
            by `reset` with the option ``reset_mask``.
        options: see `EnvOptions`.

    Raises:
        RulesError: the preset, reward or mode is unknown, or a number is out of range.
    """

    def __init__(
        self,
        num_envs: int = 256,
        rules: Rules | str = "guideline",
        *,
        players: int = 1,
        threads: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        **options: Unpack[EnvOptions],
    ) -> None:
        config = EnvConfig(rules, **options)
        check_integer("num_envs", num_envs, 1 << 20)
        check_integer("threads", threads, MAX_THREADS)
        if players not in (1, 2):
            raise RulesError(f"invalid players: expected 1 or 2, got {players}")
        if threads < 1 or num_envs < 1 or num_envs % players:
            raise RulesError(
                f"invalid num_envs or threads: expected at least 1, and a multiple of {players} "
                f"environments, got {num_envs} environments and {threads} threads"
            )
        self._batch = EnvBatch(config, num_envs // players, players, threads)
        self.actions = self._batch.actions
        self._autoreset = AutoresetMode(autoreset_mode)
        self._arrays = (self._batch.new_arrays(), self._batch.new_arrays())
        self._latest = 0
        self.num_envs = num_envs
        self.render_mode = config.render_mode
        self.metadata = {
            "render_modes": RENDER_MODES,
            "render_fps": 10,
            "autoreset_mode": self._autoreset,
        }
        self.single_action_space = Discrete(self.actions.count)
        self.single_observation_space = config.observation_space(players, self.actions.count)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)

    def player(self, index: int) -> Player:
        """Return a read-only view of the game of a sub-environment."""
        return self._batch.player(index)

    def move(self, index: int, action: int) -> tuple[Placement, bool] | None:
        """Return the placement of an action, and True if it uses hold; None if it is illegal."""
        return self._batch.kernel.find_move(index, action)

    def random_actions(self) -> NDArray[np.int64]:
        """Draw a legal action for each sub-environment, all equally likely.

        They are drawn from the generator of the environment.
        """
        actions = np.empty(self.num_envs, np.int64)
        self._batch.kernel.sample_actions(int(self.np_random.integers(2**63)), actions)
        return actions

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observation, dict[str, Any]]:
        """Start games.

        Args:
            seed: game k starts with ``seed + k``, or item k of a sequence; further seeds of a game
                follow from it. None: drawn from the generator of the environment.
            options: ``reset_mask``, an array of booleans that selects the games to start.

        Raises:
            RulesError: a seed is out of range, or the number of seeds or of the mask is wrong.
        """
        games = self._batch.games
        if isinstance(seed, int) or seed is None:
            super().reset(seed=seed)
            seed = [None] * games if seed is None else range(seed, seed + games)
        if len(seed) != games:
            raise RulesError(f"invalid seed: expected {games} seeds, one per game, got {len(seed)}")
        chosen = self._games_to_reset(options)
        drawn = [game_seed(own, self.np_random) for own in seed]
        for game in np.flatnonzero(chosen).tolist():
            self._batch.kernel.reset(game, drawn[game])
        arrays = self._next_arrays()
        self._batch.observe(arrays)
        return arrays, {}

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[
        Observation, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
    ]:
        """Play one placement in every sub-environment.

        Raises:
            RulesError: the number of actions is wrong.
            PlacementError: without autoreset, a game has ended.
        """
        arrays = self._next_arrays()
        rewards, terminated, truncated = self._batch.step(
            np.ascontiguousarray(actions, np.int64),
            arrays,
            autoreset=self._autoreset is AutoresetMode.NEXT_STEP,
        )
        info: dict[str, Any] = {}
        ended = terminated | truncated
        if self._autoreset is AutoresetMode.SAME_STEP and ended.any():
            info = _final(arrays, ended)
            self._batch.kernel.reset_ended(*arrays.values())
        return arrays, rewards, terminated, truncated, info

    def render(self) -> tuple[Any, ...] | None:
        """Render each sub-environment."""
        if self.render_mode is None:
            return None
        return tuple(
            render_players([self.player(i)], self.render_mode) for i in range(self.num_envs)
        )

    def _next_arrays(self) -> Observation:
        self._latest = 1 - self._latest
        # A new dictionary, because only the arrays are reused.
        return dict(self._arrays[self._latest])

    def _games_to_reset(self, options: dict[str, Any] | None) -> NDArray[np.bool_]:
        if not options or options.get("reset_mask") is None:
            return np.ones(self._batch.games, np.bool_)
        mask = np.asarray(options["reset_mask"])
        if mask.shape != (self.num_envs,) or mask.dtype != np.bool_:
            raise RulesError(
                f"invalid reset_mask: expected bool of shape ({self.num_envs},), "
                f"got {mask.dtype} of shape {mask.shape}"
            )
        by_game: NDArray[np.bool_] = mask.reshape(-1, self._batch.players)
        chosen = np.asarray(by_game.any(axis=1))
        if not np.array_equal(chosen, by_game.all(axis=1)):
            raise RulesError(
                "invalid reset_mask: expected the same value for both players of a game"
            )
        return chosen


def _final(arrays: Observation, ended: NDArray[np.bool_]) -> dict[str, Any]:
    """Return the info of ended games for Gymnasium."""
    observations = np.full(len(ended), None, object)
    for index in np.flatnonzero(ended).tolist():
        observations[index] = read_row(arrays, index)
    return {
        "final_obs": observations,
        "_final_obs": ended.copy(),
        "final_info": {},
        "_final_info": ended.copy(),
    }
