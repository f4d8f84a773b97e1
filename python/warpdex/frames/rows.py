# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Whole rows of a table in one array: embeddings, vectors, records."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, overload

import numpy as np

from .. import _core
from ..columns import libraries
from ..columns.devices import stream_number
from ..columns.arrays import exact_array
from ..errors import InvalidArgument, KeyTypeError, shown
from ..lookups.asking import integers
from ..lookups.border import public
from ..types import Column, DeviceArray
from .gather import read_rows


def _bytes_of(array: Any, name: str) -> Any:
    """An array without strides as bytes, as the core sees it. @param name in messages"""
    library = libraries.library_of(array)
    if library is None:
        if not array.flags.c_contiguous:
            raise InvalidArgument(f"{name} has strides; numpy.ascontiguousarray copies it")
        return array.reshape(-1).view(np.uint8)
    if not isinstance(library, libraries.Native):
        raise KeyTypeError(f"{name} is {shown(array)}; on a device it must be of Torch or CuPy")
    if not library.is_whole(array):
        raise InvalidArgument(f"{name} has strides; its contiguous copy has none")
    size = math.prod(array.shape) * array.dtype.itemsize
    address = array.data_ptr() if hasattr(array, "data_ptr") else array.data.ptr
    return _core.DeviceArray(address, size, "b1", library.number_of(array))


def _host_table(table: Any) -> np.ndarray:
    """A table in memory of the host, where it is."""
    if hasattr(table, "data_ptr") and not hasattr(table, "__array_interface__"):
        table = table.numpy()
    held = table if isinstance(table, np.ndarray) else exact_array(table)
    if held.ndim < 2 or held.dtype.hasobject:
        raise KeyTypeError(f"table is {shown(table)}; it must be an array of rows, of two or more dimensions")
    return held


@overload
def gather_rows(
    rows: DeviceArray, table: Any, *, out: Any = None, stream: Any = None, threads: int = 0
) -> DeviceArray: ...
@overload
def gather_rows(
    rows: Any, table: np.ndarray | Sequence[Any], *, out: Any = None, stream: Any = None, threads: int = 0
) -> np.ndarray: ...
@overload
def gather_rows(rows: Any, table: Column, *, out: Any = None, stream: Any = None, threads: int = 0) -> Column: ...
@public
def gather_rows(rows: Any, table: Any, *, out: Any = None, stream: Any = None, threads: int = 0) -> Any:
    """Whole rows of a table, an array of two or more dimensions whose first one counts rows: `table[rows]`, and zeros
    where a row is -1, as lookups answer it.

    With `rows` on a device (Torch, CuPy) the result is an array of their library there. The table is on that device too,
    or in page-locked memory of the host (`torch.Tensor.pin_memory`, `cupyx.empty_pinned`): then each row crosses the link
    once, however often it is wanted. Such a call does not wait, and takes rows that the table lacks for -1; CUDA graphs
    record it with `out`. On the host a row that the table lacks is an error. `out` is an array for the result.

    >>> import numpy as np
    >>> gather_rows(Index([30, 10]).find([10, 99]), np.array([[1.5, 2.5], [3.5, 4.5]])).tolist()
    [[3.5, 4.5], [0.0, 0.0]]
    """
    library = libraries.library_of(rows)
    if library is None:
        return _on_host(rows, table, out, threads)
    if not isinstance(library, libraries.Native):
        raise KeyTypeError(f"rows is {shown(rows)}; on a device it must be of Torch or CuPy")
    where = stream_number(stream)
    column = integers(rows.reshape(-1), "rows", where)
    held = table if libraries.library_of(table) is not None else _host_table(table)
    if out is None:
        out = _new(rows, held)
    _expect_shape(out, rows, held)
    row_bytes = math.prod(held.shape[1:]) * held.dtype.itemsize
    if column.parts[0].column.type not in ("i4", "i8", "u4", "u8"):
        raise KeyTypeError(f"rows has the type {rows.dtype}; row ids are integers of 32 or 64 bits")
    place = column.place
    assert place is not None
    _core.gather_rows(
        column.parts[0].column, _bytes_of(held, "table"), _bytes_of(out, "out"), row_bytes, place.device, place.stream
    )
    return out


def _new(rows: Any, table: Any) -> Any:
    """An array of the library of row numbers on a device, for rows of a table."""
    shape = (*rows.shape, *table.shape[1:])
    if hasattr(rows, "data_ptr"):
        import torch

        dtype = table.dtype if hasattr(table, "data_ptr") else torch.from_numpy(table[:0]).dtype
        return torch.empty(shape, dtype=dtype, device=rows.device)
    import cupy

    with rows.device:
        return cupy.empty(shape, table.dtype)


def _expect_shape(out: Any, rows: Any, table: Any) -> None:
    shape = (*rows.shape, *table.shape[1:])
    if tuple(out.shape) != shape or out.dtype.itemsize != table.dtype.itemsize:
        raise InvalidArgument(f"out has the shape {tuple(out.shape)} and the type {out.dtype}; the rows have {shape}")


def _on_host(rows: Any, table: Any, out: Any, threads: int) -> Any:
    held, give = libraries.on_host(table, "table")
    held = _host_table(held)
    positions = read_rows(libraries.on_host(rows, "rows")[0], len(held), "rows in the table")[0]
    result = np.empty(positions.shape + held.shape[1:], held.dtype) if out is None else libraries.on_host(out, "out")[0]
    _expect_shape(result, positions, held)
    row_bytes = math.prod(held.shape[1:]) * held.dtype.itemsize
    plain = np.ascontiguousarray(held)
    _core.gather_rows(
        np.ascontiguousarray(positions).reshape(-1),
        _bytes_of(plain, "table"),
        _bytes_of(result, "out"),
        row_bytes,
        -1,
        threads,
    )
    if out is not None:
        return out
    return result if give is None else give.library.of_numpy(result, "table")
