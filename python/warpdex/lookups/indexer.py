# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Lookups as those of `pandas.Index`, and NumPy's search in a sorted array."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any, ParamSpec, Unpack, cast, overload

import numpy as np

from .. import _core
from .._core import Call, Values
from ..columns import libraries
from ..columns.values import as_array, read
from ..errors import InvalidArgument, KeyTypeError
from ..types import DeviceArray, Direction, Scalar, Side
from . import calls
from .asking import LOOKUPS, Asking
from .asof import asof
from .border import Run, public
from .calls import AsofHow

_P = ParamSpec("_P")
_DIRECTIONS: dict[str, Direction] = {
    "pad": "backward",
    "ffill": "backward",
    "backfill": "forward",
    "bfill": "forward",
    "nearest": "nearest",
}
_MIRRORED: dict[str, Direction] = {"backward": "forward", "forward": "backward"}

# Of each index a version, and the way of its keys then: see `_way`.
_ways: weakref.WeakKeyDictionary[Asking, tuple[int, str]] = weakref.WeakKeyDictionary()


def _target(index: Asking, target: Any) -> Values:
    return index._read(target, "target", "equal").changed(give=None, nulls_are_known=False)


def get_indexer(index: Asking, target: Any, method: str | None, tolerance: Any) -> np.ndarray:
    if not index._core.is_unique():
        raise InvalidArgument("the keys repeat, but get_indexer needs unique ones; use get_indexer_non_unique")
    if method is None and tolerance is not None:
        raise InvalidArgument(f"tolerance is {tolerance!r}, but there is no method that it could bound")
    values = _target(index, target)
    if method is None:
        return index._found(values, 0).astype(np.intp)
    direction = _DIRECTIONS[method]
    if direction != "nearest" and index._core.facts()["ordered"] and (way := _way(index)) != "ascend":
        if way == "mix":
            raise InvalidArgument(
                f"method is {method!r}, but by row the keys neither ascend nor descend; floor and ceil need no order"
            )
        direction = _MIRRORED[direction]
    distance = AsofHow(tolerance=tolerance).of_keys(index._family).tolerance
    rows = asof(index, target, values, "target", AsofHow(direction, True, distance, "later"), Call())
    if (unordered := _is_nan(values)).any():  # in pandas NaN has no nearest key
        rows[unordered] = index._found(values, 0)[unordered]
    return rows.astype(np.intp)


def _way(index: Any) -> str:
    """How the keys of an index in order go by row: "ascend", "descend" or "mix"."""
    version = index._core.version
    if (known := _ways.get(index)) is None or known[0] != version:
        rows = index.rows_at(np.arange(len(index)))
        steps = rows[1:] > rows[:-1]
        way = "ascend" if steps.all() else "mix" if steps.any() else "descend"
        _ways[index] = known = version, way
    return known[1]


def _is_nan(values: Values) -> np.ndarray:
    column = values.whole().column
    floats = isinstance(column, np.ndarray) and column.dtype.kind == "f"
    return np.isnan(column) if floats else np.zeros(values.size, bool)


def get_indexer_non_unique(index: Asking, target: Any) -> tuple[np.ndarray, np.ndarray]:
    left, rows = index._pairs((_target(index, target),), "left", Call())
    return rows.astype(np.intp), left[rows == -1].astype(np.intp)


def _quick_first(function: Callable[_P, Any]) -> Callable[_P, Any]:
    """Answers two arrays of numbers without a look at them."""

    @functools.wraps(function)
    def quick(*arrays: Any, **options: Any) -> Any:
        if len(arrays) == 2 and not options:
            if (found := _core.quick_bounds(arrays[0], arrays[1], False, calls.PIECE, 0)) is not None:
                return found
        return function(*arrays, **options)

    return cast(Callable[_P, Any], quick)


