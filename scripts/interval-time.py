#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Measures warpdex.Intervals beside ncls, bioframe and polars-bio on the CPU, and checks that all answer the same.

interval-time.py [--bits 20] [--repeats 5] [--threads 2]: 2^bits intervals of mixed length, and as many probes; the best
of some repeats of each, one after the other. ncls runs on one thread; what is missing is left out."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import Any

from best_of import best


def mixed(size: int, seed: int) -> tuple[Any, Any, Any, Any]:
    """Starts and ends of half-open intervals: most of 10 to 1000 units, one of a thousand of 1000 up to a thousandth of
    all, and two that are as long as all; and those of probes, of 1 to 150 units."""
    import numpy as np

    random = np.random.default_rng(seed)
    span = size * 100
    starts = random.integers(0, span, size)
    lengths = (10 ** random.uniform(1, 3, size)).astype(np.int64)
    some = random.random(size) < 1e-3
    lengths[some] = random.integers(1000, span // 1000 + 1001, int(some.sum()))
    lengths[:2] = span
    lower = random.integers(0, span, size)
    return starts, starts + lengths, lower, lower + random.integers(1, 151, size)


def others(columns: tuple[Any, ...], threads: int) -> dict[str, Callable[[str], Callable[[], int]]]:
    """Makes calls of other libraries, which return the number of pairs."""
    import numpy as np

    starts, ends, lower, upper = columns
    found: dict[str, Callable[[str], Callable[[], int]]] = {}
    rows = np.arange(starts.size)
    try:
        from ncls import NCLS

        tree = NCLS(starts, ends, rows)

        def ncls(what: str) -> Callable[[], int]:
            if what == "build":
                return lambda: int(NCLS(starts, ends, rows) is None)
            if what == "pairs":
                return lambda: tree.all_overlaps_both(lower, upper, rows)[0].size
            raise NotImplementedError

        found["ncls"] = ncls
    except ImportError:
        pass
    try:
        import bioframe
        import pandas as pd

        sides = [pd.DataFrame({"chrom": "1", "start": a, "end": b}) for a, b in ((lower, upper), (starts, ends))]

        def by_frames(what: str) -> Callable[[], int]:
            if what == "count":
                return lambda: int(bioframe.count_overlaps(*sides)["count"].sum())
            if what == "pairs":
                return lambda: len(bioframe.overlap(*sides, how="inner", return_input=False, return_index=True))
            raise NotImplementedError

        found["bioframe"] = by_frames
    except ImportError:
        pass
    try:
        import polars as pl
        import polars_bio as pb

        pb.set_option("datafusion.execution.target_partitions", str(threads))
        tables = []
        for a, b in ((lower, upper), (starts, ends)):
            table = pl.DataFrame({"chrom": "1", "start": a, "end": b})
            table.config_meta.set(coordinate_system_zero_based=True)
            tables.append(table)

        def by_polars(what: str) -> Callable[[], int]:
            if what == "count":
                return lambda: int(pb.count_overlaps(*tables, output_type="polars.DataFrame")["count"].sum())
            if what == "pairs":
                return lambda: pb.overlap(*tables, output_type="polars.DataFrame").height
            raise NotImplementedError

        found["polars-bio"] = by_polars
    except ImportError:
        pass
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bits", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--without", nargs="*", default=[])
    given = parser.parse_args()
    os.environ.setdefault("POLARS_MAX_THREADS", str(given.threads))
    os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[: given.threads]))
    import warpdex

    columns = mixed(1 << given.bits, 1)
    starts, ends, lower, upper = columns
    threads = given.threads
    index = warpdex.Intervals(starts, ends, closed="left", threads=threads)
    own: dict[str, Callable[[], Any]] = {
        "build": lambda: warpdex.Intervals(starts, ends, closed="left", threads=threads),
        "count": lambda: int(index.count(lower, upper, threads=threads).sum()),
        "rows": lambda: index.retrieve(lower, upper, threads=threads)[1].size,
        "pairs": lambda: index.join(lower, upper, threads=threads)[0].size,
        "points: count": lambda: int(index.count(lower, threads=threads).sum()),
        "points: rows": lambda: index.retrieve(lower, threads=threads)[1].size,
    }
    pairs = own["count"]()
    size = starts.size
    print(f"2^{given.bits} intervals and probes, {pairs / size:.2f} pairs each, {index.nbytes / size:.1f} bytes")
    libraries = {name: make for name, make in others(columns, threads).items() if name not in given.without}
    for what, call in own.items():
        own_ms, found = best(call, given.repeats)
        line = [f"warpdex {own_ms:.1f} ms"]
        if what in ("count", "rows", "pairs"):
            assert found == pairs, (what, found, pairs)
        for name, make in libraries.items():
            try:
                other = make("pairs" if what == "rows" and name == "ncls" else what)
            except NotImplementedError:
                continue
            ms, found = best(other, max(1, given.repeats // 2))
            assert what == "build" or found == pairs, (name, what, found, pairs)
            line.append(f"{name} {ms:.1f} ms ({ms / own_ms:.1f} times)")
        print(f"{what:14} {'; '.join(line)}", flush=True)


if __name__ == "__main__":
    main()
