"""How displays, recorders and statistics hang on to a game without the game knowing them.

The runner tells every watcher the same three things: it begins, a turn was played, it is over.
Watchers look and do not touch: the versus game they are shown is the one being played.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sevenbag._kernel import Placement
    from sevenbag.arena.result import PlayerStats, Result
    from sevenbag.bots.bot import Limits
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
    """

    names: tuple[str, str]
    rules: Rules
    seed: int
    specs: tuple[str, str]
    limits: tuple[Limits, Limits]
    max_pieces: int | None
    frames_per_turn: int
    versus: Versus


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn that was played.

    Attributes:
        number: from 1.
        placements: what each player placed.
        locks: what came of it.
        seconds: how long each bot took for its answer.
        stats: what each player has done so far.
    """

    number: int
    placements: tuple[Placement, Placement]
    locks: tuple[Lock, Lock]
    seconds: tuple[float, float]
    stats: tuple[PlayerStats, PlayerStats]


class Watcher:
    """Does nothing; override what is of interest. An exception ends the game."""

    def opened(self, opening: Opening) -> None:
        """The first turn is next, or the end, where a bot did not get ready."""

    def turned(self, turn: Turn) -> None:
        """A turn was played."""

    def closed(self, result: Result) -> None:
        """The game is over, or was broken off."""
