"""Sequences: the published counts, the definition, and the command that prints them."""

import itertools
import json
from collections.abc import Sequence

import pytest

from sevenbag import Piece
from sevenbag._kernel import find_pc_sequence_index
from sevenbag.errors import QueueError
from sevenbag.pc.sequences import (
    MAX_LENGTH,
    count_published_sequences,
    count_sequences,
    sequence_at,
)
from tests.cli.run import sevenbag

ORDER = "IOTSZLJ"

# Of perfect-tetris 1.3.2, lengths 0 to 20.
PUBLISHED = [
    *(7, 28, 196, 1365, 9198, 57750, 326340, 1615320, 6849360, 24857280, 79516080),
    *(247474080, 880180560, 3683700720, 15528492000, 57596696640, 189672855120),
    *(549973786320, 1554871505040, 5108116159440, 20478417840720),
]


def is_dealt(window: Sequence[str]) -> bool:
    """Return whether a phase of the bag deals this window."""
    for phase in range(7):
        cuts = [0, *range(7 - phase, len(window), 7), len(window)]
        bags = [window[a:b] for a, b in itertools.pairwise(cuts)]
        if all(len(set(bag)) == len(bag) for bag in bags):
            return True
    return False


def by_definition(length: int) -> list[str]:
    """All sequences of a length, listed."""
    found = []
    for pieces in itertools.product(ORDER, repeat=length + 1):
        held, current, *rest = pieces
        if ORDER.index(held) >= ORDER.index(current) and (
            is_dealt([current, *rest]) or is_dealt([held, *rest])
        ):
            found.append("".join(pieces))
    return found


def test_counts_are_the_published_ones() -> None:
    assert [count_published_sequences(length) for length in range(21)] == PUBLISHED


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5])
def test_the_list_is_that_of_the_definition(length: int) -> None:
    listed = by_definition(length)
    assert count_sequences(length) == len(listed)
    for number in range(0, len(listed), 1 + len(listed) // 300):
        pieces = sequence_at(length, number)
        assert "".join(piece.name for piece in pieces) == listed[number]
        assert find_pc_sequence_index(pieces) == number


def test_published_counts_omit_one_piece_before_whole_bags() -> None:
    differing = [
        n for n in range(MAX_LENGTH + 1) if count_sequences(n) != count_published_sequences(n)
    ]
    assert differing == [8, 15, 22]
    # Equal held and current pieces, then a bag that begins with the same piece: no other phase.
    assert count_sequences(8) - count_published_sequences(8) == 5040
    assert find_pc_sequence_index([Piece[letter] for letter in "TTTIOSZLJ"]) >= 0


@pytest.mark.parametrize("pieces", ["IO", "IIII", "TTTTT", "O", "", "Z" * 40])
def test_invalid_sequence_is_reported(pieces: str) -> None:
    with pytest.raises(QueueError, match="invalid sequence"):
        find_pc_sequence_index([Piece[letter] for letter in pieces])


@pytest.mark.parametrize(("length", "number"), [(0, 0), (25, 0), (5, -1), (5, 57750)])
def test_missing_sequences_are_reported(length: int, number: int) -> None:
    with pytest.raises(QueueError, match="invalid sequence: expected a number below"):
        sequence_at(length, number)


@pytest.mark.parametrize("length", [-1, 25, 10**6])
def test_lengths_are_bounded(length: int) -> None:
    with pytest.raises(QueueError, match="invalid length: expected 0 to 24"):
        count_sequences(length)


def test_the_command_prints_the_table() -> None:
    done = sevenbag("pc", "count-seq")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["Length", "Non-equivalent", "Duration"]
    rows = [line.split() for line in lines[1:22]]
    assert [(int(row[0]), int(row[1].replace(",", ""))) for row in rows] == list(
        enumerate(PUBLISHED)
    )
    assert "6,854,400" in done.stdout, "what the definition gives is told, too"


def test_the_command_speaks_json() -> None:
    done = sevenbag("pc", "count-seq", "--max-length", "10", "--json")
    rows = json.loads(done.stdout)["sequences"]
    assert [row["non_equivalent"] for row in rows] == PUBLISHED[:11]
    assert sevenbag("pc", "count-seq", "--max-length", "25").returncode == 2
