# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Payloads, intervals, networks, shards, batchers and joins of columns against scans of plain lists."""

import contextlib
import ipaddress
import tempfile

import numpy as np

import warpdex

from . import plain
from .against_lists import (
    CLOSED,
    ORDERED,
    Model,
    as_of,
    asof_options,
    bounds,
    built,
    by_offsets,
    expect,
    indexed,
    joined,
    key_of,
    matched,
    paired,
    pairs_of_ranges,
    points,
    ranges,
    row_of,
    update,
    wanted_ranges,
)
from .columns import Refused, pick, size_of
from .plain import (
    KINDS,
    MEASURED,
    NEIGHBOURS,
    NUMBERS,
    PLACES,
    POINTS,
    Entries,
    column,
    drawn,
    is_null,
    listed,
    lists,
    place,
    probe_kind,
)


def _aggregated(values):
    """Sum, least, greatest, number and squares of values."""
    if not values:
        return 0, 0, 0, 0, 0.0
    mean = sum(values) / len(values)
    return sum(values), min(values), max(values), len(values), sum((value - mean) ** 2 for value in values)


def _same_aggregates(found, wanted, squares):
    for at, name in enumerate(("sum", "min", "max", "count")):
        assert getattr(found, name).tolist() == [one[at] for one in wanted], name
    if squares:
        np.testing.assert_allclose(found.m2, [one[4] for one in wanted], 1e-9, 1e-9)


def _top(values, rows, k, least):
    """NaN is above all numbers; equal values stay in the order of the keys."""
    known = [row for row in rows if values[row] is not None]
    return sorted(known, key=lambda row: place(values[row]), reverse=not least)[:k]


def payload(rng):
    """Sums and the like of values in ranges and of ranks, and the greatest ones, also within groups."""
    groups = [pick(rng, [*KINDS])] if rng.random() < 0.5 else []
    model = indexed(rng, [*groups, pick(rng, [*KINDS])], ORDERED)
    if rng.random() < 0.3:
        update(rng, model)
    kind, squares = pick(rng, NUMBERS), bool(rng.random() < 0.5)
    ends = 0.0 if kind[0] == "f" or squares else 0.1  # floats are quarters, so sums are exact
    values = drawn(rng, kind, max((row for _, row in model.pairs), default=0) + 1, 0.2, ends)
    given = column(rng, kind, values)
    make = (
        model.index.aggregates
        if groups
        else lambda *given, **options: warpdex.RangeAggregates(model.index, *given, **options)
    )
    result = make(given, squares=squares)
    closed, size = pick(rng, CLOSED), size_of(rng, 20)
    sides, columns = bounds(rng, model, size, 0.0)
    if not groups or all(side is not None for side in columns):
        columns = [one if side is None else side for one, side in zip(sides, columns)]
    rows = wanted_ranges(model, sides, columns, closed)

    def known(some):
        return _aggregated([values[row] for row in some if values[row] is not None])

    _same_aggregates(result.in_ranges(*columns, closed), [known(one) for one in rows], squares)
    k, least = int(rng.integers(0, 5)), bool(rng.random() < 0.5)
    if kind[0] == "f":  # also those that are no numbers
        values = drawn(rng, kind, len(values), 0.2, 0.2)
        result = make(column(rng, kind, values))
    top = (result.bottom_k if least else result.top_k)(*columns, k, closed)
    wanted = [_top(values, one, k, least) for one in rows]
    assert lists((top.offsets, top.rows)) == wanted, (closed, k, least)
    np.testing.assert_array_equal(top.values, [values[row] for one in wanted for row in one])
    if not groups and kind[0] != "f":
        ordered = [row for _, row in Entries((key[-1], row) for key, row in model.pairs).pairs]
        begin, end = np.sort(rng.integers(0, len(ordered) + 1, (2, size)), axis=0)
        _same_aggregates(result.of_ranks(begin, end), [known(ordered[a:b]) for a, b in zip(begin, end)], squares)


# Intervals.


def _overlaps(one, probe, closed, least=None):
    """Whether an interval, as places, matches a point or another interval."""
    start, end = one
    if len(probe) == 1:
        (at,) = probe
        return (start < at or (start == at and closed in ("both", "left"))) and (
            at < end or (at == end and closed in ("both", "right"))
        )
    low, high = probe
    if low > high or any(place == (1, 0) for place in probe):
        return False
    if least:
        return _apart(min(end, high), max(start, low)) >= least
    if closed == "both":
        return start <= high and low <= end
    return low < high and start < end and start < high and low < end


