# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Columns of all libraries: how they are read, and how answers are given back in the same kind. Several columns are read
as one of tuples, which are ordered by the first column, then by the second, and so on."""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, Set
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from .._core import Part, Values
from ..errors import InvalidArgument, KeyTypeError, MissingPackage, Unsupported, reading, shown, translated
from . import libraries
from .arrays import Words, array_parts, arrow_part, exact_array, is_objects, object_parts
from .devices import stream_number
from .families import family_of_all, period_part, shown_values, widest
from .parts import Giver, are_compared, arrow_column, class_of, empty_column, without_float

# Types of the library, in NumPy.
NUMBER_TYPES = {"u32": "u4", "u64": "u8", "i32": "i4", "i64": "i8", "f32": "f4", "f64": "f8"}
NUMBER_TYPES |= {"date": "i4", "timestamp": "i8"}

_PACKAGES = {"ray": "'ray[data]'"}  # what to install, where it is not the name of the module


def extra(name: str) -> ModuleType:
    """Imports a library that warpdex does not depend on."""
    try:
        return importlib.import_module(name)
    except ImportError as why:
        root = name.partition(".")[0]
        wanted = f"this needs {name}, which is missing: pip install {_PACKAGES.get(root, root)}"
        raise MissingPackage(wanted if isinstance(why, ModuleNotFoundError) else f"{wanted}: {why}") from why


def read(values: Any, name: str, family: str | None = None, rounding: str = "exact", stream: Any = None) -> Values:
    """Reads a column of any kind, on the host or on a device, whose values are compared with those of a family. A column
    without values may be of any type.

    `rounding` says what becomes of times between two units of the index: see `families.time_part`.
    """
    try:
        return read_typed(values, name, family, rounding, stream)
    except KeyTypeError:
        if family is None or not hasattr(values, "__len__") or len(values):
            raise
        found = read_typed(values, name, None, rounding, stream)
        if found.size or found.place is not None or families_in(found.family):  # a text, arrays on a device, a frame
            raise
        return found.changed(family=family, parts=[_nothing(family)])


def _nothing(family: str) -> Part:
    """No values of a family."""
    families = families_in(family)
    if families is None:
        return Part(empty_column(family, 0), 0)
    return Part(_encoder(families).encode([Part(empty_column(family, 0), 0) for family in families], -1, 0), 0)


def read_typed(values: Any, name: str, family: str | None, rounding: str, stream: Any = None) -> Values:
    """The same, where the types of Arrow and pandas count in columns without values, too."""
    kind: Any = type(values)
    if (library := libraries.library_of_type(kind)) is not None:
        if library.is_here(values):
            return _compared(library.read(values, name, stream_number(stream)), family, "is")
        with reading(name):
            held, of_library = libraries.on_host(values, name)
        if of_library is not None:
            return read(held, name, family, rounding).changed(give=of_library)
    if isinstance(values, Values):
        return _compared(values.changed(name=name), family, "holds keys")
    if (columns := columns_in(values)) is not None:
        return _read_several(columns, name, family, rounding)
    try:
        if (root := class_of(values)[0]) == "pandas":
            return _read_pandas(values, name, family, rounding).changed(name=name)
        if root == "polars" and is_objects(values):
            parts, found = object_parts(values.to_list(), name, family, rounding)
            return Values(found, parts, len(values), functools.partial(_give_polars, values), True, name)
        give = functools.partial(_GIVERS.get(root, _give_arrow), values)
        if root == "polars":
            values = _with_one_dictionary(values)
        try:
            found = _core.read_plain(unnamed(values), name, family, give)
        except Exception:
            with reading(name):
                raise
        if isinstance(found, Values):
            return found
        if found is not None:
            return _of_chunks(found, name, family, rounding, give)
        return _read_numpy(values, name, family, rounding).changed(name=name)
    except Exception as why:
        if (failure := translated(why, f"{name} is {shown(values)}, which is no column")) is None:
            raise
        raise failure from why


def _compared(values: Values, family: str | None, verb: str) -> Values:
    if family is not None and not are_compared(values.family, family):
        raise KeyTypeError(f"{values.name} {verb} of type {values.family}, but the keys are of type {family}")
    return values


def as_array(values: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """The array of NumPy that values are, as `exact_array`, and which of them its mask hides."""
    array = exact_array(values)
    if "numpy.ma" not in sys.modules or not isinstance(values, np.ma.MaskedArray):  # which is loaded when it is used
        return array, None
    mask = np.ma.getmaskarray(values)
    return array, mask if mask.any() else None


def _read_numpy(values: Any, name: str, family: str | None, rounding: str) -> Values:
    array, mask = as_array(values)
    scalar = array.ndim == 0
    if scalar:
        _expect_no_container(values, name)
        array, mask = array.reshape(1), None if mask is None else mask.reshape(1)
    give = _first if scalar else None
    if array.ndim != 1:
        if family is None or mask is not None:
            raise InvalidArgument(f"{name} has {array.ndim} dimensions; a column has one")
        give = functools.partial(_shaped, array.shape)  # of probes, whose answers have their shape
        array = array.reshape(-1)
    if array.size == 0 and family:
        return Values(family, [_nothing(family)], 0, give)  # of any type, since there is nothing to compare
    if mask is not None and array.dtype.kind == "O":
        array = array.copy()
        array[mask] = None
    parts, found = array_parts(array, name, family, rounding)
    if mask is not None and array.dtype.kind != "O":
        (part,) = parts
        part.nulls = mask if part.nulls is None else part.nulls | mask
    return Values(found, parts, array.size, give)


# What is no column, and what to give for it.
_CONTAINERS: tuple[tuple[Any, str], ...] = (
    (Mapping, "has keys and values; give its keys() or its values()"),
    (ItemsView, "has pairs; give the keys() or the values()"),
    (Set, "has no order; give a list of it"),
    (Iterator, "can be read only once; give a list of it"),
)


def _expect_no_container(values: Any, name: str) -> None:
    """Checks that what NumPy takes for one object is no container."""
    kind = type(values).__name__
    for container, why in _CONTAINERS:
        if isinstance(values, container):
            raise KeyTypeError(f"{name} is a {kind}, which {why}")
    if hasattr(values, "_core"):  # an index, or another object of the package
        raise KeyTypeError(f"{name} is a warpdex.{kind}, which is no column; give the column over which it was built")


def _first(answers: np.ndarray, nulls: np.ndarray | None) -> Any:
    return answers[0]


def _shaped(shape: tuple[int, ...], answers: np.ndarray, nulls: np.ndarray | None) -> Any:
    return answers.reshape(shape)


def _with_one_dictionary(values: Any) -> Any:
    """A Series of Polars, which makes a dictionary of all words for each chunk of categories or of an enum."""
    import polars

    has_words = isinstance(getattr(values, "dtype", None), (polars.Categorical, polars.Enum))
    return values.rechunk() if has_words else values


def _of_chunks(chunks: list[Any], name: str, family: str | None, rounding: str, give: Giver) -> Values:
    """A column of chunks of Arrow, as `_core.read_arrow` gives them."""

    def read_in(family: str | None) -> list[tuple[Part, str]]:
        words = Words()
        return [arrow_part(chunk, name, family, rounding, words) for chunk in chunks]

    result = read_in(family)
    families = [found for _, found in result]
    whole = widest(families)
    parts = [part for part, _ in (result if set(families) == {whole} else read_in(whole))]
    return Values(whole, parts, sum(part.size for part in parts), give, True, name)


def unnamed(values: Any) -> Any:
    """A column without names of Polars, which ends the process if it has to export one with a zero byte."""
    if class_of(values) != ("polars", "Series"):
        return values
    if values.dtype.is_nested():  # whose fields have names
        raise KeyTypeError("nested values are no keys")
    return values.alias("")


def read_for_all(column: Any, name: str) -> Values:
    """Reads a column of Arrow in the family that holds all values of its type, for probes that are not known yet."""
    format, *_, dictionary = _core.read_arrow(unnamed(column))[0]
    return read(column, name, family_of_all(format if dictionary is None else dictionary[0]))


def _give_arrow(values: Any, answers: np.ndarray, nulls: np.ndarray | None) -> Any:
    return _core.ArrowArray(answers, nulls)


def _give_polars(values: Any, answers: np.ndarray, nulls: np.ndarray | None) -> Any:
    import polars

    return polars.Series(_core.ArrowArray(answers, nulls)).alias(values.name)


def _give_pyarrow(values: Any, answers: np.ndarray, nulls: np.ndarray | None) -> Any:
    pyarrow = extra("pyarrow")
    array = pyarrow.array(_core.ArrowArray(answers, nulls))
    return pyarrow.chunked_array([array]) if isinstance(values, pyarrow.ChunkedArray) else array


_GIVERS: dict[str, Callable[..., Any]] = {"polars": _give_polars, "pyarrow": _give_pyarrow}


def _pandas_answers(answers: np.ndarray, nulls: np.ndarray | None, arrow: bool) -> Any:
    import pandas

    if arrow:
        pyarrow = extra("pyarrow")
        return pandas.arrays.ArrowExtensionArray(pyarrow.array(_core.ArrowArray(answers, nulls)))
    mask = np.zeros(answers.size, bool) if nulls is None else nulls
    if answers.dtype == np.bool_:
        return pandas.arrays.BooleanArray(answers, mask)
    if answers.dtype.kind == "f":
        return pandas.arrays.FloatingArray(answers, mask)
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
        with reading(name):
            chunks = _core.read_arrow(array.__arrow_array__())
        return _of_chunks(chunks, name, family, rounding, give)
    if isinstance(dtype, pandas.CategoricalDtype):
        inner = _read_pandas(dtype.categories, name, family, rounding)
        words, codes = inner.whole(), np.asarray(array.codes)
        missing = codes < 0
        misses = None if words.misses is None else words.misses.take(codes, mode="clip") & ~missing
        part = Part(words.column, codes.size, missing if missing.any() else None, misses, codes)
        return Values(inner.family, [part], codes.size, give, True)
    if isinstance(dtype, pandas.PeriodDtype):
        part, found = period_part(np.asarray(array.asi8), np.asarray(array.isna()), array.freqstr, name, family)
        return Values(found, [part], part.size, give, True)
    plain: Any
    kind, nulls = "", None
    if isinstance(dtype, np.dtype):
        plain = array.to_numpy()
        if isinstance(found := _core.read_plain(plain, name, family, None), Values):
            found.give, found.nulls_are_known = give, True
            return found
    elif isinstance(dtype, pandas.DatetimeTZDtype):
        plain, kind = array.to_numpy(dtype=f"M8[{dtype.unit}]"), " UTC"
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


def interval_columns(values: Any) -> tuple[Any, Any, str] | None:
    """The starts and the ends of a column of pandas' intervals, and which of them belong to these; None for others."""
    if class_of(values)[0] != "pandas" or type(getattr(values, "dtype", None)).__name__ != "IntervalDtype":
        return None
    array = getattr(values, "array", values)
    ends = array.left, array.right
    if array.isna().any() and ends[0].dtype.kind == "f":  # where nan is not null
        ends = ends[0].astype("Float64"), ends[1].astype("Float64")
    return *ends, array.closed


