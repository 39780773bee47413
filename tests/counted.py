"""Count comparisons with recorded data; conftest.py prints the sums after the tests."""

import os
from pathlib import Path

FILE = "SEVENBAG_COMPARED"
"""Environment variable with the file of counts, shared by all test processes."""


def compared(what: str, count: int) -> None:
    """Count cases after a successful comparison."""
    if FILE in os.environ:
        with Path(os.environ[FILE]).open("a", encoding="utf-8") as file:
            file.write(f"{count}\t{what}\n")
