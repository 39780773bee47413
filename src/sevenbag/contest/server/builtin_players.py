"""Built-in bots that play within the game server."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable
from typing import Final, Protocol, TypeAlias

from sevenbag.bots.bot import Bot
from sevenbag.bots.registry import BUILTIN_BOTS, create_bot
from sevenbag.contest.client.bot_controller import BotController
from sevenbag.errors import BotError, SpecError
from sevenbag.protocols.pason.messages import State
from sevenbag.protocols.pason.pason_conversion import MoveName

Move: TypeAlias = Callable[[MoveName, int | None], object]


RANDOM_BOT: Final = "random"
"""Bot that plays as the random player of 2012."""


class BuiltinContestPlayer(Protocol):
    """Built-in player of a match, from its creation until it is closed."""

    def handle_states(self, messages: list[State]) -> None:
        """Handle the next states of the match."""

    async def close(self) -> None:
        """Stop playing."""


def create_builtin_player(
    bot: str, team: str, move: Move, *, moves_per_second: float, report: Callable[[str], None]
) -> BuiltinContestPlayer:
    """Create a built-in player within the running event loop.

    Args:
        bot: specification, such as ``random`` or ``beam:nodes=500``.
        team: team name.
        move: callback that executes a move.
        moves_per_second: maximum rate of moves; 0 for the default of the bot.
        report: callback with the reason if the player fails.

    Raises:
        SpecError: the bot is unknown, or not a built-in one.
    """
    name = bot.partition(":")[0].strip().lower()
    if name not in BUILTIN_BOTS:
        raise SpecError(f"bot {bot!r} does not play within a server; {', '.join(BUILTIN_BOTS)} do")
    made = create_bot(bot)
    if bot.strip().lower() == RANDOM_BOT:
        return _RandomPlayer(move, moves_per_second or _RANDOM_RATE)
    return _PlacementPlayer(made, team, move, moves_per_second or _DEFAULT_RATE, report)


_RANDOM_RATE: Final = 2.0

_DEFAULT_RATE: Final = 20.0
"""Default moves per second; with fewer, gravity would lock the pieces of bots."""

_MOVES: Final[tuple[MoveName, ...]] = ("left", "right", "lrotate", "rrotate", "down")


class _RandomPlayer:
    """Random player of the contest of 2012: moves at a fixed rate and never drops."""

    def __init__(self, move: Move, moves_per_second: float) -> None:
        self._move = move
        self._pause = 1 / moves_per_second
        self._playing = False
        self._timer: asyncio.TimerHandle | None = None
        self._tick()

    def handle_states(self, messages: list[State]) -> None:
        # Starts with the first state, as a player that moves once per message.
        self._playing = self._playing or bool(messages)

    async def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _tick(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(self._pause, self._tick)
        if self._playing:
            self._move(secrets.choice(_MOVES), None)


class _PlacementPlayer:
    """Player that executes the placements of a bot."""

    def __init__(
        self,
        bot: Bot,
        team: str,
        move: Move,
        moves_per_second: float,
        report: Callable[[str], None],
    ) -> None:
        self._move = move
        self._report = report
        self._woken = asyncio.Event()
        self._waiting: list[State] = []
        self._planner = BotController(
            bot, team, moves_per_second=moves_per_second, wake=self._woken.set
        )
        self._task = asyncio.create_task(self._play())

    def handle_states(self, messages: list[State]) -> None:
        # A failed player must not collect messages: a match has millions of them.
        if not self._task.done():
            self._waiting += messages
            self._woken.set()

    async def close(self) -> None:
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task
        await self._planner.quit()

    async def _play(self) -> None:
        try:
            await self._planner.prepare()
            await self._play_on()
        except BotError as error:
            self._report(str(error))
        except Exception as error:  # noqa: BLE001  # the match continues without its moves
            self._report(f"{type(error).__name__}: {error}")

    async def _play_on(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            self._woken.clear()
            now = loop.time()
            waiting, self._waiting = self._waiting, []
            for message in waiting:
                self._planner.handle_message(message, now)
            # One move at a time, so that other tasks run in between.
            order = self._planner.next_move(now)
            if order is not None:
                self._move(order.move, order.number)
                self._planner.move_answered(loop.time())
                await asyncio.sleep(0)
                continue
            if self._planner.failure is not None:
                raise self._planner.failure
            due = self._planner.next_move_at
            pause = None if due is None else max(due - loop.time(), 0.0)
            # Before Python 3.12 wait_for may swallow a cancellation that coincides with a message.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._woken.wait()
