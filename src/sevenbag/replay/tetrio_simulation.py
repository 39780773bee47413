"""Simulate the recorded keys of TETR.IO players and compare the result with the recording."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from sevenbag._kernel import Spin, back_to_back_power
from sevenbag.errors import FormatError, InputError
from sevenbag.files import read_input
from sevenbag.formats.tetrio_file import TetrioPlayerRound, TetrioRecording
from sevenbag.formats.tetrio_script import build_script, iterate_received_attacks
from sevenbag.game.frame_game import FrameGame, RecordedLock, SentAttack
from sevenbag.replay.playback import ReplayDifference, ReplayVerification
from sevenbag.replay.tetrio_rules import create_frame_game

MAX_LOCKS_BYTES: Final = 256 * 1024 * 1024

_Text = Annotated[str, Meta(max_length=2000)]
_Count = Annotated[int, Meta(ge=-1, le=10**9)]
_Counts = Annotated[tuple[_Count, ...], Meta(max_length=1000)]


class ExpectedLock(msgspec.Struct, frozen=True, kw_only=True):
    """Expected lock; values that are None are not compared.

    Attributes:
        file: name of the replay; None in a list for a single replay.
        round: round, from 0.
        number: number of the piece in the game, from 1.
        mino: letter of the piece, in either case.
        lines: rows cleared.
        raw: attacks before cancelling, in order.
        sent: attacks after cancelling.
        combo: previous consecutive clears; -1 for none.
        b2b: previous consecutive difficult clears; -1 for none.
        added: hole columns of the rows that entered, in order.
        board: rows from the bottom joined by ``/``, ``.`` for an empty cell, ``g`` for garbage.
    """

    file: _Text | None = msgspec.field(name="f", default=None)
    round: _Count
    user: _Text
    number: _Count = msgspec.field(name="n")
    frame: _Count | None = None
    mino: _Text | None = None
    lines: _Count | None = None
    spin: Literal["none", "mini", "normal"] | None = None
    raw: _Counts | None = None
    sent: _Counts | None = None
    combo: _Count | None = None
    b2b: _Count | None = None
    added: _Counts | None = None
    board: _Text | None = None


def read_expected_locks(path: str | os.PathLike[str]) -> list[ExpectedLock]:
    """Read a list of expected locks, one JSON object per line.

    Raises:
        FormatError: the file cannot be read, or a line is invalid.
    """
    path = Path(path)
    try:
        data = read_input(path, MAX_LOCKS_BYTES)
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error.strerror}") from error
    locks: list[ExpectedLock] = []
    for number, line in enumerate(data.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            locks.append(_DECODER.decode(line))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise FormatError(f"{path}: line {number}: no lock: {error}") from None
    return locks


def group_by_player(
    locks: Sequence[ExpectedLock], replay: str
) -> dict[tuple[int, str], list[ExpectedLock]]:
    """Return the locks of one replay (a file name) by round (from 0) and player, in order."""
    found: dict[tuple[int, str], list[ExpectedLock]] = {}
    for lock in locks:
        if lock.file in (None, replay):
            found.setdefault((lock.round, lock.user), []).append(lock)
    return found


def compare_locks(
    played: Sequence[RecordedLock], known: Sequence[ExpectedLock]
) -> Iterator[ReplayDifference]:
    """Yield the differences of the first lock that differs, or in the number of locks."""
    for number, (one, lock) in enumerate(zip(played, known, strict=False), start=1):
        frame = one[0].frame
        different = [
            ReplayDifference(name, found, wanted, number, frame)
            for name, found in _lock_fields(one).items()
            if (wanted := getattr(lock, name)) not in (None, found)
            and not (name == "mino" and wanted.lower() == found)
        ]
        if lock.number != number:
            different.append(ReplayDifference("n", number, lock.number, number, frame))
        if different:
            yield from different
            return
    if len(played) != len(known):
        yield ReplayDifference("locks", len(played), len(known))


_DECODER: Final = msgspec.json.Decoder(ExpectedLock)
_SPINS: Final = {Spin.NONE: "none", Spin.MINI: "mini", Spin.FULL: "normal"}


def _lock_fields(one: RecordedLock) -> dict[str, object]:
    lock, colors, _, _ = one
    return {
        "frame": lock.frame,
        "mino": lock.placement.piece.name.lower(),
        "lines": lock.lines,
        "spin": _SPINS[lock.spin],
        "raw": lock.attacks,
        "sent": lock.sent,
        "combo": lock.combo - 1,
        "b2b": lock.back_to_back - 1,
        "added": lock.garbage,
        "board": encode_board(colors),
    }


def encode_board(colors: Sequence[str]) -> str:
    """Join rows from the bottom with ``/``, in lower case, without empty rows at the top."""
    rows = [row.lower() for row in colors]
    while len(rows) > 1 and not rows[-1].strip("."):
        rows.pop()
    return "/".join(rows)


REQUIRED_COUNTERS: Final = (
    *("piecesplaced", "lines", "garbage.attack", "garbage.sent", "garbage.cleared"),
)
"""Counters that every recorded game must have."""


@dataclass(frozen=True, slots=True)
class SimulatedPlayer:
    """Simulated player of a round.

    Attributes:
        sent: attacks sent.
        locks: all locks, if requested.
    """

    player: TetrioPlayerRound
    game: FrameGame
    sent: tuple[SentAttack, ...]
    locks: Sequence[RecordedLock] = ()


def simulate_player(
    player: TetrioPlayerRound, date: datetime | None = None, *, locks: bool = False
) -> SimulatedPlayer:
    """Simulate a player of a round from the recorded keys; `locks` returns every lock.

    Raises:
        FormatError: the game cannot be simulated.
    """
    options = player.options
    game = create_frame_game(options, date)
    if player.bag and not "".join(piece.name for piece in game.queue).startswith(
        player.bag[: len(game.queue)]
    ):
        raise FormatError("its first pieces do not match its seed: the game was restarted by key")
    script = event_script(player)
    try:
        if locks:
            kept = game.run_recorded(script, player.frames)
        else:
            kept = []
            game.run_script(script, player.frames)
    except InputError as error:
        raise FormatError(f"events: {error}") from None
    return SimulatedPlayer(player, game, game.take_sent_attacks(), kept)


def event_script(player: TetrioPlayerRound) -> list[float]:
    """Return all events of a player of a round in the format of `FrameGame.run_script`.

    Raises:
        FormatError: as `sevenbag.formats.tetrio_script.build_script`.
    """
    options = player.options
    return build_script(
        player.events, version=options.version, rewinds=options.can_undo or options.can_retry
    )


def verify_recording(
    recording: TetrioRecording,
    known: Mapping[tuple[int, str], Sequence[ExpectedLock]] | None = None,
) -> Iterator[ReplayVerification]:
    """Simulate every player of every round and compare with the recording and known locks.

    The locks are given by round (from 0) and player, as `group_by_player` returns them.
    """
    for number in range(1, len(recording.rounds) + 1):
        yield from verify_round(recording, number, known)


def verify_round(
    recording: TetrioRecording,
    number: int,
    known: Mapping[tuple[int, str], Sequence[ExpectedLock]] | None = None,
) -> Iterator[ReplayVerification]:
    """Simulate every player of one round, from 1, and compare with the recording."""
    members = recording.rounds[number - 1]
    for player in members:
        others = [other for other in members if other is not player]
        expected = (known or {}).get((number - 1, player.name))
        try:
            missing = [name for name in REQUIRED_COUNTERS if name not in player.recorded]
            if missing:
                raise FormatError(f"results: {missing[0]} is missing")
            replayed = simulate_player(player, recording.date, locks=expected is not None)
        except FormatError as error:
            yield ReplayVerification(number, player.name, 0, error=str(error))
            continue
        found = list(_differences(replayed, others))
        if expected is not None:
            found += compare_locks(replayed.locks, expected)
        # The earliest first; within a frame, those with a lock first.
        found.sort(key=lambda each: (math.inf if each.frame is None else each.frame, not each.lock))
        yield ReplayVerification(number, player.name, replayed.game.stats.pieces, tuple(found))


def tetrio_counters(game: FrameGame) -> dict[str, float]:
    """Return the counters of a game by TETR.IO's names."""
    stats, clears = game.stats, game.stats.clears
    dry_minis, spins_without_lines = stats.spins_without_lines
    seconds = math.floor(game.duration) / 60
    per_second = 1 / seconds if seconds else 0.0
    return {
        "piecesplaced": stats.pieces,
        "lines": stats.lines,
        "inputs": stats.inputs,
        "holds": stats.holds,
        "score": stats.points,
        "combo": game.combo,
        "topcombo": stats.max_combo,
        "combopower": stats.combo_power,
        "btb": game.back_to_back,
        "topbtb": stats.max_back_to_back,
        "btbpower": back_to_back_power(game.back_to_back),
        "tspins": stats.spins,
        "garbage.attack": stats.attack,
        "garbage.sent": stats.sent,
        "garbage.sent_nomult": stats.sent_unmultiplied,
        "garbage.received": stats.received,
        "garbage.cleared": stats.garbage_cleared,
        "garbage.maxspike": stats.max_spike,
        "garbage.maxspike_nomult": stats.max_spike_unmultiplied,
        "clears.singles": clears.get("single", 0),
        "clears.doubles": clears.get("double", 0),
        "clears.triples": clears.get("triple", 0),
        "clears.quads": clears.get("quad", 0),
        "clears.pentas": clears.get("five or more", 0),
        "clears.minitspins": dry_minis,
        "clears.minitspinsingles": clears.get("mini single", 0),
        "clears.minitspindoubles": clears.get("mini double", 0),
        "clears.minitspintriples": clears.get("mini triple", 0),
        "clears.minitspinquads": clears.get("mini quad", 0),
        "clears.realtspins": spins_without_lines,
        "clears.tspinsingles": clears.get("spin single", 0),
        "clears.tspindoubles": clears.get("spin double", 0),
        "clears.tspintriples": clears.get("spin triple", 0),
        "clears.tspinquads": clears.get("spin quad", 0),
        "clears.tspinpentas": clears.get("spin five or more", 0),
        "clears.allclear": stats.perfect_clears,
        "finaltime": game.duration * 1000 / 60,
        "apm": stats.attack * 60 * per_second,
        "pps": stats.pieces * per_second,
        "vsscore": (stats.attack + stats.garbage_cleared) * 100 * per_second,
    }


