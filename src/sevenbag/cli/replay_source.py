"""What the verbs of ``sevenbag replay`` play back: a replay of ours, or a round of TETR.IO's."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from sevenbag.arena.playback import Playback
from sevenbag.errors import FormatError
from sevenbag.formats.replay import Replay

SUFFIXES: Final = (".ttrm", ".ttr")
FILE_HELP: Final = "a replay file, or a .ttrm or .ttr file of TETR.IO"


def add_source(parser: argparse.ArgumentParser) -> None:
    """The file, and which round of it."""
    parser.add_argument("file", type=Path, metavar="FILE", help=FILE_HELP)
    parser.add_argument(
        "--round", type=_round, metavar="N", help="of a TETR.IO match this round (default: 1)"
    )


def playback_of(args: argparse.Namespace) -> Playback:
    """Ready to play from the beginning.

    Raises:
        FormatError: it cannot be read or played, or has no such round.
    """
    path: Path = args.file
    if path.suffix.lower() in SUFFIXES:
        # Few replays are of that kind.
        from sevenbag.arena.recorded_playback import RecordedPlayback  # noqa: PLC0415
        from sevenbag.formats import ttrm  # noqa: PLC0415

        return RecordedPlayback(ttrm.load(path), args.round or 1)
    if args.round is not None:
        raise FormatError(f"{path}: is one game; rounds are of {' and '.join(SUFFIXES)} files")
    return Playback(Replay.load(path), str(path))


# --- helpers ------------------------------------------------------------------------------------


def _round(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or not int(text[:9]):
        raise argparse.ArgumentTypeError(f"{text!r} is no round; expected a whole number from 1")
    return int(text[:9])
