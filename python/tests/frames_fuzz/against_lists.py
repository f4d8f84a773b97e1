# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Indexes over columns of all kinds, within groups too, against scans of plain lists."""

import contextlib
import math
import pickle
import tempfile
from collections import defaultdict

import numpy as np

import warpdex

from . import plain
from .columns import Refused, pick, size_of
from .plain import (
    KINDS,
    MEASURED,
    MISSES,
    NEIGHBOURS,
    PLACES,
    POINTS,
    RANGES,
    Entries,
    column,
    drawn,
    is_null,
    knows_nulls,
    listed,
    lists,
    place,
    probe_kind,
)

ORDERED = ["AO+BS", "AO+PB+BS", "EO+KS(9)", "GRT", "B+(16)", "B+(page=4096)", "PGM", "RS", "auto(ranges)"]
HASHED = ["HT(open)", "HT(buckets)", "auto(points)"]
CLOSED = ["both", "left", "right", "none"]
NEEDS_PLACES = [*PLACES, "range_count", "range_sum", "equal_range"]
TUPLES = [("i4", "i2"), ("i4", "text"), ("text", "M8[s]", "i8"), ("f8", "?"), ("text", "text")]


def key_of(*values):
    """Values as a key of entries: its groups, and its places."""
    return *map(place, values[:-1]), place(values[-1]) if isinstance(values[-1], tuple) else (place(values[-1]),)


class Model:
    """An index, the kinds of its columns, of which the last one is that of its keys, and the entries that it should have."""

    def __init__(self, index, kinds, pairs, is_ordered=True):
        self.index, self.kinds, self.pairs, self.is_ordered = index, kinds, pairs, is_ordered

    def by_group(self):
        result = defaultdict(list)
        for key, row in self.pairs:
            result[key[:-1]].append((key[-1], row))
        return defaultdict(lambda: Entries([]), {group: Entries(pairs) for group, pairs in result.items()})


def built(make):
    """What a call makes, unless it refuses specs and types that it does not have."""
    try:
        return make()
    except (warpdex.errors.Unsupported, warpdex.errors.SpecError, warpdex.errors.KeyTypeError) as why:
        raise Refused from why


def indexed(rng, kinds, pool=(*ORDERED, *HASHED), nulls=0.1, **places):
    """An `Index` over keys, or a `GroupedIndex` over groups and keys. @param places of shards"""
    size, spec = size_of(rng), pick(rng, pool)
    columns = [drawn(rng, kind, size, nulls, 0.1, 8 if kind is not kinds[-1] else plain.LIMIT) for kind in kinds]
    given = [column(rng, kind, values) for kind, values in zip(kinds, columns)]
    index = built(lambda: (warpdex.Index if len(kinds) == 1 else warpdex.GroupedIndex)(*given, spec, **places))
    rows = [row for row, key in enumerate(zip(*columns)) if not any(map(is_null, key))]
    pairs = [(key_of(*(values[row] for values in columns)), row) for row in rows]
    assert len(index) == len(pairs)
    return Model(index, kinds, pairs, spec in ORDERED)


def expect(found, wanted, deciding, what):
    """Compares answers to probes, of which None are those to nulls, in the kind of a column."""
    if knows_nulls(deciding):
        wanted = [None if one == -1 and MISSES.get(what) == -1 else one for one in wanted]
    else:
        wanted = [MISSES.get(what, 0) if one is None else one for one in wanted]
    assert listed(found) == wanted, (what, listed(found), wanted)


def answered(ask, wanted, deciding, what):
    """Calls, and compares. Where nulls have no place in the order, and answers cannot be null, the call must refuse."""
    if what in NEEDS_PLACES and None in wanted and not knows_nulls(deciding):
        with contextlib.suppress(warpdex.errors.InvalidArgument):
            raise AssertionError(f"{what} answers {ask()} to nulls, which have no place in the order")
    elif what in ("retrieve", "range_retrieve"):
        found, wanted = lists(ask()), [one or [] for one in wanted]
        assert found == wanted, (what, found, wanted)
    else:
        expect(ask(), wanted, deciding, what)


