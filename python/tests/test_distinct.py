# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Distinct keys against a dict of Python, and against NumPy, pandas and Polars."""

import datetime
import decimal
import pathlib
import re
import uuid

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import warpdex
from warpdex import _core

PAGE = pathlib.Path(__file__).parents[2] / "docs/tutorials/deduplicate.md"
SIZES = [0, 1, 2, 60, 3000]
KEEP = ("first", "last", "none")
DAY = datetime.date(2024, 2, 28)
NOON = datetime.datetime(2024, 2, 28, 12)
# Nine values of each type; those of floats are five, by NaN, both zeros and both infinities.
OF_TYPE = {
    "i1": [*range(-4, 5)],
    "u2": [*range(65527, 65536)],
    "i4": [*range(-4, 5)],
    "u8": [*range(2**64 - 9, 2**64)],
    "f4": [np.nan, 0.0, -0.0, np.inf, -np.inf, 1.5, 2.5, -1.5, 1e30],
    "f8": [-np.nan, 0.0, -0.0, np.inf, -np.inf, 0.1, 0.2, -0.1, 5e-324],
    "?": [False, True] * 4 + [True],
    "M8[D]": [DAY + datetime.timedelta(days=n) for n in range(9)],
    "m8[ms]": [datetime.timedelta(seconds=n) for n in range(9)],
    "U": ["", "a", "b", "ab", "\0", "längst", "x" * 40, "x" * 41, "y"],
    "S": [b"", b"a", b"b", b"ab", b"\xff", b"c", b"x" * 40, b"x" * 41, b"y"],
}
WORDS = OF_TYPE["U"][:4] + OF_TYPE["U"][5:]
OBJECTS = {
    "text": (WORDS, pa.string()),
    "long text": (WORDS, pa.large_string()),
    "views": (WORDS, pa.string_view()),
    "bytes": (OF_TYPE["S"], pa.binary()),
    "fixed": ([bytes([n]) * 5 for n in range(9)], pa.binary(5)),
    "dictionary": (WORDS, pa.dictionary(pa.int8(), pa.string())),
    "floats": (OF_TYPE["f8"], pa.float64()),
    "times": ([NOON + datetime.timedelta(microseconds=n) for n in range(9)], pa.timestamp("us", "UTC")),
    "decimals": ([decimal.Decimal(n) / 100 for n in range(9)], pa.decimal128(20, 2)),
    "bools": ([False, True], pa.bool_()),
    "integers": ([*range(-4, 5)], pa.int64()),
}


class Known:
    """What is true of a list of values."""

    def __init__(self, values):
        rows = {}
        for row, value in enumerate(values):
            rows.setdefault(self.key(value), []).append(row)
        places = {key: place for place, key in enumerate(rows)}
        self.rows = [found[0] for found in rows.values()]
        self.inverse = [places[self.key(value)] for value in values]
        self.counts = [len(found) for found in rows.values()]
        kept = {"first": {found[0] for found in rows.values()}, "last": {found[-1] for found in rows.values()}}
        kept["none"] = {found[0] for found in rows.values() if len(found) == 1}
        self.repeats = {keep: [row not in kept[keep] for row in range(len(values))] for keep in KEEP}

    @classmethod
    def key(cls, value):
        if isinstance(value, tuple):
            return tuple(map(cls.key, value))
        return "nan" if isinstance(value, float) and value != value else value


def listed(values):
    """A column of any library as a list."""
    if isinstance(values, pa.Array | pa.ChunkedArray):
        return values.to_pylist()
    return values.to_list() if hasattr(values, "to_list") else list(values)


def same(one, two):
    return [Known.key(value) for value in one] == [Known.key(value) for value in two]


def check(column, values):
    """All calls over a column that holds some values of Python."""
    known = Known(values)
    found, rows, inverse, counts = warpdex.unique(column, index=True, inverse=True, counts=True)
    assert type(found) is (type(column) if not isinstance(column, list) else np.ndarray)
    assert rows.tolist() == known.rows and inverse.tolist() == known.inverse and counts.tolist() == known.counts
    assert len(warpdex.unique(column)) == len(rows) == len(warpdex.drop_duplicates(column))
    for keep in KEEP:
        assert listed(warpdex.duplicates(column, keep, threads=2)) == known.repeats[keep], keep
        assert len(warpdex.drop_duplicates(column, keep=keep)) == len(values) - sum(known.repeats[keep])
    return found, [values[row] for row in known.rows]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", OF_TYPE)
def test_arrays_of_numpy(dtype, size):
    random = np.random.default_rng([size, len(dtype)])
    array = np.array(OF_TYPE[dtype], dtype)[random.integers(0, 9, size)]
    values = array.tolist()
    found, expected = check(array, values)
    assert found.dtype == array.dtype and same(found.tolist(), expected)
    if size:
        assert np.array_equal(np.sort(found), np.unique(array), equal_nan=dtype[0] == "f") or dtype == "?"
    if values and dtype not in ("M8[D]", "m8[ms]"):
        check(values, values)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", OBJECTS)
