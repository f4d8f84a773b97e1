# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Lookups as expressions of Polars: `pl.col("k").warpdex.find(index)`, eager, lazy and streaming."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from .columns.values import extra
from .errors import InvalidArgument, KeyTypeError, Unsupported, shown
from .lookups.asking import Searched, arguments
from .lookups.border import public_methods
from .lookups.networks import Networks
from .lookups.table import TABLE, Row
from .types import Invalid

if TYPE_CHECKING:
    import polars as pl

polars = extra("polars")

_KINDS = {"flag": polars.Boolean, "rank": polars.Int64, "count": polars.Int64}


def _expression(row: Row) -> Any:
    """The method for a lookup of the table."""

    def look_up(self: Any, index: Searched, *, by: Any = None) -> pl.Expr:
        groups = [] if by is None else list(by) if isinstance(by, (list, tuple)) else [by]
        if len(groups) != index._group_columns:
            raise InvalidArgument(f"by names {len(groups)} columns; the index has {index._group_columns} of groups")
        version = index._core.version
        method = getattr(index, row.what.name, None)
        if method is None:
            raise Unsupported(f"{row.what.name} is no lookup within groups")

        def of_batch(columns: Any) -> Any:
            with index._unchanged_since(version):
                return method(*arguments(columns))

        rows = polars.Int32 if index._row_type.itemsize == 4 else polars.Int64
        answers = _KINDS.get(row.what.writes[0], rows)
        return polars.map_batches([*groups, self._expression], of_batch, return_dtype=answers, is_elementwise=True)

    look_up.__name__, look_up.__qualname__ = row.what.name, f"Lookups.{row.what.name}"
    look_up.__doc__ = f"""{row.summary.replace("-1 for none", "null for none")} `by` names the columns of groups of a
        `GroupedIndex`, which knows find, contains, count, floor and ceil.

        >>> index = Index([30, 10, 20])
        >>> expression = polars.col("k").warpdex.{row.what.name}(index)
        >>> polars.DataFrame({{"k": [10, 11]}}).select(expression)["k"].to_list()
        {row.sample}
        """
    return look_up


class _Lookups:
    """Lookups of a column of probes in an index. After an update of the index, make a new expression.

    >>> import polars as pl
    >>> index = Index([30, 10, 20])
    >>> pl.DataFrame({"k": [10, None, 11]}).select(pl.col("k").warpdex.find(index))["k"].to_list()
    [1, None, None]
    >>> quotes = GroupedIndex(["a", "b", "a"], [1, 2, 3])
    >>> trades = pl.DataFrame({"symbol": ["a", "b"], "time": [2, 9]})
    >>> trades.select(pl.col("time").warpdex.floor(quotes, by="symbol")).to_series().to_list()
    [0, 1]
    """

    def __init__(self, expression: Any) -> None:
        self._expression = expression

    def network(self, networks: Networks, *, invalid: Invalid = "error") -> pl.Expr:
        """The row of the longest network that holds each address, null for none; `invalid` as of `Networks.find`.

        >>> expression = polars.col("ip").warpdex.network(Networks(["10.0.0.0/8", "::/0"]))
        >>> polars.DataFrame({"ip": ["10.1.2.3", "::1", "8.8.8.8"]}).select(expression)["ip"].to_list()
        [0, 1, None]
        """
        if not isinstance(networks, Networks):
            raise KeyTypeError(f"networks is {shown(networks)}; it must be warpdex.Networks")
        return self._expression.map_batches(
            partial(networks.find, invalid=invalid), return_dtype=polars.Int32, is_elementwise=True
        )


_methods = {row.what.name: _expression(row) for row in TABLE.values() if row.sample is not None}
_methods["network"] = _Lookups.network
Lookups = public_methods(held="index")(type("Lookups", (_Lookups,), {"__doc__": _Lookups.__doc__, **_methods}))
polars.api.register_expr_namespace("warpdex")(Lookups)
