"""Tests of ``sevenbag play``."""

import json
import os
import signal
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

from sevenbag.formats.replay_file import Replay
from sevenbag.replay.playback import Playback
from tests.cli.run import (
    QUICK_BOT,
    alive,
    assert_rejected,
    descendants,
    run_ok,
    sevenbag,
    start,
    wait_until,
)

CALM = """\
base = "guideline"
[attack]
multiplier = 0.0
"""
"""Rules without attack: games are long."""


def checked(path: Path) -> Replay:
    """Return a replay that plays back as recorded."""
    replay = Replay.load(path)
    playback = Playback(replay)
    playback.play_to(len(replay.turns))
    assert playback.differences() == []
    return replay


def test_match_is_printed_and_stored(tmp_path: Path) -> None:
    output = run_ok("play", "random:seed=3", "random:seed=4", "--seed", "5", folder=tmp_path)
    lines = output.splitlines()
    assert lines[0] == "random:seed=3 against random:seed=4, rules guideline, seed 5"
    assert lines[1:3] == [f"  random:seed={n}: random:seed={n}" for n in (3, 4)]
    assert lines[3].split()[0] == "1"
    replay = checked(tmp_path / "replays/match-5.replay")
    assert replay.outcome.finished
    assert len(replay.turns) == len(lines) - 7
    assert lines[-4].startswith(f"random:seed={replay.outcome.winner + 3} wins: ")  # type: ignore[operator]
    assert (
        lines[-1] == "replay: replays/match-5.replay  (sevenbag replay show replays/match-5.replay)"
    )


def test_match_against_a_process(tmp_path: Path) -> None:
    run_ok(
        *("play", "random", "tbp:sevenbag serve random --as tbp", "--seed", "5", "--quiet"),
        folder=tmp_path,
    )
    assert checked(tmp_path / "replays/match-5.replay").outcome.finished


def test_result_as_json(tmp_path: Path) -> None:
    done = sevenbag(
        "play", "random", "random", "--json", "--seed", "1", "--pieces", "3", folder=tmp_path
    )
    result = json.loads(done.stdout)
    assert result["seed"] == 1
    assert result["ending"] == "pieces"
    assert result["winner"] is None
    assert [player["pieces"] for player in result["players"]] == [3, 3]
    assert result["replay"] == "replays/match-1.replay"


def test_same_seed_gives_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        words = ("random:seed=1", "random:seed=2", "--seed", "8", "--replay", f"{name}.replay")
        assert sevenbag("play", *words, "--quiet", folder=tmp_path).returncode == 0
    assert (tmp_path / "a.replay").read_bytes() == (tmp_path / "b.replay").read_bytes()


@pytest.mark.slow
def test_beam_in_two_processes_gives_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        run_ok(
            *("play", "beam:nodes=300", "tbp:sevenbag serve beam:nodes=300 --as tbp"),
            *("--seed", "8", "--ramp", "60", "--replay", f"{name}.replay", "--quiet"),
            folder=tmp_path,
        )
    replay = checked(tmp_path / "a.replay")
    assert replay.outcome.winner is not None
    assert sum(score.attack for score in replay.outcome.score) > 0
    assert (tmp_path / "a.replay").read_bytes() == (tmp_path / "b.replay").read_bytes()


def test_times_are_stored_on_request_only(tmp_path: Path) -> None:
    sevenbag("play", "random", "random", "--times", "--seed", "1", "--quiet", folder=tmp_path)
    replay = checked(tmp_path / "replays/match-1.replay")
    assert all(turn.milliseconds is not None for turn in replay.turns)


def test_ramp_is_stored_in_the_rules(tmp_path: Path) -> None:
    sevenbag("play", "random", "random", "--ramp", "20", "--seed", "1", "--quiet", folder=tmp_path)
    rules = checked(tmp_path / "replays/match-1.replay").header.rules
    assert rules["name"] == "guideline, ramp at 20"
    assert rules["attack"]["multiplier_margin"] == 600
    assert rules["attack"]["multiplier_growth"] > 0


