# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Joins on equal keys of many types answer as those of DuckDB and Polars: which rows are paired, in any order."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import warpdex

duckdb = pytest.importorskip("duckdb")

WORDS = ["", "a", "ab", "a\0b", "b", "é", "x" * 30]
HOWS = ("inner", "left", "right", "full", "semi", "anti")


def integers(*pool, type=None):
    return lambda random, size: pa.array([pool[n] for n in random.integers(0, len(pool), size)], type or pa.int64())


def words(pool, type=None):
    return integers(*pool, None, type=type or pa.string())


def decimals(digits, *pool):
    values = [None if one is None else Decimal(one) for one in pool]
    return integers(*values, type=pa.decimal128(20, digits))


def nothing(type):
    return lambda random, size: pa.nulls(size, type)


def enum(order):
    """Polars' enums, of which DuckDB and pyarrow see dictionaries."""

    def made(random, size):
        plain = words(WORDS)(random, size)
        return plain if order is None else pl.Series(plain).cast(pl.Enum(order)).to_arrow()

    return made


SMALL = integers(-1, 0, 1, 2, 3, None)
# The key columns of both sides.
CASES = {
    "strings": ([words(WORDS)], [words(WORDS[2:])]),
    "strings of two types": ([words(WORDS, pa.large_string())], [words(WORDS, pa.string_view())]),
    "bytes": ([words([b"", b"\0", b"\xff"], pa.binary())], [words([b"\0", b"\0\0", b"\xff"], pa.binary())]),
    "integers": ([SMALL], [SMALL]),
    "narrow and wide integers": ([integers(0, 1, 127, type=pa.int8())], [integers(-1, 0, 127, 2**40)]),
    "signed and unsigned": ([integers(-1, 0, 2**62)], [integers(0, 2**62, 2**64 - 1, type=pa.uint64())]),
    "two integers": ([SMALL, SMALL], [SMALL, SMALL]),
    "two integers of two widths": ([SMALL, integers(0, 1, type=pa.uint8())], [integers(0, 1, type=pa.int16()), SMALL]),
    "string and integer": ([words(WORDS), SMALL], [words(WORDS), SMALL]),
    "integer and string": ([SMALL, words(WORDS)], [SMALL, words(WORDS)]),
    "three columns": ([SMALL, words(WORDS[:3]), SMALL], [SMALL, words(WORDS[:3]), SMALL]),
    "decimals of two scales": ([decimals(2, "1.5", "1.25", "2", None)], [decimals(4, "1.5", "1.2501", "2", None)]),
    "decimals and integers": ([decimals(1, "1.5", "1", "3", None)], [SMALL]),
    "decimal and string": ([decimals(2, "1.5", "2"), words(WORDS[:3])], [decimals(2, "2", "1.5"), words(WORDS[:3])]),
    "floats": ([integers(0.0, -0.0, 1.5, None, type=pa.float64())], [integers(0.0, 1.5, 2.0, type=pa.float64())]),
    "floats of two widths": ([integers(0.1, 1.5, type=pa.float32())], [integers(0.1, 1.5, None, type=pa.float64())]),
    "bools": ([integers(False, True, None, type=pa.bool_())], [integers(True, None, type=pa.bool_())]),
    "dates": ([integers(0, 1, None, type=pa.date32())], [integers(1, 2, type=pa.date32())]),
    "moments": ([integers(0, 1, None, type=pa.timestamp("us"))], [integers(1, 2, type=pa.timestamp("us"))]),
    "enums of two orders": ([enum(WORDS)], [enum(WORDS[::-1])]),
    "enum and string": ([enum(WORDS)], [enum(None)]),
    "enum and integer": ([enum(WORDS), SMALL], [enum(WORDS[::-1]), SMALL]),
    "a side of nulls": ([words(WORDS)], [nothing(pa.string())]),
    "nulls alone": ([nothing(pa.int64())], [nothing(pa.int64())]),
    "a column of nulls of two": ([SMALL, nothing(pa.string())], [SMALL, words(WORDS)]),
}


