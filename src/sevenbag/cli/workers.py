"""On what a command's jobs run: ``--workers N`` and ``--cluster ADDRESS``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sevenbag import jobs
from sevenbag.cli.arguments import count

if TYPE_CHECKING:
    import argparse


def add_worker_options(parser: argparse.ArgumentParser) -> None:
    """Give a command the options; either may be used."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--workers", type=count, metavar="N", help="work in so many processes of this machine"
    )
    group.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="work on a dask cluster: its scheduler's address, such as tcp://192.0.2.7:8786",
    )


def asks_for_workers(args: argparse.Namespace) -> bool:
    """Whether one of the options was used."""
    return args.workers is not None or args.cluster is not None


def executor_of(args: argparse.Namespace) -> jobs.Executor:
    """What the options ask for; this very process, if neither was used.

    Raises:
        JobError: so many workers cannot be had, or the cluster cannot.
        MissingExtraError: clusters need an extra.
    """
    if args.cluster is not None:
        return jobs.cluster(args.cluster)
    return jobs.in_process() if args.workers is None else jobs.local(args.workers)
