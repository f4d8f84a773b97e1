# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Joins whose left side comes batch by batch: LazyFrames of Polars, which run when they are collected, and readers of
pyarrow."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np

from ..columns.parts import arrow_column
from ..columns.values import extra, read_for_all
from ..errors import InvalidArgument, Unsupported
from ..frames.tables import frames
from ..lookups import calls
from ..lookups.grouped import GroupedIndex
from ..lookups.index import Index
from ..lookups.origin import Checked, over_column

_BATCH = 1 << 17  # rows of the left side that are looked up together

# How many pairs each row of a batch has in a join with an index; None if none has several.
Counts = Callable[[Any, Any], "np.ndarray | None"]


def is_lazy(table: Any) -> bool:
    polars = sys.modules.get("polars")
    return polars is not None and isinstance(table, polars.LazyFrame)


def is_reader(table: Any) -> bool:
    """Whether a table is a stream of record batches."""
    pyarrow = sys.modules.get("pyarrow")
    return pyarrow is not None and isinstance(table, pyarrow.RecordBatchReader)


def comes_in_batches(table: Any) -> bool:
    return is_lazy(table) or is_reader(table)


def column_of(table: Any, name: str) -> Any:
    """A column of a frame of Polars or a table of pyarrow."""
    return table.get_column(name) if hasattr(table, "get_column") else arrow_column(table, name)


class Over(NamedTuple):
    """The right columns over which one index serves all batches: keys, or groups and keys."""

    columns: tuple[str, ...]
    spec: str

    def built(self, right: Any, options: dict[str, Any]) -> Checked | None:
        """The index, or the caller's; none over nulls alone."""
        columns = [column_of(right, name) for name in self.columns]
        for column in columns:
            nulls = column.null_count
            if (nulls() if callable(nulls) else nulls) == len(column):
                return None
        at = {"device": options["device"], "threads": options["threads"]}
        result = options["index"]
        if len(columns) == 2:
            if result is not None:
                raise InvalidArgument("index serves joins without by")
            keys = read_for_all(columns[1], self.columns[1])
            result = GroupedIndex(columns[0], keys, self.spec, **at)
        elif result is None:
            result = Index(columns[0], self.spec, **at)
        else:
            result = over_column(result, columns[0], self.columns[0])
        return Checked(result, result._core.version)


def streamed(
    join: Callable[..., Any], left: Any, right: Any, over: Over | None, options: dict[str, Any], counts: Counts
) -> Any:
    """A reader of what a join makes of the batches of a reader, at most `PAIRS` rows at a time, or the pairs of one row."""
    pyarrow = extra("pyarrow")
    if over is None:
        raise Unsupported(
            "left comes in batches, but this join needs it as a whole: read_all() makes a table of it "
            "(how, validate, nulls_equal, maintain_order, check_sortedness, several keys, or keys of two types)"
        )
    empty = left.schema.empty_table()
    table = frames(empty, right)[1].table.combine_chunks()  # from which rows of each batch are gathered
    index = over.built(table, options)

    def joined(batch: Any) -> Any:
        return join(batch, table, **{**options, "index": index})

    def batches() -> Iterator[Any]:
        for block in left:
            batch = pyarrow.Table.from_batches([block])
            with nullcontext() if index is None else index.unchanged():
                several = None if index is None else counts(batch, index.index)
            for begin, end in calls.stretches(several, len(batch)):
                with nullcontext() if index is None else index.unchanged():
                    result = joined(batch.slice(begin, end - begin))
                yield from result.to_batches()

    schema = join(empty, table.slice(0, 0), **{**options, "index": None}).schema
    return pyarrow.RecordBatchReader.from_batches(schema, batches())


