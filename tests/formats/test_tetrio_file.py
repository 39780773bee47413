"""Reading TETR.IO's files: every layout, and everything that may be wrong with one."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sevenbag.errors import FormatError
from sevenbag.formats.tetrio_file import MAX_BYTES, load_tetrio_file, read_tetrio_file
from sevenbag.formats.tetrio_script import build_script
from tests.formats.tetrio_files import HANDLING, match, older, read_player, replay_of, solo, written
from tests.game import tetrio_rounds
from tests.truth import truth, truth_json


class TestRealFiles:
    @pytest.mark.parametrize("name", ["versus-a", "versus-b"])
    def test_match(self, name: str) -> None:
        recording = load_tetrio_file(truth(f"replays/{name}.ttrm"))
        assert recording.version == 19
        assert recording.date is not None
        members = [player for played in recording.rounds for player in played]
        expected = truth_json(f"replays/{name}.expected.json")
        assert len(members) == len(expected)
        for player, told in zip(members, expected, strict=True):
            recorded = player.recorded
            assert (player.name, player.frames, player.reason) == (
                told["player"],
                told["frames"],
                told["gameoverreason"],
            )
            assert {name: recorded[f"clears.{name}"] for name in told["clears"]} == told["clears"]
            assert recorded["piecesplaced"] == told["pieces"]
            assert recorded["garbage.attack"] == told["attack"]

    def test_solo(self) -> None:
        recording = load_tetrio_file(truth("replays/sprint-40l.ttr"))
        told = truth_json("replays/sprint-40l.expected.json")
        ((player,),) = recording.rounds
        assert (recording.version, recording.mode) == (15, "40l")
        assert (player.name, player.frames) == (told["player"], told["frames"])
        assert player.options.seed == told["seed"]
        assert player.options.handling.sdf == 41
        assert player.recorded["score"] == told["score"]
        assert len(player.bag) == 7


class TestLayouts:
    """Every layout gives the same round."""

    WANTED = tetrio_rounds.script_of(tetrio_rounds.ROUNDS["lost"])

    def test_version_19(self) -> None:
        recording = read_tetrio_file(written(match("lost", "won")))
        assert [player.name for played in recording.rounds for player in played] == ["lost", "won"]
        script = build_script(recording.rounds[0][0].events)
        assert self._without_names(script) == self._without_names(self.WANTED)
        options = recording.rounds[0][0].options
        assert (options.seed, options.spinbonuses, options.garbagecap) == (367575361, "T-spins", 8)
        assert options.handling.das == 10

    def test_solo(self) -> None:
        player = read_player(solo("lost"))
        assert (player.name, player.frames) == ("lost", 2120)

    @pytest.mark.parametrize("version", [15, 18])
    def test_older(self, version: int) -> None:
        player = read_player(older("lost", version))
        assert (player.name, player.reason) == ("lost", "garbagesmash")
        assert player.options.version == version
        assert player.options.handling.sdf == HANDLING["sdf"]
        assert player.recorded["garbage.sent"] == 20
        script = build_script(player.events, version=version)
        wanted = self._without_names(self.WANTED)
        if version == 15:
            # Attacks carry their holes and are not acknowledged.
            wanted = [(*one[:4], 0, 4) if one[1] == 3 else one for one in wanted]
        assert self._without_names(script) == wanted

    def test_numbers_of_older_files_have_the_names_of_today(self) -> None:
        file = older("lost", 15)
        stats = file["data"][0]["replays"][0]["events"][-1]["data"]["export"]["stats"]
        stats["currentcombopower"] = stats.pop("combopower")
        assert read_player(file).recorded["combopower"] == 0

    @staticmethod
    def _without_names(script: list[float]) -> list[tuple[float, ...]]:
        """Events; players' numbers left out, which only need to be distinct."""
        found: list[tuple[float, ...]] = []
        numbers = iter(script)
        for frame in numbers:
            what = next(numbers)
            if what == 5:
                count = int(next(numbers))
                for _ in range(count):
                    next(numbers)
                found.append((frame, what, count))
                continue
            if what in {3, 4}:
                next(numbers)
            size = {0: 2, 1: 2, 2: 2, 3: 4, 4: 1}[int(what)]
            found.append((frame, what, *(next(numbers) for _ in range(size))))
        return found


