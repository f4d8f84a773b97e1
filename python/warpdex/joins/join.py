# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Joins of data frames, with Polars' parameters and answers."""

from __future__ import annotations

from itertools import filterfalse
from typing import Any, Literal

import numpy as np

from .. import _core
from .._core import Call, Part, Values
from ..columns.keys import key_pair, ordered_pair, typed
from ..columns.libraries import Home, at_place, built_at, home_of, seen
from ..columns.values import read
from ..errors import InvalidArgument, KeyTypeError
from ..frames.frame import Frame, Rows
from ..frames.tables import (
    both_named,
    by_named,
    columns_named,
    frames,
    key_named,
    keys_named,
    label_of,
)
from ..lookups import calls
from ..lookups.asking import LOOKUPS, arguments
from ..lookups.asof import asof, at_offsets, how_of_keys, is_column, plain_asof
from ..lookups.border import public
from ..lookups.calls import AsofHow, Stages, expect_offsets, matches, offset_of, range_matches
from ..lookups.grouped import GroupedIndex
from ..lookups.index import Index
from ..lookups.origin import Checked, over_column
from ..types import Closed, Direction, How, HowOfFrames, Order, Table, Validate
from .lazy import Over, column_of, comes_in_batches, lazily, over_groups, same_type


@public
def join(
    left: Table,
    right: Any,
    on: str | list[str] | None = None,
    how: HowOfFrames = "inner",
    *,
    left_on: str | list[str] | None = None,
    right_on: str | list[str] | None = None,
    suffix: str = "_right",
    validate: Validate = "m:m",
    nulls_equal: bool = False,
    coalesce: bool | None = None,
    maintain_order: Order | None = None,
    index: Index | None = None,
    nan_is_null: bool = True,
    device: Any = "cpu",
    threads: int = 0,
    progress: Any = False,
) -> Table:
    """Joins two data frames on equal keys, as `polars.DataFrame.join`.

    The frames are of pandas, Polars or pyarrow, or dicts of arrays of NumPy, CuPy or Torch, which stay on their device;
    the result is of left's kind. A LazyFrame is joined when it is collected, batch by batch if one index can serve all;
    of a RecordBatchReader of pyarrow the result is one. `how` is inner, left, right, full, semi or anti. `index` is an
    index over the right key column, which many joins can share; one over another column is refused. NaN in keys of
    pandas' frames is null; with nan_is_null=False it is a value that equals NaN. With device="cuda" the index over the
    right keys is built and asked on that device: the right keys are copied to it as a whole, the left ones in pieces
    while others are searched. Columns are gathered on the host, and keys that both ascend are merged there.

    `progress` is told when the pairs are found, and when their rows are gathered; of lazy frames and readers it is not.

    Rows come in the order of the left frame, then of the right one; with how="right" in that of the right one first.
    Columns of one name in a frame are refused. `validate` looks at the keys of the side that it names, for each `how`,
    and leaves out nulls unless they are equal; Polars refuses it with how="right". Column labels of pandas may be
    anything that it allows: a tuple is a label if the frame has it, else several. Of labels of several levels the first
    one gets the suffix.

    A LazyFrame on the left may have one on the right, which is collected at the first batch. At most 2^20 rows of the
    result are made at a time, or those of one left row. These joins need the left side as a whole, and are refused of a
    RecordBatchReader: `how` right or full, `validate`, `nulls_equal`, `maintain_order` right or right_left, several key
    columns, keys of two types, in `join_asof` keys that must be checked, and groups unless they are one column of
    integers or text.

    With `index` row ids are positions of the right keys, and each call checks that. An index that was built in this
    process, without rows of the caller, and not updated is compared with the whole column; of another one the number of
    keys and what it finds for 4096 rows, so that a few rows that differ may pass.

    Columns of a device, in dicts of arrays or tables of Arrow's device interface, are joined there; `index` is then over
    an array of CuPy or Torch. Gathered columns may have more dimensions, such as embeddings.

    >>> import pandas as pd
    >>> orders = pd.DataFrame({"customer": [7, 9], "price": [10, 20]})
    >>> customers = pd.DataFrame({"customer": [9, 8], "name": ["Ada", "Bob"]})
    >>> join(orders, customers, "customer")["name"].tolist()
    ['Ada']
    """
    if comes_in_batches(left):
        options = {name: value for name, value in locals().items() if name not in ("left", "right", "progress")}
        left_keys, right_keys = keys_named(left_on, on, "left_on"), keys_named(right_on, on, "right_on")
        whole = (
            how in ("right", "full")
            or validate != "m:m"
            or nulls_equal
            or maintain_order in ("right", "right_left")
            or not (len(left_keys) == len(right_keys) == 1 and same_type(left, left_keys[0], right, right_keys[0]))
        )
        return lazily(
            join,
            left,
            right,
            None if whole else Over((right_keys[0],), "auto(points)"),
            options,
            tuple(left_keys),
            lambda batch, index: matches(index, column_of(batch, left_keys[0]), how),
        )
    home, stages = home_of(device, threads), Stages(progress, 2)
    one, two = frames(left, right, nan_is_null=nan_is_null, threads=threads)
    left_keys, right_keys = both_named(one, two, on, left_on, right_on)
    sides = (one, left_keys), (two, right_keys)
    _validate(validate, *sides, nulls_equal, home)
    by_left = how == "right" and maintain_order in ("left", "left_right")
    by_right = how == "right" or maintain_order in ("right", "right_left")
    lefts, rights = _pairs(*sides, how, nulls_equal, index, home, "left" if by_left else "right" if by_right else None)
    stages.end()
    if how in ("semi", "anti"):
        joined = one.made(one.at(one.names, lefts), {}, suffix)
        stages.end()
        return joined
    if coalesce is None:
        coalesce = how != "full"
    joined = _gathered(one, two, left_keys, right_keys, how, suffix, coalesce, lefts, rights)
    stages.end()
    return joined


