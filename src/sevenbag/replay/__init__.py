"""Play recorded games again: playback, statistics, export, and simulation of TETR.IO replays."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from sevenbag.errors import FormatError
from sevenbag.formats.replay_file import Replay
from sevenbag.formats.tetrio_file import load_tetrio_file
from sevenbag.replay.playback import Playback
from sevenbag.replay.tetrio_playback import TetrioPlayback

if TYPE_CHECKING:
    import os

__all__ = ["TETRIO_SUFFIXES", "Playback", "TetrioPlayback", "open_playback"]

TETRIO_SUFFIXES: Final = (".ttrm", ".ttr")


def open_playback(path: str | os.PathLike[str], number: int | None = None) -> Playback:
    """Open a replay, or a round of a TETR.IO file.

    Raises:
        FormatError: the file is invalid, or has no such round.
    """
    path = Path(path)
    if path.suffix.lower() in TETRIO_SUFFIXES:
        return TetrioPlayback(load_tetrio_file(path), number or 1)
    if number is not None:
        raise FormatError(
            f"{path}: invalid round: expected none, as only {' and '.join(TETRIO_SUFFIXES)} files"
            f" have rounds, got {number}"
        )
    return Playback(Replay.load(path), str(path))
