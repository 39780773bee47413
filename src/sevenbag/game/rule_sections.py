"""Sections of the rules of a game; docs/rules.md has tables made from them."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from sevenbag._kernel import Kicks, Piece
from sevenbag.errors import RulesError, shown

Lines = Annotated[int, Meta(ge=0, le=1000)]
"""Number of garbage lines sent."""

Probability = Annotated[float, Meta(ge=0, le=1)]

AttackRow = Annotated[tuple[Lines, ...], Meta(min_length=5, max_length=6)]
"""Lines by number of cleared rows, 0 to 4 or 5."""

Frame = Annotated[int, Meta(ge=0, le=5_184_000)]
"""Frames of 1/60 s since the start of the game, at most a day."""

Frames = Annotated[int, Meta(ge=0, le=3600)]
"""A duration in frames of 1/60 s, at most a minute."""

Factor = Annotated[float, Meta(ge=0, le=1000)]


class RuleSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, cache_hash=True):
    """Base class of the sections."""


class BoardRules(RuleSection, frozen=True):
    """Size of the board.

    Attributes:
        width: columns.
        rows: rows in which a piece can move, including hidden ones.
        visible: visible rows; `lock_out` refers to them.
        solid: a moving piece does not collide with cells in this row or above.
        kept: cells that lock in, or are pushed into, this row or above are removed.
    """

    width: Annotated[int, Meta(ge=4, le=16)]
    rows: Annotated[int, Meta(ge=4, le=64)]
    visible: Annotated[int, Meta(ge=1, le=64)]
    solid: Annotated[int, Meta(ge=1, le=64)]
    kept: Annotated[int, Meta(ge=1, le=64)]

    def __post_init__(self) -> None:
        if self.visible > self.rows:
            raise RulesError(
                f"invalid visible: expected at most the rows, {self.rows}, got {self.visible}"
            )


class SpawnRules(RuleSection, frozen=True):
    """Spawn of pieces.

    Attributes:
        x: column of the piece's centre.
        y: row of the piece's centre.
        drop: rows that the piece falls immediately, if it can.
        blocked: effect of a blocked spawn. ``lost``: the game is lost; ``raise``: the piece may
            spawn one row higher; ``clutch``: after a clear, the piece spawns in the lowest row
            above in which it fits.
    """

    x: Annotated[int, Meta(ge=0, le=15)]
    y: Annotated[int, Meta(ge=0, le=63)]
    drop: Annotated[int, Meta(ge=0, le=64)]
    blocked: Literal["lost", "raise", "clutch"]


class PieceRules(RuleSection, frozen=True):
    """Randomizer, previews, hold, rotation system and spins.

    Attributes:
        bag: the randomizer. ``seven_bag`` and ``uniform``, the names in TBP, are aliases of
            ``7-bag`` and ``total mayhem``.
        bag_pieces: contents of a full ``general_bag``, one letter per piece; empty for the others.
        opening: restriction of the first pieces; pieces are drawn again until it is met.
        previews: visible pieces after the current one.
        hold: pieces can be held, once per piece. An empty slot takes the first preview; without
            previews, holding into an empty slot is impossible.
        kicks: the rotation system: a name in `Kicks.names()`, or a custom system.
        spins: placements that count as spins (see docs/coordinates.md).
        spin_kicks: kicks that make a T-spin full. ``downward``: two rows down and one column
            sideways, into east or west; ``fifth``: the fifth test of any rotation; ``none``.
        spin_shift: effect of a sideways shift on a spin. ``ends``: it is lost; ``keeps``: it
            remains; ``rejudges``: corners are counted where the piece locks.
        spin_hold: a piece from hold keeps the spin of the piece put into hold, until it falls.
        spin_top: corners above the top row of the board count as filled.
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
    bag_pieces: Annotated[str, Meta(max_length=63)]
    opening: Literal["any", "no two of S and Z", "no S or Z"]
    previews: Annotated[int, Meta(ge=0, le=32)]
    hold: bool
    kicks: Kicks
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

    def __post_init__(self) -> None:
        if any(letter not in Piece.__members__ for letter in self.bag_pieces):
            raise RulesError(
                f"invalid bag_pieces: expected letters of pieces, got {shown(self.bag_pieces)}"
            )
        if (self.bag == "general_bag") != bool(self.bag_pieces):
            expected = "no pieces" if self.bag_pieces else "at least one piece"
            raise RulesError(
                f"invalid bag_pieces: expected {expected} for {self.bag}, got {self.bag_pieces!r}"
            )


