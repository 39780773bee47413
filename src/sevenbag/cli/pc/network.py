"""The option ``--nn``: a file with an evaluation network."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from sevenbag.cli.pc.options import Option
from sevenbag.errors import FormatError

NETWORK: Final = Option(
    "nn", "n", "an evaluation network, for those who have one; none is needed", str, None, "PATH"
)


class NetworkFileError(FormatError):
    """The network's file cannot be read.

    Attributes:
        code: ``FileNotFound``, as ``pc`` calls it.
    """

    code = "FileNotFound"


def expect_network(path: str | None) -> None:
    """Make sure that the file is there: beside the user, or else beside the program.

    Raises:
        NetworkFileError: it is not.
    """
    if path is None:
        return
    if not any(
        (folder / path).is_file() for folder in (Path(), Path(sys.argv[0]).resolve().parent)
    ):
        raise NetworkFileError(f"{path}: there is no such file")
