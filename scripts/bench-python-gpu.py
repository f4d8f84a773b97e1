#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the Python package on a CUDA device with CuPy and the benchmark: bench-python-gpu.py [log2 of the keys]
[warpdex].

Times are medians of 7 runs between two events of the device. All answers are checked. With the path of the command,
`warpdex`, the rate of `warpdex-bench` next to it over as many keys and probes is measured too.
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


def lookups(bits, command):
    size, count = 1 << bits, 1 << (bits - 1)
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
    right = show(
        f"2^{bits - 1} probes, 2^{bits} u32 keys, AO+BS",
        count,
        all(bool((answers == expected).all()) for answers in (found, bounds, searched)),
        find_with_out=find,
        find=fresh,
        lower_bound=bound,
        searchsorted=own,
        cupy_searchsorted=theirs,
    )
    print(f"  find takes 1/{theirs / find:.1f} of the time of cupy.searchsorted")
    if command:
        asked = [command + "-bench", "point", "--backend", "cuda", "--baselines", "none", "--index", "AO+BS"]
        asked += ["--n", f"2^{bits}", "--probes", f"2^{bits - 1}", "--json"]
        done = subprocess.run(asked, capture_output=True, text=True, check=True)
        rate = next(record["rate"] for record in map(json.loads, done.stdout.splitlines()) if record["kind"] == "index")
        print(f"  {' '.join(asked)}: {rate / 1e9:.2f} G/s; here {100 * count / find / rate:.1f} % of it")
    return right


def joins(bits):
    size, left = 1 << bits, 1 << (bits - 2)
    times = cp.cumsum(cp.random.randint(1, 1000, size, dtype=cp.int64))
    values = cp.random.random(size, dtype=cp.float32)
    rows = cp.random.randint(int(times[0]), int(times[-1]), left, dtype=cp.int64)
    index = Index(times, "AO+BS")
    ours, joined = measured(lambda: values.take(index.join_asof(rows, last=(True, False))))
    theirs, expected = measured(lambda: values.take(cp.searchsorted(times, rows, "right") - 1))
    same = bool((joined == expected).all())
    right = show(f"as-of join, 2^{bits - 2} left rows, 2^{bits} i64 keys", left, same, join_asof=ours, cupy=theirs)
    print(f"  join_asof takes 1/{theirs / ours:.1f} of the time of cupy.searchsorted, both with a take")
    return right


def host_times():
    probes = cp.arange(256, dtype=cp.int32)
    index = Index(cp.arange(1 << 20, dtype=cp.int32), "AO+BS")
    fresh, into = host_time(index, probes, cp.cuda.Device().synchronize, cp.empty(256, cp.int32))
    print(f"host time of find, 256 probes, CuPy {cp.__version__}: {fresh:.1f} us, with out {into:.1f} us")
    try:
        import torch
    except ImportError:
        return
    tensor, out = (torch.arange(256, dtype=torch.int32, device="cuda") for _ in range(2))
    fresh, into = host_time(index, tensor, torch.cuda.synchronize, out)
    print(f"host time of find, 256 probes, Torch {torch.__version__}: {fresh:.1f} us, with out {into:.1f} us")


def main():
    bits = int(sys.argv[1]) if len(sys.argv) > 1 else 28
    cp.random.seed(1)
    print(f"{cp.cuda.runtime.getDeviceProperties(0)['name'].decode()}, warpdex {warpdex.__file__}")
    right = lookups(bits, sys.argv[2] if len(sys.argv) > 2 else None)
    cp.get_default_memory_pool().free_all_blocks()
    right &= joins(bits)
    host_times()
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
