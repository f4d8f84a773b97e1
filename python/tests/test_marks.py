# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Marks, against sets of rows."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import warpdex
from warpdex import Index, Intervals, Networks
from warpdex.lookups import Marks


@pytest.mark.parametrize("size", [0, 1, 31, 32, 33, 1000])
def test_against_sets(size):
    random = np.random.default_rng(size)
    left, right = (random.integers(0, max(size, 1), size // 3) for _ in range(2))
    a, b = Marks(size).add(left), Marks(size).add(right)
    for marks, rows in (
        (a, {*left}),
        (a & b, {*left} & {*right}),
        (a | b, {*left} | {*right}),
        (a - b, {*left} - {*right}),
        (~a, {*range(size)} - {*left}),
    ):
        assert marks.marked().tolist() == sorted(rows) and marks.count() == len(rows) and len(marks) == size
        bits = np.unpackbits(marks.words.view(np.uint8), bitorder="little")
        assert bits.nonzero()[0].tolist() == sorted(rows)
    assert repr(a) == f"<warpdex.lookups.Marks of {size} rows, {len({*left})} marked>"


def test_of_lookups():
    index = Index([30, 10, 20, 10], "AO+BS")
    assert Marks(4).add(index.retrieve([10, 99])[1]).marked().tolist() == [1, 3]
    assert Marks(4).add(index.find([10, 99])).marked().tolist() == [1]
    assert Marks(4).add(index.range_retrieve([15], [40])[1]).marked().tolist() == [0, 2]
    assert Marks(3).add(Intervals([1, 5, 9], [4, 8, 12]).retrieve([6])[1]).marked().tolist() == [1]
    assert Marks(2).add(Networks(["10.0.0.0/8", "::/0"]).find(["10.1.2.3"])).marked().tolist() == [0]
    array = pa.Array.from_buffers(pa.int8(), 4, [pa.py_buffer(Marks(4).add([1, 3]).words), pa.py_buffer(b"abcd")])
    assert array.is_valid().to_pylist() == [False, True, False, True]


def test_rows_of_any_library():
    for rows in (
        pd.array([2, None, 0], "Int64"),
        pl.Series([2, None, 0]),
        pa.array([2, None, 0]),
        (2, -1, 0),
        [[2], [0]],
    ):
        assert Marks(3).add(rows).marked().tolist() == [0, 2]


def test_mistakes():
    marks = Marks(3)
    for rows in ([3], [-2], [2**40]):
        with pytest.raises(warpdex.errors.InvalidArgument, match="rows is"):
            marks.add(rows)
    with pytest.raises(warpdex.errors.KeyTypeError, match="integers"):
        marks.add([0.5])
    assert marks.count() == 0
    with pytest.raises(warpdex.errors.InvalidArgument, match="as many"):
        marks & Marks(4)
    with pytest.raises(TypeError):
        marks | 5
    with pytest.raises(warpdex.errors.InvalidArgument, match="size"):
        Marks(-1)
