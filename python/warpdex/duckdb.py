# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Indexes inside of DuckDB: joins that stream, and functions for SQL."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._core import Call
from .columns.families import scale_of
from .columns.parts import arrow_column
from .columns.values import extra
from .errors import InvalidArgument, KeyTypeError, shown
from .lookups import calls
from .lookups.asking import Searched, arguments
from .lookups.border import public, public_methods
from .lookups.table import GROUPED_TABLE, TABLE, Lookups, Row
from .types import How

if TYPE_CHECKING:
    import pyarrow as pa

duckdb = extra("duckdb")
pyarrow = extra("pyarrow")

_BATCH = 1 << 20  # rows that are looked up together: DuckDB hands out 122,880 at a time
_FUNCTIONS = {row.what.name: row for row in TABLE.values() if row.what.takes == "keys" and len(row.what.writes) == 1}

# DuckDB's types of integers that take 128 bits, and its lossless type of those without a sign.
_WIDE = {"u128 decimal(0)": "HUGEINT", "u128": "UHUGEINT"}
_UNSIGNED = pyarrow.opaque(pyarrow.binary(16), "uhugeint", "DuckDB")

# The indexes of each prefix of a connection.
_attached: weakref.WeakKeyDictionary[Any, dict[str, dict[str, Searched]]] = weakref.WeakKeyDictionary()


def _exact(column: Any, kind: str) -> Any:
    """An array that DuckDB exports: one of UHUGEINT in its lossless type, since as decimals its values are negative
    from 2**127 on."""
    if kind != "UHUGEINT" or not pyarrow.types.is_decimal(column.type):
        return column
    if isinstance(column, pyarrow.ChunkedArray):
        return pyarrow.chunked_array([chunk.view(_UNSIGNED) for chunk in column.chunks], _UNSIGNED)
    return column.view(_UNSIGNED)


def _null_of(schema: Any, name: str) -> Any:
    """A column of a schema with one null."""
    return arrow_column(pyarrow.table([pyarrow.nulls(1, kind) for kind in schema.types], schema), name)


@public_methods(held="index")
class Joined:
    """The rows of a query with the row ids of an index, as `join` makes them. Each reader runs the query again, so
    DuckDB may read it often. Columns of UHUGEINT are of DuckDB's lossless type.

    >>> joined = Index([30, 10]).join(duckdb.connect(), "select 10 as k", on="k")
    >>> joined.schema.names
    ['k', 'row']
    """

    def __init__(self, index: Lookups, con: Any, sql: str, on: str, how: How, row: str) -> None:
        if not (hasattr(con, "cursor") and hasattr(con, "sql")):
            raise KeyTypeError(f"con is {shown(con)}; it must be a connection of DuckDB")
        self._index, self._con, self._sql, self._on, self._how = index, con, sql, on, how
        with self._cursor() as cursor:
            query = self._query(cursor)
            self._kinds = list(map(str, query.types))
            schema = query.limit(0).to_arrow_reader(1).schema
        for number, name in enumerate(self._kinds):
            exact = _exact(pyarrow.array([], schema.types[number]), name).type
            schema = schema.set(number, schema.field(number).with_type(exact))
        self._source = schema
        if on not in self._source.names:
            raise InvalidArgument(f"on is {on!r}; the query has {', '.join(map(repr, self._source.names))}")
        index._read(_null_of(self._source, on), on)  # another type of keys fails here
        self.schema = self._source
        if how in ("inner", "left"):
            if row in self._source.names:
                raise InvalidArgument(f"row is {row!r}, but the query has such a column")
            kind = pyarrow.int32() if index._row_type.itemsize == 4 else pyarrow.int64()
            self.schema = self._source.append(pyarrow.field(row, kind))

    def _cursor(self) -> Any:
        if _in_transaction(self._con):
            raise InvalidArgument("con has an open transaction, whose rows no cursor sees; commit it before a join")
        try:
            return self._con.cursor()
        except duckdb.Error as why:
            raise InvalidArgument(f"con cannot run a query: {why}") from why

    def _query(self, cursor: Any) -> Any:
        try:
            found = cursor.sql(self._sql)
        except duckdb.Error as why:
            raise InvalidArgument(f"sql is {shown(self._sql)}, which DuckDB refuses: {why}") from why
        if found is None:
            raise InvalidArgument(f"sql is {self._sql!r}, which returns no rows")
        return found

    def _exactly(self, batch: Any) -> Any:
        columns = [_exact(column, kind) for column, kind in zip(batch.columns, self._kinds)]
        return pyarrow.RecordBatch.from_arrays(columns, schema=self._source)

    def _batches(self) -> Iterator[Any]:
        version = self._index._core.version
        with self._cursor() as cursor:
            waiting: list[Any] = []
            rows = 0
            for batch in self._query(cursor).to_arrow_reader(122_880):
                waiting.append(self._exactly(batch))
                rows += batch.num_rows
                if rows >= _BATCH:
                    yield from self._looked_up(waiting, version)
                    waiting, rows = [], 0
            if waiting:
                yield from self._looked_up(waiting, version)

    def _looked_up(self, batches: list[Any], version: int) -> Iterator[Any]:
        table = pyarrow.Table.from_batches(batches, self._source)
        keys = table.column(self._on)
        with self._index._unchanged_since(version):
            counts = calls.matches(self._index, keys, self._how)
        for begin, end in calls.stretches(counts, table.num_rows):
            with self._index._unchanged_since(version):
                probes = self._index._read(keys.slice(begin, end - begin), "probes", "equal")
                left, right = self._index._pairs((probes,), self._how, Call())
            for at in range(0, left.size, calls.PAIRS):
                pairs = slice(at, at + calls.PAIRS)
                yield from self._made(table.slice(begin, end - begin), left[pairs], right[pairs])

    def _made(self, table: Any, left: np.ndarray, right: np.ndarray) -> list[Any]:
        """Rows of pairs, as batches."""
        whole = self._how == "left" and left.size == table.num_rows
        found = table if whole else table.take(pyarrow.array(left))
        if self._how in ("inner", "left"):
            missing = right < 0
            ids = _core.ArrowArray(right, missing if missing.any() else None)
            found = found.append_column(self.schema.field(len(self.schema) - 1), pyarrow.array(ids))
        return list(found.to_batches())

    def reader(self) -> pa.RecordBatchReader:
        """A reader of Arrow's record batches, which runs the query.

        >>> joined = Index([30, 10]).join(duckdb.connect(), "select 10 as k", on="k")
        >>> [batch.num_rows for batch in joined.reader()]
        [1]
        """
        return pyarrow.RecordBatchReader.from_batches(self.schema, self._batches())

    def __arrow_c_schema__(self) -> Any:
        return self.schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.reader().__arrow_c_stream__(requested_schema)

    def table(self) -> pa.Table:
        """All rows as a table of pyarrow.

        >>> joined = Index([30, 10]).join(duckdb.connect(), "select 10 as k", on="k")
        >>> joined.table().to_pylist()
        [{'k': 10, 'row': 1}]
        """
        return self.reader().read_all()


