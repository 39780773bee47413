"""Tests of tournament folders: the same results with any workers, interruptions and faults."""

import contextlib
import functools
import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec
import pytest

from sevenbag import jobs
from sevenbag.arena.statistics import Sprt
from sevenbag.arena.tournament import game_task
from sevenbag.arena.tournament.openings import parse_opening
from sevenbag.arena.tournament.schedule import ScheduledGame
from sevenbag.arena.tournament.tournament_config import (
    PlayerConfig,
    PlayerLimits,
    RestartPolicy,
    TournamentHeader,
    TournamentSettings,
    create_header,
)
from sevenbag.arena.tournament.tournament_files import (
    GAMES_FILE,
    GameRecord,
    read_games,
    read_header,
    read_result,
)
from sevenbag.arena.tournament.tournament_runner import TournamentRunner
from sevenbag.errors import FormatError, InputError, LostWorkersError
from sevenbag.formats.replay_file import Replay
from sevenbag.game import Rules
from sevenbag.jobs import Executor
from sevenbag.replay.playback import Playback
from tests.bots.conftest import marked
from tests.cli import run as cli
from tests.fakes import faulty
from tests.fakes.dropper import Dropper

Command = Callable[..., list[str]]
RULES = Rules.preset("guideline")
BEAMS = ("beam:nodes=60", "beam:nodes=150", "random:seed=3")


def engines(*specs: str, **fields: object) -> list[PlayerConfig]:
    return [
        PlayerConfig(name=f"{number}", spec=spec, limits=PlayerLimits(**fields))  # type: ignore[arg-type]
        for number, spec in enumerate(specs)
    ]


def beam_and(name: str, spec: str, restart: RestartPolicy = "game") -> list[PlayerConfig]:
    return [
        PlayerConfig(name="beam", spec="beam:nodes=20"),
        PlayerConfig(name=name, spec=spec, limits=PlayerLimits(restart=restart)),
    ]


def match_of(
    players: list[PlayerConfig] | None = None, *, seed: int = 1, **settings: object
) -> TournamentHeader:
    """A match of two bots; of BEAMS unless others are given."""
    chosen = TournamentSettings(**settings)  # type: ignore[arg-type]
    return create_header("match", players or engines(*BEAMS[:2]), chosen, RULES, seed=seed)


def play(
    folder: Path,
    header: TournamentHeader,
    executor: AbstractContextManager[Executor] | None = None,
    on_game: Callable[[GameRecord], None] = lambda _: None,
) -> list[GameRecord]:
    """Play the remaining games; return the games that count, in schedule order."""
    TournamentRunner.create_folder(folder, header)
    with TournamentRunner(folder) as tournament, executor or jobs.InProcessExecutor() as running:
        result = tournament.run(running, on_game)
        assert read_result(folder) == result
        return tournament.results.counted_games


def essence(games: list[GameRecord]) -> list[tuple[object, ...]]:
    """Return the parts of a record that do not depend on the clock."""
    return [
        (
            *(
                game.id,
                game.pair,
                game.round,
                game.encounter,
                game.seed,
                game.opening,
                game.players,
            ),
            *(game.names, game.winner, game.ending, game.losses, game.replay),
            *((s.pieces, s.lines, s.attack, s.clears, s.attack_by, s.game_s) for s in game.stats),
        )
        for game in games
    ]


def spec_of(command: list[str], **flags: float) -> str:
    """A bot that is given up sooner at some steps."""
    options = "".join(f"{name}={value}:" for name, value in flags.items())
    return f"tbp:{options}{shlex.join(command)}"


