"""Game of one player."""

from __future__ import annotations

import copy
import enum
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from sevenbag import _kernel
from sevenbag._kernel import Piece
from sevenbag.errors import PlacementError, check_integer
from sevenbag.game.position import Position
from sevenbag.game.rules import Rules, compile_rules, resolve_rules

if TYPE_CHECKING:
    from sevenbag._kernel import Board, LockResult, Placement, Stats
    from sevenbag.drawing import Picture

MAX_SEED_VALUE: Final = 2**63 - 1
MAX_FRAME: Final = 24 * 60 * 60 * 60
"""A day."""


class TopOut(enum.StrEnum):
    """Reason of a top-out."""

    BLOCK_OUT = "block out"
    """The next piece could not spawn."""
    LOCK_OUT = "lock out"
    """A piece locked above the visible rows."""
    GARBAGE_OUT = "garbage out"
    """Garbage pushed a filled cell over the top of the board."""


class Player:
    """Read-only view of a player.

    Values are immutable or copies; read them again after a move.
    """

    def __init__(self, kernel: _kernel.Game, rules: Rules, seed: int) -> None:
        self._kernel = kernel
        self._rules = rules
        self._seed = seed

    @property
    def rules(self) -> Rules:
        """Rules of the game."""
        return self._rules

    @property
    def seed(self) -> int:
        """Seed of the pieces; the same for both players of a versus game."""
        return self._seed

    @property
    def board(self) -> Board:
        """Filled and empty cells."""
        return self._kernel.board

    @property
    def colors(self) -> tuple[str, ...]:
        """Rows from the bottom, one letter per cell.

        ``.`` empty, ``G`` garbage, ``B`` a bomb, or the piece.
        """
        return self._kernel.colors

    @property
    def current(self) -> Piece:
        """Piece to be placed."""
        return self._kernel.current

    @property
    def hold(self) -> Piece | None:
        """Held piece."""
        return self._kernel.hold

    @property
    def queue(self) -> tuple[Piece, ...]:
        """Current piece and previews."""
        return (self._kernel.current, *self._kernel.previews)

    @property
    def spawn(self) -> tuple[int, int] | None:
        """Centre of the current piece at its spawn; None after the end of the game."""
        return self._kernel.spawn

    @property
    def combo(self) -> int:
        """Consecutive clearing placements so far; 0 after a placement without a clear."""
        return self._kernel.combo

    @property
    def back_to_back(self) -> int:
        """Consecutive difficult clears; 0 means none."""
        return self._kernel.back_to_back

    @property
    def pending(self) -> tuple[int, ...]:
        """Incoming attacks in order of entry, in lines."""
        return self._kernel.pending

    @property
    def frame(self) -> int:
        """Frame of the last lock, in 1/60 s since the start of the game."""
        return self._kernel.frame

    @property
    def stats(self) -> Stats:
        """Statistics of the game so far."""
        return self._kernel.stats

    @property
    def top_out(self) -> TopOut | None:
        """Reason of the top-out; None before one."""
        name = self._kernel.top_out
        return None if name is None else TopOut(name)

    @property
    def over(self) -> bool:
        """Return True if the game is lost."""
        return self._kernel.top_out is not None

    def position(self) -> Position:
        """Return the position for a bot."""
        kernel = self._kernel
        return Position(
            board=kernel.board,
            queue=self.queue,
            hold=kernel.hold,
            combo=kernel.combo,
            back_to_back=kernel.back_to_back,
            pending=kernel.pending,
            bag=kernel.bag,
            colors=kernel.colors,
            filled_bag=tuple(Piece) if kernel.filled_bag is None else kernel.filled_bag,
        )

    def placements(self, *, hold: bool = True) -> list[Placement]:
        """Return all moves: those of the current piece, then with `hold` those of the hold piece.

        If both pieces are the same, they are listed once.
        """
        return self._kernel.placements(hold)

    def find_move(self, placement: Placement, *, hold: bool | None = None) -> Placement:
        """Return a placement as `Game.play` plays it, with the spin under the rules.

        Args:
            placement: placement of the current piece or of the hold piece. Its spin only selects
                one of two paths to the same cells.
            hold: use hold; None: only if the piece requires it.

        Raises:
            PlacementError: the placement is illegal; the message contains the reason.
        """
        return self._kernel.find_move(placement, hold)

    def is_legal(self, placement: Placement, *, hold: bool | None = None) -> bool:
        """Return True if `find_move` accepts the placement."""
        try:
            self.find_move(placement, hold=hold)
        except PlacementError:
            return False
        return True

    def __str__(self) -> str:
        """Draw the hold, the queue and the board from the top down, with letters as in `colors`."""
        hold = "-" if self.hold is None else self.hold.name
        queue = " ".join(piece.name for piece in self.queue)
        lines = [f"hold {hold}  queue {queue}"]
        if self.pending:
            lines.append(f"pending garbage {sum(self.pending)}")
        if self.top_out is not None:
            lines.append(self.top_out.value)
        # Rows above the visible ones explain a top-out.
        shown = max(self._rules.board.visible, self.board.height)
        return "\n".join([*lines, *reversed(self.colors[:shown])])

    def __repr__(self) -> str:
        kind, pieces = type(self).__name__, self.stats.pieces
        return f"<{kind} {self._rules.name}, seed {self._seed}, {pieces} pieces>"

    def svg(self) -> str:
        """Return a self-contained SVG picture of board, hold, queue and pending garbage."""
        return draw_players([self]).svg()

    _repr_svg_ = svg
    """Return the picture for notebooks."""


