"""Play a team's pieces with a bot: pass it positions, turn its suggestions into moves.

The controller has no sockets and no clock, so it serves both clients and the built-in players of a
game server. The bot runs in a task of the event loop. Both teams draw from one queue, so the bot
cannot predict its next pieces and is asked again for each piece, with the latest board.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import math
from collections.abc import Callable
from typing import Final

from sevenbag._kernel import Piece
from sevenbag.bots.bot import Bot, Limits, Suggestion
from sevenbag.contest.client.piece_planner import PASON_RULES, MoveOrder, PiecePlanner
from sevenbag.contest.game.state_messages import StatisticsMessage
from sevenbag.errors import BotError, BotForfeitError, BotStartError, BotTimeoutError, SevenbagError
from sevenbag.game import Rules
from sevenbag.game.position import Position
from sevenbag.protocols.pason.messages import (
    GameBoardState,
    GameEnd,
    GamePieceState,
    MatchEnd,
    State,
)


class BotController(PiecePlanner):
    """Planner of the pieces of one team whose targets come from a bot.

    Attributes:
        bot: bot that chooses the placements.
        failure: error of the bot, after which its pieces are left to gravity; None without one.
    """

    def __init__(
        self,
        bot: Bot,
        team: str,
        *,
        moves_per_second: float = 0.0,
        limits: Limits | None = None,
        answer_seconds: float = 10.0,
        wake: Callable[[], None] | None = None,
    ) -> None:
        """Create a controller; `prepare` starts the bot.

        Args:
            bot: bot that is not prepared yet; the controller ends it.
            team: registered name of the team.
            moves_per_second: maximum rate of moves; 0 for no limit.
            limits: limits of the bot for each piece; None for its own. Time limits are reduced if
                gravity is faster.
            answer_seconds: seconds after which a bot without an answer has failed.
            wake: function called in the event loop when the bot has answered.
        """
        super().__init__(team, moves_per_second)
        self.bot = bot
        self.failure: BotError | None = None
        self.wake = wake
        self._limits = limits or Limits()
        self._answer_seconds = answer_seconds
        self._answer: asyncio.Task[Suggestion] | None = None
        self._question: tuple[int, int] | None = None
        self._board_awaited_until: float | None = None
        self._in_game = False

    @property
    def is_thinking(self) -> bool:
        """True while the bot has a question to answer."""
        return self._answer is not None

    async def prepare(self) -> None:
        """Start the bot with the rules of the contest.

        Raises:
            BotStartError: the bot cannot be started or does not support the rules.
            BotTimeoutError: the bot was not ready in time.
        """
        try:
            await self.bot.prepare(_rules_for(self.bot))
        except BotError:
            raise
        except SevenbagError as error:
            raise BotStartError(self.bot.name, str(error)) from None

    def handle_message(self, message: State | StatisticsMessage, now: float) -> None:
        """Process the next message of the state channel.

        Raises:
            ProtocolError: invalid board; the message is ignored.
        """
        super().handle_message(message, now)
        boards = self.view.boards
        match message:
            case GameBoardState() if self.team in boards:
                self._board_awaited_until = None
            case GamePieceState():
                # Clients that connect in a game have no board yet; at its start the board is empty.
                if not self._in_game and self.team not in boards:
                    self._board_awaited_until = now + _BOARD_REPEAT_SECONDS
                self._in_game = True
                if self.number is None:
                    self._question = None
            case GameEnd() | MatchEnd():
                self._question = None
                self._in_game = False
            case _:
                pass
        self._ask_bot(now)

    def next_move(self, now: float) -> MoveOrder | None:
        """Return the move to be sent now, to be followed by `move_answered`; None to wait."""
        self._ask_bot(now)
        return None if self.failure else super().next_move(now)

    @property
    def next_move_at(self) -> float | None:
        """Time to call `next_move` again unless a message arrives before; None if not needed."""
        if self.failure:
            return None
        if self._board_awaited_until is not None:
            return self._board_awaited_until
        return super().next_move_at

    async def quit(self) -> None:
        """End the bot."""
        answer, self._answer = self._answer, None
        if answer is not None:
            answer.cancel()
            await asyncio.wait({answer})
        with contextlib.suppress(Exception):
            await self.bot.stop()
        await self.bot.quit()

    def _ask_bot(self, now: float) -> None:
        """Ask the bot for the current piece, unless it was asked or is busy."""
        number = self.number
        if self.failure or number is None or self.is_dropped:
            return
        if self._board_awaited_until is not None:
            if now < self._board_awaited_until:
                return
            self._board_awaited_until = None
        question = (number, self.view.boards.get(self.team, 0))
        if question == self._question:
            return
        if self._answer is not None:
            # Built-in bots can be cancelled at any time; external ones finish their answer.
            if self.bot.protocol is None:
                self._answer.cancel()
            return
        self._question = question
        self.set_targets(())
        self._answer = asyncio.ensure_future(self._suggest(self._position()))
        self._answer.add_done_callback(lambda task: self._handle_answer(task, question))

    def _position(self) -> Position:
        piece = self.piece
        assert piece is not None
        upcoming = (Piece[name] for name in self.view.queue if name in Piece.__members__)
        return Position(
            board=self.board.copy(),
            queue=(piece.piece, *upcoming),
            # Protocols cannot forbid hold; holding the same piece has no effect.
            hold=None if self.bot.protocol is None else piece.piece,
        )

    async def _suggest(self, position: Position) -> Suggestion:
        name = self.bot.name
        try:
            async with asyncio.timeout(self._answer_seconds):
                await self.bot.start(position)
                return await self.bot.suggest(self._current_limits())
        except TimeoutError:
            raise BotTimeoutError(
                name, f"has not answered within {self._answer_seconds:g} s"
            ) from None
        except (BotError, asyncio.CancelledError):
            raise
        except Exception as error:  # a bot may raise anything
            raise BotError(name, f"{type(error).__name__}: {error}") from error

    def _handle_answer(self, task: asyncio.Task[Suggestion], question: tuple[int, int]) -> None:
        if task is not self._answer:
            # `quit` cancelled it.
            return
        self._answer = None
        if not task.cancelled():
            error = task.exception()
            if isinstance(error, BotForfeitError):
                # The bot may have a move for the next piece.
                self.choose_low_placement()
            elif isinstance(error, BotError):
                self.failure = error
            elif question == self._question and question[0] == self.number:
                self._use_suggestion(task.result())
        if self.wake is not None:
            self.wake()

    def _use_suggestion(self, suggestion: Suggestion) -> None:
        piece = self.piece
        assert piece is not None
        moves = [move for move in suggestion.moves if move.piece == piece.piece]
        if moves:
            self.set_targets(moves)
        else:
            self.choose_low_placement()

    def _current_limits(self) -> Limits:
        """Return the limits for the current piece: less time than it takes to fall."""
        limits = self.bot.effective_limits(self._limits)
        is_bounded = limits.milliseconds is not None or limits.nodes is not None
        if not is_bounded or (self.bot.protocol is not None and limits.milliseconds is None):
            return limits
        step_seconds = self.step_seconds
        if math.isinf(step_seconds):
            return limits
        fall_ms = step_seconds * self.rows_to_fall * 1000
        milliseconds = max(_MIN_MILLISECONDS, _FALL_FRACTION * fall_ms)
        return dataclasses.replace(
            limits, milliseconds=min(milliseconds, limits.milliseconds or math.inf)
        )


_BOARD_REPEAT_SECONDS: Final = 1.5
"""Seconds within which a server should have repeated the board."""
_FALL_FRACTION: Final = 0.4
_MIN_MILLISECONDS: Final = 3.0


def _rules_for(bot: Bot) -> Rules:
    """Return the rules of the contest as the bot can be told them.

    Bot protocols can express neither other shapes nor a game without hold. External bots get the
    nearest rules, in which pieces rotate in place; the moves of the contest lead to most of the
    placements that they suggest.
    """
    if bot.protocol is None:
        return PASON_RULES
    return PASON_RULES.replace(
        {"pieces": {"hold": True, "kicks": "none"}}, name="pason-2012, as told"
    )
