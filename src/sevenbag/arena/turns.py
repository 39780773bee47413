"""Piece by piece: both think at the same time, and when both have answered both place at once."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sevenbag._kernel import Piece, Placement
    from sevenbag.arena.result import Ending
    from sevenbag.arena.table import Table
    from sevenbag.game import Lock


async def play_turns(table: Table) -> Ending:
    """Play until the game is over."""
    conditions = table.conditions
    pace = 1 / conditions.pps if conditions.pps else 0.0
    news = [News(), News()]
    due = table.began = time.monotonic()
    while True:
        choices = await _choices(table, news, due)
        if choices is not None:
            due = max(due + pace, time.monotonic())
            locks = table.versus.play(*choices)
            table.tell(choices, locks)
            news = [news_of(lock) for lock in locks]
        ending = table.ending()
        if ending is not None:
            return ending


@dataclass(frozen=True, slots=True)
class News:
    """What a bot hears between two of its moves; no placement means: take the new position."""

    placement: Placement | None = None
    new_pieces: tuple[Piece, ...] = ()


def news_of(lock: Lock) -> News:
    """What a bot hears of its own lock."""
    if lock.garbage:
        return News()
    return News(lock.placement, tuple(lock.new_pieces))


async def tell_news(table: Table, player: int, news: News) -> None:
    """Tell a bot what happened since it was asked last."""
    game, others = table.versus.players[player], table.others(player)
    if news.placement is None:
        await table.seats[player].start(game.position(), others)
    else:
        await table.seats[player].advance(news.placement, news.new_pieces, game.pending, others)


# --- helpers ------------------------------------------------------------------------------------


async def _choices(
    table: Table, news: Sequence[News], due: float
) -> tuple[Placement, Placement] | None:
    """What both play; None if one of them fell instead."""
    patience = max(seat.allowed("tell") + seat.patience for seat in table.seats)
    waiting = max(0.0, due - time.monotonic())
    answers = await table.ask(
        {player: _answer(table, player, news[player], due) for player in (0, 1)},
        waiting + patience,
    )
    choices: list[Placement] = []
    for player, moves in answers.items():
        if moves is not None:
            choice = table.legal(player, moves)
            if choice is not None:
                choices.append(choice)
    return None if table.fallen else (choices[0], choices[1])


async def _answer(
    table: Table, player: int, news: News, due: float
) -> tuple[Placement, ...] | None:
    # The bot hears the news at once and is asked when the turn is due: the time between is
    # its own, as bots that think unasked expect.
    await tell_news(table, player, news)
    waiting = due - time.monotonic()
    if waiting > 0:
        await asyncio.sleep(waiting)
    return await table.seats[player].suggest()
