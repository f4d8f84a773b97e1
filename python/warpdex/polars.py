# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Lookups as expressions of Polars: `pl.col("k").warpdex.find(index)`, eager, lazy and streaming."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._border import public_methods
from ._index import Index
from ._values import extra

polars = extra("polars")

_TYPES = {np.dtype("i4"): polars.Int32, np.dtype("i8"): polars.Int64}


@polars.api.register_expr_namespace("warpdex")
@public_methods(held="index")
class Lookups:
    """Lookups of a column of probes in an index. After an update of the index, make a new expression.

    >>> import polars as pl
    >>> index = Index([30, 10, 20])
    >>> pl.DataFrame({"k": [10, None, 11]}).select(pl.col("k").warpdex.find(index))["k"].to_list()
    [1, None, None]
    """

    def __init__(self, expression: Any) -> None:
        self._expression = expression

    def _map(self, index: Index, lookup: Any, answers: Any) -> Any:
        version = index._core.version

        def look_up(batch: Any) -> Any:
            with index._unchanged_since(version):
                return lookup(batch)

        return self._expression.map_batches(look_up, return_dtype=answers, is_elementwise=True)

    def find(self, index: Index) -> Any:
        """The smallest row id of each probe, null for none.

        >>> index = Index([30, 10, 20])
        >>> polars.DataFrame({"k": [10, 11]}).select(polars.col("k").warpdex.find(index))["k"].to_list()
        [1, None]
        """
        return self._map(index, index.find, _TYPES[index._row_type])

    def floor(self, index: Index) -> Any:
        """The smallest row id of the largest key not above each probe.

        >>> index = Index([30, 10, 20])
        >>> polars.DataFrame({"k": [10, 11]}).select(polars.col("k").warpdex.floor(index))["k"].to_list()
        [1, 1]
        """
        return self._map(index, index.floor, _TYPES[index._row_type])

    def ceil(self, index: Index) -> Any:
        """The smallest row id of the smallest key not below each probe.

        >>> index = Index([30, 10, 20])
        >>> polars.DataFrame({"k": [10, 11]}).select(polars.col("k").warpdex.ceil(index))["k"].to_list()
        [1, 2]
        """
        return self._map(index, index.ceil, _TYPES[index._row_type])

    def contains(self, index: Index) -> Any:
        """Whether each probe is a key.

        >>> index = Index([30, 10, 20])
        >>> polars.DataFrame({"k": [10, 11]}).select(polars.col("k").warpdex.contains(index))["k"].to_list()
        [True, False]
        """
        return self._map(index, index.contains, polars.Boolean)

    def count(self, index: Index) -> Any:
        """The number of entries of each probe.

        >>> index = Index([30, 10, 20])
        >>> polars.DataFrame({"k": [10, 11]}).select(polars.col("k").warpdex.count(index))["k"].to_list()
        [1, 0]
        """
        return self._map(index, index.count, polars.Int64)

    def lower_bound(self, index: Index) -> Any:
        """The number of entries with keys less than each probe.

        >>> index = Index([30, 10, 20])
        >>> polars.DataFrame({"k": [10, 11]}).select(polars.col("k").warpdex.lower_bound(index))["k"].to_list()
        [0, 1]
        """
        return self._map(index, index.lower_bound, polars.Int64)

    def upper_bound(self, index: Index) -> Any:
        """The number of entries with keys not greater than each probe.

        >>> index = Index([30, 10, 20])
        >>> polars.DataFrame({"k": [10, 11]}).select(polars.col("k").warpdex.upper_bound(index))["k"].to_list()
        [1, 1]
        """
        return self._map(index, index.upper_bound, polars.Int64)
