# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Ranges whose bounds are at the ends of the type of the keys and beyond all of its values, against a list of the keys."""

from __future__ import annotations

import datetime
import ipaddress
from collections.abc import Callable
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import pytest

import warpdex as wd

CLOSED = ("both", "left", "right", "none")


class Kind(NamedTuple):
    """A type of keys: some of them, its ends among these, and bounds within the type, at its ends and beyond."""

    keys: Any
    bounds: list[Any]
    column: Callable[[list[Any]], Any] = list  # of bounds
    order: Callable[[Any], Any] = lambda value: value  # what is compared of a key and of a bound


def _integers(dtype: Any) -> Kind:
    ends = np.iinfo(dtype)
    inner = [ends.min, ends.min + 1, 5, ends.max - 1, ends.max]
    far = [-(2**70), -(2**63) - 1, -(2**63), ends.min - 1, ends.max + 1, 2**64, 2**70]
    return Kind(np.array(inner, dtype), sorted({*inner, *far}), order=int)


def _floats(dtype: Any) -> Kind:
    most = float(np.finfo(dtype).max)
    keys = np.array([-np.inf, -most, 0.5, most, np.inf], dtype)
    return Kind(keys, [-np.inf, -most, -1e300, -0.5, 0.5, 1e300, most, np.inf], np.array, order=float)


def _moments(keys: list[str], unit: str, bounds: list[tuple[int, str]]) -> Kind:
    """@param bounds numbers of some unit, all of which are in the year 1970 or as far from it as the unit allows"""
    attoseconds = {"s": 10**18, "us": 10**12, "ns": 10**9}

    def order(value: np.datetime64) -> int:
        return int(value.astype(np.int64)) * attoseconds[np.datetime_data(value.dtype)[0]]

    return Kind(
        np.array(keys, f"M8[{unit}]"), [np.datetime64(number, of) for number, of in bounds], np.array, order=order
    )


def _wide_column(numbers: list[int]) -> Any:
    polars = pytest.importorskip("polars")
    return polars.Series(numbers, dtype=polars.Int128)


KINDS = {
    "int32": _integers(np.int32),
    "uint32": _integers(np.uint32),
    "int64": _integers(np.int64),
    "uint64": _integers(np.uint64),
    "int64 by Int128": _integers(np.int64)._replace(column=_wide_column),
    "float32": _floats(np.float32),
    "float64": _floats(np.float64),
    "float64 by integers": _floats(np.float64)._replace(
        bounds=[-(10**400), -(2**70), 0, 2**70, 10**400], column=list, order=lambda one: one if isinstance(one, int) else float(one)
    ),
    "decimal": Kind(
        [Decimal("-92233720368547758.08"), Decimal("1.25"), Decimal("92233720368547758.07")],
        [Decimal(one) for one in ("-1e37", "-92233720368547758.09", "-92233720368547758.08", "1.249", "1.25", "1e37")],
    ),
    "decimal of 128 bits": Kind(
        [Decimal(-(2**127)), Decimal(7), Decimal(2**127 - 1)],
        [Decimal(one) for one in (-(10**45), -(2**127) - 1, -(2**127), 7, 2**127 - 1, 2**127, 10**45)],
    ),
    "address": Kind(
        [ipaddress.IPv6Address(one) for one in (0, 5, 2**128 - 1)],
        [-(2**70), -1, 0, 5, 6, 2**128 - 2, 2**128 - 1, 2**128, 2**130],
        order=int,
    ),
    "nanoseconds": _moments(
        ["1970-01-01T00:00:05", "2262-04-11T23:47:16"],
        "ns",
        [(-(2**62), "s"), (-(2**62), "us"), (4, "s"), (5, "s"), (9223372036, "s"), (2**62, "us"), (2**62, "s")],
    ),
    "days": Kind(
        [datetime.date.min, datetime.date(1970, 1, 2), datetime.date.max],
        [np.datetime64(one, "us") for one in (-(2**62), 0, 86_399_999_999, 86_400_000_000, 86_400_000_001, 2**62)],
        lambda bounds: np.array(bounds, "M8[us]"),
        lambda one: one.astype(np.int64).item() if isinstance(one, np.datetime64) else (one.toordinal() - 719163) * 86_400_000_000,
    ),
}  # fmt: skip


