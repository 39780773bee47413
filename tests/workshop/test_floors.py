"""The house has floors: a room imports only from the floors below its own."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "sevenbag"

FLOORS = {
    "_kernel": 1,
    "errors": 1,
    "config": 1.25,  # raises errors
    "jobs": 1.5,  # knows nothing of games
    "drawing": 1.5,  # a landing: it sees the kernel's boards, which draw themselves with it
    "formats": 1.75,  # a game may begin with the board of a fumen
    "game": 2,
    "pc": 2.5,  # above formats: what is asked about, and what is found, may be a fumen
    "protocols": 3,
    "bots": 4,
    "replay": 4,  # plays recordings; knows no bots
    "arena": 5,
    "envs": 5,
    "contest": 5.25,  # takes pairings from the arena
    "web": 5.5,  # shows what the arena and the contest play
    "cli": 6,
}

BINDINGS = sorted((SOURCE.parents[1] / "kernel").rglob("*.?pp"))

FILES = sorted(SOURCE.rglob("*.py"))


def room_of(file: Path) -> str:
    """The room a file lies in; the package's own modules are rooms by themselves."""
    return file.relative_to(SOURCE).with_suffix("").parts[0]


def imported_rooms(file: Path) -> Iterator[tuple[int, str]]:
    """Line and room of every import of the package's own, also those inside functions."""
    package = ("sevenbag", *file.relative_to(SOURCE).parts[:-1])
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            start = ".".join([*base, *([node.module] if node.module else [])])
            # `from sevenbag import bots` names a room only in its last word.
            names = [f"{start}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Call) and node.args and "import" in called_name(node):
            # importlib.import_module("sevenbag.bots") and the like
            module = node.args[0]
            names = [str(module.value)] if isinstance(module, ast.Constant) else []
        else:
            continue
        for name in names:
            parts = name.split(".")
            if parts[0] == "sevenbag" and len(parts) > 1:
                yield node.lineno, parts[1]


def called_name(call: ast.Call) -> str:
    """Return the last part of the name of a called function."""
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def imported_by_name(text: str) -> list[str]:
    """Rooms that C++ names as modules to import."""
    return re.findall(r'"sevenbag\.(\w+)', text)


@pytest.mark.parametrize("file", BINDINGS, ids=lambda file: file.name)
def test_the_kernel_knows_no_room_above_it(file: Path) -> None:
    wrong = [room for room in imported_by_name(file.read_text()) if FLOORS.get(room, 9) > 1]
    assert wrong == []


def test_there_are_rooms() -> None:
    assert FILES
    assert BINDINGS
    seen = imported_by_name('nb::module_::import_("sevenbag.formats.drawing").attr("x")')
    assert seen == ["formats"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_imports_go_downwards(file: Path) -> None:
    room = room_of(file)
    if room in ("__init__", "__main__"):
        return  # the front door may look into every room
    assert room in FLOORS, f"{room} is on no floor; give it one here and in CONTRIBUTING.md"
    wrong = [
        f"line {line}: {room} (floor {FLOORS[room]}) imports {other} (floor {FLOORS[other]})"
        for line, other in imported_rooms(file)
        if other in FLOORS and other != room and FLOORS[other] >= FLOORS[room]
    ]
    assert wrong == []
