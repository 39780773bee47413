"""Bots by specification.

::

    beam                            a built-in bot
    beam:nodes=2000,width=300       the same with options
    pc:min-height=4                 a built-in bot that plays perfect clears
    tbp:COMMAND                     a program that speaks TBP
    tbp:OPTIONS:COMMAND             the same with options: a profile, values of one, a log
    triangle:COMMAND                a program that speaks the Triangle.js adapter protocol
    triangle:OPTIONS:COMMAND        the same with options: when positions are sent, a log
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
    from sevenbag.bots.external.bot_channel import ChannelLauncher

OptionValue = int | float


@dataclass(frozen=True, slots=True)
class BuiltinBot:
    """A built-in bot that a specification can name.

    Attributes:
        summary: description for help texts.
        create: creates a bot from the values of its options.
        options: options by name.
    """

    summary: str
    create: Callable[[Mapping[str, OptionValue]], Bot]
    options: Mapping[str, BotOption]


@dataclass(frozen=True, slots=True)
class BotOption:
    """An option of a bot.

    Attributes:
        summary: description for help texts.
        is_integer: whether the value is an integer.
        minimum: lowest integer; other numbers must be above it.
        maximum: highest integer.
    """

    summary: str
    is_integer: bool = True
    minimum: int = 1
    maximum: int = 2**53


def create_bot(spec: str) -> Bot:
    """Create the bot that a specification names; nothing is started yet.

    Raises:
        SpecError: the bot or program does not exist, or an option is invalid; the message lists
            the valid ones.
    """
    name, colon, rest = spec.strip().partition(":")
    name = name.strip().lower()
    if name in {"tbp", "worker"}:
        return _create_tbp_driver(name, rest, spec)
    if name == "triangle":
        return _create_triangle_driver(rest, spec)
    if name in {"ws", "wss"}:
        return _create_tbp_driver("tbp", spec.strip(), spec)
    kind = BUILTIN_BOTS.get(name)
    if kind is None:
        hint = _suggest_program(spec.strip()) or _suggest_name(
            name, [*BUILTIN_BOTS, "tbp", "triangle", "worker"]
        )
        raise SpecError(f"no bot {shown(name)}{hint}; {_list_bots()}")
    if colon and not rest.strip():
        raise SpecError(
            f"bot {shown(spec)}: no option after the colon; {_list_options(name, kind)}"
        )
    return kind.create(_parse_values(name, kind, rest))


# --- kinds --------------------------------------------------------------------------------------


def _create_beam_bot(values: Mapping[str, OptionValue]) -> Bot:
    # Import only the requested bot.
    from sevenbag.bots.builtin.beam_bot import BeamBot  # noqa: PLC0415

    nodes, width = values.get("nodes"), values.get("width")
    return BeamBot(
        nodes=None if nodes is None else int(nodes),
        milliseconds=values.get("ms"),
        width=None if width is None else int(width),
    )


def _create_pc_bot(values: Mapping[str, OptionValue]) -> Bot:
    from sevenbag.bots.builtin.pc_bot import PcBot  # noqa: PLC0415

    nodes = values.get("nodes")
    return PcBot(
        nodes=None if nodes is None else int(nodes),
        milliseconds=values.get("ms"),
        min_height=int(values.get("min-height", 1)),
    )


def _create_random_bot(values: Mapping[str, OptionValue]) -> Bot:
    from sevenbag.bots.builtin.random_bot import RandomBot  # noqa: PLC0415

    seed = values.get("seed")
    return RandomBot(None if seed is None else int(seed))


def _create_tbp_driver(kind: str, text: str, spec: str) -> Bot:
    """Create a driver for a program, a WebSocket server or a worker that speaks TBP."""
    from sevenbag.bots.external.tbp_driver import TbpDriver  # noqa: PLC0415
    from sevenbag.bots.external.tbp_profile import PROFILE_OPTIONS, load_profile  # noqa: PLC0415

    target, options, flags = _split_spec(kind, text, spec, ["profile", *PROFILE_OPTIONS])
    name = flags.pop("profile", None)
    try:
        return TbpDriver(
            target,
            profile=None if name is None else load_profile(name),
            options=flags,
            launcher=_create_launcher(kind, target, options),
            worker=kind == "worker",
        )
    except BotStartError as error:
        raise SpecError(f"bot {spec!r}: {str(error).removeprefix(f'{error.bot}: ')}") from None
    except SpecError as error:
        raise SpecError(f"bot {spec!r}: {error}") from None


def _create_triangle_driver(text: str, spec: str) -> Bot:
    """Create a driver for a program that speaks the Triangle.js adapter protocol."""
    from sevenbag.bots.external.triangle_driver import SETTINGS, TriangleDriver, read_settings  # noqa: PLC0415

    target, options, flags = _split_spec("triangle", text, spec, SETTINGS)
    try:
        settings = read_settings(flags)
        launch = _create_launcher("triangle", target, options)
        folder = Path(options["folder"]) if "folder" in options else None
        return TriangleDriver(target, settings=settings, folder=folder, launcher=launch)
    except BotStartError as error:
        raise SpecError(f"bot {spec!r}: {str(error).removeprefix(f'{error.bot}: ')}") from None
    except SpecError as error:
        raise SpecError(f"bot {spec!r}: {error}") from None


def _split_spec(
    kind: str, text: str, spec: str, settings: Sequence[str]
) -> tuple[str, dict[str, str], dict[str, str]]:
    """Split a specification into target, transport options and settings."""
    flags, target = _parse_options(text, spec)
    if not target:
        raise SpecError(f"bot {spec!r}: {_MISSING_TARGET[kind]}")
    of_its_own = _TRANSPORT_OPTIONS[_find_transport(kind, target)]
    known = [*of_its_own, *settings]
    for key in flags:
        if key not in known:
            there_are = f"options of {kind} are {', '.join(known)}"
            raise SpecError(
                f"bot {spec!r}: no option {key!r}{_suggest_name(key, known)}; {there_are}"
            )
    options = {key: flags.pop(key) for key in of_its_own if key in flags}
    return target, options, flags


def _find_transport(kind: str, target: str) -> str:
    return "ws" if kind != "worker" and _WEBSOCKET_URL.match(target) else kind


def _create_launcher(kind: str, target: str, options: Mapping[str, str]) -> ChannelLauncher:
    """Create a launcher for the channel; check that its target exists."""
    log, folder = (Path(options[key]) if key in options else None for key in ("log", "folder"))
    carrier = _find_transport(kind, target)
    if carrier == "ws":
        from sevenbag.bots.external.websocket_channel import create_websocket_launcher  # noqa: PLC0415

        return create_websocket_launcher(target)
    if carrier == "worker":
        from sevenbag.bots.external.web_worker import create_worker_launcher  # noqa: PLC0415

        host = options.get("host")
        if host not in {None, "browser", "node"}:
            raise SpecError(f"invalid host: expected browser or node, got {host!r}")
        # The check above leaves only these values.
        chosen = cast("Literal['browser', 'node'] | None", host)
        return create_worker_launcher(target, host=chosen, log=log, folder=folder)
    from sevenbag.bots.external.process import (  # noqa: PLC0415
        check_program,
        create_process_launcher,
        program_name,
        split_command,
    )

    words = split_command(target, kind)
    check_program(words, program_name(words))
    # Triangle.js ends bots by a signal, and has no message for it.
    return create_process_launcher(words, folder=folder, log=log, send_sigint=kind == "triangle")


def _parse_options(text: str, spec: str) -> tuple[dict[str, str], str]:
    """Split the options before a second colon from the text after it.

    The text is parsed as options only if all of it has their form: commands may contain colons.
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


