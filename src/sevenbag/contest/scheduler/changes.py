"""What happens, told to everybody who listens: pages that are open."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, Literal, Self, TypeAlias

import msgspec

if TYPE_CHECKING:
    from types import TracebackType

ChangeKind: TypeAlias = Literal[
    "server",
    "match waiting",
    "match placed",
    "joined",
    "game began",
    "game done",
    "match done",
    "match called off",
    "contest",
    "lost",
]


class Change(msgspec.Struct, frozen=True):
    """Something that is otherwise than before.

    Attributes:
        kind: what; ``lost`` stands for changes that a listener was too slow to hear: everything
            may be otherwise.
        match_id: of the match in the store, if it is about one.
        token: of the match; not for the public.
        contest_id: of the contest in the store, if it is about one or about a match of one.
        number: of the game within its match.
        server: name of the game server.
    """

    kind: ChangeKind
    match_id: int | None = None
    token: str | None = None
    contest_id: int | None = None
    number: int | None = None
    server: str = ""


class Changes:
    """Gives every change to all that have subscribed."""

    def __init__(self) -> None:
        self._listeners: set[Subscription] = set()

    def tell(self, change: Change) -> None:
        """Tell everybody; nobody is waited for."""
        for listener in self._listeners:
            listener.hear(change)

    def subscribe(self) -> Subscription:
        """What happens from now on."""
        subscription = Subscription(self)
        self._listeners.add(subscription)
        return subscription

    def forget(self, subscription: Subscription) -> None:
        """Tell this one nothing more."""
        self._listeners.discard(subscription)

    def close(self) -> None:
        """Tell everybody that nothing more will come."""
        for listener in tuple(self._listeners):
            listener.close()


class Subscription:
    """Changes, one after another; close it, or leave its context, when done."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        self._waiting: asyncio.Queue[Change | None] = asyncio.Queue()
        self._closed = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Change:
        change = None if self._closed and self._waiting.empty() else await self._waiting.get()
        if change is None:
            raise StopAsyncIteration
        return change

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Hear nothing more."""
        if not self._closed:
            self._closed = True
            self._changes.forget(self)
            self._waiting.put_nowait(None)

    def hear(self, change: Change) -> None:
        """Be told of a change; who does not read them loses them, and is told so."""
        if self._waiting.qsize() >= _MOST_WAITING:
            while not self._waiting.empty():
                self._waiting.get_nowait()
            change = Change("lost")
        self._waiting.put_nowait(change)


# --- helpers ------------------------------------------------------------------------------------

_MOST_WAITING: Final = 256
"""Changes that are kept for a listener."""
