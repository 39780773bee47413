"""Reading of TOML with limits on its size, and line numbers of its keys.

No other module calls the parser.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable
from typing import Any, Final, Self

from sevenbag.errors import FormatError, InputError, shown
from sevenbag.files import read_input

MAX_TOML_SIZE: Final = 1 << 18
"""Maximum bytes of a file or characters of a text; parsing takes up to 500 times as much memory."""

MAX_KEY_PARTS: Final = 16
"""Maximum parts of a dotted key or table header; parsing takes memory quadratic in their number."""


def parse_toml(text: str) -> dict[str, Any]:
    """Parse a TOML text.

    Raises:
        FormatError: the text is too long or is not TOML, or a key has too many parts; the message
            includes the line number if it is known.
    """
    if len(text) > MAX_TOML_SIZE:
        raise FormatError(
            f"invalid TOML: expected at most {MAX_TOML_SIZE} characters, got {len(text)}"
        )
    bare = _STRING_OR_COMMENT.sub(_without_content, text)
    if long := _LONG_KEY.search(bare):
        line = bare.count("\n", 0, long.start()) + 1
        raise FormatError(
            f"line {line}: invalid key: expected at most {MAX_KEY_PARTS} parts joined by dots"
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


class TomlDocument:
    """A parsed TOML text that knows the line of each table and key, and of each list in a list.

    Attributes:
        data: its tables and keys.

    Raises:
        FormatError: the text is invalid (`error` if given).
    """

    def __init__(self, text: str, source: str, error: type[InputError] = FormatError) -> None:
        try:
            self.data = parse_toml(text)
        except FormatError as problem:
            raise error(f"{source}: {problem}") from None
        self._source = source
        self._lines: dict[tuple[object, ...], int] = {}
        table: tuple[object, ...] = ()
        key: tuple[object, ...] = ()
        tables: dict[str, int] = {}  # number of [[tables]] by name
        depth = items = 0
        for number, line in enumerate(text.splitlines(), 1):
            start = 0
            if depth == 0:
                if found := _HEADER.match(line):
                    table = (found[2],)
                    if found[1] == "[[":
                        table = (found[2], tables.get(found[2], 0))
                        tables[found[2]] = tables.get(found[2], 0) + 1
                    self._lines.setdefault(table[:1], number)
                    self._lines.setdefault(table, number)
                    continue
                if not (found := _KEY.match(line)):
                    continue
                parts = (found[1], found[2]) if found[2] else (found[1],)
                key = (*table, *parts)
                for end in range(len(table) + 1, len(key) + 1):
                    self._lines.setdefault(key[:end], number)
                start, items = found.end(), 0
            for bracket in re.findall(r"[\[\]]", _LINE_STRING_OR_COMMENT.sub("", line[start:])):
                depth += 1 if bracket == "[" else -1
                if bracket == "[" and depth == 2:
                    self._lines[*key, items] = number
                    items += 1

    @classmethod
    def load(cls, path: str | os.PathLike[str], error: type[InputError] = FormatError) -> Self:
        """Read a file.

        Raises:
            FormatError: the file cannot be read or is invalid (`error` if given).
        """
        try:
            text = read_input(path, MAX_TOML_SIZE).decode()
        except OSError as problem:
            raise error(f"{path}: cannot be read: {problem.strerror}") from None
        except UnicodeDecodeError as problem:
            raise error(f"{path}: cannot be read: byte {problem.start} is not UTF-8") from None
        except TypeError:
            raise error(f"invalid path: expected str or os.PathLike, got {shown(path)}") from None
        return cls(text, str(path), error)

    def locate(self, path: Iterable[str | int]) -> str:
        """Return the source with the line of a key, or of the nearest part of its path."""
        parts = tuple(path)
        while parts and parts not in self._lines:
            parts = parts[:-1]
        line = self._lines.get(parts)
        return f"{self._source}: line {line}" if line else self._source


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

# Each matches in one way only, so that a long line is scanned once.
_HEADER: Final = re.compile(r"""\s*+(\[\[?)\s*+["']?([^\]"'\s]*+)["']?\s*+\]""")
_KEY: Final = re.compile(r"""\s*["']?([\w-]+)["']?\s*(?:\.\s*["']?([\w-]+)["']?\s*)?=""")
_LINE_STRING_OR_COMMENT: Final = re.compile(r""""(?:\\.|[^"\\])*+"?|'[^']*'?|\#.*""")

# Matches only at the start of a word, so that a long word is scanned once.
_LONG_KEY: Final = re.compile(rf"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){{{MAX_KEY_PARTS}}}")


def _without_content(found: re.Match[str]) -> str:
    """Replace a string, which may be part of a key, by a letter, and a comment by nothing."""
    text = found[0]
    return "" if text.startswith("#") else "s" + "\n" * text.count("\n")
