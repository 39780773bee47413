"""A game played frame by frame, from keys, as TETR.IO plays it.

>>> from sevenbag.game.frame_game import Button, FrameGame
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

from types import NoneType
from typing import TYPE_CHECKING, Final, cast

from sevenbag import _kernel
from sevenbag._kernel import Button, FrameRules, FrameStats, Handling, Key, Placement, SpinRules
from sevenbag.errors import InputError, PlacementError, RulesError, expect_type, shown
from sevenbag.game.game import Player
from sevenbag.game.rules import Rules, compile_rules, resolve_rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sevenbag._kernel import Lock, Piece

__all__ = [
    "Button",
    "FrameGame",
    "FrameRules",
    "FrameStats",
    "Handling",
    "RecordedLock",
    "SentAttack",
]

RecordedLock = tuple["Lock", tuple[str, ...], "Piece", "Piece | None"]
"""A lock; the board after it, rows from the bottom; the piece that appeared then; the held one."""

SentAttack = tuple[int, int, int, int, int, int]
"""An attack that left: target, number towards it (from 1), lines, the number of the last attack
that had come from there, the frame, and which of the player's pieces made it (from 1)."""


class FrameGame(Player):
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
        frame_rules: FrameRules | None = None,
        handling: Handling | None = None,
    ) -> None:
        rules = resolve_rules(rules)
        expect_type("seed", seed, int, "an integer of 64 bits", RulesError)
        if not -(2**63) <= seed < 2**63:
            raise RulesError(f"invalid seed: expected an integer of 64 bits, got {shown(seed)}")
        expect_type("time", frame_rules, (FrameRules, NoneType), "FrameRules", RulesError)
        expect_type("handling", handling, (Handling, NoneType), "Handling", RulesError)
        self._frames = _kernel.FrameGame(
            compile_rules(rules), frame_rules or FrameRules(), handling or Handling(), seed
        )
        # It can be looked at by the same names.
        super().__init__(cast("_kernel.Game", self._frames), rules, seed)

    # --- what happens in a frame, in order -------------------------------------------------------

    def press(self, button: Button, moment: float = 0.0, *, hoisted: bool = False) -> None:
        """Press a key.

        If the player tops out before the key's moment, the key counts as an input but has no other
        effect. Later keys are ignored.

        Args:
            button: the key.
            moment: when, from 0 to 1 of this frame; an earlier one than was told before counts as
                that one.
            hoisted: it was down already when the game began.

        Raises:
            InputError: no such moment.
        """
        self._frames.press(button, moment, hoisted)

    def release(self, button: Button, moment: float = 0.0) -> None:
        """A key goes up; as `press`."""
        self._frames.release(button, moment)

    def set_targets(self, players: Sequence[int]) -> None:
        """Whom this player attacks from now on, by numbers of the caller's choice."""
        self._frames.target(players)

    def announce(
        self, sender: int, number: int, lines: int, acknowledged: int, hole: int = -1
    ) -> None:
        """Announce an incoming attack.

        As in TETR.IO, network messages are accepted up to the frame after the top-out.

        Args:
            sender: whose.
            number: of those that player sent here, from 1.
            lines: as it was sent.
            acknowledged: the number of the last attack of ours that had reached the sender.
            hole: the column that comes with it, or -1.

        Raises:
            RulesError: a number out of its range.
        """
        self._frames.announce(sender, number, lines, acknowledged, hole)

    def confirm(self, sender: int, number: int) -> None:
        """An announced attack sets out in this frame."""
        self._frames.confirm(sender, number)

    def end_frame(self) -> None:
        """The rest of the frame passes."""
        self._frames.end_frame()

    def place(self, placement: Placement, moment: float = 0.0) -> Lock:
        """Press the keys that lead a piece to a placement, one upon another, a hard drop last.

        The piece in the air must not have been turned; where it is now does not matter. It takes no
        time but for a tenth of a frame or so for every soft drop, so that nothing comes between.

        Args:
            placement: of the piece in the air, or of the one that hold would bring.
            moment: when, from 0 of this frame; there must be some time left in it.

        Raises:
            PlacementError: no keys lead there, or the hard drop would be swallowed, as it is for 7
                frames after a lock by time. Nothing has been pressed, but the time has passed.
            RulesError: the keyboard's soft drop does not reach the floor at once.
            InputError: no such moment.
        """
        return _press_keys(self, self._frames, placement, moment)

    def take_sent_attacks(self) -> tuple[SentAttack, ...]:
        """Attacks that left since this was asked last."""
        return self._frames.take_sent()

    def run_script(self, script: Sequence[float], frames: int) -> None:
        """Play a whole game that is known beforehand, as `sevenbag.formats.tetrio_file` reads it.

        Args:
            script: every event, in order, as numbers: ``frame, 0 (press) | 1 (press, down before
                the game began) | 2 (release), button, moment``; ``frame, 3 (announce), sender,
                number, lines, acknowledged, hole or -1``; ``frame, 4 (confirm), sender, number``;
                ``frame, 5 (target), count, player ...``.
            frames: number of frames to play, unless the player tops out before. The events of the
                next frame are processed without passing it; after a top-out only network messages.

        Raises:
            InputError: it is no such list, or goes back in time.
        """
        self._frames.perform(list(script), frames)

    def run_recorded(self, script: Sequence[float], frames: int) -> list[RecordedLock]:
        """The same, and tell every lock."""
        return self._frames.perform(list(script), frames, True)

    # --- how it stands --------------------------------------------------------------------------

    @property
    def piece(self) -> Placement:
        """The piece in the air, as it would lock where it is."""
        return self._frames.piece

    @property
    def height(self) -> float:
        """The top row of that piece's box, with the fraction that gravity wears down."""
        return self._frames.height

    @property
    def spawn(self) -> tuple[int, int] | None:
        """Where the piece in the air is, its centre; None when the game is over."""
        return None if self.over else (self.piece.x, self.piece.y)

    @property
    def stats(self) -> FrameStats:
        """What has been done so far."""
        return self._frames.stats

    @property
    def last_lock(self) -> Lock:
        """What came of the last piece that locked."""
        return self._frames.last_lock

    @property
    def frame(self) -> int:
        """Frames that have ended."""
        return self._frames.frame

    @property
    def duration(self) -> float:
        """How long it has lasted, in frames, up to the last key or until the player was out."""
        return self._frames.lasted

    @property
    def game_over_reason(self) -> str | None:
        """Why the player is out, as TETR.IO says it: ``topout``, ``garbagesmash``; None if not."""
        return self._frames.out

    @property
    def handling(self) -> Handling:
        """How the player's keyboard acts."""
        return self._frames.handling

    def placements(self, *, hold: bool = True) -> list[Placement]:
        """Every placement of the piece in the air, then of the one that hold would bring.

        From where pieces appear: one that has sunk since may not get to all of them.

        Args:
            hold: whether to list the latter; if both pieces are the same, it is listed once.
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

    def judge(self, placement: Placement, *, hold: bool | None = None) -> Placement:
        """The placement with the spin that the rules see in it, if it is one of `placements`.

        Args:
            placement: its spin only chooses between two ways to the same cells.
            hold: whether it holds; None: it does if it must.

        Raises:
            PlacementError: there is none.
        """
        cells = set(placement.cells)
        found = [
            one
            for one in self.placements()
            if one.piece == placement.piece and set(one.cells) == cells
        ]
        holds = placement.piece != self.current
        if not found or (hold is not None and hold != holds):
            raise PlacementError(f"{placement} cannot be reached from where the piece appears")
        # The best spin up to the claimed one; the least if all are better.
        allowed = [one.spin for one in found if one.spin <= placement.spin]
        spin = max(allowed) if allowed else min(one.spin for one in found)
        return Placement(placement.piece, placement.rotation, placement.x, placement.y, spin)

    def is_legal(self, placement: Placement, *, hold: bool | None = None) -> bool:
        """Whether `judge` lets it pass."""
        try:
            self.judge(placement, hold=hold)
        except PlacementError:
            return False
        return True


_INSTANT_SOFT_DROP: Final = 41
"""A soft drop by this factor reaches the floor within any time."""


def _press_keys(
    player: Player, game: _kernel.FrameGame, placement: Placement, moment: float
) -> Lock:
    """`sevenbag.game.frame_game.FrameGame.place`; the player is the game's face."""
    if not 0 <= moment < 1:
        raise InputError(f"moment is {moment}, must be 0 to below 1, of a frame")
    if game.handling.soft_drop < _INSTANT_SOFT_DROP:
        raise RulesError(
            f"a soft drop by {game.handling.soft_drop:g} is on its way for long; placements need"
            f" one by {_INSTANT_SOFT_DROP}, which is at once"
        )
    game.wait(moment)
    moment = max(moment, game.moment)
    holds = _needs_hold(player, placement.piece)
    keys = _way(player, game, placement, holds=holds)
    # It falls as time passes: as much of it as the whole board may need.
    fall = player.rules.board.rows / _ROWS_PER_FRAME
    if moment + keys.count(Key.SONIC_DROP) * fall > 1:
        raise PlacementError("there is not enough time left in this frame for the soft drops")
    if game.guarded:
        raise PlacementError("a piece has just locked by time: a hard drop would be swallowed")
    if holds:
        _tap(game, Button.HOLD, moment)
    for key in keys:
        if key is Key.SONIC_DROP:
            game.press(Button.SOFT_DROP, moment)
            moment += fall
            game.release(Button.SOFT_DROP, moment)
        else:
            _tap(game, _BUTTONS[key], moment)
    return game.last_lock


