"""Client tokens: whose they are, and for how long they are known."""

from __future__ import annotations

import hashlib
import hmac
import uuid
from collections import OrderedDict
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from sevenbag.contest.duel import Seat
    from sevenbag.contest.server.table import Table

MATCH_SHOWN: Final = 8
"""Characters of a match token that logs show."""
_MOST_ENDED: Final = 20_000
"""Tokens of which it is remembered that their match is over."""


class Owner(NamedTuple):
    """Match and team of a token.

    Attributes:
        match: start of the match token.
        team: team name; None for a match token.
    """

    match: str
    team: str | None


def client_token(match_token: str, seat: int, password_hash: str) -> str:
    """The token that a team is given for its moves.

    It follows from what only the store and the game servers know, so that a client whose server
    was started anew, or whose match went on elsewhere, goes on with the one that it has.
    """
    digest = hmac.digest(
        password_hash.encode(), f"client of {match_token}, seat {seat}".encode(), hashlib.sha256
    )
    return str(uuid.UUID(bytes=digest[:16], version=4))


class Sessions:
    """The matches that are here, by match token and by client token.

    Attributes:
        tables: by match token.
        seats: by client token.
    """

    def __init__(self) -> None:
        self.tables: dict[str, Table] = {}
        self.seats: dict[str, tuple[Table, Seat]] = {}
        self._ended: OrderedDict[str, Owner] = OrderedDict()

    def add(self, table: Table) -> None:
        """A match has come."""
        self.tables[table.token] = table
        for seat, token in enumerate(table.client_tokens):
            self._ended.pop(token, None)
            if token:
                self.seats[token] = (table, 1 if seat else 0)
        self._ended.pop(table.token, None)

    def remove(self, table: Table) -> None:
        """A match is gone; for a while it is known that there was one."""
        self.tables.pop(table.token, None)
        match = table.token[:MATCH_SHOWN]
        self._ended[table.token] = Owner(match, None)
        for seat, token in zip(table.place.seats, table.client_tokens, strict=True):
            if token:
                self.seats.pop(token, None)
                self._ended[token] = Owner(match, seat.team)
        while len(self._ended) > _MOST_ENDED:
            self._ended.popitem(last=False)

    def ended(self, token: str) -> Owner | None:
        """Return the owner of a token if its match was played here and is over; else None.

        Args:
            token: token of a match or client.
        """
        return self._ended.get(token)
