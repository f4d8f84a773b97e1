# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Joins of LazyFrames of Polars, which run when they are collected, batch by batch where they can."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from ._frames import frames
from ._index import Index


def is_lazy(table: Any) -> bool:
    polars = sys.modules.get("polars")
    return polars is not None and isinstance(table, polars.LazyFrame)


def lazily(join: Callable[..., Any], left: Any, right: Any, key: str | None, spec: str, options: dict[str, Any]) -> Any:
    """A LazyFrame that joins the batches of `left` with `right`, which is collected at the first one.

    @param key the right column over which an index serves all batches; None if the join needs `left` as a whole
    """
    lock = threading.Lock()  # batches come from several threads
    held: list[tuple[Any, Index | None, int]] = []
    empty = left.collect_schema().to_frame()
    lazy = is_lazy(right)

    def right_side() -> tuple[Any, Index | None, int]:
        with lock:
            if not held:
                table = right.collect() if lazy else frames(empty, right)[1].table
                index = options["index"]
                if index is None and key is not None:
                    index = Index(table.get_column(key), spec, threads=options["threads"])
                held.append((table, index, 0 if index is None else index._core.version))
            return held[0]

    def joined(batch: Any) -> Any:
        table, index, version = right_side()
        with nullcontext() if index is None else index._unchanged_since(version):
            return join(batch, table, **{**options, "index": index})

    none = right.collect_schema().to_frame() if lazy else frames(empty, right)[1].table.clear()
    schema = join(empty, none, **{**options, "index": None}).schema
    return left.map_batches(joined, schema=schema, streamable=key is not None)


def same_type(left: Any, left_key: str, right: Any, right_key: str) -> bool:
    """Whether two columns have one type, so that an index over the right one compares as the join does."""
    types = []
    for table, key in ((left, left_key), (right, right_key)):
        schema = table.collect_schema() if hasattr(table, "collect_schema") else {}
        types.append(schema.get(key))
    return types[0] is not None and types[0] == types[1]
