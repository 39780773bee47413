"""Tests of the solver: published answers, counts over all windows, every solution played again."""

import itertools
import threading
from collections import Counter

import pytest

from sevenbag import Board, Placement, Rotation, pc
from sevenbag._kernel import PcSolver, StopFlag
from sevenbag.errors import (
    BoardError,
    KicksError,
    PieceError,
    PlacementError,
    QueueError,
    SearchStoppedError,
)
from tests.pc.solution_check import find_faults, letters, solve
from tests.pc.test_chance import AFTER_I, PCO
from tests.truth import truth

SIX_SYSTEMS = ("none", "none180", "srs", "srs180", "srs-tetrio", "srs+")


def first_pc_queues() -> list[list[str]]:
    lines = truth("pc/first_pc_200.txt").read_text().splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


@pytest.mark.parametrize(("height", "pieces", "column"), [(4, 11, 2), (6, 16, 3)])
@pytest.mark.parametrize("strict", [False, True])
def test_first_perfect_clears_are_found_and_true(
    height: int, pieces: int, column: int, strict: bool
) -> None:
    solver = pc.Solver("srs+")
    for fields in first_pc_queues():
        queue = fields[1][:pieces]
        solution = solver.solve("", queue, min_height=height, strict=strict)
        assert solution is not None, queue
        assert solution.height == height
        assert len(solution.placements) == int(fields[column])
        assert find_faults(solution, queue, strict=strict) == [], queue


@pytest.mark.parametrize("kicks", ["srs", "none"])
def test_other_systems_find_solutions(kicks: str) -> None:
    solver = pc.Solver(kicks)
    for fields in first_pc_queues()[:60]:
        solution = solver.solve("", fields[1][:11], min_height=4)
        # Plain SRS solves them all; that is published. Without kicks some may have none.
        assert solution is not None or kicks == "none"
        if solution is not None:
            assert find_faults(solution, fields[1][:11], kicks=kicks) == []


@pytest.mark.parametrize("kicks", SIX_SYSTEMS)
def test_pieces_to_save_are_saved(kicks: str) -> None:
    queue = "LSTIZJOSJIOLTZOL"
    solver = pc.Solver(kicks)
    for save in "LSTIZJO":
        solution = solver.solve("", queue[:11], min_height=4, max_height=4, save=save)
        if solution is not None:
            assert len(solution.placements) == 10
            assert find_faults(solution, queue[:11], kicks=kicks, save=save) == []


@pytest.mark.parametrize(("height", "pieces"), [(4, 11), (6, 16)])
def test_the_published_queue_saves_its_s(height: int, pieces: int) -> None:
    queue = "LSTIZJOSJIOLTZOL"[:pieces]
    solution = solve(queue, min_height=height, save="S")
    assert len(solution.placements) == height * 10 // 4
    assert find_faults(solution, queue, save="S", strict=True) == []


def test_exactly_enough_pieces_are_each_used_once() -> None:
    queue = "OZILJTSSJL"
    assert sorted(letters(solve(queue, kicks="srs", min_height=4))) == sorted(queue)


@pytest.mark.parametrize(
    ("queue", "hold", "length"),
    [
        ("LSTIZJOSJIO", None, 10),
        ("OIIII", None, 5),
        ("OIIIIT", None, 5),
        # The held piece does not reduce the look-ahead.
        ("IIII", "O", 5),
        ("IIIII", "O", 5),
    ],
)
def test_lowest_perfect_clears(queue: str, hold: str | None, length: int) -> None:
    assert len(solve(queue, hold, kicks="srs").placements) == length


def test_a_field_with_a_held_piece() -> None:
    for save in (None, "I"):
        assert len(solve("TSZJO", "I", field=PCO, kicks="srs", save=save).placements) == 4
    answer = pc.Solver("srs").search(PCO, "TSZJO", "I", save="L")
    assert answer.status == pc.SolveStatus.CANNOT_SAVE


def test_a_field_of_eight_rows() -> None:
    field = "\n".join(["XX........"] * 8)
    solution = solve("O" * 17, field=field)
    assert (solution.height, len(solution.placements)) == (8, 16)


def test_full_rows_are_removed_first() -> None:
    solution = pc.solve("XXXXXXXXXX", "OIIIIIIII", kicks="srs")
    assert solution is not None
    assert solution.height == 2
    assert find_faults(solution, "OIIIIIIII", kicks="srs") == []
    *_, before, after = solution.boards("XXXXXXXXXX")
    assert before.cell_count > 0
    assert after.is_empty


