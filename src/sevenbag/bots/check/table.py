"""The game at which a bot is checked: known pieces, known boards, and what is legal on them."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, Final

from sevenbag._kernel import Board, Piece, Placement, Rotation, Spin
from sevenbag.errors import PlacementError, ProtocolError
from sevenbag.game import Rules
from sevenbag.game.position import Position, after_new_piece, after_placement
from sevenbag.protocols.tbp import messages as tbp
from sevenbag.protocols.tbp import tbp_conversion
from sevenbag.protocols.tbp.messages import from_object, to_object

if TYPE_CHECKING:
    from collections.abc import Sequence

Json = dict[str, Any]

RULES: Final = Rules.preset("guideline")
"""What TBP takes for granted."""


class Table:
    """One player's game as TBP tells it.

    Attributes:
        position: the present one.
    """

    def __init__(self, seed: int = 1, *, previews: int = 5, rows: Sequence[str] = ()) -> None:
        """Lay it out.

        Args:
            seed: of the pieces.
            previews: pieces in view behind the current one.
            rows: of the board, from the bottom; ``X`` is garbage.
        """
        self._random = random.Random(seed)
        self._bag: list[Piece] = []
        queue = tuple(self._deal() for _ in range(previews + 1))
        board = Board.from_rows(rows, height=40) if rows else Board()
        colors = tbp_conversion.format_board(board)
        self.position = Position(
            board=board,
            queue=queue,
            bag=tuple(self._bag) or tuple(Piece),
            colors=tuple("".join(cell or "." for cell in row) for row in colors),
        )

    def start(self, **changes: object) -> Json:
        """The message that tells the present position, with some parts otherwise."""
        return {**to_object(tbp_conversion.format_start(self.position, "seven_bag")), **changes}

    def places(self, *, spins: bool = True) -> list[Placement]:
        """Every legal move: those of the current piece, then those of the one that hold offers."""
        position = self.position
        current, offered = position.queue[0], self._offered()
        pieces = [current] if offered is None or offered == current else [current, offered]
        found: list[Placement] = []
        for piece in pieces:
            spawn = tbp_conversion.find_spawn(position.board, piece, RULES)
            if spawn is not None:
                mode = RULES.pieces.spins if spins else "none"
                kicks = RULES.pieces.kicks
                found += position.board.placements(piece, kicks, spins=mode, spawn=spawn)
        return found

    def read(self, move: object) -> Placement:
        """Return the placement of a move if its piece can be placed now.

        Raises:
            PlacementError: invalid move, or a piece that cannot be placed.
        """
        try:
            message = from_object({"type": "play", "move": move})
        except ProtocolError as error:
            raise PlacementError(str(error)) from None
        assert isinstance(message, tbp.TbpPlay)
        wanted = tbp_conversion.parse_move(message.move)
        offered = {self.position.queue[0], self._offered()}
        if wanted.piece not in offered:
            names = " or ".join(sorted(piece.name for piece in offered if piece is not None))
            raise PlacementError(f"{wanted.piece.name} is not to be placed now, but {names}")
        return wanted

    def judge(self, move: object) -> Placement:
        """Return the legal placement with the same cells as a move, in the bot's own form.

        The spin of the move is used if the rules allow it.

        Raises:
            PlacementError: invalid or illegal move.
        """
        wanted = self.read(move)
        same = [place for place in self.places() if place.same_cells(wanted)]
        if same:
            spins = {place.spin for place in same}
            spin = wanted.spin if wanted.spin in spins else same[0].spin
            return Placement(wanted.piece, wanted.rotation, wanted.x, wanted.y, spin)
        board = self.position.board
        if not board.fits(wanted):
            raise PlacementError("it lies in filled cells, or outside the board")
        if not board.is_resting(wanted):
            raise PlacementError("it hangs in the air")
        raise PlacementError("it cannot be reached by shifts, turns and falls")

    def play(self, placement: Placement) -> tuple[Json, list[Json]]:
        """Make a move and return its message, in the given form, and those of the new pieces."""
        position = self.position
        before = len(position.queue)
        position = after_placement(position, placement)
        pieces: list[Json] = []
        while len(position.queue) < before:
            piece = self._deal()
            position = after_new_piece(position, piece)
            pieces.append({"type": "new_piece", "piece": piece.name})
        self.position = position
        move = tbp.TbpMove(
            tbp_conversion.format_location(placement), tbp_conversion.format_move(placement).spin
        )
        return to_object(tbp.TbpPlay(move)), pieces

    def add_garbage(self, holes: Sequence[int]) -> list[list[str | None]]:
        """Let rows enter from below; they are given as the draft tells them, the last lowest."""
        rows = tuple(tuple(None if x == hole else "G" for x in range(10)) for hole in holes)
        self.position = tbp_conversion.add_garbage_rows(self.position, rows)  # type: ignore[arg-type]
        return [list(row) for row in rows]

    @property
    def is_lost(self) -> bool:
        """Whether the current piece cannot appear."""
        spawn = tbp_conversion.find_spawn(self.position.board, self.position.queue[0], RULES)
        return spawn is None

    def _offered(self) -> Piece | None:
        position = self.position
        if position.hold is not None:
            return position.hold
        return position.queue[1] if len(position.queue) > 1 else None

    def _deal(self) -> Piece:
        if not self._bag:
            self._bag = list(Piece)
            self._random.shuffle(self._bag)
        return self._bag.pop()


def other_form(placement: Placement) -> Json | None:
    """Return the same cells in another form; None for pieces with only one form."""
    for rotation in (Rotation.WEST, Rotation.SOUTH, Rotation.EAST, Rotation.NORTH):
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                x, y = placement.x + dx, placement.y + dy
                other = Placement(placement.piece, rotation, x, y, Spin.NONE)
                if other.same_cells(placement) and rotation != placement.rotation:
                    name = rotation.name.lower()
                    spot = {"type": placement.piece.name, "orientation": name, "x": x, "y": y}
                    return {"location": spot, "spin": "none"}
    return None
