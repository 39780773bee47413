"""Many games of one or two players at once, stepped in the kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.spaces import Discrete
from gymnasium.vector import AutoresetMode
from gymnasium.vector import VectorEnv as GymnasiumVectorEnv
from gymnasium.vector.utils import batch_space

from sevenbag.envs.env_batch import (
    RENDER_MODES,
    EnvBatch,
    check_render_mode,
    read_row,
    render_players,
)
from sevenbag.envs.env_config import EnvConfig, game_seed
from sevenbag.errors import RulesError, check_integer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gymnasium import Space
    from numpy.typing import NDArray

    from sevenbag._kernel import Placement
    from sevenbag.envs.env_config import ActionEncoding, Observation, Reward
    from sevenbag.game import Player, Rules

MOST_THREADS = 256


class VectorEnv(GymnasiumVectorEnv["Observation", "NDArray[np.int64]", "NDArray[Any]"]):
    """Games side by side; what a `PlacementEnv` does, for all of them in one call.

    Observations are written in place into two sets of arrays, by turns: what a step returned is
    overwritten by the step after the next. Copy what must last longer.

    Args:
        num_envs: sub-environments. With two players, 2 k and 2 k + 1 are the sides of game k.
        rules: the rules, or the name of a preset.
        players: 1, or 2 who play against each other.
        reward: a name of `REWARDS`, or weights.
        frames_per_turn: time that a move takes.
        max_pieces: pieces after which a game is cut short; None: a day's worth.
        rows: rows of the board that are seen and played in; None: the visible ones and four more.
        spins_apart: whether kinds of spin are actions apart.
        threads: threads that share the games.
        autoreset_mode: when the game after one that has ended begins: at the next step, whose
            actions are not looked at; at the same step (its last observation is in the info, as
            ``final_obs``); or by `reset` with the option ``reset_mask``.
        render_mode: ``ansi``, ``rgb_array`` or None.

    Raises:
        RulesError: no such preset, reward or mode, or a number out of its range.
    """

    def __init__(
        self,
        num_envs: int = 256,
        rules: Rules | str = "guideline",
        *,
        players: int = 1,
        reward: Reward = "sent",
        frames_per_turn: int = 30,
        max_pieces: int | None = None,
        rows: int | None = None,
        spins_apart: bool = False,
        threads: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
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
        check_integer("num_envs", num_envs, 1 << 20)
        check_integer("threads", threads, MOST_THREADS)
        if players not in (1, 2):
            raise RulesError(f"players is {players}, must be 1 or 2")
        if threads < 1 or num_envs < 1 or num_envs % players:
            raise RulesError(
                f"num_envs is {num_envs} and threads {threads}: both must be at least 1, "
                "and there must be as many environments as players, for each game"
            )
        self._batch = EnvBatch(settings, num_envs // players, players, threads)
        self._autoreset = AutoresetMode(autoreset_mode)
        self._arrays = (self._batch.new_arrays(), self._batch.new_arrays())
        self._latest = 0
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.metadata = {
            "render_modes": RENDER_MODES,
            "render_fps": 10,
            "autoreset_mode": self._autoreset,
        }
        actions: Space[Any] = Discrete(self.actions.count)
        observation = settings.observation_space(players, self.actions.count)
        self.single_action_space = actions
        self.single_observation_space = observation
        self.action_space = batch_space(actions, num_envs)
        self.observation_space = batch_space(observation, num_envs)

    @property
    def actions(self) -> ActionEncoding:
        """What the actions mean."""
        return self._batch.actions

    def player(self, index: int) -> Player:
        """The game of a sub-environment as it stands, to look at."""
        return self._batch.player(index)

    def move(self, index: int, action: int) -> tuple[Placement, bool] | None:
        """The placement that an action plays now, and whether by hold; None if it cannot."""
        return self._batch.kernel.find_move(index, action)

    def random_actions(self) -> NDArray[np.int64]:
        """For each sub-environment an action that its mask allows, all equally likely.

        They are drawn from the environment's own generator.
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
        """Begin games.

        Args:
            seed: game k begins with ``seed + k``, or item k of a sequence; every game's further
                seeds follow from it. None: drawn from the environment's own generator.
            options: ``reset_mask``, an array of a truth value for each sub-environment: begin
                those games only.

        Raises:
            RulesError: a seed out of its range, or too few or too many of them, or of the mask.
        """
        if isinstance(seed, int) or seed is None:
            super().reset(seed=seed)
        games = self._batch.games
        seeds: Sequence[int | None]
        if seed is None:
            seeds = [None] * games
        elif isinstance(seed, int):
            seeds = range(seed, seed + games)
        else:
            seeds = seed
        if len(seeds) != games:
            raise RulesError(f"{len(seeds)} seeds, must be {games}, one for each game")
        chosen = self._games_to_reset(options)
        drawn = [game_seed(own, self.np_random) for own in seeds]
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
        """One placement in every sub-environment.

        Raises:
            RulesError: there is not one action for each.
            PlacementError: without autoreset, if a game has ended and was not reset.
        """
        numbers = np.ascontiguousarray(actions, np.int64)
        arrays = self._next_arrays()
        rewards, terminated, truncated = self._batch.step(
            numbers, arrays, autoreset=self._autoreset is AutoresetMode.NEXT_STEP
        )
        info: dict[str, Any] = {}
        if self._autoreset is AutoresetMode.SAME_STEP:
            ended = terminated | truncated
            if ended.any():
                info = _final(arrays, ended)
                self._batch.reset_ended(arrays)
        return arrays, rewards, terminated, truncated, info

    def render(self) -> tuple[Any, ...] | None:
        """A picture of each sub-environment, by the render mode."""
        if self.render_mode is None:
            return None
        return tuple(
            render_players([self.player(i)], self.render_mode) for i in range(self.num_envs)
        )

    def _next_arrays(self) -> Observation:
        self._latest = 1 - self._latest
        # A dictionary of its own, so that only the arrays are used again.
        return dict(self._arrays[self._latest])

    def _games_to_reset(self, options: dict[str, Any] | None) -> NDArray[np.bool_]:
        players = self._batch.players
        if not options or options.get("reset_mask") is None:
            return np.ones(self._batch.games, np.bool_)
        mask = np.asarray(options["reset_mask"])
        if mask.shape != (self.num_envs,) or mask.dtype != np.bool_:
            raise RulesError(
                f"reset_mask is {mask.dtype} of shape {mask.shape}, "
                f"must be bool of shape ({self.num_envs},)"
            )
        by_game: NDArray[np.bool_] = mask.reshape(-1, players)
        chosen = np.asarray(by_game.any(axis=1))
        if not np.array_equal(chosen, by_game.all(axis=1)):
            raise RulesError("reset_mask tells the two sides of a game apart; they begin together")
        return chosen


def _final(arrays: Observation, ended: NDArray[np.bool_]) -> dict[str, Any]:
    """What Gymnasium's vector environments tell of games that ended and began anew."""
    observations = np.full(len(ended), None, object)
    for seat in np.flatnonzero(ended).tolist():
        observations[seat] = read_row(arrays, seat)
    return {
        "final_obs": observations,
        "_final_obs": ended.copy(),
        "final_info": {},
        "_final_info": ended.copy(),
    }
