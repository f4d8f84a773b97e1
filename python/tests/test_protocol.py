# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""What Python asks of an object: `in`, `len`, iteration, `repr`; and options that all calls read alike."""

import datetime
import ipaddress
import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import warpdex
from warpdex import GroupedIndex, Index, Intervals, Networks, RangeAggregates


def test_in_asks_for_one_key():
    index = Index([3, 1, 2])
    assert 3 in index and np.int8(2) in index and 1.0 in index and 4 not in index
    assert 1.5 not in index and 2**70 not in index
    assert None not in index and pd.NA not in index and "a" not in index and (1, 2) not in index
    words = Index(["a", "b"])
    assert "a" in words and b"b" in words and "c" not in words and 1 not in words and None not in words
    days = Index(np.array(["2024-02-29"], "M8[D]"))
    assert datetime.date(2024, 2, 29) in days and np.datetime64("2024-03-01") not in days
    for key in ([1], np.array([1]), {1}, pd.Series([1])):
        with pytest.raises(warpdex.errors.KeyTypeError, match="is no key; `in` asks for one"):
            key in index  # noqa: B015


@pytest.mark.parametrize("spec", ["auto", "AO+BS", "HT(open)"])
def test_in_asks_for_one_tuple(spec):
    index = Index(([49, 33], ["Ulm", "Nice"]), spec)
    assert 49 not in index and (49, "Ulm") in index and (49, "Nice") not in index and (49, None) not in index


def test_in_asks_for_a_pair_or_an_address():
    grouped = GroupedIndex(["a", "b"], [1, 2])
    assert ("a", 1) in grouped and ("a", 2) not in grouped and ("c", 1) not in grouped and (1, "a") not in grouped
    with pytest.raises(warpdex.errors.KeyTypeError, match="1 is no pair of a group and a key"):
        1 in grouped  # noqa: B015
    nets = Networks(["10.0.0.0/8", None])
    assert "10.1.2.3" in nets and ipaddress.ip_address("10.0.0.1") in nets and 10 << 24 in nets
    assert "11.0.0.1" not in nets and None not in nets
    with pytest.raises(warpdex.errors.InvalidArgument, match="no address"):
        "x" in nets  # noqa: B015
    assert [len(one) for one in (grouped, nets, Intervals([1, 2], [3, 4]))] == [2, 2, 2]


def test_iteration_is_in_the_order_of_keys(monkeypatch):
    keys = np.random.default_rng(1).integers(0, 900, 1000)
    module = __import__("warpdex.lookups.ranked", fromlist=["_"])
    monkeypatch.setattr(module, "_KEYS_AT_ONCE", 64)
    for spec in ("AO+BS", "AO+PB+KS(17)"):
        assert list(Index(keys, spec)) == sorted(keys.tolist())
    assert list(Index(["b", "a"], "AO+BS")) == [b"a", b"b"] and list(Index(np.array([], "i8"), "AO+BS")) == []
    assert list(Index(([2, 1], ["x", "y"]), "AO+BS")) == [(1, b"y"), (2, b"x")]
    days = np.array(["2024-02-29", "2023-01-01"], "M8[D]")
    assert list(Index(days, "AO+BS")) == sorted(days)
    with pytest.raises(warpdex.errors.Unsupported, match=r"the keys of HT\(open,load=0.8\) have no order"):
        list(Index(keys, "HT(open)"))
    index = Index(keys, "AO+BS")
    turn = iter(index)
    next(turn)
    index.insert([1], [1000])
    with pytest.raises(warpdex.errors.Busy):
        list(turn)
    with pytest.raises(TypeError):
        iter(GroupedIndex([1], [2]))


