"""Size-limited reading and parsing of TOML; no other module calls the parser."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any, Final

from sevenbag.config.input_file import read_input
from sevenbag.errors import FormatError, shown

if TYPE_CHECKING:
    import os

LARGEST_TOML: Final = 1 << 18
"""Maximum bytes of a file or characters of a text; parsing takes up to 500 times as much memory."""

MOST_KEY_PARTS: Final = 16
"""Maximum parts of a dotted key or table header; parsing takes memory quadratic in their number."""


def read_toml_text(path: str | os.PathLike[str]) -> str:
    """Read a TOML file, without parsing it.

    Raises:
        FormatError: the file cannot be read, is too large, or is not UTF-8.
    """
    try:
        return read_input(path, LARGEST_TOML).decode()
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise FormatError(f"cannot be read: byte {error.start} is not UTF-8") from None
    except TypeError:
        raise FormatError(f"invalid path: expected str or os.PathLike, got {shown(path)}") from None


def parse_toml(text: str) -> dict[str, Any]:
    """Parse a TOML text.

    Raises:
        FormatError: the text is too long or is not TOML, or a key has too many parts; the message
            includes the line number if it is known.
    """
    if len(text) > LARGEST_TOML:
        raise FormatError(
            f"invalid TOML: expected at most {LARGEST_TOML} characters, got {len(text)}"
        )
    bare = _STRING_OR_COMMENT.sub(_without_content, text)
    if long := _LONG_KEY.search(bare):
        line = bare.count("\n", 0, long.start()) + 1
        raise FormatError(
            f"line {line}: invalid key: expected at most {MOST_KEY_PARTS} parts joined by dots"
        )
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _POSITION.search(str(error))
        line = int(found[1]) if found and found[1] else max(1, len(text.splitlines()))
        problem = _POSITION.sub("", str(error))
        raise FormatError(f"line {line}: invalid TOML: {problem}") from None
    except ValueError as error:  # an integer with thousands of digits
        raise FormatError(f"invalid TOML: {error}") from None
    except RecursionError:
        raise FormatError("invalid TOML: values are nested too deeply") from None


# --- helpers ------------------------------------------------------------------------------------

_POSITION: Final = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")

# An unclosed string extends to the end of its line or of the text, where the parser rejects it. So
# each character is scanned once.
_STRING_OR_COMMENT: Final = re.compile(
    r"""
    \"{3} (?: \\. | [^"\\] | "(?!"") )*+ (?: "{3,5} )?
    | '{3} (?: [^'] | '(?!'') )*+ (?: '{3,5} )?
    | " (?: \\[^\n] | [^"\\\n] )*+ "?
    | ' [^'\n]*+ '?
    | \# [^\n]*+
    """,
    re.DOTALL | re.VERBOSE,
)

# Matches only at the start of a word, so that a long word is scanned once.
_LONG_KEY: Final = re.compile(rf"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){{{MOST_KEY_PARTS}}}")


def _without_content(found: re.Match[str]) -> str:
    """Replace a string, which may be part of a key, by a letter, and a comment by nothing."""
    text = found[0]
    return "" if text.startswith("#") else "s" + "\n" * text.count("\n")
