"""Whole games of bot controllers: their moves are performed and lead to the bots' targets."""

import asyncio

import pytest

from sevenbag import Piece, Placement
from sevenbag.bots.bot import Bot, Limits, Suggestion
from sevenbag.bots.registry import create_bot
from sevenbag.contest.client.bot_controller import BotController
from sevenbag.contest.game.pason_game import PasonGame
from sevenbag.contest.settings import GameRules
from sevenbag.errors import BotDiedError, BotForfeitError, BotStartError, RulesError
from sevenbag.game import Rules
from sevenbag.game.position import Position
from tests.contest.client.local_match import TEAMS, LocalGame

BEAM = "beam:nodes=300"


def play(
    rules: GameRules,
    *,
    seconds: float,
    bots: tuple[str, str] = (BEAM, BEAM),
    seed: int = 1,
    latency: float = 0.0005,
    thinks: float = 0.0,
    moves_per_second: float = 0.0,
) -> tuple[LocalGame, list[BotController]]:
    """Play a game between two bots."""

    async def run() -> tuple[LocalGame, list[BotController]]:
        controllers = [
            BotController(create_bot(bot), team, moves_per_second=moves_per_second)
            for bot, team in zip(bots, TEAMS, strict=True)
        ]
        for controller in controllers:
            await controller.prepare()
        game = LocalGame(controllers, rules, seed=seed, latency=latency, thinks=thinks)
        await game.play(seconds)
        for controller in controllers:
            await controller.quit()
        return game, controllers

    return asyncio.run(run())


@pytest.mark.parametrize("seed", range(3))
def test_slow_gravity(seed: int) -> None:
    game, controllers = play(GameRules(gravity_ms=(1_000,)), seconds=2, seed=seed, thinks=0.01)
    assert not game.rejected
    for counts in (controller.counts for controller in controllers):
        assert counts.pieces > 40
        assert counts.replanned == counts.misplaced == 0
        # The last piece may be falling when the game ends.
        assert counts.dropped >= counts.pieces - counts.lost - 1
        assert counts.lost <= 1


@pytest.mark.parametrize("seed", range(3))
def test_fast_gravity(seed: int) -> None:
    game, controllers = play(GameRules(gravity_ms=(20,)), seconds=1.5, seed=seed, thinks=0.004)
    assert game.moves > 300
    # Gravity forestalls a few moves.
    assert sum(game.rejected.values()) <= game.moves * 0.03
    for counts in (controller.counts for controller in controllers):
        assert counts.dropped >= 0.97 * (counts.pieces - 2)
        assert counts.misplaced == 0


def test_rate_of_moves_is_limited() -> None:
    game, controllers = play(
        GameRules(gravity_ms=(100,)), seconds=6, moves_per_second=10, thinks=0.02
    )
    for outcomes in game.outcomes:
        assert 40 <= sum(outcomes.values()) <= 61
    assert all(controller.counts.dropped >= 5 for controller in controllers)


@pytest.mark.parametrize(
    "rules",
    [
        GameRules(gravity_ms=(50,), rotate_above_top=False),
        GameRules(gravity_ms=(50,), garbage_when="instant"),
        GameRules(gravity_ms=(50,), garbage_when="step", garbage_overlap="lock"),
        GameRules(gravity_ms=(50,), blocked_spawn="lift", garbage_out="cut"),
        GameRules(gravity_ms=(50,), spawn_orientation=2, down_on_floor="lock"),
    ],
    ids=["flat", "instant", "step", "lift", "turned"],
)
def test_variants_of_the_rules(rules: GameRules) -> None:
    game, controllers = play(rules, seconds=2, thinks=0.005)
    assert sum(game.game.locked_pieces) > 80
    assert sum(controller.counts.misplaced for controller in controllers) <= 4
    assert sum(game.rejected.values()) <= game.moves * 0.06


def test_latency_of_two_gravity_steps() -> None:
    """Pieces reach their targets although answers and states are late."""
    bots = ("random:seed=4", "random:seed=4")
    game, controllers = play(GameRules(gravity_ms=(20,)), bots=bots, seconds=3, latency=0.02)
    assert sum(game.game.locked_pieces) > 10
    for counts in (controller.counts for controller in controllers):
        assert counts.dropped + counts.lost + counts.misplaced >= counts.pieces - 1
        assert counts.dropped > counts.misplaced


class ScriptedBot(Bot):
    """Bot that suggests no moves, raises an error or does not answer."""

    name = "scripted"

    def __init__(self, *, error: Exception | None = None, hangs: bool = False) -> None:
        self.positions: list[Position] = []
        self.quits = 0
        self._error = error
        self._hangs = hangs

    async def prepare(self, rules: Rules) -> None:
        if isinstance(self._error, BotStartError | RulesError):
            raise self._error

    async def start(self, position: Position) -> None:
        self.positions.append(position)

    async def suggest(self, limits: Limits) -> Suggestion:
        if self._hangs:
            await asyncio.sleep(1_000)
        if self._error is not None:
            raise self._error
        return Suggestion(())

    async def play(self, placement: Placement) -> None: ...

    async def new_piece(self, piece: Piece) -> None: ...

    async def stop(self) -> None: ...

    async def quit(self) -> None:
        self.quits += 1


def play_alone(
    bot: Bot, seconds: float = 3.0, answer_seconds: float = 10.0
) -> tuple[LocalGame, BotController]:
    """Play a game against an opponent without moves."""

    async def run() -> tuple[LocalGame, BotController]:
        controller = BotController(bot, TEAMS[0], answer_seconds=answer_seconds)
        await controller.prepare()
        game = LocalGame([controller, None], GameRules(gravity_ms=(50,)))
        await game.play(seconds)
        await controller.quit()
        return game, controller

    return asyncio.run(run())


@pytest.mark.parametrize("error", [BotDiedError("scripted", "is dead"), ZeroDivisionError("oh")])
def test_pieces_of_a_failed_bot_are_left_to_gravity(error: Exception) -> None:
    bot = ScriptedBot(error=error)
    game, controller = play_alone(bot)
    assert str(controller.failure).startswith("scripted: ")
    assert str(error) in str(controller.failure)
    assert not game.outcomes[0]
    assert game.game.locked_pieces[0] >= 2
    assert (len(bot.positions), bot.quits) == (1, 1)


def test_bot_without_an_answer_fails() -> None:
    _, controller = play_alone(ScriptedBot(hangs=True), answer_seconds=0.05)
    assert str(controller.failure) == "scripted: has not answered within 0.05 s"


@pytest.mark.parametrize("error", [None, BotForfeitError("scripted", "knows none")])
def test_a_bot_without_a_move_gets_its_next_piece(error: Exception | None) -> None:
    bot = ScriptedBot(error=error)
    game, controller = play_alone(bot, seconds=0.3)
    assert controller.failure is None
    assert len(bot.positions) > 5
    assert game.game.locked_pieces[0] > 5


@pytest.mark.parametrize("error", [BotStartError("scripted", "no"), RulesError("no")])
def test_rejected_rules_are_reported_before_the_match(error: Exception) -> None:
    with pytest.raises(BotStartError, match=r"^scripted: no$"):
        asyncio.run(BotController(ScriptedBot(error=error), "x").prepare())


def test_position_of_the_bot() -> None:
    bot = ScriptedBot()
    play_alone(bot, seconds=0.02)
    first = bot.positions[0]
    game = PasonGame(GameRules(), 1)
    piece = game.pieces[0]
    assert piece is not None
    assert [each.name for each in first.queue] == [piece.kind, *game.queue]
    assert len(first.queue) == 6
    assert first.board.is_empty
    assert first.hold is None
