"""Checks a bot against TBP: one conversation a check, each with a bot started afresh."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from sevenbag.bots.check import basics, following, robustness
from sevenbag.bots.check.lab import ENDS, CheckSettings, Lab

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sevenbag.bots.check.finding import Report
    from sevenbag.bots.external.bot_channel import ChannelLauncher
    from sevenbag.protocols.json_lines import Severity

_BASICS: Final[dict[str, Callable[[Lab], Awaitable[None]]]] = {
    "info": basics.info,
    "ready": basics.ready,
    "answer": basics.answer,
}
"""Without these nothing else can be checked."""

_OTHERS: Final[dict[str, Callable[[Lab], Awaitable[None]]]] = {
    "rules-plain": basics.rules_plain,
    "rules-unknown": basics.rules_unknown,
    "rules-again": basics.rules_again,
    "once": basics.once,
    "game": following.game,
    "other-move": following.other_move,
    "hold": following.hold,
    "forms": following.forms,
    "order": following.order,
    "twice": following.twice,
    "again": following.again,
    "next-game": following.next_game,
    "garbage": following.garbage,
    "unknown-types": robustness.unknown_types,
    "unknown-attributes": robustness.unknown_attributes,
    "randomizers": robustness.randomizers,
    "json": robustness.spaced_json,
    "pieces": robustness.in_pieces,
    "state": robustness.state,
    "count": robustness.count,
    "opponents": robustness.opponents,
    "tall": robustness.tall,
    "short-queue": robustness.short_queue,
    "waiting": robustness.waiting,
    "unstarted": robustness.unstarted,
    "blank": robustness.blank,
    "quit": robustness.leaves_at_quit,
    "end-of-input": robustness.leaves_at_end_of_input,
}


CHOICES: Final = tuple(_OTHERS)
"""Checks that can be made alone, after the first three."""


async def check_bot(
    launch: ChannelLauncher, subject: str, settings: CheckSettings | None = None
) -> Report:
    """Check the bot that this starts; it is started once for each check.

    Args:
        launch: opens a channel to a new bot.
        subject: what to call it in the report.
        settings: how patient the check is, and how long.
    """
    lab = Lab(launch, subject, settings or CheckSettings())
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
            what = str(end)
            lab.find(_severity(clause), what, lab.session)
            if clause in _BASICS:
                hopeless = f"the bot does not get that far: {what}"
        check.seconds = time.monotonic() - began
        if clause in _BASICS and any(each.severity == "error" for each in check.findings):
            hopeless = hopeless or f"the bot does not get that far: {check.findings[0].what}"
    if hopeless:
        _mark_unseen(lab, hopeless)
    return lab.report


def _mark_unseen(lab: Lab, why: str) -> None:
    """What is only noted by the way cannot be called well where there was no way to go."""
    for check in lab.report.checks:
        if not check.findings and not check.skipped and not check.seconds:
            check.skipped = why


def _severity(clause: str) -> Severity:
    return _SEVERITIES.get(clause, "error")


_SEVERITIES: Final[dict[str, Severity]] = {
    "rules-again": "warning",
    "forms": "warning",
    "order": "warning",
    "count": "warning",
    "opponents": "error",
    "tall": "warning",
    "short-queue": "warning",
    "waiting": "note",
    "unstarted": "warning",
    "blank": "warning",
    "end-of-input": "warning",
}
"""How bad it is to end, or to be silent, where the texts say little."""
