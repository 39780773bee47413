"""Bots by specification.

::

    beam                            a bot of our own
    beam:nodes=2000,width=300       the same with options
    pc:min-height=4                 one that plays perfect clears
    tbp:COMMAND                     a program that speaks TBP
    tbp:OPTIONS:COMMAND             the same with options: a profile, values of one, a log
    triangle:COMMAND                a program that speaks the Triangle.js adapter protocol
    triangle:OPTIONS:COMMAND        the same with options: when positions are told, a log
    ws://HOST:PORT/                 a bot behind a WebSocket; with options tbp:OPTIONS:ws://...
    worker:FILE.js                  a Web Worker, in a browser's page or under Node

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
from typing import TYPE_CHECKING, Final, Literal, cast

from sevenbag.errors import BotStartError, SpecError, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sevenbag.bots.bot import Bot
    from sevenbag.bots.external.bot_channel import Launch

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
    if name in {"tbp", "worker"}:
        return _foreign(name, rest, spec)
    if name == "triangle":
        return _triangle(rest, spec)
    if name in {"ws", "wss"}:
        return _foreign("tbp", spec.strip(), spec)
    kind = KINDS.get(name)
    if kind is None:
        hint = _as_program(spec.strip()) or _nearest(name, [*KINDS, "tbp", "triangle", "worker"])
        raise SpecError(f"no bot {shown(name)}{hint}; {_there_is()}")
    if colon and not rest.strip():
        raise SpecError(f"bot {shown(spec)}: no option after the colon; {_options_of(name, kind)}")
    return kind.create(_values(name, kind, rest))


# --- kinds --------------------------------------------------------------------------------------


def _beam(values: Mapping[str, Value]) -> Bot:
    # Only the bot that is called for is loaded.
    from sevenbag.bots.builtin.beam_bot import BeamBot  # noqa: PLC0415

    nodes, width = values.get("nodes"), values.get("width")
    return BeamBot(
        nodes=None if nodes is None else int(nodes),
        milliseconds=values.get("ms"),
        width=None if width is None else int(width),
    )


def _pc(values: Mapping[str, Value]) -> Bot:
    from sevenbag.bots.builtin.pc_bot import PcBot  # noqa: PLC0415

    nodes = values.get("nodes")
    return PcBot(
        nodes=None if nodes is None else int(nodes),
        milliseconds=values.get("ms"),
        min_height=int(values.get("min-height", 1)),
    )


def _random(values: Mapping[str, Value]) -> Bot:
    from sevenbag.bots.builtin.random_bot import RandomBot  # noqa: PLC0415

    seed = values.get("seed")
    return RandomBot(None if seed is None else int(seed))


def _foreign(kind: str, text: str, spec: str) -> Bot:
    """A bot that is no Python of ours: a program, something behind a socket, a worker."""
    from sevenbag.bots.external.tbp_driver import TbpBot  # noqa: PLC0415
    from sevenbag.bots.external.tbp_profile import FLAGS, profile  # noqa: PLC0415

    target, options, flags = _parts(kind, text, spec, ["profile", *FLAGS])
    name = flags.pop("profile", None)
    try:
        return TbpBot(
            target,
            profile=None if name is None else profile(name),
            flags=flags,
            launch=_launch(kind, target, options),
            worker=kind == "worker",
        )
    except BotStartError as error:
        raise SpecError(f"bot {spec!r}: {str(error).removeprefix(f'{error.bot}: ')}") from None
    except SpecError as error:
        raise SpecError(f"bot {spec!r}: {error}") from None


def _triangle(text: str, spec: str) -> Bot:
    """A program that speaks the Triangle.js adapter protocol."""
    from sevenbag.bots.external.triangle_driver import SETTINGS, TriangleBot, read_settings  # noqa: PLC0415

    target, options, flags = _parts("triangle", text, spec, SETTINGS)
    try:
        settings = read_settings(flags)
        launch = _launch("triangle", target, options)
        folder = Path(options["folder"]) if "folder" in options else None
        return TriangleBot(target, settings=settings, folder=folder, launch=launch)
    except BotStartError as error:
        raise SpecError(f"bot {spec!r}: {str(error).removeprefix(f'{error.bot}: ')}") from None
    except SpecError as error:
        raise SpecError(f"bot {spec!r}: {error}") from None


def _parts(
    kind: str, text: str, spec: str, settings: Sequence[str]
) -> tuple[str, dict[str, str], dict[str, str]]:
    """What is behind the options; those of what carries the messages; those among the settings."""
    flags, target = _flags(text, spec)
    if not target:
        raise SpecError(f"bot {spec!r}: {_NOTHING_BEHIND[kind]}")
    of_its_own = _OF_ITS_OWN[_carrier(kind, target)]
    known = [*of_its_own, *settings]
    for key in flags:
        if key not in known:
            there_are = f"options of {kind} are {', '.join(known)}"
            raise SpecError(f"bot {spec!r}: no option {key!r}{_nearest(key, known)}; {there_are}")
    options = {key: flags.pop(key) for key in of_its_own if key in flags}
    return target, options, flags


def _carrier(kind: str, target: str) -> str:
    return "ws" if kind != "worker" and _ADDRESS.match(target) else kind


def _launch(kind: str, target: str, options: Mapping[str, str]) -> Launch:
    """How a channel to it is opened; whether there is such a thing is seen now."""
    log, folder = (Path(options[key]) if key in options else None for key in ("log", "folder"))
    carrier = _carrier(kind, target)
    if carrier == "ws":
        from sevenbag.bots.external.websocket_channel import launch_websocket  # noqa: PLC0415

        return launch_websocket(target)
    if carrier == "worker":
        from sevenbag.bots.external.web_worker import launch_worker  # noqa: PLC0415

        host = options.get("host")
        if host not in {None, "browser", "node"}:
            raise SpecError(f"host is {host!r}, must be browser or node")
        # The set above leaves nothing else.
        chosen = cast("Literal['browser', 'node'] | None", host)
        return launch_worker(target, host=chosen, log=log, folder=folder)
    from sevenbag.bots.external.process import (  # noqa: PLC0415
        command_name,
        expect_program,
        launch_process,
        split_command,
    )

    words = split_command(target, kind)
    expect_program(words, command_name(words))
    # Triangle.js ends bots by a signal, and has no message for it.
    return launch_process(words, folder=folder, log=log, interrupted=kind == "triangle")


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
    "pc": BotKind(
        "perfect clears as long as it sees any, else as beam",
        _pc,
        {
            "nodes": Option("nodes for each move"),
            "ms": Option("milliseconds for each move", whole=False, least=0),
            "min-height": Option("rows of the lowest perfect clear it plays for, up to 20"),
        },
    ),
    "random": BotKind(
        "any legal move", _random, {"seed": Option("what its choices follow from", least=0)}
    ),
}
"""The bots of our own; the others are named by what runs them."""


# --- helpers ------------------------------------------------------------------------------------

_NOTHING_BEHIND: Final = {
    "tbp": "no command; expected tbp:COMMAND, such as tbp:./my-bot, or tbp:OPTIONS:COMMAND, such "
    "as tbp:profile=stadium:./my-bot",
    "triangle": "no command; expected triangle:COMMAND, such as triangle:./my-bot, or "
    "triangle:OPTIONS:COMMAND, such as triangle:states=garbage:./my-bot",
    "worker": "no file; expected worker:FILE.js, or worker:OPTIONS:FILE.js",
}
_OF_ITS_OWN: Final[dict[str, tuple[str, ...]]] = {
    "tbp": ("log", "folder"),
    "triangle": ("log", "folder"),
    "ws": (),
    "worker": ("host", "log", "folder"),
}
"""Options besides the settings, by what carries the messages."""
_ADDRESS: Final = re.compile(r"wss?://", re.IGNORECASE)
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
    foreign = "tbp:COMMAND, triangle:COMMAND, ws://HOST:PORT and worker:FILE.js"
    return f"there are {', '.join(KINDS)}, {foreign}"


def _options_of(name: str, kind: BotKind) -> str:
    return f"options of {name} are {', '.join(kind.options)}"
