"""The cluster is for several rooms."""

from tests.cluster import dask_cluster

__all__ = ["dask_cluster"]
