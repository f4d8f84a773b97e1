# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Copies of indexes: pickles, mapped files, memory that processes share."""

import contextlib
import copy
import mmap
import multiprocessing.shared_memory
import os
import pickle
import socket

import numpy as np
import pytest

import warpdex
from processes import resident_bytes, run
from warpdex import Index


def test_pickles_out_of_band():
    index = Index(["b", "a", "b"])
    buffers = []
    stored = pickle.dumps(index, 5, buffer_callback=buffers.append)
    assert len(stored) < 500 and sum(len(b.raw()) for b in buffers) > 100
    again = pickle.loads(stored, buffers=buffers)
    assert again.find(["a", "c"]).tolist() == [1, -1] and again.spec == index.spec
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(index, protocol)).find("b") == 0
    with pytest.raises(warpdex.errors.FormatError):
        Index.from_buffer(index.to_bytes()[:-20])


@pytest.mark.parametrize("placement", ["range", "replicate"])
@pytest.mark.parametrize("kind", [Index, warpdex.GroupedIndex])
def test_indexes_in_shards_are_pickled_and_copied(kind, placement):
    keys = np.random.default_rng(12).integers(0, 5000, 4000)
    probes = (keys % 7, keys) if kind is warpdex.GroupedIndex else (keys,)
    index = kind(*probes, devices=["cpu"] * 3, placement=placement)
    index.insert(*(column[:1] for column in probes), [9000])
    pickles = [pickle.loads(pickle.dumps(index, protocol)) for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)]
    for other in (*pickles, copy.copy(index), copy.deepcopy(index)):
        assert type(other) is kind and other.device == index.device == "cpu, cpu, cpu"
        np.testing.assert_array_equal(other.find(*probes), index.find(*probes))
        other.insert(*(column[1:2] for column in probes), [9001])  # no copy shares its entries
        assert len(other) > len(index)
    names = Index(["b", "a"], devices=["cpu"], placement="range", shards=2)
    assert pickle.loads(pickle.dumps(names)).find(["a", "c"]).tolist() == [1, -1]


def mapped(kind, path):
    """An index that uses a file, and another like it in memory."""
    keys = np.random.default_rng(11).integers(0, 1 << 40, 20000)
    result = Index(keys, kind) if isinstance(kind, str) else kind(keys % 7, keys)
    result.save(path)
    return type(result).load(path, mmap=True), result, (keys,) if isinstance(kind, str) else (keys % 7, keys)


