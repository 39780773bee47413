"""Tests of the limits of bots."""

import math

import pytest

from sevenbag.bots.bot import Limits
from sevenbag.errors import InputError


@pytest.mark.parametrize("milliseconds", [None, 1, 0.5, 1e9])
@pytest.mark.parametrize("nodes", [None, 1, 2**53])
def test_limits_that_are_some(milliseconds: float | None, nodes: int | None) -> None:
    limits = Limits(milliseconds, nodes)
    assert (limits.milliseconds, limits.nodes) == (milliseconds, nodes)


@pytest.mark.parametrize("milliseconds", [0, -1.0, math.nan, math.inf, True, "5"])
def test_times_that_are_none(milliseconds: object) -> None:
    with pytest.raises(InputError, match=r"invalid milliseconds: expected number above 0, got "):
        Limits(milliseconds=milliseconds)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("nodes", [0, -5, 2**53 + 1, 1.5, math.nan, False, "5"])
def test_nodes_that_are_none(nodes: object) -> None:
    with pytest.raises(InputError, match=r"invalid nodes: expected integer from 1 to \d+, got "):
        Limits(nodes=nodes)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def test_a_number_that_cannot_be_written_out_is_refused_all_the_same() -> None:
    with pytest.raises(InputError, match=r"invalid nodes: .*, got a number with too many digits"):
        Limits(nodes=10**5000)
