"""Tests of the lock files and of the reasons for each dependency."""

import json
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOCKS = sorted(ROOT.glob("requirements/*.txt"))
NODE = ROOT / "requirements" / "node"
PINNED = re.compile(r"^([a-z0-9][a-z0-9-]*)==([^ ;]+)")


def pinned(lock: Path) -> dict[str, str]:
    """Return the version of each package of a lock file."""
    found = (PINNED.match(line) for line in lock.read_text().splitlines())
    return {match[1]: match[2] for match in found if match}


def wanted() -> set[str]:
    """Return all packages that are required by name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    lines = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    for file in ROOT.glob("requirements/*.in"):
        lines += [line for line in file.read_text().splitlines() if line and line[0] != "#"]
    return {re.split(r"[<>=! \[;]", line, maxsplit=1)[0] for line in lines}


def wanted_of_node() -> dict[str, str]:
    """Return the required npm packages with their versions."""
    return dict(json.loads((NODE / "package.json").read_text())["dependencies"])


def test_lock_files_exist() -> None:
    assert {lock.stem for lock in LOCKS} == {"uv", "build", "run", "dev", "fuzz"}


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_lock_file_has_no_address(lock: Path) -> None:
    assert not re.search(r"://|--index|--extra-index|--find-links", lock.read_text())


def test_lock_file_of_node_has_hashes_and_no_address() -> None:
    text = (NODE / "package-lock.json").read_text()
    assert "://" not in text
    packages = json.loads(text)["packages"]
    assert all(package["integrity"] for name, package in packages.items() if name)
    locked = {name: packages[f"node_modules/{name}"]["version"] for name in wanted_of_node()}
    assert locked == wanted_of_node()


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_every_pinned_version_has_hashes(lock: Path) -> None:
    blocks = re.split(r"\n(?=[a-z0-9])", lock.read_text())
    pins = [block for block in blocks if PINNED.match(block)]
    assert pins
    assert [pin.splitlines()[0] for pin in pins if "--hash=sha256:" not in pin] == []


def test_lock_files_agree() -> None:
    versions: dict[str, set[str]] = {}
    for lock in LOCKS:
        for name, version in pinned(lock).items():
            versions.setdefault(name, set()).add(version)
    assert {name for name, found in versions.items() if len(found) > 1} == set()


def test_every_required_package_is_locked() -> None:
    locked = {name for lock in LOCKS for name in pinned(lock)}
    assert wanted() - locked == set()


def test_every_required_package_has_a_reason() -> None:
    text = (ROOT / "docs" / "dependencies.md").read_text()
    named = {
        name.strip()
        for row in re.findall(r"^\| ([a-z0-9, -]+) \| .+ \|$", text, re.M)
        for name in row.split(",")
    }
    asked = wanted() | set(wanted_of_node())
    assert asked - named == set(), "asked for, but not in docs/dependencies.md"
    assert named - asked - {"package"} == set(), "in docs/dependencies.md, but not asked for"
