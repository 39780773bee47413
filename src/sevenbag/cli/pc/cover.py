"""``sevenbag pc cover FUMEN... PATTERN``: how many queues can play given placements."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING

from sevenbag.cli.arguments import named_kicks, number_from_zero
from sevenbag.cli.pc.question import add_pattern, let_ctrl_c_end, say_unused, text_of
from sevenbag.errors import FormatError, FumenError
from sevenbag.pc.cover import coverage_of, setups_in
from sevenbag.pc.question import DROPS

if TYPE_CHECKING:
    import argparse

    from sevenbag.pc.cover import Coverage, Setup


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.description = (
        "Counts the queues of a pattern that can play placements, in any order in which each piece"
        " is supported and reached. A fumen may hold several setups: pages with pieces that go on"
        " from each other, and pages that show pieces in their colours."
    )
    parser.add_argument(
        "fumens",
        nargs="+",
        metavar="FUMEN",
        help="a fumen; @FILE reads them from a file, one a line, @- from standard input",
    )
    add_pattern(parser)
    parser.add_argument("--no-hold", dest="hold", action="store_false", help="hold is not used")
    parser.add_argument(
        "--kicks",
        default="srs",
        metavar="NAME|FILE",
        help="rotation system, or a TOML file of your own (default: %(default)s)",
    )
    parser.add_argument(
        "--drop",
        choices=DROPS,
        default="soft",
        help="how pieces come down, as for pc chance (default: %(default)s)",
    )
    parser.add_argument(
        "--sort", action="store_true", help="setups that most queues can play come first"
    )
    parser.add_argument(
        "--failed",
        type=number_from_zero,
        default=0,
        metavar="N",
        help="how many of the queues that can play none are listed (default: %(default)s)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Print the shares."""
    let_ctrl_c_end()
    named: list[tuple[str, Setup]] = []
    for number, fumen in enumerate(_fumens(args.fumens), 1):
        try:
            found = setups_in(fumen)
        except (FumenError, FormatError) as error:
            raise FormatError(f"fumen {number}: {error}") from None
        named += [(_name(number, setup), setup) for setup in found]
    setups = [setup for _, setup in named]
    coverage = coverage_of(
        setups,
        text_of(args.pattern),
        hold=args.hold,
        kicks=named_kicks(args.kicks),
        drop=args.drop,
    )
    say_unused(coverage.unused, coverage.pattern.length)
    order = coverage.sorted() if args.sort else list(range(len(setups)))
    sums = coverage.accumulated(order)
    if args.json:
        print(json.dumps(_figures(args, named, coverage, order, sums)))
        return 0
    width = max(len(name) for name, _ in named)
    for number, sum_ in zip(order, sums, strict=True):
        name, setup = named[number]
        pieces = "".join(piece.name for piece in setup.pieces)
        count = coverage.covered[number].bit_count()
        print(
            f"{name:<{width}}  {_share(count, coverage)}  with those before"
            f" {_share(sum_, coverage)}  {pieces}"
        )
    print(f"any of them: {_share(coverage.any.bit_count(), coverage)}")
    print(f"each of them: {_share(coverage.all.bit_count(), coverage)}")
    for queue in itertools.islice(coverage.failed(), args.failed):
        print(queue)
    return 0


def _fumens(arguments: list[str]) -> list[str]:
    fumens = [line for text in map(text_of, arguments) for line in text.split()]
    if not fumens:
        raise FormatError("no fumen")
    return fumens


def _name(fumen: int, setup: Setup) -> str:
    first, last = setup.pages
    return f"{fumen}, page {first}" if first == last else f"{fumen}, pages {first}-{last}"


def _share(count: int, coverage: Coverage) -> str:
    return f"{count / coverage.total:.2%} [{count}/{coverage.total}]"


def _figures(
    args: argparse.Namespace,
    named: list[tuple[str, Setup]],
    coverage: Coverage,
    order: list[int],
    sums: list[int],
) -> dict[str, object]:
    return {
        "total": coverage.total,
        "any": coverage.any.bit_count(),
        "each": coverage.all.bit_count(),
        "pattern": str(coverage.pattern),
        "unused_pieces": coverage.unused,
        "hold": args.hold,
        "kicks": named_kicks(args.kicks).name,
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
        "failed": list(itertools.islice(coverage.failed(), args.failed)),
    }
