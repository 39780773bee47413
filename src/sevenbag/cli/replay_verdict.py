"""What is said of a replay that was played again: whether it is the recorded game."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sevenbag.arena.playback import Playback


def verdict(playback: Playback, *, quiet: bool) -> int:
    """Say how the game ended; the exit code: a replay that contradicts itself is a failure.

    Args:
        playback: is played to its end.
        quiet: whether to tell only what is wrong.
    """
    playback.play_to(len(playback.replay.turns))
    differences = playback.differences()
    result = playback.result()
    if not quiet:
        print(result)
    for difference in differences:
        print(f"sevenbag: the replay does not play back as recorded: {difference}", file=sys.stderr)
    if not differences and not quiet:
        print("Played again, the game is the recorded one.")
    return 1 if differences else 0