def with_alone(counts: np.ndarray, rows: Rows) -> tuple[Rows, Rows]:
    """Pairs of left rows and the right rows of each, whose right row is -1 where there is none.

    @param counts how many of the right rows each left row has
    """
    lefts = np.repeat(np.arange(counts.size), np.maximum(counts, 1))
    rights = np.full(lefts.size, -1, rows.dtype)
    rights[np.repeat(counts != 0, np.maximum(counts, 1))] = rows
    return lefts, rights


Side = tuple[Frame, list[Any]]  # a table and its key columns


def _validate(validate: str, left: Side, right: Side, nulls_equal: bool, home: Home) -> None:
    """Checks that the keys of the sides that `validate` names do not repeat."""
    for side, (table, keys), name in (("1:", left, "left"), (":1", right, "right")):
        if side in validate and _repeat(table, keys, nulls_equal, home):
            raise InvalidArgument(f"validate is {validate!r}, but keys of the {name} frame repeat")


def _pairs(
    left_side: Side,
    right_side: Side,
    how: HowOfFrames,
    nulls_equal: bool,
    index: Index | None,
    home: Home,
    order: Literal["left", "right"] | None,
) -> tuple[Rows, Rows]:
    """The pairs of a join. @param order the side whose rows ascend first, if not those of the left one"""
    (one, left_keys), (two, right_keys) = left_side, right_side
    pairs = [key_pair(one.key(a), two.key(b), str(a), str(b)) for a, b in zip(left_keys, right_keys)]
    columns = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    home, place = home.over(*columns[0], *columns[1]), columns[0][0].place
    if index is not None:
        if len(left_keys) != 1 or (nulls_equal and pairs[0][1].nulls() is not None):
            raise InvalidArgument("index holds keys of one column without nulls; it cannot serve this join")
        index = over_column(index, two.column(right_keys[0]), right_keys[0])
        kind: How = how if how == "semi" or how == "anti" else "inner" if how in ("inner", "right") else "left"
        lefts, rights = index.join(one.key(left_keys[0]), kind, threads=home.threads)
        if how in ("right", "full"):
            found = _core.add_unmatched(seen(lefts), seen(rights), len(two), home.device, home.where)
            lefts, rights = (at_place(rows, place) for rows in found)
    elif how == "right":
        found = _core.join_keys(*columns[::-1], "left", nulls_equal, home.device, home.where)
        rights, lefts = (at_place(rows, place) for rows in found)
        order = None if order == "right" else order
    else:
        found = _core.join_keys(*columns, how, nulls_equal, home.device, home.where)
        lefts, rights = (at_place(rows, place) for rows in found)
    if order is not None and how not in ("semi", "anti"):  # whose pairs have no right rows
        first, second = (lefts, rights) if order == "left" else (rights, lefts)
        _core.order_pairs(seen(first), seen(second), home.device, home.where)
    return lefts, rights


def _repeat(table: Frame, keys: list[Any], nulls_equal: bool, home: Home) -> bool:
    """Whether keys of a side repeat: among themselves, since some may equal no key of the other side's type."""
    columns = [key_pair(table.key(key), table.key(key), str(key), str(key))[0] for key in keys]
    home = Home(-1, home.threads).over(*columns)
    encoded = _core.encode(columns, columns, nulls_equal, False, home.device, home.where)[1]
    return not _over(encoded, "auto", home).is_unique()


