# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Frames that stay where they are: dicts of arrays of NumPy, CuPy or Torch, and tables of Arrow's device interface, such as
those of cuDF."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .. import _core
from .._core import ArrowColumn
from ..columns import libraries
from ..columns.devices import device_name
from ..columns.parts import OnHost, of_class
from ..errors import InvalidArgument, KeyTypeError, Unsupported
from .frame import Frame
from .gather import is_plain, take_plain

# A column is an array, or a pair of an array and one of bools: which of its values are valid.
Column = Any


class Kit:
    """What is done with arrays of NumPy and CuPy."""

    def __init__(self, module: Any) -> None:
        self.module = module

    def array(self, values: Any) -> Any:
        return self.module.asarray(values)

    def rows(self, rows: Any) -> Any:
        """Row numbers as an array of the library by which its arrays can be indexed."""
        return self.array(rows)

    def as_int64(self, array: Any) -> Any:
        return array.astype(np.int64, copy=False)

    def is_float(self, array: Any) -> bool:
        return bool(array.dtype.kind == "f")

    def zeros(self, size: int, like: Any) -> Any:
        return self.module.zeros((size, *like.shape[1:]), like.dtype)

    def empty(self, size: int, like: Any) -> Any:
        return self.module.empty(size, like.dtype)

    def join(self, one: Any, two: Any) -> Any:
        return self.module.concatenate([one, two])

    def choose(self, takes: Any, one: Any, two: Any) -> Any:
        return self.module.where(takes, one, two)

    def beside(self, values: np.ndarray, other: Any) -> Any:
        """An array of the host where another one is."""
        if hasattr(other, "device") and self.module.__name__ == "cupy":
            with other.device:
                return self.array(values)
        return self.array(values)


class _TorchKit(Kit):
    """The same of Torch."""

    def array(self, values: Any) -> Any:
        return values if isinstance(values, self.module.Tensor) else self.module.from_numpy(values)

    def rows(self, rows: Any) -> Any:
        return self.array(rows).long()

    def as_int64(self, array: Any) -> Any:
        return array.long()

    def is_float(self, array: Any) -> bool:
        return bool(array.dtype.is_floating_point)

    def zeros(self, size: int, like: Any) -> Any:
        return self.module.zeros((size, *like.shape[1:]), dtype=like.dtype, device=like.device)

    def empty(self, size: int, like: Any) -> Any:
        return self.module.empty(size, dtype=like.dtype, device=like.device)

    def join(self, one: Any, two: Any) -> Any:
        return self.module.cat([one, two])

    def beside(self, values: np.ndarray, other: Any) -> Any:
        return self.array(values).to(other.device)


class _Places:
    """Rows of a dict of arrays, by one library."""

    def __init__(self, kit: Kit, rows: Any, values: Any, threads: int) -> None:
        self._kit, self._size, self._threads = kit, values.shape[0], threads
        self._rows = kit.beside(rows, values) if isinstance(rows, np.ndarray) else kit.array(rows)
        missing = self._rows < 0
        self._valid = ~missing if bool(missing.any()) else None  # which rows there are, if not all
        self._passes: list[tuple[Any, Any, int]] = []
        self._plain: list[tuple[Any, Any, int]] = []  # the same of NumPy
        self._held: list[Any] = []  # arrays that the passes read
        self._at: Any = None

    def taken(self, values: Any, valid: Any) -> Column:
        """The values of a column at the rows; those of a device are complete after `finish`."""
        missing = self._valid is not None
        if valid is not None:
            return self._values(values, 0), self._values(valid, 0)
        if missing and self._kit.is_float(values):
            return self._values(values, _NAN.get(str(values.dtype).rpartition(".")[2]))
        return (self._values(values, 0), self._valid) if missing else self._values(values, 0)

    def _values(self, values: Any, missing: int | None) -> Any:
        if isinstance(values, np.ndarray) and is_plain(values) and missing is not None:
            result = np.empty(len(self._rows), values.dtype)
            self._plain.append((values, result, missing))
            return result
        library = libraries.library_of(values)
        width = values.dtype.itemsize
        if not isinstance(library, libraries.Native) or len(values.shape) != 1 or missing is None or width > 8:
            return self._by_library(values, missing)
        whole, device = library.whole(values, None), library.number_of(values)
        result = self._kit.empty(self._rows.shape[0], whole)
        source, target = (library.described(array, f"u{width}", device) for array in (whole, result))
        self._passes.append((source, target, missing))
        self._held.append(whole)
        return result

    def _by_library(self, values: Any, missing: int | None) -> Any:
        if self._at is None:
            self._at = self._kit.rows(self._rows if self._valid is None else self._rows.clip(0))
        if self._valid is None:
            return values[self._at]
        some = values if self._size else self._kit.zeros(1, values)
        found = some[self._at if self._size else self._at * 0]
        found[~self._valid] = self._kit.zeros(1, values)[0] if missing == 0 else float("nan")
        return found

    def finish(self) -> None:
        """Takes the columns on a device, and those of numbers of NumPy, all at once."""
        if self._plain:
            take_plain(self._rows, self._size, self._plain, self._threads)
        if self._passes and self._rows.shape[0]:
            library = libraries.library_of(self._rows)
            assert isinstance(library, libraries.Native)
            rows = library.read(self._rows, "rows", None)
            _core.gather_table(rows.parts[0].column, self._size, self._passes, rows.place.device, rows.place.stream)


