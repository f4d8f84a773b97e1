# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Intervals in data frames, against loops over their rows."""

from __future__ import annotations

import datetime
import random

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import warpdex

DAY = datetime.datetime(2020, 2, 20)
KINDS = {
    "integer": (pl.Int64, lambda value: value, 1),
    "short": (pl.Int16, lambda value: value, 1),
    "unsigned": (pl.UInt64, lambda value: value + 9, 1),
    "float": (pl.Float64, lambda value: value / 4, 0.25),
    "date": (pl.Date, lambda value: (DAY + datetime.timedelta(value)).date(), 1),
    "time": (pl.Datetime("us"), lambda value: DAY + datetime.timedelta(0, value), 10**6),
}
LIBRARIES = {
    "polars": lambda frame: frame,
    "chunks": lambda frame: pl.concat([frame[:7], frame[7:]], rechunk=False),
    "pyarrow": lambda frame: frame.to_arrow(),
    "pandas": lambda frame: frame.to_pandas(),
    "pandas of arrow": lambda frame: frame.to_pandas(use_pyarrow_extension_array=True),
}


def drawn(rng, size, kind, nulls, name):
    """Rows of a group, a start and an end, and their frame of Polars."""
    type_, value, _ = KINDS[kind]

    def some(given):
        return None if nulls and rng.random() < 0.1 else given

    rows = []
    for _ in range(size):
        start = rng.randrange(40)
        rows.append((some(rng.choice("abc")), some(start), some(start + rng.choice((0, 1, 3, 9)))))
    columns = [
        [None if one is None else value(one) for one in column]
        for column in ([r[1] for r in rows], [r[2] for r in rows])
    ]
    frame = pl.DataFrame(
        {
            "g": pl.Series([row[0] for row in rows], dtype=pl.String),
            "from": pl.Series(columns[0], dtype=type_),
            "to": pl.Series(columns[1], dtype=type_),
            name: pl.Series(range(size), dtype=pl.Int64),
        }
    )
    return rows, frame


def plain(frame):
    """The rows of a frame as tuples of plain values."""
    frame = (
        frame
        if isinstance(frame, pl.DataFrame)
        else pl.from_pandas(frame)
        if hasattr(frame, "iloc")
        else pl.from_arrow(frame)
    )
    return frame.rows()


def inverse(kind, value):
    """The number of a value of a column."""
    if value is None:
        return None
    if kind == "date":
        return (value - DAY.date()).days
    if kind == "time":
        return int((value - DAY).total_seconds())
    return {"float": lambda one: int(one * 4), "unsigned": lambda one: one - 9}.get(kind, int)(value)


def numbered(kind, rows):
    """Rows whose second and third values are ends, with their numbers."""
    return [(row[0], inverse(kind, row[1]), inverse(kind, row[2]), *row[3:]) for row in rows]


def match(closed, one, two, by):
    if None in (*one[1:], *two[1:]) or (by and (one[0] is None or one[0] != two[0])):
        return False
    low, high = max(one[1], two[1]), min(one[2], two[2])
    return low <= high if closed == "both" else low < high


def near(one, rights, by, k, side, ignore):
    """Right rows and distances, where both ends belong to intervals."""
    found = []
    for row, two in enumerate(rights):
        if None in (*one[1:], *two[1:]) or (by and (one[0] is None or one[0] != two[0])):
            continue
        matches, after = match("both", one, two, by), two[2] > one[1]
        if ignore if matches else side == ("before" if after else "after"):
            continue
        found.append((not matches, max(two[1] - one[2], one[1] - two[2], 0), after and not matches, two[1], row))
    return [(row, away) for _, away, _, _, row in sorted(found)][:k]


def union(rows, by):
    """Stretches in the order of the first rows of groups: group, start, end and rows."""
    groups = list(dict.fromkeys(row[0] for row in rows if row[0] is not None)) if by else [None]
    found = []
    for group in groups:
        kept = [(a, b, row) for row, (g, a, b) in enumerate(rows) if None not in (a, b) and (not by or g == group)]
        stretches = []
        for start, end, row in sorted(kept):
            if stretches and start <= stretches[-1][2]:
                stretches[-1][2] = max(stretches[-1][2], end)
                stretches[-1][3].append(row)
            else:
                stretches.append([group, start, end, [row]])
        found += stretches
    return found


