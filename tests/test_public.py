"""Tests of the public names, the cost of the import, and the examples of the documentation."""

import doctest
import importlib.metadata
import subprocess
import sys
from pathlib import Path

import sevenbag

ROOT = Path(__file__).parent.parent

NAMES = {
    "Board",
    "Game",
    "Key",
    "Kicks",
    "Piece",
    "Placement",
    "Placements",
    "Position",
    "Rotation",
    "Rules",
    "SevenbagError",
    "Spin",
    "SpinMode",
    "SpinRules",
    "Versus",
    "perft",
}


def test_the_public_names_are_these() -> None:
    assert set(sevenbag.__all__) == NAMES
    assert all(getattr(sevenbag, name) is not None for name in NAMES)
    assert set(dir(sevenbag)) == NAMES
    assert not hasattr(sevenbag, "nothing")


def test_the_version_is_the_packages() -> None:
    assert sevenbag.__version__ == importlib.metadata.version("sevenbag")


def test_an_import_pulls_in_no_more_than_it_needs() -> None:
    listing = "import sys, sevenbag; print(*sorted(sys.modules))"
    modules = subprocess.run(
        [sys.executable, "-c", listing], capture_output=True, text=True, check=True
    ).stdout.split()
    for heavy in ("asyncio", "rich", "msgspec", "argparse", "tomllib", "sevenbag.game"):
        assert heavy not in modules


def test_the_examples_of_the_readme_are_true() -> None:
    failed, tried = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert tried > 5
    assert failed == 0


def test_every_page_of_the_manual_is_true() -> None:
    for page in sorted((ROOT / "docs").glob("*.md")):
        failed, _ = doctest.testfile(str(page), module_relative=False)
        assert failed == 0, page
