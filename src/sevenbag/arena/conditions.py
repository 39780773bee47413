"""Under which conditions a game is played: rules, limits, clocks, pace, and when it is over."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from sevenbag.arena.seat import Clock, Deadlines
from sevenbag.bots.bot import Limits
from sevenbag.errors import InputError, shown

if TYPE_CHECKING:
    from sevenbag.game import Rules

FRAMES_PER_TURN: Final = 30
"""Game time of a turn unless something else is wanted: two pieces a second."""

FRAMES_PER_SECOND: Final = 60

DoubleTopOut = Literal["draw", "attack"]


@dataclass(frozen=True, slots=True)
class RealTime:
    """Each player in a time of its own, instead of turns.

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
            keys (`sevenbag.game.keyed_versus`).

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


@dataclass(frozen=True, slots=True)
class Conditions:
    """Under which a game is played.

    Attributes:
        rules: the rules.
        seed: what the pieces and the garbage follow from.
        limits: what each bot may spend on a move, as far as it heeds limits.
        specs: by which specification each bot was called for, for those who want to know.
        max_pieces: after so many pieces each, more attack wins; in real time as soon as one has
            placed so many. None for no limit.
        frames_per_turn: game time of a turn, in which garbage travels; of no matter in real time.
        pps: turns begin at most so often in a second of real time; None for as fast as can be.
        deadlines: how long a bot may take over each step.
        clocks: for each bot the time it has for all its moves; None for no such limit.
        lead: who has made so many more lines of attack has won; None for no such end.
        double: what both topping out at once is: a draw, or won by more attack.
        opening: a fumen, on the field of whose first page both begin; None for an empty board.
        real_time: how time passes where players do not take turns; None: they do.
    """

    rules: Rules
    seed: int
    limits: tuple[Limits, Limits] = (Limits(), Limits())
    specs: tuple[str, str] = ("", "")
    max_pieces: int | None = None
    frames_per_turn: int = FRAMES_PER_TURN
    pps: float | None = None
    deadlines: Deadlines = field(default_factory=Deadlines)
    clocks: tuple[Clock | None, Clock | None] = (None, None)
    lead: int | None = None
    double: DoubleTopOut = "draw"
    opening: str | None = None
    real_time: RealTime | None = None
