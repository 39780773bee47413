"""docs/pc-questions.md does what it shows."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "pc-questions.md"


def test_examples() -> None:
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert (result.failed, result.attempted > 3) == (0, True)
