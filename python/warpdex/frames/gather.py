# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Values at the rows that lookups answer, where -1 is no row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy as np

from .. import _core
from ..columns import libraries
from ..columns.arrays import exact_array
from ..columns.parts import OnHost, class_of, of_class
from ..columns.values import read
from ..errors import InvalidArgument, KeyTypeError, shown
from ..lookups.border import public
from ..types import Column

_ABSENT = object()


@overload
def gather(rows: Any, values: np.ndarray | Sequence[Any], fill_value: Any = ...) -> np.ndarray: ...
@overload
def gather(rows: Any, values: Column, fill_value: Any = ...) -> Column: ...
@public
def gather(rows: Any, values: Any, fill_value: Any = _ABSENT) -> Any:
    """The value at each row, and `fill_value` where the row is -1 or null.

    Rows are integers of any shape, as lookups answer them; the result has their shape, and the further dimensions of
    the values. It is of the values' library: NumPy, pandas, Polars, pyarrow, Torch, JAX or CuPy. Without `fill_value` it is
    null there if the library has nulls; arrays have none, and a row of -1 is an error instead of the last value. Rows
    below -1, rows beyond the values and bools are errors.

    >>> import numpy as np
    >>> gather(Index([30, 10, 20]).find([10, 99, 30]), np.array([1.5, 2.5, 3.5]), fill_value=0).tolist()
    [2.5, 0.0, 1.5]
    """
    if _is_answer(rows) and type(values) is np.ndarray and is_plain(values):
        missing, all_exist, _ = _core.row_facts(rows, len(values), 0)
        if all_exist and not (missing and (fill_value is _ABSENT or np.ndim(fill_value))):
            return _of_plain(rows, values, fill_value if missing else None)
    kind = class_of(values)[0]
    if libraries.library_of(values) is not None or kind in ("torch", "jax", "jaxlib"):
        return _of_arrays(rows, values, fill_value)
    if not hasattr(values, "__len__"):
        raise KeyTypeError(f"values is {shown(values)}; it must be an array")
    positions, nulls = read_rows(libraries.on_host(rows, "rows")[0], len(values), "values")
    none = positions < 0
    if kind in ("pandas", "polars", "pyarrow"):
        if positions.ndim != 1:
            raise InvalidArgument(f"rows has {positions.ndim} dimensions; of values of {kind} it must have one")
        return _OF_SERIES[kind](positions, none, values, None if fill_value is _ABSENT else fill_value)
    held = exact_array(values)
    if held.ndim == 0:
        raise KeyTypeError("values is one value; it must be an array")
    fills = bool(none.any())
    if fills and fill_value is _ABSENT:
        what = "-1" if nulls is None or not nulls[none][0] else "null"
        raise InvalidArgument(f"rows is {what} at {_first_of(none)}, and fill_value is not given")
    if is_plain(held) and positions.ndim == 1 and (not fills or np.ndim(fill_value) == 0):
        return _of_plain(positions, held, fill_value if fills else None)
    if not fills:
        return held.take(positions, axis=0)
    if not len(held):
        result = np.empty(positions.shape + held.shape[1:], held.dtype)
    else:
        result = held.take(np.where(none, 0, positions), axis=0)
    result[none] = fill_value
    return result


def _of_plain(rows: np.ndarray, values: np.ndarray, fill_value: Any) -> np.ndarray:
    """Of numbers that the core gathers, in one pass."""
    missing = np.full(1, 0 if fill_value is None else fill_value, values.dtype)
    result = np.empty(rows.size, values.dtype)
    take_plain(rows, values.size, [(values, result, int(missing.view(f"u{values.itemsize}")[0]))], 0)
    return result


def is_plain(values: Any) -> bool:
    """Whether an array of NumPy holds numbers of at most 8 bytes, one after the other, which the module gathers."""
    return (
        isinstance(values, np.ndarray)
        and values.ndim == 1
        and values.dtype.kind in "iufMmb"
        and values.dtype.itemsize <= 8
        and values.dtype.isnative
        and values.flags.c_contiguous
    )


