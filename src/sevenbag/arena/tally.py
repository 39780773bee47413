"""Counts what a player does, lock by lock: clears and attack by kind, chains, thinking times."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final

from sevenbag._kernel import Spin
from sevenbag.arena.records import Latency, PlayerRecord
from sevenbag.arena.statistics.latency import histogram, percentile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sevenbag._kernel import Lock

PERFECT_CLEAR: Final = "perfect clear"
NO_CLEAR: Final = "no clear"
"""Attack that was made without one, as a broken charge may."""

KINDS: Final = (
    *(
        f"{spin}{lines}"
        for spin in ("", "mini ", "spin ")
        for lines in ("single", "double", "triple", "quad", "five or more")
    ),
    PERFECT_CLEAR,
    NO_CLEAR,
)
"""Every kind of clear, in the order of tables."""


class Tally:
    """One player of one game."""

    def __init__(self) -> None:
        self._pieces = self._lines = self._attack = 0
        self._combo = self._back_to_back = 0
        self._clears: dict[str, int] = {}
        self._attack_by: dict[str, int] = {}
        self._times = array("d")

    def add(self, lock: Lock, milliseconds: float | None = None) -> None:
        """A piece was placed.

        Args:
            lock: what came of it.
            milliseconds: how long its bot took; None where nobody measured it.
        """
        self._pieces += 1
        if milliseconds is not None:
            self._times.append(milliseconds)
        lines, attack = lock.lines, lock.attack
        if not lines and not attack:
            return
        self._lines += lines
        self._attack += attack
        self._combo = max(self._combo, lock.combo)
        self._back_to_back = max(self._back_to_back, lock.back_to_back)
        kind = NO_CLEAR
        if lines:
            kind = kind_of(lock)
            self._clears[kind] = self._clears.get(kind, 0) + 1
            if lock.perfect_clear:
                kind = PERFECT_CLEAR
                self._clears[kind] = self._clears.get(kind, 0) + 1
        if attack:
            self._attack_by[kind] = self._attack_by.get(kind, 0) + attack

    def record(self, elapsed_s: float | None = None, game_s: float | None = None) -> PlayerRecord:
        """What was counted so far.

        Args:
            elapsed_s: how long the game took, in seconds; None where nobody measured it.
            game_s: the same in the game's own time; None where there is none.
        """
        return PlayerRecord(
            pieces=self._pieces,
            lines=self._lines,
            attack=self._attack,
            clears=_in_order(self._clears),
            attack_by=_in_order(self._attack_by),
            b2b=self._back_to_back,
            combo=self._combo,
            thinking_ms=latency(self._times) if self._times else None,
            elapsed_s=None if elapsed_s is None else round(elapsed_s, 6),
            game_s=None if game_s is None else round(game_s, 6),
        )


def kind_of(lock: Lock) -> str:
    """What kind of clear a lock with cleared rows is, in the words of the kernel's statistics."""
    lines = _LINES[min(lock.lines, len(_LINES) - 1)]
    return _SPINS[lock.spin] + lines


def latency(times: Sequence[float]) -> Latency:
    """What there is to say of thinking times, in milliseconds; at least one."""
    ascending = sorted(times)
    return Latency(
        mean=round(sum(ascending) / len(ascending), 4),
        p50=round(percentile(ascending, 0.5), 4),
        p95=round(percentile(ascending, 0.95), 4),
        p99=round(percentile(ascending, 0.99), 4),
        max=round(ascending[-1], 4),
        histogram=tuple(sorted(histogram(ascending).items())),
    )


# --- helpers ------------------------------------------------------------------------------------

_SPINS: Final = {Spin.NONE: "", Spin.MINI: "mini ", Spin.FULL: "spin "}
_LINES: Final = ("", "single", "double", "triple", "quad", "five or more")
_ORDER: Final = {kind: place for place, kind in enumerate(KINDS)}


def _in_order(counts: dict[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: _ORDER[item[0]]))