def lazily(
    join: Callable[..., Any],
    left: Any,
    right: Any,
    over: Over | None,
    options: dict[str, Any],
    left_keys: tuple[str, ...],
    counts: Counts = lambda batch, index: None,
) -> Any:
    """A LazyFrame that joins the batches of `left` with `right`, which is collected at the first one. Both sides are
    asked for no more columns than the result needs, and the left one for no rows that a filter of it drops. A reader is
    joined as `streamed` does.

    @param over None if the join needs `left` as a whole @param left_keys the left columns that the join reads
    """
    if is_reader(left):
        return streamed(join, left, right, over, options, counts)
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
                table = table.rechunk()  # from which rows of each batch are gathered
                index = None if over is None else over.built(table, options)
                held.append((table, index))
            return held[0]

    def joined(batch: Any, columns: list[str] = none.columns) -> Any:
        table, index = right_side(columns)
        with nullcontext() if index is None else index.unchanged():
            return join(batch, table.select(columns), **{**options, "index": index})

    def stretches(batch: Any, columns: list[str]) -> Iterator[tuple[int, int]]:
        _, index = right_side(columns)
        if index is None:
            return calls.stretches(None, len(batch))
        with index.unchanged():
            return calls.stretches(counts(batch, index.index), len(batch))

    keys = () if over is None else over.columns

    def needed(wanted: Collection[str]) -> tuple[list[str], list[str]]:
        """The columns of both sides that columns of the result need. One that both have gets the suffix on the right."""
        both = {name for name in none.columns if name in empty.columns and name + options["suffix"] in wanted}
        lefts = [name for name in empty.columns if name in wanted or name in left_keys or name in both]
        alone = {*wanted} - {*empty.columns}
        return lefts, [name for name in none.columns if name in alone or name in keys or name in both]

    def batches_of(names: list[str] | None, predicate: Any, rows: int | None, _: int | None) -> Iterator[Any]:
        """Batches of the result, of at most `PAIRS` rows; the first `rows` of all, if given."""
        read = set() if predicate is None else set(predicate.meta.root_names())
        lefts, rights = needed(schema.names() if names is None else {*names, *read})
        source = left.select(lefts)
        if rows is None and predicate is not None and read <= set(empty.columns):
            source, predicate = left.filter(predicate).select(lefts), None
        for batch in source.collect_batches(chunk_size=_BATCH, engine="streaming"):
            for begin, end in stretches(batch, rights):
                for result in joined(batch.slice(begin, end - begin), rights).iter_slices(calls.PAIRS):
                    if rows is not None:
                        result = result.head(rows)
                        rows -= len(result)
                    if predicate is not None:
                        result = result.filter(predicate)
                    yield result if names is None else result.select(names)
                    if rows == 0:
                        return

    schema = join(empty, none, **{**options, "index": None}).schema
    if over is None:
        return left.map_batches(joined, schema=schema)
    return extra("polars.io.plugins").register_io_source(batches_of, schema=schema, is_pure=True)


def lazily_whole(join: Callable[[Any, list[Any]], Any], left: Any, others: Collection[Any]) -> Any:
    """A LazyFrame of what a join makes that needs `left` as a whole. Its schema is that of a join of frames without rows.

    @param join takes the left frame and the others @param others frames, and LazyFrames, which are collected then
    """
    empty = left.collect_schema().to_frame()
    none = [
        frame.collect_schema().to_frame() if is_lazy(frame) else frames(empty, frame)[1].table.clear()
        for frame in others
    ]

    def joined(table: Any) -> Any:
        return join(table, [frame.collect() if is_lazy(frame) else frame for frame in others])

    return left.map_batches(joined, schema=join(empty, none).schema)


def _types(left: Any, right: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The types of the columns of both sides, as the left one's library names them."""
    if is_reader(left):
        schemas = left.schema, frames(left.schema.empty_table(), right)[1].table.schema
        left_types, right_types = (dict(zip(schema.names, schema.types)) for schema in schemas)
        return left_types, right_types
    lefts, rights = (side.collect_schema() if hasattr(side, "collect_schema") else {} for side in (left, right))
    return lefts, rights


def same_type(left: Any, left_key: str, right: Any, right_key: str) -> bool:
    """Whether two columns have one type, or one of them none, so that an index over the right one compares as the join does."""
    lefts, rights = _types(left, right)
    if left_key not in lefts or right_key not in rights:
        return False
    left_type, right_type = lefts[left_key], rights[right_key]
    return bool(left_type == right_type) or _is_null(left_type) or _is_null(right_type)


def _is_null(kind: Any) -> bool:
    """Whether a type of Polars or pyarrow is that of nulls alone."""
    return str(kind).lower() == "null"


def over_groups(left: Any, left_by: list[Any], right: Any, right_by: list[Any]) -> bool:
    """Whether one index over keys within groups serves all batches: of one column of integers or text on each side."""
    if len(left_by) != 1 or len(right_by) != 1 or not same_type(left, left_by[0], right, right_by[0]):
        return False
    kinds = (types[names[0]] for types, names in zip(_types(left, right), (left_by, right_by)))
    known = [str(kind).lower() for kind in kinds if not _is_null(kind)]
    return not known or known[0].startswith(("int", "uint")) or known[0] in ("string", "large_string")
