"""The different queues that bags can deal to a player, counted, numbered and listed.

A sequence of length n is a held piece, the current one and n - 1 next ones, where current and next
pieces are any window of a 7-bag stream. Held and current piece may be exchanged, so that sequences
are listed once: the held piece is not before the current one in the order IOTSZLJ. They are listed
in that order of their pieces, held one first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sevenbag._kernel import count_pc_sequences, pc_sequence_number, pc_sequences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sevenbag._kernel import Piece

LONGEST: Final = 24
"""The length of the longest sequences that are counted."""

_ALL_PHASES: Final = 0b1111111
_ALL_BUT_THE_LAST: Final = 0b0111111


def count(length: int) -> int:
    """How many sequences there are of a length, 0 to `LONGEST`; length 0 is a held piece alone.

    >>> [count(length) for length in range(5)]
    [7, 28, 196, 1365, 9198]

    Raises:
        QueueError: it is not within these.
    """
    return count_pc_sequences(length, _ALL_PHASES)


def count_published(length: int) -> int:
    """The number that perfect-tetris states.

    It differs at the lengths 8, 15 and 22: there windows are left out whose first piece is the last
    of its bag and whose others are whole bags, if no other phase deals them.

    >>> count(8) - count_published(8)
    5040

    Raises:
        QueueError: the length is not 0 to `LONGEST`.
    """
    whole_bags = length > 1 and length % 7 == 1
    return count_pc_sequences(length, _ALL_BUT_THE_LAST if whole_bags else _ALL_PHASES)


def number_of(sequence: Sequence[Piece]) -> int:
    """The number of a sequence in the list of its length, from 0.

    Raises:
        QueueError: it is no sequence.
    """
    return pc_sequence_number(list(sequence))


def sequence(length: int, number: int) -> tuple[Piece, ...]:
    """The sequence of that number.

    >>> "".join(piece.name for piece in sequence(4, 9000))
    'JJTSI'

    Raises:
        QueueError: there is none.
    """
    return tuple(pc_sequences(length, number, 1)[0])
