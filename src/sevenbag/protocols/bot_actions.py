"""What a bot's side of a protocol tells whoever runs the bot, whatever the protocol.

Each protocol adds actions of its own: what is sent, what the bot has to be ready for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from sevenbag._kernel import Piece, Placement
    from sevenbag.game.position import Position


@dataclass(frozen=True, slots=True)
class StartAction:
    """The position is now this one."""

    position: Position


@dataclass(frozen=True, slots=True)
class SuggestAction:
    """Ask the bot for moves, then do what `answer` of the bot's side makes of them."""


@dataclass(frozen=True, slots=True)
class PlayAction:
    """This placement was made."""

    placement: Placement


@dataclass(frozen=True, slots=True)
class NewPieceAction:
    """This piece joined the end of the queue."""

    piece: Piece


@dataclass(frozen=True, slots=True)
class OpponentsAction:
    """The other players stand like this."""

    opponents: tuple[Position, ...]


@dataclass(frozen=True, slots=True)
class GarbageAction:
    """These attacks wait, in the order in which they will enter, in lines."""

    pending: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class StopAction:
    """The game is over."""


@dataclass(frozen=True, slots=True)
class QuitAction:
    """The bot is to exit."""


@dataclass(frozen=True, slots=True)
class LogAction:
    """Something is odd; a line for the log."""

    text: str


CommonAction: TypeAlias = (
    StartAction
    | SuggestAction
    | PlayAction
    | NewPieceAction
    | OpponentsAction
    | GarbageAction
    | StopAction
    | QuitAction
    | LogAction
)
