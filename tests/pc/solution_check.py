"""Plays a solution again by the rules of the hold, with the general generator on whole boards."""

from typing import Any

from sevenbag import Board, Kicks, Piece, pc
from sevenbag.pc import PcSolution

_SPAWN = (4, 30)


def find_faults(
    solution: PcSolution,
    queue: str,
    hold: str | None = None,
    *,
    field: str = "",
    kicks: str = "srs+",
    save: str | None = None,
    strict: bool = False,
) -> list[str]:
    """Return the errors of a solution; empty if it is valid."""
    board = Board.from_text(field)
    left = list(queue)
    held = hold
    wrong: list[str] = []
    for number, (placement, swaps) in enumerate(
        zip(solution.placements, solution.holds, strict=True)
    ):
        if strict and number and board.is_empty:
            wrong.append(f"{number}: the field is empty too early")
        current = left.pop(0) if left else None
        if swaps:
            current, held = held or (left.pop(0) if left else None), current
        if current != placement.piece.name:
            wrong.append(f"{number}: {placement.piece.name} is placed, {current} is there")
        reachable = board.placements(placement.piece, Kicks(kicks), spawn=_SPAWN)
        if placement.canonical() not in [p.canonical() for p in reachable]:
            wrong.append(f"{number}: {placement} cannot be reached")
            break
        board.lock(placement)
    if not board.is_empty:
        wrong.append("the field is not empty at the end")
    kept = held or (left[0] if left else None)
    if save is not None and kept != save:
        wrong.append(f"{kept} is left over, not {save}")
    return wrong


def solve(
    queue: str,
    hold: str | None = None,
    *,
    field: str = "",
    kicks: str = "srs+",
    save: str | None = None,
    strict: bool = False,
    **options: Any,
) -> PcSolution:
    """Return a solution that was played again."""
    found = pc.solve(field, queue, hold, kicks=kicks, save=save, strict=strict, **options)
    assert found is not None, queue
    assert (
        find_faults(found, queue, hold, field=field, kicks=kicks, save=save, strict=strict) == []
    ), queue
    return found


def letters(solution: PcSolution) -> str:
    """The pieces in the order in which they are placed."""
    return "".join(Piece(p.piece).name for p in solution.placements)
