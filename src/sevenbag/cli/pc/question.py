"""What the commands that ask about many queues take: a field, a pattern, rules."""

from __future__ import annotations

import io
import signal
import sys
from typing import TYPE_CHECKING, Final

from sevenbag._kernel import Board
from sevenbag.cli.arguments import count, named_kicks, positive
from sevenbag.config.input_file import open_input
from sevenbag.errors import BoardError, FormatError, FumenError
from sevenbag.formats.fumen import Fumen
from sevenbag.pc.question import DROPS, Question

if TYPE_CHECKING:
    import argparse

    from sevenbag.formats.fumen import Page

_MOST_BYTES: Final = 4_000_000
_VERSIONS: Final = ("115@", "110@")


def add_field(parser: argparse.ArgumentParser) -> None:
    """The field to clear."""
    parser.add_argument(
        "field",
        metavar="FIELD",
        help="a fumen, or rows from the top down with / between them, such as"
        " XXXXX_____/XXXXXX____ (. _ 0 are empty); '' is the empty field; @FILE reads either from a"
        " file, @- from standard input",
    )
    parser.add_argument(
        "--page", type=count, default=1, metavar="N", help="page of the fumen (default: 1)"
    )


def add_pattern(parser: argparse.ArgumentParser) -> None:
    """The queues."""
    parser.add_argument(
        "pattern",
        metavar="PATTERN",
        help="queues, such as I,*p4 or [SZ]p2,*! or LSTIZ; several with ; between them; @FILE"
        " reads them from a file, line by line",
    )


def add_rules(parser: argparse.ArgumentParser) -> None:
    """The rules by which the field is cleared."""
    parser.add_argument(
        "--lines",
        type=count,
        default=4,
        metavar="N",
        help="rows to clear, full ones of the field among them (default: %(default)s)",
    )
    parser.add_argument("--no-hold", dest="hold", action="store_false", help="hold is not used")
    parser.add_argument(
        "--kicks",
        default="srs",
        metavar="NAME|FILE",
        help="rotation system, or a TOML file of your own (default: %(default)s)",
    )
    parser.add_argument(
        "--drop",
        choices=DROPS,
        default="soft",
        help="how pieces come down: soft drop with tucks and spins, straight from above, or only T"
        " softly (default: %(default)s)",
    )
    parser.add_argument("--seconds", type=positive, metavar="S", help="give up after this time")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def let_ctrl_c_end() -> None:
    """The kernel does not come back to Python for every signal: let Ctrl-C end the program."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def question_of(args: argparse.Namespace) -> Question:
    """The question that these arguments ask.

    Raises:
        InputError: something of it cannot be used.
    """
    return Question(
        _field(args.field, args.page),
        lines=args.lines,
        hold=args.hold,
        kicks=named_kicks(args.kicks),
        drop=args.drop,
    )


def text_of(argument: str) -> str:
    """An argument, or the text of the file that it names after an ``@``.

    Raises:
        FormatError: the file cannot be read, or is too large.
    """
    if not argument.startswith("@"):
        return argument
    name = argument[1:]
    try:
        with open_text(name) as file:
            text = file.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FormatError(f"{name}: {reason}") from None
    if len(text) > _MOST_BYTES:
        raise FormatError(f"{name}: more than {_MOST_BYTES} characters")
    return text


def open_text(name: str) -> io.TextIOWrapper:
    """Open a text file, or standard input for ``-``; invalid UTF-8 is replaced.

    Raises:
        OSError: the file cannot be opened or is not a regular file.
    """
    if name == "-":
        return open(sys.stdin.fileno(), encoding="utf-8", errors="replace", closefd=False)
    return io.TextIOWrapper(open_input(name), encoding="utf-8", errors="replace")


def is_fumen(text: str) -> bool:
    """Whether it is meant as one."""
    return any(version in text for version in _VERSIONS)


def page_of(text: str, number: int) -> Page:
    """A page of a fumen, counted from 1.

    Raises:
        FumenError: there is no such page, or the fumen cannot be read.
    """
    pages = Fumen.parse(text).pages
    if number > len(pages):
        raise FumenError("EndOfData", f"no page {number}: the fumen has {len(pages)}")
    return pages[number - 1]


def say_unused(unused: int, usable: int) -> None:
    """Warn of pieces that no queue can use."""
    if unused:
        print(
            f"sevenbag: only the first {usable} pieces of each queue can be used, {unused} more"
            f" {'is' if unused == 1 else 'are'} left out",
            file=sys.stderr,
        )


def _field(argument: str, page: int) -> Board:
    text = text_of(argument)
    if is_fumen(text):
        return page_of(text, page).field.board()
    rows = [row.strip() for row in text.replace("/", "\n").split("\n") if row.strip()]
    for row in rows:
        if len(row) != 10:
            shown = row if len(row) <= 40 else row[:37] + "..."
            raise BoardError(
                f"{shown!r} is no row of ten cells, and no fumen: a fumen has 115@ in it"
            )
    return Board.from_text("\n".join(rows)) if rows else Board()
