# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Indexes over several columns, against tuples of Python."""

import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import warpdex
from warpdex import Index

WORDS = ["", "a", "ab", "b\0", "long and longer"]


def columns(kinds, random, size):
    result = {
        "int": lambda: random.integers(-5, 5, size),
        "small": lambda: random.integers(0, 4, size).astype(np.uint8),
        "float": lambda: random.integers(-4, 4, size) / 2,
        "text": lambda: np.array([WORDS[n] for n in random.integers(0, len(WORDS), size)], object),
        "time": lambda: random.integers(0, 5, size).astype("M8[ms]"),
        "bool": lambda: random.integers(0, 2, size).astype(bool),
    }
    return tuple(result[kind]() for kind in kinds)


@pytest.mark.parametrize(
    "kinds", [("int", "int"), ("int", "text"), ("text", "float", "small"), ("time", "bool"), ("text",)]
)
@pytest.mark.parametrize("spec", ["auto", "AO+BS"])
def test_tuples_as_keys(kinds, spec, tmp_path):
    random = np.random.default_rng(len(kinds))
    keys, probes = columns(kinds, random, 60), columns(kinds, random, 90)
    index = Index(keys, spec)
    tuples, query = (list(zip(*(one.tolist() for one in side))) for side in (keys, probes))
    expected = [tuples.index(one) if one in tuples else -1 for one in query]
    assert index.find(probes).tolist() == expected
    assert index.count(probes).tolist() == [tuples.count(one) for one in query]
    index.save(tmp_path / "tuples.wdx")
    stored = Index.load(tmp_path / "tuples.wdx"), Index.from_buffer(index.to_bytes())
    for again in (*stored, pickle.loads(pickle.dumps(index)), Index(pd.DataFrame(dict(enumerate(keys))), spec)):
        assert again.find(probes).tolist() == expected
    frames = (pd.DataFrame(dict(enumerate(probes))), pa.table({str(n): one for n, one in enumerate(probes)}))
    for frame in (
        *frames,
        pl.DataFrame({str(n): one.tolist() if one.dtype == object else one for n, one in enumerate(probes)}),
    ):
        assert index.find(frame).tolist() == expected
    if spec == "auto":
        return
    order = sorted(tuples)
    assert index.lower_bound(probes).tolist() == [sum(key < one for key in order) for one in query]
    shown = [column.tolist() for column in index.keys_at(np.arange(60))]
    shown = [[one.decode() if isinstance(one, bytes) else one for one in column] for column in shown]
    assert list(zip(*shown)) == order
    left, right = index.join(probes)
    assert list(zip(left.tolist(), right.tolist())) == [
        (i, row) for i, one in enumerate(query) for row, key in enumerate(tuples) if key == one
    ]


def test_values_of_other_types_and_nulls():
    index = Index(([1, 2, None], ["a", "b", "c"]))
    assert len(index) == 2
    assert index.find((np.array([1.0, 1.5]), ["a", "a"])).tolist() == [0, -1]
    assert index.find((np.array([2**63, 2], np.uint64), ["b", "b"])).tolist() == [-1, 1]
    assert index.find(pl.DataFrame({"k": [1, None], "s": ["a", "a"]})).tolist() == [0, -1]
    halves = Index((np.array([0.5, 2.0**53]), [1, 1]))
    assert halves.find((np.array([2**53, 2**53 + 1, 0]), [1, 1, 1])).tolist() == [1, -1, -1]
    times = Index((np.array([1, 2], "M8[s]"), [7, 7]))
    assert times.find((np.array([1000, 1500], "M8[ms]"), [7, 7])).tolist() == [0, -1]
    money = Index(([Decimal("1.50"), Decimal("2")], [1, 1]))
    assert money.find(([Decimal("1.5"), 2], [1, 1])).tolist() == [0, 1]


def test_wrong_columns():
    index = Index(([1, 2], ["a", "b"]))
    for error, match, call in (
        (
            warpdex.errors.InvalidArgument,
            "probes has 3 columns; the keys have 2",
            lambda: index.find(([1], ["a"], [1])),
        ),
        (warpdex.errors.InvalidArgument, "columns of 1 and 2 values", lambda: index.find(([1], ["a", "b"]))),
        (warpdex.errors.KeyTypeError, r"probes\[1\]", lambda: index.find(([1], [2]))),
        (warpdex.errors.KeyTypeError, "probes", lambda: index.find([1])),
        (
            warpdex.errors.KeyTypeError,
            "2 columns, but the keys are of type integer",
            lambda: Index([1]).find(([1], [2])),
        ),
        (
            warpdex.errors.InvalidArgument,
            "which integers of 64 bits",
            lambda: Index((np.array([2**63], np.uint64), [1])),
        ),
        (
            warpdex.errors.KeyTypeError,
            r"keys\[0\] is of type uuid",
            lambda: Index((pa.array([b"0" * 16], pa.uuid()), [1])),
        ),
    ):
        with pytest.raises(error, match=match):
            call()
