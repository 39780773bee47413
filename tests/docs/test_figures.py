"""Tests of the pictures, tables and links of the documentation, and of lists in it."""

import html
import re
from pathlib import Path

import pytest

from docs.figures.files import DOCS, PAGES, PICTURES_FOLDER, pictures, with_tables
from sevenbag.bots.external.tbp_profile import PROFILE_OPTIONS, list_profiles, load_profile
from sevenbag.bots.external.triangle_driver import TriangleSettings

README = DOCS.parent / "README.md"
ADVICE = "`make docs` makes pictures and tables anew: look at them, then commit them"


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def test_pictures_are_up_to_date() -> None:
    drawn = pictures()
    kept = {path.stem: text_of(path) for path in PICTURES_FOLDER.glob("*.svg")}
    assert drawn.keys() == kept.keys(), ADVICE
    assert [name for name in drawn if drawn[name] != kept[name]] == [], ADVICE


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_tables_are_up_to_date(page: Path) -> None:
    text = text_of(page)
    assert with_tables(text) == text, ADVICE
    marks = re.findall(r"<!-- (?:table: |end of table)", text)
    assert marks == ["<!-- table: ", "<!-- end of table"] * (len(marks) // 2)


def list_anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of a page, as GitHub makes them."""
    text = re.sub(r"```.*?```", "", text_of(page), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", [README, *PAGES], ids=lambda page: page.stem)
def test_links_are_valid(page: Path) -> None:
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", text_of(page), flags=re.DOTALL)
    links = re.findall(r"\]\(([^)#]*)#?([^)]*)\)", prose)
    local = [
        (page.parent / path if path else page, anchor)
        for path, anchor in links
        if "://" not in path
    ]
    assert [path for path, _ in local if not path.exists()] == []
    assert [
        f"{path.name}#{anchor}"
        for path, anchor in local
        if anchor and path.suffix == ".md" and anchor not in list_anchors(path)
    ] == []


def test_every_picture_has_its_title() -> None:
    shown = dict(
        re.findall(r"!\[([^\]]*)\]\(pictures/([a-z-]+)\.svg\)", "".join(map(text_of, PAGES)))
    )
    titles = {
        html.unescape(found[1]): name
        for name, svg in pictures().items()
        if (found := re.search(r'aria-label="([^"]*)"', svg))
    }
    assert {title.rstrip("."): name for title, name in titles.items()} == shown


def test_every_page_is_in_the_index() -> None:
    linked = set(re.findall(r"\]\(docs/([a-z-]+)\.md\)", text_of(README)))
    assert linked == {page.stem for page in PAGES}


@pytest.mark.parametrize(
    "page", ["coordinates", "kicks", "spins", "attack", "garbage", "randomizers", "spawn"]
)
def test_every_family_of_rules_has_a_picture(page: str) -> None:
    assert "](pictures/" in text_of(DOCS / f"{page}.md")


def test_every_option_of_a_triangle_bot_is_documented() -> None:
    text = text_of(DOCS / "triangle.md").split("## Your bot in the arena")[1]
    assert all(f"`{name}`" in text.split("\n## ")[0] for name in TriangleSettings.__struct_fields__)


def test_every_profile_and_value_is_documented() -> None:
    text = text_of(DOCS / "tbp.md").split("## Profiles")[1].split("\n## ")[0]
    named = re.findall(r"^\| `([\w-]+)` \| (.+?) \|", text, re.MULTILINE)
    names = [name for name, _ in named]
    assert set(list_profiles()) <= set(names)
    assert set(PROFILE_OPTIONS) <= set(names)
    told = dict(named)
    for name in list_profiles():
        assert load_profile(name).summary in told[name]
