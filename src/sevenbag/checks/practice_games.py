"""Games in which bots are checked: known pieces, known boards and their legal placements."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Sequence
from typing import Any, Final, Literal

from sevenbag._kernel import Board, Piece, Placement, Rotation, Spin
from sevenbag.errors import PlacementError, ProtocolError
from sevenbag.game import Rules
from sevenbag.game.position import Position, append_piece, apply_placement
from sevenbag.game.rules import compile_rules
from sevenbag.protocols.tbp import messages as tbp
from sevenbag.protocols.tbp import tbp_conversion
from sevenbag.protocols.triangle import messages as triangle
from sevenbag.protocols.triangle import triangle_conversion
from sevenbag.protocols.triangle.triangle_keys import ResolvedKeys

Json = dict[str, Any]
Bag = Literal["7-bag", "14-bag", "none"]

TBP_RULES: Final = Rules.preset("guideline")
"""Rules that TBP assumes."""
LEAGUE_RULES: Final = Rules.preset("tetrio-league")
_MIN_QUEUE: Final = 31
"""Triangle.js deals another bag if the queue has fewer pieces."""


def list_placements(
    position: Position, piece: Piece, rules: Rules = TBP_RULES, *, spins: bool = True
) -> list[Placement]:
    """Return the placements that a piece can reach; none if it cannot appear."""
    return compile_rules(rules).placements(position.board, piece, position.combo > 0, spins)


class PracticeGame:
    """One player's game."""

    def __init__(self, rules: Rules, seed: int, rows: Sequence[str]) -> None:
        """Create a game without pieces.

        Args:
            rules: rules of the game.
            seed: seed of the pieces.
            rows: rows of the board from the bottom; ``X`` is garbage.
        """
        self.rules = rules
        width, height = rules.board.width, rules.board.rows
        board = Board.from_rows(rows, height=height) if rows else Board(width, height)
        self.position = Position(board=board, queue=())
        self._random = random.Random(seed)

    @property
    def is_lost(self) -> bool:
        """True if the current piece cannot appear."""
        return not list_placements(self.position, self.position.queue[0], self.rules, spins=False)

    def add_garbage(self, holes: Sequence[int]) -> None:
        """Add garbage rows with these holes from below; the last one becomes the bottom row."""
        board, width = self.position.board, self.rules.board.width
        rows = ["".join("." if x == hole else "G" for x in range(width)) for hole in holes]
        colors = self.position.colors or tuple(
            "".join("G" if board[x, y] else "." for x in range(width)) for y in range(board.rows)
        )
        colors = (*rows[::-1], *colors)[: board.rows]
        board = Board.from_rows(colors, height=board.rows)
        self.position = dataclasses.replace(self.position, board=board, colors=colors)


class TbpPracticeGame(PracticeGame):
    """One player's game in TBP messages."""

    def __init__(self, seed: int = 1, *, previews: int = 5, rows: Sequence[str] = ()) -> None:
        """Create a game.

        Args:
            seed: seed of the pieces.
            previews: number of visible pieces after the current one.
            rows: rows of the board from the bottom; ``X`` is garbage.
        """
        super().__init__(TBP_RULES, seed, rows)
        self._bag: list[Piece] = []
        queue = tuple(self._deal() for _ in range(previews + 1))
        colors = tbp_conversion.format_board(self.position.board)
        self.position = dataclasses.replace(
            self.position,
            queue=queue,
            bag=tuple(self._bag) or tuple(Piece),
            colors=tuple("".join(cell or "." for cell in row) for row in colors),
        )

    def start_message(self, **changes: object) -> Json:
        """Return the start message of the current position with some fields replaced."""
        return {**tbp.to_object(tbp_conversion.format_start(self.position, "seven_bag")), **changes}

    def legal_placements(self, *, spins: bool = True) -> list[Placement]:
        """Return the legal placements of the current piece, then those of the held piece."""
        pieces = dict.fromkeys([self.position.queue[0], self._find_held_piece()])
        return [
            placement
            for piece in pieces
            if piece is not None
            for placement in list_placements(self.position, piece, spins=spins)
        ]

    def parse_move(self, move: object) -> Placement:
        """Return the placement of a move if its piece can be placed now.

        Raises:
            PlacementError: invalid move, or a piece that cannot be placed.
        """
        try:
            message = tbp.from_object({"type": "play", "move": move})
        except ProtocolError as error:
            raise PlacementError(str(error)) from None
        assert isinstance(message, tbp.TbpPlay)
        placement = tbp_conversion.parse_move(message.move)
        pieces = {self.position.queue[0], self._find_held_piece()}
        if placement.piece not in pieces:
            expected = " or ".join(sorted(piece.name for piece in pieces if piece is not None))
            raise PlacementError(f"expected {expected}, got {placement.piece.name}")
        return placement

    def find_legal(self, move: object) -> Placement:
        """Return the legal placement with the same cells as a move, in the bot's own form.

        The spin of the move is used if the rules allow it.

        Raises:
            PlacementError: invalid or illegal move.
        """
        wanted = self.parse_move(move)
        spins = [each.spin for each in self.legal_placements() if each.same_cells(wanted)]
        if spins:
            spin = wanted.spin if wanted.spin in spins else spins[0]
            return Placement(wanted.piece, wanted.rotation, wanted.x, wanted.y, spin)
        board = self.position.board
        if not board.fits(wanted):
            raise PlacementError("the piece overlaps filled cells or leaves the board")
        if not board.is_resting(wanted):
            raise PlacementError("the piece does not rest on anything")
        raise PlacementError("shifts, rotations and falls do not lead there")

    def play(self, placement: Placement) -> list[Json]:
        """Make a move; return its message in the given form, and those of the new pieces."""
        position = apply_placement(self.position, placement)
        pieces: list[Json] = []
        while len(position.queue) < len(self.position.queue):
            piece = self._deal()
            position = append_piece(position, piece)
            pieces.append({"type": "new_piece", "piece": piece.name})
        self.position = position
        move = tbp.TbpMove(
            tbp_conversion.format_location(placement), tbp_conversion.format_move(placement).spin
        )
        return [tbp.to_object(tbp.TbpPlay(move)), *pieces]

    def _find_held_piece(self) -> Piece | None:
        """Return the piece that a hold makes current."""
        position = self.position
        if position.hold is not None:
            return position.hold
        return position.queue[1] if len(position.queue) > 1 else None

    def _deal(self) -> Piece:
        if not self._bag:
            self._bag = list(Piece)
            self._random.shuffle(self._bag)
        return self._bag.pop()