def take_plain(rows: Any, size: int, columns: list[tuple[Any, Any, int]], threads: int) -> None:
    """Gathers columns of such numbers in one pass for each width. @param columns values, results, and the bits of none"""
    passes = [(of.view(f"u{of.itemsize}"), to.view(f"u{of.itemsize}"), none) for of, to, none in columns]
    _core.gather_table(np.ascontiguousarray(rows), size, passes, -1, threads)


def _first_of(flags: Any) -> Any:
    """The position of the first value that is true, in an array of any library: a number, or one per dimension."""
    first = int(flags.reshape(-1).nonzero()[0].reshape(-1)[0])
    shape = tuple(flags.shape)
    return first if len(shape) == 1 else tuple(map(int, np.unravel_index(first, shape)))


def _is_answer(rows: Any) -> bool:
    """Whether rows are an array as lookups answer it, which the core reads."""
    is_array = type(rows) is np.ndarray and rows.dtype.str in ("<i4", "<i8")
    return is_array and rows.ndim == 1 and rows.flags.c_contiguous


def _expect_rows(rows: Any, nulls: Any, size: int, what: str) -> None:
    """Checks that integers of an array of any library are rows, or -1 for none."""
    if nulls is None and _is_answer(rows) and _core.row_facts(rows, size, 0)[1]:
        return
    wrong = (rows < -1) | (rows >= size)
    if nulls is not None:
        wrong &= ~nulls
    if bool(wrong.any()):
        at = _first_of(wrong)
        why = f"there are {size} {what}" if rows[at] >= 0 else "only -1 and null are none"
        raise InvalidArgument(f"rows is {int(rows[at])} at {at}, but {why}")


def read_rows(rows: Any, size: int, what: str) -> tuple[np.ndarray, np.ndarray | None]:
    """Rows of some values as integers of NumPy, -1 where there is none, and which of them are null."""
    nulls = None
    if isinstance(rows, np.ndarray) or not len(rows) or (isinstance(rows, (list, tuple)) and np.ndim(rows) != 1):
        held = exact_array(rows)
    else:
        found = read(rows, "rows")
        part = found.whole()
        held, nulls = part.column, part.nulls
        if found.family != "integer":
            raise KeyTypeError(f"rows is of type {found.family}; row ids are integers")
    if held.dtype.kind not in "iu" and held.size:
        raise KeyTypeError(f"rows has the type {held.dtype}; row ids are integers")
    _expect_rows(held, nulls, size, what)
    held = held.astype(np.int64, copy=False)
    return held if nulls is None else np.where(nulls, -1, held), nulls


def rows_of_library(rows: Any, size: int, what: str) -> Any:
    """An array of a library as rows, checked where it is."""
    if "int" not in str(rows.dtype):
        raise KeyTypeError(f"rows has the type {rows.dtype}; row ids are integers")
    if rows.dtype.itemsize < 4:  # which not every library compares with large numbers; to Torch bytes are a mask
        rows = rows.int() if hasattr(rows, "int") else rows.astype("int32")
    _expect_rows(rows, None, size, what)
    return rows


def _of_arrays(rows: Any, values: Any, fill_value: Any) -> Any:
    """Of Torch, JAX and CuPy. Rows become an array of the values' library, on their device."""
    if type(rows) is not type(values):
        rows = _array_like(rows, values)
    rows = rows_of_library(rows, len(values), "values")
    none = rows < 0
    if not bool(none.any()):
        return values[rows]
    if fill_value is _ABSENT:
        raise InvalidArgument(f"rows is -1 at {_first_of(none)}, and fill_value is not given")
    result = values[rows * ~none]
    if hasattr(result, "at"):  # JAX's arrays are not written
        return result.at[none].set(fill_value)
    result[none] = fill_value
    return result


def _array_like(rows: Any, values: Any) -> Any:
    held = np.require(read_rows(libraries.on_host(rows, "rows")[0], len(values), "values")[0], np.int64, "W")
    kind: Any = type(values)
    root = kind.__module__.partition(".")[0]
    if root == "cupy":
        import cupy

        with values.device:
            return cupy.asarray(held)
    library = libraries.library_of_type(kind)
    assert library is not None
    result = library.of_numpy(held, "rows")
    return result.to(values.device) if root == "torch" else result


