"""Games that tests play with bots by hand."""

import contextlib
from collections.abc import AsyncIterator, Container
from typing import TypeVar

from sevenbag._kernel import Piece, Placement
from sevenbag.bots.bot import Bot, Limits, Suggestion, ask_bot
from sevenbag.errors import BotForfeitError, PlacementError
from sevenbag.game import Game, Rules
from sevenbag.game.position import Position

BotT = TypeVar("BotT", bound=Bot)

GUIDELINE = Rules.preset("guideline")
SHORT = {"info_seconds": "60", "ready_seconds": "60", "move_seconds": "60", "quit_seconds": "0.3"}
"""Options of a TBP driver: long enough for a busy machine."""


@contextlib.asynccontextmanager
async def prepared(
    bot: BotT, rules: Rules = GUIDELINE, position: Position | None = None
) -> AsyncIterator[BotT]:
    """Prepare a bot, start from a position if there is one, and end the bot in any case."""
    try:
        await bot.prepare(rules)
        if position is not None:
            await bot.start(position)
        yield bot
    finally:
        await bot.quit()


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


async def play_suggestions(
    bot: Bot, rules: Rules, seed: int, pieces: int, *, garbage_every: int = 0
) -> Game:
    """Play the first suggestions of a built-in bot; all suggestions must be legal.

    Three lines of garbage are received after each `garbage_every` pieces.
    """
    game = Game(rules, seed=seed)
    async with prepared(bot, rules, game.position()):
        while not game.over and game.stats.pieces < pieces:
            moves = (await bot.suggest(Limits())).moves
            assert all(game.is_legal(move) for move in moves)
            assert len(set(moves)) == len(moves)
            lock = game.play(moves[0])
            # The spin is the one that the game finds.
            assert lock.placement == moves[0]
            if garbage_every and game.stats.pieces % garbage_every == 0:
                game.receive_garbage(3)
            await bot.play(lock.placement)
            await bot.start(game.position())
    return game


async def suggest(
    bot: Bot, position: Position, rules: Rules = GUIDELINE, limits: Limits | None = None
) -> Suggestion:
    """Return the suggestion of a new bot for a position."""
    async with prepared(bot, rules, position):
        return await bot.suggest(limits or Limits())


def parse_pieces(letters: str) -> tuple[Piece, ...]:
    """Return the pieces of these letters."""
    return tuple(Piece[letter] for letter in letters)


def first_legal(game: Game, suggestion: Suggestion) -> Placement:
    """Return the first legal move of a suggestion."""
    for move in suggestion.moves:
        try:
            return game.find_move(move)
        except PlacementError:
            continue
    raise BotForfeitError("bot", "no legal move")
