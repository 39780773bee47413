"""Rounds of TETR.IO matches, looked at as any replay is."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from sevenbag.errors import FormatError
from sevenbag.formats.replay_file import Replay
from sevenbag.formats.tetrio_file import load_tetrio_file, read_tetrio_file
from sevenbag.replay.playback import count_statistics, iterate_placements
from sevenbag.replay.replay_export import export_csv, export_fumen, export_json
from sevenbag.replay.tetrio_playback import NO_OPPONENT, TetrioPlayback
from tests.cli.run import sevenbag
from tests.counted import compared
from tests.formats.tetrio_files import match, written
from tests.game.tetrio_rounds import ROUNDS, board_text
from tests.replay.test_tetrio_simulation import edited
from tests.truth import truth, truth_json, truth_lines


class TestRealMatches:
    @pytest.mark.parametrize("name", ["versus-a", "versus-b"])
    def test_boards_after_every_lock(self, name: str) -> None:
        recording = load_tetrio_file(truth(f"replays/{name}.ttrm"))
        known: dict[tuple[int, str], list[Any]] = defaultdict(list)
        for lock in truth_lines(f"replays/{name}.locks.jsonl"):
            known[lock["round"], lock["user"]].append(lock)
        count = 0
        for number in range(len(recording.rounds)):
            playback = TetrioPlayback(recording, number + 1)
            for step in iterate_placements(playback):
                lock = known[number, playback.names[step.player]].pop(0)
                assert step.frame == step.lock.frame == lock["frame"]
                assert step.placement.piece.name.lower() == lock["mino"]
                assert board_text(step.after) == lock["board"]
                count += 1
            assert playback.differences() == []
        assert not any(known.values())
        compared("boards of rounds that are shown", count)

    def test_figures(self) -> None:
        recording = load_tetrio_file(truth("replays/versus-a.ttrm"))
        told = {
            (one["round"], one["player"]): one
            for one in truth_json("replays/versus-a.expected.json")
        }
        for number in range(len(recording.rounds)):
            playback = TetrioPlayback(recording, number + 1)
            for name, player in zip(playback.names, count_statistics(playback), strict=True):
                expected = told[number, name]
                assert (player.pieces, player.lines, player.attack) == (
                    expected["pieces"],
                    expected["lines"],
                    expected["attack"],
                )
                assert player.clears.get("quad", 0) == expected["clears"]["quads"]
            winner = playback.replay.outcome.winner
            assert winner is not None
            assert told[number, playback.names[winner]]["alive"]


@pytest.fixture
def playback() -> TetrioPlayback:
    return TetrioPlayback(read_tetrio_file(written(match("lost", "won"))), 1)


class TestOneRound:
    def test_a_game_for_one(self, playback: TetrioPlayback) -> None:
        assert playback.names == ("lost", NO_OPPONENT)
        playback.play_to(1000)
        assert playback.at_end
        assert board_text(playback.game.players[0].colors) == ROUNDS["lost"]["board"]
        assert playback.game.over
        assert playback.differences() == []
        assert "garbagesmash" in str(playback.recorded_result())

    def test_back_and_forth(self, playback: TetrioPlayback) -> None:
        seen: list[tuple[object, ...]] = []

        def look() -> tuple[object, ...]:
            first, _ = playback.game.players
            return first.colors, first.queue, first.hold, first.pending, playback.game.frame

        while not playback.at_end:
            playback.step()
            seen.append(look())
        for turn in (30, 1, 17):
            playback.rewind_to(turn)
            assert look() == seen[turn - 1]

    def test_playback_is_a_sevenbag_replay(self, playback: TetrioPlayback) -> None:
        replay = playback.replay
        assert Replay.decode(replay.encode()) == replay
        assert replay.header.is_real_time
        assert len(replay.turns) == 40

    def test_converted(self, playback: TetrioPlayback) -> None:
        assert len(export_csv(playback).splitlines()) == 41
        playback.rewind_to(0)
        assert len(json.loads(export_json(playback))["placements"]) == 40
        playback.rewind_to(0)
        assert len(export_fumen(playback, 0).pages) == 41

    def test_differences_are_reported(self) -> None:
        file = match("lost")
        file["replay"]["rounds"][0][0]["replay"]["results"]["stats"]["lines"] += 1
        playback = TetrioPlayback(read_tetrio_file(written(file)))
        assert playback.differences() == ["lost: lines: 14, recorded is 15"]

    def test_invalid_rounds_are_rejected(self) -> None:
        with pytest.raises(FormatError, match="expected 1 to 1, got 2"):
            TetrioPlayback(edited(), 2)
        with pytest.raises(FormatError, match="round 1: lost: invalid option usebombs"):
            TetrioPlayback(edited(usebombs=True))
        file = match("lost")
        file["replay"]["rounds"][0] *= 3
        with pytest.raises(FormatError, match="expected 1 or 2 players, got 3"):
            TetrioPlayback(read_tetrio_file(written(file)))


class TestCommands:
    def test_verbs(self, tmp_path: Path) -> None:
        (tmp_path / "match.ttrm").write_bytes(written(match("lost", "won")))
        for words, shown in (
            (("show", "match.ttrm", "--plain", "--round", "2"), "won wins"),
            (("show", "match.ttrm", "--turn", "5"), "turn 5"),
            (("stats", "match.ttrm", "--round", "1"), "spin triple"),
            (("convert", "match.ttrm", "--format", "fumen", "--player", "1"), "v115@"),
        ):
            done = sevenbag("replay", *words, folder=tmp_path)
            assert (done.returncode, done.stderr) == (0, "")
            assert shown in done.stdout

    def test_no_such_round(self, tmp_path: Path) -> None:
        (tmp_path / "match.ttrm").write_bytes(written(match("lost")))
        (tmp_path / "game.replay").write_bytes(b"")
        for words in (("match.ttrm", "--round", "3"), ("game.replay", "--round", "1")):
            done = sevenbag("replay", "show", *words, folder=tmp_path)
            assert done.returncode == 2
            assert "round" in done.stderr
