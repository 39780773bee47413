"""All solutions of a field: published counts, agreement with the solver, every order played."""

import itertools

import pytest

from sevenbag import Placement, Rotation, pc
from sevenbag.errors import BoardError, PlacementError, QueueError, SearchStoppedError
from tests.pc.solution_check import find_faults

FIRST = """
XXXXX.....
XXXXXX....
XXXXXXX...
XXXXXX....
"""
SECOND = """
XXXXX....X
XXXXXX...X
XXXXXXX..X
XXXXXX...X
"""
FOUR = ["".join(pieces) for pieces in itertools.permutations("IOTLJSZ", 4)]


@pytest.mark.parametrize(
    ("field", "hold", "queues", "solved", "unique"),
    [(FIRST, "I", FOUR, 711, 63), (SECOND, None, FOUR, 514, 18)],
)
def test_published_counts_of_the_perfect_clear_opener(
    field: str, hold: str | None, queues: list[str], solved: int, unique: int
) -> None:
    tilings = pc.find_tilings(field, queues, hold, height=4, kicks="srs")
    assert len(tilings) == unique
    assert len({frozenset(tiling.tiles) for tiling in tilings}) == unique
    covered = 0
    for tiling in tilings:
        covered |= tiling.queues
    assert covered.bit_count() == solved
    one_by_one = pc.find_solvable(field, queues, hold, kicks="srs", max_height=4, threads=2)
    assert [bool(covered >> i & 1) for i in range(len(queues))] == one_by_one


def test_every_order_can_be_played() -> None:
    for number, tiling in enumerate(pc.find_tilings(FIRST, FOUR, "I", height=4, kicks="srs")):
        for i in range(number % 7, len(FOUR), 41):
            solution = tiling.find_solution(FOUR[i], "I")
            assert (solution is not None) == bool(tiling.queues >> i & 1)
            if solution is not None:
                assert find_faults(solution, FOUR[i], "I", field=FIRST, kicks="srs") == []
                assert len(set(solution.placements)) == len(tiling.tiles)


def test_all_solutions_of_a_first_perfect_clear() -> None:
    queue = "LSTIZJOSJIO"
    tilings = pc.find_tilings("", [queue], height=4, kicks="srs")
    assert len(tilings) > 400
    assert len({frozenset(tiling.tiles) for tiling in tilings}) == len(tilings)
    for tiling in tilings[::25]:
        assert tiling.queues == 1
        solution = tiling.find_solution(queue)
        assert solution is not None
        assert find_faults(solution, queue, kicks="srs") == []
    strict = pc.find_tilings("", [queue], height=4, kicks="srs", strict=True)
    assert 0 < len(strict) <= len(tilings)


def test_without_hold_only_the_queues_own_order_counts() -> None:
    tilings = pc.find_tilings("", ["OIIII", "IIIIO", "IIOII", "SZSZS"], height=2, use_hold=False)
    assert tilings
    assert {tiling.queues for tiling in tilings} == {0b0111}


def test_equal_queues_each_have_their_bit() -> None:
    tilings = pc.find_tilings("", ["OIIII", "SZSZS", "OIIII"], height=2)
    assert {tiling.queues for tiling in tilings} == {0b101}


def test_placements_in_another_order() -> None:
    # Two O beside each other, and an I on top of at least one of them.
    placements = [
        Placement("O", Rotation.NORTH, 0, 0),
        Placement("O", Rotation.NORTH, 2, 0),
        Placement("I", Rotation.NORTH, 1, 2),
    ]
    tiling = pc.Tiling.from_placements("", placements)
    queues = ["OOI", "OIO", "IOO", "OOS"]
    assert tiling.find_playable_queues(queues, use_hold=False) == 0b0011
    assert tiling.find_playable_queues(queues) == 0b0111
    assert tiling.find_playable_queues(["SOO", "OOS"], "I") == 0b10
    solution = tiling.find_solution("IOO")
    assert solution is not None
    assert solution.holds == (True, False, True)


def test_solution_keeps_its_tiles() -> None:
    gaps = 0
    for tiling in pc.find_tilings(FIRST, FOUR, "I", height=4, kicks="srs"):
        queue = FOUR[(tiling.queues & -tiling.queues).bit_length() - 1]
        solution = tiling.find_solution(queue, "I")
        assert solution is not None
        again = pc.Tiling.from_placements(FIRST, solution.placements, kicks="srs")
        assert set(again.tiles) == set(tiling.tiles)
        assert again.find_playable_queues(FOUR, "I") == tiling.queues
        for tile in tiling.tiles:
            rows = {y for _, y in tile.cells}
            gaps += max(rows) - min(rows) >= len(rows)
    assert gaps > 10


def test_invalid_questions() -> None:
    with pytest.raises(BoardError, match="6 filled rows"):
        pc.find_tilings("\n".join(["X........."] * 7), ["IIIII"], height=6)
    with pytest.raises(BoardError, match="invalid height"):
        pc.find_tilings("X.........\nX.........", ["IIIII"], height=1)
    with pytest.raises(QueueError):
        pc.find_tilings("", ["I" * 60], height=2)
    with pytest.raises(PlacementError, match="invalid number of placements: expected 0 to 15"):
        pc.Tiling.from_placements("", [Placement("I", Rotation.NORTH, 1, 0)] * 16)
    with pytest.raises(PlacementError, match="outside the lowest 6 rows"):
        pc.Tiling.from_placements("", [Placement("I", Rotation.NORTH, 1, 7)])
    with pytest.raises(SearchStoppedError, match="limit"):
        pc.find_tilings("", ["LSTIZJOSJIOLTZOL"], height=6)
    with pytest.raises(SearchStoppedError, match="of 840 queues"):
        pc.find_solvable(FIRST, FOUR, "I", seconds=1e-9)