def _of_pandas(positions: np.ndarray, none: np.ndarray, values: Any, fill_value: Any) -> Any:
    import pandas

    found = taken_by_pandas(values, np.where(none, -1, positions), bool(none.any()), fill_value)
    result = pandas.Series(found, copy=False)
    is_derived = isinstance(values, pandas.Series) and type(values) is not pandas.Series
    return of_class(values._constructor, result) if is_derived else result


def taken_by_pandas(values: Any, rows: np.ndarray, fills: bool, fill_value: Any = None) -> Any:
    """The array of a column of pandas at some rows. If `fills`, -1 is `fill_value` or null, and the type may become one that
    has nulls."""
    import pandas

    kind = values.dtype
    if isinstance(kind, np.dtype):
        return pandas.api.extensions.take(np.asarray(values), rows, allow_fill=fills, fill_value=fill_value)
    array = getattr(values, "array", values)
    if (plain := plain_type(kind)) is not None:
        return array.astype(plain).take(rows, allow_fill=fills, fill_value=fill_value).astype(kind)
    return array.take(rows, allow_fill=fills, fill_value=fill_value)


def without_views(kind: Any) -> Any:
    """The type that holds the values of one of views, of which pyarrow takes no rows; None for another type."""
    import pyarrow

    plain = {"string_view": pyarrow.large_string(), "binary_view": pyarrow.large_binary()}
    return plain.get(str(kind))  # extension types may have no hash


def plain_type(kind: Any) -> Any:
    """The same for types of pandas."""
    import pandas

    plain = without_views(kind.pyarrow_dtype) if isinstance(kind, pandas.ArrowDtype) else None
    return None if plain is None else pandas.ArrowDtype(plain)


# The bits of a value that is null, by the kind of a type and its bytes.
_NULL_BITS = {
    ("f", 2): 0x7E00,
    ("f", 4): 0x7FC00000,
    ("f", 8): 0x7FF8 << 48,
    ("M", 8): 1 << 63,
    ("m", 8): 1 << 63,
}


def columns_taken_by_pandas(columns: list[Any], rows: np.ndarray, fills: bool, threads: int) -> list[Any]:
    """The arrays of columns of pandas at some rows, of plain numbers and of Arrow in one pass."""
    import pandas

    result: list[Any] = [None] * len(columns)
    passes, arrows = [], []
    for number, column in enumerate(columns):
        kind = column.dtype
        if isinstance(kind, np.dtype):
            held, null = column.to_numpy(copy=False), (kind.kind, kind.itemsize)
            if is_plain(held) and (not fills or null in _NULL_BITS):
                result[number] = np.empty(rows.size, kind)
                passes.append((held, result[number], _NULL_BITS.get(null, 0)))
        elif isinstance(column.array, pandas.arrays.ArrowExtensionArray):
            arrows.append(number)
    if passes:
        take_plain(rows, len(columns[0]), passes, threads)
    if arrows:
        import pyarrow

        found = _core.ArrowColumn.take_host(
            [columns[number].array.__arrow_array__() for number in arrows], rows, threads
        )
        for number, core in zip(arrows, found):
            if core is not None:
                result[number] = pandas.array(pyarrow.array(OnHost(core)), dtype=columns[number].dtype)
    return [taken_by_pandas(columns[n], rows, fills) if array is None else array for n, array in enumerate(result)]


def _of_polars(positions: np.ndarray, none: np.ndarray, values: Any, fill_value: Any) -> Any:
    import polars

    rows = polars.Series(positions)
    if none.any():
        rows = rows.set(polars.Series(none), None)
    found = values.gather(rows)
    return found if fill_value is None or not none.any() else found.set(polars.Series(none), fill_value)


def _of_pyarrow(positions: np.ndarray, none: np.ndarray, values: Any, fill_value: Any) -> Any:
    import pyarrow
    from pyarrow import compute

    plain = without_views(values.type)
    held = values if plain is None else values.cast(plain)
    found = held.take(pyarrow.array(positions, mask=none))
    if fill_value is not None and none.any():
        found = compute.if_else(pyarrow.array(none), pyarrow.scalar(fill_value, held.type), found)
    return found if plain is None else found.cast(values.type)


_OF_SERIES = {"pandas": _of_pandas, "polars": _of_polars, "pyarrow": _of_pyarrow}
