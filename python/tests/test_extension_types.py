# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Columns of Arrow's extension types: known ones are what they say, others are refused by name, wherever columns come in."""

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import warpdex
from warpdex import GroupedIndex, Index

HUGE = [7, -(2**127), None, 2**100, -1, 2**127 - 1]
UNSIGNED = [7, 2**127, None, 2**100, 1, 2**128 - 1]
IDS = [bytes([n]) * 16 for n in (7, 200, 0, 100, 1, 255)]


def opaque(name, width=16):
    return pa.opaque(pa.binary() if width is None else pa.binary(width), name, "DuckDB")


def extension(kind, values):
    """An array of an extension type over its storage."""
    return pa.ExtensionArray.from_storage(kind, pa.array(values, kind.storage_type))


def numbers(name, values):
    signed = name == "hugeint"
    stored = [None if one is None else one.to_bytes(16, "little", signed=signed) for one in values]
    return extension(opaque(name), stored)


KNOWN = {
    "hugeint": (numbers("hugeint", HUGE), HUGE),
    "uhugeint": (numbers("uhugeint", UNSIGNED), UNSIGNED),
    "uuid": (extension(pa.uuid(), [*IDS[:2], None, *IDS[3:]]), [*IDS[:2], None, *IDS[3:]]),
    "bool8": (extension(pa.bool8(), [0, None, 7, -1]), [False, None, True, True]),
    "json": (extension(pa.json_(), ["{}", None, "[1]", ""]), ["{}", None, "[1]", ""]),
}


def backwards(array):
    return pa.array(range(len(array) - 1, -1, -1), pa.int16())


def padded(array):
    """The same as a slice of more."""
    return pa.concat_arrays([array[2:], array, array[:1]])[len(array) - 2 : 2 * len(array) - 2]


def of_duckdb(array):
    """What DuckDB gives to Polars: the bytes of numbers in columns of strings."""
    kind = array.type.storage_type
    wide = pa.binary() if pa.types.is_fixed_size_binary(kind) else kind
    name = array.type.type_name if isinstance(array.type, pa.OpaqueType) else ""
    return pa.ExtensionArray.from_storage(opaque(name, None), array.storage.cast(wide)) if name else array


LAYOUTS = {
    "plain": lambda array: array,
    "slice": padded,
    "chunks": lambda array: pa.chunked_array([array[:1], array[1:1], array[1:]]),
    "dictionary": lambda array: pa.DictionaryArray.from_arrays(backwards(array), array.take(backwards(array))),
    "pandas": lambda array: pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([array]))),
    "strings": of_duckdb,
    "large strings": lambda array: larger(of_duckdb(array)),
    "polars": lambda array: pl.Series(of_duckdb(array)),
}


def larger(array):
    if not isinstance(array.type, pa.OpaqueType):
        return array
    kind = pa.opaque(pa.large_binary(), array.type.type_name, "DuckDB")
    return pa.ExtensionArray.from_storage(kind, array.storage.cast(pa.large_binary()))


def listed(found):
    result = found.to_pylist() if hasattr(found, "to_pylist") else list(found)
    return [None if one is None or one is pd.NA or one == -1 else one for one in result]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", KNOWN)
