"""Tests that docs/tbp.md and docs/triangle.md list all profiles and options of external bots."""

import re
from pathlib import Path

from sevenbag.bots.external.tbp_profile import PROFILE_OPTIONS, list_profiles, load_profile
from sevenbag.bots.external.triangle_driver import TriangleSettings

DOCS = Path(__file__).parents[2] / "docs"


def test_every_option_of_a_triangle_bot_is_documented() -> None:
    text = (DOCS / "triangle.md").read_text("utf-8").split("## Your bot in the arena")[1]
    assert all(f"`{name}`" in text.split("\n## ")[0] for name in TriangleSettings.__struct_fields__)


def test_every_profile_and_value_is_documented() -> None:
    text = (DOCS / "tbp.md").read_text("utf-8").split("## Profiles")[1].split("\n## ")[0]
    named = re.findall(r"^\| `([\w-]+)` \| (.+?) \|", text, re.MULTILINE)
    names = [name for name, _ in named]
    assert set(list_profiles()) <= set(names)
    assert set(PROFILE_OPTIONS) <= set(names)
    told = dict(named)
    for name in list_profiles():
        assert load_profile(name).summary in told[name]
