"""Whole games recorded from another engine: every lock must come out the same."""

from __future__ import annotations

from typing import Any

import pytest

from sevenbag._kernel import Game, Piece, Placement, RuleSet
from sevenbag.game import Rules
from tests.game.recorded import SPINS, centred, rules_of
from tests.truth import truth_lines

FILES = ["s2-srsplus", "s1-srsplus", "s2-srs", "all-srsplus", "handheld-srsx", "messy-s2"]


@pytest.mark.parametrize("name", FILES)
def test_locks(name: str) -> None:
    game: Game | None = None
    locks = 0
    for line in truth_lines(f"triangle/play-{name}.jsonl"):
        if "new" in line:
            seed = line["new"]["seed"]
            game = Game(rules_of(line["new"]), seed, seed)
            game.start_from(game.board, 0, line["b2b"] + 1)
            continue
        assert game is not None
        if "garbage" in line:
            game.receive(line["garbage"], 0)
        elif "keys" in line:
            lock = game.play_recorded(_dropped(game, line), "hold" in line["keys"], 0)
            expected = {
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
                "lines": lock.lines,
                "garbage lines": lock.garbage_lines,
                "attacks": lock.attacks,
                "sent": lock.sent,
                "released": lock.released,
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
    print(f"{name}: {locks} locks compared")


def test_moves_are_reachable_and_spins_judged_alike() -> None:
    rules = Rules.preset("tetrio-season-1").replace({"garbage": {"travel": 0}})
    game: Game | None = None
    moves = 0
    for line in truth_lines("triangle/play-s1-srsplus.jsonl"):
        if "new" in line:
            game = Game(RuleSet(rules.to_dict()), line["new"]["seed"], line["new"]["seed"])
            game.start_from(game.board, 0, line["b2b"] + 1)
            continue
        assert game is not None
        if "garbage" in line:
            game.receive(line["garbage"], 0)
        elif "keys" in line:
            lock = game.play(_dropped(game, line), "hold" in line["keys"], 0)
            assert lock.spin == SPINS[line["spin"]]
            assert lock.attacks == tuple(line["raw"])
            moves += 1
    assert moves >= 390
    print(f"{moves} moves judged")


def _dropped(game: Game, line: dict[str, Any]) -> Placement:
    before = line["before"]
    piece = Piece[line["mino"].upper()]
    placement = centred(piece, before["x"], before["y"], before["r"])
    board = game.board
    y = placement.y
    while board.fits(Placement(piece, placement.rotation, placement.x, y - 1)):
        y -= 1
    return Placement(piece, placement.rotation, placement.x, y, SPINS[line["spin"]])
