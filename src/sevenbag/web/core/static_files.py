"""Static files below a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sevenbag.config.input_file import read_input
from sevenbag.errors import InputError, shown

STATIC: Final = Path(__file__).parents[1] / "static"
TEMPLATES: Final = Path(__file__).parents[1] / "templates"

JAVASCRIPT: Final = "text/javascript"

_LARGEST: Final = 64 << 20
_TYPES: Final = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": JAVASCRIPT,
    ".json": "application/json",
    ".mjs": JAVASCRIPT,
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
}
"""Not the machine's own table, which may say anything: browsers run scripts of one type alone."""


def read_below(folder: Path, name: str) -> tuple[bytes, str]:
    """A file below a folder, and its type.

    Raises:
        InputError: there is none, it lies elsewhere, or it is too large.
    """
    root = folder.resolve()
    try:
        file = (root / name.lstrip("/")).resolve()
        if not file.is_relative_to(root):
            raise InputError(f"no file {shown(name)} to be had here")
        content = read_input(file, _LARGEST)
    except (OSError, ValueError):
        raise InputError(f"no file {shown(name)} here") from None
    return content, _TYPES.get(file.suffix.lower(), "application/octet-stream")
