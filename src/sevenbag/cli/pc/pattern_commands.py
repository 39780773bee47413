"""Commands about the queues of a pattern: ``sevenbag pc chance``, ``cover`` and ``path``."""

from __future__ import annotations

import argparse
import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from sevenbag._kernel import Board
from sevenbag.cli.arguments import (
    add_json_option,
    add_kicks_option,
    add_worker_options,
    integer,
    load_kicks,
    open_executor,
    positive_number,
    read_text_argument,
    warn_unused_pieces,
)
from sevenbag.cli.signals import restore_default_interrupt
from sevenbag.errors import BoardError, FormatError, FumenError
from sevenbag.files import write_atomically
from sevenbag.formats.fumen import Fumen
from sevenbag.pc.chance import PcChance, compute_chance
from sevenbag.pc.cover import Coverage, Setup, compute_coverage, read_setups
from sevenbag.pc.path import SolutionSet, find_solutions, format_csv, format_fumen, format_html
from sevenbag.pc.problem import DROP_MODES, PcProblem


def configure_chance(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag pc chance``."""
    _add_field_argument(parser)
    _add_pattern_argument(parser)
    _add_problem_options(parser)
    parser.add_argument(
        "--failed", type=integer(0), default=100, help="list up to N queues without a perfect clear"
    )
    parser.add_argument(
        "--tree",
        type=integer(0),
        default=0,
        help="print the chance for every beginning of up to N pieces",
    )
    add_worker_options(parser)


def run_chance(args: argparse.Namespace) -> int:
    """Count the queues of a pattern that can clear the field, and list those that cannot."""
    restore_default_interrupt()
    problem = _create_problem(args)
    pattern = read_text_argument(args.pattern)
    with open_executor(args) as executor:
        chance = compute_chance(problem, pattern, seconds=args.seconds, executor=executor)
    warn_unused_pieces(chance.unused, problem.usable_pieces)
    if args.json:
        print(json.dumps(_chance_to_dict(problem, chance, args.failed, args.tree)))
        return 0
    print(f"success: {chance.fraction:.2%} [{chance.solved}/{chance.total}]")
    for branch in itertools.islice(chance.iterate_prefixes(args.tree), 1, None):
        share = branch.solved / branch.total
        indent = "  " * len(branch.pieces)
        print(f"{indent}{branch.pieces}: {share:.2%} [{branch.solved}/{branch.total}]")
    failures = chance.total - chance.solved
    if failures and args.failed:
        listed = "" if failures <= args.failed else f", the first {args.failed}"
        print(f"\nwithout a perfect clear: {failures}{listed}")
        for queue in itertools.islice(chance.failed_queues(), args.failed):
            print(queue)
    return 0


def _chance_to_dict(
    problem: PcProblem, chance: PcChance, failed: int, depth: int
) -> dict[str, object]:
    data: dict[str, object] = {
        "solved": chance.solved,
        "total": chance.total,
        "share": chance.fraction,
        "pattern": str(chance.pattern),
        "unused_pieces": chance.unused,
        **_problem_to_dict(problem),
        "failed": list(itertools.islice(chance.failed_queues(), failed)),
    }
    if depth:
        data["tree"] = [
            {"pieces": branch.pieces, "solved": branch.solved, "total": branch.total}
            for branch in itertools.islice(chance.iterate_prefixes(depth), 1, None)
        ]
    return data


def configure_cover(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag pc cover``."""
    parser.add_argument(
        "fumens",
        nargs="+",
        metavar="FUMEN",
        help="fumen; @FILE reads one per line from a file, @- from standard input",
    )
    _add_pattern_argument(parser)
    _add_move_options(parser)
    parser.add_argument(
        "--sort", action="store_true", help="sort setups by the number of queues that play them"
    )
    parser.add_argument(
        "--failed", type=integer(0), default=100, help="list up to N queues that can play no setup"
    )


def run_cover(args: argparse.Namespace) -> int:
    """Count the queues of a pattern that can play given placements.

    Any order counts in which each piece is supported and reachable. A fumen may contain several
    setups: pages with pieces that continue each other, and pages that show pieces in their colours.
    """
    restore_default_interrupt()
    named: list[tuple[str, Setup]] = []
    fumens = [line for text in map(read_text_argument, args.fumens) for line in text.split()]
    if not fumens:
        raise FormatError("no fumen")
    for number, fumen in enumerate(fumens, 1):
        try:
            found = read_setups(fumen)
        except (FumenError, FormatError) as error:
            raise FormatError(f"fumen {number}: {error}") from None
        named += [(_setup_name(number, setup), setup) for setup in found]
    setups = [setup for _, setup in named]
    coverage = compute_coverage(
        setups,
        read_text_argument(args.pattern),
        hold=args.hold,
        kicks=load_kicks(args.kicks),
        drop=args.drop,
    )
    warn_unused_pieces(coverage.unused, coverage.pattern.length)
    order = coverage.by_coverage() if args.sort else list(range(len(setups)))
    sums = coverage.accumulate(order)
    if args.json:
        print(json.dumps(_coverage_to_dict(args, named, coverage, order, sums)))
        return 0
    width = max(len(name) for name, _ in named)
    for number, sum_ in zip(order, sums, strict=True):
        name, setup = named[number]
        pieces = "".join(piece.name for piece in setup.pieces)
        count = coverage.covered[number].bit_count()
        print(
            f"{name:<{width}}  {_format_share(count, coverage)}  with those before"
            f" {_format_share(sum_, coverage)}  {pieces}"
        )
    print(f"any of them: {_format_share(coverage.covered_by_any.bit_count(), coverage)}")
    print(f"each of them: {_format_share(coverage.covered_by_all.bit_count(), coverage)}")
    for queue in itertools.islice(coverage.failed_queues(), args.failed):
        print(queue)
    return 0


def _setup_name(fumen: int, setup: Setup) -> str:
    first, last = setup.pages
    return f"{fumen}, page {first}" if first == last else f"{fumen}, pages {first}-{last}"


def _format_share(count: int, coverage: Coverage) -> str:
    return f"{count / coverage.total:.2%} [{count}/{coverage.total}]"


def _coverage_to_dict(
    args: argparse.Namespace,
    named: list[tuple[str, Setup]],
    coverage: Coverage,
    order: list[int],
    sums: list[int],
) -> dict[str, object]:
    return {
        "total": coverage.total,
        "any": coverage.covered_by_any.bit_count(),
        "each": coverage.covered_by_all.bit_count(),
        "pattern": str(coverage.pattern),
        "unused_pieces": coverage.unused,
        "hold": args.hold,
        "kicks": load_kicks(args.kicks).name,
        "drop": args.drop,
        "setups": [
            {
                "name": named[number][0],
                "pieces": "".join(piece.name for piece in named[number][1].pieces),
                "queues": coverage.covered[number].bit_count(),
                "accumulated": sum_,
            }
            for number, sum_ in zip(order, sums, strict=True)
        ],
        "failed": list(itertools.islice(coverage.failed_queues(), args.failed)),
    }


def configure_path(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag pc path``."""
    _add_field_argument(parser)
    _add_pattern_argument(parser)
    _add_problem_options(parser)
    parser.add_argument(
        "--solutions",
        choices=("unique", "minimal", "smallest"),
        default="unique",
        help="solutions to print",
    )
    parser.add_argument(
        "--cover-seconds",
        type=positive_number,
        default=10.0,
        metavar="S",
        help="seconds for the proof that the smallest set is the smallest",
    )
    for name, content in (
        ("fumen", "a fumen with one solution per page"),
        ("csv", "a table with one solution per line"),
        ("html", "a page with pictures"),
    ):
        parser.add_argument(f"--{name}", type=Path, metavar="FILE", help=f"write {content}")


def run_path(args: argparse.Namespace) -> int:
    """Find all solutions of a field that at least one queue of a pattern can play.

    Unique solutions differ in the cells of a piece; minimal ones play queues that no other solution
    has all of; the smallest set of solutions plays all queues.
    """
    restore_default_interrupt()
    problem = _create_problem(args)
    paths = find_solutions(
        problem,
        read_text_argument(args.pattern),
        seconds=args.seconds,
        cover_seconds=args.cover_seconds,
    )
    warn_unused_pieces(paths.unused, problem.usable_pieces)
    numbers: Sequence[int] = (
        range(len(paths.solutions))
        if args.solutions == "unique"
        else getattr(paths, args.solutions)
    )
    # All texts are created before a file is written.
    files: list[tuple[Path, str]] = []
    if args.fumen is not None:
        files.append((args.fumen, format_fumen(paths, numbers).encode() + "\n"))
    if args.csv is not None:
        files.append((args.csv, format_csv(paths, numbers)))
    if args.html is not None:
        files.append((args.html, format_html(paths, numbers)))
    for path, text in files:
        write_atomically(path, text.encode(), replace=True)
    if args.json:
        print(json.dumps(_paths_to_dict(paths, numbers)))
        return 0
    smallest = f"{len(paths.smallest)}"
    if not paths.is_minimum_proved:
        smallest += f" (there may be fewer, but no fewer than {paths.at_least})"
    solved, total = paths.solved_queues, len(paths.queues)
    print(f"solved: {solved / total:.2%} [{solved}/{total}]")
    print(f"unique: {len(paths.solutions)}")
    print(f"minimal: {len(paths.minimal)}")
    print(f"smallest: {smallest}")
    if numbers and not files:
        print(format_fumen(paths, numbers).encode())
    return 0


def _paths_to_dict(paths: SolutionSet, numbers: Sequence[int]) -> dict[str, object]:
    return {
        "solved": paths.solved_queues,
        "total": len(paths.queues),
        "unique": len(paths.solutions),
        "minimal": len(paths.minimal),
        "smallest": len(paths.smallest),
        "smallest_proved": paths.is_minimum_proved,
        "smallest_at_least": paths.at_least,
        "pattern": str(paths.pattern),
        "unused_pieces": paths.unused,
        **_problem_to_dict(paths.problem),
        "solutions": [_solution_to_dict(paths, number) for number in numbers],
    }


def _solution_to_dict(paths: SolutionSet, number: int) -> dict[str, object]:
    queue, played = paths.find_example(number)
    return {
        "number": number + 1,
        "queues": paths.solutions[number].count,
        "minimal": number in paths.minimal,
        "smallest": number in paths.smallest,
        "fumen": format_fumen(paths, [number]).encode(),
        "rows": paths.draw_rows(number)[::-1],
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


def _add_field_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "field",
        metavar="FIELD",
        help="fumen, or rows from the top down separated by /, such as XXXXX_____/XXXXXX____"
        " (. _ 0 are empty); '' is the empty field; @FILE reads a file, @- standard input",
    )
    parser.add_argument("--page", type=integer(1), default=1, help="page of the fumen")


def _add_pattern_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "pattern",
        metavar="PATTERN",
        help="queues, such as I,*p4 or [SZ]p2,*! or LSTIZ, separated by ;; @FILE reads one pattern"
        " per line from a file",
    )


def _add_problem_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--height",
        type=integer(1),
        default=4,
        help="rows of the perfect clear, full rows of the field included",
    )
    _add_move_options(parser)
    parser.add_argument(
        "--seconds", type=positive_number, metavar="S", help="give up after S seconds"
    )


def _add_move_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--no-hold", dest="hold", action="store_false", help="do not use hold")
    add_kicks_option(parser)
    parser.add_argument(
        "--drop",
        choices=DROP_MODES,
        default="soft",
        help="soft drop with tucks and spins, hard drop only, or soft drop for T only",
    )
    add_json_option(parser)


def _create_problem(args: argparse.Namespace) -> PcProblem:
    return PcProblem(
        _parse_field(args.field, args.page),
        height=args.height,
        hold=args.hold,
        kicks=load_kicks(args.kicks),
        drop=args.drop,
    )


def _problem_to_dict(problem: PcProblem) -> dict[str, object]:
    return {
        "lines": problem.height,
        "pieces": problem.pieces_needed,
        "hold": problem.hold,
        "kicks": problem.kicks.name,
        "drop": problem.drop,
    }


_FUMEN_VERSIONS: Final = ("115@", "110@")


def _parse_field(argument: str, page: int) -> Board:
    text = read_text_argument(argument)
    if any(version in text for version in _FUMEN_VERSIONS):
        pages = Fumen.parse(text).pages
        if page > len(pages):
            raise FumenError("EndOfData", f"no page {page}: the fumen has {len(pages)}")
        return pages[page - 1].field.board()
    rows = [row.strip() for row in text.replace("/", "\n").split("\n") if row.strip()]
    for row in rows:
        if len(row) != 10:
            shown = row if len(row) <= 40 else row[:37] + "..."
            raise BoardError(
                f"invalid field: expected a fumen with 115@ or rows of ten cells, got {shown!r}"
            )
    return Board.from_text("\n".join(rows)) if rows else Board()