def _over(part: Part, spec: str, home: Home) -> _core.Index:
    """An index over the values of a part that are neither null nor misses."""
    return _core.build(part.plain(), None, spec, None, home.device, home.where)


def _gathered(
    one: Frame,
    two: Frame,
    left_keys: list[str],
    right_keys: list[str],
    how: HowOfFrames,
    suffix: str,
    coalesce: bool,
    lefts: Rows,
    rights: Rows,
) -> Any:
    if how == "right":
        kept = filterfalse(left_keys.__contains__, one.names) if coalesce else one.names
        return one.made(one.take(kept, lefts), two.at(two.names, rights), suffix)
    columns = one.at(one.names, lefts)
    if how == "full" and coalesce:
        for mine, other in zip(left_keys, right_keys):
            columns[mine] = one.merged(mine, lefts, two, other, rights)
    kept = filterfalse(right_keys.__contains__, two.names) if coalesce else two.names
    return one.made(columns, two.take(kept, rights), suffix)


@public
def join_between(
    left: Table,
    right: Any,
    on: str,
    lower: str,
    upper: str,
    closed: Closed = "both",
    how: How = "inner",
    *,
    suffix: str = "_right",
    by: str | list[str] | None = None,
    by_left: str | list[str] | None = None,
    by_right: str | list[str] | None = None,
    nulls_equal: bool = False,
    index: Index | None = None,
    nan_is_null: bool = True,
    device: Any = "cpu",
    threads: int = 0,
    progress: Any = False,
) -> Table:
    """Joins each left row with the right rows whose key `on` is between its columns `lower` and `upper`.

    `closed` is both, left, right or none: which bounds belong to the range. `how` is inner, left, semi or anti. The
    pairs of a left row ascend by the key. With `by` only rows match whose columns of these names are equal, with
    nulls_equal=True nulls too. `index` is an index over right's column `on`, for joins without `by`.

    >>> import pandas as pd
    >>> shifts = pd.DataFrame({"begin": [0, 10], "end": [10, 20]})
    >>> events = pd.DataFrame({"at": [15, 10, 3]})
    >>> join_between(shifts, events, "at", "begin", "end", "left")["at"].tolist()
    [3, 10, 15]
    """
    on, lower, upper = label_of(on, "on"), label_of(lower, "lower"), label_of(upper, "upper")
    if comes_in_batches(left):
        options = {name: value for name, value in locals().items() if name not in ("left", "right", "progress")}
        left_by, right_by = columns_named(by_left, by, "by_left", "by"), columns_named(by_right, by, "by_right", "by")
        left_keys = *left_by, lower, upper
        whole = bool(left_by) and (nulls_equal or not over_groups(left, left_by, right, right_by))
        return lazily(
            join_between,
            left,
            right,
            None if whole else Over((*right_by, on), "AO+BS"),
            options,
            left_keys,
            lambda batch, index: range_matches(index, [column_of(batch, name) for name in left_keys], how, closed),
        )
    stages = Stages(progress, 2)
    one, two = frames(left, right, nan_is_null=nan_is_null, threads=threads)
    left_by, right_by = by_named(one, two, by, by_left, by_right)
    one.expect([lower], "lower")
    one.expect([upper], "upper")
    two.expect([on], "on")
    bounds = one.key(lower), one.key(upper)
    if index is None:
        keys = typed(two.key(on), str(on), ((bounds[0], str(lower)), (bounds[1], str(upper))))
        at = device if keys.place is None else None  # arrays of a device have their own
    if left_by:
        groups, _ = arguments([*map(one.key, left_by), bounds[0]])
        grouped = _groups_of(index)
        if grouped is None:
            pairs = [(one.key(a), two.key(b), str(a)) for a, b in zip(left_by, right_by)]
            groups, others = group_pair(pairs, nulls_equal, threads)
            grouped = GroupedIndex(others, keys, device=at, threads=threads)
        lefts, rights = grouped.join_between(groups, *bounds, how, closed, threads=threads)
    else:
        if index is None:
            core = _core.build(keys.whole().plain(), None, "AO+BS", None, *built_at((keys,), at, threads))
            index = Index._over(core, keys.family)
        else:
            index = over_column(index, two.column(on), on)
        lefts, rights = index.join_between(*bounds, how, closed, threads=threads)
    stages.end()
    added = two.take(two.names, rights) if how in ("inner", "left") else {}
    joined = one.made(one.at(one.names, lefts), added, suffix)
    stages.end()
    return joined


