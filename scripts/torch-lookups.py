# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Lookups of tensors beside Torch's own isin, searchsorted, bucketize and unique, and the time of the host per call of an
operator. Answers are compared.

python3 scripts/torch-lookups.py [BITS]   # with warpdex and Torch on a CUDA device; BITS divides sizes by a power of two
"""

import sys
import time

import torch
import warpdex
import warpdex.torch

SMALLER = int(sys.argv[1]) if len(sys.argv) > 1 else 0


def measured(call, calls=7):
    """Milliseconds between two events, the median of some calls, and what the last one returned."""
    times, made = [], call()
    for _ in range(calls):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda.synchronize()
        begin.record()
        made = call()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    return sorted(times)[calls // 2], made


def show(what, probes, ours, other, theirs):
    print(f"{what}: {ours:.3f} ms, {probes / ours / 1e6:.1f} G/s; {other} {theirs:.3f} ms, {theirs / ours:.1f} times")


def compare(keys_size, probes_size):
    keys = torch.randint(0, 1 << 40, (keys_size,), device="cuda")
    keys = torch.unique(keys)
    keys = keys[torch.randperm(len(keys), device="cuda")]
    probes = keys[torch.randint(0, len(keys), (probes_size,), device="cuda")] + torch.randint(
        0, 2, (probes_size,), device="cuda"
    )
    print(f"{len(keys)} keys, {probes_size} probes of int64")
    index, tree = warpdex.Index(keys), warpdex.Index(keys, "AO+BS")
    ascending = torch.sort(keys).values

    ours, found = measured(lambda: index.contains(probes))
    theirs, expected = measured(lambda: torch.isin(probes, keys))
    assert torch.equal(found, expected)
    show("contains", probes_size, ours, "isin", theirs)

    ours, found = measured(lambda: tree.lower_bound(probes))
    for name, call in (
        ("searchsorted", lambda: torch.searchsorted(ascending, probes)),
        ("bucketize", lambda: torch.bucketize(probes, ascending)),
    ):
        theirs, expected = measured(call)
        assert torch.equal(found, expected)
        show("lower_bound", probes_size, ours, name, theirs)

    ours, found = measured(lambda: warpdex.first_match(probes, probes))
    theirs, expected = measured(lambda: torch.unique(probes, return_inverse=True))
    assert torch.equal(probes[found.long()], probes) and len(torch.unique(found)) == len(expected[0])
    show("first_match, a number per value", probes_size, ours, "unique with return_inverse", theirs)


def host_time(calls=2000):
    keys = torch.arange(1 << 16, device="cuda")
    probes = torch.arange(256, device="cuda")
    index = warpdex.Index(keys)
    module = warpdex.torch.Lookup(index)
    operator, number = torch.ops.warpdex.look_up, module._number
    out = index.find(probes)
    for name, call in (
        ("index.find", lambda: index.find(probes)),
        ("index.find with out=", lambda: index.find(probes, out=out)),
        ("torch.ops.warpdex.look_up", lambda: operator(probes, number, "find")),
        ("warpdex.torch.Lookup", lambda: module(probes)),
        ("torch.searchsorted", lambda: torch.searchsorted(keys, probes)),
    ):
        best = 1e9
        for _ in range(9):
            torch.cuda.synchronize()
            begin = time.perf_counter()
            for _ in range(calls // 10):
                call()
            best = min(best, (time.perf_counter() - begin) / (calls // 10))
        print(f"host time per call, {name}: {best * 1e6:.2f} us", flush=True)


print(torch.cuda.get_device_name(), "Torch", torch.__version__)
compare((1 << 24) >> SMALLER, (1 << 26) >> SMALLER)
host_time()
