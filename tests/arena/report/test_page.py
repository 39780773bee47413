"""The page of a report, opened from a file in a real browser."""

import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sevenbag.arena.report import render_report, write_report
from sevenbag.arena.report.charts import escape_text
from sevenbag.arena.report.report_page import embed_json, encode_game
from sevenbag.arena.runner.game_options import GameConfig
from sevenbag.arena.tournament.tournament_summary import read_tournament_summary
from sevenbag.bots.bot import shorten_name
from sevenbag.drawing import COLORS
from sevenbag.errors import FormatError
from sevenbag.formats import replay_file as replay_format
from sevenbag.formats.replay_file import Replay
from sevenbag.game import Rules
from sevenbag.game.game_config import RealTime
from sevenbag.replay.playback import Playback
from tests.arena.tournaments import RULES, make_tournament, played
from tests.browser import Page

EVIL = '<img src=x onerror="window.hacked=1">'
END = "</script><script>window.hacked=1</script>"

# The letter of each cell of a side's board, from the colours on the canvas.
READ_BOARD = """
([player, colors]) => {
  const canvas = document.querySelectorAll('.side canvas')[player];
  const pen = canvas.getContext('2d');
  const rows = (canvas.height - 4) / 20;
  const letters = Object.fromEntries(Object.entries(colors).map(([letter, color]) => [
    [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16)).join(), letter]));
  const board = [];
  for (let y = 0; y < rows; y += 1) {
    let row = '';
    for (let x = 0; x < 10; x += 1) {
      const pixel = pen.getImageData(94 + x * 20 + 10, 2 + (rows - 1 - y) * 20 + 10, 1, 1).data;
      row += letters[[...pixel.slice(0, 3)].join()] ?? '.';
    }
    board.push(row);
  }
  return board;
}
"""