def in_type(part: Part, key_type: str, name: str) -> Part:
    """A part in a type of the library. Values beyond that type are refused by name."""
    result = part.column
    if not isinstance(result, np.ndarray) or result.ndim == 2:
        return part
    wide = np.dtype(NUMBER_TYPES[key_type])
    if result.dtype == wide:
        return part
    if wide.kind != "f" and result.size:
        limits = np.iinfo(wide)
        if int(result.min()) < limits.min or int(result.max()) > limits.max:
            raise InvalidArgument(f"{name} reach from {result.min()} to {result.max()}; the index holds {wide}")
    elif wide.itemsize < result.dtype.itemsize:
        raise KeyTypeError(f"{name} has the type {result.dtype}; the index holds {wide}")
    return Part(result.astype(wide), part.size, part.nulls, part.misses)


def own_part(values: Values, key_type: str, name: str) -> Part:
    """Values of an update as one part of the index's own type, without nulls."""
    part: Part = values.whole()
    if values.place is None:
        if part.nulls is not None:
            raise InvalidArgument(f"{name}[{int(np.argmax(part.nulls))}] is null, which cannot be inserted or erased")
        return in_type(part, key_type, name)
    if part.nulls is not None:
        raise InvalidArgument(f"{name} may hold nulls, which cannot be inserted or erased")
    if not isinstance(part.column, tuple) and part.column.type != NUMBER_TYPES[key_type]:
        raise KeyTypeError(f"{name} has the type {part.column.type}; the index holds {NUMBER_TYPES[key_type]}")
    return part


