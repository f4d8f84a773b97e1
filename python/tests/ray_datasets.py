# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Random tables, the same as Datasets of Ray, their comparison, and what calls refuse."""

import datetime
import decimal
import time

import numpy as np
import pyarrow as pa
import pytest
import ray

import warpdex

_DAY = datetime.date(2024, 1, 1)

# A type of keys, and how a small integer becomes one.
KINDS = {
    "int64": (pa.int64(), lambda n: n - 20),
    "uint32": (pa.uint32(), lambda n: n),
    "double": (pa.float64(), lambda n: float("nan") if n == 39 else n / 4),
    "string": (pa.string(), lambda n: f"k{n % 7}{n}"),
    "binary": (pa.binary(), lambda n: bytes([n, 0, 255 - n])),
    "timestamp": (pa.timestamp("us", "UTC"), lambda n: datetime.datetime.fromtimestamp(n, datetime.timezone.utc)),
    "date": (pa.date32(), lambda n: _DAY + datetime.timedelta(n)),
    "decimal": (pa.decimal128(9, 2), lambda n: decimal.Decimal(n - 20) / 4),
    "bool": (pa.bool_(), lambda n: n % 2 == 1),
}


def some(random, values, kind, share=0.1):
    """A column of values, of which a share is null."""
    return pa.array([None if random.random() < share else one for one in values], kind)


def tables(seed, left=400, right=300, values=40, kind="int64"):
    """A left and a right side."""
    random = np.random.default_rng(seed)
    type_of, key_of = KINDS[kind]

    def keys(size):
        return {
            "key": some(random, map(key_of, random.integers(0, values, size).tolist()), type_of),
            "ts": some(random, random.integers(0, 1000, size).tolist(), pa.int64()),
            "symbol": some(random, [f"s{one}" for one in random.integers(0, 6, size)], pa.string()),
        }

    one = pa.table({"id": np.arange(left), **keys(left), "upper": random.integers(0, 1100, left)})
    sizes = some(random, random.integers(0, 9, right).tolist(), pa.int32())
    return one, pa.table({**keys(right), "bid": random.random(right), "size": sizes})


def dataset(table, blocks=3):
    edges = np.linspace(0, len(table), blocks + 1).astype(int)
    return ray.data.from_arrow([table.slice(a, b - a) for a, b in zip(edges, edges[1:])])


def collected(data):
    return pa.concat_tables(ray.get(data.to_arrow_refs()), promote_options="permissive")


def expect_equal(data, expected):
    """The same rows; those of a left row in the same order."""
    found = collected(data)
    assert found.column_names == expected.column_names
    by_id = [np.argsort(one["id"].to_numpy(), kind="stable") for one in (found, expected)]
    # as text, in which NaN equals itself
    assert repr(found.take(by_id[0]).to_pylist()) == repr(expected.take(by_id[1]).to_pylist())


def refusal(call):
    """The exception that a call raises within seconds."""
    begin = time.monotonic()
    with pytest.raises(warpdex.Error) as caught:
        call()
    assert time.monotonic() - begin < 20 and "\n" not in str(caught.value)
    return type(caught.value), str(caught.value)
