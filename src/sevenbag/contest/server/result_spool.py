"""Finished games and matches on disk until the scheduler has stored them."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import time
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from sevenbag.contest import scheduler_protocol
from sevenbag.errors import FormatError, SettingsError
from sevenbag.files import open_locked, write_atomically

SpooledResult: TypeAlias = scheduler_protocol.GameFinished | scheduler_protocol.MatchFinished


class ResultSpool:
    """Folder of a game server, with one file for each finished game and match.

    File names sort in the order of sending: the games of a match by number, then its result.
    Results that the scheduler rejects are moved to the folder ``refused``.

    Args:
        folder: folder of all game servers of this machine.
        server: name of the game server, which has its own folder in it.

    Raises:
        SettingsError: the folder cannot be used, or another process uses it.
    """

    def __init__(self, folder: Path, server: str) -> None:
        self._folder = folder / _file_name(server)
        in_use = SettingsError(
            f"server.spool: {self._folder} is in use by another game server; give each its "
            "own server.name or server.spool"
        )
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._lock = open_locked(self._folder / "lock", os.O_RDWR | os.O_CREAT, in_use)
        except OSError as error:
            raise SettingsError(
                f"server.spool: cannot create {self._folder}: {error.strerror}"
            ) from None

    def close(self) -> None:
        """Release the folder."""
        os.close(self._lock)

    def list_files(self) -> list[str]:
        """Return the names of all results in the order of sending."""
        return sorted(
            entry.name
            for entry in self._folder.iterdir()
            if entry.suffix in {".game", ".match"} and not entry.name.startswith(".")
        )

    def write(self, result: SpooledResult) -> None:
        """Write a result atomically; it is on disk when this returns.

        Raises:
            FormatError: the file cannot be written.
        """
        write_atomically(
            self._folder / file_name(result), scheduler_protocol.encode(result), replace=True
        )

    def read(self, name: str) -> SpooledResult | None:
        """Read a result; None if the file does not exist or was invalid and is now quarantined.

        Raises:
            FormatError: the file cannot be read now.
        """
        path = self._folder / name
        try:
            data = path.read_bytes()
            age = max(0.0, time.time() - path.stat().st_mtime)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise FormatError(f"{path}: cannot be read: {error.strerror}") from None
        try:
            result = scheduler_protocol.decode_server_message(data)
        except (msgspec.DecodeError, UnicodeError):
            result = None
        if isinstance(result, scheduler_protocol.GameFinished):
            # The game may have waited for disk space before it was written.
            return msgspec.structs.replace(result, age=result.age + age)
        if isinstance(result, scheduler_protocol.MatchFinished):
            return result
        self.quarantine(name)
        return None

    def remove(self, name: str) -> None:
        """Delete a result that is stored elsewhere."""
        with contextlib.suppress(OSError):
            (self._folder / name).unlink(missing_ok=True)

    def quarantine(self, name: str) -> None:
        """Move a rejected or invalid file to the folder ``refused``."""
        aside = self._folder / "refused"
        with contextlib.suppress(OSError):
            aside.mkdir(exist_ok=True)
            (self._folder / name).replace(aside / name)
            kept = sorted(aside.iterdir(), key=lambda entry: entry.stat().st_mtime)
            for old in kept[:-_MAX_QUARANTINED]:
                old.unlink()


def file_name(result: SpooledResult) -> str:
    """Return the file name of a result."""
    if isinstance(result, scheduler_protocol.GameFinished):
        return game_file_name(result.match_token, result.result.number)
    return match_file_name(result.match_token)


def game_file_name(token: str, number: int) -> str:
    """Return the file name of a game."""
    return f"{_file_name(token)}.{number:06d}.game"


def match_file_name(token: str) -> str:
    """Return the file name of the result of a match."""
    return f"{_file_name(token)}{_MATCH}"


def finished_match_token(name: str) -> str | None:
    """Return the match token in the file name of a match result; None for other files."""
    # Tokens are UUIDs, so file names contain them unchanged.
    token = name.removesuffix(_MATCH)
    return token if token != name and len(token) == scheduler_protocol.TOKEN_LENGTH else None


_MATCH: Final = ".match"

_MAX_QUARANTINED: Final = 1_000


def _file_name(text: str) -> str:
    """Return a unique file name for a text."""
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", text)[:60]
    if plain == text:
        return plain
    return f"{plain}-{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:8]}"