def test_boards_follow_the_solution() -> None:
    boards = list(solve("IJLOO", "I").boards())
    assert len(boards) == 6
    assert [board.cell_count for board in boards[:3]] == [0, 4, 8]
    assert boards[-1].is_empty


def test_without_hold_the_queue_is_the_order() -> None:
    queue = "OIIII"
    solution = solve(queue, use_hold=False)
    assert letters(solution) == queue
    assert not any(solution.holds)
    # The held piece stays in hold.
    assert letters(solve(queue, "T", use_hold=False, save="T")) == queue


def test_early_clears_can_be_forbidden() -> None:
    # Two perfect clears of two lines; with the same pieces there is another way.
    queue = "IJLOOIJLOOT"
    solve(queue, min_height=4)
    solve(queue, min_height=4, strict=True)


@pytest.mark.parametrize(
    ("field", "queue", "options", "reason"),
    [
        ("X.........", "IIIIIIIIII", {}, pc.SolveStatus.ODD_CELLS),
        ("", "OOOO", {}, pc.SolveStatus.TOO_FEW_PIECES),
        ("", "OOOOO", {"save": "O"}, pc.SolveStatus.TOO_FEW_PIECES),
        ("", "OOOOOO", {"save": "T"}, pc.SolveStatus.CANNOT_SAVE),
        ("", "SZSZSZ", {}, pc.SolveStatus.NONE),
        ("", "OIZSOZOISLT", {"min_height": 4}, pc.SolveStatus.NONE),
        ("", "OIIII", {"min_height": 4}, pc.SolveStatus.TOO_FEW_PIECES),
        ("", "OIZSOZOISLT", {"min_height": 4, "nodes": 1000}, pc.SolveStatus.STOPPED),
    ],
)
def test_reasons_without_a_solution(
    field: str, queue: str, options: dict[str, int], reason: pc.SolveStatus
) -> None:
    answer = pc.Solver("srs").search(field, queue, **options)  # type: ignore[arg-type]
    assert answer.status == reason
    assert answer.solution is None


@pytest.mark.parametrize(
    "kicks",
    ["srs", *(pytest.param(name, marks=pytest.mark.slow) for name in ("srs+", "srs-tetrio"))],
)
def test_queues_without_a_perfect_clear_have_none(kicks: str) -> None:
    queues = truth("pc/no_pc_sample.txt").read_text().split()
    # The others are as good; a different part for each system.
    start = ("srs", "srs+", "srs-tetrio").index(kicks) * 334
    part = queues[start : start + 334]
    assert len(part) > 300
    assert not any(found for _, found in PcSolver(kicks).time_queues(part, 4, 1))


def windows(length: int) -> Counter[str]:
    """Every window of a 7-bag's pieces, with the number of bag phases in which it can occur.

    As the published counts have it, the phases that keep the window in one bag are one.
    """
    found: Counter[str] = Counter()
    for first in range(1, length + 1):  # pieces of the first bag
        for head in itertools.permutations("IOTLJSZ", first):
            for tail in itertools.permutations("IOTLJSZ", length - first):
                found["".join(head + tail)] += 1
    return found


@pytest.mark.parametrize(
    ("file", "length", "holds", "total", "total_solvable"),
    [
        ("pc/two_line_nohold.txt", 6, ("",), 154_980, 5_148),
        ("pc/two_line_hold.txt", 5, tuple("IOTLJSZ"), 223_440, 9_984),
    ],
)
def test_all_windows_of_two_lines(
    file: str, length: int, holds: tuple[str, ...], total: int, total_solvable: int
) -> None:
    expected = dict(line.split() for line in truth(file).read_text().splitlines())
    all_windows = {
        hold + window: many for window, many in windows(length).items() for hold in holds
    }
    assert sum(all_windows.values()) == total
    queues = list(all_windows)
    times = PcSolver("srs").time_queues(queues, 2, 1)
    found = {queue for queue, (_, solved) in zip(queues, times, strict=True) if solved}
    assert found == set(expected)
    assert sum(all_windows[queue] for queue in found) == total_solvable
    assert all(all_windows[queue] == int(expected[queue]) for queue in found)


def test_bad_input_is_named() -> None:
    with pytest.raises(PieceError, match="X"):
        pc.solve("", "IXOL")
    with pytest.raises(PieceError):
        pc.solve("", "IOLT", "Q")
    for queue, message in (("", "expected piece letters"), ("I" * 200, "expected at most")):
        with pytest.raises(QueueError, match=f"invalid queue: {message}"):
            pc.solve("", queue)
    with pytest.raises(BoardError, match="10 columns"):
        pc.solve(Board(8, 20), "IIIII")
    with pytest.raises(BoardError, match="20 rows"):
        pc.solve("\n".join(["X........."] * 30), "IIIII")
    with pytest.raises(KicksError):
        pc.solve("", "IIIII", kicks="srs++")