def parts(one, stretches, by):
    """What stretches leave of an interval."""
    if None in one[1:]:
        return []
    low, high = one[1:]
    hit = [s for s in stretches if (not by or s[0] == one[0]) and s[2] >= low and s[1] <= high]
    if low == high:
        return [] if hit else [(low, high)]
    found, at = [], low
    for stretch in hit:
        if at < stretch[1]:
            found.append((at, stretch[1]))
        at = stretch[2]
    return found + [(at, high)] if at < high else found


@pytest.fixture(
    params=[(kind, one) for kind in KINDS for one in LIBRARIES if (kind, one) != ("date", "pandas")], ids=" ".join
)
def sides(request):
    """Frames of several sizes: kind, left and right rows, and frames."""
    kind, library = request.param
    rng = random.Random(f"{kind} {library}")
    result = []
    for sizes in ((30, 25), (0, 5), (5, 0), (60, 60)):
        nulls = not (library == "pandas" and kind in ("integer", "short", "unsigned"))  # whose nulls are NaN there
        (lefts, left), (rights, right) = (drawn(rng, size, kind, nulls, name) for size, name in zip(sizes, ("l", "r")))
        result.append((kind, lefts, rights, LIBRARIES[library](left), LIBRARIES[library](right)))
    return result


@pytest.mark.parametrize("by", [None, "g"])
def test_overlaps(sides, by):
    for _, lefts, rights, left, right in sides:
        for closed in ("both", "left"):
            wanted = [[r for r, two in enumerate(rights) if match(closed, one, two, by)] for one in lefts]
            wanted = [sorted(rows, key=lambda row: (rights[row][1], row)) for rows in wanted]
            for how in ("inner", "left", "semi", "anti"):
                found = warpdex.overlaps(left, right, ("from", "to"), how, by=by, closed=closed)
                assert type(found) is type(left)
                if how in ("semi", "anti"):
                    expected = [(row, None) for row, rows in enumerate(wanted) if bool(rows) == (how == "semi")]
                else:
                    expected = [(l, r) for l, rows in enumerate(wanted) for r in rows or [None] * (how == "left")]
                assert [(row[3], row[-1] if how in ("inner", "left") else None) for row in plain(found)] == expected


@pytest.mark.parametrize("by", [None, "g"])
def test_nearest(sides, by):
    for kind, lefts, rights, left, right in sides:
        for side, ignore, k in (("both", False, 1), ("both", True, 3), ("before", False, 2), ("after", True, 1)):
            options = {"by": by, "k": k, "side": side, "ignore_overlaps": ignore}
            found = warpdex.joins.nearest(left, right, ("from", "to"), **options)
            expected = []
            for row, one in enumerate(lefts):
                of_row = near(one, rights, by, k, side, ignore)
                expected += [(row, other, away * KINDS[kind][2]) for other, away in of_row] or [(row, None, None)]
            assert type(found) is type(left)
            assert [(row[3], *row[-2:]) for row in plain(found)] == expected
            inner = warpdex.joins.nearest(left, right, ("from", "to"), "inner", **options)
            assert [(row[3], *row[-2:]) for row in plain(inner)] == [one for one in expected if one[1] is not None]


@pytest.mark.parametrize("by", [None, "g"])
def test_coverage_and_what_is_left(sides, by):
    for kind, lefts, rights, left, right in sides:
        stretches = union(rights, by)
        left_of = [parts(one, stretches, by) for one in lefts]
        found = warpdex.joins.coverage(left, right, ("from", "to"), by=by)
        assert type(found) is type(left)
        assert [row[-1] for row in plain(found)] == [
            None if None in one[1:] else (one[2] - one[1] - sum(b - a for a, b in of)) * KINDS[kind][2]
            for one, of in zip(lefts, left_of)
        ]
        found = warpdex.joins.subtract_intervals(left, right, ("from", "to"), by=by)
        assert type(found) is type(left)
        expected = [(lefts[row][0], *part, row) for row, of in enumerate(left_of) for part in of]
        assert numbered(kind, plain(found)) == expected
        found = warpdex.joins.complement_intervals(right, left, ("from", "to"), by)
        assert numbered(kind, plain(found)) == expected


