# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Joins of columns that need no index of the caller, and plans for joins."""

from __future__ import annotations

from typing import Any, NamedTuple, Unpack, overload

import numpy as np

from .. import _core
from .._core import Call
from ..columns import libraries
from ..columns.devices import device_number
from ..columns.keys import key_pair
from ..columns.values import numbers_of, read
from ..errors import InvalidArgument, KeyTypeError, Unsupported
from ..lookups.asof import rows_of
from ..lookups.border import Run, public
from ..lookups.calls import AsofHow, asof_how
from ..types import DeviceArray, Direction, HowOfColumns, Prefer, Ties


@public
def ascends(values: Any, **run: Unpack[Run]) -> bool:
    """Whether no value of a column of numbers without nulls is above the next one. All NaN are equal, and above all numbers.

    >>> ascends([1, 2, 2]), ascends([1, 3, 2])
    (True, False)
    """
    call = Call(**run)
    column = read(values, "values", stream=call.stream)
    return _core.ascends(numbers_of(column), *libraries.together(column, threads=call.threads))


@overload
def join_columns(
    left: DeviceArray, right: Any, how: HowOfColumns = "inner", **run: Unpack[Run]
) -> tuple[DeviceArray, DeviceArray]: ...
@overload
def join_columns(
    left: Any, right: Any, how: HowOfColumns = "inner", **run: Unpack[Run]
) -> tuple[np.ndarray, np.ndarray]: ...
@public
def join_columns(left: Any, right: Any, how: HowOfColumns = "inner", **run: Unpack[Run]) -> tuple[Any, Any]:
    """Pairs of positions of equal values of two columns: by `merge_join` if both are numbers without nulls that ascend,
    else by `hash_join`. `how` is inner, left, semi, anti or full.

    >>> left, right = join_columns([10, 20, 20], [20, 30], "full")
    >>> left.tolist(), right.tolist()
    ([0, 1, 2, -1], [-1, 0, 0, 1])
    """
    return _joined(left, right, how, "any", Call(**run))


@overload
def merge_join(
    left: DeviceArray, right: Any, how: HowOfColumns = "inner", **run: Unpack[Run]
) -> tuple[DeviceArray, DeviceArray]: ...
@overload
def merge_join(
    left: Any, right: Any, how: HowOfColumns = "inner", **run: Unpack[Run]
) -> tuple[np.ndarray, np.ndarray]: ...
@public
def merge_join(left: Any, right: Any, how: HowOfColumns = "inner", **run: Unpack[Run]) -> tuple[Any, Any]:
    """The same for two columns of numbers that ascend: nothing is built, and both are read once. Pairs come in the order of
    the left column. A right column without nulls that does not ascend is refused.

    >>> left, right = merge_join([10, 20, 20], [20, 30])
    >>> left.tolist(), right.tolist()
    ([1, 2], [0, 0])
    """
    return _joined(left, right, how, "merge", Call(**run))


@overload
def hash_join(
    left: DeviceArray, right: Any, how: HowOfColumns = "inner", **run: Unpack[Run]
) -> tuple[DeviceArray, DeviceArray]: ...
@overload
def hash_join(
    left: Any, right: Any, how: HowOfColumns = "inner", **run: Unpack[Run]
) -> tuple[np.ndarray, np.ndarray]: ...
@public
def hash_join(left: Any, right: Any, how: HowOfColumns = "inner", **run: Unpack[Run]) -> tuple[Any, Any]:
    """The same by a hash table over one of the columns. Inner pairs come in the order of the longer column, others in that
    of the left one.

    >>> left, right = hash_join([10, 11], [30, 10, 20, 10], "left")
    >>> left.tolist(), right.tolist()
    ([0, 0, 1], [1, 3, -1])
    """
    return _joined(left, right, how, "hash", Call(**run))


def _joined(left: Any, right: Any, how: str, by: str, call: Call) -> tuple[Any, Any]:
    lefts, rights, family = key_pair(left, right, "left", "right", stream=call.stream)
    device, where = libraries.together(lefts, rights, threads=call.threads)
    if device >= 0:
        columns = lefts.whole(), rights.whole()
    else:  # where integers and floats are compared exactly
        if by == "merge" and all(part.are_strings for part in rights.parts):
            raise Unsupported(f"right is of type {family}; a merge joins numbers")
        columns = _core.encode([lefts], [rights], False, False, -1, where)
    pairs = _core.join_columns(*columns, how, by, device, where)
    first, second = libraries.adopted(pairs, lefts)
    return first, second


@overload
def first_match(left: DeviceArray, right: Any, **run: Unpack[Run]) -> DeviceArray: ...
@overload
def first_match(left: Any, right: Any, **run: Unpack[Run]) -> np.ndarray: ...
@public
def first_match(left: Any, right: Any, **run: Unpack[Run]) -> Any:
    """The first position in the right column of each left value, -1 for none or null, as R's `match`: numbers of values,
    of both columns if it is called for each.

    >>> first_match(["b", "c", "a"], ["a", "b", "b"]).tolist()
    [1, -1, 0]
    """
    call = Call(**run)
    lefts, rights, _ = key_pair(left, right, "left", "right", stream=call.stream)
    device, where = libraries.together(lefts, rights, threads=call.threads)
    if device >= 0:
        columns = lefts.whole(), rights.whole()
    else:
        columns = _core.encode([lefts], [rights], False, False, -1, where)
    found = _core.first_match(*columns, device, where)
    return libraries.adopted(found, lefts)


