"""Conversion of the events of a recorded game to the script that the kernel plays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, NoReturn

from sevenbag._kernel import Button
from sevenbag.errors import FormatError, shown
from sevenbag.formats.tetrio_file import PlayerId, TetrioEvent, TetrioEventData, TetrioMessage


class ScriptEventKind(IntEnum):
    """Kind of a script event."""

    PRESS = 0
    PRESS_HOISTED = 1
    RELEASE = 2
    ANNOUNCE = 3
    CONFIRM = 4
    TARGET = 5


def build_script(
    events: Sequence[TetrioEvent], *, version: int = 19, rewinds: bool = False
) -> list[float]:
    """Return all events that affect the game in the format of `FrameGame.run_script`.

    Strategies, manual targets, kills and the end of a game are omitted.

    Args:
        events: events in the file.
        version: version of the game; before 18, an attack contained the column of its hole.
        rewinds: the keys undo, redo and retry take effect; otherwise they are ignored.

    Raises:
        FormatError: an event is invalid.
    """
    script: list[float] = []
    players: dict[PlayerId, int] = {}
    add, buttons = script.extend, _BUTTONS if rewinds else _ALL_BUTTONS
    latest = 0
    for event in events:
        frame, kind = event.frame, event.type
        if frame < latest:
            _refuse(events, event, f"comes after frame {latest}")
        latest = frame
        if kind in _KEYS:
            data = event.data
            try:
                # Nearly all events are keys, and pass here.
                what = _UP if kind == "keyup" else _DOWN_HOISTED if data.hoisted else _DOWN  # type: ignore[union-attr]
                script += (frame, what, buttons[data.key], data.subframe)  # type: ignore[union-attr]
            except (AttributeError, KeyError):
                _refuse_key(events, event)
        elif kind == "ige":
            add(_message(events, event, players, version))
        elif kind == "targets":
            listed = event.data.data if isinstance(event.data, TetrioEventData) else event.data
            if isinstance(listed, list):
                names = [name for name in listed if isinstance(name, str | int)]
                add((frame, ScriptEventKind.TARGET, *_targets(names, players)))
    return script


def split_script(script: Sequence[float]) -> Iterator[Sequence[float]]:
    """Iterate over the events of a script."""
    at = 0
    while at < len(script):
        what = ScriptEventKind(int(script[at + 1]))
        size = _SIZES[what] if what in _SIZES else 3 + int(script[at + 2])
        yield script[at : at + size]
        at += size


@dataclass(frozen=True, slots=True)
class ReceivedAttack:
    """Attack as received by a player.

    Attributes:
        sender: `TetrioOptions.gameid` of the sender.
        number: number of the attack among those from this sender, from 1.
        frame: frame of the sender's game in which the attack was made.
    """

    sender: int | str | None
    number: int
    lines: int
    frame: int


def iterate_received_attacks(events: Sequence[TetrioEvent]) -> Iterator[ReceivedAttack]:
    """Iterate over the attacks received by a player, in files of version 19."""
    for event in [event for event in events if event.type == "ige"]:
        if not isinstance(event.data, TetrioEventData) or event.data.type != "interaction":
            continue
        message = event.data.data
        if isinstance(message, TetrioMessage):
            number = message.iid if message.iid is not None else 0
            yield ReceivedAttack(message.gameid, number, message.amt, message.frame)


_DOWN, _DOWN_HOISTED, _UP = map(
    int, (ScriptEventKind.PRESS, ScriptEventKind.PRESS_HOISTED, ScriptEventKind.RELEASE)
)

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

# Length of an event; that of targets contains their number.
_SIZES: Final = {
    ScriptEventKind.PRESS: 4,
    ScriptEventKind.PRESS_HOISTED: 4,
    ScriptEventKind.RELEASE: 4,
    ScriptEventKind.ANNOUNCE: 7,
    ScriptEventKind.CONFIRM: 4,
}

_KEYS: Final = frozenset({"keydown", "keyup"})
_REWINDING: Final = frozenset({"undo", "redo", "retry"})
_ALL_BUTTONS: Final = _BUTTONS | dict.fromkeys(_REWINDING, int(Button.NONE))
_LAST_WITH_COLUMNS: Final = 17
_MOST_TARGETS: Final = 1000


def _message(
    events: Sequence[TetrioEvent], event: TetrioEvent, players: dict[PlayerId, int], version: int
) -> tuple[int, ...]:
    """Convert a message of the server; nothing for those without effect."""
    if not isinstance(event.data, TetrioEventData) or not isinstance(
        event.data.data, TetrioMessage
    ):
        return ()
    message = event.data.data
    # Older files nest the message one level deeper.
    kind = event.data.type if event.data.type != "ige" else message.type
    inner = message.data if isinstance(message.data, TetrioMessage) else message
    if kind == "target":
        return (event.frame, ScriptEventKind.TARGET, *_targets(message.targets, players))
    if kind not in {"interaction", "interaction_confirm"}:
        return ()
    sender = message.gameid if message.gameid is not None else message.sender
    number = next((n for n in (inner.iid, message.cid, inner.cid) if n is not None), None)
    if sender is None or number is None:
        _refuse(events, event, "does not say who sent it, or which of the sender's attacks it is")
    ticket = (_player(sender, players), number)
    if kind == "interaction_confirm":
        return (event.frame, ScriptEventKind.CONFIRM, *ticket)
    if inner.type != "garbage":
        _refuse(events, event, f"brings {shown(inner.type)}, which is not known; only garbage is")
    hole = inner.column if version <= _LAST_WITH_COLUMNS and inner.column is not None else -1
    return (event.frame, ScriptEventKind.ANNOUNCE, *ticket, inner.amt, inner.ackiid, hole)


def _targets(names: Sequence[PlayerId], players: dict[PlayerId, int]) -> list[int]:
    known = [_player(name, players) for name in names[:_MOST_TARGETS]]
    return [len(known), *known]


def _player(name: PlayerId, players: dict[PlayerId, int]) -> int:
    return players.setdefault(name, len(players))


def _refuse_key(events: Sequence[TetrioEvent], event: TetrioEvent) -> NoReturn:
    if not isinstance(event.data, TetrioEventData):
        _refuse(events, event, "has no key")
    key = event.data.key
    if key in _REWINDING:
        _refuse(events, event, f"{key}: games that go back in time cannot be played again")
    known = ", ".join(_ALL_BUTTONS)
    _refuse(events, event, f"{shown(key)} is no key; keys are {known}")


def _refuse(events: Sequence[TetrioEvent], event: TetrioEvent, what: str) -> NoReturn:
    number = next(number for number, one in enumerate(events) if one is event)
    raise FormatError(
        f"event {number} ({shown(event.type, 30)}, frame {event.frame}): {what}"
    ) from None