def chunks(random, array):
    """The same values in chunks, some of them empty."""
    ends = np.sort(random.integers(0, len(array) + 1, 4)).tolist()
    return pa.chunked_array([array[a:b] for a, b in zip([0, *ends], [*ends, len(array)])], array.type)


def table(random, columns, size, name, chunked):
    result = [one(random, size) for one in columns]
    result = [chunks(random, one) for one in result] if chunked else result
    return pa.table({**{f"k{n}": one for n, one in enumerate(result)}, name: np.arange(size)})


def pairs(frame, how):
    """The rows that are paired, in some order."""
    result = pa.table(frame) if isinstance(frame, pl.DataFrame) else frame
    if isinstance(result, pd.DataFrame):
        columns = [[None if pd.isna(one) else int(one) for one in result[name]] for name in "lr" if name in result]
    else:
        columns = [result.column(name).to_pylist() for name in "lr" if name in result.column_names]
    assert len(columns) == (1 if how in ("semi", "anti") else 2)
    return sorted(zip(*columns), key=lambda row: [-1 if one is None else one for one in row])


def plain(one):
    """A table without dictionaries, of which DuckDB compares no two orders, and without views, which pandas cannot take."""
    odd = (pa.types.is_dictionary, pa.types.is_string_view)
    columns = [c.cast(pa.string()) if any(is_odd(c.type) for is_odd in odd) else c for c in one]
    return pa.table(dict(zip(one.column_names, columns)))


def of_duckdb(con, left, right, keys, how, nulls_equal):
    equal = "is not distinct from" if nulls_equal else "="
    on = " and ".join(f"a.{key} {equal} b.{key}" for key in keys)
    named = "l" if how in ("semi", "anti") else "l, r"
    con.register("a", plain(left))
    con.register("b", plain(right))
    return con.sql(f"select {named} from a {how} join b on {on}").to_arrow_table()


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("sizes", [(60, 40, True), (0, 20, False)])
def test_equal_keys(name, sizes):
    random = np.random.default_rng([len(name), *map(int, sizes)])
    left, right = (
        table(random, columns, size, side, sizes[2]) for columns, size, side in zip(CASES[name], sizes, "lr")
    )
    keys = [one for one in left.column_names if one[0] == "k"]
    con = duckdb.connect()
    for how in HOWS:
        for nulls_equal in (False, True):
            expected = pairs(of_duckdb(con, left, right, keys, how, nulls_equal), how)
            options = {"on": keys, "how": how, "nulls_equal": nulls_equal}
            assert pairs(warpdex.join(left, right, **options), how) == expected, (how, nulls_equal)
            frames = pl.DataFrame(left), pl.DataFrame(right)
            assert pairs(warpdex.join(*frames, **options), how) == expected, (how, nulls_equal)
            try:
                assert pairs(frames[0].join(frames[1], **options), how) == expected
            except pl.exceptions.PolarsError:
                pass  # it joins fewer types with each other
            frames = (one.to_pandas(types_mapper=pd.ArrowDtype) for one in (plain(left), plain(right)))
            assert pairs(warpdex.join(*frames, **options), how) == expected, (how, nulls_equal)


@pytest.mark.parametrize("name", [name for name, (columns, _) in CASES.items() if len(columns) == 1])
def test_pairs_of_columns(name):
    random = np.random.default_rng(len(name))
    left, right = (table(random, columns, 50, side, True) for columns, side in zip(CASES[name], "lr"))
    con = duckdb.connect()
    for how in ("inner", "left", "semi", "anti", "full"):
        expected = pairs(of_duckdb(con, left, right, ["k0"], how, False), how)
        none = [[-1 if one is None else one for one in row] for row in expected]
        for join in (warpdex.joins.hash_join, warpdex.joins.join_columns):
            found = join(left["k0"], right["k0"], how)
            assert sorted(zip(*(one.tolist() for one in found if len(one)))) == sorted(map(tuple, none))
    found = warpdex.joins.first_match(left["k0"], right["k0"])
    firsts = con.sql("select l, min(r) from a left join b on a.k0 = b.k0 group by l order by l").fetchall()
    assert found.tolist() == [-1 if row is None else row for _, row in firsts]
