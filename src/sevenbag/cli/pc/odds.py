"""``sevenbag pc odds``: how often a queue has a perfect clear on the empty field."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sevenbag.cli.arguments import named_kicks
from sevenbag.cli.pc.meter import Meter
from sevenbag.cli.workers import add_worker_options, given_executor
from sevenbag.errors import FormatError
from sevenbag.pc.census import HEIGHTS, expect_memory, threads_or_all
from sevenbag.pc.odds import Odds, Row, find_odds

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Generator

    from sevenbag._kernel import Kicks

_SHOWN_DIGITS: Final = 4


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.description = (
        "Counts the queues that have a perfect clear on the empty field, all of them, exactly: with"
        " nothing held, windows of n + 1 pieces for a perfect clear of n; with any held piece,"
        " windows of n pieces beside each. Windows count once for every way in which 7-bags can be"
        " cut at them; openers begin with a bag. Four lines take some minutes on two processors,"
        " and three gigabytes of memory."
    )
    parser.add_argument(
        "--height",
        type=int,
        choices=HEIGHTS,
        help="lines of the perfect clear (default: both)",
    )
    parser.add_argument(
        "--kicks",
        default="srs",
        metavar="NAME|FILE",
        help="rotation system, or a TOML file of your own (default: %(default)s)",
    )
    add_worker_options(parser, threads=True)
    parser.add_argument(
        "--impossible",
        type=Path,
        metavar="FILE",
        help="write the sequences without a perfect clear (those of four lines, unless --height"
        " says two), sorted, one a line: held, current and next pieces; held and current may be"
        " exchanged and are listed once",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")


def run(args: argparse.Namespace) -> int:
    """Count and print."""
    kicks = named_kicks(args.kicks)
    heights = HEIGHTS if args.height is None else (args.height,)
    # Before minutes of work, not after them; on a cluster, the workers themselves look.
    if args.cluster is None:
        for height in heights:
            expect_memory(height, args.workers or 1)
    begun = time.monotonic()
    found: dict[int, Odds] = {}
    with _draft(args.impossible) as write_impossible:
        with Meter() as meter, given_executor(args) as executor:
            workers = None if executor is None else executor.workers
            for height in heights:
                found[height] = find_odds(
                    height,
                    kicks,
                    threads=args.threads,
                    executor=executor,
                    report=lambda now: meter.show(now.stage, now.fraction, now.seconds_left),
                )
        write_impossible(found[heights[-1]].impossible)
    seconds = time.monotonic() - begun
    if args.json:
        hands = (
            {"threads": threads_or_all(args.threads)} if workers is None else {"workers": workers}
        )
        print(json.dumps(_data(found, kicks, seconds) | hands))
    else:
        _print_table(found, kicks)
    return 0


def _print_table(found: dict[int, Odds], kicks: Kicks) -> None:
    print(f"{'type':<16} {'held':<5} {'kicks':<10} {'chance':>9}  count")
    for odds in found.values():
        for row in odds.rows:
            print(
                f"{_type(row):<16} {row.held:<5} {kicks.name:<10} {_percent(row):>9}"
                f"  {row.possible:,} of {row.total:,}"
            )


def _data(found: dict[int, Odds], kicks: Kicks, seconds: float) -> dict[str, object]:
    return {
        "kicks": kicks.name,
        "rows": [
            {
                "height": row.height,
                "opener": row.opener,
                "held": row.held,
                "possible": row.possible,
                "total": row.total,
                "chance": row.chance,
            }
            for odds in found.values()
            for row in odds.rows
        ],
        "impossible_sequences": {
            str(height): odds.impossible.count(b"\n") for height, odds in found.items()
        },
        "seconds": round(seconds, 3),
    }


def _type(row: Row) -> str:
    return f"{row.height}-line, opener" if row.opener else f"{row.height}-line"


def _percent(row: Row) -> str:
    """Rounded, but never up to all or down to nothing."""
    text = f"{100 * row.chance:.{_SHOWN_DIGITS}f}"
    if float(text) in (0, 100) and 0 < row.possible < row.total:
        return f"<{text}%" if float(text) == 100 else f">{text}%"
    return f"{text.rstrip('0').rstrip('.')}%"


@contextlib.contextmanager
def _draft(path: Path | None) -> Generator[Callable[[bytes], None]]:
    """What writes the file at once, in whole. That it can be written shows before the work."""
    if path is None:
        yield lambda _: None
        return
    try:
        if path.exists() and not path.is_file():
            raise FormatError(f"{path}: cannot be written: it is no file")
        draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        try:
            with draft.open("xb") as file:

                def write(data: bytes) -> None:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                    draft.replace(path)

                yield write
        finally:
            with contextlib.suppress(OSError):
                draft.unlink()
    except OSError as error:
        raise FormatError(f"{path}: cannot be written: {error.strerror or error}") from error
