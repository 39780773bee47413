"""Frame-by-frame game of one player, controlled by keys, with the timing of TETR.IO.

>>> from sevenbag.game.frame_game import Button, FrameGame
>>> game = FrameGame("tetrio-league", seed=1)
>>> game.press(Button.HARD_DROP, 0.5)
>>> game.end_frame()
>>> game.stats.pieces, game.frame
(1, 1)

A frame of 1/60 s has a fixed order: keys are pressed and released at times from 0 to below 1,
attacks are announced and confirmed, then `FrameGame.end_frame` completes it. The game has no clock
and no network. docs/tetrio-replays.md describes the rules in detail.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import NoneType
from typing import TYPE_CHECKING, Final, cast

from sevenbag import _kernel
from sevenbag._kernel import Button, FrameRules, FrameStats, Handling, Key, Placement
from sevenbag.errors import InputError, PlacementError, RulesError, expect_type, shown
from sevenbag.game.game import Player
from sevenbag.game.rules import Rules, compile_rules, resolve_rules

if TYPE_CHECKING:
    from sevenbag._kernel import LockResult, Piece

__all__ = [
    "Button",
    "FrameGame",
    "FrameRules",
    "FrameStats",
    "Handling",
    "RecordedLock",
    "SentAttack",
]

RecordedLock = tuple["LockResult", tuple[str, ...], "Piece", "Piece | None"]
"""A lock, the board after it (rows from the bottom), the next piece, and the held piece."""

SentAttack = tuple[int, int, int, int, int, int]
"""A sent attack: target, number of the attack to that target (from 1), lines, number of the last
attack received from the target, frame, and number of the player's piece that made it (from 1).
"""


class FrameGame(Player):
    """Game of one player.

    Args:
        rules: rules, or the name of a preset. As in TETR.IO, pieces spawn two rows above the
            visible ones.
        seed: seed of pieces and holes, a 64-bit integer.
        frame_rules: gravity and lock delay.
        handling: keyboard settings of the player.

    Raises:
        RulesError: the preset is unknown, or the rules cannot be played frame by frame: garbage
            enters at a clear or travels for locks, rows are not solid, or spins are judged at the
            lock.
    """

    def __init__(
        self,
        rules: Rules | str = "tetrio-default",
        *,
        seed: int = 0,
        frame_rules: FrameRules | None = None,
        handling: Handling | None = None,
    ) -> None:
        rules = resolve_rules(rules)
        expect_type("seed", seed, int, "an integer of 64 bits", RulesError)
        if not -(2**63) <= seed < 2**63:
            raise RulesError(f"invalid seed: expected an integer of 64 bits, got {shown(seed)}")
        expect_type("frame_rules", frame_rules, (FrameRules, NoneType), "FrameRules", RulesError)
        expect_type("handling", handling, (Handling, NoneType), "Handling", RulesError)
        self._frames = _kernel.FrameGame(
            compile_rules(rules), frame_rules or FrameRules(), handling or Handling(), seed
        )
        # The kernel class has the attributes that Player reads.
        super().__init__(cast("_kernel.Game", self._frames), rules, seed)

    def press(self, button: Button, subframe: float = 0.0, *, hoisted: bool = False) -> None:
        """Press a key at a time within the frame, or `hoisted`, before the start of the game.

        A time before the last event counts as that of the last event. If the player tops out before
        the key's time, the key counts as an input but has no other effect. Later keys are ignored.

        Raises:
            InputError: the subframe is not from 0 to below 1.
        """
        self._frames.press(button, subframe, hoisted)

    def release(self, button: Button, subframe: float = 0.0) -> None:
        """Release a key; see `press`."""
        self._frames.release(button, subframe)

    def set_targets(self, players: Sequence[int]) -> None:
        """Set the players attacked from now on, by numbers of the caller's choice."""
        self._frames.set_targets(players)

    def announce(
        self, sender: int, number: int, lines: int, acknowledged: int, hole: int = -1
    ) -> None:
        """Announce an incoming attack.

        As in TETR.IO, network messages are accepted up to the frame after the top-out.

        Args:
            sender: number of the sender.
            number: number of the attack among those from this sender, from 1.
            lines: lines sent.
            acknowledged: number of this player's last attack received by the sender.
            hole: column of the hole, or -1.

        Raises:
            RulesError: a number is out of range.
        """
        self._frames.announce(sender, number, lines, acknowledged, hole)

    def confirm(self, sender: int, number: int) -> None:
        """Start the travel of an announced attack in this frame."""
        self._frames.confirm(sender, number)

    def end_frame(self) -> None:
        """Complete the frame."""
        self._frames.end_frame()

    def place(self, placement: Placement, subframe: float = 0.0) -> LockResult:
        """Press the keys that move a piece to a placement, ending with a hard drop.

        The keys take no time except about a tenth of a frame for each soft drop.

        Args:
            placement: placement of the falling piece or of the hold piece.
            subframe: time within the frame, from 0; some time must remain.

        Raises:
            PlacementError: no keys lead to the placement, or the hard drop would be ignored, as it
                is for 7 frames after an automatic lock. No key is pressed, but the time has passed.
            RulesError: the soft drop of the handling does not reach the floor immediately.
            InputError: the subframe is out of range.
        """
        game = self._frames
        if not 0 <= subframe < 1:
            raise InputError(f"invalid subframe: expected 0 to below 1, got {subframe}")
        if game.handling.soft_drop < _INSTANT_SOFT_DROP:
            raise RulesError(
                f"a soft drop by {game.handling.soft_drop:g} takes long; placements need"
                f" one by {_INSTANT_SOFT_DROP}, which is at once"
            )
        game.advance_to(subframe)
        subframe = max(subframe, game.subframe)
        holds = self._needs_hold(placement.piece)
        keys = self._find_keys(placement, holds=holds)
        # Duration of a drop over the whole board.
        fall = self._rules.board.rows / _ROWS_PER_FRAME
        if subframe + keys.count(Key.SONIC_DROP) * fall > 1:
            raise PlacementError("not enough time left in this frame for the soft drops")
        if game.is_hard_drop_blocked:
            raise PlacementError(
                "a piece has just locked automatically: a hard drop would be ignored"
            )
        buttons = [_BUTTONS[key] for key in keys]
        for button in [Button.HOLD, *buttons] if holds else buttons:
            game.press(button, subframe)
            if button is Button.SOFT_DROP:
                subframe += fall
            game.release(button, subframe)
        return game.last_lock

    def take_sent_attacks(self) -> tuple[SentAttack, ...]:
        """Return the attacks sent since the last call."""
        return self._frames.take_sent_attacks()

    def run_script(self, script: Sequence[float], frames: int) -> None:
        """Play a whole game from a script of events, such as that of a TETR.IO replay.

        Args:
            script: all events in order, as numbers: ``frame, 0 (press) | 1 (press, before the
                start) | 2 (release), button, subframe``; ``frame, 3 (announce), sender, number,
                lines, acknowledged, hole or -1``; ``frame, 4 (confirm), sender, number``; ``frame,
                5 (target), count, player ...``.
            frames: number of frames to play, unless the player tops out before. The events of the
                next frame are processed without passing it; after a top-out only network messages.

        Raises:
            InputError: the script is invalid, or its times decrease.
        """
        self._frames.run_script(list(script), frames)

    def run_recorded(self, script: Sequence[float], frames: int) -> list[RecordedLock]:
        """Play a whole game like `run_script`, and return every lock."""
        return self._frames.run_script(list(script), frames, True)

    @property
    def piece(self) -> Placement:
        """Falling piece at its current location."""
        return self._frames.piece

    @property
    def height(self) -> float:
        """Top row of the falling piece's box, including the fraction moved by gravity."""
        return self._frames.height

    @property
    def spawn(self) -> tuple[int, int] | None:
        """Centre of the falling piece; None after the end of the game."""
        return None if self.over else (self.piece.x, self.piece.y)

    @property
    def stats(self) -> FrameStats:
        """Statistics of the game so far."""
        return self._frames.stats

    @property
    def last_lock(self) -> LockResult:
        """Result of the last lock."""
        return self._frames.last_lock

    @property
    def frame(self) -> int:
        """Number of completed frames."""
        return self._frames.frame

    @property
    def duration(self) -> float:
        """Duration of the game in frames, up to the last key or the top-out."""
        return self._frames.duration

    @property
    def game_over_reason(self) -> str | None:
        """Reason of the top-out in TETR.IO's terms, such as ``garbagesmash``; None before one."""
        return self._frames.game_over_reason

    @property
    def handling(self) -> Handling:
        """Keyboard settings of the player."""
        return self._frames.handling

    def placements(self, *, hold: bool = True) -> list[Placement]:
        """Return all placements from the spawn, as for `Player`.

        A piece that has fallen since may not reach all of them.
        """
        if self.over:
            return []
        pieces = [self.current]
        if hold and self._rules.pieces.hold:
            offered = self.hold if self.hold is not None else self.queue[1]
            pieces += [offered] if offered != self.current else []
        rules, cleared = compile_rules(self._rules), self.last_lock.lines > 0
        return [
            placement
            for piece in pieces
            for placement in rules.placements(self.board, piece, cleared)
        ]

    def find_move(self, placement: Placement, *, hold: bool | None = None) -> Placement:
        """Return a placement of `placements` with the spin under the rules, as for `Player`.

        Raises:
            PlacementError: the placement is not in `placements`.
        """
        cells = set(placement.cells)
        found = [
            one
            for one in self.placements()
            if one.piece == placement.piece and set(one.cells) == cells
        ]
        holds = placement.piece != self.current
        if not found or (hold is not None and hold != holds):
            raise PlacementError(f"{placement} cannot be reached from the spawn")
        # The best spin up to the claimed one; the smallest if all are better.
        allowed = [one.spin for one in found if one.spin <= placement.spin]
        spin = max(allowed) if allowed else min(one.spin for one in found)
        return Placement(placement.piece, placement.rotation, placement.x, placement.y, spin)

    def _needs_hold(self, piece: Piece) -> bool:
        if self.over:
            raise PlacementError("the game is over: no move can be played")
        if piece == self.current:
            return False
        offered = self.hold if self.hold is not None else self.queue[1]
        if piece != offered or not self._rules.pieces.hold:
            raise PlacementError(
                f"{piece.name} cannot be placed: {self.current.name} is in the air, and hold"
                f" offers {offered.name}"
            )
        return True

    def _find_keys(self, placement: Placement, *, holds: bool) -> list[Key]:
        rules, start = self._rules, self.piece
        if holds:
            start = rules.pieces.kicks.spawn_at(placement.piece, rules.spawn.x, rules.spawn.y)
        kernel = compile_rules(rules)
        keys = kernel.find_path(
            self.board, placement, cleared=False, keys=list(_BUTTONS), start=start
        )
        if keys is None:
            raise PlacementError(f"no keys lead to {placement} from x {start.x}, y {start.y}")
        return keys


_INSTANT_SOFT_DROP: Final = 41
"""Soft drop factor that reaches the floor immediately."""


_BUTTONS: Final = {
    Key.LEFT: Button.MOVE_LEFT,
    Key.RIGHT: Button.MOVE_RIGHT,
    Key.CW: Button.ROTATE_CW,
    Key.CCW: Button.ROTATE_CCW,
    Key.FLIP: Button.ROTATE_180,
    Key.SONIC_DROP: Button.SOFT_DROP,
    Key.HARD_DROP: Button.HARD_DROP,
}

_ROWS_PER_FRAME: Final = 400
"""Rows per frame of an immediate soft drop."""
