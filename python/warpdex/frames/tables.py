# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Data frames of pandas, Polars and pyarrow: their columns, and rows gathered by their own library. Those that stay where
they are, dicts of arrays and tables of Arrow's device interface, are in arrays.py."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import numpy as np

from .. import _core
from ..columns import libraries
from ..columns.arrays import is_objects
from ..columns.families import decimals_listed
from ..columns.parts import arrow_column, class_of, of_class
from ..columns.values import extra
from ..errors import InvalidArgument, KeyTypeError, Unsupported, reading, shown
from ..lookups.border import public
from ..types import Table
from .arrays import Arrays, Tables, is_table
from .frame import Frame, Rows, taken
from .gather import columns_taken_by_pandas, plain_type, read_rows, rows_of_library, taken_by_pandas, without_views


def _arrow_times(units: np.ndarray, missing: np.ndarray | None, kind: Any) -> Any:
    """A column of pyarrow's times or durations. @param units counts of the unit of `kind`"""
    pyarrow = extra("pyarrow")
    numbers = pyarrow.array(_core.ArrowArray(units, missing))
    return (numbers.cast(pyarrow.int32()) if kind.bit_width == 32 else numbers).cast(kind)


def as_derived(result: Any, table: Any) -> Any:
    """A DataFrame of pandas in the class of another one, with what that notes of itself."""
    return result if type(table) is type(result) else of_class(table._constructor, result).__finalize__(table)


class _Pandas(Frame):
    def __init__(self, table: Any) -> None:
        self.table, self.names, self.column = table, list(table.columns), table.__getitem__
        self.labels = [name for name in table.index.names if name is not None]

    def key(self, name: Any) -> Any:
        column = self.column(name)
        kind = column.dtype.kind if isinstance(column.dtype, np.dtype) else ""
        if not (self.nan_is_null and kind in ("f", "O") and column.hasnans):
            return column
        if kind == "f":
            return column.astype("Float32" if column.dtype.itemsize == 4 else "Float64")
        objects = column.to_numpy(copy=True)
        objects[column.isna().to_numpy()] = None
        return extra("pandas").Series(objects, column.index, object, column.name)

    def table_of(self, columns: dict[Any, Any]) -> Any:
        result = extra("pandas").DataFrame(columns, copy=False)
        if result.columns.nlevels == self.table.columns.nlevels:
            result.columns.names = self.table.columns.names
        return as_derived(result, self.table)

    def whole(self) -> dict[Any, Any]:  # without the frame's index; a column is copied when it is written, or here
        rows = extra("pandas").RangeIndex(len(self.table))
        return {name: self.table[name].set_axis(rows) for name in self.names}

    def take(self, names: Iterable[Any], rows: Rows) -> dict[Any, Any]:
        import pandas

        fills = bool((rows < 0).any())
        columns, wanted = {}, list(names)
        result = columns_taken_by_pandas([self.table[name] for name in wanted], rows, fills, self.threads)
        for name, found in zip(wanted, result):
            # A frame would guess another type of objects.
            columns[name] = pandas.Series(found, dtype=object, copy=False) if found.dtype == object else found
        return columns

    def numbers(self, values: np.ndarray, missing: np.ndarray | None) -> Any:
        pandas = extra("pandas")
        if missing is None or not missing.any():
            return pandas.Series(values, copy=False)
        if values.dtype.kind == "f":
            return pandas.Series(np.where(missing, np.nan, values), copy=False)
        return pandas.Series(pandas.arrays.IntegerArray(values, missing), copy=False)

    def durations(self, values: np.ndarray) -> Any:
        return extra("pandas").Series(values, copy=False)

    def decimals(self, units: np.ndarray, missing: np.ndarray | None, scale: int) -> Any:
        return extra("pandas").Series(decimals_listed(units, missing, scale), dtype=object)

    def times(self, units: np.ndarray, missing: np.ndarray | None, family: str, like: Any) -> Any:
        pandas = extra("pandas")
        if isinstance(like.dtype, pandas.ArrowDtype):
            arrow = _arrow_times(units, missing, like.dtype.pyarrow_dtype)
            return pandas.Series(pandas.arrays.ArrowExtensionArray(arrow))
        if like.dtype.kind not in "mM":
            raise KeyTypeError(f"{like.name!r} has the dtype {like.dtype}; convert it to datetime64 or timedelta64")
        values = units if missing is None else np.where(missing, np.iinfo(np.int64).min, units)
        times = pandas.Series(values.view(np.dtype(family.partition(" ")[0])))
        zone = getattr(like.dtype, "tz", None)
        return times if zone is None else times.dt.tz_localize("UTC").dt.tz_convert(zone)

    def _both(self, left: Any, right: Any) -> Any:
        import pandas

        kinds = [plain_type(column.dtype) for column in (left, right)]
        if kinds != [None, None]:  # pandas joins no views
            sides = [
                column if kind is None else pandas.Series(column.array.astype(kind))
                for column, kind in zip((left, right), kinds)
            ]
            result = pandas.concat(sides, ignore_index=True)
            return pandas.Series(result.array.astype(left.dtype)) if left.dtype == right.dtype else result
        zone, other = (_zone_of(column.dtype) for column in (left, right))
        if zone and other and zone != other:  # pandas has no type of several zones
            right = right.dt.tz_convert(zone)
        both = pandas.concat([left, right], ignore_index=True)
        types = pandas.api.types
        if types.is_float_dtype(both.dtype) and any(types.is_integer_dtype(side.dtype) for side in (left, right)):
            exact = pandas.concat([side.astype(object) for side in (left, right)], ignore_index=True)
            known = exact.dropna()
            if (both[known.index].astype(object) != known).any():  # pandas rounds integers of 64 bits of both signs
                return exact
        return both

    def _at(self, column: Any, rows: Rows) -> Any:
        return extra("pandas").Series(taken_by_pandas(column, rows, False), dtype=column.dtype, copy=False)


