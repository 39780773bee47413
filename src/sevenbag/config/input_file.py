"""Files that users name: only regular files are opened.

A named pipe would block until a writer opens it, and a device may block or never end.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO


def open_input(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file for reading, without waiting.

    Raises:
        OSError: the file cannot be opened, or is not a regular file.
    """
    try:
        # A number would be taken for a descriptor.
        return open(os.fspath(path), "rb", opener=_open_regular)
    except ValueError as error:  # a null character, or half a character
        raise FileNotFoundError(errno.ENOENT, str(error), path) from None


def read_input(path: str | os.PathLike[str], largest: int) -> bytes:
    """Read a regular file of at most `largest` bytes.

    Raises:
        OSError: the file cannot be read, is not a regular file, or is larger.
    """
    with open_input(path) as file:
        data = file.read(largest + 1)
    if len(data) > largest:
        raise OSError(errno.EFBIG, f"larger than {largest} bytes")
    return data


# --- helpers ------------------------------------------------------------------------------------


def _open_regular(path: str, flags: int) -> int:
    # Not blocking: it would wait for the writer of a named pipe. Regular files do not heed it.
    descriptor = os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", path)
    return descriptor
