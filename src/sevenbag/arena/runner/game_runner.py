"""Run one game between two bots."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sevenbag.arena.runner.bot_session import BotSession
from sevenbag.arena.runner.game_loop import GameConfig, GameLoop, play_in_real_time, play_turns
from sevenbag.bots.bot import display_name, make_names_unique
from sevenbag.game.game_result import GameEnding

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

    from sevenbag.arena.runner.observers import GameObserver
    from sevenbag.bots.bot import Bot
    from sevenbag.game.game_result import GameResult


async def play_game(
    bots: tuple[Bot, Bot],
    conditions: GameConfig,
    watchers: Sequence[GameObserver] = (),
    *,
    names: tuple[str, str] | None = None,
    ready: tuple[bool, bool] = (False, False),
    keep: tuple[bool, bool] = (False, False),
) -> GameResult:
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
        BotSession(bot, limits, conditions.deadlines, clock, ready=prepared)
        for bot, limits, clock, prepared in zip(
            bots, conditions.limits, conditions.clocks, ready, strict=True
        )
    ]
    table = GameLoop((seats[0], seats[1]), conditions, watchers)
    finished = False
    try:
        result = await _run_game(table, names)
        finished = True
        return result
    finally:
        await _to_the_end(_dismiss(table, keep if finished else (False, False)))


def unique_names(first: str, second: str, specs: tuple[str, str] = ("", "")) -> tuple[str, str]:
    """Return the names of two players, with suffixes if they are equal."""
    one, other = make_names_unique((first, second), specs, (False, False))
    return one, other


# --- the game -----------------------------------------------------------------------------------


async def _run_game(table: GameLoop, names: tuple[str, str] | None) -> GameResult:
    conditions = table.conditions
    await table.ask(
        {player: seat.prepare(conditions.rules) for player, seat in enumerate(table.seats)},
        max(seat.allowed("prepare") for seat in table.seats),
    )
    # A driver may learn only now what its bot calls itself.
    names = names or _name_of(table)
    try:
        table.open(names)
        ending = GameEnding.FALL if table.fallen else await _game_coroutine(table)
    except BaseException:
        table.break_off(names)
        raise
    result = table.result(names, ending)
    table.close(result)
    return result


async def _game_coroutine(table: GameLoop) -> GameEnding:
    if table.conditions.real_time is None:
        return await play_turns(table)
    return await play_in_real_time(table, table.conditions.real_time)


def _name_of(table: GameLoop) -> tuple[str, str]:
    first, second = (display_name(seat.bot) for seat in table.seats)
    return unique_names(first, second, table.conditions.specs)


async def _dismiss(table: GameLoop, keep: tuple[bool, bool]) -> None:
    """Stop both bots, and end them."""
    await table.ask(
        {
            player: _stop_and_quit(seat, keep=keep[player])
            for player, seat in enumerate(table.seats)
        },
        max(seat.allowed("stop") + seat.allowed("quit") for seat in table.seats),
    )


async def _stop_and_quit(seat: BotSession, *, keep: bool) -> None:
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
