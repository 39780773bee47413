"""Scales, ticks and drawings of charts."""

import itertools
import math
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sevenbag.arena.report import charts
from sevenbag.arena.report.charts import AxisScale, format_tick, scale_for
from sevenbag.arena.statistics import Sprt
from sevenbag.arena.tournament.tournament_files import read_games
from sevenbag.arena.tournament.tournament_summary import (
    TournamentSummary,
    read_tournament_summary,
    summarize_games,
)
from tests.arena.tournaments import make_tournament

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(name="match", scope="module")
def small_match(tmp_path_factory: pytest.TempPathFactory) -> TournamentSummary:
    folder = tmp_path_factory.mktemp("match")
    make_tournament(folder, ('<b>"quad"</b>&', "low"), 8, sprt=Sprt(elo0=0, elo1=50))
    return read_tournament_summary(folder)


def drawn(svg: str | None) -> ET.Element:
    assert svg is not None
    return ET.fromstring(svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1))


@given(st.floats(-1e4, 1e4), st.floats(1e-2, 1e6), st.integers(2, 12))
def test_ticks_are_round_and_on_the_scale(low: float, span: float, about: int) -> None:
    scale = AxisScale(low, low + span, 0, 100)
    ticks = scale.ticks(about)
    assert len(ticks) <= about + 1
    steps = {round((b - a) / span, 4) for a, b in itertools.pairwise(ticks)}
    assert len(steps) <= 1
    for tick in ticks:
        assert low - span * 1e-6 <= tick <= low + span * (1 + 1e-6)


def test_ticks() -> None:
    assert AxisScale(0, 10, 0, 1).ticks(5) == [0, 2, 4, 6, 8, 10]
    assert AxisScale(-130, 270, 0, 1).ticks() == [-100, 0, 100, 200]
    assert [format_tick(tick) for tick in AxisScale(0, 0.3, 0, 1).ticks(3)] == [
        "0",
        "0.1",
        "0.2",
        "0.3",
    ]
    assert format_tick(12500) == "12,500"


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=20))
def test_scale_contains_finite_values(values: list[float]) -> None:
    values = [value for value in values if not math.isfinite(value) or abs(value) < 1e9]
    scale = scale_for(values, 10, 20, least=1)
    assert scale.high > scale.low
    for value in values:
        if math.isfinite(value):
            assert scale.low <= value <= scale.high
            assert 10 <= scale.at(value) <= 20


def test_ratings_have_a_row_each(match: TournamentSummary) -> None:
    root = drawn(charts.draw_ratings_chart(match))
    assert len(root.findall(f".//{SVG}circle")) == 2
    words = [element.text for element in root.iter(f"{SVG}text")]
    assert '<b>"quad"</b>&' in words


def test_final_ratio_is_that_of_the_test(match: TournamentSummary) -> None:
    root = drawn(charts.draw_llr_chart(match))
    line = root.find(f".//{SVG}polyline")
    assert line is not None
    assert len(line.attrib["points"].split()) == 9
    words = [element.text for element in root.iter(f"{SVG}text")]
    assert {"accept H1 at 2.94", "accept H0 at -2.94"} <= set(words)


def test_histograms_count_every_game_and_every_piece(match: TournamentSummary) -> None:
    apps = charts.draw_histogram_chart(match, "APP", "APP", lambda each: each.app_by_game)
    assert sum(bars_of(apps)) == 2 * len(match.games)
    pieces = sum(engine.pieces for engine in match.engines)
    assert sum(bars_of(charts.draw_latency_chart(match))) == pieces


def bars_of(svg: str | None) -> list[int]:
    titles = [element.text or "" for element in drawn(svg).iter(f"{SVG}title")]
    return [int(title.split(": ")[1].split()[0]) for title in titles if " from " in title]


def test_attack_bars_have_their_length(match: TournamentSummary) -> None:
    drawn_attack = charts.draw_attack_chart(match)
    assert drawn_attack is not None
    svg, legend = drawn_attack
    titles = [element.text or "" for element in drawn(svg).iter(f"{SVG}title")]
    lines = [int(text.split(": ")[1].split()[0]) for text in titles if "lines of attack" in text]
    assert sum(lines) == sum(engine.attack for engine in match.engines)
    assert 1 <= len(legend) <= charts.SERIES


def test_the_first_pairs_do_not_flatten_the_elo(match: TournamentSummary) -> None:
    root = drawn(charts.draw_elo_chart(match))
    assert root.find(f".//{SVG}polygon") is not None


def test_empty_data_draws_nothing(match: TournamentSummary) -> None:
    empty = summarize_games(match.header, [])
    assert charts.draw_ratings_chart(empty) is None
    assert charts.draw_elo_chart(empty) is None
    assert charts.draw_llr_chart(empty) is None
    assert charts.draw_latency_chart(empty) is None
    assert charts.draw_attack_chart(empty) is None
    assert charts.draw_histogram_chart(empty, "APP", "APP", lambda each: each.app_by_game) is None


@pytest.mark.slow
def test_a_tournament_of_many_shows_the_best(tmp_path: Path) -> None:
    names = tuple(f"bot {number}" for number in range(charts.MAX_CHART_ENGINES + 2))
    header = make_tournament(tmp_path, names[:3], pairs=1, pieces=15)
    games = read_games(tmp_path, header)
    engines = tuple(type(header.engines[0])(name=name) for name in names)
    many = type(header)(engines=engines)
    root = drawn(charts.draw_ratings_chart(summarize_games(many, games)))
    assert len(root.findall(f".//{SVG}circle")) == charts.MAX_CHART_ENGINES
