"""The play page in a browser: games and failures of workers."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sevenbag.formats.replay_file import Replay
from tests.browser import Page
from tests.web.play.conftest import Server

pytestmark = pytest.mark.browser

EXAMPLE = Path(__file__).parents[3] / "examples" / "worker_bot.js"
SOUND = EXAMPLE.read_text()


@pytest.fixture
def visit(new_page: Callable[..., Page], server: Server) -> Callable[..., Page]:
    """Open the page."""

    def opened(width: int = 1000) -> Page:
        page = new_page(viewport={"width": width, "height": 800})
        page.goto(server.address)
        return page

    return opened


def script(page: Page, seat: int, text: str, name: str = "bot.js") -> None:
    """Select a file from disk as a player."""
    choose(page, seat, "file")
    page.set_input_files(
        f"[data-player='{seat}'] [name=file]",
        {"name": name, "mimeType": "text/javascript", "buffer": text.encode()},
    )


def choose(page: Page, seat: int, who: str) -> None:
    page.select_option(f"fieldset[data-player='{seat}'] [name=player]", who)


def play(page: Page, **settings: float) -> None:
    for name, value in {"seed": 2, "pieces": 30, **settings}.items():
        page.fill(f"[name={name}]", f"{value:g}" if value else "")
    page.click("#setup [type=submit]")


def outcome(page: Page) -> str:
    """Return the ending shown on the page."""
    page.locator("#again").wait_for(state="visible")
    text: str = page.inner_text("#status")
    return text


def under_way(page: Page) -> None:
    page.get_by_text(re.compile(r"turn [1-9]\d* ")).wait_for()


def test_the_example_plays_beam(visit: Callable[..., Page], server: Server) -> None:
    page = visit()
    play(page, pps=60)
    text = outcome(page)
    assert re.match(r"(beam|stacker \(tbp\)) wins: .*\(\d+ pieces\)$|draw.* pieces\)$", text)
    server.says(re.escape(text))
    # Both sides as they stand, with their names and figures.
    assert page.locator("article h2").all_inner_texts() == ["stacker (tbp)", "beam"]
    figures = dict(
        zip(
            page.locator("article[data-player='0'] dt").all_inner_texts(),
            page.locator("article[data-player='0'] dd").all_inner_texts(),
            strict=True,
        )
    )
    assert {"pieces", "APP", "PPS", "ms/piece"} <= figures.keys()
    # All messages in order, for interested readers.
    page.click("details.messages[data-player='0'] summary")
    page.locator("details.messages li").first.wait_for()
    said = page.locator("details.messages li").all_inner_texts()
    kinds = [json.loads(line.split(" ", 2)[2]).get("type") for line in said if "…" not in line]
    assert kinds[:3] == ["info", "rules", "ready"]
    assert kinds[-2:] == ["stop", "quit"]
    assert page.locator("details.messages[data-player='1']").is_hidden()
    # The replay is that game.
    with page.expect_download() as download:
        page.click("#replay")
    assert download.value.suggested_filename == "match-2.replay"
    replay = Replay.decode(Path(download.value.path()).read_bytes())
    assert [player.name for player in replay.header.players] == ["stacker (tbp)", "beam"]
    assert len(replay.turns) == int(figures["pieces"])


FAULTS = {
    "throws at load": ("\n\nthrow new Error('no model');", r"no start \(.*no model \(line 3\)"),
    "no script": ("this is no script", r"no start \(.*SyntaxError"),
    "throws in the game": (
        SOUND.replace("suggest: () =>", "suggest: () => { throw Error('oh') }, never: () =>"),
        r"crash \(.*oh",
    ),
    "rubbish": (SOUND.replace("moves: drops(queue[0])", "moves: 'no'"), r"rubbish \("),
    "too long": (
        SOUND.replace("moves: drops(queue[0])", "moves: 'x'.repeat(2 ** 21)"),
        r"crash \(.*longer than 1048576 bytes",
    ),
    "floods": (
        SOUND.replace(
            "suggest: () =>",
            "suggest: () => { for (let i = 0; i < 1e4; i++) postMessage(0) }, never: () =>",
        ),
        r"(rubbish|crash) \(.*(1000 lines that are no|2000 messages that were not requested)",
    ),
    "hangs": (
        SOUND.replace("suggest: () =>", "suggest: () => { for (;;); }, never: () =>"),
        r"timeout \(no answer to suggest within 0\.7 s",
    ),
    "plays in the air": (
        SOUND.replace("y: 21 }", "y: 25 }").replace("while (fits", "while (false && fits"),
        r"illegal move \(",
    ),
}
"""Scripts, and how the page tells of their fault."""


def test_faults_cost_the_game(
    visit: Callable[..., Page], server: Server, subtests: pytest.Subtests
) -> None:
    page = visit()
    for name, (faulty, told) in FAULTS.items():
        with subtests.test(name):
            page.goto(server.address)
            script(page, 0, faulty)
            choose(page, 1, "builtin:random")
            # Only who never answers is waited for so long.
            play(page, pps=0, timeout=0.7 if "timeout" in told else 30)
            text = outcome(page)
            assert re.match(r"random wins: .* lost by " + told, text), text
            server.says(re.escape(text))


def test_a_page_that_is_closed(visit: Callable[..., Page], server: Server) -> None:
    page = visit()
    play(page, pps=4, pieces=2000)
    under_way(page)
    page.close()
    server.says(r"beam wins: stacker \(tbp\) lost by crash \(its page was closed\)")


def test_the_visitor_ends_a_game_and_plays_another(
    visit: Callable[..., Page], server: Server
) -> None:
    page = visit()
    choose(page, 0, "builtin:beam")
    page.fill("[data-player='0'] [name=options]", "nodes=200")
    play(page, pps=3, pieces=2000)
    under_way(page)
    page.click("#stop")
    assert re.match(r"unfinished: stopped by you \(\d+ pieces\)", outcome(page))
    page.click("#again")
    under_way(page)
    page.click("#stop")
    assert outcome(page).startswith("unfinished")
    server.says("unfinished: stopped", "unfinished: stopped")


def test_names_are_text(visit: Callable[..., Page], server: Server) -> None:
    name = "<img src=x onerror=document.title='mine'>"
    page = visit()
    script(page, 0, SOUND.replace('"stacker"', json.dumps(name)))
    play(page, pps=0, pieces=5)
    assert outcome(page)
    # A name is forty characters long at most, its protocol included.
    assert (
        page.inner_text("article[data-player='0'] h2") == "<img src=x onerror=….title='mine'> (tbp)"
    )
    page.click("details.messages summary >> nth=0")
    page.locator("details.messages li").first.wait_for()
    assert name in page.inner_text("details.messages ol >> nth=0")
    assert page.locator("main img").count() == 0
    assert page.title() == "sevenbag: play your bot"
    server.says(".*")


def test_two_pages_at_once_and_worker_against_worker(
    visit: Callable[..., Page], server: Server
) -> None:
    first, second = visit(), visit()
    script(first, 1, SOUND.replace('"stacker"', '"other"'))
    choose(second, 1, "builtin:random")
    play(first, pps=30)
    play(second, pps=30, pieces=20)
    under_way(first)
    texts = [outcome(second), outcome(first)]
    assert first.locator("article h2").all_inner_texts() == ["stacker (tbp)", "other (tbp)"]
    assert second.locator("article h2").all_inner_texts() == ["stacker (tbp)", "random"]
    server.says(*map(re.escape, texts))


def test_a_phone(visit: Callable[..., Page], server: Server) -> None:
    page = visit(width=360)
    widest = "document.documentElement.scrollWidth"
    assert page.evaluate(widest) == 360
    script(page, 0, SOUND.replace('"stacker"', '"' + "w" * 40 + '"'))
    play(page, pps=0, pieces=12)
    assert outcome(page)
    page.click("details.messages summary >> nth=0")
    assert page.evaluate(widest) == 360
    server.says(".*")


def test_the_keyboard_is_enough(visit: Callable[..., Page], server: Server) -> None:
    page = visit()
    page.focus("[name=pieces]")
    page.keyboard.press("Control+A")
    page.keyboard.type("3")
    page.keyboard.press("Enter")
    assert "3 pieces" in outcome(page)
    server.says(r".*\(3 pieces\)")
    page.focus("#again")
    page.keyboard.press("Enter")
    server.says(r".*\(3 pieces\)")
    # All inputs have a label.
    unnamed = """[...document.querySelectorAll("input, select")].filter((each) =>
        !each.labels.length && !each.hasAttribute("aria-labelledby")).map((each) => each.name)"""
    assert page.evaluate(unnamed) == []


def test_a_bot_of_several_files(visit: Callable[..., Page], server: Server) -> None:
    (server.bots / "glue.js").write_text(SOUND)
    entry = server.bots / "entry.js"
    entry.write_text("throw new Error('not yet');")
    page = visit()
    choose(page, 0, "address")
    page.fill("[data-player='0'] [name=address]", "/bots/entry.js")
    play(page, pieces=5)
    assert "not yet" in outcome(page)
    # It is mended, and the next game takes it as it is now.
    entry.write_text('importScripts("./glue.js");')
    page.click("#again")
    page.locator("#status", has_text="5 pieces").wait_for()
    server.says(".*not yet", r".*\(5 pieces\)")


NEEDS = """
    if (!self.crossOriginIsolated) throw new Error("no threads");
    new SharedArrayBuffer(8);
