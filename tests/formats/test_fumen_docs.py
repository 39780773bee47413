"""docs/fumen.md does what it shows, and names every error."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "fumen.md"
SOURCE = Path(__file__).parents[2] / "src" / "sevenbag" / "formats"


def test_examples() -> None:
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert (result.failed, result.attempted > 8) == (0, True)


def test_every_code_is_described() -> None:
    text = "".join(file.read_text() for file in SOURCE.glob("fumen*.py"))
    raised = set(re.findall(r'FumenError\(\s*"(\w+)"', text))
    described = set(re.findall(r"`([A-Z][a-z]\w+)`", PAGE.read_text().split("## Errors")[1]))
    assert raised == described
