"""Bots by specification.

::

    beam                            a built-in bot
    beam:nodes=2000,width=300       the same with options
    pc:min-height=4                 a built-in bot that plays perfect clears
    tbp:COMMAND                     a program that speaks TBP
    tbp:OPTIONS:COMMAND             the same with options: profile, its values, log
    triangle:COMMAND                a program that speaks the Triangle.js adapter protocol
    triangle:OPTIONS:COMMAND        the same with options: settings, log
    ws://HOST:PORT/                 a bot behind a WebSocket; with options tbp:OPTIONS:ws://...
    worker:FILE.js                  a Web Worker, in a browser's page or under Node

docs/commands.md lists all options.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import pkgutil
import re
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from sevenbag.config.loader import parse_options
from sevenbag.errors import BotStartError, SpecError, shown

if TYPE_CHECKING:
    from sevenbag.bots.bot import Bot
    from sevenbag.bots.external.bot_channel import ChannelLauncher

Nodes = Annotated[int, Meta(ge=1, le=2**53)]
Milliseconds = Annotated[float, Meta(gt=0, le=1e9)]


class BeamOptions(Struct, frozen=True):
    """Options of the bot ``beam``: limits for each move, and positions kept at each depth."""

    nodes: Nodes | None = None
    ms: Milliseconds | None = None
    width: Annotated[int, Meta(ge=1, le=2**15)] | None = None


class PcOptions(Struct, frozen=True):
    """Options of the bot ``pc``: limits for each move, and rows of the lowest perfect clear."""

    nodes: Nodes | None = None
    ms: Milliseconds | None = None
    min_height: Annotated[int, Meta(ge=1, le=20)] = 1


class RandomOptions(Struct, frozen=True):
    """Options of the bot ``random``."""

    seed: Annotated[int, Meta(ge=0, le=2**53)] | None = None


class WorkerOptions(Struct, frozen=True):
    """Options of the host of a Web Worker."""

    host: Literal["browser", "node"] | None = None


@dataclass(frozen=True, slots=True)
class BuiltinBot:
    """A built-in bot that a specification can name.

    Attributes:
        summary: description for help texts.
        options: type of its options, which are the arguments of its class in their order.
        class_name: class in `sevenbag.bots.builtin`, as ``module:class``.
    """

    summary: str
    options: type[Struct]
    class_name: str


def create_bot(spec: str) -> Bot:
    """Create the bot that a specification names; nothing is started yet.

    Raises:
        SpecError: the bot or program does not exist, or an option is invalid; the message lists
            the valid ones.
    """
    name, colon, rest = spec.strip().partition(":")
    name = name.strip().lower()
    if name in {"tbp", "worker", "triangle"}:
        return _create_driver(name, rest, spec)
    if name in {"ws", "wss"}:
        return _create_driver("tbp", spec.strip(), spec)
    kind = BUILTIN_BOTS.get(name)
    if kind is None:
        hint = _suggest_program(spec.strip()) or _suggest_name(
            name, [*BUILTIN_BOTS, "tbp", "triangle", "worker"]
        )
        known = ", ".join([*BUILTIN_BOTS, _EXTERNAL_BOTS])
        raise SpecError(f"no bot {shown(name)}{hint}; there are {known}")
    if colon and not rest.strip():
        known = ", ".join(kind.options.__struct_fields__).replace("_", "-")
        raise SpecError(f"bot {shown(spec)}: no option after the colon; options are {known}")
    texts = _split_options(rest.lower(), f"bot {name}")
    options = parse_options(texts, kind.options, f"bot {name}", kebab=True)
    # Import only the requested bot.
    create: Callable[..., Bot] = pkgutil.resolve_name(f"sevenbag.bots.builtin.{kind.class_name}")
    return create(*msgspec.structs.astuple(options))


def _create_driver(kind: str, text: str, spec: str) -> Bot:
    try:
        return (_create_triangle_driver if kind == "triangle" else _create_tbp_driver)(kind, text)
    except BotStartError as error:
        raise SpecError(f"bot {spec!r}: {error.reason}") from None
    except SpecError as error:
        raise SpecError(f"bot {spec!r}: {error}") from None


def _create_tbp_driver(kind: str, text: str) -> Bot:
    from sevenbag.bots.external.tbp_driver import TbpDriver  # noqa: PLC0415
    from sevenbag.bots.external.tbp_profile import PROFILE_OPTIONS, load_profile  # noqa: PLC0415

    target, options, flags = _split_spec(kind, text, ["profile", *PROFILE_OPTIONS])
    name = flags.pop("profile", None)
    return TbpDriver(
        target,
        profile=None if name is None else load_profile(name),
        options=flags,
        launcher=_create_launcher(kind, target, options),
        worker=kind == "worker",
    )


def _create_triangle_driver(kind: str, text: str) -> Bot:
    from sevenbag.bots.external.triangle_driver import TriangleDriver, TriangleSettings  # noqa: PLC0415

    target, options, flags = _split_spec(kind, text, TriangleSettings.__struct_fields__)
    return TriangleDriver(
        target,
        settings=parse_options(flags, TriangleSettings, kind),
        folder=Path(options["folder"]) if "folder" in options else None,
        launcher=_create_launcher(kind, target, options),
    )


def _split_spec(
    kind: str, text: str, settings: Sequence[str]
) -> tuple[str, dict[str, str], dict[str, str]]:
    """Split the text after the kind into target, transport options and settings."""
    # The text is parsed as options only if all of it has their form: commands may contain colons.
    begin, colon, target = text.strip().partition(":")
    if not colon or not _OPTIONS.fullmatch(begin):
        begin, target = "", text
    flags = _split_options(begin, kind)
    target = target.strip()
    if not target:
        raise SpecError(_MISSING_TARGET[kind])
    own = _TRANSPORT_OPTIONS[_find_transport(kind, target)]
    known = [*own, *settings]
    for key in flags:
        if key not in known:
            names = ", ".join(known)
            raise SpecError(
                f"unknown option {key!r}{_suggest_name(key, known)}; options are {names}"
            )
    return target, {key: flags.pop(key) for key in own if key in flags}, flags


def _split_options(text: str, source: str) -> dict[str, str]:
    """Split ``KEY=VALUE,KEY=VALUE``."""
    flags: dict[str, str] = {}
    for part in text.split(",") if text.strip() else ():
        key, _, value = (word.strip() for word in part.partition("="))
        if key in flags:
            raise SpecError(f"{source}: option {shown(key)} is given twice")
        flags[key] = value
    return flags


def _find_transport(kind: str, target: str) -> str:
    return "ws" if kind != "worker" and _WEBSOCKET_URL.match(target) else kind


def _create_launcher(kind: str, target: str, options: Mapping[str, str]) -> ChannelLauncher:
    """Create a launcher for the channel; check that its target exists."""
    log, folder = (Path(options[key]) if key in options else None for key in ("log", "folder"))
    transport = _find_transport(kind, target)
    if transport == "ws":
        from sevenbag.bots.external.websocket_channel import create_websocket_launcher  # noqa: PLC0415

        return create_websocket_launcher(target)
    if transport == "worker":
        from sevenbag.bots.external.web_worker import create_worker_launcher  # noqa: PLC0415

        given = {key: options[key] for key in ("host",) if key in options}
        host = parse_options(given, WorkerOptions, kind).host
        return create_worker_launcher(target, host=host, log=log, folder=folder)
    from sevenbag.bots.external.process import (  # noqa: PLC0415
        check_program,
        create_process_launcher,
        program_name,
        split_command,
    )

    words = split_command(target, kind)
    check_program(words[0], program_name(words))
    # Triangle.js ends bots by a signal, and has no message for it.
    return create_process_launcher(words, folder=folder, log=log, send_sigint=kind == "triangle")


BUILTIN_BOTS: Final[Mapping[str, BuiltinBot]] = {
    "beam": BuiltinBot("beam search over the known queue", BeamOptions, "beam_bot:BeamBot"),
    "pc": BuiltinBot("perfect clears where possible, otherwise as beam", PcOptions, "pc_bot:PcBot"),
    "random": BuiltinBot("any legal move", RandomOptions, "random_bot:RandomBot"),
}
"""Built-in bots by name."""


_EXTERNAL_BOTS: Final = "tbp:COMMAND, triangle:COMMAND, ws://HOST:PORT and worker:FILE.js"
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
"""Options of the transport."""
_WEBSOCKET_URL: Final = re.compile(r"wss?://", re.IGNORECASE)
_OPTIONS: Final = re.compile(r"[a-z_]+=[^\s,:]+(,[a-z_]+=[^\s,:]+)*")


def _suggest_name(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def _suggest_program(spec: str) -> str:
    """Suggest ``tbp:`` for a specification that names a program."""
    program, *arguments = spec.split() or [""]
    with contextlib.suppress(OSError):  # the name is too long for a file
        if os.sep in program or Path(program).is_file() or (arguments and shutil.which(program)):
            return f" (did you mean {shown(f'tbp:{spec}')}?)"
    return ""
