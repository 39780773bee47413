"""Examples in docs/statistics.md, and its tables of fields."""

import doctest
import re
from pathlib import Path

import msgspec

from sevenbag.arena.statistics import Sprt
from sevenbag.arena.tournament import tournament_config, tournament_files
from sevenbag.replay import player_statistics

PAGE = Path(__file__).parents[3] / "docs" / "statistics.md"


def test_examples() -> None:
    result = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert (result.failed, result.attempted > 5) == (0, True)


def test_every_field_is_described() -> None:
    described = set(re.findall(r"`([a-z_0-9]+)`", PAGE.read_text(encoding="utf-8")))
    for struct in (
        tournament_config.TournamentHeader,
        tournament_files.TournamentOutcome,
        tournament_config.PlayerConfig,
        Sprt,
        tournament_files.GameRecord,
        player_statistics.PlayerStatistics,
        player_statistics.LatencySummary,
    ):
        assert {field.encode_name for field in msgspec.structs.fields(struct)} <= described
