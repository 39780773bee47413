"""Tests of the public names, the cost of the import, and the examples of the documentation."""

import doctest
import importlib
import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest

import sevenbag

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
MODULES = [
    ".".join(file.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    for file in sorted(SOURCE.rglob("*.py"))
    if ">>> " in file.read_text("utf-8")
]


def test_public_names() -> None:
    assert dir(sevenbag) == sorted(sevenbag.__all__)
    assert all(getattr(sevenbag, name) is not None for name in sevenbag.__all__)
    assert not hasattr(sevenbag, "nothing")


def test_the_version_is_the_packages() -> None:
    assert sevenbag.__version__ == importlib.metadata.version("sevenbag")


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("sevenbag", {"asyncio", "rich", "msgspec", "argparse", "tomllib", "sevenbag.game"}),
        ("sevenbag.game", {"gymnasium", "numpy", "pettingzoo"}),
    ],
)
def test_import_loads_only_what_it_needs(module: str, heavy: set[str]) -> None:
    listing = f"import sys, {module}; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", listing], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not heavy.intersection(loaded)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_of_pages(page: Path) -> None:
    assert doctest.testfile(str(page), module_relative=False).failed == 0


@pytest.mark.parametrize("module", MODULES)
def test_examples_of_modules(module: str) -> None:
    failed, attempted = doctest.testmod(importlib.import_module(module))
    assert (failed, attempted > 0) == (0, True)
