# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Files of other languages, whose row ids of 32 bits have no sign: in Python they are int64, and -1 is none."""

import pickle

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
import warpdex
import warpdex.duckdb
import warpdex.polars
from warpdex import Batcher, GroupedIndex, Index, _core

KEYS = [30, 10, 20, 20, 40]
ROWS = [2**32 - 2, 1, 3_000_000_000, 3_000_000_001, 7]
SPECS = ["AO+BS", "HT(open)/layout=SoA", "B+(16)", "HT(open)", "HT(buckets)", "AO+BS/filter=8"]


def stored(keys=KEYS, spec="AO+BS", rows=ROWS):
    """The bytes of a file that a program in another language may write."""
    (part,) = warpdex.columns.values.read(np.asarray(keys), "keys").parts
    return _core.build(part, None, spec, np.array(rows, np.uint32), -1, 0).to_bytes("")


def loaded(**options):
    return Index.from_buffer(stored(**options).tobytes())


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("how", ["path", "mapped", "bytes", "in place", "pickled"])
def test_files_with_large_rows(spec, how, tmp_path):
    whole = stored(spec=spec)
    path = tmp_path / "rows.wdx"
    path.write_bytes(whole.tobytes())
    if how in ("path", "mapped"):
        index = Index.load(path, mmap=how == "mapped")
    elif how == "in place":
        whole.flags.writeable = False
        index = Index.from_buffer(whole)
    else:
        index = Index.from_buffer(whole.tobytes())
    if how == "pickled":
        index = pickle.loads(pickle.dumps(index))
    found = index.find([10, 20, 30, 99])
    assert found.dtype == np.int64 and found.tolist() == [1, 3_000_000_000, 2**32 - 2, -1]
    assert "rows=u64" in index.spec
    offsets, rows = index.retrieve([20, 99, 30])
    assert rows.dtype == np.int64 and rows.tolist() == [3_000_000_000, 3_000_000_001, 2**32 - 2]
    left, right = index.join([20, 99], "left")
    assert left.tolist() == [0, 0, 1] and right.tolist() == [3_000_000_000, 3_000_000_001, -1]
    assert index.find(30) == 2**32 - 2 and index.find(np.int64(99)) == -1
    assert index.find(pa.array([30, None, 99])).to_pylist() == [2**32 - 2, None, None]
    assert index.find(pl.Series([30, 99])).to_list() == [2**32 - 2, None]
    out = np.zeros(2, np.int64)
    assert index.find([30, 99], out=out) is out and out.tolist() == [2**32 - 2, -1]
    index.save(tmp_path / "again.wdx")
    assert Index.load(tmp_path / "again.wdx").find([30]).tolist() == [2**32 - 2]
    index.insert([99], [2**40])
    assert index.find([99]).tolist() == [2**40]


def test_all_answers_of_large_rows():
    index = loaded()
    assert index.floor([25, 5]).tolist() == [3_000_000_000, -1]
    assert index.ceil([25, 50]).tolist() == [2**32 - 2, -1]
    assert index.rows_at([0, 1, 3]).tolist() == [1, 3_000_000_000, 2**32 - 2]
    assert index.range_retrieve([15], [35])[1].tolist() == [3_000_000_000, 3_000_000_001, 2**32 - 2]
    assert index.range_sum([15], [35]).tolist() == [3_000_000_000 + 3_000_000_001 + 2**32 - 2]
    assert index.join_between([15], [35])[1].tolist() == [3_000_000_000, 3_000_000_001, 2**32 - 2]
    assert index.find_unordered([30])[0].tolist() == [2**32 - 2]
    assert index.join_asof([35, 5]).tolist() == [2**32 - 2, -1]
    assert index.join_asof([26], "nearest", offsets=[0, -4]).tolist() == [[2**32 - 2], [3_000_000_000]]
    assert index.join_asof([22], ties="all")[1].tolist() == [3_000_000_000, 3_000_000_001]
    assert index.get_indexer_non_unique([20, 99])[0].tolist() == [3_000_000_000, 3_000_000_001, -1]
    query = Batcher(index)
    assert query.find(30) == 2**32 - 2 and query.find(99) == -1
    query.stop()
    frame = pl.DataFrame({"k": [30, 99]}).with_columns(row=pl.col("k").warpdex.find(index))
    assert frame["row"].to_list() == [2**32 - 2, None]


