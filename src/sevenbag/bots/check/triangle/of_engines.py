"""Checks an engine for Triangle hosts: one conversation a check, each with one started afresh."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from sevenbag.bots.check.lab import ENDS, CheckSettings
from sevenbag.bots.check.triangle import games, robustness
from sevenbag.bots.check.triangle.lab import EngineLab

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sevenbag.bots.check.finding import Report
    from sevenbag.bots.external.bot_channel import ChannelLauncher
    from sevenbag.protocols.json_lines import Severity

_BASICS: Final[dict[str, Callable[[EngineLab], Awaitable[None]]]] = {
    "info": games.info,
    "answer": games.answer,
}
"""Without these nothing else can be checked."""

_OTHERS: Final[dict[str, Callable[[EngineLab], Awaitable[None]]]] = {
    "game": games.game,
    "garbage": games.garbage,
    "states": games.states,
    "elsewhere": games.elsewhere,
    "joined": games.joined,
    "bag-14": games.bag_14,
    "no-bag": games.no_bag,
    "spelling": robustness.spelling,
    "numbers": robustness.numbers,
    "null-data": robustness.null_data,
    "data": robustness.data,
    "unknown-types": robustness.unknown_types,
    "unknown-fields": robustness.unknown_fields,
    "kicks": games.kicks,
    "sizes": games.sizes,
    "rows": robustness.rows,
    "pieces": robustness.in_pieces,
    "blank": robustness.blank,
    "environment": robustness.environment,
    "interrupt": robustness.interrupt,
    "end-of-input": robustness.end_of_input,
}

CHOICES: Final = tuple(_OTHERS)
"""Checks that can be made alone, after the first two."""


async def check_engine(
    launch: ChannelLauncher,
    subject: str,
    settings: CheckSettings | None = None,
    *,
    barren: ChannelLauncher | None = None,
) -> Report:
    """Check the engine that this starts; it is started once or more for each check.

    Args:
        launch: opens a channel to a new engine.
        subject: what to call it in the report.
        settings: how patient the check is, and how long.
        barren: opens one to an engine with nothing in its environment, if that can be.
    """
    lab = EngineLab(launch, barren, subject, settings or CheckSettings())
    hopeless = ""
    for clause, run in {**_BASICS, **_OTHERS}.items():
        check = lab.begin(clause)
        if hopeless:
            check.skipped = hopeless
            continue
        if clause in _OTHERS and lab.settings.only and clause not in lab.settings.only:
            check.skipped = "it was not asked for"
            continue
        began = time.monotonic()
        try:
            await run(lab)
        except ENDS as end:
            lab.find(_SEVERITIES.get(clause, "error"), str(end), lab.session)
        check.seconds = time.monotonic() - began
        errors = [each for each in lab.report.findings if each.severity == "error"]
        if clause in _BASICS and errors and _is_fatal(lab, clause):
            hopeless = f"the engine does not get that far: {errors[0].what}"
    if hopeless:
        for check in lab.report.checks:
            if not check.findings and not check.skipped and not check.seconds:
                check.skipped = hopeless
    return lab.report


# --- helpers ------------------------------------------------------------------------------------

_SEVERITIES: Final[dict[str, Severity]] = {
    "bag-14": "warning",
    "no-bag": "warning",
    "unknown-fields": "warning",
    "kicks": "warning",
    "sizes": "warning",
    "rows": "note",
    "blank": "warning",
    "environment": "warning",
}
"""How bad it is to end, or to be silent, where few hosts or none do such a thing."""


def _is_fatal(lab: EngineLab, clause: str) -> bool:
    """Whether there is no game after this."""
    fatal = {clause} if clause == "info" else {clause, "one-lock"}
    return any(each.clause.id in fatal and each.severity == "error" for each in lab.report.findings)
