"""The sections of rules: every key, what it may be, and what it means.

docs/rules.md shows them as tables, made from here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from sevenbag._kernel import Kicks  # noqa: TC001 - the schema looks it up at run time
from sevenbag.game.schema import Between, Items

Lines = Annotated[int, Between(0, 1000)]
"""Lines of garbage that something sends."""

Probability = Annotated[float, Between(0.0, 1.0)]

AttackRow = Annotated[tuple[Lines, ...], Items(5, 6)]
"""Lines by rows cleared, 0 to 4 or 5."""

Frame = Annotated[int, Between(0, 5_184_000)]
"""Frames of 1/60 s since the game began, within a day."""


@dataclass(frozen=True, slots=True)
class BoardRules:
    """The board's size.

    Attributes:
        width: columns.
        rows: all rows a piece can move in, hidden ones included.
        visible: rows that are seen; the limit of `TopOutRules.lock_out`.
        solid: a moving piece does not collide with cells in rows from this one up.
        kept: cells that lock, or are pushed, into rows from this one up are lost.
    """

    width: Annotated[int, Between(4, 16)]
    rows: Annotated[int, Between(4, 64)]
    visible: Annotated[int, Between(1, 64)]
    solid: Annotated[int, Between(1, 64)]
    kept: Annotated[int, Between(1, 64)]


@dataclass(frozen=True, slots=True)
class SpawnRules:
    """Where pieces appear, and what happens if they cannot.

    Attributes:
        x: column of the piece's centre.
        y: row of the piece's centre.
        drop: rows it falls at once, as far as it can.
        blocked: ``lost``; ``raise``: it may appear one row higher; ``clutch``: after a lock that
            cleared rows it appears in the lowest row above where it fits.
    """

    x: Annotated[int, Between(0, 15)]
    y: Annotated[int, Between(0, 63)]
    drop: Annotated[int, Between(0, 64)]
    blocked: Literal["lost", "raise", "clutch"]


@dataclass(frozen=True, slots=True)
class PieceRules:
    """Which pieces come, how far they are seen, and how they turn.

    Attributes:
        bag: the randomizer. ``seven_bag`` and ``uniform``, as TBP calls them, are other names of
            ``7-bag`` and ``total mayhem``.
        bag_pieces: what a full ``general_bag`` holds, a letter a piece, 1 to 63; empty for the
            others.
        opening: what a game may begin with; pieces are dealt anew until it does.
        previews: pieces seen beyond the current one.
        hold: whether a piece can be held (once per piece). An empty slot brings the first preview;
            without previews there is nothing it could bring.
        kicks: the rotation system: a name of `Kicks.names()`, or one of one's own.
        spins: which placements count as spins (see docs/coordinates.md).
        spin_kicks: kicks that make a T's spin full: ``downward``: two rows down and one column
            across, into east or west; ``fifth``: the fifth test of any turn; ``none``.
        spin_shift: what a sideways shift does to a spin: it ``ends``; ``keeps`` what it was;
            ``rejudges``: corners are read where the piece locks.
        spin_hold: whether a piece out of hold keeps the spin of the one put away, until it falls.
        spin_top: whether corners above the board's top row count as filled.
    """

    bag: Literal[
        "7-bag",
        "14-bag",
        "7+1-bag",
        "7+2-bag",
        "7+x-bag",
        "pairs",
        "classic",
        "total mayhem",
        "general_bag",
    ]
    bag_pieces: str
    opening: Literal["any", "no two of S and Z", "no S or Z"]
    previews: Annotated[int, Between(0, 32)]
    hold: bool
    kicks: str | Kicks
    spins: Literal[
        "none",
        "t-spins",
        "t-spins+",
        "all",
        "all+",
        "all-mini",
        "all-mini+",
        "mini-only",
        "handheld",
        "stupid",
        "immobile",
    ]
    spin_kicks: Literal["downward", "fifth", "none"]
    spin_shift: Literal["ends", "keeps", "rejudges"]
    spin_hold: bool
    spin_top: bool


Frames = Annotated[int, Between(0, 3600)]
"""A time in frames of 1/60 s, at most a minute."""


@dataclass(frozen=True, slots=True)
class TopOutRules:
    """How a game is lost, besides a blocked spawn.

    Attributes:
        lock_out: ``whole``: a piece that locks wholly above the visible rows loses, even if it
            clears; ``partial``: one cell is enough; ``none``.
        garbage_out: whether a filled cell pushed over the top of the board loses.
    """

    lock_out: Literal["none", "whole", "partial"]
    garbage_out: bool


@dataclass(frozen=True, slots=True)
class AttackRules:
    """Lines sent by a clear: an entry for each number of rows, from 0 to 4 or 5.

    Attributes:
        none: without a spin.
        mini: with a mini spin.
        full: with a full spin.
        further: for every row above those: without a spin, mini, full. (Bombs clear so many.)
        halve_other_spins: whether spins of pieces other than T are worth half.
        spin_quads_send: whether a spin that clears four rows or more sends what is left of it
            after cancelling.
        garbage_bonus: whether a difficult clear of a garbage row sends one line more.
        targeting: lines added to a clear by the number of players who attack this one; the last
            repeats. Empty is off.
        cap: the largest single attack, before cancelling; 0 is off.
        multiplier: factor on all that is sent.
        multiplier_growth: growth of that factor, per second.
        multiplier_margin: frames before it begins to change.
        multiplier_end: its last value, if it changes in a straight line instead.
        multiplier_end_frame: when it gets there; 0 is off.
        rounding: ``down``, or ``random``: up with the probability of the fraction.
    """

    none: AttackRow
    mini: AttackRow
    full: AttackRow
    further: Annotated[tuple[Lines, ...], Items(3, 3)]
    halve_other_spins: bool
    spin_quads_send: bool
    garbage_bonus: bool
    targeting: Annotated[tuple[Lines, ...], Items(0, 16)]
    cap: Annotated[int, Between(0, 100_000)]
    multiplier: Annotated[float, Between(0.0, 1000.0)]
    multiplier_growth: Annotated[float, Between(0.0, 1000.0)]
    multiplier_margin: Frame
    multiplier_end: Annotated[float, Between(0.0, 1000.0)]
    multiplier_end_frame: Frame
    rounding: Literal["down", "random"]


@dataclass(frozen=True, slots=True)
class BackToBackRules:
    """What difficult clears in a row send: those with a spin or of four rows.

    Attributes:
        bonus: of the second and every further one: ``none``; ``flat``: one line; ``chain``: more
            with the logarithm of the chain.
        mini_single: whether a mini single gets it, too.
        charge_at: a longer chain than this is released when it breaks; 0 is off.
        charge_base: lines added to those released.
    """

    bonus: Literal["none", "flat", "chain"]
    mini_single: bool
    charge_at: Annotated[int, Between(0, 1000)]
    charge_base: Annotated[int, Between(0, 1000)]


@dataclass(frozen=True, slots=True)
class ComboRules:
    """What clears in a row send.

    Attributes:
        kind: ``table``: lines are added; ``multiplier``: x (1 + 0.25 c), at least ln(1 + 1.25 c)
            from c = 2 on.
        table: lines by c, the clears made before this one in the run; the last repeats.
        apart: whether they are an attack of their own.
    """

    kind: Literal["table", "multiplier"]
    table: Annotated[tuple[Lines, ...], Items(0, 32)]
    apart: bool


@dataclass(frozen=True, slots=True)
class PerfectClearRules:
    """What an empty board sends.

    Attributes:
        lines: how much.
        kind: ``adds``: as an attack of its own; ``replaces all`` that the clear sends;
            ``replaces base``: all but the combo.
        chain: added to the back-to-back chain, instead of what the clear itself does; 0 is off.
    """

    lines: Lines
    kind: Literal["adds", "replaces all", "replaces base"]
    chain: Annotated[int, Between(0, 1000)]


@dataclass(frozen=True, slots=True)
class GarbageRules:
    """How garbage travels, is cancelled, and enters.

    Attributes:
        travel: time before it may enter, in `travel_unit`.
        travel_unit: ``frames`` (60 a second), or ``own locks`` at which garbage could have entered.
        blocking: when it enters. ``full``: at a lock that clears nothing; ``limited``: at every
            lock, after a clear what its attack has not cancelled; ``none``: at every lock, and
            attack cancels nothing; ``instant``: as soon as it is sent.
        opener_pieces: up to this piece of a game attack cancels twice its lines, as long as no
            fewer wait than were sent; 0 is off.
        cap: rows that may enter at one lock.
        cap_growth: growth of the cap, per second.
        cap_margin: frames before it begins to grow.
        cap_limit: largest cap.
        absolute_cap: rows that may wait; what comes on top is lost, the latest first. 0 is off.
        bombs: whether holes are filled by bombs: a row with one is never full; a piece that locks
            with its lowest cells on a bomb blows up that row, and further rows below it as long as
            they have a bomb in one of the columns it hit. Each counts as a line.
        holes: when the hole of a row is drawn: ``attacks``: as rows enter, by `change` and `inner`;
            ``attacks before 2025-05``: the same, but cancelled attacks change nothing; ``entries``:
            anew at each entry, then before each of its rows by `inner`; ``rounded``: as
            ``attacks``, the outermost columns half as likely; ``sent``: as an attack arrives, then
            by `inner`; ``coins``: for every cell by the toss of a coin, at least one a row.
        change: probability of a new column after an attack.
        inner: probability of a new column between rows.
        other: whether a new column is never the one before.
        centred: whether the outer fifths of the board have no holes.
        hole_size: columns that a hole is wide.
        timeout: from this frame on every entry has a new column; 0 is off.
        cut_off: which rows are lost when the board is pushed over its top: ``top``, or ``third
            from top``, where the two rows above it stay in place.
    """

    travel: Annotated[int, Between(0, 36_000)]
    travel_unit: Literal["frames", "own locks"]
    blocking: Literal["full", "limited", "none", "instant"]
    opener_pieces: Annotated[int, Between(0, 1000)]
    cap: Annotated[float, Between(0.0, 1_000_000.0)]
    cap_growth: Annotated[float, Between(0.0, 1000.0)]
    cap_margin: Frame
    cap_limit: Annotated[int, Between(0, 1_000_000)]
    absolute_cap: Annotated[int, Between(0, 1_000_000)]
    bombs: bool
    holes: Literal["attacks", "attacks before 2025-05", "entries", "rounded", "sent", "coins"]
    change: Probability
    inner: Probability
    other: bool
    centred: bool
    hole_size: Annotated[int, Between(1, 15)]
    timeout: Frame
    cut_off: Literal["top", "third from top"]


@dataclass(frozen=True, slots=True)
class DelayRules:
    """What takes time in real time; where players take turns it counts for nothing.

    Attributes:
        key: frames that a press of a key takes: of a shift, a turn, a soft drop, hold, hard drop.
        row: frames for each row of a soft drop, on top of its key.
        spawn: frames from a lock, or from the end of a clear, until the next piece appears.
        clears: frames that a clear takes, by rows cleared, from 0; the last repeats.
        perfect_clear: frames that it takes instead if it empties the board.
    """

    key: Frames = 0
    row: Frames = 0
    spawn: Frames = 0
    clears: Annotated[tuple[Frames, ...], Items(1, 6)] = (0,)
    perfect_clear: Frames = 0