def test_objects_print_alike():
    index, grouped = Index([3, 1, 2], "AO+BS"), GroupedIndex(["a"], [1.5])
    for one, expected in [
        (index, "Index of 3 i64 keys, AO+BS, cpu"),
        (Index(["a"], "HT(open)"), "Index of 1 bytes keys, HT(open,load=0.8), cpu"),
        (Index(([1], ["a"]), "AO+BS"), "Index of 1 tuple(integer, string) keys, AO+BS, cpu"),
        (Index(np.array([1, 2], "f4"), "AO+BS"), "Index of 2 f32 keys, AO+BS, cpu"),
        (Index(np.array([0], "M8[ns]"), "AO+BS"), "Index of 1 datetime64[ns] keys, AO+BS, cpu"),
        (Index([5], "AO+BS", devices=["cpu", "cpu"], placement="range"), "Index of 1 i64 keys, AO+BS, cpu, cpu"),
        (grouped, "GroupedIndex of 1 f64 keys by bytes, AO+BS, cpu"),
        (Intervals([1], [2], closed="left"), "Intervals of 1 i64 intervals, closed left, cpu"),
        (Intervals(["a"], ["b"], ["x"], "none"), "Intervals of 1 bytes by bytes intervals, closed none, cpu"),
        (RangeAggregates(index, [1, 2, 3]), "RangeAggregates of 3 values, AO+BS, cpu"),
        (grouped.aggregates(np.array([1], "f4")), "GroupedAggregates of 1 values, AO+BS, cpu"),
        (warpdex.RangeQuantiles(index, ["c", "a", "b"]), "RangeQuantiles of 3 values, AO+BS, cpu"),
        (pickle.loads(pickle.dumps(RangeAggregates(index, [1, 2, 3]))), "RangeAggregates of 3 values, AO+BS, cpu"),
        (warpdex.Batcher(index, most_probes=9), "Batcher of 3 i64 keys, batches of up to 9, cpu"),
        (warpdex.KeyEncoder(["u32", "bytes"]), "KeyEncoder of 2 fields, u32, bytes, bytes keys"),
        (warpdex.draw("AO+BS", [1, 2]), "Drawing of 2 keys, AO+BS"),
        (warpdex.devices.Pieces([[1], [2]]), "Pieces of 2 columns"),
        (warpdex.Set([1.5, 2, 1.5]), "Set of 2 f64 keys, plain, cpu"),
    ]:
        assert repr(one) == f"<warpdex.{expected}>"
    specs = "AO+BS for IPv4, AO+BS for IPv6"
    assert repr(Networks(["10.0.0.0/8"], spec="AO+BS")) == f"<warpdex.Networks of 1 networks, {specs}, cpu>"
    assert Networks(["::/0"]).nbytes > 0 and Intervals([1], [2]).device == "cpu"


BYTES = {
    "Index": (lambda n: Index(np.arange(n), "AO+BS"), 8 + 4),
    "GroupedIndex": (lambda n: GroupedIndex(np.arange(n) % 7, np.arange(n)), 8 + 4),
    "GroupedIndex of texts": (lambda n: GroupedIndex(np.arange(n) % 7, [f"{i:09}" for i in range(n)]), 8 + 4 + 9),
    "RangeAggregates": (lambda n: RangeAggregates(Index(np.arange(n)), np.arange(n)), 8),
    "RangeQuantiles": (lambda n: warpdex.RangeQuantiles(Index(np.arange(n)), np.arange(n)), 4),
    "GroupedAggregates": (lambda n: GroupedIndex(np.arange(n) % 7, np.arange(n)).aggregates(np.arange(n)), 8),
    "Intervals": (lambda n: Intervals(np.arange(n), np.arange(n) + 5), 8 + 8 + 4),
    "Set": (lambda n: warpdex.Set(np.arange(n)), 8),
    "Networks": (lambda n: Networks([f"10.{i >> 8}.{i & 255}.0/24" for i in range(n)]), 4),
}


@pytest.mark.parametrize("name", BYTES)
def test_objects_say_how_many_bytes_they_hold(name):
    make, each = BYTES[name]
    few, many = make(10).nbytes, make(10_000).nbytes
    assert type(many) is int and 9_990 * each <= many - few < 9_990 * each * 12


def test_updates_name_their_counts():
    for index, keys in ((Index([1, 2]), ([3],)), (GroupedIndex([1, 1], [1, 2]), ([1], [3]))):
        counts = index.insert(*keys, [2])
        assert counts == (1, 0, 0) and isinstance(counts, warpdex.lookups.UpdateCounts)
        assert (counts.inserted, counts.erased, counts.cancelled) == (1, 0, 0)
        assert pickle.loads(pickle.dumps(counts)) == counts
        assert index.insert_or_assign(*keys, [5]) == (1, 1, 0) and index.erase(*keys).erased == 1
        assert index.update(*keys, [7], *keys).cancelled == 1


