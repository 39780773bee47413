"""Tests of ``sevenbag match`` with real commands and folders."""

import json
import re
import signal
from pathlib import Path

import pytest

from sevenbag.arena.tournament.tournament_files import read_games, read_header
from sevenbag.formats.replay_file import Replay
from tests.cli.run import (
    QUICK_BOT,
    assert_rejected,
    run_in_terminal,
    run_ok,
    sevenbag,
    start,
    wait_until,
)

pytestmark = pytest.mark.usefixtures("no_single_worker")

QUICK = ("--pieces", "8")


def result_of(*words: str | Path, folder: Path) -> dict[str, object]:
    output = run_ok("match", *words, "--json", folder=folder)
    data: dict[str, object] = json.loads(output)
    return data


def test_match_is_printed_and_stored(tmp_path: Path) -> None:
    words = ("beam:nodes=30", "random:seed=1", "--games", "4", *QUICK)
    output = run_ok("match", *words, folder=tmp_path)
    lines = output.splitlines()
    assert [line.partition(":")[0] for line in lines[:4]] == [f"game {n}" for n in (1, 2, 3, 4)]
    assert "beam - random" in lines[0]
    assert "random - beam" in lines[1]
    assert lines[4].split() == [
        *("engine", "games", "points", "won", "drawn", "lost", "resigned", "%", "APP", "faults")
    ]
    folder = tmp_path / "matches/beam-nodes=30-random-seed=1"
    assert lines[-1] == f"folder: {folder.relative_to(tmp_path)}"
    header = read_header(folder)
    assert len(read_games(folder, header)) == 4
    assert len(list((folder / "replays").iterdir())) == 4


def test_game_numbers_are_consistent(tmp_path: Path) -> None:
    words = ("beam:nodes=30", "random:seed=1", "--games", "4", "--folder", "m", *QUICK)
    done = sevenbag("match", *words, folder=tmp_path)
    lines = [int(line.split(":")[0].removeprefix("game ")) for line in done.stdout.splitlines()[:4]]
    games = read_games(tmp_path / "m", read_header(tmp_path / "m"))
    assert lines == [game.id for game in games]
    assert sorted(lines) == [1, 2, 3, 4]
    assert [game.replay for game in games] == [f"replays/{number}.replay" for number in lines]
    sevenbag("report", "m", folder=tmp_path)
    page = (tmp_path / "m/report.html").read_text()
    assert {number for number in range(6) if f'data-game="{number}"' in page} == set(lines)


TIME = r"(\d+ s|\d+:\d\d (min|h))"


def test_game_lines_show_rate_and_remaining_time(tmp_path: Path) -> None:
    words = ("beam:nodes=30", "random:seed=1", "--folder", "m", *QUICK)
    lines = sevenbag("match", *words, "--games", "3", folder=tmp_path).stdout.splitlines()
    for number, line in enumerate(lines[:2], start=1):
        assert re.search(rf" \[{number} of 3 games, [.\d]+ games/s, {TIME} left\]$", line)
    assert re.search(r" \[3 of 3 games, [.\d]+ games/s\]$", lines[2])
    # If the results decide when the match ends, the maximum is shown.
    words = ("beam:nodes=30", "beam:nodes=40", "--first-to", "1", *QUICK)
    first = sevenbag("match", *words, folder=tmp_path).stdout.splitlines()[0]
    told = rf" \[1 of at most 20 games, [.\d]+ games/s(, at most {TIME} left)?\]$"
    assert re.search(told, first)


def test_pps_equals_pps_of_replays(tmp_path: Path) -> None:
    timing = ("--real-time", "--pps", "3", "--nps", "2000")
    for words in ((), timing):
        folder = f"m{len(words)}"
        bots = ("beam:nodes=80", "beam:nodes=40", "--games", "1", "--folder", folder)
        result_of(*bots, *words, *QUICK, folder=tmp_path)
        told = json.loads(sevenbag("stats", folder, "--json", folder=tmp_path).stdout)
        replay = tmp_path / folder / "replays/1.replay"
        players = json.loads(sevenbag("replay", "stats", replay, "--json").stdout)["players"]
        stats = {engine["name"]: engine["pps"] for engine in told["engines"]}
        assert {player["name"]: player["pps"] for player in players} == stats
        for command in (["stats", folder], ["replay", "stats", replay]):
            assert "PPS (game clock)" in sevenbag(*command, folder=tmp_path).stdout


