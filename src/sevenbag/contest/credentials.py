"""Secrets and passwords read from files, the environment and the terminal."""

from __future__ import annotations

import contextlib
import getpass
import hmac
import io
import os
import secrets
import sys
from pathlib import Path
from typing import Final

from sevenbag.errors import InputError, SettingsError
from sevenbag.files import open_input

_MIN_SECRET_LENGTH: Final = 16

_MAX_SECRET_LENGTH: Final = 1_000


def load_or_create_secret(path: str | Path) -> str:
    """Read the secret in a file; create the file, readable by its owner only, if it does not exist.

    Raises:
        SettingsError: the file cannot be read or created, or the secret is invalid.
    """
    path = Path(path)
    if not path.exists():
        _create_secret(path)
    return read_secret(path)


def read_secret(path: str | Path) -> str:
    """Read the secret in a file, without surrounding white space.

    Raises:
        SettingsError: the file cannot be read, or the secret is invalid.
    """
    path = Path(path)
    try:
        with open_input(path) as file:
            text = file.read(_MAX_SECRET_LENGTH + 1).decode("ascii").strip()
    except OSError as error:
        raise SettingsError(
            f"{path}: the secret of game servers cannot be read: {error.strerror}"
        ) from None
    except UnicodeDecodeError:
        raise SettingsError(f"{path}: is no secret: must be ASCII") from None
    if (
        not _MIN_SECRET_LENGTH <= len(text) <= _MAX_SECRET_LENGTH
        or not text.isprintable()
        or " " in text
    ):
        raise SettingsError(
            f"{path}: is no secret: must be one word of {_MIN_SECRET_LENGTH} to "
            f"{_MAX_SECRET_LENGTH} characters"
        )
    return text


def bearer_header(secret: str) -> str:
    """Return the value of the header ``Authorization`` of a game server."""
    return f"Bearer {secret}"


def is_authorized(header: str, secret: str) -> bool:
    """Return whether a header has the secret, in constant time."""
    given = header[: 2 * _MAX_SECRET_LENGTH].encode("utf-8", "surrogateescape")
    return hmac.compare_digest(given, bearer_header(secret).encode())


PASSWORD_VARIABLE: Final = "SEVENBAG_PASSWORD"  # noqa: S105  # the name of a variable

_MAX_PASSWORD_FILE_BYTES: Final = 1_000


def read_password(path: Path) -> str:
    """Read the password in the first line of a file.

    Raises:
        InputError: the file cannot be read, or its first line is empty or too long.
    """
    try:
        with io.TextIOWrapper(open_input(path), encoding="utf-8") as file:
            line = file.readline(_MAX_PASSWORD_FILE_BYTES + 2).rstrip("\r\n")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is no text in UTF-8") from error
    if not line:
        raise InputError(f"{path}: its first line, the password, is empty")
    if len(line) > _MAX_PASSWORD_FILE_BYTES:
        raise InputError(f"{path}: its first line is too long for a password")
    return line


def find_password(path: Path | None, team: str) -> str:
    """Get a password from a file, the variable ``SEVENBAG_PASSWORD`` or the terminal.

    Raises:
        InputError: there is no password.
    """
    if path is not None:
        return read_password(path)
    if password := os.environ.get(PASSWORD_VARIABLE):
        return password
    if sys.stdin.isatty():
        try:
            password = getpass.getpass(f"password of {team}: ")
        except EOFError:
            password = ""
        if password:
            return password
    raise InputError(
        f"no password of {team}; give a file by --password-file, or set {PASSWORD_VARIABLE}"
    )


def _create_secret(path: Path) -> None:
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        # The link is atomic: the file is never incomplete, and one of two processes creates it.
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
