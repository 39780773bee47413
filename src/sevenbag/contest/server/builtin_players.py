"""Seats that a bot of ours takes: it plays within the server, by state messages."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from typing import TYPE_CHECKING, Final, Protocol

from sevenbag.bots.registry import BUILTIN_BOTS, create_bot
from sevenbag.contest.client.bot_controller import BotController
from sevenbag.errors import BotError, SpecError
from sevenbag.protocols.pason.messages import decode_state

if TYPE_CHECKING:
    from collections.abc import Callable

    from sevenbag.bots.bot import Bot
    from sevenbag.protocols.pason.pason_conversion import MoveName

    Move = Callable[[MoveName, int | None], None]

RANDOM_BOT: Final = "random"
"""The bot that plays as the organisers' random player did."""


class BuiltinContestPlayer(Protocol):
    """Takes a seat from when it is made until it is closed."""

    def handle_states(self, messages: list[bytes]) -> None:
        """Take the next state messages of the match."""

    async def close(self) -> None:
        """Play no more."""


def create_builtin_player(
    bot: str,
    team: str,
    move: Move,
    *,
    moves_per_second: float,
    report: Callable[[str], None],
) -> BuiltinContestPlayer:
    """A player for a seat, within the running event loop.

    Args:
        bot: a specification, such as ``random`` or ``beam:nodes=500``.
        team: whose seat it is.
        move: carries out a move.
        moves_per_second: how fast it may move; 0 for what suits it.
        say: is told why it plays no more, if that happens.

    Raises:
        SpecError: there is no such bot, or it is none of our own.
    """
    name = bot.partition(":")[0].strip().lower()
    if name not in BUILTIN_BOTS:
        raise SpecError(f"bot {bot!r} does not play within a server; {', '.join(BUILTIN_BOTS)} do")
    made = create_bot(bot)
    if bot.strip().lower() == RANDOM_BOT:
        return _RandomPlayer(move, moves_per_second or _PACE_OF_RANDOM)
    return _PlacementPlayer(made, team, move, moves_per_second or _PACE, report)


# --- helpers ------------------------------------------------------------------------------------

_PACE_OF_RANDOM: Final = 2.0

_PACE: Final = 20.0
"""Moves a second, where nobody has said another pace: of the organisers' player, and of all others,
whose pieces would be locked by gravity at that."""

_MOVES: Final[tuple[MoveName, ...]] = ("left", "right", "lrotate", "rrotate", "down")


class _RandomPlayer:
    """Moves at random and never drops, whatever happens: the organisers' player."""

    def __init__(self, move: Move, moves_per_second: float) -> None:
        self._move = move
        self._pause = 1 / moves_per_second
        self._playing = False
        self._timer: asyncio.TimerHandle | None = None
        self._tick()

    def handle_states(self, messages: list[bytes]) -> None:
        # It begins with the first state, as one that moves once a message.
        self._playing = self._playing or bool(messages)

    async def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _tick(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(self._pause, self._tick)
        if self._playing:
            self._move(secrets.choice(_MOVES), None)


class _PlacementPlayer:
    """Plays placements that a bot has found."""

    def __init__(
        self, bot: Bot, team: str, move: Move, moves_per_second: float, say: Callable[[str], None]
    ) -> None:
        self._move = move
        self._say = say
        self._woken = asyncio.Event()
        self._waiting: list[bytes] = []
        self._planner = BotController(
            bot, team, moves_per_second=moves_per_second, wake=self._woken.set
        )
        self._task = asyncio.create_task(self._play())

    def handle_states(self, messages: list[bytes]) -> None:
        # Who plays no more reads nothing, and a match has millions of them.
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
            self._say(str(error))
        except Exception as error:  # noqa: BLE001  # its piece falls on, and its match goes on
            self._say(f"{type(error).__name__}: {error}")

    async def _play_on(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            self._woken.clear()
            now = loop.time()
            waiting, self._waiting = self._waiting, []
            for message in waiting:
                self._planner.handle_message(decode_state(message), now)
            # One move at a time: what others do comes between.
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
            # Not wait_for: before Python 3.12 it may swallow that this is cancelled, just when
            # there is news, as at the end of a match.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._woken.wait()
