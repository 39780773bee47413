r"""All perfect clears of a field for the queues of a pattern, and a smallest set of them.

>>> from sevenbag.pc import PcProblem, find_solutions
>>> problem = PcProblem("XXXXX.....\nXXXXXX....\nXXXXXXX...\nXXXXXX....")
>>> paths = find_solutions(problem, "I,*p4")
>>> len(paths.solutions), len(paths.minimal), len(paths.smallest)
(63, 33, 24)
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final

from sevenbag._kernel import Board, PcSolver, find_maximal_sets, find_smallest_cover
from sevenbag.drawing import draw_board
from sevenbag.errors import BoardError, QueueError
from sevenbag.formats.fumen import MAX_PAGES, Field, Fumen, Page
from sevenbag.pc.patterns import Pattern
from sevenbag.pc.problem import PcProblem, ProblemQueues
from sevenbag.pc.solver import PcSolution, Tiling

if TYPE_CHECKING:
    from sevenbag._kernel import StopFlag

MAX_QUEUES: Final = 200_000
"""Maximum number of queues of `find_solutions`."""
_COVER_SECONDS: Final = 10.0


@dataclass(frozen=True)
class QueueSolution:
    """A perfect clear in any order of play, and the queues that can play it, as bits."""

    tiling: Tiling
    queues: int

    @property
    def count(self) -> int:
        """Number of queues that can play it."""
        return self.queues.bit_count()


@dataclass(frozen=True)
class SolutionSet:
    """All solutions of a field for a pattern.

    Attributes:
        problem: field and rules.
        pattern: the queues, cut to the pieces that can be used.
        unused: number of pieces cut off each queue.
        queues: the queues in order.
        solutions: all unique solutions, from left to right.
        minimal: indices of solutions whose queues are not all played by another solution; of equal
            ones the first.
        smallest: indices of a smallest set of solutions that together play all queues.
        at_least: proved lower bound of the size of such a set. It is less than the size of
            `smallest` if the search for `smallest` reached its time limit.
    """

    problem: PcProblem
    pattern: Pattern
    unused: int
    queues: tuple[str, ...]
    solutions: tuple[QueueSolution, ...]
    minimal: tuple[int, ...]
    smallest: tuple[int, ...]
    at_least: int

    @property
    def solved_queues(self) -> int:
        """Number of queues with a solution."""
        return union(solution.queues for solution in self.solutions).bit_count()

    @property
    def is_minimum_proved(self) -> bool:
        """Return True if it is proved that no set is smaller than `smallest`."""
        return self.at_least == len(self.smallest)

    def queues_of(self, number: int) -> list[str]:
        """Return the queues that can play a solution."""
        bits = self.solutions[number].queues
        return [queue for i, queue in enumerate(self.queues) if bits >> i & 1]

    def find_example(self, number: int) -> tuple[str, PcSolution]:
        """Return a queue that can play a solution, and its placements."""
        bits = self.solutions[number].queues
        queue = self.queues[(bits & -bits).bit_length() - 1]
        played = self.solutions[number].tiling.find_solution(queue, use_hold=self.problem.hold)
        assert played is not None, "the queue can play the tiling"
        return queue, played

    def draw_rows(self, number: int) -> list[str]:
        """Return a solution as rows from the bottom up, without the full rows of the field.

        A letter names a piece; ``G`` is a filled cell of the field.
        """
        board = self.problem.board
        height = self.problem.open_rows
        cells = [["G" if board[x, y] else "." for x in range(10)] for y in range(height)]
        for tile in self.solutions[number].tiling.tiles:
            for x, y in tile.cells:
                cells[y][x] = tile.piece.name
        return ["".join(row) for row in cells]


def union(sets: Iterable[int]) -> int:
    """Return the union of sets of queues, given as bits."""
    result = 0
    for queues in sets:
        result |= queues
    return result


def find_solutions(
    problem: PcProblem,
    pattern: Pattern | str,
    *,
    seconds: float | None = None,
    cover_seconds: float = _COVER_SECONDS,
    stop: StopFlag | None = None,
) -> SolutionSet:
    """Find every solution that at least one queue of a pattern can play.

    Args:
        problem: field and rules.
        pattern: queues, as `Pattern.parse` reads them.
        seconds: time limit for the solutions.
        cover_seconds: time limit for the smallest set.
        stop: stops the search when set, from any thread.

    Raises:
        BoardError: there are no cells to fill.
        PatternError: invalid pattern.
        QueueError: queues with too few pieces, or more than `MAX_QUEUES` queues.
        SearchStoppedError: a limit was reached, or there are too many solutions.
    """
    if not problem.pieces_needed:
        raise BoardError("invalid field: expected empty cells, got only full rows")
    problem_queues = ProblemQueues(problem, pattern)
    if len(problem_queues) > MAX_QUEUES:
        raise QueueError(
            f"invalid pattern: expected at most {MAX_QUEUES} queues, got {len(problem_queues)}"
        )
    queues = tuple(problem_queues.pattern)
    found = PcSolver(problem.kicks).find_tilings(
        problem.board,
        queues,
        None,
        problem.open_rows,
        use_hold=problem.hold,
        drop=problem.drop,
        milliseconds=None if seconds is None else seconds * 1000,
        stop=stop,
    )
    solutions = tuple(QueueSolution(Tiling(tiling), tiling.queues or 0) for tiling in found)
    size = (len(queues) + 7) // 8
    sets = [solution.queues.to_bytes(size, "little") for solution in solutions]
    smallest, at_least = find_smallest_cover(sets, milliseconds=cover_seconds * 1000, stop=stop)
    return SolutionSet(
        problem,
        problem_queues.pattern,
        problem_queues.unused,
        queues,
        solutions,
        tuple(find_maximal_sets(sets)),
        smallest,
        at_least,
    )


_STYLE = """\
body{background:#14161b;color:#d8dce4;font:14px system-ui,sans-serif;margin:2em}
a{color:#8ab4f8}h1{font-size:1.3em}main{display:flex;flex-wrap:wrap;gap:1.4em}
figure{margin:0}figcaption{margin-top:.3em}svg{display:block;width:200px;height:auto}
.smallest{color:#e8c52e}"""


def format_fumen(paths: SolutionSet, numbers: Sequence[int]) -> Fumen:
    """Return a fumen with a coloured page and the number of queues for each solution.

    Raises:
        FumenError: (``TooManyPages``) more than `MAX_PAGES` solutions.
    """
    pages = [
        Page(
            Field.from_rows(paths.draw_rows(number)),
            comment=_format_share(paths, number),
            lock=False,
            color=True,
        )
        for number in numbers
    ]
    return Fumen(tuple(pages or [Page(Field.from_board(paths.problem.board), color=True)]))


def format_csv(paths: SolutionSet, numbers: Sequence[int]) -> str:
    """Return a CSV table with a heading and a line for each solution."""
    minimal, smallest = set(paths.minimal), set(paths.smallest)
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(
        ["solution", "fumen", "pieces", "queues", "share", "minimal", "smallest", "example"]
    )
    for number in numbers:
        queue, played = paths.find_example(number)
        table.writerow(
            [
                number + 1,
                format_fumen(paths, [number]).encode(),
                "".join(piece.name for piece in played.pieces),
                paths.solutions[number].count,
                f"{paths.solutions[number].count / len(paths.queues):.4f}",
                int(number in minimal),
                int(number in smallest),
                queue,
            ]
        )
    return text.getvalue()


def format_html(paths: SolutionSet, numbers: Sequence[int]) -> str:
    """Return a self-contained HTML page with a picture of each solution."""
    return "\n".join(_iterate_html(paths, numbers)) + "\n"


def _iterate_html(paths: SolutionSet, numbers: Sequence[int]) -> Iterator[str]:
    title = f"{len(paths.solutions)} solutions for {paths.pattern}"
    few = f"{len(paths.smallest)}" if paths.is_minimum_proved else f"{len(paths.smallest)} or fewer"
    yield "<!doctype html>"
    yield f'<html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
    yield f"<style>{_STYLE}</style>"
    yield f"<h1>{escape(title)}</h1>"
    yield (
        f"<p>{paths.solved_queues} of {len(paths.queues)} queues have one."
        f" {len(paths.minimal)} solutions are minimal; {few} of them (marked) have all those"
        " queues between them."
    )
    if 0 < len(numbers) <= MAX_PAGES:
        link = f"https://fumen.zui.jp/?{format_fumen(paths, numbers).encode()}"
        yield f' <a href="{escape(link)}">All as a fumen</a>'
    yield "</p><main>"
    smallest = set(paths.smallest)
    for number in numbers:
        rows = paths.draw_rows(number)
        board = Board.from_rows(
            ["".join("." if cell == "." else "X" for cell in row) for row in rows]
        )
        queue, _ = paths.find_example(number)
        picture = draw_board(board, colors=rows, rows=len(rows))
        mark = ' class="smallest"' if number in smallest else ""
        yield f"<figure>{picture.svg(f'solution {number + 1}')}"
        yield (
            f"<figcaption{mark}>{number + 1}: {escape(_format_share(paths, number))}<br>such as"
            f" {queue}</figcaption></figure>"
        )
    yield "</main></html>"


def _format_share(paths: SolutionSet, number: int) -> str:
    count = paths.solutions[number].count
    return f"{count / len(paths.queues):.2%} [{count}/{len(paths.queues)}]"
