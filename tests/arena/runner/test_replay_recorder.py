"""Tests that recorded games can be played back."""

import msgspec
import pytest

from sevenbag.arena.runner.game_options import GameConfig
from sevenbag.arena.runner.game_runner import play_game
from sevenbag.arena.runner.observers import GameObserver, PlayedTurn, ReplayRecorder
from sevenbag.bots.bot import Limits
from sevenbag.errors import FormatError
from sevenbag.formats.replay_file import Replay
from sevenbag.game import Rules
from sevenbag.game.game_result import (
    GameEnding,
    GameResult,
    Loss,
    LossReason,
    PlayerStats,
    decide_winner,
)
from sevenbag.replay.playback import Playback
from tests.arena.bots import HoldBot, LowBot, QuadBot, TowerBot
from tests.arena.games import play_back, record

RULES = Rules.preset("guideline")


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("bots", [(QuadBot, HoldBot), (HoldBot, TowerBot), (LowBot, QuadBot)])
async def test_recorded_games_play_back(bots: tuple[type[LowBot], type[LowBot]], seed: int) -> None:
    replay, result = await record(bots[0]("a"), bots[1]("b"), seed=seed)
    playback = play_back(replay)
    assert playback.at_end
    assert playback.differences() == []
    again = playback.recorded_result()
    assert (again.winner, again.ending, again.losses) == (
        result.winner,
        result.ending,
        result.losses,
    )
    for mine, theirs in zip(again.stats, result.stats, strict=True):
        assert (mine.pieces, mine.lines, mine.attack) == (
            theirs.pieces,
            theirs.lines,
            theirs.attack,
        )


async def test_the_same_game_gives_the_same_bytes() -> None:
    first, _ = await record(QuadBot("a"), HoldBot("b"), limits=(Limits(nodes=5), Limits()))
    second, _ = await record(QuadBot("a"), HoldBot("b"), limits=(Limits(nodes=5), Limits()))
    assert first.encode() == second.encode()
    assert first.header.players[0].nodes == 5
    assert first.header.players[1].nodes is None


async def test_custom_rules_and_times_are_recorded() -> None:
    rules = RULES.replace({"garbage": {"travel": 0}, "pieces": {"previews": 3}})
    replay, _ = await record(QuadBot("a"), LowBot("b"), rules=rules, frames_per_turn=10, times=True)
    playback = play_back(replay)
    assert playback.rules == rules
    assert playback.game.frame == 10 * len(replay.turns)
    assert playback.differences() == []
    thinking = [stats.thinking_seconds for stats in playback.player_stats()]
    assert all(seconds is not None and seconds > 0 for seconds in thinking)


async def test_a_broken_off_game_is_a_replay_as_well() -> None:
    class Impatient(GameObserver):
        def turn_played(self, turn: PlayedTurn) -> None:
            if turn.number == 7:
                raise InterruptedError

    recorder = ReplayRecorder()
    with pytest.raises(InterruptedError):
        await play_game((LowBot("a"), LowBot("b")), GameConfig(RULES, 3), (recorder, Impatient()))
    assert recorder.replay is not None
    assert not recorder.replay.outcome.finished
    playback = play_back(recorder.replay)
    assert playback.turn == 7
    assert playback.differences() == []
    assert str(playback.recorded_result()) == "unfinished (7 pieces)"


async def test_one_can_go_back_and_forth() -> None:
    replay, _ = await record(QuadBot("a"), LowBot("b"))
    playback = Playback(replay)
    playback.play_to(20)
    there = playback.game.players[1].colors
    playback.play_to(30)
    playback.rewind_to(20)
    assert playback.turn == 20
    assert playback.game.players[1].colors == there
    playback.rewind_to(-3)
    assert playback.turn == 0


async def test_turns_after_the_end_are_refused() -> None:
    replay, _ = await record(LowBot("a"), TowerBot("b"), pieces=None)
    longer = Replay(replay.header, (*replay.turns, replay.turns[0]), replay.outcome)
    with pytest.raises(FormatError, match=f"line {len(replay.turns) + 2}: .*game was over"):
        Playback(longer).play_to(10**9)


async def test_a_false_spin_is_refused() -> None:
    replay, _ = await record(LowBot("a"), LowBot("b"), pieces=7)
    data = replay.encode().replace(b'["T', b'["#T', 1)
    at = data.index(b"#T")
    end = data.index(b'"', at)
    with pytest.raises(FormatError, match="player 1: its spin is none"):
        play_back(Replay.decode(data[:at] + data[at + 1 : end] + b"f" + data[end:]))


async def test_wrong_winner_is_reported() -> None:
    replay, _ = await record(QuadBot("a"), LowBot("b"), pieces=30)
    assert replay.outcome.winner == 0
    wrong = msgspec.structs.replace(replay.outcome, winner=1)
    differences = play_back(Replay(replay.header, replay.turns, wrong)).differences()
    assert differences == ["winner: player 1, recorded is player 2"]


def stats(attack: int) -> PlayerStats:
    return PlayerStats(100, 40, attack)


FALL = Loss(LossReason.BLOCK_OUT)


@pytest.mark.parametrize(
    ("ending", "falls", "attacks", "winner", "words"),
    [
        (GameEnding.LOSS, (None, FALL), (0, 9), 0, "a wins: b lost by block out (100 pieces)"),
        (GameEnding.LOSS, (FALL, None), (9, 0), 1, "b wins: a lost by block out (100 pieces)"),
        (GameEnding.LOSS, (FALL, FALL), (9, 0), None, "draw as both topped out"),
        (GameEnding.PIECES, (None, None), (9, 10), 1, "b wins: 10 to 9 lines of attack"),
        (GameEnding.PIECES, (None, None), (9, 9), None, "draw: 9 to 9 lines of attack"),
        (GameEnding.INTERRUPTED, (None, None), (9, 1), None, "unfinished"),
    ],
)
def test_winner_by_ending(
    ending: GameEnding,
    falls: tuple[Loss | None, Loss | None],
    attacks: tuple[int, int],
    winner: int | None,
    words: str,
) -> None:
    both = (stats(attacks[0]), stats(attacks[1]))
    assert decide_winner(ending, falls, both) == winner
    assert str(GameResult(("a", "b"), winner, ending, falls, both)).startswith(words)


def test_figures() -> None:
    measured = PlayerStats(100, 40, 50, thinking_seconds=2.0, elapsed_seconds=10.0)
    assert (measured.app, measured.pps, measured.thinking_ms_per_piece) == (0.5, 10.0, 20.0)
    nothing = PlayerStats(0, 0, 0)
    assert (nothing.app, nothing.pps, nothing.thinking_ms_per_piece) == (0.0, None, None)
