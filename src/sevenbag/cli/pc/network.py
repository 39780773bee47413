"""The option ``--nn``: a file with an evaluation network."""

from __future__ import annotations

import sys
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sevenbag.cli.pc.options import Option
from sevenbag.errors import NetworkError

if TYPE_CHECKING:
    from sevenbag.pc import Network

HELP: Final = (
    "a network that says which placements are tried first (default: none, which is faster)"
)
NETWORK: Final = Option("nn", "n", HELP, str, None, "PATH")


class NetworkNotFoundError(NetworkError):
    """There is no such file.

    Attributes:
        code: ``FileNotFound``, as ``pc`` calls it.
    """

    code = "FileNotFound"


def network_at(path: str | None) -> Network | None:
    """The network in a file: beside the user, or else beside the program, or else one of ours.

    Raises:
        NetworkError: there is no such file, or it holds no network.
    """
    if path is None:
        return None
    from sevenbag.pc.network import Network  # noqa: PLC0415  # few need what it needs

    for folder in (Path(), Path(sys.argv[0]).resolve().parent):
        if _is_file(folder / path):
            return Network.load(folder / path)
    with resources.as_file(resources.files("sevenbag.pc") / "networks") as ours:
        if path in {file.stem for file in ours.glob("*.json")}:
            return Network.load(ours / f"{path}.json")
    raise NetworkNotFoundError(f"{path}: there is no such file")


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that no file can have
        return False
