"""A finished game for the page that plays it: what changed, and when."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any, Final

import msgspec

from sevenbag.contest.painting import Painter
from sevenbag.contest.record import decode, frames
from sevenbag.protocols.pason.board import decode as decode_board
from sevenbag.protocols.pason.messages import PieceState

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sevenbag.contest.record import PieceView, Record, View

MOST_FRAMES: Final = 20_000
"""Of a game; those of games with more moves are thinned out evenly."""

_Falling = tuple[str, int, int, int]


class Change(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is another than before; what is None stays as it was. Pairs are by seat.

    Attributes:
        t: milliseconds since the game began.
        b: boards, as letters of all cells; None for one that stays.
        p: pieces in play, as letter, orientation, row and column.
        q: letters of the queue.
        s: scores.
        l: rows cleared.
        v: the level.
        c: rows that went, as (seat, rows).
        r: rows of garbage that came, as (seat, how many).
    """

    t: int
    b: tuple[str | None, str | None] | None = None
    p: tuple[_Falling | None, _Falling | None] | None = None
    q: str | None = None
    s: tuple[int, ...] | None = None
    l: tuple[int, ...] | None = None
    v: int | None = None
    c: tuple[tuple[int, tuple[int, ...]], ...] = ()
    r: tuple[tuple[int, int], ...] = ()


class Playback(msgspec.Struct, frozen=True, kw_only=True):
    """A game, from its beginning."""

    teams: tuple[str, str]
    winner: int
    ending: str
    scores: tuple[int, int]
    milliseconds: int
    changes: list[Change]


def playback(replay: bytes, most: int = MOST_FRAMES) -> bytes:
    """A replay's `Playback` as JSON, packed by gzip. Takes up to seconds: not for an event loop.

    Raises:
        FormatError: it is no replay.
    """
    record = decode(replay)
    shown = Playback(
        teams=record.header.teams,
        winner=record.end.winner,
        ending=record.end.ending,
        scores=record.end.scores,
        milliseconds=record.end.milliseconds,
        changes=list(_changes(record, most)),
    )
    return gzip.compress(msgspec.json.encode(shown), 5, mtime=0)


# --- helpers ------------------------------------------------------------------------------------


def _changes(record: Record, most: int) -> Iterator[Change]:
    painters = Painter(), Painter()
    pieces: tuple[PieceView | None, PieceView | None] = (None, None)
    boards = ("", "")
    before: dict[str, Any] = {}
    for milliseconds, view in frames(record, most):
        texts: list[str | None] = [None, None]
        rises: list[tuple[int, int]] = []
        for seat, painter in enumerate(painters):
            if view["boards"][seat] == boards[seat]:
                continue
            told = decode_board(view["boards"][seat])
            rise = painter.board(told, _state(pieces[seat]))
            texts[seat] = painter.text
            if rise:
                rises.append((seat, rise))
        pieces, boards = view["pieces"], view["boards"]
        now = _facts(view)
        # What is the same is told once: most of a game is one piece that moves.
        fresh = {name: value for name, value in now.items() if before.get(name, _NEVER) != value}
        before = now
        yield Change(
            t=milliseconds,
            b=(texts[0], texts[1]) if any(texts) else None,
            c=tuple((seat, rows) for seat, rows in enumerate(view["cleared"]) if rows),
            r=tuple(rises),
            **fresh,
        )


_NEVER: Final = object()


def _facts(view: View) -> dict[str, Any]:
    one, other = view["pieces"]
    return {
        "p": (_falling(one), _falling(other)),
        "q": "".join(view["queue"]),
        "s": tuple(view["scores"]),
        "l": tuple(view["lines"]),
        "v": view["level"],
    }


def _falling(piece: PieceView | None) -> _Falling | None:
    return piece and (piece["piece"], piece["orient"], piece["row"], piece["col"])


def _state(piece: PieceView | None) -> PieceState | None:
    return None if piece is None else msgspec.convert(piece, PieceState)
