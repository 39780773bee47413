"""A spin that outlives a hold: what the piece out of hold may lock with, by the reference."""

import pytest

from sevenbag._kernel import Game
from sevenbag.game import Rules
from sevenbag.game.rules import compile_rules
from tests.kernel import reference
from tests.kernel.test_movegen import field_of, random_board
from tests.properties import cases

ROWS = 24
SPAWN = (4, 10)


def game_rules(system: str, spins: reference.Spins, hold: bool) -> Rules:
    return Rules.preset("tetrio-league").replace(
        {
            "board": {"rows": ROWS, "visible": 20},
            "spawn": {"x": SPAWN[0], "y": SPAWN[1]},
            "pieces": {
                "kicks": system,
                "spins": spins.mode.lower(),
                "spin_kicks": spins.kicks,
                "spin_shift": spins.shift,
                "spin_hold": hold,
                "spin_top": spins.top,
            },
        }
    )


@pytest.mark.parametrize(
    ("system", "spins"),
    [
        # With kicks nearly every piece gets a spin sooner or later.
        ("none", reference.Spins("stupid")),
        ("srs+", reference.Spins("all-mini+", top=True)),
        ("srs", reference.Spins("T-spins", shift="keeps")),
        ("srs-x", reference.Spins("handheld", kicks="none")),
    ],
)
def test_the_next_piece_appears_with_the_spin_of_the_last(
    system: str, spins: reference.Spins
) -> None:
    different = 0
    rules = {hold: compile_rules(game_rules(system, spins, hold)) for hold in (False, True)}
    compared = cases(150)
    for seed in range(150):
        board = random_board(seed, 10, ROWS, 10, 0.5)
        field = field_of(board)
        seen = []
        for hold in (False, True):
            game = Game(rules[hold], seed, seed)
            game.start_from(board, 0, 0)
            if game.top_out is not None:
                break
            piece, offered = game.current.name, game.previews[0].name
            held = [p for p in game.placements(True) if p.piece != game.current]
            found = {(tuple(p.cells), p.spin.name) for p in held}
            seen.append(found)
            if seed >= compared:
                continue
            for placement in game.placements(True):
                assert game.find_move(placement, placement.piece != game.current) == placement
            carried: set[str] = set()
            if hold:
                states = reference.reachable(field, piece, system, SPAWN, spins)
                carried = {s.spin for s in states} - {"NONE"}
            assert found == reference.placements(field, offered, system, SPAWN, spins, carried)
        different += len(seen) == 2 and seen[0] != seen[1]
    assert different >= 1
