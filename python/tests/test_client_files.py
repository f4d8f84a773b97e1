# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Networks, intervals, aggregates and encoders go to files, to other processes and through copies."""

import copy
import gzip
import mmap
import multiprocessing
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, orc, parquet as pq

import warpdex
from warpdex import GroupedIndex, Index, Intervals, KeyEncoder, Networks, RangeAggregates

IPS = ["10.1.2.3", "10.2.0.0", None, "2001:db8::1", "::1", "8.8.8.8"]


def through_pickles(value):
    """Copies by each protocol, out of band as well."""
    result = [pickle.loads(pickle.dumps(value, protocol)) for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)]
    held = []
    stream = pickle.dumps(value, 5, buffer_callback=held.append)
    result.append(pickle.loads(stream, buffers=held))
    result.append(pickle.loads(stream, buffers=[bytearray(one.raw()) for one in held]))
    return [*result, copy.copy(value), copy.deepcopy(value)]


def some_networks():
    tables = [[], ["10.0.0.0/8", None, "10.1.0.0/16", "10.1.0.0/16"], ["::/0", "2001:db8::/32", "0.0.0.0/0"]]
    tables.append(["2001:db8::1/128", "10.0.0.0/8", "-"])
    return [Networks(table, invalid="null", spec=spec) for table in tables for spec in ("auto(ranges)", "AO+BS", "GRT")]


