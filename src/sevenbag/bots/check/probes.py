"""Answers by which a frontend is told apart: moves in other forms, lists, false claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from sevenbag._kernel import Spin
from sevenbag.bots.check.table import RULES, other_form
from sevenbag.errors import PlacementError
from sevenbag.protocols.tbp import tbp_conversion
from sevenbag.protocols.tbp.messages import to_object

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sevenbag._kernel import Placement
    from sevenbag.game.position import Position
    from sevenbag.protocols.json_lines import Severity
    from sevenbag.protocols.tbp import messages as tbp

Json = dict[str, Any]
Kind = Literal["plain", "form", "illegal first", "two", "claim", "late"]

_ROUND: Final[tuple[Kind, ...]] = (
    "plain",
    "two",
    "late",
    "form",
    "illegal first",
    "claim",
)

ENDED: Final[dict[Kind, tuple[str, str]]] = {
    "form": ("cells", "ends the game at a move in another form of legal cells"),
    "illegal first": (
        "preferred",
        "ends the game at a list whose first move is not legal, though the second one is",
    ),
    "claim": ("spin", "ends the game at a false claim of a spin; its cells are legal"),
    "two": ("preferred", "ends the game at a list of two moves"),
}
"""What it means if a game always ends at such an answer."""


@dataclass(frozen=True, slots=True)
class Probe:
    """An answer, and what should come of it.

    Attributes:
        kind: in what it is peculiar.
        best: the move that should be played.
        message: the answer.
        late: whether to wait before it is given.
    """

    kind: Kind
    best: Placement
    message: Json

    @property
    def late(self) -> bool:
        """Whether to wait before it is given."""
        return self.kind == "late"

    def judged(self, played: tbp.TbpMove) -> list[tuple[str, Severity, str]]:
        """What there is to say of the move that was played: clause, severity, finding."""
        try:
            placement = tbp_conversion.parse_move(played)
        except PlacementError:
            return []
        found: list[tuple[str, Severity, str]] = []
        if not placement.same_cells(self.best):
            found.append(("preferred", "error", self._wrong(placement)))
        elif self.kind == "claim" and placement.spin == Spin.FULL:
            what = "takes a claimed spin for one, where there is none"
            found.append(("spin", "warning", what))
        return found

    def _wrong(self, placement: Placement) -> str:
        moves = self.message["moves"]
        last = moves[-1]["location"]
        same_as_last = placement.piece.name == last["type"] and (placement.x, placement.y) == (
            last["x"],
            last["y"],
        )
        if len(moves) > 1 and self.kind == "two" and same_as_last:
            return "plays the last move of the list instead of the first"
        if self.kind == "illegal first":
            return "plays another move than the first legal one of the list"
        return "plays another move than the one that was suggested"


def probe(number: int, position: Position, moves: Sequence[Placement]) -> Probe | None:
    """The next answer of a round of them; None if there is no move."""
    if not moves:
        return None
    kind = _ROUND[number % len(_ROUND)]
    best = moves[0]
    plain = to_object(tbp_conversion.format_move(best))
    listed: list[Json] = [plain]
    if kind == "form":
        form = other_form(best)
        listed = [form or plain]
        kind = "form" if form is not None else "plain"
    elif kind == "illegal first":
        listed = [_hanging(best), plain]
    elif kind == "two":
        second = _second(position, best)
        listed = (
            [plain] if second is None else [plain, to_object(tbp_conversion.format_move(second))]
        )
        kind = "two" if second is not None else "plain"
    elif kind == "claim":
        false = not _may_spin(position, best)
        listed = [{**plain, "spin": "full"}] if false else [plain]
        kind = "claim" if false else "plain"
    return Probe(kind, best, {"type": "suggestion", "moves": listed})


# --- helpers ------------------------------------------------------------------------------------


def _hanging(best: Placement) -> Json:
    move = to_object(tbp_conversion.format_move(best))
    move["location"] = {**move["location"], "y": move["location"]["y"] + 8}
    return move


def _may_spin(position: Position, best: Placement) -> bool:
    """Whether any way to these cells is a spin."""
    spawn = tbp_conversion.find_spawn(position.board, best.piece, RULES)
    if spawn is None:
        return True
    pieces = RULES.pieces
    places = position.board.placements(best.piece, pieces.kicks, spins=pieces.spins, spawn=spawn)
    return any(each.spin != Spin.NONE for each in places if each.same_cells(best))


def _second(position: Position, best: Placement) -> Placement | None:
    """Another legal move, of the same piece, that lies elsewhere."""
    spawn = tbp_conversion.find_spawn(position.board, best.piece, RULES)
    if spawn is None:
        return None
    places = position.board.placements(best.piece, RULES.pieces.kicks, spawn=spawn)
    others = [each for each in places if not each.same_cells(best)]
    return min(others, key=lambda each: (each.y, each.x)) if others else None
