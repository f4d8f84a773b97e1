# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Sets of keys, against sets of Python."""

import datetime
import pickle
import uuid

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import warpdex
from warpdex import Index, Set
from warpdex.errors import InvalidArgument, KeyTypeError, Unsupported

CODES = ("plain", "compressed")
TYPES = ("u4", "u8", "i4", "i8", "f4", "f8")


def values(rng, kind, size):
    if kind[0] == "f":
        return (rng.standard_normal(size) * 1000).round(1).astype(kind)
    limits = np.iinfo(kind)
    result = rng.integers(limits.min, limits.max, size, kind, endpoint=True)
    result[: size // 2] = rng.integers(0, size, size // 2, kind)  # some of which repeat
    result[:2] = limits.min, limits.max
    return result


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("kind", TYPES)
def test_as_sets_of_python(kind, code):
    rng = np.random.default_rng(11)
    a, b = (values(rng, kind, size) for size in (5000, 3000))
    b[:500] = a[:500]
    left, right, one, two = set(a.tolist()), set(b.tolist()), Set(a, code=code), Set(b, code="plain")
    assert len(one) == len(left) and one.code == code and one.keys().dtype == np.dtype(kind)
    assert one.keys().tolist() == sorted(left) == list(one)
    assert one.contains(b).tolist() == [key in left for key in b.tolist()]
    for made, expected in ((one | two, left | right), (one & two, left & right), (one - two, left - right)):
        assert made.keys().tolist() == sorted(expected) and made.code == code
    assert one.insert(b) == len(left | right) - len(left) and one.keys().tolist() == sorted(left | right)
    assert one.erase(b) == len(right) and one.keys().tolist() == sorted(left - right)


@pytest.mark.parametrize("code", CODES)
def test_files_and_pickles(tmp_path, code):
    keys = np.random.default_rng(3).integers(0, 1 << 60, 3000)
    one = Set(keys, code=code)
    one.save(tmp_path / "s.wdx")
    mapped = Set.load(tmp_path / "s.wdx", mmap=True)
    for other in (Set.load(tmp_path / "s.wdx"), mapped, Set.from_buffer(one.to_bytes()), *copies(one), *copies(mapped)):
        assert other.to_bytes() == one.to_bytes() and other.contains(keys).all() and repr(other) == repr(one)
    mapped.insert([-1])
    assert -1 in mapped and -1 not in Set.load(tmp_path / "s.wdx")
    assert -1 in pickle.loads(pickle.dumps(mapped))


def copies(one):
    return [pickle.loads(pickle.dumps(one, protocol)) for protocol in (4, 5)]


def test_columns_of_all_libraries():
    seen = Set(pd.Series([5, None, 7], dtype="Int64"))
    assert len(seen) == 2
    assert seen.contains(pl.Series("x", [7, None, 8])).to_list() == [True, None, False]
    assert seen.contains(pa.chunked_array([[5], [6, None]])).to_pylist() == [True, False, None]
    assert seen.contains(pd.Series([5.0, 5.5], index=[3, 4])).to_dict() == {3: True, 4: False}
    assert seen.contains([2**64, -1, 5]).tolist() == [False, False, True]
    assert bool(seen.contains(7)) and 8 not in seen and None not in seen
    assert seen.contains(pd.Categorical([7, 9, 7])).tolist() == [True, False, True]


def test_values_that_are_no_plain_numbers(tmp_path):
    days = Set(pl.Series([datetime.date(2024, 2, 29), datetime.date(1969, 1, 1)]))
    assert datetime.date(2024, 2, 29) in days and datetime.datetime(2024, 2, 29, 1) not in days
    days.save(tmp_path / "d.wdx")
    assert repr(Set.load(tmp_path / "d.wdx")) == repr(days) and days.insert([np.datetime64("2024-03-01")]) == 1
    assert days.keys().tolist()[0] == datetime.date(1969, 1, 1)
    ids = [uuid.uuid5(uuid.NAMESPACE_URL, str(number)) for number in range(300)]
    known = Set(ids, code="compressed")
    assert known.contains(ids).all() and uuid.uuid5(uuid.NAMESPACE_URL, "x") not in known
    assert known.keys().tolist() == sorted(ids)
    wide = Set(warpdex.lookups.parse_addresses(["ff::", "::7", "ff::"]))
    assert len(wide) == 2 and 7 in wide and 8 not in wide and wide.keys().tolist() == [7, 0xFF << 112]
    odd = Set([np.nan, -0.0, np.inf, 0.0, -np.inf, -np.nan])
    assert len(odd) == 4 and odd.contains([np.nan, 0.0, 1.0]).tolist() == [True, True, False]
    assert len(Set(np.array([], "u8"))) == 0 and not Set(np.array([], "u8")).contains([1]).any()


def test_refusals():
    one = Set(np.array([1, 2], "u8"))
    for call, kind, words in (
        (lambda: Set(["a"]), KeyTypeError, "keys is of type string; a set holds numbers"),
        (lambda: Set(([1], [2])), KeyTypeError, "keys is of type tuple"),
        (lambda: Set([1], code="small"), InvalidArgument, "code is 'small'"),
        (lambda: one | Set([1]), InvalidArgument, "the sets have keys of types u64 and i64; they must be of one type"),
        (lambda: one.insert([-1]), InvalidArgument, "keys reach from -1 to -1"),
        (lambda: one.contains(["a"]), KeyTypeError, "probes holds strings"),
    ):
        with pytest.raises(kind) as why:
            call()
        assert words in str(why.value) and "\n" not in str(why.value)
    with pytest.raises(TypeError):
        one | {1}
    assert one.keys().tolist() == [1, 2]


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("kind", TYPES)
def test_rows_as_dicts_of_python(kind, code):
    rng = np.random.default_rng(12)
    a, b = (values(rng, kind, size) for size in (5000, 3000))
    b[:500] = a[:500]
    rows, more = rng.integers(0, 1 << 36, len(a)), rng.integers(0, 1 << 20, len(b)).astype(np.int32)

    def least(keys, rows, known=()):
        found = dict(known)
        for key, row in zip(keys.tolist(), rows.tolist()):
            found[key] = min(row, found.get(key, row))
        return found

    one, left = Set(a, rows=rows, code=code), least(a, rows)
    assert one.find(b).tolist() == [left.get(key, -1) for key in b.tolist()] and one.find(a).dtype == np.int64
    for made in (one, pickle.loads(pickle.dumps(one)), one - Set(b), one | Set(b, rows=more)):
        expected = least(b, more, left) if len(made) > len(one) else left
        found = made.find(a).tolist()
        assert found == [expected[key] if key in made else -1 for key in a.tolist()]
    one.insert(b, more)
    assert one.find(b).tolist() == [least(b, more, left)[key] for key in b.tolist()]


def test_rows_of_columns_of_all_libraries(tmp_path):
    seen = Set(pa.chunked_array([["5", None], ["7"]]).cast(pa.int64()), rows=[3, 4, 9])
    assert seen.find(pl.Series("x", [7, None, 8])).to_list() == [9, None, None]
    series, index = pd.Series([5.0, 5.5], index=[3, 4]), Index([5, 7], rows=np.array([3, 9]))
    assert seen.find(series).equals(index.find(series)) and seen.find(series)[3] == 3
    assert seen.find(7) == 9 and seen.find([None]).tolist() == [-1]
    seen.save(tmp_path / "s.wdx")
    mapped = Set.load(tmp_path / "s.wdx", mmap=True)
    assert mapped.find([7]).tolist() == [9] and mapped.insert([8], [1]) == 1 and mapped.find([8]).tolist() == [1]
    assert Set(np.arange(1 << 17) * 977, rows=np.arange(1 << 17)).nbytes < 2.4 * (1 << 17)


def test_refusals_of_rows():
    one, bare = Set([1, 2], rows=[3, 4]), Set([1, 2])
    for call, kind, words in (
        (lambda: Set([1, 2], rows=[3]), InvalidArgument, "rows has the shape"),
        (lambda: Set([1, 2], rows=[3, -1]), InvalidArgument, "rows reach from -1"),
        (lambda: Set([1, 2], rows=["a", "b"]), KeyTypeError, "row ids are integers"),
        (lambda: one.insert([5]), Unsupported, "keys come with rows"),
        (lambda: bare.insert([5], [6]), Unsupported, "keys come without"),
        (lambda: bare.find([1]), Unsupported, "keeps no rows"),
        (lambda: one | bare, InvalidArgument, "the other one has none"),
    ):
        with pytest.raises(kind) as why:
            call()
        assert words in str(why.value) and "\n" not in str(why.value)
    assert one.find([1, 2, 5]).tolist() == [3, 4, -1] and len(bare) == 2


def test_large_sets_are_compressed():
    keys = np.random.default_rng(5).integers(0, 2**64, 1 << 17, np.uint64)
    one = Set(keys)
    assert one.code == "compressed" and one.nbytes < 6.3 * len(one)
    assert Set(np.arange(1 << 17) * 1000).nbytes < 0.2 * (1 << 17)
    assert warpdex.Set(keys, threads=1).to_bytes() == one.to_bytes()


LEAST = 16384 * 40  # bytes


@pytest.mark.parametrize("mmap", (False, True))
@pytest.mark.parametrize("code", ("auto", *CODES))
def test_from_batches(tmp_path, code, mmap):
    keys = np.random.default_rng(5).integers(-(2**63), 2**63, 70000)
    keys[60000:] = keys[:10000]
    batches = [keys[begin : begin + 7000] for begin in range(0, len(keys), 7000)]
    made = Set.from_batches(iter(batches), code=code, memory=LEAST, folder=tmp_path, mmap=mmap)
    whole = Set(keys, code=code)
    assert made.to_bytes() == whole.to_bytes() and repr(made) == repr(whole) and made.nbytes == whole.nbytes
    assert made.contains(keys).all() and not list(tmp_path.iterdir())
    assert pickle.loads(pickle.dumps(made)).insert([keys[0], 1]) == made.insert([keys[0], 1]) == 1
    told = []
    Set.from_batches(batches, memory=LEAST, progress=told.append)
    assert told == sorted(told) and len(told) >= 11 and told[-1] == 1


@pytest.mark.parametrize("mmap", [False, True])
def test_rows_of_batches(tmp_path, mmap):
    random = np.random.default_rng(5)
    keys, rows = random.integers(0, 40000, 100000), random.integers(0, 1 << 40, 100000)
    batches = [(keys[at : at + 7000], rows[at : at + 7000]) for at in range(0, len(keys), 7000)]
    made = Set.from_batches(iter(batches), rows=True, memory=4 * LEAST, folder=tmp_path, mmap=mmap)
    least = {}
    for key, row in zip(keys.tolist(), rows.tolist()):
        least[key] = min(row, least.get(key, row))
    assert made.keys().tolist() == sorted(least)
    assert made.find(list(least)).tolist() == list(least.values())
    assert made.to_bytes() == Set(keys, rows=rows).to_bytes() and not list(tmp_path.iterdir())
    narrow = Set.from_batches(
        [(pa.array([5, None, 7]), np.array([40, 41, 42], "u4")), ([5], pl.Series([8]))], rows=True
    )
    assert narrow.find([5, 7, 9]).tolist() == [8, 42, -1]


def test_from_batches_of_all_libraries():
    tables = pa.table({"x": pa.chunked_array([[1, None, 5], [5, 9]])})
    assert Set.from_batches(batch["x"] for batch in tables.to_batches()).keys().tolist() == [1, 5, 9]
    days = [datetime.date(2024, 2, 29), datetime.date(1969, 1, 1)]
    one = Set.from_batches([pl.Series(days), np.array(["2024-03-01"], "M8[D]"), days])
    assert one.keys().tolist() == [days[1], days[0], datetime.date(2024, 3, 1)]
    ids = [uuid.uuid5(uuid.NAMESPACE_URL, str(number)) for number in range(300)]
    assert Set.from_batches([ids[:100], ids[50:]]).keys().tolist() == sorted(ids)
    assert Set.from_batches([np.array([], "f8"), [0.5]]).contains([0.5, 1]).tolist() == [True, False]


def test_refusals_of_batches(tmp_path):
    def broken():
        yield np.arange(20000)
        raise ZeroDivisionError

    for call, kind, words in (
        (lambda: Set.from_batches([]), InvalidArgument, "there are no batches"),
        (lambda: Set.from_batches([["a"]]), KeyTypeError, "keys is of type string; a set holds numbers"),
        (lambda: Set.from_batches([[1], ["a"]]), KeyTypeError, "keys holds strings"),
        (lambda: Set.from_batches([np.array([1], "u4"), [-1]]), InvalidArgument, "keys reach from -1 to -1"),
        (lambda: Set.from_batches([[1]], memory=1000), InvalidArgument, f"need at least {LEAST}"),
        (lambda: Set.from_batches([[1]], folder=tmp_path / "none"), warpdex.errors.FileError, "none"),
        (lambda: Set.from_batches(7), KeyTypeError, ""),
        (lambda: Set.from_batches([[1]], rows=True), InvalidArgument, "a batch is list; with rows it is a pair"),
        (lambda: Set.from_batches([np.arange(2)], rows=True), InvalidArgument, "a batch is ndarray"),
        (lambda: Set.from_batches([([1], None)], rows=True), InvalidArgument, "a batch is tuple"),
        (lambda: Set.from_batches([([1, 2], [1])], rows=True), InvalidArgument, "rows has the shape (1,)"),
        (lambda: Set.from_batches([([1], [-1])], rows=True), InvalidArgument, "rows"),
        (lambda: Set.from_batches([([1], ["a"])], rows=True), KeyTypeError, "rows"),
        (lambda: Set.from_batches(broken(), memory=LEAST, folder=tmp_path), InvalidArgument, "ZeroDivisionError"),
    ):
        with pytest.raises(kind) as why:
            call()
        assert words in str(why.value) and "\n" not in str(why.value)
    assert not list(tmp_path.iterdir())
