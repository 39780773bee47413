"""Play recorded games again: playback, statistics, export, and simulation of TETR.IO replays."""

from sevenbag.replay.playback import Playback
from sevenbag.replay.tetrio_playback import TetrioPlayback

__all__ = ["Playback", "TetrioPlayback"]
