"""Plots: scales, ticks, and pictures that are what they should be."""

from __future__ import annotations

import itertools
import math
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sevenbag.arena.records import SprtRecord, read_games
from sevenbag.arena.report import charts
from sevenbag.arena.report.axes import Scale, label, spanning
from sevenbag.arena.summary import Summary, read_summary, summary_of
from tests.arena.tournaments import make_tournament

if TYPE_CHECKING:
    from pathlib import Path

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(name="match", scope="module")
def small_match(tmp_path_factory: pytest.TempPathFactory) -> Summary:
    folder = tmp_path_factory.mktemp("match")
    make_tournament(folder, ('<b>"quad"</b>&', "low"), 8, sprt=SprtRecord(elo0=0, elo1=50))
    return read_summary(folder)


def drawn(svg: str | None) -> ET.Element:
    assert svg is not None
    return ET.fromstring(svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1))


@given(st.floats(-1e4, 1e4), st.floats(1e-2, 1e6), st.integers(2, 12))
def test_ticks_are_round_and_on_the_scale(low: float, span: float, about: int) -> None:
    scale = Scale(low, low + span, 0, 100)
    ticks = scale.ticks(about)
    assert len(ticks) <= about + 1
    steps = {round((b - a) / span, 4) for a, b in itertools.pairwise(ticks)}
    assert len(steps) <= 1
    for tick in ticks:
        assert low - span * 1e-6 <= tick <= low + span * (1 + 1e-6)


def test_ticks() -> None:
    assert Scale(0, 10, 0, 1).ticks(5) == [0, 2, 4, 6, 8, 10]
    assert Scale(-130, 270, 0, 1).ticks() == [-100, 0, 100, 200]
    assert [label(tick) for tick in Scale(0, 0.3, 0, 1).ticks(3)] == ["0", "0.1", "0.2", "0.3"]
    assert label(12500) == "12,500"


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=20))
def test_a_scale_holds_all_that_is_finite(values: list[float]) -> None:
    values = [value for value in values if not math.isfinite(value) or abs(value) < 1e9]
    scale = spanning(values, 10, 20, least=1)
    assert scale.high > scale.low
    for value in values:
        if math.isfinite(value):
            assert scale.low <= value <= scale.high
            assert 10 <= scale.at(value) <= 20


def test_ratings_have_a_row_each(match: Summary) -> None:
    root = drawn(charts.ratings_chart(match))
    assert len(root.findall(f".//{SVG}circle")) == 2
    words = [element.text for element in root.iter(f"{SVG}text")]
    assert '<b>"quad"</b>&' in words


def test_the_ratio_ends_where_the_test_stands(match: Summary) -> None:
    root = drawn(charts.llr_chart(match))
    line = root.find(f".//{SVG}polyline")
    assert line is not None
    assert len(line.attrib["points"].split()) == 9
    words = [element.text for element in root.iter(f"{SVG}text")]
    assert {"accept H1 at 2.94", "accept H0 at -2.94"} <= set(words)


def test_histograms_count_every_game_and_every_piece(match: Summary) -> None:
    apps = charts.histogram_chart(match, "APP", "APP", lambda each: each.apps)
    assert sum(bars_of(apps)) == 2 * len(match.games)
    pieces = sum(engine.pieces for engine in match.engines)
    assert sum(bars_of(charts.latency_chart(match))) == pieces


def bars_of(svg: str | None) -> list[int]:
    titles = [element.text or "" for element in drawn(svg).iter(f"{SVG}title")]
    return [int(title.split(": ")[1].split()[0]) for title in titles if " from " in title]


def test_attack_is_drawn_as_long_as_it_is(match: Summary) -> None:
    drawn_attack = charts.attack_chart(match)
    assert drawn_attack is not None
    svg, legend = drawn_attack
    titles = [element.text or "" for element in drawn(svg).iter(f"{SVG}title")]
    lines = [int(text.split(": ")[1].split()[0]) for text in titles if "lines of attack" in text]
    assert sum(lines) == sum(engine.attack for engine in match.engines)
    assert 1 <= len(legend) <= charts.SERIES


def test_the_first_pairs_do_not_flatten_the_elo(match: Summary) -> None:
    root = drawn(charts.elo_chart(match))
    assert root.find(f".//{SVG}polygon") is not None


def test_where_there_is_nothing_nothing_is_drawn(match: Summary) -> None:
    empty = summary_of(match.header, [])
    assert charts.ratings_chart(empty) is None
    assert charts.elo_chart(empty) is None
    assert charts.llr_chart(empty) is None
    assert charts.latency_chart(empty) is None
    assert charts.attack_chart(empty) is None
    assert charts.histogram_chart(empty, "APP", "APP", lambda each: each.apps) is None


@pytest.mark.slow
def test_a_tournament_of_many_shows_the_best(tmp_path: Path) -> None:
    names = tuple(f"bot {number}" for number in range(charts.MOST_ENGINES + 2))
    header = make_tournament(tmp_path, names[:3], pairs=1, pieces=15)
    games = read_games(tmp_path, header)
    engines = tuple(type(header.engines[0])(name=name) for name in names)
    many = type(header)(engines=engines)
    root = drawn(charts.ratings_chart(summary_of(many, games)))
    assert len(root.findall(f".//{SVG}circle")) == charts.MOST_ENGINES
