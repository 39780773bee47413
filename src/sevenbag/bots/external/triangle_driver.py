"""A driver that makes any program that speaks the Triangle.js adapter protocol a `Bot`.

The host of a match here is stricter than Triangle.js, and kinder: it tells the position before each
question, as simple bots need it, and what Triangle.js drops, plays halfway or crashes at is a fault
that is named.
"""

from __future__ import annotations

import asyncio
import dataclasses
import math
from typing import TYPE_CHECKING, Final, Literal

from msgspec import UNSET, Struct

from sevenbag.bots.bot import Bot, Limits, Suggestion, printable_name
from sevenbag.bots.external.bot_channel import LAUNCH_TIMEOUT, MessageReader
from sevenbag.bots.external.process import create_process_launcher, program_name, split_command
from sevenbag.bots.external.tbp_profile import Duration  # noqa: TC001  # msgspec reads it
from sevenbag.bots.external.websocket_channel import is_websocket_url
from sevenbag.errors import (
    BotDiedError,
    BotForfeitError,
    BotProtocolError,
    BotStartError,
    BotTimeoutError,
    PlacementError,
    ProtocolError,
    RulesError,
)
from sevenbag.game.position import append_piece, apply_placement
from sevenbag.protocols.triangle import messages as triangle
from sevenbag.protocols.triangle import triangle_conversion
from sevenbag.protocols.triangle.messages import decode, encode
from sevenbag.protocols.triangle.triangle_connections import (
    TriangleEvent,
    TriangleHostConnection,
    TriangleStage,
)
from sevenbag.protocols.triangle.triangle_keys import read_expected_rows, resolve_keys

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from sevenbag._kernel import Piece, Placement
    from sevenbag.bots.bot import Position, Step
    from sevenbag.bots.external.bot_channel import BotChannel, ChannelLauncher
    from sevenbag.game import Rules
    from sevenbag.protocols.triangle.triangle_keys import ResolvedKeys

_STALE_ANSWER_TIMEOUT: Final = 1.0
"""Seconds for an answer that is owed from another position, before the bot is started afresh."""
_RETRY_TIMEOUT: Final = 0.05
"""Seconds until a bot that pressed nothing is asked again, as hosts do."""
_TIMEOUT_MARGIN: Final = 5.0
"""Extra seconds for callers, so that the more specific timeout of the driver comes first."""


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