# Files before version 19 count the other values at other times.
_OLD_COUNTERS: Final = frozenset(
    {*REQUIRED_COUNTERS, *("garbage.received", "holds", "inputs", "topcombo", "topbtb", "score")}
)
_FIRST_WITH_ALL_COUNTERS: Final = 19
# Endings of a duel; other games may stop within a frame.
_DUEL_ENDINGS: Final = frozenset({"winner", "garbagesmash", "topout"})
_DEATHS: Final = frozenset({"garbagesmash", "topout"})
_TIMES: Final = frozenset({"finaltime", "apm", "pps", "vsscore"})


def _differences(
    replayed: SimulatedPlayer, others: Sequence[TetrioPlayerRound]
) -> Iterator[ReplayDifference]:
    player, game = replayed.player, replayed.game
    is_new = player.options.version >= _FIRST_WITH_ALL_COUNTERS
    yield from _end_differences(replayed, is_new=is_new)
    if is_new and len(others) == 1:
        yield from _sent_differences(replayed, others[0])
    numbers = tetrio_counters(game)
    for name, played in numbers.items():
        recorded = player.recorded.get(name)
        if recorded is None or not (is_new or name in _OLD_COUNTERS):
            continue
        if name in _TIMES:
            if player.reason not in _DUEL_ENDINGS:
                continue
            same = math.isclose(played, recorded, rel_tol=1e-9, abs_tol=1e-9)
        else:
            same = played == recorded
        if not same:
            yield ReplayDifference(name, played, recorded)


