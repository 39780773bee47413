"""The bot that plays anything: legal, and with a seed always the same."""

import pytest

from sevenbag.bots.bot import Limits
from sevenbag.bots.builtin.random_bot import RandomBot
from sevenbag.errors import BotStartError
from sevenbag.game import Rules
from tests.bots.games import play_suggestions


async def played(bot: RandomBot, rules: Rules) -> tuple[int, str]:
    """Return the number of pieces of a game and its last board."""
    game = await play_suggestions(bot, rules, 1, 1000)
    assert game.over
    return game.stats.pieces, str(game.board)


@pytest.mark.parametrize("preset", Rules.preset_names())
async def test_every_move_is_legal(preset: str) -> None:
    assert (await played(RandomBot(seed=5), Rules.preset(preset)))[0] > 5


async def test_the_same_seed_plays_the_same() -> None:
    rules = Rules.preset("guideline")
    bot = RandomBot(seed=3)
    first = await played(bot, rules)
    assert await played(bot, rules) == first
    assert await played(RandomBot(seed=3), rules) == first
    assert await played(RandomBot(seed=4), rules) != first


async def test_random_bot_follows_the_game() -> None:
    rules = Rules.preset("guideline").replace({"pieces": {"hold": False}})
    assert (await played(RandomBot(seed=1), rules))[0] > 5


async def test_before_its_time() -> None:
    bot = RandomBot()
    with pytest.raises(BotStartError):
        await bot.suggest(Limits())