class Game(Player):
    """Game of one player, with garbage from `receive_garbage`.

    The same rules, seed, moves and garbage result in the same game on every machine.

    Args:
        rules: rules, or the name of a preset.
        seed: seed of pieces and garbage holes, 0 to 2^63 - 1. Seeds that differ by a multiple of
            2^31 - 1 are equivalent.
        frames_per_turn: duration of a move for which `play` has no frame; 30 is two pieces per
            second.
        board: initial board; its cells count as garbage.
        combo: initial combo.
        back_to_back: initial number of consecutive difficult clears.

    Raises:
        RulesError: the preset is unknown, or a number is out of range.
        BoardError: the size of the board differs from the rules.
    """

    def __init__(
        self,
        rules: Rules | str = "guideline",
        seed: int = 0,
        *,
        frames_per_turn: int = 30,
        board: Board | None = None,
        combo: int = 0,
        back_to_back: int = 0,
    ) -> None:
        rules = resolve_rules(rules)
        check_integer("seed", seed, MAX_SEED_VALUE)
        check_integer("frames_per_turn", frames_per_turn, 36_000)
        check_integer("combo", combo, 100_000)
        check_integer("back_to_back", back_to_back, 100_000)
        kernel = _kernel.Game(compile_rules(rules), seed, seed)
        if board is not None or combo or back_to_back:
            if board is None:
                board = kernel.board
            kernel.start_from(board, combo, back_to_back)
        super().__init__(kernel, rules, seed)
        self._frames_per_turn = frames_per_turn

    def play(
        self, placement: Placement, *, hold: bool | None = None, frame: int | None = None
    ) -> LockResult:
        """Lock a piece.

        Args:
            placement: see `find_move`.
            hold: see `find_move`.
            frame: frame of the lock since the start of the game; None: one turn after the last
                lock.

        Raises:
            PlacementError: the placement is illegal, or the game is over. The game is unchanged.
            RulesError: the frame is not within a day.
        """
        if frame is None:
            frame = self._kernel.frame + self._frames_per_turn
        check_integer("frame", frame, MAX_FRAME)
        return self._kernel.play(placement, hold, frame)

    def set_attackers(self, players: int) -> None:
        """Set the number of players who attack this one; few rules depend on it.

        Raises:
            RulesError: the number is not from 0 to 1000.
        """
        check_integer("players", players, 1000)
        self._kernel.set_attackers(players)

    def receive_garbage(self, lines: int, *, frame: int | None = None) -> None:
        """Receive an attack sent in a frame; None: in that of the last lock.

        The lines may enter after the travel time of the rules; under rules with instant garbage the
        board changes immediately.

        Raises:
            RulesError: the number of lines is out of range, or the frame is not within a day.
        """
        check_integer("lines", lines, 100_000)
        frame = self._kernel.frame if frame is None else frame
        check_integer("frame", frame, MAX_FRAME)
        self._kernel.receive(lines, frame)

    def copy(self) -> Game:
        """Return an independent copy."""
        other = copy.copy(self)
        other._kernel = self._kernel.copy()
        return other


def draw_players(players: Sequence[Player]) -> Picture:
    """Draw the boards, queues and statistics of players side by side."""
    from sevenbag.drawing import add_background, arrange_row  # noqa: PLC0415  # few games are drawn

    return add_background(arrange_row([_draw_player(player) for player in players], gap=32))


def _draw_player(player: Player) -> Picture:
    from sevenbag.drawing import add_caption, draw_player  # noqa: PLC0415  # as above

    # Rows above the visible ones cause a top-out, so they are drawn as well.
    shown = max(player.rules.board.visible, player.board.height)
    side = draw_player(
        player.colors[:shown],
        hold=player.hold.name if player.hold is not None else None,
        queue=[piece.name for piece in player.queue],
        pending=sum(player.pending),
        statistics=[
            ("pieces", str(player.stats.pieces)),
            ("attack", str(player.stats.attack)),
            ("combo", str(player.combo)),
            ("B2B", str(player.back_to_back)),
            ("garbage", str(sum(player.pending))),
        ],
    )
    return add_caption(side, player.top_out.value) if player.top_out is not None else side
