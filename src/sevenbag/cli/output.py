"""Output of commands: lines of text and JSON that a terminal shows and never acts on."""

from __future__ import annotations

import re
import sys
from typing import Final

from sevenbag.errors import printable


def write_lines(text: str) -> None:
    """Print lines that may hold names from outside."""
    print("\n".join(map(printable, text.split("\n"))), flush=True)


def warn(text: str) -> None:
    """Print a message of the program on standard error."""
    lines = "\n".join(map(printable, text.split("\n")))
    print(f"sevenbag: {lines}", file=sys.stderr, flush=True)


def write_json(text: str) -> None:
    """Print a JSON text as a line; characters that are not printable are escaped in it."""
    sys.stdout.write(escaped_json(text) + "\n")


def escaped_json(text: str) -> str:
    """Escape the characters of a JSON text that are not printable; it means the same."""
    # Outside strings JSON is ASCII, so that each of these stands in one.
    return _NOT_ASCII.sub(_escaped, text)


# --- helpers ------------------------------------------------------------------------------------

_NOT_ASCII: Final = re.compile(r"[^\x00-\x7e]")


def _escaped(found: re.Match[str]) -> str:
    letter = found[0]
    if letter.isprintable():
        return letter
    units = letter.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))
