# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Columns of all libraries: how they are read, and how answers are given back in the same kind."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np

from . import _core
from ._arrays import array_parts, arrow_part
from ._columns import Giver, Part, Values, are_compared, as_it_is, empty_column
from ._errors import InvalidArgument, KeyTypeError, MissingPackage, reading, shown, translated
from ._objects import object_parts

# Types of the library, in NumPy.
NUMBER_TYPES = {"u32": "u4", "u64": "u8", "i32": "i4", "i64": "i8", "f32": "f4", "f64": "f8"}
NUMBER_TYPES |= {"date": "i4", "timestamp": "i8"}

_EXTRAS = {"pyarrow": "arrow"}


def extra(name: str) -> ModuleType:
    """Imports a library that warpdex does not depend on."""
    try:
        return importlib.import_module(name)
    except ImportError as why:
        wanted = _EXTRAS.get(name, name)
        raise MissingPackage(f"this needs {name}, which is missing: pip install 'warpdex[{wanted}]'") from why


def _root(values: Any) -> str:
    return type(values).__module__.partition(".")[0]


def _is_arrow(values: Any) -> bool:
    return hasattr(values, "__arrow_c_array__") or hasattr(values, "__arrow_c_stream__")


def read(values: Any, name: str, family: str | None = None, rounding: str = "exact") -> Values:
    """Reads a column of any kind.

    `rounding` says what becomes of times between two units of the index: see `_columns._times`.
    """
    if isinstance(values, Values):
        if family is not None and not are_compared(values.family, family):
            raise KeyTypeError(f"{name} holds keys of type {values.family}, but the keys are of type {family}")
        return replace(values, name=name)
    try:
        if isinstance(values, (np.ndarray, list)):
            return _read_numpy(values, name, family, rounding)
        if (root := _root(values)) == "pandas":
            return _read_pandas(values, name, family, rounding)
        if _is_arrow(values):
            return _read_arrow(values, name, family, rounding, _GIVERS.get(root, _give_arrow))
        return _read_numpy(values, name, family, rounding)
    except Exception as why:
        if (failure := translated(why, f"{name} is {shown(values)}, which is no column")) is None:
            raise
        raise failure from why


