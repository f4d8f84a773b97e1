# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Frames that are dicts of arrays: of NumPy or Torch on the host, of CuPy or Torch on a device, where they stay."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from ._errors import InvalidArgument, KeyTypeError
from ._frame import Frame

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

    def join(self, one: Any, two: Any) -> Any:
        return self.module.concatenate([one, two])

    def alone(self, size: int, rows: Any) -> Any:
        """The rows below `size` that are not among some rows."""
        there = self.module.ones(size, bool)
        there[rows] = False
        return self.module.flatnonzero(there)

    def order(self, keys: Any) -> Any:
        return self.module.argsort(keys)

    def choose(self, takes: Any, one: Any, two: Any) -> Any:
        return self.module.where(takes, one, two)


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

    def join(self, one: Any, two: Any) -> Any:
        return self.module.cat([one, two])

    def alone(self, size: int, rows: Any) -> Any:
        there = self.module.ones(size, dtype=self.module.bool, device=rows.device)
        there[rows.long()] = False
        return self.module.nonzero(there).flatten()


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

    def __init__(self, table: dict[Any, Column]) -> None:
        self.table, self.names, self.column = table, list(table), table.__getitem__
        self.table_of = dict
        self._size: int | None = None
        for name in self.names:
            for array in self._halves(name):
                if array is not None:
                    self._expect(name, array)

    def _expect(self, name: Any, array: Any) -> None:
        if _root(array) not in ("numpy", "cupy", "torch") or not getattr(array, "shape", ()):
            raise KeyTypeError(
                f"the column {name!r} is {type(array).__name__}; those of a dict are arrays of NumPy, CuPy or Torch, "
                "or pairs of one and another of bools, its validity"
            )
        if self._size is None:
            self._size = array.shape[0]
        if array.shape[0] != self._size:
            raise InvalidArgument(f"the column {name!r} has {array.shape[0]} rows, but others have {self._size}")

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
        places: dict[Kit, tuple[Any, Any]] = {}  # by library: the rows, and which are -1 if any is
        columns = {}
        for name in names:
            values, valid = self._halves(name)
            kit = kit_of(values)
            if kit not in places:
                at = kit.rows(rows)
                missing = at < 0
                places[kit] = (at.clip(0), missing) if bool(missing.any()) else (at, None)
            columns[name] = self._taken(kit, values, valid, *places[kit])
        return columns

    def _taken(self, kit: Kit, values: Any, valid: Any, at: Any, missing: Any) -> Column:
        if missing is None:
            return values[at] if valid is None else (values[at], valid[at])
        if len(self) == 0:
            values, valid, at = kit.zeros(1, values), None, at * 0
        found = values[at]
        if valid is None and kit.is_float(found):
            found[missing] = float("nan")
            return found
        found[missing] = 0
        return found, ~missing if valid is None else valid[at] & ~missing

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

    def numbers(self, values: np.ndarray, missing: np.ndarray | None) -> Any:
        kit = kit_of(self._halves(next(iter(self.names)))[0])
        made = kit.array(values)
        return made if missing is None or not missing.any() else (made, kit.array(~missing))
