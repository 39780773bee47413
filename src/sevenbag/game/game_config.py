"""Timing, opening board and attack ramp of a game."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from sevenbag.errors import BoardError, FormatError, FumenError, InputError, shown
from sevenbag.formats.fumen import Fumen
from sevenbag.game import Rules

if TYPE_CHECKING:
    from sevenbag._kernel import Board


DEFAULT_FRAMES_PER_TURN: Final = 30
"""Default duration of a turn in frames: two pieces per second."""

FRAMES_PER_SECOND: Final = 60

DoubleTopOut = Literal["draw", "attack"]


@dataclass(frozen=True, slots=True)
class RealTime:
    """Timing of a game in real time, instead of turns.

    A piece locks when its player is ready: not before the pace allows it, and not before the bot
    has answered and the keys are pressed. Then the delays of the rules pass.

    Attributes:
        pps: maximum pieces per second of each player, above 0, up to 60.
        nps: simulated positions per second of a bot with a node limit; None: searching takes no
            time.
        wall: game time is wall time, including the bots' answers. Otherwise time is simulated: an
            answer takes as long as its limits allow, and the game is the same on every machine.
        frames: pieces fall and lock frame by frame, and placements are keys
            (`sevenbag.game.frame_versus`).

    Raises:
        InputError: a number is out of range.
    """

    pps: tuple[float, float] = (2.0, 2.0)
    nps: float | None = None
    wall: bool = False
    frames: bool = False

    def __post_init__(self) -> None:
        """Check the ranges."""
        for pps in self.pps:
            if not 0 < pps <= FRAMES_PER_SECOND:
                raise InputError(
                    f"invalid pps: expected number above 0 to {FRAMES_PER_SECOND}, got {shown(pps)}"
                )
        if self.nps is not None and not 0 < self.nps < math.inf:
            raise InputError(f"invalid nps: expected number above 0, got {shown(self.nps)}")


MAX_SEED: Final = 2**31 - 2
"""Largest seed: greater ones repeat the games of smaller ones."""


@dataclass(frozen=True, slots=True)
class Opening:
    """Start of a game.

    Attributes:
        seed: seed of the pieces; None for the seed of the match.
        fumen: board; None for an empty one.
    """

    seed: int | None = None
    fumen: str | None = None

    def __str__(self) -> str:
        return " ".join(str(part) for part in (self.fumen, self.seed) if part is not None)


def opening_board(fumen: str, rules: Rules) -> Board:
    """Return the board on the first page of a fumen.

    Raises:
        FormatError: the fumen is invalid, or the board does not fit the rules.
    """
    size = rules.board
    if size.width != 10:
        raise FormatError(f"invalid rules: expected a board of 10 columns, got {size.width}")
    try:
        field = Fumen.parse(fumen).pages[0].field
        most = min(size.visible, size.kept)
        if field.height > most:
            raise BoardError(f"expected at most {most} filled rows, got {field.height}")
        board = field.board(size.rows)
        full = [y for y in range(field.height) if all(board[x, y] for x in range(10))]
        if full:
            raise BoardError(f"expected no full rows, got row {full[0]}")
    except (FumenError, BoardError) as error:
        raise FormatError(f"invalid fumen {shown(fumen)}: {error}") from None
    return board


ATTACK_RAMP_GROWTH: Final = 0.05
"""Growth of the attack factor per second of game time; the factor is doubled after 40 pieces."""


def with_attack_ramp(rules: Rules, ramp: int | None) -> Rules:
    """Return rules with attacks that grow from a piece on; None for no ramp."""
    if ramp is None:
        return rules
    growth = {
        "multiplier_growth": ATTACK_RAMP_GROWTH,
        "multiplier_margin": ramp * DEFAULT_FRAMES_PER_TURN,
    }
    return rules.replace({"attack": growth}, name=f"{rules.name}, ramp at {ramp}")
