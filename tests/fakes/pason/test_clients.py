"""Clients of 2012 detect faults of a server and report none of a correct one."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.run import wait_until
from tests.fakes.pason import programs
from tests.fakes.pason.scripted import OTHER, TEAM, TOKEN, Scripted


@pytest.fixture(scope="module")
def planner(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return programs.planner(tmp_path_factory.mktemp("planner"))


def run(command: list[str], server: Scripted) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*command, server.host, TOKEN, TEAM, "secret"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.peers
class TestPlanner:
    def test_plays_to_the_end(self, planner: list[str]) -> None:
        with Scripted() as server:
            done = run(planner, server)
        assert (done.returncode, done.stderr) == (0, "")
        assert "100 0 winner" in done.stdout
        assert server.commands[0] == {
            "comm_type": "MatchConnect",
            "match_token": TOKEN,
            "team_name": TEAM,
            "password": "secret",
        }
        moves = {
            number: [move["move"] for move in server.moves if move["piece_number"] == number]
            for number in (1, 2, 3)
        }
        for number in (1, 2, 3):
            assert moves[number][0] == "down", "before anything else"
            assert moves[number][-1] == "drop"

    def test_one_move_a_piece_if_the_reply_is_the_text_s(self, planner: list[str]) -> None:
        with Scripted(reply="ok") as server:
            with subprocess.Popen([*planner, server.host, TOKEN, TEAM, "secret"]) as client:
                wait_until(lambda: bool(server.moves))
                told = server.told
                wait_until(lambda: server.told > told + 6)
                client.kill()
            assert [move["move"] for move in server.moves] == ["down"]

    @pytest.mark.parametrize(
        ("spoil", "words"),
        [
            (lambda m: m | {"sequence": str(m.get("sequence"))}, "sequence is not convertible"),
            (lambda m: m | {"sequence": 7}, "does not rise"),
            (lambda m: m | {"comm_type": "Surprise"}, "unknown comm_type"),
            (lambda m: _with(m, "board_state", "0" * 49), "fifty|50 digits"),
            (lambda m: _with(m, "board_state", "F" * 50), "lower-case"),
            (lambda m: _with(m, "number", "1"), "number is not convertible"),
            (lambda m: m | {"queue": list("TIOLJS")}, "queue"),
        ],
    )
    def test_observer_detects_faults(
        self, planner: list[str], spoil: Callable[[dict[str, Any]], dict[str, Any]], words: str
    ) -> None:
        with Scripted(spoil=lambda message: message.update(spoil(message))) as server:
            done = run(planner, server)
        assert done.returncode == 1
        assert any(word in done.stderr for word in words.split("|")), done.stderr

    @pytest.mark.parametrize("count", [1, 3])
    def test_wants_two_frames(self, planner: list[str], count: int) -> None:
        with Scripted(frames=lambda frames: [*frames, b"more"][:count]) as server:
            done = run(planner, server)
        assert done.returncode == 1
        assert ("one" if count == 1 else "three") + " frame" in done.stderr


@pytest.mark.peers
def test_the_stepper(tmp_path: Path) -> None:
    command = programs.stepper(tmp_path)
    with Scripted() as server:
        done = run(command, server)
    assert (done.returncode, done.stderr) == (0, "")
    assert "match over" in done.stdout
    assert {move["move"] for move in server.moves} <= {"left", "right", "lrotate", "drop"}
    assert all("piece_number" not in move for move in server.moves)


def test_the_random_player() -> None:
    with Scripted() as server:
        done = run(programs.odd_player("random_moves"), server)
    assert (done.returncode, done.stderr) == (0, "")
    assert all(move["move"] != "drop" and "piece_number" not in move for move in server.moves)
    assert len(server.moves) >= 18


@pytest.mark.parametrize("habit", ["eager", "frames", "threads"])
def test_players_with_habits(habit: str) -> None:
    with Scripted() as server:
        done = run(programs.odd_player(habit), server)
    assert (done.returncode, done.stderr) == (0, "")
    connects = [command for command in server.commands if command["comm_type"] == "MatchConnect"]
    assert len(connects) == (12 if habit == "eager" else 1)
    assert len(server.moves) >= 3


@pytest.mark.peers
def test_the_stub(tmp_path: Path) -> None:
    command = programs.stub(tmp_path)
    with Scripted() as server:
        done = run(command, server)
    assert done.returncode == 0
    assert "a-uuid" in done.stdout
    assert not server.moves


def _with(message: dict[str, Any], name: str, value: Any) -> dict[str, Any]:
    """Return the message with one field of both teams' states changed."""
    states = message.get("states", {})
    changed = {
        team: state | {name: value} if state and name in state else state
        for team, state in states.items()
    }
    assert set(states) <= {TEAM, OTHER}
    return message | ({"states": changed} if states else {})
