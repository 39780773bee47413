"""Output of commands, without control characters that a terminal would interpret."""

from __future__ import annotations

import re
import sys
from typing import Final

from sevenbag.errors import printable


def write_lines(text: str) -> None:
    """Print lines that may contain untrusted names."""
    print("\n".join(map(printable, text.split("\n"))), flush=True)


def warn(text: str) -> None:
    """Print a message on standard error, prefixed by the name of the program."""
    lines = "\n".join(map(printable, text.split("\n")))
    print(f"sevenbag: {lines}", file=sys.stderr, flush=True)


def write_json(text: str) -> None:
    """Print a JSON text and a line break; unprintable characters are escaped."""
    sys.stdout.write(escape_json(text) + "\n")


def escape_json(text: str) -> str:
    """Escape the unprintable characters of a JSON text without changing its meaning."""
    # JSON is ASCII outside strings, so all other characters are within strings.
    return _NOT_ASCII.sub(_escaped, text)


# --- helpers ------------------------------------------------------------------------------------

_NOT_ASCII: Final = re.compile(r"[^\x00-\x7e]")


def _escaped(found: re.Match[str]) -> str:
    letter = found[0]
    if letter.isprintable():
        return letter
    units = letter.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))
