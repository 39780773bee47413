"""Read files of openings."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sevenbag.errors import FormatError, InputError, shown
from sevenbag.files import read_input
from sevenbag.formats.fumen import Fumen, Page
from sevenbag.game import Rules
from sevenbag.game.game_config import MAX_SEED, Opening, opening_board

_MAX_FILE_BYTES: Final = 16 << 20
_MAX_OPENINGS: Final = 1_000_000


def read_openings(path: str | Path, rules: Rules) -> tuple[Opening, ...]:
    """Read a file of openings.

    Raises:
        FormatError: the file cannot be read, or a line is invalid under the rules.
    """
    path = Path(path)
    try:
        lines = read_input(path, _MAX_FILE_BYTES).decode().splitlines()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FormatError(f"{path}: cannot be read: {reason}") from None
    if len(lines) > _MAX_OPENINGS:
        raise FormatError(f"{path}: expected at most {_MAX_OPENINGS} lines")
    starts: list[Opening] = []
    for number, line in enumerate(lines, start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            starts.append(parse_opening(words, rules))
        except InputError as error:
            raise FormatError(f"{path}: line {number}: {error}") from None
    if not starts:
        raise FormatError(f"{path}: expected an opening, got none")
    return tuple(starts)


def parse_opening(words: list[str], rules: Rules) -> Opening:
    """Parse an opening: a seed, a fumen, or a fumen and a seed.

    Raises:
        FormatError: the words are invalid, or the board does not fit the rules.
    """
    seed: int | None = None
    fumen: str | None = None
    for word in words:
        if word.isascii() and word.isdecimal() and seed is None:
            seed = int(word) if len(word) <= _SEED_DIGITS else MAX_SEED + 1
            if seed > MAX_SEED:
                raise FormatError(
                    f"invalid seed: expected integer from 0 to {MAX_SEED}, got {shown(word)}"
                )
        elif "@" in word and fumen is None:
            opening_board(word, rules)
            # Only the first board counts.
            fumen = Fumen((Page(Fumen.parse(word).pages[0].field),)).encode()
        else:
            raise FormatError(
                f"invalid opening: expected a seed, a fumen, or both, got {shown(word)}"
            )
    return Opening(seed, fumen)


_SEED_DIGITS: Final = 10