def test_the_greatest_rows_with_a_sign_keep_their_type():
    index = loaded(keys=[5, 6], rows=[2**31 - 1, 0])
    assert index.find([5, 7]).dtype == np.int32 and index.find([5, 7]).tolist() == [2**31 - 1, -1]
    assert loaded(keys=[5], rows=[2**31]).find([5]).tolist() == [2**31]


def test_strings_with_large_rows():
    parts = warpdex.columns.values.read(["b", "a", "b"], "keys").parts
    rows = np.array([2**32 - 2, 5, 2**31], np.uint32)
    for spec in ("AO+BS", "GRT", "HT(open)"):
        index = Index.from_buffer(_core.build(parts[0], None, spec, rows, -1, 0).to_bytes("").tobytes())
        assert index.find(["a", "b", "c"]).tolist() == [5, 2**31, -1]
        assert index.retrieve(["b"])[1].tolist() == [2**31, 2**32 - 2]


def test_groups_with_large_rows(tmp_path):
    result = GroupedIndex([1, 1], [10, 20])
    (groups,) = warpdex.columns.values.read(np.array([1]), "groups").parts
    (keys,) = warpdex.columns.values.read(np.array([15]), "keys").parts
    result._places.insert(result._core, (groups, keys), np.array([2**32 - 2], np.uint32), False, 0)
    result.save(tmp_path / "groups.wdx")
    for index in (
        GroupedIndex.load(tmp_path / "groups.wdx"),
        GroupedIndex.load(tmp_path / "groups.wdx", mmap=True),
        GroupedIndex.from_buffer(result.to_bytes()),
    ):
        assert index.find([1, 1, 2], [15, 20, 15]).tolist() == [2**32 - 2, 1, -1]
        assert index.floor([1], [17]).tolist() == [2**32 - 2]
        assert index.join_asof([1], [16], "nearest").tolist() == [2**32 - 2]
        assert index.range_retrieve([1], [0], [99])[1].tolist() == [0, 2**32 - 2, 1]
        index.insert([9], [2**40], [2**35])  # which have no number yet
        assert index.find([9, 1], [2**40, 15]).tolist() == [2**35, 2**32 - 2]
        assert pickle.loads(pickle.dumps(index)).find([1], [15]).tolist() == [2**32 - 2]


@pytest.mark.parametrize("placement", ["range", "replicate"])
def test_shards_with_large_rows(placement, tmp_path):
    (part,) = warpdex.columns.values.read(np.array(KEYS), "keys").parts
    rows = np.array(ROWS, np.uint32)
    core = _core.build_shards(part, "AO+BS", rows, [-1, -1], placement, 0, 0)
    core.save(str(tmp_path / "folder").encode(), "")
    index = Index.load(tmp_path / "folder", devices=["cpu", "cpu"])
    found = index.find([10, 20, 30, 99])
    assert found.dtype == np.int64 and found.tolist() == [1, 3_000_000_000, 2**32 - 2, -1]
    assert index.retrieve([20])[1].tolist() == [3_000_000_000, 3_000_000_001]


def test_rows_beyond_64_bits_are_refused():
    (part,) = warpdex.columns.values.read(np.array([1, 2]), "keys").parts
    whole = _core.build(part, None, "AO+BS", np.array([2**63, 0], np.uint64), -1, 0).to_bytes("")
    with pytest.raises(warpdex.errors.Unsupported, match="row id 9223372036854775808, which int64 does not hold"):
        Index.from_buffer(whole.tobytes())


def test_large_rows_in_duckdb():
    duckdb = pytest.importorskip("duckdb")
    con = duckdb.connect()
    warpdex.duckdb.attach(con, orders=loaded())
    found = con.sql("select warpdex_find('orders', k) from (values (30), (99), (20)) of(k)").fetchall()
    assert found == [(2**32 - 2,), (None,), (3_000_000_000,)]
