"""Contrast of the page's colours in both themes."""

import re
from pathlib import Path

import pytest

import sevenbag.arena.report
from sevenbag.arena.report import charts

STYLE = Path(sevenbag.arena.report.__file__).with_name("report.css").read_text()


def theme(selector: str) -> dict[str, str]:
    block = STYLE[STYLE.index(selector) :].split("}")[0]
    return dict(re.findall(r"--([a-z0-9]+): (#[0-9a-f]{6});", block))


def luminance(color: str) -> float:
    """Relative luminance of WCAG 2."""
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


THEMES = {"light": theme(":root {"), "dark": theme(':root[data-theme="dark"] {')}


@pytest.mark.parametrize("name", THEMES)
def test_text_can_be_read(name: str) -> None:
    # WCAG 2, AA: 4.5 for text.
    colors = THEMES[name]
    for text in ("text", "label", "accent"):
        for ground in ("ground", "raised"):
            assert contrast(colors[text], colors[ground]) >= 4.5


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize("series", range(charts.SERIES))
def test_drawn_cells_are_visible(name: str, series: int) -> None:
    # WCAG 2, AA: 3 for graphics.
    colors = THEMES[name]
    assert contrast(colors[f"s{series}"], colors["ground"]) >= 3


def test_a_readers_dark_system_has_the_dark_theme() -> None:
    assert theme(":root:not([data-theme") == THEMES["dark"]
    assert theme(":root:not([data-theme")["ground"] != THEMES["light"]["ground"]
