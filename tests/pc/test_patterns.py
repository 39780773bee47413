"""Patterns of queues, compared with a plain enumeration."""

import itertools
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sevenbag.errors import PatternError, QueueError
from sevenbag.pc.patterns import Pattern, count_paths

PIECES = "IOTLJSZ"


def written_down(*parts: tuple[str, int]) -> set[str]:
    """Return all queues of parts, each a number of pieces of a set."""
    choices = [["".join(p) for p in itertools.permutations(s, n)] for s, n in parts]
    return {"".join(row) for row in itertools.product(*choices)}


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("I,*p4", [("I", 1), (PIECES, 4)]),
        ("*p4", [(PIECES, 4)]),
        ("[SZ]p2", [("SZ", 2)]),
        ("*!", [(PIECES, 7)]),
        ("[^TI]", [("OLJSZ", 1)]),
        ("[^TI]p3", [("OLJSZ", 3)]),
        ("[LJO]!", [("LJO", 3)]),
        ("*", [(PIECES, 1)]),
        ("LSTIZ", [(letter, 1) for letter in "LSTIZ"]),
        ("T , I,S Z", [(letter, 1) for letter in "TISZ"]),
        ("[L,J]O[SZ]p1*p2", [("LJ", 1), ("O", 1), ("SZ", 1), (PIECES, 2)]),
    ],
)
def test_a_pattern_is_all_of_its_queues(text: str, parts: list[tuple[str, int]]) -> None:
    pattern = Pattern.parse(text)
    queues = list(pattern)
    expected = written_down(*parts)
    assert set(queues) == expected
    assert len(queues) == len(expected) == pattern.queue_count
    assert pattern.length == len(queues[0])
    assert queues == sorted(queues, key=lambda queue: [PIECES.index(p) for p in queue])
    assert set(Pattern.parse(str(pattern))) == expected


def test_several_patterns_count_a_queue_once() -> None:
    pattern = Pattern.parse("[SZ]p2,T # the first\n\n*p3; SZT\nTTT")
    expected = written_down(("SZ", 2), ("T", 1)) | written_down((PIECES, 3)) | {"TTT"}
    assert set(pattern) == expected
    assert pattern.queue_count == len(list(pattern)) == len(expected)


# A row of three is not more than 24^3 queues.
sets = st.sets(st.sampled_from(PIECES), min_size=1, max_size=4).map(
    lambda found: "".join(sorted(found))
)
elements = sets.flatmap(lambda s: st.tuples(st.just(s), st.integers(1, min(len(s), 3))))
rows = st.lists(elements, min_size=1, max_size=3)


@given(st.lists(rows, min_size=1, max_size=4), st.integers(1, 4))
def test_unions_and_cuts(alternatives: list[list[tuple[str, int]]], length: int) -> None:
    first = sum(number for _, number in alternatives[0])
    same = [row for row in alternatives if sum(number for _, number in row) == first]
    pattern = Pattern.parse("\n".join(",".join(f"[{s}]p{n}" for s, n in row) for row in same))
    expected = set[str]().union(*(written_down(*row) for row in same))
    assert set(pattern) == expected
    assert pattern.queue_count == len(expected)
    cut = pattern.truncate(length)
    assert set(cut) == {queue[:length] for queue in expected}


def test_equal_continuations_are_merged() -> None:
    # A node is a set of pieces left of the first bag or the second one; and there is the end.
    nodes = count_paths(Pattern.parse("*p7,*p4").automaton())
    assert nodes[-1] == 5040 * 840
    assert len(nodes) == (2**7 - 1) + (1 + 7 + 21 + 35) + 1
    assert Pattern.parse("*p7,*p7,*p7,*p7").queue_count == 5040**4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "invalid pattern: expected pieces such as"),
        (" ; # nothing\n", "invalid pattern: expected pieces such as"),
        ("*p8", "expected a number from 1 to 7"),
        ("*p0", "expected a number from 1 to 7"),
        ("*p", "expected a number from 1 to 7"),
        ("[SZ]p3", "from 1 to 2"),
        ("*p4,[SZ", r"a \[ without its \] at character 5"),
        ("[]", r"expected a set of at least one piece, got \[\]"),
        ("[^IOTLJSZ]", "expected a set of at least one piece"),
        ("[SS]", "got S twice"),
        ("t", "expected one of I O T L J S Z, got 't'"),
        ("X", "expected one of I O T L J S Z, got 'X'"),
        ("*p4&", "'&' at character 4"),
        ("*p99999999999999999999999999", "expected a number"),
        ("I" * 2_000_001, "expected at most 2000000 characters"),
    ],
)
def test_invalid_patterns(text: str, message: str) -> None:
    with pytest.raises(PatternError, match=message) as error:
        Pattern.parse(text)
    assert len(str(error.value)) < 300


def test_lengths_must_agree() -> None:
    with pytest.raises(QueueError, match="expected 3 pieces, as in the pattern before it, got 2"):
        Pattern.parse("*p3; SZ")


@pytest.mark.parametrize("text", ["*p7,*p7", "*" * 100_000, "*p7,*p5;*p7,S,*p4"])
def test_too_many_queues_are_rejected_before_expansion(text: str) -> None:
    pattern = Pattern.parse(text)
    tracemalloc.start()
    try:
        with pytest.raises(QueueError, match="expected at most 10000000 queues"):
            pattern.automaton()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # Written down, they take more than a hundred times as much.
    assert peak < 100 << 20


def test_long_lists_of_queues() -> None:
    queues = ["".join(queue) for queue in itertools.product("IOT", repeat=8)]
    pattern = Pattern.parse("\n".join(reversed(queues)))
    assert pattern.queue_count == len(queues)
    assert list(pattern) == queues