def test_folder_contains_whole_tournament(tmp_path: Path) -> None:
    header = create_header(
        "round robin", engines(*BEAMS), TournamentSettings(games=2, pieces=30), RULES
    )
    seen: list[int] = []
    games = play(tmp_path / "t", header, on_game=lambda game: seen.append(game.id))
    assert seen == [game.id for game in games] == list(range(1, 7))
    assert read_header(tmp_path / "t") == header
    assert read_games(tmp_path / "t", header) == games
    for game in games:
        assert game.replay is not None
        replay = Replay.load(tmp_path / "t" / game.replay)
        assert [player.name for player in replay.header.players] == list(game.names)
        assert [player.spec for player in replay.header.players] == [
            header.engines[number].spec for number in game.players
        ]
        assert all(turn.milliseconds is not None for turn in replay.turns)
        playback = Playback(replay)
        playback.play_to(1000)
        assert playback.differences() == []
        for seat, stats in enumerate(playback.game.players):
            there = game.stats[seat]
            assert (there.pieces, there.lines, there.attack) == (
                stats.stats.pieces,
                stats.stats.lines,
                stats.stats.attack,
            )
            assert sum(there.attack_by.values()) == there.attack
            assert there.thinking_ms is not None
            assert there.game_s == playback.game.frame / 60


def test_finished_games_are_not_repeated(tmp_path: Path) -> None:
    header = create_header(
        "round robin", engines(*BEAMS), TournamentSettings(games=2, pieces=20), RULES
    )
    first = play(tmp_path / "t", header)
    again: list[GameRecord] = []
    assert play(tmp_path / "t", header, on_game=again.append) == first
    assert again == []


def test_remaining_clock_time_is_recorded(tmp_path: Path) -> None:
    players = engines(*BEAMS[:2], bank=60_000, increment=5)
    games = play(tmp_path / "t", match_of(players, games=1, pieces=5))
    for stats in games[0].stats:
        assert stats.time_left_ms is not None
        assert stats.thinking_ms is not None
        spent = stats.pieces * stats.thinking_ms.mean
        assert stats.time_left_ms == pytest.approx(60_000 + 5 * stats.pieces - spent, abs=1)


def test_without_replays_only_results_are_stored(tmp_path: Path) -> None:
    games = play(tmp_path / "t", match_of(games=1, pieces=5, replays=False))
    assert games[0].replay is None
    assert list((tmp_path / "t" / "replays").iterdir()) == []


def test_frame_games_are_rejected_before_the_start() -> None:
    pair = engines(*BEAMS[:2])
    with pytest.raises(InputError, match="invalid frames: expected real-time games"):
        create_header("match", pair, TournamentSettings(frames=True), RULES)
    frames = TournamentSettings(frames=True, real_time=True)
    with pytest.raises(InputError, match="all rows are solid"):
        create_header("match", pair, frames, Rules.preset("jstris"))
    opening = parse_opening(["v115@9gE8DeG8CeH8BeG8CeA8JeAgH"], RULES)
    with pytest.raises(InputError, match="invalid openings: expected seeds only with frames"):
        create_header("match", pair, frames, RULES, openings=[opening])


@pytest.fixture(scope="module")
def workers() -> Iterator[Executor]:
    """Start two worker processes for all tests that need not see them end."""
    with jobs.ProcessExecutor(2) as running:
        yield running


@pytest.mark.parametrize("frames", [False, True])
@pytest.mark.parametrize("kind", ["match", "round robin", "gauntlet", "knockout", "swiss"])
def test_workers_play_the_same_games(
    kind: str, frames: bool, workers: Executor, tmp_path: Path
) -> None:
    players = engines(*BEAMS[: 2 if kind == "match" else 3])
    settings = TournamentSettings(games=4, pieces=40, real_time=True, nps=3000, frames=frames)
    header = create_header(kind, players, settings, RULES)  # type: ignore[arg-type]
    here = play(tmp_path / "here", header)
    there = play(tmp_path / "there", header, contextlib.nullcontext(workers))
    assert essence(here) == essence(there)
    for game in here:
        # But for times, which are those of the machine.
        replays = [Replay.load(tmp_path / where / str(game.replay)) for where in ("here", "there")]
        placed = [[(t.placements, t.frame) for t in replay.turns] for replay in replays]
        assert placed[0] == placed[1]


