# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Tables that come by Arrow's device interface: of cuDF, pylibcudf, and of any library that offers it alone."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .. import _core
from .._core import ArrowColumn
from ..columns import libraries
from ..columns.parts import OnHost
from ..errors import Unsupported
from .frame import Frame


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
        return libraries.device_name(self._core.device)

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

        def of_cudf(made: dict[Any, Any]) -> Any:
            parts = pylibcudf.Table([pylibcudf.Column.from_arrow(one) for one in made.values()])
            return parts if names is None else type(table).from_pylibcudf(parts, {"columns": [*made]})

        return list(zip(names or range(len(columns)), columns)), len(columns[0]) if columns else 0, of_cudf
    whole = ArrowColumn.read(table, 0)
    pairs = whole.columns()

    def of_any(made: dict[Any, Any]) -> DeviceTable:
        cores = [(str(name), _core_of(one)) for name, one in made.items()]
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
        device, where, asked = cores[0].device, 0, rows
        may_miss = not hasattr(rows, "any") or bool((rows < 0).any())
        if (library := libraries.library_of(rows)) is not None:
            read = library.read(rows, "rows", None)
            asked, where = read.parts[0].column, read.place.stream
        elif isinstance(rows, np.ndarray):
            asked = np.ascontiguousarray(rows)
        made = ArrowColumn.take(cores, asked, may_miss, device, where)
        return {name: one if device >= 0 else OnHost(one) for name, one in zip(wanted, made)}

    def merged(self, name: Any, rows: Any, other: Frame, other_name: Any, other_rows: Any) -> Any:
        raise Unsupported("a full join of tables of Arrow's device interface has coalesce=False")

    def numbers(self, values: np.ndarray, missing: np.ndarray | None) -> Any:
        core = ArrowColumn.read(_core.ArrowArray(values, missing), 0)
        device = next((one.device for one in self._cores.values()), -1)
        if device < 0:
            return OnHost(core)
        return ArrowColumn.take([core], np.arange(values.size), False, device, 0)[0]  # which copies it there
