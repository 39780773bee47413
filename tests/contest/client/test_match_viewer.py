"""Matches in the terminal."""

import asyncio
import io
import json
from typing import Any

import pytest
from rich.console import Console

from sevenbag.contest.client.match_viewer import MatchScreen, watch_match
from sevenbag.contest.game.state_messages import GameStatistics
from sevenbag.errors import ServerUnreachableError
from sevenbag.protocols.pason.messages import GameEnd, PieceState, decode_state
from tests.contest.client.simulated import simulate
from tests.contest.client.small_server import SmallServer
from tests.contest.client.test_match_client import play

Json = dict[str, Any]


def followed(*, terminal: bool, width: int = 80) -> tuple[str, SmallServer]:
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, width=width, height=26)

    async def run(server: SmallServer) -> None:
        await asyncio.gather(
            watch_match(server.url, server.token, console), play(server, 0), play(server, 1)
        )

    server = SmallServer()
    simulate(run(server), server)
    return out.getvalue(), server


def test_without_a_terminal_games_are_reported_in_lines() -> None:
    text, server = followed(terminal=False)
    result = server.matches[server.token].result
    assert result is not None
    waiting, *lines = text.splitlines()
    assert waiting.startswith(f"waiting for the match on {server.url}")
    assert len(lines) == sum(result.games) + 1
    assert lines[0].startswith("Game 1: ")
    assert lines[-1] == (
        f"Alpha team {result.games[0]} games, {result.points[0]} points : "
        f"Beta {result.games[1]} games, {result.points[1]} points (ended)"
    )


@pytest.mark.parametrize("width", [80, 40])
def test_terminal_shows_both_boards(width: int) -> None:
    text, _ = followed(terminal=True, width=width)
    assert "Alpha team" in text
    assert ("██" if width == 80 else "▀") in text
    assert "(ended)" in text


def test_drawn_match() -> None:
    screen = MatchScreen()
    board = "0" * 45 + "f8000"
    told = {
        "game_name": "Final \x1b[2J",
        "sequence": 1,
        "timestamp": 1.0,
        "states": {
            "A": {"board_state": board, "piece_number": -1, "cleared_rows": []},
            "B": {"board_state": "0" * 50, "piece_number": -1, "cleared_rows": []},
        },
    }
    screen.handle_message(decode_state(encoded({"comm_type": "GameBoardState", **told})))
    pieces: Json = {"A": {"orient": 0, "piece": "O", "number": 1, "row": 4, "col": 5}, "B": None}
    told |= {"states": pieces, "queue": ["I", "T"]}
    screen.handle_message(decode_state(encoded({"comm_type": "GamePieceState", **told})))
    screen.statistics = GameStatistics(
        game_name="x",
        timestamp=1.0,
        scores={"A": 700, "B": 0},
        lines={},
        pieces={},
        level=3,
        games={},
    )
    lines = [line.plain for line in screen.render(80, 26)]
    assert "level 3" in lines[0]
    # Row 4, columns 4 and 5 of the left board; each cell takes two columns.
    for row in (4, 5):
        assert lines[2 + row][8:12] == "████"
        assert lines[2 + row][:8] == " ·" * 4
    assert lines[2 + 18][:20] == "██" * 5 + " ·" * 5
    assert lines[2 + 19][:20] == " ·" * 10
    assert "700 points" in lines[22]


def test_no_message_of_the_match() -> None:
    with SmallServer() as server, pytest.raises(ServerUnreachableError, match="check the token"):
        asyncio.run(
            watch_match(
                server.url, "no such match", Console(file=io.StringIO()), silence_seconds=0.2
            )
        )


def encoded(message: Json) -> bytes:
    return json.dumps(message).encode()


def test_invalid_pieces() -> None:
    screen = MatchScreen()
    told = {
        "comm_type": "GamePieceState",
        "game_name": "x",
        "sequence": 1,
        "timestamp": 1.0,
        "states": {"A": {"orient": 99, "piece": "S", "number": 1, "row": 10**6, "col": -(10**6)}},
        "queue": ["?", "I" * 100],
    }
    screen.handle_message(decode_state(encoded(told)))
    assert screen.render(80, 26)
    assert isinstance(screen.view.pieces["A"], PieceState)
    screen.handle_message(
        GameEnd(game_name="x", sequence=2, timestamp=1.0, scores={}, winner="A", match_token="t")
    )
    assert screen.render(20, 5)