def _end_differences(replayed: SimulatedPlayer, *, is_new: bool) -> Iterator[ReplayDifference]:
    """Yield differences in the time and reason of the end."""
    player, game = replayed.player, replayed.game
    if game.game_over_reason is not None and game.frame < player.frames:
        yield ReplayDifference("frames", game.frame, player.frames, game.stats.pieces, game.frame)
    if not is_new or player.reason is None:
        return
    if game.game_over_reason != (player.reason if player.reason in _DEATHS else None):
        played = game.game_over_reason or "not topped out"
        yield ReplayDifference("gameoverreason", played, player.reason, None, game.frame)


def _sent_differences(
    replayed: SimulatedPlayer, other: TetrioPlayerRound
) -> Iterator[ReplayDifference]:
    """Yield the first attack that the other player received differently from how it was sent."""
    own = replayed.player.options.gameid
    received = [one for one in iterate_received_attacks(other.events) if one.sender == own]
    sent = {number: (lines, frame, piece) for _, number, lines, _, frame, piece in replayed.sent}
    # Some attacks may not have arrived before the end, but none may arrive that was not sent.
    for there in sorted(received, key=lambda one: one.number):
        recorded = f"attack {there.number} of {there.lines} at frame {there.frame}"
        if there.number not in sent:
            yield ReplayDifference("interaction", "no attack", recorded, None, there.frame)
            return
        lines, frame, piece = sent[there.number]
        if (lines, frame) != (there.lines, there.frame):
            played = f"attack {there.number} of {lines} at frame {frame}"
            yield ReplayDifference("interaction", played, recorded, piece, frame)
            return
