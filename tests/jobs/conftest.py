"""Fixtures of the tests of executors."""

from tests.cluster import dask_cluster

__all__ = ["dask_cluster"]