# The bits of NaN in the types of floats.
_NAN = {"float16": 0x7E00, "bfloat16": 0x7FC0, "float32": 0x7FC00000, "float64": 0x7FF8000000000000}

_KITS: dict[str, Kit] = {}


def _root(array: Any) -> str:
    """The library of an array."""
    return type(array).__module__.partition(".")[0]


def kit_of(array: Any) -> Kit:
    """What is done with an array of one of these libraries."""
    root = _root(array)
    if root not in _KITS:
        _KITS[root] = (_TorchKit if root == "torch" else Kit)(importlib.import_module(root))
    return _KITS[root]


class Arrays(Frame):
    """A dict of arrays of one length."""

    is_converted = False
    what = "a dict of arrays"

    def __init__(self, table: dict[Any, Column]) -> None:
        self.table, self.names, self.column = table, list(table), table.__getitem__
        self._size: int | None = None
        self._device: int | None = None
        for name in self.names:
            for array in self._halves(name):
                if array is not None:
                    self._expect(name, array)

    def table_of(self, columns: dict[Any, Any]) -> Any:
        return columns if type(self.table) is dict else of_class(type(self.table), columns)

    def _expect(self, name: Any, array: Any) -> None:
        if _root(array) not in ("numpy", "cupy", "torch") or not getattr(array, "shape", ()):
            raise KeyTypeError(
                f"the column {name!r} is {type(array).__name__}; those of a dict are arrays of NumPy, CuPy or Torch, "
                "or pairs of one and another of bools, its validity"
            )
        device = libraries.number_of(array)
        if self._size is None:
            self._size, self._device = array.shape[0], device
        if array.shape[0] != self._size:
            raise InvalidArgument(f"the column {name!r} has {array.shape[0]} rows, but others have {self._size}")
        if device != self._device:
            there, here = device_name(device), device_name(self._device or 0)
            raise InvalidArgument(f"the column {name!r} is on {there}, but others are on {here}")

    def _halves(self, name: Any) -> tuple[Any, Any]:
        column = self.table[name]
        return column if isinstance(column, tuple) and len(column) == 2 else (column, None)

    def __len__(self) -> int:
        return self._size or 0

    def key(self, name: Any) -> Any:
        if isinstance(self.table[name], tuple):
            raise KeyTypeError(f"the column {name!r} has a validity; keys of a dict of arrays have none")
        return self.table[name]

    def take(self, names: Iterable[Any], rows: Any) -> dict[Any, Any]:
        places: dict[Kit, _Places] = {}  # by library
        columns = {}
        for name in names:
            values, valid = self._halves(name)
            kit = kit_of(values)
            if kit not in places:
                places[kit] = _Places(kit, rows, values, self.threads)
            columns[name] = places[kit].taken(values, valid)
        for one in places.values():
            one.finish()
        return columns

    def merged(self, name: Any, rows: Any, other: Frame, other_name: Any, other_rows: Any) -> Any:
        one, two = self.key(name), other.key(other_name)
        if one.dtype != two.dtype:
            raise InvalidArgument(
                f"{name!r} is of type {one.dtype}, {other_name!r} of type {two.dtype}; a full join of arrays that "
                "coalesces needs one type"
            )
        kit = kit_of(one)
        mine, others = kit.as_int64(kit.rows(rows)), kit.as_int64(kit.rows(other_rows))
        return kit.join(one, two)[kit.choose(mine < 0, others + len(self), mine)]

    def durations(self, values: np.ndarray) -> Any:
        return values

    def numbers(self, values: np.ndarray, missing: np.ndarray | None) -> Any:
        some = self._halves(next(iter(self.names)))[0]
        kit = kit_of(some)
        result = kit.beside(values, some)
        return result if missing is None or not missing.any() else (result, kit.beside(~missing, some))


# Tables of Arrow's device interface.