"""


def test_requirements_of_large_bots(visit: Callable[..., Page], server: Server) -> None:
    (server.bots / "glue.js").write_text(SOUND)
    (server.bots / "bot.wasm").write_bytes(b"\x00asm\x01\x00\x00\x00")
    (server.bots / "inner.js").write_text("onmessage = () => postMessage(0);")
    (server.bots / "large.js").write_text(
        NEEDS
        + """
        WebAssembly.compileStreaming(fetch("bot.wasm")).then(() => {
          const inner = new Worker("inner.js");
          inner.onmessage = () => importScripts("./glue.js");
          inner.postMessage(0);
        });
        """
    )
    page = visit()
    choose(page, 0, "address")
    page.fill("[data-player='0'] [name=address]", "/bots/large.js")
    # In a single file, and as a module.
    script(
        page,
        1,
        NEEDS + "await WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));" + SOUND,
        "bot.mjs",
    )
    play(page, pieces=5, timeout=30)
    text = outcome(page)
    assert "5 pieces" in text
    server.says(re.escape(text))


EMSCRIPTEN = """
    // As Embind makes the callers of C++ functions.
    if (new Function("a", "return a + 1")(6) !== 7) throw new Error("no new Function");
    if (eval("6 + 1") !== 7) throw new Error("no eval");