def test_a_torn_line_is_played_again(tmp_path: Path) -> None:
    header = match_of(games=6, pieces=20)
    whole = play(tmp_path / "t", header)
    path = tmp_path / "t" / GAMES_FILE
    lines = path.read_bytes().splitlines(keepends=True)
    for kept, torn in ((4, 30), (0, 1), (5, len(lines[5]) - 1)):
        path.write_bytes(b"".join(lines[:kept]) + lines[kept][:torn])
        played: list[int] = []
        games = play(tmp_path / "t", header, on_game=functools.partial(_note, played))
        assert essence(games) == essence(whole)
        assert played == list(range(kept + 1, 7))
        assert [json.loads(line)["id"] for line in path.read_bytes().splitlines()] == [
            *range(1, kept + 1),
            *played,
        ]


def test_incomplete_files_are_removed(tmp_path: Path) -> None:
    header = match_of(games=1, pieces=5)
    TournamentRunner.create_folder(tmp_path / "t", header)
    (tmp_path / "t" / ".result.json.0a1b2c3d.part").write_bytes(b"{")
    (tmp_path / "t" / "replays" / ".1.replay.0a1b2c3d.part").write_bytes(b"{")
    play(tmp_path / "t", header)
    names = sorted(path.name for path in (tmp_path / "t").rglob("*") if path.is_file())
    assert names == ["1.replay", "games.jsonl", "result.json", "tournament.json"]


def test_interrupted_test_has_same_result(workers: Executor, tmp_path: Path) -> None:
    sprt = Sprt(elo0=0, elo1=300)
    settings = TournamentSettings(pieces=25)
    header = create_header("match", engines(*BEAMS[:2]), settings, RULES, sprt=sprt)
    whole = play(tmp_path / "whole", header)
    result = read_result(tmp_path / "whole")
    assert result is not None
    assert result.decision is not None
    assert result.counted_games == len(whole)

    class BrokenError(Exception):
        pass

    def after(number: int) -> Callable[[GameRecord], None]:
        count = iter(range(number))

        def on_game(_: GameRecord) -> None:
            if next(count, None) is None:
                raise BrokenError

        return on_game

    # Two workers finish games out of order, and play some ahead of the decision.
    with pytest.raises(BrokenError):
        play(tmp_path / "parts", header, contextlib.nullcontext(workers), after(3))
    with contextlib.suppress(BrokenError):
        play(tmp_path / "parts", header, on_game=after(4))
    parts = play(tmp_path / "parts", header, contextlib.nullcontext(workers))
    assert essence(parts) == essence(whole)
    assert read_result(tmp_path / "parts") == result


@pytest.mark.faults
@pytest.mark.parametrize("restart", ["game", "never"])
def test_killed_worker_loses_no_game(restart: RestartPolicy, fake: Command, tmp_path: Path) -> None:
    header = match_of(beam_and("program", f"tbp:{shlex.join(fake())}", restart), games=8, pieces=15)
    whole = play(tmp_path / "whole", header)
    killed: list[int] = []

    def kill(_: GameRecord) -> None:
        # A third time might meet the same game, which would then be taken for its own fault.
        if len(killed) < 2:
            workers = [
                pid
                for pid in sorted(cli.descendants(os.getpid()) - set(killed))
                if b"sevenbag.jobs.worker" in Path(f"/proc/{pid}/cmdline").read_bytes()
            ]
            killed.append(workers[0])
            os.kill(workers[0], signal.SIGKILL)

    assert essence(play(tmp_path / "t", header, jobs.ProcessExecutor(2), kill)) == essence(whole)
    assert len(killed) == 2


@pytest.mark.faults
def test_game_that_kills_workers_is_named(tmp_path: Path) -> None:
    killer = [sys.executable, "-c", "import os, signal; os.kill(os.getppid(), signal.SIGKILL)"]
    header = match_of(beam_and("killer", f"tbp:{shlex.join(killer)}"), games=2, pieces=5)
    told = r"^game 1, beam - killer, has lost 3 worker processes: the last one was killed by"
    with pytest.raises(LostWorkersError, match=told):
        play(tmp_path / "t", header, jobs.ProcessExecutor(1))


