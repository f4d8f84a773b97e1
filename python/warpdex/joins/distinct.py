# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Distinct keys: which rows have a key first, and what is left without the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, Unpack, overload

import numpy as np

from .. import _core
from .._core import Call, Values
from ..columns import libraries
from ..columns.parts import class_of
from ..columns.values import columns_in, extra, read
from ..errors import InvalidArgument, KeyTypeError, UntypedError, shown
from ..frames.arrays import is_table
from ..frames.frame import Frame
from ..frames.gather import gather
from ..frames.tables import columns_named, frames
from ..lookups.border import Run, public
from ..types import Answers, Array, Column, Columns, Keep, Table


class _Keys(NamedTuple):
    """The columns whose values are compared, and what makes the caller's kind of some rows."""

    name: str  # of the argument
    columns: list[Values]
    taken: Callable[[Any], Any]

    def place(self, threads: int) -> tuple[int, int]:
        sizes = sorted({column.size for column in self.columns})
        if len(sizes) > 1:
            raise InvalidArgument(f"{self.name} has columns of {' and '.join(map(str, sizes))} values")
        return libraries.together(*self.columns, threads=threads)

    def kept(self, keep: str, call: Call, inverse: bool = False, counts: bool = False) -> tuple[Any, Any, Any]:
        """The rows that are kept, the position of each row's key among them, and how many rows have it."""
        found = _core.unique(self._parts(call.threads), keep, inverse, counts, *self.place(call.threads))
        rows, places, numbers = libraries.adopted(found, self.columns[0])
        return rows, places, numbers

    def flags(self, keep: str, call: Call) -> Any:
        """Which rows are repeats."""
        found = _core.duplicates(self._parts(call.threads), keep, *self.place(call.threads))
        first = self.columns[0]
        if first.place is not None or first.give is None:
            return libraries.adopted(found, first)
        return first.give(found, None)  # a null has an answer, too

    def _parts(self, threads: int) -> list[_core.Part]:
        """The columns, of words their numbers."""

        def part_of(column: Values) -> _core.Part:
            if not any(part.codes is not None for part in column.parts):
                return column.whole()
            return _core.encode([column], [column], True, True, -1, threads)[1]

        return [part_of(column) for column in self.columns]


def _read(column: Any, name: str, stream: Any) -> Values:
    try:
        return read(column, name, stream=stream)
    except UntypedError:  # of nulls alone
        return read(column, name, "integer", stream=stream)


def _is_frame(keys: Any) -> bool:
    if isinstance(keys, (dict, tuple)):
        return isinstance(keys, dict)
    if class_of(keys) == ("pandas", "MultiIndex"):
        return False
    # Arrays of Arrow offer the interface of its tables.
    return columns_in(keys) is not None or (is_table(keys) and not hasattr(keys, "type") and not hasattr(keys, "dtype"))


def _keys_of(keys: Any, name: str, subset: Any, call: Call) -> _Keys:
    """Those of a column, a tuple of columns, or the columns of a frame that a subset names."""
    if _is_frame(keys):
        return _keys_in(_frame_of(keys, name, call.threads), name, subset, call.stream)
    if subset is not None:
        raise InvalidArgument(f"subset is {subset!r}, but {name} is {type(keys).__name__}, which has no names")
    several = columns_in(keys)
    if several is not None:
        columns = [_read(column, f"{name}[{number}]", call.stream) for number, column in enumerate(several)]
        if class_of(keys) == ("pandas", "MultiIndex"):
            return _Keys(name, columns, keys.take)
        return _Keys(name, columns, lambda rows: tuple(_taken(column, rows, call.threads) for column in several))
    if isinstance(keys, (str, bytes)) or not hasattr(keys, "__len__") or getattr(keys, "shape", None) == ():
        raise KeyTypeError(f"{name} is {shown(keys)}, which is no column")
    return _Keys(name, [_read(keys, name, call.stream)], lambda rows: _taken(keys, rows, call.threads))


def _taken(column: Any, rows: Any, threads: int) -> Any:
    """A column at some rows. Those of the libraries of frames are taken as frames are, on all threads."""
    kind = class_of(column)
    if kind[1] == "Series" and kind[0] in ("pandas", "polars"):
        result = _rows_of(_frame_of(column.to_frame(), "keys", threads), rows)
        return result.iloc[:, 0].rename(column.name) if kind[0] == "pandas" else result.to_series()
    if kind[0] == "pyarrow":
        pyarrow = extra("pyarrow")
        result = _rows_of(_frame_of(pyarrow.table({"keys": column}), "keys", threads), rows).column(0)
        return result if isinstance(column, pyarrow.ChunkedArray) else result.combine_chunks()
    return gather(rows, column)


def _rows_of(frame: Frame, rows: Any) -> Any:
    """The table of a frame at some rows."""
    result = frame.table_of(frame.at(frame.names, rows))
    if hasattr(frame.table, "iloc"):  # of pandas, whose rows keep their labels
        result.index = frame.table.index[rows]
    return result