def test_winner_is_named(tmp_path: Path) -> None:
    words = ("random:seed=5", "beam:nodes=80", "--games", "2", "--pieces", "60")
    assert result_of(*words, folder=tmp_path)["winner"] == "beam"
    # Equal bots with equal pieces draw.
    words = ("beam:nodes=50", "beam:nodes=50", "--games", "2", *QUICK)
    assert result_of(*words, folder=tmp_path)["winner"] is None


def script(folder: Path, name: str) -> str:
    """Write a TBP bot that announces a name and plays."""
    path = folder / f"{len(list(folder.iterdir()))}.sh"
    info = {"type": "info", "name": name, "version": "", "author": "", "features": []}
    bot = QUICK_BOT.removeprefix("tbp:")
    path.write_text(f"echo '{json.dumps(info)}'\n{bot} | sed -u 1d\n")
    return f"tbp:sh {path}"


def test_announced_names_are_used(tmp_path: Path) -> None:
    words = (script(tmp_path, "Cold Clear"), script(tmp_path, "Cold Clear"))
    told = result_of(*words, "--games", "2", "--folder", "m", *QUICK, folder=tmp_path)
    names = ["Cold Clear (tbp) (1)", "Cold Clear (tbp) (2)"]
    assert told["name"] == " - ".join(names)
    assert sorted(engine["name"] for engine in told["engines"]) == names  # type: ignore[attr-defined]
    header = read_header(tmp_path / "m")
    assert [engine.name for engine in header.engines] == names
    for game, order in zip(read_games(tmp_path / "m", header), (names, names[::-1]), strict=True):
        assert list(game.names) == order
        players = Replay.load(tmp_path / "m" / str(game.replay)).header.players
        assert [player.name for player in players] == order
    for command in ("stats", "report"):
        done = sevenbag(command, "m", folder=tmp_path)
        page = (tmp_path / "m/report.html").read_text() if command == "report" else done.stdout
        assert all(name in page for name in names)
    # Announced names do not make it a different match.
    again = result_of(*words, "--games", "2", "--folder", "m", "--resume", *QUICK, folder=tmp_path)
    assert again == told
    # Built-in bots have their options as a suffix.
    told = result_of("beam:nodes=20", "beam:nodes=30", "--games", "1", *QUICK, folder=tmp_path)
    assert told["name"] == "beam:nodes=20 - beam:nodes=30"


def test_names_can_be_set(tmp_path: Path) -> None:
    words = ("random", script(tmp_path, "Cold Clear"), "--games", "1", *QUICK)
    told = result_of(*words, "--name", "A=Me", folder=tmp_path)
    assert told["name"] == "Me - Cold Clear (tbp)"
    told = result_of(*words, "--name", "A=Me", "--name", "B=You", folder=tmp_path)
    assert told["name"] == "Me - You"
    for wrong in (("C=x",), ("A=",), ("A=x", "A=y")):
        options = [word for name in wrong for word in ("--name", name)]
        assert_rejected("name", "match", *words, *options, folder=tmp_path)


def test_long_names_are_shortened_in_the_middle(tmp_path: Path) -> None:
    long = "A bot with a name that is far too long for any table"
    words = ("random", script(tmp_path, long), "--games", "1", *QUICK)
    told = result_of(*words, folder=tmp_path)
    assert told["name"] == "random - A bot with a name t… for any table (tbp)"


