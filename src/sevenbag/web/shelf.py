"""The last replays, kept in memory for those who played them."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sevenbag.formats.replay import Replay

_MOST: Final = 64
_MOST_BYTES: Final = 64 << 20


class Shelf:
    """Keeps so many replays, and so many bytes of them; the oldest go first."""

    def __init__(self, most: int = _MOST, most_bytes: int = _MOST_BYTES) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0

    def keep(self, replay: Replay) -> str:
        """Keep a replay; returns the word by which it is found, which nobody can guess."""
        data = replay.encode()
        word = secrets.token_urlsafe(12)
        self._kept[word] = data
        self._bytes += len(data)
        while len(self._kept) > self._most or (
            self._bytes > self._most_bytes and len(self._kept) > 1
        ):
            _, oldest = self._kept.popitem(last=False)
            self._bytes -= len(oldest)
        return word

    def find(self, word: str) -> bytes | None:
        """The replay of this word; None if it is gone, or never was."""
        return self._kept.get(word)
