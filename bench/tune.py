#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Measures which policy is best for each structure, layout and size on this machine's GPU, without windows,
and writes the tuning table that warpdex reads (docs/performance/index.md, "Tuning"). With --ways it shows instead
how far the engine's choice between windows and none is from the best way. Every answer is checked."""

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile

LAYOUTS = ("SoA", "AoS")
KEY_BITS = {"u32": 32, "u64": 64}

# A policy must be faster by this factor than the ones before it; simpler policies come first. An entry that reorders
# does not serve specs that ask for reorder=none.
MARGIN = 1.02
MARGIN_TO_REORDER = 1.15


def is_compiled(args, spec):
    """Whether this build has what a spec needs (WARPDEX_RESEARCH)."""
    return subprocess.run([args.bin, "info", spec], capture_output=True).returncode == 0


def structures(args):
    """The specs that structures want tuned, each with its layouts and the policies to try."""
    run = subprocess.run([args.bin, "info", "--json"], stdout=subprocess.PIPE, text=True, check=True)
    blocks = is_compiled(args, "AO+BS/reorder=block")
    return {
        t["spec"]: (
            [layout for layout in LAYOUTS if is_compiled(args, f"{t['spec']}/layout={layout}")],
            policies(t["lanes"], s["pins"], blocks),
        )
        for s in json.loads(run.stdout)["structures"]
        for t in s["tuned"]
    }


def policies(lanes, pins, blocks):
    """The policies to try, what the engine chooses by itself first.

    `blocks` tells whether work of blocks other than pins for single lanes is compiled."""
    several = [
        *(f"/threads={t}/probes=4/pin=none/reorder=none" for t in (256, 1024)),
        "/threads=1024/schedule=static/pin=none/reorder=none",
    ]
    sorted_ = [
        *(f"/threads={t}/probes=8/pin=none/reorder=block+restore" for t in (256, 1024)),
        "/threads=1024/probes=8/pin=none/reorder=block",
    ]
    one = [
        *(f"/threads={t}/pin=none/reorder=none" for t in (128, 512, 1024)),
        *(several if pins or blocks else []),
        *(f"/threads=1024/pin={pin}/reorder=none" for pin in ("steps", "full") if pins),
        *(sorted_ if blocks else []),
    ]
    if lanes == 1:
        return ["/reorder=none"] + one
    return (
        ["/reorder=none"]
        + ["/lanes=1" + p for p in one]
        + [f"/lanes={lanes}/threads=256/pin=none/reorder=none"]
        + [f"/lanes={lanes}/threads=1024/pin=steps/reorder=none"] * (pins and blocks)
    )


def bench(args, kind, key_type, n, probes, specs, more=(), environment=None):
    """Returns the lines of one benchmark over all specs; they share keys and probes."""
    command = [args.bin, kind, "--backend", args.backend, "--baselines", "none", "--json"]
    command += ["--n", n, "--probes", probes, "--key-type", key_type, "--repeat", str(args.repeat), *more]
    run = subprocess.run(command + ["--index", ",".join(specs)], stdout=subprocess.PIPE, text=True, env=environment)
    if run.returncode != 0:
        sys.exit(f"tune.py: {' '.join(command)} ended with {run.returncode}")
    return [json.loads(line) for line in run.stdout.splitlines()]


def measure(args, tuned, key_type, n):
    """Returns the lines of all policies of all specs."""
    specs = [s + "/layout=" + l + p for s, (layouts, tried) in tuned.items() for l in layouts for p in tried]
    # Without a table; otherwise the baseline would already use its policies.
    with tempfile.NamedTemporaryFile("w", suffix=".json") as empty:
        empty.write('{"device": "none", "entries": []}')
        empty.flush()
        environment = {**os.environ, "WARPDEX_TUNING": empty.name}
        return bench(args, "point", key_type, n, args.probes, specs, environment=environment)


def best_entries(tuned, lines, key_type, n):
    """One entry for each structure and layout, and its gain over what the engine chooses by itself."""
    rates = {line["name"]: line["rate"] for line in lines}
    for structure, (layouts, choices) in tuned.items():
        for layout in layouts:
            tried = [(p, rates[structure + "/layout=" + layout + p]) for p in choices]
            policy, rate = tried[0]
            for other, other_rate in tried[1:]:
                if other_rate > rate * (MARGIN_TO_REORDER if "reorder=block" in other else MARGIN):
                    policy, rate = other, other_rate
            entry = {"structure": structure, "layout": layout, "key_bits": KEY_BITS[key_type], "n": n}
            yield {**entry, "policy": policy, "rate": round(rate)}, rate / tried[0][1]


def print_ways(args):
    """Prints, for each size of the index and of the batch, what the engine chooses and the ways there are."""
    ways = ("/reorder=window", "/reorder=none")
    structures_asked = args.ways.split(",")
    specs = [s + w for s in structures_asked for w in ("",) + ways]
    sizes = (option.split(",") for option in (args.key_type, args.n, args.probes, args.ops))
    for key_type, n, probes, op in itertools.product(*sizes):
        lines = bench(args, args.kind, key_type, n, probes, specs, ("--ops", op))
        rates = {line["name"]: line["rate"] for line in lines}
        for s in structures_asked:
            chosen, *tried = (rates[s + w] for w in ("",) + ways)
            print(
                f"{key_type} {n:5} {probes:5} {op:12} {s:12} {chosen / 1e9:8.3f} G/s"
                f" {chosen / max(chosen, *tried):5.2f} of the best;"
                f" windows {tried[0] / 1e9:8.3f}, none {tried[1] / 1e9:8.3f}",
                flush=True,
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", nargs="?", help="the table to write, JSON")
    parser.add_argument("--ways", help="specs: print what the engine chooses for them, and all ways; write no table")
    parser.add_argument("--kind", default="point", help="with --ways: the benchmark, point or range")
    parser.add_argument("--ops", default="find", help="with --ways: operations (default %(default)s)")
    parser.add_argument("--bin", default="build/bin/warpdex-bench", help="the benchmark (default %(default)s)")
    parser.add_argument("--n", default="2^16,2^20,2^24,2^28", help="size classes, powers of 2 (default %(default)s)")
    parser.add_argument("--probes", default="2^24", help="probes per batch (default %(default)s)")
    parser.add_argument("--key-type", default="u32", help="u32, u64 or both with a comma (default %(default)s)")
    parser.add_argument("--repeat", type=int, default=3, help="timed runs (default %(default)s)")
    parser.add_argument("--backend", default="cuda", help="cpu is for tests of this script (default %(default)s)")
    args = parser.parse_args()
    if args.ways:
        return print_ways(args)
    if not args.out:
        parser.error("no table to write")

    tuned = structures(args)
    entries, first = [], None
    for key_type in args.key_type.split(","):
        for n in args.n.split(","):
            lines = measure(args, tuned, key_type, n)
            first = first or lines[0]
            for entry, gain in best_entries(tuned, lines, key_type, n):
                entries.append(entry)
                print(
                    f"{key_type} {n:5} {entry['structure'] + '/' + entry['layout']:18} {entry['rate'] / 1e9:7.2f} G/s"
                    f" {gain:5.2f} x  {entry['policy']}",
                    flush=True,
                )
    with open(args.out, "w", encoding="utf-8") as file:
        device = first["gpu"] or first["cpu"]
        file.write(f'{{"device": {json.dumps(device)}, "version": {json.dumps(first["version"])}, "entries": [\n')
        file.write(",\n".join(map(json.dumps, entries)) + "\n]}\n")


if __name__ == "__main__":
    main()
