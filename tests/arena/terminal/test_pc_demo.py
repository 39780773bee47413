"""The game of the demo under a simulated clock, and its drawing."""

import re
import time
from collections.abc import Iterator, Sequence

import pytest
from rich.console import Console
from rich.text import Text

from sevenbag import Board, Piece, Placement
from sevenbag._kernel import StopFlag
from sevenbag.arena.terminal.pc_demo import (
    HARD_DROP_KEY,
    MAX_QUEUED_PLANS,
    PcDemoGame,
    PcLookahead,
    PcSolveFunction,
    build_demo_scene,
    pc_demo_rules,
    render_demo,
)
from sevenbag.arena.terminal.terminal_screen import TerminalScreen
from sevenbag.game import Game
from sevenbag.pc import Solver

SYSTEMS = ("none", "none180", "srs", "srs180", "srsPlus", "srsTetrio")


def solve_by(kicks: str) -> PcSolveFunction:
    solver = Solver(kicks)

    def solve(
        queue: Sequence[Piece], hold: Piece | None, stop: StopFlag
    ) -> Sequence[Placement] | None:
        answer = solver.search("", queue, hold, min_height=4, stop=stop)
        return answer.solution.placements if answer.solution is not None else None

    return solve


def wait_for_plans(planner: PcLookahead, least: int) -> None:
    end = time.monotonic() + 120
    while planner.queued < least and planner.error is None:
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize("kicks", SYSTEMS)
def test_a_perfect_clear_is_played_at_the_speed_asked_for(kicks: str) -> None:
    rules = pc_demo_rules(kicks, 16)
    with PcLookahead(rules, 3, solve_by(kicks)) as planner:
        wait_for_plans(planner, 5)
        play = PcDemoGame(rules, 3, planner, 10, now=0)
        for frame in range(1, 181):
            play.advance(frame / 60)
        assert play.game.stats.pieces == pytest.approx(30, abs=1)
        assert play.perfect_clears >= 2
        assert play.game.stats.perfect_clears == play.perfect_clears


def test_pieces_follow_their_keys() -> None:
    rules = pc_demo_rules("srs+", 16)
    with PcLookahead(rules, 11, solve_by("srs+")) as planner:
        wait_for_plans(planner, 3)
        play = PcDemoGame(rules, 11, planner, 10, now=0)
        follow = Game(rules, 11)
        locked = 0
        falling: Placement | None = None
        for step in range(1, 3000):
            board = play.game.board
            play.advance(step / 1000)
            if play.game.stats.pieces == locked:
                falling = play.falling
                assert falling is None or board.fits(falling)
                continue
            locked = play.game.stats.pieces
            assert play.recent_keys[-1][0] == HARD_DROP_KEY
            # Straight down from where it was seen last lies what has been locked.
            assert falling is not None
            follow.play(follow.find_move(lowest(board, falling)), frame=0)
            assert follow.board == play.game.board
        assert locked == pytest.approx(30, abs=1)


def lowest(board: Board, piece: Placement) -> Placement:
    while board.fits(lower := Placement(piece.piece, piece.rotation, piece.x, piece.y - 1)):
        piece = lower
    return piece


def test_paused_time_does_not_count() -> None:
    rules = pc_demo_rules("srs+", 16)
    with PcLookahead(rules, 3, solve_by("srs+")) as planner:
        wait_for_plans(planner, 2)
        play = PcDemoGame(rules, 3, planner, 10, now=0)
        play.advance(0.2)
        pieces = play.game.stats.pieces
        play.pause(100)
        play.advance(100.01)
        assert play.game.stats.pieces - pieces <= 1
        assert play.elapsed_seconds == pytest.approx(0.21)


def test_lookahead_is_limited() -> None:
    rules = pc_demo_rules("srs+", 16)
    with PcLookahead(rules, 1, solve_by("srs+")) as planner:
        wait_for_plans(planner, MAX_QUEUED_PLANS)
        time.sleep(0.1)
        assert planner.queued == MAX_QUEUED_PLANS


