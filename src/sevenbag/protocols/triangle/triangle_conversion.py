"""Conversion between the data of the Triangle.js adapter protocol and our own.

Counters differ by one: theirs begin at -1, ours at 0. Keys are in `triangle_keys`.
"""

from __future__ import annotations

import contextlib
import functools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from msgspec import UNSET, Struct, UnsetType

from sevenbag._kernel import Board, Piece, spin_mode_name
from sevenbag.errors import ProtocolError, RulesError
from sevenbag.game.position import Position
from sevenbag.game.rules import Rules
from sevenbag.protocols.triangle import messages as triangle

HIDDEN_ROWS: Final = 20
"""Rows above the visible ones."""
DEFAULT_GARBAGE_CAP: Final = 8
"""Garbage cap of most rooms."""


class RulesData(Struct, frozen=True):
    """Data of our hosts in a `TriangleConfig`.

    Attributes:
        rules: rules from `Rules.to_dict`.
    """

    rules: dict[str, object]


def parse_piece(letter: triangle.PieceLetter) -> Piece:
    """Return the piece that a letter names."""
    return _PIECES[letter]


def format_piece(piece: Piece) -> triangle.PieceLetter:
    """Return the letter of a piece."""
    return _LETTERS[piece]


def parse_pieces(letters: Iterable[triangle.PieceLetter]) -> tuple[Piece, ...]:
    """Return the pieces that letters name."""
    return tuple([_PIECES[letter] for letter in letters])


def format_pieces(pieces: Iterable[Piece]) -> tuple[triangle.PieceLetter, ...]:
    """Return the letters of pieces."""
    return tuple([_LETTERS[piece] for piece in pieces])


def parse_state(state: triangle.TriangleState, rows: int) -> Position:
    """Convert a `TriangleState` to a position with this number of rows; its bag is unknown.

    Missing rows are empty, rows above them are dropped.
    """
    width = len(state.board[0]) if state.board else 10
    drawn = [_parse_row(row) for row in state.board[:rows]]
    colors = (*drawn, *["." * width] * (rows - len(drawn)))
    return Position(
        board=Board.from_rows(colors, height=rows),
        queue=parse_pieces((state.current, *state.queue)),
        hold=None if state.hold is None else _PIECES[state.hold],
        combo=state.combo + 1,
        back_to_back=state.b2b + 1,
        pending=state.garbage,
        colors=colors,
    )


def format_state(position: Position, *, data: object | UnsetType = UNSET) -> triangle.TriangleState:
    """Convert a position to a `TriangleState`; the first piece of the queue is the current one.

    Filled cells of unknown colour become garbage.
    """
    board, colors = position.board, position.colors
    return triangle.TriangleState(
        board=tuple(
            _format_row(board.row(y), board.width, "" if colors is None else colors[y])
            for y in range(board.rows)
        ),
        current=_LETTERS[position.queue[0]],
        hold=None if position.hold is None else _LETTERS[position.hold],
        queue=format_pieces(position.queue[1:]),
        garbage=position.pending,
        combo=position.combo - 1,
        b2b=position.back_to_back - 1,
        data=data,
    )


def format_expected_board(board: Board) -> list[list[int]]:
    """Return rows from the bottom, 1 for a filled cell, as bots send their expected boards."""
    rows: list[list[int]] = []
    for y in range(board.rows):
        filled = board.row(y)
        rows.append([filled >> x & 1 for x in range(board.width)])
    return rows


