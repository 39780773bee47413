"""Whole games recorded from another engine: every move and every lock must come out the same.

Nothing recorded is taken on trust: keys are pressed on the kernel's boards, which kick and judge as
they do, and the game finds the placement reachable and judges it once more.
"""

import pytest

from sevenbag._kernel import Game, Piece, Placement, Spin
from sevenbag.game.rules import compile_rules
from tests.counted import compared
from tests.game.recorded import LEAGUE, SPINS, centred, dropped, pressed, rules_of
from tests.truth import truth_lines

FILES = ["s2-srsplus", "s1-srsplus", "s2-srs", "all-srsplus", "handheld-srsx", "messy-s2"]


@pytest.mark.parametrize("name", FILES)
def test_locks(name: str) -> None:
    game: Game | None = None
    rules = LEAGUE
    locks = 0
    spins = dict.fromkeys(SPINS.values(), 0)
    for line in truth_lines(f"triangle/play-{name}.jsonl"):
        if "new" in line:
            seed = line["new"]["seed"]
            rules = rules_of(line["new"])
            game = Game(compile_rules(rules), seed, seed)
            game.start_from(game.board, 0, line["b2b"] + 1)
            continue
        assert game is not None
        if "garbage" in line:
            game.receive(line["garbage"], 0)
        elif "keys" in line:
            piece = Piece[line["mino"].upper()]
            before = line["before"]
            at = pressed(game.board, piece, rules, line["keys"])
            recorded = centred(piece, before["x"], before["y"], before["r"])
            assert at == with_spin(recorded, SPINS[before["spin"] or "none"]), line
            move = dropped(game.board, at)
            lock = game.play(move, "hold" in line["keys"], 0)
            spins[lock.spin] += 1
            expected = {
                "spin": SPINS[line["spin"]],
                "lines": line["lines"],
                "garbage lines": line["gc"],
                "attacks": tuple(line["raw"]),
                "sent": tuple(line["sent"]),
                "released": line["surge"],
                "combo": line["combo"] + 1,
                "back to back": line["b2b"] + 1,
                "holes": tuple(line["added"]),
                "hold": line["hold"],
                "current": line["current"],
                "pending": tuple(line["pending"]),
                "board": line["board"],
                "over": line["topout"],
            }
            seen = {
                "spin": lock.spin,
                "lines": lock.lines,
                "garbage lines": lock.garbage_lines,
                "attacks": lock.attacks,
                "sent": lock.sent,
                "released": lock.surge,
                "combo": lock.combo,
                "back to back": lock.back_to_back,
                "holes": lock.garbage,
                "hold": game.hold.name.lower() if game.hold is not None else None,
                "current": game.current.name.lower(),
                "pending": game.pending,
                "board": "/".join(game.colors).lower().rstrip("./"),
                "over": game.top_out is not None,
            }
            expected["board"] = expected["board"].rstrip("./")
            assert seen == expected, f"lock {locks}: {line}"
            if not line["topout"]:
                assert game.spawn is not None
                # The top row of the piece's box.
                assert game.spawn[1] + 1 == line["cy"]
            locks += 1
    assert locks >= 390
    assert spins[Spin.MINI] + spins[Spin.FULL] > 2
    compared("plays", locks)


def with_spin(at: Placement, spin: Spin) -> Placement:
    return Placement(at.piece, at.rotation, at.x, at.y, spin)
