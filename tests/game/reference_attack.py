"""Slow reference implementation of attacks, for comparison with the kernel.

Counters are those of the package: clears, and difficult clears, in a row before this one.
"""

import math
from collections.abc import Callable

from sevenbag._kernel import Spin
from sevenbag.game import Rules

LARGEST = 100_000


def counters_after(
    rules: Rules, lines: int, spin: Spin, *, perfect: bool, combo: int, chain: int
) -> tuple[int, int]:
    if lines == 0:
        return 0, chain
    if perfect and rules.perfect_clear.chain:
        chain += rules.perfect_clear.chain
    elif spin != Spin.NONE or lines >= 4:
        chain += 1
    else:
        chain = 0
    return combo + 1, chain


def attacks_of(
    rules: Rules,
    lines: int,
    spin: Spin,
    *,
    letter: str = "T",
    perfect: bool = False,
    garbage_lines: int = 0,
    combo: int = 0,
    chain: int = 0,
    attackers: int = 0,
    multiplier: float = 1.0,
    draw: Callable[[], float] = lambda: 1.0,
) -> list[int]:
    """Return all attacks of a lock; `draw` decides random rounding."""
    if lines == 0:
        return []
    attack = rules.attack

    def rounded(value: float) -> int:
        part = value - math.floor(value)
        whole = math.floor(value)
        if attack.rounding == "random" and part > 0 and draw() < part:
            whole += 1
        return capped(whole)

    def capped(whole: int) -> int:
        return min(whole, attack.cap or LARGEST, LARGEST)

    parts: list[int] = []
    before = chain
    combo, chain = counters_after(rules, lines, spin, perfect=perfect, combo=combo, chain=chain)

    at = rules.back_to_back.charge_at
    if chain == 0 and at and before > at:
        charge = math.floor((before - at + rules.back_to_back.charge_base) * multiplier)
        charge = min(charge, LARGEST)
        third = math.floor(charge / 3 + 0.5)
        parts += [capped(third), capped(third), capped(charge - 2 * third)]

    row = {Spin.NONE: attack.none, Spin.MINI: attack.mini, Spin.FULL: attack.full}[spin]
    beyond = max(lines - (len(row) - 1), 0)
    g: float = row[lines - beyond] + beyond * attack.further[int(spin)]
    if attack.halve_other_spins and letter != "T" and spin != Spin.NONE:
        g = g / 2

    b = chain - 1
    without = spin == Spin.MINI and lines == 1 and not rules.back_to_back.mini_single
    if b > 0 and not without:
        if rules.back_to_back.bonus == "flat":
            g += 1
        elif rules.back_to_back.bonus == "chain":
            log = math.log(1 + 0.8 * b)
            # One sum is added to g: in floating point, two additions may round to another number.
            g += math.floor(1 + log) + (0 if b == 1 else (1 + (log - math.floor(log))) / 3)

    if perfect and rules.perfect_clear.kind == "replaces base":
        g = rules.perfect_clear.lines

    c = combo - 1
    whole = g
    added = 0.0
    if rules.combo.kind == "table":
        if rules.combo.table:
            added = rules.combo.table[min(c, len(rules.combo.table) - 1)]
            whole = g + added
    elif c > 0:
        whole = g * (1 + 0.25 * c)
        if c > 1:
            whole = max(whole, math.log(1 + 1.25 * c))
        added = whole - g
    if attack.targeting:
        bonus = attack.targeting[min(attackers, len(attack.targeting) - 1)]
        whole += bonus
        added += bonus

    difficult = spin != Spin.NONE or lines >= 4
    special = 1 if attack.garbage_bonus and difficult and garbage_lines else 0
    if perfect and rules.perfect_clear.kind == "replaces all":
        parts.append(rounded(rules.perfect_clear.lines * multiplier))
    else:
        if rules.combo.apart:
            parts.append(rounded(g * multiplier + special))
            parts.append(rounded(added * multiplier))
        else:
            parts.append(rounded(whole * multiplier + special))
        if perfect and rules.perfect_clear.kind == "adds":
            parts.append(rounded(rules.perfect_clear.lines * multiplier))
    return [part for part in parts if part]
