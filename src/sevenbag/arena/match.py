"""Runs one game between two bots.

Whatever a bot does wrong costs it the game and nobody else anything: no fault of a bot leaves this
module as an exception, none makes it wait for ever, and both bots are ended before it returns.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sevenbag.arena.conditions import FRAMES_PER_TURN, Conditions, RealTime
from sevenbag.arena.real_time import play_in_real_time
from sevenbag.arena.result import Ending
from sevenbag.arena.seat import Seat
from sevenbag.arena.table import Table
from sevenbag.arena.turns import play_turns
from sevenbag.bots.bot import display_name, make_names_unique

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

    from sevenbag.arena.result import Result
    from sevenbag.arena.watch import Watcher
    from sevenbag.bots.bot import Bot

__all__ = ["FRAMES_PER_TURN", "Conditions", "RealTime", "distinct_names", "play_match"]


async def play_match(
    bots: tuple[Bot, Bot],
    conditions: Conditions,
    watchers: Sequence[Watcher] = (),
    *,
    names: tuple[str, str] | None = None,
    ready: tuple[bool, bool] = (False, False),
    keep: tuple[bool, bool] = (False, False),
) -> Result:
    """Prepare the bots, play one game, end the bots.

    A bot that cannot be prepared has lost as well: that game opens and closes without a turn.
    When cancelled, or when a watcher fails, the watchers are told that the game is broken off, and
    the bots are ended.

    Args:
        bots: who plays.
        conditions: how.
        watchers: who is told of it.
        names: what to call the players; None: by what their bots call themselves.
        ready: which bots were prepared for these rules before.
        keep: which bots are not to be ended, if they did nothing wrong: another game follows.
    """
    seats = [
        Seat(bot, limits, conditions.deadlines, clock, ready=prepared)
        for bot, limits, clock, prepared in zip(
            bots, conditions.limits, conditions.clocks, ready, strict=True
        )
    ]
    table = Table((seats[0], seats[1]), conditions, watchers)
    finished = False
    try:
        result = await _play(table, names)
        finished = True
        return result
    finally:
        await _to_the_end(_dismiss(table, keep if finished else (False, False)))


def distinct_names(first: str, second: str, specs: tuple[str, str] = ("", "")) -> tuple[str, str]:
    """Return the names of two players, with suffixes if they are equal."""
    one, other = make_names_unique((first, second), specs, (False, False))
    return one, other


# --- the game -----------------------------------------------------------------------------------


async def _play(table: Table, names: tuple[str, str] | None) -> Result:
    conditions = table.conditions
    await table.ask(
        {player: seat.prepare(conditions.rules) for player, seat in enumerate(table.seats)},
        max(seat.allowed("prepare") for seat in table.seats),
    )
    # A driver may learn only now what its bot calls itself.
    names = names or _named(table)
    try:
        table.open(names)
        ending = Ending.FALL if table.fallen else await _course(table)
    except BaseException:
        table.break_off(names)
        raise
    result = table.result(names, ending)
    table.close(result)
    return result


async def _course(table: Table) -> Ending:
    if table.conditions.real_time is None:
        return await play_turns(table)
    return await play_in_real_time(table, table.conditions.real_time)


def _named(table: Table) -> tuple[str, str]:
    first, second = (display_name(seat.bot) for seat in table.seats)
    return distinct_names(first, second, table.conditions.specs)


async def _dismiss(table: Table, keep: tuple[bool, bool]) -> None:
    """Stop both bots, and end them."""
    await table.ask(
        {
            player: _stop_and_quit(seat, keep=keep[player])
            for player, seat in enumerate(table.seats)
        },
        max(seat.allowed("stop") + seat.allowed("quit") for seat in table.seats),
    )


async def _stop_and_quit(seat: Seat, *, keep: bool) -> None:
    await seat.stop()
    if not (keep and seat.fall is None):
        await seat.quit()


async def _to_the_end(call: Coroutine[object, object, None]) -> None:
    """Run to the end, however often one is cancelled meanwhile: what it ends must not live on."""
    task = asyncio.ensure_future(call)
    cancelled = False
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            cancelled = True
    task.result()
    if cancelled:
        raise asyncio.CancelledError