def test_limits_end_a_search() -> None:
    with pytest.raises(SearchStoppedError, match="4 rows"):
        pc.solve("", "OIZSOZOISLT", min_height=4, nodes=1000)
    field = "\n".join(["X........."] * 8)
    with pytest.raises(SearchStoppedError):
        pc.solve(field, "SZ" * 20, seconds=0.2)


def test_a_search_can_be_stopped_from_another_thread() -> None:
    stop = StopFlag()
    timer = threading.Timer(0.2, stop.set)
    timer.start()
    with pytest.raises(SearchStoppedError):
        pc.solve("\n".join(["X........."] * 8), "SZ" * 20, stop=stop)
    timer.join()


@pytest.mark.parametrize(
    ("queue", "nodes"),
    [
        ("LSZSZLSLZZZZSZLL", 150_000),
        # One of the queues for which everything must be tried.
        pytest.param("ZZLZZZZLLZSZZLZZ", 1_700_000, marks=pytest.mark.slow),
    ],
)
def test_threads_find_what_one_finds(queue: str, nodes: int) -> None:
    alone, together = (
        pc.Solver("srs", tables=False).search(
            "", queue, min_height=6, max_height=6, threads=threads
        )
        for threads in (1, 3)
    )
    assert alone.nodes > nodes, "it was too easy"
    assert alone.solution is not None
    assert together.solution == alone.solution


@pytest.mark.parametrize("threads", [0, -1, 257])
def test_a_wrong_number_of_threads_is_refused(threads: int) -> None:
    with pytest.raises(QueueError, match=f"invalid threads: expected 1 to 256, got {threads}"):
        pc.solve("", "IJLOO", "I", threads=threads)


FOUR = ["".join(pieces) for pieces in itertools.permutations("IOTLJSZ", 4)]


@pytest.mark.parametrize(
    ("field", "hold", "solved", "unique"), [(PCO, "I", 711, 63), (AFTER_I, None, 514, 18)]
)
def test_published_counts_of_the_perfect_clear_opener(
    field: Board | str, hold: str | None, solved: int, unique: int
) -> None:
    tilings = pc.find_tilings(field, FOUR, hold, height=4, kicks="srs")
    assert len(tilings) == unique
    assert len({frozenset(tiling.tiles) for tiling in tilings}) == unique
    covered = 0
    for tiling in tilings:
        covered |= tiling.queues
    assert covered.bit_count() == solved
    one_by_one = pc.find_solvable(field, FOUR, hold, kicks="srs", max_height=4, threads=2)
    assert [bool(covered >> i & 1) for i in range(len(FOUR))] == one_by_one


def test_every_order_can_be_played() -> None:
    for number, tiling in enumerate(pc.find_tilings(PCO, FOUR, "I", height=4, kicks="srs")):
        for i in range(number % 7, len(FOUR), 41):
            solution = tiling.find_solution(FOUR[i], "I")
            assert (solution is not None) == bool(tiling.queues >> i & 1)
            if solution is not None:
                assert find_faults(solution, FOUR[i], "I", field=PCO, kicks="srs") == []
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


@pytest.mark.parametrize(
    ("queues", "hold", "bits"),
    [
        (["OIIII", "IIIIO", "IIOII", "SZSZS"], False, 0b0111),
        (["OIIII", "SZSZS", "OIIII"], True, 0b101),
    ],
    ids=["only the queue's own order counts", "equal queues each have their bit"],
)
def test_queues_of_tilings(queues: list[str], hold: bool, bits: int) -> None:
    tilings = pc.find_tilings("", queues, height=2, use_hold=hold)
    assert {tiling.queues for tiling in tilings} == {bits}


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
    for tiling in pc.find_tilings(PCO, FOUR, "I", height=4, kicks="srs"):
        queue = FOUR[(tiling.queues & -tiling.queues).bit_length() - 1]
        solution = tiling.find_solution(queue, "I")
        assert solution is not None
        again = pc.Tiling.from_placements(PCO, solution.placements, kicks="srs")
        assert set(again.tiles) == set(tiling.tiles)
        assert again.find_playable_queues(FOUR, "I") == tiling.queues
        for tile in tiling.tiles:
            rows = {y for _, y in tile.cells}
            gaps += max(rows) - min(rows) >= len(rows)
    assert gaps > 10


def test_invalid_tilings() -> None:
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
        pc.find_solvable(PCO, FOUR, "I", seconds=1e-9)
