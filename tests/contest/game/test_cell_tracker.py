"""The colours of a board, against a game that keeps the letter of every cell."""

import random

import pytest

from sevenbag.contest.game.cell_tracker import CellTracker
from sevenbag.protocols.pason.messages import PieceState
from sevenbag.protocols.pason.pason_conversion import PIECES, SHAPES, PieceName, cell_bit

EMPTY = ["." * 10] * 20


def bits(rows: list[str]) -> int:
    return sum(
        cell_bit(y, x)
        for y, row in enumerate(rows)
        for x, letter in enumerate(row)
        if letter != "."
    )


def falling(letter: PieceName, orient: int, row: int, col: int) -> PieceState:
    return PieceState(piece=letter, orient=orient, number=1, row=row, col=col)


class Letters:
    """Random player that records the letters of its cells."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.rows = list(EMPTY)

    def piece(self) -> PieceState:
        """Somewhere above the stack; the last one it was seen as before it was dropped."""
        letter = self.chance.choice(PIECES)
        orient = self.chance.randrange(len(SHAPES[letter]))
        across = [x for _, x in SHAPES[letter][orient]]
        return falling(letter, orient, 1, self.chance.randint(-min(across), 9 - max(across)))

    def lock(self, piece: PieceState) -> bool:
        """Lock the piece; return False if the stack is too high."""
        cells = [(piece.row + y, piece.col + x) for y, x in SHAPES[piece.piece][piece.orient]]
        if any(self.rows[y][x] != "." for y, x in cells):
            return False
        while all(y < 19 and self.rows[y + 1][x] == "." for y, x in cells):
            cells = [(y + 1, x) for y, x in cells]
        for y, x in cells:
            self.rows[y] = self.rows[y][:x] + piece.piece + self.rows[y][x + 1 :]
        left = [row for row in self.rows if "." in row]
        self.rows = ["." * 10] * (20 - len(left)) + left
        return True

    def garbage(self, count: int) -> None:
        """Rows from below, each with a gap or more."""
        for _ in range(count):
            row = ["G" if self.chance.random() < 0.5 else "." for _ in range(10)]
            row[self.chance.randrange(10)] = "."
            row[self.chance.randrange(5)] = "G"
            row[9] = "."
            self.rows = [*self.rows[1:], "".join(row)]


@pytest.mark.parametrize("seed", range(20))
def test_cells_keep_their_colours(seed: int) -> None:
    letters, painter = Letters(seed), CellTracker()
    painter.update(0, None)
    risen = 0
    for _ in range(60):
        piece = letters.piece()
        if not letters.lock(piece):
            break
        rise = letters.chance.choice([0, 0, 0, 1, 2, 4])
        letters.garbage(rise)
        risen += rise
        assert painter.update(bits(letters.rows), piece) == rise
        assert painter.rows == letters.rows
    assert risen > 0
    assert {letter for row in painter.rows for letter in row} > {"G", "."}


def test_cleared_rows_leave_with_their_colours() -> None:
    painter = CellTracker()
    below = [*EMPTY[:19], "LLLJJJSSS."]
    painter.update(bits(below), None)
    # The origin of these cells is unknown.
    assert painter.rows[19] == "UUUUUUUUU."
    # An upright I in the gap: one row is cleared, three of its cells stay.
    assert painter.update(bits([*EMPTY[:17], *[".........I"] * 3]), falling("I", 1, 5, 9)) == 0
    assert painter.rows == [*EMPTY[:17], *[".........I"] * 3]


def test_garbage_below_a_falling_piece() -> None:
    painter = CellTracker()
    painter.update(0, None)
    piece = falling("T", 0, 3, 5)
    assert painter.update(bits([*EMPTY[:19], "GG.GG.GG.."]), piece) == 1
    assert painter.update(bits([*EMPTY[:18], "GG.GG.GG..", "G.GG.GGG.."]), piece) == 1
    assert painter.rows[18:] == ["GG.GG.GG..", "G.GG.GGG.."]


def test_missed_states_do_not_affect_other_cells() -> None:
    painter = CellTracker()
    painter.update(0, None)
    painter.update(bits([*EMPTY[:18], "....OO....", "....OO...."]), falling("O", 0, 0, 5))
    # An S on top, and two rows of garbage without a message.
    rows = [*EMPTY[:14], "....SS....", "...SS.....", "....OO....", "....OO...."]
    rows += ["#.#.#.#.#.", "##..##...."]
    painter.update(bits(rows), None)
    assert painter.rows == [row.replace("S", "U").replace("#", "U") for row in rows]


def test_lock_at_an_unseen_position() -> None:
    painter = CellTracker()
    painter.update(0, None)
    rows = [*EMPTY[:18], ".......SS.", "......SS.."]
    painter.update(bits(rows), falling("S", 0, 0, 5))
    assert painter.rows == rows
    rows = [*EMPTY[:16], ".......Z..", "......ZZ..", "......ZSS.", "......SS.."]
    painter.update(bits(rows), falling("Z", 0, 0, 5))
    assert painter.rows == rows


def test_a_new_game_is_an_empty_board() -> None:
    painter = CellTracker()
    painter.update(bits([*EMPTY[:19], "GGGGG.GGGG"]), None)
    painter.update(0, falling("T", 0, 0, 5))
    assert painter.rows == EMPTY


@pytest.mark.parametrize(
    "piece",
    [
        falling("T", 10**30, -(10**30), 5),
        falling("T", -3, 0, 10**30),
        falling("I", 0, 19, 9),
        falling("I", 1, 25, -2),
    ],
)
def test_pieces_that_cannot_be(piece: PieceState) -> None:
    painter = CellTracker()
    painter.update(bits([*EMPTY[:19], "#........."]), piece)
    assert painter.rows[19] in {"U.........", "G........."}
    painter.update((1 << 300) - 1, piece)
    assert all(letter != "." for letter in painter.text)