@pytest.fixture(name="folder", scope="module")
def tournament(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tournament")
    make_tournament(folder, (EVIL, END), pairs=2)
    # One who holds plays as well.
    replay = played((EVIL, "", END), (0, 2), GameConfig(RULES, 3, pieces=40))
    said = replay_format.ReplaySearchInfo(nodes=2000.0, depth=7.0, extra=EVIL)
    turns = (replace(replay.turns[0], infos=(said, None)), *replay.turns[1:])
    replace(replay, turns=turns).write(folder / "replays" / "3.replay")
    return folder


@pytest.fixture(name="page_file", scope="module")
def written_page(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    assert write_report(folder, path) == []
    return path


# The games are played first, because no other event loop can run while the browser is open.
@pytest.fixture
def visit(
    folder: Path, bombs: Path, at_once: Path, new_page: Callable[..., Page]
) -> Iterator[Callable[..., Page]]:
    """Open the page of a report; fail if it asks for anything else."""
    asked_for: set[str] = set()
    opened: set[str] = set()

    def visited(path: Path, after: str = "") -> Page:
        opened.add(path.as_uri())
        page = new_page()
        page.on("request", lambda asked: asked_for.add(asked.url.partition("#")[0]))
        page.goto(path.as_uri() + after)
        return page

    yield visited
    assert asked_for == opened


@pytest.mark.browser
def test_page_opens_from_a_file_without_requests(
    visit: Callable[..., Page], page_file: Path
) -> None:
    page = visit(page_file)
    assert page.locator("svg.chart").count() >= 4
    assert page.locator("#games tbody tr").count() == 4


@pytest.mark.browser
def test_names_are_text_and_no_markup(visit: Callable[..., Page], page_file: Path) -> None:
    page = visit(page_file)
    page.click("button[data-game='1']")
    page.keyboard.press("ArrowRight")
    names = page.locator(".side h3").all_text_contents()
    assert names == [shorten_name(END, 40), EVIL]
    assert page.locator("td.name").and_(page.get_by_title(EVIL)).count() > 0
    assert page.locator("img").count() == 0
    assert page.evaluate("window.hacked") is None


@pytest.mark.browser
def test_the_player_plays_the_games(
    visit: Callable[..., Page], folder: Path, page_file: Path
) -> None:
    page = visit(page_file)
    for number in (0, 3):
        replay = Replay.load(folder / "replays" / f"{number}.replay")
        page.click(f"button[data-game='{number}']")
        turns = len(replay.turns)
        assert page.locator("#turn").get_attribute("max") == str(turns)
        expect_boards(page, replay, (turns, turns // 2, 1))
        told = page.locator("#description").text_content()
        assert told.startswith(f"{replay.header.players[0].name}: ")
        assert (", 2000 nodes, depth 7 — " in told) == (number == 3)
        page.keyboard.press("Escape")


def expect_boards(page: Any, replay: Replay, turns: tuple[int, ...]) -> None:
    playback = Playback(replay)
    for turn in turns:
        playback.rewind_to(turn)
        page.evaluate(
            "(turn) => { const slider = document.getElementById('turn'); slider.value = turn;"
            " slider.dispatchEvent(new Event('input')); }",
            turn,
        )
        for player in (0, 1):
            board = page.evaluate(READ_BOARD, [player, COLORS])
            expected = playback.game.players[player].colors
            assert board == list(expected[: len(board)])
            assert not any(row.strip(".") for row in expected[len(board) :])
            told = page.locator(".side p").nth(player).text_content()
            drawn = page.locator(".side canvas").nth(player).get_attribute("aria-label")
            side = playback.game.players[player]
            queue = "".join(piece.name for piece in side.queue)
            hold = side.hold.name if side.hold is not None else "empty"
            assert f", hold {hold}, next {queue[:6]}" in drawn
            done = playback.game.players[player].stats
            assert f"{done.pieces} pieces · {done.lines} lines · {done.attack} attack" in told


@pytest.fixture(name="bombs", scope="module")
def bomb_tournament(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Play a tournament with bombs, under which boards do not follow from placements."""
    folder = tmp_path_factory.mktemp("bombs")
    rules = Rules.preset("tetrio-bombs").replace({"garbage": {"travel": 0}})
    make_tournament(folder, ("quad", "low"), pairs=1, pieces=80, rules=rules)
    return folder


@pytest.mark.browser
def test_rules_with_other_boards_are_played_as_well(
    visit: Callable[..., Page], bombs: Path, tmp_path: Path
) -> None:
    replay = Replay.load(bombs / "replays" / "1.replay")
    told = encode_game(Playback(replay))
    assert re.search(r"g\d.*?k", told["steps"])
    path = tmp_path / "report.html"
    assert write_report(bombs, path) == []
    turns = len(replay.turns)
    page = visit(path, f"#game=1&turn={turns}")
    page.wait_for_selector("dialog[open]")
    position = page.locator("#position").text_content()
    assert position == f"turn {turns} of {turns} · {turns / 2:.1f} s"
    expect_boards(page, replay, (turns // 2, turns * 3 // 4, turns))


@pytest.fixture(name="at_once", scope="module")
def tournament_of_garbage_at_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Play a tournament under rules by which garbage enters at once."""
    folder = tmp_path_factory.mktemp("at once")
    make_tournament(folder, ("quad", "low"), pairs=1, pieces=5)
    rules = Rules.preset("pason-2012")
    times = RealTime(pps=(2, 3.1))
    replay = played(("quad", "low"), (0, 1), GameConfig(rules, 1, pieces=90, real_time=times))
    replay.write(folder / "replays" / "0.replay")
    return folder


@pytest.mark.browser
def test_attacks_are_shown_at_their_turn(
    visit: Callable[..., Page], at_once: Path, tmp_path: Path
) -> None:
    replay = Replay.load(at_once / "replays" / "0.replay")
    told = encode_game(Playback(replay))["steps"].split("|")
    changed = [number for number, turn in enumerate(told, 1) if re.search(r";[01]k", turn)]
    assert changed
    path = tmp_path / "report.html"
    write_report(at_once, path)
    page = visit(path, "#game=0")
    page.wait_for_selector("dialog[open]")
    expect_boards(page, replay, (changed[0], changed[0] + 1, changed[-1], len(told)))


@pytest.mark.browser
def test_keys_play_step_and_close(visit: Callable[..., Page], page_file: Path) -> None:
    page = visit(page_file)
    page.click("button[data-game='0']")

    def turn() -> int:
        return int(page.evaluate("document.getElementById('turn').value"))

    for key, expected in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("Home", 0)):
        page.keyboard.press(key)
        assert turn() == expected
    assert page.url.endswith("#game=0&turn=0")
    page.keyboard.press(" ")
    page.locator("#position", has_text=re.compile(r"turn ([3-9]|\d\d+) of")).wait_for()
    page.keyboard.press(" ")
    assert page.locator("#play").text_content() == "play"
    page.keyboard.press("Escape")
    page.wait_for_url(page_file.as_uri())
    assert not page.locator("dialog").is_visible()


@pytest.mark.browser
def test_games_are_filtered_and_the_theme_changes(
    visit: Callable[..., Page], page_file: Path
) -> None:
    page = visit(page_file)
    page.fill("#filter", "nobody")
    assert page.locator("#games tbody tr:visible").count() == 0
    page.fill("#filter", "onerror")
    assert page.locator("#games tbody tr:visible").count() == 4
    ground = "getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(ground)
    page.click("#theme")
    after = page.evaluate(ground)
    assert before != after
    page.click("#theme")
    assert page.evaluate(ground) == before


def test_page_has_no_external_resources(page_file: Path) -> None:
    page = page_file.read_text()
    assert not re.findall(r"""(?:src|href|url\(|@import)\s*=?\s*["'(]?\s*(?:https?:|//)""", page)
    assert "default-src 'none'" in page
    assert page.count("<script>") == 1


def test_games_beyond_the_limit_have_no_player(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_report(folder, path, most_games=1)
    page = path.read_text()
    assert page.count('data-game="') == 1
    assert page.count('type="application/json"') == 2


def test_a_replay_that_is_lost_or_broken_is_named(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "tournament"
    shutil.copytree(folder, copy)
    (copy / "replays" / "0.replay").unlink()
    (copy / "replays" / "1.replay").write_text("rubbish")
    faults = write_report(copy, tmp_path / "report.html")
    assert len(faults) == 2
    assert "No such file" in faults[0]
    assert "1.replay: line 1" in faults[1]
    assert (tmp_path / "report.html").read_text().count('data-game="') == 2


def test_a_tournament_without_games_has_a_page(tmp_path: Path) -> None:
    make_tournament(tmp_path, pairs=0)
    assert "Standings" in render_report(read_tournament_summary(tmp_path))


def test_invalid_folders_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(FormatError):
        write_report(tmp_path, tmp_path / "report.html")
    assert list(tmp_path.iterdir()) == []


def test_foreign_text_is_escaped() -> None:
    assert escape_text('<a href="x">&\'') == "&lt;a href=&quot;x&quot;&gt;&amp;&#x27;"
    assert escape_text("a\x00\x1b\u202eb") == "a???b"
    element = embed_json("x", {"name": END, "lines": "\u2028\u2029<!--"})
    assert element.count("<") == 2
    json = element.removeprefix('<script type="application/json" id="x">').removesuffix("</script>")
    assert msgspec.json.decode(json) == {"name": END, "lines": "\u2028\u2029<!--"}
