# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Grouped indexes that are updated and stored: their entries after updates, files that are cut, and those of others."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import warpdex as wd

SPECS = ("AO+BS", "EO+KS(9)", "B+(16)", "HT(open)", "HT(buckets)", "auto(points)")


class _Entries:
    """The rows of an index by group and key."""

    def __init__(self, groups: list[int], keys: list[int]) -> None:
        self.rows: dict[tuple[int, int], list[int]] = {}
        self.insert(groups, keys, range(len(keys)))

    def insert(self, groups: list[int], keys: list[int], rows: Any) -> None:
        for group, key, row in zip(groups, keys, rows):
            self.rows.setdefault((group, key), []).append(row)

    def erase(self, groups: list[int], keys: list[int]) -> None:
        for place in zip(groups, keys):
            self.rows.pop(place, None)

    def expect(self, index: wd.GroupedIndex) -> None:
        query = [*self.rows, *((group + 1, key - 1) for group, key in self.rows)]
        groups, keys = (np.array(column, np.int64) for column in zip(*query))
        rows = [sorted(self.rows.get(place, ())) for place in query]
        assert len(index) == sum(map(len, self.rows.values()))
        assert index.find(groups, keys).tolist() == [one[0] if one else -1 for one in rows]
        assert index.count(groups, keys).tolist() == list(map(len, rows))
        offsets, found = (array.tolist() for array in index.retrieve(groups, keys))
        assert [found[a:b] for a, b in zip(offsets, offsets[1:])] == rows


@pytest.mark.parametrize("wide", [1, 2**40])
@pytest.mark.parametrize("spec", SPECS)
def test_updates_with_groups_and_keys_that_have_no_number(spec: str, wide: int, tmp_path: Path) -> None:
    """@param wide a factor that makes numbers those of ranks"""
    groups, keys = ([one % 7 * wide for one in range(300)], [one // 2 * wide for one in range(300)])
    index, entries = wd.GroupedIndex(groups, keys, spec), _Entries(groups, keys)
    for step in (0, 1):
        added = [3 * wide, 900 * wide, -5 * wide, 3 * wide + 1], [7000 * wide, 4 * wide, -7 * wide, 4 * wide + 1]
        added = tuple([value + step for value in column] for column in added)
        index.insert(*added, [1000, 1001, 1002, 1003])
        entries.insert(*added, [1000, 1001, 1002, 1003])
        entries.expect(index)
        index.insert_or_assign([one - 50 * wide for one in added[0]], added[1], [5, 6, 7, 8])
        entries.erase([one - 50 * wide for one in added[0]], added[1])
        entries.insert([one - 50 * wide for one in added[0]], added[1], [5, 6, 7, 8])
        entries.expect(index)
        index.update([77 * wide + step], [88 * wide], [99], groups[:9], keys[:9])
        entries.erase(groups[:9], keys[:9])
        entries.insert([77 * wide + step], [88 * wide], [99])
        entries.expect(index)
        index.erase([77 * wide + step, 10**17], [88 * wide, 1])
        entries.erase([77 * wide + step], [88 * wide])
        entries.expect(index)
        index.save(tmp_path / "grouped")
        index = wd.GroupedIndex.load(tmp_path / "grouped", mmap=step == 0)
        entries.expect(index)


_CUT = """
import os, sys
import numpy as np, warpdex as wd
grouped, spec, path = sys.argv[1] == "grouped", sys.argv[2], sys.argv[3]
keys = np.arange(20000)
kind = wd.GroupedIndex if grouped else wd.Index
made = kind(keys % 7, keys, spec) if grouped else kind(keys, spec)
of, few, far = ([1, 2], [8, 9], [2**40, 5]) if grouped else ((), [8, 9], [2**30, 5])
made.save(path)
x = kind.load(path, mmap=True)
os.truncate(path, 8192)
columns = (of, few) if grouped else (few,)
calls = {name: lambda name=name: getattr(x, name)(*columns) for name in ("find", "contains", "count", "retrieve")}
calls |= {"insert": lambda: x.insert(*columns, [1, 2]), "erase": lambda: x.erase(*columns)}
calls |= {"insert_or_assign": lambda: x.insert_or_assign(*columns, [1, 2])}
calls |= {"to_bytes": x.to_bytes, "save": lambda: x.save(path + ".other")}
if grouped:
    calls |= {"anew": lambda: x.insert(of, far, [1, 2]), "update": lambda: x.update(of, far, [1, 2], of, few)}
if "HT" not in spec:
    calls |= {name: lambda name=name: getattr(x, name)(*columns) for name in ("floor", "ceil", "join_asof")}
    ranges = (of, few, few) if grouped else (few, few)
    for name in ("range_count", "range_sum", "range_retrieve", "join_between"):
        calls[name] = lambda name=name: getattr(x, name)(*ranges)
    calls["aggregates"] = lambda: x.aggregates(keys) if grouped else wd.RangeAggregates(x, keys)
for name, call in calls.items():
    try:
        call()
    except wd.errors.FileError as why:
        assert "has shrunk from" in str(why) and chr(10) not in str(why), (name, why)
    else:
        sys.exit(f"{name} answered")
assert len(x) == 20000
print(len(calls))
"""


@pytest.mark.parametrize("spec", ["AO+BS", "B+(16)", "HT(open)", "HT(buckets)"])
@pytest.mark.parametrize("kind", ["grouped", "plain"])
def test_calls_of_an_index_whose_file_is_cut(kind: str, spec: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", _CUT, kind, spec, str(tmp_path / "index.wdx")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def test_files_of_other_indexes(tmp_path: Path) -> None:
    wd.Index([1, 2]).save(tmp_path / "plain")
    wd.GroupedIndex([1], [2]).save(tmp_path / "grouped")
    wd.Index([1, 2], devices=["cpu", "cpu"], placement="range").save(tmp_path / "shards")
    for mmap in (False, True):
        with pytest.raises(wd.errors.FormatError, match="plain: the file is that of a plain index; load it as one"):
            wd.GroupedIndex.load(tmp_path / "plain", mmap=mmap)
        with pytest.raises(wd.errors.FormatError, match="grouped: the file is that of a grouped index; load it as one"):
            wd.Index.load(tmp_path / "grouped", mmap=mmap)
        for kind in (wd.Index, wd.GroupedIndex):
            with pytest.raises(
                wd.errors.FormatError, match="the file is the manifest of a sharded index; load its folder"
            ):
                kind.load(tmp_path / "shards" / "manifest.wdx", mmap=mmap)
