"""A subscriber that falls far behind loses messages; others do not."""

import itertools
import json
from pathlib import Path

import pytest

from tests.fakes.pason import programs
from tests.fakes.pason.addresses import STATE_PORT
from tests.fakes.pason.hosting import Witness, hosted, run
from tests.fakes.pason.zmtp import NewPeer

pytestmark = pytest.mark.faults


@pytest.fixture(autouse=True)
def undisturbed() -> None:
    """It is the match itself that is watched here, on a server that remembers less than usual."""


def test_slow_subscriber_receives_the_end(tmp_path: Path) -> None:
    sprinter = programs.odd_player("sprinter")
    with hosted(tmp_path, state_backlog=100) as server:
        match = server.place(game={"gravity_ms": [60_000]}, match={"game_seconds": 600})
        with (
            Witness(server, match) as witness,
            NewPeer(server.host, STATE_PORT, kind="SUB", window=2_048) as slow,
        ):
            slow.subscribe(match.token)
            with run(sprinter, server, match, 0) as one, run(sprinter, server, match, 1) as other:
                # Some megabytes, which the kernel holds on their way.
                witness.watch(messages=8_000)
                server.call_off(match)
                witness.watch()
                one.ends_well()
                other.ends_well()
            sequences = []
            while True:
                _, text = slow.receive()
                message = json.loads(text)
                if message["comm_type"] == "MatchEnd":
                    break
                sequences.append(message["sequence"])
    kept_up = witness.sequences()
    assert kept_up == list(range(kept_up[0], kept_up[0] + len(kept_up)))
    gaps = [after - before for before, after in itertools.pairwise(sequences)]
    assert min(gaps) > 0
    assert sequences[-1] < kept_up[-1] or max(gaps) > 1, "or this proves nothing"
