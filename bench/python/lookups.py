# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Lookups and joins of columns beside NumPy, pandas, CuPy and Torch, and the time of calls that ask for little."""

import subprocess
import sys

import numpy as np
import warpdex
from shared import Call, library


def _keys_and_probes(b, share=4):
    """Unique keys in order, and probes of which half are keys; there are `share` times as many keys."""
    keys = np.unique(b.random.integers(0, 1 << 60, share * b.rows)) * 2
    probes = b.random.choice(keys, b.rows) + b.random.integers(0, 2, b.rows)
    xp = b.xp
    return xp.asarray(keys), xp.asarray(probes)


def lookups(b):
    """Bounds and membership, of probes in any order and in order."""
    xp, ours = b.xp, b.ours
    keys, probes = _keys_and_probes(b)
    peer = "numpy" if xp is np else "cupy"
    for order, asked in (("random", probes), ("sorted", xp.sort(probes))):
        for spec in ("auto", "AO+BS"):
            index = warpdex.Index(keys, spec, **ours)
            out = index.lower_bound(asked)
            calls = {
                "warpdex": lambda: index.lower_bound(asked, **ours),
                "warpdex, out": lambda: index.lower_bound(asked, out=out, **ours),
                "warpdex.searchsorted": lambda: warpdex.searchsorted(keys, asked, **ours),
                peer: lambda: xp.searchsorted(keys, asked),
            }
            b.compare(f"lower_bound, {order} probes, {spec}", b.rows, calls, keys=len(keys))
    held = warpdex.Index(keys, "HT(open)", **ours)

    def by_search():
        at = xp.searchsorted(keys, probes)
        return xp.where(keys[xp.minimum(at, len(keys) - 1)] == probes, at, -1)

    b.compare("find, HT(open)", b.rows, {"warpdex": lambda: held.find(probes, **ours), peer: by_search}, keys=len(keys))
    calls = {"warpdex": lambda: held.contains(probes, **ours), peer: lambda: xp.isin(probes, keys)}
    b.compare("contains, HT(open)", b.rows, calls, keys=len(keys))
    if xp is np and (pd := library("pandas")):
        model = pd.Index(keys)
        model.get_indexer(keys[:1])  # makes its table
        calls = {"warpdex": lambda: held.get_indexer(probes), "pandas": lambda: model.get_indexer(probes)}
        b.compare("get_indexer", b.rows, calls, keys=len(keys))
    if xp is not np and library("torch"):
        _of_tensors(b, keys, probes)


def _of_tensors(b, keys, probes):
    """Beside Torch's own isin, searchsorted, bucketize and unique."""
    import torch

    keys, probes = torch.as_tensor(keys, device="cuda"), torch.as_tensor(probes, device="cuda")
    index, tree = warpdex.Index(keys), warpdex.Index(keys, "AO+BS")
    calls = {"warpdex": lambda: index.contains(probes), "torch": lambda: torch.isin(probes, keys)}
    b.compare("contains, tensors", b.rows, calls, keys=len(keys))
    calls = {
        "warpdex": lambda: tree.lower_bound(probes),
        "torch.searchsorted": lambda: torch.searchsorted(keys, probes),
        "torch.bucketize": lambda: torch.bucketize(probes, keys),
    }
    b.compare("lower_bound, tensors", b.rows, calls, keys=len(keys))
    calls = {  # numbers of values: of both, the values themselves are compared
        "warpdex": Call(lambda: warpdex.first_match(probes, probes), lambda rows: probes[rows.long()]),
        "torch.unique": Call(lambda: torch.unique(probes, return_inverse=True), lambda made: made[0][made[1]]),
    }
    b.compare("a number per value, tensors", b.rows, calls)


def columns(b):
    """Pairs and rows of two columns that are sorted, and of two that are not."""
    xp, ours = b.xp, b.ours
    peer = "numpy" if xp is np else "cupy"
    right, left = _keys_and_probes(b, 2)

    def pairs(lefts, rights):
        at = xp.searchsorted(rights, lefts)
        found = xp.flatnonzero(rights[xp.minimum(at, len(rights) - 1)] == lefts)
        return found, at[found]

    def in_order(made):
        order = xp.argsort(made[0])
        return tuple(one[order] for one in made)

    for case, lefts in (("sorted", xp.sort(left)), ("random", left)):
        kinds = {"join_columns": warpdex.join_columns, "hash_join": warpdex.hash_join}
        if case == "sorted":
            kinds["merge_join"] = warpdex.merge_join
        calls = {
            f"warpdex.{name}": Call(lambda join=join: join(lefts, right, **ours), in_order)
            for name, join in kinds.items()
        }
        b.compare(f"{case}, inner", b.rows, {**calls, peer: lambda: pairs(lefts, right)}, right_rows=len(right))
        index = warpdex.Index(right, "AO+BS", **ours)
        calls = {"warpdex, index ready": lambda: index.join_asof(lefts, **ours)}
        if case == "sorted":
            calls["warpdex.asof_merge"] = lambda: warpdex.asof_merge(lefts, right, **ours)
        calls[peer] = lambda: xp.searchsorted(right, lefts, "right") - 1
        b.compare(f"{case}, as-of", b.rows, calls, right_rows=len(right))


def calls(b, times=200):
    """Calls that ask for little, many of them per measurement: what Python, and the start of work on a device, take."""
    xp = b.xp
    keys = xp.arange(0, 2 * b.rows, 2)

    def often(call):
        def run():
            for _ in range(times):
                answer = call()
            return answer

        return run

    for count in (1, 256, 4096):
        probes = xp.asarray(b.random.integers(0, b.rows, count) * 2)
        made = {}
        for spec in ("AO+BS", "auto", "HT(open)"):
            index = warpdex.Index(keys, spec, **b.ours)
            out = index.find(probes)
            made[f"warpdex, {spec}"] = often(lambda index=index: index.find(probes))
            made[f"warpdex, {spec}, out"] = often(lambda index=index, out=out: index.find(probes, out=out))
        made["warpdex.searchsorted"] = often(lambda: warpdex.searchsorted(keys, probes))
        made["numpy" if xp is np else "cupy"] = often(lambda: xp.searchsorted(keys, probes))
        b.compare(f"{count} probes", times, made, keys=len(keys), per_run=times)
    modules = {name: f"import {name}" for name in ("warpdex", "numpy")}
    imports = {
        name: lambda text=text: subprocess.run([sys.executable, "-c", text], check=True).returncode
        for name, text in modules.items()
    }
    b.compare("import", 1, imports)
