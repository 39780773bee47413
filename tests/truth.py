"""Where the ground truth lies: recorded games, counts and tables that other programs made.

It is no part of the package. Tests look for a folder ``shared/data`` beside the project's own, or
for the folder that SEVENBAG_TRUTH names, and skip, saying so, where there is none.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
TRUTH = Path(os.environ.get("SEVENBAG_TRUTH", _BESIDE))


def truth(name: str) -> Path:
    """A file of the truth; skips the test if it is not there."""
    path = TRUTH / name
    if not path.exists():
        pytest.skip(f"no ground truth {name} in {TRUTH}")
    return path


def truth_json(name: str) -> Any:
    """What a JSON file of the truth holds."""
    return json.loads(truth(name).read_text(encoding="utf-8"))


def truth_lines(name: str) -> Iterator[Any]:
    """The values of a JSON-lines file of the truth."""
    for line in truth(name).read_text(encoding="utf-8").splitlines():
        if line:
            yield json.loads(line)