def _apart(high, low):
    """The distance of two places, which is negative if the first one is lower."""
    return high[1] - low[1] if isinstance(high, tuple) else high - low


def _covered(kept, probe):
    low, high = probe
    total = 0
    for start, end in sorted(kept):
        start = max(start, low)
        if _apart(min(end, high), start) > 0:
            total += _apart(min(end, high), start)
            low = min(end, high)
    return total


def _spans(rng, kind, size, nulls):
    """Starts and ends: a pair of columns of finite values, none of which is above the other one."""
    starts, ends = (drawn(rng, kind, size, nulls, 0.0 if kind[0] == "f" else 0.05) for _ in range(2))
    pairs = [(a, b) if is_null((a, b)) or place(a) <= place(b) else (b, a) for a, b in zip(starts, ends)]
    return [a for a, _ in pairs], [b for _, b in pairs]


class _Intervals:
    """Intervals, and what they answer."""

    def __init__(self, rng):
        self.kind = pick(rng, [*MEASURED, "text"])
        self.by = [pick(rng, [*KINDS])] if rng.random() < 0.4 else []
        self.closed, size = pick(rng, ["both", "left", "right", "neither"]), size_of(rng, 40)
        starts, ends = _spans(rng, self.kind, size, 0.1)
        groups = [drawn(rng, kind, size, 0.1, 0.05, 8) for kind in self.by]
        given = [column(rng, kind, values) for kind, values in zip([self.kind] * 2 + self.by, [starts, ends, *groups])]
        self.index = built(lambda: warpdex.Intervals(*given, closed=self.closed))
        rows = [row for row, one in enumerate(zip(starts, ends, *groups)) if not any(map(is_null, one))]
        self.rows = [
            (place(starts[row]), place(ends[row]), row, tuple(place(values[row]) for values in groups)) for row in rows
        ]
        if self.closed != "both":
            self.rows = [one for one in self.rows if one[0] < one[1]]
        self.rows.sort(key=lambda one: (one[0], one[2]))
        assert len(self.index) == len(self.rows)

    def of(self, group):
        return [one[:3] for one in self.rows if one[3] == group]

    def matches(self, probe, group, least=None):
        return [row for start, end, row in self.of(group) if _overlaps((start, end), probe, self.closed, least)]

    def _is_near(self, one, probe):
        """Whether a probe matches an interval; one without a length those that go on before and after it."""
        if len(probe) == 1 or self.closed == "both" or probe[0] != probe[1]:
            return _overlaps(one[:2], probe, self.closed)
        return one[0] < probe[0] < one[1]

    def nearest(self, probe, k, group, side="both", ignore_overlaps=False):
        """The rows and their distances."""
        low, high = probe[0], probe[-1]
        found = []
        for one in self.of(group) if low <= high else []:
            start, end, row = one
            if self._is_near(one, probe):
                if not ignore_overlaps:
                    found.append((0, 0, 0, start, row))
            elif end <= low and side != "after":
                found.append((1, _apart(low, end), 0, start, row))
            elif end > low and side != "before":
                found.append((1, _apart(start, high), 1, start, row))
        return [(one[4], one[1]) for one in sorted(found)[:k]]


def _interval_probes(rng, of, same_kind, ends):
    """Points or intervals, and groups: places of each probe, its group, and the columns. None is a null probe."""
    size, sides = size_of(rng, 30), int(pick(rng, [1, 2]))
    kind = of.kind if same_kind or of.kind[0] in "mM" else probe_kind(rng, of.kind)
    if kind in plain.PROBES:
        raise Refused
    of_sides = [kind, kind if same_kind or of.kind not in NUMBERS or rng.random() < 0.8 else pick(rng, NUMBERS)]
    values = [drawn(rng, one, size, 0.1, ends) for one in of_sides[:sides]]
    kinds = [probe_kind(rng, kind) for kind in of.by]
    groups = [drawn(rng, kind, size, 0.1, 0.05, 8) for kind in kinds]
    probes = [
        None if any(map(is_null, one)) else (tuple(map(place, one[:sides])), tuple(map(place, one[sides:])))
        for one in zip(*values, *groups)
    ]
    given = [
        np.array(side, KINDS[kind].type) if same_kind and None not in side else column(rng, one, side)
        for one, side in zip(of_sides, values)
    ]
    return probes, given, {"by": column(rng, *one) for one in zip(kinds, groups)}


