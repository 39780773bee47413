"""Profiles: peculiarities of external programs that speak TBP, as data.

A profile is a file in ``profiles/``. It is selected by its name or by the announced name of a bot;
single values can be overridden, as in ``tbp:profile=misamino,retry_ms=0:./bot``. Defaults follow
the official text.

The profile of a bot describes how to drive it. The profile of a frontend describes how that
frontend drives bots, so that a bot can be tested under its conditions; the table ``serve`` has the
settings for serving a bot to it.
"""

from __future__ import annotations

import difflib
import functools
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from sevenbag.config.loader import load_toml, loads_toml, parse_options
from sevenbag.errors import SpecError
from sevenbag.files import looks_like_file

Count = Annotated[int, Meta(ge=0, le=10**9)]
Duration = Annotated[float, Meta(ge=0, le=1e9)]


class ServeSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings for serving a bot to this frontend.

    Attributes:
        max_moves: maximum moves of a suggestion. All frontends accept one.
        max_line_bytes: maximum bytes of an answer with its line end. A frontend in use reads lines
            into a buffer of 4096 bytes.
        features: announce features.
        inputs: send the inputs of the first move, as in the versus dialect.
    """

    max_moves: Count = 1
    max_line_bytes: Count = 4096
    features: bool = True
    inputs: bool = False


class TbpProfile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings for the communication with a program.

    Attributes:
        name: name of the profile.
        summary: short description.
        names: announced names (``info.name``) that select the profile, ignoring case, spaces and
            punctuation.
        worker: select the profile by these names only for Web Workers.
        order: first message after a move.
        selection: move of a list that is played: the first ``legal`` one, or the ``first`` or
            ``last`` one, which forfeits if it is illegal.
        spin: use of a bot's spin claim: a ``hint`` that selects between two paths to the same
            cells; ``ignore``; or ``strict``: a wrong claim makes the move illegal. The game alone
            decides the score of a spin.
        inputs: use of the inputs of a move. If they lead elsewhere, the move is played and counted
            as misdrop (``check``), played (``ignore``) or illegal (``strict``).
        json: ``spaced`` writes spaces after colons and commas.
        retry_ms: pause before a bot is asked again after an answer without moves.
        retries: maximum number of such retries; with 0, the first such answer is a resignation.
        wait_ms: pause between a ``start`` and the first question.
        thinks: ``always``: from ``start`` or ``play`` on, so a limit in milliseconds passes before
            the question; or only ``when_asked``.
        restart: moves sent as ``start`` instead of ``play``: those after ``garbage``, also a first
            ``hold``, or every ``move``.
        restart_above: number of rows that the bot sees. A move above them, or on a higher stack, is
            sent as ``start``.
        garbage: send the message ``garbage`` if the bot announces it.
        follows_play: true if the bot plays the move of ``play``; otherwise a move other than its
            first suggestion is sent as ``start``.
        suggest_plays: true if a question makes the bot play its own move; then it is asked only
            once about a position.
        play: form of the move in ``play``: the bot's ``own`` or the ``canonical`` one.
        back_to_back: type of the field: ``boolean`` or ``count``.
        cells: filled cells: ``letters`` of pieces, or ``garbage``.
        rows: number of rows that are sent.
        randomizer: send the randomizer.
        opponents: send the opponents if they are known.
        meter: send the pending garbage.
        pieces_after_first_hold: number of ``new_piece`` messages after the first hold.
        min_queue: number of visible pieces that the bot needs, with the current one.
        min_nodes: minimum nodes of a search if the bot announces that feature; 0 for none.
        process: ``kept`` for the next game, or a ``new`` one for each game.
        info_seconds: time limit for ``info``.
        ready_seconds: time limit for the answer to the rules.
        move_seconds: time limit for an answer.
        quit_seconds: time to exit after ``quit``.
        serve: settings for serving a bot to the program.
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
    retry_ms: Duration = 50.0
    retries: Count = 1_000_000
    wait_ms: Duration = 0.0
    thinks: Literal["always", "when_asked"] = "always"
    restart: Literal["garbage", "hold", "move"] = "garbage"
    restart_above: Count = 40
    garbage: bool = True
    follows_play: bool = True
    suggest_plays: bool = False
    play: Literal["own", "canonical"] = "own"
    back_to_back: Literal["boolean", "count"] = "boolean"
    cells: Literal["letters", "garbage"] = "letters"
    rows: Count = 40
    randomizer: bool = True
    opponents: bool = False
    meter: bool = False
    pieces_after_first_hold: Count = 2
    min_queue: Count = 0
    min_nodes: Count = 0
    process: Literal["kept", "new"] = "kept"
    info_seconds: Duration = 10.0
    ready_seconds: Duration = 10.0
    move_seconds: Duration = 5.0
    quit_seconds: Duration = 1.0
    serve: ServeSettings = ServeSettings()


OFFICIAL_PROFILE: Final = TbpProfile()
"""Profile of the official text."""

WORKER_PROFILE: Final = msgspec.structs.replace(OFFICIAL_PROFILE, info_seconds=30.0)
"""Official profile for Web Workers, which may compile code before they send ``info``."""


def load_profile(name: str) -> TbpProfile:
    """Load a profile by its name, or from a file that ends with ``.toml``.

    Raises:
        SpecError: the profile does not exist or is invalid.
    """
    key = name.strip().lower()
    known = _load_profiles()
    if name.lower().endswith(".toml") or (key not in known and looks_like_file(name)):
        profile = load_toml(name, TbpProfile, error=SpecError)
        return msgspec.structs.replace(profile, name=Path(name).stem)
    if key not in known:
        near = difflib.get_close_matches(key, known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise SpecError(f"no profile {name!r}{hint}; there are {', '.join(known)}")
    return known[key]


def list_profiles() -> list[str]:
    """Return the names of all profiles."""
    return list(_load_profiles())


def find_profile(info_name: str, *, worker: bool = False) -> TbpProfile | None:
    """Find the profile for the name in a bot's ``info``, if any.

    For Web Workers (`worker`), their own profiles take precedence.
    """
    plain = _normalize_name(info_name)
    named = [
        each for each in _load_profiles().values() if plain in map(_normalize_name, each.names)
    ]
    for_workers = [each for each in named if each.worker]
    others = [each for each in named if not each.worker]
    return next(iter([*for_workers, *others] if worker else others), None)


def override_profile(base: TbpProfile, options: Mapping[str, str]) -> TbpProfile:
    """Return a profile with single values changed; options are texts by `PROFILE_OPTIONS`.

    Raises:
        SpecError: an option is unknown or invalid.
    """
    if not options:
        return base
    return parse_options(options, TbpProfile, "profile", base=base, names=PROFILE_OPTIONS)


def parse_profile(text: str, name: str) -> TbpProfile:
    """Parse a profile from TOML.

    Raises:
        SpecError: the profile is invalid; the message names the line.
    """
    profile = loads_toml(text, TbpProfile, f"profile {name}", error=SpecError)
    return msgspec.structs.replace(profile, name=name)


_NO_OPTIONS: Final = {"name", "summary", "names", "worker", "serve"}
PROFILE_OPTIONS: Final = tuple(
    name for name in TbpProfile.__struct_fields__ if name not in _NO_OPTIONS
)
"""Values of a profile that can be overridden."""


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
