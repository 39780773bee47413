"""What a game server has finished and the scheduler has not kept yet: files, for crashes."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import time
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from sevenbag.contest import scheduler_protocol
from sevenbag.errors import FormatError, SettingsError
from sevenbag.files import write_atomically

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SpooledResult: TypeAlias = scheduler_protocol.GameFinished | scheduler_protocol.MatchFinished


class ResultSpool:
    """A folder of a game server's own, one file for each finished game and each finished match.

    Names sort as things are to be told: a match's games by number, then its end. What the scheduler
    does not want is put aside in the folder ``refused``, for somebody to look at.

    Args:
        folder: of all game servers of this machine.
        server: name of the game server, which has a folder below it.
        wall: seconds since 1970.

    Raises:
        SettingsError: the folder cannot be used, or another process uses it.
    """

    def __init__(self, folder: Path, server: str, *, wall: Callable[[], float] = time.time) -> None:
        self._folder = folder / _file_name(server)
        self._wall = wall
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self._folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise SettingsError(
                f"server.spool: {self._folder} cannot be made: {error.strerror}"
            ) from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            raise SettingsError(
                f"server.spool: {self._folder} is in use by another game server; give each its "
                "own server.name or server.spool"
            ) from None

    def close(self) -> None:
        """Let others have it."""
        os.close(self._lock)

    def list_files(self) -> list[str]:
        """All that is there, in the order in which it is to be told."""
        return sorted(
            entry.name
            for entry in self._folder.iterdir()
            if entry.suffix in {".game", ".match"} and not entry.name.startswith(".")
        )

    def write(self, done: SpooledResult) -> None:
        """Write it down, whole or not at all; it is on disk when this returns.

        Raises:
            FormatError: it cannot be written.
        """
        write_atomically(
            self._folder / file_name(done), scheduler_protocol.encode(done), replace=True
        )

    def read(self, name: str) -> SpooledResult | None:
        """What is written there; None if it is there no more, or broken and put aside.

        Raises:
            FormatError: it cannot be read now.
        """
        path = self._folder / name
        try:
            data = path.read_bytes()
            age = max(0.0, self._wall() - path.stat().st_mtime)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise FormatError(f"{path}: cannot be read: {error.strerror}") from None
        try:
            done = scheduler_protocol.decode_server_message(data)
        except (msgspec.DecodeError, UnicodeError):
            self.quarantine(name)
            return None
        if isinstance(done, scheduler_protocol.GameFinished):
            # The game may have waited for disk space before it was written.
            return msgspec.structs.replace(done, age=done.age + age)
        if isinstance(done, scheduler_protocol.MatchFinished):
            return done
        self.quarantine(name)
        return None

    def remove(self, name: str) -> None:
        """It is kept elsewhere; needed no more."""
        with contextlib.suppress(OSError):
            (self._folder / name).unlink(missing_ok=True)

    def quarantine(self, name: str) -> None:
        """It is not wanted: out of the way, and not lost."""
        aside = self._folder / "refused"
        with contextlib.suppress(OSError):
            aside.mkdir(exist_ok=True)
            (self._folder / name).replace(aside / name)
            kept = sorted(aside.iterdir(), key=lambda entry: entry.stat().st_mtime)
            for old in kept[:-_MAX_QUARANTINED]:
                old.unlink()


def file_name(done: SpooledResult) -> str:
    """The name of its file."""
    if isinstance(done, scheduler_protocol.GameFinished):
        return game_file_name(done.match_token, done.result.number)
    return match_file_name(done.match_token)


def game_file_name(token: str, number: int) -> str:
    """The name of a game's file."""
    return f"{_file_name(token)}.{number:06d}.game"


def match_file_name(token: str) -> str:
    """The name of the file of a match's end."""
    return f"{_file_name(token)}{_MATCH}"


def finished_match_token(name: str) -> str | None:
    """Return the match token from the name of a match result file; None for any other file."""
    # A token is a UUID, which file names contain unchanged.
    token = name.removesuffix(_MATCH)
    return token if token != name and len(token) == scheduler_protocol.TOKEN_LENGTH else None


# --- helpers ------------------------------------------------------------------------------------

_MATCH: Final = ".match"

_MAX_QUARANTINED: Final = 1_000


def _file_name(text: str) -> str:
    """A name for a file; different texts have different ones."""
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", text)[:60]
    if plain == text:
        return plain
    return f"{plain}-{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:8]}"
