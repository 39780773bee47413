"""Bots of ours that take a seat within the server."""

import asyncio
from typing import Any

import msgspec
import pytest

from sevenbag.contest.server.builtin_players import create_builtin_player
from sevenbag.contest.settings import GameRules, MatchRules
from sevenbag.errors import SpecError
from sevenbag.protocols.pason.messages import (
    BoardState,
    GameBoardState,
    GamePieceState,
    MatchEnd,
    PieceState,
    State,
)
from tests.contest.server.hosted_server import RecordingSink, hosting, placement, until

FAST = GameRules(gravity_ms=(5,))
END = MatchEnd(match_name="A match", match_token="token")
QUICK = MatchRules(games=1, first_pause_seconds=0.02, repeat_seconds=0.05, game_seconds=3_600)


async def test_the_random_player_moves_as_the_organisers_did() -> None:
    made: list[str] = []
    player = create_builtin_player(
        "random",
        "Test Client",
        lambda move, number: made.append(move) if number is None else None,
        moves_per_second=1_000,
        report=print,
    )
    # Nothing happens before the first state.
    await asyncio.sleep(0.02)
    assert made == []
    player.handle_states([END])
    await until(lambda: len(made) > 200)
    assert set(made) == {"left", "right", "lrotate", "rrotate", "down"}
    await player.close()
    count = len(made)
    await asyncio.sleep(0.02)
    assert len(made) == count


@pytest.mark.parametrize(
    "bot", ["tbp:./bot", "triangle:node x", "ws://127.0.0.1:1/", "worker:x.js"]
)
async def test_external_programs_are_rejected(bot: str) -> None:
    with pytest.raises(SpecError, match="within a server"):
        create_builtin_player(
            bot, "Bot", lambda _move, _number: None, moves_per_second=1, report=print
        )


async def test_idle_team_loses_against_the_random_player() -> None:
    sink = RecordingSink()
    async with hosting(result_sink=sink, moves_per_second=50) as hosted:
        place = hosted.place(
            placement("A", "Test Client", bots={"Test Client": "random"}, game=FAST, match=QUICK)
        )
        # The bot is connected already, and clients cannot use its name.
        client = hosted.client()
        assert (await client.connect(place, "Test Client", password=""))["error"] == "unknown team"
        assert (await client.connect(place))["resp"] == "ok"
        result = await hosted.server.wait_for_result(place.match_token)
        assert result.winner is not None
        assert [told for told in sink.events if told[0] == "joined"] == [
            ("joined", place.match_token, 0)
        ]


@pytest.mark.parametrize("bot", ["beam:nodes=200", "pc:nodes=200", "random:seed=3"])
async def test_bots_that_place_pieces_play_games(bot: str) -> None:
    async with hosting() as hosted:
        place = hosted.place(
            placement("Bot", "Idle", bots={"Bot": bot, "Idle": "random"}, match=QUICK)
        )
        match = hosted.server.matches[place.match_token].match
        # Pieces do not fall by themselves, and the other player never drops.
        await until(lambda: match.game is not None and match.game.locked_pieces[0] > 5)
        assert match.game is not None
        assert match.game.locked_pieces[1] == 0


async def test_failed_player_collects_no_messages() -> None:
    said: list[str] = []
    player: Any = create_builtin_player(
        "beam:nodes=50", "Bot", lambda _move, _number: None, moves_per_second=1, report=said.append
    )
    board = BoardState(board_state="no board", piece_number=1)
    player.handle_states(
        [GameBoardState(game_name="Game 1", sequence=1, timestamp=0.0, states={"Bot": board})]
    )
    await until(lambda: said)
    await asyncio.sleep(0)
    for _ in range(100):
        player.handle_states([END])
    assert player._waiting == []
    await player.close()


async def test_player_closes_despite_new_messages() -> None:
    """A player closes at the same moment as it receives the end of the match."""
    made: list[str] = []
    player = create_builtin_player(
        "beam:nodes=50",
        "Bot",
        lambda move, _number: made.append(move),
        moves_per_second=0.1,
        report=print,
    )
    board = BoardState(board_state="0" * 50, piece_number=1)
    piece = PieceState(orient=0, piece="T", number=1, row=0, col=5)
    about: dict[str, Any] = {"game_name": "Game 1", "timestamp": 0.0}
    player.handle_states(
        [
            GameBoardState(**about, sequence=1, states={"Bot": board, "Idle": board}),
            GamePieceState(**about, sequence=2, states={"Bot": piece, "Idle": None}, queue=("O",)),
        ]
    )
    await until(lambda: made)
    # It waits for its next move now, seconds from here.
    await asyncio.sleep(0.05)
    player.handle_states([END])
    async with asyncio.timeout(120):
        await player.close()


async def test_player_ignores_positions_before_the_first_game(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A resumed match publishes them for clients until its next game begins."""
    async with hosting() as hosted:
        place = msgspec.structs.replace(placement(match=QUICK, bots={"B": "random"}), attempt=2)
        hosted.place(place)
        table = hosted.server.matches[place.match_token]
        heard: list[State] = []
        monkeypatch.setattr(table._players[0], "handle_states", heard.extend)
        listener = hosted.listener(place)
        await listener.until("GamePieceState")
        table.set_paused(True)
        await hosted.client().connect(place, "A")
        assert table.match.phase == "pause"
        for _ in range(3):
            await listener.until("GamePieceState")
        assert heard == []
        table.set_paused(False)
        await until(lambda: bool(heard))
