"""Lists of the locks of recorded games, made by another engine: lines of JSON, one a lock."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import msgspec
from msgspec import Meta

from sevenbag._kernel import Spin
from sevenbag.arena.difference import Difference
from sevenbag.config.input_file import open_input
from sevenbag.errors import FormatError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

    from sevenbag.game.frames import RecordedLock

MAX_BYTES: Final = 256 * 1024 * 1024

_Text = Annotated[str, Meta(max_length=2000)]
_Count = Annotated[int, Meta(ge=-1, le=10**9)]
_Counts = Annotated[tuple[_Count, ...], Meta(max_length=1000)]


class KnownLock(msgspec.Struct, frozen=True, kw_only=True):
    """A lock as it has to be; what is not given is not compared.

    Attributes:
        file: the replay's name; None where the list is of one replay alone.
        round: from 0.
        user: the player's name.
        frame: the game's frame as the lock saw it.
        number: which piece of the game, from 1.
        mino: the piece's letter, in either case.
        lines: rows cleared.
        spin: the spin it was made with.
        raw: attacks before cancelling, in order.
        sent: what was left of them.
        combo: clears in a row before this one; -1 for none.
        b2b: the same of difficult clears.
        added: the hole columns of the rows that entered, in order.
        board: rows from the bottom joined by ``/``, ``.`` for an empty cell, ``g`` for garbage.
    """

    file: _Text | None = msgspec.field(name="f", default=None)
    round: _Count
    user: _Text
    number: _Count = msgspec.field(name="n")
    frame: _Count | None = None
    mino: _Text | None = None
    lines: _Count | None = None
    spin: Literal["none", "mini", "normal"] | None = None
    raw: _Counts | None = None
    sent: _Counts | None = None
    combo: _Count | None = None
    b2b: _Count | None = None
    added: _Counts | None = None
    board: _Text | None = None


def load_locks(path: str | os.PathLike[str]) -> list[KnownLock]:
    """Read a list.

    Raises:
        FormatError: there is no such file, or it is no such list; the message names the line.
    """
    path = Path(path)
    try:
        with open_input(path) as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error.strerror}") from error
    if len(data) > MAX_BYTES:
        raise FormatError(f"{path}: larger than {MAX_BYTES} bytes, the most a list may have")
    locks: list[KnownLock] = []
    for number, line in enumerate(data.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            locks.append(_DECODER.decode(line))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise FormatError(f"{path}: line {number}: no lock: {error}") from None
    return locks


def by_player(locks: Sequence[KnownLock], replay: str) -> dict[tuple[int, str], list[KnownLock]]:
    """Those of one replay, by round (from 0) and player, in order.

    Args:
        locks: as they were read.
        replay: the name of the replay's file, without its folder.
    """
    found: dict[tuple[int, str], list[KnownLock]] = {}
    for lock in locks:
        if lock.file in (None, replay):
            found.setdefault((lock.round, lock.user), []).append(lock)
    return found


def lock_differences(
    played: Sequence[RecordedLock], known: Sequence[KnownLock]
) -> Iterator[Difference]:
    """In what the first lock differs that does, and whether there are as many as known."""
    for number, (one, lock) in enumerate(zip(played, known, strict=False), start=1):
        came_out = _fields(one)
        frame = one[0].frame
        different = [
            Difference(name, came_out[name], wanted, number, frame)
            for name in _COMPARED
            if (wanted := _wanted(lock, name)) is not None and wanted != came_out[name]
        ]
        if lock.number != number:
            different.append(Difference("n", number, lock.number, number, frame))
        if different:
            yield from different
            return
    if len(played) != len(known):
        yield Difference("locks", len(played), len(known))


# --- helpers ------------------------------------------------------------------------------------

_DECODER: Final = msgspec.json.Decoder(KnownLock)
_COMPARED: Final = (
    *("frame", "mino", "lines", "spin", "raw", "sent", "combo", "b2b", "added", "board"),
)
_SPINS: Final = {Spin.NONE: "none", Spin.MINI: "mini", Spin.FULL: "normal"}


def _wanted(lock: KnownLock, name: str) -> object:
    value = getattr(lock, name)
    return value.lower() if name == "mino" and value is not None else value


def _fields(one: RecordedLock) -> dict[str, object]:
    lock, colors, _, _ = one
    return {
        "frame": lock.frame,
        "mino": lock.placement.piece.name.lower(),
        "lines": lock.lines,
        "spin": _SPINS[lock.spin],
        "raw": lock.attacks,
        "sent": lock.sent,
        "combo": lock.combo - 1,
        "b2b": lock.back_to_back - 1,
        "added": lock.garbage,
        "board": board_text(colors),
    }


def board_text(colors: Sequence[str]) -> str:
    """Rows from the bottom joined by ``/``, in lower case, without the empty ones at the top."""
    rows = [row.lower() for row in colors]
    while len(rows) > 1 and not rows[-1].strip("."):
        rows.pop()
    return "/".join(rows)
