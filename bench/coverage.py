#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""coverage.py PAPER: the cells that docs/papers/PAPER.yaml describes and bench/results does not have, and why.

`not_measured` of a .yaml is a list of groups of them. A group has `figures`, names with blanks between them, and may
have `series` and `x`, regular expressions of names, or `units`, of figures that have no cell in these. `why` says what
stands in the way, and `status` is `open` (to be run), `omitted` (not worth what it takes) or `impossible` (not on this
machine). The status of cells that are there is `smaller`, of fewer keys or probes than the paper's, or `old`, of code
that has become another.

Each missing cell needs a group, and each group a cell. Pages have the groups after `<!-- missing -->`, and
docs/papers/index.md has after `<!-- statuses -->` how many cells are of which status: `results.py write` makes both."""

import collections
import re
import sys

import figures
import results

THERE = {"smaller": "smaller", "old": "out of date"}
STATUSES = THERE | {"open": "to be run", "omitted": "omitted", "impossible": "not possible"}
Cell = collections.namedtuple("Cell", "figure series x there")


def main_unit(data, name):
    return figures.figure_of(data, name)["units"][0]


def cells_of(paper, data, name):
    """The cells of a figure in its main unit. A series without x, and one by waves, is one cell."""
    there = {}
    for row, cells in results.load(paper).get((name, main_unit(data, name)), {}).items():
        there.setdefault(re.sub(r" \(\d+ threads\)$", "", row), set()).update(cells)
    found = {}
    for command in figures.commands_of(data, data["figures"][name].get("lines_of", name), 0):
        for _, series, x in command["cells"]:
            whole = x is None or command["bench"] == "update"
            found[series, x or ""] = bool(there.get(series)) if whole else x in there.get(series, ())
    return [Cell(name, series, x, has) for (series, x), has in found.items()]


def empty_tables(paper, data):
    """Those of other units where the main one has a table, as cells whose series is the unit."""
    there = results.load(paper)
    for name in data["figures"]:
        for unit in figures.figure_of(data, name)["units"] if (name, main_unit(data, name)) in there else ():
            if (name, unit) not in there:
                yield Cell(name, unit, "", False)


def is_in(cell, group):
    there = group["status"] in THERE
    return cell.there == there and figures.is_in(group, cell.figure, cell.series, cell.x)


class Coverage:
    """The cells of a paper, those of each group, and what is wrong with the groups."""

    def __init__(self, paper):
        data = figures.described(paper)
        self.figures = list(data["figures"])
        self.measured = [name for name in self.figures if (name, main_unit(data, name)) in results.load(paper)]
        self.cells = [cell for name in self.figures for cell in cells_of(paper, data, name)]
        self.groups = [(group, []) for group in data.get("not_measured", [])]
        self.problems = []
        if wrong := {group["status"] for group, _ in self.groups} - set(STATUSES):
            raise SystemExit(f"{paper}.yaml: there is no status {', '.join(wrong)}")
        for cell in self.cells:
            self.add(cell, lambda group: "units" not in group)
        for table in empty_tables(paper, data):
            self.add(table, lambda group, unit=table.series: unit in group.get("units", ()))
        for group, cells in self.groups:
            if not cells:
                self.problems.append(f"figures {group['figures']}: nothing is missing that is {group['why']}")

    def add(self, cell, wanted):
        own = next((cells for group, cells in self.groups if wanted(group) and is_in(cell, group)), None)
        if own is not None:
            own.append(cell)
        elif not cell.there:
            self.problems.append(
                f"figure {cell.figure} has no cell {cell.series} {cell.x}".rstrip() + ", and no reason"
            )

    def count(self, status):
        return sum(len(own) for group, own in self.groups if group["status"] == status and "units" not in group)


def groups_of(paper):
    """A table of the groups, for the page of the paper."""
    lines = ["| figure | cells | which | status, and why |\n", "|---|---|---|---|\n"]
    for group, cells in Coverage(paper).groups:
        tables = "units" in group
        names = [of if tables else f"`{of}`" for of in dict.fromkeys(cell.series for cell in cells)]
        which = ", ".join(names if len(names) <= 4 else [*names[:2], f"and {len(names) - 2} other series"])
        texts = [
            ", ".join(str(group["figures"]).split()),
            "all" if tables else str(len(cells)),
            which,
            f"{STATUSES[group['status']]}: {group['why']}",
        ]
        lines.append(results.line_of(texts))
    return "".join(lines)


def statuses():
    """A table of how many cells of each paper are of which status."""
    heads = ["paper", "figures", "of these measured", "cells", "measured"]
    heads += [f"of these {name}" if key in THERE else name for key, name in STATUSES.items()]
    lines = [results.line_of(heads), "|" + "---|" * len(heads) + "\n"]
    for path in sorted(figures.PAPERS.glob("*.yaml")):
        of = Coverage(path.stem)
        counts = [len(of.figures), len(of.measured), len(of.cells), sum(cell.there for cell in of.cells)]
        counts += map(of.count, STATUSES)
        lines.append(results.line_of([f"[{path.stem}]({path.stem}.md)", *map(str, counts)]))
    return "".join(lines)


def main(arguments):
    of = Coverage(arguments[0])
    for group, cells in of.groups:
        print(f"{STATUSES[group['status']]}: {group['why']}")
        for cell in cells:
            print(f"  {cell.figure}: {cell.series} {cell.x}")
    sys.exit("\n".join(of.problems) or None)


if __name__ == "__main__":
    main(sys.argv[1:])
