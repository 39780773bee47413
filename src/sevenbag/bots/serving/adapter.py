"""An adapter that serves any bot to a frontend that speaks TBP, over any transport."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

import sevenbag
from sevenbag.bots.bot import Limits
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
from sevenbag.protocols.json_lines import parse_json
from sevenbag.protocols.tbp import messages as tbp
from sevenbag.protocols.tbp import tbp_connections, tbp_conversion
from sevenbag.protocols.tbp.messages import decode, encode
from sevenbag.protocols.tbp.tbp_conversion import find_inputs

if TYPE_CHECKING:
    from sevenbag._kernel import Placement
    from sevenbag.bots.bot import Bot
    from sevenbag.bots.serving.service import AdapterFactory, SendLine
    from sevenbag.game import Rules

MAX_ANSWER_BYTES: Final = 4096
"""Bytes; a frontend in the field reads lines into a buffer of this size."""


@dataclass(frozen=True, slots=True)
class TbpAdapterSettings:
    """Settings of an adapter.

    Attributes:
        limits: what it may spend on a suggestion; nothing said, what it grants itself.
        rules: by which it plays, as far as the frontend does not tell; None for ``guideline``.
        max_moves: how many moves a suggestion has at most. One is what all frontends take alike.
        max_line_bytes: bytes of an answer with its end, at most.
        features: whether to announce those that we have.
        inputs: whether to tell the way to the first move, as the versus dialect does.
    """

    limits: Limits = field(default_factory=Limits)
    rules: Rules | None = None
    max_moves: int = 1
    max_line_bytes: int = MAX_ANSWER_BYTES
    features: bool = True
    inputs: bool = False


@dataclass(frozen=True, slots=True)
class InvalidTbpMessage:
    """An invalid message, with its type as far as it is known."""

    message_type: str = ""


TbpInput: TypeAlias = tbp.TbpMessage | InvalidTbpMessage


def tbp_adapter(manner: TbpAdapterSettings | None = None) -> AdapterFactory:
    """Return a factory of adapters for frontends that speak TBP."""
    return lambda bot, say: TbpAdapter(bot, manner or TbpAdapterSettings(), say)


class TbpAdapter:
    """One bot and one frontend, from the introduction to the end.

    Every question is answered once, in order. Problems are logged on standard error.

    Attributes:
        inbox: what the frontend says.
    """

    def __init__(self, bot: Bot, manner: TbpAdapterSettings, say: SendLine) -> None:
        """Create an adapter; nothing happens before `run`.

        Args:
            bot: not yet prepared.
            manner: how it is served.
            say: sends a line.
        """
        self.inbox = TbpMessageInbox()
        self._bot = bot
        self._settings = manner
        self._send_line = say
        self._rules: Rules | None = None
        self._connection = tbp_connections.TbpBotConnection(
            max_moves=manner.max_moves, max_line_bytes=manner.max_line_bytes
        )

    async def run(self) -> None:
        """Serve until the frontend sends ``quit`` or closes; the caller ends the bot.

        Raises:
            OutputClosedError: an answer cannot be sent.
        """
        features = tbp_connections.FEATURES if self._settings.features else ()
        self._send(
            self._connection.introduce(self._bot.name, sevenbag.__version__, "sevenbag", features)
        )
        while (heard := await self.inbox.get()) is not None:
            if isinstance(heard, InvalidTbpMessage):
                self._connection.receive_invalid(heard.message_type)
                continue
            for action in self._connection.receive(heard):
                if isinstance(action, bot_actions.QuitAction):
                    return
                if not await self._do(action):
                    break

    async def _do(self, action: tbp_connections.TbpBotAction) -> bool:
        """Execute an action; return True if the rest of the list is to be executed."""
        try:
            match action:
                case tbp_connections.TbpSendAction(message):
                    self._send(message)
                case tbp_connections.TbpPrepareAction(rules):
                    return await self._prepare(rules)
                case bot_actions.SuggestAction():
                    await self._answer()
                case bot_actions.LogAction(text):
                    log(text)
                case _:
                    await update_bot(self._bot, action)
        except OutputClosedError:
            raise
        except Exception as error:  # noqa: BLE001 - a bot may raise anything
            # Ask the bot again from the next position on, whatever the failure was.
            log(describe_error(error))
            self._connection.handle_bot_failure()
            return False
        return True

    async def _prepare(self, told: tbp.TbpRules) -> bool:
        try:
            self._rules = _apply_rules(told, self._settings.rules)
            await self._bot.prepare(self._rules)
        except Exception as error:  # noqa: BLE001 - a bot may raise anything
            log(describe_error(error))
            follow_up = self._connection.reject_rules()
            ready = False
        else:
            follow_up = self._connection.accept_rules()
            ready = True
        for action in follow_up:
            await self._do(action)
        return ready

    async def _answer(self) -> None:
        try:
            suggestion = await ask_until_stale(self._bot, self._settings.limits, self.inbox)
            info = suggestion.info
            answer = self._connection.answer(
                suggestion.moves,
                tbp.TbpMoveInfo(info.nodes, info.nps, info.depth, info.extra),
                inputs=self._find_inputs(suggestion.moves[0]) if suggestion.moves else None,
            )
        except Exception:
            # Every question gets an answer.
            self._send(self._connection.answer(()))
            raise
        self._send(answer)

    def _find_inputs(self, move: Placement) -> tuple[tbp.InputName, ...] | None:
        position, rules = self._connection.position, self._rules
        if not self._settings.inputs or position is None or rules is None:
            return None
        spawn = tbp_conversion.find_spawn(position.board, move.piece, rules)
        if spawn is None:
            return None
        pieces = rules.pieces
        return find_inputs(
            move, position.board, spawn=spawn, kicks=pieces.kicks, spins=pieces.spins
        )

    def _send(self, message: tbp.TbpBotMessage) -> None:
        self._send_line(encode(message))


class TbpMessageInbox(MessageInbox[TbpInput]):
    """Messages of a frontend."""

    def parse(self, line: bytes | None) -> TbpInput | None:
        """Decode a line; log invalid ones."""
        return _parse_input(line)

    def is_superseding(self, heard: TbpInput) -> bool:
        """Return True for a new position and for an end."""
        return isinstance(heard, tbp.TbpStart | tbp.TbpStop | tbp.TbpQuit)


# --- helpers ------------------------------------------------------------------------------------


def _parse_input(line: bytes | None) -> TbpInput | None:
    if line is None:
        log("skipped a line that is too long")
        return InvalidTbpMessage()
    try:
        message = decode(line, ignore_extensions=True)
    except ProtocolError as error:
        log(f"skipped an invalid message: {error}")
        return InvalidTbpMessage(error.kind)
    if message is None and line.strip():
        log(f"skipped a line that is not a message: {line[:60]!r}")
        if line.lstrip().startswith(b"{") and parse_json(line) is None:
            return InvalidTbpMessage(_guess_message_type(line))
    return message


def _guess_message_type(line: bytes) -> str:
    """Guess the type of a broken message; unknown types are skipped."""
    kinds = ("start", "play", "garbage")
    return next((kind for kind in kinds if f'"{kind}"'.encode() in line), "unknown")


def _apply_rules(told: tbp.TbpRules, rules: Rules | None) -> Rules:
    """Return our own rules with the changes that the frontend sent."""
    # Imported late, so that the introduction is sent without delay.
    from sevenbag.game import Rules  # noqa: PLC0415

    base = rules or Rules.preset("guideline")
    changes = tbp_conversion.parse_rules(told)
    return base.replace(changes, name="TBP") if changes else base
