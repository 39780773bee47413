"""Profiles: the peculiarities of external programs that speak TBP, as data.

A profile is a file in ``profiles/``. It is chosen by its name, or by what a bot calls itself, and
single values can be given on top, as in ``tbp:profile=misamino,retry_ms=0:./bot``. What a file
leaves out is as the official text has it, or as we do where that is silent.

One format serves for both directions: a profile of a bot says how to drive it, a profile of a
frontend how that frontend drives, so that a bot can be tried under its conditions, and the settings
for serving a bot to it (the table ``serve``).
"""

from __future__ import annotations

import difflib
import functools
import math
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, cast

import msgspec
from msgspec import Struct

from sevenbag.config.input_file import names_file
from sevenbag.config.toml import parse_toml, read_toml_text
from sevenbag.errors import FormatError, SpecError

if TYPE_CHECKING:
    from collections.abc import Mapping


class ServeSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings for serving a bot to this frontend.

    Attributes:
        max_moves: how many moves a suggestion has at most.
        max_line_bytes: bytes of an answer with its end, at most.
        features: whether to announce features.
        inputs: whether to tell the way to the first move.
    """

    max_moves: int = 1
    max_line_bytes: int = 4096
    features: bool = True
    inputs: bool = False


class TbpProfile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings for the communication with a program.

    Attributes:
        name: of the profile.
        summary: whose it is, in a few words.
        names: what the program calls itself in ``info.name``; case, blanks and signs aside.
        worker: whether these names select the profile only for Web Workers.
        order: which message comes first after a move.
        selection: which of a bot's moves is played: the first ``legal`` one, or the ``first`` or
            ``last`` whether legal or not.
        spin: what a bot's claim of a spin is: a ``hint`` that chooses between two ways to the
            same cells, nothing at all (``ignore``), or a part of the move, which is illegal if the
            claim is wrong (``strict``). What a spin is worth, the game decides in any case.
        inputs: what is done with the way that a move may bring along. If it leads elsewhere, the
            move is made nevertheless, which is counted (``check``) or not even looked at
            (``ignore``), or is illegal (``strict``).
        json: ``spaced`` has blanks behind colons and commas.
        retry_ms: how long after an answer without moves a bot is asked again.
        retries: maximum number of such retries; with 0, the first such answer is a resignation.
        wait_ms: how long after a ``start`` it is first asked.
        thinks: ``always``, from ``start`` or ``play`` on, so that a limit in milliseconds is
            waited for before it is asked; or only ``when_asked``.
        restart: when a new ``start`` takes the place of ``play``: after ``garbage`` alone, after a
            first ``hold`` too, or for every ``move``.
        restart_above: number of rows that the bot sees. A move above them, or on a higher stack, is
            sent as ``start``.
        garbage: whether the message ``garbage`` is used if the bot announces it.
        follows_play: whether it plays the move of ``play``; if not, a move other than its first
            is sent as ``start``.
        suggest_plays: whether a question makes it play its own move; then it is never asked
            twice about a position.
        play: the form of the move in ``play``: its ``own``, or the ``canonical`` one.
        back_to_back: ``boolean`` or ``count``.
        cells: ``letters`` of pieces, or ``garbage`` for all that is filled.
        rows: number of rows that are sent.
        randomizer: whether it is sent.
        opponents: whether they are sent if they are known.
        meter: whether pending garbage is sent.
        pieces_after_first_hold: how many ``new_piece`` come after it.
        min_queue: pieces in view, the current one among them, that it needs.
        min_nodes: minimum nodes for its search if it announces that feature; 0 for none.
        process: whether the same one is kept for the next ``game``, or a new one started.
        info_seconds: to introduce itself.
        ready_seconds: to answer the rules.
        move_seconds: to answer a question.
        quit_seconds: to leave by itself.
        serve: settings for serving a bot to it.
    """

    name: str = "official"
    summary: str = ""
    names: tuple[str, ...] = ()
    worker: bool = False
    order: Literal["play", "new_piece"] = "play"
    selection: Literal["legal", "first", "last"] = "legal"
    spin: Literal["hint", "ignore", "strict"] = "hint"
    inputs: Literal["check", "ignore", "strict"] = "check"
    json: Literal["compact", "spaced"] = "compact"
    retry_ms: float = 50.0
    retries: int = 1_000_000
    wait_ms: float = 0.0
    thinks: Literal["always", "when_asked"] = "always"
    restart: Literal["garbage", "hold", "move"] = "garbage"
    restart_above: int = 40
    garbage: bool = True
    follows_play: bool = True
    suggest_plays: bool = False
    play: Literal["own", "canonical"] = "own"
    back_to_back: Literal["boolean", "count"] = "boolean"
    cells: Literal["letters", "garbage"] = "letters"
    rows: int = 40
    randomizer: bool = True
    opponents: bool = False
    meter: bool = False
    pieces_after_first_hold: int = 2
    min_queue: int = 0
    min_nodes: int = 0
    process: Literal["kept", "new"] = "kept"
    info_seconds: float = 10.0
    ready_seconds: float = 10.0
    move_seconds: float = 5.0
    quit_seconds: float = 1.0
    serve: ServeSettings = ServeSettings()


