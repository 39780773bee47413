"""Queues that can play placements: against all solutions, and against every order tried out."""

import itertools

import pytest

from sevenbag import Board, Kicks, Placement, Rotation
from sevenbag.errors import BoardError, FormatError, FumenError, PlacementError, QueueError
from sevenbag.formats.fumen import Field, Fumen, Page
from sevenbag.pc import PcProblem, compute_coverage, find_solutions, read_setups
from sevenbag.pc.cover import divide_into_pieces
from sevenbag.pc.path import format_fumen
from tests.pc.test_chance import AFTER_I, PCO

O = Placement("O", Rotation.NORTH, 0, 0)


@pytest.mark.parametrize(("field", "pattern"), [(PCO, "I,*p4"), (AFTER_I, "*p4")])
def test_colored_solutions_have_their_queues(field: Board | str, pattern: str) -> None:
    paths = find_solutions(PcProblem(field), pattern)
    text = format_fumen(paths, range(len(paths.solutions))).encode()
    coverage = compute_coverage(read_setups(text), pattern)
    assert list(coverage.covered) == [solution.queues for solution in paths.solutions]
    assert coverage.covered_by_any.bit_count() == paths.solved_queues
    assert coverage.accumulate(paths.smallest)[-1] == paths.solved_queues


def test_solutions_played_page_by_page_have_the_same() -> None:
    paths = find_solutions(PcProblem(AFTER_I), "*p4")
    for number, solution in enumerate(paths.solutions):
        played = paths.find_example(number)[1]
        start = Fumen((Page(Field.from_board(AFTER_I), color=True, lock=False),))
        setups = read_setups(start.with_placements(played.placements).encode())
        assert [setup.pieces for setup in setups] == [played.pieces]
        assert compute_coverage(setups, "*p4").covered == (solution.queues,)


def deals(queue: str, number: int) -> set[str]:
    """Return the orders that hold, empty at first, allows for a queue."""
    orders: set[str] = set()

    def go(left: str, held: str, placed: str) -> None:
        if len(placed) == number:
            orders.add(placed)
            return
        if left:
            go(left[1:], held, placed + left[0])
            if not held:
                go(left[1:], left[0], placed)
            else:
                go(left[1:], left[0], placed + held)
        elif held:
            go("", "", placed + held)

    go(queue, "", "")
    return orders


def playable(field: Board, placements: list[Placement], order: str) -> bool:
    """Return whether an order of the placements, which clear no row, has these letters."""
    for chosen in itertools.permutations(placements):
        if "".join(placement.piece.name for placement in chosen) != order:
            continue
        board = field.copy()
        for placement in chosen:
            reachable = board.placements(placement.piece, Kicks("srs"), spawn=(4, 30))
            if placement.canonical() not in [move.canonical() for move in reachable]:
                break
            board.lock(placement)
        else:
            return True
    return False


def test_setup_without_a_clear() -> None:
    # J lies on Z; T moves under an overhang of L.
    placements = [
        Placement("Z", Rotation.NORTH, 1, 0),
        Placement("J", Rotation.NORTH, 1, 2),
        Placement("L", Rotation.SOUTH, 8, 1),
        Placement("T", Rotation.SOUTH, 5, 1),
    ]
    first = Page(placement=placements[0], color=True)
    fumen = Fumen((first,)).with_placements(placements[1:])
    (setup,) = read_setups(fumen.encode())
    for hold in (True, False):
        coverage = compute_coverage([setup], "[ZJLTO]p5", hold=hold)
        assert coverage.unused == (0 if hold else 1)
        assert 0 < coverage.covered_by_any.bit_count() < coverage.total
        for number, queue in enumerate(coverage.queues):
            orders = deals(queue, 4) if hold else {queue}
            expected = any(playable(Board(), placements, order) for order in orders)
            assert (coverage.covered[0] >> number & 1) == expected, queue


def test_sorting_and_accumulation() -> None:
    t = Placement("T", Rotation.NORTH, 1, 0)
    both = Page(placement=O).create_next(Placement("O", Rotation.NORTH, 0, 2))
    fumen = Fumen((Page(placement=O, color=True), Page(placement=t), Page(placement=O), both))
    coverage = compute_coverage(read_setups(fumen.encode()), "[OT]p2;OO", hold=False)
    assert [bits.bit_count() for bits in coverage.covered] == [2, 1, 1]
    assert coverage.by_coverage() == [0, 1, 2]
    assert coverage.accumulate([2, 0, 1]) == [1, 2, 3]
    assert coverage.covered_by_any.bit_count() == 3
    assert coverage.covered_by_all == 0
    assert list(coverage.failed_queues()) == []


def test_touching_pieces_of_one_kind_may_be_divided_in_several_ways() -> None:
    rows = ["IIIIIIII..", "IIIIIIII..", "IIIIIIII..", "IIIIIIII.."]
    _, ways = divide_into_pieces(rows)
    # Two squares of four by four, each of four lying or four standing pieces, and what lies
    # across both: all of it at least divides.
    assert len(ways) >= 4
    for way in ways:
        assert len(way) == 8
    with pytest.raises(FormatError, match="invalid row of a piece: expected 1 to 6, got 7"):
        divide_into_pieces(["S" * 10] * 7)
    with pytest.raises(FormatError, match="too many ways"):
        divide_into_pieces(["I" * 8 + ".."] * 6)


def test_split_pieces_follow_the_rows_between() -> None:
    # The row in the middle is cleared by I before J stands on both sides of it.
    rows = ["GGGGGGGG.G".replace(".", "J"), "GGGGGGIIII", "GGGGGGG.JG", "GGGGGGG.JJ"]
    field, ways = divide_into_pieces(rows)
    assert field.cell_count == 8 + 1 + 6 + 8 + 7
    assert all(way[0].piece.name == "I" for way in ways)


@pytest.mark.parametrize(
    ("pages", "message"),
    [
        ([Page()], "invalid fumen: expected pieces"),
        ([Page(Field.from_rows(["TT........"]))], "cannot be divided"),
        ([Page(placement=O, rise=True)], "page 1: a setup must lock its pieces"),
        ([Page(placement=O, lock=False)], "page 1: a setup must lock its pieces"),
    ],
)
def test_fumens_without_a_setup(pages: list[Page], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_setups(Fumen(tuple(pages)).encode())


def test_invalid_setups() -> None:
    with pytest.raises(FumenError):
        read_setups("nothing")
    one = Fumen((Page(placement=O),))
    assert compute_coverage(read_setups(one.encode()), "*p7,*p7").unused == 12
    two = read_setups(one.with_placements([Placement("O", Rotation.NORTH, 0, 2)]).encode())
    with pytest.raises(QueueError, match="at least 2 pieces, as a setup has, got 1"):
        compute_coverage(two, "*")
    high = Fumen((Page(placement=Placement("O", Rotation.NORTH, 0, 8)),)).encode()
    with pytest.raises(PlacementError, match="lowest 6 rows"):
        compute_coverage(read_setups(high), "*p2")
    tower = Field.from_rows(["G........."] * 9)
    on_it = Fumen((Page(tower, Placement("O", Rotation.NORTH, 0, 9)),)).encode()
    with pytest.raises(BoardError, match="6 filled rows"):
        compute_coverage(read_setups(on_it), "*p2")