def intervals(rng):
    """Points and intervals that match, the nearest intervals, their cover, and joins with a least overlap."""
    of = _Intervals(rng)
    probes, given, by = _interval_probes(rng, of, False, 0.1)
    matches = [None if one is None else of.matches(*one) for one in probes]
    name = pick(rng, ["count", "find", "retrieve", "join"])
    if name == "retrieve":
        assert lists(_comparable(lambda: of.index.retrieve(*given, **by))) == [one or [] for one in matches]
    elif name == "join":
        how = pick(rng, ["inner", "left", "semi", "anti"])
        found = _comparable(lambda: of.index.join(*given, how=how, **by))
        assert paired(found, how) == joined(matches, how), how
    else:
        answer = {"count": len, "find": lambda rows: next(iter(rows), -1)}[name]
        wanted = [None if one is None else answer(one) for one in matches]
        expect(_comparable(lambda: getattr(of.index, name)(*given, **by)), wanted, given[0], name)


def _expect_nearest(rng, of, probes, given, by):
    k, how = (
        int(rng.integers(0, 5)),
        {"side": pick(rng, ["both", "before", "after"]), "ignore_overlaps": bool(rng.integers(2))},
    )
    wanted = [[] if one is None else of.nearest(one[0], k, one[1], **how) for one in probes]
    end = {"end": given[1]} if len(given) == 2 else {}
    assert lists(of.index.nearest(given[0], k=k, **end, **how, **by)) == [[row for row, _ in one] for one in wanted], (
        how
    )


def distances(rng):
    """The nearest intervals, what intervals cover, and joins with a least overlap: of finite values of one type."""
    of = _Intervals(rng)
    if of.kind == "text":
        raise Refused
    probes, given, by = _interval_probes(rng, of, True, 0.0 if of.kind[0] == "f" else 0.05)
    if len(given) == 1:
        return _expect_nearest(rng, of, probes, given, by)
    if rng.random() < 0.4:
        return _expect_nearest(rng, of, probes, given, by)
    if rng.random() < 0.5:
        if of.kind[0] in "mM":
            raise Refused  # the unit is that of the column, which libraries change
        wanted = [None if one is None else _covered([row[:2] for row in of.of(one[1])], one[0]) for one in probes]
        expect(_comparable(lambda: of.index.coverage(*given, **by)), wanted, given[0], "coverage")
        return
    least, how = int(rng.integers(0, 9)), pick(rng, ["inner", "left", "semi", "anti"])
    length = np.int64(least).view(f"m{of.kind[1:]}") if of.kind[0] in "mM" else least
    matches = [None if one is None else of.matches(*one, least * _unit(of.kind)) for one in probes]
    found = _comparable(lambda: of.index.join(*given, how=how, min_overlap=length, **by))
    assert paired(found, how) == joined(matches, how), (how, least)


def _comparable(call):
    """What a call answers whose probes are of types that go together, or of the keys' own type; lists may be of another."""
    try:
        return call()
    except (warpdex.errors.InvalidArgument, warpdex.errors.KeyTypeError) as why:
        if "of type" not in str(why) and "no float equals" not in str(why):
            raise
        raise Refused from why


def _unit(kind):
    return 1 if kind[0] not in "mM" else plain.unit(KINDS[kind].type)


# Networks and prefixes.


def _network(rng):
    """A network of few bits, so that many nest."""
    bits, version = (32, 4) if rng.random() < 0.6 else (128, 6)
    length = int(pick(rng, [0, bits, *rng.integers(0, 9, 8), *rng.integers(bits - 4, bits + 1, 3)]))
    address = int(rng.integers(0, 64)) << (bits - 6) | int(rng.integers(0, 16))
    return (
        ipaddress.ip_network((address, length), strict=False)
        if version == 4
        else ipaddress.IPv6Network((address | 1 << 100, length), strict=False)
    )


