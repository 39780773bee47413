"""Replays of TETR.IO: ``.ttrm`` files of matches, ``.ttr`` files of solo games.

>>> recording = ttrm.load("match.ttrm")
>>> [player.name for player in recording.rounds[0]]
['player1', 'player2']

A replay holds keys, not placements: which pieces were placed follows from playing them again, frame
by frame, which `sevenbag.replay.tetrio_simulation` does. Versions 15 (2022), 18 (2024) and 19 are
read; the older two have other layouts and the same content.

docs/tetrio-replays.md says what is in such a file.
"""

from sevenbag.formats.ttrm.options import Handling, Options
from sevenbag.formats.ttrm.reader import MAX_BYTES, PlayerRound, Recording, load, read
from sevenbag.formats.ttrm.script import Arrival, arrivals, script_of
from sevenbag.formats.ttrm.wire import Event

__all__ = [
    "MAX_BYTES",
    "Arrival",
    "Event",
    "Handling",
    "Options",
    "PlayerRound",
    "Recording",
    "arrivals",
    "load",
    "read",
    "script_of",
]
