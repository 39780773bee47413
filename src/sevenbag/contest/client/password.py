"""Where a team's password comes from: never from the command line, which others can see."""

from __future__ import annotations

import getpass
import io
import os
import sys
from typing import TYPE_CHECKING, Final

from sevenbag.config.input_file import open_input
from sevenbag.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

VARIABLE: Final = "SEVENBAG_PASSWORD"
_LONGEST: Final = 1_000


def read_password(path: Path) -> str:
    """The password in the first line of a file.

    Raises:
        InputError: the file cannot be read, or its first line is empty or far too long.
    """
    try:
        with io.TextIOWrapper(open_input(path), encoding="utf-8") as file:
            line = file.readline(_LONGEST + 2).rstrip("\r\n")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is no text in UTF-8") from error
    if not line:
        raise InputError(f"{path}: its first line, the password, is empty")
    if len(line) > _LONGEST:
        raise InputError(f"{path}: its first line is too long for a password")
    return line


def find_password(path: Path | None, team: str) -> str:
    """The password from a file, or the variable ``SEVENBAG_PASSWORD``, or whoever sits here.

    Raises:
        InputError: there is none.
    """
    if path is not None:
        return read_password(path)
    if password := os.environ.get(VARIABLE):
        return password
    if sys.stdin.isatty():
        try:
            password = getpass.getpass(f"password of {team}: ")
        except EOFError:
            password = ""
        if password:
            return password
    raise InputError(f"no password of {team}; give a file by --password-file, or set {VARIABLE}")
