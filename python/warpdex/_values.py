# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Columns of all libraries: how they are read, and how answers are given back in the same kind."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np

from . import _core, _device
from ._arrays import array_parts, arrow_part
from ._columns import Column, Part, all_flags, empty_column, gathered
from ._errors import InvalidArgument, KeyTypeError, MissingPackage, reading, shown, translated
from ._objects import object_parts

# Makes answers, of which some may be null, what the caller gets.
Giver = Callable[[np.ndarray, "np.ndarray | None"], Any]

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


@dataclass(slots=True)
class Values:
    """A column of a caller."""

    family: str
    parts: list[Part]
    size: int
    give: Giver
    nulls_are_known: bool = field(default=True)  # whether answers of this kind can be null
    found: _device.Found | None = None  # of a column on a device, which is the column of the only part
    name: str = field(default="probes")  # of the argument

    def nulls(self) -> np.ndarray | None:
        """Which values are null; None if none is."""
        return all_flags(self.parts, "nulls")

    def misses(self) -> np.ndarray | None:
        """Which values equal no key, whatever the keys are; None if none does."""
        return all_flags(self.parts, "misses")


def _library(values: Any) -> str:
    return type(values).__module__.partition(".")[0]


def is_array_like(values: Any) -> bool:
    """Whether NumPy reads the values, and answers are NumPy's."""
    return _library(values) not in ("pandas", "polars", "pyarrow") and not _is_arrow(values)


def _is_arrow(values: Any) -> bool:
    return not isinstance(values, np.ndarray) and (
        hasattr(values, "__arrow_c_array__") or hasattr(values, "__arrow_c_stream__")
    )


def read(values: Any, name: str, family: str | None = None, rounding: str = "exact") -> Values:
    """Reads a column of any kind.

    `rounding` says what becomes of times between two units of the index: see `_columns._times`.
    """
    try:
        if not isinstance(values, np.ndarray):
            library = _library(values)
            if library == "pandas":
                return _read_pandas(values, name, family, rounding)
            if _is_arrow(values):
                return _read_arrow(values, name, family, rounding, _arrow_giver(values, library))
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
        return Values(family, [Part(empty_column(family, 0), 0)], 0, _as_it_is, False)  # an empty list has no type
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
    return Values(found, parts, array.size, _first if scalar else _as_it_is, False)


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


def _as_it_is(answers: np.ndarray, nulls: np.ndarray | None) -> np.ndarray:
    return answers


def _first(answers: np.ndarray, nulls: np.ndarray | None) -> Any:
    return answers[0]


def _read_arrow(values: Any, name: str, family: str | None, rounding: str, give: Giver) -> Values:
    with reading(name):
        chunks = _core.read_arrow(values)
    parts = []
    for chunk in chunks:
        part, family = arrow_part(chunk, name, family, rounding)
        parts.append(part)
    assert family is not None
    return Values(family, parts, sum(part.size for part in parts), give)


def _arrow_giver(values: Any, library: str) -> Giver:
    if library == "polars":
        import polars

        return lambda answers, nulls: polars.Series(_core.ArrowArray(answers, nulls)).alias(values.name)
    if library == "pyarrow":
        pyarrow = extra("pyarrow")

        chunked = isinstance(values, pyarrow.ChunkedArray)

        def give(answers: np.ndarray, nulls: np.ndarray | None) -> Any:
            array = pyarrow.array(_core.ArrowArray(answers, nulls))
            return pyarrow.chunked_array([array]) if chunked else array

        return give
    return _core.ArrowArray


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
        return _read_arrow(array.__arrow_array__(), name, family, rounding, give)
    if isinstance(dtype, pandas.CategoricalDtype):
        inner = _read_pandas(dtype.categories, name, family, rounding)
        words, codes = inner.parts[0], np.asarray(array.codes)
        missing = codes < 0
        misses = None if words.misses is None else words.misses.take(codes, mode="clip") & ~missing
        part = Part(words.column, codes.size, missing if missing.any() else None, misses, codes)
        return Values(inner.family, [part], codes.size, give)
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
    return Values(found, parts, plain.size, give)


def update_keys(values: Values, key_type: str) -> tuple[Column, int]:
    """Keys of an update, in the index's own type, and their number. Values beyond that type are refused by name."""
    part = gathered(values.parts)
    if part.nulls is not None:
        raise InvalidArgument(
            f"{values.name}[{int(np.argmax(part.nulls))}] is null, which cannot be inserted or erased"
        )
    made = part.column
    if not isinstance(made, np.ndarray) or made.ndim == 2:
        return made, part.size
    wide = np.dtype(NUMBER_TYPES[key_type])
    if made.dtype == wide:
        return made, part.size
    if wide.kind != "f" and made.size:
        limits = np.iinfo(wide)
        if int(made.min()) < limits.min or int(made.max()) > limits.max:
            raise InvalidArgument(f"{values.name} reach from {made.min()} to {made.max()}; the index holds {wide}")
    elif wide.itemsize < made.dtype.itemsize:
        raise KeyTypeError(f"{values.name} has the type {made.dtype}; the index holds {wide}")
    return made.astype(wide), part.size
