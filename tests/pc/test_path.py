"""All solutions of a field: published numbers, a slow search, every solution played again."""

import itertools
import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sevenbag import Board, Kicks, pc
from sevenbag._kernel import find_maximal_sets, find_smallest_cover
from sevenbag.errors import BoardError, QueueError, SearchStoppedError
from sevenbag.formats.fumen import Fumen
from sevenbag.pc import PcProblem, compute_chance, find_solutions
from sevenbag.pc.path import format_csv, format_fumen, format_html
from tests.pc.solution_check import find_faults
from tests.pc.test_chance import AFTER_I, PCO


@pytest.fixture(scope="module")
def opener() -> pc.SolutionSet:
    return find_solutions(PcProblem(PCO), "I,*p4")


@pytest.fixture(scope="module")
def after_i() -> pc.SolutionSet:
    return find_solutions(PcProblem(AFTER_I), "*p4")


def test_the_perfect_clear_opener(opener: pc.SolutionSet, after_i: pc.SolutionSet) -> None:
    assert (opener.solved_queues, len(opener.solutions), len(opener.minimal)) == (711, 63, 33)
    assert (after_i.solved_queues, len(after_i.solutions), len(after_i.minimal)) == (514, 18, 16)


@pytest.mark.parametrize("field", [PCO, AFTER_I])
@pytest.mark.parametrize("hold", [True, False])
def test_every_solution_can_be_played_by_its_queues(field: Board | str, hold: bool) -> None:
    problem = PcProblem(field, hold=hold)
    pattern = "*p5" if problem.pieces_needed == 4 else "*p4"
    paths = find_solutions(problem, pattern)
    assert paths.solutions
    drawn = field if isinstance(field, str) else str(field).replace("#", "X")
    rng = random.Random(3)
    for number, solution in enumerate(paths.solutions):
        queues = paths.queues_of(number)
        assert len(queues) == solution.count > 0
        for queue in {paths.find_example(number)[0], *rng.sample(queues, min(3, len(queues)))}:
            played = solution.tiling.find_solution(queue, use_hold=hold)
            assert played is not None
            assert find_faults(played, queue, field=drawn, kicks="srs") == []
            assert hold or not any(played.holds)


def test_all_solvable_queues_are_included(opener: pc.SolutionSet) -> None:
    chance = compute_chance(PcProblem(PCO), "I,*p4")
    for number, queue in enumerate(opener.queues):
        assert chance.is_solved(number) == any(s.queues >> number & 1 for s in opener.solutions), (
            queue
        )


def endings(board: Board, pieces: str, lines: int, kicks: Kicks) -> set[frozenset[str]]:
    """The obvious search: all ways to place pieces in this order, as cells of the start field."""
    found = set[frozenset[str]]()

    def go(board: Board, rows: list[int], left: str, tiles: list[str]) -> None:
        if not left:
            if not rows:
                found.add(frozenset(tiles))
            return
        for placement in board.placements(left[0], kicks, spawn=(4, 30)):
            if max(y for _, y in placement.cells) >= len(rows):
                continue
            tile = left[0] + str(sorted((x, rows[y]) for x, y in placement.cells))
            after = board.copy()
            for x, y in placement.cells:
                after[x, y] = True
            kept = [row for y, row in enumerate(rows) if after.row(y) != 0x3FF]
            after = board.copy()
            after.lock(placement)
            go(after, kept, left[1:], [*tiles, tile])

    go(board, list(range(lines)), pieces, [])
    return found


def test_the_slow_search_finds_the_same(after_i: pc.SolutionSet) -> None:
    queues = random.Random(8).sample(range(len(after_i.queues)), 25)
    ours = [
        frozenset(tile.piece.name + str(sorted(tile.cells)) for tile in solution.tiling.tiles)
        for solution in after_i.solutions
    ]
    some = 0
    for number in queues:
        a, b, c, d = list(after_i.queues[number])
        # All orders of four pieces under hold, three of which are placed.
        orders = {first + last for first in (a + b, b + a) for last in (c, d)}
        orders |= {a + c + b, a + c + d, b + c + a, b + c + d}
        expected = set[frozenset[str]]().union(
            *(endings(AFTER_I, order, 4, Kicks("srs")) for order in orders)
        )
        found = {
            tiles
            for tiles, solution in zip(ours, after_i.solutions, strict=True)
            if solution.queues >> number & 1
        }
        assert found == expected, after_i.queues[number]
        some += bool(found)
    assert some > 5