def test_no_replay_option(tmp_path: Path) -> None:
    done = sevenbag("play", "random", "random", "--no-replay", "--quiet", folder=tmp_path)
    assert "replay" not in done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["randm", "random"], "no bot 'randm'"),
        (["random", "beam:width=x"], "width"),
        (["random", "tbp:"], "tbp:"),
        (["random", "tbp:no-such-program --fast"], "no such command: no-such-program"),
        (["./my-bot", "beam"], "did you mean 'tbp:./my-bot'?"),
        (["random", "random", "--rules", "magic"], "magic"),
        (["random", "random", "--rules", "magic.toml"], "magic.toml: cannot be read"),
        (["random", "random", "--replay", "/dev/null"], "no file"),
        (["random", "random", "--seed", "x"], "expected integer from 0 to 2147483646, got 'x'"),
        (["random", "random", "--seed", "-1"], "expected integer from 0 to 2147483646, got '-1'"),
        (["random", "random", "--pieces", "0"], "--pieces"),
        (["random", "random", "--pieces", "1000000000"], "expected integer from 1 to 100000, got"),
        (["random", "random", "--ramp", "x"], "--ramp"),
        (["random", "random", "--pps", "nan"], "--pps"),
        (["random", "random", "--pps", "3"], "--pps needs --real-time; --speed"),
        (["random", "random", "--ms", "5", "--nodes", "5"], "--nodes"),
        (["random"], "required: B"),
        (["random", "random", "--replay", "no/such/folder.replay"], "cannot be written"),
        (["random", "random", "--replay", "."], "cannot be written"),
    ],
)
def test_invalid_arguments_are_reported(words: list[str], message: str, tmp_path: Path) -> None:
    assert_rejected(message, "play", *words, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "reason", "words"),
    [
        (f"{sys.executable} -c 'raise SystemExit(3)'", "no start", "ended with exit code 3"),
        (f"{sys.executable} -c 'print(1)'", "no start", "ended with exit code 0"),
        pytest.param(
            f"{sys.executable} -c 'import os; os.close(1); input()'",
            "no start",
            "closed its output",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_bot_that_does_not_start_loses(
    command: str, reason: str, words: str, tmp_path: Path
) -> None:
    output = run_ok("play", "random", f"tbp:{command}", "--seed", "7", "--json", folder=tmp_path)
    result = json.loads(output)
    assert (result["winner"], result["ending"]) == (0, "fall")
    assert result["players"][1]["fall"]["reason"] == reason
    assert words in result["players"][1]["fall"]["detail"]
    replay = checked(tmp_path / "replays/match-7.replay")
    assert replay.turns == ()
    assert replay.header.players[1].spec == f"tbp:{command}"
    assert "wins: " in sevenbag("replay", "show", tmp_path / "replays/match-7.replay").stdout


def test_rules_file_is_stored_in_the_replay(tmp_path: Path) -> None:
    preset = resources.files("sevenbag.game") / "presets" / "guideline.toml"
    for name in ("mine.toml", "mine"):
        (tmp_path / name).write_text(preset.read_text().replace("visible = 20", "visible = 18"))
        words = ("--rules", name, "--quiet", "--seed", "1", "--replay", f"{name}.replay")
        assert sevenbag("play", "random", "random", *words, folder=tmp_path).returncode == 0
        rules = checked(tmp_path / f"{name}.replay").header.rules
        assert rules["name"] == "mine"
        assert rules["board"]["visible"] == 18


def test_default_file_name_is_free(tmp_path: Path) -> None:
    words = ("random", "random", "--seed", "7", "--quiet", "--pieces", "3")
    told = [sevenbag("play", *words, folder=tmp_path).stdout for _ in range(3)]
    names = ["match-7.replay", "match-7-2.replay", "match-7-3.replay"]
    assert all(f"replay: replays/{name}  " in out for name, out in zip(names, told, strict=True))
    assert {each.name for each in (tmp_path / "replays").iterdir()} == set(names)


@pytest.mark.faults
def test_named_file_is_replaced_by_finished_games_only(tmp_path: Path) -> None:
    mine = tmp_path / "mine.replay"
    short = ("random", "random", "--replay", mine, "--quiet", "--pieces")
    for pieces in (2, 3):
        assert sevenbag("play", *short, str(pieces), folder=tmp_path).returncode == 0
        assert len(checked(mine).turns) == pieces
    for name, kept in (("mine.replay", "mine-2.replay"), ("mine-2.replay", "mine-2.replay")):
        match, _ = slow_match(tmp_path, "--replay", name)
        match.send_signal(signal.SIGINT)
        _, error = match.communicate(timeout=120)
        assert error == f"sevenbag: interrupted; replay of the unfinished game: {kept}\n"
    assert checked(mine).outcome.finished
    assert not checked(tmp_path / "mine-2.replay").outcome.finished


@pytest.mark.faults
def test_unwritable_replay_does_not_lose_the_result(tmp_path: Path) -> None:
    match, bot = slow_match(tmp_path, "--replay", "games/a.replay", make=tmp_path / "games")
    (tmp_path / "games").rmdir()
    os.kill(bot, signal.SIGKILL)
    out, error = match.communicate(timeout=120)
    assert match.returncode == 1
    assert "beam wins: dropper (tbp) lost by crash" in out
    assert error.startswith(
        "sevenbag: the replay is not stored: games/a.replay: cannot be written: No"
    )
    assert len(error.splitlines()) == 1


def test_replay_and_result_name_the_players(tmp_path: Path) -> None:
    done = sevenbag(
        *("play", "beam:nodes=70,ms=9000", QUICK_BOT, "--nodes", "50", "--pieces", "2", "--json"),
        *("--replay", "a.replay"),
        folder=tmp_path,
    )
    assert done.returncode == 0
    assert done.stderr == (
        f"sevenbag: --nodes is ignored for {QUICK_BOT}: TBP has no such limit; set it in the"
        " bot's command\n"
    )
    first, second = checked(tmp_path / "a.replay").header.players
    assert (first.name, first.spec) == ("beam", "beam:nodes=70,ms=9000")
    assert (first.nodes, first.milliseconds) == (50, 9000)
    assert (second.name, second.spec) == ("dropper (tbp)", QUICK_BOT)
    assert (second.nodes, second.milliseconds) == (None, None)
    told = json.loads(done.stdout)["players"]
    assert [player["name"] for player in told] == ["beam", "dropper (tbp)"]
    assert [player["spec"] for player in told] == ["beam:nodes=70,ms=9000", QUICK_BOT]
    assert [player["nodes"] for player in told] == [50, None]


def test_default_limits_are_stored(tmp_path: Path) -> None:
    words = ("beam", "beam:width=30", "--pieces", "1", "--replay", "a.replay")
    done = sevenbag("play", *words, folder=tmp_path)
    first, second = checked(tmp_path / "a.replay").header.players
    assert (first.name, second.name) == ("beam", "beam:width=30")
    assert (first.nodes, second.nodes) == (50_000, None)
    assert "  beam: beam, 50000 nodes a move\n  beam:width=30: beam:width=30\n" in done.stdout


def test_ignored_limits_are_reported(tmp_path: Path) -> None:
    words = ("random", QUICK_BOT, "--ms", "1", "--pieces", "1", "--quiet", "--no-replay")
    lines = sevenbag("play", *words, folder=tmp_path).stderr.splitlines()
    assert lines[0] == "sevenbag: --ms is ignored for random: the bot has no limits"
    assert lines[1].startswith(
        f"sevenbag: --ms 1 is the time after which {QUICK_BOT} is asked for its move"
    )
    assert len(lines) == 2


def test_limits_ignored_by_triangle_bots(tmp_path: Path) -> None:
    engine = "triangle:sevenbag serve random --as triangle"
    words = (engine, "random", "--ms", "1", "--pieces", "1", "--quiet", "--no-replay")
    told, *_ = sevenbag("play", *words, folder=tmp_path).stderr.splitlines()
    assert told.startswith(f"sevenbag: --ms is ignored for {engine}: the Triangle.js protocol")


def slow_match(
    folder: Path, *words: str, make: Path | None = None
) -> tuple[subprocess.Popen[str], int]:
    """Start a long match; return it after some turns, with the pid of its external bot."""
    if make is not None:
        make.mkdir()
    (folder / "calm.toml").write_text(CALM)
    rules = ("--rules", "calm.toml", "--speed", "3", "--seed", "5")
    match = start(*("play", "beam:nodes=20", QUICK_BOT, *rules, *words), folder=folder)
    assert match.stdout is not None
    while not match.stdout.readline().startswith("   3"):
        assert match.poll() is None
    return match, foreign_bot(match.pid)


def foreign_bot(match: int) -> int:
    for pid in descendants(match):
        with open(f"/proc/{pid}/cmdline", "rb") as file:  # noqa: PTH123
            if b"dropper.py" in file.read():
                return pid
    raise AssertionError("no foreign bot runs")


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGINT,
        pytest.param(signal.SIGTERM, marks=pytest.mark.faults),
        pytest.param(signal.SIGHUP, marks=pytest.mark.faults),
    ],
)
def test_interrupt_stores_the_played_turns(number: signal.Signals, tmp_path: Path) -> None:
    match, _ = slow_match(tmp_path)
    children = descendants(match.pid)
    match.send_signal(number)
    match.send_signal(number)
    out, error = match.communicate(timeout=120)
    assert match.returncode == 128 + number
    assert "Traceback" not in out + error
    assert error == "sevenbag: interrupted; replay of the unfinished game: replays/match-5.replay\n"
    wait_until(lambda: not any(alive(child) for child in children))
    replay = checked(tmp_path / "replays/match-5.replay")
    assert not replay.outcome.finished
    assert replay.outcome.winner is None
    assert len(replay.turns) >= 3


