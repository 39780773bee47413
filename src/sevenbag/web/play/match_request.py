"""Match requests from pages: two players, rules and limits."""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING, Annotated, Final

import msgspec

from sevenbag.bots.bot import Limits
from sevenbag.bots.registry import BUILTIN_BOTS, create_bot
from sevenbag.errors import InputError, shown
from sevenbag.game import Rules

if TYPE_CHECKING:
    from sevenbag.bots.bot import Bot

MAX_SEED: Final = 2**31 - 2
MAX_PIECES: Final = 2000
# Built-in players run on the server, which other matches share.
MAX_MILLISECONDS: Final = 5000
MAX_NODES: Final = 5_000_000
MAX_PPS: Final = 60
MAX_TIMEOUT: Final = 60
DEFAULT_PIECES: Final = 200
DEFAULT_PPS: Final = 5
DEFAULT_TIMEOUT: Final = 5


class BuiltinPlayer(msgspec.Struct, frozen=True, tag_field="kind", tag="builtin"):
    """Built-in bot, which runs on the server.

    Attributes:
        spec: bot and options, as on the command line; one of
            `sevenbag.bots.registry.BUILTIN_BOTS`.
    """

    spec: Annotated[str, msgspec.Meta(max_length=200)]


class WorkerPlayer(msgspec.Struct, frozen=True, tag_field="kind", tag="worker"):
    """Bot in a Web Worker of the page.

    Attributes:
        script: name of the script, for display only.
    """

    script: Annotated[str, msgspec.Meta(max_length=200)]


class MatchRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Request of a page for a match.

    Attributes:
        players: the two players.
        rules: name of a preset.
        seed: seed of the pieces; None for a random one.
        pieces: number of pieces per player; then more attack wins.
        milliseconds: limit of each move in milliseconds, for bots that observe it.
        nodes: limit of each move in nodes, likewise.
        pps: maximum turns per second; None for no limit.
        timeout: time in seconds for a worker's answer.
    """

    players: tuple[BuiltinPlayer | WorkerPlayer, BuiltinPlayer | WorkerPlayer]
    rules: Annotated[str, msgspec.Meta(max_length=100)] = "guideline"
    seed: Annotated[int, msgspec.Meta(ge=0, le=MAX_SEED)] | None = None
    pieces: Annotated[int, msgspec.Meta(ge=1, le=MAX_PIECES)] = DEFAULT_PIECES
    milliseconds: Annotated[float, msgspec.Meta(gt=0, le=MAX_MILLISECONDS)] | None = None
    nodes: Annotated[int, msgspec.Meta(ge=1, le=MAX_NODES)] | None = None
    pps: Annotated[float, msgspec.Meta(gt=0, le=MAX_PPS)] | None = None
    timeout: Annotated[float, msgspec.Meta(gt=0, le=MAX_TIMEOUT)] = DEFAULT_TIMEOUT

    @property
    def limits(self) -> Limits:
        """Return the limits of each move."""
        return Limits(self.milliseconds, self.nodes)

    def load_rules(self) -> Rules:
        """Return the rules.

        Raises:
            InputError: there is no preset of this name. Names of files are not accepted.
        """
        presets = Rules.preset_names()
        if self.rules not in presets:
            raise InputError(
                f"invalid rules: expected {', '.join(presets)}, got {shown(self.rules)}"
            )
        return Rules.preset(self.rules)

    def pick_seed(self) -> int:
        """Return the seed, or a random one if none was requested."""
        return secrets.randbelow(MAX_SEED + 1) if self.seed is None else self.seed


def parse_match_request(text: str) -> MatchRequest:
    """Parse a page's request.

    Raises:
        InputError: the request is invalid; the message names the field.
    """
    try:
        return _DECODER.decode(text)
    except (msgspec.DecodeError, UnicodeError) as error:
        match = _ERROR_PATH.match(str(error))
        if match and match["path"]:
            raise InputError(f"{match['path']}: {match['reason']}") from None
        raise InputError(str(error)) from None


def create_builtin_bot(spec: str) -> Bot:
    """Create a built-in bot. Pages cannot start programs.

    Raises:
        InputError: there is no such bot, or an option is invalid or exceeds a limit.
    """
    kind = spec.strip().partition(":")[0].strip().lower()
    if kind not in BUILTIN_BOTS:
        raise InputError(f"invalid bot: expected {', '.join(BUILTIN_BOTS)}, got {shown(kind)}")
    bot = create_bot(spec)
    limits = bot.effective_limits(Limits())
    for name, value, maximum in (
        ("nodes", limits.nodes, MAX_NODES),
        ("ms", limits.milliseconds, MAX_MILLISECONDS),
    ):
        if value is not None and value > maximum:
            raise InputError(f"invalid {name} of {kind}: expected at most {maximum}, got {value:g}")
    return bot


# --- helpers ------------------------------------------------------------------------------------

_DECODER: Final = msgspec.json.Decoder(MatchRequest)
_ERROR_PATH: Final = re.compile(r"^(?P<reason>.*) - at `\$\.?(?P<path>.*)`$")
