# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Intervals, against a loop over all of them."""

from __future__ import annotations

import datetime
import random
import uuid

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import warpdex
from warpdex import Intervals

CLOSED = ("both", "left", "right", "neither")


def overlap(closed, a, b, c, d, points):
    """Whether the interval from a to b contains the point c, or overlaps the interval from c to d."""
    if None in (a, b, c, d):
        return False
    if points:
        return (a <= c if closed in ("both", "left") else a < c) and (c <= b if closed in ("both", "right") else c < b)
    return c <= d and max(a, c) <= min(b, d) if closed == "both" else max(a, c) < min(b, d)


def rows_of(closed, starts, ends, c, d, points):
    rows = [i for i, (a, b) in enumerate(zip(starts, ends)) if overlap(closed, a, b, c, d, points)]
    return sorted(rows, key=lambda i: starts[i])


def drawn(rng, size, probes, points, nulls):
    """Columns of small numbers: starts and ends of intervals that nest, touch, repeat and are empty, and probes."""

    def some(values):
        return [None if nulls and rng.random() < 0.15 else value for value in values]

    starts = [rng.randrange(60) for _ in range(size)]
    ends = [start + rng.choice((0, 0, 1, 3, 9, 60)) for start in starts]
    lower = [rng.randrange(-2, 75) for _ in range(probes)]
    upper = lower if points else [one + rng.randrange(-2, 12) for one in lower]
    lower = some(lower)
    return some(starts), some(ends), lower, lower if points else some(upper)


DAY = datetime.date(2020, 2, 20)
KINDS = {
    "lists": lambda values: values,
    "integers": lambda values: pd.array(values, "Int32"),
    "numpy": lambda values: np.array(values, np.int64),
    "floats": lambda values: pl.Series([None if v is None else v / 4 for v in values], dtype=pl.Float32),
    "strings": lambda values: pa.array([None if v is None else f"{v + 10:03}" for v in values], pa.string()),
    "dates": lambda values: pl.Series(
        [None if v is None else DAY + datetime.timedelta(v) for v in values], dtype=pl.Date
    ),
    "times": lambda values: pd.Series(
        [None if v is None else pd.Timestamp(DAY) + pd.Timedelta(v, "s") for v in values], dtype="datetime64[ns]"
    ),
    "wide": lambda values: [None if v is None else uuid.UUID(int=(v + 8) << 64) for v in values],
}


def plain(answers):
    """Answers of any library as a list, in which null is None."""
    values = answers.to_list() if hasattr(answers, "to_list") else answers.tolist()
    return [None if value is None or value is pd.NA or value != value else value for value in values]


def listed(found):
    offsets, rows = (np.asarray(array).tolist() for array in found)
    return [rows[begin:end] for begin, end in zip(offsets, offsets[1:])]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("closed", CLOSED)
@pytest.mark.parametrize("points", [True, False])
def test_answers_are_those_of_a_loop(kind, closed, points):
    rng = random.Random(f"{kind} {closed} {points}")
    for size, probes in ((0, 3), (1, 5), (30, 40), (120, 25), (30, 0)):
        nulls = kind not in ("numpy", "wide") and size == 30
        starts, ends, lower, upper = drawn(rng, size, probes, points, nulls)
        if not size and kind in ("lists", "wide"):
            continue  # which have no type
        columns = [KINDS[kind](values) for values in (starts, ends, lower, upper)]
        intervals = Intervals(columns[0], columns[1], closed=closed)
        query = columns[2:3] if points else columns[2:]
        expected = [rows_of(closed, starts, ends, c, d, points) for c, d in zip(lower, upper)]
        assert len(intervals) == sum(overlap(closed, a, b, a, b, False) for a, b in zip(starts, ends))
        assert [n or 0 for n in plain(intervals.count(*query))] == [len(rows) for rows in expected]
        assert listed(intervals.retrieve(*query)) == expected
        first = [-1 if row is None else row for row in plain(intervals.find(*query))]
        assert first == [rows[0] if rows else -1 for rows in expected]
        end = {} if points else {"end": query[1]}
        for how in ("inner", "left", "semi", "anti"):
            left, right = (np.asarray(side).tolist() for side in intervals.join(query[0], how=how, **end))
            if how in ("semi", "anti"):
                assert left == [i for i, rows in enumerate(expected) if bool(rows) == (how == "semi")] and not right
            else:
                pairs = [(i, row) for i, rows in enumerate(expected) for row in rows or [-1] * (how == "left")]
                assert list(zip(left, right)) == pairs


