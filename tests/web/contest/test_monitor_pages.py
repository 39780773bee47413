"""The public pages in a real browser: a match as it is played, replays, the contest around it."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from sevenbag.contest.game.pason_replay import decode_replay
from sevenbag.drawing.picture import COLORS
from sevenbag.protocols.pason.pason_conversion import cell_bit
from tests.browser import Page
from tests.web.contest.conftest import Running
from tests.web.contest.hosted import GameServer
from tests.web.contest.publisher import filled
from tests.web.contest.recorded_game import play

pytestmark = pytest.mark.browser

TEAM: Final = "Beta & <b>Co</b>"
WELL: Final = "#14161b"


@pytest.fixture
def expected_errors() -> tuple[str, ...]:
    """Expect broken connections: tests break them."""
    return ("WebSocket connection", "ERR_CONNECTION_REFUSED")


@pytest.fixture
def visit(new_page: Callable[..., Page], site: Running) -> Callable[..., Page]:
    """Open a page of the site."""

    def opened(path: str = "", width: int = 1280, **options: Any) -> Page:
        page = new_page(
            viewport={"width": width, "height": 800}, reduced_motion="reduce", **options
        )
        page.goto(site.address + path)
        return page

    return opened


@pytest.fixture
def server(site: Running) -> Iterator[GameServer]:
    """A game server with a test match of the team."""
    with GameServer(site) as started:
        started.host(TEAM)
        yield started


COLOUR = """([well, row, column]) => {
    const canvas = document.querySelectorAll("canvas.board")[well];
    const cell = canvas.width / 10;
    const at = [(column + 0.5) * cell, (row + 0.5) * cell].map(Math.floor);
    const [r, g, b] = canvas.getContext("2d").getImageData(...at, 1, 1).data;
    return "#" + [r, g, b].map((each) => each.toString(16).padStart(2, "0")).join("");
}"""


def colour(page: Page, well: int, row: int, column: int) -> str:
    found: str = page.evaluate(COLOUR, [well, row, column])
    return found


def shows(page: Page, well: int, row: int, column: int, wanted: str) -> None:
    """Wait until a cell has a colour."""
    check = f"(where) => ({COLOUR})(where) === '{wanted}'"
    page.wait_for_function(check, arg=[well, row, column])


def figure(page: Page, name: str, seat: int) -> str:
    found: str = page.inner_text(f"[data-statistic={name}][data-seat='{seat}']")
    return found


def line(page: Page, text: str | re.Pattern[str]) -> None:
    """Wait for the text of a line."""
    page.locator("#connection", has_text=text).wait_for()


def test_a_match_from_its_first_piece_to_its_end(
    visit: Callable[..., Page], site: Running, server: GameServer
) -> None:
    page = visit(f"matches/{server.match}")
    line(page, "Waiting for the teams")
    states = server.states
    states.boards(filled(), filled())
    states.pieces(("T", 0, 4, 5), ("I", 1, 8, 0), "LJTSZ")
    line(page, "Live: Game 1")
    # A T points down at first: three cells in the row of its origin, one below.
    shows(page, 0, 4, 5, COLORS["T"])
    assert [colour(page, 0, 4, x) for x in (3, 4, 6, 7)] == [WELL, *[COLORS["T"]] * 2, WELL]
    assert [colour(page, 0, 5, x) for x in (4, 5, 6)] == [WELL, COLORS["T"], WELL]
    assert [colour(page, 1, y, 0) for y in (6, 7, 8, 9, 10, 11)] == [WELL, *[COLORS["I"]] * 4, WELL]
    label = page.get_attribute("canvas.queue", "aria-label")
    assert label == "Next pieces: L, J, T, S, Z"
    # It locks, and the other player, whose piece is falling, receives garbage.
    states.boards(filled("....TTT...", ".....T...."), filled("G.GG..G..G"))
    states.pieces(None, ("I", 1, 9, 0))
    states.figures((1200, 300), level=2, lines=(7, 3), pieces=(20, 19), games=(0, 0))
    shows(page, 1, 19, 0, COLORS["G"])
    assert colour(page, 1, 19, 1) == WELL
    assert colour(page, 0, 18, 4) == colour(page, 0, 19, 5) == COLORS["T"]
    page.locator("[data-statistic=score]", has_text="1,200").wait_for()
    assert [figure(page, name, 1) for name in ("score", "lines", "locked")] == ["300", "3", "19"]
    assert page.inner_text("[data-statistic=level]") == "2"
    # The text for screen readers agrees with the picture.
    described = page.locator(".player .visually-hidden")
    assert described.all_text_contents() == [
        "stack 2 of 20 rows high",
        "I falling, stack 1 of 20 rows high",
    ]
    # The game ends; its replay is there without anybody loading the page again.
    game = play(1, states.teams)
    server.end_game(game.result, game.replay)
    winner = game.result.winner
    line(page, f"{states.teams[winner]} has won Game 1")
    assert page.locator(f".won-game[data-seat='{winner}']").is_visible()
    assert page.locator(f".won-game[data-seat='{1 - winner}']").is_hidden()
    page.get_by_role("link", name="Watch game 1").wait_for()
    tally = " : ".join("1" if seat == winner else "0" for seat in (0, 1))
    page.locator(".tally strong", has_text=tally).wait_for()
    # The next one begins on empty boards.
    states.game = "Game 2"
    states.boards(filled(), filled())
    states.pieces(("Z", 0, 0, 5), None)
    line(page, "Live: Game 2")
    shows(page, 0, 0, 5, COLORS["Z"])
    assert colour(page, 0, 19, 5) == WELL
    assert described.all_text_contents() == ["Z falling, empty board", "empty board"]
    assert page.locator(".won-game:visible").count() == 0
    result = server.end_match()
    line(page, "The match is over")
    assert result.winner is not None
    won = f"{states.teams[result.winner]} has won the match: majority of games"
    page.locator(".outcome", has_text=won).wait_for()
    # Names are text.
    assert page.locator("main b").count() == 0
    assert page.locator("h2", has_text=TEAM).count() == 1
    # New visitors find the result and a link to the last game.
    page.reload()
    page.get_by_role("link", name="Watch the last game").wait_for()
    assert page.locator("#live-match").count() == 0


BRIGHTNESS = """([row, column]) => {
    const canvas = document.querySelector("canvas.board");
    const cell = canvas.width / 10;
    const at = [(column + 0.5) * cell, (row + 0.5) * cell].map(Math.floor);
    return Math.min(...canvas.getContext("2d").getImageData(...at, 1, 1).data.slice(0, 3));
}"""


def test_rows_flash_and_garbage_rises(
    new_page: Callable[..., Page], site: Running, server: GameServer
) -> None:
    page = new_page()
    page.clock.install()
    page.goto(f"{site.address}matches/{server.match}")
    line(page, "Waiting")
    states = server.states
    states.boards(filled("OOOOOOOO.."), filled())
    states.pieces(("O", 0, 5, 9), None)
    line(page, "Live")
    # From here on the clock advances on request only.
    page.clock.pause_at(page.evaluate("Date.now()") + 5_000)
    assert colour(page, 0, 19, 8) == WELL

    # White where an O's cells have disappeared.
    states.boards(filled("........OO"), filled(), ((19,), ()))
    states.pieces(None, None)
    while page.evaluate(BRIGHTNESS, [19, 2]) < 150:
        page.clock.run_for(1)
    page.clock.run_for(400)
    assert colour(page, 0, 19, 2) == WELL
    assert colour(page, 0, 19, 8) == COLORS["O"]
    # Four rows of garbage are not where they will be, at first.
    garbage = ["G.GGGGGGGG"] * 4
    states.boards(filled("........OO", *garbage), filled())
    while colour(page, 0, 18, 0) == WELL:
        page.clock.run_for(1)
    assert colour(page, 0, 16, 0) == WELL
    page.clock.run_for(200)
    assert [colour(page, 0, row, 0) for row in (15, 16, 19)] == [WELL, *[COLORS["G"]] * 2]
    assert colour(page, 0, 15, 8) == COLORS["O"]


def test_match_that_moves_to_another_server(
    make_site: Callable[..., Running], new_page: Callable[..., Page]
) -> None:
    site = make_site(grace_seconds=0.2)
    page = new_page()
    with GameServer(site) as first:
        first.host("Alpha")
        page.goto(f"{site.address}matches/{first.match}")
        line(page, "Waiting for the teams")
        first.states.pieces(("T", 0, 4, 5), None)
        line(page, "Live: Game 1")
        first.die()
        line(page, "Waiting for a game server")
        with GameServer(site) as second:
            second.take_over()
            assert second.states.token == first.states.token
            line(page, "Continues on another game server")
            second.states.pieces(None, ("S", 0, 10, 5))
            line(page, "Live: Game 1")
            shows(page, 1, 10, 5, COLORS["S"])


def test_silent_game_server_is_shown(
    new_page: Callable[..., Page], site: Running, server: GameServer
) -> None:
    page = new_page()
    page.clock.install()
    page.goto(f"{site.address}matches/{server.match}")
    line(page, "Waiting for the teams")
    server.states.pieces(("J", 0, 4, 5), None)
    line(page, "Live: Game 1")
    page.clock.fast_forward(8_000)
    line(page, re.compile(r"No message from the game server for \d+ s"))
    server.states.pieces(("J", 0, 5, 5), None)
    line(page, "Live: Game 1")


def test_connection_is_lost_and_restored(
    visit: Callable[..., Page], site: Running, server: GameServer
) -> None:
    page = visit(f"matches/{server.match}")
    line(page, "Waiting for the teams")
    site.stop_serving()
    line(page, re.compile("Connection lost; trying again"))
    assert page.get_attribute("#connection", "data-kind") == "bad"
    site.serve_again()
    line(page, "Waiting for the teams")
    server.states.wait_until_heard()
    server.states.pieces(("J", 0, 4, 5), None)
    shows(page, 0, 4, 5, COLORS["J"])


def test_a_replay_is_played(visit: Callable[..., Page], site: Running, server: GameServer) -> None:
    game = play(1, server.states.teams)
    server.end_game(game.result, game.replay)
    page = visit(f"matches/{server.match}/games/1")
    # With reduced motion it is started by hand.
    button = page.get_by_role("button", name="Play")
    button.wait_for()
    button.click()
    page.get_by_role("button", name="Pause").wait_for()
    page.select_option("#speed", "16")
    winner = server.states.teams[game.result.winner]
    page.locator("#replay-status", has_text=f"{winner} has won: {game.result.ending}").wait_for()
    page.get_by_role("button", name="Play").wait_for()
    assert page.locator(f".won-game[data-seat='{game.result.winner}']").is_visible()
    for seat in (0, 1):
        score = game.result.scores[seat]
        assert figure(page, "score", seat) == f"{score:,}"
    # The board of the winner, which is not dimmed, cell by cell.
    board, falls = game.duel.boards[game.result.winner], game.duel.pieces[game.result.winner]
    assert falls is not None
    for row in range(10, 20):
        for column in (0, 4, 9):
            filled_now = colour(page, game.result.winner, row, column) != WELL
            falling = abs(row - falls.row) <= 2 and abs(column - falls.col) <= 2
            if not falling and (row - falls.row) <= 2:
                assert filled_now == bool(board & cell_bit(row, column))
    # To the beginning, by keys: the slider is one that browsers know.
    page.focus("#position")
    page.keyboard.press("Home")
    assert page.locator(".won-game:visible").count() == 0
    assert page.input_value("#position") == "0"
    # Boards are drawn with the browser's next frame.
    shows(page, 0, 19, 4, WELL)
    assert "0:00" in page.inner_text("#clock")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("ArrowRight")
    page.locator("#clock", has_text="0:05").wait_for()
    page.keyboard.press(" ")
    page.get_by_role("button", name="Pause").wait_for()
    # The file is the game.
    with page.expect_download() as download:
        page.get_by_role("link", name="Download replay").click()
    record = decode_replay(Path(download.value.path()).read_bytes())
    assert record.header.teams == server.states.teams


def test_home_shows_matches_that_begin_and_end(visit: Callable[..., Page], site: Running) -> None:
    page = visit()
    page.get_by_text("No match is being played").wait_for()
    with GameServer(site) as server:
        server.host(TEAM)
        server.begin_game()
        mini = page.locator(f"#match-card-{server.match}")
        mini.wait_for()
        line(page, "")
        server.states.pieces(("L", 0, 6, 5), ("O", 0, 3, 5))
        shows(page, 0, 6, 5, COLORS["L"])
        shows(page, 1, 3, 5, COLORS["O"])
        server.states.figures((700, 100), games=(1, 0))
        mini.locator("[data-statistic=score]", has_text="700").wait_for()
        # Changes around a board do not affect it.
        game = play(1, server.states.teams)
        page.evaluate("document.querySelector('#live').dataset.old = 1")
        server.end_game(game.result, game.replay)
        page.wait_for_function("() => !document.querySelector('#live').dataset.old")
        server.states.pieces(("L", 0, 9, 5), ("O", 0, 3, 5))
        shows(page, 0, 9, 5, COLORS["L"])
        mini.click()
        line(page, "Live: Game 1")
        page.go_back()
        mini.wait_for()
        result = server.end_match()
        mini.wait_for(state="detached")
        page.locator(
            "#recent .won", has_text=server.states.teams[result.winner or 0]
        ).first.wait_for()


def test_a_phone(visit: Callable[..., Page], site: Running, server: GameServer) -> None:
    game = play(1, server.states.teams)
    server.end_game(game.result, game.replay)
    server.states.pieces(("I", 0, 10, 5), None)
    page = visit(width=320, device_scale_factor=2, has_touch=True, is_mobile=True)

    def fits(path: str) -> bool:
        found: list[bool] = []
        for width in (320, 390):
            page.set_viewport_size({"width": width, "height": 800})
            found.append(page.evaluate("document.documentElement.scrollWidth") <= width)
        return all(found)

    for path in ("", "matches", "bracket", "ranking", f"matches/{server.match}/games/1"):
        page.goto(site.address + path)
        assert fits(path), path
    path = f"matches/{server.match}"
    page.goto(site.address + path)
    shows(page, 0, 10, 5, COLORS["I"])
    assert fits(path)
    # Both boards side by side, sharp, and on the first screen.
    boxes = [page.locator("canvas.board").nth(seat).bounding_box() for seat in (0, 1)]
    assert boxes[0]["y"] == boxes[1]["y"]
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]
    assert page.evaluate(
        "() => [...document.querySelectorAll('canvas.board')].every((each) =>"
        " Math.abs(each.width - 2 * each.clientWidth) <= 2)"
    )


def test_screen_readers_get_the_same_information(
    visit: Callable[..., Page], site: Running, server: GameServer
) -> None:
    game = play(1, server.states.teams)
    server.end_game(game.result, game.replay)
    page = visit()
    for path in ("", f"matches/{server.match}", f"matches/{server.match}/games/1", "bracket"):
        page.goto(site.address + path)
        assert page.locator("h1").count() == 1
        # All pictures and controls have a name.
        assert (
            page.evaluate("""() => [
            ...document.querySelectorAll("canvas, input, select, button, [role=group]"),
        ].filter((each) => !each.getAttribute("aria-label") && !each.labels?.length
            && !each.textContent.trim()).map((each) => each.outerHTML)""")
            == []
        )
        ids = page.evaluate("() => [...document.querySelectorAll('[id]')].map((each) => each.id)")
        assert len(ids) == len(set(ids))
        live = page.locator("[role=status]")
        assert live.count() <= 1 or path.endswith("games/1")


def test_results_are_shown_without_scripts(
    new_page: Callable[..., Page], site: Running, server: GameServer
) -> None:
    game = play(1, server.states.teams)
    server.end_game(game.result, game.replay)
    page = new_page(java_script_enabled=False)
    page.goto(f"{site.address}matches/{server.match}")
    assert "Live boards need JavaScript" in page.inner_text("main")
    scores = " : ".join(f"{score:,}" for score in game.result.scores)
    assert scores in page.inner_text("table.games")
