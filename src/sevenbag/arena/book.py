"""Openings: what the games of a match begin with, seeds and boards, from a file of lines.

::

    # a comment
    12345                        a seed: the pieces follow from it
    v115@9gA8IeB8CeA8...         a fumen: both begin on the field of its first page
    v115@9gA8IeB8CeA8... 12345   both

Each pair of games takes the next line; after the last comes the first again, with another seed.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sevenbag.config.input_file import open_input
from sevenbag.errors import BoardError, FormatError, FumenError, InputError, shown
from sevenbag.formats.fumen import Fumen, Page

if TYPE_CHECKING:
    from sevenbag._kernel import Board
    from sevenbag.game import Rules

LAST_SEED: Final = 2**31 - 2
"""The largest seed that differs from those before it."""

_LARGEST_FILE: Final = 16 << 20
_MOST_LINES: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Start:
    """What a game begins with.

    Attributes:
        seed: what the pieces follow from; None for whatever the match says.
        fumen: the board; None for an empty one.
    """

    seed: int | None = None
    fumen: str | None = None

    def __str__(self) -> str:
        return " ".join(str(part) for part in (self.fumen, self.seed) if part is not None)


def read_book(path: str | Path, rules: Rules) -> tuple[Start, ...]:
    """The openings of a file.

    Args:
        path: a text file.
        rules: those that the boards are to be played by.

    Raises:
        FormatError: it cannot be read, or a line is neither seed nor fumen, or a board does not
            fit the rules; the message names the line.
    """
    path = Path(path)
    try:
        with open_input(path) as file:
            data = file.read(_LARGEST_FILE + 1)
        text = data.decode()
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise FormatError(f"{path}: cannot be read: {error}") from None
    lines = text.splitlines()
    if len(data) > _LARGEST_FILE or len(lines) > _MOST_LINES:
        raise FormatError(f"{path}: larger than openings may be: {_MOST_LINES} lines, 16 MiB")
    starts: list[Start] = []
    for number, line in enumerate(lines, start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            starts.append(read_start(words, rules))
        except InputError as error:
            raise FormatError(f"{path}: line {number}: {error}") from None
    if not starts:
        raise FormatError(f"{path}: holds no opening")
    return tuple(starts)


def read_start(words: list[str], rules: Rules) -> Start:
    """An opening from its words: a seed, a fumen, or a fumen and a seed.

    Raises:
        FormatError: they are something else, or the board does not fit the rules.
    """
    seed: int | None = None
    fumen: str | None = None
    for word in words:
        if word.isascii() and word.isdecimal() and seed is None:
            seed = int(word) if len(word) <= _SEED_DIGITS else LAST_SEED + 1
            if seed > LAST_SEED:
                raise FormatError(f"seed {shown(word)} is too large; the last is {LAST_SEED}")
        elif "@" in word and fumen is None:
            start_board(word, rules)
            # Nothing else of it counts, and it may be long.
            fumen = Fumen((Page(Fumen.parse(word).pages[0].field),)).encode()
        else:
            raise FormatError(
                f"{shown(word)} is no opening; expected a seed, a fumen, or a fumen and a seed"
            )
    return Start(seed, fumen)


def start_board(fumen: str, rules: Rules) -> Board:
    """The board that a fumen's first page shows.

    Raises:
        FormatError: it is no fumen, or the board does not fit the rules.
    """
    try:
        field = Fumen.parse(fumen).pages[0].field
    except FumenError as error:
        raise FormatError(f"{shown(fumen)} is no fumen: {error}") from None
    size = rules.board
    if size.width != _FUMEN_WIDTH:
        raise FormatError(f"a fumen has {_FUMEN_WIDTH} columns, the rules' boards {size.width}")
    if field.height > min(size.visible, size.kept):
        raise FormatError(
            f"the board of {shown(fumen)} is filled up to row {field.height}, above the"
            f" {min(size.visible, size.kept)} rows that are seen"
        )
    try:
        board = field.board(size.rows)
    except BoardError as error:
        raise FormatError(f"the board of {shown(fumen)} cannot be played: {error}") from None
    full = next((y for y in range(field.height) if all(board[x, y] for x in range(10))), None)
    if full is not None:
        raise FormatError(f"row {full} of the board of {shown(fumen)} is full already")
    return board


# --- helpers ------------------------------------------------------------------------------------

_FUMEN_WIDTH: Final = 10
_SEED_DIGITS: Final = 10