@pytest.mark.parametrize("word", ["none", "neither"])
def test_no_bound_has_two_words(word):
    index, grouped = Index([1, 2, 3], "AO+BS"), GroupedIndex([0, 0, 0], [1, 2, 3])
    assert index.range_count([1], [3], word).tolist() == grouped.range_count([0], [1], [3], word).tolist() == [1]
    assert index.join_between([1], [3], closed=word)[1].tolist() == [1]
    assert RangeAggregates(index, [1, 2, 3]).in_ranges([1], [3], word).sum.tolist() == [2]
    assert Intervals([1], [3], closed=word).count([1, 2, 3]).tolist() == [0, 1, 0]
    left, right = pd.DataFrame({"a": [1], "b": [3]}), pd.DataFrame({"k": [1, 2, 3]})
    assert warpdex.join_between(left, right, "k", "a", "b", word)["k"].tolist() == [2]
    options = {"left_on": "a", "right_on": "k", "before": 1, "after": 1, "agg": {"*": "count"}}
    assert warpdex.window(left, right, closed=word, **options)["count"].tolist() == [1]


def test_other_words_of_closed_are_refused():
    for call in (
        lambda: Index([1], "AO+BS").range_count([1], [1], "open"),
        lambda: Intervals([1], [1], closed="open"),
        lambda: RangeAggregates(Index([1], "AO+BS"), [1]).in_ranges([1], [1], "open"),
    ):
        with pytest.raises(warpdex.errors.InvalidArgument, match="closed is 'open'; it must be 'both', 'left', "):
            call()


ENDS = [
    (np.array([1, 2, 3]), [2, 9, -9], "AO+BS"),
    (np.array([1, 2, 3], "u1"), [2, 9, -9], "AO+PB+KS(17)"),
    (np.array([1.5, np.nan, -np.inf]), [2.0, -np.inf, np.nan], "AO+BS"),
    (["a", "b\xff", "c"], ["b", "", "z"], "AO+BS"),
    (["a", "b", "c"], ["b", "", "z"], "GRT(leaf=32)"),
    (np.array(["2024-01-01", "2024-02-01"], "M8[ns]"), np.array(["2024-01-15", "2030-01-01"], "M8[D]"), "AO+BS"),
    (([1, 1, 2], ["a", "b", "a"]), ([1, 2], ["b", "a"]), "AO+BS"),
    (([1, 1, 2], ["a", "b", "a"]), ([1, 2],), "AO+BS"),
    ([], [1, 2], "AO+BS"),
]


@pytest.mark.parametrize("keys, bounds, spec", ENDS)
@pytest.mark.parametrize("closed", ["both", "left", "right", "none"])
def test_a_bound_that_is_none_is_none(keys, bounds, spec, closed):
    keys = np.array(keys, "i8") if isinstance(keys, list) and not keys else keys
    index = Index(keys, spec)
    size, some = len(index), len(bounds[0]) if isinstance(bounds, tuple) else len(bounds)
    is_leading = isinstance(bounds, tuple) and len(bounds) == 1
    below = index.lower_bound(bounds), index.upper_bound(bounds)
    least, most = below[closed in ("right", "none")], below[closed in ("both", "right")]
    assert index.range_count(None, bounds, closed).tolist() == most.tolist()
    found = index.range_count(bounds, None, closed)
    assert found.tolist() == (size - least).tolist()
    offsets, rows = index.range_retrieve(bounds, None, closed)
    assert np.diff(offsets).tolist() == found.tolist() and rows.size == found.sum()
    if not is_leading:
        left, right = index.join_between(bounds, None, closed=closed)
        assert np.bincount(left, minlength=some).tolist() == found.tolist()
        assert sorted(right.tolist()) == sorted(rows.tolist())


def test_payloads_and_kinds_of_open_ranges():
    index = Index([10, 20, 30], "AO+BS")
    aggregates = RangeAggregates(index, [1, 2, 4])
    assert aggregates.in_ranges([20], None).sum.tolist() == [6] and aggregates.in_ranges(
        None, [20], "left"
    ).sum.tolist() == [1]
    assert aggregates.top_k(None, [20, 30], 1).values.tolist() == [2, 4]
    assert isinstance(index.range_count(pd.Series([20]), None), pd.Series)
    assert isinstance(index.range_count(None, pd.Series([20])), pd.Series)
    assert index.range_count(None, 20) == 2
    assert index.join_between([15], None, "left")[1].tolist() == [1, 2]
    with pytest.raises(warpdex.errors.InvalidArgument, match="lower and upper are None"):
        index.range_count(None, None)


