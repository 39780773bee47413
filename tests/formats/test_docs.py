"""The example in docs/replay.md is a replay."""

from __future__ import annotations

import json
import re
from pathlib import Path

from sevenbag.formats.replay_file import Replay
from sevenbag.game import Rules
from sevenbag.game.game_result import LossReason
from sevenbag.replay.playback import Playback

PAGE = (Path(__file__).parents[2] / "docs" / "replay.md").read_text(encoding="utf-8")


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
