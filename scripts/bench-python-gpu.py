#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Measures the Python package on a CUDA device beside CuPy and the command: bench-python-gpu.py [log2 of the keys] [warpdex].

Times are medians of 7 runs between two events of the device. All answers are checked. With the path of the command
`warpdex` its rate over as many keys and probes is measured too.
"""

import json
import statistics
import subprocess
import sys
import time

import cupy as cp

import warpdex
from warpdex import Index


def measured(call, repeat=7):
    """Seconds on the device, and what the last call returned."""
    result = call()
    taken = []
    for _ in range(repeat):
        start, end = cp.cuda.Event(), cp.cuda.Event()
        start.record()
        result = call()
        end.record()
        end.synchronize()
        taken.append(cp.cuda.get_elapsed_time(start, end) / 1e3)
    return statistics.median(taken), result


def show(what, count, checked, **seconds):
    rates = ", ".join(f"{name} {s * 1e3:.3f} ms, {count / s / 1e9:.2f} G/s" for name, s in seconds.items())
    print(f"{what}: {rates}; answers {'checked' if checked else 'WRONG'}", flush=True)
    return checked


def host_time(index, probes, synchronize, out):
    """The least microseconds of the host per call."""

    def per_call(call):
        best = float("inf")
        for _ in range(50):
            synchronize()
            start = time.perf_counter()
            for _ in range(100):
                call()
            best = min(best, (time.perf_counter() - start) / 100)
        synchronize()
        return best * 1e6

    return per_call(lambda: index.find(probes)), per_call(lambda: index.find(probes, out=out))


def main():
    bits = int(sys.argv[1]) if len(sys.argv) > 1 else 28
    size, count, left = 1 << bits, 1 << (bits - 1), 1 << (bits - 2)
    right = True
    cp.random.seed(1)
    name = cp.cuda.runtime.getDeviceProperties(0)["name"].decode()
    print(f"{name}, CuPy {cp.__version__}, 2^{bits} keys, 2^{bits - 1} probes")

    spread = 2 ** (32 - bits)
    keys = cp.arange(size, dtype=cp.uint32) * cp.uint32(spread)
    keys += cp.random.randint(0, spread, size, dtype=cp.uint32)
    probes = keys[cp.random.randint(0, size, count, dtype=cp.int64)]
    index = Index(keys, "AO+BS")
    out = cp.empty(count, cp.int32)
    find, found = measured(lambda: index.find(probes, out=out))
    fresh, _ = measured(lambda: index.find(probes))
    bound, bounds = measured(lambda: index.lower_bound(probes))
    theirs, expected = measured(lambda: cp.searchsorted(keys, probes))
    own, searched = measured(lambda: warpdex.searchsorted(keys, probes))
    same = bool((found == expected).all()) and bool((bounds == expected).all()) and bool((searched == expected).all())
    right &= show(
        f"2^{bits - 1} probes, 2^{bits} u32 keys, AO+BS",
        count,
        same,
        find_with_out=find,
        find=fresh,
        lower_bound=bound,
        searchsorted=own,
        cupy_searchsorted=theirs,
    )
    print(f"  find takes 1/{theirs / find:.1f} of the time of cupy.searchsorted")
    del index, keys, probes, out, found, bounds, expected, searched
    cp.get_default_memory_pool().free_all_blocks()
    if len(sys.argv) > 2:
        command = [sys.argv[2], "bench", "point", "--backend", "cuda", "--baselines", "none", "--index", "AO+BS"]
        command += ["--n", f"2^{bits}", "--probes", f"2^{bits - 1}", "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        rate = next(record["rate"] for record in map(json.loads, done.stdout.splitlines()) if record["kind"] == "index")
        print(f"  {' '.join(command[1:])}: {rate / 1e9:.2f} G/s; here {100 * count / find / rate:.1f} % of it")

    times = cp.cumsum(cp.random.randint(1, 1000, size, dtype=cp.int64))
    values = cp.random.random(size, dtype=cp.float32)
    rows = cp.random.randint(0, int(times[-1]), left, dtype=cp.int64)
    index = Index(times, "AO+BS")

    def ours():
        return values.take(index.join_asof(rows, last=(True, False)))

    ours_s, joined = measured(ours)
    theirs, expected = measured(lambda: values.take(cp.searchsorted(times, rows, "right") - 1))
    before_all = rows < times[0]
    same = bool(((joined == expected) | before_all).all())
    right &= show(f"as-of join, 2^{bits - 2} left rows, 2^{bits} i64 keys", left, same, join_asof=ours_s, cupy=theirs)
    print(f"  join_asof takes 1/{theirs / ours_s:.1f} of the time of cupy.searchsorted, both with a take")
    del index, times, values, rows, joined, expected

    small = Index(cp.arange(1 << 20, dtype=cp.uint32), "AO+BS")
    probes = cp.arange(256, dtype=cp.uint32)
    fresh, into = host_time(small, probes, cp.cuda.Device().synchronize, cp.empty(256, cp.int32))
    print(f"host time of find, 256 probes, CuPy: {fresh:.1f} us, with out {into:.1f} us")
    try:
        import torch
    except ImportError:
        return 0 if right else 1
    tensor = torch.as_tensor(probes.astype(cp.int32), device="cuda").clone()
    signed = Index(cp.arange(1 << 20, dtype=cp.int32), "AO+BS")
    fresh, into = host_time(signed, tensor, torch.cuda.synchronize, torch.empty(256, dtype=torch.int32, device="cuda"))
    print(f"host time of find, 256 probes, Torch {torch.__version__}: {fresh:.1f} us, with out {into:.1f} us")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
