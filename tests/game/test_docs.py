"""The examples of docs/rules.md and of the modules do what they show."""

from __future__ import annotations

import doctest
from pathlib import Path

import sevenbag.game
import sevenbag.game.rules


def test_page() -> None:
    page = Path(__file__).parents[2] / "docs" / "rules.md"
    result = doctest.testfile(str(page), module_relative=False)
    assert (result.failed, result.attempted > 3) == (0, True)


def test_modules() -> None:
    for module in (sevenbag.game, sevenbag.game.rules):
        result = doctest.testmod(module)
        assert (result.failed, result.attempted > 3) == (0, True)
