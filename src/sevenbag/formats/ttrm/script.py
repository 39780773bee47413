"""The events of a recorded game as the list of numbers that the kernel plays."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Final, NoReturn

from sevenbag._kernel import Button
from sevenbag.errors import FormatError, shown
from sevenbag.formats.ttrm.wire import Data, Event, Id, Payload

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class What(IntEnum):
    """What an event of a script is."""

    PRESS = 0
    PRESS_HOISTED = 1
    RELEASE = 2
    ANNOUNCE = 3
    CONFIRM = 4
    TARGET = 5


def script_of(events: Sequence[Event], *, version: int = 19) -> list[float]:
    """Every event that counts, in order, as `FrameGame.perform` takes them.

    Strategies, targets chosen by hand, kills and the end of a game change nothing in it.

    Args:
        events: as in the file.
        version: of the game that wrote it: before 18, an attack brought the column of its hole.

    Raises:
        FormatError: an event has no meaning; the message says which.
    """
    script: list[float] = []
    players: dict[Id, int] = {}
    add = script.extend
    latest = 0
    for number, event in enumerate(events):
        frame, data = event.frame, event.data
        if frame < latest:
            _refuse(number, event, f"comes after frame {latest}")
        latest = frame
        kind = event.type
        if kind == "keydown" or kind == "keyup":  # noqa: PLR1714 - this is the hot loop
            if type(data) is not Data:
                _refuse(number, event, "has no key")
            button = _BUTTONS.get(data.key)
            if button is None:
                _refuse_key(number, event, data.key)
            what = _UP if kind == "keyup" else _DOWN_HOISTED if data.hoisted else _DOWN
            add((frame, what, button, data.subframe))
        elif kind == "ige":
            if not isinstance(data, Data) or not isinstance(data.data, Payload):
                continue
            message = data.data
            # Older files have one more envelope.
            kind = data.type if data.type != "ige" else message.type
            if kind == "interaction":
                add((frame, What.ANNOUNCE, *_attack(number, event, message, players, version)))
            elif kind == "interaction_confirm":
                add((frame, What.CONFIRM, *_ticket(number, event, message, players)))
            elif kind == "target":
                add((frame, What.TARGET, *_targets(message.targets, players)))
        elif kind == "targets":
            listed = data.data if isinstance(data, Data) else data
            if isinstance(listed, list):
                names = [name for name in listed if isinstance(name, str | int)]
                add((frame, What.TARGET, *_targets(names, players)))
    return script


@dataclass(frozen=True, slots=True)
class Arrival:
    """An attack as it reached a player.

    Attributes:
        sender: the `Options.gameid` of who sent it.
        number: which of the attacks that player sent here, from 1.
        lines: as it was sent.
        frame: of the sender's game, in which it was made.
    """

    sender: int | str | None
    number: int
    lines: int
    frame: int


def arrivals(events: Sequence[Event]) -> Iterator[Arrival]:
    """The attacks that reached a player, as files of version 19 tell them."""
    for event in events:
        if event.type != "ige" or not isinstance(event.data, Data):
            continue
        message = event.data.data
        if event.data.type == "interaction" and isinstance(message, Payload):
            number = message.iid if message.iid is not None else 0
            yield Arrival(message.gameid, number, message.amt, message.frame)


# --- helpers ------------------------------------------------------------------------------------

_DOWN, _DOWN_HOISTED, _UP = map(int, (What.PRESS, What.PRESS_HOISTED, What.RELEASE))

_BUTTONS: Final[dict[str, int]] = {
    "moveLeft": int(Button.MOVE_LEFT),
    "moveRight": int(Button.MOVE_RIGHT),
    "softDrop": int(Button.SOFT_DROP),
    "hardDrop": int(Button.HARD_DROP),
    "rotateCW": int(Button.ROTATE_CW),
    "rotateCCW": int(Button.ROTATE_CCW),
    "rotate180": int(Button.ROTATE_180),
    "hold": int(Button.HOLD),
    "exit": int(Button.NONE),
}

_REWINDING: Final = frozenset({"undo", "redo", "retry"})
_LAST_WITH_COLUMNS: Final = 17
_MOST_TARGETS: Final = 1000


def _ticket(number: int, event: Event, message: Payload, players: dict[Id, int]) -> tuple[int, int]:
    """Who sent an attack, and which of that player's it is."""
    inner = _inner(message)
    sender = message.gameid if message.gameid is not None else message.sender
    ticket = next((n for n in (inner.iid, message.cid, inner.cid) if n is not None), None)
    if sender is None or ticket is None:
        _refuse(number, event, "does not say who sent it, or which of the sender's attacks it is")
    return _player(sender, players), ticket


def _attack(
    number: int, event: Event, message: Payload, players: dict[Id, int], version: int
) -> tuple[int, ...]:
    """An attack that is announced."""
    inner = _inner(message)
    if inner.type != "garbage":
        _refuse(number, event, f"brings {shown(inner.type)}, which is not known; only garbage is")
    with_column = version <= _LAST_WITH_COLUMNS and inner.column is not None
    return (
        *_ticket(number, event, message, players),
        inner.amt,
        inner.ackiid,
        inner.column if with_column and inner.column is not None else -1,
    )


def _inner(message: Payload) -> Payload:
    return message.data if isinstance(message.data, Payload) else message


def _targets(names: Sequence[Id], players: dict[Id, int]) -> list[int]:
    known = [_player(name, players) for name in names[:_MOST_TARGETS]]
    return [len(known), *known]


def _player(name: Id, players: dict[Id, int]) -> int:
    return players.setdefault(name, len(players))


def _refuse_key(number: int, event: Event, key: str) -> NoReturn:
    if key in _REWINDING:
        _refuse(number, event, f"{key}: games that go back in time cannot be played again")
    known = ", ".join(_BUTTONS)
    _refuse(number, event, f"{shown(key)} is no key; keys are {known}")


def _refuse(number: int, event: Event, what: str) -> NoReturn:
    raise FormatError(
        f"event {number} ({shown(event.type, 30)}, frame {event.frame}): {what}"
    ) from None
