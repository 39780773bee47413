"""Tests of all executors: results, errors and the number of items taken."""

import random
from collections.abc import Iterator

import pytest

from sevenbag import jobs
from sevenbag.errors import JobError, ProtocolError, ScarceMemoryError
from sevenbag.jobs import Executor
from tests.jobs import job_functions


@pytest.mark.parametrize("count", [0, 1, 2, 40])
def test_every_item_returns_once_with_its_number(executor: Executor, count: int) -> None:
    items = random.Random(count).sample(range(1000), count)
    found = list(executor.run(job_functions.square, items))
    assert sorted(found) == [(index, item * item) for index, item in enumerate(items)]


def test_results_in_order(executor: Executor) -> None:
    found = jobs.iterate_in_order(executor.run(job_functions.square, range(20)))
    assert list(found) == [number * number for number in range(20)]


def record_taken(count: int, taken: list[int]) -> Iterator[int]:
    for number in range(count):
        taken.append(number)
        yield number


@pytest.mark.parametrize("prefetch", [0, 3])
def test_items_are_taken_up_to_the_limit(executor: Executor, prefetch: int) -> None:
    taken: list[int] = []
    results = executor.run(job_functions.square, record_taken(12, taken), prefetch=prefetch)
    assert taken == []
    for seen, _ in enumerate(results):
        # The current one is not counted.
        assert len(taken) - seen <= executor.workers + prefetch
    assert len(taken) == 12


def test_closed_run_takes_no_more_items(executor: Executor) -> None:
    taken: list[int] = []
    results = executor.run(job_functions.square, record_taken(1000, taken))
    next(results)
    results.close()
    assert len(taken) <= 2 * executor.workers
    assert sorted(executor.run(job_functions.square, [5])) == [(0, 25)], "another run"


def test_sevenbag_errors_are_returned_unchanged(executor: Executor) -> None:
    with pytest.raises(ProtocolError) as caught:
        list(executor.run(job_functions.fail_at_three, range(5)))
    assert str(caught.value) == "move.type: no such piece"
    assert (caught.value.path, caught.value.kind) == ("move.type", "suggestion")
    assert len(list(executor.run(job_functions.square, range(4)))) == 4, "another run"


def test_other_errors_are_wrapped(executor: Executor) -> None:
    with pytest.raises(JobError) as caught:
        list(executor.run(job_functions.divide_by, [1, 2, 0, 4]))
    assert str(caught.value) == "job 2 failed: ZeroDivisionError: division by zero"
    with pytest.raises(ScarceMemoryError, match="job 0"):
        list(executor.run(job_functions.exhaust, [0]))


def test_errors_of_the_items_are_raised(executor: Executor) -> None:
    def items() -> Iterator[int]:
        yield 1
        raise LookupError("no more")

    with pytest.raises(LookupError, match="no more"):
        list(executor.run(job_functions.square, items()))
    assert len(list(executor.run(job_functions.square, range(4)))) == 4, "another run"
