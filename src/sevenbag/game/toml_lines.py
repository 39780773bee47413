"""Lines of a TOML text, which its parser does not tell: those of keys, and of items of lists."""

from __future__ import annotations

import re
from typing import Final

# Each of them can match in one way only, so that no line, however long, is gone over many times.
_HEADER: Final = re.compile(r"""\s*+\[\s*+["']?([^\]"'\s]*+)["']?\s*+\]""")
_KEY: Final = re.compile(r"""\s*["']?([\w-]+)["']?\s*(?:\.\s*["']?([\w-]+)["']?\s*)?=""")
_TEXT_OR_COMMENT: Final = re.compile(r""""(?:\\.|[^"\\])*+"?|'[^']*'?|\#.*""")


class TomlLines:
    """Lines by section, key, and item of the key's list; the text must be right."""

    def __init__(self, text: str) -> None:
        self._lines: dict[tuple[str, str], int] = {}
        self._items: dict[tuple[str, str], list[int]] = {}
        section = ""
        key = ("", "")
        depth = 0  # of lists
        for number, line in enumerate(text.splitlines(), 1):
            start = 0
            if depth == 0:
                if found := _HEADER.match(line):
                    section = found[1]
                    self._lines.setdefault((section, ""), number)
                    continue
                if not (found := _KEY.match(line)):
                    continue
                key = (found[1], found[2]) if found[2] else (section, found[1])
                if not section and not found[2]:
                    # A key without a section is found under its own name.
                    key = (found[1], "")
                self._lines.setdefault(key, number)
                start = found.end()
            for bracket in re.findall(r"[\[\]]", _TEXT_OR_COMMENT.sub("", line[start:])):
                depth += 1 if bracket == "[" else -1
                if bracket == "[" and depth == 2:
                    self._items.setdefault(key, []).append(number)

    def find(self, section: str, key: str = "", item: int | None = None) -> int | None:
        """The line of an item, or of the key, or of the section, as far as it can be told."""
        items = self._items.get((section, key), [])
        if item is not None and item < len(items):
            return items[item]
        return self._lines.get((section, key)) or self._lines.get((section, ""))
