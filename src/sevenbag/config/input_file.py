"""Reading of input files, restricted to regular files.

Opening a named pipe blocks until a writer opens it, and a device may block or never end.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO


def open_input(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file for reading, without blocking.

    Raises:
        OSError: the file cannot be opened, or is not a regular file.
    """
    try:
        # `open` treats an integer as a file descriptor; `fspath` rejects it.
        return open(os.fspath(path), "rb", opener=_open_regular)
    except ValueError as error:  # a null character or a lone surrogate
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


def names_file(text: str) -> bool:
    """Return True if an unknown name denotes a file: it has a slash, or such a file exists.

    The file need not be regular, so that the error can say why it cannot be read.
    """
    return os.sep in text or os.path.exists(text)  # noqa: PTH110  # Path.exists fails on long names


# --- helpers ------------------------------------------------------------------------------------


def _open_regular(path: str, flags: int) -> int:
    # O_NONBLOCK: opening a named pipe would wait for its writer. It does not affect regular files.
    descriptor = os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY)
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        raise OSError(errno.EINVAL, "not a regular file", path)
    return descriptor
