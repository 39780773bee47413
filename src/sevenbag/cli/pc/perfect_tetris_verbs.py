"""The verbs ``pc fumen``, ``pc validate`` and ``pc version``."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from sevenbag.cli.pc.perfect_tetris import (
    NETWORK_OPTION,
    Verb,
    VerbOption,
    choice,
    integer_up_to,
    kicks_option,
    print_error_name,
)
from sevenbag.cli.signals import run_search
from sevenbag.errors import FumenError, PcFileError, printable, shown
from sevenbag.formats.fumen import Fumen, FumenView, Quiz
from sevenbag.formats.pc_file import ANY_KICKS, validate_file
from sevenbag.pc import Solver, SolveStatus
from sevenbag.pc.network import find_network
from sevenbag.pc.solver import MAX_HEIGHT

if TYPE_CHECKING:
    from sevenbag._kernel import Kicks, Placement

PERFECT_TETRIS_VERSION: Final = "1.3.2"


_FUMEN_VERSIONS: Final = (115,)
"""Versions that perfect-tetris reads."""
_MAX_QUEUE: Final = MAX_HEIGHT * 10 // 4 + 1


def _run_fumen(values: dict[str, Any], inputs: list[str]) -> int:
    """Solve all inputs; continue after an invalid one."""
    solver = Solver(values["kicks"], network=find_network(values["nn"]))
    code = 0
    for text in inputs:
        began = time.perf_counter()
        try:
            fumen = Fumen.parse(text, _FUMEN_VERSIONS)
            pieces = fumen.read_quiz()
            if not pieces.pieces:
                raise FumenError(
                    "NotQuiz",
                    "invalid comment of the last page: expected a quiz that names the pieces, such"
                    f" as #Q=[](L)STIZJO, got {shown(fumen.pages[-1].comment)}",
                )
            placements, failure = _solve_fumen(solver, fumen, pieces, values)
            answer = "" if placements is None else _format_answer(fumen, placements, values)
        except FumenError as error:
            print(printable(f"pc: {shown(text)}: {error}"), file=sys.stderr)
            print_error_name(error)
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
            print(f"{found} in {_format_duration(seconds)}", file=sys.stderr)
    return code


def _format_duration(seconds: float) -> str:
    """Format a duration in a suitable unit, with up to three decimals."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3f}".rstrip("0").rstrip(".") + unit
    return f"{seconds * 1e9:.0f}ns"


def _solve_fumen(
    solver: Solver, fumen: Fumen, quiz: Quiz, values: dict[str, Any]
) -> tuple[Sequence[Placement] | None, str]:
    """Return the placements, or None and the name of the error."""
    save = values["save"]
    if save is not None and save.upper() not in {piece.name for piece in quiz.pieces}:
        return None, "ImpossibleSaveHold"
    # The solver takes no full rows.
    board = fumen.final_field.without_full_rows().board()
    if board.height > MAX_HEIGHT:
        return None, "FieldTooHigh"
    if values["min-height"] > MAX_HEIGHT:
        return None, "SolutionTooLong"
    if quiz.current is None:
        # A held piece without a current one is the current piece.
        hold, queue = None, quiz.pieces
    else:
        hold, queue = quiz.hold, (quiz.current, *quiz.queue)
    answer = run_search(
        lambda stop: solver.search(
            board,
            queue[:_MAX_QUEUE],
            hold,
            min_height=values["min-height"],
            save=save.upper() if save is not None else None,
            stop=stop,
        )
    )
    if answer.solution is not None:
        return answer.solution.placements, ""
    return None, "NoPcExists" if answer.status is SolveStatus.ODD_CELLS else "SolutionTooLong"


def _format_answer(fumen: Fumen, placements: Sequence[Placement], values: dict[str, Any]) -> str:
    solved = (
        fumen.with_placements(placements) if values["append"] else fumen.with_solution(placements)
    )
    return replace(solved, view=FumenView[values["output-type"].upper()]).encode()


FUMEN: Final = Verb(
    _run_fumen,
    "[options] INPUTS...",
    (
        VerbOption("append", "a", "append the solution to the pages of the input"),
        kicks_option("srs"),
        VerbOption(
            "min-height", "m", "minimum rows to clear [default: 1]", integer_up_to(127), 1, "N"
        ),
        NETWORK_OPTION,
        VerbOption(
            "save",
            "s",
            "piece to hold at the end: i o t s z l j",
            choice(*"iotszljIOTSZLJ"),
            None,
            "PIECE",
        ),
        VerbOption(
            "output-type",
            "t",
            "view of the result in editors: edit list view [default: view]",
            choice("edit", "list", "view"),
            "view",
            "TYPE",
        ),
        VerbOption("verbose", "v", "print the length of each solution and the time it took"),
    ),
    needs_input=True,
)


def _run_validate(values: dict[str, Any], inputs: list[str]) -> int:
    """Check all files; continue after one that cannot be read."""
    kicks = ANY_KICKS if values["kicks"] is None else (values["kicks"],)
    code = 0
    for path in inputs:
        try:
            _validate_file(path, kicks, strict=values["strict"])
        except PcFileError as error:
            print(f"error: {error.code}", file=sys.stderr)
            code = 1
    return code


def _validate_file(path: str, kicks: Sequence[Kicks | str], *, strict: bool) -> None:
    # Flushed, so that the lines of both streams are in order in a terminal.
    print(f"Validating {path}", flush=True)
    verdict = validate_file(path, kicks, allow_early_clear=not strict)
    if fault := verdict.describe_fault():
        print(f"Error at solution {verdict.solutions} (byte {verdict.bytes})", flush=True)
        print(f"{path}: solution {verdict.solutions + 1}: {fault}", file=sys.stderr)
    else:
        print(f"Validated {verdict.solutions} solutions. All solutions ok.", flush=True)


VALIDATE: Final = Verb(
    _run_validate,
    "[options] PATHS...",
    (
        kicks_option(None, "rotation system of all solutions: "),
        VerbOption("strict", "s", "reject solutions with a perfect clear before their end"),
    ),
    needs_input=True,
)


def _run_version(_: dict[str, Any], __: list[str]) -> int:
    print(PERFECT_TETRIS_VERSION)
    return 0


VERSION: Final = Verb(_run_version, "")
