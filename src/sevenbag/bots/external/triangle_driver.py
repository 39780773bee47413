"""A driver that makes any program that speaks the Triangle.js adapter protocol a `Bot`.

Unlike Triangle.js, it sends the position before each question, because simple bots need it, and
reports moves that Triangle.js drops, plays in part or crashes at as errors.
"""

from __future__ import annotations

import asyncio
import dataclasses
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from msgspec import UNSET, Struct

from sevenbag.bots.bot import Limits, Position, Suggestion
from sevenbag.bots.external.bot_channel import ChannelLauncher
from sevenbag.bots.external.driver import STALE_ANSWER_TIMEOUT, ExternalBot, loop_time
from sevenbag.bots.external.process import create_process_launcher, split_command
from sevenbag.bots.external.tbp_profile import Duration  # msgspec reads it
from sevenbag.bots.external.websocket_channel import is_websocket_url
from sevenbag.errors import (
    BotDiedError,
    BotForfeitError,
    BotProtocolError,
    BotTimeoutError,
    PlacementError,
    ProtocolError,
)
from sevenbag.game import Rules
from sevenbag.game.position import append_piece, apply_placement
from sevenbag.protocols.triangle import messages as triangle
from sevenbag.protocols.triangle import triangle_conversion
from sevenbag.protocols.triangle.messages import decode
from sevenbag.protocols.triangle.triangle_connections import (
    TriangleEvent,
    TriangleHostConnection,
    TriangleStage,
)
from sevenbag.protocols.triangle.triangle_keys import ResolvedKeys, read_expected_rows, resolve_keys

if TYPE_CHECKING:
    from sevenbag._kernel import Piece, Placement

_RETRY_TIMEOUT: Final = 0.05
"""Seconds until a bot whose answer has no keys is asked again, as hosts do."""


class TriangleSettings(Struct, frozen=True, kw_only=True):
    """Settings for the communication with a bot.

    Attributes:
        states: send the position ``always``, before each question, or only after ``garbage``, as
            Triangle.js does.
        keys: key names of the published text that no host knows are an error (``strict``) or
            accepted (``tolerant``).
        process: a ``new`` one for each game, as the examples of Triangle.js, or ``kept``.
        info_seconds: time limit for ``info``.
        move_seconds: time limit for an answer.
        quit_seconds: time to exit.
    """

    states: Literal["always", "garbage"] = "always"
    keys: Literal["strict", "tolerant"] = "strict"
    process: Literal["new", "kept"] = "new"
    info_seconds: Duration = 10.0
    move_seconds: Duration = 5.0
    quit_seconds: Duration = 1.0