@public
def join(index: Lookups, con: Any, sql: str, *, on: str, how: How = "inner", row: str = "row") -> Joined:
    """Joins the rows of a query with an index over its column `on`; the row ids are the column `row`.

    The result streams: `con.sql("from joined")` reads it, and so does anything that reads Arrow. The query runs on a
    cursor of the connection, so it sees what is committed, of tables and views that are not temporary. A connection
    with an open transaction is refused where DuckDB tells of it, which it does not within a query of the connection.
    For rows of an open transaction join the table of its query, `con.sql(query).to_arrow_table()`, by `warpdex.join`.
    Batches of the result have at most 2^20 rows, however many match.

    >>> con = duckdb.connect()
    >>> joined = Index([30, 10, 20]).join(con, "select unnest([10, 11, 30]) as k", on="k")
    >>> con.sql("from joined").fetchall()
    [(10, 1), (30, 0)]
    """
    return Joined(index, con, sql, on, how, row)


def _in_transaction(con: Any) -> bool:
    """Whether the caller began a transaction: else each query has its own. False if the connection answers nothing
    now."""
    try:
        first, second = (con.sql("select txid_current()").fetchall() for _ in range(2))
    except duckdb.Error:
        return False
    return bool(first == second)


def _sql_type(family: str, keys: str) -> str:
    if family == "integer":
        return "UBIGINT" if keys == "u64" else "BIGINT"
    if family in _WIDE:
        return _WIDE[family]
    if (scale := scale_of(family)) is not None:
        return f"DECIMAL(38, {scale})"
    unit, _, kind = family.partition(" ")
    known = {
        "float": "DOUBLE",
        "string": "VARCHAR",
        "uuid": "UUID",
        "bool": "BOOLEAN",
        "datetime64[D]": "DATE",
        "datetime64[s]": "TIMESTAMP_S",
        "datetime64[ms]": "TIMESTAMP_MS",
        "datetime64[us]": "TIMESTAMP",
        "datetime64[ns]": "TIMESTAMP_NS",
    }
    if unit not in known or kind not in ("", "UTC"):
        raise KeyTypeError(f"keys of type {family} have no type in DuckDB")
    return "TIMESTAMPTZ" if kind else known[unit]


