"""Tests of perft with published counts (tests/data/perft.json) and the reference."""

import json
import signal
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sevenbag import Board, Piece, SpinMode, perft
from sevenbag.errors import KicksError, PieceError, QueueError
from tests.kernel import reference
from tests.kernel.scenes import PIECES, boards, field_of, kicks_of, modes, spin_rules, systems
from tests.properties import examples

PUBLISHED = json.loads((Path(__file__).parent.parent / "data" / "perft.json").read_text())
# Depth 7 (2.6 thousand million leaves) is counted by bench/perft.py.
DEEPEST = 6
RULES = {"A": ("srs", SpinMode.NONE), "C": ("srs+", SpinMode.T_SPINS)}

CASES = [
    pytest.param(
        entry["rules"],
        entry["queue"],
        int(depth),
        count,
        (4, entry.get("spawn_row", 19)),
        entry.get("board_rows", 40),
        id=f"{entry['rules']}-{entry['queue']}-{depth}-{entry.get('spawn_row', 19)}",
    )
    for entry in PUBLISHED["counts"]
    for depth, count in entry["by_depth"].items()
    if int(depth) <= DEEPEST
]


@pytest.mark.parametrize(("rules", "queue", "depth", "count", "spawn", "rows"), CASES)
def test_published_counts(
    rules: str, queue: str, depth: int, count: int, spawn: tuple[int, int], rows: int
) -> None:
    kicks, spins = RULES[rules]
    board = Board(10, rows)
    assert perft(queue, depth, kicks, board=board, spins=spins, spawn=spawn) == count


@pytest.mark.parametrize("piece", "IOTLJSZ")
def test_first_ply(piece: str) -> None:
    assert perft(piece) == PUBLISHED["depth1_by_piece"][piece]


def test_threads_count_the_same() -> None:
    assert perft("IOLJSZ", threads=2) == 67002200


def compare(
    board: Board,
    queue: str,
    system: reference.System,
    mode: reference.SpinSetting,
    spawn: tuple[int, int],
) -> None:
    ours = perft(queue, kicks=kicks_of(system), board=board, spins=spin_rules(mode), spawn=spawn)
    assert ours == reference.perft(field_of(board, system), queue, spawn, mode)


@examples(25)
@given(
    st.integers(4, 12).flatmap(lambda width: boards(width, 24, 15, (0.7, 0.7))),
    st.text(PIECES, min_size=1, max_size=2),
    systems,
    modes,
)
def test_small_trees(
    board: Board, queue: str, system: reference.System, mode: reference.SpinSetting
) -> None:
    """Compare trees on boards of several widths and heights."""
    compare(board, queue, system, mode, (board.width // 2 - 1, 19))


@examples(25)
@given(
    boards(10, 40, 6, (0.6, 0.6)),
    st.text(PIECES, min_size=2, max_size=2),
    st.sampled_from(["srs", "srs+"]),
    modes,
)
def test_small_trees_of_width_ten(
    board: Board, queue: str, system: str, mode: reference.SpinSetting
) -> None:
    """Compare the systems that are counted in bulk, in every spin mode."""
    compare(board, queue, system, mode, (4, 19))


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_from_another_thread_ends_perft(threads: int) -> None:
    """Check that counting releases the GIL, so that another thread can send the signal."""
    started = time.process_time()

    def interrupt() -> None:
        # No other test computes for so long.
        while time.process_time() < started + 0.05:
            time.sleep(0.001)
        signal.raise_signal(signal.SIGINT)

    other = threading.Thread(target=interrupt)
    other.start()
    with pytest.raises(KeyboardInterrupt):
        perft("IOLJSZTI", threads=threads)
    other.join()


def test_more_threads_than_work() -> None:
    assert perft("OOO", threads=256) == perft("OOO") > 0


def test_a_queue_of_pieces() -> None:
    assert perft([Piece.I, Piece.O, Piece.L]) == perft("iol") == 5266
    assert perft("", 0) == 1


def test_bad_input_is_named() -> None:
    with pytest.raises(PieceError, match="invalid piece: expected one of I O T L J S Z, got 'X'"):
        perft("IOX")
    with pytest.raises(QueueError, match="invalid depth: expected 0 to 3"):
        perft("IOL", 4)
    with pytest.raises(KicksError, match="invalid rotation system: expected one of none,"):
        perft("IOL", kicks="ars2")