@overload
def searchsorted(a: Any, v: Scalar, side: Side = "left", sorter: Any = None, **run: Unpack[Run]) -> np.integer[Any]: ...
@overload
def searchsorted(
    a: Any, v: DeviceArray, side: Side = "left", sorter: Any = None, **run: Unpack[Run]
) -> DeviceArray: ...
@overload
def searchsorted(a: Any, v: Any, side: Side = "left", sorter: Any = None, **run: Unpack[Run]) -> np.ndarray: ...
@_quick_first
@public
def searchsorted(a: Any, v: Any, side: Side = "left", sorter: Any = None, **run: Unpack[Run]) -> Any:
    """Finds where each of `v` belongs in the sorted array `a`, as `numpy.searchsorted`, without building anything.

    Integers of different types are compared exactly, and so are integers and floats. Both arrays may be on a device;
    then the call waits for nothing.

    >>> searchsorted([10, 20, 20, 30], [20, 25], side="right").tolist()
    [3, 3]
    """
    upper, call = side == "right", Call(**run)
    a, v, give = libraries.on_host(a, "a")[0], *libraries.on_host(v, "v")
    if (
        sorter is None
        and call.stream is None
        and (quick := _core.quick_bounds(a, v, upper, calls.PIECE, call.threads)) is not None
    ):
        return quick if give is None else give(quick, None)
    if sorter is not None and libraries.library_of(a) is not None:
        a, sorter = a[sorter], None
    if libraries.library_of(a) is not None or libraries.library_of(v) is not None:
        return _searched(read(a, "a", stream=call.stream), read(v, "v", stream=call.stream), upper)
    keys, hidden = as_array(a)
    if keys.ndim != 1:
        raise InvalidArgument(f"a has {keys.ndim} dimensions; it must have one")
    if hidden is not None:
        raise InvalidArgument(f"a[{int(np.argmax(hidden))}] is null, which has no place in the order")
    if sorter is not None:
        order = np.asarray(sorter)
        if order.shape != keys.shape:
            raise InvalidArgument(f"sorter has the shape {order.shape}, but a has {keys.shape}")
        if order.dtype.kind not in "iu":
            raise KeyTypeError(f"sorter has the type {order.dtype}; it must be positions in a, as of numpy.argsort")
        wrong = (order < 0) | (order >= keys.size)
        if wrong.any():
            raise InvalidArgument(
                f"sorter[{int(np.argmax(wrong))}] is {order[wrong][0]}; positions in a are from 0 to {keys.size - 1}"
            )
        keys = keys[order]
    probes = v if isinstance(v, np.ndarray) else as_array(v)[0]
    flat = probes.reshape(-1)
    found = _general(keys, flat if isinstance(v, np.ndarray) or probes.ndim > 1 else v, flat.size, upper, call.threads)
    if give is not None:
        return give(found, None)
    return found.reshape(probes.shape) if probes.ndim else found[0]


def _searched(keys: Values, probes: Values, upper: bool) -> Any:
    """The same over an array on a device."""
    device, stream = libraries.together(keys, probes, threads=0)
    for each in (keys, probes):
        if each.nulls() is not None or each.family not in ("integer", "float"):
            raise KeyTypeError(f"{each.name} has nulls or is of type {each.family}; here both are integers or floats")
    answers, target = libraries.target(None, np.int64, probes.size, probes.place)
    _core.bounds_in(keys.parts[0].column, probes, target, upper, device, stream)
    return probes.place.library.finished(answers)


def _general(keys: np.ndarray, probes: Any, size: int, upper: bool, threads: int) -> np.ndarray:
    if keys.size == 0:
        return np.zeros(size, np.intp)
    held = read(keys, "a")
    family, part = held.family, held.whole()
    if part.nulls is not None:
        raise InvalidArgument(f"a[{int(np.argmax(part.nulls))}] is null, which has no place in the order")
    wanted = read(probes, "v", family, "down" if upper else "up")
    if (nulls := wanted.nulls()) is not None:
        raise InvalidArgument(f"v[{int(np.argmax(nulls))}] is null, which has no place in the order")
    found = np.empty(size, np.intp)
    if isinstance(part.column, np.ndarray):
        _core.bounds_in(part.column, wanted.plain(), found, upper, -1, threads)
    else:
        bound = LOOKUPS["upper_bound" if upper else "lower_bound"].number
        index = _core.build(part.column, None, "AO+BS", None, -1, threads)
        index.ask(bound, (wanted,), (found,), False, False, threads, calls.PIECE, None)
    if (misses := wanted.misses()) is not None:
        found[misses] = 0 if upper else keys.size
    return found
