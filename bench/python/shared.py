# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""What all subcommands share: time, answers and how they are compared, data, and lines of JSON."""

import importlib
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time
from typing import Any, Callable, NamedTuple

import numpy as np

SECONDS = 20  # after which a call is not repeated


class Call(NamedTuple):
    """A call that is timed, what of its answer is compared, and what is done before it, not timed."""

    run: Callable[..., Any]
    of: Callable[[Any], Any] = lambda answer: answer
    prepare: Callable[[], Any] | None = None


def library(name):
    """A module, or None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def emit(**fields):
    print(json.dumps(fields), flush=True)


def array_of(column):
    """A column of any library as an array of NumPy."""
    if hasattr(column, "cpu"):  # of Torch
        column = column.cpu()
    elif type(column).__module__.startswith("cupy"):
        column = column.get()
    return column.to_numpy() if hasattr(column, "to_numpy") else np.asarray(column)


def columns_of(answer):
    """An answer as arrays by their names: a frame of any library, a dict, a tuple, one array or a number."""
    if hasattr(answer, "columns"):
        answer = {name: answer[name] for name in getattr(answer, "column_names", None) or answer.columns}
    elif not isinstance(answer, dict):
        answer = dict(enumerate(answer if isinstance(answer, (tuple, list)) else [answer]))
    return {name: array_of(column) for name, column in answer.items()}


def same(one, two, rtol=0.0):
    """Whether two arrays hold equal values, of whatever types; NaN, which stands for null, equals itself."""
    if one.shape != two.shape:
        return False
    if one.dtype.kind in "fc" or two.dtype.kind in "fc":
        return bool(np.isclose(one.astype(float), two.astype(float), rtol=rtol, atol=0, equal_nan=True).all())
    return bool((one == two).all())


def expect_equal(found, expected, what, rtol=0.0):
    """Compares the columns that both answers have, of which there is one at least."""
    one, two = columns_of(found), columns_of(expected)
    shared = [name for name in one if name in two]
    wrong = [name for name in shared if not same(one[name], two[name], rtol)]
    if wrong or not shared:
        sys.exit(f"{what}: another answer in {wrong or 'all columns'}")


def in_chunks(frame, chunks=41):
    """A frame of Polars in chunks, as `read_parquet` makes them."""
    import polars as pl

    step = max(1, -(-len(frame) // chunks))
    return pl.concat([frame.slice(begin, step) for begin in range(0, len(frame), step)], rechunk=False)


def whole_and_in_chunks(call, *tables):
    """The same call of frames of Polars, and of these in 41 chunks."""
    parts = [in_chunks(table) for table in tables]
    return lambda: call(*tables), lambda: call(*parts)


def in_order(frame):
    """The rows of a frame of Polars in the order of all columns, where a library promises none."""
    return frame.sort(sorted(frame.columns))


def ticks(random, rows, groups=0, symbols=None, **values):
    """Columns of a day: a time in microseconds that ascends, a symbol by number or name, and values."""
    result = {"time": np.sort(random.integers(0, 86_400_000_000, rows))}
    if symbols is not None:
        result["symbol"] = symbols[random.integers(0, symbols.size, rows)]
    elif groups:
        result["symbol"] = random.integers(0, groups, rows, np.int32)
    return result | {name: random.random(rows) if kind is float else np.arange(rows) for name, kind in values.items()}


AROUND = {"on": "time", "by": "symbol", "before": 10**6, "after": 10**6, "agg": {"bid": "sum", "*": "count"}}


def of_groups(side, reach=0):
    """A number of each row's symbol and time, which leaves room for a distance on both sides."""
    return side["symbol"].astype(np.int64) << 40 | side["time"] + reach


def asof_by_sort(xp, left, right, by=None):
    """An as-of join of columns by a sort, a search, and a gather of each column."""
    keys, probes = (of_groups(side) if by else side["time"] for side in (right, left))
    order = xp.argsort(keys, kind="stable")
    at = xp.searchsorted(keys[order], probes, "right") - 1
    rows = order[xp.maximum(at, 0)]
    found = (at >= 0) & ((right["symbol"][rows] == left["symbol"]) if by else True)
    return {name: xp.where(found, right[name][rows], np.nan) for name in right if name not in left}


