# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""How long a call takes, and frames in chunks, for the scripts that compare frames."""

import time


def best(call, calls=3):
    """Milliseconds of the best of some calls, and what the last one returned."""
    times = []
    for _ in range(calls):
        begin = time.perf_counter()
        made = call()
        times.append(time.perf_counter() - begin)
    return min(times) * 1e3, made


def in_chunks(frame, chunks=41):
    """A frame of Polars in chunks, as `read_parquet` makes them."""
    import polars as pl

    step = -(-len(frame) // chunks)
    return pl.concat([frame.slice(begin, step) for begin in range(0, len(frame), step)], rechunk=False)
