"""``sevenbag pc path FIELD PATTERN``: all solutions, and how few of them are enough."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from sevenbag.cli.arguments import positive
from sevenbag.cli.pc.question import (
    add_field,
    add_pattern,
    add_rules,
    let_ctrl_c_end,
    question_of,
    say_unused,
    text_of,
)
from sevenbag.errors import FormatError
from sevenbag.pc.path import solutions_of
from sevenbag.pc.path_page import csv_of, fumen_of, html_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from sevenbag.pc.path import Paths

_SETS = ("unique", "minimal", "smallest")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.description = (
        "Finds all solutions of a field that at least one queue of a pattern can play: unique ones"
        " by which piece fills which cells; minimal ones, of which no other one has all the queues;"
        " and the smallest set of them that has all queues."
    )
    add_field(parser)
    add_pattern(parser)
    add_rules(parser)
    parser.add_argument(
        "--set",
        choices=_SETS,
        default="unique",
        help="which solutions are told (default: %(default)s)",
    )
    parser.add_argument(
        "--cover-seconds",
        type=positive,
        default=10.0,
        metavar="S",
        help="time to prove the smallest set in; then it may not be the smallest, which is said"
        " (default: %(default)s)",
    )
    parser.add_argument("--fumen", metavar="OUT", help="write a fumen, a solution a page")
    parser.add_argument("--csv", metavar="OUT", help="write a table, a solution a line")
    parser.add_argument("--html", metavar="OUT", help="write a page with pictures")


def run(args: argparse.Namespace) -> int:
    """Print or write the solutions."""
    let_ctrl_c_end()
    question = question_of(args)
    paths = solutions_of(
        question,
        text_of(args.pattern),
        seconds=args.seconds,
        cover_seconds=args.cover_seconds,
    )
    say_unused(paths.unused, question.usable)
    numbers: Sequence[int] = (
        range(len(paths.solutions)) if args.set == "unique" else getattr(paths, args.set)
    )
    # All is made before anything is written.
    files: list[tuple[str, str]] = []
    if args.fumen is not None:
        files.append((args.fumen, fumen_of(paths, numbers).encode() + "\n"))
    if args.csv is not None:
        files.append((args.csv, csv_of(paths, numbers)))
    if args.html is not None:
        files.append((args.html, html_of(paths, numbers)))
    for name, text in files:
        _write(Path(name), text)
    if args.json:
        print(json.dumps(_figures(paths, numbers)))
        return 0
    few = f"{len(paths.smallest)}"
    if not paths.proved:
        few += f" (there may be fewer, but no fewer than {paths.at_least})"
    print(f"solved: {paths.solved / len(paths.queues):.2%} [{paths.solved}/{len(paths.queues)}]")
    print(f"unique: {len(paths.solutions)}")
    print(f"minimal: {len(paths.minimal)}")
    print(f"smallest: {few}")
    if numbers and not files:
        print(fumen_of(paths, numbers).encode())
    return 0


def _write(path: Path, text: str) -> None:
    """Put all of it there or nothing."""
    draft = path.with_name(f".{path.name}.draft")
    try:
        if path.exists() and not path.is_file():  # a device
            path.write_text(text, encoding="utf-8")
            return
        try:
            draft.write_text(text, encoding="utf-8")
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FormatError(f"{path}: {reason}") from None


def _figures(paths: Paths, numbers: Sequence[int]) -> dict[str, object]:
    return {
        "solved": paths.solved,
        "total": len(paths.queues),
        "unique": len(paths.solutions),
        "minimal": len(paths.minimal),
        "smallest": len(paths.smallest),
        "smallest_proved": paths.proved,
        "smallest_at_least": paths.at_least,
        "pattern": str(paths.pattern),
        "unused_pieces": paths.unused,
        "lines": paths.question.lines,
        "pieces": paths.question.needed,
        "hold": paths.question.hold,
        "kicks": paths.question.kicks.name,
        "drop": paths.question.drop,
        "solutions": [_solution(paths, number) for number in numbers],
    }


def _solution(paths: Paths, number: int) -> dict[str, object]:
    queue, played = paths.example(number)
    return {
        "number": number + 1,
        "queues": paths.solutions[number].count,
        "minimal": number in paths.minimal,
        "smallest": number in paths.smallest,
        "fumen": fumen_of(paths, [number]).encode(),
        "rows": paths.rows(number)[::-1],
        "example": {
            "queue": queue,
            "placements": [
                {
                    "piece": placement.piece.name,
                    "rotation": placement.rotation.name.lower(),
                    "x": placement.x,
                    "y": placement.y,
                    "hold": hold,
                }
                for placement, hold in zip(played.placements, played.holds, strict=True)
            ],
        },
    }
