"""Tables of the queues without a perfect clear from the empty field.

A table lists these queues for a height and a rotation system. A solver with the table answers them
at once; tables are optional.

Tables are in the folder of the environment variable SEVENBAG_TABLES, or in ``sevenbag`` in the
user's cache folder. Version, rotation system and checksum of a table are checked before it is used.
"""

from __future__ import annotations

import contextlib
import mmap
import os
from collections.abc import Callable
from pathlib import Path

from sevenbag._kernel import Kicks, PcSolver
from sevenbag.errors import FormatError, RulesError
from sevenbag.files import check_writable, open_input, write_atomically
from sevenbag.pc.tablebase import TablebaseProgress


def find_table_path(height: int, kicks: Kicks | str = "srs") -> Path:
    """Return the path where solvers look for a table."""
    return _folder() / f"pc-{height}-{PcSolver(kicks).fingerprint:016x}.table"


def build_table(
    height: int,
    kicks: Kicks | str = "srs",
    path: Path | None = None,
    *,
    threads: int | None = None,
    report: Callable[[TablebaseProgress], None] | None = None,
) -> Path:
    """Build a table by counting all queues (see `sevenbag.pc.odds.compute_odds`); return its path.

    The arguments and errors are those of `compute_odds`; `path` is the file to write, by default
    the path where solvers look for it.

    Raises:
        FormatError: the file cannot be written.
    """
    from sevenbag.pc.odds import compute_odds  # noqa: PLC0415  # rarely needed

    solver = PcSolver(kicks)
    path = find_table_path(height, kicks) if path is None else path
    # Fail before minutes of work, not after.
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
    check_writable(path)
    odds = compute_odds(height, kicks, threads=threads, report=report)
    table = solver.encode_table(height, odds.unsolvable.decode("ascii").split())
    write_atomically(path, table, replace=True)
    return path


def load_table(solver: PcSolver, path: Path) -> tuple[int, int]:
    """Load a table into a solver of the kernel.

    Returns:
        The height of the table, and its number of queues. Queues that differ in the order of their
        first two pieces count once.

    Raises:
        FormatError: the file cannot be read, or is not a table for the solver's rotation system.
    """
    try:
        with open_input(path) as file:
            table = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error.strerror or error}") from error
    except ValueError:
        raise FormatError(
            f"{path}: invalid table: expected a table of perfect clears, got an empty file"
        ) from None
    try:
        return solver.load_table(table)
    except RulesError as error:
        raise FormatError(f"{path}: {error}") from None


def load_available_tables(solver: PcSolver) -> list[Path]:
    """Load the tables that exist into a solver; ignore invalid ones. Return their paths."""
    found: list[Path] = []
    for height in (2, 4):
        path = _folder() / f"pc-{height}-{solver.fingerprint:016x}.table"
        if path.is_file():
            with contextlib.suppress(FormatError):
                load_table(solver, path)
                found.append(path)
    return found


def _folder() -> Path:
    if named := os.environ.get("SEVENBAG_TABLES"):
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sevenbag"
