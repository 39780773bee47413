"""Tables of perfect clears: what is known of every queue from the empty field, in a file.

A table holds the queues that have no perfect clear of a height under a rotation system. A solver
that has one answers these at once; it is used where it is found, and never needed.

A table lies where `find_table_path` says: in the folder that SEVENBAG_TABLES names, or in
``sevenbag`` in the user's cache folder. It is checked (version, rotation system, checksum) before
it is believed.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from sevenbag._kernel import Kicks, PcSolver
from sevenbag.errors import FormatError, RulesError
from sevenbag.files import open_input

if TYPE_CHECKING:
    from collections.abc import Callable

    from sevenbag.pc.tablebase import TablebaseProgress


def find_table_path(height: int, kicks: Kicks | str = "srs") -> Path:
    """Where solvers look for the table of a height under a rotation system."""
    return _folder() / f"pc-{height}-{PcSolver(kicks).fingerprint:016x}.table"


def build_table(
    height: int,
    kicks: Kicks | str = "srs",
    path: Path | None = None,
    *,
    threads: int | None = None,
    report: Callable[[TablebaseProgress], None] | None = None,
) -> Path:
    """Make a table, which means to count every queue: see `sevenbag.pc.odds.compute_odds`.

    Args:
        height: 2 or 4 lines.
        kicks: rotation system, or its name.
        path: where it goes; by default where solvers look for it.
        threads: as many as there are processors, if not given.
        report: is told now and then how far the work is.

    Returns:
        Where it is. The file is written in whole or not at all.

    Raises:
        BoardError: the queues of this height cannot be counted.
        FormatError: the file cannot be written.
        KicksError: there is no system of this name.
        ScarceMemoryError: there is not enough memory.
    """
    from sevenbag.pc.odds import compute_odds  # noqa: PLC0415  # few who use tables make them

    solver = PcSolver(kicks)
    path = find_table_path(height, kicks) if path is None else path
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Before minutes of work, not after them.
        draft.touch(exist_ok=False)
    except OSError as error:
        raise FormatError(f"{path}: cannot be written: {error.strerror or error}") from error
    try:
        odds = compute_odds(height, kicks, threads=threads, report=report)
        table = solver.encode_table(height, odds.unsolvable.decode("ascii").split())
        try:
            draft.write_bytes(table)
            draft.replace(path)
        except OSError as error:
            raise FormatError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        with contextlib.suppress(OSError):
            draft.unlink()
    return path


def load_table(solver: PcSolver, path: Path) -> tuple[int, int]:
    """Let a kernel's solver use the table in a file.

    Returns:
        The table's height, and how many queues it holds; the first two pieces of a queue can
        change places and count once.

    Raises:
        FormatError: the file cannot be read, or is no table for the solver's rotation system.
    """
    try:
        with open_input(path) as file:
            table = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error.strerror or error}") from error
    except ValueError:
        raise FormatError(f"{path}: an empty file, no table of perfect clears") from None
    try:
        return solver.load_table(table)
    except RulesError as error:
        raise FormatError(f"{path}: {error}") from None


def load_available_tables(solver: PcSolver) -> list[Path]:
    """Let a solver use the tables that lie where they are looked for; those that are wrong are not
    believed, and not mentioned.
    """
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