def _address(rng, nets):
    if nets and rng.random() < 0.8:
        net = pick(rng, nets)
        return pick(rng, [net[0], net[-1], net[int(rng.integers(0, min(net.num_addresses, 2**20)))]])
    return pick(
        rng,
        [
            ipaddress.ip_address("0.0.0.0"),
            ipaddress.ip_address("255.255.255.255"),
            ipaddress.ip_address("::"),
            ipaddress.IPv6Address(2**128 - 1),
            ipaddress.ip_address(int(rng.integers(0, 2**32))),
        ],
    )


def networks(rng):
    """The longest network of an address, and all that hold it, of both families, as texts and objects."""
    nets = [_network(rng) for _ in range(size_of(rng, 40))]
    given = [None if rng.random() < 0.1 else one for one in nets]
    form = pick(rng, [str, lambda one: one])
    result = warpdex.Networks([one if one is None else form(one) for one in given] or np.empty(0, "U1"))
    ips = [None if rng.random() < 0.1 else _address(rng, nets) for _ in range(size_of(rng, 30))]
    form = pick(rng, [str, lambda one: one])
    query = [one if one is None else form(one) for one in ips] or np.empty(0, "U1")
    held = [
        []
        if ip is None
        else sorted(
            (row for row, net in enumerate(given) if net is not None and net.version == ip.version and ip in net),
            key=lambda row: (given[row].prefixlen, row),
        )
        for ip in ips
    ]
    assert lists(result.covering(query)) == held
    longest = [max(rows, key=lambda row: (given[row].prefixlen, -row), default=-1) for rows in held]
    assert result.find(query).tolist() == longest


def prefixes(rng):
    """Borders of prefixes of numbers: `floor` finds the longest one."""
    bits = int(pick(rng, [32, 64, 128]))
    size = size_of(rng, 30)
    lengths = [int(one) for one in rng.integers(0, 9, size)]
    found = {}
    for length in lengths:
        address = int(rng.integers(0, 64)) << (bits - 6) >> (bits - length) << (bits - length)
        found.setdefault((address, length), len(found))
    addresses = np.array([one for one, _ in found], {32: "u4", 64: "u8", 128: object}[bits])
    keys, rows = warpdex.lookups.prefix_borders(addresses, [length for _, length in found] or np.empty(0, "i8"))
    numbers = [int(one) << (bits - 6) | 5 for one in rng.integers(0, 64, 20)] + [0, 2**bits - 1]
    wanted = [
        max(
            (
                (length, row)
                for (address, length), row in found.items()
                if number >> (bits - length) == address >> (bits - length)
            ),
            default=(0, len(found)),
        )[1]
        for number in numbers
    ]
    index = warpdex.Index(keys, pick(rng, ["AO+BS", "GRT"]), rows=rows)
    assert index.floor(numbers if bits == 128 else np.array(numbers, addresses.dtype)).tolist() == wanted


# Other indexes.


def shards(rng):
    """Shards of a CPU, within groups too: lookups, joins, updates, and their folders."""
    groups = [pick(rng, [*KINDS])] if rng.random() < 0.5 else []
    kind = pick(rng, [pick(rng, [*KINDS]), pick(rng, MEASURED)])
    placement = pick(rng, ["range", "range", "replicate"])
    model = indexed(rng, [*groups, kind], ORDERED, devices=["cpu"] * int(rng.integers(1, 5)), placement=placement)
    for _ in range(3):
        points(rng, model)
        pick(rng, [ranges, pairs_of_ranges])(rng, model)
        if kind in MEASURED and rng.random() < 0.5:
            with contextlib.suppress(Refused):  # as distances are those of finite numbers
                pick(rng, [as_of, as_of, by_offsets])(rng, model)
        if rng.random() < 0.5:
            update(rng, model)
        elif rng.random() < 0.5:
            with tempfile.TemporaryDirectory() as folder:
                model.index.save(folder)
                model.index = type(model.index).load(
                    folder, bool(rng.random() < 0.5), devices=["cpu"] * int(rng.integers(1, 5))
                )


