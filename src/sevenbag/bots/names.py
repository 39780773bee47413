"""Display names of bots: announced names, with suffixes for duplicates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sevenbag.errors import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sevenbag.bots.bot import Bot

LONGEST: Final = 40
"""Maximum characters of an announced name; longer names are shortened."""


def display_name(bot: Bot) -> str:
    """Return the announced name of a bot with its protocol, shortened if it is long.

    An external program has the name of its command until it announces another one.
    """
    name = f"{bot.name} ({bot.protocol})" if bot.protocol else bot.name
    return printable_name(name)


def printable_name(name: str) -> str:
    """Return an announced name as one line of printable text, shortened if it is long."""
    return shortened(" ".join(printable(name.strip()).split()), LONGEST)


def make_unique(names: Sequence[str], specs: Sequence[str], fixed: Sequence[bool]) -> list[str]:
    """Make names unique.

    Equal names get a suffix: the options of the specifications if these begin with the name, differ
    and are short, else a number.

    Args:
        names: one for each player.
        specs: the specifications of their bots.
        fixed: whether each name is kept unless it equals another kept name.
    """
    found = list(names)
    for name in dict.fromkeys(names):
        places = [place for place, other in enumerate(names) if other == name]
        if len(places) == 1:
            continue
        kept = [place for place in places if fixed[place]]
        own = [specs[place] for place in places]
        if not kept and _are_names(own, name) and not {*own} & ({*found} - {name}):
            for place in places:
                found[place] = specs[place]
            continue
        if len(kept) == 1:
            places.remove(kept[0])
        taken = set(names) | set(found)
        for number, place in enumerate(places, start=2 if len(kept) == 1 else 1):
            found[place] = _numbered(name, number, taken)
            taken.add(found[place])
    return found


def shortened(text: str, longest: int) -> str:
    """Shorten a text by omitting its middle, because similar names differ at the end."""
    if len(text) <= longest:
        return text
    end = longest // 2
    return f"{text[: longest - end - 1]}…{text[len(text) - end :]}"


# --- helpers ------------------------------------------------------------------------------------

_LONGEST_BASE: Final = 50
"""Maximum characters before a number, so that the name stays within the limit of chosen names."""


def _are_names(specs: Sequence[str], name: str) -> bool:
    """Return True if the specifications of bots with this name can serve as unique names."""
    return len(set(specs)) == len(specs) and all(
        spec.startswith(name) and len(spec) <= LONGEST and spec.isprintable() for spec in specs
    )


def _numbered(name: str, number: int, taken: set[str]) -> str:
    base = shortened(name, _LONGEST_BASE)
    while (found := f"{base} ({number})") in taken:
        number += 1
    return found