def test_known_types_are_what_they_say(name, layout):
    array, values = KNOWN[name]
    column = LAYOUTS[layout](array)
    rows = [None if one is None else values.index(one) for one in values]
    assert listed(Index(column, "AO+BS").find(column)) == rows
    if name == "uuid":
        return  # bytes are those of a UUID, or its text
    kept = [one for one in values if one is not None]
    ordered = sorted(kept, key=lambda one: one.encode() if isinstance(one, str) else one)
    index = Index(column, "AO+BS")
    probes = [one for one in kept if not isinstance(one, int) or -(2**63) <= one < 2**64]
    assert index.lower_bound(probes).tolist() == [ordered.index(one) for one in probes]
    shown = index.keys_at(list(range(len(kept)))).tolist()
    assert [one.decode() if isinstance(one, bytes) else one for one in shown] == ordered


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["hugeint", "uhugeint"])
def test_integers_of_duckdb_are_asked_with_others(name, layout):
    array, values = KNOWN[name]
    column = LAYOUTS[layout](array)
    wide = pl.Series(values, dtype=pl.Int128 if name == "hugeint" else pl.UInt128)
    rows = [None if one is None else row for row, one in enumerate(values)]
    assert listed(Index(column).find(wide)) == rows and listed(Index(wide).find(column)) == rows
    assert listed(Index([1, -1, 7]).find(column)) == [{1: 0, -1: 1, 7: 2}.get(one) for one in values]
    small = Index(column[:1], "AO+BS")
    assert listed(small.find(column)) == [0, *[None] * 5]
    assert listed(small.floor(column)) == [None if one is None or one < 7 else 0 for one in values]


def right_of(kind, array):
    table = pa.table({"k": array, "t": list(range(len(array))), "v": list(range(len(array)))})
    if kind == "pandas":
        return table.to_pandas(types_mapper=pd.ArrowDtype)
    return table if kind == "pyarrow" else pl.DataFrame({"k": LAYOUTS["polars"](array), **table.drop("k").to_pydict()})


@pytest.mark.parametrize("kind", ["pyarrow", "pandas", "polars"])
@pytest.mark.parametrize("name", KNOWN)
def test_frames_of_known_types(name, kind):
    array, values = KNOWN[name]
    table = right_of(kind, array)
    pairs = [(i, j) for i, a in enumerate(values) for j, b in enumerate(values) if a is not None and a == b]
    result = warpdex.join(table, table, "k")
    assert list(zip(listed(result["t"]), listed(result["v_right"]))) == pairs
    last = [None if a is None else max(j for j in range(i + 1) if values[j] == a) for i, a in enumerate(values)]
    assert listed(warpdex.join_asof(table, table, on="t", by="k")["v_right"]) == last
    if name.endswith("hugeint"):
        nearest = warpdex.join_asof(table, table, on="k", strategy="nearest")["v_right"]
        assert listed(nearest) == [None if one is None else row for row, one in enumerate(values)]


def test_tables_of_duckdb():
    with duckdb.connect() as con:
        con.execute("set arrow_lossless_conversion = true")
        listing = ", ".join("null" if one is None else f"'{one}'" for one in HUGE)
        query = con.sql(f"select unnest([{listing}])::hugeint as k, true as b, uuid() as u, '{{}}'::json as j")
        table = query.to_arrow_table()
        for column in table.columns:
            assert listed(Index(column).find(column)).count(None) == column.null_count
        assert Index(table["k"], "AO+BS").floor([0, 8, 2**101]).tolist() == [4, 0, 3]
        assert Index(query.pl()["k"], "AO+BS").floor([0, 8, 2**101]).tolist() == [4, 0, 3]


class Inches(pa.ExtensionType):
    def __init__(self, storage=None):
        super().__init__(pa.int64() if storage is None else storage, "my.inches")

    def __arrow_ext_serialize__(self):
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage, serialized):
        return cls(storage)


class PolarsInches(pl.BaseExtension):
    def __init__(self):
        super().__init__("my.inches", pl.Int64)


