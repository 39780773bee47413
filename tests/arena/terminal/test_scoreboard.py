"""The live table in terminals of any width."""

from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from sevenbag.arena.terminal.scoreboard import StandingsView
from sevenbag.arena.tournament.tournament_runner import TournamentRunner
from tests.arena.tournaments import make_tournament

NAMES = tuple(f"A bot with quite a long name, version {number}" for number in (1, 2))
HEADINGS = (
    *("engine", "games", "points", "won", "drawn", "lost", "resigned", "%", "APP", "faults"),
)


@pytest.mark.parametrize(
    ("width", "missing"),
    [
        (40, {"resigned", "APP", "points", "faults", "drawn", "lost", "games"}),
        (60, {"resigned", "APP", "points", "faults"}),
        (80, {"resigned", "APP"}),
        (120, set[str]()),
    ],
)
def test_names_stay_apart_in_narrow_terminals(
    width: int, missing: set[str], tmp_path: Path
) -> None:
    make_tournament(tmp_path / "t", NAMES, pairs=1, pieces=10)
    console = Console(width=width, force_terminal=True, color_system=None)
    with TournamentRunner(tmp_path / "t") as tournament, console.capture() as captured:
        console.print(StandingsView(tournament).render("2 games"))
    lines = captured.get().splitlines()
    assert max(map(cell_len, lines)) <= width
    (heading,) = (line for line in lines if line.startswith("┃"))
    assert set(heading.strip("┃").replace(" ", "").split("┃")) == set(HEADINGS) - missing
    first, second = (line.split("│")[1].strip() for line in lines if line.startswith("│"))
    for name, number in zip(sorted((first, second)), "12", strict=True):
        assert len(name) >= 16
        assert name.startswith("A bot")
        assert name.endswith(f"ion {number}")
