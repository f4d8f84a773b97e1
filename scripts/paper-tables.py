#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""paper-tables.py RESULTS.jsonl [DOCUMENT]: the lines of `warpdex-bench paper --json` as markdown tables, one per figure
and unit: rows are series, columns what is on the x axis. With DOCUMENT, docs/papers/NNN.md, the tables of that paper,
which are between `<!-- table FIGURE UNIT -->` and `<!-- end -->`, are replaced, else all tables are printed. If a cell
was measured more than once, the last time counts. The unit `x tree` divides the rate by that of absl::btree_map on one
thread."""
import json
import pathlib
import re
import sys

TREE = "absl::btree_map (1 threads)"

UNITS = {
    "s": lambda line: line["median_s"],
    "s of layout": lambda line: line["build_layout_s"],
    "ms": lambda line: line["median_s"] * 1e3,
    "joins/s": lambda line: 1 / line["median_s"],
    "G/s": lambda line: line["rate"] / 1e9,
    "M/s": lambda line: line["rate"] / 1e6,
    "1/s per byte": lambda line: line["rate_per_byte"],
    "predicted ms": lambda line: line["predicted_s"] * 1e3,
    "GB": lambda line: line["index_bytes"] / 1e9,
    "MB beyond pairs": lambda line: line["auxiliary_bytes"] / 1e6,
    "triangles per key": lambda line: line["triangles"] / line["n"],
    "rays per lookup": lambda line: line["rays"],
    "wrong hits": lambda line: line["wrong_hits"],
    "rays ms": lambda line: line["rays_s"] * 1e3,
    "sort ms": lambda line: line["build_sort_s"] * 1e3,
    "layout ms": lambda line: line["build_layout_s"] * 1e3,
    "boxes ms": lambda line: line["build_boxes_s"] * 1e3,
    "compaction ms": lambda line: line["build_compaction_s"] * 1e3,
    "x tree": lambda line: line["rate"] / line["tree_rate"],
    "lookup ms": lambda line: line["lookup_s"] * 1e3,
    "rebuild ms": lambda line: line["rebuild_s"] * 1e3,
    "lookups/s per byte": lambda line: line["lookup_rate"] / line["index_bytes"],
    "G searches/s": lambda line: line["match_rate"] / 1e9,
    "G ids/s": lambda line: line["hits"] * line["probes"] / line["median_s"] / 1e9,
    "bytes per triangle": lambda line: line["index_bytes"] / line["n"],
    "ps per hit": lambda line: line["median_s"] * 1e12 / (line["hits"] * line["probes"]),
}
UNITS_OF = {  # ms alone by default
    "000": {"1a": ["G/s"], "1b": ["G/s"], "20": ["G/s", "1/s per byte"], "21": ["ms", "GB"]},
    "001": {
        "II": ["s", "s of layout", "MB beyond pairs", "GB"],
        **{keys: ["x tree", "G/s"] for keys in ("gaps", "wiki", "outlier", "osm")},
        "eps": ["ms", "MB beyond pairs"],
        "model": ["ms", "predicted ms"],
    },
    "002": {"3": ["joins/s"], "5": ["joins/s"], "7": ["joins/s"], "8": ["joins/s"], "9": ["joins/s"]},
    "003": {
        "rays": ["G/s", "bytes per triangle"],
        "8a": ["ms", "MB beyond pairs"],
        "8b": ["ms", "MB beyond pairs", "triangles per key", "rays per lookup"],
        "10a": ["ms", "MB beyond pairs"],
        "11": ["GB", "ms", "1/s per byte"],
        "11u64": ["GB", "ms", "1/s per byte"],
        "12": ["ps per hit", "1/s per byte"],
        "13": ["ms", "1/s per byte"],
        "14": ["ms", "1/s per byte"],
        "15": ["ms", "rebuild ms", "lookup ms", "lookups/s per byte"],
    },
    "004": {
        **{builds: ["ms", "GB"] for builds in ("2a", "2b")},
        **{lookups: ["G/s", "GB"] for lookups in ("3a", "3dense", "4", "6c")},
        **{lookups: ["G/s"] for lookups in ("3b", "6b")},
        "6a": ["M/s"],
        "3c": ["G searches/s"],
        "5": ["G ids/s", "ms"],
        "F": ["ms"],
    },
}


def read(path):
    """(paper, figure) -> series -> x -> line"""
    figures = {}
    for line in map(json.loads, open(path)):
        if line["kind"] == "limit" and line["bench"] not in ("loads", "rays"):
            continue  # of the machine, in other units
        series = line["series"] + (f' ({line["threads"]} threads)' if line["threads"] else "")
        figures.setdefault((line["paper"], line["figure"]), {}).setdefault(series, {})[line["x"]] = line
    for series in figures.values():
        for tree in series.get(TREE, {}).values():
            for line in (line for cells in series.values() for line in cells.values()):
                line["tree_rate"] = tree["rate"]
    return figures


def cell(unit, line):
    """empty for a line that does not have the unit"""
    try:
        return f"{UNITS[unit](line):.4g}"
    except (KeyError, TypeError):  # TypeError: there is no line
        return ""


def table(series, unit):
    columns = list(dict.fromkeys(x for cells in series.values() for x in cells if x is not None))
    rows = [[unit, *columns], ["---"] * (len(columns) + 1)]
    for name, cells in series.items():
        # A series without x, such as a baseline, has the same value at every x.
        lines = [cells.get(x, cells.get(None)) for x in columns]
        texts = [cell(unit, line) for line in lines]
        if any(texts):
            rows.append([f"`{name}`", *texts])
    return "".join("| " + " | ".join(row) + " |\n" for row in rows)


def main(results, document=None):
    figures = read(results)
    tables = {
        (paper, f"{figure} {unit}"): table(series, unit)
        for (paper, figure), series in figures.items()
        for unit in UNITS_OF[paper].get(figure, ["ms"])
    }
    if document is None:
        for (paper, name), text in tables.items():
            print(f"Paper {paper}, figure {name}\n\n{text}")
        return
    text = open(document).read()
    for (paper, name), new in tables.items():
        if paper != pathlib.Path(document).stem:
            continue
        mark = f"<!-- table {name} -->\n"
        if mark not in text:
            sys.exit(f"{document}: no place for a table: {mark.strip()}")
        text = re.sub(f"({re.escape(mark)}).*?(<!-- end -->)", lambda m: m[1] + new + m[2], text, flags=re.S)
    open(document, "w").write(text)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
