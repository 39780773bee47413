"""The `Bot` interface: a bot receives positions and answers with moves.

The caller (a game runner, a protocol server) keeps the deadlines: it may cancel every coroutine at
any moment. Afterwards the bot must be usable, or at least `quit` must work.
"""

from __future__ import annotations

import abc
import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from sevenbag.errors import BotStartError, BotTimeoutError, InputError, printable, shown
from sevenbag.game import Rules
from sevenbag.game.position import Position
from sevenbag.protocols.bot_actions import SearchInfo

if TYPE_CHECKING:
    from sevenbag._kernel import Piece, Placement

__all__ = [
    "MAX_NAME_LENGTH",
    "Bot",
    "Limits",
    "Position",
    "PositionBot",
    "SearchInfo",
    "Step",
    "Suggestion",
    "ask_bot",
    "display_name",
    "make_names_unique",
    "printable_name",
    "shorten_name",
]

Step = Literal["prepare", "update", "suggest", "stop", "quit"]
"""Steps with a time limit; ``update`` sends a position or a move."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one suggestion; None means no limit.

    A bot that is limited by nodes alone always gives the same answer to the same position.

    Attributes:
        milliseconds: thinking time, above 0 and finite.
        nodes: positions examined, at least 1.

    Raises:
        InputError: a limit out of its range.
    """

    milliseconds: float | None = None
    nodes: int | None = None

    def __post_init__(self) -> None:
        """Check the ranges; NaN is invalid."""
        time, nodes = self.milliseconds, self.nodes
        if time is not None and not (_is_number(time, float) and 0 < time < math.inf):
            raise InputError(f"invalid milliseconds: expected number above 0, got {shown(time)}")
        if nodes is not None and not (_is_number(nodes, int) and 1 <= nodes <= _MAX_NODES):
            raise InputError(
                f"invalid nodes: expected integer from 1 to {_MAX_NODES}, got {shown(nodes)}"
            )


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Moves in order of preference, best first; no moves mean that the bot resigns.

    The piece of a move shows if it uses hold: any piece but the current one comes out of the hold
    slot, or is the next in the queue if nothing is held.
    """

    moves: tuple[Placement, ...]
    info: SearchInfo = field(default_factory=SearchInfo)


class Bot(abc.ABC):
    """A bot during its life: prepare, then games (start ... stop), then quit.

    Within a game: ``suggest``, then ``play`` with the move that was made, then ``new_piece`` for
    each piece that joined the end of the queue. ``start`` may come at any time and replaces the
    position (garbage entered, a new game).
    """

    name: str
    protocol: str | None = None
    """Protocol of an external program; None for a bot in this process."""
    takes_positions: bool = False
    """After `play` the caller sends the new position with `start`, not the changes to it."""

    def effective_limits(self, limits: Limits) -> Limits:
        """Return the limits that apply if these are requested, including the bot's own.

        By default they are the requested limits. The method is idempotent.
        """
        return limits

    @property
    def wants_opponents(self) -> bool:
        """Return True if the bot uses the positions of the other players."""
        return type(self).opponents is not Bot.opponents

    def step_timeout(self, step: Step) -> float | None:
        """Return the bot's own time limit for a step in seconds; None for the caller's limit.

        The thinking time of the limits is added to it.
        """
        del step
        return None

    def explain_timeout(self) -> str:
        """Explain a missing answer, for errors; empty if nothing is known."""
        return ""

    @abc.abstractmethod
    async def prepare(self, rules: Rules) -> None:
        """Prepare to play under these rules.

        Raises:
            BotStartError: it cannot be started, or does not play these rules.
            BotTimeoutError: it was not ready in time.
        """

    @abc.abstractmethod
    async def start(self, position: Position) -> None:
        """Set the current position."""

    @abc.abstractmethod
    async def suggest(self, limits: Limits) -> Suggestion:
        """Suggest moves for the current position, without changing it.

        Raises:
            BotError: the bot ended or sent an invalid answer.
        """

    @abc.abstractmethod
    async def play(self, placement: Placement) -> None:
        """Advance the position by a move, suggested or not."""

    @abc.abstractmethod
    async def new_piece(self, piece: Piece) -> None:
        """Append a piece to the end of the queue."""

    async def garbage(self, pending: tuple[int, ...]) -> None:  # noqa: B027  # may be ignored
        """Receive the pending attacks in lines, in the order in which they will enter.

        Called before each question; may be left out.
        """

    async def opponents(self, positions: tuple[Position, ...]) -> None:  # noqa: B027  # likewise
        """Receive the positions of the other players.

        Called before `start` and `play` if the positions are known; may be left out.
        """

    @abc.abstractmethod
    async def stop(self) -> None:
        """End the game; `start` may follow."""

    @abc.abstractmethod
    async def quit(self) -> None:
        """End the bot and release everything; may be called in any state, and twice."""


async def ask_bot(bot: Bot, limits: Limits, seconds: float | None = None) -> Suggestion:
    """Ask a bot for moves within a time limit.

    The limit is `seconds`, else the bot's own, if any; the thinking time is added to it.

    Raises:
        BotTimeoutError: the bot did not answer in time.
    """
    allowed = bot.step_timeout("suggest") if seconds is None else seconds
    if allowed is not None and limits.milliseconds is not None:
        allowed += limits.milliseconds / 1000
    try:
        async with asyncio.timeout(allowed):
            return await bot.suggest(limits)
    except TimeoutError:
        words = "no answer to suggest" + (f" within {allowed:g} s" if allowed is not None else "")
        hint = bot.explain_timeout()
        raise BotTimeoutError(bot.name, f"{words}; {hint}" if hint else words) from None


class PositionBot(Bot):
    """A bot in this process that receives positions instead of the changes to them."""

    takes_positions = True
    _rules: Rules | None = None
    _position: Position | None = None

    @property
    def rules(self) -> Rules:
        """Current rules; `BotStartError` before `prepare`."""
        if self._rules is None:
            raise BotStartError(self.name, "knows no rules")
        return self._rules

    @property
    def position(self) -> Position:
        """Current position; `BotStartError` without one."""
        if self._position is None:
            raise BotStartError(self.name, "has no position")
        return self._position

    async def prepare(self, rules: Rules) -> None:
        """Store the rules; all rules are supported."""
        self._rules = rules

    async def start(self, position: Position) -> None:
        """Set the current position."""
        self._position = position

    async def play(self, placement: Placement) -> None:
        """Do nothing: the new position follows."""

    async def new_piece(self, piece: Piece) -> None:
        """Do nothing: the new position has the piece."""

    async def stop(self) -> None:
        """Forget the position."""
        self._position = None

    async def quit(self) -> None:
        """Forget the position."""
        await self.stop()


MAX_NAME_LENGTH: Final = 40
"""Maximum characters of an announced name; longer names are shortened."""


def display_name(bot: Bot) -> str:
    """Return the announced name of a bot with its protocol, shortened if it is long.

    An external program has the name of its command until it announces another one.
    """
    name = f"{bot.name} ({bot.protocol})" if bot.protocol else bot.name
    return printable_name(name)


def printable_name(name: str) -> str:
    """Return an announced name as one line of printable text, shortened if it is long."""
    return shorten_name(" ".join(printable(name.strip()).split()), MAX_NAME_LENGTH)


def make_names_unique(
    names: Sequence[str], specs: Sequence[str], fixed: Sequence[bool]
) -> list[str]:
    """Make names unique.

    Equal names get a suffix: the options of the specifications if these begin with the name, differ
    and are short, else a number.

    Args:
        names: one for each player.
        specs: the specifications of their bots.
        fixed: whether each name is kept unless it equals another kept name.
    """
    found = list(names)
    for name in dict.fromkeys(names):
        places = [place for place, other in enumerate(names) if other == name]
        if len(places) == 1:
            continue
        kept = [place for place in places if fixed[place]]
        own = [specs[place] for place in places]
        if not kept and _can_be_names(own, name) and not {*own} & ({*found} - {name}):
            for place in places:
                found[place] = specs[place]
            continue
        if len(kept) == 1:
            places.remove(kept[0])
        taken = set(names) | set(found)
        for number, place in enumerate(places, start=2 if len(kept) == 1 else 1):
            found[place] = _add_number(name, number, taken)
            taken.add(found[place])
    return found


def shorten_name(text: str, max_length: int) -> str:
    """Shorten a text by omitting its middle, because similar names differ at the end."""
    if len(text) <= max_length:
        return text
    end = max_length // 2
    return f"{text[: max_length - end - 1]}…{text[len(text) - end :]}"


_MAX_NODES: Final = 2**53


def _is_number(value: object, kind: type) -> bool:
    return isinstance(value, int | kind) and not isinstance(value, bool)


_MAX_BASE_LENGTH: Final = 50
"""Maximum characters before a number, so that the name stays within the limit of chosen names."""


def _can_be_names(specs: Sequence[str], name: str) -> bool:
    """Return True if the specifications of bots with this name can serve as unique names."""
    return len(set(specs)) == len(specs) and all(
        spec.startswith(name) and len(spec) <= MAX_NAME_LENGTH and spec.isprintable()
        for spec in specs
    )


def _add_number(name: str, number: int, taken: set[str]) -> str:
    base = shorten_name(name, _MAX_BASE_LENGTH)
    while (found := f"{base} ({number})") in taken:
        number += 1
    return found
