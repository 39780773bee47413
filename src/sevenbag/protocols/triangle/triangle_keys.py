"""Keys that reach a placement on Triangle.js hosts, from hold to the hard drop.

Only taps are used: they take no time and are the same in every host, while a key that is held until
DAS (``dasLeft``, ``dasRight``) interleaves with the next move in some hosts. ``softDrop`` falls to
the floor. While a host waits, the piece falls by an unknown number of rows, so keys are preferred
that reach the placement from every row in which the piece may be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from msgspec import UNSET

from sevenbag._kernel import Key
from sevenbag.errors import PlacementError, ProtocolError, shown
from sevenbag.game import Rules
from sevenbag.game.position import Position
from sevenbag.game.rules import compile_rules
from sevenbag.protocols.triangle.messages import KEY_ALIASES, KEY_NAMES, KeyName, TriangleMove

if TYPE_CHECKING:
    from sevenbag._kernel import Board, KernelRules, Piece, Placement


def find_keys(
    board: Board,
    placement: Placement,
    rules: Rules,
    *,
    hold: bool,
    cleared: bool = False,
    fallen: int = 0,
) -> tuple[KeyName, ...] | None:
    """Return the fewest keys that reach a placement however far the piece has fallen.

    Half turns are used only if nothing else reaches the placement. If no keys allow for all rows of
    a fall, those for the most rows are returned; if the spin is impossible, keys to the same cells.

    Args:
        board: filled and empty cells.
        placement: move of the current piece or the hold piece.
        rules: rules of the game.
        hold: the piece comes out of hold.
        cleared: the previous lock cleared rows; some rules then raise a blocked spawn.
        fallen: minimum rows of a fall that the keys allow for, 0 to 15.

    Returns:
        Keys with ``hold`` first if required and one ``hardDrop`` last; None if unreachable.
    """
    kernel = compile_rules(rules)
    way = _find_path(kernel, board, placement, fallen, cleared=cleared)
    if way is None:
        for other in kernel.placements(board, placement.piece, cleared):
            if way is None and other.same_cells(placement):
                way = _find_path(kernel, board, other, fallen, cleared=cleared)
    if way is None:
        return None
    return (*(("hold",) if hold else ()), *(TAP_NAMES[key] for key in way))


@dataclass(frozen=True, slots=True)
class ResolvedKeys:
    """The effect of the keys of a move.

    Attributes:
        placement: placement that locks, with its spin.
    """

    placement: Placement
    uses_hold: bool


def resolve_keys(
    move: TriangleMove,
    position: Position,
    rules: Rules,
    *,
    hold: bool = True,
    aliases: bool = False,
) -> ResolvedKeys:
    """Resolve a bot's move in a position, as a host plays it without delays.

    Keys without effect, such as a move against a wall or a second ``hold``, are ignored.

    Args:
        move: move of the bot.
        position: position of the question.
        rules: rules of the game.
        hold: hold may be used.
        aliases: accept key names of the published text that no host knows.

    Raises:
        ProtocolError: the move has no keys or unknown ones, or does not end with its only
            ``hardDrop``. The message describes the reaction of hosts.
        PlacementError: the hold piece cannot appear or does not exist.
    """
    names = _check_single_lock(move, aliases=aliases)
    kernel = compile_rules(rules)
    cleared = position.combo > 0
    piece, held = position.queue[0], False
    keys: list[Key] = []
    for name in names:
        if name == "hold":
            if hold and rules.pieces.hold and not held:
                piece, held, keys = _hold_piece(position), True, []
        else:
            keys.append(KEYS_BY_NAME[name])
    placement = kernel.apply_keys(position.board, piece, keys, cleared)
    if placement is None:
        raise PlacementError(f"the {piece.name} cannot appear")
    return ResolvedKeys(placement, held)


def read_expected_rows(move: TriangleMove) -> tuple[int, ...] | None:
    """Return the board that a bot expects after its move, before garbage enters; None if unsaid.

    The board is in ``data.board``: rows from the bottom, filled cells not 0.

    Returns:
        Rows from the bottom, bit x for column x; at most the maximum of boards.
    """
    data = move.data
    board = cast("dict[object, object]", data).get("board") if isinstance(data, dict) else None
    if not isinstance(board, list):
        return None
    rows: list[int] = []
    for row in cast("list[object]", board)[:_MAX_ROWS]:
        if not isinstance(row, list):
            return None
        cells = cast("list[object]", row)[:_MAX_WIDTH]
        rows.append(sum(1 << x for x, cell in enumerate(cells) if cell))
    return tuple(rows)


KEYS_BY_NAME: Final[dict[str, Key]] = {
    "moveLeft": Key.LEFT,
    "moveRight": Key.RIGHT,
    "rotateCW": Key.CW,
    "rotateCCW": Key.CCW,
    "rotate180": Key.FLIP,
    "softDrop": Key.SONIC_DROP,
    "hardDrop": Key.HARD_DROP,
    "dasLeft": Key.DAS_LEFT,
    "dasRight": Key.DAS_RIGHT,
}
"""Kernel key of each key; ``hold`` does not move a piece."""
TAP_NAMES: Final[dict[Key, KeyName]] = {
    Key.LEFT: "moveLeft",
    Key.RIGHT: "moveRight",
    Key.CW: "rotateCW",
    Key.CCW: "rotateCCW",
    Key.FLIP: "rotate180",
    Key.SONIC_DROP: "softDrop",
    Key.HARD_DROP: "hardDrop",
}
"""Keys of our own moves."""
_MAX_ROWS: Final = 64
_MAX_WIDTH: Final = 16
_QUARTER_TURNS: Final = [key for key in TAP_NAMES if key is not Key.FLIP]
"""Keys without half turns, which some rooms lack; two quarter turns take no longer."""
_MAX_FALLEN_ROWS: Final = (8, 3, 1, 0)
"""Rows that the piece may have fallen, in order of preference."""


def _find_path(
    kernel: KernelRules, board: Board, placement: Placement, least: int, *, cleared: bool
) -> list[Key] | None:
    for fallen in _MAX_FALLEN_ROWS:
        if fallen < least:
            break
        for taps in (_QUARTER_TURNS, list(TAP_NAMES)):
            way = kernel.find_path(board, placement, cleared, taps, fallen)
            if way is not None:
                return way
    return None


def _check_single_lock(move: TriangleMove, *, aliases: bool) -> Sequence[str]:
    if move.keys is UNSET:
        raise ProtocolError("a move without keys; Triangle.js ends at it", "keys", "move")
    names = tuple(KEY_ALIASES.get(name, name) for name in move.keys) if aliases else move.keys
    for number, name in enumerate(names):
        if name not in KEY_NAMES:
            meant = KEY_ALIASES.get(name)
            hint = f"hosts call it {meant}" if meant else f"there are {', '.join(KEY_NAMES)}"
            raise ProtocolError(
                f"no key is called {shown(name)}; {hint}", f"keys[{number}]", "move"
            )
    locks = names.count("hardDrop")
    if locks == 0:
        raise ProtocolError("a move without hardDrop locks nothing", "keys", "move")
    if locks > 1:
        raise ProtocolError(
            f"a move with {locks} hardDrops places {locks} pieces at once", "keys", "move"
        )
    if names[-1] != "hardDrop":
        behind = f"{names[-1]} behind hardDrop moves the next piece"
        raise ProtocolError(behind, f"keys[{len(names) - 1}]", "move")
    return names


def _hold_piece(position: Position) -> Piece:
    """Return the piece that hold brings."""
    if position.hold is not None:
        return position.hold
    if len(position.queue) < 2:
        raise PlacementError("it holds where no piece follows")
    return position.queue[1]
