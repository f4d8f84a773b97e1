# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Random columns of pandas and Polars. Each kind maps small numbers to values of a type, in order."""

import datetime
import decimal
import uuid

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

DAY = datetime.date(2024, 1, 1)
MOMENT = datetime.datetime(2024, 1, 1)
ZONE = "Europe/Berlin"
LIMIT = 40  # numbers are below it


class Refused(Exception):
    """The other library does not answer."""


def asked(call):
    """The answer of the other library."""
    try:
        return call()
    except Exception as why:
        raise Refused from why


def numbers(rng, size, limit=LIMIT):
    """Few or many values, and now and then one value alone."""
    return rng.integers(0, rng.choice([1, 4, limit // 2, limit]), size)


def pick(rng, choices):
    """One of some choices, as it is."""
    return choices[int(rng.integers(len(choices)))]


def size_of(rng, most=60):
    return int(pick(rng, [0, 1, 2, *[most] * 7]) * rng.random() + 0.999)


# pandas.

_UNITS = ("s", "ms", "us", "ns")


def _arrow(kind):
    return lambda v: pd.Series(pa.array(v.tolist()).cast(kind), dtype=pd.ArrowDtype(kind))


PANDAS_NUMBERS = {
    **{kind: lambda v, kind=kind: pd.Series(v - 20, dtype=kind) for kind in ("int8", "int16", "int32", "int64")},
    **{kind: lambda v, kind=kind: pd.Series(v, dtype=kind) for kind in ("uint8", "uint16", "uint32", "uint64")},
    "float32": lambda v: pd.Series((v - 20) / 4, dtype="float32"),
    "float64": lambda v: pd.Series((v - 20) / 4),
    "Int64": lambda v: pd.Series(v - 20, dtype="Int64"),
    "UInt8": lambda v: pd.Series(v, dtype="UInt8"),
    "Float64": lambda v: pd.Series(v / 4, dtype="Float64"),
    "int64[pyarrow]": _arrow(pa.int64()),
    "uint16[pyarrow]": _arrow(pa.uint16()),
    "double[pyarrow]": _arrow(pa.float64()),
}
PANDAS_TIMES = {
    **{f"M8[{u}]": lambda v, u=u: pd.Series(v * 1_000_000_000).astype("M8[ns]").astype(f"M8[{u}]") for u in _UNITS},
    **{
        f"m8[{u}]": lambda v, u=u: pd.Series(v * 1_000_000_000).astype("m8[ns]").astype(f"m8[{u}]") for u in ("s", "us")
    },
    "zoned": lambda v: pd.Series(v * 1_000_000).astype("M8[us]").dt.tz_localize("UTC").dt.tz_convert(ZONE),
    "utc": lambda v: pd.Series(v * 1_000_000_000).astype("M8[ns]").dt.tz_localize("UTC"),
    "timestamp[pyarrow]": lambda v: pd.Series(
        pa.array(v * 1_000_000).cast(pa.timestamp("us")), dtype=pd.ArrowDtype(pa.timestamp("us"))
    ),
}


def _objects(make):
    return lambda v: pd.Series([make(int(n)) for n in v], dtype=object)


def word(number):
    return ["", "a", "ab", "é", "日本"][number] if number < 5 else f"w{number:02}" * (1 + number % 3)


PANDAS_WORDS = {
    "str": lambda v: pd.Series([word(n) for n in v], dtype="str"),
    "string": lambda v: pd.Series([word(n) for n in v], dtype="string"),
    "string[python]": lambda v: pd.Series([word(n) for n in v], dtype="string[python]"),
    "string[pyarrow]": lambda v: pd.Series([word(n) for n in v], dtype=pd.ArrowDtype(pa.string())),
    "objects of text": _objects(word),
    "objects of bytes": _objects(lambda n: word(n).encode()),
    "objects of ids": _objects(lambda n: uuid.UUID(int=n << 90)),
    "category": lambda v: pd.Series(pd.Categorical.from_codes(v, [word(n) for n in range(LIMIT)])),
}
PANDAS_OBJECTS = {
    "objects of dates": _objects(lambda n: DAY + datetime.timedelta(n)),
    "objects of moments": _objects(lambda n: MOMENT + datetime.timedelta(0, n)),
    "objects of ints": _objects(int),
    "objects of bools": _objects(lambda n: n > 9),
}
PANDAS_OTHERS = {
    "bool": lambda v: pd.Series(v > 9),
    "boolean": lambda v: pd.Series(v > 9, dtype="boolean"),
    "category of ints": lambda v: pd.Series(pd.Categorical.from_codes(v, range(LIMIT))),
    "date[pyarrow]": lambda v: pd.Series(pa.array(v.astype("i4")).cast(pa.date32()), dtype=pd.ArrowDtype(pa.date32())),
}
PANDAS_KEYS = {**PANDAS_NUMBERS, **PANDAS_TIMES}
PANDAS_EQUAL = {**PANDAS_KEYS, **PANDAS_WORDS, **PANDAS_OBJECTS, **PANDAS_OTHERS}
PANDAS_ALL = {  # and those that are no keys
    **PANDAS_EQUAL,
    "objects of lists": _objects(lambda n: [n]),
    "objects of spans": _objects(lambda n: datetime.timedelta(n)),
    "objects of zoned times": _objects(lambda n: pd.Timestamp(n, unit="s", tz=ZONE)),
    "objects of periods": _objects(lambda n: pd.Period(ordinal=n, freq="M")),
    "objects of decimals": _objects(lambda n: decimal.Decimal(n) / 4),
    "period": lambda v: pd.Series(pd.PeriodIndex.from_ordinals(v, freq="D")),
    "interval": lambda v: pd.Series(pd.arrays.IntervalArray.from_arrays(v / 2, v / 2 + 1)),
    "sparse": lambda v: pd.Series(pd.arrays.SparseArray(np.where(v > 9, v, 0).astype("f8"))),
    "complex": lambda v: pd.Series(v * 1j),
    "list[pyarrow]": lambda v: pd.Series([[int(n)] for n in v], dtype=pd.ArrowDtype(pa.list_(pa.int64()))),
    "decimal[pyarrow]": lambda v: pd.Series(
        pa.array(v.tolist()).cast(pa.decimal128(21, 2)), dtype=pd.ArrowDtype(pa.decimal128(21, 2))
    ),
}


def pandas_column(rng, kind, size, nulls=0.0, limit=LIMIT):
    result = PANDAS_ALL[kind](numbers(rng, size, limit))
    gone = rng.random(size) < nulls
    if result.dtype == object:  # of one kind per type, as pandas takes either side's; NaN is a key among numbers
        none = {
            "objects of ints": None,
            "objects of bools": None,
            "objects of dates": None,
            "objects of moments": pd.NaT,
        }
        result[gone] = none.get(kind, np.nan)
    elif kind != "sparse" and (not isinstance(result.dtype, np.dtype) or result.dtype.kind in "fmM"):
        result[gone] = pick(rng, [None, np.nan]) if result.dtype.kind in "fO" else None
    return result


def same_pandas(found, expected):
    assert list(found.columns) == list(expected.columns), (list(found.columns), list(expected.columns))
    assert list(found.columns.names) == list(expected.columns.names)
    labels = range(expected.shape[1])
    pd.testing.assert_frame_equal(found.set_axis(labels, axis=1), expected.set_axis(labels, axis=1))


# Polars.

_INTEGERS = (pl.Int8, pl.Int16, pl.Int32, pl.Int64)
_NATURALS = (pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64)

POLARS_NUMBERS = {
    **{str(kind): lambda v, kind=kind: pl.Series(v - 20).cast(kind) for kind in _INTEGERS},
    **{str(kind): lambda v, kind=kind: pl.Series(v).cast(kind) for kind in _NATURALS},
    "Float32": lambda v: pl.Series((v - 20) / 4, dtype=pl.Float32),
    "Float64": lambda v: pl.Series((v - 20) / 4, dtype=pl.Float64),
}
POLARS_TIMES = {
    "Date": lambda v: pl.Series(v).cast(pl.Date),
    "Time": lambda v: pl.Series(v * 10**9).cast(pl.Time),
    **{
        f"Datetime({u})": lambda v, u=u: pl.Series(v * 10**9).cast(pl.Datetime("ns")).cast(pl.Datetime(u))
        for u in _UNITS[1:]
    },
    **{
        f"Duration({u})": lambda v, u=u: pl.Series(v * 10**9).cast(pl.Duration("ns")).cast(pl.Duration(u))
        for u in _UNITS[1:]
    },
    "Datetime(UTC)": lambda v: pl.Series(v * 10**6).cast(pl.Datetime("us", "UTC")),
    "Datetime(zone)": lambda v: pl.Series(v * 10**3).cast(pl.Datetime("ms", ZONE)),
}
POLARS_WORDS = {
    "String": lambda v: pl.Series([word(n) for n in v], dtype=pl.String),
    "Binary": lambda v: pl.Series([word(n).encode() + b"\xff" for n in v], dtype=pl.Binary),
    "Categorical": lambda v: pl.Series([word(n) for n in v], dtype=pl.Categorical),
    "Enum": lambda v: pl.Series([word(n) for n in v], dtype=pl.Enum([word(n) for n in range(LIMIT)])),
}
POLARS_KEYS = {**POLARS_NUMBERS, **POLARS_TIMES}
POLARS_EQUAL = {**POLARS_KEYS, **POLARS_WORDS, "Boolean": lambda v: pl.Series(v > 9)}
POLARS_ALL = {
    **POLARS_EQUAL,
    "Null": lambda v: pl.Series([None] * len(v)),
    "Decimal": lambda v: pl.Series(v).cast(pl.Decimal(9, 2)),
    "Int128": lambda v: pl.Series(v).cast(pl.Int128),
    "List": lambda v: pl.Series([[n] for n in v], dtype=pl.List(pl.Int64)),
    "Array": lambda v: pl.Series([[n, n] for n in v], dtype=pl.Array(pl.Int64, 2)),
    "Struct": lambda v: pl.Series([{"a": n} for n in v], dtype=pl.Struct({"a": pl.Int64})),
}


def polars_column(rng, kind, size, nulls=0.0, limit=LIMIT, odd=0.0):
    """@param odd how many values of floats are NaN, -0.0 or infinite"""
    result = POLARS_ALL[kind](numbers(rng, size, limit))
    if kind.startswith("Float"):
        strange = pl.Series(rng.choice([np.nan, -0.0, 0.0, np.inf, -np.inf], size), dtype=result.dtype)
        result = result.zip_with(pl.Series(rng.random(size) >= odd, dtype=pl.Boolean), strange)
    gone = pl.Series(rng.random(size) < nulls, dtype=pl.Boolean)
    return (
        result.zip_with(~gone, pl.Series([None], dtype=result.dtype).new_from_index(0, size)) if gone.any() else result
    )


def chunked(rng, frame):
    """The same frame in several chunks, now and then."""
    if len(frame) < 2 or rng.random() < 0.7:
        return frame
    cut = int(rng.integers(1, len(frame)))
    return pl.concat([frame[:cut], frame[cut:]], rechunk=False)


def same_polars(found, expected):
    assert found.schema == expected.schema, (found.schema, expected.schema)
    from polars.testing import assert_frame_equal

    assert_frame_equal(found, expected, check_exact=True)
