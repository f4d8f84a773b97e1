# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Windows, points in time, joins within bounds and as-of joins of frames against loops over their rows."""

import math
import statistics

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import warpdex

from . import plain
from .against_lists import CLOSED, joined, key_of
from .columns import chunked, pick, size_of
from .plain import KINDS, MEASURED, NUMBERS, Entries, column, drawn, is_null, place

LIBRARIES = ["polars", "lazy", "pyarrow", "pandas"]


class _Rows:
    """The rows of one side: kinds and values by name, and a frame of them."""

    def __init__(self, rng, kinds, library, size, nulls=0.1):
        limits = {name: 5 if name.startswith("g") else plain.LIMIT for name in kinds}
        self.library, self.size = library, size
        # Floats are finite: frames of pandas take NaN for null. Sums of values take 64 bits.
        ends = {name: 0.0 if kind[0] == "f" or name.startswith("v") else 0.05 for name, kind in kinds.items()}
        self.values = {name: drawn(rng, kind, size, nulls, ends[name], limits[name]) for name, kind in kinds.items()}
        self.values["row"] = list(range(size))
        parts = {name: plain.in_arrow(kind, self.values[name]) for name, kind in {**kinds, "row": "i8"}.items()}
        if library == "pandas":
            arrays = {name: plain.in_pandas(kind, self.values[name]) for name, kind in {**kinds, "row": "i8"}.items()}
            self.frame = pd.DataFrame(arrays)
        elif library == "pyarrow":
            self.frame = pa.table(parts)
        else:
            result = chunked(rng, pl.DataFrame({name: pl.Series(part) for name, part in parts.items()}))
            self.frame = result.lazy() if library == "lazy" else result

    def group(self, row, names):
        """The groups of a row; None if one is null."""
        found = tuple(self.values[name][row] for name in names)
        return None if is_null(found) else place(found)

    def by_group(self, key, names):
        """The rows of each group, as entries in the order of a key."""
        result = {}
        for row, value in enumerate(self.values[key]):
            if value is not None and (group := self.group(row, names)) is not None:
                result.setdefault(group, []).append((key_of(value)[0], row))
        return {group: Entries(pairs) for group, pairs in result.items()}


def _columns(found):
    """The columns of a result but for keys and groups, which Python may not hold. NaN is null."""
    found = found.collect() if isinstance(found, pl.LazyFrame) else found
    names = found.column_names if isinstance(found, pa.Table) else found.columns
    names = [name for name in names if name[0] in "rvwc"]
    result = {name: plain.listed(found[name]) for name in names}
    return {name: [None if one is None or one != one else one for one in values] for name, values in result.items()}


def _sides(rng, kind, more, group_count=None, library=None):
    """Two frames with a key, and columns of groups; others are those of `more`, of the left and of the right one."""
    groups = [f"g{at}" for at in range(int(pick(rng, [0, 1, 1, 2])) if group_count is None else group_count)]
    kinds = {name: pick(rng, ["i1", "u8", "text", "M8[s]", "?"]) for name in groups}
    library = library or pick(rng, LIBRARIES)
    return groups, *(_Rows(rng, {**kinds, "k": kind, **own}, library, size_of(rng, 40)) for own in more)


def _by(groups, rng):
    return {} if not groups else {"by": groups[0] if len(groups) == 1 and rng.random() < 0.5 else groups}


# Windows.


def _aggregate(name, values):
    """What the values of the rows of a window, in their order, have in common."""
    known = [value for value in values if value is not None]
    if name in ("first", "last"):
        return values[0 if name == "first" else -1] if values else None
    if name in ("sum", "count"):
        return sum(known) if name == "sum" else len(known)
    if not known or (name == "std" and len(known) < 2):
        return None
    return {"mean": statistics.fmean, "std": statistics.stdev, "min": min, "max": max}[name](known)