def test_one_group_is_that_of_all_probes():
    grouped = GroupedIndex(["a", "a", "b"], [1, 5, 3])
    for name in ("find", "contains", "count", "floor", "ceil", "join_asof"):
        ask = getattr(grouped, name)
        assert ask("a", [1, 5, 3]).tolist() == ask(["a"] * 3, [1, 5, 3]).tolist()
        assert ask("b", pd.Series([3])).tolist() == ask(["b"], [3]).tolist()
    assert grouped.range_count("a", [1, 2], None).tolist() == [2, 1] and grouped.range_count("a", None, None) == 2
    assert grouped.aggregates([1, 2, 4]).in_ranges("a", [1, 2], [9, 9]).sum.tolist() == [3, 2]
    with pytest.raises(warpdex.errors.InvalidArgument, match="groups has 1 values, probes 2"):
        grouped.find(["a"], [1, 5])
    pairs = GroupedIndex((["a", "a"], ["x", "y"]), [5, 5])
    assert pairs.find(("a", "y"), [5, 6]).tolist() == [1, -1]
    shifts = Intervals([0, 10], [9, 20], by=["a", "b"])
    assert shifts.count([3, 12], by="a").tolist() == [1, 0] and shifts.find([3, 12], [4, 13], by="b").tolist() == [
        -1,
        1,
    ]
    assert shifts.nearest([3, 12], by=np.str_("b"))[1].tolist() == [1, 1]
    assert grouped.find(None, [1, 5]).tolist() == [-1, -1]


TOLERANCES = [0.2, 1.0, 1.9, np.float32(2.5), Decimal("1.5"), float("inf")]


@pytest.mark.parametrize("strategy", ["backward", "forward", "nearest"])
@pytest.mark.parametrize("tolerance", TOLERANCES)
def test_a_tolerance_between_two_integers(strategy, tolerance):
    keys, probes = [0, 4, 9], [0, 1, 2, 3, 6, 11, -1]
    odd = [0.25, 1.5, 2.1, 5.9, 8.75, 4.2]

    def expected(all_of, later=False):
        result = []
        for probe in all_of:
            rows = [
                row
                for row, key in enumerate(keys)
                if abs(key - probe) <= tolerance
                and not (strategy == "backward" and key > probe)
                and not (strategy == "forward" and key < probe)
            ]
            result.append(min(rows, key=lambda row: (abs(keys[row] - probe), -row if later else row), default=-1))
        return result

    index, of = Index(keys, "AO+BS"), np.zeros(len(probes), np.int64)
    grouped = GroupedIndex([0, 0, 0], keys)
    assert index.join_asof(probes, strategy, tolerance=tolerance).tolist() == expected(probes)
    assert grouped.join_asof(of, probes, strategy, tolerance=tolerance).tolist() == expected(probes)
    assert warpdex.joins.asof_merge(sorted(probes), keys, strategy, tolerance=tolerance).tolist() == expected(
        sorted(probes)
    )
    if tolerance != Decimal("1.5"):
        assert index.join_asof(odd, strategy, tolerance=tolerance).tolist() == expected(odd)
        each = np.full(len(probes), tolerance)
        assert index.join_asof(probes, strategy, tolerance=each).tolist() == expected(probes)
        assert grouped.join_asof(of, probes, strategy, tolerance=pd.Series(each)).tolist() == expected(probes)
    left, right = pl.DataFrame({"t": probes}), pl.DataFrame({"t": keys, "row": [0, 1, 2]})
    found = warpdex.join_asof(left, right, on="t", strategy=strategy, tolerance=tolerance)
    assert found["row"].fill_null(-1).to_list() == expected(probes, True)


def test_tolerances_that_are_none():
    for wrong in (-0.5, float("nan")):
        with pytest.raises(warpdex.Error, match="tolerance"):
            Index([1], "AO+BS").join_asof([1], tolerance=wrong)
        with pytest.raises(warpdex.Error, match="negative"):
            Index([1], "AO+BS").join_asof([1], tolerance=[wrong])


@pytest.mark.parametrize("kind", [list, np.array, pd.Series, pl.Series, pa.array])
def test_a_null_length_is_a_null_network(kind):
    lengths = [8, None, 16] if kind is not np.array else np.ma.masked_array([8, 0, 16], [False, True, False])
    lengths = pd.array(lengths, "Int64") if kind is pd.Series else lengths if kind is np.array else kind(lengths)
    nets = Networks(["10.0.0.0", "10.0.0.0", "10.1.0.0"], lengths)
    assert len(nets) == len(Networks(["10.0.0.0/8", None, "10.1.0.0/16"]))
    assert nets.find(["10.1.2.3", "10.2.0.0", "11.0.0.0"]).tolist() == [2, 0, -1]
