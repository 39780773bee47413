"""A game played frame by frame, from keys, as TETR.IO plays it.

>>> from sevenbag.game.frames import Button, FrameGame
>>> game = FrameGame("tetrio-league", seed=1)
>>> game.press(Button.HARD_DROP, 0.5)
>>> game.end_frame()
>>> game.stats.pieces, game.frame
(1, 1)

In a frame of 1/60 s things happen in an order: keys go down and up at moments from 0 to below 1 of
it, attacks are announced, and confirmed later; then `FrameGame.end_frame`. What such a game does
not know of, it has no part in: there is no clock here and no network. docs/tetrio-replays.md has
the rules, step by step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sevenbag import _kernel
from sevenbag._kernel import Button, FrameRules, FrameStats, Handling
from sevenbag.game.rules import Rules, kernel_rules, rules_argument

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sevenbag._kernel import Lock, Piece

__all__ = ["Button", "FrameGame", "FrameRules", "FrameStats", "Handling", "RecordedLock", "Sent"]

RecordedLock = tuple["Lock", tuple[str, ...], "Piece", "Piece | None"]
"""A lock; the board after it, rows from the bottom; the piece that appeared then; the held one."""

Sent = tuple[int, int, int, int, int, int]
"""An attack that left: target, number towards it (from 1), lines, the number of the last attack
that had come from there, the frame, and which of the player's pieces made it (from 1)."""


class FrameGame(_kernel.FrameGame):
    """One player's game.

    Args:
        rules: the rules, or the name of a preset. Pieces appear where TETR.IO lets them, two rows
            above those that are seen.
        seed: decides pieces and holes, any integer of 64 bits.
        time: the rules of time.
        handling: how the player's keyboard acts.

    Raises:
        RulesError: no such preset, or rules that are not played frame by frame: garbage that enters
            at a clear or travels for locks, rows that are not solid, spins judged at the lock.
    """

    def __init__(
        self,
        rules: Rules | str = "tetrio-default",
        *,
        seed: int = 0,
        time: FrameRules | None = None,
        handling: Handling | None = None,
    ) -> None:
        rules = rules_argument(rules)
        super().__init__(kernel_rules(rules), time or FrameRules(), handling or Handling(), seed)
        self._rules = rules

    @property
    def rules(self) -> Rules:
        """The rules it is played by."""
        return self._rules

    @property
    def queue(self) -> tuple[Piece, ...]:
        """The piece in the air, and the previews."""
        return (self.piece.piece, *self.previews)

    def play(self, script: Sequence[float], frames: int) -> None:
        """Play a whole game that is known beforehand, as `sevenbag.formats.ttrm` reads it.

        Args:
            script: every event, in order, as numbers: ``frame, 0 (press) | 1 (press, down before
                the game began) | 2 (release), button, moment``; ``frame, 3 (announce), sender,
                number, lines, acknowledged, hole or -1``; ``frame, 4 (confirm), sender, number``;
                ``frame, 5 (target), count, player ...``.
            frames: how many frames to play, unless the player is out before; then what happens in
                the frame after, which does not pass.

        Raises:
            InputError: it is no such list, or goes back in time.
        """
        self.perform(list(script), frames)

    def play_recorded(self, script: Sequence[float], frames: int) -> list[RecordedLock]:
        """The same, and tell every lock."""
        return self.perform(list(script), frames, True)
