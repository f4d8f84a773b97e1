# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Joins with the parameters and the answers of pandas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .columns.libraries import home_of
from .columns.values import extra
from .errors import InvalidArgument, KeyTypeError
from .frames.frame import Frame, suffixed
from .frames.tables import as_derived, by_named, frames, key_named
from .joins.join import asof_rows
from .lookups.border import public
from .lookups.calls import AsofHow
from .types import Direction

if TYPE_CHECKING:
    import pandas as pd

pandas = extra("pandas")


@public
def merge_asof(
    left: Any,
    right: Any,
    on: Any = None,
    left_on: Any = None,
    right_on: Any = None,
    left_index: bool = False,
    right_index: bool = False,
    by: Any = None,
    left_by: Any = None,
    right_by: Any = None,
    suffixes: tuple[str | None, str | None] = ("_x", "_y"),
    tolerance: Any = None,
    allow_exact_matches: bool = True,
    direction: Direction = "backward",
    *,
    device: Any = "cpu",
    threads: int = 0,
) -> pd.DataFrame:
    """Joins each left row with the right row whose key is nearest, as `pandas.merge_asof`.

    Nothing need be sorted, and rows keep the order of the left frame. Of equal right keys the last one matches if they
    are not above the left key, else the first one; at equal distance the earlier key does. A null key is an error; null
    groups equal each other. With `left_index` and `by` the right key column holds right keys, unless the left index has
    its name, and there is no column key_1, unlike in pandas. As there, keys and groups may be levels of an index by
    name, and `left_on` and `right_on` arrays with one value per row.

    >>> trades = pandas.DataFrame({"time": [5, 1], "price": [50, 10]})
    >>> quotes = pandas.DataFrame({"time": [4, 2, 4], "bid": [1, 2, 3]})
    >>> merge_asof(trades, quotes, on="time")["bid"].tolist()
    [3.0, nan]
    """
    left = left.to_frame() if isinstance(left, pandas.Series) else left
    right = right.to_frame() if isinstance(right, pandas.Series) else right
    left_frame, right_frame = frames(left, right)
    if not isinstance(left, pandas.DataFrame) or not isinstance(right, pandas.DataFrame):
        raise KeyTypeError("left and right must be DataFrames of pandas; warpdex.join_asof takes others")
    left_frame, left_levels = _with_levels(left_frame, (on, left_on, by, left_by))
    right_frame, right_levels = _with_levels(right_frame, (on, right_on, by, right_by))
    left_key, left_column = _key(left_frame, left, on, left_on, left_index, "left")
    right_key, right_column = _key(right_frame, right, on, right_on, right_index, "right")
    names = "left_by", "right_by"
    lefts, rights = by_named(left_frame, right_frame, by, left_by, right_by, names)
    pairs = [*zip(lefts, rights), (left_key, right_key)]
    joined = {a: number for number, (a, b) in enumerate(pairs) if a in left_levels and a == b}
    for column, side in ((left_column, "left"), (right_column, "right")):
        if column.isna().any():
            raise InvalidArgument(f"{side} has a null key in row {int(np.argmax(column.isna()))}")
    groups = [(left_frame.key(a), right_frame.key(b), a) for a, b in zip(lefts, rights)]
    how = AsofHow(direction, allow_exact_matches, tolerance, ties="adjacent")
    rows = asof_rows(
        (left_column, _shown(left_key)), (right_column, _shown(right_key)), groups, how, True, home_of(device, threads)
    )
    shared = {b for a, b in zip(lefts, rights) if a == b} | right_levels
    if not left_index and not right_index and left_key is not _ARRAY and left_key == right_key:
        shared.add(right_key)
    # pandas copies a column of the left frame when it is written, older versions here.
    index = left.index if left_index or right_index else pandas.RangeIndex(len(left))
    kept = {name: left_frame.table[name].set_axis(index) for name in left_frame.names if name not in left_levels}
    taken = {
        name: column.set_axis(index) if isinstance(column, pandas.Series) else column
        for name, column in right_frame.take([name for name in right_frame.names if name not in shared], rows).items()
    }
    columns: dict[Any, Any] = {}
    if left_index and not right_index and (not lefts or left.index.name == right_key):
        # As in pandas, the right key column then is the left key, if a row has no match.
        key = left_column.set_axis(index)
        if right_key in left_frame.names:
            columns[right_key] = key
        elif (rows < 0).any():
            taken[right_key] = key
    both = set(taken) & set(kept)
    for table, suffix in ((kept, suffixes[0]), (taken, suffixes[1])):
        for name, column in table.items():
            final = suffixed(name, suffix) if name in both and suffix is not None else name
            if final in columns:
                raise InvalidArgument(f"suffixes are {suffixes!r}, which make two columns {final!r}")
            columns[final] = column
    result = pandas.DataFrame(columns, index=index, copy=False)
    for name, number in joined.items():
        result.insert(number, name, left_frame.table[name].set_axis(index))
    if _ARRAY in (left_key, right_key):
        _insert_key(result, pairs, left_column.set_axis(index))
    if result.columns.nlevels == left.columns.nlevels and left.columns.names == right.columns.names:
        result.columns.names = left.columns.names
    return as_derived(result, left)


_ARRAY = object()  # in the place of the name of a key that is an array


def _is_array(key: Any) -> bool:
    return hasattr(key, "dtype") and getattr(key, "ndim", 0) == 1


def _shown(key: Any) -> str:
    return "the array" if key is _ARRAY else str(key)


def _with_levels(side: Frame, arguments: tuple[Any, ...]) -> tuple[Frame, set[Any]]:
    """A frame with those levels of its index as columns that a call names, and their names."""
    table, levels = side.table, []
    for names in arguments:
        for name in names if isinstance(names, list) else [names]:
            is_label = not _is_array(name) and name is not None
            if is_label and name not in side.names and name in table.index.names and name not in levels:
                levels.append(name)
    if not levels:
        return side, set()
    return frames(table.reset_index(level=levels).set_axis(table.index))[0], set(levels)


def _insert_key(result: Any, pairs: list[tuple[Any, Any]], key: Any) -> None:
    """Adds the key of a join by an array, which has the name of the other side's one, as pandas does."""
    left, right = pairs[-1]
    name = right if left is _ARRAY else left
    number = len(pairs) - 1
    name = f"key_{number}" if name is _ARRAY else name
    if name not in result:
        result.insert(number, name, key)


def _key(side: Frame, table: Any, on: Any, one_on: Any, uses_index: bool, name: str) -> tuple[Any, Any]:
    if uses_index:
        if on is not None or one_on is not None:
            raise InvalidArgument(f"{name}_index is True, but a column is named too")
        return table.index.name, table.index.to_series()
    named = one_on if on is None else on
    named = named[0] if isinstance(named, list) and len(named) == 1 else named
    if _is_array(named):
        if on is not None and one_on is not None:
            raise InvalidArgument(f"both on and {name}_on name columns")
        if len(named) != len(table):
            raise InvalidArgument(f"{name}_on has {len(named)} values, {name} {len(table)} rows")
        return _ARRAY, pandas.Series(named, copy=False).set_axis(table.index)
    key = key_named(one_on, on, f"{name}_on", side.names)
    side.expect([key], f"{name}_on")
    return key, side.table[key]