# --- helpers ------------------------------------------------------------------------------------


_KEYS: Final = (Key.LEFT, Key.RIGHT, Key.CW, Key.CCW, Key.FLIP, Key.SONIC_DROP, Key.HARD_DROP)

_BUTTONS: Final = {
    Key.LEFT: Button.MOVE_LEFT,
    Key.RIGHT: Button.MOVE_RIGHT,
    Key.CW: Button.ROTATE_CW,
    Key.CCW: Button.ROTATE_CCW,
    Key.FLIP: Button.ROTATE_180,
    Key.HARD_DROP: Button.HARD_DROP,
}

_ROWS_PER_FRAME: Final = 400
"""How quick such a soft drop is."""


def _needs_hold(player: Player, piece: Piece) -> bool:
    if player.over:
        raise PlacementError("the game is over: no move can be played")
    if piece == player.current:
        return False
    offered = player.hold if player.hold is not None else player.queue[1]
    if piece != offered or not player.rules.pieces.hold:
        raise PlacementError(
            f"{piece.name} cannot be placed: {player.current.name} is in the air, and hold"
            f" offers {offered.name}"
        )
    return True


def _way(
    player: Player, game: _kernel.FrameGame, placement: Placement, *, holds: bool
) -> list[Key]:
    rules = player.rules
    pieces = rules.pieces
    spins = SpinRules(
        pieces.spins,
        kicks=pieces.spin_kicks,
        shift=pieces.spin_shift,
        hold=pieces.spin_hold,
        top=pieces.spin_top,
    )
    place = (rules.spawn.x, rules.spawn.y) if holds else (game.piece.x, game.piece.y)
    way = game.board.path(placement, pieces.kicks, spins=spins, spawn=place, keys=_KEYS)
    if way is None:
        raise PlacementError(f"no keys lead to {placement} from x {place[0]}, y {place[1]}")
    return way


def _tap(game: _kernel.FrameGame, button: Button, moment: float) -> None:
    game.press(button, moment)
    game.release(button, moment)