class TriangleDriver(Bot):
    """A program that speaks the Triangle.js adapter protocol over its standard input and output.

    The protocol has no words for limits: a bot answers when it likes, within the time for a move.

    Attributes:
        name: the name given, else what the bot calls itself, else its program.
        settings: how it is spoken to.
        launch: opens a channel to it.
        unrequested_moves: number of moves without a question; they are dropped.
        strayed: moves after which the board is not the one that the bot expected, as far as it
            says what it expects, in ``data.board``, as many do.
    """

    protocol = "triangle"

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
        """Create a driver; the program starts in `prepare`.

        Args:
            command: program and arguments; a text is split as a shell would split it.
            name: what to call the bot.
            settings: how to speak to it.
            folder: its working folder; ours by default.
            log: a file to which its standard error is appended.
            launch: opens another channel than a process of this command.

        Raises:
            BotStartError: the command is empty, or its quotes do not match.
        """
        words = split_command(command, name or "triangle")
        self._has_fixed_name = name is not None
        self.name = name or program_name(words)
        self.settings = settings or TriangleSettings()
        self._command, self._folder = words, folder
        self.launcher = launcher or create_process_launcher(
            words, folder=folder, log=log, send_sigint=True
        )
        self.unrequested_moves = 0
        self.misdrops = 0
        self._conversation: _TriangleConversation | None = None
        self._rules: Rules | None = None
        self._position: Position | None = None
        self._answer: ResolvedKeys | None = None
        self._state_pending = False
        self._pending_pieces: list[Piece] = []

    def create_launcher(
        self, environment: Mapping[str, str] | None = None
    ) -> ChannelLauncher | None:
        """Return a launcher for processes that get no signal before their input ends.

        Args:
            environment: its environment; ours by default.

        Returns: None if it is no process of ours.
        """
        if is_websocket_url(self._command[0]):
            return None
        return create_process_launcher(self._command, folder=self._folder, environment=environment)

    def effective_limits(self, limits: Limits) -> Limits:
        """Return no limits: the protocol has none."""
        del limits
        return Limits()

    def least_seconds(self, step: Step) -> float:
        """Return the time limit of the settings; a game may require a new process."""
        settings = self.settings
        ready = LAUNCH_TIMEOUT + settings.info_seconds
        seconds = {
            "prepare": ready,
            "tell": settings.quit_seconds + ready,
            "suggest": settings.move_seconds,
            "stop": settings.quit_seconds,
            "quit": settings.quit_seconds,
        }
        return seconds[step] + _TIMEOUT_MARGIN

    @property
    def info(self) -> triangle.TriangleInfo | None:
        """The bot's ``info`` message."""
        return self._conversation.connection.info if self._conversation is not None else None

    @property
    def pid(self) -> int | None:
        """Process ID and process group ID; None when no process runs."""
        return self._conversation.channel.pid if self._conversation is not None else None

    @property
    def stderr(self) -> str:
        """The end of its standard error output."""
        return self._conversation.channel.stderr if self._conversation is not None else ""

    @property
    def skipped_lines(self) -> int:
        """Number of lines that were not messages."""
        return self._conversation.reader.skipped_lines if self._conversation is not None else 0

    # --- the life of a bot ----------------------------------------------------------------------

    async def prepare(self, rules: Rules) -> None:
        """Start the program and wait for its ``info``; rules are sent with each game."""
        try:
            triangle_conversion.format_config(rules, ())
        except RulesError as error:
            raise BotStartError(self.name, str(error)) from None
        self._rules = rules
        try:
            if self._conversation is None or not self._conversation.channel.running:
                await self._launch()
        except BotDiedError as error:
            await self.quit()
            raise BotStartError(self.name, error.reason) from error
        except BaseException:
            # Leave nothing behind of a bot that did not become ready.
            await self.quit()
            raise

    async def start(self, position: Position) -> None:
        """Send the position: as a state within a game, else after rules and pieces."""
        within = self._position is not None
        self._position = position
        self._answer = None
        self._pending_pieces.clear()
        await self._settle_answers()
        if within and self._conversation is not None:
            self._state_pending = True
        else:
            await self._send_config()
        await self._send_pending_updates()

    async def suggest(self, limits: Limits) -> Suggestion:
        """Ask until the bot presses keys or the time is over, which is a resignation."""
        del limits
        position = self._require_position()
        talk = self._require_conversation()
        ends = _now() + self.settings.move_seconds
        while True:
            if talk.connection.stage is not TriangleStage.ASKED:
                await self._send_pending_updates()
                self.unrequested_moves += await talk.discard_available()
                await talk.send(talk.connection.play(self._create_question()))
            move = await talk.receive_move(ends - _now(), self.settings.move_seconds)
            if move.keys is UNSET or move.keys:
                break
            if _now() + _RETRY_TIMEOUT >= ends:
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

    async def quit(self) -> None:
        """End the program with all its children."""
        self._forget_position()
        await self._close()

    # --- telling --------------------------------------------------------------------------------

    async def _launch(self) -> None:
        await self._close()
        channel = await self.launcher(self.name)
        self._conversation = _TriangleConversation(channel, self.settings)
        info = await self._conversation.receive_info(self.settings.info_seconds)
        introduced = printable_name(info.name)
        if introduced and not self._has_fixed_name:
            self.name = channel.name = introduced

    async def _send_config(self) -> None:
        """Send rules and pieces to a bot outside a game."""
        rules, position = self._rules, self._require_position()
        if rules is None:
            raise BotDiedError(self.name, "is not running")
        if self._conversation is None or not self._conversation.channel.running:
            await self._launch()
        talk = self._require_conversation()
        # Our own bots read rules that the protocol cannot express from the data.
        data = {"rules": rules.to_dict()}
        await talk.send(
            talk.connection.config(
                triangle_conversion.format_config(rules, position.queue[1:], data=data)
            )
        )
        fresh = position.board.is_empty and position.hold is None and not position.pending
        self._state_pending = self.settings.states == "always" or not fresh

    async def _send_pending_updates(self) -> None:
        """Send the changes since the last question."""
        talk = self._require_conversation()
        if talk.connection.stage is not TriangleStage.PLAYING:
            return
        if self._pending_pieces:
            letters = triangle_conversion.format_pieces(self._pending_pieces)
            self._pending_pieces.clear()
            await talk.send(talk.connection.pieces(triangle.TrianglePieces(pieces=letters)))
        if self._state_pending:
            self._state_pending = False
            await talk.send(
                talk.connection.state(triangle_conversion.format_state(self._require_position()))
            )

    async def _settle_answers(self) -> None:
        """Wait for a stale move, so that it is not taken for the next one."""
        talk = self._conversation
        if talk is None or talk.connection.stage is not TriangleStage.ASKED:
            return
        if not await talk.settle(_STALE_ANSWER_TIMEOUT):
            await self._launch()
            await self._send_config()

    # --- asking ---------------------------------------------------------------------------------

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

    # --- helpers --------------------------------------------------------------------------------

    def _require_conversation(self) -> _TriangleConversation:
        if self._conversation is None:
            raise BotDiedError(self.name, "is not running")
        return self._conversation

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
        talk, self._conversation = self._conversation, None
        if talk is not None:
            talk.connection.close()
            await talk.channel.close(b"", self.settings.quit_seconds)