def _groups_of(index: Any) -> GroupedIndex | None:
    """The index over keys within groups that a join of batches shares."""
    if index is None:
        return None
    if not isinstance(index, Checked):
        raise InvalidArgument("index serves joins without by")
    grouped: GroupedIndex = index.index
    return grouped


def asof_rows(
    left: tuple[Any, str],
    right: tuple[Any, str],
    by: list[tuple[Any, Any, str]],
    how: AsofHow,
    nulls_match: bool,
    home: Home,
) -> Rows:
    """The right row of each left row, or -1; with offsets an array of two dimensions, with one line for each.

    @param left, right columns and their names @param by columns of both sides, and a name
    """
    lefts, other, family = ordered_pair(left, right)
    if all(part.are_strings for part in other.parts) and (by or how.strategy == "nearest" or how.tolerance is not None):
        what = "by" if by else "tolerance" if how.tolerance is not None else "the nearest key"
        raise KeyTypeError(f"{left[1]} holds strings, which have no distances; {what} needs them")
    how = how_of_keys(how, family, lefts.size, f"left has {lefts.size} rows")
    groups = _group_columns(by)
    home = home.over(lefts, other, *groups[0], *groups[1])
    sides, at = (groups[0], lefts, groups[1], other), (home.device, home.where)
    if (place := lefts.place) is None:
        return at_offsets(how, lambda how: _core.asof_keys(*sides, nulls_match, how, how.tolerances, *at))
    rows: Rows = at_place(_core.asof_keys(*sides, nulls_match, how, how.tolerances, *at), place)
    return rows if how.offsets is None else rows.reshape(len(how.offsets), -1)


def _group_columns(by: list[tuple[Any, Any, str]]) -> tuple[list[Values], list[Values]]:
    """Columns of groups of both sides. @param by columns of both sides, and a name"""
    pairs = [key_pair(one, two, str(name), str(name)) for one, two, name in by]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def group_pair(by: list[tuple[Any, Any, str]], nulls_match: bool, threads: int) -> tuple[Values, Values]:
    """Columns of both sides as one column of groups, which are numbers. @param by columns of both sides, and a name"""
    columns = _group_columns(by)
    home = Home(-1, threads).over(*columns[0], *columns[1])
    left, right = (
        Values("integer", [part], part.size, place=columns[0][0].place)
        for part in _core.encode(*columns, nulls_match, True, home.device, home.where)
    )
    return left, right


