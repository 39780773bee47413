"""Games that tests play with bots by hand."""

from collections.abc import Container

from sevenbag._kernel import Placement
from sevenbag.bots.bot import Bot, Limits, Suggestion, ask_bot
from sevenbag.errors import BotForfeitError, PlacementError
from sevenbag.game import Game

SHORT = {
    "info_seconds": "60",
    "ready_seconds": "60",
    "move_seconds": "60",
    "quit_seconds": "0.3",
}
"""Options of a TBP driver: long enough for a busy machine."""


async def drive(bot: Bot, game: Game, pieces: int, garbage_at: Container[int] = ()) -> Game:
    """Play with a prepared bot until this number of pieces.

    Two lines of garbage are received before these moves.
    """
    await bot.start(game.position())
    while not game.over and game.stats.pieces < pieces:
        if game.stats.pieces in garbage_at:
            game.receive_garbage(2)
        lock = game.play(first_legal(game, await ask_bot(bot, Limits())))
        if not lock.garbage:
            await bot.play(lock.placement)
        if lock.garbage or bot.takes_positions:
            await bot.start(game.position())
            continue
        for piece in lock.new_pieces:
            await bot.new_piece(piece)
        await bot.garbage(game.pending)
    await bot.stop()
    return game


def first_legal(game: Game, suggestion: Suggestion) -> Placement:
    """Return the first legal move of a suggestion."""
    for move in suggestion.moves:
        try:
            return game.find_move(move)
        except PlacementError:
            continue
    raise BotForfeitError("bot", "no legal move")