def test_existing_match_is_not_overwritten(tmp_path: Path) -> None:
    words = ("random:seed=1", "random:seed=2", "--games", "1", *QUICK)
    folders = [result_of(*words, folder=tmp_path)["folder"] for _ in range(3)]
    assert folders == [
        f"matches/random-seed=1-random-seed=2{number}" for number in ("", "-2", "-3")
    ]
    # --resume continues the last one, which is finished.
    assert result_of(*words, "--resume", folder=tmp_path)["folder"] == folders[-1]
    other = (*words[:3], "2", *QUICK)
    assert result_of(*other, "--resume", folder=tmp_path)["folder"] not in folders


@pytest.mark.parametrize(
    ("bots", "pieces", "decision"),
    [
        (("beam:nodes=80", "random:seed=5"), "60", "H1"),
        (("beam:nodes=30", "beam:nodes=30"), "8", "H0"),
    ],
)
def test_sprt_decides(bots: tuple[str, ...], pieces: str, decision: str, tmp_path: Path) -> None:
    words = (*bots, "--sprt", "0,300", "--pieces", pieces, "--workers", "2")
    result = result_of(*words, "--folder", "m", folder=tmp_path)
    assert result["decision"] == decision
    told = sevenbag("stats", "m", folder=tmp_path).stdout
    assert re.search(rf"LLR: .* \(normalized\), {decision} accepted", told)


@pytest.mark.slow
def test_same_command_plays_the_same_match(tmp_path: Path) -> None:
    words = ("beam:nodes=40", "beam:nodes=80", "--sprt", "0,120", "--pieces", "30")
    once = result_of(*words, "--folder", "once", folder=tmp_path)
    twice = result_of(*words, "--folder", "twice", "--workers", "2", folder=tmp_path)
    assert once["decision"] in {"H0", "H1"}
    assert once["elo"].keys() == {"value", "low", "high"}  # type: ignore[attr-defined]
    told = sevenbag("match", "--resume", "--folder", "once", folder=tmp_path).stdout
    assert re.search(r"^Elo: [-+.0-9inf]+ \+/- [.0-9inf]+, nElo: ", told, re.MULTILINE)
    bounds = r"\(-2.94, 2.94\) \[0.00, 120.00\] \(normalized\)"
    test = rf"LLR: -?[.0-9]+ {bounds}, {once['decision']} accepted"
    assert re.search(test, told)
    assert re.search(test, sevenbag("stats", "once", folder=tmp_path).stdout)
    sevenbag("report", "once", folder=tmp_path)
    assert re.search(test, (tmp_path / "once/report.html").read_text())
    assert {**once, "folder": "", "played": 0} == {**twice, "folder": "", "played": 0}


def test_first_to(tmp_path: Path) -> None:
    words = ("beam:nodes=80", "random:seed=5", "--first-to", "3", "--pieces", "60")
    data = result_of(*words, folder=tmp_path)
    assert data["games"] == 3
    assert [(e["name"], e["wins"]) for e in data["engines"]] == [  # type: ignore[attr-defined]
        ("beam", 3),
        ("random", 0),
    ]


def test_unpaired_game_is_mentioned(tmp_path: Path) -> None:
    bots = ("beam:nodes=20", "random:seed=5", "--pieces", "20", "--no-replay")
    for games, note in (("2", None), ("3", "1 game without its pair is not counted"), ("1", None)):
        played = sevenbag("match", *bots, "--games", games, "--folder", games, folder=tmp_path)
        told = sevenbag("stats", games, folder=tmp_path)
        page = tmp_path / f"{games}.html"
        assert sevenbag("report", games, "-o", page, folder=tmp_path).returncode == 0
        for text in (played.stdout, told.stdout, page.read_text(encoding="utf-8")):
            assert ("without its pair" in text) == (note is not None)
            assert note is None or note in text


