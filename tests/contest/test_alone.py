"""A simple solo bot, compared with an independent implementation of the contest's text.

A strong client of 2012, alone without garbage, cleared 0.38 to 0.40 rows a piece over hundreds of
pieces; with both rotations taken for each other it died within 60 pieces at about 10 rows. The same
must hold of any player that plans by the table: so shapes, entry, directions, drops and clears are
right as a whole.
"""

import itertools
from typing import Final

from sevenbag.contest.game.pason_game import PasonGame
from sevenbag.contest.settings import GameRules
from sevenbag.protocols.pason.pason_conversion import MoveName
from tests.protocols.pason.table import CELLS

SPAWN: Final = 5


Rows = list[list[bool]]


def landed(board: Rows, kind: str, orient: int, column: int) -> tuple[Rows, float] | None:
    """Return the board after a drop and its cost; None where the piece does not fit."""
    cells = [(row, column + right) for row, right in CELLS[kind][orient]]
    if any(not 0 <= col < 10 for _, col in cells):
        return None

    def fits(down: int) -> bool:
        return all(
            row + down < 20 and (row + down < 0 or not board[row + down][col]) for row, col in cells
        )

    # One step down first: then there is room to turn.
    if not fits(1):
        return None
    down = 1
    while fits(down + 1):
        down += 1
    lying = [row + down for row, _ in cells]
    if min(lying) < 0:
        return None
    after = [list(row) for row in board]
    for row, col in cells:
        after[row + down][col] = True
    left = [row for row in after if not all(row)]
    full = 20 - len(left)
    eroded = full * sum(all(after[row]) for row in lying)
    after = [[False] * 10 for _ in range(full)] + left
    return after, 4.5 * (20 - sum(lying) / 4) - 3.4 * eroded + unevenness(after)


def unevenness(board: Rows) -> float:
    """Return the value of a board by the features and approximate weights of P. Dellacherie."""
    rows = sum(
        before != now
        for row in board
        if any(row)
        for before, now in itertools.pairwise([True, *row, True])
    )
    columns = holes = wells = 0
    for col in range(10):
        column = [row[col] for row in board]
        columns += sum(before != now for before, now in itertools.pairwise([*column, True]))
        top = column.index(True) if True in column else 20
        holes += column[top:].count(False)
        depth = 0
        for row in range(top):
            walls = (col == 0 or board[row][col - 1]) and (col == 9 or board[row][col + 1])
            depth = depth + 1 if walls else 0
            wells += depth
    return 3.2 * rows + 9.3 * columns + 7.9 * holes + 3.4 * wells


def best(board: Rows, kind: str) -> tuple[int, int] | None:
    """Orientation and column of the placement that leaves the least bad board."""
    options = [
        (found[1], orient, column)
        for orient in range(len(CELLS[kind]))
        for column in range(10)
        if (found := landed(board, kind, orient, column)) is not None
    ]
    return min(options)[1:] if options else None


def rows_of(duel: PasonGame) -> Rows:
    digits = f"{duel.boards[0]:0200b}"
    return [[digit == "1" for digit in digits[10 * row : 10 * row + 10]] for row in range(20)]


def alone(seed: int, pieces: int, left: MoveName, right: MoveName) -> tuple[int, int]:
    """Return the pieces locked and rows cleared by the bot with these two rotation moves."""
    duel = PasonGame(GameRules(), seed)
    while not duel.is_over and duel.locked_pieces[0] < pieces:
        piece = duel.pieces[0]
        assert piece is not None
        placement = best(rows_of(duel), piece.kind)
        if placement is None:
            break
        orient, column = placement
        duel.move(0, "down", piece.number)
        for _ in range(1 if orient == 3 else orient):
            duel.move(0, right if orient == 3 else left, piece.number)
        for _ in range(abs(column - SPAWN)):
            duel.move(0, "left" if column < SPAWN else "right", piece.number)
        duel.move(0, "drop", piece.number)
    return duel.locked_pieces[0], duel.lines[0]


def test_solo_player_clears_rows() -> None:
    pieces, rows = alone(1, 500, "lrotate", "rrotate")
    assert pieces == 500
    assert 0.38 <= rows / pieces <= 0.40


def test_swapped_rotations_top_out() -> None:
    for seed in range(3):
        pieces, rows = alone(seed, 400, "rrotate", "lrotate")
        assert pieces < 100
        assert rows <= 20