@pytest.mark.parametrize("kind", ("numpy", "floats", "dates", "times"))
def test_nearest_and_coverage(kind):
    rng = random.Random(kind)
    unit = {"floats": 0.25, "times": 10**9}.get(kind, 1)
    for size in (1, 8, 60):
        starts, ends, lower, upper = drawn(rng, size, 30, False, False)
        ends = [min(a + 2, b) for a, b in zip(starts, ends)]
        columns = [KINDS[kind](values) for values in (starts, ends, lower, upper)]
        intervals = Intervals(columns[0], columns[1])
        for k in (1, 3, 100):
            assert listed(intervals.nearest(columns[2], k=k)) == [
                sorted(range(size), key=lambda i: (max(starts[i] - c, c - ends[i], 0), starts[i]))[:k] for c in lower
            ]
        covered = {at for a, b in zip(starts, ends) for at in range(a, b)}
        expected = [len(covered & set(range(c, d))) * unit for c, d in zip(lower, upper)]
        assert plain(intervals.coverage(columns[2], columns[3])) == expected
        inside = plain(intervals.coverage(columns[2]))
        assert inside == [any(a <= c <= b for a, b in zip(starts, ends)) for c in lower]


def near_of(closed, starts, ends, probe, points, side, ignore_overlaps):
    """The intervals next to a probe, in order: rows and distances."""
    c, d = probe
    found = []
    for row, (a, b) in enumerate(zip(starts, ends)):
        if None in (a, b, c, d) or c > d or (a == b and closed != "both"):
            continue
        matches = a < c < b if c == d and not points and closed != "both" else overlap(closed, a, b, c, d, points)
        away = 0 if matches else max(a - d, c - b)
        if ignore_overlaps if matches else side == ("before" if b > c else "after"):
            continue
        found.append((not matches, away, not matches and b > c, a, row))
    return [(row, away) for _, away, _, _, row in sorted(found)]


@pytest.mark.parametrize("kind", ("lists", "numpy", "integers", "floats", "dates", "times"))
@pytest.mark.parametrize("closed", CLOSED)
@pytest.mark.parametrize("points", [True, False])
def test_nearest_of_intervals(kind, closed, points):
    rng = random.Random(f"near {kind} {closed} {points}")
    unit = {"floats": 0.25, "times": 10**9}.get(kind, 1)
    for size, probes in ((1, 5), (30, 40), (30, 0)):
        starts, ends, lower, upper = drawn(rng, size, probes, points, kind != "numpy" and size == 30)
        if not probes and kind == "lists":
            continue  # which have no type
        columns = [KINDS[kind](values) for values in (starts, ends, lower, upper)]
        of = Intervals(*columns[:2], closed=closed)
        query = columns[2:3] if points else columns[2:]
        for side in ("both", "before", "after"):
            for ignore in (False, True):
                for k in (1, 3, 100):
                    expected = [
                        near_of(closed, starts, ends, probe, points, side, ignore)[:k] for probe in zip(lower, upper)
                    ]
                    how = {"k": k, "side": side, "ignore_overlaps": ignore}
                    offsets, rows, away = of.nearest(*query, **how, distances=True)
                    assert listed((offsets, rows)) == [[row for row, _ in one] for one in expected]
                    assert listed((offsets, away)) == [[by * unit for _, by in one] for one in expected]
                    assert listed(of.nearest(*query, **how)) == listed((offsets, rows))


def merged_of(closed, starts, ends, groups):
    """Stretches as group, start, end and rows, by group, then by start."""
    found = []
    for start, end, group, row in sorted(
        (a, b, group, row)
        for row, (a, b, group) in enumerate(zip(starts, ends, groups))
        if None not in (a, b, group) and (a != b or closed == "both")
    ):
        for one in found:
            if one[0] == group and one[1] <= start <= one[2]:
                one[2] = max(one[2], end)
                one[3].append(row)
                break
        else:
            found.append([group, start, end, [row]])
    return sorted(found)


def gaps_of(stretches, low, high):
    """The parts of an interval that stretches leave, which ascend."""
    found, at = [], low
    if None in (low, high) or low > high:
        return []
    near = [(start, end) for start, end in stretches if end >= low and start <= high]
    if low == high:
        return [] if near else [(low, high)]
    for start, end in near:
        if at < start:
            found.append((at, start))
        at = end
    return found + [(at, high)] if at < high else found