def test_all_options_of_a_game(tmp_path: Path) -> None:
    book = tmp_path / "book.txt"
    book.write_text("77\nv115@9gF8DeF8DeF8DeF8NeAAA 78\n")
    words = ["beam:nodes=30", "beam:nodes=20", "--pairs", "2", "--rules", "ppt", *QUICK]
    words += ["--real-time", "--pps", "3", "--nps", "1000", "--bank", "60000", "--increment", "10"]
    words += ["--lead", "30", "--double", "attack", "--openings", str(book)]
    data = result_of(*words, folder=tmp_path)
    folder = tmp_path / str(data["folder"])
    replays = [Replay.load(folder / f"replays/{number}.replay") for number in range(1, 5)]
    assert [replay.header.seed for replay in replays] == [77, 77, 78, 78]
    assert [replay.header.opening for replay in replays] == [None] * 2 + [
        "v115@9gF8DeF8DeF8DeF8NeAAA"
    ] * 2
    header = replays[0].header
    assert header.is_real_time
    assert header.players[0].clock is not None
    assert (header.players[0].clock.bank, header.players[0].pps) == (60000, 3)
    assert header.adjudication is not None
    assert (header.adjudication.lead, header.adjudication.double) == (30, "attack")
    shown = sevenbag("replay", "show", folder / "replays/4.replay", folder=tmp_path)
    assert shown.returncode == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "expected two bots"),
        (("random",), "two bots"),
        (("randm", "random"), "no bot 'randm'"),
        (("random", "tbp:no-such-program"), "no such command"),
        (("random", "random", "--sprt", "5"), "expected two numbers such as 0,50"),
        (("random", "random", "--sprt", "50,0"), "elo0"),
        (("random", "random", "--sprt", "0,50", "--first-to", "3"), "first-to"),
        (("random", "random", "--games", "2", "--pairs", "1"), "--pairs"),
        (("random", "random", "--games", "0"), "--games"),
        (("random", "random", "--openings", "none.txt"), "none.txt: cannot be read"),
        (("random", "random", "--rules", "magic"), "magic"),
        (("random", "random", "--workers", "2", "--cluster", "x"), "--cluster"),
        (("--resume", "--folder", "none"), "no such file"),
        (("--resume",), "--folder"),
        (
            ("random", "random", "--real-time", "--pps", "100"),
            "invalid engines[0].limits.pps: expected number above 0 to 60",
        ),
        (("random", "random", "--pps", "3"), "real-time"),
        (("random", "random", "--wall"), "real-time"),
        (("random", "random", "--increment", "3"), "a bank"),
        (("random", "random", "--alpha", "0.1"), "need --sprt"),
        (("random", "random", "--workers", "100000"), "expected integer from 1 to 1024, got"),
    ],
)
def test_invalid_input_is_reported_before_the_first_game(
    words: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    assert_rejected(message, "match", *words, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_folder_of_another_match_is_unchanged(tmp_path: Path) -> None:
    words = ("random:seed=1", "random:seed=2", "--folder", "f", *QUICK)
    result_of(*words, "--games", "1", folder=tmp_path)
    assert_rejected("--resume continues it", "match", *words, "--games", "1", folder=tmp_path)
    again = ("match", *words, "--games", "2", "--resume")
    assert_rejected("with other settings", *again, folder=tmp_path)


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGINT,
        pytest.param(signal.SIGTERM, marks=pytest.mark.faults),
        pytest.param(signal.SIGHUP, marks=pytest.mark.faults),
    ],
)
def test_interrupt_prints_how_to_continue(number: signal.Signals, tmp_path: Path) -> None:
    words = ("beam:nodes=300", "beam:nodes=300", "--games", "100000", "--folder", "f", *QUICK)
    process = start("match", *words, folder=tmp_path)
    try:
        games = tmp_path / "f/games.jsonl"
        wait_until(lambda: games.exists() and games.stat().st_size > 0)
        process.send_signal(number)
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()
    if number == signal.SIGINT:
        assert process.returncode == 130
        assert "to continue: sevenbag match --resume --folder 'f'" in err
    else:
        assert process.returncode in {-number, 128 + number}
    assert "Traceback" not in out + err
    before = games.read_bytes().count(b"\n")
    process = start("match", "--resume", "--folder", "f", "--quiet", folder=tmp_path)
    try:
        wait_until(lambda: games.read_bytes().count(b"\n") > before)
    finally:
        process.kill()
        process.communicate()


