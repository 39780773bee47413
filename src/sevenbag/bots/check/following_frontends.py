"""Follows the game as a frontend tells it, and says where that contradicts itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from msgspec import UnsetType

from sevenbag.bots.check.probes import ENDED
from sevenbag.bots.check.table import RULES
from sevenbag.errors import PlacementError
from sevenbag.game.position import after_new_piece, after_placement
from sevenbag.protocols.tbp import messages as tbp
from sevenbag.protocols.tbp import tbp_conversion

if TYPE_CHECKING:
    from sevenbag._kernel import Placement
    from sevenbag.bots.check.probes import Kind, Probe
    from sevenbag.game.position import Position
    from sevenbag.protocols.json_lines import Severity


class Find(Protocol):
    """Notes a finding."""

    def __call__(self, clause: str, severity: Severity, what: str, *, place: str = "") -> None:
        """Note it once."""


_BAG: Final = 7


class Follower:
    """The game, as far as it was told.

    Attributes:
        position: the present one; None where there is none.
        rules: as they were told last.
    """

    def __init__(self, find: Find) -> None:
        """Nothing was told yet."""
        self.position: Position | None = None
        self.rules = tbp.TbpRules()
        self._find = find
        self._shown = 0
        self._first_hold = False
        self._moved = False
        self._lost: dict[Kind, int] = {}
        self._won: dict[Kind, int] = {}

    def started(self, start: tbp.TbpStart) -> None:
        """A position was told."""
        self._judge_randomizer(start)
        self.position = tbp_conversion.parse_start(start)
        self._shown = len(start.queue)
        self._moved = False
        if not start.queue:
            self._find("form", "note", "queue is empty; few bots wait for pieces")

    def asked(self) -> Position | None:
        """The position for which moves are asked; None, with a finding, if there is none."""
        if self.position is None:
            self._find("started", "error", "says suggest where there is no position")
            return None
        seen = len(self.position.queue)
        if self._moved and seen < self._shown:
            what = f"the queue has {seen} pieces where it began with {self._shown}"
            why = "; a first hold takes two" if self._first_hold else ""
            self._find("new-pieces", "warning", what + why)
        if self.position.queue:
            return self.position
        return None

    def played(self, move: tbp.TbpMove) -> None:
        """A move was told."""
        if self.position is None:
            self._find("started", "error", "says play where there is no position")
            return
        try:
            placement = tbp_conversion.parse_move(move)
            self._judge_legal(placement)
            first = self.position.hold is None and placement.piece != self.position.queue[0]
            self._first_hold = self._first_hold or first
            self.position = after_placement(self.position, placement)
        except (PlacementError, IndexError) as error:
            self._find("legal", "error", f"plays what cannot be: {error}")
            self.position = None
            return
        self._moved = True

    def joined(self, message: tbp.TbpNewPiece) -> None:
        """A piece was told."""
        if self.position is None:
            self._find("started", "warning", "says new_piece where there is no position")
            return
        piece = tbp_conversion.parse_piece(message.piece)
        bag = self.position.bag
        if self.rules.randomizer == "seven_bag" and bag is not None and piece not in bag:
            left = " ".join(each.name for each in bag)
            what = f"deals {piece.name} where the seven-bag has {left} left"
            self._find("dealt", "warning", what)
        self.position = after_new_piece(self.position, piece)

    def entered(self, message: tbp.TbpGarbage) -> None:
        """Garbage was told."""
        if self.rules.garbage != "general":
            self._find("features", "error", "says garbage without telling of it in the rules")
        if self.position is None:
            self._find("started", "error", "says garbage where there is no position")
            return
        self.position = tbp_conversion.add_garbage_rows(self.position, message.rows)

    def stopped(self) -> None:
        """The game is over."""
        self.position = None

    def explains(self, start: tbp.TbpStart, probe: Probe | None) -> bool:
        """Whether a new position follows from the suggested move, so that the game goes on."""
        if self.position is None or probe is None:
            return False
        try:
            after = after_placement(self.position, probe.best)
        except PlacementError:
            return False
        told = tbp_conversion.parse_board(start.board)
        rows = [after.board.row(y) for y in range(after.board.height)]
        for entered in range(told.height + 1):
            above = [told.row(y) for y in range(entered, told.height)]
            if above == rows:
                return True
        return False

    def probed(self, kind: Kind, *, played: bool) -> None:
        """An answer of this kind was played, or the game ended at it."""
        counts = self._won if played else self._lost
        counts[kind] = counts.get(kind, 0) + 1

    def end(self) -> None:
        """Say at last which answers were never played."""
        for kind, (clause, what) in ENDED.items():
            if self._lost.get(kind) and not self._won.get(kind) and self._won:
                self._find(clause, "warning", what)

    # --- helpers --------------------------------------------------------------------------------

    def _judge_legal(self, placement: Placement) -> None:
        assert self.position is not None
        board = self.position.board
        spawn = tbp_conversion.find_spawn(board, placement.piece, RULES)
        if spawn is None or not board.fits(placement):
            return
        if not board.is_resting(placement):
            self._find("legal", "error", "plays a move that hangs in the air")
            return
        places = board.placements(placement.piece, RULES.pieces.kicks, spawn=spawn)
        if not any(place.same_cells(placement) for place in places):
            what = "plays a move that cannot be reached under SRS without half turns"
            self._find("legal", "note", what)

    def _judge_randomizer(self, start: tbp.TbpStart) -> None:
        state, named = start.randomizer, self.rules.randomizer
        if isinstance(state, UnsetType):
            if not isinstance(named, UnsetType) and named not in {"unknown", "uniform"}:
                what = f"the rules say {named}, the start says nothing of it"
                self._find("same-randomizer", "warning", what)
            return
        told = tbp_conversion.randomizer_name(state)
        if isinstance(named, UnsetType) or told != named:
            rules = "nothing" if isinstance(named, UnsetType) else named
            what = f"the rules say {rules}, the start says {told}"
            self._find("same-randomizer", "error", what)
        if isinstance(state, tbp.SevenBagRandomizer):
            self._judge_bag(state.bag_state, start.queue)

    def _judge_bag(
        self, bag: tuple[tbp.PieceLetter, ...], queue: tuple[tbp.PieceLetter, ...]
    ) -> None:
        """What was dealt of the present bag are the last of the queue."""
        dealt = queue[len(queue) - min(len(queue), _BAG - len(bag)) :]
        twice = [piece for piece in dealt if piece in bag or dealt.count(piece) > 1]
        if twice:
            what = (
                f"bag_state is {' '.join(bag)}, but the last of the queue are "
                f"{' '.join(dealt)}: not the bag behind the last piece"
            )
            self._find("bag", "error", what)
