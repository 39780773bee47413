"""TETR.IO's recorded games played again from their keys, and held against what was recorded.

Three things tell whether a game came out as it was: the numbers that the game itself counted, what
the other players of the round received from it, attack by attack, and, where there is a list of
them, its locks one by one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sevenbag._kernel import chain_power
from sevenbag.arena.difference import Difference
from sevenbag.arena.recorded_locks import lock_differences
from sevenbag.arena.tetrio_rules import frame_game_of
from sevenbag.errors import FormatError, InputError
from sevenbag.formats.ttrm import arrivals, script_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from sevenbag.arena.recorded_locks import KnownLock
    from sevenbag.formats.ttrm import PlayerRound, Recording
    from sevenbag.game.frames import FrameGame, RecordedLock, Sent

MAIN_NUMBERS: Final = (
    "piecesplaced",
    "lines",
    "garbage.attack",
    "garbage.sent",
    "garbage.cleared",
)
"""What every recorded game must tell."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """A player's part of a round, played again.

    Attributes:
        player: what was played.
        game: as it stands at its end.
        sent: the attacks that left.
        locks: every lock, where they were asked for.
    """

    player: PlayerRound
    game: FrameGame
    sent: tuple[Sent, ...]
    locks: Sequence[RecordedLock] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a player's part of a round came out as recorded.

    Attributes:
        round: from 1.
        name: the player's.
        pieces: how many were placed as it was played again.
        differences: the earliest first; none if all is the same.
        refused: why it cannot be played again; None if it was.
    """

    round: int
    name: str
    pieces: int
    differences: tuple[Difference, ...] = ()
    refused: str | None = None

    @property
    def equal(self) -> bool:
        """Whether it was played again and came out as recorded."""
        return not self.differences and self.refused is None


def play_again(
    player: PlayerRound, date: datetime | None = None, *, locks: bool = False
) -> Replayed:
    """Play a player's part of a round from its keys.

    Args:
        player: what to play.
        date: when it was played: rules have changed since.
        locks: whether to keep every lock.

    Raises:
        FormatError: it cannot be played; the message says why.
    """
    options = player.options
    game = frame_game_of(options, date)
    if player.bag and not "".join(piece.name for piece in game.queue).startswith(
        player.bag[: len(game.queue)]
    ):
        raise FormatError("its first pieces do not follow from its seed: a game begun anew by key")
    script = recorded_script(player)
    try:
        if locks:
            kept = game.play_recorded(script, player.frames)
        else:
            kept = []
            game.play(script, player.frames)
    except InputError as error:
        raise FormatError(f"events: {error}") from None
    return Replayed(player, game, game.take_sent(), kept)


def recorded_script(player: PlayerRound) -> list[float]:
    """All that happens in a player's part of a round, as `FrameGame.play` takes it.

    Raises:
        FormatError: as `sevenbag.formats.ttrm.script_of`.
    """
    options = player.options
    return script_of(
        player.events,
        version=options.version,
        rewinds=options.can_undo or options.can_retry,
    )


def verify(
    recording: Recording, known: Mapping[tuple[int, str], Sequence[KnownLock]] | None = None
) -> Iterator[Verdict]:
    """Play every round of every player again, and compare.

    Args:
        recording: the file.
        known: locks by round (from 0) and player, where there are any.
    """
    for number in range(1, len(recording.rounds) + 1):
        yield from verify_round(recording, number, known)


def verify_round(
    recording: Recording,
    number: int,
    known: Mapping[tuple[int, str], Sequence[KnownLock]] | None = None,
) -> Iterator[Verdict]:
    """The same of one round, from 1."""
    members = recording.rounds[number - 1]
    for player in members:
        others = [other for other in members if other is not player]
        expected = (known or {}).get((number - 1, player.name))
        try:
            missing = [name for name in MAIN_NUMBERS if name not in player.recorded]
            if missing:
                raise FormatError(f"results: {missing[0]} is missing")
            replayed = play_again(player, recording.date, locks=expected is not None)
        except FormatError as error:
            yield Verdict(number, player.name, 0, refused=str(error))
            continue
        found = list(_differences(replayed, others))
        if expected is not None:
            found += lock_differences(replayed.locks, expected)
        found.sort(key=_when)
        yield Verdict(number, player.name, replayed.game.stats.pieces, tuple(found))


