"""Rotation systems for tests: those that are known, and any others."""

import random

from hypothesis import strategies as st

from sevenbag import Kicks, Piece, Rotation, SpinRules
from tests.kernel import reference

NAMES = sorted(reference.SYSTEMS)
WITHOUT_HALF_TURNS = [f"{name} without 180" for name in NAMES]


def kicks(system: reference.System) -> Kicks | str:
    """A system of the reference as the kernel takes it."""
    if isinstance(system, str):
        return system
    return Kicks.from_turns(
        "own", {(Piece[p], Rotation(a), Rotation(b)): tests for (p, a, b), tests in system.items()}
    )


def spin_rules(spins: reference.SpinSetting) -> SpinRules | str:
    """Return the kernel's spin rules for those of the reference."""
    if isinstance(spins, str):
        return spins
    return SpinRules(spins.mode, full_kicks=spins.kicks, on_shift=spins.shift, top_filled=spins.top)


def custom_system(seed: int) -> reference.Own:
    """Any turns, any kicks, as far and as many as there may be; even the O moves."""
    rng = random.Random(seed)
    most = rng.choice([1, 4, 24])
    turns = [
        (piece, start, end)
        for piece in "IOTLJSZ"
        for start in range(4)
        for end in range(4)
        if start != end and rng.random() < 0.8
    ]
    return {
        turn: [
            (rng.randint(-4, 4), rng.randint(-4, 4)) if rng.random() < 0.9 else (0, 0)
            for _ in range(rng.randint(1, most))
        ]
        for turn in turns
    }


systems = st.sampled_from(NAMES + WITHOUT_HALF_TURNS) | st.integers(0, 10**9).map(custom_system)
modes = st.sampled_from(reference.MODES) | st.builds(
    reference.Spins,
    st.sampled_from(reference.MODES),
    st.sampled_from(["downward", "fifth", "none"]),
    st.sampled_from(["ends", "keeps", "rejudges"]),
    st.booleans(),
)
