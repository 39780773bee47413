"""docs/check.md has every check, in the checker's own words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sevenbag.bots.check.clauses import OF_BOTS, OF_FRONTENDS
from sevenbag.bots.check.triangle.clauses import OF_ENGINES
from sevenbag.bots.external.tbp_profile import PROFILE_OPTIONS, list_profiles, load_profile
from sevenbag.bots.external.triangle_driver import TriangleSettings

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    ("heading", "clauses"),
    [
        ("What is checked", OF_BOTS),
        ("Checking a frontend", OF_FRONTENDS),
        ("Checking an engine for Triangle hosts", OF_ENGINES),
    ],
)
def test_every_check_stands_in_its_table(heading: str, clauses: dict[str, object]) -> None:
    section = (DOCS / "check.md").read_text("utf-8").split(f"## {heading}")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `(.+?)` \| (.+?) \| (.+?) \|$", section, re.MULTILINE)
    expected = [
        (clause.id, clause.says, clause.place or "as each finding says")  # type: ignore[attr-defined]
        for clause in clauses.values()
    ]
    assert rows == expected


def test_every_option_of_a_triangle_bot_is_told() -> None:
    text = (DOCS / "triangle.md").read_text("utf-8").split("## Your bot in our arena")[1]
    assert all(f"`{name}`" in text.split("\n## ")[0] for name in TriangleSettings.__struct_fields__)


def test_every_profile_and_every_value_of_one_stand_in_their_tables() -> None:
    text = (DOCS / "tbp.md").read_text("utf-8").split("## Profiles")[1].split("\n## ")[0]
    named = re.findall(r"^\| `([\w-]+)` \| (.+?) \|", text, re.MULTILINE)
    names = [name for name, _ in named]
    assert set(list_profiles()) <= set(names)
    assert set(PROFILE_OPTIONS) <= set(names)
    told = dict(named)
    for name in list_profiles():
        assert load_profile(name).summary in told[name]
