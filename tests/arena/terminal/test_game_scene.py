"""Scenes in the terminal and as pictures."""

import xml.etree.ElementTree as ET

import pytest

from sevenbag.arena.terminal.game_scene import GameScene, PlayerScene, build_scene, scene_svg
from sevenbag.arena.terminal.live_view import render_scene
from sevenbag.bots.bot import shorten_name
from sevenbag.drawing import piece_shape
from sevenbag.game import Versus
from sevenbag.game.game_result import GameEnding, GameResult, Loss, LossReason, PlayerStats

SVG = "{http://www.w3.org/2000/svg}"


def side(name: str = "beam", **changes: object) -> PlayerScene:
    fields: dict[str, object] = {
        "name": name,
        "rows": ("GGGG.GGGGG", "IIIIOOTTT.", *["." * 10] * 18),
        "hold": "I",
        "queue": tuple("TIOJSL"),
        "pending": 4,
        "stats": PlayerStats(123, 45, 67, 1.5, 20.0),
        "combo": 2,
        "back_to_back": 3,
    }
    return PlayerScene(**(fields | changes))  # type: ignore[arg-type]


def scene(**changes: object) -> GameScene:
    return GameScene((side(), side("beam (2)", **changes)), "turn 123 · seed 5")


@pytest.mark.parametrize(
    ("width", "height"), [(80, 24), (200, 60), (85, 23), (78, 23), (60, 20), (40, 14), (79, 22)]
)
def test_drawing_fits_the_terminal(width: int, height: int) -> None:
    lines = render_scene(scene(won=True), width, height)
    assert len(lines) <= height
    assert all(line.cell_len <= width for line in lines)
    assert "turn 123 · seed 5" in lines[-1].plain


def test_shortened_names_stay_distinct() -> None:
    names = ("beam:nodes=500", "beam:nodes=5000")
    assert [shorten_name(name, 8) for name in names] == ["bea…=500", "bea…5000"]
    assert shorten_name("beam", 4) == "beam"
    assert shorten_name("beam", 1) == "…"


@pytest.mark.parametrize(("width", "height"), [(1, 1), (2, 30), (30, 5), (10, 3), (200, 2)])
def test_too_small_a_terminal_gets_figures(width: int, height: int) -> None:
    lines = render_scene(scene(loss="crash"), width, height)
    assert 1 <= len(lines) <= 2
    assert all(line.cell_len <= width for line in lines)


def test_80_by_24_shows_all_parts() -> None:
    text = "\n".join(line.plain for line in render_scene(scene(), 80, 24))
    for word in ("hold", "next", "pieces", "123", "lines", "45", "attack", "67", "APP", "0.54"):
        assert word in text
    for word in ("PPS", "6.15", "ms/piece", "12.2", "combo", "B2B", "garbage", "beam (2)"):
        assert word in text
    assert "▒▒▒▒▒▒▒▒ ·▒▒▒▒▒▒▒▒▒▒" in text


def test_pending_garbage_is_drawn_beside_the_board() -> None:
    lines = render_scene(scene(pending=0), 80, 24)
    assert sum("█▒" in line.plain or "█ ·" in line.plain for line in lines) >= 3
    boards = [line.plain[11:33] for line in lines[1:21]]
    assert [row[0] for row in boards] == ["│"] * 16 + ["█"] * 4


def test_unmeasured_statistics_are_omitted() -> None:
    labels = [label for label, _ in side(stats=PlayerStats(1, 0, 0)).statistics]
    assert labels == ["pieces", "lines", "attack", "APP", "combo", "B2B", "garbage"]


def test_long_names_are_cut() -> None:
    endless = GameScene((side("a bot with a name that never ends"), side()), "")
    for width, height in ((80, 24), (60, 20)):
        assert "┌ a b" in render_scene(endless, width, height)[0].plain
    assert "a bot wit…never ends" in scene_svg(endless)


@pytest.mark.parametrize("columns", [4, 10, 16])
def test_boards_of_every_width_are_drawn(columns: int) -> None:
    rows = ("I" * (columns - 1) + ".", *["." * columns] * 25)
    lines = render_scene(scene(rows=rows), 120, 40)
    assert "└" + "─" * 2 * columns + "┘" in lines[27].plain
    ET.fromstring(scene_svg(scene(rows=rows)))


def test_pieces_are_drawn_in_spawn_rotation() -> None:
    assert piece_shape("T") == ((False, True, False), (True, True, True))
    assert piece_shape("O") == ((True, True), (True, True))
    assert piece_shape("I") == ((False,) * 4, (True,) * 4)


def test_picture_is_well_formed_and_self_contained() -> None:
    text = scene_svg(GameScene((side('<b> & "x"'), side(loss="block out")), "turn 1"))
    root = ET.fromstring(text)
    words = [element.text for element in root.iter(f"{SVG}text")]
    assert '<b> & "x"' in words
    assert "block out" in words
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    # 18 cells on each board, and the pieces of hold and queue.
    blocks = [r for r in root.iter(f"{SVG}rect") if r.get("rx") == "2" and r.get("height") != "80"]
    assert len([r for r in blocks if r.get("width") == "19"]) == 36
    assert len([r for r in blocks if r.get("width") == "13"]) == 2 * 7 * 4


def test_a_scene_shows_the_game() -> None:
    versus = Versus(seed=5)
    nothing = PlayerStats(0, 0, 0)
    result = GameResult(
        ("a", "b"), 0, GameEnding.LOSS, (None, Loss(LossReason.CRASH, "died")), (nothing, nothing)
    )
    shown = build_scene(versus, ("a", "b"), (nothing, nothing), seed=5, result=result)
    first, second = shown.players
    assert first.won
    assert second.loss == "crash"
    assert first.rows == ("." * 10,) * 20
    assert first.queue == tuple(piece.name for piece in versus.players[0].queue)
    assert shown.caption == "turn 0 · rules guideline · seed 5"
