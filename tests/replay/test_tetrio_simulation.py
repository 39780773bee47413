"""Tests of the simulation of recorded TETR.IO matches, and of reports on edited ones."""

import json
from pathlib import Path
from typing import Any

import pytest

from sevenbag.errors import FormatError
from sevenbag.formats.tetrio_file import TetrioRecording, load_tetrio_file, read_tetrio_file
from sevenbag.game import Rules
from sevenbag.replay.playback import ReplayVerification
from sevenbag.replay.tetrio_rules import convert_rules
from sevenbag.replay.tetrio_simulation import (
    group_by_player,
    read_expected_locks,
    simulate_player,
    tetrio_counters,
    verify_recording,
)
from tests.counted import compared
from tests.formats.tetrio_files import match, replay_of, written
from tests.truth import truth

MATCHES = ["versus-a", "versus-b"]


class TestRealMatches:
    @pytest.mark.parametrize("name", MATCHES)
    def test_every_number_and_every_lock(self, name: str) -> None:
        path = truth(f"replays/{name}.ttrm")
        locks = group_by_player(
            read_expected_locks(truth(f"replays/{name}.locks.jsonl")), path.name
        )
        verdicts = list(verify_recording(load_tetrio_file(path), locks))
        assert [str(one) for verdict in verdicts for one in verdict.differences] == []
        assert all(verdict.matches for verdict in verdicts)
        assert sum(verdict.pieces for verdict in verdicts) == sum(map(len, locks.values()))
        compared("player-rounds played from keys", len(verdicts))
        compared("locks played from keys", sum(map(len, locks.values())))

    @pytest.mark.parametrize("name", MATCHES)
    def test_forty_numbers_are_compared(self, name: str) -> None:
        recording = load_tetrio_file(truth(f"replays/{name}.ttrm"))
        player = recording.rounds[0][0]
        numbers = tetrio_counters(simulate_player(player, recording.date).game)
        assert set(numbers) <= set(player.recorded)
        assert len(numbers) == 40

    def test_solo(self) -> None:
        (verdict,) = verify_recording(load_tetrio_file(truth("replays/sprint-40l.ttr")))
        assert verdict.matches
        assert verdict.pieces == 102
        compared("player-rounds played from keys", 1)

    def test_an_attack_that_was_not_sent(self) -> None:
        """The opponent's file shows the lock at which a simulation diverges."""
        file = json.loads(truth("replays/versus-a.ttrm").read_bytes())
        first, second = file["replay"]["rounds"][0]
        attack = next(
            event["data"]["data"]
            for event in second["replay"]["events"]
            if event["type"] == "ige" and event["data"]["type"] == "interaction"
        )
        attack["amt"] += 1
        verdicts = list(verify_recording(read_tetrio_file(json.dumps(file).encode())))
        sender = next(verdict for verdict in verdicts if verdict.name == first["username"])
        (told,) = (one for one in sender.differences if one.field == "interaction")
        assert told.frame == attack["frame"]
        assert told.lock is not None
        assert f"of {attack['amt']}" in str(told)

    def test_a_key_that_was_not_pressed(self) -> None:
        file = json.loads(truth("replays/versus-b.ttrm").read_bytes())
        events = file["replay"]["rounds"][2][0]["replay"]["events"]
        turns = [
            number
            for number, event in enumerate(events)
            if event["type"] == "keydown" and event["data"]["key"] == "rotateCW"
        ]
        del events[turns[len(turns) // 2]]
        data = json.dumps(file).encode()
        locks = group_by_player(
            read_expected_locks(truth("replays/versus-b.locks.jsonl")), "versus-b.ttrm"
        )
        verdicts = list(verify_recording(read_tetrio_file(data), locks))
        different = [verdict for verdict in verdicts if not verdict.matches]
        assert [verdict.round for verdict in different] == [3]
        first = different[0].differences[0]
        assert first.frame is not None
        assert first.lock is not None
        assert first.frame >= events[turns[len(turns) // 2] - 1]["frame"]
        # Without the list of locks it is found, too.
        assert [v.round for v in verify_recording(read_tetrio_file(data)) if not v.matches] == [3]


def edited(**options: Any) -> TetrioRecording:
    """A round with other options."""
    file = match("lost")
    replay_of(file)["options"].update(options)
    return read_tetrio_file(written(file))


def verify(file: dict[str, Any]) -> ReplayVerification:
    """Verify a file with one player."""
    (verdict,) = verify_recording(read_tetrio_file(written(file)))
    return verdict


class TestPrintedRounds:
    @pytest.mark.parametrize("name", ["lost", "won"])
    def test_equal(self, name: str) -> None:
        verdict = verify(match(name))
        assert verdict.matches, verdict

    @pytest.mark.parametrize("field", ["piecesplaced", "lines", "inputs", "score", "topbtb"])
    def test_another_number(self, field: str) -> None:
        file = match("lost")
        stats = replay_of(file)["results"]["stats"]
        stats[field] += 1
        (told,) = verify(file).differences
        assert (told.field, told.recorded) == (field, stats[field])
        assert str(told) == f"{field}: {stats[field] - 1}, recorded is {stats[field]}"

    def test_key_after_top_out_within_its_frame(self) -> None:
        file = match("lost")
        replay = replay_of(file)
        frame = replay["frames"] - 1
        for key in ("moveLeft", "moveRight"):
            data = {"key": key, "subframe": 0.9}
            replay["events"].append({"frame": frame, "type": "keydown", "data": data})
        replay["results"]["stats"]["inputs"] += 1
        verdict = verify(file)
        assert verdict.matches, verdict

    def test_garbage_confirmed_in_the_frame_after_top_out(self) -> None:
        file = match("lost")
        replay = replay_of(file)
        garbage = {"type": "garbage", "gameid": 2, "iid": 12, "cid": 12, "amt": 5, "ackiid": 4}
        for frame, kind in ((2100, "interaction"), (replay["frames"], "interaction_confirm")):
            inner = {"id": 0, "frame": 0, "type": kind, "data": garbage}
            replay["events"].append({"frame": frame, "type": "ige", "data": inner})
        replay["events"].sort(key=lambda event: event["frame"])
        replay["results"]["stats"]["garbage"]["received"] += 5
        verdict = verify(file)
        assert verdict.matches, verdict

    def test_another_end(self) -> None:
        file = match("lost")
        replay = replay_of(file)
        replay["results"]["gameoverreason"] = "topout"
        assert [one.field for one in verify(file).differences] == ["gameoverreason"]
        replay["frames"] += 10
        assert [one.field for one in verify(file).differences] == ["frames", "gameoverreason"]

    def test_no_numbers(self) -> None:
        file = match("lost")
        del replay_of(file)["results"]["stats"]["lines"]
        verdict = verify(file)
        assert verdict.error == "results: lines is missing"
        assert not verdict.matches


class TestOptions:
    @pytest.mark.parametrize(
        ("option", "value"),
        [
            ("garbageblocking", "limited blocking"),
            ("garbagetargetbonus", "offensive"),
            ("usebombs", True),
            ("are", 7),
            ("lineclear_are", 1),
            ("stock", 2),
            ("version", 14),
            ("version", 17),
            ("version", 20),
            ("garbageentry", "delayed"),
            ("garbageattackcap", 4),
            ("garbageare", 7),
            ("garbagequeue", True),
            ("garbagefavor", 20),
            ("receivemultiplier", 2),
            ("cancelmultiplier", 2),
            ("b2bextras", True),
            ("allclear_charges", True),
            ("void_holes", 3),
            ("inverted", True),
            ("stride", True),
            ("map", "_" * 200),
            ("masterlevels", True),
            ("infinite_stock", True),
            ("zenith_mods", ["expert"]),
            ("levels", True),
            ("survivalmode", "layer"),
            ("zenith_expert", True),
            ("kickset", "SRS++"),
            ("bagtype", "1-bag"),
            ("spinbonuses", "L-spins"),
            ("combotable", "ppt"),
            ("roundmode", "up"),
            ("passthrough", "half"),
            ("boardheight", 64),
            ("garbageholesize", 12),
        ],
    )
    def test_unplayable_recordings(self, option: str, value: object) -> None:
        (verdict,) = verify_recording(edited(**{option: value}))
        assert verdict.error is not None
        known_by_another_name = {"boardheight": "rows", "garbageholesize": "hole"}
        assert known_by_another_name.get(option, option) in verdict.error

    def test_message(self) -> None:
        (verdict,) = verify_recording(edited(garbageentry="delayed"))
        assert verdict.error == "invalid option garbageentry: expected 'instant', got 'delayed'"
        (verdict,) = verify_recording(edited(version=20))
        assert verdict.error == "invalid option version: expected 15, 18, 19, got 20"

    @pytest.mark.parametrize(
        ("option", "value"),
        [
            ("garbagespeed", 0),
            ("allclear_garbage", 5),
            ("kickset", "SRS-X"),
            ("bagtype", "14-bag"),
            ("combotable", "classic guideline"),
            ("spinbonuses", "all-mini+"),
            ("boardwidth", 9),
            ("messiness_inner", 0.5),
            ("roundmode", "rng"),
            ("passthrough", False),
            ("b2bcharging", True),
            ("g", 30),
            ("clutch", False),
            ("stock", None),
            ("garbageentry", "instant"),
            ("garbageare", 5),
            ("garbageattackcap", False),
            ("garbagequeue", False),
            ("inverted", None),
            ("zenith_mods", []),
        ],
    )
    def test_playable_recordings(self, option: str, value: object) -> None:
        (verdict,) = verify_recording(edited(**{option: value}))
        assert verdict.error is None

    def test_seasons(self) -> None:
        """Rules of the second season of Tetra League equal the preset, except for the name."""
        second = edited(
            spinbonuses="all-mini+",
            b2bchaining=False,
            b2bcharging=True,
            b2bcharge_base=3,
            allclear_garbage=5,
            allclear_b2b=1,
            openerphase=14,
            garbagespecialbonus=True,
        )
        options = second.rounds[0][0].options
        assert convert_rules(options, second.date) == Rules.preset("tetrio-league")
        first = edited().rounds[0][0].options
        assert convert_rules(first) == Rules.preset("tetrio-season-1").replace(
            {"back_to_back": {"charge_base": 3}}
        )

    @pytest.mark.parametrize(
        ("date", "opener", "holes"),
        [
            ("2026-01-01T00:00:00Z", 14, "attacks"),
            ("2025-05-06T18:59:59Z", 14, "attacks before 2025-05"),
            ("2025-05-06T19:00:00Z", 14, "attacks"),
            ("2025-02-15T23:59:59Z", 13, "attacks before 2025-05"),
        ],
    )
    def test_rules_that_changed_by_date(self, date: str, opener: int, holes: str) -> None:
        file = match("lost")
        file["ts"] = date
        replay_of(file)["options"]["openerphase"] = 14
        recording = read_tetrio_file(written(file))
        rules = convert_rules(recording.rounds[0][0].options, recording.date)
        assert (rules.garbage.opener_pieces, rules.garbage.holes) == (opener, holes)

    def test_players_of_a_match_share_their_rules(self) -> None:
        recording = read_tetrio_file(written(match("lost", "won")))
        first, second = (
            convert_rules(players[0].options, recording.date) for players in recording.rounds
        )
        assert first is second


class TestLists:
    def test_a_lock_that_differs(self, tmp_path: Path) -> None:
        recording = read_tetrio_file(written(match("lost")))
        lock = {"round": 0, "user": "lost", "n": 1, "frame": 27, "mino": "I", "lines": 0}
        path = tmp_path / "list.jsonl"

        def told(*locks: dict[str, object]) -> list[str]:
            path.write_text("\n".join(map(json.dumps, locks)))
            (verdict,) = verify_recording(
                recording, group_by_player(read_expected_locks(path), "any")
            )
            return [str(one) for one in verdict.differences]

        assert told(lock) == ["locks: 40, recorded is 1"]
        assert told(lock | {"frame": 28, "spin": "mini"}) == [
            "lock 1, frame 27, frame: 27, recorded is 28",
            "lock 1, frame 27, spin: none, recorded is mini",
        ]
        second = lock | {"n": 3, "frame": 58, "mino": "o"}
        assert told(lock, second) == ["lock 2, frame 58, n: 2, recorded is 3"]

    @pytest.mark.parametrize(
        "text", ["{}", "[]", "nonsense", '{"round":0,"user":"a","n":1,"board":5}', "\udcff"]
    )
    def test_no_list(self, tmp_path: Path, text: str) -> None:
        path = tmp_path / "list.jsonl"
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
        with pytest.raises(FormatError, match="line 1: no lock"):
            read_expected_locks(path)