class DeviceTable:
    """A result of a join of tables of Arrow's device interface, which others read by the same interface.

    Such a frame is any object with `__arrow_c_device_array__` that gives a struct, on a device or on the host. Of
    cuDF's and pylibcudf's tables the results are tables of these instead. Columns are not copied to be read, and rows
    are gathered where they are: numbers, bools, times, decimals of up to 128 bits, strings and fixed sizes of 1 to 16
    bytes, with their nulls, zones and units. Others, such as lists and dictionaries, are kept on the left side of
    `join_asof`, `window` and `point_in_time`, and are refused elsewhere. On a device CuPy is needed. What is tested is
    the interface, not cuDF.

    >>> import pyarrow
    >>> table = pyarrow.record_batch({"key": [1, 2]})  # one that offers it, on the host
    >>> made = DeviceTable(_core.ArrowColumn.read(table, 0))
    >>> pyarrow.record_batch(made)["key"].to_pylist()
    [1, 2]
    """

    def __init__(self, core: ArrowColumn) -> None:
        self._core = core

    def __len__(self) -> int:
        return len(self._core)

    @property
    def column_names(self) -> list[str]:
        """The names of the columns, in order.

        >>> import pyarrow
        >>> DeviceTable(_core.ArrowColumn.read(pyarrow.record_batch({"key": [1]}), 0)).column_names
        ['key']
        """
        return [name for name, _ in self._core.columns()]

    @property
    def device(self) -> str:
        """Where the columns are: "cpu", or a device such as "cuda:0".

        >>> import pyarrow
        >>> DeviceTable(_core.ArrowColumn.read(pyarrow.record_batch({"key": [1]}), 0)).device
        'cpu'
        """
        return device_name(self._core.device)

    def __arrow_c_schema__(self) -> Any:
        return self._core.__arrow_c_schema__()

    def __arrow_c_device_array__(self, requested_schema: Any = None, **kwargs: Any) -> tuple[Any, ...]:
        return self._core.__arrow_c_device_array__(requested_schema)


def _core_of(column: Any) -> ArrowColumn:
    core: ArrowColumn = column.core if isinstance(column, OnHost) else column
    return core


def _as_read(table: Any) -> tuple[list[tuple[Any, ArrowColumn]], int, Callable[[dict[Any, Any]], Any]]:
    """The columns of a table, the number of its rows, and what makes one of its library of columns."""
    root = type(table).__module__.partition(".")[0]

    if root in ("cudf", "pylibcudf"):
        pylibcudf = importlib.import_module("pylibcudf")
        held, names = (table.to_pylibcudf()[0], list(table.columns)) if root == "cudf" else (table, None)
        columns = [ArrowColumn.read(one, 0) for one in held.columns()]

        def of_cudf(result: dict[Any, Any]) -> Any:
            parts = pylibcudf.Table([pylibcudf.Column.from_arrow(one) for one in result.values()])
            return parts if names is None else type(table).from_pylibcudf(parts, {"columns": [*result]})

        return list(zip(names or range(len(columns)), columns)), len(columns[0]) if columns else 0, of_cudf
    whole = ArrowColumn.read(table, 0)
    pairs = whole.columns()

    def of_any(result: dict[Any, Any]) -> DeviceTable:
        cores = [(str(name), _core_of(one)) for name, one in result.items()]
        rows = len(cores[0][1]) if cores else 0
        return DeviceTable(ArrowColumn.table(cores, rows, whole.device))

    return list(pairs), len(whole), of_any


def is_table(table: Any) -> bool:
    """Whether an object is such a table."""
    return hasattr(table, "__arrow_c_device_array__") or hasattr(table, "to_pylibcudf")


class Tables(Frame):
    """A table of columns of Arrow, which stay where they are."""

    is_converted = False
    what = "a table of Arrow's device interface"

    def __init__(self, table: Any) -> None:
        self.table = table
        columns, self._size, self.table_of = _as_read(table)
        self._cores = dict(columns)
        self.names = [name for name, _ in columns]
        self.column = self._shown

    def _shown(self, name: Any) -> Any:
        core = self._cores[name]
        return core if core.device >= 0 else OnHost(core)

    def __len__(self) -> int:
        return self._size

    def expect_taken(self) -> None:
        for name, core in self._cores.items():
            if not core.is_taken():
                raise Unsupported(f"the column {name!r} has Arrow's format {core.format}, of which no rows are taken")

    def take(self, names: Iterable[Any], rows: Any) -> dict[Any, Any]:
        wanted = list(names)
        cores = [self._cores[name] for name in wanted]
        if not cores:
            return {}
        device, where, query = cores[0].device, 0, rows
        may_miss = not hasattr(rows, "any") or bool((rows < 0).any())
        if (library := libraries.library_of(rows)) is not None:
            read = library.read(rows, "rows", None)
            query, where = read.parts[0].column, read.place.stream
        elif isinstance(rows, np.ndarray):
            query = np.ascontiguousarray(rows)
        result = ArrowColumn.take(cores, query, may_miss, device, where)
        return {name: one if device >= 0 else OnHost(one) for name, one in zip(wanted, result)}

    def merged(self, name: Any, rows: Any, other: Frame, other_name: Any, other_rows: Any) -> Any:
        raise Unsupported("a full join of tables of Arrow's device interface has coalesce=False")

    def numbers(self, values: np.ndarray, missing: np.ndarray | None) -> Any:
        core = ArrowColumn.read(_core.ArrowArray(values, missing), 0)
        device = next((one.device for one in self._cores.values()), -1)
        if device < 0:
            return OnHost(core)
        return ArrowColumn.take([core], np.arange(values.size), False, device, 0)[0]  # which copies it there