def points(rng, model):
    size, entries = size_of(rng, 30), model.by_group()
    names = [*POINTS, *NEIGHBOURS] if model.is_ordered else [*POINTS]
    names += PLACES if model.is_ordered and len(model.kinds) == 1 else []
    name = pick(rng, names)
    kinds = [probe_kind(rng, kind) for kind in model.kinds]
    if name in NEIGHBOURS and len(model.kinds) == 2:
        kinds[1] = model.kinds[1]  # between two units of the keys they are refused
    probes = [
        drawn(rng, kind, size, 0.1, 0.1, 8 if at < len(kinds) - 1 else plain.LIMIT) for at, kind in enumerate(kinds)
    ]
    given = [column(rng, kind, values) for kind, values in zip(kinds, probes)]
    answer = {**POINTS, **PLACES, **NEIGHBOURS}[name]
    wanted = [
        None if any(map(is_null, probe)) else answer(entries[key_of(*probe)[:-1]], key_of(*probe)[-1])
        for probe in zip(*probes)
    ]
    answered(lambda: getattr(model.index, name)(*given), wanted, _deciding(given[-1]), name)


def _deciding(given):
    """What decides the kind of answers: those to tuples are arrays."""
    return [] if isinstance(given, tuple) else given


def bounds(rng, model, size, nulls=0.1):
    """Groups, a lower and an upper bound of ranges, as values and as columns; of groups a bound may be absent."""
    kinds = [*model.kinds[:-1], model.kinds[-1], model.kinds[-1]]
    if isinstance(kinds[-1], tuple):  # bounds may be the first columns alone
        kinds[-2:] = [kind[: int(rng.integers(1, len(kind) + 1))] for kind in kinds[-2:]]
    else:
        kinds = [probe_kind(rng, kind) for kind in kinds]
    limits = [8] * (len(kinds) - 2) + [plain.LIMIT] * 2
    values = [drawn(rng, kind, size, nulls, 0.1, limit) for kind, limit in zip(kinds, limits)]
    given = [column(rng, kind, one) for kind, one in zip(kinds, values)]
    if len(model.kinds) == 2 and rng.random() < 0.4:
        given[int(rng.integers(1, 3))] = None
    return values, given


def wanted_ranges(model, values, given, closed):
    """The rows of each range; None where something is null."""
    entries, result = model.by_group(), []
    for *group, low, high in zip(*values):
        sides = [side for side, column in zip((low, high), given[-2:]) if column is not None]
        if any(map(is_null, [*group, *sides])):
            result.append(None)
            continue
        low, high = (None if side is None else key_of(one)[0] for one, side in zip((low, high), given[-2:]))
        result.append(entries[tuple(map(place, group))].between(low, high, closed))
    return result


def ranges(rng, model):
    size, closed, name = size_of(rng, 30), pick(rng, CLOSED), pick(rng, [*RANGES])
    values, given = bounds(rng, model, size)
    wanted = [None if rows is None else RANGES[name](rows) for rows in wanted_ranges(model, values, given, closed)]
    deciding = next(side for side in (*given[-2:], given[0]) if side is not None)
    answered(lambda: getattr(model.index, name)(*given, closed), wanted, _deciding(deciding), name)


def pairs_of_ranges(rng, model):
    values, given = bounds(rng, model, size_of(rng, 30))
    closed, how = pick(rng, CLOSED), pick(rng, ["inner", "left", "semi", "anti"])
    assert paired(model.index.join_between(*given, how, closed), how) == joined(
        wanted_ranges(model, values, given, closed), how
    ), (closed, how)


def paired(found, how):
    """The pairs of a join; those of semi and anti joins have no right side."""
    return list(zip(*(answer.tolist() for answer in found[: 1 if how in ("semi", "anti") else 2])))


def joined(matches, how):
    """Pairs of a join, of the matches of each left row."""
    if how in ("semi", "anti"):
        return [(left,) for left, rows in enumerate(matches) if bool(rows) == (how == "semi")]
    none = [] if how == "inner" else [-1]
    return [(left, row) for left, rows in enumerate(matches) for row in rows or none]