def parse_config(
    config: triangle.TriangleConfig, *, bag: str = "7-bag", previews: int = 5
) -> Rules:
    """Convert the rules of a room; missing rules are those of Tetra League.

    Our own hosts send all rules as data, because the protocol cannot express some of them.

    Args:
        config: message of the host.
        bag: randomizer, which the message does not have.
        previews: number of visible pieces after the current one.

    Raises:
        RulesError: the game is not supported; the message has the reason.
    """
    with contextlib.suppress(ProtocolError, RulesError):
        data = config.data_as(RulesData)
        if data is not None:
            return Rules.from_dict(data.rules, where="config.data.rules")
    kicks = _KICKS.get(config.kicks.casefold())
    if kicks is None:
        raise RulesError(
            f"kicks are {config.kicks!r}, must be one of {', '.join(_KICK_NAMES.values())}"
        )
    width, height = config.board_width, config.board_height
    changes: dict[str, dict[str, object]] = {
        "board": {"width": width, "rows": height + HIDDEN_ROWS, "visible": height},
        # The middle of the box of three columns; its lowest cells are in the row above.
        "spawn": {"x": (width - 3) // 2 + 1, "y": height + 1},
        "pieces": {"kicks": kicks, "spins": config.spins.lower(), "bag": bag, "previews": previews},
        "attack": {
            "multiplier": float(config.garbage_multiplier),
            "garbage_bonus": config.garbage_special_bonus,
            "halve_other_spins": config.spins == "handheld",
        },
        "back_to_back": {
            "bonus": "chain" if config.b2b_chaining else "flat",
            "charge_at": config.b2b_charge_at if config.b2b_charging else 0,
            "charge_base": config.b2b_charge_base if config.b2b_charging else 0,
        },
        "combo": _COMBOS[config.combo_table],
        "perfect_clear": {"lines": config.pc_garbage, "chain": config.pc_b2b},
        "garbage": {"cap": float(effective_garbage_cap(config))},
    }
    return Rules.preset("tetrio-league").replace(changes, name="Triangle.js")


def list_kick_names() -> tuple[str, ...]:
    """Return the names that hosts use for rotation systems."""
    return tuple(_KICK_NAMES.values())


def is_known_kicks(config: triangle.TriangleConfig) -> bool:
    """Return True if hosts are known to have the room's rotation system."""
    return config.kicks.casefold() in _KICKS


def effective_garbage_cap(config: triangle.TriangleConfig) -> triangle.Number:
    """Return the cap of a `TriangleConfig`; Triangle.js puts the multiplier in its place."""
    if config.garbage_cap == config.garbage_multiplier:
        return DEFAULT_GARBAGE_CAP
    return config.garbage_cap


@functools.lru_cache(maxsize=16)
def rules_for_piece(rules: Rules, piece: Piece) -> Rules:
    """Return the rules for one piece: on boards of odd width I and O appear farther left."""
    if rules.board.width % 2 == 0 or piece not in (Piece.I, Piece.O):
        return rules
    return rules.replace({"spawn": {"x": rules.spawn.x - 1}})


def format_config(
    rules: Rules, queue: Sequence[Piece], *, data: object | UnsetType = UNSET
) -> triangle.TriangleConfig:
    """Convert rules to a `TriangleConfig`, as far as it can express them.

    Raises:
        RulesError: the message would describe another game; the error has the reason.
    """
    chain, combo = rules.back_to_back, rules.combo
    return triangle.TriangleConfig(
        board_width=rules.board.width,
        board_height=rules.board.visible,
        kicks=_format_kicks(rules),
        spins=_SPINS.get(spin_mode_name(rules.pieces.spins), "all"),
        combo_table=_format_combo_table(combo.kind, combo.table),
        b2b_charging=chain.charge_at > 0,
        b2b_charge_at=chain.charge_at,
        b2b_charge_base=chain.charge_base,
        b2b_chaining=chain.bonus == "chain",
        garbage_multiplier=triangle.format_number(rules.attack.multiplier),
        garbage_cap=triangle.format_number(rules.garbage.cap),
        garbage_special_bonus=rules.attack.garbage_bonus,
        pc_b2b=rules.perfect_clear.chain,
        pc_garbage=rules.perfect_clear.lines,
        queue=format_pieces(queue),
        data=data,
    )


@dataclass(frozen=True, slots=True)
class InferredOpening:
    """Facts that follow from the first queue of a game.

    Triangle.js takes the first piece off the queue before it sends the queue, and never sends the
    piece itself. In a bag with a fixed number of each piece it is the missing one.

    Attributes:
        first_piece: the first piece of the game; None if it cannot be known.
        queue: the pieces after it.
        bag: name of the randomizer in rules; ``total mayhem`` for an unknown one.
    """

    first_piece: Piece | None
    queue: tuple[Piece, ...]
    bag: str


def infer_opening(queue: Sequence[Piece]) -> InferredOpening:
    """Infer the opening from the queue of a `TriangleConfig`.

    Some hosts send the first piece too: the queue then forms whole bags only with it.
    """
    queue = tuple(queue)
    for bag, full in _FULL_BAGS.items():
        if _continues_deal(queue, full, already=1) and len(queue) >= len(full) - 1:
            [first] = (Counter(full) - Counter(queue[: len(full) - 1])).elements()
            return InferredOpening(first, queue, bag)
        if _continues_deal(queue, full, already=0) and len(queue) >= len(full):
            return InferredOpening(queue[0], queue[1:], bag)
    return InferredOpening(None, queue, _TOTAL_MAYHEM)


def full_bag(bag: str) -> tuple[Piece, ...]:
    """Return the content of a full bag; one of each for randomizers without bags."""
    return _FULL_BAGS.get(bag, tuple(Piece))


def infer_remaining_bag(pieces: Sequence[Piece], bag: str) -> tuple[Piece, ...] | None:
    """Return the rest of the bag from which the last piece was dealt.

    After the last piece of a bag it is the next full one.

    Args:
        pieces: consecutive pieces from any part of a game.
        bag: randomizer.

    Returns:
        The pieces; None if they are unknown.
    """
    full = _FULL_BAGS.get(bag)
    if full is None:
        return None
    found = {
        _remaining_bag(pieces, full, already)
        for already in range(len(full))
        if _continues_deal(pieces, full, already)
    }
    return found.pop() if len(found) == 1 else None


def rewind_bag(
    pieces: Sequence[Piece], bag: Sequence[Piece] | None, full: Sequence[Piece]
) -> tuple[Piece, ...] | None:
    """Return the rest of the bag before these pieces were dealt; never empty.

    Args:
        pieces: consecutive pieces.
        bag: pieces still to come after them; None if unknown.
        full: pieces of a full bag.
    """
    if bag is None:
        return None
    coming = [*pieces, *bag]
    return tuple(coming[: len(coming) % len(full) or len(full)])


def is_valid_deal(pieces: Sequence[Piece], bag: str) -> bool:
    """Return True if a randomizer can deal these pieces in the middle of a game."""
    full = _FULL_BAGS.get(bag)
    return full is None or any(
        _continues_deal(pieces, full, already) for already in range(len(full))
    )


_LETTERS: Final[dict[Piece, triangle.PieceLetter]] = {
    Piece.I: "i",
    Piece.O: "o",
    Piece.T: "t",
    Piece.L: "l",
    Piece.J: "j",
    Piece.S: "s",
    Piece.Z: "z",
}
_PIECES: Final[dict[str, Piece]] = {letter: piece for piece, letter in _LETTERS.items()}
_COLORS: Final[dict[triangle.Cell, str]] = {
    None: ".",
    "gb": "G",
    "bomb": "B",
    **{letter: letter.upper() for letter in triangle.PIECE_LETTERS},
}
_CELLS: Final[dict[str, triangle.Cell]] = {color: cell for cell, color in _COLORS.items()}
# "SRS" has the half turns of TETR.IO, "none" turns without kicks.
_KICK_NAMES: Final = {
    "srs-tetrio": "SRS",
    "srs+": "SRS+",
    "srs-x": "SRS-X",
    "tetra-x": "TETRA-X",
    "nrs": "NRS",
    "ars": "ARS",
    "asc": "ASC",
    "none180": "none",
}
_KICKS: Final = {
    **{theirs.casefold(): ours for ours, theirs in _KICK_NAMES.items()},
    "tetr.io": "srs+",  # in the published text alone
}
# Systems without a name there; they differ from these only in half turns.
_SIMILAR_KICKS: Final = {"srs": "SRS", "srs180": "SRS", "jstris": "SRS", "none": "none"}
_SPINS: Final[dict[str, triangle.SpinsName]] = {
    "T-spins": "T-spins",
    "T-spins+": "T-spins+",
    "all": "all",
    "all+": "all+",
    "all-mini": "all-mini",
    "all-mini+": "all-mini+",
    "mini-only": "mini-only",
    "handheld": "handheld",
    "stupid": "stupid",
    "none": "none",
}
_COMBOS: Final[dict[triangle.ComboTableName, dict[str, object]]] = {
    "multiplier": {"kind": "multiplier", "table": []},
    # Indexed by the previous clears: the first clear of a combo adds nothing.
    "classic guideline": {"kind": "table", "table": [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5]},
    "modern guideline": {"kind": "table", "table": [0, 0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3, 4]},
    "none": {"kind": "table", "table": []},
}


def _parse_row(row: triangle.Row) -> str:
    return "".join([_COLORS[cell] for cell in row])


def _format_row(filled: int, width: int, colors: str) -> triangle.Row:
    if not filled:
        return (None,) * width
    marks = colors.ljust(width, "G")
    return tuple([_CELLS.get(marks[x], "gb") if filled >> x & 1 else None for x in range(width)])


def _format_kicks(rules: Rules) -> str:
    kicks = rules.pieces.kicks
    name = kicks.name.removesuffix(_WITHOUT_HALF_TURNS)
    theirs = _KICK_NAMES.get(name) or _SIMILAR_KICKS.get(name)
    if theirs is None or not kicks.is_builtin:
        raise RulesError(
            f"Triangle.js has no word for pieces that turn by {kicks.name!r}; "
            f"it knows {', '.join((*_KICK_NAMES, *_SIMILAR_KICKS))}"
        )
    return theirs


_WITHOUT_HALF_TURNS: Final = " without 180"


def _format_combo_table(kind: str, table: tuple[int, ...]) -> triangle.ComboTableName:
    if kind == "multiplier":
        return "multiplier"
    if not any(table):
        return "none"
    modern = _COMBOS["modern guideline"]["table"]
    return "modern guideline" if list(table) == modern else "classic guideline"


_FULL_BAGS: Final = {"7-bag": tuple(Piece), "14-bag": tuple(Piece) * 2}
_TOTAL_MAYHEM: Final = "total mayhem"


def _continues_deal(pieces: Sequence[Piece], full: Sequence[Piece], already: int) -> bool:
    """Return True if full bags hold them after this number of pieces of the first bag."""
    begin = -already
    while begin < len(pieces):
        if Counter(pieces[max(begin, 0) : begin + len(full)]) - Counter(full):
            return False
        begin += len(full)
    return True


def _remaining_bag(
    pieces: Sequence[Piece], full: Sequence[Piece], already: int
) -> tuple[Piece, ...] | None:
    dealt = (len(pieces) + already) % len(full)
    if dealt > len(pieces):
        # Some pieces of the bag came before the known ones.
        return None
    return tuple(sorted((Counter(full) - Counter(pieces[len(pieces) - dealt :])).elements()))
