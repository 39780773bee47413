"""Fixtures of the command-line tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sevenbag import jobs

if TYPE_CHECKING:
    from sevenbag.jobs import Executor


@pytest.fixture
def no_single_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Play games in this process unless several workers are asked for.

    One worker takes longer to start than short games take.
    """
    local = jobs.local

    def quicker(workers: int) -> Executor:
        return local(workers) if workers > 1 else jobs.in_process()

    monkeypatch.setattr(jobs, "local", quicker)