OFFICIAL_PROFILE: Final = TbpProfile()
"""As the official text has it, and as we read it where it is silent."""

WORKER_PROFILE: Final = msgspec.structs.replace(OFFICIAL_PROFILE, info_seconds=30.0)
"""Official profile for Web Workers, which may compile code before they send ``info``."""


def load_profile(name: str) -> TbpProfile:
    """Load a profile by its name, or from a file that ends with ``.toml``.

    Raises:
        SpecError: the profile does not exist or is invalid.
    """
    key = name.strip().lower()
    known = _load_profiles()
    if name.lower().endswith(".toml") or (key not in known and names_file(name)):
        try:
            text = read_toml_text(name)
        except FormatError as error:
            raise SpecError(f"profile {name}: {error}") from None
        return parse_profile(text, Path(name).stem)
    if key not in known:
        near = difflib.get_close_matches(key, known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise SpecError(f"no profile {name!r}{hint}; there are {', '.join(known)}")
    return known[key]


def list_profiles() -> list[str]:
    """Return the names of all profiles."""
    return list(_load_profiles())


def find_profile(info_name: str, *, worker: bool = False) -> TbpProfile | None:
    """Find the profile for the announced name of a bot.

    Args:
        info_name: name in its ``info``.
        worker: whether the bot is a Web Worker, for which profiles of workers take precedence.

    Returns: the profile, or None.
    """
    plain = _normalize_name(info_name)
    named = [
        each for each in _load_profiles().values() if plain in map(_normalize_name, each.names)
    ]
    for_workers = [each for each in named if each.worker]
    others = [each for each in named if not each.worker]
    return next(iter([*for_workers, *others] if worker else others), None)


def override_profile(base: TbpProfile, options: Mapping[str, str]) -> TbpProfile:
    """Return a profile with single values changed.

    Args:
        base: the profile.
        flags: by their names, as texts.

    Raises:
        SpecError: there is no such value, or it cannot be that; the message says what it can be.
    """
    changes: dict[str, object] = {}
    for key, text in options.items():
        if key not in PROFILE_OPTIONS:
            near = difflib.get_close_matches(key, PROFILE_OPTIONS, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise SpecError(
                f"a profile has no {key!r}{hint}; there are {', '.join(PROFILE_OPTIONS)}"
            )
        changes[key] = read_value(_FIELDS[key], text)
    return msgspec.structs.replace(base, **changes)


def parse_profile(text: str, name: str) -> TbpProfile:
    """Parse a profile from TOML.

    Raises:
        SpecError: it is none; the message says where.
    """
    try:
        read = msgspec.convert(parse_toml(text), TbpProfile)
    except (FormatError, msgspec.ValidationError) as error:
        raise SpecError(f"profile {name}: {error}") from None
    return msgspec.structs.replace(read, name=name)


def read_value(field: msgspec.structs.FieldInfo, text: str) -> bool | str | float:
    """Read the value of a bot's option from text.

    Args:
        field: the option's field; its default tells the type.
        text: as given in a specification.

    Raises:
        SpecError: the option cannot have this value; the message says which it can have.
    """
    default = field.default
    if isinstance(default, bool):
        if text.lower() not in _BOOLEANS:
            raise SpecError(f"invalid {field.name}: expected yes or no, got {text!r}")
        return _BOOLEANS[text.lower()]
    if isinstance(default, str):
        choices = cast("tuple[str, ...]", field.type.__args__)
        if text not in choices:
            raise SpecError(
                f"invalid {field.name}: expected one of {', '.join(choices)}, got {text!r}"
            )
        return text
    kind = int if isinstance(default, int) else float
    try:
        number = kind(text)
    except ValueError:
        number = -1
    if not (0 <= number <= _MAX_VALUE and math.isfinite(number)):
        expected = "integer" if kind is int else "number"
        raise SpecError(f"invalid {field.name}: expected {expected} from 0, got {text!r}")
    return number


# --- helpers ------------------------------------------------------------------------------------

_FIELDS: Final = {field.name: field for field in msgspec.structs.fields(TbpProfile)}
_NO_OPTIONS: Final = {"name", "summary", "names", "worker", "serve"}
PROFILE_OPTIONS: Final = tuple(name for name in _FIELDS if name not in _NO_OPTIONS)
"""The values of a profile that can be given one by one."""

_BOOLEANS: Final = {"yes": True, "true": True, "no": False, "false": False}
_MAX_VALUE: Final = 10.0**9


@functools.cache
def _load_profiles() -> dict[str, TbpProfile]:
    found = {"official": OFFICIAL_PROFILE}
    folder = resources.files("sevenbag.bots.external") / "profiles"
    for file in sorted(folder.iterdir(), key=lambda each: each.name):
        if file.name.endswith(".toml"):
            name = file.name.removesuffix(".toml")
            found[name] = parse_profile(file.read_text("utf-8"), name)
    return found


def _normalize_name(name: str) -> str:
    return "".join(c for c in name.casefold() if c.isalnum())
