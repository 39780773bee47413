"""Where a message of an engine departs from the letter, though hosts may well take it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from sevenbag.protocols.json_lines import Deviation

if TYPE_CHECKING:
    from sevenbag.protocols.json_lines import Severity

_TEXT: Final = "published text"


def departures(content: object) -> list[Deviation]:
    """All that is not by the letter in this message."""
    if not isinstance(content, dict):
        return []
    data = cast("dict[str, Any]", content)
    kind = data.get("type")
    if kind == "info":
        return _info(data)
    if kind == "move":
        return _move(data)
    what = f"is {kind!r}, which hosts ignore; engines say info and move"
    return [_departure("type", what, "warning")]


# --- helpers ------------------------------------------------------------------------------------


def _departure(path: str, what: str, severity: Severity = "error", place: str = _TEXT) -> Deviation:
    return Deviation(path, what, place, severity)


def _info(data: dict[str, Any]) -> list[Deviation]:
    found: list[Deviation] = []
    for key in ("name", "version", "author"):
        if key not in data:
            what = "is missing; triangle-rs takes no such message for one"
            found.append(_departure(key, what, place=f"{_TEXT}, info"))
        elif not isinstance(data[key], str):
            found.append(_departure(key, "is no text", place=f"{_TEXT}, info"))
    return found


def _move(data: dict[str, Any]) -> list[Deviation]:
    keys: object = data.get("keys")
    if keys is None:
        return [_departure("keys", "is missing; Triangle.js ends at it", place=f"{_TEXT}, move")]
    if not isinstance(keys, list):
        return [_departure("keys", "is no list", place=f"{_TEXT}, move")]
    if not all(isinstance(key, str) for key in cast("list[object]", keys)):
        return [_departure("keys", "holds what is no name of a key", place=f"{_TEXT}, move")]
    return []