class TriangleDriver(ExternalBot):
    """A program that speaks the Triangle.js adapter protocol over its standard input and output.

    The protocol has no limits: a bot answers at any time within the time limit for a move. Many
    bots send the board that they expect after a move in ``data.board``.

    Attributes:
        unrequested_moves: number of moves without a question; they are dropped.
    """

    protocol = "triangle"
    _sends_sigint = True

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        name: str | None = None,
        settings: TriangleSettings | None = None,
        folder: Path | None = None,
        log: Path | None = None,
        launcher: ChannelLauncher | None = None,
    ) -> None:
        super().__init__(command, name=name, folder=folder, log=log, launcher=launcher)
        self.settings = settings or TriangleSettings()
        self.unrequested_moves = 0
        self._command = split_command(command, self.name)
        self._folder = folder
        self._connection = TriangleHostConnection()
        self._position: Position | None = None
        self._answer: ResolvedKeys | None = None
        self._state_pending = False
        self._state_sent = False
        self._moved_after_state = False
        self._pending_pieces: list[Piece] = []

    def create_launcher(
        self, environment: Mapping[str, str] | None = None
    ) -> ChannelLauncher | None:
        """Return a launcher that sends no signal before the end of the input, if it can."""
        if is_websocket_url(self._command[0]):
            return None
        return create_process_launcher(self._command, folder=self._folder, environment=environment)

    def effective_limits(self, limits: Limits) -> Limits:
        """Return no limits: the protocol has none."""
        del limits
        return Limits()

    @property
    def info(self) -> triangle.TriangleInfo | None:
        """The bot's ``info`` message."""
        return self._connection.info

    async def start(self, position: Position) -> None:
        """Send the position: as a state within a game, else after rules and pieces."""
        within = self._position is not None
        self._position = position
        self._answer = None
        self._pending_pieces.clear()
        await self._settle_answers()
        if within and self._channel is not None:
            self._state_pending = True
        else:
            await self._send_config()
        await self._send_pending_updates()

    async def suggest(self, limits: Limits) -> Suggestion:
        """Ask until the bot presses keys or the time is over, which is a resignation."""
        del limits
        position = self._require_position()
        self._require_channel()
        ends = loop_time() + self.settings.move_seconds
        while True:
            if self._connection.stage is not TriangleStage.ASKED:
                await self._send_pending_updates()
                await self._drop_available()
                await self._send(self._create_question())
            move = await self._receive_move()
            if move.keys is UNSET or move.keys:
                break
            if loop_time() + _RETRY_TIMEOUT >= ends:
                return Suggestion(())
            await asyncio.sleep(_RETRY_TIMEOUT)
        self._answer = self._resolve_move(move, position)
        self._count_misdrop(move, self._answer.placement)
        return Suggestion((self._answer.placement,))

    async def play(self, placement: Placement) -> None:
        """Advance the position by the move that was made."""
        position = self._require_position()
        await self._settle_answers()
        answer, self._answer = self._answer, None
        held = placement.piece != position.queue[0]
        # A bot that tracks the position applies the keys that it pressed.
        as_pressed = (
            answer is not None
            and answer.uses_hold == held
            and answer.placement.same_cells(placement)
        )
        self._position = apply_placement(position, placement, self._rules)
        self._state_pending = (
            self._state_pending or self.settings.states == "always" or not as_pressed
        )

    async def new_piece(self, piece: Piece) -> None:
        """Store the piece that joined the queue until the move is complete."""
        self._position = append_piece(self._require_position(), piece)
        self._pending_pieces.append(piece)

    async def garbage(self, pending: tuple[int, ...]) -> None:
        """Store the pending garbage and send the complete move."""
        self._position = dataclasses.replace(self._require_position(), pending=pending)
        await self._send_pending_updates()

    async def stop(self) -> None:
        """End the game, and the process unless it is kept; there is no such message."""
        self._forget_position()
        if self.settings.process == "new":
            await self._close()

    def _phase_timeouts(self) -> tuple[float, float, float]:
        settings = self.settings
        return settings.move_seconds, settings.info_seconds, settings.quit_seconds

    def _check_rules(self, rules: Rules) -> None:
        triangle_conversion.format_config(rules, ())

    def _decode(self, line: bytes) -> triangle.TriangleMessage | None:
        return decode(line)

    async def _launch(self) -> None:
        await self._open_channel()
        self._connection = TriangleHostConnection()
        self._state_sent = self._moved_after_state = False
        await self._receive(TriangleEvent.INTRODUCED, self.settings.info_seconds, "no info")
        assert self._connection.info is not None
        self._set_announced_name(self._connection.info.name)

    async def _send_config(self) -> None:
        """Send rules and pieces to a bot outside a game."""
        rules, position = self._rules, self._require_position()
        if rules is None:
            raise BotDiedError(self.name, "is not running")
        if self._channel is None or not self._channel.running:
            await self._launch()
        # Our own bots read rules that the protocol cannot express from the data.
        data = {"rules": rules.to_dict()}
        await self._send(triangle_conversion.format_config(rules, position.queue[1:], data=data))
        fresh = position.board.is_empty and position.hold is None and not position.pending
        self._state_pending = self.settings.states == "always" or not fresh

    async def _send_pending_updates(self) -> None:
        """Send the changes since the last question."""
        self._require_channel()
        if self._connection.stage is not TriangleStage.PLAYING:
            return
        if self._pending_pieces:
            letters = triangle_conversion.format_pieces(self._pending_pieces)
            self._pending_pieces.clear()
            await self._send(triangle.TrianglePieces(pieces=letters))
        if self._state_pending:
            self._state_pending = False
            await self._send(triangle_conversion.format_state(self._require_position()))

    async def _settle_answers(self) -> None:
        """Wait for a stale move, so that it is not taken for the next one."""
        if self._channel is None or self._connection.stage is not TriangleStage.ASKED:
            return
        try:
            await self._receive_move(STALE_ANSWER_TIMEOUT)
        except BotTimeoutError:
            await self._launch()
            await self._send_config()

    def _create_question(self) -> triangle.TrianglePlay:
        assert self._rules is not None
        garbage, attack = self._rules.garbage, self._rules.attack
        return triangle.TrianglePlay(
            garbage_cap=math.floor(min(garbage.cap, garbage.cap_limit)),
            garbage_multiplier=triangle.format_number(attack.multiplier),
        )

    def _resolve_move(self, move: triangle.TriangleMove, position: Position) -> ResolvedKeys:
        assert self._rules is not None
        tolerant = self.settings.keys == "tolerant"
        try:
            return resolve_keys(move, position, self._rules, aliases=tolerant)
        except ProtocolError as error:
            raise BotProtocolError(self.name, str(error)) from None
        except PlacementError as error:
            raise BotForfeitError(self.name, str(error)) from None

    def _count_misdrop(self, move: triangle.TriangleMove, placement: Placement) -> None:
        expected = read_expected_rows(move)
        if expected is not None:
            board = apply_placement(self._require_position(), placement, self._rules).board
            self.misdrops += expected != tuple(board.row(y) for y in range(len(expected)))

    def _require_position(self) -> Position:
        if self._position is None:
            raise BotDiedError(self.name, "is in no game")
        return self._position

    def _forget_position(self) -> None:
        self._position = None
        self._answer = None
        self._state_pending = False
        self._pending_pieces.clear()

    async def _close(self) -> None:
        self._connection.close()
        await self._close_channel(b"", self.settings.quit_seconds)

    async def _send(self, message: triangle.TriangleHostMessage) -> None:
        try:
            await self._require_channel().send(self._connection.send(message))
        except BotDiedError as error:
            raise self._add_hint(error) from error
        self._state_sent |= isinstance(message, triangle.TriangleState)

    def explain_timeout(self) -> str:
        """Describe unusable output since the last question, and suggest a setting."""
        return "; ".join(filter(None, [super().explain_timeout(), self._hint()]))

    async def _receive_move(self, seconds: float | None = None) -> triangle.TriangleMove:
        await self._receive(TriangleEvent.MOVED, seconds, "no move")
        self._moved_after_state |= self._state_sent
        assert self._connection.move is not None
        return self._connection.move

    async def _receive(self, awaited: TriangleEvent, seconds: float | None, what: str) -> None:
        try:
            await self._receive_until(
                lambda message: self._connection.receive(message) is awaited, seconds, what
            )
        except BotDiedError as error:
            raise self._add_hint(error) from error

    async def _drop_available(self) -> None:
        """Drop the messages before the question, and count the moves among them."""
        before = self._connection.unrequested_moves
        for message in await self._receive_available():
            self._connection.receive(message)
        self.unrequested_moves += self._connection.unrequested_moves - before

    def _add_hint(self, error: BotDiedError) -> BotDiedError:
        hint = self._hint()
        return BotDiedError(error.bot, f"{error.reason}; {hint}") if hint else error

    def _hint(self) -> str:
        """Suggest a setting for a bot that may fail at its first state, or need one."""
        states = self.settings.states
        if states == "always" and self._state_sent and not self._moved_after_state:
            return "if it cannot read a state, states=garbage sends none before the first garbage"
        asked = self._connection.stage is TriangleStage.ASKED
        if states == "garbage" and asked and not self._state_sent:
            return "if it needs a state first, states=always sends one before each play"
        return ""
