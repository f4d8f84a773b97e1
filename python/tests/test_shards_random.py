# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Random indexes over several places against one in one place: all kinds of keys, sizes, placements, updates and files. A
seed repeats its round: `python test_shards_random.py SEED [ROUNDS]`."""

import decimal
import sys
import tempfile
import uuid

import numpy as np
import pyarrow as pa
import pytest

import warpdex
from warpdex import Index
from warpdex.devices import Pieces

SPECS = ["AO+BS", "AO+PB+BS", "EO+KS(9)", "GRT", "HT(open)", "auto", "auto(ranges)", "B+(16)"]
SIZES = [0, 1, 2, 3, 7, 64, 300, 2000]
NUMBERS = [np.dtype(f"{sign}{width}") for sign in "iu" for width in (1, 2, 4, 8)] + [np.dtype("f4"), np.dtype("f8")]
NEAREST = [
    ("find", 1),
    ("contains", 1),
    ("count", 1),
    ("lower_bound", 1),
    ("upper_bound", 1),
    ("floor", 1),
    ("ceil", 1),
]


def some_numbers(random, dtype, size, near):
    """Numbers of a type: few, many, or the extremes of the type. `near` makes them of the same kind in each call."""
    if dtype.kind == "f":
        values = random.normal(size=size).round(1 if near % 2 else 6).astype(dtype)
        extremes = np.array([np.nan, -0.0, 0.0, np.inf, -np.inf, np.finfo(dtype).max, np.finfo(dtype).tiny], dtype)
    else:
        limits = np.iinfo(dtype)
        span = [3, 100, 10**6, None][near % 4]
        low, high = (limits.min, limits.max) if span is None else (max(limits.min, -span), min(limits.max, span))
        values = random.integers(low, high, size, dtype, endpoint=True)
        extremes = np.array([limits.min, limits.max, 0], dtype)
    if near % 3 == 0 and size:
        at = random.random(size) < 0.1
        values[at] = random.choice(extremes, at.sum())
    return values


def numbers(random):
    dtype, near = random.choice(NUMBERS), int(random.integers(12))
    return lambda size: some_numbers(random, dtype, size, near)


def equal_keys(random):
    value = int(random.integers(-5, 5))
    return lambda size: np.full(size, value) if random.random() < 0.8 else np.full(size, value + 1)


def nulls(random):
    make, form = numbers(random), int(random.integers(2))

    def made(size):
        values, mask = make(size), random.random(size) < 0.2
        column = pa.array(values, mask=mask)
        return column.dictionary_encode() if form and size else column

    return made


def strings(random):
    few = int(random.choice([2, 40, 10**6]))

    def made(size):
        words = [str(one) * int(random.integers(0, 3)) for one in random.integers(0, few, size)]
        kind = random.choice(["string", "large_string", "string_view"])
        return pa.array(words, getattr(pa, kind)())

    return made


def times(random):
    unit, few = random.choice(["s", "ms", "ns", "D"]), int(random.choice([3, 10**4]))
    return lambda size: np.datetime64("2026-11-01", unit) + random.integers(0, few, size)


def bools(random):
    return lambda size: random.random(size) < 0.5


def uuids(random):
    return lambda size: [uuid.UUID(int=int(one) << 64 | 5) for one in random.integers(0, 500, size)]


def decimals(random):
    wide = int(random.choice([10, 30]))
    kind = pa.decimal128(wide, 2)
    return lambda size: pa.array(
        [decimal.Decimal(int(one)).scaleb(-2) for one in random.integers(-900, 900, size)], kind
    )


def tuples(random):
    form = int(random.integers(2))

    def made(size):
        first = random.integers(0, 9, size)
        second = [f"w{one}" for one in random.integers(0, 30, size)] if form else random.integers(0, 30, size)
        return (first, second)

    return made


KINDS = [numbers, numbers, numbers, equal_keys, nulls, strings, strings, times, bools, uuids, decimals, tuples]


def dressed(values, random):
    """The same column, as a part of another one, out of step with memory, or in chunks."""
    form = int(random.integers(4))
    if isinstance(values, pa.Array) and form == 1:
        return pa.concat_arrays([values[:5], values])[len(values[:5]) :]
    if isinstance(values, pa.Array) and form == 2:
        return pa.chunked_array([values[:7], values[7:9], values[9:]])
    if isinstance(values, np.ndarray) and form == 1:
        return np.repeat(values, 2)[::2]
    if isinstance(values, np.ndarray) and form == 2:
        raw = np.zeros(values.nbytes + 1, np.uint8)
        raw[1:] = np.ascontiguousarray(values).view(np.uint8)
        return raw[1:].view(values.dtype)
    return values


def answer(index, call, *arguments, **options):
    """What a call answers, or the kind of its error."""
    try:
        return getattr(index, call)(*arguments, **options)
    except warpdex.Error as why:
        assert "\n" not in str(why), why
        return type(why)


def plain(answers):
    """Answers as arrays of NumPy."""
    if isinstance(answers, (tuple, list)):
        return [plain(one) for one in answers]
    if isinstance(answers, (pa.Array, pa.ChunkedArray)):
        return np.asarray(answers.to_pylist(), object)
    return answers if isinstance(answers, type) else np.asarray(answers)


def expect_same(got, want, what):
    if isinstance(got, list):
        assert isinstance(want, list) and len(got) == len(want), (what, got, want)
        for one, other in zip(got, want):
            expect_same(one, other, what)
    elif isinstance(got, type) or isinstance(want, type):
        assert got is want, (what, got, want)
    else:
        np.testing.assert_array_equal(got, want, str(what))
        assert got.dtype == want.dtype, what


def compare(one, several, make, random):
    size = int(random.choice([0, 1, 2, 50, 400]))
    probes = make(size)
    other = make(size)
    closed = str(random.choice(["both", "left", "right", "none"]))
    calls = [(name, (probes,), {}) for name in ("find", "contains", "count", "lower_bound", "upper_bound")]
    calls += [(name, (probes,), {}) for name in ("floor", "ceil", "retrieve", "find_unordered")]
    calls += [(name, (probes, other), {"closed": closed}) for name in ("range_count", "range_sum", "equal_range")]
    calls += [("range_retrieve", (probes, other), {"closed": closed})]
    calls += [(name, (probes,), {}) for name in ("prefix_count", "prefix_sum", "prefix_retrieve", "longest_prefix")]
    ranks = random.integers(0, max(len(one), 1), size if len(one) else 0)
    calls += [("keys_at", (ranks,), {}), ("rows_at", (ranks,), {})]
    how = str(random.choice(["inner", "left", "semi", "anti"]))
    asof = {
        "strategy": str(random.choice(["backward", "forward"])),
        "ties": str(random.choice(["first", "last", "adjacent"])),
        "allow_exact_matches": bool(random.integers(2)),
    }
    calls += [("join", (probes, how), {}), ("join_between", (probes, other, how, closed), {})]
    calls += [("join_asof", (probes,), asof)]
    for name, arguments, options in calls:
        want = plain(answer(one, name, *arguments, **options))
        got = plain(answer(several, name, *arguments, **options))
        if name == "find_unordered" and isinstance(want, list):
            got, want = ([sorted(zip(*map(np.ndarray.tolist, one)), key=str)] for one in (got, want))
            assert got == want, (name, size)
            continue
        expect_same(got, want, (name, options, size))
    assert len(one) == len(several)


def compare_pieces(one, several, make, random, places):
    pieces = [make(int(random.integers(0, 40))) for _ in range(places)]
    for name in ("find", "contains", "count", "lower_bound", "floor", "ceil"):
        want = [answer(one, name, piece) for piece in pieces]
        got = answer(several, name, Pieces(pieces))
        if isinstance(got, type):
            assert got in want, (name, got, want)
        else:
            expect_same(plain(got), plain(want), ("pieces", name))


def change(one, several, make, random):
    added = make(int(random.choice([0, 1, 5, 200])))
    gone = make(int(random.choice([0, 1, 5, 100])))
    count = len(added[0]) if isinstance(added, tuple) else len(added)
    rows = random.integers(0, 10**6, count).astype(np.int32)
    name, arguments = [
        ("insert", (added, rows)),
        ("insert_or_assign", (added, rows)),
        ("erase", (gone,)),
        ("update", (added, rows, gone)),
    ][int(random.integers(4))]
    want, got = answer(one, name, *arguments), answer(several, name, *arguments)
    assert got == want, (name, got, want)


def one_round(seed):
    random = np.random.default_rng([45, seed])
    plain_make = random.choice(KINDS)(random)

    def make(size):
        return dressed(plain_make(size), random)

    spec, size = str(random.choice(SPECS)), int(random.choice(SIZES))
    if random.random() < 0.2:
        spec += "/rows=u64"
    keys = make(size)
    places = int(random.integers(1, 6))
    placement = str(random.choice(["range", "range", "replicate", "auto"]))
    options = {"devices": ["cpu"] * places, "placement": placement}
    if placement == "range" and random.random() < 0.5:
        options["shards"] = int(random.integers(1, 13))
    if random.random() < 0.3:
        count = len(keys[0]) if isinstance(keys, tuple) else len(keys)
        options["rows"] = random.integers(0, 1000, count).astype(np.int32)
    one = answer(sys.modules[__name__], "Index", keys, spec, options.get("rows"))
    several = answer(sys.modules[__name__], "Index", keys, spec, **options)
    if isinstance(one, type) or isinstance(several, type):
        assert one is several, (spec, options, one, several)
        return "refused"
    for _ in range(int(random.integers(1, 5))):
        compare(one, several, make, random)
        if not isinstance(keys, tuple):
            compare_pieces(one, several, make, random, places)
        step = random.random()
        if step < 0.6:
            change(one, several, make, random)
        elif step < 0.8 and not isinstance(keys, tuple):
            with tempfile.TemporaryDirectory() as folder:
                several.save(folder)
                places = int(random.integers(1, 6))
                several = Index.load(folder, bool(random.integers(2)), devices=["cpu"] * places)
    compare(one, several, make, random)
    return "compared"


@pytest.mark.parametrize("seed", range(100))
def test_answers_are_those_of_one_index(seed):
    one_round(seed)


if __name__ == "__main__":
    first = int(sys.argv[1])
    for number in range(first, first + int(sys.argv[2]) if len(sys.argv) > 2 else first + 1):
        try:
            one_round(number)
        except BaseException:
            print("seed", number, flush=True)
            raise
