"""Text from outside, as HTML may hold it. Bots choose their names, and reasons come from errors."""

from __future__ import annotations

from html import escape
from typing import Any

import msgspec

from sevenbag.errors import printable


def text(words: str) -> str:
    """Words as text of a page or value of an attribute: no markup, no invisible characters."""
    return escape(printable(words))


def script_data(element: str, data: Any) -> str:
    """Data for the page's script, in an element of that id, which nothing in it can end."""
    json = msgspec.json.encode(data).decode()
    for letter in "<>&\u2028\u2029":
        json = json.replace(letter, f"\\u{ord(letter):04x}")
    return f'<script type="application/json" id="{text(element)}">{json}</script>'