@pytest.mark.parametrize("kind", ("lists", "numpy", "integers", "floats", "dates", "times"))
@pytest.mark.parametrize("closed", CLOSED)
@pytest.mark.parametrize("by", [False, True])
def test_unions_and_gaps(kind, closed, by):
    rng = random.Random(f"union {kind} {closed} {by}")
    for size, probes in ((1, 5), (8, 30), (60, 40), (30, 0)):
        nulls = kind != "numpy" and size == 60
        starts, ends, lower, upper = drawn(rng, size, probes, False, nulls)
        if not probes and kind == "lists":
            continue  # which have no type
        ends = [None if None in (a, b) else min(a + 4, b) for a, b in zip(starts, ends)]
        columns = [KINDS[kind](values) for values in (starts, ends, lower, upper)]
        groups, wanted = ([rng.choice((3, 5, None)) if by else 0 for _ in side] for side in (starts, lower))
        of = Intervals(*columns[:2], pl.Series(groups, dtype=pl.Int64) if by else None, closed)
        stretches = merged_of(closed, starts, ends, groups)
        first, last, counts = (array.tolist() for array in of.merge())
        assert [(groups[row], starts[row]) for row in first] == [(one[0], one[1]) for one in stretches]
        assert [ends[row] for row in last] == [one[2] for one in stretches]
        assert counts == [len(one[3]) for one in stretches]
        expected = [next((i for i, one in enumerate(stretches) if row in one[3]), -1) for row in range(size)]
        assert of.cluster().tolist() == expected
        offsets, before, after = of.gaps(*columns[2:], **({"by": pl.Series(wanted, dtype=pl.Int64)} if by else {}))
        parts = [
            (lower[i] if a < 0 else ends[a], upper[i] if b < 0 else starts[b])
            for i in range(probes)
            for a, b in zip(*(np.asarray(rows)[offsets[i] : offsets[i + 1]].tolist() for rows in (before, after)))
        ]
        assert parts == [
            part
            for low, high, group in zip(lower, upper, wanted)
            for part in gaps_of([tuple(one[1:3]) for one in stretches if one[0] == group], low, high)
        ]


@pytest.mark.parametrize("kind", KINDS)
def test_groups(kind):
    rng = random.Random(kind)
    starts, ends, lower, upper = drawn(rng, 90, 60, False, kind in ("lists", "integers", "dates"))
    columns = [KINDS[kind](values) for values in (starts, ends, lower, upper)]
    for make in (
        lambda: rng.choice((3, 10**18, -4)),
        lambda: rng.choice(("chr1", "chr2", "X", None)),
        lambda: (rng.choice("ab"), rng.choice((1, 2))),
    ):
        groups, wanted = [make() for _ in starts], [make() for _ in lower]
        several = isinstance(groups[0], tuple)
        by, of = (tuple(map(list, zip(*each))) if several else pl.Series(each) for each in (groups, wanted))
        intervals = Intervals(columns[0], columns[1], by, closed="left")
        expected = [
            [row for row in rows_of("left", starts, ends, c, d, False) if group is not None and groups[row] == group]
            for c, d, group in zip(lower, upper, wanted)
        ]
        assert listed(intervals.retrieve(columns[2], columns[3], of)) == expected
        assert [n or 0 for n in plain(intervals.count(columns[2], columns[3], of))] == list(map(len, expected))
        left, right = (np.asarray(side).tolist() for side in intervals.join(columns[2], columns[3], by=of))
        assert list(zip(left, right)) == [(i, row) for i, rows in enumerate(expected) for row in rows]
        if kind not in ("strings", "wide") and None not in starts + ends + lower and not several:
            near = [
                sorted(
                    (i for i in range(90) if group is not None and groups[i] == group),
                    key=lambda i: (max(starts[i] - c, c - ends[i], 0), starts[i]),
                )[:4]
                for c, group in zip(lower, wanted)
            ]
            whole = Intervals(columns[0], columns[1], by)
            assert listed(whole.nearest(columns[2], by=of, k=4)) == near


@pytest.mark.parametrize("kind", ("numpy", "floats", "dates", "times"))
def test_least_overlaps(kind):
    rng = random.Random(kind)
    unit = {"floats": 0.25, "times": np.timedelta64(1, "s"), "dates": datetime.timedelta(1)}.get(kind, 1)
    starts, ends, lower, upper = drawn(rng, 80, 50, False, False)
    columns = [KINDS[kind](values) for values in (starts, ends, lower, upper)]
    for least in (1, 4):
        left, right = Intervals(*columns[:2], closed="left").join(*columns[2:], min_overlap=least * unit)
        expected = [
            (i, row)
            for i, (c, d) in enumerate(zip(lower, upper))
            for row in rows_of("left", starts, ends, c, d, False)
            if min(ends[row], d) - max(starts[row], c) >= least
        ]
        assert list(zip(np.asarray(left).tolist(), np.asarray(right).tolist())) == expected


