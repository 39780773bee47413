"""Planners play whole games by themselves: what they order must be done, and where they want it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from sevenbag.bots.bot import Bot, Limits, Suggestion
from sevenbag.bots.registry import create_bot
from sevenbag.contest.client.bot_controller import BotController
from sevenbag.contest.game.pason_game import MoveOutcome, PasonGame
from sevenbag.contest.settings import GameRules
from sevenbag.errors import BotDiedError, BotForfeitError, BotStartError, RulesError
from tests.contest.client.local_match import TEAMS, Table

if TYPE_CHECKING:
    from collections import Counter

    from sevenbag import Piece, Placement
    from sevenbag.game import Rules
    from sevenbag.game.position import Position

BEAM = "beam:nodes=300"


async def game(
    spec: str,
    rules: GameRules,
    *,
    seconds: float,
    seed: int = 1,
    latency: float = 0.0005,
    thinks: float = 0.0,
    moves_per_second: float = 0.0,
) -> tuple[Table, list[BotController]]:
    """A game of a bot against itself."""
    planners = [
        BotController(create_bot(spec), team, moves_per_second=moves_per_second) for team in TEAMS
    ]
    for planner in planners:
        await planner.prepare()
    table = Table(planners, rules, seed=seed, latency=latency, lag=latency, thinks=thinks)
    try:
        await table.play(seconds)
    finally:
        for planner in planners:
            await planner.quit()
    return table, planners


def undone(table: Table) -> Counter[MoveOutcome]:
    """Moves that were not done, of both."""
    verdicts = table.verdicts[0] + table.verdicts[1]
    del verdicts[MoveOutcome.DONE]
    return verdicts


@pytest.mark.parametrize("seed", range(3))
def test_with_slow_gravity_every_move_is_done_and_every_piece_goes_where_it_is_wanted(
    seed: int,
) -> None:
    table, planners = asyncio.run(
        game(BEAM, GameRules(gravity_ms=(1_000,)), seconds=2, seed=seed, thinks=0.01)
    )
    assert not undone(table)
    for planner in planners:
        tally = planner.counts
        assert tally.pieces > 40
        assert tally.replanned == tally.misplaced == 0
        # The last one may be on its way when the game ends.
        assert tally.dropped >= tally.pieces - tally.lost - 1
        assert tally.lost <= 1


@pytest.mark.parametrize("seed", range(3))
def test_with_gravity_of_20_ms_hardly_a_move_is_lost(seed: int) -> None:
    table, planners = asyncio.run(
        game(BEAM, GameRules(gravity_ms=(20,)), seconds=1.5, seed=seed, thinks=0.004)
    )
    moves = sum(table.verdicts[0].values()) + sum(table.verdicts[1].values())
    assert moves > 300
    # A move that gravity forestalls is passed over; none is meant for a piece that is gone.
    assert sum(undone(table).values()) <= moves * 0.03
    for planner in planners:
        tally = planner.counts
        assert tally.dropped >= 0.97 * (tally.pieces - 2)
        assert tally.misplaced == 0


def test_no_more_moves_a_second_than_allowed() -> None:
    table, planners = asyncio.run(
        game(BEAM, GameRules(gravity_ms=(100,)), seconds=6, moves_per_second=10, thinks=0.02)
    )
    for verdicts in table.verdicts:
        assert 40 <= sum(verdicts.values()) <= 61
    assert all(planner.counts.dropped >= 5 for planner in planners)


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
def test_whatever_the_open_points_are(rules: GameRules) -> None:
    table, planners = asyncio.run(game(BEAM, rules, seconds=2, thinks=0.005))
    assert sum(table.duel.locked_pieces) > 80
    assert sum(planner.counts.misplaced for planner in planners) <= 4
    moves = sum(table.verdicts[0].values()) + sum(table.verdicts[1].values())
    assert sum(undone(table).values()) <= moves * 0.06


def test_a_beam_beats_random_play() -> None:
    async def play(seed: int) -> int:
        planners = [
            BotController(create_bot(BEAM), TEAMS[0]),
            BotController(create_bot("random"), TEAMS[1]),
        ]
        for planner in planners:
            await planner.prepare()
        table = Table(planners, GameRules(gravity_ms=(100,)), seed=seed, thinks=0.005)
        await table.play(10)
        for planner in planners:
            await planner.quit()
        assert table.duel.outcome is not None
        return table.duel.outcome.winner

    assert [asyncio.run(play(seed)) for seed in range(5)] == [0] * 5


def test_what_gravity_moves_while_moves_are_slow_is_caught() -> None:
    """Answers and states take as long as two time steps: still pieces go where they are wanted."""
    table, planners = asyncio.run(
        game("random:seed=4", GameRules(gravity_ms=(20,)), seconds=3, latency=0.02)
    )
    assert sum(table.duel.locked_pieces) > 10
    for planner in planners:
        tally = planner.counts
        assert tally.dropped + tally.lost + tally.misplaced >= tally.pieces - 1
        assert tally.dropped > tally.misplaced


class Doll(Bot):
    """A bot that does what the test says."""

    name = "doll"

    def __init__(self, *, error: Exception | None = None, hangs: bool = False) -> None:
        self.positions: list[Position] = []
        self.gone = 0
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
        self.gone += 1


async def alone(
    bot: Bot, seconds: float = 3.0, answer: float = 10.0
) -> tuple[Table, BotController]:
    planner = BotController(bot, TEAMS[0], answer_seconds=answer)
    await planner.prepare()
    table = Table([planner, None], GameRules(gravity_ms=(50,)))
    await table.play(seconds)
    await planner.quit()
    return table, planner


@pytest.mark.parametrize("error", [BotDiedError("doll", "is dead"), ZeroDivisionError("oh")])
def test_a_bot_that_dies_leaves_its_piece_to_gravity(error: Exception) -> None:
    bot = Doll(error=error)
    table, planner = asyncio.run(alone(bot))
    assert str(planner.failure).startswith("doll: ")
    assert str(error) in str(planner.failure)
    assert not table.verdicts[0]
    assert table.duel.locked_pieces[0] >= 2
    assert len(bot.positions) == 1
    assert bot.gone == 1


def test_a_bot_that_stalls_is_given_up() -> None:
    _, planner = asyncio.run(alone(Doll(hangs=True), answer=0.05))
    assert str(planner.failure) == "doll: has not answered within 0.05 s"


@pytest.mark.parametrize("error", [None, BotForfeitError("doll", "knows none")])
def test_a_bot_that_knows_no_move_still_gets_its_next_piece(error: Exception | None) -> None:
    bot = Doll(error=error)
    table, planner = asyncio.run(alone(bot, seconds=0.3))
    assert planner.failure is None
    assert len(bot.positions) > 5
    assert table.duel.locked_pieces[0] > 5


@pytest.mark.parametrize("error", [BotStartError("doll", "no"), RulesError("no")])
def test_who_does_not_play_these_rules_says_so_before(error: Exception) -> None:
    with pytest.raises(BotStartError, match=r"^doll: no$"):
        asyncio.run(BotController(Doll(error=error), "x").prepare())


def test_what_the_bot_is_told() -> None:
    bot = Doll()
    table, _ = asyncio.run(alone(bot, seconds=0.02))
    first = bot.positions[0]
    fresh = PasonGame(GameRules(), 1)
    piece = fresh.pieces[0]
    assert piece is not None
    assert [each.name for each in first.queue] == [piece.kind, *fresh.queue]
    assert first.board.is_empty
    assert first.hold is None
    assert table.duel.rules.queue_length == 5