def window_by_sums(xp, left, right, reach=10**6):
    """Sums up to each row in the order of groups and times, of which two searches take differences."""
    keys, at = (of_groups(side, reach) for side in (right, left))
    order = xp.argsort(keys, kind="stable")
    keys, sums = keys[order], xp.concatenate([xp.zeros(1, right["bid"].dtype), xp.cumsum(right["bid"][order])])
    low, high = xp.searchsorted(keys, at - reach), xp.searchsorted(keys, at + reach, "right")
    return {"bid_sum": sums[high] - sums[low], "count": high - low}


def machine():
    """What all lines tell of the machine, the package and the sources."""
    import warpdex

    command = ["git", "-C", str(pathlib.Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() or None
    processors = re.findall("model name\\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    fields = {"version": warpdex.__version__, "commit": commit, "cpu": next(iter(processors), None)}
    fields |= {"cores": len(os.sched_getaffinity(0)), "gpu": None}
    if warpdex._core.device_count() and (cp := library("cupy")):
        runtime = cp.cuda.runtime
        fields["gpu"] = runtime.getDeviceProperties(0)["name"].decode()
        fields["cuda"] = [runtime.runtimeGetVersion(), runtime.driverGetVersion()]
    return fields


class Bench:
    """A subcommand that runs: its options, and how it measures."""

    def __init__(self, options):
        self.name, self.rows, self.repeat = options.subcommand, options.rows, options.repeat
        self.threads, self.device, self.only = options.threads, options.device, options.only
        self.specs, self.table = getattr(options, "specs", None), getattr(options, "table", None)
        self.ours = {"threads": options.threads}
        self.peer = "numpy" if options.device == "cpu" else "cupy"
        self.xp = importlib.import_module(self.peer)
        self.machine, self.random = machine(), np.random.default_rng(options.seed)
        self.cases, self.clock = 0, time.perf_counter

    def wants(self, case):
        return not self.only or any(word in case for word in self.only)

    def placed(self, columns):
        """The same columns where the arrays are."""
        return {name: self.xp.asarray(column) for name, column in columns.items()}

    def wait(self):
        if self.xp is not np:
            self.xp.cuda.Device().synchronize()

    def timed(self, call):
        """The seconds of some calls, after one that warms up, and the last answer."""
        runs, begun = [], time.monotonic()
        while len(runs) <= self.repeat and (len(runs) < 2 or time.monotonic() - begun < SECONDS):
            answer = None
            given = () if call.prepare is None else (call.prepare(),)
            self.wait()
            begin = self.clock()
            answer = call.run(*given)
            self.wait()
            runs.append(self.clock() - begin)
        return runs[1:], call.of(answer)

    def compare(self, case, calls, *peer, rows=None, rtol=0.0, **fields):
        """Times some calls by name, of which warpdex's is the first, compares all answers, and then prints a line each.
        Two calls without names are those of warpdex and of the peer."""
        calls = {"warpdex": calls, self.peer: peer[0]} if peer else calls
        assert len(calls) > 1, f"{case}: nothing to compare with"
        if not self.wants(case):
            return
        times, expected = {}, None
        for name, call in calls.items():
            times[name], answer = self.timed(call if isinstance(call, Call) else Call(call))
            if expected is not None:
                expect_equal(answer, expected, f"{self.name}, {case}, {name}", rtol)
            expected = answer if expected is None else expected
        medians = {name: statistics.median(runs) for name, runs in times.items()}
        for name, runs in times.items():
            others = {other: median / medians[name] for other, median in medians.items() if other != name}
            more = {"ratios": others} if name.startswith("warpdex") else {}
            self.show(case, name, rows or self.rows, runs, **fields, **more)

    def show(self, case, name, rows, runs, **fields):
        """Prints the line of a call whose answers are right."""
        self.cases += 1
        median, kind = statistics.median(runs), "index" if name.startswith("warpdex") else "baseline"
        what = {"kind": kind, "bench": self.name, "case": case, "name": name, "rows": rows}
        what |= {"threads": self.threads, "device": self.device, "median_s": median, "min_s": min(runs)}
        what |= {"max_s": max(runs), "runs_s": runs, "rate": rows / median, "checked": True}
        emit(**what, **fields, **self.machine)
