"""Options as perfect-tetris's ``pc`` takes them, and its words for what is wrong with them.

argparse has other words, and other exit codes; whoever calls ``pc`` from a script knows these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sevenbag.errors import InputError, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

KICKS: Final = ("none", "none180", "srs", "srs180", "srsPlus", "srsTetrio")
"""Names of rotation systems in perfect-tetris."""


class UsageError(Exception):
    """The command line cannot be understood; the message is all that is printed."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a command.

    Attributes:
        name: the long name, with hyphens, without the two in front.
        letter: the short one.
        help: what it does.
        read: makes a value of its argument, or raises ValueError; None if it takes no argument.
        default: its value where it is not given.
        argument: what the help calls its argument.
    """

    name: str
    letter: str
    help: str
    read: Callable[[str], Any] | None = None
    default: Any = False
    argument: str = ""


HELP: Final = Option("help", "h", "print this help")


def read_options(
    options: Sequence[Option], words: Sequence[str]
) -> tuple[dict[str, Any], list[str]]:
    """Values by long name (of all options), and the words that are none of an option.

    Raises:
        UsageError: an option does not exist, lacks its argument, or cannot take it.
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
            name, given, argument = word[2:].partition("=")
            option = _named(options, name)
            values[name] = _value(option, f"--{name}", argument if given else None, left)
        elif word.startswith("-") and word != "-":
            _read_letters(options, word[1:], left, values)
        else:
            inputs.append(word)
    return values, inputs


def help_of(usage: str, summary: str, options: Sequence[Option]) -> str:
    """What a command's help says."""
    lines = [f"Usage: {usage}", "", summary, "", "Options:"]
    names = [
        f"  -{option.letter}, --{option.name}" + (f" {option.argument}" if option.argument else "")
        for option in options
    ]
    width = max(map(len, names)) + 2
    lines += [f"{name:{width}}{option.help}" for name, option in zip(names, options, strict=True)]
    return "\n".join(lines) + "\n"


def one_of(*names: str) -> Callable[[str], str]:
    """An argument that is one of these."""

    def read(text: str) -> str:
        if text not in names:
            raise ValueError(text)
        return text

    return read


def whole(most: int) -> Callable[[str], int]:
    """A whole number from 0."""

    def read(text: str) -> int:
        # int() would take blanks, signs, underscores and digits of any script, too.
        if not (text.isascii() and text.isdigit() and len(text) <= len(str(most))):
            raise ValueError(text)
        if int(text) > most:
            raise ValueError(text)
        return int(text)

    return read


# --- helpers ------------------------------------------------------------------------------------


def _named(options: Sequence[Option], name: str) -> Option:
    found = next((option for option in options if option.name == name), None)
    if found is None:
        raise UsageError(f"The option {name} does not exist")
    return found


def _read_letters(
    options: Sequence[Option], letters: str, left: list[str], values: dict[str, Any]
) -> None:
    """One or more letters behind a hyphen; the last may be followed by its argument."""
    for at, letter in enumerate(letters):
        option = next((option for option in options if option.letter == letter), None)
        if option is None:
            raise UsageError(f"The option {letter} does not exist")
        rest = letters[at + 1 :]
        if option.read is None or not rest:
            values[option.name] = _value(option, f"-{letter}", None, left)
            continue
        values[option.name] = _value(option, f"-{letter}", rest.removeprefix("="), left)
        return


def _value(option: Option, spelled: str, argument: str | None, left: list[str]) -> Any:
    if option.read is None:
        if argument is not None:
            raise UsageError(f"The option {option.name} takes no value")
        return True
    if argument is None:
        if not left:
            raise UsageError(f"Missing value for option {spelled}")
        argument = left.pop(0)
    try:
        return option.read(argument)
    except ValueError as error:
        message = f"Invalid value '{printable(argument)}' for option {spelled}"
        if isinstance(error, InputError):
            # perfect-tetris's words do not say what would be right.
            message += f"\npc: {printable(str(error))}"
        raise UsageError(message) from None
