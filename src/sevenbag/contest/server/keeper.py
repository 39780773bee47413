"""What a game server tells of its matches, and what may be asked of it: the seam to the scheduler.

`sevenbag.contest.server.uplink` stands on the one side of it, `GameServer` on the other; a server
of its own, such as that of ``sevenbag contest match``, has no keeper.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sevenbag.contest.link import GameResult, Hello, MatchResult, Place, Pulse


class Keeper(Protocol):
    """Keeps what must survive the server, and tells others what happens on it."""

    @property
    def trouble(self) -> str:
        """Why nothing can be kept or placed right now; empty when all is well."""
        ...

    async def start(self, host: Host) -> None:
        """Begin, once the server can be reached."""

    async def stop(self) -> None:
        """End, when nothing more is to come: what is unfinished goes on elsewhere."""

    async def keep(self, token: str, result: GameResult, replay: bytes) -> None:
        """Keep a finished game; it is safe when this returns, and clients may hear of it."""

    async def match_done(self, token: str, result: MatchResult) -> None:
        """Store the result of a match; when this returns, it is safe and may be published.

        All its games are stored already. Not called for matches that were called off.
        """

    def joined(self, token: str, seat: int) -> None:
        """A team has connected for the first time."""

    def game_began(self, token: str, number: int, game_name: str) -> None:
        """The first state message of a game is out."""

    def lost(self, token: str, reason: str) -> None:
        """A match broke by a fault of the server's: it is to go on elsewhere."""


class Host(Protocol):
    """What a keeper may ask of its game server."""

    def hello(self) -> Hello:
        """Who the server is, where it is reached, and which matches it plays."""
        ...

    def pulse(self) -> Pulse:
        """How much it does."""
        ...

    def place(self, place: Place) -> None:
        """Take a match.

        Raises:
            PlacementRefusedError: it does not; the words say why.
        """

    def call_off(self, token: str, reason: str) -> None:
        """End a match without a winner; nothing where there is no such match."""

    def release(self, token: str, reason: str) -> None:
        """Stop a match that continues elsewhere, without publishing an end."""

    def halt(self, token: str, halted: bool) -> None:  # as on the wire
        """Begin no further game of a match, or go on beginning games."""

    def dismissed(self, reason: str) -> None:
        """End: the scheduler wants this server no more."""