def _zone_of(kind: Any) -> Any:
    """The time zone of a type of pandas; None without one."""
    return getattr(getattr(kind, "pyarrow_dtype", kind), "tz", None)


class _Polars(Frame):
    def __init__(self, table: Any) -> None:
        self.table, self.names, self.column = table, table.columns, table.get_column

    def table_of(self, columns: dict[Any, Any]) -> Any:
        result = extra("polars").DataFrame(columns)
        return result if type(self.table) is type(result) else of_class(type(self.table), result)

    def take(self, names: Iterable[Any], rows: Rows) -> dict[Any, Any]:
        import polars

        def by_polars(column: Any, _: Any) -> Any:
            missing = rows < 0
            return column.gather(polars.Series("", _core.ArrowArray(rows, missing if missing.any() else None)))

        def is_left(column: Any) -> bool:
            # Dictionaries that each chunk has anew, and fields whose names Polars might not export.
            words = isinstance(column.dtype, (polars.Categorical, polars.Enum)) and column.n_chunks() > 1
            return is_objects(column) or words or column.dtype.is_nested()

        return taken(self, names, rows, polars.Series, by_polars, is_left)

    def numbers(self, values: np.ndarray, missing: np.ndarray | None) -> Any:
        return extra("polars").Series("", _core.ArrowArray(values, missing))

    def durations(self, values: np.ndarray) -> Any:
        return extra("polars").Series("", values)

    def decimals(self, units: np.ndarray, missing: np.ndarray | None, scale: int) -> Any:
        polars = extra("polars")
        return polars.Series("", decimals_listed(units, missing, scale), polars.Decimal(38, scale))

    def times(self, units: np.ndarray, missing: np.ndarray | None, family: str, like: Any) -> Any:
        polars = extra("polars")
        numbers = self.numbers(units, missing)
        return (numbers.cast(polars.Int32) if like.dtype == polars.Date else numbers).cast(like.dtype)

    def _both(self, left: Any, right: Any) -> Any:
        import polars

        kind = self._common(left.dtype, right.dtype)

        def cast(column: Any) -> Any:
            words = kind == polars.Binary and column.dtype != kind  # which become bytes as text alone
            return (column.cast(polars.String) if words else column).cast(kind).alias("")

        return polars.concat([cast(left), cast(right)])

    def _common(self, left: Any, right: Any) -> Any:
        """The finest type of two. That of Polars is the coarser one for times, and there is none for many words."""
        import polars

        if left == right:
            return left
        times = [kind for kind in (left, right) if kind in (polars.Datetime, polars.Duration)]
        if times and polars.Null not in (left, right):
            unit = min((kind.time_unit for kind in times), key=("ns", "us", "ms").index)
            return polars.Datetime(unit, times[0].time_zone) if times[0] == polars.Datetime else polars.Duration(unit)
        words = polars.String, polars.Categorical, polars.Enum, polars.Binary
        if isinstance(left, words) and isinstance(right, words):
            return polars.Binary if polars.Binary in (left, right) else polars.String
        empty = [polars.Series("", [], kind).to_frame() for kind in (left, right)]
        return polars.concat(empty, how="vertical_relaxed").dtypes[0]

    def _at(self, column: Any, rows: Rows) -> Any:
        return column.gather(rows)


