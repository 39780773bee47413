"""The program ``pc``: a drop-in replacement for perfect-tetris, with its options and exit codes.

``sevenbag pc VERB`` runs the same verbs. argparse is not used, because scripts that call ``pc``
depend on the messages and exit codes of perfect-tetris. docs/pc.md lists the differences.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from sevenbag._kernel import Kicks
from sevenbag.cli.arguments import NETWORK_HELP, load_kicks
from sevenbag.cli.command_table import COMMANDS, PERFECT_TETRIS_VERBS, CommandGroup
from sevenbag.errors import FormatError, InputError, NetworkError, SevenbagError, printable

_KICKS_NAMES: Final = ("none", "none180", "srs", "srs180", "srsPlus", "srsTetrio")
"""Names of rotation systems in perfect-tetris."""


class UsageError(Exception):
    """An invalid command line; the message is all that is printed."""


class VerbOption(NamedTuple):
    """An option of a verb, with its long and its short name.

    Attributes:
        read: converts the value, or raises ValueError; None for a flag.
        metavar: name of the value in the help.
    """

    name: str
    letter: str
    help: str
    read: Callable[[str], Any] | None = None
    default: Any = False
    metavar: str = ""


class Verb(NamedTuple):
    """A verb of ``pc``.

    Attributes:
        run: takes the option values by name and the inputs; returns the exit code.
        usage: arguments, for the help.
        options: without ``--help``.
        needs_input: whether the help is printed if there is no input.
    """

    run: Callable[[dict[str, Any], list[str]], int]
    usage: str
    options: tuple[VerbOption, ...] = ()
    needs_input: bool = False


def kicks_option(default: str | None, help_prefix: str = "") -> VerbOption:
    """Create the option ``--kicks``; without a default, any rotation system is allowed."""
    text = f"{help_prefix}{' '.join(_KICKS_NAMES)} [default: {default or 'any'}]"
    kicks = None if default is None else Kicks(default)
    return VerbOption("kicks", "k", text, load_kicks, kicks, "KICKS")


HELP_OPTION: Final = VerbOption("help", "h", "print this help")
NETWORK_OPTION: Final = VerbOption("nn", "n", NETWORK_HELP, str, None, "PATH")


def run(words: Sequence[str], run_command: Callable[[list[str]], int] | None = None) -> int:
    """Run a verb with its options; print errors as perfect-tetris does.

    Commands that perfect-tetris does not have are run by `run_command`, as words of ``sevenbag``.
    """
    try:
        return _run_verb(words, run_command)
    except UsageError as error:
        print(error, file=sys.stderr)
    except SevenbagError as error:
        if isinstance(error, NetworkError) and error.code == NetworkError.code:
            # The name alone does not show the mistake in the file.
            print(printable(f"pc: {error}"), file=sys.stderr)
        print_error_name(error)
    return 1


def load_verb(name: str) -> Verb:
    """Import a verb of `PERFECT_TETRIS_VERBS`."""
    module = "perfect_tetris_views" if name in {"demo", "display"} else "perfect_tetris_verbs"
    verb: Verb = getattr(importlib.import_module(f"sevenbag.cli.pc.{module}"), name.upper())
    return verb


def print_error_name(error: SevenbagError) -> None:
    """Print an error by its name, as perfect-tetris does."""
    print(f"error: {error_name(error)}", file=sys.stderr)


def error_name(error: SevenbagError) -> str:
    """Return the name of an error in perfect-tetris, or our own."""
    code = getattr(error, "code", "") if isinstance(error, FormatError) else ""
    return str(code) or type(error).__name__.removesuffix("Error")


def parse_options(
    options: Sequence[VerbOption], words: Sequence[str]
) -> tuple[dict[str, Any], list[str]]:
    """Return the values of all options by long name, and the other words.

    Raises:
        UsageError: an option does not exist, or has no value or an invalid one.
    """
    values = {option.name: option.default for option in options}
    inputs: list[str] = []
    left = list(words)
    while left:
        word = left.pop(0)
        if word == "--":
            inputs += left
            break
        if word.startswith("--"):
            name, given, value = word[2:].partition("=")
            option = _find_option(options, name)
            values[name] = _read_value(option, f"--{name}", value if given else None, left)
        elif word.startswith("-") and word != "-":
            _parse_letters(options, word[1:], left, values)
        else:
            inputs.append(word)
    return values, inputs


def format_help(usage: str, summary: str, options: Sequence[VerbOption]) -> str:
    """Format the help of a verb."""
    lines = [f"Usage: {usage}", "", summary, "", "Options:"]
    names = [
        f"  -{option.letter}, --{option.name}" + (f" {option.metavar}" if option.metavar else "")
        for option in options
    ]
    width = max(map(len, names)) + 2
    lines += [f"{name:{width}}{option.help}" for name, option in zip(names, options, strict=True)]
    return "\n".join(lines) + "\n"


def choice(*names: str) -> Callable[[str], str]:
    """Return a reader of one of some names."""

    def read(text: str) -> str:
        if text not in names:
            raise ValueError(text)
        return text

    return read


def integer_up_to(maximum: int) -> Callable[[str], int]:
    """Return a reader of integers from 0."""

    def read(text: str) -> int:
        # int() also accepts blanks, signs, underscores and digits of any script.
        if not (text.isascii() and text.isdigit() and len(text) <= len(str(maximum))):
            raise ValueError(text)
        if int(text) > maximum:
            raise ValueError(text)
        return int(text)

    return read


def _run_verb(words: Sequence[str], run_command: Callable[[list[str]], int] | None) -> int:
    if not words or words[0] in ("-h", "--help"):
        print(_format_usage(), end="")
        return 0
    name = words[0]
    if name.startswith("-"):
        raise UsageError(f"The option {name.lstrip('-')} does not exist")
    if name not in PERFECT_TETRIS_VERBS:
        group = COMMANDS["pc"]
        assert isinstance(group, CommandGroup)
        if run_command is not None and name in group.commands:
            return run_command(["pc", *words])
        raise UsageError(f"Unknown verb '{name}'.")
    verb = load_verb(name)
    options = (*verb.options, HELP_OPTION)
    values, inputs = parse_options(options, words[1:])
    if values["help"] or (verb.needs_input and not inputs):
        summary = f"{PERFECT_TETRIS_VERBS[name].capitalize()}."
        print(format_help(f"pc {name} {verb.usage}".rstrip(), summary, options), end="")
        return 0
    return verb.run(values, inputs)


def _format_usage() -> str:
    width = max(map(len, PERFECT_TETRIS_VERBS)) + 2
    lines = [
        "Usage: pc VERB [options] [INPUT...]",
        "",
        "Verbs:",
        *(f"  {name:{width}}{summary}" for name, summary in PERFECT_TETRIS_VERBS.items()),
        "",
        "Run pc VERB --help for the options of a verb, sevenbag pc --help for further commands.",
    ]
    return "\n".join(lines) + "\n"


def _find_option(options: Sequence[VerbOption], name: str) -> VerbOption:
    found = next((option for option in options if option.name == name), None)
    if found is None:
        raise UsageError(f"The option {name} does not exist")
    return found


def _parse_letters(
    options: Sequence[VerbOption], letters: str, left: list[str], values: dict[str, Any]
) -> None:
    """Parse the letters after a hyphen; the value of the last one may follow it."""
    for at, letter in enumerate(letters):
        option = next((option for option in options if option.letter == letter), None)
        if option is None:
            raise UsageError(f"The option {letter} does not exist")
        rest = letters[at + 1 :]
        if option.read is None or not rest:
            values[option.name] = _read_value(option, f"-{letter}", None, left)
            continue
        values[option.name] = _read_value(option, f"-{letter}", rest.removeprefix("="), left)
        return


def _read_value(option: VerbOption, spelled: str, value: str | None, left: list[str]) -> Any:
    if option.read is None:
        if value is not None:
            raise UsageError(f"The option {option.name} takes no value")
        return True
    if value is None:
        if not left:
            raise UsageError(f"Missing value for option {spelled}")
        value = left.pop(0)
    try:
        return option.read(value)
    except ValueError as error:
        message = f"Invalid value '{printable(value)}' for option {spelled}"
        if isinstance(error, InputError):
            # The message of perfect-tetris does not name the valid values.
            message += f"\npc: {printable(str(error))}"
        raise UsageError(message) from None
