"""Client tokens: whose they are, and for how long they are known."""

from __future__ import annotations

import hashlib
import hmac
import uuid
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sevenbag.contest.duel import Seat
    from sevenbag.contest.server.table import Table

_MOST_ENDED: Final = 20_000
"""Tokens of which it is remembered that their match is over."""


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
        self._ended: OrderedDict[str, None] = OrderedDict()

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
        for token in (table.token, *filter(None, table.client_tokens)):
            self.seats.pop(token, None)
            self._ended[token] = None
        while len(self._ended) > _MOST_ENDED:
            self._ended.popitem(last=False)

    def has_ended(self, token: str) -> bool:
        """Whether a match or client token belongs to a match that was here and is over."""
        return token in self._ended
