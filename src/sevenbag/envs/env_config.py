"""Configuration of environments: rules, rewards, spaces, and the numbers of actions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypedDict

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sevenbag import _kernel
from sevenbag._kernel import LockResult, Piece, Placement, Rotation, Spin
from sevenbag.errors import PlacementError, RulesError, check_integer
from sevenbag.game.game import MAX_SEED_VALUE
from sevenbag.game.game_config import MAX_SEED
from sevenbag.game.rules import Rules, compile_rules

Observation: TypeAlias = dict[str, NDArray[Any]]
"""Arrays by name: board, pieces, counters, action_mask."""
Reward: TypeAlias = str | Mapping[str, float]
"""A name of `REWARDS`, or weights."""


@dataclass(frozen=True, slots=True)
class ActionEncoding:
    """Encoding of placements as numbers, the same in every state of every game.

    A number counts through (hold, spin, rotation, y, x), the last one fastest: an array of values
    by action, such as a mask, can be reshaped to `shape`. Placements are canonical.

    Attributes:
        holds: 2 with hold: 1 plays the hold piece; otherwise 1.
        spins: 3 if spins are separate actions; otherwise 1, and a placement is played with the best
            possible spin.
        rows: rows for the centre of a piece, from 0 at the bottom.
        width: columns.
    """

    holds: int
    spins: int
    rows: int
    width: int

    @property
    def shape(self) -> tuple[int, int, int, int, int]:
        """Sizes of (hold, spin, rotation, y, x)."""
        return self.holds, self.spins, len(Rotation), self.rows, self.width

    @property
    def count(self) -> int:
        """Number of actions."""
        return math.prod(self.shape)

    def encode(self, placement: Placement, *, hold: bool = False) -> int:
        """Return the action of a placement in any form; with `hold` the piece comes from hold.

        >>> actions = ActionEncoding(holds=2, spins=1, rows=24, width=10)
        >>> actions.encode(Placement("T", Rotation.SOUTH, 4, 1), hold=True)
        1454

        Raises:
            PlacementError: the centre is too high, or the rules have no hold.
        """
        if hold and self.holds == 1:
            raise PlacementError("these rules have no hold")
        form = placement.canonical()
        if not (0 <= form.y < self.rows and 0 <= form.x < self.width):
            raise PlacementError(
                f"{placement} is no action: the centre must be in rows 0 to {self.rows - 1}, "
                f"columns 0 to {self.width - 1}"
            )
        spin = int(form.spin) if self.spins > 1 else 0
        block = (int(hold) * self.spins + spin) * len(Rotation) + int(form.rotation)
        return (block * self.rows + form.y) * self.width + form.x

    def decode(self, action: int, piece: Piece) -> tuple[Placement, bool]:
        """Return the placement of an action for a piece, and True if it uses hold.

        The placement has no spin unless spins are separate actions.

        Raises:
            PlacementError: the action is out of range.
        """
        if not 0 <= action < self.count:
            raise PlacementError(f"invalid action: expected 0 to {self.count - 1}, got {action}")
        rest, x = divmod(action, self.width)
        rest, y = divmod(rest, self.rows)
        rest, rotation = divmod(rest, len(Rotation))
        hold, spin = divmod(rest, self.spins)
        return Placement(piece, Rotation(rotation), x, y, Spin(spin)), bool(hold)


REWARDS: Final[Mapping[str, Mapping[str, float]]] = {
    "sent": {"sent": 1.0},
    "attack": {"attack": 1.0},
    "lines": {"lines": 1.0},
    "survival": {"placement": 1.0},
    "outcome": {"win": 1.0, "loss": -1.0},
}
"""Rewards by name, as weights of the terms in `REWARD_TERMS`."""

REWARD_TERMS: Final = (
    *("attack", "sent", "cancelled", "lines", "garbage", "placement", "perfect_clear"),
    *("win", "loss"),
)
"""Terms of rewards; see docs/envs.md."""

NO_PIECE: Final = 7
"""Piece number in observations for an empty hold or an invisible piece."""

HIDDEN_ROWS: Final = 4
"""Default number of rows above the visible ones."""

COUNTERS: Final = 3
"""Number of counters: combo, back-to-back, pending lines."""

RENDER_MODES: Final = ["ansi", "rgb_array"]


class EnvOptions(TypedDict, total=False):
    """Options of all environments.

    Attributes:
        reward: name in `REWARDS`, or weights [default: sent].
        frames_per_turn: duration of a piece in game time [default: 30].
        max_pieces: pieces until truncation; None: those of a day.
        rows: observed and playable rows; None: the visible ones and four more.
        separate_spins: spins are separate actions [default: False].
        render_mode: ``ansi``, ``rgb_array`` or None.
    """

    reward: Reward
    frames_per_turn: int
    max_pieces: int | None
    rows: int | None
    separate_spins: bool
    render_mode: str | None


class EnvConfig:
    """Validated options of an environment, see `EnvOptions`.

    Raises:
        RulesError: the preset, reward or mode is unknown, or a number is out of range.
    """

    def __init__(
        self,
        rules: Rules | str,
        *,
        reward: Reward = "sent",
        frames_per_turn: int = 30,
        max_pieces: int | None = None,
        rows: int | None = None,
        separate_spins: bool = False,
        render_mode: str | None = None,
    ) -> None:
        self.rules = Rules.preset(rules) if isinstance(rules, str) else rules
        board = self.rules.board
        self.rows = min(board.visible + HIDDEN_ROWS, board.rows) if rows is None else rows
        check_integer("frames_per_turn", frames_per_turn, 36_000)
        check_integer("rows", self.rows, board.rows, 1)
        if max_pieces is not None:
            check_integer("max_pieces", max_pieces, 1_000_000_000, 1)
        if render_mode is not None and render_mode not in RENDER_MODES:
            modes = " or ".join(map(repr, RENDER_MODES))
            raise RulesError(f"invalid render_mode: expected None or {modes}, got {render_mode!r}")
        self.weights = _read_reward(reward)
        self.frames_per_turn = frames_per_turn
        self.max_pieces = max_pieces or 0
        self.separate_spins = separate_spins
        self.render_mode = render_mode

    def kernel(self, games: int, players: int) -> _kernel.GameBatch:
        """Create a batch of games."""
        return _kernel.GameBatch(
            compile_rules(self.rules),
            games,
            players,
            self.rows,
            self.separate_spins,
            self.frames_per_turn,
            self.max_pieces,
            dict(self.weights),
        )

    def observation_space(self, players: int, actions: int) -> spaces.Dict:
        """Return the observation space."""
        pieces = 2 + self.rules.pieces.previews
        width = self.rules.board.width
        most = np.iinfo(np.int32).max
        return spaces.Dict(
            {
                "board": spaces.Box(0, 1, (players, self.rows, width), np.uint8),
                "pieces": spaces.Box(0, NO_PIECE, (players, pieces), np.uint8),
                "counters": spaces.Box(0, most, (players, COUNTERS), np.int32),
                "action_mask": spaces.MultiBinary(actions),
            }
        )

    def reward(self, lock: LockResult, *, lost: bool) -> float:
        """Return the reward of a lock of a single player."""
        terms = {
            "attack": lock.attack,
            "sent": sum(lock.sent),
            "cancelled": lock.cancelled,
            "lines": lock.lines,
            "garbage": len(lock.garbage),
            "placement": 1,
            "perfect_clear": lock.perfect_clear,
            "loss": lost,
        }
        return sum((weight * terms.get(name, 0) for name, weight in self.weights.items()), 0.0)


def game_seed(seed: int | None, random: np.random.Generator) -> int:
    """Return the given seed, or a random one.

    Raises:
        RulesError: the seed is out of range.
    """
    if seed is None:
        return int(random.integers(1, MAX_SEED, endpoint=True))
    check_integer("seed", seed, MAX_SEED_VALUE)
    return seed


def _read_reward(reward: Reward) -> Mapping[str, float]:
    if isinstance(reward, str):
        if reward not in REWARDS:
            raise RulesError(f"invalid reward: expected {', '.join(REWARDS)}, got {reward!r}")
        return REWARDS[reward]
    unknown = ", ".join(repr(name) for name in reward if name not in REWARD_TERMS)
    if unknown:
        raise RulesError(f"invalid reward: expected {', '.join(REWARD_TERMS)}, got {unknown}")
    return {name: float(weight) for name, weight in reward.items()}