@pytest.mark.parametrize("kind", ["f4", "f8", "list", "pandas", "polars"])
@pytest.mark.parametrize("by", [None, 3])
@pytest.mark.parametrize("closed", CLOSED)
def test_nan_matches_nothing(kind, by, closed):
    def made(values):
        if kind == "list":
            return list(values)
        if kind == "pandas":
            return pd.Series(values)
        return pl.Series(values, dtype=pl.Float64) if kind == "polars" else np.array(values, kind)

    nan, inf = float("nan"), float("inf")
    of = Intervals(made([-inf, 0.0, 5.0]), made([inf, 10.0, 6.0]), None if by is None else [by] * 3, closed)
    lower, upper = [1.0, nan, nan, -inf], [nan, 7.0, nan, nan]
    groups = {} if by is None else {"by": [by] * 4}
    for probes in ((made(lower), made(upper)), (made([nan] * 4),)):
        assert np.asarray(of.count(*probes, **groups)).tolist() == [0] * 4
        assert pd.isna(pd.Series(of.find(*probes, **groups)).replace(-1, None)).all()
        assert of.retrieve(*probes, **groups)[0].tolist() == [0] * 5
        assert of.join(*probes, **groups)[0].tolist() == []
        assert of.join(*probes, "anti", **groups)[0].tolist() == [0, 1, 2, 3] if len(probes) == 2 else True
        assert np.asarray(of.coverage(*probes, **groups)).tolist() == [0.0] * 4
    assert of.join(made(lower), made(upper), min_overlap=0.5, **groups)[0].tolist() == []
    assert of.nearest(made([nan] * 4), k=2, **groups)[0].tolist() == [0] * 5


@pytest.mark.parametrize("kind", ["i8", "f8", "M8[s]", "mixed", "masked"])
def test_intervals_own_their_columns(kind):
    start, end, by = np.arange(3), np.arange(3) + 5, np.array([1, 1, 2])
    if kind == "mixed":
        end = end.astype("i4")
    elif kind == "masked":
        start = np.ma.array(start, mask=[False, False, True])
    else:
        start, end = start.astype(kind), end.astype(kind)
    of = Intervals(start, end, by)
    least = np.timedelta64(1, "s") if kind == "M8[s]" else 1
    probes = np.array([1, 1]).astype(start.dtype), np.array([9, 9]).astype(start.dtype)
    expected = [array.tolist() for array in of.join(*probes, by=[1, 2])]
    wanted = [array.tolist() for array in of.join(*probes, by=[1, 2], min_overlap=least)]
    assert wanted == expected
    start[...], end[...], by[...] = np.array([90, 90, 90]).astype(start.dtype), np.array([1, 1, 1]).astype(end.dtype), 7
    assert [array.tolist() for array in of.join(*probes, by=[1, 2])] == expected
    assert [array.tolist() for array in of.join(*probes, by=[1, 2], min_overlap=least)] == expected


def test_one_long_interval_among_short_ones():
    starts = np.arange(100_000) * 10
    ends = starts + 4
    ends[7] = 10**6
    genes = Intervals(starts, ends, closed="left")
    assert genes.count([10**6 - 1, 80, 60]).tolist() == [1, 2, 1]
    assert listed(genes.retrieve([10**6 - 1, 82])) == [[7], [7, 8]]
    assert genes.nbytes > 100_000


def test_a_probe_of_an_integer_and_a_float():
    known = Intervals([2**53, 1], [2**53, 3])
    assert known.count([2**53 + 2, 2], [2.0**60, 2.5]).tolist() == [0, 1]
    assert known.count(pa.array([2**53 + 2, None, 1]), [2.0**60, 2.5, 3.5]).to_pylist() == [0, None, 1]


@pytest.mark.parametrize(("own", "keys"), [("i2", "i8"), ("u4", "u8"), ("f4", "f8"), ("i4", "f8")])
def test_coverage_of_probes_in_a_narrower_type(own, keys):
    of = Intervals(np.array([2, 8, 3], keys), np.array([5, 9, 5], keys), by=np.array([1, 1, 2], own))
    probes = np.array([0, 3, 4], own), np.array([9, 4, 9], own)
    assert of.coverage(*probes, by=[1, 1, 2]).tolist() == [4, 1, 1]
    assert of.coverage(*probes, by=np.array([3, 3, 2], own)).tolist() == [0, 0, 1]
    assert of.coverage(np.array([2, 7, 3], own), by=[1, 1, 1]).tolist() == [1, 0, 1]


