"""Game of a frontend under check: its position, and the probing suggestions sent to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec import UnsetType

from sevenbag._kernel import Spin
from sevenbag.checks.practice_games import equivalent_move, list_placements
from sevenbag.checks.recorded_connection import ReportProblem
from sevenbag.errors import PlacementError
from sevenbag.game.position import Position, append_piece, apply_placement
from sevenbag.protocols.json_lines import Severity
from sevenbag.protocols.tbp import messages as tbp
from sevenbag.protocols.tbp import tbp_conversion

if TYPE_CHECKING:
    from sevenbag._kernel import Placement

Json = dict[str, Any]
ProbeKind = Literal["plain", "equivalent", "illegal_first", "two_moves", "false_spin", "late"]

UNPLAYED_PROBES: Final[dict[ProbeKind, tuple[str, str]]] = {
    "equivalent": ("equivalent-moves", "ends the game at an equivalent form of a legal move"),
    "illegal_first": ("preferred-move", "ends the game at a list whose first move is illegal"),
    "false_spin": ("spin", "ends the game at a legal move with a false spin"),
    "two_moves": ("preferred-move", "ends the game at a list of two moves"),
}
"""Clause and message if the game ends at each suggestion of a kind."""
_PROBE_CYCLE: Final[tuple[ProbeKind, ...]] = (
    *("plain", "two_moves", "late"),
    *("equivalent", "illegal_first", "false_spin"),
)
_BAG_SIZE: Final = 7


class FrontendGameTracker:
    """Follows the messages of a frontend and reports contradictions.

    Attributes:
        position: current position; None without a game.
    """

    def __init__(self, report_problem: ReportProblem) -> None:
        self.position: Position | None = None
        self.rules = tbp.TbpRules()
        self._report = report_problem
        self._queue_length = 0
        self._has_first_hold = False
        self._has_moved = False
        self._ended_probes: Counter[ProbeKind] = Counter()
        self._played_probes: Counter[ProbeKind] = Counter()

    def start(self, start: tbp.TbpStart) -> None:
        """Set the position."""
        self._check_randomizer(start)
        self.position = tbp_conversion.parse_start(start)
        self._queue_length = len(start.queue)
        self._has_moved = False
        if not start.queue:
            message = "queue is empty; few bots wait for pieces"
            self._report(message, clause="message-format", severity="note")

    def suggest(self) -> Position | None:
        """Return the position of a requested move; None if no move is possible."""
        position = self._expect_position("suggest")
        if position is None:
            return None
        length = len(position.queue)
        if self._has_moved and length < self._queue_length:
            reason = "; a first hold takes two" if self._has_first_hold else ""
            message = f"queue has {length} pieces, expected {self._queue_length}{reason}"
            self._report(message, clause="new-pieces")
        return position if position.queue else None

    def play(self, move: tbp.TbpMove) -> None:
        """Make a move."""
        position = self._expect_position("play")
        if position is None:
            return
        try:
            placement = tbp_conversion.parse_move(move)
            self._check_legality(position, placement)
            if position.hold is None and placement.piece != position.queue[0]:
                self._has_first_hold = True
            self.position = apply_placement(position, placement)
        except (PlacementError, IndexError) as error:
            self._report(f"illegal play: {error}", clause="legal-play")
            self.position = None
            return
        self._has_moved = True

    def add_piece(self, message: tbp.TbpNewPiece) -> None:
        """Append a piece to the queue."""
        position = self._expect_position("new_piece")
        if position is None:
            return
        piece = tbp_conversion.parse_piece(message.piece)
        bag = position.bag
        if self.rules.randomizer == "seven_bag" and bag is not None and piece not in bag:
            expected = " ".join(each.name for each in bag)
            problem = f"new_piece outside the seven-bag: expected {expected}, got {piece.name}"
            self._report(problem, clause="bag-order")
        self.position = append_piece(position, piece)

    def add_garbage(self, message: tbp.TbpGarbage) -> None:
        """Add garbage rows."""
        if self.rules.garbage != "general":
            self._report("garbage message without garbage in rules", clause="features")
        position = self._expect_position("garbage")
        if position is not None:
            self.position = tbp_conversion.add_garbage_rows(position, message.rows)

    def stop(self) -> None:
        """End the game."""
        self.position = None

    def continues_game(self, start: tbp.TbpStart, probe: SuggestionProbe | None) -> bool:
        """Return True if a new position follows from the suggested move and garbage."""
        if self.position is None or probe is None:
            return False
        try:
            after = apply_placement(self.position, probe.best)
        except PlacementError:
            return False
        board = tbp_conversion.parse_board(start.board)
        expected = [after.board.row(y) for y in range(after.board.height)]
        rows = [board.row(y) for y in range(board.height)]
        return any(rows[garbage:] == expected for garbage in range(len(rows) + 1))

    def record_probe(self, kind: ProbeKind, *, played: bool) -> None:
        """Record that a suggestion of a kind was played, or that the game ended at it."""
        (self._played_probes if played else self._ended_probes)[kind] += 1

    def report_unplayed_probes(self) -> None:
        """Report the kinds of suggestions that were never played, if others were."""
        for kind, (clause, message) in UNPLAYED_PROBES.items():
            if self._ended_probes[kind] and self._played_probes and not self._played_probes[kind]:
                self._report(message, clause=clause, severity="warning")

    def _expect_position(self, kind: str) -> Position | None:
        if self.position is None:
            severity: Severity = "warning" if kind == "new_piece" else "error"
            self._report(f"{kind} without a position", clause="start-first", severity=severity)
        return self.position

    def _check_legality(self, position: Position, placement: Placement) -> None:
        placements = list_placements(position, placement.piece)
        if not placements or not position.board.fits(placement):
            return
        if not position.board.is_resting(placement):
            self._report("illegal play: the piece does not rest on anything", clause="legal-play")
        elif not any(each.same_cells(placement) for each in placements):
            message = "play is unreachable under SRS without half turns"
            self._report(message, clause="legal-play", severity="note")

    def _check_randomizer(self, start: tbp.TbpStart) -> None:
        state, name = start.randomizer, self.rules.randomizer
        if isinstance(state, UnsetType):
            if not isinstance(name, UnsetType) and name not in {"unknown", "uniform"}:
                message = f"start without randomizer, expected {name} as in rules"
                self._report(message, clause="randomizer", severity="warning")
            return
        actual = tbp_conversion.randomizer_name(state)
        if isinstance(name, UnsetType) or actual != name:
            expected = "none" if isinstance(name, UnsetType) else name
            message = f"randomizer in start: expected {expected} as in rules, got {actual}"
            self._report(message, clause="randomizer")
        if isinstance(state, tbp.SevenBagRandomizer):
            self._check_bag(state.bag_state, start.queue)

    def _check_bag(self, bag: Sequence[str], queue: Sequence[str]) -> None:
        """Report a bag that contains pieces at the end of the queue, which come from it."""
        dealt = queue[len(queue) - min(len(queue), _BAG_SIZE - len(bag)) :]
        if any(piece in bag or dealt.count(piece) > 1 for piece in dealt):
            message = (
                f"bag_state is {' '.join(bag)} after {' '.join(dealt)}:"
                " not the bag after the last piece of the queue"
            )
            self._report(message, clause="bag-state")


@dataclass(frozen=True, slots=True)
class SuggestionProbe:
    """A suggestion that shows how the frontend treats unusual answers.

    Attributes:
        kind: unusual property of the suggestion.
        best: move that should be played.
    """

    kind: ProbeKind
    best: Placement
    moves: list[Json]

    @property
    def message(self) -> Json:
        """The suggestion."""
        return {"type": "suggestion", "moves": self.moves}

    def find_deviation(self, played: tbp.TbpMove) -> tuple[str, str]:
        """Return the violated clause and a message; empty if the played move is the best."""
        try:
            placement = tbp_conversion.parse_move(played)
        except PlacementError:
            return "", ""
        if placement.same_cells(self.best):
            if self.kind == "false_spin" and placement.spin == Spin.FULL:
                return "spin", "play repeats a false spin"
            return "", ""
        last = self.moves[-1]["location"]
        location = played.location
        plays_last = (location.type, location.x, location.y) == (last["type"], last["x"], last["y"])
        if self.kind == "two_moves" and plays_last:
            return "preferred-move", "plays the last move of the list instead of the first"
        if self.kind == "illegal_first":
            return "preferred-move", "does not play the first legal move of the list"
        return "preferred-move", "does not play the suggested move"


def create_probe(
    number: int, position: Position, moves: Sequence[Placement]
) -> SuggestionProbe | None:
    """Create the suggestion with this number; None without moves."""
    if not moves:
        return None
    kind, best = _PROBE_CYCLE[number % len(_PROBE_CYCLE)], moves[0]
    plain: Json = tbp.to_object(tbp_conversion.format_move(best))
    if kind not in _BUILDERS:
        return SuggestionProbe(kind, best, [plain])
    listed = _BUILDERS[kind](position, best, plain)
    return SuggestionProbe(kind if listed else "plain", best, listed or [plain])


def _build_equivalent(position: Position, best: Placement, plain: Json) -> list[Json]:
    del position, plain
    move = equivalent_move(best)
    return [] if move is None else [move]


def _build_illegal_first(position: Position, best: Placement, plain: Json) -> list[Json]:
    del position, best
    location = plain["location"]
    return [{**plain, "location": {**location, "y": location["y"] + 8}}, plain]


def _build_two_moves(position: Position, best: Placement, plain: Json) -> list[Json]:
    placements = list_placements(position, best.piece, spins=False)
    others = [each for each in placements if not each.same_cells(best)]
    if not others:
        return []
    second = min(others, key=lambda each: (each.y, each.x))
    return [plain, tbp.to_object(tbp_conversion.format_move(second))]


def _build_false_spin(position: Position, best: Placement, plain: Json) -> list[Json]:
    same = [each for each in list_placements(position, best.piece) if each.same_cells(best)]
    can_spin = not same or any(each.spin != Spin.NONE for each in same)
    return [] if can_spin else [{**plain, "spin": "full"}]


_BUILDERS: Final[dict[ProbeKind, Callable[[Position, Placement, Json], list[Json]]]] = {
    "equivalent": _build_equivalent,
    "illegal_first": _build_illegal_first,
    "two_moves": _build_two_moves,
    "false_spin": _build_false_spin,
}
