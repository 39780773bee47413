"""Bots by specification.

::

    beam                            a bot of our own
    beam:nodes=2000,width=300       the same with options
    tbp:COMMAND                     a program that speaks TBP
    tbp:OPTIONS:COMMAND             the same with options: a profile, values of one, a log

docs/commands.md has them all.
"""

from __future__ import annotations

import contextlib
import difflib
import math
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sevenbag.errors import BotStartError, SpecError, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sevenbag.bots.bot import Bot

Value = int | float


@dataclass(frozen=True, slots=True)
class BotKind:
    """A kind of bot that a specification can name.

    Attributes:
        summary: what it is, for people.
        create: makes one from the values of its options.
        options: how the value of each option is read.
    """

    summary: str
    create: Callable[[Mapping[str, Value]], Bot]
    options: Mapping[str, Option]


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a bot.

    Attributes:
        summary: what it does, for people.
        whole: whether it is a whole number.
        least: the lowest value, of a whole number; of others, they are above it.
        most: the highest value of a whole number.
    """

    summary: str
    whole: bool = True
    least: int = 1
    most: int = 2**53


def create_bot(spec: str) -> Bot:
    """The bot that a specification names; nothing of it runs yet.

    Raises:
        SpecError: there is no such bot or program, or an option of it is wrong; the message says
            what there is.
    """
    name, colon, rest = spec.strip().partition(":")
    name = name.strip().lower()
    if name == "tbp":
        return _tbp(rest, spec)
    kind = KINDS.get(name)
    if kind is None:
        hint = _as_program(spec.strip()) or _nearest(name, [*KINDS, "tbp"])
        raise SpecError(f"no bot {shown(name)}{hint}; {_there_is()}")
    if colon and not rest.strip():
        raise SpecError(f"bot {shown(spec)}: no option after the colon; {_options_of(name, kind)}")
    return kind.create(_values(name, kind, rest))


# --- kinds --------------------------------------------------------------------------------------


def _beam(values: Mapping[str, Value]) -> Bot:
    # Only the bot that is called for is loaded.
    from sevenbag.bots.beam import BeamBot  # noqa: PLC0415

    nodes, width = values.get("nodes"), values.get("width")
    return BeamBot(
        nodes=None if nodes is None else int(nodes),
        milliseconds=values.get("ms"),
        width=None if width is None else int(width),
    )


def _random(values: Mapping[str, Value]) -> Bot:
    from sevenbag.bots.random_bot import RandomBot  # noqa: PLC0415

    seed = values.get("seed")
    return RandomBot(None if seed is None else int(seed))


def _tbp(text: str, spec: str) -> Bot:
    from sevenbag.bots.process import expect_program  # noqa: PLC0415
    from sevenbag.bots.profile import FLAGS, profile  # noqa: PLC0415
    from sevenbag.bots.tbp import TbpBot  # noqa: PLC0415

    flags, command = _flags(text, spec)
    if not command:
        raise SpecError(
            f"bot {shown(spec)}: no command; expected tbp:COMMAND, such as tbp:./my-bot, or "
            "tbp:OPTIONS:COMMAND, such as tbp:profile=stadium:./my-bot"
        )
    known = ["profile", "log", "folder", *FLAGS]
    for key in flags:
        if key not in known:
            there_are = f"options of tbp are {', '.join(known)}"
            raise SpecError(
                f"bot {shown(spec)}: no option {shown(key)}{_nearest(key, known)}; {there_are}"
            )
    name, log, folder = (flags.pop(key, None) for key in ("profile", "log", "folder"))
    try:
        bot = TbpBot(
            command,
            profile=None if name is None else profile(name),
            flags=flags,
            log=None if log is None else Path(log),
            folder=None if folder is None else Path(folder),
        )
        expect_program(command, bot.name)
        return bot
    except BotStartError as error:
        raise SpecError(f"bot {shown(spec)}: {str(error).removeprefix(f'{error.bot}: ')}") from None
    except SpecError as error:
        raise SpecError(f"bot {shown(spec)}: {error}") from None


def _flags(text: str, spec: str) -> tuple[dict[str, str], str]:
    """Options before a second colon, and what comes behind it.

    They are options only if all of it looks like them: a command may hold colons, too.
    """
    options, colon, rest = text.strip().partition(":")
    if not colon or not _OPTIONS.fullmatch(options):
        return {}, text.strip()
    flags: dict[str, str] = {}
    for part in options.split(","):
        key, _, value = part.partition("=")
        if key in flags:
            raise SpecError(f"bot {shown(spec)}: option {shown(key)} is given twice")
        flags[key] = value
    return flags, rest.strip()


KINDS: Final[Mapping[str, BotKind]] = {
    "beam": BotKind(
        "beam search over the known queue",
        _beam,
        {
            "nodes": Option("nodes for each move"),
            "ms": Option("milliseconds for each move", whole=False, least=0),
            "width": Option("positions kept at each depth", most=2**15),
        },
    ),
    "random": BotKind(
        "any legal move", _random, {"seed": Option("what its choices follow from", least=0)}
    ),
}
"""The bots of our own; besides them there is ``tbp:COMMAND``."""


# --- helpers ------------------------------------------------------------------------------------

_OPTIONS: Final = re.compile(r"[a-z_]+=[^\s,:]+(,[a-z_]+=[^\s,:]+)*")


def _values(name: str, kind: BotKind, text: str) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for part in text.split(",") if text.strip() else ():
        key, _, value = part.partition("=")
        key = key.strip().lower()
        option = kind.options.get(key)
        if option is None:
            raise SpecError(
                f"bot {name} has no option {shown(key)}{_nearest(key, kind.options)}; "
                f"{_options_of(name, kind)}"
            )
        if key in values:
            raise SpecError(f"bot {name}: option {key!r} is given twice")
        values[key] = _value(f"bot {name}: {key}", option, value.strip())
    return values


def _value(what: str, option: Option, text: str) -> Value:
    try:
        number: Value = int(text) if option.whole else float(text)
    except ValueError:
        number = math.nan
    if option.whole and option.least <= number <= option.most:
        return number
    if not option.whole and option.least < number < math.inf:
        return number
    whole = f"a whole number from {option.least} to {option.most}"
    raise SpecError(
        f"{what} is {shown(text)}, must be {whole if option.whole else f'above {option.least}'}"
    )


def _nearest(name: str, known: Mapping[str, object] | list[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _as_program(spec: str) -> str:
    """Somebody who names a program means a bot behind a protocol."""
    program, *arguments = spec.split() or [""]
    with contextlib.suppress(OSError):  # no file has so long a name
        if os.sep in program or Path(program).is_file() or (arguments and shutil.which(program)):
            return f"; did you mean {shown(f'tbp:{spec}')}?"
    return ""


def _there_is() -> str:
    return f"there are {', '.join(KINDS)} and tbp:COMMAND"


def _options_of(name: str, kind: BotKind) -> str:
    return f"options of {name} are {', '.join(kind.options)}"