# --- helpers ------------------------------------------------------------------------------------


class _TriangleConversation:
    """A connection to one process, with a time limit for each answer."""

    def __init__(self, channel: BotChannel, settings: TriangleSettings) -> None:
        self.channel = channel
        self._settings = settings
        self._state_sent = False
        self._moved_after_state = False
        self.connection = TriangleHostConnection()
        self.reader: MessageReader[triangle.TriangleMessage] = MessageReader(channel, decode)

    async def send(self, message: triangle.TriangleHostMessage) -> None:
        try:
            await self.channel.send(encode(message))
        except BotDiedError as error:
            raise self._add_hint(error) from error
        self._state_sent |= isinstance(message, triangle.TriangleState)

    async def receive_info(self, seconds: float) -> triangle.TriangleInfo:
        await self._wait_for(TriangleEvent.INTRODUCED, seconds, seconds, "no info")
        assert self.connection.info is not None
        return self.connection.info

    async def receive_move(self, left: float, allowed: float) -> triangle.TriangleMove:
        await self._wait_for(TriangleEvent.MOVED, left, allowed, "no move")
        self._moved_after_state |= self._state_sent
        assert self.connection.move is not None
        return self.connection.move

    async def settle(self, seconds: float) -> bool:
        """Return True if the pending move arrives within this time."""
        try:
            await self.receive_move(seconds, seconds)
        except BotTimeoutError:
            return False
        return True

    async def discard_available(self) -> int:
        """Drop the messages before the question; return the number of moves among them."""
        before = self.connection.unrequested_moves
        for line in await self.channel.receive_available():
            message = self.reader.decode(line)
            if message is not None:
                self.connection.receive(message)
        return self.connection.unrequested_moves - before

    async def _wait_for(
        self, awaited: TriangleEvent, left: float, allowed: float, what: str
    ) -> None:
        skipped = self.reader.skipped_lines
        try:
            async with asyncio.timeout(left):
                while self.connection.receive(await self.reader.receive()) is not awaited:
                    pass
        except BotDiedError as error:
            raise self._add_hint(error) from error
        except TimeoutError:
            hints = [f"{what} within {allowed:g} s", *self.reader.describe_problems(skipped)]
            if awaited is TriangleEvent.INTRODUCED:
                hints.append("is its output flushed?")
            elif hint := self._hint():
                hints.append(hint)
            raise BotTimeoutError(self.channel.name, "; ".join(hints)) from None

    def _add_hint(self, error: BotDiedError) -> BotDiedError:
        hint = self._hint()
        return BotDiedError(error.bot, f"{error.reason}; {hint}") if hint else error

    def _hint(self) -> str:
        """Suggest a setting for a bot that may fail at its first state, or need one."""
        if self._settings.states == "always" and self._state_sent and not self._moved_after_state:
            return "if it cannot read a state, states=garbage sends none before the first garbage"
        asked = self.connection.stage is TriangleStage.ASKED
        if self._settings.states == "garbage" and asked and not self._state_sent:
            return "if it needs a state first, states=always sends one before each play"
        return ""


def _now() -> float:
    return asyncio.get_running_loop().time()
