"""Executors: run jobs in this process, in worker processes, or on a Dask cluster.

>>> from sevenbag import jobs
>>> with jobs.InProcessExecutor() as executor:
...     sorted(executor.run(abs, [-1, 2, -3]))
[(0, 1), (1, 2), (2, 3)]

All executors return the same results. A job is a top-level function of a module, called with one
item; function, item and result are pickled. A job runs again if its worker is lost, so it must have
no effect but its result.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from sevenbag.jobs.executor import Executor, InProcessExecutor, iterate_in_order

if TYPE_CHECKING:
    from sevenbag.jobs.dask_executor import DaskExecutor
    from sevenbag.jobs.process_executor import ProcessExecutor

__all__ = ["DaskExecutor", "Executor", "InProcessExecutor", "ProcessExecutor", "iterate_in_order"]


def __getattr__(name: str) -> object:
    # Loaded on first use: both import modules that most programs do not need.
    modules = {"DaskExecutor": "dask_executor", "ProcessExecutor": "process_executor"}
    if name in modules:
        return getattr(importlib.import_module(f"sevenbag.jobs.{modules[name]}"), name)
    raise AttributeError(f"module 'sevenbag.jobs' has no attribute {name!r}")