@pytest.mark.parametrize("by", [None, "g"])
def test_unions(sides, by):
    for kind, rows, _, frame, _ in sides:
        stretches = union(rows, by)
        found = warpdex.joins.merge_intervals(frame, ("from", "to"), by)
        assert type(found) is type(frame)
        given = [row if by else (None, *row) for row in plain(found)]
        assert numbered(kind, given) == [(*one[:3], len(one[3])) for one in stretches]
        found = warpdex.joins.cluster_intervals(frame, ("from", "to"), by)
        expected = [next((i for i, one in enumerate(stretches) if row in one[3]), None) for row in range(len(rows))]
        assert [row[-1] for row in plain(found)] == expected
        found = warpdex.joins.complement_intervals(frame, None, ("from", "to"), by)
        given = [row if by else (None, *row) for row in plain(found)]
        assert numbered(kind, given) == [
            (one[0], one[2], two[1]) for one, two in zip(stretches, stretches[1:]) if one[0] == two[0]
        ]


def test_names_types_and_libraries_of_both_sides():
    left = pl.DataFrame({"c": ["x", "y"], "s": [1, 5], "e": [4, 9]}, schema_overrides={"s": pl.Int32, "e": pl.Int32})
    right = pd.DataFrame({"d": ["x", "y"], "start": [2, 20], "end": [3, 30], "distance": [7, 8]})
    sides = {"left_on": ("s", "e"), "right_on": ["start", "end"], "by_left": "c", "by_right": "d"}
    found = warpdex.joins.nearest(left, right, **sides)
    assert found.columns == ["c", "s", "e", "start", "end", "distance_right", "distance"]
    assert found["distance"].to_list() == [0, 11] and found["distance_right"].to_list() == [7, 8]
    assert warpdex.joins.coverage(left, right, **sides)["coverage"].to_list() == [1, 0]
    assert warpdex.joins.subtract_intervals(left, right, **sides).rows() == [("x", 1, 2), ("x", 3, 4), ("y", 5, 9)]
    assert warpdex.overlaps(left, right, **sides, min_overlap=2).is_empty()
    two = {"g": [1, 1, 2], "h": ["a", "b", "a"], "start": [0, 0, 0], "end": [2, 2, 2]}
    found = warpdex.overlaps(pl.DataFrame(two), pl.DataFrame(two), by=["g", "h"])
    assert found.columns == ["g", "h", "start", "end", "start_right", "end_right"] and len(found) == 3
    assert warpdex.joins.merge_intervals(pl.DataFrame(two), by=["g", "h"])["count"].to_list() == [1, 1, 1]


def test_lazy_frames():
    left, right = pl.DataFrame({"start": [1, 5], "end": [4, 9]}), pl.DataFrame({"start": [2], "end": [3]})
    for call in (warpdex.overlaps, warpdex.joins.nearest, warpdex.joins.coverage, warpdex.joins.subtract_intervals):
        for other in (right, right.lazy()):
            assert call(left.lazy(), other).collect().equals(call(left, right)), call


def test_bad_arguments():
    frame = pd.DataFrame({"start": [1], "end": [2]})
    for call, words in (
        (lambda: warpdex.overlaps(frame, frame, "start"), "on names 1 columns"),
        (lambda: warpdex.overlaps(frame, frame, left_on=("start", "stop")), "left_on names the column 'stop'"),
        (lambda: warpdex.overlaps(frame, frame, how="full"), "how is 'full'"),
        (lambda: warpdex.joins.nearest(frame, frame, how="semi"), "how is 'semi'"),
        (lambda: warpdex.joins.nearest(frame, frame, side="left"), "side is 'left'"),
        (lambda: warpdex.joins.nearest(frame, frame, k=-1), "k is -1"),
        (lambda: warpdex.joins.merge_intervals(frame, by="chrom"), "by names the column 'chrom'"),
        (lambda: warpdex.joins.merge_intervals(pd.DataFrame({"start": ["a"], "end": ["b"]})), "not merged"),
        (lambda: warpdex.joins.merge_intervals(pl.LazyFrame({"start": [1], "end": [2]})), "frame is a LazyFrame"),
        (lambda: warpdex.joins.coverage(frame, pd.DataFrame({"start": [3], "end": [1]})), "row 0 is no interval"),
    ):
        with pytest.raises(warpdex.Error, match=words):
            call()
    assert frame.equals(pd.DataFrame({"start": [1], "end": [2]})) and np.array_equal(frame.index, [0])
    assert isinstance(warpdex.joins.merge_intervals(pa.table({"start": [1], "end": [2]})), pa.Table)
