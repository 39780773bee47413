"""Where the replay of a match goes, so that no game kept before is lost by it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from sevenbag.errors import FormatError
from sevenbag.formats.replay import Replay

# Where replays go that were given no name; made when there is something to put into it.
_FOLDER: Final = Path("replays")


class ReplayPlace:
    """The file that a match is kept in.

    A file that was named is what its user wants written: a finished game replaces what is there,
    a game that was broken off only another of its kind. Without a name a free one is taken.

    Args:
        named: the file asked for; None for one named after the seed.
        seed: the match's seed.
    """

    def __init__(self, named: Path | None, seed: int) -> None:
        self._named = named
        self._path = named or _FOLDER / f"match-{seed}.replay"

    def expect_writable(self) -> None:
        """Before the game: it would be a pity to play it and then have nowhere to put it.

        Raises:
            FormatError: the file cannot be written.
        """
        path = self._path
        folder = path.parent
        if self._named is None and not folder.exists():
            folder = folder.parent
        if not folder.is_dir() or not os.access(folder, os.W_OK):
            raise FormatError(f"{path}: cannot be written; --replay FILE chooses another place")
        if self._named is not None and path.exists() and not path.is_file():
            # A device would be replaced by a file of its name.
            raise FormatError(f"{path}: cannot be written: it is no file; --no-replay keeps none")

    def keep(self, replay: Replay) -> Path:
        """Write the replay; returns where.

        Raises:
            FormatError: it cannot be written.
        """
        if self._named is None:
            try:
                _FOLDER.mkdir(exist_ok=True)
            except OSError as error:
                raise FormatError(f"{_FOLDER}: cannot be made: {error.strerror}") from error
            return replay.write_beside(self._path)
        if replay.outcome.finished or _is_unfinished(self._path):
            replay.write(self._path)
            return self._path
        return replay.write_beside(self._path)


def _is_unfinished(path: Path) -> bool:
    """Whether there is a replay of a game that was broken off, too."""
    try:
        return not Replay.load(path).outcome.finished
    except FormatError:
        return False
