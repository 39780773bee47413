"""Names of bots: those that they announce, told apart where they are the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sevenbag.bots.bot import Bot

LONGEST: Final = 40
"""Letters of a name that nobody chose; longer ones are shortened."""


def called(bot: Bot) -> str:
    """Return the name that a bot announces, with its protocol; shortened if it is long.

    Before a program has introduced itself it is called by its command.
    """
    name = f"{bot.name} ({bot.protocol})" if bot.protocol else bot.name
    return printable_name(name)


def printable_name(name: str) -> str:
    """Return an announced name fit for a screen: in one line, and shortened if it is long."""
    plain = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    return shortened(plain, LONGEST)


def distinct(names: Sequence[str], specs: Sequence[str], fixed: Sequence[bool]) -> list[str]:
    """Return names of which no two are the same.

    The same names get a suffix: the options of the bots' specifications, where these begin with the
    name, differ and are short, else a number.

    Args:
        names: one for each player.
        specs: the specifications of their bots.
        fixed: which names stay, unless two of these are the same.
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
    """A text that fits; its middle is left out, since similar names differ at the end."""
    if len(text) <= longest:
        return text
    end = longest // 2
    return f"{text[: longest - end - 1]}…{text[len(text) - end :]}"


# --- helpers ------------------------------------------------------------------------------------

_LONGEST_BASE: Final = 50
"""Letters of a name before its number: room for that within the longest chosen name."""


def _are_names(specs: Sequence[str], name: str) -> bool:
    """Whether specifications tell bots of this name apart, and read as names."""
    return len(set(specs)) == len(specs) and all(
        spec.startswith(name) and len(spec) <= LONGEST and spec.isprintable() for spec in specs
    )


def _numbered(name: str, number: int, taken: set[str]) -> str:
    base = shortened(name, _LONGEST_BASE)
    while (found := f"{base} ({number})") in taken:
        number += 1
    return found
