"""What the number of an action means."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from gymnasium import spaces

from sevenbag import _kernel
from sevenbag._kernel import Placement, Rotation, Spin
from sevenbag.errors import PlacementError, RulesError, check_integer
from sevenbag.game.game import MAX_SEED_VALUE
from sevenbag.game.rules import Rules, compile_rules

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeAlias

    from numpy.typing import NDArray

    from sevenbag._kernel import LockResult, Piece

    Observation: TypeAlias = dict[str, NDArray[Any]]
    """Arrays by name: board, pieces, counters, action_mask."""
    Reward: TypeAlias = str | Mapping[str, float]
    """A name of `REWARDS`, or weights."""


@dataclass(frozen=True, slots=True)
class ActionEncoding:
    """Placements as numbers: the same number is the same placement in every state of every game.

    A number counts through (hold, spin, rotation, y, x), the last fastest: an array of values by
    action, such as a mask, can be reshaped to `shape`. The placement is the canonical one.

    Attributes:
        holds: 2 where the rules have hold: 1 plays the piece that hold offers; else 1.
        spins: 3 where kinds of spin are actions apart; else 1, and a placement is played as the
            best spin there is.
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
        """How many actions there are."""
        return math.prod(self.shape)

    def encode(self, placement: Placement, *, hold: bool = False) -> int:
        """The action that plays a placement.

        Args:
            placement: in any form; the piece itself is told by `hold`.
            hold: whether its piece comes by hold.

        >>> actions = ActionEncoding(holds=2, spins=1, rows=24, width=10)
        >>> actions.encode(Placement("T", Rotation.SOUTH, 4, 1), hold=True)
        1454

        Raises:
            PlacementError: there is no such action: its centre is too high, or the rules have no
                hold.
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
        """What an action plays, and whether by hold.

        Args:
            action: 0 to below `count`.
            piece: the piece it is played with: the current one, or the one that hold offers.

        Returns: the placement; where kinds of spin are no actions apart, without a spin.

        Raises:
            PlacementError: the number is out of its range.
        """
        if not 0 <= action < self.count:
            raise PlacementError(f"action {action}, must be 0 to {self.count - 1}")
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
"""Rewards by name, as weights of what a step can bring."""

REWARD_TERMS: Final = (
    "attack",
    "sent",
    "cancelled",
    "lines",
    "garbage",
    "placement",
    "perfect_clear",
    "win",
    "loss",
)
"""What a step can bring; see docs/envs.md."""

NO_PIECE: Final = 7
"""In an observation of pieces: nothing is held, or the piece is out of sight."""

HIDDEN_ROWS: Final = 4
"""Rows above the visible ones that are seen and played in unless told."""

COUNTERS: Final = 3
"""Combo, back-to-back, pending lines."""

LAST_SEED: Final = 2**31 - 2
"""Games of seeds from 1 to this one are all different."""


@dataclass(frozen=True, slots=True)
class EnvConfig:
    """Rules and options of an environment, checked."""

    rules: Rules
    weights: Mapping[str, float]
    frames_per_turn: int
    max_pieces: int
    rows: int
    spins_apart: bool

    @classmethod
    def create(
        cls,
        rules: Rules | str,
        reward: Reward,
        *,
        frames_per_turn: int,
        max_pieces: int | None,
        rows: int | None,
        spins_apart: bool,
    ) -> EnvConfig:
        """Check what an environment was given.

        Raises:
            RulesError: no such preset or reward, or a number out of its range.
        """
        if isinstance(rules, str):
            rules = Rules.preset(rules)
        board = rules.board
        if rows is None:
            rows = min(board.visible + HIDDEN_ROWS, board.rows)
        check_integer("frames_per_turn", frames_per_turn, 36_000)
        if not 1 <= rows <= board.rows:
            raise RulesError(f"rows is {rows}, must be 1 to {board.rows}")
        if max_pieces is not None:
            check_integer("max_pieces", max_pieces, 1_000_000_000)
            if max_pieces == 0:
                raise RulesError("max_pieces is 0, must be at least 1; None is without an end")
        weights = read_reward(reward)
        return cls(rules, weights, frames_per_turn, max_pieces or 0, rows, spins_apart)

    def kernel(self, games: int, players: int) -> _kernel.GameBatch:
        """A batch of games in the kernel."""
        return _kernel.GameBatch(
            compile_rules(self.rules),
            games,
            players,
            self.rows,
            self.spins_apart,
            self.frames_per_turn,
            self.max_pieces,
            dict(self.weights),
        )

    def observation_space(self, players: int, actions: int) -> spaces.Dict:
        """What is seen of a state."""
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
        """What a lock of a single player is worth."""
        weight = self.weights.get
        return (
            weight("attack", 0.0) * lock.attack
            + weight("sent", 0.0) * sum(lock.sent)
            + weight("cancelled", 0.0) * lock.cancelled
            + weight("lines", 0.0) * lock.lines
            + weight("garbage", 0.0) * len(lock.garbage)
            + weight("placement", 0.0)
            + weight("perfect_clear", 0.0) * lock.perfect_clear
            + weight("loss", 0.0) * lost
        )


def read_reward(reward: Reward) -> Mapping[str, float]:
    """The weights of a reward.

    Raises:
        RulesError: there is no such reward, or nothing that could be weighed so.
    """
    if isinstance(reward, str):
        if reward not in REWARDS:
            raise RulesError(f"no reward named {reward!r}; there are {', '.join(REWARDS)}")
        return REWARDS[reward]
    unknown = ", ".join(repr(name) for name in reward if name not in REWARD_TERMS)
    if unknown:
        raise RulesError(f"no reward for {unknown}; there is one for {', '.join(REWARD_TERMS)}")
    return {name: float(weight) for name, weight in reward.items()}


def actions_of(envs: _kernel.GameBatch) -> ActionEncoding:
    """The actions of a batch."""
    holds, spins, _, rows, width = envs.action_shape
    return ActionEncoding(holds, spins, rows, width)


def game_seed(seed: int | None, random: np.random.Generator) -> int:
    """The seed of a game: the one that is given, or else drawn.

    Raises:
        RulesError: it is out of its range.
    """
    if seed is None:
        return int(random.integers(1, LAST_SEED, endpoint=True))
    check_integer("seed", seed, MAX_SEED_VALUE)
    return seed
