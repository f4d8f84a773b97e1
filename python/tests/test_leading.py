# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Lookups by the first columns of an index over several, against a loop over tuples of Python."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import warpdex
from warpdex import Index

WORDS = ["", "a", "ab", "ab\0", "b", "é", "long and longer", None]
POOLS = {
    "int": [-5, -1, 0, 1, 7, 2**63 - 1, -(2**63), None],
    "small": [0, 1, 2, 255],
    "float": [-math.inf, -1.5, 0.0, 2.0, math.inf, math.nan],
    "text": WORDS,
    "bytes": [b"", b"\0", b"\xff", b"\xff\xff", b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", b"a"],
    "bool": [False, True],
    "time": [-1, 0, 1, 5],
}
TYPES = {
    "int": pa.int64(),
    "small": pa.uint8(),
    "float": pa.float64(),
    "text": pa.string(),
    "bytes": pa.binary(),
    "bool": pa.bool_(),
    "time": pa.timestamp("ms"),
}


def columns(kinds, random, size):
    return tuple(
        pa.array([POOLS[kind][n] for n in random.integers(0, len(POOLS[kind]), size)], TYPES[kind]) for kind in kinds
    )


def ordered(value):
    """A value as one that Python compares as an index does: NaN is above all."""
    if isinstance(value, float):
        return (1, 0.0) if math.isnan(value) else (0, value)
    return value.encode() if isinstance(value, str) else value


def tuples(side):
    rows = zip(*((one.cast(pa.int64()) if pa.types.is_timestamp(one.type) else one).to_pylist() for one in side))
    return [None if None in row else tuple(map(ordered, row)) for row in rows]


class Oracle:
    """The entries of an index in the order of their keys, and what a loop finds in them."""

    def __init__(self, keys):
        self.entries = sorted((key, row) for row, key in enumerate(tuples(keys)) if key is not None)

    def rank(self, probe, after):
        return sum(key[: len(probe)] <= probe if after else key[: len(probe)] < probe for key, _ in self.entries)

    def rows(self, first, last):
        return [row for _, row in self.entries[first : max(first, last)]]

    def of(self, probe):
        return [] if probe is None else self.rows(self.rank(probe, False), self.rank(probe, True))

    def between(self, lower, upper, closed):
        begin = self.rank(lower, closed in ("right", "none"))
        return begin, self.rows(begin, self.rank(upper, closed in ("both", "right")))


def lists(found):
    offsets, rows = (one.tolist() for one in found)
    return [rows[a:b] for a, b in zip(offsets, offsets[1:])]


KINDS = [
    ("int", "int"),
    ("int", "small", "time"),
    ("bool", "small"),
    ("float", "int"),
    ("int", "text"),
    ("text", "float"),
    ("text", "text", "bytes"),
    ("bytes", "bytes"),
    ("int", "bytes", "int"),
    ("float", "text", "bool", "int"),
]


@pytest.mark.parametrize("kinds", KINDS)
@pytest.mark.parametrize("size", [0, 80])
def test_first_columns(kinds, size):
    random = np.random.default_rng(len(kinds) + size)
    keys = columns(kinds, random, size)
    index, oracle = Index(keys, "AO+BS"), Oracle(keys)
    for count in range(1, len(kinds)):
        for probes in (columns(kinds[:count], random, 60), columns(kinds[:count], random, 0)):
            found = [oracle.of(one) for one in tuples(probes)]
            assert index.find(probes).tolist() == [min(rows, default=-1) for rows in found]
            assert index.contains(probes).tolist() == [bool(rows) for rows in found]
            assert index.count(probes).tolist() == [len(rows) for rows in found]
            assert lists(index.retrieve(probes)) == found


@pytest.mark.parametrize("kinds", KINDS)
@pytest.mark.parametrize("size", [0, 80])
def test_ranges_of_first_columns(kinds, size):
    random = np.random.default_rng(len(kinds) + size)
    keys = columns(kinds, random, size)
    index, oracle = Index(keys, "AO+BS"), Oracle(keys)
    for low in range(1, len(kinds) + 1):
        for high in range(1, len(kinds) + 1):
            sides = columns(kinds[:low], random, 90), columns(kinds[:high], random, 90)
            places = [n for n, row in enumerate(zip(*map(tuples, sides))) if None not in row]
            lower, upper = (tuple(one.take(places) for one in side) for side in sides)
            query = list(zip(tuples(lower), tuples(upper)))
            for closed in ("both", "left", "right", "none"):
                expected = [oracle.between(*one, closed) for one in query]
                assert lists(index.range_retrieve(lower, upper, closed)) == [rows for _, rows in expected]
                counts = [len(rows) for _, rows in expected]
                assert index.range_count(lower, upper, closed).tolist() == counts
                first, sizes = index.equal_range(lower, upper, closed)
                assert sizes.tolist() == counts
                assert first.tolist() == [begin for begin, _ in expected]
                assert index.range_sum(lower, upper, closed).tolist() == [sum(rows) for _, rows in expected]
            assert index.lower_bound(lower).tolist() == [oracle.rank(one, False) for one, _ in query]
            assert index.upper_bound(lower).tolist() == [oracle.rank(one, True) for one, _ in query]


@pytest.mark.parametrize("kinds", [("int", "text"), ("text", "text"), ("text", "float", "text"), ("text", "int")])
def test_beginnings_of_the_last_column_given(kinds):
    random = np.random.default_rng(7)
    keys = columns(kinds, random, 80)
    index, oracle = Index(keys, "AO+BS"), Oracle(keys)
    for count in (n + 1 for n, kind in enumerate(kinds) if kind == "text"):
        probes = columns(kinds[:count], random, 60)
        begins = tuples(probes)
        found = [
            []
            if one is None
            else [r for k, r in oracle.entries if k[: count - 1] == one[:-1] and k[count - 1].startswith(one[-1])]
            for one in begins
        ]
        assert index.prefix_count(probes).tolist() == [len(rows) for rows in found]
        assert lists(index.prefix_retrieve(probes)) == found


def test_kinds_of_probes_and_answers():
    index = Index(([1, 2, 1, 3], ["a", "b", "c", "d"]), "AO+BS")
    for probes in (
        (np.array([1, 9], np.int8),),
        ([1.0, 1.5],),
        pd.DataFrame({"k": [1, 9]}),
        pl.DataFrame({"k": [1, 9]}),
        pa.table({"k": pa.chunked_array([[1], [9]])}),
        (pd.Series([1, 9], dtype="category"),),
    ):
        assert index.count(probes).tolist() == [2, 0] and index.find(probes).tolist() == [0, -1]
    assert index.count(([1],)).dtype == index.count(([1], ["a"])).dtype
    assert index.find(([1],)).dtype == np.int32 and index.retrieve(([1],))[1].dtype == np.int32
    out = np.empty(2, np.int32)
    assert index.find(([3, 9],), out=out) is out and out.tolist() == [3, -1]
    assert Index(([1, 2], [3, 4]), "AO+BS", rows=[2**40, 5]).find(([1, 2],)).tolist() == [2**40, 5]
    torch = pytest.importorskip("torch")
    offsets, rows = index.retrieve((torch.tensor([1]),))
    assert isinstance(offsets, torch.Tensor) and rows.tolist() == [0, 2]
    assert isinstance(index.count((torch.tensor([1]),)), torch.Tensor)


def test_rows_of_ranges_with_a_null_bound():
    index = Index(([1, 2, 3], ["a", "b", "c"]), "AO+BS")
    for lower, upper in (([1, None],), ([3, 3],)), (([1, 1],), ([3, None],)), (([1, None], ["a", "a"]), ([3, 3],)):
        assert lists(index.range_retrieve(lower, upper)) == [[0, 1, 2], []]


def test_what_is_refused():
    index = Index(([1, 2], ["a", "b"]), "AO+BS")
    for error, match, call in (
        (warpdex.errors.Unsupported, "fewer columns than the keys, which floor", lambda: index.floor(([1],))),
        (warpdex.errors.InvalidArgument, "probes has 1 columns; the keys have 2", lambda: index.join(([1],))),
        (warpdex.errors.InvalidArgument, "probes has 3 columns", lambda: index.count(([1], ["a"], [1]))),
        (warpdex.errors.KeyTypeError, r"probes\[0\]", lambda: index.count((["a"],))),
        (warpdex.errors.InvalidArgument, r"lower\[1\] is null", lambda: index.range_count(([1, None],), ([1, 2],))),
        (warpdex.errors.InvalidArgument, r"upper\[0\] is null", lambda: index.range_sum(([1],), ([None],))),
        (warpdex.errors.InvalidArgument, r"probes\[0\] is null", lambda: index.lower_bound(([None],))),
        (warpdex.errors.InvalidArgument, "lower has 1 values, upper 2", lambda: index.range_count(([1],), ([1, 2],))),
        (warpdex.errors.InvalidArgument, "closed is 'up'", lambda: index.range_count(([1],), ([1],), "up")),
        (warpdex.Error, "prefixes", lambda: index.prefix_count(([1],))),
        (warpdex.errors.Unsupported, "no order", lambda: Index(([1], [2]), "HT(open)").count(([1],))),
    ):
        with pytest.raises(error, match=match):
            call()
