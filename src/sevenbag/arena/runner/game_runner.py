"""Run one game between two bots."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence

from sevenbag.arena.runner.bot_session import BotSession
from sevenbag.arena.runner.game_loop import GameLoop
from sevenbag.arena.runner.game_options import GameConfig
from sevenbag.arena.runner.observers import GameObserver
from sevenbag.bots.bot import Bot, display_name, make_names_unique
from sevenbag.game.game_result import GameEnding, GameResult


async def play_game(
    bots: tuple[Bot, Bot],
    config: GameConfig,
    observers: Sequence[GameObserver] = (),
    *,
    names: tuple[str, str] | None = None,
    prepared: tuple[bool, bool] = (False, False),
    keep_running: tuple[bool, bool] = (False, False),
) -> GameResult:
    """Prepare the bots, play one game, end the bots.

    A bot that cannot be prepared loses before the first turn. If the call is cancelled or an
    observer fails, observers receive an interrupted result and the bots are stopped.

    Args:
        bots: bots of both players.
        config: configuration of the game.
        observers: observers of the game.
        names: names of the players; None for those that their bots announce.
        prepared: bots that are already prepared for these rules.
        keep_running: bots to leave running for another game, unless they failed.
    """
    sessions = [
        BotSession(bot, limits, config.deadlines, clock, ready=is_prepared)
        for bot, limits, clock, is_prepared in zip(
            bots, config.limits, config.clocks, prepared, strict=True
        )
    ]
    loop = GameLoop((sessions[0], sessions[1]), config, observers)
    finished = False
    try:
        result = await _run_game(loop, names)
        finished = True
        return result
    finally:
        await _to_the_end(_dismiss(loop, keep_running if finished else (False, False)))


def unique_names(first: str, second: str, specs: tuple[str, str] = ("", "")) -> tuple[str, str]:
    """Return the names of two players, with suffixes if they are equal."""
    one, other = make_names_unique((first, second), specs, (False, False))
    return one, other


async def _run_game(loop: GameLoop, names: tuple[str, str] | None) -> GameResult:
    config = loop.config
    await loop.call_bots(
        {player: session.prepare(config.rules) for player, session in enumerate(loop.sessions)}
    )
    # An external program announces its name only when it starts.
    names = names or _name_of(loop)
    try:
        loop.notify_start(names)
        ending = GameEnding.LOSS if loop.has_loser else await loop.run()
    except BaseException:
        loop.abort(names)
        raise
    result = loop.result(names, ending)
    loop.notify_end(result)
    return result


def _name_of(loop: GameLoop) -> tuple[str, str]:
    first, second = (display_name(session.bot) for session in loop.sessions)
    return unique_names(first, second, loop.config.specs)


async def _dismiss(loop: GameLoop, keep_running: tuple[bool, bool]) -> None:
    """Stop and end both bots."""
    await loop.call_bots(
        {
            player: _stop_and_quit(session, keep_running=keep_running[player])
            for player, session in enumerate(loop.sessions)
        }
    )
    for session in loop.sessions:
        session.close()


async def _stop_and_quit(session: BotSession, *, keep_running: bool) -> None:
    await session.stop()
    if not (keep_running and session.loss is None):
        await session.quit()


async def _to_the_end(call: Coroutine[object, object, None]) -> None:
    """Run a call to its end, even if this task is cancelled."""
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