def equivalent_move(placement: Placement) -> Json | None:
    """Return the same cells in another form; None for pieces with only one form."""
    for rotation in (Rotation.WEST, Rotation.SOUTH, Rotation.EAST, Rotation.NORTH):
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                x, y = placement.x + dx, placement.y + dy
                other = Placement(placement.piece, rotation, x, y, Spin.NONE)
                if rotation != placement.rotation and other.same_cells(placement):
                    location = tbp_conversion.format_location(other)
                    return tbp.to_object(tbp.TbpMove(location, "none"))
    return None


class TrianglePracticeGame(PracticeGame):
    """One player's game in messages of a Triangle.js host; the queue has all dealt pieces."""

    def __init__(
        self,
        seed: int = 1,
        *,
        rules: Rules = LEAGUE_RULES,
        bag: Bag = "7-bag",
        min_queue: int = _MIN_QUEUE,
        rows: Sequence[str] = (),
    ) -> None:
        """Deal the first pieces.

        Args:
            seed: seed of the pieces.
            rules: rules of the game.
            bag: dealt bags.
            min_queue: minimum length of the queue.
            rows: rows of the board from the bottom; ``X`` is garbage.
        """
        super().__init__(rules, seed, rows)
        self._bag: Bag = bag
        self._min_queue = min_queue
        self._deal_bag()
        # The host takes the first piece before it sends the queue.
        self._fill_queue()

    def config_message(self, **changes: object) -> Json:
        """Return the config message that releases of Triangle.js send."""
        config = triangle_conversion.format_config(self.rules, self.position.queue[1:])
        message = triangle.to_object(config)
        # Releases have only the other spelling, and send the multiplier as the cap.
        del message["b2bCharging"]
        message["garbageCap"] = message["garbageMultiplier"]
        return {**message, **changes}

    def state_message(self, **changes: object) -> Json:
        """Return the state message of the current position."""
        return {**triangle.to_object(triangle_conversion.format_state(self.position)), **changes}

    def play_message(self, **changes: object) -> Json:
        """Return the message that requests a move."""
        return {**triangle.to_object(triangle.TrianglePlay()), **changes}

    def play(self, move: ResolvedKeys) -> list[Json]:
        """Make a move; return the messages of newly dealt pieces."""
        if move.uses_hold:
            # Needed for a hold that exchanges equal pieces.
            current, *queue = self.position.queue
            if self.position.hold is not None:
                queue.insert(0, self.position.hold)
            self.position = dataclasses.replace(self.position, queue=tuple(queue), hold=current)
        self.position = apply_placement(self.position, move.placement, self.rules)
        dealt = self._fill_queue()
        return [_format_pieces(dealt)] if dealt else []

    def deal_ahead(self, bags: int) -> Json:
        """Deal bags before they are needed; return their common message."""
        return _format_pieces([piece for _ in range(bags) for piece in self._deal_bag()])

    def _fill_queue(self) -> list[Piece]:
        dealt: list[Piece] = []
        while len(self.position.queue) - 1 < self._min_queue:
            dealt += self._deal_bag()
        return dealt

    def _deal_bag(self) -> list[Piece]:
        pieces = list(Piece)
        if self._bag == "none":
            bag = [self._random.choice(pieces)]
        else:
            bag = pieces * (2 if self._bag == "14-bag" else 1)
            self._random.shuffle(bag)
        for piece in bag:
            self.position = append_piece(self.position, piece)
        return bag


def _format_pieces(pieces: Sequence[Piece]) -> Json:
    return {"type": "pieces", "pieces": [piece.name.lower() for piece in pieces]}