@pytest.mark.faults
@pytest.mark.parametrize("bots", ["our own", "fakes"])
def test_repeatedly_killed_match_has_same_result(
    bots: str, fake: Command, mark: str, tmp_path: Path
) -> None:
    assert mark
    if bots == "our own":
        words = ["match", "beam:nodes=200", "beam:nodes=2000", "--sprt", "0,50", "--pieces", "60"]
    else:
        first, second = (f"tbp:{shlex.join(fake(name))}" for name in ("", "LeavesChildren"))
        words = ["match", first, second, "--games", "8", "--pieces", "20"]
    words += ["--workers", "2"]
    whole = cli.sevenbag(*words, "--folder", "whole", "--json", folder=tmp_path)
    assert whole.returncode == 0
    path = tmp_path / "parts" / GAMES_FILE
    for stop in (1, 4):
        process = cli.start(*words, "--folder", "parts", "--resume", folder=tmp_path)
        try:
            cli.wait_until(functools.partial(_has_lines, path, stop, process))
        finally:
            process.kill()
            process.communicate()
    parts = cli.sevenbag(*words, "--folder", "parts", "--resume", "--json", folder=tmp_path)
    # But for games that were played ahead when it was decided.
    apart = {"folder": "", "played": 0}
    results = [json.loads(done.stdout) | apart for done in (whole, parts)]
    assert results[0] == results[1]
    assert (results[0]["decision"] is not None) == (bots == "our own")
    ids = [json.loads(line)["id"] for line in path.read_bytes().splitlines()]
    counted: int = results[0]["games"]
    assert len(ids) == len(set(ids))
    assert set(range(1, counted + 1)) <= set(ids)
    games: list[list[GameRecord]] = []
    for where in ("whole", "parts"):
        with TournamentRunner(tmp_path / where) as tournament:
            games.append(tournament.results.counted_games)
    assert len(games[0]) == counted
    assert essence(games[0]) == essence(games[1])


def _note(played: list[int], game: GameRecord) -> None:
    played.append(game.id)


def _has_lines(path: Path, count: int, process: subprocess.Popen[str]) -> bool:
    """Return whether a number of games, or the process, has ended."""
    if process.poll() is not None:
        return True
    return path.exists() and path.read_bytes().count(b"\n") >= count


FAULTS = {
    "DiesAtStart": ("no start", "no starts"),
    "HangsAtInfo": ("timeout", "timeouts"),
    "NoNewline": ("timeout", "timeouts"),
    "Refuses": ("no start", "no starts"),
    "DiesInGame": ("crash", "crashes"),
    "KilledInGame": ("crash", "crashes"),
    "DiesInMidMessage": ("crash", "crashes"),
    "HangsAtSuggest": ("timeout", "timeouts"),
    "Rubbish": ("rubbish", "rubbish"),
    "MalformedMove": ("rubbish", "rubbish"),
    "LongLine": ("rubbish", "rubbish"),
    "IllegalMoves": ("illegal move", "illegal moves"),
    "LeavesChildren": ("crash", "crashes"),
    "DoesNotRead": ("timeout", "timeouts"),
    "AnswersLate": ("timeout", "timeouts"),
}
# A bot that is silent forever is detected after a moment, too.
SOON: dict[str, dict[str, float]] = {
    "HangsAtInfo": {"info_seconds": 0.5},
    "NoNewline": {"info_seconds": 0.5},
    "HangsAtSuggest": {"move_seconds": 0.3},
    "DoesNotRead": {"move_seconds": 0.3},
    "AnswersLate": {"move_seconds": 0.3},
    "GivesUp": {"retries": 0},
}
HARMLESS = {
    "FalseSpins",
    "IgnoresQuit",
    "AnswersTwiceAtOnce",
    "Chatty",
    "TalksToStderr",
    "FirstMoveIllegal",
}
RESIGNS = "GivesUp"


