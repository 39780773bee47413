"""What a queue gives away: the randomizer, the first piece that nobody tells, the open bag.

Triangle.js takes the first piece of a game off the queue before it tells the queue, and tells the
piece itself nowhere. In a bag that holds every piece so many times it is the one that is missing.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sevenbag._kernel import Piece

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Opening:
    """What the first queue of a game tells.

    Attributes:
        first: the first piece of the game; None if it cannot be known.
        queue: the pieces after it.
        bag: the randomizer, as rules name it; ``total mayhem`` if it is none of the known ones.
    """

    first: Piece | None
    queue: tuple[Piece, ...]
    bag: str


def opening_of(queue: Sequence[Piece]) -> Opening:
    """The opening that the queue of a `Config` tells.

    A queue that makes whole bags only together with its own first piece begins with that one, as
    some hosts have it.
    """
    queue = tuple(queue)
    for bag, full in _FULL.items():
        if _is_dealt(queue, full, already=1) and len(queue) >= len(full) - 1:
            [first] = (Counter(full) - Counter(queue[: len(full) - 1])).elements()
            return Opening(first, queue, bag)
        if _is_dealt(queue, full, already=0) and len(queue) >= len(full):
            return Opening(queue[0], queue[1:], bag)
    return Opening(None, queue, _ANY)


def filled_bag(bag: str) -> tuple[Piece, ...]:
    """What a full bag of this randomizer holds; one of each where there is no such bag."""
    return _FULL.get(bag, tuple(Piece))


def open_bag(pieces: Sequence[Piece], bag: str) -> tuple[Piece, ...] | None:
    """What is still to come of the bag from which the last of the pieces was dealt.

    Never empty: after the last piece of a bag it is the next full one.

    Args:
        pieces: dealt one after another, from anywhere in a game.
        bag: the randomizer.

    Returns: None where it cannot be known.
    """
    full = _FULL.get(bag)
    if full is None:
        return None
    found = {
        _rest(pieces, full, already)
        for already in range(len(full))
        if _is_dealt(pieces, full, already)
    }
    return found.pop() if len(found) == 1 else None


def bag_before(
    pieces: Sequence[Piece], bag: Sequence[Piece] | None, full: Sequence[Piece]
) -> tuple[Piece, ...] | None:
    """What was still to come of the open bag before these pieces were dealt; never empty.

    Args:
        pieces: dealt one after another.
        bag: what is still to come after them; None if that is not known.
        full: what a full bag holds.
    """
    if bag is None:
        return None
    coming = [*pieces, *bag]
    return tuple(coming[: len(coming) % len(full) or len(full)])


def is_dealt(pieces: Sequence[Piece], bag: str) -> bool:
    """Whether a randomizer can deal these pieces one after another, in the middle of a game."""
    full = _FULL.get(bag)
    return full is None or any(_is_dealt(pieces, full, already) for already in range(len(full)))


# --- helpers ------------------------------------------------------------------------------------

_FULL: Final = {"7-bag": tuple(Piece), "14-bag": tuple(Piece) * 2}
_ANY: Final = "total mayhem"


def _is_dealt(pieces: Sequence[Piece], full: Sequence[Piece], already: int) -> bool:
    """Whether they come of full bags, if so many of the first have been dealt already."""
    begin = -already
    while begin < len(pieces):
        if Counter(pieces[max(begin, 0) : begin + len(full)]) - Counter(full):
            return False
        begin += len(full)
    return True


def _rest(pieces: Sequence[Piece], full: Sequence[Piece], already: int) -> tuple[Piece, ...] | None:
    dealt = (len(pieces) + already) % len(full)
    if dealt > len(pieces):
        # Of the open bag some pieces came before those that are known.
        return None
    return tuple(sorted((Counter(full) - Counter(pieces[len(pieces) - dealt :])).elements()))
