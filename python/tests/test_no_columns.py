# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""What is no column of a type: nothing at all, nan alone, containers of Python, and frames of one column."""

import datetime
import decimal
import ipaddress
import uuid
from collections import OrderedDict

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import warpdex

KEYS = {
    "strings": ["a", "b"],
    "integers": [1, 2],
    "floats": [1.5, 2.5],
    "bools": [True, False],
    "dates": [datetime.date(2020, 1, 1)],
    "moments": np.array(["2020-01-01"], "M8[s]"),
    "zoned": pd.date_range("2020", periods=2, tz="UTC"),
    "durations": np.array([5], "m8[ms]"),
    "decimals": [decimal.Decimal("1.5")],
    "uuids": [uuid.UUID(int=5)],
    "u128": warpdex.lookups.parse_addresses(["::1", "10.0.0.1"]),
    "tuples": ([1, 2], ["a", "b"]),
}
EMPTY = {
    "list": [],
    "ints": np.array([], np.int64),
    "floats": np.array([], np.float32),
    "words": np.array([], "U3"),
    "objects": np.array([], object),
    "complex": np.array([], complex),
    "pandas": pd.Series([], dtype="float64"),
    "nullable": pd.Series([], dtype="Int64"),
    "pandas index": pd.Index([], dtype="str"),
    "pandas moments": pd.DatetimeIndex([]),
    "pandas arrow": pd.Series([], dtype=pd.ArrowDtype(pa.int8())),
    "polars": pl.Series([], dtype=pl.Float64),
    "polars dates": pl.Series([], dtype=pl.Date),
    "pyarrow": pa.array([], pa.int8()),
    "chunks": pa.chunked_array([], pa.string()),
}


def _index(keys):
    try:
        return warpdex.Index(keys, "AO+BS")
    except warpdex.errors.Unsupported:
        return warpdex.Index(keys)


@pytest.mark.parametrize("keys", list(KEYS.values()), ids=list(KEYS))
@pytest.mark.parametrize("empty", list(EMPTY.values()), ids=list(EMPTY))
def test_a_column_without_values_is_compared_with_keys_of_any_type(keys, empty):
    index = _index(keys)
    kind = type(index.find(empty))
    assert kind.__module__.partition(".")[0] == (
        "numpy" if isinstance(empty, list) else type(empty).__module__.partition(".")[0]
    )
    for call in (index.find, index.count, index.contains, index.floor, index.lower_bound):
        assert len(call(empty)) == 0
    offsets, rows = index.retrieve(empty)
    assert len(offsets) == 1 and len(rows) == 0
    left, right = index.join(empty)
    assert len(left) == len(right) == 0


def test_a_frame_without_rows_is_joined_on_a_key_of_another_type():
    right = {"k": ["a", "b"], "v": [1, 2]}
    for kind, empty in ((pd.DataFrame, pd.Series([], dtype=float)), (pl.DataFrame, pl.Series([], dtype=pl.Float64))):
        left = kind({"k": empty})
        assert len(warpdex.join(left, kind(right), "k", "left")) == 0
        assert len(warpdex.join(kind(right), left, "k")) == 0
        assert len(warpdex.join(kind(right), left, "k", "anti")) == 2
        assert len(warpdex.join_asof(left, kind(right), on="k")) == 0
    with pytest.raises(warpdex.errors.KeyTypeError, match="not compared"):
        warpdex.join(pl.LazyFrame({"k": [1.5]}), pl.LazyFrame(right), "k")
    assert warpdex.searchsorted(np.array([1, 2]), np.array([], object)).tolist() == []
    assert warpdex.searchsorted(np.array(["a"]), np.array([], int)).tolist() == []


@pytest.mark.parametrize("name", [name for name in KEYS if name not in ("integers", "floats", "tuples")])
@pytest.mark.parametrize(
    "nan",
    [[np.nan, np.nan], np.array([np.nan] * 2), np.array([np.nan] * 2, "f4"), [np.nan, None], pd.Series([np.nan] * 2)],
)
def test_nan_alone_is_null_to_keys_that_are_no_numbers(name, nan):
    index = warpdex.Index(KEYS[name])
    assert np.asarray(pd.Series(index.find(nan)).fillna(-1)).tolist() == [-1, -1]
    assert [len(column) for column in index.join(nan, how="left")] == [2, 2]
    some = np.array([np.nan, 1.5])
    if name not in ("decimals", "u128"):
        with pytest.raises(warpdex.errors.KeyTypeError):
            index.find(some)