@pytest.mark.parametrize("drop", ["hard", "t-soft"])
def test_ways_to_drop(drop: pc.DropMode) -> None:
    problem = PcProblem(PCO, drop=drop)
    paths = find_solutions(problem, "I,*p4")
    assert 0 < paths.solved_queues == compute_chance(problem, "I,*p4").solved < 711


def test_minimal_and_smallest_have_all_queues(opener: pc.SolutionSet) -> None:
    for numbers in (opener.minimal, opener.smallest):
        covered = 0
        for number in numbers:
            covered |= opener.solutions[number].queues
        assert covered.bit_count() == 711
    assert opener.is_minimum_proved
    # Each that is not minimal has no queue that one of the minimal ones has not.
    kept = [opener.solutions[number].queues for number in opener.minimal]
    for solution in opener.solutions:
        assert any(solution.queues & ~other == 0 for other in kept)


def as_bytes(sets: Sequence[set[int]], elements: int) -> list[bytes]:
    return [sum(1 << e for e in s).to_bytes((elements + 7) // 8, "little") for s in sets]


@given(st.lists(st.sets(st.integers(0, 17), max_size=7), max_size=9))
def test_smallest_covers_of_small_problems(sets: list[set[int]]) -> None:
    chosen, at_least = find_smallest_cover(as_bytes(sets, 18))
    everything = set[int]().union(*sets)
    assert set[int]().union(*(sets[i] for i in chosen)) == everything
    assert list(chosen) == sorted(set(chosen))
    fewest = next(
        n
        for n in range(len(sets) + 1)
        for some in itertools.combinations(sets, n)
        if set[int]().union(*some) == everything
    )
    assert len(chosen) == at_least == fewest


@given(st.lists(st.sets(st.integers(0, 9), max_size=4), max_size=12))
def test_widest_sets(sets: list[set[int]]) -> None:
    widest = find_maximal_sets(as_bytes(sets, 10))
    expected = [
        i
        for i, s in enumerate(sets)
        if s and not any(s < other or (s == other and j < i) for j, other in enumerate(sets))
    ]
    assert widest == expected


def test_a_cover_that_takes_too_long_is_honest() -> None:
    rng = random.Random(1)
    sets = [{rng.randrange(400) for _ in range(14)} for _ in range(300)]
    chosen, at_least = find_smallest_cover(as_bytes(sets, 400), milliseconds=50)
    assert set[int]().union(*(sets[i] for i in chosen)) == set[int]().union(*sets)
    assert 0 < at_least < len(chosen)


def test_a_fumen_shows_the_pieces(opener: pc.SolutionSet) -> None:
    fumen = Fumen.parse(format_fumen(opener, range(63)).encode())
    assert len(fumen.pages) == 63
    for page, solution in zip(fumen.pages, opener.solutions, strict=True):
        assert page.field.rows[3][:5] == "GGGGG"
        for tile in solution.tiling.tiles:
            assert {page.field[cell] for cell in tile.cells} == {tile.piece.name}
        assert f"[{solution.count}/840]" in page.comment


def test_a_table_and_a_page(after_i: pc.SolutionSet) -> None:
    lines = format_csv(after_i, after_i.minimal).splitlines()
    assert lines[0].startswith("solution,fumen,pieces,queues")
    assert len(lines) == 1 + 16
    page = format_html(after_i, after_i.minimal)
    assert page.count("<svg") == page.count("</svg>") == 16
    assert "514 of 840 queues" in page


def test_no_solution_is_not_an_error() -> None:
    paths = find_solutions(PcProblem(height=2), "*p6")
    assert paths.solutions == paths.minimal == paths.smallest == ()
    assert paths.is_minimum_proved
    assert "0 solutions" in format_html(paths, [])
    assert len(format_fumen(paths, []).pages) == 1


def test_invalid_questions() -> None:
    with pytest.raises(BoardError, match="expected empty cells"):
        find_solutions(PcProblem("XXXXXXXXXX", height=1), "*p4")
    with pytest.raises(QueueError, match="expected at most 200000 queues"):
        find_solutions(PcProblem(), "*p7,*p4")
    with pytest.raises(QueueError, match="expected queues of at least"):
        find_solutions(PcProblem(PCO), "*p3")
    with pytest.raises(SearchStoppedError):
        find_solutions(PcProblem(), "*p7,TISZ", seconds=0.05)