@pytest.mark.slow
def test_each_fault_loses_only_its_own_game(fake: Command, tmp_path: Path) -> None:
    assert {*FAULTS, *HARMLESS, RESIGNS} <= {
        name
        for name, kind in vars(faulty).items()
        if isinstance(kind, type) and issubclass(kind, Dropper)
    }
    players = [
        PlayerConfig(name="beam", spec="beam:nodes=20"),
        *(
            PlayerConfig(name=name, spec=spec_of(fake(name), **SOON.get(name, {})))
            for name in (*FAULTS, *HARMLESS, RESIGNS)
        ),
    ]
    header = create_header("gauntlet", players, TournamentSettings(games=1, pieces=8), RULES)
    folder = tmp_path / "t"
    games = play(folder, header, jobs.ProcessExecutor(2))
    assert len(games) == len(FAULTS) + len(HARMLESS) + 1
    for game in games:
        seat = 1 - game.players.index(0)
        name = game.names[seat]
        fall = game.losses[seat]
        assert game.losses[1 - seat] is None
        if name in HARMLESS:
            assert (name, fall, game.ending) == (name, None, "pieces")
            continue
        assert fall is not None
        reason = "resignation" if name == RESIGNS else FAULTS[name][0]
        assert (name, fall.reason) == (name, reason)
        assert fall.detail
        assert (game.winner, game.ending) == (1 - seat, "fall")
        replay = Replay.load(folder / str(game.replay))
        assert replay.outcome.losses[seat] is not None
    with TournamentRunner(folder) as tournament:
        for standing in tournament.results.standings():
            if standing.name in FAULTS:
                assert standing.faults == {FAULTS[standing.name][1]: 1}
            else:
                assert standing.faults == {}
            assert standing.resignations == (standing.name == RESIGNS)


def test_a_bot_that_is_missing_has_not_started(tmp_path: Path) -> None:
    # As on another machine, which lacks the program.
    players = engines("beam:nodes=20", "tbp:./no-such-program")
    header = match_of(players, games=2, pieces=5)
    games = play(tmp_path / "t", header)
    for game in games:
        seat = game.players.index(1)
        fall = game.losses[seat]
        assert fall is not None
        assert (fall.reason, game.winner) == ("no start", 1 - seat)
        assert "no such command" in fall.detail


