"""Tests of the pages on file formats."""

import json
import re
from pathlib import Path

from sevenbag._kernel import PcFault
from sevenbag.formats.replay_file import Replay
from sevenbag.game import Rules
from sevenbag.game.game_result import LossReason
from sevenbag.replay.playback import Playback

ROOT = Path(__file__).parents[2]
FORMATS = ROOT / "src" / "sevenbag" / "formats"
PAGE = (ROOT / "docs" / "replay.md").read_text("utf-8")


def test_the_example_plays_back() -> None:
    found = re.search(r"^```\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None
    rules = json.dumps(Rules.preset("guideline").to_dict())
    example = found[1].replace('{"name":"guideline", ...}', rules)
    replay = Replay.decode(example.encode())
    playback = Playback(replay)
    playback.play_to(len(replay.turns))
    assert playback.differences() == []
    assert [player.spec for player in replay.header.players] == [
        "beam:nodes=500",
        "tbp:sevenbag serve beam:nodes=100",
    ]


def test_every_reason_is_described() -> None:
    assert all(f"| `{reason}` |" in PAGE for reason in LossReason)


def test_every_error_of_fumens_is_described() -> None:
    text = "".join(file.read_text() for file in FORMATS.glob("fumen*.py"))
    raised = set(re.findall(r'FumenError\(\s*"(\w+)"', text))
    described = set(
        re.findall(
            r"`([A-Z][a-z]\w+)`", (ROOT / "docs" / "fumen.md").read_text().split("## Errors")[1]
        )
    )
    assert raised == described


def test_every_fault_of_pc_files_is_described() -> None:
    text = (ROOT / "docs" / "pc-files.md").read_text()
    assert all(f"| `{fault.name}` |" in text for fault in PcFault if fault)
    codes = set(
        re.findall(r'(?:PcFileError\(\s*|code = )"(\w+)"', (FORMATS / "pc_file.py").read_text())
    )
    assert codes | {"CannotRead"} == set(re.findall(r"`([A-Z][a-z]+[A-Z]\w+)`", text)) - {
        "PcFileError"
    }