@overload
def asof_merge(
    left: DeviceArray,
    right: Any,
    strategy: Direction = "backward",
    *,
    by: tuple[Any, Any] | None = None,
    allow_exact_matches: bool = True,
    tolerance: Any = None,
    prefer: Prefer = "earlier",
    ties: Ties = "first",
    offsets: Any = None,
    **run: Unpack[Run],
) -> DeviceArray: ...
@overload
def asof_merge(
    left: Any,
    right: Any,
    strategy: Direction = "backward",
    *,
    by: tuple[Any, Any] | None = None,
    allow_exact_matches: bool = True,
    tolerance: Any = None,
    prefer: Prefer = "earlier",
    ties: Ties = "first",
    offsets: Any = None,
    **run: Unpack[Run],
) -> np.ndarray: ...
@public
def asof_merge(
    left: Any,
    right: Any,
    strategy: Direction = "backward",
    *,
    by: tuple[Any, Any] | None = None,
    allow_exact_matches: bool = True,
    tolerance: Any = None,
    prefer: Prefer = "earlier",
    ties: Ties = "first",
    offsets: Any = None,
    **run: Unpack[Run],
) -> Any:
    """The position of the nearest right value of each left one, -1 for none, of two columns of numbers of one type that
    ascend, by one pass over both. `by` are columns of integers on both sides, which must be equal then. Other
    parameters are those of `Index.join_asof`. Columns that do not ascend are refused.

    >>> asof_merge([14, 15, 17], [10, 20], "nearest", tolerance=4).tolist()
    [0, -1, 1]
    """
    exact = allow_exact_matches
    how = asof_how(strategy, allow_exact_matches=exact, tolerance=tolerance, prefer=prefer, ties=ties, offsets=offsets)
    if how.all_ties:
        raise Unsupported("ties is 'all', but a merge has one row for each; join_asof of an index has all")
    return merged_asof(left, right, by, how, Call(**run))


def merged_asof(left: Any, right: Any, by: tuple[Any, Any] | None, how: AsofHow, call: Call) -> Any:
    """The same. @param how with the tolerance and offsets as callers give them"""
    sides = [(left, right, "left", "right")]
    if by is not None:
        sides.insert(0, (*by, "by[0]", "by[1]"))
    read_sides = [(read(a, one, stream=call.stream), read(b, other, stream=call.stream)) for a, b, one, other in sides]
    lefts, rights = (tuple(pair[side] for pair in read_sides) for side in (0, 1))
    family = rights[-1].family
    for one, two in read_sides:
        if one.family != two.family:
            raise KeyTypeError(f"{one.name} is of type {one.family}, {two.name} of type {two.family}")
    device, where = libraries.together(*lefts, *rights, threads=call.threads)
    how = how.of_keys(family)
    dtype = np.dtype(np.int32 if rights[-1].size < 2**31 else np.int64)
    mine, others = (tuple(map(numbers_of, side)) for side in (lefts, rights))

    def merge(one: AsofHow, rows: Any) -> None:
        if not _core.asof_merge(mine, others, rows, one, device, where):
            raise InvalidArgument(
                "left or right does not ascend, or the groups are too far apart; an index needs no order"
            )

    return rows_of(how, dtype, lefts[-1], merge)


class JoinRates(NamedTuple):
    """Rates of a machine, in 10^9 per second."""

    built_ordered: float
    built_hashed: float
    probed_ordered: float
    probed_hashed: float
    pairs: float
    bytes: float
    lines: float
    merged: float


class JoinPlan(NamedTuple):
    """How to run joins."""

    by: str  # existing, build, borrow, copy, hash or merge
    spec: str  # of the index
    seconds: float  # expected for all joins
    reasons: str


@public
def measured_rates(device: Any = "cpu") -> JoinRates:
    """Measures this machine in about a second, so keep the result.

    >>> measured_rates().built_ordered > 0
    True
    """
    return JoinRates(*_core.measured_rates(device_number(device)))


@public
def plan_join(rates: JoinRates, left: int, right: int, **question: Any) -> JoinPlan:
    """Chooses how to run equality joins of `left` probes with `right` entries: with an index that exists, by building one,
    by `Index.over_sorted` in place or over a copy, by `hash_join` or `merge_join`. What else is known goes by name:
    key_bytes, matches, joins, existing (a spec), existing_on_host, left_on_host, right_on_host, left_sorted,
    right_sorted, room (bytes), wants_order, kind.

    >>> rates = JoinRates(0.1, 0.2, 0.1, 0.2, 1, 10, 0.1, 1)
    >>> plan_join(rates, 1 << 20, 1 << 24, joins=100, wants_order=True).by
    'build'
    """
    known = {"key_bytes", "matches", "joins", "existing", "existing_on_host", "left_on_host", "right_on_host"}
    known |= {"left_sorted", "right_sorted", "room", "wants_order", "kind"}
    if unknown := sorted(question.keys() - known):
        raise InvalidArgument(f"question has {unknown[0]!r}; it may have {', '.join(sorted(known))}")
    return JoinPlan(*_core.plan_join(list(rates), {"left": left, "right": right, **question}))
