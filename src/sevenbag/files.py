"""Opening, reading and atomic writing of files.

Input files must be regular files: opening a named pipe blocks until a writer opens it, and a device
may block or never end.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import secrets
import stat
from collections.abc import Callable
from typing import TYPE_CHECKING, BinaryIO

from sevenbag.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path


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


def read_input(path: str | os.PathLike[str], max_bytes: int) -> bytes:
    """Read a regular file of at most `max_bytes` bytes.

    Raises:
        OSError: the file cannot be read, is not a regular file, or is larger.
    """
    with open_input(path) as file:
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise OSError(errno.EFBIG, f"larger than {max_bytes} bytes")
    return data


def read_file(
    path: str | os.PathLike[str], max_bytes: int, error: Callable[[str], Exception] = FormatError
) -> bytes:
    """Read a regular file of at most `max_bytes` bytes.

    Raises:
        FormatError: the file cannot be read (`error` if given).
    """
    try:
        return read_input(path, max_bytes)
    except OSError as problem:
        raise error(f"{path}: cannot be read: {problem.strerror or problem}") from problem


def looks_like_file(text: str) -> bool:
    """Return True if a name that is not known otherwise is a path: it has a slash, or exists.

    The file need not be regular: the error then says why it cannot be read.
    """
    return os.sep in text or os.path.exists(text)  # noqa: PTH110  # Path.exists fails on long names


def open_locked(path: Path, flags: int, error: Exception) -> int:
    """Open a file or folder and lock it; return the descriptor that holds the lock until closed.

    Raises:
        OSError: it cannot be opened; `error` if another process holds the lock.
    """
    descriptor = os.open(path, flags | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise error from None
    except OSError:
        pass  # some file systems have no locks
    return descriptor


def write_atomically(
    path: Path, data: bytes, *, replace: bool, error: Callable[[str], Exception] = FormatError
) -> None:
    """Write a temporary file beside the file, then rename it: only the rename is atomic.

    Devices and pipes, such as ``/dev/stdout``, are written to and not replaced.

    Raises:
        FileExistsError: the file exists, and `replace` is False.
        FormatError: the file cannot be written (`error` if given).
    """
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        if replace and path.exists() and not path.is_file():
            path.write_bytes(data)
            return
        try:
            with draft.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if replace:
                draft.replace(path)
            else:
                _rename_to_free(draft, path)
        except BaseException:
            with contextlib.suppress(OSError):
                draft.unlink()
            raise
    except FileExistsError:
        raise
    except OSError as problem:
        raise error(f"{path}: cannot be written: {problem.strerror}") from problem


def check_writable(path: Path) -> None:
    """Check that a file can be written, before its content is computed.

    Raises:
        FormatError: the file cannot be written.
    """
    problem: str | None = None
    try:
        if path.is_dir():
            problem = "it is a folder"
        elif path.exists() and not path.is_file():
            return  # a device
        elif not path.parent.is_dir():
            problem = f"there is no folder {path.parent}"
        elif not os.access(path.parent, os.W_OK):
            problem = "the folder is read-only"
    except OSError as error:
        problem = error.strerror
    if problem is not None:
        raise FormatError(f"{path}: cannot be written: {problem}")


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


def _rename_to_free(draft: Path, path: Path) -> None:
    """Rename a file unless the target exists; atomic if the file system has hard links."""
    try:
        path.hardlink_to(draft)
    except FileExistsError:
        raise
    except OSError:
        if os.path.lexists(path):
            raise FileExistsError(path) from None
        draft.replace(path)
    else:
        draft.unlink()
