"""How displays, recorders and statistics hang on to a game without the game knowing them.

The runner tells every watcher the same three things: it begins, a turn was played, it is over.
Watchers look and do not touch: the versus game they are shown is the one being played.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sevenbag._kernel import Placement
    from sevenbag.arena.conditions import DoubleTopOut, RealTime
    from sevenbag.arena.result import PlayerStats, Result
    from sevenbag.arena.seat import Clock
    from sevenbag.bots.bot import Limits, SearchInfo
    from sevenbag.game import Lock, Rules, Versus


@dataclass(frozen=True, slots=True)
class Opening:
    """A game as it begins.

    Attributes:
        names: the players, told apart even where both bots call themselves the same.
        rules: the rules.
        seed: what the pieces and the garbage follow from.
        specs: by which specification each bot was called for; empty where there was none.
        limits: what each bot may spend on a move; only limits that really hold for it.
        max_pieces: the piece limit; None for none.
        frames_per_turn: game time of a turn.
        versus: the game itself, live.
        opening: a fumen, on the field of whose first page both begin; None for an empty board.
        lead: the lead in attack that ends the game; None for none.
        double: what both topping out at once is.
        clocks: the time that each bot has for all its moves.
        real_time: how time passes where players do not take turns; None: they do.
    """

    names: tuple[str, str]
    rules: Rules
    seed: int
    specs: tuple[str, str]
    limits: tuple[Limits, Limits]
    max_pieces: int | None
    frames_per_turn: int
    versus: Versus
    opening: str | None = None
    lead: int | None = None
    double: DoubleTopOut = "draw"
    clocks: tuple[Clock | None, Clock | None] = (None, None)
    real_time: RealTime | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn that was played; in real time, what locked at one frame.

    Attributes:
        number: from 1.
        placements: what each player placed; in real time None for one who placed nothing then.
        locks: what came of it; None as in `placements`.
        seconds: how long each bot took for its answer; of no meaning where it placed nothing.
        infos: what each bot said of its search, where it said something.
        stats: what each player has done so far.
        frame: when it was, in frames; None where players take turns.
    """

    number: int
    placements: tuple[Placement | None, Placement | None]
    locks: tuple[Lock | None, Lock | None]
    seconds: tuple[float, float]
    infos: tuple[SearchInfo | None, SearchInfo | None]
    stats: tuple[PlayerStats, PlayerStats]
    frame: int | None = None


class Watcher:
    """Does nothing; override what is of interest. An exception ends the game."""

    def opened(self, opening: Opening) -> None:
        """The first turn is next, or the end, where a bot did not get ready."""

    def turned(self, turn: Turn) -> None:
        """A turn was played."""

    def closed(self, result: Result) -> None:
        """The game is over, or was broken off."""
