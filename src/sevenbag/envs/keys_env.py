"""Environment of one player with keys as actions."""

from __future__ import annotations

import enum
from typing import Any, ClassVar, Unpack

import gymnasium
import numpy as np
from numpy.typing import NDArray

from sevenbag import _kernel
from sevenbag._kernel import Key
from sevenbag.envs.env_batch import render_players
from sevenbag.envs.env_config import (
    NO_PIECE,
    RENDER_MODES,
    EnvConfig,
    EnvOptions,
    Observation,
    game_seed,
)
from sevenbag.errors import PlacementError, check_integer
from sevenbag.game import Player, Rules
from sevenbag.game.game import MAX_FRAME
from sevenbag.game.rules import compile_rules


class EnvKey(enum.IntEnum):
    """Key pressed by an action; the first eight are those of `sevenbag.Key`."""

    LEFT = 0
    RIGHT = 1
    CW = 2
    CCW = 3
    FLIP = 4
    SOFT_DROP = 5
    """Move down one row."""
    SONIC_DROP = 6
    """Move down to the floor without locking."""
    HARD_DROP = 7
    """Move down to the floor and lock."""
    HOLD = 8


class KeysEnv(gymnasium.Env["Observation", np.int64]):
    """Game of one player with one key per step.

    There is no gravity. A key without an effect changes nothing; the mask excludes it. The game of
    ``reset(seed=s)`` is that of ``sevenbag.Game(rules, seed=s)``.

    Args:
        rules: rules, or the name of a preset.
        max_keys: keys per piece; the last one is followed by a hard drop.
        options: see `EnvOptions`; a step without a lock has reward 0, and `separate_spins` has no
            effect.

    Attributes:
        player: read-only view of the game, without the falling piece.

    Raises:
        RulesError: the preset, reward or mode is unknown, or a number is out of range.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": RENDER_MODES, "render_fps": 30}  # type: ignore[misc]

    def __init__(
        self,
        rules: Rules | str = "guideline",
        *,
        max_keys: int = 100,
        **options: Unpack[EnvOptions],
    ) -> None:
        self._config = EnvConfig(rules, **options)
        check_integer("max_keys", max_keys, 1_000_000, 1)
        self._max_keys = max_keys
        self.render_mode = self._config.render_mode
        self.action_space = gymnasium.spaces.Discrete(len(EnvKey))
        single = self._config.observation_space(1, len(EnvKey))
        shape = (2, self._config.rows, self._config.rules.board.width)
        board = gymnasium.spaces.Box(0, 1, shape, np.uint8)
        self.observation_space: gymnasium.Space[Any] = gymnasium.spaces.Dict(
            {**single.spaces, "board": board}
        )
        self._falling: _kernel.FallingPiece | None = None
        self._held: _kernel.FallingPiece | None = None
        # Before the first reset there is a game, but it has ended.
        self._begin(0)
        self._ended = True

    @property
    def falling_piece(self) -> _kernel.Placement | None:
        """Falling piece; None after the end of the game."""
        return None if self._falling is None else self._falling.placement

    def reset(
        self,
        *,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a game; without a seed, the next one determined by the last seed."""
        super().reset(seed=seed)
        self._begin(game_seed(seed, self.np_random))
        return self._seen()

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Press a key.

        Raises:
            PlacementError: the game has ended, or the key is unknown.
        """
        falling = self._falling
        if self._ended or falling is None:
            raise PlacementError("the game has ended and was not reset")
        if not 0 <= action < len(EnvKey):
            raise PlacementError(f"action {action}, must be 0 to {len(EnvKey) - 1}")
        key = EnvKey(int(action))
        self._pressed += 1
        if key is EnvKey.HOLD:
            if self._held is not None:
                self._falling, self._held = self._held, None
                self._holds = True
        else:
            falling.press(Key(int(key)))
        reward, terminated, truncated = 0.0, False, False
        if key is EnvKey.HARD_DROP or self._pressed >= self._max_keys:
            reward = self._lock()
            terminated = self.player.over
            truncated = not terminated and self._is_at_limit()
            self._ended = terminated or truncated
        observation, info = self._seen()
        return observation, reward, terminated, truncated, info

    def render(self) -> str | NDArray[np.uint8] | None:
        """Render the board with the falling piece."""
        cells = () if self._falling is None else tuple(self._falling.placement.cells)
        return render_players([self.player], self.render_mode, cells)

    def _begin(self, seed: int) -> None:
        settings = self._config
        self._kernel = _kernel.Game(compile_rules(settings.rules), seed, seed)
        self.player = Player(self._kernel, settings.rules, seed)
        self._ended = False
        self._next_piece()

    def _next_piece(self) -> None:
        self._pressed = 0
        self._holds = False
        self._falling = None if self.player.over else self._spawned(hold=False)
        # Hold piece; none after hold was used.
        self._held = None if self.player.over else self._spawned(hold=True)

    def _spawned(self, *, hold: bool) -> _kernel.FallingPiece | None:
        try:
            return _kernel.FallingPiece(self._kernel, hold)
        except PlacementError:
            return None

    def _lock(self) -> float:
        assert self._falling is not None
        self._falling.press(Key.SONIC_DROP)
        frame = self._kernel.frame + self._config.frames_per_turn
        lock = self._kernel.play(self._falling.placement, self._holds, frame)
        self._next_piece()
        return self._config.reward(lock, lost=self.player.over)

    def _is_at_limit(self) -> bool:
        settings, game = self._config, self.player
        return game.frame > MAX_FRAME - settings.frames_per_turn or (
            0 < settings.max_pieces <= game.stats.pieces
        )

    def _seen(self) -> tuple[Observation, dict[str, Any]]:
        mask = self._mask()
        board, height = self.player.board, self._config.rows
        rows = np.array([board.row(y) for y in range(height)], np.uint32)
        planes = np.zeros((2, height, board.width), np.uint8)
        planes[0] = rows[:, None] >> np.arange(board.width, dtype=np.uint32) & 1
        if self._falling is not None:
            for x, y in self._falling.placement.cells:
                if y < height:
                    planes[1, y, x] = 1
        observation: Observation = {
            "board": planes,
            "pieces": np.array([self._pieces()], np.uint8),
            "counters": np.array(
                [[self.player.combo, self.player.back_to_back, sum(self.player.pending)]], np.int32
            ),
            "action_mask": mask,
        }
        return observation, {"action_mask": mask}

    def _pieces(self) -> list[int]:
        """Return the numbers of the falling piece, the held piece and the previews."""
        current, *previews = map(int, self.player.queue)
        hold = NO_PIECE if self.player.hold is None else int(self.player.hold)
        if self._holds:
            if hold == NO_PIECE:
                # The first preview becomes the current piece; the last one is unknown.
                assert self._falling is not None
                hold = previews.pop(0) if previews else int(self._falling.placement.piece)
                previews += [NO_PIECE] * (self._config.rules.pieces.previews - len(previews))
            current, hold = hold, current
        return [current, hold, *previews]

    def _mask(self) -> NDArray[np.int8]:
        mask = np.ones(len(EnvKey), np.int8)
        if self._falling is not None:
            for key in range(EnvKey.HARD_DROP):
                mask[key] = self._falling.copy().press(Key(key))
            mask[EnvKey.HOLD] = self._held is not None
        return mask
