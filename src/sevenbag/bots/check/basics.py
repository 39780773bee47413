"""Checks of a bot: who it is, whether it takes the rules, whether it answers at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from sevenbag.bots.check.lab import SEVEN_BAG, quote_move
from sevenbag.bots.check.table import Table
from sevenbag.errors import PlacementError

if TYPE_CHECKING:
    from sevenbag._kernel import Placement
    from sevenbag.bots.check.lab import Lab
    from sevenbag.bots.check.session import Session

Json = dict[str, Any]

_A_WHILE: Final = 0.15
"""Seconds in which what nobody asked for would come."""


async def info(lab: Lab) -> None:
    """It introduces itself, and then waits."""
    async with lab.launched() as session:
        said = await session.hear("info", seconds=lab.settings.start_seconds)
        features = said.get("features")
        if isinstance(features, list):
            names = cast("list[object]", features)
            lab.features = tuple(name for name in names if isinstance(name, str))
        name, version = said.get("name"), said.get("version")
        lab.report.name = name if isinstance(name, str) else ""
        lab.report.version = version if isinstance(version, str) else ""
        await nothing_more(lab, session, "before anything was said to it")


async def ready(lab: Lab) -> None:
    """It answers the rules of seven-bag games."""
    await _rules(lab, SEVEN_BAG, refusal_is_fatal=True)


async def rules_plain(lab: Lab) -> None:
    """It answers rules that say nothing."""
    await _rules(lab, {"type": "rules"})


async def rules_unknown(lab: Lab) -> None:
    """It answers rules with words that it cannot know."""
    unknown = {"randomizer": "loaded_dice", "gravity": {"curve": [1, 2]}, "mood": None}
    await _rules(lab, {"type": "rules", **unknown})


async def rules_again(lab: Lab) -> None:
    """It answers the rules a second time, and is ready again after a game."""
    async with lab.ready() as session:
        await session.say(SEVEN_BAG)
        await session.hear("ready", "error", seconds=lab.settings.start_seconds)


async def answer(lab: Lab) -> None:
    """It suggests a legal move for an empty board."""
    table = Table()
    async with lab.started(table) as session:
        moves = await lab.ask(session)
        if not moves:
            lab.find("error", f"suggests no move, of {len(table.places())} legal ones", session)
            return
        judge_all(lab, session, table, moves)


async def once(lab: Lab) -> None:
    """It answers each question once."""
    table = Table(seed=2)
    async with lab.started(table) as session:
        for _ in range(3):
            place = await lab.legal_move(session, table, after="in a game")
            for message in await session.overhear(_A_WHILE):
                kind = message.get("type")
                what = "answered twice" if kind == "suggestion" else f"said {kind!r} unasked"
                lab.find("error", what, session, lines=3)
            if place is None:
                return
            await session.tell(*table.play(place))


async def nothing_more(lab: Lab, session: Session, when: str) -> None:
    """See that the bot says nothing now."""
    for message in await session.overhear(_A_WHILE):
        what = f"said {message.get('type')!r} {when}"
        lab.find("error", what, session, clause="unasked", lines=3)


def judge_all(lab: Lab, session: Session, table: Table, moves: list[Any]) -> Placement | None:
    """The first legal one of a bot's moves; findings about all of them."""
    best: Placement | None = None
    first_error = ""
    for number, move in enumerate(moves):
        try:
            place = table.judge(move)
        except PlacementError as error:
            if number == 0:
                first_error = str(error)
            elif best is not None or not first_error:
                what = f"a later move of the list is not legal: {error}"
                part = quote_move(number, move)
                lab.find("warning", what, session, clause="first-move", lines=2, part=part)
            continue
        best = best or place
        _judge_spin(lab, session, number, move, place)
    if best is None:
        lab.find("error", f"suggests no legal move: {first_error}", session, lines=3)
    elif first_error:
        what = f"its first move is not legal, a later one is: {first_error}"
        lab.find("warning", what, session, clause="first-move", lines=3)
    return best


# --- helpers ------------------------------------------------------------------------------------


async def _rules(lab: Lab, rules: Json, *, refusal_is_fatal: bool = False) -> None:
    async with lab.launched() as session:
        await session.hear("info", seconds=lab.settings.start_seconds)
        await session.say(rules)
        said = await session.hear("ready", "error", seconds=lab.settings.start_seconds)
        if said["type"] == "error" and refusal_is_fatal:
            reason = said.get("reason")
            lab.find("error", f"refuses the rules of common games ({reason})", session)
            return
        await nothing_more(lab, session, "after it had answered the rules")


def _judge_spin(lab: Lab, session: Session, number: int, move: object, place: Placement) -> None:
    part = quote_move(number, move)
    claim = cast("dict[str, object]", move).get("spin") if isinstance(move, dict) else None
    found = place.spin.name.lower()
    if claim in {"none", "mini", "full"} and claim != found:
        piece = place.piece.name
        if claim == "none":
            # A modest claim is not taken for a false one by anybody.
            return
        what = f"claims spin {claim} for a placement of {piece} that is {found}"
        lab.find("warning", what, session, clause="spin", lines=2, part=part)
