# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Values at rows, of each library."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import warpdex
from warpdex import gather
from warpdex._gather import _of_arrays

ROWS = np.array([2, -1, 0], np.int32)


def test_of_numpy():
    values = np.array([1.5, 2.5, 3.5])
    assert gather(ROWS, values, missing=-9).tolist() == [3.5, -9, 1.5]
    assert gather([2, 0], values).tolist() == [3.5, 1.5] and gather([], values).tolist() == []
    table = np.arange(6).reshape(3, 2)
    assert gather(ROWS, table, missing=0).tolist() == [[4, 5], [0, 0], [0, 1]]
    assert gather([[0, -1], [1, 2]], table, missing=7).tolist() == [[[0, 1], [7, 7]], [[2, 3], [4, 5]]]
    assert gather([-1, -1], values[:0], missing=3).tolist() == [3, 3]
    assert gather(np.array([2, 0], np.uint64), values).tolist() == [3.5, 1.5]
    for rows in (pd.array([2, None, 0], "Int64"), pl.Series([2, None, 0]), pa.array([2, None, 0]), pd.Series(ROWS)):
        assert gather(rows, values, missing=-9).tolist() == [3.5, -9, 1.5]


def test_of_frames():
    texts = ["a", "b", "c"]
    for values in (pd.Series(texts), pd.Series(texts, dtype="category"), pd.Series(pd.array(texts, "string[pyarrow]"))):
        assert gather(ROWS, values).isna().tolist() == [False, True, False]
        assert gather([1, 2], values).tolist() == ["b", "c"]
    assert gather(ROWS, pd.Series([1, 2, 3]), missing=0).tolist() == [3, 0, 1]
    assert gather(ROWS, pl.Series(texts)).to_list() == ["c", None, "a"]
    assert gather(ROWS, pl.Series(texts), missing="?").to_list() == ["c", "?", "a"]
    for values in (pa.array(texts), pa.chunked_array([texts[:1], texts[1:]])):
        assert gather(ROWS, values).to_pylist() == ["c", None, "a"]
        assert gather(ROWS, values, missing="?").to_pylist() == ["c", "?", "a"]


def test_of_arrays_by_operators():
    """What Torch and CuPy do, by operators that NumPy has too."""
    table = np.arange(6).reshape(3, 2)
    assert _of_arrays(ROWS, table, 0).tolist() == [[4, 5], [0, 0], [0, 1]]
    assert _of_arrays(np.array([[0, -1]]), table, 7).tolist() == [[[0, 1], [7, 7]]]
    with pytest.raises(warpdex.InvalidArgument, match="rows has 3, but there are 3 values"):
        _of_arrays(np.array([3]), table, 0)


def test_wrong_arguments():
    values = np.array([1.5, 2.5])
    for error, match, call in (
        (warpdex.InvalidArgument, "rows is -1 at 1, and missing", lambda: gather([0, -1], values)),
        (warpdex.InvalidArgument, r"rows is -1 at \(1, 0\)", lambda: gather([[0, 1], [-1, 0]], values)),
        (warpdex.InvalidArgument, "rows has 2, but there are 2 values", lambda: gather([0, 2], values, missing=0)),
        (warpdex.KeyTypeError, "rows", lambda: gather([0.5], values)),
        (warpdex.KeyTypeError, "rows", lambda: gather(["a"], values)),
        (warpdex.InvalidArgument, "rows has 2 dimensions", lambda: gather([[0]], pd.Series([1]))),
    ):
        with pytest.raises(error, match=match):
            call()


def test_probes_of_several_dimensions():
    index = warpdex.Index([30, 10, 20], "AO+BS")
    probes = np.array([[10, 20], [99, 30]])
    assert index.find(probes).tolist() == [[1, 2], [-1, 0]] and index.contains(probes).tolist() == [
        [True, True],
        [False, True],
    ]
    assert index.lower_bound(probes.astype(float)[:, ::-1]).tolist() == [[1, 0], [2, 3]]
    assert index.join_asof(probes).tolist() == [[1, 2], [0, 0]]
    assert index.find(np.zeros((0, 3), np.int64)).shape == (0, 3) and index.find([[10], [20]]).tolist() == [[1], [2]]
    assert warpdex.Index(["a", "b"]).find(np.array([["a", "c"], ["b", "a"]])).tolist() == [[0, -1], [1, 0]]
    assert gather(index.find(probes), np.eye(3), missing=0).shape == (2, 2, 3)
    for call in (lambda: warpdex.Index(probes), lambda: index.find(np.ma.masked_array(probes, probes == 10))):
        with pytest.raises(warpdex.InvalidArgument, match="2 dimensions"):
            call()
