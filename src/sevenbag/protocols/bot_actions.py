"""Actions that the bot's end of a connection returns to the caller that runs the bot.

Each protocol adds its own: messages to send, rules to prepare for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from sevenbag._kernel import Piece, Placement
    from sevenbag.game.position import Position


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
    """Write a line to the log."""

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
