"""Our bots and our driver pass the checks of their protocols."""

import dataclasses
import sys
from pathlib import Path

import pytest

from sevenbag.arena.runner.game_options import BotDeadlines, GameConfig
from sevenbag.arena.runner.game_runner import play_game
from sevenbag.bots.external.process import create_process_launcher
from sevenbag.bots.external.tbp_driver import TbpDriver
from sevenbag.bots.registry import create_bot
from sevenbag.checks import ConformanceReport, create_tbp_bot_check, create_triangle_check
from sevenbag.game import Rules
from tests.bots.conftest import mark, patience
from tests.checks.checking import PATIENT

__all__ = ["mark", "patience"]

DEADLINES = BotDeadlines(prepare=120, update=120, suggest=120, stop=120, quit=120)
EXAMPLE = Path(__file__).parents[2] / "examples" / "tbp_bot.py"


async def check(command: list[str], protocol: str) -> ConformanceReport:
    launcher = create_process_launcher(command)
    if protocol == "tbp":
        return await create_tbp_bot_check(launcher, "bot", PATIENT).run()
    empty = create_process_launcher(command, environment={})
    settings = dataclasses.replace(PATIENT, length=40)
    harness = create_triangle_check(launcher, "bot", settings, empty_environment_launcher=empty)
    return await harness.run()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bot", "protocol"),
    [
        ("beam:nodes=100", "tbp"),
        ("random:seed=1", "tbp"),
        ("beam:nodes=100", "triangle"),
        ("pc:nodes=100", "triangle"),
    ],
)
async def test_served_bots_pass(bot: str, protocol: str, mark: str) -> None:
    report = await check(["sevenbag", "serve", bot, "--as", protocol], protocol)
    assert report.findings == []
    assert {each.status for each in report.results} == {"passed"}
    assert report.name == bot.partition(":")[0]


@pytest.mark.slow
async def test_the_example_passes(mark: str) -> None:
    report = await check([sys.executable, str(EXAMPLE)], "tbp")
    assert report.findings == []
    assert report.name == "stacker"
    unchecked = [each.clause.id for each in report.results if each.status != "passed"]
    assert unchecked == ["garbage"]


@pytest.mark.slow
async def test_our_driver_passes_the_check_of_frontends(mark: str, tmp_path: Path) -> None:
    file = tmp_path / "report.txt"
    command = [sys.executable, "-P", "-m", "sevenbag", "check", "--frontend", "--output", str(file)]
    rules = Rules.preset("guideline").replace({"garbage": {"travel": 0}})
    bots = (TbpDriver(command), create_bot("beam:nodes=300"))
    result = await play_game(bots, GameConfig(rules, seed=3, pieces=40, deadlines=DEADLINES))
    loss = result.losses[0]
    assert loss is None or not loss.reason.is_fault
    assert result.stats[0].pieces > 15
    assert "0 errors, 0 warnings, 0 notes" in file.read_text()