def _distances(rng, kind, size, each):
    """Distances before and after, for all rows or for each, of which none has a window that ends before it begins."""
    low, high = (rng.integers(0, 9, size if each else 1) - 3 * at for at in (0, 1))
    low = np.maximum(low, -high)
    if kind[0] != "f" and rng.random() < 0.1:
        low[rng.random(low.size) < 0.5], high[rng.random(high.size) < 0.5] = 2**63 - 1, 2**62
    scale = 0.25 if kind[0] == "f" else 1

    def as_given(numbers):
        if kind[0] in "mM":
            result = numbers.view(f"m{kind[1:]}")
        else:
            result = numbers * scale
        return result if each else result[0]

    wide = [(side * scale).tolist() * (1 if each else size) for side in (low, high)]
    return as_given(low), as_given(high), *wide


def window(rng):
    """All aggregates, one distance or one for each row, each `closed`, and the last row before."""
    kind = pick(rng, [one for one in MEASURED if one not in ("M8[D]", "M8[s]", "m8[s]")])
    value = pick(rng, ["i4", "i8", "f8", "u2"])
    groups, left, right = _sides(rng, kind, ({}, {"v": value, "w": "text"}))
    before, after, lows, highs = _distances(rng, kind, left.size, left.library != "lazy" and rng.random() < 0.4)
    closed, one_before = pick(rng, CLOSED), bool(rng.random() < 0.3)
    names = [str(one) for one in rng.permutation(["sum", "mean", "std", "min", "max", "count", "first", "last"])]
    agg = {"v": names[: int(rng.integers(1, 9))], "w": ["count", "first"], "*": "count"}
    found = _columns(
        warpdex.window(
            left.frame,
            right.frame,
            on="k",
            before=before,
            after=after,
            agg=agg,
            closed=closed,
            include_last_before=one_before,
            **_by(groups, rng),
        )
    )
    entries, rows = right.by_group("k", groups), []
    for row, key in enumerate(left.values["k"]):
        group = left.group(row, groups)
        of = entries.get(group) if group is not None and key is not None else None
        rows.append([] if of is None else _within(of, key, lows[row], highs[row], closed, one_before))
    assert found["count"] == [len(one) for one in rows]
    for label, names in (("v", agg["v"]), ("w", agg["w"])):
        for name in names:
            wanted = [_aggregate(name, [right.values[label][row] for row in one]) for one in rows]
            _same(found[f"{label}_{name}"], wanted, name)


def _within(of, key, low, high, closed, one_before):
    at = place(key)
    begin, end = ((0, at[1] - low), (0, at[1] + high)) if isinstance(at, tuple) else (at - low, at + high)
    first = of.below((begin,), closed in ("right", "none"))
    last = of.below((end,), closed in ("both", "right"))
    last = max(first, last)
    return [row for _, row in of.pairs[max(first - 1, 0) if one_before else first : last]]


def _same(found, wanted, name):
    assert len(found) == len(wanted), name
    for one, other in zip(found, wanted):
        near = (
            name in ("mean", "std")
            and None not in (one, other)
            and math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
        )
        assert near or one == other, (name, found, wanted)


# Joins.


def point_in_time(rng):
    """One to three tables, with a greatest age for all or for each."""
    kind, library = pick(rng, MEASURED), pick(rng, LIBRARIES)
    count = int(rng.integers(1, 4))
    groups, spine, *tables = _sides(
        rng, kind, ({}, *({f"v{at}": pick(rng, NUMBERS)} for at in range(count))), None, library
    )
    named = {f"t{at}": table for at, table in enumerate(tables)}
    ages = {name: int(rng.integers(0, 9)) for name in named if rng.random() < 0.5}
    given = {name: _length(kind, age) for name, age in ages.items()}
    if rng.random() < 0.3:
        ages = dict.fromkeys(named, 3)
        given = _length(kind, 3)
    found = _columns(
        warpdex.point_in_time(
            spine.frame,
            {name: one.frame for name, one in named.items()},
            on="k",
            tolerance=given or None,
            suffix="!" if count == 1 else None,
            **_by(groups, rng),
        )
    )
    for at, (name, table) in enumerate(named.items()):
        rows = _nearest(spine, table, groups, {"strategy": "backward"}, [_size(kind, ages.get(name))] * spine.size)
        label = "row!" if count == 1 else f"row_{name}"
        assert found[label] == rows, (name, ages)
        assert found[f"v{at}"] == [None if row is None else table.values[f"v{at}"][row] for row in rows]


