# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""What is no lookup of one column: paths, ranks, borrowed keys, aggregates, tuples, prefixes, joins without an index; and
lookups that list by prefix or answer in any order."""

import copy
import datetime
import gc
import itertools
import pickle
import uuid

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import warpdex
from warpdex import GroupedIndex, Index, KeyEncoder, RangeAggregates
from warpdex.joins import hash_join, join_columns, merge_join, plan_join
from warpdex.lookups import Field, prefix_borders


def rows_by_probe(answer):
    offsets, rows = answer
    return [rows[a:b].tolist() for a, b in itertools.pairwise(offsets)]


@pytest.mark.parametrize("seed", range(3))
def test_answers_in_any_order(seed, monkeypatch):
    monkeypatch.setattr(warpdex.lookups.calls, "PIECE", 37)
    rng = np.random.default_rng(seed)
    keys, probes = rng.integers(0, 300, 200), rng.integers(0, 300, 500)
    index = Index(keys)
    rows, positions = index.find_unordered(probes)
    assert sorted(positions.tolist()) == list(range(500)) and rows.dtype == np.int32
    np.testing.assert_array_equal(rows, index.find(probes)[positions])
    rows, positions = index.find_unordered([5, None, 2**70])
    assert dict(zip(positions.tolist(), rows.tolist()))[1] == -1
    for column in (pa.array, pl.Series, lambda values: pd.Series(values, dtype="Int64")):
        rows, positions = index.find_unordered(column([5, None, 2**40]))
        assert sorted(positions.to_numpy().tolist()) == [0, 1, 2]  # each says whose answer it is
        assert (
            pd.isna(rows.to_numpy(zero_copy_only=False) if isinstance(rows, pa.Array) else rows.to_numpy()).sum() >= 2
        )


def test_keys_are_pickled_and_copied():
    encoder = KeyEncoder(["u32", "bytes"])
    keys = encoder.encode([[7, 1, 7], ["b", "a", "a"]])
    for other in (pickle.loads(pickle.dumps(keys)), copy.copy(keys)):
        assert repr(other) == repr(keys) and Index(keys).find(other).tolist() == [0, 1, 2]


def test_prefixes():
    words = ["tea", "ten", "to", "te", "", "tea"]
    index = Index(words)
    prefixes = ["te", "", "x", "tea", None]
    expected = [
        sorted((w.encode(), i) for i, w in enumerate(words) if p is not None and w.startswith(p)) for p in prefixes
    ]
    assert rows_by_probe(index.prefix_retrieve(prefixes)) == [[i for _, i in one] for one in expected]
    assert index.prefix_sum(prefixes).tolist() == [sum(i for _, i in one) for one in expected]
    assert index.prefix_sum(prefixes).dtype == np.uint64
    with pytest.raises(warpdex.errors.Unsupported):
        Index([1, 2]).prefix_sum([1])


def test_paths():
    names = ["root", "usr", "bin", "lib", "bin64"]
    parents = ["root", "root", "usr", "usr", "bin"]
    index = Index(names)
    assert rows_by_probe(index.ancestors(["bin64", "root", "etc", None], parents)) == [[4, 2, 1, 0], [0], [], []]
    numbers = Index(np.array([10, 20, 30], np.uint32))
    assert rows_by_probe(numbers.ancestors([30, 2**40, -1], np.array([10, 10, 20], np.uint32))) == [[2, 1, 0], [], []]
    with pytest.raises(ValueError, match="cycle|does not end"):
        numbers.ancestors([30], [10, 30, 20])
    with pytest.raises(TypeError, match="parents"):
        numbers.ancestors([30], ["a", "b", "c"])
    with pytest.raises(ValueError, match=r"parents\[1\] is null"):
        numbers.ancestors([30], [10, None, 20])


@pytest.mark.parametrize(
    "keys",
    [
        np.array([3, -1, 2, 2]),
        np.array([3, 1], np.uint32),
        np.array([1.5, -0.5, np.inf], np.float32),
        np.array(["2020-01-02", "1999-01-01"], "M8[D]"),
        np.array([5, 3], "m8[ms]"),
        [True, False],
        ["b", "", "abc"],
        [uuid.UUID(int=7), uuid.UUID(int=2**100)],
        [datetime.date(2020, 1, 1)],
    ],
    ids=str,
)
def test_ranks(keys):
    index = Index(keys, "AO+BS")
    ranks = np.arange(len(index))
    found = index.keys_at(ranks)
    expected = sorted(one.encode() if isinstance(one, str) else one for one in keys)
    assert (
        found.tolist() == np.array(expected, object if isinstance(expected[0], (bytes, uuid.UUID)) else None).tolist()
    )
    assert index.rows_at(ranks).tolist() == np.argsort(np.array(keys), kind="stable").tolist()
    assert index.keys_at([]).size == 0 and index.rows_at(ranks[::-1]).tolist() == index.rows_at(ranks)[::-1].tolist()
    for call in (index.keys_at, index.rows_at):
        with pytest.raises(warpdex.Error):
            call([len(index)])
        with pytest.raises(warpdex.Error, match="ranks"):
            call([-1])
        with pytest.raises(TypeError, match="ranks"):
            call(["a"])


def test_borrowed_keys():
    keys = np.sort(np.random.default_rng(1).integers(0, 1 << 20, 5000)).astype(np.uint64)
    own = Index(keys, "AO+BS")
    for spec in ("AO+BS", "AO+PB+KS(9)"):
        borrowed = Index.over_sorted(keys.copy(), spec)
        gc.collect()
        probes = np.random.default_rng(2).integers(0, 1 << 20, 3000)
        for name in ("find", "count", "lower_bound", "floor"):
            np.testing.assert_array_equal(getattr(borrowed, name)(probes), getattr(own, name)(probes))
        np.testing.assert_array_equal(
            borrowed.range_sum(probes, probes + 99, "right"), own.range_sum(probes, probes + 99, "right")
        )
        with pytest.raises(warpdex.errors.Unsupported):
            borrowed.insert(keys[:1], [1])
        with pytest.raises(warpdex.errors.Unsupported):
            borrowed.to_bytes()
    with pytest.raises(ValueError, match="sorted|ascend"):
        Index.over_sorted(keys[::-1].copy())
    for keys in (np.array([-2.5, 1, np.nan]), np.array([-7, 3, 9]), np.array(["1960-01-01", "2020-01-01"], "M8[s]")):
        borrowed = Index.over_sorted(keys)
        assert borrowed.find(keys).tolist() == list(range(len(keys)))
    with pytest.raises(warpdex.errors.Unsupported):
        Index.over_sorted(["a"])


def random_aggregates(rng, keys, kind, with_nulls):
    """The aggregates, its values, and which of them are null."""
    size = len(keys)
    values = (rng.integers(0, 100, size) if np.dtype(kind).kind != "f" else rng.normal(size=size)).astype(kind)
    missing = rng.random(size) < 0.3 if with_nulls else np.zeros(size, bool)
    aggregates = RangeAggregates(Index(keys, "AO+BS"), np.ma.masked_array(values, missing) if with_nulls else values)
    return aggregates, values, missing


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.int64, np.uint64, np.float32, np.float64])
@pytest.mark.parametrize("with_nulls", [False, True])
def test_payloads(kind, with_nulls):
    rng = np.random.default_rng(3)
    keys = rng.integers(0, 50, 1000)
    aggregates, values, missing = random_aggregates(rng, keys, kind, with_nulls)
    lower, upper = rng.integers(-5, 55, 200), rng.integers(-5, 55, 200)
    for closed, below, above in (
        ("both", np.greater_equal, np.less_equal),
        ("left", np.greater_equal, np.less),
        ("right", np.greater, np.less_equal),
        ("none", np.greater, np.less),
    ):
        found = aggregates.in_ranges(lower, upper, closed)
        for i, (a, b) in enumerate(zip(lower, upper)):
            some = values[below(keys, a) & above(keys, b) & ~missing]
            assert found.count[i] == some.size
            if some.size:
                wide = some.astype(np.float64 if np.dtype(kind).kind == "f" else object)
                assert found.sum[i] == pytest.approx(wide.sum()) and found.mean[i] == pytest.approx(float(wide.mean()))
                assert (found.min[i], found.max[i]) == (some.min(), some.max())
            else:
                assert found.sum[i] == 0 and np.isnan(found.mean[i])
    each = aggregates.of_keys([7, 999, None])
    assert each.count.tolist() == [int(((keys == 7) & ~missing).sum()), 0, 0]
    whole = aggregates.of_ranks([0], [1000])
    assert whole.count[0] == (~missing).sum()


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int64, np.uint64, np.float32, np.float64])
@pytest.mark.parametrize("with_nulls", [False, True])
@pytest.mark.parametrize("least", [False, True])
def test_top_of_ranges(kind, with_nulls, least):
    rng = np.random.default_rng(5)
    keys = rng.integers(0, 80, 2000)
    aggregates, values, missing = random_aggregates(rng, keys, kind, with_nulls)
    by_key = pd.DataFrame({"key": keys, "value": values})[~missing].sort_values("key", kind="stable")
    lower, upper = rng.integers(-5, 85, 60), rng.integers(-5, 85, 60)
    for closed in ("both", "left", "right", "neither"):
        for k in (0, 1, 7, 10**6):
            ours = "none" if closed == "neither" else closed
            found = (aggregates.bottom_k if least else aggregates.top_k)(lower, upper, k, ours)
            assert found.offsets[0] == 0 and found.offsets[-1] == len(found.rows) == len(found.values)
            for i, (a, b) in enumerate(zip(lower, upper)):
                some = by_key.value[by_key.key.between(a, b, inclusive=closed)]
                best = some.nsmallest(k) if least else some.nlargest(k)  # of equal values the first
                part = slice(found.offsets[i], found.offsets[i + 1])
                assert found.rows[part].tolist() == best.index.tolist()
                assert found.values[part].tolist() == best.tolist()


def test_top_is_exact_and_of_its_index():
    index = Index([1, 1, 2])
    aggregates = RangeAggregates(index, np.array([2**64 - 1, 5, 7], np.uint64))
    assert aggregates.top_k([1, None], [2, 2], 2).values.tolist() == [2**64 - 1, 7]
    assert aggregates.top_k([], [], 2).offsets.tolist() == [0]
    floats = RangeAggregates(index, [np.nan, 1.0, None])
    assert floats.top_k([1], [2], 9).rows.tolist() == [0, 1]
    assert floats.bottom_k([1], [2], 9).rows.tolist() == [1, 0]
    for wrong in (-1, 2**63):
        with pytest.raises(warpdex.errors.InvalidArgument, match=f"k is {wrong}"):
            aggregates.top_k([1], [2], wrong)
    with pytest.raises(warpdex.errors.KeyTypeError, match="k is"):
        aggregates.top_k([1], [2], 1.5)
    with pytest.raises(warpdex.errors.InvalidArgument, match="closed is 'open'"):
        aggregates.top_k([1], [2], 1, "open")
    index.insert([3], [0])
    with pytest.raises(warpdex.errors.Busy):
        aggregates.top_k([1], [2], 1)


def test_payloads_are_exact_and_of_their_index():
    index = Index([1, 1, 2])
    aggregates = RangeAggregates(index, np.array([2**63 - 1, 2**63 - 1, 5]))
    assert aggregates.of_keys([1]).sum.tolist() == [2**64 - 2] and aggregates.of_keys([2]).sum.tolist() == [5]
    assert RangeAggregates(index, np.array([-(2**63)] * 3)).of_keys([1, 2]).sum.tolist() == [-(2**64), -(2**63)]
    with pytest.raises(TypeError, match="values"):
        RangeAggregates(index, ["a", "b", "c"])
    with pytest.raises(ValueError):
        RangeAggregates(index, [1, 2])
    index.insert([3], [0])
    with pytest.raises(warpdex.errors.Busy):
        aggregates.of_keys([1])


def test_tuples():
    rng = np.random.default_rng(4)
    columns = [
        rng.integers(0, 5, 300).astype(np.uint32),
        rng.integers(-5, 5, 300),
        np.array(list("abcde"))[rng.integers(0, 5, 300)],
    ]
    encoder = KeyEncoder(["u32", Field("i64", descending=True), "bytes"])
    assert encoder.type == "bytes" and len(encoder.fields) == 3
    keys = encoder.encode(columns)
    index = Index(keys)
    tuples = list(zip(*(c.tolist() for c in columns)))
    first = {one: i for i, one in reversed(list(enumerate(tuples)))}
    assert index.find(keys).tolist() == [first[one] for one in tuples]
    order = sorted(range(300), key=lambda i: (tuples[i][0], -tuples[i][1], tuples[i][2], i))
    assert index.rows_at(np.arange(300)).tolist() == order
    back = encoder.decode(keys)
    for one, column in zip(back, columns):
        assert one.tolist() == [v.encode() if isinstance(v, str) else v for v in column.tolist()]
    prefixes, none = encoder.leading([[3, 9]])
    assert none is None and index.prefix_count(prefixes).tolist() == [int((columns[0] == 3).sum()), 0]
    beginnings, _ = encoder.leading([[3], [1], ["a"]], last_open=True)
    assert index.prefix_count(beginnings).tolist() == [sum(t == (3, 1, "a") for t in tuples)]


@pytest.mark.parametrize("types", [["u32"], ["u32", "i32"], ["date", "timestamp"], ["u64", "f64"]])
def test_tuples_of_numbers(types):
    samples = {
        "u32": np.array([1, 5, 5], np.uint32),
        "i32": np.array([-1, 2, -3], np.int32),
        "u64": np.array([2**63, 1, 1], np.uint64),
        "f64": np.array([0.5, -np.inf, 2]),
        "date": np.array(["2020-01-01", "1960-05-05", "2020-01-01"], "M8[D]"),
        "timestamp": np.array([1, 2, -3], "M8[us]"),
    }
    columns = [samples[one] for one in types]
    encoder = KeyEncoder(types)
    keys = encoder.encode(columns)
    index = Index(keys, "AO+BS")
    assert index.find(keys).tolist() == [0, 1, 2] if len(types) > 1 else [0, 1, 1]
    for one, column in zip(encoder.decode(keys), columns):
        assert one.dtype == column.dtype and one.tolist() == column.tolist()
    if len(types) > 1:
        lower, upper = encoder.leading(columns[:1])
        assert index.range_count(lower, upper).tolist() == [int((columns[0] == one).sum()) for one in columns[0]]


def test_nulls_in_tuples():
    encoder = KeyEncoder([Field("u32", nullable=True, nulls_last=True), "u32"])
    keys = encoder.encode([[1, None, 2], [3, 4, 5]])
    index = Index(keys, "AO+BS")
    assert index.find(keys).tolist() == [0, 1, 2] and index.rows_at([0, 1, 2]).tolist() == [0, 2, 1]
    assert encoder.decode(keys)[0].tolist() == [1, None, 2]
    with pytest.raises(ValueError):
        KeyEncoder(["u32"]).encode([[1, None]])
    with pytest.raises(ValueError, match="2 of them; there are 1"):
        KeyEncoder(["u32"]).encode([[1], [2]])
    with pytest.raises(TypeError, match="keys must be"):
        encoder.decode([1])
    with pytest.raises(TypeError, match=r"fields\[0\] is 'int'; it must be one of u32"):
        KeyEncoder(["int"])
    with pytest.raises(ValueError):
        KeyEncoder([])
    with pytest.raises(TypeError, match="probes holds keys of type integer"):
        Index(["a"]).find(KeyEncoder(["u32"]).encode([[1]]))


def longest(addresses, bits, width, number):
    best = (
        max((b, i) for i, (a, b) in enumerate(zip(addresses, bits)) if number >> (width - b) == a >> (width - b))
        if any(number >> (width - b) == a >> (width - b) for a, b in zip(addresses, bits))
        else (0, len(addresses))
    )
    return best[1]


@pytest.mark.parametrize("width", [32, 64, 128])
def test_borders_of_prefixes(width):
    rng = np.random.default_rng(width)
    drawn = {}
    for _ in range(60):
        bits = int(rng.integers(1, 9))
        drawn[int(rng.integers(0, 1 << bits)) << (width - bits), bits] = None
    addresses, bits = zip(*drawn)
    given = {32: np.uint32, 64: np.uint64, 128: object}[width]
    keys, rows = prefix_borders(np.array(addresses, given), list(bits))
    index = Index(keys, "AO+BS", rows=rows)
    probes = [int(rng.integers(0, 1 << 16)) << (width - 16) for _ in range(300)]
    expected = [longest(addresses, bits, width, one) for one in probes]
    assert index.floor(np.array(probes, given)).tolist() == expected
    _, own = prefix_borders(np.array(addresses, given), list(bits), rows=np.arange(len(bits)) + 7, none=5)
    assert set(own.tolist()) <= {5, *range(7, 7 + len(bits))}
    with pytest.raises(ValueError, match="bits"):
        prefix_borders(np.array(addresses[:1], given), [200])
    with pytest.raises(ValueError, match="equals prefix"):
        prefix_borders(np.array([addresses[0]] * 2, given), [bits[0]] * 2)


@pytest.mark.parametrize("by", [hash_join, join_columns, merge_join])
@pytest.mark.parametrize("how", ["inner", "left", "semi", "anti", "full"])
@pytest.mark.parametrize("kind", ["numbers", "other types", "words", "nulls"])
def test_joins_of_columns(by, how, kind):
    rng = np.random.default_rng(5)
    left, right = rng.integers(0, 30, 100), rng.integers(0, 40, 80)
    if by is merge_join:
        left, right = np.sort(left), np.sort(right)
    if kind == "words":
        left, right = [f"w{one}" for one in left], [f"w{one}" for one in right]
    elif kind == "other types":
        right = right.astype(np.float64) + 0.5 * (right % 3 == 0)
    elif kind == "nulls":
        left, right = ([None if one % 7 == 0 else one for one in side.tolist()] for side in (left, right))
    if by is merge_join and kind == "words":
        with pytest.raises(warpdex.errors.Unsupported, match="numbers"):
            by(left, right, how)
        return
    ones, twos = by(left, right, how)
    pairs = [(i, j) for i, a in enumerate(left) for j, b in enumerate(right) if a is not None and a == b]
    alone = sorted(set(range(len(left))) - {i for i, _ in pairs})
    if how in ("semi", "anti"):
        assert ones.tolist() == (sorted({i for i, _ in pairs}) if how == "semi" else alone) and twos.size == 0
    else:
        found = sorted(zip(ones.tolist(), twos.tolist()))
        others = sorted(set(range(len(right))) - {j for _, j in pairs})
        lefts = [(i, -1) for i in alone] if how in ("left", "full") else []
        assert found == sorted(pairs + lefts + ([(-1, j) for j in others] if how == "full" else []))


def test_merges_of_what_is_not_in_order():
    assert not warpdex.joins.ascends([2, 1]) and warpdex.joins.ascends(np.array([-0.0, 0.0, np.nan, np.nan]))
    with pytest.raises(warpdex.errors.InvalidArgument, match="number 1"):
        merge_join([1], [2, 1])
    with pytest.raises(warpdex.errors.InvalidArgument, match="ascend"):
        warpdex.joins.asof_merge([1], [2, 1])
    with pytest.raises(warpdex.errors.InvalidArgument, match="left has nulls"):
        warpdex.joins.asof_merge([1, None], [2])
    with pytest.raises(warpdex.errors.KeyTypeError, match="left is of type"):
        warpdex.joins.asof_merge([1], [1.5])
    assert warpdex.joins.asof_merge([1, 5], [1, 4], by=([1, 2], [2, 2])).tolist() == [-1, 1]
    with pytest.raises(warpdex.errors.Unsupported, match="two columns"):
        Index([1]).join([1], "full")


@pytest.mark.parametrize("direction", ["backward", "forward", "nearest"])
def test_as_of_joins_within_groups(direction):
    rng = np.random.default_rng(6)
    groups, keys = rng.integers(0, 5, 200), rng.permutation(1000)[:200]
    query, probes = rng.integers(0, 6, 300), rng.integers(0, 1000, 300)
    for result in (GroupedIndex(groups, keys), GroupedIndex([f"g{g}" for g in groups], keys)):
        of = query if result._families[0] == "integer" else [f"g{g}" for g in query]
        found = result.join_asof(of, probes, direction, tolerance=20)
        for g, p, row in zip(query, probes, found):
            distances = {
                int(i): abs(int(keys[i]) - int(p))
                for i in np.flatnonzero(groups == g)
                if abs(int(keys[i]) - int(p)) <= 20
                and (direction == "nearest" or (keys[i] <= p if direction == "backward" else keys[i] >= p))
            }
            assert (row == -1) == (not distances) and (row == -1 or distances[int(row)] == min(distances.values()))
    with pytest.raises(ValueError, match="groups has 1 values, probes 2"):
        result.join_asof(["g1"], [1, 2])
    times = GroupedIndex([1], np.array(["2020-01-01"], "M8[D]"))
    assert times.join_asof(
        [1, 1], np.array(["2020-01-03", "2020-02-01"], "M8[D]"), tolerance=np.timedelta64(3, "D")
    ).tolist() == [0, -1]


def test_plans():
    rates = warpdex.joins.measured_rates()
    assert all(rate > 0 for rate in rates[:5])
    once = plan_join(rates, 1 << 20, 1 << 20)
    assert once.by in ("build", "hash") and once.seconds > 0 and once.reasons
    ready = plan_join(rates, 1 << 10, 1 << 24, existing="AO+BS")
    assert ready.by == "existing" and ready.spec == "AO+BS"
    with pytest.raises(ValueError, match="question has 'rights'"):
        plan_join(rates, 1, 2, rights=3)
    with pytest.raises(ValueError):
        plan_join(warpdex.joins.JoinRates(*[0.0] * 8), 1, 2)


def test_the_answers_of_open_bounds_agree(monkeypatch):
    monkeypatch.setattr(warpdex.lookups.calls, "PIECE", 11)
    rng = np.random.default_rng(7)
    keys = rng.integers(-20, 20, 60)
    index = Index(keys, "AO+BS")
    lower = [2**70, -(2**70), 3, None, 5, -7] * 4
    upper = [2**71, 2**70, -(2**70), 4, 5, 12] * 4
    for closed in ("both", "left", "right", "none"):
        inside = [
            [
                i
                for _, i in sorted((int(k), i) for i, k in enumerate(keys))
                if a is not None
                and (a <= keys[i] if closed in ("both", "left") else a < keys[i])
                and (keys[i] <= b if closed in ("both", "right") else keys[i] < b)
            ]
            for a, b in zip(lower, upper)
        ]
        assert rows_by_probe(index.range_retrieve(lower, upper, closed)) == inside
        some = [i for i, a in enumerate(lower) if a is not None]
        low, high = [lower[i] for i in some], [upper[i] for i in some]
        assert index.range_count(low, high, closed).tolist() == [len(inside[i]) for i in some]
        assert index.range_sum(low, high, closed).tolist() == [sum(inside[i]) for i in some]
        first, counts = index.equal_range(low, high, closed)
        below = [sum(k < a if closed in ("both", "left") else k <= a for k in keys.tolist()) for a in low]
        assert first.tolist() == below and counts.tolist() == [len(inside[i]) for i in some]
        left, right = index.join_between(lower, upper, "left", closed)
        assert sorted(zip(left.tolist(), right.tolist())) == sorted(
            (i, row) for i, rows in enumerate(inside) for row in (rows or [-1])
        )