BUILTIN_BOTS: Final[Mapping[str, BuiltinBot]] = {
    "beam": BuiltinBot(
        "beam search over the known queue",
        _create_beam_bot,
        {
            "nodes": BotOption("nodes for each move"),
            "ms": BotOption("milliseconds for each move", is_integer=False, minimum=0),
            "width": BotOption("positions kept at each depth", maximum=2**15),
        },
    ),
    "pc": BuiltinBot(
        "perfect clears as long as it sees any, else as beam",
        _create_pc_bot,
        {
            "nodes": BotOption("nodes for each move"),
            "ms": BotOption("milliseconds for each move", is_integer=False, minimum=0),
            "min-height": BotOption("rows of the lowest perfect clear it plays for, up to 20"),
        },
    ),
    "random": BuiltinBot(
        "any legal move",
        _create_random_bot,
        {"seed": BotOption("what its choices follow from", minimum=0)},
    ),
}
"""The bots of our own; the others are named by what runs them."""


# --- helpers ------------------------------------------------------------------------------------

_MISSING_TARGET: Final = {
    "tbp": "no command; expected tbp:COMMAND, such as tbp:./my-bot, or tbp:OPTIONS:COMMAND, such "
    "as tbp:profile=stadium:./my-bot",
    "triangle": "no command; expected triangle:COMMAND, such as triangle:./my-bot, or "
    "triangle:OPTIONS:COMMAND, such as triangle:states=garbage:./my-bot",
    "worker": "no file; expected worker:FILE.js, or worker:OPTIONS:FILE.js",
}
_TRANSPORT_OPTIONS: Final[dict[str, tuple[str, ...]]] = {
    "tbp": ("log", "folder"),
    "triangle": ("log", "folder"),
    "ws": (),
    "worker": ("host", "log", "folder"),
}
"""Options besides the settings, by what carries the messages."""
_WEBSOCKET_URL: Final = re.compile(r"wss?://", re.IGNORECASE)
_OPTIONS: Final = re.compile(r"[a-z_]+=[^\s,:]+(,[a-z_]+=[^\s,:]+)*")