def _length(kind, number):
    """A distance of keys: of times seconds."""
    return np.timedelta64(number, "s") if kind[0] in "mM" else number / 4 if kind[0] == "f" else number


def _size(kind, number):
    """The same as that of places."""
    return None if number is None else number * 10**9 if kind[0] in "mM" else _length(kind, number)


def _nearest(left, right, groups, options, tolerances, key="k"):
    """The right row of each left one: the last of equal keys, forward the first one; and the later of two keys."""
    entries, result = right.by_group(key, groups), []
    for row, value in enumerate(left.values["k"]):
        group, tolerance = left.group(row, groups), tolerances[row]
        of = entries.get(group) if group is not None and value is not None and tolerance != "null" else None
        rows, _ = (
            ([], False)
            if of is None
            else of.nearest(
                key_of(value)[0], options["strategy"], options.get("allow_exact_matches", True), tolerance, True
            )
        )
        result.append(None if not rows else min(rows) if options["strategy"] == "forward" else max(rows))
    return result


def join_asof(rng):
    """With tolerances of each row."""
    kind = pick(rng, [one for one in MEASURED if one != "M8[D]"])
    groups, left, right = _sides(rng, kind, ({}, {"v": "i8"}), None, pick(rng, ["polars", "pyarrow", "pandas"]))
    numbers = [None if rng.random() < 0.1 else int(one) for one in rng.integers(0, 9, left.size)]
    lengths = [_length(kind, one) if one is not None else None for one in numbers]
    own = "m8[s]" if kind[0] in "mM" else "f8" if kind[0] == "f" else "i8"
    options = {
        "strategy": pick(rng, ["backward", "forward", "nearest"]),
        "allow_exact_matches": bool(rng.random() < 0.6),
    }
    found = _columns(
        warpdex.join_asof(
            left.frame, right.frame, on="k", tolerance=column(rng, own, lengths), **options, **_by(groups, rng)
        )
    )
    limits = ["null" if one is None else _size(kind, one) for one in numbers]
    how = {"strategy": options["strategy"], "allow_exact_matches": options["allow_exact_matches"]}
    assert found["row_right"] == _nearest(left, right, groups, how, limits), options


def join_between(rng):
    """Within bounds, and groups of no, one or two columns; also lazy."""
    kind = pick(rng, [*KINDS])
    other = pick(rng, [name for name in KINDS if KINDS[name].family == KINDS[kind].family])
    groups, left, right = _sides(rng, kind, ({"lo": other, "hi": other}, {}))
    closed, how = pick(rng, CLOSED), pick(rng, ["inner", "left", "semi", "anti"])
    found = _columns(warpdex.join_between(left.frame, right.frame, "k", "lo", "hi", closed, how, **_by(groups, rng)))
    entries, matches = right.by_group("k", groups), []
    for row in range(left.size):
        low, high, group = left.values["lo"][row], left.values["hi"][row], left.group(row, groups)
        of = entries.get(group) if not is_null((low, high)) and group is not None else None
        matches.append([] if of is None else of.between(key_of(low)[0], key_of(high)[0], closed))
    pairs = (
        list(zip(found["row"], found["row_right"])) if how in ("inner", "left") else [(row,) for row in found["row"]]
    )
    wanted = [tuple(None if one == -1 else one for one in pair) for pair in joined(matches, how)]
    assert pairs == wanted, (closed, how)


CHECKS = [window, point_in_time, join_asof, join_between]