def test_networks_come_back(tmp_path):
    for nets in some_networks():
        stored = nets.to_bytes()
        nets.save(tmp_path / "n.wdx")
        (tmp_path / "n.raw").write_bytes(stored)
        with open(tmp_path / "n.raw", "rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        copies = [Networks.from_buffer(one) for one in (stored, bytearray(stored), np.frombuffer(stored, "u1"), mapped)]
        copies += [Networks.load(tmp_path / "n.wdx", mmap) for mmap in (False, True)] + through_pickles(nets)
        assert (tmp_path / "n.wdx").read_bytes() == stored
        for one in copies:
            assert len(one) == len(nets) and one.to_bytes() == stored and repr(one) == repr(nets)
            assert one.find(IPS).tolist() == nets.find(IPS).tolist()
            assert [part.tolist() for part in one.covering(IPS)] == [part.tolist() for part in nets.covering(IPS)]


def test_mapped_networks_pickle_as_their_path(tmp_path):
    path = tmp_path / "n.wdx"
    Networks([f"10.{a}.{b}.0/24" for a in range(99) for b in range(99)]).save(path)
    nets = Networks.load(path, mmap=True)
    stored = pickle.dumps(nets)
    assert len(stored) < 500 and pickle.loads(stored).find("10.0.3.3") == 3
    Networks(["10.0.0.0/8"]).save(path)
    with pytest.raises(warpdex.errors.FileError, match="holds another index"):
        pickle.loads(stored)
    assert pickle.loads(pickle.dumps(nets)).find("10.0.3.3") == 3  # as the bytes that it has mapped


def test_networks_in_other_processes(tmp_path):
    Networks(["10.0.0.0/8", "::/0"]).save(tmp_path / "n.wdx")
    for nets in (Networks(["10.0.0.0/8", "::/0"]), Networks.load(tmp_path / "n.wdx", mmap=True)):
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            assert [found.tolist() for found in pool.map(nets.find, [["10.1.1.1"], ["::", "9.9.9.9"]])] == [
                [0],
                [1, -1],
            ]


@pytest.mark.parametrize("closed", ["both", "left", "right", "neither"])
def test_intervals_come_back(closed, tmp_path):
    start, end = np.array([5, 0, 7, 3], "i8"), np.array([6, 9, 7, 4], "i8")
    times = start.astype("M8[ms]"), end.astype("M8[ms]")
    columns = [(start, end), (start.tolist(), end.tolist()), (start * 0.5, end * 0.5), times]
    columns += [tuple(map(pd.Series, times)), tuple(map(pl.Series, times)), tuple(map(pa.array, (start, end)))]
    columns += [(["b", "a", None, "c"], ["c", "d", "e", "f"]), ([], [])]
    for low, high in columns:
        groups = [["x", "y", None, "x"], (["x", "y", "x", "x"], [1, 2, 1, 1])] if len(low) else []
        for by in (None, *groups):
            known = Intervals(low, high, by=by, closed=closed)
            known.save(tmp_path / "i.wdx")
            copies = [Intervals.load(tmp_path / "i.wdx", mmap) for mmap in (False, True)]
            for one in [Intervals.from_buffer(bytearray(known.to_bytes())), *copies, *through_pickles(known)]:
                assert len(one) == len(known) and repr(one) == repr(known) and one.to_bytes() == known.to_bytes()
                for calls in ((low,), (low, high)):
                    probes = dict(zip(("points", "end"), calls)) | {"by": by}
                    assert list(one.count(**probes)) == list(known.count(**probes))
                    assert list(one.find(**probes)) == list(known.find(**probes))
                    for found, expected in zip(one.join(how="left", **probes), known.join(how="left", **probes)):
                        assert list(found) == list(expected)
    known = Intervals(start, end, closed=closed)
    for one in through_pickles(known):
        found, expected = (of.join(start, end, min_overlap=1) for of in (one, known))
        assert [side.tolist() for side in found] == [side.tolist() for side in expected]
        assert one.coverage(start.astype("i4"), end.astype("i4")).tolist() == known.coverage(start, end).tolist()
        assert [part.tolist() for part in one.merge()] == [part.tolist() for part in known.merge()]


def test_mapped_intervals_pickle_as_their_path(tmp_path):
    path, starts = tmp_path / "i.wdx", np.arange(10000)
    Intervals(starts, starts + 5).save(path)
    mapped = Intervals.load(path, mmap=True)
    stored = pickle.dumps(mapped)
    assert len(stored) < 500 and pickle.loads(stored).count([7]) == 6
    Intervals([1], [2]).save(path)
    with pytest.raises(warpdex.errors.FileError, match="holds another index"):
        pickle.loads(stored)
    assert pickle.loads(pickle.dumps(mapped)).count([7]) == 6


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"])
@pytest.mark.parametrize("known", [{}, {"squares": True}, {"extremes": False}])
def test_aggregates_come_back(dtype, known, tmp_path):
    rng = np.random.default_rng(3)
    keys = rng.integers(0, 50, 500)
    values = rng.integers(0, 99, keys.size).astype(dtype)
    for column in (
        values,
        pd.Series(values).astype(pd.ArrowDtype(pa.from_numpy_dtype(values.dtype))).where(values > 9),
    ):
        for probes in (keys, keys.astype(str)):
            index = Index(probes, "AO+BS")
            result = RangeAggregates(index, column, **known)
            result.save(tmp_path / "p.wdx")
            assert (tmp_path / "p.wdx").read_bytes() == result.to_bytes()
            copies = [
                RangeAggregates.load(tmp_path / "p.wdx", index),
                RangeAggregates.load(tmp_path / "p.wdx", index, mmap=True),
                RangeAggregates.from_buffer(result.to_bytes(), index),
            ]
            for one in copies + through_pickles(result):
                assert one.to_bytes() == result.to_bytes()
                for found, expected in zip(*(vars(of.of_keys(probes)).values() for of in (one, result))):
                    assert found.tolist() == expected.tolist()


def test_aggregates_of_other_indexes():
    index = Index([3, 1, 2], "AO+BS")
    result = RangeAggregates(index, [30, 10, 20])
    with pytest.raises(warpdex.errors.InvalidArgument, match="index has 2 keys, but the aggregates 3 values"):
        RangeAggregates.from_buffer(result.to_bytes(), Index([3, 1]))
    index.insert([4], [3])
    for call in (result.to_bytes, lambda: pickle.dumps(result)):
        with pytest.raises(warpdex.errors.Busy):
            call()


def test_encoders_come_back(tmp_path):
    fields = ["u32", ("bytes", True), ("i64", False, True, True), "timestamp", "u128"]
    for result in (KeyEncoder(fields), KeyEncoder(["u32"]), KeyEncoder(["u32", "i32"])):
        result.save(tmp_path / "e.wdx")
        copies = [KeyEncoder.load(tmp_path / "e.wdx"), KeyEncoder.from_buffer(result.to_bytes())]
        for one in copies + through_pickles(result):
            assert one.fields == result.fields and one.type == result.type
    pairs = [[1, 2], [3, 4]]
    result = KeyEncoder(["u32", "i32"])
    index = Index(result.encode(pairs))
    for one in through_pickles(result):
        assert index.find(one.encode(pairs)).tolist() == [0, 1]


def test_files_of_others_are_named(tmp_path):
    index = Index([1, 2], "AO+BS")
    result = {
        "plain index": index,
        "grouped index": GroupedIndex([1], [2]),
        "networks": Networks(["::/0"]),
        "range_aggregates": RangeAggregates(index, [1, 2]),
        "intervals": Intervals([1], [2]),
        "key encoder": KeyEncoder(["u32"]),
        "set of keys": warpdex.Set([1]),
    }
    loads = {
        "plain index": Index.load,
        "grouped index": GroupedIndex.load,
        "networks": Networks.load,
        "range_aggregates": lambda path: RangeAggregates.load(path, index),
        "intervals": Intervals.load,
        "key encoder": KeyEncoder.load,
        "set of keys": warpdex.Set.load,
    }
    for kind, one in result.items():
        one.save(tmp_path / "f.wdx")
        for wanted, load in loads.items():
            if wanted == kind:
                load(tmp_path / "f.wdx")
                continue
            with pytest.raises(warpdex.errors.FormatError, match=f"the file is that of (a )?{kind}; load it as"):
                load(tmp_path / "f.wdx")


def test_bytes_that_are_no_file():
    for one in (Networks(["10.0.0.0/8"]), Intervals([1], [2]), KeyEncoder(["u32"]), warpdex.Set([1])):
        stored = one.to_bytes()
        for bad in (b"", stored[:-1], stored[:4096], b"x" * 9999, bytes(len(stored))):
            with pytest.raises(warpdex.errors.FormatError):
                type(one).from_buffer(bad)
        with pytest.raises(warpdex.errors.FileError):
            type(one).load("there is no such file")


def _other_files(folder):
    """Files that are none of this library, and what an error says of each."""
    table = pa.table({"a": [1, 2], "b": ["x", "y"]})
    pq.write_table(table, folder / "table.parquet")
    feather.write_feather(table, folder / "table.feather")
    orc.write_table(table, folder / "table.orc")
    np.save(folder / "array.npy", np.arange(3))
    np.savez(folder / "arrays.npz", np.arange(3))
    (folder / "table.csv").write_text("a,b\n1,x\n2,y\n")
    (folder / "table.tsv").write_text("a\tb\r\n1\tx\r\n")
    (folder / "long.csv").write_text("a;ä\n" * 5000, encoding="utf-8-sig")
    (folder / "table.json").write_text('[{"a": 1}]')
    (folder / "notes.txt").write_text("Orders, as of today\nand no more\n")
    (folder / "table.csv.gz").write_bytes(gzip.compress(b"a,b\n1,x\n"))
    (folder / "object.pickle").write_bytes(pickle.dumps(list(range(99))))
    kinds = {"parquet": "a Parquet file", "feather": "a file of Arrow's IPC format", "orc": "an ORC file"}
    kinds |= {"npy": "a .npy file of NumPy", "npz": "a zip file", "csv": "a CSV file", "tsv": "a CSV file"}
    kinds |= {"json": "a JSON file", "txt": "a text file", "gz": "a gzip file", "pickle": "a pickle"}
    return [(path, kinds[path.suffix[1:]]) for path in sorted(folder.iterdir())]


def test_files_of_other_programs_are_named(tmp_path):
    index = Index([1, 2])
    loads = [Index.load, GroupedIndex.load, Networks.load, Intervals.load, KeyEncoder.load, warpdex.Set.load]
    loads += [lambda path: RangeAggregates.load(path, index)]
    for path, kind in _other_files(tmp_path):
        for load in loads:
            with pytest.raises(warpdex.errors.FormatError) as raised:
                load(path)
            found = str(raised.value)
            assert found.startswith("path is '") and path.name in found and "\n" not in found
            assert f"which seems to be {kind}" in found and found.endswith("; load reads a file that save wrote")


@pytest.mark.parametrize("content", [b"", b"\x89WDX", b"\x00\x01\x02\x03" * 30, "ä\0".encode()])
def test_unknown_files_have_the_error_of_the_library(content, tmp_path):
    (tmp_path / "some").write_bytes(content)
    with pytest.raises(warpdex.errors.FormatError, match="some: "):
        Index.load(tmp_path / "some")