class _PyArrow(Frame):
    def __init__(self, table: Any) -> None:
        self.table, self.names, self.column = table, table.column_names, table.column
        self.table_of = type(table).from_pydict

    def key(self, name: Any) -> Any:
        return arrow_column(self.table, name)

    def take(self, names: Iterable[Any], rows: Rows) -> dict[Any, Any]:
        import pyarrow

        def by_pyarrow(column: Any, name: Any) -> Any:
            missing = rows < 0
            positions = pyarrow.array(_core.ArrowArray(rows, missing if missing.any() else None))
            return self._taken(column, positions, name)

        return taken(self, names, rows, lambda _, result: pyarrow.chunked_array([pyarrow.array(result)]), by_pyarrow)

    def _taken(self, column: Any, positions: Any, name: Any) -> Any:
        import pyarrow

        plain = without_views(column.type)
        try:
            return column.take(positions) if plain is None else column.cast(plain).take(positions).cast(column.type)
        except pyarrow.ArrowNotImplementedError as why:
            raise Unsupported(f"pyarrow cannot take rows of {name!r}: {why}") from None

    def numbers(self, values: np.ndarray, missing: np.ndarray | None) -> Any:
        return extra("pyarrow").array(_core.ArrowArray(values, missing))

    def durations(self, values: np.ndarray) -> Any:
        return extra("pyarrow").array(values)

    def decimals(self, units: np.ndarray, missing: np.ndarray | None, scale: int) -> Any:
        pyarrow = extra("pyarrow")
        return pyarrow.array(decimals_listed(units, missing, scale), pyarrow.decimal128(38, scale))

    def times(self, units: np.ndarray, missing: np.ndarray | None, family: str, like: Any) -> Any:
        return _arrow_times(units, missing, like.type)

    def _both(self, left: Any, right: Any) -> Any:
        kind = self._common(left.type, right.type)
        return extra("pyarrow").chunked_array([*left.cast(kind).chunks, *right.cast(kind).chunks], kind)

    def _common(self, left: Any, right: Any) -> Any:
        """The finest type of two. pyarrow has none for dates with times, two zones, 64 bits of both signs, and words."""
        import pyarrow

        types = pyarrow.types
        if left == right:
            return left
        left, right = (kind.value_type if types.is_dictionary(kind) else kind for kind in (left, right))
        both = left, right
        times = [kind for kind in both if types.is_timestamp(kind)]
        if times and all(types.is_timestamp(kind) or types.is_date(kind) for kind in both):
            unit = min((kind.unit for kind in times), key=("ns", "us", "ms", "s").index)
            return pyarrow.timestamp(unit, times[0].tz)
        if pyarrow.uint64() in both and any(types.is_signed_integer(kind) for kind in both):
            return pyarrow.decimal128(20)
        text = types.is_string, types.is_large_string, types.is_string_view
        raw = types.is_binary, types.is_large_binary, types.is_binary_view, types.is_fixed_size_binary
        if all(any(test(kind) for test in text + raw) for kind in both):
            return (
                pyarrow.large_binary() if any(test(kind) for kind in both for test in raw) else pyarrow.large_string()
            )
        schemas = [pyarrow.schema([("", kind)]) for kind in both]
        return pyarrow.unify_schemas(schemas, promote_options="permissive").field(0).type

    def _at(self, column: Any, rows: Rows) -> Any:
        return self._taken(column, extra("pyarrow").array(rows), "its key")


