"""Holds a contest's server against the contest's text, clause by clause."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from tests.conformance.pason.server_check import commands, games
from tests.conformance.pason.server_check.clauses import CLAUSES
from tests.conformance.pason.server_check.lab import ENDS, Lab, Side, Timing

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sevenbag.checks.harness import ConformanceReport
    from sevenbag.contest.client.connection import ServerAddress

__all__ = ["CLAUSES", "Side", "Timing", "check_server"]


async def check_server(
    address: ServerAddress, token: str, sides: tuple[Side, Side], timing: Timing | None = None
) -> ConformanceReport:
    """Play one match on a server and tell what is not as the contest's text has it.

    Args:
        address: of the server.
        token: of a match that nobody has connected to yet.
        sides: its teams. The second one's password is None where somebody else plays it; then
            what needs both is left out.
        timing: how patient to be.

    Raises:
        ServerUnreachableError: there is no such host.
    """
    lab = Lab(address, token, sides, timing or Timing())
    try:
        await lab.open()
        await _run(lab)
    finally:
        lab.close()
    return lab.report


# --- helpers ------------------------------------------------------------------------------------

_STEPS: Final[tuple[tuple[str, Callable[[Lab], Awaitable[None]]], ...]] = (
    ("answers", commands.errors),
    ("connect", commands.first_team),
    ("pause", commands.second_team),
    ("drop", games.moves),
    ("repeat", games.late_listener),
    ("gravity", games.gravity),
    ("clears", games.clears),
    ("top-out", games.ends),
    ("silence", commands.after_the_end),
)
"""One match, from its first command to what comes after its end, and where an end belongs."""


async def _run(lab: Lab) -> None:
    why = ""
    for clause, step in _STEPS:
        check = lab.begin(clause)
        began = time.monotonic()
        try:
            await step(lab)
        except ENDS as end:
            why = f"the check did not get that far: {end}"
            if not lab.report.findings:
                lab.note(clause, "error", str(end))
        check.seconds += time.monotonic() - began
        if why:
            break
    for check in lab.report.results:
        if not check.findings and not lab.was_looked_at(check.clause.id):
            check.skip_reason = why or _NO_OCCASION


_NO_OCCASION: Final = "there was no occasion for it in this match"
