"""Two rounds of real TETR.IO matches, in short: every key, every attack, every lock.

tests/data/tetrio-rounds.json writes a key event as ``frame.tenths``, ``+`` or ``-``, a letter
(``L R`` move, ``X Z`` turn clockwise and back, ``S`` soft drop, ``H`` hard drop, ``C`` hold), and
an attack as ``frame in iid number amt lines ack number``, its confirmation as ``frame ok number``.
A lock is ``number | frame | H or T | piece | rotation | x | y | lines | spin | attacks | sent |
combo | B2B | holes | next piece | hold | CRC-32 of the board``.
"""

import json
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from sevenbag.game.frame_game import Button, FrameGame, FrameRules, Handling, RecordedLock
from tests.kernel.reference import centre

ROUNDS: Final[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "tetrio-rounds.json").read_text(encoding="utf-8")
)

BUTTONS: Final = {
    "L": Button.MOVE_LEFT,
    "R": Button.MOVE_RIGHT,
    "X": Button.ROTATE_CW,
    "Z": Button.ROTATE_CCW,
    "S": Button.SOFT_DROP,
    "H": Button.HARD_DROP,
    "C": Button.HOLD,
}

OPPONENT: Final = 2


def game_of(told: dict[str, Any]) -> FrameGame:
    """Return the game before its first frame, with the settings of these rounds."""
    return FrameGame(
        "tetrio-default",
        seed=told["seed"],
        frame_rules=FrameRules(gravity=0.02, gravity_growth=0.0035, gravity_margin=7200),
        handling=Handling(das=10, arr=2, dcd=0, soft_drop=20),
    )


def script_of(told: dict[str, Any]) -> list[float]:
    """Return all events as a script for the kernel."""
    events: list[tuple[float, ...]] = []
    for word in told["keys"].split():
        sign = "+" if "+" in word else "-"
        when, letter = word.split(sign)
        frame, tenths = when.split(".")
        events.append((int(frame), 0 if sign == "+" else 2, BUTTONS[letter], int(tenths) / 10))
    for words in (text.split() for text in told["messages"].split(";")):
        match words:
            case [frame, "target", _]:
                events.append((int(frame), 5, 1, OPPONENT))
            case [frame, "in", "iid", number, "amt", lines, "ack", known]:
                events.append((int(frame), 3, OPPONENT, int(number), int(lines), int(known), -1))
            case [frame, "ok", number]:
                events.append((int(frame), 4, OPPONENT, int(number)))
            case _:
                raise AssertionError(words)
    events.sort(key=lambda event: event[0])
    return [number for event in events for number in event]


def in_short(number: int, lock: RecordedLock) -> str:
    """Return a lock as in the file, without the kind of lock."""
    told, colors, following, held = lock
    placement = told.placement
    board = board_text(colors)
    # The file counts from the top left corner of a box, and O does not turn in its box.
    column, row = centre(placement.piece.name, placement.rotation)
    fields = (
        number,
        told.frame,
        placement.piece.name.lower(),
        int(placement.rotation),
        placement.x - column,
        placement.y + row,
        told.lines,
        ("none", "mini", "normal")[told.spin],
        _listed(told.attacks),
        _listed(told.sent),
        told.combo - 1,
        told.back_to_back - 1,
        "".join(map(str, told.garbage)) or "-",
        following.name.lower(),
        held.name.lower() if held is not None else "-",
        f"{zlib.crc32(board.encode()):08x}",
    )
    return "|".join(map(str, fields))


def board_text(colors: Sequence[str]) -> str:
    """Return rows from the bottom in lower case, without the empty ones at the top."""
    rows = [row.lower() for row in colors]
    while len(rows) > 1 and not rows[-1].strip("."):
        rows.pop()
    return "/".join(rows)


def _listed(attacks: Sequence[int]) -> str:
    return ",".join(map(str, attacks)) or "-"