def test_live_table_in_a_terminal(tmp_path: Path) -> None:
    words = ("match", "beam:nodes=30", "beam:nodes=20", "--games", "4", *QUICK)
    code, text = run_in_terminal(*words, folder=tmp_path, columns=120)
    assert code == 0
    assert "━" in text
    assert re.search(rf"\d of 4 games, [.\d]+ games/s, {TIME} left", text)
    assert "folder: matches/" in text


@pytest.mark.parametrize("words", [("--pieces", "60"), ("--real-time",), ("--no-replay",)])
def test_options_without_effect_on_resume_are_rejected(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    begun = ("beam:nodes=30", "random:seed=1", "--games", "2", "--folder", "m", *QUICK)
    assert sevenbag("match", *begun, "--quiet", folder=tmp_path).returncode == 0
    told = f"sevenbag: {words[0]}: without two bots all settings are those of the folder\n"
    assert_rejected(told, "match", "--resume", "--folder", "m", *words, folder=tmp_path)
    assert sevenbag("match", "--resume", "--folder", "m", folder=tmp_path).returncode == 0


@pytest.mark.parametrize(
    "words", [("--games", "5", "--quiet"), ("--games", "5", "--json"), ("--first-to", "3")]
)
def test_bot_that_never_starts_ends_the_match(words: tuple[str, ...], tmp_path: Path) -> None:
    broken = "tbp:sh -c 'echo no model file >&2; exit 3'"
    done = sevenbag("match", broken, "beam:nodes=20", *QUICK, *words, folder=tmp_path)
    assert done.returncode == 1
    reason = "ended with exit code 3; last error line: no model file"
    error, hint = done.stderr.splitlines()
    assert error.startswith("sevenbag: ")
    assert error.endswith(f"failed to start in 3 games in a row: {reason}")
    assert hint.endswith("; --recover continues after failed starts")
    [folder] = (tmp_path / "matches").iterdir()
    assert len(read_games(folder, read_header(folder))) == 3
    # The folder is intact: with --recover the match continues.
    resumed = ("match", "--resume", "--folder", folder, "--recover")
    assert sevenbag(*resumed, folder=tmp_path).returncode == 0


@pytest.mark.parametrize("words", [("--games", "1", "--quiet"), ("--games", "2", "--json")])
def test_bot_that_never_starts_in_a_short_match(words: tuple[str, ...], tmp_path: Path) -> None:
    broken = "tbp:sh -c 'echo no model file >&2; exit 3'"
    command = ("match", "beam:nodes=20", broken, *QUICK, *words, "--folder", "m")
    done = sevenbag(*command, folder=tmp_path)
    assert done.returncode == 1
    assert "beam" in done.stdout
    reason = "ended with exit code 3; last error line: no model file"
    assert done.stderr.splitlines()[-1].endswith(f"failed to start in any of its games: {reason}")
    command = (*command[:-1], "again", "--recover")
    assert sevenbag(*command, folder=tmp_path).returncode == 0


def test_bot_without_info_ends_the_match(tmp_path: Path) -> None:
    silent = "tbp:info_seconds=0.1:cat"
    words = ("beam:nodes=20", silent, "--games", "5", "--quiet", *QUICK)
    done = sevenbag("match", *words, folder=tmp_path)
    assert done.returncode == 1
    assert "failed to start in 3 games in a row: no info within 0.1 s" in done.stderr


def test_occasional_failed_starts_do_not_end_the_match(tmp_path: Path) -> None:
    # Every third start succeeds until the first request.
    script = tmp_path / "bot.sh"
    script.write_text(
        "echo >> starts\n"
        "[ $(($(wc -l < starts) % 3)) = 0 ] || exit 3\n"
        """echo '{"type":"info","name":"x","version":"1","author":"us","features":[]}'\n"""
        "read rules\n"
        """echo '{"type":"ready"}'\n"""
        "read start\nread suggest\n"
    )
    words = ("beam:nodes=20", f"tbp:sh {script}", "--games", "7", *QUICK)
    result = result_of(*words, folder=tmp_path)
    assert result["games"] == 7
