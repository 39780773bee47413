"""Pictures made of pictures, and games as notebooks show them."""

import re
import xml.etree.ElementTree as ET

import pytest

from sevenbag import Board, Game, Versus
from sevenbag.drawing import (
    COLORS,
    Picture,
    add_background,
    add_caption,
    add_heading,
    arrange_column,
    arrange_row,
    draw_board,
    draw_queue,
)

SVG = "{http://www.w3.org/2000/svg}"

BOX = Picture(40, 30, ('<rect width="40" height="30" fill="red"/>',))


def words_of(svg: str) -> list[str | None]:
    return [element.text for element in ET.fromstring(svg).iter(f"{SVG}text")]


def places(picture: Picture) -> list[tuple[float, float]]:
    """Return the positions of the boxes of a picture."""
    found: list[tuple[float, float]] = []

    def walk(element: ET.Element, left: float, top: float) -> None:
        moved = re.match(r"translate\(([-\d.]+) ([-\d.]+)\)", element.get("transform", ""))
        if moved:
            left, top = left + float(moved[1]), top + float(moved[2])
        if element.get("fill") == "red":
            found.append((left, top))
        for child in element:
            walk(child, left, top)

    walk(ET.fromstring(picture.svg()), 0, 0)
    return found


def test_layouts() -> None:
    row = arrange_row([BOX, BOX, BOX], gap=10)
    assert (row.width, row.height) == (140, 30)
    assert places(row) == [(0, 0), (50, 0), (100, 0)]
    stack = arrange_column([row, BOX], gap=6)
    assert (stack.width, stack.height) == (140, 66)
    assert places(stack)[-1] == (0, 36)
    ground = add_background(BOX, margin=7)
    assert (ground.width, ground.height) == (54, 44)
    assert places(ground) == [(7, 7)]


def test_arrows_have_room() -> None:
    plain, led = arrange_row([BOX] * 3), arrange_row([BOX] * 3, arrows=True)
    assert led.width > plain.width
    assert led.svg().count("<path") == 2


@pytest.mark.parametrize("text", ["short", "as long as it takes to be wider than the picture is"])
def test_words_fit_on_the_picture(text: str) -> None:
    for picture in (add_caption(BOX, text, "<&>"), add_heading(BOX, text)):
        assert picture.width >= max(40, 7 * len(text))
        assert picture.height > 40
        assert words_of(picture.svg())[0] == text
    assert words_of(add_caption(BOX, text, "<&>").svg())[1] == "<&>"


def test_a_title_is_for_those_who_cannot_see() -> None:
    root = ET.fromstring(BOX.svg('"<T>" & co'))
    assert root.get("aria-label") == '"<T>" & co'
    assert BOX._repr_svg_() == BOX.svg()


def test_pieces_in_a_row() -> None:
    root = ET.fromstring(draw_queue("IOT", bags=[0, 2, 3]).svg())
    fills = [r.get("fill") for r in root.iter(f"{SVG}rect")]
    assert fills == [COLORS[letter] for letter in "IIIIOOOOTTTT"]
    assert sum(p.get("stroke-width") == "2" for p in root.iter(f"{SVG}path")) == 1


def test_games_show_themselves() -> None:
    game = Game(seed=1)
    game.play(game.placements()[0], hold=False)
    game.receive_garbage(3)
    text = game._repr_svg_()
    assert text == game.svg()
    words = words_of(text)
    assert words[:2] == ["hold", "next"] or "next" in words
    assert words[words.index("pieces") + 1] == "1"
    assert words[words.index("garbage") + 1] == "3"
    # Four cells on the board, and four of each of the six pieces that are seen.
    fills = [r.get("fill") for r in ET.fromstring(text).iter(f"{SVG}rect")]
    assert sum(fill in COLORS.values() for fill in fills) == 4 + 6 * 4


def test_both_sides_show_themselves() -> None:
    versus = Versus(seed=1)
    assert versus._repr_svg_() == versus.svg()
    assert words_of(versus.svg()).count("hold") == 2


def test_lost_game_shows_reason_and_overflow() -> None:
    board = Board.from_rows(["#...#####."] * 21)
    game = Game(board=board)
    assert game.over
    words = words_of(game.svg())
    assert words[-1] == "block out"
    fills = [r.get("fill") for r in ET.fromstring(game.svg()).iter(f"{SVG}rect")]
    assert fills.count(COLORS["G"]) == board.cell_count


def test_files_are_self_contained() -> None:
    text = add_background(draw_board(Board.from_rows(["#.#.#.#.#."]))).svg()
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