def _columns(bounds: list[Any]) -> list[list[Any]]:
    """Bounds in columns of one type: times of each unit are apart."""
    types = [one.dtype if isinstance(one, np.datetime64) else None for one in bounds]
    return [[one for one, of in zip(bounds, types) if of == kind] for kind in dict.fromkeys(types)]


def _rows(kind: Kind, low: Any, high: Any, closed: str) -> list[int]:
    """The rows of the keys in a range, in key order. A bound that is None is none."""
    keys = [kind.order(key) for key in kind.keys]
    first, last = (None if one is None else kind.order(one) for one in (low, high))

    def holds(key: Any) -> bool:
        above = first is None or key > first or (key == first and closed in ("both", "left"))
        return above and (last is None or key < last or (key == last and closed in ("both", "right")))

    return [row for row in range(len(keys)) if holds(keys[row])]


def _lists(offsets: Any, rows: Any) -> list[list[int]]:
    ends, all_rows = np.asarray(offsets).tolist(), np.asarray(rows).tolist()
    return [all_rows[a:b] for a, b in zip(ends, ends[1:])]


def _grouped_answers(index: wd.GroupedIndex, lower: Any, upper: Any, closed: str, size: int) -> dict[str, Any]:
    """The rows that each call finds in some ranges of one group, as far as it tells them."""
    of = np.ones(size, np.int64)
    aggregates = index.aggregates(2.0 ** np.arange(len(index)))
    lefts, rights = index.join_between(of, lower, upper, "left", closed)
    pairs: list[list[int]] = [[] for _ in range(size)]
    for left, right in zip(np.asarray(lefts).tolist(), np.asarray(rights).tolist()):
        if right is not None and right >= 0:
            pairs[left].append(right)
    sums = aggregates.in_ranges(of, lower, upper, closed).sum
    top = aggregates.top_k(of, lower, upper, 99, closed)
    return {
        "range_count": np.asarray(index.range_count(of, lower, upper, closed)).tolist(),
        "range_sum": np.asarray(index.range_sum(of, lower, upper, closed)).tolist(),
        "range_retrieve": _lists(*index.range_retrieve(of, lower, upper, closed)),
        "join_between": pairs,
        "in_ranges": np.asarray(sums).tolist(),
        "top_k": [rows[::-1] for rows in _lists(top.offsets, top.rows)],
    }


def _expected(rows: list[list[int]]) -> dict[str, Any]:
    return {
        "range_count": [len(one) for one in rows],
        "range_sum": [sum(one) for one in rows],
        "range_retrieve": rows,
        "join_between": rows,
        "in_ranges": [float(sum(2**row for row in one)) for one in rows],
        "top_k": rows,
    }


@pytest.mark.parametrize("closed", CLOSED)
@pytest.mark.parametrize("name", KINDS)
def test_ranges_within_groups_with_one_bound(name: str, closed: str) -> None:
    kind = KINDS[name]
    index = wd.GroupedIndex(np.ones(len(kind.keys), np.int64), kind.keys)
    for bounds in _columns(kind.bounds):
        column, size = kind.column(bounds), len(bounds)
        rows = [_rows(kind, one, None, closed) for one in bounds]
        assert _grouped_answers(index, column, None, closed, size) == _expected(rows), bounds
        rows = [_rows(kind, None, one, closed) for one in bounds]
        assert _grouped_answers(index, None, column, closed, size) == _expected(rows), bounds