@pytest.mark.faults
def test_killed_external_bot_loses(tmp_path: Path) -> None:
    match, bot = slow_match(tmp_path)
    children = descendants(match.pid)
    os.kill(bot, signal.SIGKILL)
    out, error = match.communicate(timeout=120)
    assert match.returncode == 0
    assert error == ""
    assert "lost by crash" in out
    wait_until(lambda: not any(alive(child) for child in children))
    replay = checked(tmp_path / "replays/match-5.replay")
    assert replay.outcome.winner == 0
    assert replay.outcome.losses[1] is not None
    assert replay.outcome.losses[1].reason == "crash"


@pytest.mark.faults
def test_killing_the_arena_leaves_no_bot_behind(tmp_path: Path) -> None:
    match, bot = slow_match(tmp_path)
    match.kill()
    match.communicate(timeout=120)
    wait_until(lambda: not alive(bot))


def test_closed_output_ends_the_match(tmp_path: Path) -> None:
    match, bot = slow_match(tmp_path)
    assert match.stdout is not None
    match.stdout.close()
    assert match.wait(timeout=120) == 128 + signal.SIGPIPE
    assert match.stderr is not None
    assert "Traceback" not in match.stderr.read()
    match.stderr.close()
    wait_until(lambda: not alive(bot))