def over_sorted(rng):
    """An index over a sorted column in place, or over a part of it."""
    kind = pick(rng, NUMBERS)
    values = sorted(drawn(rng, kind, size_of(rng)), key=place)
    array = np.array(values, KINDS[kind].type)
    if rng.random() < 0.3:
        array, values = array[::2], values[::2]
    model = Model(warpdex.Index.over_sorted(array), [kind], [(key_of(one), row) for row, one in enumerate(values)])
    for _ in range(3):
        points(rng, model)
        ranges(rng, model)


def batcher(rng):
    """Single keys, gathered."""
    model = indexed(rng, [pick(rng, [*KINDS])], ORDERED)
    entries = model.by_group()[()]
    answers = {**POINTS, **PLACES, **NEIGHBOURS}
    del answers["retrieve"]
    with warpdex.Batcher(model.index, most_probes=int(rng.integers(1, 9))) as query:
        futures = []
        for value in drawn(rng, probe_kind(rng, model.kinds[0]), size_of(rng, 20), 0.1):
            name = pick(rng, [*answers])
            if value is None and name in PLACES:
                continue
            if value is None or value != value:  # a NaN among others is null
                continue
            futures.append((name, value, query.ask(name, value)))
        for name, value, future in futures:
            wanted = answers[name](entries, key_of(value)[0])
            assert future.result() == wanted, (name, value)


# Joins of columns.


def column_joins(rng):
    """Joins of two columns by hash tables or by merging, and first matches."""
    kind = pick(rng, [*KINDS])
    kinds = [kind, probe_kind(rng, kind)]
    if kinds[1] in plain.PROBES:
        raise Refused
    values = [drawn(rng, one, size_of(rng), 0.1) for one in kinds]
    by, how = (
        pick(rng, ["hash_join", "join_columns", "merge_join", "first_match"]),
        pick(rng, ["inner", "left", "semi", "anti", "full"]),
    )
    if by == "merge_join":
        if kinds[0] not in NUMBERS:
            raise Refused
        kinds = [kinds[0]] * 2
        values = [sorted((one for one in side if one is not None), key=place) for side in values]
        values[1] = sorted(drawn(rng, kinds[1], len(values[1])), key=place)
        given = [np.array(side, KINDS[kinds[0]].type) for side in values]
    else:
        given = [column(rng, *one) for one in zip(kinds, values)]
    rows = [
        [
            row
            for row, other in enumerate(values[1])
            if other is not None and one is not None and place(one) == place(other)
        ]
        for one in values[0]
    ]
    if by == "first_match":
        found = built(lambda: warpdex.joins.first_match(*given))
        assert listed(found) == [next(iter(one), -1) for one in rows]
        return
    found = paired(built(lambda: getattr(warpdex.joins, by)(*given, how)), how)
    wanted = joined(rows, "left" if how == "full" else how)
    if how == "full":
        seen = {row for one in rows for row in one}
        wanted += [(-1, row) for row in range(len(values[1])) if row not in seen]
    if how == "inner":
        found, wanted = sorted(found), sorted(wanted)
    assert found == wanted, (by, how)


def asof_merge(rng):
    """As-of joins of two columns that ascend, also within groups."""
    kind, grouped = pick(rng, NUMBERS), bool(rng.random() < 0.5)
    options = asof_options(rng, kind)
    options.pop("relative", None)
    ends = 0.0 if kind[0] == "f" else 0.1
    sides = []
    for _ in range(2):
        size = size_of(rng)
        keys, groups = (
            drawn(rng, kind, size, 0.0, ends),
            [int(one) for one in rng.integers(0, 4 if grouped else 1, size)],
        )
        sides.append(sorted(zip(groups, keys), key=lambda one: place(one[1])))
    left, right = (np.array([key for _, key in side], KINDS[kind].type) for side in sides)
    if grouped:
        options["by"] = tuple(np.array([group for group, _ in side], "i4") for side in sides)
    found = built(lambda: warpdex.joins.asof_merge(left, right, **options))
    wanted = []
    for group, probe in sides[0]:
        entries = Entries((key_of(key)[0], row) for row, (of, key) in enumerate(sides[1]) if of == group)
        match = matched(entries, key_of(probe)[0], options, options.get("tolerance"))
        wanted.append(row_of(match, options))
    assert found.tolist() == wanted, options


CHECKS = [payload, intervals, distances, networks, prefixes, shards, over_sorted, batcher, column_joins, asof_merge]
