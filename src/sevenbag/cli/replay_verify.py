"""``sevenbag replay verify FILE...``: play replays again and compare with the recorded results."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from sevenbag.arena.playback import Playback
from sevenbag.arena.recorded import Verdict, verify
from sevenbag.arena.recorded_locks import by_player, load_locks
from sevenbag.cli.output import warn, write_json, write_lines
from sevenbag.cli.replay_source import FILE_HELP, SUFFIXES
from sevenbag.errors import FormatError
from sevenbag.formats import ttrm
from sevenbag.formats.replay import Replay

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from sevenbag.arena.recorded_locks import KnownLock


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.description = (
        "Plays replays again and compares the results with the recorded ones. For TETR.IO's files"
        " each round of each player is simulated frame by frame from the key presses and compared"
        " with the recorded statistics and the garbage that the opponent received."
        " Exit code 1: a difference; 2: a file or a round cannot be played again."
    )
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help=FILE_HELP)
    parser.add_argument(
        "--locks",
        type=Path,
        action="append",
        default=[],
        metavar="LIST",
        help="expected locks of .ttrm and .ttr files, one JSON object per line; may be repeated",
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="print one JSON object per player and round",
    )


def run(args: argparse.Namespace) -> int:
    """Verify every file; a broken one does not keep the others from it."""
    known = [lock for path in args.locks for lock in load_locks(path)]
    verdicts: list[Verdict] = []
    broken = 0
    began = time.perf_counter()
    for path in args.files:
        try:
            found = _verify_file(path, known)
        except FormatError as error:
            warn(str(error))
            broken += 1
            continue
        (_tell_json if args.json else _tell)(path, found)
        verdicts += found
    if not args.json and len(args.files) > 1:
        seconds = time.perf_counter() - began
        pieces = sum(verdict.pieces for verdict in verdicts)
        print(f"{_summary(verdicts)}: {pieces:,} pieces in {seconds:.2f} s")
    if broken or any(verdict.refused is not None for verdict in verdicts):
        return 2
    return 0 if all(verdict.equal for verdict in verdicts) else 1


# --- helpers ------------------------------------------------------------------------------------

_MOST_TOLD: Final = 5
"""Differences of one player-round that are told: the first is the cause of the others."""


def _verify_file(path: Path, known: Sequence[KnownLock]) -> list[Verdict]:
    if path.suffix.lower() not in SUFFIXES:
        return _verify_replay(path)
    recording = ttrm.load(path)
    return list(verify(recording, by_player(known, path.name)))


def _verify_replay(path: Path) -> list[Verdict]:
    """Verify a sevenbag replay, which has one round and two players."""
    playback = Playback(Replay.load(path), str(path))
    playback.play_to(len(playback.replay.turns))
    return [
        Verdict(1, playback.names[player], done.pieces, playback.differences_of(player))
        for player, done in enumerate(playback.stats())
    ]


def _tell(path: Path, verdicts: Sequence[Verdict]) -> None:
    for verdict in verdicts:
        where = f"{path}: round {verdict.round}, {verdict.name}: "
        if verdict.refused is not None:
            warn(f"{where}cannot be played again: {verdict.refused}")
        for difference in verdict.differences[:_MOST_TOLD]:
            write_lines(f"{where}{difference}")
        further = len(verdict.differences) - _MOST_TOLD
        if further > 0:
            write_lines(f"{where}and {further} more")
    write_lines(f"{path}: {_summary(verdicts)}")


def _summary(verdicts: Sequence[Verdict]) -> str:
    equal = sum(verdict.equal for verdict in verdicts)
    return f"{equal} of {len(verdicts)} player-rounds equal"


def _tell_json(path: Path, verdicts: Sequence[Verdict]) -> None:
    for verdict in verdicts:
        told = {
            "file": str(path),
            "round": verdict.round,
            "player": verdict.name,
            "equal": verdict.equal,
            "pieces": verdict.pieces,
            "refused": verdict.refused,
            "differences": [
                {
                    "lock": one.lock,
                    "frame": one.frame,
                    "field": one.field,
                    "played": one.played,
                    "recorded": one.recorded,
                }
                for one in verdict.differences
            ],
        }
        write_json(msgspec.json.encode(told).decode())