@pytest.mark.parametrize("closed", CLOSED)
@pytest.mark.parametrize("name", KINDS)
def test_ranges_with_two_bounds(name: str, closed: str) -> None:
    kind = KINDS[name]
    index, grouped = wd.Index(kind.keys, "AO+BS"), wd.GroupedIndex(np.ones(len(kind.keys), np.int64), kind.keys)
    aggregates = wd.RangeAggregates(index, 2.0 ** np.arange(len(index)))
    for low in kind.bounds:
        for uppers in _columns(kind.bounds):
            size = len(uppers)
            lower, upper = kind.column([low] * size), kind.column(uppers)
            rows = [_rows(kind, low, high, closed) for high in uppers]
            expected = _expected(rows)
            assert _grouped_answers(grouped, lower, upper, closed, size) == expected, (low, uppers)
            assert np.asarray(index.range_count(lower, upper, closed)).tolist() == expected["range_count"], (
                low,
                uppers,
            )
            assert np.asarray(index.range_sum(lower, upper, closed)).tolist() == expected["range_sum"], (low, uppers)
            assert _lists(*index.range_retrieve(lower, upper, closed)) == rows, (low, uppers)
            begin, counts = (np.asarray(one).tolist() for one in index.equal_range(lower, upper, closed))
            assert counts == expected["range_count"], (low, uppers)
            assert all(first == one[0] for first, one in zip(begin, rows) if one), (low, uppers)
            assert np.asarray(aggregates.in_ranges(lower, upper, closed).sum).tolist() == expected["in_ranges"], (
                low,
                uppers,
            )


def test_intervals_at_the_ends_of_a_type() -> None:
    for dtype in (np.int32, np.int64, np.uint32, np.uint64):
        ends = np.iinfo(dtype)
        spans = wd.Intervals(np.array([ends.min, 5], dtype), np.array([5, ends.max], dtype))
        assert spans.count(np.array([ends.min, 5, ends.max], dtype)).tolist() == [1, 2, 1]
        assert spans.count(np.array([ends.min], dtype), np.array([ends.max], dtype)).tolist() == [2]
        with pytest.raises(wd.Error, match="points"):
            spans.count([2**70])
    spans = wd.Intervals([-np.inf, 5.0], [5.0, np.inf])
    assert spans.count([-np.inf, 5.0, np.inf]).tolist() == [1, 2, 1]


def test_probes_of_which_no_type_of_64_bits_holds_all() -> None:
    probes, groups = [-1, 2**70, None, 2**64 - 1, -(2**63), 7], [1, 1, 1, 1, 1, 2**64 - 1]
    for dtype, rows in ((np.int64, [0, -1, -1, -1, 1, -1]), (np.uint64, [-1, -1, -1, 0, -1, -1])):
        keys = np.array([-1, -(2**63)] if dtype == np.int64 else [2**64 - 1, 3], dtype)
        index, grouped = wd.Index(keys), wd.GroupedIndex([1, 1], keys)
        assert index.find(probes).tolist() == grouped.find(groups, probes).tolist() == rows
        assert grouped.find([1, -1, 2**70, -1, 2**64 - 1, 1], [keys[0]] * 6).tolist() == [0, -1, -1, -1, -1, 0]
        found, positions = index.find_unordered(probes)
        assert dict(zip(positions.tolist(), found.tolist())) == dict(enumerate(rows))
        sums = wd.RangeAggregates(index, [5, 6]).of_keys(probes).sum.tolist()
        assert sums == grouped.aggregates([5, 6]).of_keys([1] * 6, probes).sum.tolist()
        assert sums == [[5, 6][row] if row >= 0 else 0 for row in rows]


@pytest.mark.parametrize("closed", CLOSED)
def test_joins_of_frames_between_bounds_beyond_64_bits(closed: str) -> None:
    pandas = pytest.importorskip("pandas")
    groups, lows, highs = [1, 1, 1, 2], [-(2**70), 0, 2**70, -1], [2**70, 2**70, 2**71, 2**64]
    columns = {name: pandas.Series(values, dtype=object) for name, values in (("low", lows), ("high", highs))}
    left = pandas.DataFrame({"row": range(4), "group": groups, **columns})
    right = pandas.DataFrame({"group": [1, 1, 2], "key": np.array([-(2**63), 2**63 - 1, 0])})
    keys, of = right["key"].tolist(), right["group"].tolist()
    for by in (None, "group"):
        found = wd.join_between(left, right, "key", "low", "high", closed, by=by)
        pairs = sorted(zip(found["row"].tolist(), found["key"].tolist()))
        kind = Kind(keys, [], order=int)
        expected = [
            (row, keys[at])
            for row in range(4)
            for at in _rows(kind, lows[row], highs[row], closed)
            if by is None or of[at] == groups[row]
        ]
        assert pairs == sorted(expected)
