"""The keys that lead a piece in the air of a game frame by frame to a placement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sevenbag._kernel import Button, Key, Placement, SpinRules
from sevenbag.errors import InputError, PlacementError, RulesError

if TYPE_CHECKING:
    from sevenbag import _kernel
    from sevenbag._kernel import Lock, Piece
    from sevenbag.game.game import Player

INSTANT_DROP: Final = 41
"""A soft drop by this factor reaches the floor within any time."""


def press_keys(
    player: Player, game: _kernel.FrameGame, placement: Placement, moment: float
) -> Lock:
    """`sevenbag.game.frames.FrameGame.place`; the player is the game's face."""
    if not 0 <= moment < 1:
        raise InputError(f"moment is {moment}, must be 0 to below 1, of a frame")
    if game.handling.soft_drop < INSTANT_DROP:
        raise RulesError(
            f"a soft drop by {game.handling.soft_drop:g} is on its way for long; placements need"
            f" one by {INSTANT_DROP}, which is at once"
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
