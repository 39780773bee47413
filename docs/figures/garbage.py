"""Pictures of garbage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docs.figures.boards import board_of, seed_of
from sevenbag import Board, Game, Placement, Rotation, Rules, Spin
from sevenbag.drawing import Picture, add_caption, arrange_row, draw_board, draw_player

if TYPE_CHECKING:
    from sevenbag import Piece

FRESH = {"travel": 0}


def cancelling() -> Picture:
    """Six lines wait; a T-spin double cancels four; the next lock lets two rows in."""
    rules = Rules.preset("guideline").replace({"garbage": FRESH})
    board = board_of("##........", "#...######", "##.#######")
    game = Game(rules, seed_of("TI"), board=board)
    game.receive_garbage(3)
    game.receive_garbage(3)
    sides = [add_caption(_side(game), "two attacks wait", "")]
    lock = game.play(Placement("T", Rotation.SOUTH, 2, 1, Spin.FULL))
    sides.append(add_caption(_side(game), f"sends {lock.attack}:", f"cancels {lock.cancelled}"))
    lock = game.play(Placement("I", Rotation.NORTH, 5, 0))
    sides.append(add_caption(_side(game), "clears nothing:", f"{len(lock.garbage)} rows enter"))
    return arrange_row(sides, arrows=True, gap=10)


def holes() -> Picture:
    """Four attacks of four lines as they lie on the board, by different rules of holes."""
    rules: dict[str, dict[str, object]] = {
        "change 1, inner 0": {"change": 1.0, "inner": 0.0},
        "change 0, inner 0.3": {"change": 0.0, "inner": 0.3},
        "other, inner 1": {"other": True, "inner": 1.0},
        "holes by coins": {"holes": "coins"},
    }
    return arrange_row(
        [add_caption(_garbage(changes), name) for name, changes in rules.items()], gap=16
    )


def bombs() -> Picture:
    """A column of bombs: an I that lands on the first blows up all three."""
    rules = Rules.preset("guideline").replace({"garbage": FRESH | {"bombs": True}})
    game = Game(rules, seed_of("OI"))
    game.receive_garbage(3)
    game.play(Placement("O", Rotation.NORTH, 6, 0))
    column = game.colors[0].index("B")
    before = draw_board(
        game.board, colors=game.colors, ghosts=[Placement("I", Rotation.EAST, column, 5)], rows=8
    )
    lock = game.play(Placement("I", Rotation.EAST, column, 5))
    after = draw_board(game.board, colors=game.colors, rows=8)
    return arrange_row(
        [add_caption(before, "three rows of garbage"), add_caption(after, f"{lock.lines} lines")],
        arrows=True,
    )


def cut_off() -> Picture:
    """Two rows of garbage push a board of 40 rows over its top."""
    board = Board()
    for y, x in enumerate((1, 2, 3, 4, 5, 6), start=34):
        board[x, y] = True
        board[9, y] = True
    marks = {(x + 1, y): str(y) for y, x in enumerate((1, 2, 3, 4, 5, 6), start=34)}
    pictures = [add_caption(draw_board(board, rows=range(34, 40), marks=marks), "before")]
    for kind in ("top", "third from top"):
        rules = Rules.preset("guideline").replace(
            {"garbage": FRESH | {"cut_off": kind}, "top_out": {"garbage_out": False}}
        )
        game = Game(rules, seed_of("I"), board=board)
        game.receive_garbage(2)
        game.play(Placement("I", Rotation.NORTH, 5, 0))
        after = game.board
        # A cell that has stayed in its column identifies the row.
        moved = {(x + 1, y): str(33 + x) for y in range(34, 40) for x in range(1, 7) if after[x, y]}
        pictures.append(
            add_caption(draw_board(after, rows=range(34, 40), marks=moved), f'"{kind}"')
        )
    return arrange_row(pictures)


# --- helpers ------------------------------------------------------------------------------------


def _side(game: Game) -> Picture:
    return draw_player(game.colors[:7], queue=_letters(game.queue[:3]), pending=sum(game.pending))


def _letters(pieces: tuple[Piece, ...]) -> list[str]:
    return [piece.name for piece in pieces]


def _garbage(changes: dict[str, object]) -> Picture:
    rules = Rules.preset("guideline").replace({"garbage": FRESH | changes})
    game = Game(rules, seed_of("I"))
    for _ in range(4):
        game.receive_garbage(4)
    game.play(Placement("I", Rotation.NORTH, 5, 0))
    colors = [row if "I" not in row else "." * 10 for row in game.colors]
    board = Board.from_rows(["".join(row) for row in colors], height=40)
    return draw_board(board, rows=17)


PICTURES = (cancelling, holes, bombs, cut_off)