def unknown():
    inches = extension(Inches(), [3, None, 5])
    words = Inches(pa.dictionary(pa.int8(), pa.string()))
    return {
        "opaque": (
            extension(opaque("time_tz", 8), [b"12345678", None, b"\xff" * 8]),
            r"'arrow.opaque' \(time_tz of DuckDB\)",
        ),
        "another vendor": (
            extension(pa.opaque(pa.binary(16), "hugeint", "Other"), IDS),
            r"'arrow.opaque' \(hugeint of Other\)",
        ),
        "another storage": (
            extension(pa.opaque(pa.int64(), "hugeint", "DuckDB"), [1]),
            r"'arrow.opaque' \(hugeint of DuckDB\)",
        ),
        "own": (inches, "'my.inches'"),
        "chunks": (pa.chunked_array([inches[:1], inches[1:]]), "'my.inches'"),
        "no chunks": (pa.chunked_array([], Inches()), "'my.inches'"),
        "slice": (inches[1:], "'my.inches'"),
        "words": (pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), inches), "'my.inches'"),
        "of words": (
            pa.ExtensionArray.from_storage(
                words, pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), ["a", "b"])
            ),
            "'my.inches'",
        ),
        "period": (pa.array(pd.period_range("2024-01", periods=2, freq="M")), "'pandas.period'"),
        "pandas": (pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([inches]))), "'my.inches'"),
        "polars": (pl.Series("k", [1, 2]).ext.to(PolarsInches()), "'my.inches'"),
    }


@pytest.mark.parametrize("name", unknown())
def test_other_types_are_refused_by_name(name):
    column, shown = unknown()[name]
    size = len(column)
    plain = list(range(size))
    index, grouped = Index([3, 5], "AO+BS"), GroupedIndex([1, 1], [3, 5])
    calls = [
        lambda: Index(column),
        lambda: Index((column, plain)),
        lambda: index.find(column),
        lambda: index.contains(column),
        lambda: index.floor(column),
        lambda: index.range_count(column, column),
        lambda: index.join(column),
        lambda: index.insert(column, plain),
        lambda: grouped.find(column, plain),
    ]
    if size > 0:
        calls.append(lambda: warpdex.gather(column, [1, 2, 3, 4, 5, 6]))
    if isinstance(column, (pa.Array, pa.ChunkedArray)):
        frame = pa.table({"k": column, "t": plain})
    else:
        frame = type(column.to_frame())({"k": column, "t": plain})
    calls += [
        lambda: warpdex.join(frame, frame, "k"),
        lambda: warpdex.join(frame, frame, ["t", "k"]),
        lambda: warpdex.join_asof(frame, frame, on="k"),
        lambda: warpdex.join_asof(frame, frame, on="t", by="k"),
        lambda: warpdex.join_between(frame, frame, "t", "k", "k"),
    ]
    for call in calls:
        with pytest.raises(
            TypeError, match=f"has the Arrow extension type {shown}, which is no type of keys"
        ) as raised:
            call()
        assert isinstance(raised.value, warpdex.Error)
    if "words" not in name and name != "period":  # as values they go along
        joined = warpdex.join(frame, frame, "t")
        assert len(joined["k"]) == size


def test_types_that_pyarrow_does_not_know():
    field = pa.field("k", pa.binary(4), metadata={"ARROW:extension:name": "my.other"})
    table = pa.table([pa.array([b"abcd"]).cast(pa.binary(4)), [1]], schema=pa.schema([field, ("t", pa.int64())]))
    plain = pa.table({"k": pa.array([b"abcd"], pa.binary(4)), "t": [1]})
    for call in (
        lambda: Index(table),
        lambda: warpdex.join(table, plain, "k"),
        lambda: warpdex.join(plain, table, "k"),
        lambda: warpdex.join_asof(plain, table, on="t", by="k"),
        lambda: warpdex.join(plain.to_reader(), table, "k").read_all(),
        lambda: warpdex.join(pl.from_arrow(plain), table, "k"),
    ):
        with pytest.raises(warpdex.errors.KeyTypeError, match="has the Arrow extension type 'my.other'"):
            call()
    assert warpdex.join(table, plain, "t")["k"].to_pylist() == [b"abcd"]


def test_bytes_of_another_length():
    with pytest.raises(ValueError, match="keys: its value 2 has 3 bytes; its type has 16"):
        Index(extension(opaque("hugeint", None), [None, b"a" * 16, b"abc"]))
