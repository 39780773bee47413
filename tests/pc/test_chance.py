"""Tests of chances: published shares, and a separate search of each queue."""

import random

import pytest

from sevenbag import Board, Kicks, pc
from sevenbag._kernel import PcProblem as KernelPcProblem
from sevenbag._kernel import PcQueues, StopFlag
from sevenbag.errors import BoardError, QueueError, RulesError, SearchStoppedError
from sevenbag.formats.fumen import Fumen
from sevenbag.pc import PcProblem, compute_chance
from sevenbag.pc.patterns import Pattern
from tests.truth import truth

PCO = "XXXXX.....\nXXXXXX....\nXXXXXXX...\nXXXXXX...."
AFTER_I = Fumen.parse("v115@9gE8DeG8CeH8BeG8CeA8JeAgH").pages[0].field.board()


def results(chance: pc.PcChance) -> dict[str, bool]:
    return {queue: chance.is_solved(number) for number, queue in enumerate(chance.pattern)}


@pytest.mark.parametrize(
    ("field", "pattern", "solved"), [(PCO, "I,*p4", 711), (AFTER_I, "*p4", 514)]
)
def test_the_perfect_clear_opener(field: Board | str, pattern: str, solved: int) -> None:
    chance = compute_chance(PcProblem(field), pattern)
    assert (chance.solved, chance.total) == (solved, 840)
    assert chance.fraction == solved / 840
    failed = list(chance.failed_queues())
    assert len(failed) == 840 - solved
    assert set(failed) == {queue for queue, has in results(chance).items() if not has}


def test_two_lines_over_every_bag_without_a_held_piece() -> None:
    find_solvable = set(truth("pc/two_line_nohold.txt").read_text().split())
    chance = compute_chance(PcProblem(height=2), "*p6")
    # Windows that lie within one bag.
    assert {queue for queue, has in results(chance).items() if has} == {
        queue for queue in find_solvable if len(queue) == 6 and len(set(queue)) == 6
    }
    for split in range(1, 6):
        chance = compute_chance(PcProblem(height=2), f"*p{split},*p{6 - split}")
        for queue, has in results(chance).items():
            assert has == (queue in find_solvable), queue


def random_field(rng: random.Random, lines: int) -> str:
    """Rows that are filled from both sides, so that many can be cleared."""
    while True:
        rows = []
        for _ in range(lines):
            left, right = rng.randint(2, 7), rng.randint(0, 2)
            rows.append("X" * left + "." * (10 - left - right) + "X" * right)
        if sum(row.count(".") for row in rows) in (12, 16, 20):
            return "\n".join(rows)


@pytest.mark.parametrize("kicks", ["srs", "none180", "srs+", "srs-tetrio"])
@pytest.mark.parametrize("hold", [True, False])
def test_every_queue_of_random_fields(kicks: str, hold: bool) -> None:
    rng = random.Random(f"{kicks} {hold}")
    solver = pc.Solver(kicks)
    compared = some = 0
    for _ in range(16):
        lines = rng.choice([3, 4, 4, 5, 6])
        field = random_field(rng, lines)
        problem = PcProblem(field, height=lines, hold=hold, kicks=kicks)
        pieces = problem.usable_pieces
        pattern = rng.choice([f"*p{pieces}", f"*p2,*p{pieces - 2}", f"[TIOL]p2,*p{pieces - 2}"])
        chance = compute_chance(problem, pattern)
        numbered = list(enumerate(chance.pattern))
        for number, queue in rng.sample(numbered, min(60, len(numbered))):
            answer = solver.search(field, queue, use_hold=hold, min_height=lines, max_height=lines)
            assert (answer.solution is not None) == chance.is_solved(number), (field, queue)
            compared += 1
            some += chance.is_solved(number)
    assert compared > 600
    assert some > 3


def slowly(board: Board, queue: str, held: str, lines: int, kicks: Kicks, soft: str) -> bool:
    """The obvious search; pieces that are not `soft` fall straight from above."""
    if board.is_empty and lines == 0:
        return True
    choices = {(queue[0], held + queue[1:])} if queue else set()
    if held:
        choices.add((held, queue))
    elif len(queue) > 1:
        choices.add((queue[1], queue[0] + queue[2:]))
    for piece, rest in choices:
        # With a held piece the rest begins with it, in either case.
        for placement in board.placements(piece, kicks, spawn=(4, 30)):
            if max(y for _, y in placement.cells) >= lines:
                continue
            if piece not in soft and any(
                board[x, above] for x, y in placement.cells for above in range(y, lines)
            ):
                continue
            after = board.copy()
            cleared = after.lock(placement)
            if slowly(after, rest[1:], rest[:1], lines - cleared, kicks, soft):
                return True
    return False


