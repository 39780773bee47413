"""Scripts of pages and reports: their types; and the example of a worker, a whole bot."""

import shutil
import subprocess
from pathlib import Path

import pytest

from sevenbag import Rules
from sevenbag.arena.runner.game_options import GameConfig
from sevenbag.arena.runner.game_runner import play_game
from sevenbag.bots.registry import create_bot

ROOT = Path(__file__).parents[3]
TSC = ROOT / ".venv" / "node" / "node_modules" / ".bin" / "tsc"
EXAMPLE = ROOT / "examples" / "worker_bot.js"


@pytest.mark.peers
def test_types() -> None:
    if not TSC.exists() or shutil.which("node") is None:
        pytest.skip("there is no TypeScript here: `make test-all` installs it where there is npm")
    done = subprocess.run(
        [str(TSC), "--project", str(ROOT / "tsconfig.json")],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.stdout == ""
    assert done.returncode == 0


def test_the_example_is_a_bot_in_forty_lines() -> None:
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100


@pytest.mark.peers
@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node here")
@pytest.mark.parametrize("seed", range(3))
async def test_the_example_never_loses_by_a_fault(seed: int) -> None:
    bots = create_bot(f"worker:host=node:{EXAMPLE}"), create_bot("beam:nodes=50")
    config = GameConfig(Rules.preset("guideline"), seed, pieces=150)
    result = await play_game(bots, config)
    assert result.names[0] == "stacker (tbp)"
    fall = result.losses[0]
    assert fall is None or not fall.reason.is_fault
    assert result.stats[0].pieces > 15
