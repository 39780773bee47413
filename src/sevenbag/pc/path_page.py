"""Solutions as people look at them: a fumen, a page with pictures, a table."""

from __future__ import annotations

import csv
import io
from html import escape
from typing import TYPE_CHECKING

from sevenbag._kernel import Board
from sevenbag.drawing import board_picture
from sevenbag.formats.fumen import MAX_PAGES, Field, Fumen, Page

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sevenbag.pc.path import Paths

_STYLE = """\
body{background:#14161b;color:#d8dce4;font:14px system-ui,sans-serif;margin:2em}
a{color:#8ab4f8}h1{font-size:1.3em}main{display:flex;flex-wrap:wrap;gap:1.4em}
figure{margin:0}figcaption{margin-top:.3em}svg{display:block;width:200px;height:auto}
.few{color:#e8c52e}"""


def fumen_of(paths: Paths, numbers: Sequence[int]) -> Fumen:
    """A page for each of these solutions, coloured, with the number of its queues.

    Raises:
        FumenError: (``TooManyPages``) more than `MAX_PAGES`.
    """
    pages = [
        Page(
            Field.from_rows(paths.rows(number)),
            comment=_share(paths, number),
            lock=False,
            color=True,
        )
        for number in numbers
    ]
    return Fumen(tuple(pages or [Page(Field.from_board(paths.question.board), color=True)]))


def csv_of(paths: Paths, numbers: Sequence[int]) -> str:
    """A line for each of these solutions, after a line of headings."""
    minimal, smallest = set(paths.minimal), set(paths.smallest)
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(
        ["solution", "fumen", "pieces", "queues", "share", "minimal", "smallest", "example"]
    )
    for number in numbers:
        queue, played = paths.example(number)
        table.writerow(
            [
                number + 1,
                fumen_of(paths, [number]).encode(),
                "".join(piece.name for piece in played.pieces),
                paths.solutions[number].count,
                f"{paths.solutions[number].count / len(paths.queues):.4f}",
                int(number in minimal),
                int(number in smallest),
                queue,
            ]
        )
    return text.getvalue()


def html_of(paths: Paths, numbers: Sequence[int]) -> str:
    """A page that needs no other file, with a picture of each of these solutions."""
    return "\n".join(_html(paths, numbers)) + "\n"


def _html(paths: Paths, numbers: Sequence[int]) -> Iterator[str]:
    title = f"{len(paths.solutions)} solutions for {paths.pattern}"
    few = f"{len(paths.smallest)}" if paths.proved else f"{len(paths.smallest)} or fewer"
    yield "<!doctype html>"
    yield f'<html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
    yield f"<style>{_STYLE}</style>"
    yield f"<h1>{escape(title)}</h1>"
    yield (
        f"<p>{paths.solved} of {len(paths.queues)} queues have one. {len(paths.minimal)} solutions"
        f" are minimal; {few} of them (marked) have all those queues between them."
    )
    if 0 < len(numbers) <= MAX_PAGES:
        link = f"https://fumen.zui.jp/?{fumen_of(paths, numbers).encode()}"
        yield f' <a href="{escape(link)}">All as a fumen</a>'
    yield "</p><main>"
    smallest = set(paths.smallest)
    for number in numbers:
        rows = paths.rows(number)
        board = Board.from_rows(
            ["".join("." if cell == "." else "X" for cell in row) for row in rows],
        )
        queue, _ = paths.example(number)
        picture = board_picture(board, colors=rows, rows=len(rows))
        mark = ' class="few"' if number in smallest else ""
        yield f"<figure>{picture.svg(f'solution {number + 1}')}"
        yield (
            f"<figcaption{mark}>{number + 1}: {escape(_share(paths, number))}<br>such as"
            f" {queue}</figcaption></figure>"
        )
    yield "</main></html>"


def _share(paths: Paths, number: int) -> str:
    count = paths.solutions[number].count
    return f"{count / len(paths.queues):.2%} [{count}/{len(paths.queues)}]"