class TopOutRules(RuleSection, frozen=True):
    """Conditions of a loss other than a blocked spawn.

    Attributes:
        lock_out: a piece locked above the visible rows loses the game, even if it clears.
            ``whole``: all of its cells are above; ``partial``: one cell is above; ``none``: never.
        garbage_out: a filled cell pushed over the top of the board loses the game.
    """

    lock_out: Literal["none", "whole", "partial"]
    garbage_out: bool


class AttackRules(RuleSection, frozen=True):
    """Lines sent by a clear.

    Attributes:
        none: lines by cleared rows, 0 to 4 or 5, without a spin.
        mini: the same with a mini spin.
        full: the same with a full spin.
        further: lines for each row beyond those: without a spin, mini, full. Only bombs clear that
            many.
        halve_other_spins: spins of pieces other than T send half.
        spin_quads_send: a spin that clears four rows or more sends its attack after cancelling.
        garbage_bonus: a difficult clear of a garbage row sends one more line.
        targeting: lines added to a clear by the number of attacking players; the last one repeats.
            Empty disables it.
        cap: largest single attack, before cancelling; 0 disables it.
        multiplier: factor of all attacks.
        multiplier_growth: growth of the factor per second.
        multiplier_margin: frames before the factor begins to change.
        multiplier_end: final value of the factor if it changes linearly instead.
        multiplier_end_frame: frame in which it reaches the final value; 0 disables it.
        rounding: ``down``, or ``random``: up with the probability of the fraction.
    """

    none: AttackRow
    mini: AttackRow
    full: AttackRow
    further: Annotated[tuple[Lines, ...], Meta(min_length=3, max_length=3)]
    halve_other_spins: bool
    spin_quads_send: bool
    garbage_bonus: bool
    targeting: Annotated[tuple[Lines, ...], Meta(max_length=16)]
    cap: Annotated[int, Meta(ge=0, le=100_000)]
    multiplier: Factor
    multiplier_growth: Factor
    multiplier_margin: Frame
    multiplier_end: Factor
    multiplier_end_frame: Frame
    rounding: Literal["down", "random"]


class BackToBackRules(RuleSection, frozen=True):
    """Bonus of consecutive difficult clears: those with a spin or of four rows.

    Attributes:
        bonus: bonus of the second and further ones. ``none``; ``flat``: one line; ``chain``: grows
            with the logarithm of the chain.
        mini_single: a mini single gets the bonus.
        charge_at: a chain longer than this is released when it breaks; 0 disables it.
        charge_base: lines added to the released ones.
    """

    bonus: Literal["none", "flat", "chain"]
    mini_single: bool
    charge_at: Annotated[int, Meta(ge=0, le=1000)]
    charge_base: Annotated[int, Meta(ge=0, le=1000)]


class ComboRules(RuleSection, frozen=True):
    """Bonus of consecutive clears.

    Attributes:
        kind: ``table``: lines are added; ``multiplier``: x (1 + 0.25 c), at least ln(1 + 1.25 c)
            from c = 2 on.
        table: lines by c, the number of consecutive clears before this one; the last one repeats.
        apart: the bonus is a separate attack.
    """

    kind: Literal["table", "multiplier"]
    table: Annotated[tuple[Lines, ...], Meta(max_length=32)]
    apart: bool