def test_unsolvable_queue_ends_the_demo() -> None:
    rules = pc_demo_rules("srs+", 16)
    with PcLookahead(rules, 1, lambda queue, hold, stop: None) as planner:
        wait_for_plans(planner, 1)
        assert planner.error == "SolutionTooLong"


@pytest.fixture(name="play", scope="module")
def play_in_the_middle() -> Iterator[PcDemoGame]:
    rules = pc_demo_rules("srs+", 16)
    with PcLookahead(rules, 3, solve_by("srs+")) as planner:
        wait_for_plans(planner, 5)
        play = PcDemoGame(rules, 3, planner, 10, now=0)
        for frame in range(1, 75):
            play.advance(frame / 60)
        yield play


@pytest.mark.parametrize("width", [5, 20, 40, 80, 200])
@pytest.mark.parametrize("height", [1, 5, 12, 18, 24, 60])
def test_the_drawing_fits(play: PcDemoGame, width: int, height: int) -> None:
    lines = render_demo(build_demo_scene(play, 1.25, waiting=4, caption="caption"), width, height)
    assert 1 <= len(lines) <= height
    assert max(line.cell_len for line in lines) <= width


def test_the_drawing_shows_the_board(play: PcDemoGame) -> None:
    # Long after the last perfect clear, which would be written over it.
    lines = render_demo(build_demo_scene(play, 9, waiting=4, caption="caption"), 80, 30)
    rows = [
        line.plain[line.plain.index("│") + 1 :].partition("│")[0]
        for line in lines
        if "│" in line.plain
    ]
    assert len(rows) == 20
    filled = [sum(cell != " ·" for cell in re.findall("..", row)) for row in reversed(rows)]
    board = play.game.board
    assert all(shown >= board.row(y).bit_count() for y, shown in enumerate(filled))
    assert sum(filled) <= board.cell_count + 8  # the falling piece and its shadow


class Recorder:
    """A terminal that only remembers."""

    def __init__(self) -> None:
        self.written: list[str] = []

    def write(self, text: str) -> int:
        self.written.append(text)
        return len(text)

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return True


def test_only_changed_lines_are_sent() -> None:
    terminal = Recorder()
    console = Console(
        file=terminal,  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        force_terminal=True,
        color_system="truecolor",
        width=20,
        height=5,
    )
    with TerminalScreen(console) as frames:
        frames.draw([Text("one"), Text("two", style="bold")])
        frames.draw([Text("one"), Text("two", style="bold")])
        frames.draw([Text("one"), Text("two", style="red")])
        frames.draw([Text("one")])
    opened, first, second, third, closed = terminal.written
    assert "\x1b[1;1Hone" in first
    assert "\x1b[2;1H\x1b[1mtwo" in first
    assert "one" not in second
    assert "\x1b[2;1H\x1b[31mtwo" in second
    assert third.count("H") == 1  # the second line is emptied
    assert opened.startswith("\x1b[?1049h")
    assert closed.endswith("\x1b[?1049l")


def test_long_lines_are_cut() -> None:
    terminal = Recorder()
    console = Console(
        file=terminal,  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        force_terminal=True,
        width=4,
        height=2,
    )
    TerminalScreen(console).draw([Text("abcdefg")] * 5)
    assert "abcd" in terminal.written[0]
    assert "abcde" not in terminal.written[0]
    assert "\x1b[3;1H" not in terminal.written[0]


def test_soft_drops_are_spread_over_their_time() -> None:
    rules = pc_demo_rules("srs+", 16)
    between: set[int] = set()
    with PcLookahead(rules, 3, solve_by("srs+")) as planner:
        wait_for_plans(planner, 20)
        play = PcDemoGame(rules, 3, planner, 10, now=0)
        for step in range(1, 20_000):
            now = step / 1000
            play.advance(now)
            piece = play.falling_at(now)
            if piece is not None and play.falling is not None and piece.y < play.falling.y:
                between.add(piece.y)
    # It is seen on its way down, row by row, before the key has done its work.
    assert len(between) > 5