def as_array(values: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """The array of NumPy that values are, and which of them its mask hides."""
    array = np.asarray(values)
    if not isinstance(values, np.ma.MaskedArray):
        return array, None
    mask = np.ma.getmaskarray(values)
    return array, mask if mask.any() else None


def _read_numpy(values: Any, name: str, family: str | None, rounding: str) -> Values:
    array, mask = as_array(values)
    scalar = array.ndim == 0
    if scalar:
        array, mask = array.reshape(1), None if mask is None else mask.reshape(1)
    if array.ndim != 1:
        raise InvalidArgument(f"{name} has {array.ndim} dimensions; a column has one")
    if array.size == 0 and family and (not isinstance(values, np.ndarray) or array.dtype == np.float64):
        return Values(family, [Part(empty_column(family, 0), 0)], 0, as_it_is, False)  # an empty list has no type
    if mask is not None and array.dtype.kind == "O":
        array = array.copy()
        array[mask] = None
    if _as_objects(values, array):
        parts, found = object_parts([values] if scalar else list(values), name, family, rounding)
    else:
        parts, found = array_parts(array, name, family, rounding)
    if mask is not None and array.dtype.kind != "O":
        (part,) = parts
        part.nulls = mask if part.nulls is None else part.nulls | mask
    return Values(found, parts, array.size, _first if scalar else as_it_is, False)


def _as_objects(values: Any, array: np.ndarray) -> bool:
    """Whether an array is not what a list or a scalar said: NumPy cuts zero bytes from strings, makes strings of
    numbers among strings, and floats of integers that no type holds."""
    if isinstance(values, (np.ndarray, np.generic)) or not isinstance(values, (list, tuple, str, bytes, float, int)):
        return False
    if array.dtype.kind in "SUO":
        return True
    return array.dtype.kind == "f" and isinstance(values, (list, tuple)) and not any(map(_is_float, values))


def _is_float(value: Any) -> bool:
    return isinstance(value, (float, np.floating))


def _first(answers: np.ndarray, nulls: np.ndarray | None) -> Any:
    return answers[0]


def _read_arrow(values: Any, name: str, family: str | None, rounding: str, giver: Callable[[Any], Giver]) -> Values:
    with reading(name):
        chunks = _core.read_arrow(values)
    parts, size = [], 0
    for chunk in chunks:
        part, family = arrow_part(chunk, name, family, rounding)
        parts.append(part)
        size += part.size
    assert family is not None
    return Values(family, parts, size, giver(values), True)


def _give_arrow(values: Any) -> Giver:
    return _core.ArrowArray


def _give_polars(values: Any) -> Giver:
    import polars

    return lambda answers, nulls: polars.Series(_core.ArrowArray(answers, nulls)).alias(values.name)


def _give_pyarrow(values: Any) -> Giver:
    pyarrow = extra("pyarrow")

    def give(answers: np.ndarray, nulls: np.ndarray | None) -> Any:
        array = pyarrow.array(_core.ArrowArray(answers, nulls))
        return pyarrow.chunked_array([array]) if isinstance(values, pyarrow.ChunkedArray) else array

    return give


_GIVERS: dict[str, Callable[[Any], Giver]] = {"polars": _give_polars, "pyarrow": _give_pyarrow}


def _pandas_answers(answers: np.ndarray, nulls: np.ndarray | None, arrow: bool) -> Any:
    import pandas

    if arrow:
        pyarrow = extra("pyarrow")
        return pandas.arrays.ArrowExtensionArray(pyarrow.array(_core.ArrowArray(answers, nulls)))
    mask = np.zeros(answers.size, bool) if nulls is None else nulls
    if answers.dtype == np.bool_:
        return pandas.arrays.BooleanArray(answers, mask)
    return pandas.arrays.IntegerArray(answers, mask)


def _read_pandas(values: Any, name: str, family: str | None, rounding: str) -> Values:
    import pandas

    if isinstance(values, pandas.DataFrame):
        raise KeyTypeError(f"{name} is a DataFrame; a column is needed")
    if not hasattr(values, "dtype"):  # a scalar, such as a Timestamp, NaT or NA
        return _read_numpy(values, name, family, rounding)
    array = values.array if hasattr(values, "array") else values
    arrow = isinstance(values.dtype, pandas.ArrowDtype)
    index = values.index if isinstance(values, pandas.Series) else None
    label = getattr(values, "name", None)

    def give(answers: np.ndarray, nulls: np.ndarray | None) -> Any:
        return pandas.Series(_pandas_answers(answers, nulls, arrow), index=index, name=label, copy=False)

    dtype = values.dtype
    if arrow or (isinstance(dtype, pandas.StringDtype) and dtype.storage == "pyarrow"):
        return _read_arrow(array.__arrow_array__(), name, family, rounding, lambda _: give)
    if isinstance(dtype, pandas.CategoricalDtype):
        inner = _read_pandas(dtype.categories, name, family, rounding)
        words, codes = inner.parts[0], np.asarray(array.codes)
        missing = codes < 0
        misses = None if words.misses is None else words.misses.take(codes, mode="clip") & ~missing
        part = Part(words.column, codes.size, missing if missing.any() else None, misses, codes)
        return Values(inner.family, [part], codes.size, give, True)
    kind = ""
    nulls = None
    if isinstance(dtype, pandas.DatetimeTZDtype):
        plain, kind = array.to_numpy(dtype=f"M8[{dtype.unit}]"), " UTC"
    elif isinstance(dtype, np.dtype):
        plain = array.to_numpy()
    elif hasattr(dtype, "numpy_dtype"):  # integers, floats and bools with a mask
        nulls = np.asarray(values.isna())
        plain = array.to_numpy(dtype=dtype.numpy_dtype, na_value=dtype.numpy_dtype.type(0))
    else:
        plain = array.to_numpy(dtype=object)
        family = "string" if family is None and isinstance(dtype, pandas.StringDtype) else family
    parts, found = array_parts(plain, name, family, rounding, kind)
    if nulls is not None and nulls.any():
        parts[0].nulls = nulls
    return Values(found, parts, plain.size, give, True)


def in_type(part: Part, key_type: str, name: str) -> Part:
    """A part in a type of the library. Values beyond that type are refused by name."""
    made = part.column
    if not isinstance(made, np.ndarray) or made.ndim == 2:
        return part
    wide = np.dtype(NUMBER_TYPES[key_type])
    if made.dtype == wide:
        return part
    if wide.kind != "f" and made.size:
        limits = np.iinfo(wide)
        if int(made.min()) < limits.min or int(made.max()) > limits.max:
            raise InvalidArgument(f"{name} reach from {made.min()} to {made.max()}; the index holds {wide}")
    elif wide.itemsize < made.dtype.itemsize:
        raise KeyTypeError(f"{name} has the type {made.dtype}; the index holds {wide}")
    return replace(part, column=made.astype(wide))