@pytest.mark.parametrize(("drop", "soft"), [("soft", "IOTLJSZ"), ("hard", ""), ("t-soft", "T")])
def test_ways_to_drop(drop: pc.DropMode, soft: str) -> None:
    chance = compute_chance(PcProblem(AFTER_I, drop=drop), "*p4")
    rng = random.Random(4)
    found = set[bool]()
    for queue, has in rng.sample(sorted(results(chance).items()), 60):
        assert slowly(AFTER_I, queue[1:], queue[0], 4, Kicks("srs"), soft) == has, queue
        found.add(has)
    assert found == {True, False}


def test_unusable_pieces_do_not_matter() -> None:
    problem = PcProblem(AFTER_I)
    chance = compute_chance(problem, "*p7")
    assert (chance.solved, chance.total, chance.unused) == (514, 840, 3)
    assert compute_chance(PcProblem(AFTER_I, hold=False), "*p4").unused == 1


def test_the_tree_adds_up() -> None:
    chance = compute_chance(PcProblem(PCO), "I,*p4")
    branches = list(chance.iterate_prefixes(3))
    assert branches[0] == ("", 711, 840)
    assert len(branches) == 1 + 1 + 7 + 7 * 6
    for length in (1, 2, 3):
        level = [branch for branch in branches if len(branch.pieces) == length]
        assert sum(branch.solved for branch in level) == 711
        assert sum(branch.total for branch in level) == 840
        for branch in level:
            assert branch.solved == sum(
                has for queue, has in results(chance).items() if queue.startswith(branch.pieces)
            )


def test_full_rows_of_the_field_count_among_the_lines() -> None:
    rows = PCO.split("\n")
    field = "\n".join([*rows[:2], "X" * 10, rows[2], "X" * 10, rows[3]])
    assert compute_chance(PcProblem(field, height=6), "I,*p4").solved == 711


def test_a_field_that_is_clear_already() -> None:
    chance = compute_chance(PcProblem("XXXXXXXXXX\nXXXXXXXXXX", height=2), "*p4")
    assert chance.fraction == 1


@pytest.mark.parametrize(
    ("field", "lines", "message"),
    [
        ("X.........", 4, "expected a multiple of four empty cells, got 39 in 4 rows"),
        (PCO, 3, "invalid field: expected at most 3 rows, as many as to clear, got 4"),
        ("", 8, "invalid field: expected at most 6 rows to fill, got 8"),
        ("", 0, "invalid height: expected 1 to 64, got 0"),
        ("", 2**40, "invalid height: expected 1 to 64"),
        (Board(8), 4, "invalid board: expected 10 columns"),
    ],
)
def test_fields_that_cannot_be_asked_about(field: Board | str, lines: int, message: str) -> None:
    with pytest.raises(BoardError, match=message):
        PcProblem(field, height=lines)


def test_too_few_pieces() -> None:
    with pytest.raises(QueueError, match="expected queues of at least 4 pieces"):
        compute_chance(PcProblem(PCO), "*p3")


def test_no_such_drop() -> None:
    with pytest.raises(RulesError, match="expected soft, hard or t-soft"):
        KernelPcProblem(Board(), height=4, kicks="srs", hold=True, drop="softly")


@pytest.mark.parametrize(
    "automaton",
    [
        [],
        [-1] * 7,
        [-1] * 14,
        [-1] * 13,
        [-1] * 7 + [1] * 7,
        [-1] * 7 + [0] * 7 + [0, 1] + [-1] * 5,
    ],
)
def test_invalid_queues(automaton: list[int]) -> None:
    with pytest.raises(QueueError, match="invalid queues"):
        PcQueues(automaton)


def test_queues_by_their_numbers() -> None:
    pattern = Pattern.parse("[TIO]p2,*p2;SZLT")
    queues = PcQueues(pattern.automaton())
    assert [queues[number] for number in range(len(queues))] == list(pattern)
    with pytest.raises(IndexError):
        queues[len(queues)]


def test_searches_can_be_stopped() -> None:
    stop = StopFlag()
    stop.set()
    with pytest.raises(SearchStoppedError, match="of 4233600 queues"):
        compute_chance(PcProblem(), "*p7,*p4", stop=stop)
    with pytest.raises(SearchStoppedError):
        compute_chance(PcProblem(), "*p7,*p4", seconds=0.05)
