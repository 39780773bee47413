"""Where the numbers of a match begin that was begun before, elsewhere.

The game that was broken off there told numbers that nobody kept; what is told from now on has to
be higher, or clients would take a new piece for one that they have moved already.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sevenbag.contest.link import GameResult
    from sevenbag.contest.rules import MatchRules

SEQUENCE_MARGIN: Final = 20_000_000
PIECE_MARGIN: Final = 2_000_000
"""What is added for each attempt that may have told more than is known: a game tells some million
messages by its time limit, at most."""


class Start(NamedTuple):
    """Where to begin.

    Attributes:
        sequence: of the first message.
        piece: number of the first piece.
    """

    sequence: int
    piece: int


def start_after(finished: Sequence[GameResult], rules: MatchRules, attempt: int) -> Start:
    """Numbers beyond all that were told, within 32 bits, into which clients of 2012 read them.

    Args:
        finished: the match's games so far.
        rules: of the match.
        attempt: higher than at every earlier beginning of the match, 1 at the first.
    """
    sequence, piece = rules.first_sequence - 1, rules.first_piece_number - 1
    if finished:
        sequence, piece = finished[-1].last_sequence, finished[-1].last_piece_number
    margins = max(attempt, 2 if finished else 1) - 1
    return Start(
        _raised(sequence, margins, SEQUENCE_MARGIN) + 1, _raised(piece, margins, PIECE_MARGIN) + 1
    )


# --- helpers ------------------------------------------------------------------------------------

_MOST_MARGINS: Final = 100
_END: Final = 1 << 31


def _raised(number: int, margins: int, margin: int) -> int:
    # Each attempt adds to what earlier ones have added, and is to have room for a margin itself.
    raised = number + min(margins, _MOST_MARGINS) * margin
    return max(number, min(raised, _END - margin))