@pytest.mark.parametrize(("restart", "starts"), [("game", 3), ("never", 1)])
def test_restart_policy_of_programs(
    restart: RestartPolicy,
    starts: int,
    fake: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    note = tmp_path / "note"
    monkeypatch.setenv("SEVENBAG_FAKE_NOTE", str(note))
    spec = f"tbp:{shlex.join(fake('NotesWhatItHears'))}"
    header = match_of(beam_and("notes", spec, restart), games=3, pieces=5)
    games = play(tmp_path / "t", header, jobs.ProcessExecutor(1))
    assert [game.ending for game in games] == ["pieces"] * 3
    heard = note.read_text().split()
    assert heard.count("rules") == starts
    assert heard.count("start") >= 3
    # The last one may be lost with its idle worker.
    assert heard.count("stop") >= 2


def test_idle_program_is_ended(fake: Command, mark: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # As on a cluster, whose workers stay.
    monkeypatch.setattr(game_task, "_IDLE_SECONDS", 3600.0)
    task = game_task.GameTask(
        game=ScheduledGame(0, 0, 1, 0, (0, 1), 1),
        engines=(
            PlayerConfig(
                name="program",
                spec=f"tbp:{shlex.join(fake())}",
                limits=PlayerLimits(restart="never"),
            ),
            PlayerConfig(name="beam", spec="beam:nodes=20"),
        ),
        rules=msgspec.json.encode(RULES.to_dict()),
        settings=TournamentSettings(pieces=3),
    )
    for _ in range(2):
        assert game_task.play_task(task).record.ending == "pieces"
        assert marked(mark)
    monkeypatch.setattr(game_task, "_IDLE_SECONDS", 0.0)
    assert game_task.play_task(task).record.ending == "pieces"
    cli.wait_until(lambda: not marked(mark))
    assert game_task.play_task(task).record.ending == "pieces"
    game_task.stop_idle_bots()
    cli.wait_until(lambda: not marked(mark))


def test_kept_program_plays_next_game_after_resigning(
    fake: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = tmp_path / "note"
    monkeypatch.setenv("SEVENBAG_FAKE_NOTE", str(note))
    spec = f"tbp:retries=0:{shlex.join(fake('NotesAndGivesUp'))}"
    header = match_of(beam_and("resigns", spec, "never"), games=3, pieces=5)
    games = play(tmp_path / "t", header, jobs.InProcessExecutor())
    falls = [game.losses[game.players.index(1)] for game in games]
    assert [fall.reason if fall else None for fall in falls] == ["resignation"] * 3
    heard = note.read_text().split()
    assert heard == ["rules", *["start", "suggest", "stop"] * 3, "quit"]


def test_failed_program_is_restarted(fake: Command, tmp_path: Path) -> None:
    header = match_of(beam_and("dies", spec_of(fake("DiesInGame")), "never"), games=4, pieces=8)
    games = play(tmp_path / "t", header, jobs.ProcessExecutor(1))
    falls = [game.losses[game.players.index(1)] for game in games]
    assert [fall.reason if fall else None for fall in falls] == ["crash"] * 4
    assert [max(s.pieces for s in game.stats) for game in games] == [2] * 4


def test_folder_is_locked(tmp_path: Path) -> None:
    header = match_of(games=1, pieces=5)
    TournamentRunner.create_folder(tmp_path / "t", header)
    with (
        TournamentRunner(tmp_path / "t"),
        pytest.raises(InputError, match="locked by another process"),
    ):
        TournamentRunner(tmp_path / "t")
    with TournamentRunner(tmp_path / "t"):
        pass


def test_folder_of_another_tournament_is_rejected(tmp_path: Path) -> None:
    header = match_of(games=2, pieces=5)
    TournamentRunner.create_folder(tmp_path / "t", header)
    TournamentRunner.create_folder(tmp_path / "t", header)
    other = match_of(games=4, pieces=5, seed=9)
    with pytest.raises(InputError, match="with other settings, seed"):
        TournamentRunner.create_folder(tmp_path / "t", other)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").touch()
    with pytest.raises(InputError, match="expected an empty one, got other files"):
        TournamentRunner.create_folder(tmp_path / "full", header)
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["notes.txt"]
    with pytest.raises(FormatError, match="no such file"):
        TournamentRunner(tmp_path / "none")


def test_foreign_headers_are_validated(tmp_path: Path) -> None:
    header = match_of(games=2)
    changes: list[dict[str, object]] = [
        {"kind": "brawl"},
        {"settings": {"games": -1}},
        {"rules": {"name": "x"}},
        {"openings": ["nonsense"]},
        {"engines": [{"name": "a", "limits": {"ms": "soon"}}, {"name": "b"}]},
        {"sprt": {"elo0": 5, "elo1": 0, "alpha": 0.05, "beta": 0.05, "model": "logistic"}},
    ]
    for number, change in enumerate(changes):
        folder = tmp_path / str(number)
        TournamentRunner.create_folder(folder, header)
        data = msgspec.to_builtins(header) | change
        (folder / "tournament.json").write_bytes(msgspec.json.encode(data))
        with pytest.raises(InputError):
            TournamentRunner(folder)
        # And is left for others to look at.
        with contextlib.suppress(InputError), TournamentRunner(folder):
            pass


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seed": 5}, "game 2: expected seed"),
        ({"players": [0, 1]}, r"game 2: expected players \(1, 0\), got \(0, 1\)"),
        ({"opening": "v115@x"}, "game 2: expected opening None, got v115@x"),
        ({"round": 2}, "game 2: expected round 1, got 2"),
        ({"id": 77}, "game 77: expected a scheduled game"),
    ],
)
def test_unscheduled_games_are_rejected(
    change: dict[str, object], words: str, tmp_path: Path
) -> None:
    header = match_of(games=4, pieces=5)
    play(tmp_path / "t", header)
    path = tmp_path / "t" / GAMES_FILE
    lines = path.read_bytes().splitlines(keepends=True)
    lines[1] = msgspec.json.encode(json.loads(lines[1]) | change) + b"\n"
    path.write_bytes(b"".join(lines))
    with pytest.raises(FormatError, match=words):
        play(tmp_path / "t", header)


def test_full_disk_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    header = match_of(games=2, pieces=5)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(FormatError, match="No space left"):
            play(tmp_path / "t", header)
    games = play(tmp_path / "t", header)
    assert [game.id for game in games] == [1, 2]