def numbers_of(game: FrameGame) -> dict[str, float]:
    """What TETR.IO counts of a game, by its own names."""
    stats, clears = game.stats, game.stats.clears
    dry_minis, dry_spins = stats.dry_spins
    seconds = math.floor(game.lasted) / 60
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
        "btbpower": chain_power(game.back_to_back),
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
        "clears.realtspins": dry_spins,
        "clears.tspinsingles": clears.get("spin single", 0),
        "clears.tspindoubles": clears.get("spin double", 0),
        "clears.tspintriples": clears.get("spin triple", 0),
        "clears.tspinquads": clears.get("spin quad", 0),
        "clears.tspinpentas": clears.get("spin five or more", 0),
        "clears.allclear": stats.perfect_clears,
        "finaltime": game.lasted * 1000 / 60,
        "apm": stats.attack * 60 * per_second,
        "pps": stats.pieces * per_second,
        "vsscore": (stats.attack + stats.garbage_cleared) * 100 * per_second,
    }


# --- helpers ------------------------------------------------------------------------------------

# Files before version 19 count the others at other moments.
_OLD_NUMBERS: Final = frozenset(
    {
        *MAIN_NUMBERS,
        *("garbage.received", "holds", "inputs", "topcombo", "topbtb", "score"),
    }
)
_FIRST_WITH_ALL_NUMBERS: Final = 19
# How a duel ends; a game that ends otherwise may stop within a frame.
_DUEL_ENDINGS: Final = frozenset({"winner", "garbagesmash", "topout"})
_DEATHS: Final = frozenset({"garbagesmash", "topout"})
_TIMES: Final = frozenset({"finaltime", "apm", "pps", "vsscore"})


def _when(difference: Difference) -> tuple[float, bool]:
    """The earliest first; of one frame, those that name the piece."""
    frame = math.inf if difference.frame is None else difference.frame
    return frame, difference.lock is None


def _differences(replayed: Replayed, others: Sequence[PlayerRound]) -> Iterator[Difference]:
    player, game = replayed.player, replayed.game
    is_new = player.options.version >= _FIRST_WITH_ALL_NUMBERS
    yield from _end_differences(replayed, is_new=is_new)
    if is_new and len(others) == 1:
        yield from _sent_differences(replayed, others[0])
    numbers = numbers_of(game)
    for name, played in numbers.items():
        recorded = player.recorded.get(name)
        if recorded is None or not (is_new or name in _OLD_NUMBERS):
            continue
        if name in _TIMES:
            if player.reason not in _DUEL_ENDINGS:
                continue
            same = math.isclose(played, recorded, rel_tol=1e-9, abs_tol=1e-9)
        else:
            same = played == recorded
        if not same:
            yield Difference(name, played, recorded)


def _end_differences(replayed: Replayed, *, is_new: bool) -> Iterator[Difference]:
    """Whether it ended when it should, and for the same reason."""
    player, game = replayed.player, replayed.game
    if game.out is not None and game.frame < player.frames:
        yield Difference("frames", game.frame, player.frames, game.stats.pieces, game.frame)
    if not is_new or player.reason is None:
        return
    if game.out != (player.reason if player.reason in _DEATHS else None):
        played = game.out or "not topped out"
        yield Difference("gameoverreason", played, player.reason, None, game.frame)


def _sent_differences(replayed: Replayed, other: PlayerRound) -> Iterator[Difference]:
    """The first attack that the other player received otherwise than it was sent here."""
    own = replayed.player.options.gameid
    received = [one for one in arrivals(other.events) if one.sender == own]
    sent = {number: (lines, frame, piece) for _, number, lines, _, frame, piece in replayed.sent}
    # Some may still have been under way when the round ended; none has come that was not sent.
    for there in sorted(received, key=lambda one: one.number):
        recorded = f"attack {there.number} of {there.lines} at frame {there.frame}"
        if there.number not in sent:
            yield Difference("interaction", "no attack", recorded, None, there.frame)
            return
        lines, frame, piece = sent[there.number]
        if (lines, frame) != (there.lines, there.frame):
            played = f"attack {there.number} of {lines} at frame {frame}"
            yield Difference("interaction", played, recorded, piece, frame)
            return