@public
def attach(con: Any, *, prefix: str = "warpdex", **indexes: Searched) -> None:
    """Adds functions to a connection: warpdex_find('orders', k), _contains, _count, _floor, and _retrieve, whose lists
    `unnest` takes apart. A null key has a null answer.

    Functions of a `GroupedIndex` take its groups before the keys: warpdex_floor('quotes', symbol, time). They are _find,
    _contains, _count, _floor, _ceil and _retrieve.

    All indexes of a prefix have keys of one type; another call with another prefix adds functions for another type.
    Another call with the same prefix adds its indexes; an index of the same name takes the place of the former one.
    DuckDB calls functions with 2048 rows at a time, on many threads. On a device such a call takes longer than the
    lookup, so the index had better be on the CPU. There are also _ceil, _lower_bound and _upper_bound.

    Keys are numbers, decimals, strings, UUIDs, bools, dates and timestamps, and of 128 bits HUGEINT or UHUGEINT. DuckDB
    rounds decimals to the digits of keys that are decimals, and converts none to integers of 128 bits. The name is the
    same in all rows of a call: a column of different names is an error.

    >>> con = duckdb.connect()
    >>> attach(con, orders=Index([30, 10, 20, 10]))
    >>> con.sql("select warpdex_find('orders', 10), unnest(warpdex_retrieve('orders', 10))").fetchall()
    [(1, 1), (1, 3)]
    """
    for name, index in indexes.items():
        if not isinstance(index, Searched):
            raise KeyTypeError(f"{name} is {shown(index)}; it must be a warpdex.Index or GroupedIndex")
    if not indexes:
        raise InvalidArgument("there is no index to attach; name them, as in attach(con, orders=index)")
    indexes = {**_attached.get(con, {}).get(prefix, {}), **indexes}
    types = {name: [_sql_type(*kind) for kind in index._column_types] for name, index in indexes.items()}
    kinds_of_keys = next(iter(types.values()))
    for name, others in types.items():
        if others != kinds_of_keys:
            other, kind = ", ".join(others), ", ".join(kinds_of_keys)
            raise KeyTypeError(f"{name} has keys of type {other}, others of {kind}; attach it with another prefix")
    wide = "BIGINT" if any(index._row_type.itemsize == 8 for index in indexes.values()) else "INTEGER"
    kinds = {"row": wide, "rows": f"{wide}[]", "flag": "BOOLEAN", "rank": "BIGINT", "count": "BIGINT"}
    detach(con, prefix=prefix)
    for function, row in _FUNCTIONS.items():
        if len(kinds_of_keys) > 1 and function not in GROUPED_TABLE:
            continue
        answers = kinds[row.what.writes[0]]
        try:
            con.create_function(
                f"{prefix}_{function}",
                _lookup(row, indexes, kinds_of_keys, answers),
                ["VARCHAR", *kinds_of_keys],
                answers,
                type="arrow",
                null_handling="special",
            )
        except duckdb.CatalogException as why:
            raise InvalidArgument(f"prefix is {prefix!r}, of which another connection has functions: {why}") from why
    _attached.setdefault(con, {})[prefix] = indexes


@public
def detach(con: Any, *, prefix: str = "warpdex") -> None:
    """Removes the functions that `attach` added, if there are any.

    >>> con = duckdb.connect()
    >>> attach(con, orders=Index([30, 10]))
    >>> detach(con)
    """
    _attached.get(con, {}).pop(prefix, None)
    for function in _FUNCTIONS:
        try:
            con.remove_function(f"{prefix}_{function}")
        except duckdb.InvalidInputException:
            pass


def _lookup(row: Row, indexes: dict[str, Searched], kinds: list[str], answers: str) -> Any:
    rows = pyarrow.int64() if answers.startswith("BIGINT") else pyarrow.int32()

    def look_up(names: Any, *columns: Any) -> Any:
        name = names[0].as_py() if len(names) else next(iter(indexes))
        if name not in indexes:
            raise InvalidArgument(f"no index {name!r} is attached; there are {', '.join(map(repr, indexes))}")
        if not _all_are(names, name):
            others = [other for other in names.unique().to_pylist() if other != name]
            raise InvalidArgument(f"the index is {name!r} in some rows and {others[0]!r} in others; a call takes one")
        keys = [_exact(column, kind) for column, kind in zip(columns, kinds)]
        method = getattr(indexes[name], row.what.name)
        found = method(*arguments(keys), threads=1)
        if row.what.lists:
            return _lists(found, keys, rows)
        return found.cast(rows) if row.what.writes[0] == "row" else found

    by_place = inspect.Parameter.POSITIONAL_OR_KEYWORD  # DuckDB compares the number of parameters with that of types
    parameters = [inspect.Parameter(name, by_place) for name in ("names", *(f"column_{n}" for n in range(len(kinds))))]
    look_up.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return look_up


def _all_are(names: Any, name: str) -> bool:
    """Whether all names are that one. This compares bytes, as `unique` takes a good part of a call's time."""
    word = name.encode()
    for _, size, (letters, offsets), nulls, _ in _core.read_arrow(names):
        if nulls is not None or (np.diff(offsets) != len(word)).any():
            return False
        if letters[int(offsets[0]) :].tobytes()[: size * len(word)] != word * size:
            return False
    return True


def _lists(answers: Any, keys: list[Any], rows: Any) -> Any:
    offsets, found = answers
    nulls = np.logical_or.reduce([column.is_null().to_numpy() for column in keys])
    ends = pyarrow.array(offsets.astype(np.int32), mask=np.append(nulls, False))
    return pyarrow.ListArray.from_arrays(ends, pyarrow.array(found).cast(rows))
