"""``sevenbag pc chance FIELD PATTERN``: how likely a perfect clear is."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING

from sevenbag.cli.arguments import number_from_zero
from sevenbag.cli.pc.question import (
    add_field,
    add_pattern,
    add_rules,
    let_ctrl_c_end,
    question_of,
    say_unused,
    text_of,
)
from sevenbag.cli.workers import add_worker_options, given_executor
from sevenbag.pc.chance import chance_of

if TYPE_CHECKING:
    import argparse

    from sevenbag.pc.chance import Chance
    from sevenbag.pc.question import Question


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.description = (
        "Counts the queues of a pattern that can clear the field, and lists those that cannot."
    )
    add_field(parser)
    add_pattern(parser)
    add_rules(parser)
    parser.add_argument(
        "--failed",
        type=number_from_zero,
        default=100,
        metavar="N",
        help="how many of the queues without a perfect clear are listed (default: %(default)s)",
    )
    parser.add_argument(
        "--tree",
        type=number_from_zero,
        default=0,
        metavar="N",
        help="tell the figures for queues that begin alike, too: up to N pieces",
    )
    add_worker_options(parser)


def run(args: argparse.Namespace) -> int:
    """Print the figures."""
    let_ctrl_c_end()
    question = question_of(args)
    pattern = text_of(args.pattern)
    with given_executor(args) as executor:
        chance = chance_of(question, pattern, seconds=args.seconds, executor=executor)
    say_unused(chance.unused, question.usable)
    if args.json:
        print(json.dumps(_figures(question, chance, args.failed, args.tree)))
        return 0
    print(f"success: {chance.share:.2%} [{chance.solved}/{chance.total}]")
    for branch in itertools.islice(chance.tree(args.tree), 1, None):
        share = branch.solved / branch.total
        indent = "  " * len(branch.pieces)
        print(f"{indent}{branch.pieces}: {share:.2%} [{branch.solved}/{branch.total}]")
    failures = chance.total - chance.solved
    if failures and args.failed:
        listed = "" if failures <= args.failed else f", the first {args.failed}"
        print(f"\nwithout a perfect clear: {failures}{listed}")
        for queue in itertools.islice(chance.failed(), args.failed):
            print(queue)
    return 0


def _figures(question: Question, chance: Chance, failed: int, depth: int) -> dict[str, object]:
    figures: dict[str, object] = {
        "solved": chance.solved,
        "total": chance.total,
        "share": chance.share,
        "pattern": str(chance.pattern),
        "unused_pieces": chance.unused,
        "lines": question.lines,
        "pieces": question.needed,
        "hold": question.hold,
        "kicks": question.kicks.name,
        "drop": question.drop,
        "failed": list(itertools.islice(chance.failed(), failed)),
    }
    if depth:
        figures["tree"] = [
            {"pieces": branch.pieces, "solved": branch.solved, "total": branch.total}
            for branch in itertools.islice(chance.tree(depth), 1, None)
        ]
    return figures