def test_columns_of_several_kinds():
    intervals = Intervals(np.array([1, 5], np.int32), np.array([4, 9], np.int64))
    assert intervals.count(np.array([4.5, 5, 8.75])).tolist() == [0, 1, 1]
    assert intervals.count([2, 0], end=[7, 0]).tolist() == [2, 0]
    answers = intervals.find(pl.Series("p", [1, None, 20]))
    assert isinstance(answers, pl.Series) and answers.to_list() == [0, None, None]
    words = Intervals(pd.Categorical(["b", "d"]), pd.Categorical(["c", "e"]))
    assert words.count(pd.Categorical(["bb", "cc", "e"])).tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: Intervals([2, 3], [4, 1]), warpdex.errors.InvalidArgument, "row 1 .* its start is 3, its end 1"),
        (lambda: Intervals([1.0], [float("nan")]), warpdex.errors.InvalidArgument, "row 0 .* its end nan"),
        (lambda: Intervals([1], ["a"]), warpdex.errors.KeyTypeError, "start"),
        (lambda: Intervals([1], [2, 3]), warpdex.errors.InvalidArgument, "start has 1 values, end 2"),
        (lambda: Intervals([1], [2], closed="open"), warpdex.errors.InvalidArgument, "closed is 'open'"),
        (lambda: Intervals([1], [2], closed=3), warpdex.errors.KeyTypeError, "closed is 3"),
        (lambda: Intervals([-1], np.array([2**63], np.uint64)), warpdex.errors.KeyTypeError, "no type of integers"),
        (
            lambda: Intervals([1], [2]).count([-1], np.array([2**63], np.uint64)),
            warpdex.errors.KeyTypeError,
            "points is of",
        ),
        (
            lambda: Intervals([1], [2]).count([2**53 + 1], [2.5]),
            warpdex.errors.InvalidArgument,
            f"points has {2**53 + 1}",
        ),
        (lambda: Intervals([1], [2]).join([2.5], [2**63 - 1]), warpdex.errors.InvalidArgument, f"end has {2**63 - 1}"),
        (lambda: Intervals([1], [2]).count(["a"]), warpdex.errors.KeyTypeError, "points"),
        (lambda: Intervals([1], [2]).count([1], [2, 3]), warpdex.errors.InvalidArgument, "points has 1 values, end 2"),
        (lambda: Intervals([1], [2], ["a", "b"]), warpdex.errors.InvalidArgument, "start has 1 values, by 2"),
        (lambda: Intervals([1], [2], ["a"]).count([1]), warpdex.errors.InvalidArgument, "by is missing"),
        (
            lambda: Intervals([1], [2]).count([1], by=[1]),
            warpdex.errors.InvalidArgument,
            "by is .1., but the intervals have no groups",
        ),
        (lambda: Intervals([1], [2], ["a"]).count([1], by=[1]), warpdex.errors.KeyTypeError, "by"),
        (lambda: Intervals([1], [2]).join([1], min_overlap=1), warpdex.errors.InvalidArgument, "min_overlap needs end"),
        (
            lambda: Intervals([1], [2]).join([1], [2], min_overlap=-1),
            warpdex.errors.InvalidArgument,
            "min_overlap is -1",
        ),
        (lambda: Intervals([1], [2]).join([1], how="full"), warpdex.errors.InvalidArgument, "how is .full."),
        (lambda: Intervals([1], [2]).join([1], how="outer"), warpdex.errors.InvalidArgument, "how is 'outer'"),
        (
            lambda: Intervals([1], [2]).count([1], stream=7),
            warpdex.errors.InvalidArgument,
            "stream is 7, but the index is on the CPU",
        ),
        (lambda: Intervals([1], [2]).nearest([1], k=-1), warpdex.errors.InvalidArgument, "k is -1"),
        (lambda: Intervals([1], [2]).nearest([1], side="left"), warpdex.errors.InvalidArgument, "side is 'left'"),
        (
            lambda: Intervals([1], [2]).nearest(np.array([1], np.uint64), distances=True),
            warpdex.errors.Unsupported,
            "probes of type u64 and intervals of type i64",
        ),
        (lambda: Intervals(["a"], ["b"]).nearest(["a"]), warpdex.errors.Unsupported, "no distances"),
        (lambda: Intervals(["a"], ["b"]).coverage(["a"], ["b"]), warpdex.errors.Unsupported, "no lengths"),
        (lambda: Intervals(["a"], ["b"]).merge(), warpdex.errors.Unsupported, "not merged"),
        (lambda: Intervals([1], [2]).merge(stream=7), warpdex.errors.InvalidArgument, "stream is 7"),
        (lambda: Intervals([1], [2]).gaps([1], None), warpdex.errors.InvalidArgument, "end is None"),
    ],
)
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()
