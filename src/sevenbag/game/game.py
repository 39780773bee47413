"""One player's game."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final

from sevenbag import _kernel
from sevenbag._kernel import Piece
from sevenbag.errors import PlacementError, check_integer
from sevenbag.game.position import Position
from sevenbag.game.rules import Rules, compile_rules, resolve_rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sevenbag._kernel import Board, Lock, Placement, Stats
    from sevenbag.drawing import Picture

MAX_SEED_VALUE: Final = 2**63 - 1
MAX_FRAME: Final = 24 * 60 * 60 * 60
"""A day."""


class TopOut(enum.StrEnum):
    """How a game was lost."""

    BLOCK_OUT = "block out"
    """The next piece could not appear."""
    LOCK_OUT = "lock out"
    """A piece locked above the visible rows."""
    GARBAGE_OUT = "garbage out"
    """Garbage pushed a filled cell over the top of the board."""


class Player:
    """A player's side of a game, to look at.

    What is given out is a copy, or cannot be changed; ask again after a move.
    """

    def __init__(self, kernel: _kernel.Game, rules: Rules, seed: int) -> None:
        self._kernel = kernel
        self._rules = rules
        self._seed = seed

    @property
    def rules(self) -> Rules:
        """The rules it is played by."""
        return self._rules

    @property
    def seed(self) -> int:
        """What decides the pieces; the same for both players of a versus game."""
        return self._seed

    @property
    def board(self) -> Board:
        """Filled and empty cells."""
        return self._kernel.board

    @property
    def colors(self) -> tuple[str, ...]:
        """Rows from the bottom, a letter a cell.

        ``.`` empty, ``G`` garbage, ``B`` a bomb, or the piece.
        """
        return self._kernel.colors

    @property
    def current(self) -> Piece:
        """The piece to be placed."""
        return self._kernel.current

    @property
    def hold(self) -> Piece | None:
        """The held piece."""
        return self._kernel.hold

    @property
    def queue(self) -> tuple[Piece, ...]:
        """The current piece and the previews."""
        return (self._kernel.current, *self._kernel.previews)

    @property
    def spawn(self) -> tuple[int, int] | None:
        """Where the current piece has appeared, its centre; None when the game is over."""
        return self._kernel.spawn

    @property
    def combo(self) -> int:
        """Clearing placements in a row so far; 0 at rest."""
        return self._kernel.combo

    @property
    def back_to_back(self) -> int:
        """Difficult clears in a row; 0 is none."""
        return self._kernel.back_to_back

    @property
    def pending(self) -> tuple[int, ...]:
        """Incoming attacks in the order they will enter, in lines."""
        return self._kernel.pending

    @property
    def frame(self) -> int:
        """When the last piece locked, in frames of 1/60 s since the game began."""
        return self._kernel.frame

    @property
    def stats(self) -> Stats:
        """What has been done so far."""
        return self._kernel.stats

    @property
    def top_out(self) -> TopOut | None:
        """How the game was lost; None while it is not."""
        name = self._kernel.top_out
        return None if name is None else TopOut(name)

    @property
    def over(self) -> bool:
        """Whether the game is lost."""
        return self._kernel.top_out is not None

    def position(self) -> Position:
        """All that a bot needs to know to move."""
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
        """Every move: those of the current piece, then those of the piece that hold offers.

        Args:
            hold: whether to list the latter; if both pieces are the same, it is listed once.
        """
        return self._kernel.placements(hold)

    def find_move(self, placement: Placement, *, hold: bool | None = None) -> Placement:
        """The placement as `Game.play` would take it: with the spin that the rules see in it.

        Args:
            placement: a placement of the current piece, or of the one that hold offers. Its spin
                only chooses between two ways to the same cells.
            hold: whether it holds; None: it does if it must.

        Raises:
            PlacementError: it is not legal; the message says why.
        """
        return self._kernel.judge(placement, hold)

    def is_legal(self, placement: Placement, *, hold: bool | None = None) -> bool:
        """Whether `judge` lets it pass."""
        try:
            self._kernel.judge(placement, hold)
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
        """A self-contained SVG picture: the board between hold and queue, and what waits."""
        return draw_players([self]).svg()

    def _repr_svg_(self) -> str:
        """What notebooks show."""
        return self.svg()


class Game(Player):
    """One player's game, with garbage if somebody sends it.

    The same rules, seed, moves and garbage make the same game on every machine.

    Args:
        rules: the rules, or the name of a preset.
        seed: decides the pieces and the holes of garbage; 0 to 2^63 - 1. Seeds that differ by a
            multiple of 2^31 - 1 are the same.
        frames_per_turn: how much time a move takes unless `play` is told; 30 is two a second.
        board: to begin elsewhere than on an empty board; its cells count as garbage.
        combo: to begin within a combo.
        back_to_back: to begin within a chain of difficult clears.

    Raises:
        RulesError: no such preset, or an impossible seed or time.
        BoardError: the board's size is not that of the rules.
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
    ) -> Lock:
        """Lock a piece.

        Args:
            placement: see `judge`.
            hold: see `judge`.
            frame: when it locks, in frames since the game began; None: a turn after the last one.

        Raises:
            PlacementError: the placement is not legal, or the game is over. Nothing has changed.
            RulesError: the frame is not within a day.
        """
        if frame is None:
            frame = self._kernel.frame + self._frames_per_turn
        check_integer("frame", frame, MAX_FRAME)
        return self._kernel.play(placement, hold, frame)

    def set_attackers(self, players: int) -> None:
        """Say how many players attack this one, from now on; some rules look at it.

        Args:
            players: 0 to 1000; 0 in the beginning.

        Raises:
            RulesError: an impossible number.
        """
        check_integer("players", players, 1000)
        self._kernel.set_attackers(players)

    def receive_garbage(self, lines: int, *, frame: int | None = None) -> None:
        """Be attacked.

        Under rules that let garbage in at once the board changes now.

        Args:
            lines: of garbage; they may enter when the rules' travel time is over.
            frame: when the attack set out; None: at the last lock.

        Raises:
            RulesError: an impossible number of lines, or a frame not within a day.
        """
        check_integer("lines", lines, 100_000)
        frame = self._kernel.frame if frame is None else frame
        check_integer("frame", frame, MAX_FRAME)
        self._kernel.receive(lines, frame)

    def copy(self) -> Game:
        """A game that goes its own way from here."""
        other = Game.__new__(Game)
        Player.__init__(other, self._kernel.copy(), self._rules, self._seed)
        other._frames_per_turn = self._frames_per_turn
        return other


def draw_players(players: Sequence[Player]) -> Picture:
    """Draw the boards, queues and statistics of players side by side."""
    from sevenbag.drawing import add_background, arrange_row  # noqa: PLC0415  # few games are drawn

    return add_background(arrange_row([_draw_player(player) for player in players], gap=32))


# --- helpers ------------------------------------------------------------------------------------


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
