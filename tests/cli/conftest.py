"""Fixtures of the command-line tests."""

import pytest

from sevenbag import jobs
from sevenbag.jobs.process_executor import ProcessExecutor


@pytest.fixture
def no_single_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Play games in this process unless several workers are asked for.

    One worker takes longer to start than short games take.
    """

    def create_executor(workers: int) -> jobs.Executor:
        return ProcessExecutor(workers) if workers > 1 else jobs.InProcessExecutor()

    monkeypatch.setattr(jobs, "ProcessExecutor", create_executor, raising=False)
