"""What is said of a replay that was played again: whether it is the recorded game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sevenbag.cli.output import warn, write_lines

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
        write_lines(str(result))
    for difference in differences:
        warn(f"the replay does not play back as recorded: {difference}")
    if not differences and not quiet:
        print("Played again, the game is the recorded one.")
    return 1 if differences else 0
