"""How many cases were compared with recorded truth; conftest.py tells the sums after the tests."""

from __future__ import annotations

import os
from pathlib import Path

FILE = "SEVENBAG_COMPARED"
"""The environment variable that names the file of counts: tests may run in several processes."""


def compared(what: str, count: int) -> None:
    """Count cases that came out the same; to be called when they have."""
    if FILE in os.environ:
        with Path(os.environ[FILE]).open("a", encoding="utf-8") as file:
            file.write(f"{count}\t{what}\n")