def _parse_values(name: str, kind: BuiltinBot, text: str) -> dict[str, OptionValue]:
    values: dict[str, OptionValue] = {}
    for part in text.split(",") if text.strip() else ():
        key, _, value = part.partition("=")
        key = key.strip().lower()
        option = kind.options.get(key)
        if option is None:
            raise SpecError(
                f"bot {name} has no option {shown(key)}{_suggest_name(key, kind.options)}; "
                f"{_list_options(name, kind)}"
            )
        if key in values:
            raise SpecError(f"bot {name}: option {key!r} is given twice")
        values[key] = _parse_value(f"bot {name}: invalid {key}", option, value.strip())
    return values


def _parse_value(what: str, option: BotOption, text: str) -> OptionValue:
    try:
        number: OptionValue = int(text) if option.is_integer else float(text)
    except ValueError:
        number = math.nan
    if option.is_integer and option.minimum <= number <= option.maximum:
        return number
    if not option.is_integer and option.minimum < number < math.inf:
        return number
    expected = f"number above {option.minimum}"
    if option.is_integer:
        expected = f"integer from {option.minimum} to {option.maximum}"
    raise SpecError(f"{what}: expected {expected}, got {shown(text)}")


def _suggest_name(name: str, known: Mapping[str, object] | list[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _suggest_program(spec: str) -> str:
    """Suggest ``tbp:`` for a specification that names a program."""
    program, *arguments = spec.split() or [""]
    with contextlib.suppress(OSError):  # the name is too long for a file
        if os.sep in program or Path(program).is_file() or (arguments and shutil.which(program)):
            return f"; did you mean {shown(f'tbp:{spec}')}?"
    return ""


def _list_bots() -> str:
    foreign = "tbp:COMMAND, triangle:COMMAND, ws://HOST:PORT and worker:FILE.js"
    return f"there are {', '.join(BUILTIN_BOTS)}, {foreign}"


def _list_options(name: str, kind: BuiltinBot) -> str:
    return f"options of {name} are {', '.join(kind.options)}"