def numbers_of(values: Values) -> Any:
    """The numbers of a column without nulls, in one array."""
    part = values.whole()
    if part.nulls is not None:
        raise InvalidArgument(f"{values.name} has nulls, which have no place in the order")
    if isinstance(part.column, tuple) or getattr(part.column, "ndim", 1) != 1:
        raise Unsupported(f"{values.name} is of type {values.family}; only numbers of at most 8 bytes are taken")
    return part.column


def hosted(column: Values) -> Values:
    """A column of numbers on a device as one of NumPy; one on the host as it is."""
    if column.place is None:
        return column
    part, stream = column.parts[0], column.place.stream
    if isinstance(part.column, tuple):
        raise KeyTypeError(f"{column.name} is of type {column.family}; on a device it must hold numbers")

    def copied(array: Any) -> np.ndarray:
        result = np.empty(len(array), array.type)
        if result.size:
            _core.copy_array(result, array, stream)
        return result

    nulls = nulls_on_host(column)
    return Values(column.family, [Part(copied(part.column), column.size, nulls)], column.size, name=column.name)


def type_of(column: Values) -> str:
    """The type of the numbers of a column, as in NumPy: "i8"; of other columns an empty text."""
    array = column.parts[0].column if column.place is not None else column.whole().column
    return array.type if isinstance(array, _core.DeviceArray) else getattr(array, "dtype", np.dtype("V")).str[1:]


