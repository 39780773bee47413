"""One seat's head: a bot that is told the states of a match, and the moves that follow from it.

It has no sockets and no clock of its own, so that it plays over the wire and within a server
alike. The bot thinks in a task of the running loop. It is asked anew for each piece, with the
newest board: the queue is shared, so nobody knows which of it will be whose.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import math
from typing import TYPE_CHECKING, Final

from sevenbag._kernel import Piece
from sevenbag.bots.bot import Limits
from sevenbag.contest.client.match_view import MatchView
from sevenbag.contest.client.piece_planner import PASON_RULES, MoveOrder, PieceCounts, PiecePlanner
from sevenbag.contest.game.state_encoder import GameStatistics, MatchStatistics
from sevenbag.errors import BotError, BotForfeitError, BotStartError, BotTimeoutError, SevenbagError
from sevenbag.game.position import Position
from sevenbag.protocols.pason.messages import GameBoardState, GameEnd, GamePieceState, MatchEnd

if TYPE_CHECKING:
    from collections.abc import Callable

    from sevenbag.bots.bot import Bot, Suggestion
    from sevenbag.contest.game.state_encoder import StatisticsMessage
    from sevenbag.game import Rules
    from sevenbag.protocols.pason.messages import State

__all__ = ["BotController", "MoveOrder", "PieceCounts"]


class BotController:
    """Plays one seat of a match.

    Attributes:
        bot: who decides.
        team: whose seat it is, as state messages name it.
        view: what is known of the match.
        failure: why the bot plays no more, once it does not; gravity goes on.
        wake: called in the loop's thread when a thought is finished.
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
        """Nothing runs before `prepare`.

        Args:
            bot: not yet prepared; it belongs to the planner from now on.
            team: as registered.
            moves_per_second: how often to move, at most; 0 for no limit.
            limits: what the bot may spend on a piece; nothing said, what it grants itself. Time is
                cut down where gravity is faster.
            answer_seconds: after which a bot that does not answer has failed.
            wake: called in the loop's thread when a thought is finished.
        """
        self.bot = bot
        self.team = team
        self.view = MatchView()
        self.failure: BotError | None = None
        self._limits = limits or Limits()
        self._answer_seconds = answer_seconds
        self.wake = wake
        self._steering = PiecePlanner(moves_per_second)
        self._thinking: asyncio.Task[Suggestion] | None = None
        self._asked: tuple[int, int] | None = None
        self._board_awaited_until: float | None = None
        self._in_game = False

    @property
    def counts(self) -> PieceCounts:
        """What became of the pieces so far."""
        return self._steering.counts

    @property
    def is_thinking(self) -> bool:
        """Whether the bot has been asked and has not answered yet."""
        return self._thinking is not None

    async def prepare(self) -> None:
        """Get the bot ready for the contest's rules.

        Raises:
            BotStartError: it cannot be started, or does not play them.
            BotTimeoutError: it was not ready in time.
        """
        try:
            await self.bot.prepare(_rules_for(self.bot))
        except BotError:
            raise
        except SevenbagError as error:
            raise BotStartError(self.bot.name, str(error)) from None

    # --- the match ------------------------------------------------------------------------------

    def handle_message(self, message: State | StatisticsMessage, now: float) -> None:
        """Process the next message of the state channel.

        Raises:
            ProtocolError: a board in it is none.
        """
        self.view.handle_message(message)
        match message:
            case GameBoardState():
                self._steering.update_board(self.view.boards.get(self.team, 0))
                if self.team in self.view.boards:
                    self._board_awaited_until = None
            case GamePieceState():
                self._see_piece(message, now)
            case GameEnd() | MatchEnd():
                self._steering.end_game()
                self._asked = None
                self._in_game = False
            case GameStatistics() | MatchStatistics():
                pass
        self._consider(now)

    def next_move(self, now: float) -> MoveOrder | None:
        """The move to be made now, if there is one; `move_answered` is to follow."""
        self._consider(now)
        return None if self.failure else self._steering.next_move(now)

    def move_answered(self, now: float) -> None:
        """The last order was carried out, or refused."""
        self._steering.move_answered(now)

    def move_unanswered(self, now: float) -> None:
        """Nobody knows whether the last order was carried out."""
        self._steering.move_unanswered(now)

    @property
    def next_move_at(self) -> float | None:
        """When to ask `next_move` again, if nothing else happens; None if there is no need to."""
        if self.failure:
            return None
        if self._board_awaited_until is not None:
            return self._board_awaited_until
        return self._steering.next_move_at

    async def quit(self) -> None:
        """End the bot."""
        task, self._thinking = self._thinking, None
        if task is not None:
            task.cancel()
            await asyncio.wait({task})
        with contextlib.suppress(Exception):
            await self.bot.stop()
        await self.bot.quit()

    # --- helpers --------------------------------------------------------------------------------

    def _see_piece(self, message: GamePieceState, now: float) -> None:
        if not self._in_game:
            self._in_game = True
            # Whoever comes late has not heard the board yet; at the very beginning it is empty.
            if self.team not in self.view.boards:
                self._board_awaited_until = now + _BOARD_REPEATS
        self._steering.update_piece(message.states.get(self.team), now)
        if self._steering.number is None:
            self._asked = None

    def _consider(self, now: float) -> None:
        """Ask the bot, if there is anything to be asked and it is free."""
        if self.failure or self._steering.number is None or self._steering.is_dropped:
            return
        if self._board_awaited_until is not None:
            if now < self._board_awaited_until:
                return
            self._board_awaited_until = None
        question = (self._steering.number, self.view.boards.get(self.team, 0))
        if question == self._asked:
            return
        if self._thinking is not None:
            # Our own bots are quickly elsewhere; of others nobody knows how they take it.
            if self.bot.protocol is None:
                self._thinking.cancel()
            return
        self._asked = question
        self._steering.clear_targets()
        position = self._position()
        self._thinking = asyncio.ensure_future(self._think(position))
        self._thinking.add_done_callback(lambda task: self._thought(task, question))

    def _position(self) -> Position:
        piece = self._steering.piece
        assert piece is not None
        upcoming = (Piece[name] for name in self.view.queue if name in Piece.__members__)
        return Position(
            board=self._steering.board.copy(),
            queue=(piece.piece, *upcoming),
            # Protocols cannot say that nothing may be held. This says as much: to hold is to
            # get the same piece.
            hold=None if self.bot.protocol is None else piece.piece,
        )

    async def _think(self, position: Position) -> Suggestion:
        name = self.bot.name
        try:
            async with asyncio.timeout(self._answer_seconds):
                await self.bot.start(position)
                return await self.bot.suggest(self._limits_now())
        except TimeoutError:
            raise BotTimeoutError(
                name, f"has not answered within {self._answer_seconds:g} s"
            ) from None
        except (BotError, asyncio.CancelledError):
            raise
        except Exception as error:  # a bot may raise anything
            raise BotError(name, f"{type(error).__name__}: {error}") from error

    def _thought(self, task: asyncio.Task[Suggestion], question: tuple[int, int]) -> None:
        """A thought is over: finished, called off, or failed."""
        if task is not self._thinking:
            # It was ended with everything else.
            return
        self._thinking = None
        if not task.cancelled():
            error = task.exception()
            if isinstance(error, BotForfeitError):
                # It knows no move for this piece; it may know one for the next.
                self._steering.choose_low_placement()
            elif isinstance(error, BotError):
                self.failure = error
            elif question == self._asked and question[0] == self._steering.number:
                self._follow(task.result())
        if self.wake is not None:
            self.wake()

    def _follow(self, suggestion: Suggestion) -> None:
        piece = self._steering.piece
        assert piece is not None
        moves = [move for move in suggestion.moves if move.piece == piece.piece]
        if moves:
            self._steering.set_targets(moves)
        else:
            self._steering.choose_low_placement()

    def _limits_now(self) -> Limits:
        """What the bot may spend on this piece: less than it takes to fall to the stack."""
        limits = self.bot.effective_limits(self._limits)
        bounded = limits.milliseconds is not None or limits.nodes is not None
        if not bounded or (self.bot.protocol is not None and limits.milliseconds is None):
            return limits
        falls = self._steering.step_seconds * self._steering.rows_to_fall * 1000
        if math.isinf(self._steering.step_seconds):
            return limits
        most = max(_LEAST_MS, _PART_OF_FALL * falls)
        return dataclasses.replace(limits, milliseconds=min(most, limits.milliseconds or math.inf))


_BOARD_REPEATS: Final = 1.5
"""Seconds within which a server should have told the board again."""

_PART_OF_FALL: Final = 0.4

_LEAST_MS: Final = 3.0


def _rules_for(bot: Bot) -> Rules:
    """The contest's rules as this bot can be told them.

    Bot protocols have words for neither pieces of other shapes nor a game without hold. Their bots
    are told the nearest there is: pieces that turn in place. What they suggest is played where the
    contest's moves lead there.
    """
    if bot.protocol is None:
        return PASON_RULES
    return PASON_RULES.replace(
        {"pieces": {"hold": True, "kicks": "none"}}, name="pason-2012, as told"
    )
