"""Runs the check of a frontend over file descriptors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sevenbag.bots.check.of_frontends import FrontendCheck
from sevenbag.bots.serving.adapter import OutputClosedError
from sevenbag.bots.serving.stdio_server import start_reading, write_line
from sevenbag.game import Rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from sevenbag.bots.bot import Bot
    from sevenbag.bots.check.finding import Report


async def check_frontend(
    bot: Bot,
    *,
    kept: Callable[[Report], None],
    input_descriptor: int = 0,
    output_descriptor: int = 1,
) -> Report:
    """Play with the frontend behind these descriptors until it is done; then end the bot.

    Args:
        bot: whose moves are played, not yet prepared.
        kept: is told of the report when a game has ended, and at the end; a frontend may end us
            at any moment after that.
        input_descriptor: where messages come from.
        output_descriptor: where messages go.
    """

    def say(line: bytes) -> None:
        write_line(output_descriptor, line)

    check = FrontendCheck(bot, say, kept=kept)
    start_reading(input_descriptor, check)
    try:
        await bot.prepare(Rules.preset("guideline"))
        await check.run()
    except OutputClosedError:
        # Whoever closed it has seen enough.
        pass
    finally:
        await bot.quit()
    return check.report
