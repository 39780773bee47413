"""Files that are there as a whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from typing import TYPE_CHECKING

from sevenbag.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path


def write_whole(path: Path, data: bytes, *, over: bool) -> None:
    """Write beside the file, then rename over it: a rename is the one step that is atomic.

    Devices and pipes, such as ``/dev/stdout``, are not replaced but written to.

    Args:
        path: the file.
        data: all of it.
        over: whether a file of this name is replaced.

    Raises:
        FileExistsError: there is such a file, and it is not to be written over.
        FormatError: it cannot be written.
    """
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        if over and path.exists() and not path.is_file():
            path.write_bytes(data)
            return
        try:
            with draft.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if over:
                draft.replace(path)
            else:
                _rename_to_free(draft, path)
        except BaseException:
            with contextlib.suppress(OSError):
                draft.unlink()
            raise
    except FileExistsError:
        raise
    except OSError as error:
        raise FormatError(f"{path}: cannot be written: {error.strerror}") from error


def check_writable(path: Path) -> None:
    """Check that `write_whole` can write a file, before long work for its content.

    Raises:
        FormatError: it cannot be written.
    """
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            return  # a device
        folder = path.parent
        if not folder.is_dir():
            raise FormatError(f"{path}: cannot be written: there is no folder {folder}")
        if path.is_dir():
            raise FormatError(f"{path}: cannot be written: it is a folder")
        if not os.access(folder, os.W_OK):
            raise FormatError(f"{path}: cannot be written: the folder is read-only")
    except OSError as error:
        raise FormatError(f"{path}: cannot be written: {error.strerror}") from error


# --- helpers ------------------------------------------------------------------------------------


def _rename_to_free(draft: Path, path: Path) -> None:
    """Rename unless there is such a file, in one step where the file system can do that."""
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