class TestBroken:
    @pytest.mark.parametrize(
        ("data", "words"),
        [
            (b"", "no replay of TETR.IO"),
            (b"[]", "no replay of TETR.IO"),
            (b"{}", "neither"),
            (b'{"replay":{"rounds":[]}}', "holds no rounds"),
            (b'{"replay":{"rounds":[[]]}}', "holds no players"),
            (b"[" * 100_000, "no replay of TETR.IO"),
            (b'{"replay":' * 5000, "no replay of TETR.IO"),
            (b'{"ts":"\xff"}', "no replay of TETR.IO"),
        ],
        ids=lambda value: str(value)[:20],
    )
    def test_no_replay(self, data: bytes, words: str) -> None:
        with pytest.raises(FormatError, match=words) as error:
            read_tetrio_file(data, "file")
        assert len(str(error.value)) < 400
        assert "file" in str(error.value)

    @pytest.mark.parametrize("part", [0.1, 0.5, 0.999])
    def test_cut_short(self, part: float) -> None:
        data = written(match("lost"))
        with pytest.raises(FormatError):
            read_tetrio_file(data[: int(len(data) * part)])

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            (lambda r: r.update(frames=-1), r"frames"),
            (lambda r: r.update(frames=10**9), r"frames"),
            (lambda r: r.update(events={}), r"events"),
            (lambda r: r.pop("options"), r"round 1: lost: the game's options are missing"),
            (lambda r: r["options"].pop("seed"), r"lost: options: .*seed"),
            (lambda r: r["options"].update(garbagecap="8"), r"garbagecap"),
            (lambda r: r["options"].update(boardwidth=1000), r"boardwidth"),
            (lambda r: r["options"]["handling"].update(das=-1), r"handling.das"),
            (lambda r: r["options"]["handling"].update(irs="often"), r"handling.irs"),
            (lambda r: r["events"][3]["data"].update(subframe=7), r"subframe"),
            (lambda r: r["events"][3].update(frame="now"), r"frame"),
            (lambda r: r["events"][3].update(frame=2**70), r"frame"),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_wrong_values(self, change: Callable[[dict[str, Any]], object], words: str) -> None:
        file = match("lost")
        change(replay_of(file))
        with pytest.raises(FormatError, match=words):
            read_player(file)

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            (lambda e: e.update(frame=0), r"event 9 \('keyup', frame 0\): comes after frame"),
            (lambda e: e["data"].update(key="jump"), r"event 9.*'jump' is no key; keys are move"),
            (lambda e: e["data"].update(key="undo"), r"event 9.*go back in time"),
            (lambda e: e.update(data=5), r"event 9.*has no key"),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_wrong_events(self, change: Callable[[dict[str, Any]], object], words: str) -> None:
        file = match("lost")
        change(replay_of(file)["events"][9])
        player = read_player(file)
        with pytest.raises(FormatError, match=words):
            build_script(player.events, rewinds=True)

    def test_keys_without_effect(self) -> None:
        """The restart key has no effect in a match."""
        file = match("lost")
        replay_of(file)["events"][9]["data"]["key"] = "retry"
        assert len(build_script(read_player(file).events)) > 1000

    def test_spectator_events(self) -> None:
        file = match("lost")
        file["replay"]["rounds"][0].insert(0, {"username": "watcher", "replay": None})
        assert read_player(file).name == "lost"

    def test_null_is_missing(self) -> None:
        file = match("lost")
        options = replay_of(file)["options"]
        options["garbagecap"] = options["handling"]["irs"] = None
        read = read_player(file).options
        assert (read.garbagecap, read.handling.irs) == (8, "off")

    def test_wrong_messages(self) -> None:
        original = match("lost")
        attack = next(
            number
            for number, event in enumerate(replay_of(original)["events"])
            if event["type"] == "ige" and event["data"]["type"] == "interaction"
        )
        for change, words in (
            ({"gameid": None}, "who sent it"),
            ({"iid": None, "cid": None}, "who sent it"),
            ({"type": "bombs"}, "only garbage is"),
        ):
            file = copy.deepcopy(original)
            replay_of(file)["events"][attack]["data"]["data"].update(change)
            player = read_player(file)
            with pytest.raises(FormatError, match=words):
                build_script(player.events)

    def test_ignored_events(self) -> None:
        file = match("lost")
        events = replay_of(file)["events"]
        before = build_script(read_player(file).events)
        for event in (
            {"frame": 0, "type": "strategy", "data": 3},
            {"frame": 0, "type": "manual_target", "data": "somebody"},
            {"frame": 0, "type": "ige", "data": {"type": "kev", "data": {"fire": 0}}},
            {"frame": 0, "type": "ige", "data": {"type": "allow_targeting", "data": 1}},
            {"frame": 0, "type": "news", "data": [1, 2]},
            {"frame": 0, "type": "news"},
        ):
            events.insert(1, event)
        assert build_script(read_player(file).events) == before

    def test_no_such_file(self, tmp_path: Path) -> None:
        with pytest.raises(FormatError, match=r"none\.ttrm: cannot be read"):
            load_tetrio_file(tmp_path / "none.ttrm")

    def test_far_too_large(self, tmp_path: Path) -> None:
        path = tmp_path / "large.ttrm"
        with path.open("wb") as file:
            file.truncate(MAX_BYTES + 1)
        with pytest.raises(FormatError, match="larger than"):
            load_tetrio_file(path)

    def test_numbers_that_are_none(self) -> None:
        text = json.dumps(match("lost")).replace('"score": 7288', '"score": 1e999')
        with pytest.raises(FormatError):
            read_tetrio_file(text.encode())
