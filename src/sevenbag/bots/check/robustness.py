"""Checks of a bot: whether it survives what programs in the field say, and how it leaves."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from sevenbag.bots.check.lab import SEVEN_BAG
from sevenbag.bots.check.session import encode_line
from sevenbag.bots.check.table import Table
from sevenbag.protocols.tbp import messages as tbp

if TYPE_CHECKING:
    from sevenbag.bots.check.lab import Lab
    from sevenbag.bots.check.session import Session
    from sevenbag.protocols.json_lines import Severity

Json = dict[str, Any]

_EACH: Final = dict.fromkeys(tbp.PIECE_LETTERS, 1)


async def unknown_types(lab: Lab) -> None:
    """Messages that no text has."""
    table = Table(seed=20)
    async with lab.ready() as session:
        unknown: list[Json] = [{"type": "weather", "wind": 3}, {"type": "advance", "mv": {}}]
        for message in unknown:
            await session.say(message)
        await session.say(table.start())
        await session.say({"type": "weather", "rows": [[None]]})
        await lab.legal_move(session, table, after="after messages of unknown types")


async def unknown_attributes(lab: Lab) -> None:
    """Attributes that no text has."""
    table = Table(seed=21)
    more: Json = {"mood": {"of": ["the", "day", 3.5, None]}, "id": 7}
    async with lab.ready({**SEVEN_BAG, **more}) as session:
        await session.say(table.start(**more))
        after = "after messages with unknown attributes"
        place = await lab.legal_move(session, table, after=after)
        if place is None:
            return
        played, pieces = table.play(place)
        played["move"]["mood"] = played["move"]["location"]["mood"] = more
        await session.tell({**played, **more}, [{**piece, **more} for piece in pieces])
        await lab.ask(session, more=more)
        await lab.legal_move(session, table, after=after)


async def randomizers(lab: Lab) -> None:
    """Every randomizer that the text has."""
    states: dict[str, Json | None] = {
        "uniform": {"type": "uniform"},
        "general_bag": {"type": "general_bag", "current_bag": _EACH, "filled_bag": _EACH},
        "unknown": None,
    }
    for name, state in states.items():
        table = Table(seed=22)
        start = table.start()
        del start["randomizer"]
        if state is not None:
            start["randomizer"] = state
        async with lab.launched() as session:
            await session.hear("info", seconds=lab.settings.start_seconds)
            await session.say({"type": "rules", "randomizer": name})
            said = await session.hear("ready", "error", seconds=lab.settings.start_seconds)
            if said["type"] == "error":
                # That is its good right.
                continue
            await session.say(start)
            place = await lab.legal_move(session, table, after=f"with randomizer {name}")
            if place is None:
                return
            await session.tell(*table.play(place))
            await lab.legal_move(session, table, after=f"with randomizer {name}")


async def spaced_json(lab: Lab) -> None:
    """JSON with blanks behind colons and commas."""
    table = Table(seed=23)
    async with lab.launched() as session:
        await session.hear("info", seconds=lab.settings.start_seconds)
        await session.say(SEVEN_BAG, spaced=True)
        await session.hear("ready", seconds=lab.settings.start_seconds)
        await session.say(table.start(), spaced=True)
        await session.say({"type": "suggest"}, spaced=True)
        await session.hear("suggestion")
        await lab.legal_move(session, table, after="after JSON with blanks")


async def in_pieces(lab: Lab) -> None:
    """A line that comes in two parts, and two that come at once."""
    table = Table(seed=24)
    async with lab.ready() as session:
        if not _in_lines(lab, session):
            return
        line = encode_line(table.start())
        await session.say_line(line[:100])
        await session.overhear(0.1)
        await session.say_line(line[100:])
        place = await lab.legal_move(session, table, after="after a line in two parts")
        if place is None:
            return
        played, pieces = table.play(place)
        together = b"".join(map(encode_line, [played, *pieces]))
        await session.say_line(together)
        await lab.legal_move(session, table, after="after two lines at once")


async def state(lab: Lab) -> None:
    """A combo and an active back-to-back."""
    await _plays(lab, Table(seed=25), "warning", combo=3, back_to_back=True)


async def count(lab: Lab) -> None:
    """Back-to-back as a count."""
    await _plays(lab, Table(seed=26), "warning", back_to_back=3)


async def opponents(lab: Lab) -> None:
    """Opponents, as both the text and the program have them."""
    table, other = Table(seed=27), Table(seed=28)
    theirs = other.start()
    full = {key: theirs[key] for key in ("hold", "queue", "combo", "board")}
    async with lab.started(table, opponents=[{"board": full["board"]}]) as session:
        after = "after messages with opponents"
        place = await lab.legal_move(session, table, after=after)
        if place is None:
            return
        played, pieces = table.play(place)
        state: Json = {**full, "board": full["board"][:32], "back_to_back": 1, "meter": 2}
        await session.tell({**played, "opponents": [state]}, pieces)
        await lab.legal_move(session, table, after=after)


async def tall(lab: Lab) -> None:
    """A stack so high that pieces appear a row higher."""
    rows = ["XXXX.XXXXX", "XXXXX.XXXX"] * 9
    await _plays(lab, Table(seed=29, rows=rows), "warning")
    await _plays(lab, Table(seed=29, rows=[*rows, "...XXXX...", "....X....."]), "warning")


async def short_queue(lab: Lab) -> None:
    """Two pieces in view, then one."""
    for previews in (1, 0):
        table = Table(seed=30, previews=previews)
        after = f"with {previews + 1} piece{'s' * previews} in view"
        async with lab.started(table) as session:
            place = await lab.legal_move(session, table, after=after, severity="warning")
            if place is None:
                return
            await session.tell(*table.play(place))
            if await lab.legal_move(session, table, after=after, severity="warning") is None:
                return


async def waiting(lab: Lab) -> None:
    """A position without pieces."""
    table = Table(seed=31)
    async with lab.started(table, queue=[]) as session:
        for piece in table.position.queue:
            await session.say({"type": "new_piece", "piece": piece.name})
        after = "after a start without pieces"
        await lab.legal_move(session, table, after=after, severity="note")


async def unstarted(lab: Lab) -> None:
    """A question without a position."""
    table = Table(seed=32)
    async with lab.ready() as session:
        await session.say({"type": "suggest"})
        for message in await session.overhear(0.2):
            if message.get("type") == "suggestion" and message.get("moves"):
                lab.find("warning", "suggests a move where there is no position", session, lines=3)
        await session.say(table.start())
        after = "after a question without a position"
        await lab.legal_move(session, table, after=after, severity="warning")


async def blank(lab: Lab) -> None:
    """Blank lines, and lines that end as on Windows."""
    table = Table(seed=33)
    async with lab.ready() as session:
        if not _in_lines(lab, session):
            return
        await session.say_line(b"\n")
        await session.say_line(encode_line(table.start(), end=b"\r\n"))
        await session.say_line(b"\r\n")
        await lab.legal_move(session, table, after="after blank lines", severity="warning")


async def leaves_at_quit(lab: Lab) -> None:
    """It leaves when it is told to, while it thinks."""
    async with lab.started(Table(seed=34)) as session:
        if session.channel.transport == "page":
            lab.skip("a page does not see whether its worker has left")
            return
        await session.say({"type": "quit"})
        seconds = lab.settings.quit_seconds
        if not await session.until_gone(seconds):
            lab.find("error", f"still runs {seconds:g} s after quit", session, lines=2)
            return
        _judge_exit(lab, session)


async def leaves_at_end_of_input(lab: Lab) -> None:
    """It leaves when nobody speaks any more."""
    async with lab.started(Table(seed=35)) as session:
        if not _in_lines(lab, session):
            return
        seconds = lab.settings.quit_seconds
        await session.channel.close(b"", seconds)
        if session.was_terminated:
            what = f"still runs {seconds:g} s after the end of its input"
            lab.find("warning", what, session, lines=2)
            return
        _judge_exit(lab, session)


# --- helpers ------------------------------------------------------------------------------------


def _in_lines(lab: Lab, session: Session) -> bool:
    """Whether there are lines at all; if not, that is noted."""
    if session.channel.transport == "stdio":
        return True
    lab.skip("it is not spoken to in lines")
    return False


async def _plays(lab: Lab, table: Table, severity: Severity, **changes: object) -> None:
    async with lab.started(table, **changes) as session:
        told = ", ".join(f"{key} {json.dumps(value)}" for key, value in changes.items())
        after = f"with {told}" if told else "on this board"
        place = await lab.legal_move(session, table, after=after, severity=severity)
        if place is None:
            return
        await session.tell(*table.play(place))
        if not table.is_lost:
            await lab.legal_move(session, table, after=after, severity=severity)


def _judge_exit(lab: Lab, session: Session) -> None:
    code = session.exit_code
    if code is None or code == 0:
        return
    how = f"killed by signal {-code}" if code < 0 else f"with exit code {code}"
    why = "; started in the group of its frontend, it would end that, too" if code < 0 else ""
    lab.find("note", f"ends {how}{why}", session, lines=2)