def as_of(rng, model):
    """As-of joins with all options but offsets. Distances are those of finite numbers."""
    kind, options = model.kinds[-1], asof_options(rng, model.kinds[-1])
    finite = "relative" in options or (kind[0] == "f" and (options["strategy"] == "nearest" or "tolerance" in options))
    if finite and any(key[-1][0] != key[-1][0] or not _is_finite(key[-1][0]) for key, _ in model.pairs):
        raise Refused
    size = size_of(rng, 30)
    probes = drawn(rng, kind, size, 0.1, 0.0 if finite else 0.1)
    kinds = [probe_kind(rng, one) for one in model.kinds[:-1]]
    groups = [drawn(rng, one, size, 0.1, 0.05, 8) for one in kinds]
    given = [column(rng, one, values) for one, values in zip([*kinds, kind], [*groups, probes])]
    tolerances = [_length(options.get("tolerance"))] * size
    if "tolerance" in options and kind != "M8[D]" and rng.random() < 0.4:
        own = _length_kind(kind)
        lengths = [one if one is None else abs(one) for one in drawn(rng, own, size, 0.1, 0.0, 9)]
        tolerances = [*map(_length, lengths)]
        options["tolerance"] = column(rng, own, lengths)
    elif "relative" not in options and rng.random() < 0.2:
        options["ties"] = "all"
    entries, matches = model.by_group(), []
    for *group, probe, tolerance in zip(*groups, probes, tolerances):
        if any(map(is_null, [*group, probe])) or (tolerance is None and "tolerance" in options):
            matches.append(None)
        else:
            near = _with_relative(tolerance, options.get("relative"), probe)
            matches.append(matched(entries[tuple(map(place, group))], key_of(probe)[0], options, near))
    found = model.index.join_asof(*given, **options)
    if options["ties"] == "all":
        assert paired(found, "left") == joined([one and one[0] for one in matches], "left"), options
    else:
        expect(found, [None if one is None else row_of(one, options) for one in matches], given[-1], "find")


def by_offsets(rng, model):
    """As-of joins of probes with distances added. A sum beyond the type of the probes matches nothing."""
    kind = model.kinds[-1]
    options = {name: one for name, one in asof_options(rng, kind).items() if name not in ("tolerance", "relative")}
    if kind[0] == "f" and any(not _is_finite(key[-1][0]) for key, _ in model.pairs):
        raise Refused
    size, numbers = size_of(rng, 20), [int(one) for one in rng.integers(-9, 10, int(rng.integers(0, 4)))]
    # Sums of times are those of the index's unit, which Polars makes finer, and may be the number that NumPy has for NaT.
    probes = drawn(rng, kind, size, 0.0, 0.1 if kind[0] in "iu" else 0.0)
    groups = [drawn(rng, one, size, 0.0, 0.05, 8) for one in model.kinds[:-1]]
    array = np.array(probes, KINDS[kind].type)
    given = [column(rng, one, values) for one, values in zip(model.kinds, groups)]
    steps = [np.int64(one).view(f"m{kind[1:]}") if kind[0] in "mM" else one for one in numbers]
    entries, limits = model.by_group(), _limits(array.dtype)
    for offset, found in zip(numbers, model.index.join_asof(*given, array, offsets=steps, **options)):
        wanted = []
        for *group, probe in zip(*groups, array.view("i8").tolist() if kind[0] in "mM" else probes):
            moved = probe + offset
            inside = limits is None or limits[0] <= moved <= limits[1]
            moved = np.int64(moved).view(array.dtype) if inside and kind[0] in "mM" else moved
            of = entries[tuple(map(place, group))]
            wanted.append(row_of(matched(of, key_of(moved)[0], options, None), options) if inside else -1)
        assert found.tolist() == wanted, (options, offset)


def _limits(dtype):
    """The ends of the type in which probes are, of which narrower ones are widened."""
    if dtype.kind in "mM":
        return -(2**63) + 1, 2**63 - 1
    if dtype.kind == "f":
        return None
    limits = np.iinfo(f"{dtype.kind}{max(4, dtype.itemsize)}")
    return limits.min, limits.max


def _is_finite(place):
    return not isinstance(place, tuple) or (place[0] == 0 and math.isfinite(place[1]))


def _with_relative(tolerance, relative, probe):
    if relative is None:
        return tolerance
    part = abs(probe) * relative
    return max(tolerance or 0, part if isinstance(probe, float) else int(part))


def _length_kind(kind):
    """The kind of a column of distances, which are whole numbers of units of the keys."""
    return kind.replace("M8", "m8") if kind[0] in "mM" else "f8" if kind[0] == "f" else "i8"


def _length(value):
    return value if value is None or isinstance(value, (int, float)) else place(value)


