# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""What joins ask of a data frame of any library."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

import numpy as np

from .._core import ArrowColumn, row_facts
from ..columns.parts import OnHost
from ..columns.values import unnamed
from ..errors import InvalidArgument, KeyTypeError, Unsupported, reading

# Row numbers; -1 means a row of nulls.
Rows = np.ndarray


class Frame:
    """A data frame of one library."""

    table: Any
    names: Collection[Any]  # of Polars and pyarrow text, of pandas any labels
    column: Callable[[Any], Any]  # of a name
    table_of: Callable[[dict[Any, Any]], Any]  # makes a table of columns
    nan_is_null = True  # in keys, of pandas alone
    is_converted = True  # whether a right side of another library becomes one of this
    threads = 0  # the most that a call uses; 0 for all cores
    what = "a DataFrame"
    labels: Collection[Any] = ()  # names of the frame's index, which are no columns

    def __init__(self, table: Any) -> None:
        raise NotImplementedError

    def __len__(self) -> int:
        return len(self.table)

    def whole(self) -> dict[Any, Any]:
        """All columns as they are."""
        return {name: self.column(name) for name in self.names}

    def key(self, name: Any) -> Any:
        """A column whose values are joined."""
        return self.column(name)

    def expect_taken(self) -> None:
        """Checks before any work that rows can be taken of all columns."""

    def take(self, names: Iterable[Any], rows: Rows) -> dict[Any, Any]:
        """The columns of some names at some rows."""
        raise NotImplementedError

    def at(self, names: Iterable[Any], rows: Rows) -> dict[Any, Any]:
        """The same, without a copy if these are all rows as they are."""
        if isinstance(rows, np.ndarray) and row_facts(rows, len(self), self.threads)[2]:
            whole = self.whole()
            return {name: whole[name] for name in names}
        return self.take(names, rows)

    def merged(self, name: Any, rows: Rows, other: Frame, other_name: Any, other_rows: Rows) -> Any:
        """A column with this one's values, and another one's where the row is -1, in a type that holds both exactly."""
        try:
            both = self._both(self.column(name), other.column(other_name))
        except Exception as why:  # each library has its own
            line = str(why).split("\n")[0]
            raise InvalidArgument(f"{name!r} and {other_name!r} have no type that holds both: {line}") from None
        return self._at(both, np.where(rows < 0, other_rows + len(self), rows))

    def numbers(self, values: np.ndarray, missing: np.ndarray | None) -> Any:
        """A column of numbers, some of which are missing."""
        raise NotImplementedError

    def durations(self, values: np.ndarray) -> Any:
        """A column of timedelta64."""
        raise Unsupported(f"offsets are durations, but left is {self.what}, which has none")

    def decimals(self, units: np.ndarray, missing: np.ndarray | None, scale: int) -> Any:
        """A column of decimals. @param units integers, in units of 10**-scale"""
        raise NotImplementedError

    def times(self, units: np.ndarray, missing: np.ndarray | None, family: str, like: Any) -> Any:
        """A column of times or durations. @param units counts of the unit of `family` @param like a column of the type"""
        raise KeyTypeError("sums and means of times are for tables of pandas, Polars and pyarrow")

    def _both(self, left: Any, right: Any) -> Any:
        """Two columns as one, in the finest type of both."""
        raise NotImplementedError

    def _at(self, column: Any, rows: Rows) -> Any:
        """The values at some rows, none of which is -1."""
        raise NotImplementedError

    def made(self, columns: dict[Any, Any], added: dict[Any, Any], suffix: str) -> Any:
        """A table of columns and of others, whose names get a suffix where they exist already."""
        taken = set(columns)
        for name, column in added.items():
            final = suffixed(name, suffix) if name in taken else name
            if final in columns:
                raise InvalidArgument(f"suffix is {suffix!r}, but there is a column {final!r} already")
            columns[final] = column
        return self.table_of(columns)

    def expect(self, names: Iterable[Any], what: str) -> None:
        for name in names:
            if name in self.labels and name not in self.names:
                raise InvalidArgument(
                    f"{what} names {name!r}, which is the frame's index; reset_index() makes a column of it"
                )
            if name not in self.names:
                known = ", ".join(map(repr, self.names)) or "none"
                raise InvalidArgument(f"{what} names the column {name!r}; there are {known}")


def taken(
    frame: Frame,
    names: Iterable[Any],
    rows: Rows,
    of_arrow: Callable[[Any, OnHost], Any],
    by_library: Callable[[Any, Any], Any],
    is_left: Callable[[Any], bool] = lambda column: False,
) -> dict[Any, Any]:
    """Columns of a library that reads Arrow, at some rows: all that have a plain layout in one pass.

    @param of_arrow makes a column of a name @param by_library takes rows of a column and its name, if no pass does
    @param is_left which columns are left to the library
    """
    columns = {name: frame.column(name) for name in names}
    passed = [name for name, column in columns.items() if not is_left(column)]
    with reading("the table"):
        found = ArrowColumn.take_host([unnamed(columns[name]) for name in passed], rows, frame.threads)
    result = {name: of_arrow(name, OnHost(core)) for name, core in zip(passed, found) if core is not None}
    return {name: result[name] if name in result else by_library(column, name) for name, column in columns.items()}


def suffixed(name: Any, suffix: str) -> Any:
    """A name with a suffix; one of several levels gets it at its first one, as in pandas."""
    return (f"{name[0]}{suffix}", *name[1:]) if isinstance(name, tuple) else f"{name}{suffix}"