def _frame_of(table: Any, name: str, threads: int) -> Frame:
    (frame,) = frames(table, names=(name,), nan_is_null=False, threads=threads)
    return frame


def _keys_in(frame: Frame, name: str, subset: Any, stream: Any) -> _Keys:
    """Those of the columns of a frame that a subset names."""
    names = list(frame.names) if subset is None else columns_named(subset, None, "subset", "on", frame.names)
    frame.expect(names, "subset")
    if not names:
        raise InvalidArgument(
            f"{name} has no columns" if subset is None else f"subset is {subset!r}, which names no column"
        )
    columns = [_read(_nameless(frame.key(column)), repr(column), stream) for column in names]
    return _Keys(name, columns, lambda rows: _rows_of(frame, rows))


def _nameless(column: Any) -> Any:
    """A column of pandas or Polars without its name, since flags of a frame are no answers to that column."""
    if hasattr(column, "alias"):
        return column.alias("")
    return column.rename(None) if hasattr(column, "to_frame") else column


@overload
def unique(  # type: ignore[overload-overlap]
    keys: list[Any],
    index: Literal[False] = False,
    inverse: Literal[False] = False,
    counts: Literal[False] = False,
    **run: Unpack[Run],
) -> np.ndarray: ...
@overload
def unique(
    keys: Table,
    index: Literal[False] = False,
    inverse: Literal[False] = False,
    counts: Literal[False] = False,
    **run: Unpack[Run],
) -> Table: ...
@overload
def unique(  # type: ignore[overload-overlap]
    keys: list[Any], index: bool = False, inverse: bool = False, counts: bool = False, **run: Unpack[Run]
) -> tuple[np.ndarray, ...]: ...
@overload
def unique(
    keys: Table, index: bool = False, inverse: bool = False, counts: bool = False, **run: Unpack[Run]
) -> tuple[Table, *tuple[Array, ...]]: ...
@public
def unique(keys: Any, index: bool = False, inverse: bool = False, counts: bool = False, **run: Unpack[Run]) -> Any:
    """Each value once, in the order in which they appear first.

    `keys` is a column, a tuple of columns or a frame, of any library; what is returned is of that kind. With `index`,
    `inverse` or `counts` it is the first of a tuple. The others are arrays of NumPy, or of the library of arrays: the row of
    each value, the position of each row's value among the distinct ones, and the number of its rows. Nulls are one value; NaN
    equals NaN, but no null, and -0.0 equals 0.0.

    >>> import numpy as np
    >>> values, rows, places, numbers = unique(np.array([30, 10, 30]), index=True, inverse=True, counts=True)
    >>> values.tolist(), rows.tolist(), places.tolist(), numbers.tolist()
    ([30, 10], [0, 1], [0, 1, 0], [2, 1])
    """
    call = Call(**run)
    found = _keys_of(keys, "keys", None, call)
    rows, places, numbers = found.kept("first", call, inverse, counts)
    values = found.taken(rows)
    if not (index or inverse or counts):
        return values
    return values, *([rows] if index else []), *([places] if inverse else []), *([numbers] if counts else [])


@overload
def duplicates(keys: Columns, keep: Keep = "first", **run: Unpack[Run]) -> Answers: ...
@overload
def duplicates(keys: np.ndarray | Sequence[Any], keep: Keep = "first", **run: Unpack[Run]) -> np.ndarray: ...
@overload
def duplicates(keys: Column, keep: Keep = "first", **run: Unpack[Run]) -> Column: ...
@public
def duplicates(keys: Any, keep: Keep = "first", **run: Unpack[Run]) -> Any:
    """Which rows repeat the key of another one, as flags, whose kind is that of answers to a lookup.

    With `keep` first or last the first or the last row of each key is no repeat; with none all rows of a key that has
    several are repeats. `keys` and what is equal are as in `unique`.

    >>> duplicates(["a", "b", "a"]).tolist(), duplicates(["a", "b", "a"], keep="none").tolist()
    ([False, False, True], [True, False, True])
    """
    call = Call(**run)
    return _keys_of(keys, "keys", None, call).flags(keep, call)


@public
def drop_duplicates(frame: Table, subset: Any = None, keep: Keep = "first", **run: Unpack[Run]) -> Table:
    """A frame, a column or a tuple of columns without repeats, in its order and its own kind.

    `subset` names the columns of a frame that are compared, all by default. `keep` and what is equal are as in `duplicates`.
    Rows of pandas keep their labels. All columns of a frame are gathered in one pass where they have a plain layout.

    >>> import pandas as pd
    >>> drop_duplicates(pd.DataFrame({"url": ["x", "y", "x"], "day": [1, 2, 3]}), "url", keep="last")["day"].tolist()
    [2, 3]
    """
    call = Call(**run)
    keys = _keys_of(frame, "frame", subset, call)
    return keys.taken(keys.kept(keep, call)[0])
