#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the Python package with other libraries, in lines of JSON: see docs/reference/benchmark.md. Each case compares
all answers before it prints a time. What is not installed is left out, and a line says so.

    python bench/python asof --rows 2e6 --only strings
    python bench/python scaling --rows 2e7 --cores 1,2,4,8"""

import argparse
import importlib
import os
import sys

# Subcommand: module, function, rows by default, and what it measures.
SUBCOMMANDS = {
    "asof": ("frames", "asof", 1 << 22, "as-of joins of frames, or of CuPy's arrays"),
    "joins": ("frames", "joins", 1 << 22, "joins of frames on equal keys, or of CuPy's arrays; gathers"),
    "window": ("frames", "window", 10**6, "windows, joins between bounds, points in time"),
    "duckdb": ("frames", "in_database", 1 << 22, "an index inside DuckDB"),
    "lookups": ("lookups", "lookups", 1 << 22, "lookups, compared with NumPy, pandas, CuPy and Torch"),
    "sets": ("lookups", "sets", 1 << 22, "membership in sets of keys, and their bytes"),
    "columns": ("lookups", "columns", 1 << 22, "joins of two columns, sorted and not"),
    "calls": ("lookups", "calls", 1 << 20, "seconds per call of few probes, and of an import"),
    "intervals": ("questions", "intervals", 1 << 20, "intervals, compared with ncls, bioframe and polars-bio"),
    "networks": ("questions", "networks", 1 << 22, "networks of IP addresses, and their text"),
    "rows": ("rows", "rows", 1 << 20, "whole rows of a table in page-locked memory of the host, of 256 bytes each"),
    "front": ("front", "front", 10**6, "the questions of README.md, in processor time"),
    "ray": ("datasets", "datasets", 1 << 22, "joins of Datasets of Ray, compared with one process and Dataset.join"),
    "scaling": ("scaling", "scaling", 2 * 10**7, "all public calls on 1, 2, 4, ... cores"),
}


def number(text):
    """A whole number, also as a power or with an exponent: 2^20, 2e7."""
    base, power, exponent = text.partition("^")
    return int(base) ** int(exponent) if power else int(float(text))


def parsed():
    parser = argparse.ArgumentParser(
        prog="bench/python", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="subcommand", required=True, metavar="SUBCOMMAND", title="Subcommands")
    for name, (_, _, rows, text) in SUBCOMMANDS.items():
        command = commands.add_parser(name, help=text, description=text[0].upper() + text[1:])
        command.add_argument("--rows", type=number, default=rows, help="rows of a side (default %(default)s)")
        command.add_argument("--only", nargs="*", default=[], help="measure cases with one of these words alone")
        command.add_argument("--repeat", type=int, default=5, help="timed calls (default %(default)s)")
        command.add_argument("--threads", type=int, default=0, help="threads of warpdex's calls; 0: all cores")
        command.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="where the arrays are")
        command.add_argument("--seed", type=int, default=1)
        if name == "networks":
            command.add_argument("--specs", nargs="*", help="of their indexes (default auto(ranges))")
        if name == "rows":
            command.add_argument(
                "--table", type=number, default=1 << 27, help="rows of the table (default %(default)s)"
            )
        if name == "scaling":
            command.add_argument("--cores", default="1,2,4,8,16,32", help="numbers of cores (default %(default)s)")
            command.add_argument("--expected", help=argparse.SUPPRESS)  # answers of the first of its processes
    return parser.parse_args()


def main():
    options = parsed()
    if options.subcommand == "scaling" and options.expected is None:
        return importlib.import_module("scaling").all_cores(options)
    if options.threads:
        cores = sorted(os.sched_getaffinity(0))[: options.threads]
        os.sched_setaffinity(0, cores)  # before other libraries count them
    import shared

    module, function, _, _ = SUBCOMMANDS[options.subcommand]
    try:
        given = [options.expected] if options.subcommand == "scaling" else []
        getattr(importlib.import_module(module), function)(bench := shared.Bench(options), *given)
    except ModuleNotFoundError as missing:
        shared.emit(bench=options.subcommand, skipped=f"there is no {missing.name}")
        return 0
    return 0 if bench.cases else f"no case has one of {options.only}"


if __name__ == "__main__":
    sys.exit(main())
