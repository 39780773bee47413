"""The command ``pc``: perfect-tetris's own, with its options, words and exit codes.

The same five verbs are found as ``sevenbag pc VERB``. docs/pc.md lists what is done otherwise than
by the original.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from sevenbag.cli.main import guarded
from sevenbag.cli.main import main as sevenbag
from sevenbag.cli.pc.options import HELP, Option, UsageError, help_of, read_options
from sevenbag.errors import FormatError, NetworkError, SevenbagError, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

VERBS: Final = {
    "demo": "a bot plays perfect clears, live in the terminal",
    "display": "step through the solutions of a .pc file",
    "fumen": "solve fumens, and print the solutions as fumens",
    "validate": "hold the solutions of .pc files to the rules",
    "version": "print the version of perfect-tetris that this stands in for",
}
"""What ``pc`` can do; the module of the same name lies beside this one."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command ``pc``; returns the exit code."""
    return guarded(lambda: run(sys.argv[1:] if argv is None else argv))


def run(words: Sequence[str]) -> int:
    """Run the verb and its options."""
    try:
        return _run(words)
    except UsageError as error:
        print(error, file=sys.stderr)
    except SevenbagError as error:
        if isinstance(error, NetworkError) and error.code == NetworkError.code:
            # The name alone does not help whoever wrote the file.
            print(printable(f"pc: {error}"), file=sys.stderr)
        complain(error)
    return 1


def complain(error: SevenbagError) -> None:
    """Print an error as ``pc`` does: by its name."""
    print(f"error: {name_of(error)}", file=sys.stderr)


def name_of(error: SevenbagError) -> str:
    """The name that the format's tools have for it, or else our own."""
    code = getattr(error, "code", "") if isinstance(error, FormatError) else ""
    return str(code) or type(error).__name__.removesuffix("Error")


# --- helpers ------------------------------------------------------------------------------------


class _Verb(Protocol):
    USAGE: str
    OPTIONS: tuple[Option, ...]
    NEEDS_INPUT: bool

    def run(self, values: dict[str, Any], inputs: list[str]) -> int: ...


def _run(words: Sequence[str]) -> int:
    if not words or words[0] in ("-h", "--help"):
        print(_usage(), end="")
        return 0
    from sevenbag.cli.pc import COMMANDS  # noqa: PLC0415  # which imports this module

    name = words[0]
    if name.startswith("-"):
        raise UsageError(f"The option {name.lstrip('-')} does not exist")
    if name in COMMANDS:
        # The original has them as programs of their own, or not at all.
        return sevenbag(["pc", *words])
    if name not in VERBS:
        raise UsageError(f"Unknown verb '{name}'.")
    verb = cast("_Verb", importlib.import_module(f"sevenbag.cli.pc.{name}"))
    options = (*verb.OPTIONS, HELP)
    values, inputs = read_options(options, words[1:])
    if values["help"] or (verb.NEEDS_INPUT and not inputs):
        print(help_of(f"pc {verb.USAGE}", f"{VERBS[name].capitalize()}.", options), end="")
        return 0
    return verb.run(values, inputs)


def _usage() -> str:
    width = max(map(len, VERBS)) + 2
    lines = [
        "Usage: pc VERB [options] [INPUT...]",
        "",
        "Verbs:",
        *(f"  {name:{width}}{summary}" for name, summary in VERBS.items()),
        "",
        "pc VERB --help says more about a verb; sevenbag pc --help lists further ones.",
    ]
    return "\n".join(lines) + "\n"
