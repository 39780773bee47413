"""``pc fumen``: solves fumens, and prints the solutions as fumens."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from sevenbag._kernel import Kicks
from sevenbag.cli.arguments import named_kicks
from sevenbag.cli.pc.dropin import complain
from sevenbag.cli.pc.network import NETWORK, network_at
from sevenbag.cli.pc.options import KICKS, Option, one_of, whole
from sevenbag.cli.stopping import run_stoppably
from sevenbag.errors import FumenError, printable, shown
from sevenbag.formats.fumen import Fumen, View
from sevenbag.pc import Reason, Solver
from sevenbag.pc.solver import MAX_HEIGHT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sevenbag._kernel import Piece, Placement
    from sevenbag.formats.fumen import Quiz

USAGE: Final = "fumen [options] INPUTS..."
OPTIONS: Final = (
    Option("append", "a", "add the solution to the pages of the input"),
    Option("kicks", "k", f"{' '.join(KICKS)} (default: srs)", named_kicks, Kicks("srs"), "KICKS"),
    Option("min-height", "m", "rows to clear at least (default: 1)", whole(127), 1, "N"),
    NETWORK,
    Option(
        "save",
        "s",
        "a piece that is to be held at the end: i o t s z l j",
        one_of(*"iotszljIOTSZLJ"),
        None,
        "PIECE",
    ),
    Option(
        "output-type",
        "t",
        "how editors show the result: edit list view (default: view)",
        one_of("edit", "list", "view"),
        "view",
        "TYPE",
    ),
    Option("verbose", "v", "say how long each solution is, and how long it took"),
)
NEEDS_INPUT: Final = True

# The original reads no other.
_VERSIONS: Final = (115,)
_NO_LONGER: Final = MAX_HEIGHT * 10 // 4 + 1


def run(values: dict[str, Any], inputs: list[str]) -> int:
    """Solve each input; one that is no fumen does not keep the others from being solved."""
    solver = Solver(values["kicks"], network=network_at(values["nn"]))
    code = 0
    for text in inputs:
        began = time.perf_counter()
        try:
            fumen = Fumen.parse(text, _VERSIONS)
            pieces = fumen.quiz()
            if not pieces.pieces:
                raise FumenError(
                    "NotQuiz",
                    "invalid comment of the last page: expected a quiz that names the pieces, such"
                    f" as #Q=[](L)STIZJO, got {shown(fumen.pages[-1].comment)}",
                )
            placements, failure = _solved(solver, fumen, pieces, values)
            answer = "" if placements is None else _written(fumen, placements, values)
        except FumenError as error:
            print(printable(f"pc: {shown(text)}: {error}"), file=sys.stderr)
            complain(error)
            code = 1
            continue
        seconds = time.perf_counter() - began
        if placements is None:
            print(f"Unable to solve: error.{failure}", flush=True)
        else:
            print(answer, flush=True)
        if values["verbose"]:
            found = "No solution found"
            if placements is not None:
                found = f"Found solution of length {len(placements)}"
            print(f"{found} in {duration(seconds)}", file=sys.stderr)
    return code


def duration(seconds: float) -> str:
    """A time in the unit that fits, with three decimals at most."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3f}".rstrip("0").rstrip(".") + unit
    return f"{seconds * 1e9:.0f}ns"


# --- helpers ------------------------------------------------------------------------------------


def _solved(
    solver: Solver, fumen: Fumen, quiz: Quiz, values: dict[str, Any]
) -> tuple[Sequence[Placement] | None, str]:
    """The placements, or the name of what is in the way."""
    save = values["save"]
    if save is not None and save.upper() not in {piece.name for piece in quiz.pieces}:
        return None, "ImpossibleSaveHold"
    # What is full is removed before a solver sees it.
    board = fumen.field.cleared().board()
    if board.height > MAX_HEIGHT:
        return None, "FieldTooHigh"
    if values["min-height"] > MAX_HEIGHT:
        return None, "SolutionTooLong"
    hold, queue = _hold_and_queue(quiz)
    answer = run_stoppably(
        lambda stop: solver.search(
            board,
            queue[:_NO_LONGER],
            hold,
            min_height=values["min-height"],
            save=save.upper() if save is not None else None,
            stop=stop,
        )
    )
    if answer.solution is not None:
        return answer.solution.placements, ""
    return None, "NoPcExists" if answer.reason is Reason.ODD else "SolutionTooLong"


def _hold_and_queue(quiz: Quiz) -> tuple[Piece | None, tuple[Piece, ...]]:
    """A held piece with nothing to play beside it is as good as the current one."""
    if quiz.current is None:
        return None, quiz.pieces
    return quiz.hold, (quiz.current, *quiz.queue)


def _written(fumen: Fumen, placements: Sequence[Placement], values: dict[str, Any]) -> str:
    solved = fumen.extended(placements) if values["append"] else fumen.solution(placements)
    view = {"edit": View.EDIT, "list": View.LIST, "view": View.VIEW}[values["output-type"]]
    return replace(solved, view=view).encode()
