# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Lookups and joins of columns compared with NumPy, pandas, CuPy and Torch, and the time of calls of few probes."""

import subprocess
import sys
from functools import partial

import numpy as np
import warpdex
from shared import Call, library

CODES = ("compressed", "plain")


def _keys_and_probes(b, share=4):
    """Unique keys in order, and probes of which half are keys; there are `share` times as many keys."""
    keys = np.unique(b.random.integers(0, 1 << 60, share * b.rows)) * 2
    probes = b.random.choice(keys, b.rows) + b.random.integers(0, 2, b.rows)
    return b.xp.asarray(keys), b.xp.asarray(probes)


def lookups(b):
    """Bounds and membership, of probes in any order and in order."""
    xp, ours = b.xp, b.ours
    keys, probes = _keys_and_probes(b)
    compare = partial(b.compare, keys=len(keys))
    for order, query in (("random", probes), ("sorted", xp.sort(probes))):
        for spec in ("auto", "AO+BS"):
            index = warpdex.Index(keys, spec, **ours)
            out = index.lower_bound(query)
            calls = {
                "warpdex": lambda: index.lower_bound(query, **ours),
                "warpdex, out": lambda: index.lower_bound(query, out=out, **ours),
                "warpdex.searchsorted": lambda: warpdex.searchsorted(keys, query, **ours),
                b.peer: lambda: xp.searchsorted(keys, query),
            }
            compare(f"lower_bound, {order} probes, {spec}", calls)
    held = warpdex.Index(keys, "HT(open)", **ours)

    def by_search():
        at = xp.searchsorted(keys, probes)
        return xp.where(keys[xp.minimum(at, len(keys) - 1)] == probes, at, -1)

    compare("find, HT(open)", partial(held.find, probes, **ours), by_search)
    compare("contains, HT(open)", partial(held.contains, probes, **ours), lambda: xp.isin(probes, keys))
    if xp is np and (pd := library("pandas")):
        model = pd.Index(keys)
        model.get_indexer(keys[:1])  # makes its table
        compare(
            "get_indexer", {"warpdex": lambda: held.get_indexer(probes), "pandas": lambda: model.get_indexer(probes)}
        )
    if xp is not np and library("torch"):
        _of_tensors(compare, keys, probes)


def sets(b):
    """Membership in four random keys per probe, half of which are keys, in sets and in indexes with row ids."""
    xp, ours = b.xp, b.ours
    keys = np.unique(b.random.integers(0, 1 << 64, 4 * b.rows, dtype=np.uint64))
    probes = b.random.choice(keys, b.rows) + b.random.integers(0, 2, b.rows, dtype=np.uint64)
    ordered, query = xp.asarray(keys), xp.asarray(probes)
    held = {f"set, {code}": warpdex.Set(b.random.permutation(keys), code=code, device=b.device) for code in CODES}
    held |= {spec: warpdex.Index(ordered, spec, **ours) for spec in ("AO+BS", "HT(open)")}
    for order, wanted in (("random", query), ("sorted", xp.sort(query))):
        calls = {f"warpdex, {name}": partial(of.contains, wanted, **ours) for name, of in held.items()}
        calls[b.peer] = lambda: ordered[xp.minimum(xp.searchsorted(ordered, wanted), len(keys) - 1)] == wanted
        sizes = {name: of.nbytes / len(keys) for name, of in held.items()}
        b.compare(f"contains, {order} probes", calls, keys=len(keys), bytes_per_key=sizes)


def _of_tensors(compare, keys, probes):
    """Compared with Torch's isin, searchsorted, bucketize and unique."""
    import torch

    keys, probes = torch.as_tensor(keys, device="cuda"), torch.as_tensor(probes, device="cuda")
    index, tree = warpdex.Index(keys), warpdex.Index(keys, "AO+BS")
    calls = {"warpdex": lambda: index.contains(probes), "torch": lambda: torch.isin(probes, keys)}
    compare("contains, tensors", calls)
    calls = {
        "warpdex": lambda: tree.lower_bound(probes),
        "torch.searchsorted": lambda: torch.searchsorted(keys, probes),
        "torch.bucketize": lambda: torch.bucketize(probes, keys),
    }
    compare("lower_bound, tensors", calls)
    calls = {  # numbers of values: of both, the values themselves are compared
        "warpdex": Call(lambda: warpdex.joins.first_match(probes, probes), lambda rows: probes[rows.long()]),
        "torch.unique": Call(lambda: torch.unique(probes, return_inverse=True), lambda result: result[0][result[1]]),
    }
    compare("a number per value, tensors", calls)


def columns(b):
    """Pairs and rows of two columns that are sorted, and of two that are not."""
    xp, ours = b.xp, b.ours
    right, left = _keys_and_probes(b, 2)
    compare = partial(b.compare, right_rows=len(right))

    def pairs(lefts, rights):
        at = xp.searchsorted(rights, lefts)
        found = xp.flatnonzero(rights[xp.minimum(at, len(rights) - 1)] == lefts)
        return found, at[found]

    def in_order(result):
        order = xp.argsort(result[0])
        return tuple(one[order] for one in result)

    for case, lefts in (("sorted", xp.sort(left)), ("random", left)):
        kinds = [
            warpdex.joins.join_columns,
            warpdex.joins.hash_join,
            *([warpdex.joins.merge_join] if case == "sorted" else []),
        ]
        calls = {f"warpdex.{join.__name__}": Call(partial(join, lefts, right, **ours), in_order) for join in kinds}
        compare(f"{case}, inner", {**calls, b.peer: lambda: pairs(lefts, right)})
        index = warpdex.Index(right, "AO+BS", **ours)
        calls = {"warpdex, index ready": lambda: index.join_asof(lefts, **ours)}
        if case == "sorted":
            calls["warpdex.joins.asof_merge"] = lambda: warpdex.joins.asof_merge(lefts, right, **ours)
        compare(f"{case}, as-of", {**calls, b.peer: lambda: xp.searchsorted(right, lefts, "right") - 1})


def calls(b, times=200):
    """Calls of few probes, many of them per measurement: what Python, and the start of work on a device, take."""
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
        result = {}
        for spec in ("AO+BS", "auto", "HT(open)"):
            index = warpdex.Index(keys, spec, **b.ours)
            out = index.find(probes)
            result[f"warpdex, {spec}"] = often(lambda index=index: index.find(probes))
            result[f"warpdex, {spec}, out"] = often(lambda index=index, out=out: index.find(probes, out=out))
        result["warpdex.searchsorted"] = often(lambda: warpdex.searchsorted(keys, probes))
        result[b.peer] = often(lambda: xp.searchsorted(keys, probes))
        b.compare(f"{count} probes", result, rows=times, keys=len(keys), per_run=times)
    start = partial(subprocess.run, check=True)
    commands = {name: [sys.executable, "-c", f"import {name}"] for name in ("warpdex", "numpy")}
    imports = {name: Call(partial(start, command), lambda done: done.returncode) for name, command in commands.items()}
    b.compare("import", imports, rows=1)