def nulls_on_host(column: Values) -> np.ndarray | None:
    """Which values of a column are null, as an array of NumPy; None if none is."""
    nulls: np.ndarray | None = None
    if column.place is None:
        nulls = column.nulls()
    elif (valid := column.parts[0].nulls) is not None:
        bits, first = valid
        packed = np.empty(len(bits), np.uint8)
        _core.copy_array(packed, bits, column.place.stream)
        nulls = np.unpackbits(packed, bitorder="little")[first : first + column.size] == 0
    return nulls


# Several columns as one of tuples.

_TYPES = {"integer": "i64", "float": "f64", "bool": "u32", "string": "bytes"}
_FRAMES = {("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "Table")}


def _type_of(family: str) -> str:
    """The type of a field of tuples; "" if there is none."""
    return _TYPES.get(family, "i64" if "[" in family or family.startswith(("decimal(", "period(")) else "")


def columns_in(values: Any) -> list[Any] | None:
    """The columns of a data frame, or of a tuple of columns; None for one column."""
    kind = type(values)
    if kind is tuple:
        are_columns = [hasattr(value, "__len__") and not isinstance(value, (str, bytes)) for value in values]
        return list(values) if values and all(are_columns) else None
    root, name = class_of(values)
    if (root, name) == ("pandas", "MultiIndex"):
        return [values.get_level_values(number) for number in range(values.nlevels)]
    if (root, name) not in _FRAMES:
        return None
    names = values.column_names if root == "pyarrow" else list(values.columns)
    if root == "pandas":
        return [values.iloc[:, number] for number in range(len(names))]
    return [arrow_column(values, name) if root == "pyarrow" else values.get_column(name) for name in names]


def families_in(family: str | None) -> list[str] | None:
    """The families of the columns of tuples; None for another family."""
    if family is None or not family.startswith("tuple("):
        return None
    return family[len("tuple(") : -1].split(", ")


def _read_several(columns: list[Any], name: str, family: str | None, rounding: str) -> Values:
    """Reads columns as keys of tuples. A tuple with a null is null."""
    families = families_in(family)
    if family is not None and families is None and len(columns) == 1:
        return read(columns[0], name, family, rounding)
    if family is not None and families is None:
        raise KeyTypeError(f"{name} has {len(columns)} columns, but the keys are of type {family}")
    if families is not None and len(families) != len(columns):
        raise InvalidArgument(f"{name} has {len(columns)} columns; the keys have {len(families)}")
    fields = _fields(columns, name, families, rounding)
    return fields.keys(_encoder(fields.families).encode(fields.parts, -1, 0), f"tuple({', '.join(fields.families)})")


def read_leading(
    columns: list[Any], name: str, family: str, rounding: str, last_open: bool
) -> tuple[Values, Values | None]:
    """Reads the first columns of tuples as the least and the greatest key that begin so; of keys that are strings as what
    these begin with, and None. With `last_open` the last column holds beginnings of strings."""
    families = families_in(family) or []
    fields = _fields(columns, name, families[: len(columns)], rounding)
    with reading(name):
        least, greatest = _encoder(families).leading(fields.parts, last_open, -1, 0)
    return fields.keys(least, family), None if greatest is None else fields.keys(greatest, family)


class _Fields(NamedTuple):
    """The fields of tuples: parts without nulls, and which tuples are null or equal no key."""

    parts: list[Part]
    families: list[str]
    name: str
    nulls: np.ndarray | None
    misses: np.ndarray | None
    give: Any  # how the tuples are answered

    def keys(self, column: Any, family: str) -> Values:
        """The keys of the fields."""
        size = self.parts[0].size
        return Values(family, [Part(column, size, self.nulls, self.misses)], size, self.give, name=self.name)


def _encoder(families: list[str]) -> _core.KeyEncoder:
    return _core.KeyEncoder([(_type_of(family), False, False, False) for family in families])


def _fields(columns: list[Any], name: str, families: list[str] | None, rounding: str) -> _Fields:
    how = "equal" if rounding == "equal" else "exact"
    found = [
        read(column, f"{name}[{number}]", families[number] if families else None, how)
        for number, column in enumerate(columns)
    ]
    sizes = {column.size for column in found}
    if len(sizes) > 1:
        raise InvalidArgument(f"{name} has columns of {' and '.join(map(str, sorted(sizes)))} values")
    if any(column.place is not None for column in found):
        raise KeyTypeError(f"{name} has columns on a device; KeyEncoder makes keys of them")
    families = families or [column.family for column in found]
    types = [_type_of(family) for family in families]
    if "" in types:
        number = types.index("")
        raise KeyTypeError(f"{name}[{number}] is of type {families[number]}, which no column of tuples has")
    parts = [_plain(column, type, f"{name}[{number}]", how) for number, (column, type) in enumerate(zip(found, types))]
    nulls, misses = (either([getattr(part, flag) for part in parts]) for flag in ("nulls", "misses"))
    if nulls is not None and misses is not None:
        misses = misses & ~nulls
    give = found[0].give if isinstance(found[0].give, libraries.HostGiver) else None
    return _Fields([Part(part.column, part.size) for part in parts], families, name, nulls, misses, give)


def shown_keys(keys: Any, size: int, family: str) -> Any:
    """Keys as an array of NumPy, those of tuples as a list of them."""
    if (families := families_in(family)) is None:
        return shown_values(keys, family)
    result = _encoder(families).decode(Part(keys, size), -1, 0)
    return [shown_values(column, family) for (column, _), family in zip(result, families)]


def _plain(values: Values, type: str, name: str, how: str) -> Part:
    """A column as its field has it: integers of 64 bits, floats of 64 bits, bools of 32, or strings."""
    part: Part = values.whole()
    if type == "bytes":
        return part
    column, misses = part.column, part.misses
    if type == "i64" and column.dtype == np.uint64:
        beyond = column > np.uint64(2**63 - 1)
        if how != "equal" and beyond.any():
            raise InvalidArgument(f"{name} has {column[beyond][0]}, which integers of 64 bits with a sign do not hold")
        misses = either([misses, beyond if beyond.any() else None])
    wanted = {"i64": np.int64, "f64": np.float64, "u32": np.uint32}[type]
    if column.dtype.kind in "mM":
        column = column.view(np.int64)
    if type == "i64" and column.dtype.kind == "f":  # probes that are floats
        whole = np.isfinite(column) & (np.floor(column) == column) & (np.abs(column) < 2.0**63)
        if how != "equal" and not whole.all():
            raise InvalidArgument(f"{name} has {column[~whole][0]}, which is no integer")
        misses = either([misses, None if whole.all() else ~whole])
        column = np.where(whole, column, 0)
    if type == "f64" and column.dtype.kind in "iu":  # probes that are integers, which not all have an equal float
        odd = without_float(column)
        if how != "equal" and odd.any():
            raise InvalidArgument(f"{name} has {column[odd][0]}, which no float equals")
        misses = either([misses, odd if odd.any() else None])
    return Part(np.ascontiguousarray(column.astype(wanted)), part.size, part.nulls, misses)


def either(flags: Iterable[np.ndarray | None]) -> np.ndarray | None:
    """Which values one of some flags names; None if none does."""
    known = [flag_array for flag_array in flags if flag_array is not None]
    return None if not known else np.logical_or.reduce(known)