def test_real_time_game_from_a_board(tmp_path: Path) -> None:
    words = ("beam:nodes=40", "tbp:sevenbag serve beam:nodes=40", "--seed", "3", "--pieces", "12")
    board = "v115@9gF8DeF8DeF8DeF8NeAAA"
    more = ("--rules", "ppt", "--real-time", "--pps", "4", "--nps", "1000", "--opening", board)
    output = run_ok("play", *words, *more, "--plain", folder=tmp_path)
    replay = checked(tmp_path / "replays/match-3.replay")
    assert replay.header.is_real_time
    assert replay.header.opening == board
    shown = sevenbag("replay", "show", tmp_path / "replays/match-3.replay", "--plain")
    lines = [line for line in output.splitlines() if line[:6].strip().isdecimal()]
    assert lines == [line for line in shown.stdout.splitlines() if line[:6].strip().isdecimal()]
    assert [int(line.split()[0]) for line in lines] == [turn.frame for turn in replay.turns]
    # At four pieces per second.
    assert min(turn.frame or 0 for turn in replay.turns) >= 15
    assert_rejected("invalid fumen", "play", *words, "--opening", "v115@x", folder=tmp_path)


def test_frame_by_frame_game(tmp_path: Path) -> None:
    words = ("beam:nodes=40", "tbp:sevenbag serve beam:nodes=40", "--seed", "3", "--pieces", "30")
    more = ("--rules", "tetrio-league", "--real-time", "--frames", "--pps", "4", "--nps", "1000")
    output = run_ok("play", *words, *more, "--plain", folder=tmp_path)
    replay = checked(tmp_path / "replays/match-3.replay")
    assert replay.header.time == "frames"
    shown = sevenbag("replay", "show", tmp_path / "replays/match-3.replay", "--plain")
    assert shown.returncode == 0
    lines = [line for line in output.splitlines() if line[:6].strip().isdecimal()]
    assert lines == [line for line in shown.stdout.splitlines() if line[:6].strip().isdecimal()]
    assert len(lines) >= 30
    assert_rejected("--real-time", "play", *words, "--frames", folder=tmp_path)


def test_bot_too_slow_for_falling_pieces(tmp_path: Path) -> None:
    """Its pieces lock by themselves, the game continues, and the replay can be played back."""
    words = ("random", "random", "--seed", "3", "--pieces", "10", "--rules", "tetrio-league")
    more = ("--real-time", "--frames", "--pps", "0.04", "--plain")
    run_ok("play", *words, *more, folder=tmp_path)
    replay = checked(tmp_path / "replays/match-3.replay")
    assert any(not any(turn.placed) for turn in replay.turns)
    stats = sevenbag("replay", "stats", tmp_path / "replays/match-3.replay", "--json")
    assert stats.returncode == 0
    assert json.loads(stats.stdout)["players"][0]["pieces"] >= 9
