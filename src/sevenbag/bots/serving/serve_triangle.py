"""An adapter that serves any bot to a host of the Triangle.js adapter protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import msgspec

import sevenbag
from sevenbag.bots.serving.service import (
    MessageInbox,
    OutputClosedError,
    ask_until_stale,
    describe_error,
    log,
    update_bot,
)
from sevenbag.errors import ProtocolError
from sevenbag.protocols import bot_actions
from sevenbag.protocols.triangle import messages as triangle
from sevenbag.protocols.triangle import triangle_connections
from sevenbag.protocols.triangle.messages import decode, encode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sevenbag._kernel import Placement
    from sevenbag.bots.bot import Bot, Limits
    from sevenbag.bots.serving.service import AdapterFactory, SendLine
    from sevenbag.game.position import Position
    from sevenbag.game.rules import Rules


class InvalidTriangleMessage(msgspec.Struct, frozen=True):
    """An invalid message of this type."""

    message_type: str


TriangleInput: TypeAlias = triangle.TriangleMessage | InvalidTriangleMessage


def triangle_adapter(
    limits: Limits, max_visible: int = triangle_connections.MAX_VISIBLE_PIECES
) -> AdapterFactory:
    """Return a factory of adapters for Triangle hosts.

    Args:
        limits: what a bot may spend on a move; nothing said, what it grants itself.
        most_seen: pieces that it is shown at most, the current one included.
    """
    return lambda bot, say: TriangleAdapter(bot, limits, max_visible, say)


class TriangleAdapter:
    """One bot, one host, from the introduction to the end.

    Every question is answered once, in order, because the host waits for it. Problems are logged on
    standard error, which hosts show as errors; normal play logs nothing.

    Attributes:
        inbox: what the host says.
    """

    def __init__(self, bot: Bot, limits: Limits, most_seen: int, say: SendLine) -> None:
        """Create an adapter; nothing happens before `run`."""
        self.inbox = TriangleMessageInbox()
        self._bot = bot
        self._limits = limits
        self._send_line = say
        self._rules: Rules | None = None
        self._failed = False
        self._connection = triangle_connections.TriangleBotConnection(max_visible=most_seen)

    async def run(self) -> None:
        """Serve until the host closes; the caller ends the bot.

        Raises:
            OutputClosedError: an answer cannot be sent.
        """
        self._send(self._connection.introduce(self._bot.name, sevenbag.__version__, "sevenbag"))
        while (heard := await self.inbox.get()) is not None:
            if isinstance(heard, InvalidTriangleMessage):
                todo = self._connection.receive_invalid(heard.message_type)
            else:
                todo = self._connection.receive(heard)
            await self._do_all(todo)

    async def _do_all(self, todo: list[triangle_connections.TriangleBotAction]) -> None:
        lost = False
        for action in todo:
            # Every question gets an answer, even if the bot failed.
            if not lost or isinstance(
                action, triangle_connections.TriangleSendAction | bot_actions.SuggestAction
            ):
                lost |= not await self._do(action)

    async def _do(self, action: triangle_connections.TriangleBotAction) -> bool:
        """Execute an action; return True if the bot received it."""
        try:
            match action:
                case triangle_connections.TriangleSendAction(message):
                    self._send(message)
                case triangle_connections.TrianglePrepareAction(rules):
                    await self._prepare(rules)
                case triangle_connections.UpdateRulesAction(rules):
                    self._rules = rules
                    # The protocols of external bots cannot express this.
                    if self._bot.protocol is None:
                        await self._bot.prepare(rules)
                case bot_actions.StartAction(position):
                    await self._start_bot(position)
                case bot_actions.SuggestAction():
                    await self._answer()
                case bot_actions.LogAction(text):
                    log(text)
                case _:
                    await update_bot(self._bot, action)
        except OutputClosedError:
            raise
        except Exception as error:  # noqa: BLE001 - a bot may raise anything
            log(describe_error(error))
            if isinstance(action, triangle_connections.TrianglePrepareAction):
                self._connection.reject_rules()
            else:
                self._connection.handle_bot_failure()
                self._failed = True
            return False
        return True

    async def _prepare(self, rules: Rules) -> None:
        if self._rules is not None:
            await self._bot.stop()
        self._rules = rules
        await self._bot.prepare(rules)

    async def _start_bot(self, position: Position) -> None:
        if self._failed and self._rules is not None:
            # The bot may have ended: `prepare` starts it again.
            self._failed = False
            await self._bot.prepare(self._rules)
        await self._bot.start(position)

    async def _answer(self) -> None:
        try:
            moves = (await ask_until_stale(self._bot, self._limits, self.inbox)).moves
        except Exception:
            # Every question gets an answer.
            self._send_answer(())
            raise
        for action in self._send_answer(moves):
            await update_bot(self._bot, action)

    def _send_answer(
        self, moves: Sequence[Placement]
    ) -> list[triangle_connections.TriangleBotAction]:
        """Send the answer; return the actions for the bot."""
        todo = self._connection.answer(moves)
        for action in todo:
            if isinstance(action, triangle_connections.TriangleSendAction):
                self._send(action.message)
        return todo

    def _send(self, message: triangle.TriangleBotMessage) -> None:
        self._send_line(encode(message))


class TriangleMessageInbox(MessageInbox[TriangleInput]):
    """Messages of a host."""

    def parse(self, line: bytes | None) -> TriangleInput | None:
        """Decode a line; log invalid ones."""
        if line is None:
            log("skipped a line that is too long")
            return None
        try:
            message = decode(line)
        except ProtocolError as error:
            log(f"skipped an invalid message: {error}")
            return InvalidTriangleMessage(error.kind)
        if message is None and line.strip():
            log(f"skipped a line that is not a message: {line[:60]!r}")
        return message

    def is_superseding(self, heard: TriangleInput) -> bool:
        """Return True for a new position and for a new game."""
        return isinstance(heard, triangle.TriangleConfig | triangle.TriangleState)
