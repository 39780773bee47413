"""Recorded data of other programs: games, counts and tables.

The data is not part of the package. It is read from the folder ``shared/data`` beside the project's
folder, or from the folder SEVENBAG_TRUTH. Tests are skipped without it.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
TRUTH = Path(os.environ.get("SEVENBAG_TRUTH", _BESIDE))


def truth(name: str) -> Path:
    """Return the path of a data file; skip the test if it is missing."""
    path = TRUTH / name
    if not path.exists():
        pytest.skip(f"no recorded data {name} in {TRUTH}")
    return path


def truth_json(name: str) -> Any:
    """Return the content of a JSON data file."""
    return json.loads(truth(name).read_text(encoding="utf-8"))


def truth_lines(name: str) -> Iterator[Any]:
    """Yield the values of a JSON-lines data file."""
    for line in truth(name).read_text(encoding="utf-8").splitlines():
        if line:
            yield json.loads(line)