def test_nan_is_a_value_among_floats_and_in_polars():
    assert warpdex.Index([np.nan, 1.5]).find([np.nan]).tolist() == [0]
    with pytest.raises(warpdex.errors.KeyTypeError, match="type float"):
        warpdex.Index(["a"]).find(pl.Series([float("nan")]))


def _names(call):
    with pytest.raises(warpdex.errors.KeyTypeError) as failure:
        call()
    return str(failure.value)


@pytest.mark.parametrize(
    ("made", "what"),
    [
        (lambda: {1, 2}, "a set, which has no order; give a list of it"),
        (lambda: frozenset([1]), "a frozenset, which has no order; give a list of it"),
        (lambda: (x for x in [1]), "a generator, which can be read only once; give a list of it"),
        (lambda: map(int, "12"), "a map, which can be read only once; give a list of it"),
        (lambda: {"a": 1}, "a dict, which has keys and values; give its keys() or its values()"),
        (lambda: OrderedDict(a=1), "a OrderedDict, which has keys and values; give its keys() or its values()"),
        (lambda: {"a": 1}.items(), "a dict_items, which has pairs; give the keys() or the values()"),
        (lambda: warpdex.Index([1]), "a warpdex.Index, which is no column; give the column over which it was built"),
        (
            lambda: warpdex.GroupedIndex([1], [1]),
            "a warpdex.GroupedIndex, which is no column; give the column over which it",
        ),
        (
            lambda: warpdex.Intervals([1], [1]),
            "a warpdex.Intervals, which is no column; give the column over which it was",
        ),
    ],
)
def test_what_has_no_order_is_named(made, what):
    assert f"keys is {what}" in _names(lambda: warpdex.Index(made()))
    assert f"probes is {what}" in _names(lambda: warpdex.Index([1, 2]).find(made()))
    assert f"probes is {what}" in _names(lambda: warpdex.Index(["a"]).retrieve(made()))
    assert f"start is {what}" in _names(lambda: warpdex.Intervals(made(), [1]))


def test_views_of_a_dict_are_columns():
    prices = {"b": 30, "a": 10, "c": 20}
    assert warpdex.Index(prices.keys()).find(["a", "x"]).tolist() == [1, -1]
    assert warpdex.Index(prices.values()).find(prices.values()).tolist() == [0, 1, 2]
    assert warpdex.Index(OrderedDict(prices).keys()).find(prices.keys()).tolist() == [0, 1, 2]
    assert warpdex.Index((prices.keys(), prices.values())).find((["a"], [10])).tolist() == [1]
    assert warpdex.unique(prices.values()).tolist() == [30, 10, 20]
    networks = {ipaddress.ip_network("10.0.0.0/8"): 7, ipaddress.ip_network("::/0"): 8}
    assert warpdex.Networks(networks.keys()).find({ipaddress.ip_address("10.1.2.3"): 1}.keys()).tolist() == [0]
    assert warpdex.gather([2, 0], prices.values()).tolist() == [20, 30]


def test_a_multi_index_is_a_column_of_tuples():
    pairs = [(1, "a"), (2, "b"), (1, "b"), (2, "b")]
    keys = pd.MultiIndex.from_tuples(pairs, names=["n", "w"])
    index = warpdex.Index(keys)
    assert index.find(keys).tolist() == [0, 1, 2, 1]
    assert index.find(([2, 2], ["b", "a"])).tolist() == [1, -1]
    assert warpdex.Index(pd.DataFrame(pairs)).find(keys[2:]).tolist() == [2, 1]
    assert warpdex.duplicates(keys).tolist() == [False, False, False, True]
    assert warpdex.unique(keys).equals(keys[:3])
    assert "has 2 columns" in _names(lambda: warpdex.Index([1]).find(keys))


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_frame_of_one_column_asks_as_its_column(kind):
    found = warpdex.Index([30, 10, 20]).find(kind({"k": [10, 20, 5]}))
    assert [-1 if pd.isna(row) else row for row in (found.to_pylist() if kind is pa.table else found.to_list())] == [
        1,
        2,
        -1,
    ]
    assert "has 2 columns" in _names(lambda: warpdex.Index([1]).find(kind({"a": [1], "b": [1]})))