_KINDS: dict[tuple[str, str], type[Frame]] = {
    ("pandas", "DataFrame"): _Pandas,
    ("polars", "DataFrame"): _Polars,
    ("pyarrow", "Table"): _PyArrow,
    ("builtins", "dict"): Arrays,
}


def frames(
    *tables: Any,
    nan_is_null: bool = True,
    names: tuple[str, ...] = ("left", "right"),
    keeps_left: bool = False,
    threads: int = 0,
) -> list[Frame]:
    """Returns data frames of any library: those called left and right, in the left one's library.

    @param keeps_left whether the columns of the left one are in the result as they are
    """
    result: list[Frame] = []
    for table, name in zip(tables, names):
        kind = class_of(table)
        if kind == ("polars", "LazyFrame"):
            raise KeyTypeError(f"{name} is a LazyFrame, but left is not; collect it, or make left lazy")
        frame = _KINDS.get(kind) or (Tables if is_table(table) else None)
        if frame is None:
            method = next((method for method in ("to_arrow_table", "to_frame") if hasattr(table, method)), None)
            hint = "" if method is None else f", of which {name}.{method}() makes a frame"
            raise KeyTypeError(
                f"{name} is {shown(table) if kind[0] == 'builtins' else '.'.join(kind)}{hint}; it must be a DataFrame of pandas, Polars or cuDF, a table of pyarrow or of "
                "Arrow's device interface, or a dict of arrays"
            )
        with reading(name):
            result.append(frame(table))
        if len(result) > 1 or not keeps_left:
            result[-1].expect_taken()
        if len(set(result[-1].names)) < len(result[-1].names):
            twice = next(column for column in result[-1].names if list(result[-1].names).count(column) > 1)
            raise InvalidArgument(f"{name} has several columns of the name {twice!r}")
    if len({*map(type, result)}) > 1:
        for side, name, other in zip(result, names, names[::-1]):
            if not side.is_converted:
                raise KeyTypeError(f"{name} is {side.what}, but {other} is not")
        result[1] = type(result[0])(_converted(result[1], type(result[0])))
    for side in result:
        side.nan_is_null, side.threads = nan_is_null, threads
    return result


@public
def gather_table(rows: Any, table: Table) -> Table:
    """The rows of a data frame of any library at some row numbers, in its own kind; -1 is a row of nulls. Rows of a frame on
    a device may be on that device; all columns of one width are gathered in one pass there.

    >>> import pyarrow
    >>> gather_table([1, -1], pyarrow.table({"name": ["Ada", "Bob"]}))["name"].to_pylist()
    ['Bob', None]
    """
    (frame,) = frames(table, names=("table",))
    frame.expect_taken()
    library = libraries.library_of(rows)
    if isinstance(library, libraries.Native):
        rows = rows_of_library(rows, len(frame), "rows")
    elif library is None:
        rows, _ = read_rows(rows, len(frame), "rows")
        if rows.ndim != 1:
            raise KeyTypeError(f"rows has {rows.ndim} dimensions; it must be a list of integers")
    return frame.table_of(frame.take(frame.names, rows))


def _converted(frame: Frame, to: type[Frame]) -> Any:
    """The table of a frame in another library. Names with zero bytes stay: Arrow's interface would cut them, and Polars fails."""
    names = list(map(str, frame.names))
    kinds = frame.table.schema.types if isinstance(frame, _PyArrow) else frame.table.dtypes
    for name, kind in zip(names, map(str, kinds)):
        if "struct" in kind.lower() and ("\0" in kind or "\\x00" in kind):
            raise Unsupported(
                f"the column {name!r} of a struct has a field whose name has a zero byte, which Arrow cuts"
            )
    if not any("\0" in name for name in names):
        return _in_library(frame.table, type(frame), to)
    numbered = _renamed(frame.table, type(frame), list(map(str, range(len(names)))))
    return _renamed(_in_library(numbered, type(frame), to), to, names)


def _renamed(table: Any, kind: type[Frame], names: list[str]) -> Any:
    if kind is _Pandas:
        return table.set_axis(names, axis=1)
    return table.rename_columns(names) if kind is _PyArrow else table.rename(dict(zip(table.columns, names)))


