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
from warpdex.frames.gather import _ABSENT, _of_arrays

ROWS = np.array([2, -1, 0], np.int32)


def test_of_numpy():
    values = np.array([1.5, 2.5, 3.5])
    assert gather(ROWS, values, fill_value=-9).tolist() == [3.5, -9, 1.5]
    assert gather([2, 0], values).tolist() == [3.5, 1.5] and gather([], values).tolist() == []
    table = np.arange(6).reshape(3, 2)
    assert gather(ROWS, table, fill_value=0).tolist() == [[4, 5], [0, 0], [0, 1]]
    assert gather([[0, -1], [1, 2]], table, fill_value=7).tolist() == [[[0, 1], [7, 7]], [[2, 3], [4, 5]]]
    assert gather([-1, -1], values[:0], fill_value=3).tolist() == [3, 3]
    assert gather(np.array([2, 0], np.uint64), values).tolist() == [3.5, 1.5]
    for rows in (pd.array([2, None, 0], "Int64"), pl.Series([2, None, 0]), pa.array([2, None, 0]), pd.Series(ROWS)):
        assert gather(rows, values, fill_value=-9).tolist() == [3.5, -9, 1.5]


def test_of_frames():
    texts = ["a", "b", "c"]
    for values in (pd.Series(texts), pd.Series(texts, dtype="category"), pd.Series(pd.array(texts, "string[pyarrow]"))):
        assert gather(ROWS, values).isna().tolist() == [False, True, False]
        assert gather([1, 2], values).tolist() == ["b", "c"]
    assert gather(ROWS, pd.Series([1, 2, 3]), fill_value=0).tolist() == [3, 0, 1]
    assert gather(ROWS, pl.Series(texts)).to_list() == ["c", None, "a"]
    assert gather(ROWS, pl.Series(texts), fill_value="?").to_list() == ["c", "?", "a"]
    for values in (pa.array(texts), pa.chunked_array([texts[:1], texts[1:]])):
        assert gather(ROWS, values).to_pylist() == ["c", None, "a"]
        assert gather(ROWS, values, fill_value="?").to_pylist() == ["c", "?", "a"]


def test_of_arrays_by_operators():
    """What Torch and CuPy do, by operators that NumPy has too."""
    table = np.arange(6).reshape(3, 2)
    assert _of_arrays(ROWS, table, 0).tolist() == [[4, 5], [0, 0], [0, 1]]
    assert _of_arrays(np.array([[0, -1]]), table, 7).tolist() == [[[0, 1], [7, 7]]]
    for rows, match in (
        ([[3]], r"rows is 3 at \(0, 0\), but there are 3 values"),
        ([0, -2], "rows is -2 at 1, but only -1"),
    ):
        with pytest.raises(warpdex.errors.InvalidArgument, match=match):
            _of_arrays(np.array(rows), table, 0)
    with pytest.raises(warpdex.errors.KeyTypeError, match="rows has the type bool; row ids are integers"):
        _of_arrays(np.array([True]), table, 0)
    with pytest.raises(warpdex.errors.InvalidArgument, match="rows is -1 at 1, and fill_value is not given"):
        _of_arrays(ROWS, table, _ABSENT)
    assert _of_arrays(np.array([2, 0], np.uint8), np.arange(300), 0).tolist() == [2, 0]