class PerfectClearRules(RuleSection, frozen=True):
    """Attack of a perfect clear.

    Attributes:
        lines: number of lines.
        kind: ``adds``: as a separate attack; ``replaces all``: replaces all other lines of the
            clear; ``replaces base``: replaces all but the combo.
        chain: added to the back-to-back chain, instead of the effect of the clear; 0 disables it.
    """

    lines: Lines
    kind: Literal["adds", "replaces all", "replaces base"]
    chain: Annotated[int, Meta(ge=0, le=1000)]


class GarbageRules(RuleSection, frozen=True):
    """Travel, cancelling and entry of garbage.

    Attributes:
        travel: time before garbage may enter, in `travel_unit`.
        travel_unit: ``frames`` (60 per second), or ``own locks`` at which garbage could have
            entered.
        blocking: time of entry. ``full``: at a lock that clears nothing; ``limited``: at every
            lock, after a clear the part not cancelled by its attack; ``none``: at every lock, and
            attacks cancel nothing; ``instant``: when it is sent.
        opener_pieces: up to this piece of a game an attack cancels twice its lines, if at least as
            many are pending as were sent; 0 disables it.
        cap: rows that may enter at one lock.
        cap_growth: growth of the cap per second.
        cap_margin: frames before the cap begins to grow.
        cap_limit: largest cap.
        absolute_cap: rows that may be pending; further ones are dropped, the latest first. 0
            disables it.
        bombs: holes contain bombs. A row with a bomb is never full; a piece that locks with its
            lowest cells on a bomb destroys that row, and further rows below it while they have a
            bomb in one of the columns hit. Each counts as a cleared line.
        holes: time at which the hole of a row is drawn. ``attacks``: as rows enter, by `change` and
            `inner`; ``attacks before 2025-05``: the same, but cancelled attacks change nothing;
            ``entries``: at each entry, then before each of its rows by `inner`; ``rounded``: as
            ``attacks``, with the outermost columns half as likely; ``sent``: as an attack arrives,
            then by `inner`; ``coins``: each cell at random, at least one per row.
        change: probability of a new column after an attack.
        inner: probability of a new column between rows.
        other: a new column always differs from the previous one.
        centred: the outer fifths of the board have no holes.
        hole_size: width of a hole in columns.
        timeout: from this frame on every entry has a new column; 0 disables it.
        cut_off: rows removed when the board is pushed over its top: ``top``, or ``third from top``,
            where the two rows above it stay.
    """

    travel: Annotated[int, Meta(ge=0, le=36_000)]
    travel_unit: Literal["frames", "own locks"]
    blocking: Literal["full", "limited", "none", "instant"]
    opener_pieces: Annotated[int, Meta(ge=0, le=1000)]
    cap: Annotated[float, Meta(ge=0, le=1_000_000)]
    cap_growth: Factor
    cap_margin: Frame
    cap_limit: Annotated[int, Meta(ge=0, le=1_000_000)]
    absolute_cap: Annotated[int, Meta(ge=0, le=1_000_000)]
    bombs: bool
    holes: Literal["attacks", "attacks before 2025-05", "entries", "rounded", "sent", "coins"]
    change: Probability
    inner: Probability
    other: bool
    centred: bool
    hole_size: Annotated[int, Meta(ge=1, le=15)]
    timeout: Frame
    cut_off: Literal["top", "third from top"]


class DelayRules(RuleSection, frozen=True):
    """Delays in real time; turn-based games ignore them.

    Attributes:
        key: frames of a key press: shift, rotation, soft drop, hold or hard drop.
        row: additional frames for each row of a soft drop.
        spawn: frames from a lock, or the end of a clear, to the next spawn.
        clears: frames of a clear by cleared rows, from 0; the last one repeats.
        perfect_clear: frames of a perfect clear, instead of those.
    """

    key: Frames = 0
    row: Frames = 0
    spawn: Frames = 0
    clears: Annotated[tuple[Frames, ...], Meta(min_length=1, max_length=6)] = (0,)
    perfect_clear: Frames = 0