def test_columns_with_nulls(kind, size):
    random = np.random.default_rng([size, len(kind), ord(kind[0])])
    words, of_arrow = OBJECTS[kind]
    values = [None if n == len(words) else words[n] for n in random.integers(0, len(words) + 1, size).tolist()]
    if kind == "times":
        words = [one.replace(tzinfo=datetime.UTC) for one in words]
        values = [one and one.replace(tzinfo=datetime.UTC) for one in values]
    arrow = pa.array(values, of_arrow)
    cuts = np.sort(random.integers(0, size + 1, 4)).tolist()
    pieces = [arrow[a:b] for a, b in zip([0, *cuts], [*cuts, size])]
    assert same(*map(listed, check(arrow, values)))
    assert same(*map(listed, check(pa.chunked_array(pieces), values)))
    if kind not in ("dictionary", "fixed", "decimals"):
        series = pl.Series("s", values, pl.from_arrow(arrow).dtype, strict=False)
        found, expected = check(series, values)
        assert found.equals(series.unique(maintain_order=True), null_equal=True) and same(found.to_list(), expected)
    check(pd.Series(arrow, dtype=pd.ArrowDtype(of_arrow), index=range(5, size + 5)), values)


def test_categories_and_enums():
    random = np.random.default_rng(5)
    values = [[None, *WORDS][n] for n in random.integers(0, len(WORDS) + 1, 400).tolist()]
    plain = pl.Series("s", values)
    check(plain.cast(pl.Enum([*WORDS[::-1], "unused"])), values)
    check(pl.concat([plain[:150].cast(pl.Categorical), plain[150:].cast(pl.Categorical)]), values)
    check(pd.Series(pd.Categorical(values, categories=[*WORDS[::-1], "unused"])), values)
    words = pa.array(["b", "a", "b"])  # a dictionary with a word twice
    check(pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, None]), words), ["b", "a", "b", None])


@pytest.mark.parametrize("dtype", ["Int32", "Float64", "boolean", "string", "datetime64[ns, UTC]", "object"])
def test_series_of_pandas(dtype):
    random = np.random.default_rng(len(dtype))
    words = {"object": ["a", "b", None], "string": ["a", "", None], "boolean": [True, False, None]}
    values = [words.get(dtype, [3, 1, None])[n] for n in random.integers(0, 3, 90).tolist()]
    series = pd.Series(values, dtype=dtype, index=random.permutation(90), name="s")
    known = Known(values)
    for keep in KEEP:
        flags = warpdex.duplicates(series, keep)
        assert flags.tolist() == known.repeats[keep] and flags.index.equals(series.index)
        assert flags.tolist() == series.duplicated(keep if keep != "none" else False).tolist()
    found = warpdex.unique(series)
    assert found.dtype == series.dtype and found.isna().sum() == (None in values)


def test_uuids():
    ids = [uuid.UUID(int=n << 100 | n) for n in (5, 6, 5, 7)]
    assert warpdex.unique(ids, index=True)[1].tolist() == [0, 1, 3]


