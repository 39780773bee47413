"""Match requests from pages: players, rules and limits."""

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

LAST_SEED: Final = 2**31 - 2
MOST_PIECES: Final = 2000
MOST_MILLISECONDS: Final = 5000
"""Of a move; what our own bots spend is this machine's time, and others wait for it."""
MOST_NODES: Final = 5_000_000
MOST_PPS: Final = 60
LONGEST_PATIENCE: Final = 60
USUAL_PIECES: Final = 200
USUAL_PPS: Final = 5
USUAL_PATIENCE: Final = 5


class HouseBot(msgspec.Struct, frozen=True, tag_field="kind", tag="house"):
    """A bot of our own, which runs here.

    Attributes:
        spec: as on the command line; only such as `sevenbag.bots.registry.BUILTIN_BOTS` names.
    """

    spec: Annotated[str, msgspec.Meta(max_length=200)]


class PageBot(msgspec.Struct, frozen=True, tag_field="kind", tag="worker"):
    """A worker, which runs in the page.

    Attributes:
        script: what the page calls it; nothing is loaded from there.
    """

    script: Annotated[str, msgspec.Meta(max_length=200)]


class Setup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A game as a page asks for it.

    Attributes:
        players: who plays.
        rules: the name of a preset.
        seed: which pieces come; None for any.
        pieces: after so many each, more attack wins.
        milliseconds: of each move, for those that heed it.
        nodes: likewise.
        pps: turns a second, at most; None for as fast as can be.
        patience: seconds that a worker may take for an answer.
    """

    players: tuple[HouseBot | PageBot, HouseBot | PageBot]
    rules: Annotated[str, msgspec.Meta(max_length=100)] = "guideline"
    seed: Annotated[int, msgspec.Meta(ge=0, le=LAST_SEED)] | None = None
    pieces: Annotated[int, msgspec.Meta(ge=1, le=MOST_PIECES)] = USUAL_PIECES
    milliseconds: Annotated[float, msgspec.Meta(gt=0, le=MOST_MILLISECONDS)] | None = None
    nodes: Annotated[int, msgspec.Meta(ge=1, le=MOST_NODES)] | None = None
    pps: Annotated[float, msgspec.Meta(gt=0, le=MOST_PPS)] | None = None
    patience: Annotated[float, msgspec.Meta(gt=0, le=LONGEST_PATIENCE)] = USUAL_PATIENCE

    @property
    def limits(self) -> Limits:
        """What each bot may spend on a move."""
        return Limits(self.milliseconds, self.nodes)

    def chosen_rules(self) -> Rules:
        """The preset.

        Raises:
            InputError: there is none of this name; a name is never taken for a file.
        """
        if self.rules not in Rules.presets():
            raise InputError(f"no preset {shown(self.rules)}; {', '.join(Rules.presets())}")
        return Rules.preset(self.rules)

    def chosen_seed(self) -> int:
        """The seed, or any."""
        return secrets.randbelow(LAST_SEED + 1) if self.seed is None else self.seed


def read_setup(text: str) -> Setup:
    """What a page asks for.

    Raises:
        InputError: it cannot be had; the message names the place.
    """
    try:
        return _SETUP.decode(text)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise InputError(_in_words(str(error))) from None


def house_bot(spec: str) -> Bot:
    """A bot of our own; a page can call for no other, least of all for a program.

    Raises:
        InputError: it is none of ours, an option is wrong, or it would cost too much.
    """
    kind = spec.strip().partition(":")[0].strip().lower()
    if kind not in BUILTIN_BOTS:
        raise InputError(f"no bot {shown(kind)} here; there are {', '.join(BUILTIN_BOTS)}")
    bot = create_bot(spec)
    held = bot.effective_limits(Limits())
    if held.nodes is not None and held.nodes > MOST_NODES:
        raise InputError(f"bot {kind}: nodes is {held.nodes}, must be at most {MOST_NODES} here")
    if held.milliseconds is not None and held.milliseconds > MOST_MILLISECONDS:
        raise InputError(
            f"bot {kind}: ms is {held.milliseconds:g}, must be at most {MOST_MILLISECONDS} here"
        )
    return bot


# --- helpers ------------------------------------------------------------------------------------

_SETUP: Final = msgspec.json.Decoder(Setup)
_PLACE: Final = re.compile(r"^(?P<what>.*) - at `\$\.?(?P<place>.*)`$")


def _in_words(error: str) -> str:
    """An error as a visitor reads it: the place first, without the language of paths."""
    match = _PLACE.match(error)
    return f"{match['place']}: {match['what']}" if match and match["place"] else error