def asof_options(rng, kind):
    options = {
        "strategy": pick(rng, ["backward", "forward", "nearest"]),
        "allow_exact_matches": bool(rng.random() < 0.6),
        "prefer": pick(rng, ["earlier", "later"]),
        "ties": pick(rng, ["first", "last", "adjacent"]),
    }
    if rng.random() < 0.5:
        near = int(rng.integers(0, 9))
        options["tolerance"] = np.timedelta64(near, "s") if kind[0] in "mM" else near / 4 if kind[0] == "f" else near
    if kind[0] not in "mM" and rng.random() < 0.2:
        options["relative"] = float(pick(rng, [0.25, 0.5]))
    return options


def matched(entries, probe, options, tolerance):
    return entries.nearest(
        probe, options["strategy"], options["allow_exact_matches"], tolerance, options["prefer"] == "later"
    )


def row_of(match, options):
    rows, is_above = match
    last = options["ties"] == "last" or (options["ties"] == "adjacent" and not is_above)
    return (max if last else min)(rows, default=-1)


def update(rng, model):
    """An update, or one that is refused and changes nothing."""
    name = pick(rng, ["insert", "insert_or_assign", "erase", "update"])

    def some():
        values = [drawn(rng, kind, size_of(rng, 10), 0.0, 0.1, 12) for kind in model.kinds]
        values = [one[: min(map(len, values))] for one in values]
        return [key_of(*key) for key in zip(*values)], [column(rng, *one) for one in zip(model.kinds, values)]

    (added, come), (gone, go) = some(), some()
    rows = rng.integers(0, 99, len(added))
    arguments = go if name == "erase" else [*come, rows, *(go if name == "update" else [])]
    pairs = [] if name == "erase" else list(zip(added, rows.tolist()))
    after, counts = plain.changed(model.pairs, name, pairs, gone if name in ("erase", "update") else ())
    try:
        found = getattr(model.index, name)(*arguments)
    except (warpdex.errors.InvalidArgument, warpdex.errors.KeyTypeError, warpdex.errors.Unsupported) as why:
        if not any(isinstance(one, list) or len(one) == 0 for one in arguments) and "index holds" not in str(why):
            raise  # a list may be of a type that the index has not
    else:
        model.pairs = after
        assert found == counts, (name, found, counts)
    assert len(model.index) == len(model.pairs)


def again(rng, model):
    """The same index, once it was saved, sent or copied."""
    kind, index = type(model.index), model.index
    way = pick(rng, ["pickle", "bytes", "file", "mapped"])
    if way == "pickle":
        model.index = pickle.loads(pickle.dumps(index, int(rng.integers(2, 6))))
    elif way == "bytes":
        model.index = kind.from_buffer(index.to_bytes())
    else:
        with tempfile.TemporaryDirectory() as folder:
            index.save(f"{folder}/some.wdx")
            model.index = kind.load(f"{folder}/some.wdx", way == "mapped")


def _asked_and_updated(rng, model):
    for _ in range(4):
        points(rng, model)
        if model.is_ordered:
            pick(rng, [ranges, ranges, pairs_of_ranges])(rng, model)
        if rng.random() < 0.5:
            pick(rng, [update, update, again])(rng, model)


def index(rng):
    """Lookups, ranges, updates and files of an index."""
    model = indexed(rng, [pick(rng, [*KINDS])])
    _asked_and_updated(rng, model)


def grouped(rng):
    """The same within groups."""
    model = indexed(rng, [pick(rng, [*KINDS, ("i2", "text")]), pick(rng, [*KINDS])], ORDERED)
    _asked_and_updated(rng, model)


def tuples(rng):
    """Keys of several columns, and probes of the first ones."""
    model = indexed(rng, [pick(rng, TUPLES)], ["AO+BS", "GRT", "auto(ranges)"])
    for _ in range(4):
        points(rng, model)
        ranges(rng, model)


def asof(rng):
    """As-of joins, also within groups and after updates."""
    groups = [pick(rng, [*KINDS])] if rng.random() < 0.5 else []
    model = indexed(rng, [*groups, pick(rng, MEASURED)], ORDERED)
    pick(rng, [as_of, as_of, by_offsets])(rng, model)
    update(rng, model)
    as_of(rng, model)


CHECKS = [index, grouped, tuples, asof]
