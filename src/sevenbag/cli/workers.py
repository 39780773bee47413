"""On what a command's jobs run: ``--workers N`` and ``--cluster ADDRESS``."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from sevenbag import jobs
from sevenbag.cli.arguments import count

if TYPE_CHECKING:
    import argparse
    from collections.abc import Generator


def add_worker_options(parser: argparse.ArgumentParser, *, threads: bool = False) -> None:
    """Give a command the options, of which one may be used.

    Args:
        parser: of the command.
        threads: whether it can work in threads, too, and does so if not told.
    """
    group = parser.add_mutually_exclusive_group()
    if threads:
        group.add_argument(
            "--threads",
            type=count,
            metavar="N",
            help="work in so many threads (default: as many as there are processors)",
        )
    group.add_argument(
        "--workers", type=count, metavar="N", help="work in so many processes of this machine"
    )
    group.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="work on a dask cluster; ADDRESS is its scheduler's, such as tcp://192.0.2.7:8786",
    )


def executor_of(args: argparse.Namespace) -> jobs.Executor:
    """What the options ask for; this very process, if neither was used.

    Raises:
        JobError: so many workers cannot be had, or the cluster cannot.
        MissingExtraError: clusters need an extra.
    """
    if args.cluster is not None:
        return jobs.cluster(args.cluster)
    return jobs.in_process() if args.workers is None else jobs.local(args.workers)


@contextlib.contextmanager
def given_executor(args: argparse.Namespace) -> Generator[jobs.Executor | None]:
    """The same as a context, for commands that do without one if neither option was used.

    Raises:
        JobError: as above.
        MissingExtraError: as above.
    """
    if args.workers is None and args.cluster is None:
        yield None
    else:
        with executor_of(args) as executor:
            yield executor