@public
def join_asof(
    left: Table,
    right: Any,
    *,
    left_on: str | None = None,
    right_on: str | None = None,
    on: str | None = None,
    by_left: str | list[str] | None = None,
    by_right: str | list[str] | None = None,
    by: str | list[str] | None = None,
    strategy: Direction = "backward",
    suffix: str = "_right",
    tolerance: Any = None,
    relative: float = 0.0,
    offsets: Any = None,
    allow_parallel: bool = True,
    force_parallel: bool = False,
    coalesce: bool = True,
    allow_exact_matches: bool = True,
    check_sortedness: bool = False,
    nulls_equal: bool = False,
    index: Index | None = None,
    nan_is_null: bool = True,
    device: Any = "cpu",
    threads: int = 0,
    progress: Any = False,
) -> Table:
    """Joins each left row with the right row whose key is nearest, as `polars.DataFrame.join_asof`.

    Nothing need be sorted; if both keys have one type and ascend, within groups too, they are merged without an index.
    Else the right keys are sorted once. Strings in `by` are numbered by one hash table per call. Of equal right keys
    the last one matches, with strategy="forward" the first one; at equal distance the later key does. A null matches
    nothing. `tolerance` may be a column with one per left row, and `relative` a part of the left key, as in
    `Index.join_asof`. Of times it is a timedelta, or a text such as "2s". The right key is kept if its name is not the
    left one's, or with coalesce=False. `index` is an index over the right key column, for joins without `by`. With
    check_sortedness=True keys that do not ascend are refused. With nulls_equal=True null groups equal each other. Lazy
    frames, readers and devices are those of `join`.

    `offsets` are distances that are added to the left keys, such as ["0s", "10s", "1m"] for markouts. Each left row is
    then in the result once for each offset, one after the other, with the offset in a column "offset". Each costs a
    join.

    >>> import pandas as pd
    >>> trades = pd.DataFrame({"time": [5, 1], "price": [50, 10]})
    >>> quotes = pd.DataFrame({"time": [4, 2, 4], "bid": [1, 2, 3]})
    >>> join_asof(trades, quotes, on="time")["bid"].tolist()
    [3.0, nan]
    >>> join_asof(trades, quotes, on="time", offsets=[0, -2])[["price", "offset", "bid"]].values.tolist()
    [[50.0, 0.0, 3.0], [50.0, -2.0, 2.0], [10.0, 0.0, nan], [10.0, -2.0, nan]]
    """
    if comes_in_batches(left):
        if is_column(tolerance):
            raise KeyTypeError("tolerance is one for each row, but left is lazy; collect it")
        options = {name: value for name, value in locals().items() if name not in ("left", "right", "progress")}
        key, other = key_named(right_on, on, "right_on"), key_named(left_on, on, "left_on")
        left_by, right_by = columns_named(by_left, by, "by_left", "by"), columns_named(by_right, by, "by_right", "by")
        whole = check_sortedness or (nulls_equal and bool(left_by)) or not same_type(left, other, right, key)
        whole = whole or (bool(left_by) and not over_groups(left, left_by, right, right_by))
        over = None if whole else Over((*right_by, key), "AO+BS")
        times = 1 if offsets is None else len(expect_offsets(offsets))
        return lazily(
            join_asof, left, right, over, options, (*left_by, other), lambda batch, index: np.full(len(batch), times)
        )
    home, stages = home_of(device, threads), Stages(progress, 2)
    one, two = frames(left, right, nan_is_null=nan_is_null, keeps_left=offsets is None, threads=threads)
    left_key, right_key = key_named(left_on, on, "left_on", one.names), key_named(right_on, on, "right_on", two.names)
    left_by, right_by = by_named(one, two, by, by_left, by_right)
    one.expect([left_key], "left_on" if on is None else "left: on")
    two.expect([right_key], "right_on" if on is None else "right: on")
    columns = (one.key(left_key), str(left_key)), (two.key(right_key), str(right_key))
    if check_sortedness:
        for (column, name), by_here in zip(columns, (left_by, right_by)):
            _expect_ascending(column, name, bool(by_here))
    how = AsofHow(
        strategy,
        allow_exact_matches,
        tolerance,
        "later",
        "last" if strategy == "nearest" else "adjacent",
        offsets,
        relative=relative,
    )
    grouped = _groups_of(index) if left_by else None
    if grouped is not None:
        call = Call(threads=threads)
        groups, probes = arguments([one.key(name) for name in (*left_by, left_key)])
        rows = grouped._nearest(groups, probes, how, call, plain=True)
    elif index is not None:
        column = one.key(left_key)
        index = over_column(index, two.column(right_key), right_key)
        values = index._read(column, str(left_key), "equal")
        how = how_of_keys(how, index._family, values.size, f"left has {values.size} rows")
        plain_asof(how, values)
        rows = at_offsets(how, lambda how: asof(index, column, values, str(left_key), how, Call(threads=threads)))
    else:
        groups = [(one.key(a), two.key(b), a) for a, b in zip(left_by, right_by)]
        rows = asof_rows(*columns, groups, how, nulls_equal, home)
    stages.end()
    kept = one.whole() if offsets is None else _with_offsets(one, offsets)
    rows = rows if offsets is None else rows.T.reshape(-1)
    dropped = {*right_by, right_key} if coalesce and left_key == right_key else {*right_by}
    joined = one.made(kept, two.take(filterfalse(dropped.__contains__, two.names), rows), suffix)
    stages.end()
    return joined


def _with_offsets(left: Frame, offsets: Any) -> dict[Any, Any]:
    """The columns of a frame with each row once for each offset, and these."""
    if "offset" in left.names:
        raise InvalidArgument("left has a column 'offset', which is that of offsets; rename it")
    values = np.array([offset_of(one) for one in offsets])
    columns = left.take(left.names, np.repeat(np.arange(len(left)), values.size))
    every = np.tile(values, len(left))
    columns["offset"] = left.durations(every) if every.dtype.kind == "m" else left.numbers(every, None)
    return columns


def _expect_ascending(column: Any, name: str, grouped: bool) -> None:
    part = read(column, name).whole()
    if grouped:
        return
    kept = np.arange(part.size) if part.nulls is None else np.flatnonzero(~part.nulls)
    if isinstance(part.column, tuple):
        ranks = _core.build(part.column, None, "AO+BS", None, -1, 0)
        values = np.empty(part.size, np.int64)
        probes = (Values("string", [part], part.size),)
        ranks.ask(LOOKUPS["lower_bound"].number, probes, (values,), False, False, 0, calls.PIECE, None)
    else:
        values = part.column
    values = values[kept]
    if (falls := values[1:] < values[:-1]).any():
        raise InvalidArgument(f"{name} does not ascend at {int(kept[int(np.argmax(falls)) + 1])}")