def test_wrong_arguments():
    values = np.array([1.5, 2.5])
    for error, match, call in (
        (warpdex.errors.InvalidArgument, "rows is -1 at 1, and fill_value", lambda: gather([0, -1], values)),
        (warpdex.errors.InvalidArgument, r"rows is -1 at \(1, 0\)", lambda: gather([[0, 1], [-1, 0]], values)),
        (
            warpdex.errors.InvalidArgument,
            "rows is null at 1, and fill_value",
            lambda: gather(pl.Series([0, None, -1]), values),
        ),
        (
            warpdex.errors.InvalidArgument,
            "rows is 2 at 1, but there are 2 values",
            lambda: gather([0, 2], values, fill_value=0),
        ),
        (warpdex.errors.KeyTypeError, "rows", lambda: gather([0.5], values)),
        (warpdex.errors.KeyTypeError, "rows", lambda: gather(["a"], values)),
        (warpdex.errors.InvalidArgument, "rows has 2 dimensions", lambda: gather([[0]], pd.Series([1]))),
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
    assert gather(index.find(probes), np.eye(3), fill_value=0).shape == (2, 2, 3)
    for call in (lambda: warpdex.Index(probes), lambda: index.find(np.ma.masked_array(probes, probes == 10))):
        with pytest.raises(warpdex.errors.InvalidArgument, match="2 dimensions"):
            call()


ROW_KINDS = {
    "list": list,
    "tuple": tuple,
    "nested": lambda rows: [rows, rows],
    "int32": lambda rows: np.array(rows, np.int32),
    "int64": np.array,
    "2-D": lambda rows: np.array([rows, rows]),
    "masked": np.ma.array,
    "pandas": pd.Series,
    "Int64": lambda rows: pd.Series(rows, dtype="Int64"),
    "pandas of Arrow": lambda rows: pd.Series(rows, dtype=pd.ArrowDtype(pa.int64())),
    "polars": pl.Series,
    "pyarrow": pa.array,
    "chunks": lambda rows: pa.chunked_array([rows[:1], rows[1:]]),
}
VALUES = {
    "numpy": np.array([1.5, 2.5, 3.5]),
    "table": np.arange(6).reshape(3, 2),
    "list": [1, 2, 3],
    "pandas": pd.Series([1, 2, 3]),
    "category": pd.Series(["a", "b", "c"], dtype="category"),
    "pandas of Arrow": pd.Series([1, 2, 3], dtype=pd.ArrowDtype(pa.int64())),
    "polars": pl.Series([1, 2, 3]),
    "pyarrow": pa.array([1, 2, 3]),
    "chunks": pa.chunked_array([[1], [2, 3]]),
}
FRAMES = {
    "numpy": {"v": np.arange(3)},
    "pandas": pd.DataFrame({"v": [1, 2, 3]}),
    "polars": pl.DataFrame({"v": [1, 2, 3]}),
    "pyarrow": pa.table({"v": [1, 2, 3]}),
}


def takers():
    for name, values in VALUES.items():
        yield name, lambda rows, values=values, **more: gather(rows, values, **more)
    for name, frame in FRAMES.items():
        yield f"frame of {name}", lambda rows, frame=frame, **more: warpdex.gather_table(rows, frame)


@pytest.mark.parametrize("kind", ROW_KINDS)
@pytest.mark.parametrize("name, take", takers())
def test_only_minus_one_and_null_are_no_rows(name, take, kind):
    result = ROW_KINDS[kind]
    missing = {"fill_value": 0} if name in ("numpy", "table", "list") else {}
    for rows, at, why in (
        ([0, -2], 1, "only -1 and null are none"),
        ([-(2**31), 0], 0, "only -1 and null are none"),
        ([-1, -3], 1, "only -1 and null are none"),
        ([0, 3], 1, "there are 3"),
    ):
        with pytest.raises(warpdex.errors.InvalidArgument, match=f"rows is {rows[at]} at .*{at}.*, but {why}"):
            take(result(rows), **missing)
    if kind not in ("int32", "Int64", "pandas of Arrow"):
        with pytest.raises(warpdex.errors.KeyTypeError, match="rows (is of|has the) type bool; row ids are integers"):
            take(result([True, False]), **missing)
    if kind in ("list", "tuple", "nested"):
        with pytest.raises(
            warpdex.errors.KeyTypeError, match="rows has 2 and True|rows has the type object; row ids are"
        ):
            take(result([2, True]), **missing)


def test_rows_without_a_sign():
    for take in (
        lambda rows: gather(rows, np.arange(3), fill_value=0),
        lambda rows: warpdex.gather_table(rows, FRAMES["pandas"]),
    ):
        for row in (2**64 - 1, 2**63, 3):
            with pytest.raises(warpdex.errors.InvalidArgument, match=f"rows is {row} at 1, but there are 3"):
                take(np.array([0, row], np.uint64))
    rows = pd.Series([2, None], dtype="UInt64")
    assert gather(rows, np.array([7, 8, 9]), fill_value=0).tolist() == [9, 0]


@pytest.mark.parametrize("kind", [pa.string_view(), pa.binary_view()], ids=str)
def test_views_are_gathered_in_their_own_type(kind):
    words = pa.array(["a", None, "more than twelve letters"]).cast(kind).to_pylist()
    rows, wanted = [2, -1, 0, 1, 2], [words[2], None, words[0], None, words[2]]
    longer = pa.array([words[2], *words], kind)
    views = longer[1:]

    def plain(column):
        values = column.to_list() if hasattr(column, "to_list") else column.to_pylist()
        return [None if pd.isna(value) else value for value in values]

    def of_pandas(array):
        return pd.Series(pd.arrays.ArrowExtensionArray(array), name="s")

    column = of_pandas(views)
    for values in (
        views,
        pa.array(words, kind),
        pa.chunked_array([views[:1], views[1:]]),
        column,
        of_pandas(longer)[1:],
        of_pandas(pa.chunked_array([views[:1], views[1:]])),
        pl.from_arrow(pa.table({"s": views}))["s"],
    ):
        result, filled = gather(rows, values), gather(rows, values, fill_value=words[0])
        assert plain(result) == wanted
        assert plain(filled) == [words[2], words[0], words[0], None, words[2]]
        for one in (result, filled, gather([0], values)):
            assert getattr(one, "dtype", getattr(one, "type", None)) == getattr(
                values, "dtype", getattr(values, "type", None)
            )
    frame = pd.DataFrame({"i": [0, 1, 2], "s": column})
    left = pd.DataFrame({"i": [2, 5, 0, 1, 2]})
    for one, two in (
        (left, frame),
        (left, pa.table({"i": [0, 1, 2], "s": views})),
        (pa.Table.from_pandas(left), frame),
    ):
        assert plain(warpdex.join(one, two, "i", "left")["s"]) == wanted
    assert plain(warpdex.gather_table(rows, frame)["s"]) == wanted
    assert plain(warpdex.join_asof(pd.DataFrame({"i": [7]}), frame, on="i")["s"]) == [words[2]]
    full = warpdex.join(
        frame, pd.DataFrame({"s": of_pandas(pa.array(words[::-1], kind)), "j": [7, 8, 9]}), "s", "full", coalesce=True
    )
    assert plain(full["s"]) == [words[0], None, words[2], None]
    assert plain(warpdex.drop_duplicates(column)) == words
