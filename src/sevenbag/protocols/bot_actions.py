"""The bot's end of a connection in any protocol: its interface and the actions that it returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    from sevenbag._kernel import Piece, Placement
    from sevenbag.game.position import Position
    from sevenbag.game.rules import Rules


@dataclass(frozen=True, slots=True)
class SearchInfo:
    """Search statistics that a bot reports; each bot counts in its own way."""

    nodes: float | None = None
    nps: float | None = None
    depth: float | None = None
    extra: str | None = None


@dataclass(frozen=True, slots=True)
class SendAction:
    """Send this message."""

    message: Any


@dataclass(frozen=True, slots=True)
class PrepareAction:
    """Prepare the bot for these rules, then call `accept_rules` or `reject_rules`.

    If the bot is not ready, skip the rest of the list.
    """

    rules: Rules


@dataclass(frozen=True, slots=True)
class UpdateRulesAction:
    """Tell the bot the rules that changed during the game, if its protocol can.

    Only the garbage cap, the attack multiplier, bombs and hold change. A position follows.
    """

    rules: Rules


@dataclass(frozen=True, slots=True)
class StartAction:
    """Set the bot's position."""

    position: Position


@dataclass(frozen=True, slots=True)
class SuggestAction:
    """Ask the bot for moves, then execute the actions that the connection's `answer` returns."""


@dataclass(frozen=True, slots=True)
class PlayAction:
    """Tell the bot that this placement was made."""

    placement: Placement


@dataclass(frozen=True, slots=True)
class NewPieceAction:
    """Tell the bot that this piece joined the end of the queue."""

    piece: Piece


@dataclass(frozen=True, slots=True)
class OpponentsAction:
    """Tell the bot the positions of the other players."""

    opponents: tuple[Position, ...]


@dataclass(frozen=True, slots=True)
class GarbageAction:
    """Tell the bot the pending attacks in lines, in the order in which they will enter."""

    pending: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class StopAction:
    """Tell the bot that the game is over."""


@dataclass(frozen=True, slots=True)
class QuitAction:
    """End the bot."""


@dataclass(frozen=True, slots=True)
class LogAction:
    """Write a line to the log: a stable event name and its fields."""

    event: str
    fields: Mapping[str, object]

    def __str__(self) -> str:
        """Return the line, such as ``serve.line_ignored reason=too_long``."""
        return " ".join([self.event, *(f"{key}={_quote(self.fields[key])}" for key in self.fields)])


BotAction: TypeAlias = (
    SendAction
    | PrepareAction
    | UpdateRulesAction
    | StartAction
    | SuggestAction
    | PlayAction
    | NewPieceAction
    | OpponentsAction
    | GarbageAction
    | StopAction
    | QuitAction
    | LogAction
)


class BotConnection(Protocol):
    """The bot's end of a connection, without I/O."""

    @property
    def visible_position(self) -> Position | None:
        """Return the position as the bot sees it; None without a piece to place."""
        ...

    def introduce(self, name: str, version: str, author: str) -> object:
        """Return the message that is sent first."""
        ...

    def decode(self, line: bytes) -> object | None:
        """Decode a line; None if it is not a message.

        Raises:
            ProtocolError: a message is invalid; `kind` is its type.
        """
        ...

    def encode(self, message: Any) -> bytes:
        """Encode a message as one line with its end."""
        ...

    def is_superseding(self, message: object) -> bool:
        """Return True if the message makes the current question obsolete."""
        ...

    def receive(self, message: Any) -> list[BotAction]:
        """Return the actions for a message."""
        ...

    def receive_invalid(self, message_type: str) -> list[BotAction]:
        """Return the actions for an invalid message; the type is empty if it is unknown."""
        ...

    def accept_rules(self) -> list[BotAction]:
        """Confirm the rules: the bot is ready."""
        ...

    def reject_rules(self) -> list[BotAction]:
        """Reject the rules: the bot cannot play by them."""
        ...

    def answer(self, moves: Sequence[Placement], info: SearchInfo | None = None) -> list[BotAction]:
        """Return the actions for the answer to a question; no moves mean that the bot resigns."""
        ...

    def handle_bot_failure(self) -> None:
        """Handle a bot that failed: it does not know the position."""
        ...


def _quote(value: object) -> str:
    text = str(value)
    return text if text and not set(text) & set(" \t\n\"'=") else repr(text)
