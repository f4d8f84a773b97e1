# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Data frames of pandas, Polars and pyarrow: their columns, and rows gathered by their own library."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from . import _core
from ._errors import InvalidArgument, KeyTypeError
from ._values import extra

# Row numbers; -1 stands for a row of nulls.
Rows = np.ndarray


class Frame:
    """A data frame of one library."""

    def __init__(self, table: Any) -> None:
        self.table = table

    names: list[str]

    def column(self, name: str) -> Any:
        raise NotImplementedError

    def __len__(self) -> int:
        return len(self.table)

    def whole(self) -> dict[str, Any]:
        """All columns as they are."""
        return {name: self.column(name) for name in self.names}

    def take(self, names: Iterable[str], rows: Rows) -> dict[str, Any]:
        """The columns of some names at some rows."""
        raise NotImplementedError

    def merged(self, name: str, rows: Rows, other: Frame, other_name: str, other_rows: Rows) -> Any:
        """A column with this one's values, and another one's where the row is -1."""
        raise NotImplementedError

    def made(self, columns: dict[str, Any]) -> Any:
        """A table of columns."""
        raise NotImplementedError

    def expect(self, names: Iterable[str], what: str) -> None:
        for name in names:
            if name not in self.names:
                raise InvalidArgument(f"{what} names the column {name!r}; there are {', '.join(map(repr, self.names))}")


class _Pandas(Frame):
    def __init__(self, table: Any) -> None:
        super().__init__(table)
        self.names = list(table.columns)

    def column(self, name: str) -> Any:
        return self.table[name]

    def whole(self) -> dict[str, Any]:  # without the frame's index; a column is copied when it is written, or here
        rows = extra("pandas").RangeIndex(len(self.table))
        return {name: self.table[name].set_axis(rows) for name in self.names}

    def take(self, names: Iterable[str], rows: Rows) -> dict[str, Any]:
        take = extra("pandas").api.extensions.take
        fills = bool((rows < 0).any())

        def taken(column: Any) -> Any:
            if isinstance(column.dtype, np.dtype):  # its own type may become one that has nulls
                return take(column.to_numpy(), rows, allow_fill=fills)
            return column.array.take(rows, allow_fill=fills)

        return {name: taken(self.table[name]) for name in names}

    def merged(self, name: str, rows: Rows, other: Frame, other_name: str, other_rows: Rows) -> Any:
        both = extra("pandas").concat([self.column(name), other.column(other_name)], ignore_index=True)
        return both.array.take(np.where(rows < 0, other_rows + len(self), rows))

    def made(self, columns: dict[str, Any]) -> Any:
        return extra("pandas").DataFrame(columns, copy=False)


class _Polars(Frame):
    def __init__(self, table: Any) -> None:
        super().__init__(table)
        self.names = table.columns

    def column(self, name: str) -> Any:
        return self.table.get_column(name)

    def take(self, names: Iterable[str], rows: Rows) -> dict[str, Any]:
        polars = extra("polars")
        missing = rows < 0
        none = np.flatnonzero(missing)
        places = polars.Series("", _core.ArrowArray(rows, missing if none.size else None))
        # Places that may be null take Polars up to four times as long as others, and a null at a time takes as long as
        # sixteen places. Not all types can be written to afterwards.
        few = 0 < none.size < rows.size // 16 and len(self) > 0
        some = polars.Series("", _core.ArrowArray(np.maximum(rows, 0), None)) if few else places

        def taken(column: Any) -> Any:
            kind = column.dtype
            plain = (kind.is_numeric() and not kind.is_decimal()) or kind.is_temporal() or kind == polars.Boolean
            return column.gather(some).scatter(none, None) if few and plain else column.gather(places)

        return {name: taken(self.column(name)) for name in names}

    def merged(self, name: str, rows: Rows, other: Frame, other_name: str, other_rows: Rows) -> Any:
        one, two = self.column(name), other.column(other_name)
        both = extra("polars").concat([one.alias(""), two.cast(one.dtype).alias("")])
        return both.gather(np.where(rows < 0, other_rows + len(self), rows))

    def made(self, columns: dict[str, Any]) -> Any:
        return extra("polars").DataFrame([column.alias(name) for name, column in columns.items()])


class _PyArrow(Frame):
    def __init__(self, table: Any) -> None:
        super().__init__(table)
        self.names = table.column_names

    def column(self, name: str) -> Any:
        return self.table.column(name)

    def take(self, names: Iterable[str], rows: Rows) -> dict[str, Any]:
        places = extra("pyarrow").array(_core.ArrowArray(rows, rows < 0 if (rows < 0).any() else None))
        return {name: self.column(name).take(places) for name in names}

    def merged(self, name: str, rows: Rows, other: Frame, other_name: str, other_rows: Rows) -> Any:
        pyarrow = extra("pyarrow")
        one, two = self.column(name), other.column(other_name)
        both = pyarrow.chunked_array([*one.chunks, *two.cast(one.type).chunks], one.type)
        return both.take(pyarrow.array(np.where(rows < 0, other_rows + len(self), rows)))

    def made(self, columns: dict[str, Any]) -> Any:
        return extra("pyarrow").table(columns)


def _kind(table: Any) -> str:
    return f"{type(table).__module__.partition('.')[0]}.{type(table).__name__}"


_KINDS: dict[str, type[Frame]] = {"pandas.DataFrame": _Pandas, "polars.DataFrame": _Polars, "pyarrow.Table": _PyArrow}


def frame(table: Any, name: str) -> Frame:
    """Returns a data frame of any library."""
    kind = _kind(table)
    if kind == "polars.LazyFrame":
        raise KeyTypeError(f"{name} is a LazyFrame, but left is not; collect it, or make left lazy")
    if kind not in _KINDS:
        raise KeyTypeError(f"{name} is {kind}; it must be a DataFrame of pandas or Polars, or a table of pyarrow")
    made = _KINDS[kind](table)
    if len(set(made.names)) < len(made.names):
        twice = next(one for one in made.names if list(made.names).count(one) > 1)
        raise InvalidArgument(f"{name} has several columns of the name {twice!r}")
    return made


def frames(left: Any, right: Any) -> tuple[Frame, Frame]:
    """Returns two data frames of the left one's library."""
    one, two = frame(left, "left"), frame(right, "right")
    if type(one) is type(two):
        return one, two
    if isinstance(one, _Polars):
        polars = extra("polars")
        return one, _Polars(polars.from_pandas(right) if isinstance(two, _Pandas) else polars.from_arrow(right))
    pyarrow = extra("pyarrow")
    if isinstance(one, _Pandas):
        return one, _Pandas(right.to_pandas())
    return one, _PyArrow(
        pyarrow.Table.from_pandas(right, preserve_index=False) if isinstance(two, _Pandas) else right.to_arrow()
    )


def named_columns(one: str | list[str] | None, both: str | list[str] | None, what: str) -> list[str]:
    """The names that a call gives for one side, or for both."""
    given = both if one is None else one
    if given is None:
        raise InvalidArgument(f"neither on nor {what} names a column")
    if one is not None and both is not None:
        raise InvalidArgument(f"both on and {what} name columns")
    return [given] if isinstance(given, str) else list(given)


def add_suffixed(columns: dict[str, Any], added: dict[str, Any], suffix: str) -> None:
    """Adds columns; those whose names exist already get a suffix."""
    taken = set(columns)
    for name, column in added.items():
        final = f"{name}{suffix}" if name in taken else name
        if final in columns:
            raise InvalidArgument(f"suffix is {suffix!r}, but there is a column {final!r} already")
        columns[final] = column
