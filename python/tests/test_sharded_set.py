# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Sets in shards on the CPU, against those of Python."""

import pickle

import numpy as np
import pytest

from warpdex import Index, Set
from warpdex.errors import FormatError, InvalidArgument, KeyTypeError, Unsupported

TYPES = ("u4", "u8", "i4", "i8", "f4", "f8")
PLACES = [{"devices": ["cpu"] * 3}, {"devices": ["cpu"]}, {"devices": ["cpu", "cpu"], "shards": 7}]


def values(seed, kind, size, most=5000):
    return np.random.default_rng(seed).integers(0, most, size).astype(kind)


@pytest.mark.parametrize("places", PLACES)
@pytest.mark.parametrize("kind", TYPES)
def test_as_sets_of_python(kind, places):
    keys, more, probes = values(1, kind, 3000), values(2, kind, 1000, 9000), values(3, kind, 4000, 12000)
    one, model, other = Set(keys, **places), set(keys.tolist()), set(more.tolist())
    assert len(one) == len(model)
    assert one.keys().tolist() == sorted(model) and one.keys().dtype == keys.dtype
    assert one.contains(probes).tolist() == [probe in model for probe in probes.tolist()]
    assert all((key in one) == (key in model) for key in probes[:20].tolist())
    assert None not in one and one.contains([None, keys[0]]).tolist() == [False, True]
    two = Set(more, **places)
    for got, want in ((one | two, model | other), (one & two, model & other), (one - two, model - other)):
        assert got.keys().tolist() == sorted(want)
        assert got.devices == one.devices
    assert one.insert(more) == len(other - model)
    assert one.keys().tolist() == sorted(model | other)
    assert one.erase(keys) == len(model)
    assert list(one) == sorted(other - model)


@pytest.mark.parametrize("places", PLACES)
def test_rows(tmp_path, places):
    keys, rows = values(1, "i8", 3000), values(2, "i8", 3000, 1 << 40)
    model = {}
    for key, row in zip(keys.tolist(), rows.tolist()):
        model[key] = min(row, model.get(key, row))
    one = Set(keys, rows=rows, **places)
    probes = values(3, "i8", 3000, 9000)
    assert one.find(probes).tolist() == [model.get(probe, -1) for probe in probes.tolist()]
    assert one.insert([10_000, 10_001], rows=[5, 6]) == 2
    one.save(tmp_path / "set")
    again = Set.load(tmp_path / "set", devices=["cpu"] * 2)
    assert again.find([10_001, 10_002]).tolist() == [6, -1]
    with pytest.raises(Unsupported, match="the set keeps a row of each key"):
        one.insert([1])


@pytest.mark.parametrize("code", ("plain", "compressed"))
def test_folders_and_pickles(tmp_path, code):
    keys = np.array(["2024-05-01", "2024-05-03", "2024-05-01", "NaT"], "datetime64[s]")
    one = Set(keys, code=code, devices=["cpu", "cpu"], shards=5)
    one.save(tmp_path / "set")
    for again in (
        Set.load(tmp_path / "set"),
        Set.load(tmp_path / "set", mmap=True, devices=["cpu"] * 3),
        pickle.loads(pickle.dumps(one)),
    ):
        assert repr(again.keys()) == repr(one.keys()) and again.code == code
        assert again.contains(keys).tolist() == [True, True, True, False]
        assert again.insert(np.array(["2024-06-01"], "datetime64[s]")) == 1
    assert len(one) == 2
    assert len(one | pickle.loads(pickle.dumps(one))) == 2
    shards = sorted(path for path in (tmp_path / "set").iterdir() if path.name != "manifest.wdx")
    assert sum(len(Set.load(path)) for path in shards) == 2


def test_columns_of_all_libraries():
    pyarrow, polars = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    one = Set(pyarrow.array([5, None, 7, 5]), devices=["cpu", "cpu"])
    assert one.keys().tolist() == [5, 7]
    assert one.contains(polars.Series([7, None, 8])).to_list() == [True, None, False]
    assert one.insert(pyarrow.chunked_array([[8], [9, None]])) == 2


def test_words(tmp_path):
    one = Set(np.arange(10), devices=["cpu", "cpu"])
    assert repr(one) == "<warpdex.Set of 10 i64 keys, plain, cpu, cpu>"
    assert one.nbytes >= 80 and one.device == "cpu, cpu" and one.devices == ["cpu", "cpu"]
    large = Set(np.random.default_rng(1).integers(0, 1 << 62, 1 << 18), devices=["cpu", "cpu"])
    assert large.code == "compressed" and large.nbytes < 8 << 18


def test_refusals(tmp_path):
    one = Set([5, 7], devices=["cpu", "cpu"])
    with pytest.raises(InvalidArgument, match="one of the sets is in shards, and the other is not"):
        one | Set([5])
    with pytest.raises(InvalidArgument, match="the sets are not in the same places"):
        one & Set([5], devices=["cpu"])
    with pytest.raises(InvalidArgument, match="device is 'cpu' and devices is"):
        Set([5], device="cpu", devices=["cpu"])
    with pytest.raises(InvalidArgument, match="shards is 0"):
        Set([5], devices=["cpu"], shards=0)
    with pytest.raises(InvalidArgument, match="it must be a list of devices"):
        Set([5], devices="cpu")
    with pytest.raises(Unsupported, match="the set is in shards"):
        one.to_bytes()
    with pytest.raises(Unsupported, match="keeps no rows"):
        one.find([5])
    with pytest.raises(KeyTypeError):
        Set(["a"], devices=["cpu"])
    Index([5], devices=["cpu"], placement="range").save(tmp_path / "index")
    with pytest.raises(FormatError, match="the manifest of a sharded index"):
        Set.load(tmp_path / "index")
