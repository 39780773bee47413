"""Layers, module sizes and unique names of the package; see Architecture in CONTRIBUTING.md."""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
FILES = sorted((SOURCE / "sevenbag").rglob("*.py"))
KERNEL_FILES = sorted((ROOT / "kernel").rglob("*.?pp"))

# The layers from bottom to top. Packages of one layer do not import each other.
LAYERS = [
    {"_kernel", "errors"},
    {"files"},
    {"config"},
    {"drawing", "jobs"},
    {"formats"},
    {"game"},
    {"pc"},
    {"protocols"},
    {"bots", "replay"},
    {"arena", "checks", "envs"},
    {"contest"},
    {"web"},
    {"cli"},
]
LAYER = {package: number for number, layer in enumerate(LAYERS) for package in layer}

# Packages may share these names for modules of the same kind.
REPEATED_MODULE_NAMES = {"app", "errors", "messages", "settings"}
# Limits: modules of a package, lines of a small module, number of small modules.
MAX_MODULES = 15
SMALL_MODULE_LINES = 60
MAX_SMALL_MODULES = 15


def name_module(file: Path) -> str:
    """Return the dotted name of the module or package that a file defines."""
    parts = file.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_module(file): file for file in FILES}
# Modules except packages, entry points and database migrations.
NAMED_MODULES = [
    name
    for name, file in MODULES.items()
    if file.stem not in {"__init__", "__main__"} and file.parent.name != "migrations"
]


@cache
def parse_module(name: str) -> ast.Module:
    """Return the syntax tree of a module."""
    return ast.parse(MODULES[name].read_text("utf-8"))


def list_imports(name: str, nodes: Iterable[ast.AST]) -> Iterator[tuple[int, str]]:
    """Yield line and dotted name of each import of the package, also those inside functions."""
    is_package = MODULES[name].stem == "__init__"
    package = name.split(".") if is_package else name.split(".")[:-1]
    for node in nodes:
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            start = ".".join([*base, *([node.module] if node.module else [])])
            names = [f"{start}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Call) and node.args and "import" in name_function(node):
            module = node.args[0]
            names = [str(module.value)] if isinstance(module, ast.Constant) else []
        else:
            continue
        yield from ((node.lineno, found) for found in names if found.startswith("sevenbag."))


def name_function(call: ast.Call) -> str:
    """Return the last part of the name of a called function."""
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def list_layers_above(package: str, imports: Iterable[tuple[int, str]]) -> list[str]:
    """Return each import of a package in the same layer or in one above."""
    return [
        f"line {line}: {package} imports {name}"
        for line, name in imports
        if (other := name.split(".")[1]) in LAYER
        and other != package
        and LAYER[other] >= LAYER[package]
    ]


@pytest.mark.parametrize("module", sorted(MODULES))
def test_imports_go_downwards(module: str) -> None:
    if module in {"sevenbag", "sevenbag.__main__"}:
        return  # these export and start what the packages below define
    package = module.split(".")[1]
    assert package in LAYER, f"{package} has no layer; add it here and in CONTRIBUTING.md"
    assert list_layers_above(package, list_imports(module, ast.walk(parse_module(module)))) == []


@pytest.mark.parametrize("file", KERNEL_FILES, ids=lambda file: file.name)
def test_kernel_imports_errors_only(file: Path) -> None:
    named = set(re.findall(r'"(?:sevenbag\.)(\w+)', file.read_text("utf-8")))
    assert {name for name in named if LAYER.get(name, 0) > LAYER["_kernel"]} == set()


def find_module(name: str) -> str:
    """Return the longest beginning of a dotted name that is a module."""
    while name not in MODULES and name != "sevenbag._kernel":
        name = name.rpartition(".")[0]
    return name


def test_no_import_cycles() -> None:
    graph = {
        module: {
            find_module(name) for _, name in list_imports(module, ast.walk(parse_module(module)))
        }
        - {module}
        for module in MODULES
    }
    assert [module for module in graph if module in find_reachable(graph, module)] == []


def find_reachable(graph: dict[str, set[str]], start: str) -> set[str]:
    """Return the modules that a module imports, directly or not."""
    found: set[str] = set()
    pending = [start]
    while pending:
        new = graph.get(pending.pop(), set()) - found
        found |= new
        pending += new
    return found


def test_module_names_are_unique() -> None:
    names = Counter(name.rpartition(".")[2] for name in NAMED_MODULES)
    repeated = {name for name, count in names.items() if count > 1}
    assert repeated - REPEATED_MODULE_NAMES == set()


def test_class_names_are_unique() -> None:
    names = Counter(
        node.name
        for module in MODULES
        for node in parse_module(module).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert {name for name, count in names.items() if count > 1} == set()


def test_packages_are_small() -> None:
    sizes = Counter(name.rpartition(".")[0] for name in NAMED_MODULES)
    assert {name for name, size in sizes.items() if size > MAX_MODULES} == set()


def test_few_modules_are_tiny() -> None:
    lines = {name: len(MODULES[name].read_text("utf-8").splitlines()) for name in NAMED_MODULES}
    tiny = [name for name, count in lines.items() if count < SMALL_MODULE_LINES]
    assert len(tiny) <= MAX_SMALL_MODULES, tiny


def test_layout_test_detects_violations() -> None:
    code = "def f():\n    from ..cli import main\n    import_module('sevenbag.web')\n"
    imports = list(list_imports("sevenbag.game.rules", ast.walk(ast.parse(code))))
    assert imports == [(2, "sevenbag.cli.main"), (3, "sevenbag.web")]
    assert len(list_layers_above("game", imports)) == 2
    assert find_reachable({"a": {"b"}, "b": {"a"}, "c": {"a"}}, "a") == {"a", "b"}