def frame_of(random, size):
    """A frame of columns of several types with nulls, NaN and both zeros."""
    of = lambda words: [words[n] for n in random.integers(0, len(words), size).tolist()]  # noqa: E731
    return pl.DataFrame(
        {
            "n": pl.Series(of([1, 2, None]), dtype=pl.Int32),
            "x": pl.Series(of([0.0, -0.0, float("nan"), 1.5]), dtype=pl.Float64),
            "s": pl.Series(of(["a", "b" * 30, "", None]), dtype=pl.String),
            "c": pl.Series(of(["u", "v"]), dtype=pl.Categorical),
            "row": range(size),
        }
    )


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("subset", ["n", ["s"], ["x", "n"], ["n", "x", "s"], ["c", "s"], None])
def test_frames(size, subset):
    random = np.random.default_rng([size, 7])
    frame = frame_of(random, size)
    frame = pl.concat([frame[: size // 3], frame[size // 3 :]], rechunk=False)
    labels = random.permutation(size)
    pandas = frame.to_pandas().set_index(labels)
    arrow = frame.to_arrow()
    for keep in KEEP:
        expected = frame.unique(subset, keep=keep, maintain_order=True)
        assert warpdex.drop_duplicates(frame, subset, keep).equals(expected), keep
        assert warpdex.drop_duplicates(arrow, subset, keep)["row"].to_pylist() == expected["row"].to_list()
        of_pandas = pandas.drop_duplicates(subset, keep=keep if keep != "none" else False)
        pd.testing.assert_frame_equal(warpdex.drop_duplicates(pandas, subset, keep), of_pandas)
    names = frame.columns if subset is None else [subset] if isinstance(subset, str) else subset
    keys = frame.select(names)
    repeats = Known(keys.rows()).repeats
    for keep in KEEP:
        flags, of_pandas = warpdex.duplicates(keys, keep), warpdex.duplicates(pandas[names], keep)
        assert flags.to_list() == repeats[keep] and flags.name == ""
        assert of_pandas.index.equals(pandas.index) and of_pandas.name is None
        assert warpdex.duplicates(tuple(keys.iter_columns()), keep).to_list() == repeats[keep]
    assert warpdex.unique(keys).equals(keys.unique(maintain_order=True))


def test_parquet(tmp_path):
    frame = frame_of(np.random.default_rng(3), 5000)
    frame.write_parquet(tmp_path / "f.parquet", row_group_size=700)
    read, table = pl.read_parquet(tmp_path / "f.parquet"), parquet.read_table(tmp_path / "f.parquet")
    expected = frame.unique(["s", "n"], maintain_order=True)
    assert warpdex.drop_duplicates(read, ["s", "n"]).equals(expected)
    assert warpdex.drop_duplicates(table, ["s", "n"])["row"].to_pylist() == expected["row"].to_list()


def test_arrays_of_several_columns():
    random = np.random.default_rng(2)
    one, two = random.integers(0, 5, 300), random.choice(["a", "b"], 300)
    known = Known(list(zip(one.tolist(), two.tolist())))
    (numbers, words), rows, inverse, counts = warpdex.unique((one, two), index=True, inverse=True, counts=True)
    assert rows.tolist() == known.rows and inverse.tolist() == known.inverse and counts.tolist() == known.counts
    assert np.array_equal(numbers, one[rows]) and np.array_equal(words, two[rows])
    table = {"one": one, "two": two, "row": np.arange(300)}
    assert warpdex.drop_duplicates(table, ["one", "two"])["row"].tolist() == known.rows
    wide = pd.DataFrame({f"c{n}": one for n in range(40)})  # more columns than a tuple has
    assert warpdex.duplicates(wide).tolist() == wide.duplicated().tolist()
    left, right = warpdex.drop_duplicates((one, two), keep="last")
    assert len(left) == len(right) == len(known.rows)


def test_nulls_alone():
    assert warpdex.unique([None, None], index=True)[1].tolist() == [0]
    assert warpdex.duplicates(pl.Series([None, None, None])).to_list() == [False, True, True]


REFUSED = {
    "keep is 'any'; it must be 'first', 'last' or 'none'": lambda: warpdex.duplicates([1], "any"),
    "index is 1; it must be True or False": lambda: warpdex.unique([1], index=1),
    "counts is 'no'; it must be True or False": lambda: warpdex.unique([1], counts="no"),
    "keys is 3, which is no column": lambda: warpdex.unique(3),
    "keys is 'abc', which is no column": lambda: warpdex.duplicates("abc"),
    "keys has columns of 1 and 2 values": lambda: warpdex.unique(([1], [1, 2])),
    "keys has no columns": lambda: warpdex.unique(pl.DataFrame()),
    "subset names the column 'z'; there are 'a'": lambda: warpdex.drop_duplicates({"a": np.arange(3)}, "z"),
    "subset is [], which names no column": lambda: warpdex.drop_duplicates({"a": np.arange(3)}, []),
    "subset is 'a', but frame is list, which has no names": lambda: warpdex.drop_duplicates([1, 2], "a"),
}


@pytest.mark.parametrize("message", REFUSED)
def test_refuses(message):
    with pytest.raises(warpdex.Error, match=f"^{re.escape(message)}$"):
        REFUSED[message]()


def test_tensors():
    torch = pytest.importorskip("torch")
    values, rows = warpdex.unique(torch.tensor([5, 3, 5]), index=True)
    assert torch.equal(values, torch.tensor([5, 3])) and rows.tolist() == [0, 1]
    assert isinstance(warpdex.duplicates(torch.tensor([5, 3, 5])), torch.Tensor)


@pytest.mark.parametrize("dtype", ["i4", "u8", "f4", "f8"])
def test_arrays_on_a_device(dtype):
    cupy = pytest.importorskip("cupy")
    if _core.device_count() == 0:
        pytest.skip("no CUDA device")
    array = np.array(OF_TYPE[dtype], dtype)[np.random.default_rng(6).integers(0, 9, 5000)]
    known, keys = Known(array.tolist()), cupy.asarray(array)
    found, rows, inverse, counts = warpdex.unique(keys, index=True, inverse=True, counts=True)
    assert rows.get().tolist() == known.rows and inverse.get().tolist() == known.inverse
    assert counts.get().tolist() == known.counts and same(found.get().tolist(), array[known.rows].tolist())
    for keep in KEEP:
        assert warpdex.duplicates(keys, keep).get().tolist() == known.repeats[keep]
    table = warpdex.drop_duplicates({"k": keys, "row": cupy.arange(5000)}, "k")
    assert table["row"].get().tolist() == known.rows


def test_the_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cells = re.findall(r"```{code-cell}\n(.*?)```", PAGE.read_text(), re.DOTALL)
    exec(compile("\n".join(cells), PAGE.name, "exec"), {})
