# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Window joins at the ends of all types of keys, against loops over Python's integers and over floats."""

import itertools
import math

import numpy as np
import pyarrow as pa
import pytest
import warpdex

CLOSED = {"both": (False, False), "left": (False, True), "right": (True, False), "none": (True, True)}
WHOLE = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
TIMES = ["M8[D]", "M8[s]", "M8[ms]", "M8[us]", "M8[ns]", "m8[s]", "m8[ns]"]
FLOATS = ["f4", "f8"]


def ends_of(dtype):
    """The keys near the ends of a type, as an array."""
    kind = np.dtype(dtype)
    if kind.kind == "f":
        inf, most = math.inf, float(np.finfo(kind).max)
        return np.array([-inf, -most, -1.5, 0.0, 0.25, 7.0, most, inf], kind)
    limits = np.iinfo(np.int64 if kind.kind in "mM" else kind)
    least = limits.min + (1 if kind.kind in "mM" else 0)  # the least number is no time
    if dtype == "M8[D]":  # days that 32 bits hold
        limits = np.iinfo(np.int32)
        least = limits.min
    middle = (least + limits.max) // 2
    numbers = [least, least + 1, least + 2, middle, middle + 1, limits.max - 1, limits.max]
    return np.array(numbers, np.int64 if kind.kind in "mM" else kind).view(kind)


def as_numbers(values):
    """Values as numbers of Python, whose sums are exact if they are integers."""
    return (values.view(np.int64) if values.dtype.kind in "mM" else values).tolist()


def plus(number, distance, rounds):
    """A sum, of floats rounded to a type. An infinite distance leads to infinity."""
    if isinstance(number, int):
        return number + distance
    with np.errstate(over="ignore"):
        return distance if math.isinf(distance) else float(rounds(number) + rounds(distance))


def windows_by_definition(left, right, before, after, closed, one_before, rounds=float):
    """The rows of the window of each left row, in key order. @param rounds to the type of sums of floats"""
    lower_open, upper_open = CLOSED[closed]
    order = sorted(range(len(right)), key=lambda row: (right[row], row))
    result = []
    for key, least, most in zip(left, before, after):
        low, high = plus(key, -least, rounds), plus(key, most, rounds)
        begins = [row for row in order if (right[row] > low if lower_open else right[row] >= low)]
        rows = [row for row in begins if (right[row] < high if upper_open else right[row] <= high)]
        earlier = [row for row in order if row not in begins]
        result.append(([earlier[-1]] if one_before and earlier else []) + rows)
    return result


def distances_of(dtype):
    """Pairs of distances, each a number or one per left row, whose sum is not negative."""
    kind, size = np.dtype(dtype).kind, len(ends_of(dtype))
    if kind == "f":
        some = [0.0, 0.5, -0.5, float(np.finfo(dtype).max), math.inf, -math.inf]
    else:
        some = [0, 1, -1, 2**31, 2**63 - 1, -(2**63 - 1), -(2**63)]
    pairs = [(a, b) for a in some for b in some if a + b >= 0]
    if kind == "f":
        pairs = [(a, b) for a, b in pairs if not math.isinf(a) or not math.isinf(b) or a == b]
    if kind in "iu":
        pairs += [(2**64, 0), (0, 2**64), (-(2**64), 2**65), (2**65, -(2**64)), (2**63, -(2**63))]
    rng = np.random.default_rng(len(pairs))
    mixed = [pairs[i] for i in rng.integers(0, len(pairs), 4 * size) if all(abs(x) < 2**63 + 1 for x in pairs[i])]
    columns = [mixed[i : i + size] for i in range(0, len(mixed) - size + 1, size)]
    return [([a] * size, [b] * size, False) for a, b in pairs] + [
        ([min(a, 2**63 - 1) for a, _ in some], [min(b, 2**63 - 1) for _, b in some], True) for some in columns
    ]


def as_given(distances, dtype, is_column):
    """Distances as callers give them: of times with their unit."""
    kind = np.dtype(dtype)
    if kind.kind in "mM":
        unit = f"m8[{np.datetime_data(kind)[0]}]"
        return np.array(distances, np.int64).view(unit) if is_column else np.int64(distances[0]).view(unit)
    if not is_column:
        return distances[0]
    return np.array(distances, np.float64 if kind.kind == "f" else np.int64)


@pytest.mark.parametrize("dtype", WHOLE + TIMES + FLOATS)
def test_windows_at_the_ends_of_all_types(dtype):
    keys = ends_of(dtype)
    groups = [3] * len(keys)
    left = pa.table({"t": keys, "g": groups})
    right = pa.table({"t": keys[::-1].copy(), "g": groups, "row": range(len(keys))})
    mine, others = as_numbers(keys), as_numbers(keys[::-1])
    in_unit, rounds = np.dtype(dtype).kind in "mM", np.dtype(dtype).type
    grouped = itertools.cycle([None, "g", "g", None, None])
    for before, after, is_column in distances_of(dtype):
        if in_unit and min(before + after) == -(2**63):
            continue  # no timedelta
        for closed in CLOSED:
            for one_before, by in zip((False, True), grouped):
                result = warpdex.window(
                    left,
                    right,
                    on="t",
                    by=by,
                    before=as_given(before, dtype, is_column),
                    after=as_given(after, dtype, is_column),
                    closed=closed,
                    include_last_before=one_before,
                    agg={"*": "count", "row": ["first", "last"]},
                )
                of = float if is_column else rounds
                expected = windows_by_definition(mine, others, before, after, closed, one_before, of)
                case = dtype, by, before, after, closed, one_before
                assert result["count"].to_pylist() == [len(rows) for rows in expected], case
                for name, which in (("row_first", 0), ("row_last", -1)):
                    assert result[name].to_pylist() == [rows[which] if rows else None for rows in expected], case


def test_windows_that_end_before_they_begin():
    frame = pa.table({"t": [0, 5]})
    agg = {"*": "count"}
    least = -(2**63)
    for before, after in ((least, least), (np.array([1, least]), np.array([0, least])), (least, 2**63 - 1)):
        with pytest.raises(warpdex.errors.InvalidArgument, match="no window ends before it begins"):
            warpdex.window(frame, frame, on="t", before=before, after=after, agg=agg)
