"""Configuration of one game."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from sevenbag.errors import BoardError, FormatError, FumenError, InputError, shown
from sevenbag.formats.fumen import Fumen
from sevenbag.game import Rules

if TYPE_CHECKING:
    from sevenbag._kernel import Board
    from sevenbag.game import Rules


DEFAULT_FRAMES_PER_TURN: Final = 30
"""Game time of a turn unless something else is wanted: two pieces a second."""

FRAMES_PER_SECOND: Final = 60

DoubleTopOut = Literal["draw", "attack"]


@dataclass(frozen=True, slots=True)
class RealTime:
    """Timing of a game in real time, instead of turns.

    A piece locks when its player is ready for it: no sooner than the pace allows, nor before the
    thinking is done and the keys are pressed. Then the rules' delays pass until the next one.

    Attributes:
        pps: for each player, pieces a second at most; above 0, up to 60.
        nps: positions a second that a bot limited by nodes is taken to examine; None: its
            thinking takes no time.
        wall: whether the game's time is that of the clock on the wall, thinking included.
            Otherwise it is simulated: thinking takes as long as the limits grant, whatever it
            really took, and the same game comes out on every machine.
        frames: whether pieces fall, and lock by themselves, frame by frame, and placements are
            keys (`sevenbag.game.frame_versus`).

    Raises:
        InputError: a number out of its range.
    """

    pps: tuple[float, float] = (2.0, 2.0)
    nps: float | None = None
    wall: bool = False
    frames: bool = False

    def __post_init__(self) -> None:
        """See that the numbers can be played."""
        for pps in self.pps:
            if not 0 < pps <= FRAMES_PER_SECOND:
                raise InputError(
                    f"real time: pps is {shown(pps)}, must be above 0 and at most"
                    f" {FRAMES_PER_SECOND}"
                )
        if self.nps is not None and not 0 < self.nps < math.inf:
            raise InputError(f"real time: nps is {shown(self.nps)}, must be a number above 0")


MAX_SEED: Final = 2**31 - 2
"""The largest seed that differs from those before it."""


@dataclass(frozen=True, slots=True)
class Opening:
    """What a game begins with.

    Attributes:
        seed: what the pieces follow from; None for whatever the match says.
        fumen: the board; None for an empty one.
    """

    seed: int | None = None
    fumen: str | None = None

    def __str__(self) -> str:
        return " ".join(str(part) for part in (self.fumen, self.seed) if part is not None)


def opening_board(fumen: str, rules: Rules) -> Board:
    """The board that a fumen's first page shows.

    Raises:
        FormatError: it is no fumen, or the board does not fit the rules.
    """
    try:
        field = Fumen.parse(fumen).pages[0].field
    except FumenError as error:
        raise FormatError(f"{shown(fumen)} is no fumen: {error}") from None
    size = rules.board
    if size.width != _FUMEN_WIDTH:
        raise FormatError(f"a fumen has {_FUMEN_WIDTH} columns, the rules' boards {size.width}")
    if field.height > min(size.visible, size.kept):
        raise FormatError(
            f"the board of {shown(fumen)} is filled up to row {field.height}, above the"
            f" {min(size.visible, size.kept)} rows that are seen"
        )
    try:
        board = field.board(size.rows)
    except BoardError as error:
        raise FormatError(f"the board of {shown(fumen)} cannot be played: {error}") from None
    full = next((y for y in range(field.height) if all(board[x, y] for x in range(10))), None)
    if full is not None:
        raise FormatError(f"row {full} of the board of {shown(fumen)} is full already")
    return board


_FUMEN_WIDTH: Final = 10

ATTACK_RAMP_GROWTH: Final = 0.05
"""What a ramp adds to the factor on attack, per second of the game: doubled after 40 pieces."""


def with_attack_ramp(rules: Rules, ramp: int | None) -> Rules:
    """Rules under which attack grows from a piece on; None for no ramp."""
    if ramp is None:
        return rules
    growth = {
        "multiplier_growth": ATTACK_RAMP_GROWTH,
        "multiplier_margin": ramp * DEFAULT_FRAMES_PER_TURN,
    }
    return rules.replace({"attack": growth}, name=f"{rules.name}, ramp at {ramp}")