"""


def test_workers_may_evaluate_text(visit: Callable[..., Page], server: Server) -> None:
    (server.bots / "glue.js").write_text(EMSCRIPTEN + SOUND)
    # Emscripten's threads are nested workers.
    (server.bots / "thread.js").write_text(EMSCRIPTEN + "postMessage(0);")
    (server.bots / "emscripten.js").write_text(
        EMSCRIPTEN + "new Worker('thread.js').onmessage = () => importScripts('glue.js');"
    )
    page = visit()
    for name in ("bot.js", "bot.mjs"):
        page.goto(server.address)
        choose(page, 0, "address")
        page.fill("[data-player='0'] [name=address]", "/bots/emscripten.js")
        script(page, 1, EMSCRIPTEN + SOUND, name)
        play(page, pieces=5, timeout=60)
        text = outcome(page)
        assert "5 pieces" in text, name
        server.says(re.escape(text))


def test_pages_may_not_evaluate_text(browser: Any, server: Server) -> None:
    (server.bots / "page.html").write_text("<p>a page</p><script src='/bots/page.js'></script>")
    (server.bots / "page.js").write_text("new Function('document.title = 1')();")
    (server.bots / "picture.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    # In a timer, because the policy does not apply to code called by the debugger.
    tried = """() => new Promise((resolve) => setTimeout(() => {
        try { resolve(new Function("return 'it ran'")()); }
        catch (error) { resolve(error.name); }
    }))"""
    page = browser.new_page()
    for path in ("", "bots/page.html", "bots/picture.svg"):
        page.goto(server.address + path)
        assert page.evaluate(tried) == "EvalError", path
        assert page.title() != "1"
    page.close()


def test_a_file_is_dropped(visit: Callable[..., Page], server: Server) -> None:
    page = visit()
    drop = """([where, text]) => {
        const carried = new DataTransfer();
        carried.items.add(new File([text], "dropped.js"));
        const event = new DragEvent("drop",
            { dataTransfer: carried, bubbles: true, cancelable: true });
        return document.querySelector(where).dispatchEvent(event);
    }"""
    dropped = SOUND.replace('"stacker"', '"dropped"')
    assert page.evaluate(drop, ["fieldset[data-player='1']", dropped]) is False
    # On other hosts it is neither a bot nor a page.
    assert page.evaluate(drop, ["h1", "throw 1"]) is False
    play(page, pieces=5, timeout=30)
    assert "5 pieces" in outcome(page)
    assert page.inner_text("article[data-player='1'] h2") == "dropped (tbp)"
    server.says(r".*\(5 pieces\)")


def test_addresses_elsewhere_are_refused(visit: Callable[..., Page]) -> None:
    page = visit()
    choose(page, 0, "address")
    for address, told in (
        ("https://elsewhere.example/bot.js", "from the page's own origin"),
        ("", "enter an address"),
        ("data:text/javascript,0", "from the page's own origin"),
    ):
        page.fill("[data-player='0'] [name=address]", address)
        page.click("#setup [type=submit]")
        assert told in page.inner_text("[data-player='0'] .error")
        assert page.locator("#match").is_hidden()


def test_rejections_are_shown(visit: Callable[..., Page]) -> None:
    page = visit()
    page.fill("[data-player='1'] [name=options]", "nods=5")
    play(page)
    told = outcome(page)
    assert told.startswith("No game: bot beam: unknown option 'nods' (did you mean 'nodes'?)")
    # The form is open again.
    assert page.locator("[name=pieces]").is_visible()