@pytest.mark.parametrize("kind", ["AO+BS", "HT(open)", "EO+KS(9)", warpdex.GroupedIndex])
def test_indexes_that_use_a_file_pickle_as_its_path(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    index, whole, probes = mapped(kind, "some.wdx")
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert len(stored := pickle.dumps(index, protocol)) < 500 < len(pickle.dumps(whole, protocol))
    monkeypatch.chdir("/")  # the path is a whole one
    again = pickle.loads(stored)
    np.testing.assert_array_equal(again.find(*probes), whole.find(*probes))
    assert len(pickle.dumps(again)) < 500 and type(again) is type(whole)

    last = [column[:1] for column in probes]
    again.erase(*last)  # leaves the file alone
    assert len(pickle.dumps(again)) > 500 and pickle.loads(pickle.dumps(again)).find(*last).tolist() == [-1]
    np.testing.assert_array_equal(pickle.loads(stored).find(*probes), whole.find(*probes))


@pytest.mark.parametrize("spec", ["AO+BS", "HT(open)"])
def test_strings_are_loaded(spec, tmp_path):
    Index(["b", "a", "b"], spec).save(tmp_path / "some.wdx")
    for in_place in (False, True):
        assert Index.load(tmp_path / "some.wdx", mmap=in_place).find(["b", "c"]).tolist() == [0, -1]


def test_a_path_that_was_pickled_must_hold_the_same_index(tmp_path):
    path = tmp_path / "some.wdx"
    index, whole, (keys,) = mapped("AO+BS", path)
    stored = pickle.dumps(index)
    whole.save(path)  # the same bytes in another file
    assert pickle.loads(stored).find(keys[:1]).tolist() == [0]
    Index(keys[1:], "AO+BS").save(path)
    with pytest.raises(warpdex.errors.FileError, match=f"path is '{path}', which holds another index"):
        pickle.loads(stored)
    path.unlink()
    with pytest.raises(warpdex.errors.FileError, match=f"path is '{path}', which cannot be read"):
        pickle.loads(stored)
    for other in (pickle.loads(pickle.dumps(index)), copy.copy(index)):  # all its bytes, as the file is gone
        np.testing.assert_array_equal(other.find(keys), np.arange(keys.size))


def pickled_to_pages(index):
    """What is pickled of an index, and its arrays in pages as processes share them."""
    buffers = []
    stored = pickle.dumps(index, 5, buffer_callback=buffers.append)
    pages = mmap.mmap(-1, buffers[0].raw().nbytes)
    pages[:] = buffers[0].raw()
    return stored, pages


def test_paths_of_no_regular_file_are_refused(tmp_path):
    folder = tmp_path / "shards"
    Index([5, 7, 9], devices=["cpu", "cpu"], placement="range").save(folder)
    shard = next(folder.glob("shard-*"))
    os.remove(shard)
    os.mkfifo(shard)
    (tmp_path / "manifest").mkdir()
    os.mkfifo(tmp_path / "manifest" / "manifest.wdx")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
    code = """
import pickle, sys, warpdex as wd, warpdex.lookups.origin as origin
names = ["pipe", "folder", "socket", "/dev/zero", "/dev/null", "none"]
calls = [lambda name, kind=kind, mmap=mmap: kind.load(name, mmap=mmap)
         for kind in (wd.Index, wd.GroupedIndex, wd.Intervals) for mmap in (False, True)]
calls += [lambda name: origin.remapped(wd.Index, name.encode(), b"01234567")]
folders = [lambda name, mmap=mmap: wd.Index.load(name, mmap=mmap, devices=["cpu", "cpu"]) for mmap in (False, True)]
asked = [(call, name) for call in calls for name in names]
asked += [(call, name) for call in folders for name in ("shards", "manifest", "pipe")]
for call, name in asked:
    try:
        call(name)
    except wd.errors.FileError as why:
        assert name in str(why) and chr(10) not in str(why), why
    else:
        sys.exit(name)
wd.Index([1]).save("index.wdx")
kept = pickle.dumps(wd.Index.load("index.wdx", mmap=True))
import os
os.remove("index.wdx")
os.mkfifo("index.wdx")
try:
    pickle.loads(kept)
except wd.errors.FileError as why:
    assert "cannot be read" in str(why), why
else:
    sys.exit("a pickle")
"""
    done = run(code, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_unpickled_indexes_share_memory():
    keys = np.arange(1 << 20)[::-1].copy()
    for spec in ("AO+BS", "HT(open)", "B+(16)"):
        stored, pages = pickled_to_pages(Index(keys, spec))
        before = resident_bytes()
        again = [pickle.loads(stored, buffers=[pages]) for _ in range(4)]
        assert resident_bytes() - before < len(pages) // 2
        for one in again:
            np.testing.assert_array_equal(one.find(keys), np.arange(1 << 20))
            one.insert_or_assign([5], [77])  # leaves the pages alone
            assert one.find([5]).tolist() == [77]
        del one, again
        pages[:16] = bytes(16)
        with pytest.raises(warpdex.errors.FormatError):
            Index.from_buffer(pages)
        pages.close()  # nothing refers to it


def test_unpickled_groups_share_memory():
    keys = np.arange(1 << 20)[::-1].copy()
    stored, pages = pickled_to_pages(warpdex.GroupedIndex(keys % 8, keys))
    before = resident_bytes()
    again = [pickle.loads(stored, buffers=[pages]) for _ in range(4)]
    assert len(stored) < 500 and resident_bytes() - before < len(pages) // 2
    for one in again:
        np.testing.assert_array_equal(one.find(keys % 8, keys), np.arange(1 << 20))
        one.insert_or_assign([5], [5], [77])  # leaves the pages alone
        assert one.find([5], [5]).tolist() == [77]
    del one, again
    pages[:16] = bytes(16)
    with pytest.raises(warpdex.errors.FormatError):
        warpdex.GroupedIndex.from_buffer(pages)
    pages.close()  # nothing refers to it


def test_processes_share_an_index():
    index = Index(np.arange(1000)[::-1].copy())
    stored = index.to_bytes()
    with shared_memory(len(stored)) as shared:
        shared.buf[: len(stored)] = stored
        code = """
import sys
from multiprocessing import resource_tracker, shared_memory
resource_tracker.register = lambda *given: None  # the parent removes it
from warpdex import Index
shared = shared_memory.SharedMemory(sys.argv[1])
view = shared.buf[: int(sys.argv[2])].toreadonly()
index = Index.from_buffer(view)
print(index.find([999, 3]).tolist())
del index
view.release()
shared.close()
"""
        done = run(code, shared.name, str(len(stored)))
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "[0, 996]", "")


@contextlib.contextmanager
def shared_memory(size):
    result = multiprocessing.shared_memory.SharedMemory(create=True, size=size)
    try:
        yield result
    finally:
        result.close()
        result.unlink()
