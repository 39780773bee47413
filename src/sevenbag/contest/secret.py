"""The secret that game servers and the scheduler share: a file, and a line of HTTP."""

from __future__ import annotations

import contextlib
import hmac
import os
import secrets
from pathlib import Path
from typing import Final

from sevenbag.config.input_file import open_input
from sevenbag.errors import SettingsError

_LEAST: Final = 16
_MOST: Final = 1_000


def load_secret(path: str | Path) -> str:
    """The secret of this file; a new one, for the owner's eyes only, where there is no file.

    Raises:
        SettingsError: it cannot be read or made, or is too short to be one.
    """
    path = Path(path)
    if not path.exists():
        _make(path)
    return read_secret(path)


def read_secret(path: str | Path) -> str:
    """The secret of this file, without white space around it.

    Raises:
        SettingsError: there is no such file, or it is too short or too long to be one.
    """
    path = Path(path)
    try:
        with open_input(path) as file:
            text = file.read(_MOST + 1).decode("ascii").strip()
    except OSError as error:
        raise SettingsError(
            f"{path}: the secret of game servers cannot be read: {error.strerror}"
        ) from None
    except UnicodeDecodeError:
        raise SettingsError(f"{path}: is no secret: must be ASCII") from None
    if not _LEAST <= len(text) <= _MOST or not text.isprintable() or " " in text:
        raise SettingsError(
            f"{path}: is no secret: must be one word of {_LEAST} to {_MOST} characters"
        )
    return text


def bearer(secret: str) -> str:
    """The value of the header ``Authorization`` that proves a game server."""
    return f"Bearer {secret}"


def authorized(header: str, secret: str) -> bool:
    """Whether this header proves a game server; takes as long for every wrong one."""
    given = header[: 2 * _MOST].encode("utf-8", "surrogateescape")
    return hmac.compare_digest(given, bearer(secret).encode())


# --- helpers ------------------------------------------------------------------------------------


def _make(path: Path) -> None:
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        # Never there for others to read, not even empty: two that make it agree on one.
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(handle, "w") as file:
                file.write(secrets.token_urlsafe(32) + "\n")
            with contextlib.suppress(FileExistsError):
                path.hardlink_to(draft)
        finally:
            draft.unlink()
    except OSError as error:
        raise SettingsError(
            f"{path}: the secret of game servers cannot be made: {error.strerror}"
        ) from None
