# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Joins of LazyFrames of Polars, which run when they are collected, batch by batch where they can."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np

from . import _slices
from ._fingerprint import Checked, over_column
from ._frames import frames
from ._index import Index
from ._values import extra

_BATCH = 1 << 17  # rows of the left side that are looked up together

# How many pairs each row of a batch has in a join with an index; None if none has several.
Counts = Callable[[Any, Any], "np.ndarray | None"]


def is_lazy(table: Any) -> bool:
    polars = sys.modules.get("polars")
    return polars is not None and isinstance(table, polars.LazyFrame)


def lazily(
    join: Callable[..., Any],
    left: Any,
    right: Any,
    key: str | None,
    spec: str,
    options: dict[str, Any],
    left_keys: tuple[str, ...] = (),
    counts: Counts = lambda batch, index: None,
) -> Any:
    """A LazyFrame that joins the batches of `left` with `right`, which is collected at the first one. Both sides are
    asked for no more columns than the result needs, and the left one for no rows that a filter of it drops.

    @param key the right column over which an index serves all batches; None if the join needs `left` as a whole
    @param left_keys the left columns that the join reads
    """
    lock = threading.Lock()  # several threads may ask
    held: list[tuple[Any, Checked | None]] = []
    empty = left.collect_schema().to_frame()
    lazy = is_lazy(right)
    none = right.collect_schema().to_frame() if lazy else frames(empty, right)[1].table.clear()

    def right_side(columns: list[str]) -> tuple[Any, Checked | None]:
        with lock:
            if not held or not set(columns) <= set(held[0][0].columns):
                held.clear()
                table = right.select(columns).collect() if lazy else frames(empty, right)[1].table
                index = options["index"]
                if key is not None and not table.get_column(key).is_null().all():
                    column = table.get_column(key)
                    if index is None:
                        index = Index(column, spec, device=options["device"], threads=options["threads"])
                    else:
                        index = over_column(index, column, key)
                    index = Checked(index, index._core.version)
                held.append((table, index))
            return held[0]

    def joined(batch: Any, columns: list[str] = none.columns) -> Any:
        table, index = right_side(columns)
        with nullcontext() if index is None else index.unchanged():
            return join(batch, table.select(columns), **{**options, "index": index})

    def stretches(batch: Any, columns: list[str]) -> Iterator[tuple[int, int]]:
        _, index = right_side(columns)
        if index is None:
            return _slices.stretches(None, len(batch))
        with index.unchanged():
            return _slices.stretches(counts(batch, index.index), len(batch))

    def needed(wanted: Collection[str]) -> tuple[list[str], list[str]]:
        """The columns of both sides that columns of the result need. One that both have gets the suffix on the right."""
        both = {name for name in none.columns if name in empty.columns and name + options["suffix"] in wanted}
        lefts = [name for name in empty.columns if name in wanted or name in left_keys or name in both]
        alone = {*wanted} - {*empty.columns}
        return lefts, [name for name in none.columns if name in alone or name == key or name in both]

    def slices(names: list[str] | None, predicate: Any, rows: int | None, _: int | None) -> Iterator[Any]:
        """Batches of the result, of at most `PAIRS` rows; the first `rows` of all, if given."""
        read = set() if predicate is None else set(predicate.meta.root_names())
        lefts, rights = needed(schema.names() if names is None else {*names, *read})
        source = left.select(lefts)
        if rows is None and predicate is not None and read <= set(empty.columns):
            source, predicate = left.filter(predicate).select(lefts), None
        for batch in source.collect_batches(chunk_size=_BATCH, engine="streaming"):
            for begin, end in stretches(batch, rights):
                for made in joined(batch.slice(begin, end - begin), rights).iter_slices(_slices.PAIRS):
                    if rows is not None:
                        made = made.head(rows)
                        rows -= len(made)
                    if predicate is not None:
                        made = made.filter(predicate)
                    yield made if names is None else made.select(names)
                    if rows == 0:
                        return

    schema = join(empty, none, **{**options, "index": None}).schema
    if key is None:
        return left.map_batches(joined, schema=schema)
    return extra("polars.io.plugins").register_io_source(slices, schema=schema, is_pure=True)


def lazily_whole(join: Callable[[Any, list[Any]], Any], left: Any, others: Collection[Any]) -> Any:
    """A LazyFrame of what a join makes that needs `left` as a whole. Its schema is that of a join of frames without rows.

    @param join takes the left frame and the others @param others frames, and LazyFrames, which are collected then
    """
    empty = left.collect_schema().to_frame()
    none = [one.collect_schema().to_frame() if is_lazy(one) else frames(empty, one)[1].table.clear() for one in others]

    def joined(table: Any) -> Any:
        return join(table, [one.collect() if is_lazy(one) else one for one in others])

    return left.map_batches(joined, schema=join(empty, none).schema)


def same_type(left: Any, left_key: str, right: Any, right_key: str) -> bool:
    """Whether two columns have one type, so that an index over the right one compares as the join does."""
    types = []
    for table, key in ((left, left_key), (right, right_key)):
        schema = table.collect_schema() if hasattr(table, "collect_schema") else {}
        types.append(schema.get(key))
    return types[0] is not None and types[0] == types[1]
