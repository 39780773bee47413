"""The bot that plays anything: legal, and with a seed always the same."""

import pytest

from sevenbag.bots.bot import Limits
from sevenbag.bots.builtin.random_bot import RandomBot
from sevenbag.errors import BotStartError
from sevenbag.game import Game, Rules


async def played(bot: RandomBot, rules: Rules, seed: int = 1) -> list[str]:
    """The moves of a game to its end."""
    await bot.prepare(rules)
    game = Game(rules, seed=seed)
    await bot.start(game.position())
    moves: list[str] = []
    while not game.over:
        [move] = (await bot.suggest(Limits())).moves
        lock = game.play(move)
        moves.append(repr(move))
        await bot.play(lock.placement)
        await bot.start(game.position())
    await bot.stop()
    await bot.quit()
    return moves


@pytest.mark.parametrize("preset", Rules.preset_names())
async def test_every_move_is_legal(preset: str) -> None:
    assert len(await played(RandomBot(seed=5), Rules.preset(preset))) > 5


async def test_the_same_seed_plays_the_same() -> None:
    rules = Rules.preset("guideline")
    bot = RandomBot(seed=3)
    first = await played(bot, rules)
    assert await played(bot, rules) == first
    assert await played(RandomBot(seed=3), rules) == first
    assert await played(RandomBot(seed=4), rules) != first


async def test_random_bot_follows_the_game() -> None:
    rules = Rules.preset("guideline").replace({"pieces": {"hold": False}})
    assert len(await played(RandomBot(seed=1), rules)) > 5


async def test_before_its_time() -> None:
    bot = RandomBot()
    with pytest.raises(BotStartError):
        await bot.suggest(Limits())
