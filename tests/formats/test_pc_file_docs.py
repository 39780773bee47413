"""docs/pc-files.md does what it shows, and names every fault and code."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

from sevenbag._kernel import PcFault

PAGE = Path(__file__).parents[2] / "docs" / "pc-files.md"
SOURCE = Path(__file__).parents[2] / "src" / "sevenbag" / "formats" / "pc_file.py"


def test_examples() -> None:
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert (result.failed, result.attempted > 4) == (0, True)


def test_every_fault_and_code_is_described() -> None:
    text = PAGE.read_text()
    assert all(f"| `{fault.name}` |" in text for fault in PcFault if fault)
    codes = set(re.findall(r'(?:PcFileError\(\s*|code = )"(\w+)"', SOURCE.read_text()))
    assert codes | {"CannotRead"} == set(re.findall(r"`([A-Z][a-z]+[A-Z]\w+)`", text)) - {
        "PcFileError"
    }
