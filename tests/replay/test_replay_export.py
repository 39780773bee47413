"""Exported replays describe the game that was played."""

import asyncio
import csv
import io
import json

import msgspec
import pytest

from sevenbag.arena.runner.game_options import GameConfig
from sevenbag.arena.runner.game_runner import play_game
from sevenbag.arena.runner.observers import ReplayRecorder
from sevenbag.errors import FumenError
from sevenbag.formats.fumen import Fumen
from sevenbag.formats.fumen_page import ROWS
from sevenbag.formats.replay_file import Replay, ReplayScore
from sevenbag.game import Rules
from sevenbag.game.game_config import RealTime
from sevenbag.replay.playback import Playback, count_statistics
from sevenbag.replay.replay_export import CSV_COLUMNS, export_csv, export_fumen, export_json
from tests.arena.bots import HoldBot, LowBot, QuadBot, TowerBot
from tests.formats.fumen_peers import PyFumen

RULES = Rules.preset("guideline").replace({"garbage": {"travel": 0}})


def recorded(first: LowBot, second: LowBot, config: GameConfig) -> Replay:
    recorder = ReplayRecorder(times=True)
    asyncio.run(play_game((first, second), config, (recorder,)))
    assert recorder.replay is not None
    return recorder.replay


@pytest.fixture(name="replay", scope="module")
def garbage_game() -> Replay:
    """A game in which garbage of one row and of several rows enters."""
    return recorded(QuadBot("quad"), HoldBot("hold"), GameConfig(RULES, 3, pieces=90))


def fields(replay: Replay, player: int) -> list[tuple[str, ...]]:
    """Return a player's board before each turn, and at the end."""
    playback = Playback(replay)
    seen = []
    for turn in range(len(replay.turns) + 1):
        playback.play_to(turn)
        seen.append(playback.game.players[player].colors[:ROWS])
    return seen


@pytest.mark.parametrize("player", [0, 1])
def test_a_fumen_shows_every_board_and_placement(replay: Replay, player: int) -> None:
    """The fumen is read by an independent reader."""
    pages = PyFumen().read(str(export_fumen(Playback(replay), player)))
    assert [page.field.rows for page in pages] == fields(replay, player)
    assert pages[0].comment.startswith(("quad", "hold")[player])
    for page, turn in zip(pages[:-1], replay.turns, strict=True):
        placed = turn.placements[player]
        assert placed is not None
        assert page.placement is not None
        assert page.placement.cells == placed.cells
    assert pages[-1].placement is None


def test_comments_describe_placements(replay: Replay) -> None:
    pages = export_fumen(Playback(replay), 1).pages
    playback = Playback(replay)
    entered = []
    for page in pages[:-1]:
        lock = playback.step()[1]
        assert lock is not None
        entered.append(len(lock.garbage))
        assert (f"garbage {len(lock.garbage)}" in page.comment) == bool(lock.garbage)
        assert (f"attack {lock.attack}" in page.comment) == bool(lock.attack)
    assert max(entered) > 1


def test_pieces_above_a_fumens_top_are_left_out() -> None:
    replay = recorded(TowerBot("tower"), LowBot("low"), GameConfig(RULES, 3, pieces=90))
    fumen = Fumen.parse(str(export_fumen(Playback(replay), 0)))
    assert [page.field.rows for page in fumen.pages] == fields(replay, 0)
    assert fumen.pages[-1].comment in {"block out", "lock out"}


def test_boards_of_another_width_have_no_fumen(replay: Replay) -> None:
    rules = RULES.replace({"board": {"width": 12}}).to_dict()
    narrow = msgspec.structs.replace(replay.header, rules=rules)
    with pytest.raises(FumenError, match="12 columns wide"):
        export_fumen(Playback(type(replay)(narrow, (), replay.outcome)), 0)


def test_json_has_every_placement(replay: Replay) -> None:
    told = json.loads(export_json(Playback(replay), boards=True))
    assert (told["format"], told["version"]) == ("sevenbag-game", 1)
    assert told["header"]["seed"] == 3
    for player, score in enumerate(told["result"]["score"]):
        rows = [row for row in told["placements"] if row["player"] == player + 1]
        assert score["pieces"] == len(rows)
        for name in ("lines", "attack"):
            assert score[name] == sum(row[name] for row in rows)
        full = [row for row in fields(replay, player)[-1] if row.strip(".")]
        assert rows[-1]["board"][: len(full)] == full
    assert all(row["milliseconds"] > 0 for row in told["placements"])


def test_the_table_has_a_line_for_each_placement(replay: Replay) -> None:
    rows = list(csv.DictReader(io.StringIO(export_csv(Playback(replay)))))
    assert len(rows) == 2 * len(replay.turns)
    assert tuple(rows[0]) == CSV_COLUMNS
    for player in (0, 1):
        mine = [row for row in rows if row["player"] == str(player + 1)]
        assert sum(int(row["attack"]) for row in mine) == replay.outcome.score[player].attack
        assert [row["piece"] for row in mine] == [
            placement.piece.name
            for turn in replay.turns
            if (placement := turn.placements[player]) is not None
        ]


def test_figures_are_those_of_the_result(replay: Replay) -> None:
    playback = Playback(replay)
    players = count_statistics(playback)
    for player, (record, score) in enumerate(zip(players, replay.outcome.score, strict=True)):
        assert ReplayScore(record.pieces, record.lines, record.attack) == score
        assert sum(record.attack_by.values()) == score.attack
        assert record.game_s == len(replay.turns) / 2
        assert record.thinking_ms is not None
        times = [turn.milliseconds[player] for turn in replay.turns if turn.milliseconds]
        assert record.thinking_ms.max == pytest.approx(max(time or 0 for time in times), abs=1e-3)


def test_games_in_real_time_are_exported() -> None:
    config = GameConfig(RULES, 4, pieces=60, real_time=RealTime(pps=(3, 2)))
    replay = recorded(QuadBot("quad"), HoldBot("hold"), config)
    scores = replay.outcome.score
    assert scores[0].pieces > scores[1].pieces
    rows = json.loads(export_json(Playback(replay)))["placements"]
    frames = [row["frame"] for row in rows]
    assert frames == sorted(frames)
    assert {row["frame"] % 20 for row in rows if row["player"] == 1} == {0}
    for player, score in enumerate(scores):
        fumen = Fumen.parse(str(export_fumen(Playback(replay), player)))
        assert len(fumen.pages) == score.pieces + 1
        last = Playback(replay)
        last.play_to(len(replay.turns))
        assert fumen.pages[-1].field.rows == last.game.players[player].colors[:ROWS]
    done = count_statistics(Playback(replay))
    assert [record.pieces for record in done] == [score.pieces for score in scores]
    assert done[0].game_s == frames[-1] / 60
