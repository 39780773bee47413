"""Checks of an engine: whether it survives what hosts say, and how it leaves."""

from __future__ import annotations

import json
import os
import signal
from typing import TYPE_CHECKING, Any, Final

from sevenbag.bots.check.triangle.room import Room
from sevenbag.bots.external.process import find_error_line

if TYPE_CHECKING:
    from sevenbag.bots.check.session import Session
    from sevenbag.bots.check.triangle.lab import EngineLab

Json = dict[str, Any]

_ODD: Final[Json] = {"of": ["the", "day", 3.5, None]}


async def spelling(lab: EngineLab) -> None:
    """The charging field by its other name, and by both."""
    for names in (("b2bCharging",), ("b2bCharing", "b2bCharging")):
        room = Room(20)
        config = room.config()
        charging = config.pop("b2bCharing")
        config.update(dict.fromkeys(names, charging))
        async with lab.launched() as session:
            await session.hear("info", seconds=lab.settings.start_seconds)
            await session.say(config)
            after = f"after a config with {' and '.join(names)}"
            if not await lab.turns(session, room, 2, after=after):
                return


async def numbers(lab: EngineLab) -> None:
    """Fractions."""
    room = Room(21)
    async with lab.playing(room, garbageMultiplier=1.25, garbageCap=8.5) as session:
        question = room.question(garbageMultiplier=1.3335, garbageCap=9)
        for _ in range(2):
            after = "with a multiplier of 1.3335"
            if not await lab.turn(session, room, after=after, question=question):
                return


async def null_data(lab: EngineLab) -> None:
    """Data that is there, and null."""
    await _with_data(lab, None, "with data null", seed=22)


async def data(lab: EngineLab) -> None:
    """Data of any kind."""
    await _with_data(lab, _ODD, "with data that it does not know", seed=23)


async def unknown_types(lab: EngineLab) -> None:
    """Messages that no host sends."""
    room = Room(24)
    async with lab.playing(room) as session:
        await session.say({"type": "weather", "wind": 3})
        if await lab.turn(session, room, after="after a message of an unknown type"):
            await session.say({"type": "start", "rows": [[None]]})
            await lab.turn(session, room, after="after a message of an unknown type")


async def unknown_fields(lab: EngineLab) -> None:
    """Fields that no host sends."""
    room = Room(25)
    after = "after messages with unknown fields"
    async with lab.playing(room, mood=_ODD) as session:
        await session.say(room.state(mood=_ODD))
        question = room.question(mood=_ODD)
        await lab.turn(session, room, after=after, severity="warning", question=question)


async def rows(lab: EngineLab) -> None:
    """A board of twenty rows."""
    room = Room(26)
    async with lab.playing(room) as session:
        state = room.state()
        await session.say({**state, "board": state["board"][:20]})
        after = "after a state of 20 rows"
        await lab.turns(session, room, 2, after=after, severity="note")


async def in_pieces(lab: EngineLab) -> None:
    """A line that comes in two parts, and two that come at once."""
    room = Room(27)
    async with lab.playing(room) as session:
        if not _in_lines(lab, session):
            return
        state = json.dumps(room.state()).encode() + b"\n"
        await session.say_line(state[:100])
        await session.overhear(0.1)
        await session.say_line(state[100:])
        if not await lab.turn(session, room, after="after a line in two parts"):
            return
        both = json.dumps(room.state()).encode() + b"\n" + json.dumps({"type": "none"}).encode()
        await session.say_line(both + b"\n")
        await lab.turn(session, room, after="after two lines at once")


async def blank(lab: EngineLab) -> None:
    """Blank lines, and lines that end as on Windows."""
    room = Room(28)
    async with lab.playing(room) as session:
        if not _in_lines(lab, session):
            return
        await session.say_line(b"\n")
        await session.say_line(json.dumps(room.state()).encode() + b"\r\n")
        await session.say_line(b"\r\n")
        await lab.turn(session, room, after="after blank lines", severity="warning")


async def environment(lab: EngineLab) -> None:
    """It starts, and plays, with nothing in its environment."""
    if lab.barren is None:
        lab.skip("it is no process of ours")
        return
    room = Room(29)
    async with lab.playing(room, barren=True) as session:
        await lab.turn(session, room, after="with nothing in its environment", severity="warning")


async def interrupt(lab: EngineLab) -> None:
    """It leaves at SIGINT, in a game."""
    room = Room(30)
    async with lab.playing(room) as session:
        pid = session.channel.pid
        if pid is None:
            lab.skip("it is no process of ours")
            return
        if not await lab.turn(session, room, after="before SIGINT"):
            return
        os.kill(pid, signal.SIGINT)
        seconds = lab.settings.quit_seconds
        if not await session.until_gone(seconds):
            lab.find("error", f"still runs {seconds:g} s after SIGINT", session, lines=2)
            return
        _judge_end(lab, session, "SIGINT")


async def end_of_input(lab: EngineLab) -> None:
    """It leaves when nobody speaks any more."""
    room = Room(31)
    async with lab.playing(room) as session:
        if not _in_lines(lab, session):
            return
        if not await lab.turn(session, room, after="before the end of its input"):
            return
        seconds = lab.settings.quit_seconds
        await session.channel.close(b"", seconds)
        if session.was_terminated:
            what = f"still runs {seconds:g} s after the end of its input"
            lab.find("error", what, session, lines=2)
            return
        _judge_end(lab, session, "the end of its input")


# --- helpers ------------------------------------------------------------------------------------


def _in_lines(lab: EngineLab, session: Session) -> bool:
    """Whether there are lines at all; if not, that is noted."""
    if session.channel.transport == "stdio":
        return True
    lab.skip("it is not spoken to in lines")
    return False


async def _with_data(lab: EngineLab, value: object, after: str, seed: int) -> None:
    room = Room(seed)
    async with lab.playing(room, data=value) as session:
        await session.say(room.state(data=value))
        for _ in range(2):
            question = room.question(data=value)
            if not await lab.turn(session, room, after=after, question=question):
                return


def _judge_end(lab: EngineLab, session: Session, cause: str) -> None:
    """See how it left: hosts show what it says on standard error, and do not mind its exit code."""
    if words := session.channel.stderr.strip():
        lab.find(
            "warning",
            f"wrote to standard error at {cause}: {find_error_line(words)[:120]}",
            session,
            lines=2,
        )
