"""A replay told placement by placement: for statistics, and for all that it is converted to.

What is told comes out of the game as it is played again, so nothing in it is merely believed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sevenbag.arena.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sevenbag._kernel import Lock, Placement
    from sevenbag.arena.playback import Playback
    from sevenbag.arena.records import PlayerRecord
    from sevenbag.formats.replay import Info

FRAMES_PER_SECOND = 60


@dataclass(frozen=True, slots=True)
class Step:
    """A placement, and what came of it.

    Attributes:
        turn: the line of the replay, from 1 for the first turn.
        frame: when it was, in frames since the game began.
        player: 0 or 1.
        placement: what was placed.
        lock: what came of it.
        before: the board before it, rows from the bottom, a letter a cell.
        boards: both boards after the turn: under some rules an attack changes the other's at once.
        milliseconds: how long its bot took; None where that was not recorded.
        info: what its bot said of its search; None where nothing was recorded.
    """

    turn: int
    frame: int
    player: int
    placement: Placement
    lock: Lock
    before: tuple[str, ...]
    boards: tuple[tuple[str, ...], tuple[str, ...]]
    milliseconds: float | None
    info: Info | None

    @property
    def after(self) -> tuple[str, ...]:
        """The player's board after the turn, with the garbage that entered."""
        return self.boards[self.player]


def steps(playback: Playback) -> Iterator[Step]:
    """Play on to the end, and tell every placement; of one turn the first player's first.

    Raises:
        FormatError: as `Playback.step`.
    """
    first, second = playback.versus.players
    before = first.colors, second.colors
    while not playback.at_end:
        turn = playback.replay.turns[playback.turn]
        locks = playback.step()
        first, second = playback.versus.players
        boards = first.colors, second.colors
        for player, lock in enumerate(locks):
            if lock is not None:
                yield Step(
                    playback.turn,
                    playback.versus.frame,
                    player,
                    lock.placement,
                    lock,
                    before[player],
                    boards,
                    turn.milliseconds[player] if turn.milliseconds else None,
                    turn.infos[player] if turn.infos else None,
                )
        before = boards


def figures(playback: Playback) -> tuple[PlayerRecord, PlayerRecord]:
    """Play on to the end; what each player did from here on.

    Raises:
        FormatError: as `Playback.step`.
    """
    tallies = (Tally(), Tally())
    began = playback.versus.frame
    for step in steps(playback):
        tallies[step.player].add(step.lock, step.milliseconds)
    seconds = (playback.versus.frame - began) / FRAMES_PER_SECOND
    return tallies[0].record(game_s=seconds), tallies[1].record(game_s=seconds)
