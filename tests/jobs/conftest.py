"""A Dask cluster and executors, shared with other packages."""

from tests.cluster import dask_cluster, executor

__all__ = ["dask_cluster", "executor"]
