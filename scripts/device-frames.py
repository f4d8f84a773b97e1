# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Joins of dicts of CuPy's arrays: an as-of join within groups, an equality join, and the gather of columns, beside CuPy's
own sort, search and gather. Answers are compared.

python3 scripts/device-frames.py [BITS]   # with warpdex and CuPy installed; BITS divides all sizes by a power of two
"""

import sys

import cupy as cp
import numpy as np
import warpdex

SMALLER = int(sys.argv[1]) if len(sys.argv) > 1 else 0


# Reads values at places that it computes, and writes nothing.
RANDOM_READS = """
extern "C" __global__ void random_reads(double const* values, unsigned long long mask, int reads, double* sums) {
  unsigned long long at = (blockIdx.x * 256ull + threadIdx.x) * reads;
  double sum = 0;
  #pragma unroll 8
  for (int i = 0; i < reads; ++i) {
    unsigned long long x = (at + i) * 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9ull;
    sum += __ldg(values + ((x ^ x >> 32) & mask));
  }
  if (sum == 1e300) sums[0] = sum;
}
"""


def measured(call, calls=5):
    """Milliseconds between two events, the median of some calls, and what the last one returned."""
    times, made = [], call()
    for _ in range(calls):
        begin, end = cp.cuda.Event(), cp.cuda.Event()
        cp.cuda.Device().synchronize()
        begin.record()
        made = call()
        end.record()
        end.synchronize()
        times.append(cp.cuda.get_elapsed_time(begin, end))
    return sorted(times)[calls // 2], made


def show(what, rows, ms, **others):
    more = "".join(f"; {name} {took:.2f} ms, {took / ms:.1f} times" for name, took in others.items())
    print(f"{what}: {ms:.2f} ms, {rows / ms / 1e6:.2f} G rows/s{more}", flush=True)


def ascending(random, size, last):
    """Whole numbers in order, up to about `last`."""
    steps = random.integers(0, 2 * max(last // size, 1), size, dtype=np.int64)
    return cp.cumsum(steps)


def asof(random):
    trades, quotes, groups = (1 << 26) >> SMALLER, (1 << 27) >> SMALLER, 5000
    day = 86_400_000_000
    left = {
        "time": ascending(random, trades, day),
        "symbol": random.integers(0, groups, trades, dtype=np.int32),
    }
    right = {
        "time": ascending(random, quotes, day),
        "symbol": random.integers(0, groups, quotes, dtype=np.int32),
        **{name: random.random(quotes) for name in ("bid", "ask", "bid_size", "ask_size")},
    }

    def by_sort():
        """Group and time in one number, a sort, a search, and four gathers."""
        keys = right["symbol"].astype(np.int64) << 40 | right["time"]
        order = cp.argsort(keys)
        probes = left["symbol"].astype(np.int64) << 40 | left["time"]
        at = cp.searchsorted(keys[order], probes, "right") - 1
        rows = order[cp.maximum(at, 0)]
        found = (at >= 0) & (right["symbol"][rows] == left["symbol"])
        return {name: cp.where(found, right[name][rows], np.nan) for name in ("bid", "ask", "bid_size", "ask_size")}

    ms, made = measured(lambda: warpdex.join_asof(left, right, on="time", by="symbol"))
    other_ms, expected = measured(by_sort)
    for name, column in expected.items():
        cp.testing.assert_array_equal(made[name], column)
    show("as-of by group, four columns", trades, ms, cupy=other_ms)
    groups = left["symbol"], right["symbol"]
    ms, _ = measured(lambda: warpdex.asof_merge(left["time"], right["time"], groups=groups, last=(True, True)))
    show("of these rows alone, by asof_merge", trades, ms)


def equality(random):
    lefts, rights = (1 << 27) >> SMALLER, (1 << 24) >> SMALLER
    key = cp.random.permutation(rights).astype(np.int32)
    right = {"key": key, **{name: random.random(rights) for name in ("a", "b")}}
    left = {
        "key": random.integers(0, rights, lefts, dtype=np.int32),
        **{name: random.random(lefts) for name in ("c", "d")},
    }

    def by_sort():
        order = cp.argsort(right["key"])
        rows = order[cp.searchsorted(right["key"][order], left["key"])]
        return {name: right[name][rows] for name in ("a", "b")}

    ms, made = measured(lambda: warpdex.join(left, right, "key"))
    other_ms, expected = measured(by_sort)
    for name, column in expected.items():
        cp.testing.assert_array_equal(made[name], column)
    show("equality, four columns", lefts + rights, ms, cupy=other_ms)
    ms, _ = measured(lambda: warpdex.join_columns(left["key"], right["key"]))
    show("of these pairs alone, by join_columns", lefts + rights, ms)


def gather(random):
    size = (1 << 26) >> SMALLER
    rows = random.integers(0, size, size, dtype=np.int64)
    columns = [random.random(size) for _ in range(8)]
    ms, _ = measured(lambda: [column[rows] for column in columns])
    show("gather of 8 columns by CuPy, values", 8 * size, ms)
    table = dict(enumerate(columns))
    ms, made = measured(lambda: warpdex.gather_table(rows, table))
    show("the same by warpdex.gather_table", 8 * size, ms)
    for number, column in made.items():
        cp.testing.assert_array_equal(column, columns[number][rows])
    read = cp.RawKernel(RANDOM_READS, "random_reads")
    sums = cp.zeros(1, np.float64)
    for name, column in (("one column", columns[0]), ("8 columns", cp.concatenate(columns))):
        per_thread, blocks = 64, (8 * size) // (64 * 256)
        ms, _ = measured(lambda: read((blocks,), (256,), (column, np.uint64(column.size - 1), per_thread, sums)))
        show(f"random reads of 8 bytes alone, within {name}", blocks * 256 * per_thread, ms)


random = cp.random.default_rng(1)
asof(random)
equality(random)
gather(random)
