"""Tests with whole games recorded from another engine: every move and every lock must be the same.

Keys are pressed on the kernel's boards; the game checks and judges the placements again.
"""

from typing import Any

import pytest

from sevenbag._kernel import Game, Piece, Spin
from sevenbag.game import Rules
from sevenbag.game.rules import compile_rules
from sevenbag.protocols.triangle.triangle_keys import KEYS_BY_NAME
from tests.counted import compared
from tests.truth import truth_lines

SPINS = {"none": Spin.NONE, "mini": Spin.MINI, "normal": Spin.FULL}

# Tetra League without travel times; all is played in the first frame.
LEAGUE = Rules.preset("tetrio-league").replace({"garbage": {"travel": 0}})

# The recording engine's names of the rules that its games vary.
_CHANGES: dict[str, Any] = {
    "b2bchaining": lambda v: {"back_to_back": {"bonus": "chain" if v else "flat"}},
    "b2bcharging": lambda v: {} if v else {"back_to_back": {"charge_at": 0}},
    "allclear_garbage": lambda v: {"perfect_clear": {"lines": v}},
    "allclear_b2b": lambda v: {"perfect_clear": {"chain": v}},
    "openerphase": lambda v: {"garbage": {"opener_pieces": v}},
    "garbagespecialbonus": lambda v: {"attack": {"garbage_bonus": v}},
    "messiness_change": lambda v: {"garbage": {"change": v}},
    "messiness_inner": lambda v: {"garbage": {"inner": v}},
    "roundmode": lambda v: {"attack": {"rounding": {"down": "down", "rng": "random"}[v]}},
    "garbagemultiplier": lambda v: {"attack": {"multiplier": v}},
    "spinbonuses": lambda v: {
        "pieces": {"spins": v},
        "attack": {"halve_other_spins": v == "handheld"},
    },
    "kickset": lambda v: {"pieces": {"kicks": {"SRS": "srs-tetrio"}.get(v, v)}},
}


def rules_of(overrides: dict[str, Any]) -> Rules:
    """Return the rules of a recorded game."""
    rules = LEAGUE
    for key, value in overrides.items():
        if key != "seed":
            rules = rules.replace(_CHANGES[key](value))
    return rules


FILES = ["s2-srsplus", "s1-srsplus", "s2-srs", "all-srsplus", "handheld-srsx", "messy-s2"]


@pytest.mark.parametrize("name", FILES)
def test_locks(name: str) -> None:
    game: Game | None = None
    rules = LEAGUE
    locks, cleared = 0, False
    spins = dict.fromkeys(SPINS.values(), 0)
    for line in truth_lines(f"triangle/play-{name}.jsonl"):
        if "new" in line:
            seed = line["new"]["seed"]
            rules = rules_of(line["new"])
            game = Game(compile_rules(rules), seed, seed)
            game.start_from(game.board, 0, line["b2b"] + 1)
            cleared = False
            continue
        assert game is not None
        if "garbage" in line:
            game.receive(line["garbage"], 0)
        elif "keys" in line:
            piece = Piece[line["mino"].upper()]
            keys = [KEYS_BY_NAME[key] for key in line["keys"] if key != "hold"]
            move = compile_rules(rules).apply_keys(game.board, piece, keys, cleared)
            assert move is not None
            lock = game.play(move, "hold" in line["keys"], 0)
            cleared = lock.lines > 0
            spins[lock.spin] += 1
            seen = {
                "lines": lock.lines,
                "gc": lock.garbage_lines,
                "raw": list(lock.attacks),
                "sent": list(lock.sent),
                "surge": lock.surge,
                "combo": lock.combo - 1,
                "b2b": lock.back_to_back - 1,
                "added": list(lock.garbage),
                "hold": game.hold.name.lower() if game.hold is not None else None,
                "current": game.current.name.lower(),
                "pending": list(game.pending),
                "topout": game.top_out is not None,
            }
            assert seen == {key: line[key] for key in seen}, f"lock {locks}: {line}"
            assert lock.spin == SPINS[line["spin"]], f"lock {locks}: {line}"
            board = "/".join(game.colors).lower()
            assert board.rstrip("./") == line["board"].rstrip("./"), f"lock {locks}: {line}"
            if not line["topout"]:
                assert game.spawn is not None
                # The top row of the piece's box.
                assert game.spawn[1] + 1 == line["cy"]
            locks += 1
    assert locks >= 390
    assert spins[Spin.MINI] + spins[Spin.FULL] > 2
    compared("plays", locks)
