"""Checks of an engine: whether it answers, and knows the position after all that can happen."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from sevenbag.bots.check.lab import ENDS
from sevenbag.bots.check.triangle.room import LEAGUE, Room

if TYPE_CHECKING:
    from sevenbag.bots.check.triangle.lab import EngineLab
    from sevenbag.bots.check.triangle.room import Bag

_A_WHILE: Final = 0.15
"""Seconds in which what nobody asked for would come."""
_STACK: Final = ("XXXX.XXXXX", "XX...XXXXX", "XX.XXXXXX.")
_LOW: Final = 8
"""Rows of a stack into which garbage may enter without an end of the game."""


async def info(lab: EngineLab) -> None:
    """It introduces itself, and then waits."""
    async with lab.launched() as session:
        said = await session.hear("info", seconds=lab.settings.start_seconds)
        name, version = said.get("name"), said.get("version")
        lab.report.name = name if isinstance(name, str) else ""
        lab.report.version = version if isinstance(version, str) else ""
        for message in await session.overhear(_A_WHILE):
            what = f"said {message.get('type')!r} before anything was said to it"
            lab.find("error", what, session, clause="unasked", lines=3)


async def answer(lab: EngineLab) -> None:
    """It places the first piece of a game."""
    room = Room()
    try:
        async with lab.playing(room) as session:
            await lab.turn(session, room, after="at the first piece")
    except ENDS as end:
        failed = lab.session
        if not await _plays_after_a_state(lab):
            lab.session = failed
            raise
        what = f"needs a state first, but hosts send none before the first garbage ({end})"
        lab.find("error", what, failed)


async def game(lab: EngineLab) -> None:
    """A game of which no position is told."""
    for seed, pieces in ((2, lab.settings.pieces), (3, 8), (4, 8)):
        room = Room(seed)
        async with lab.playing(room) as session:
            for number in range(1, pieces + 1):
                if not await lab.turn(session, room, after=f"at piece {number} without a state"):
                    return
                if room.is_lost:
                    lab.find("warning", f"tops out at piece {number}", session, lines=2)
                    return
            for message in await session.overhear(_A_WHILE):
                what = f"said {message.get('type')!r} where nobody had asked"
                lab.find("error", what, session, clause="unasked", lines=3)
    if not lab.expects:
        lab.find(
            "note",
            "sends no data.board, the board that it expects behind its move; whether it follows "
            "cannot be seen",
        )


async def garbage(lab: EngineLab) -> None:
    """Garbage now and then, told by a state behind the pieces that were dealt."""
    room = Room(5, seen=7)
    async with lab.playing(room) as session:
        for number in range(1, lab.settings.pieces + 1):
            if not await lab.turn(session, room, after="after garbage"):
                return
            if number % 5 == 0 and room.position.board.height < _LOW:
                room.add_garbage([number % 10, number % 10])
                await session.say(room.state())
            if room.is_lost:
                return


async def states(lab: EngineLab) -> None:
    """A state before each question."""
    room = Room(6, seen=7)
    async with lab.playing(room) as session:
        count = lab.settings.pieces // 2
        await lab.turns(session, room, count, after="with a state before each play", states=True)


async def elsewhere(lab: EngineLab) -> None:
    """Other positions, in mid-game."""
    room = Room(7)
    async with lab.playing(room) as session:
        if not await lab.turns(session, room, 3, after="in a game"):
            return
        for seed in (8, 9):
            other = Room(seed, rows=_STACK)
            held = other.position.queue[3].name.lower()
            told = other.state(hold=held, combo=2, b2b=5)
            other = _as_told(other)
            await session.say(told)
            if not await lab.turns(session, other, 4, after="after a state in mid-game"):
                return


async def joined(lab: EngineLab) -> None:
    """Several bags at once; single pieces."""
    room = Room(10, seen=14)
    async with lab.playing(room) as session:
        if not await lab.turns(session, room, 3, after="in a game"):
            return
        await session.say(room.deal_ahead(3))
        if not await lab.turns(session, room, 30, after="after pieces of three bags"):
            return


async def bag_14(lab: EngineLab) -> None:
    """A bag with two of each piece."""
    await _dealt(lab, "14-bag", seed=12)


async def no_bag(lab: EngineLab) -> None:
    """Pieces dealt by chance alone."""
    await _dealt(lab, "none", seed=13)


async def kicks(lab: EngineLab) -> None:
    """Every rotation system that rooms have."""
    for name in ("srs-tetrio", "srs-x", "tetra-x", "nrs", "ars", "asc", "none180"):
        room = Room(14, rules=LEAGUE.replace({"pieces": {"kicks": name}}))
        told = room.config()["kicks"]
        async with lab.playing(room) as session:
            after = f"in a room with {told}"
            if not await lab.turns(session, room, 8, after=after, severity="warning"):
                return


async def sizes(lab: EngineLab) -> None:
    """Four columns and twenty-six rows."""
    changes = {"board": {"width": 4, "visible": 26, "rows": 46}, "spawn": {"x": 1, "y": 27}}
    room = Room(15, rules=LEAGUE.replace(changes))
    async with lab.playing(room) as session:
        await lab.turns(session, room, 8, after="on a board of 4 x 26", severity="warning")


# --- helpers ------------------------------------------------------------------------------------


async def _plays_after_a_state(lab: EngineLab) -> bool:
    """Check whether the engine places the first piece of a game after a state message."""
    room = Room()
    try:
        async with lab.playing(room) as session:
            await session.say(room.state())
            return await lab.turn(session, room, after="at the first piece, after a state")
    except ENDS:
        return False


def _as_told(room: Room) -> Room:
    """The room with what `elsewhere` tells of it."""
    position = room.position
    room.position = dataclasses.replace(position, hold=position.queue[3], combo=3, back_to_back=6)
    return room


async def _dealt(lab: EngineLab, bag: Bag, seed: int) -> None:
    for number in range(3):
        room = Room(seed + number, bag=bag)
        async with lab.playing(room) as session:
            after = "with 14-bag" if bag == "14-bag" else "where no bag tells the first piece"
            if not await lab.turns(session, room, 5, after=after, severity="warning"):
                return