def _in_library(table: Any, kind: type[Frame], to: type[Frame]) -> Any:
    if to is _Polars:
        import polars

        return polars.from_pandas(table) if kind is _Pandas else polars.from_arrow(table)
    if to is _Pandas:
        return table.to_pandas()
    if kind is _Pandas:
        return extra("pyarrow").Table.from_pandas(table, preserve_index=False)
    for column in filter(is_objects, table.iter_columns()):
        raise Unsupported(f"the column {column.name!r} is of objects of Python, which pyarrow does not have")
    return table.to_arrow()


def label_of(label: Any, what: str) -> Any:
    """The name of a column, for which Polars has `pl.col` too."""
    if type(label).__module__.partition(".")[0] != "polars" or not hasattr(label, "meta"):
        return label
    if not label.meta.is_column():
        raise KeyTypeError(f"{what} is the expression {label}; it must be the name of a column, or pl.col of one")
    return label.meta.output_name()


def columns_named(own: Any, both: Any, what: str, shared: str, labels: Collection[Any] = ()) -> list[Any]:
    """The names that a call gives for one side, or for both; none if it gives none.

    @param labels the names that a frame has: a tuple among them is a name, else it holds several
    """
    if own is not None and both is not None:
        raise InvalidArgument(f"both {shared} and {what} name columns")
    named = both if own is None else own
    if named is None:
        return []
    called = shared if own is None else what
    if type(named) in (list, tuple):
        named = type(named)(label_of(name, called) for name in named)
    several = isinstance(named, list) or (isinstance(named, tuple) and named not in labels)
    names = list(named) if several else [label_of(named, called)]
    for name in names:
        try:
            hash(name)
        except TypeError:
            raise KeyTypeError(f"{called} is {named!r}, which names no column") from None
    return names


def keys_named(own: Any, both: Any, what: str, labels: Collection[Any] = ()) -> list[Any]:
    """The names of key columns, of which there is one at least."""
    names = columns_named(own, both, what, "on", labels)
    if not names:
        raise InvalidArgument(f"neither on nor {what} names a column; they are {both!r} and {own!r}")
    return names


def both_named(left: Frame, right: Frame, on: Any, left_on: Any, right_on: Any) -> tuple[list[Any], list[Any]]:
    """The key columns of both sides, as many on each."""
    if type(on) is str and left_on is None and right_on is None and on in left.names and on in right.names:
        return [on], [on]
    lefts, rights = keys_named(left_on, on, "left_on", left.names), keys_named(right_on, on, "right_on", right.names)
    left.expect(lefts, "left_on" if on is None else "left: on")
    right.expect(rights, "right_on" if on is None else "right: on")
    if len(lefts) != len(rights):
        raise InvalidArgument(f"left_on names {len(lefts)} columns, right_on {len(rights)}")
    return lefts, rights


def by_named(
    left: Frame,
    right: Frame,
    by: Any,
    by_left: Any,
    by_right: Any,
    names: tuple[str, str] = ("by_left", "by_right"),
    sides: tuple[str, str] = ("left", "right"),
) -> tuple[list[Any], list[Any]]:
    """The columns of groups of both sides, as many on each; none if a call names none.

    @param names what the call calls them @param sides what it calls the frames
    """
    lefts, rights = (
        columns_named(own, by, name, "by", frame.names)
        for own, name, frame in ((by_left, names[0], left), (by_right, names[1], right))
    )
    left.expect(lefts, names[0] if by is None else f"{sides[0]}: by")
    right.expect(rights, names[1] if by is None else f"{sides[1]}: by")
    if len(lefts) != len(rights):
        raise InvalidArgument(f"{names[0]} names {len(lefts)} columns, {names[1]} {len(rights)}")
    return lefts, rights


def key_named(own: Any, both: Any, what: str, labels: Collection[Any] = ()) -> Any:
    """The name of the one key column of an as-of join."""
    names = keys_named(own, both, what, labels)
    if len(names) > 1:
        raise InvalidArgument(f"{what} names {len(names)} columns, {names!r}; an as-of join has one key")
    return names[0]
