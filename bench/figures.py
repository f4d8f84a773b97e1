#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The figures of papers, which docs/papers/NNN.yaml describes, and tables of what warpdex-bench prints.

    figures.py run PAPER FIGURE[,FIGURE...]|all [--scale S] [--out lines.jsonl] [--lacking] [--series REGEX]
                   [--seconds S] [--total S] [OPTION...] >>lines.jsonl
    figures.py tables lines.jsonl
    figures.py keep lines.jsonl
    figures.py missing lines.jsonl PAPER
    figures.py compare before.jsonl after.jsonl

`run` runs figures by warpdex-bench, with further options of it, and adds to each line its place in the figure and the
commit. With --out it appends the lines to a file, and leaves out the cells that the file has at this scale; with
--lacking also those that bench/results has. --series names those to run by a regular expression. A figure ends after
--seconds, and all of them after --total; a command that takes longer is ended, and its last lines are kept. Standard
error tells what was left out, and why. `tables` prints markdown, one table per figure and unit: rows are series,
columns what is on the x axis. If a cell was measured more than once, the last time counts. Lines without a figure get a
table per benchmark. `keep` puts the cells into bench/results/PAPER.jsonl, of which results.py makes the tables of pages
and the site its charts. `missing` tells which cells of a paper were not measured, and where, of which commit and how
much smaller the others were. `compare` divides rates by those of an earlier file.

A figure is a dictionary over `defaults`. Its `runs` are over the figure. Each becomes one command per combination of
the values in `for`; a value that is a dictionary sets several variables. Texts are f-strings over the variables. Those
in `scaled` are exponents of 2 that --scale makes smaller. `cells` are what one command measures: a spec, its series
and its x, for combinations of their own, or the contenders of a name. A `baseline` has another series than its name. A
figure with `lines_of` has the lines of another one, in other units. `paper` has the numbers of the paper by unit,
series and x.
"""

import argparse
import contextlib
import itertools
import json
import pathlib
import re
import shutil
import subprocess
import sys
import time

import results
import yaml

ROOT = pathlib.Path(__file__).parent.parent
PAPERS = ROOT / "docs" / "papers"
TREE = "absl::btree_map (1 threads)"

UNITS = {
    "s": lambda line: line["median_s"],
    "s of layout": lambda line: line["build_layout_s"],
    "s of move": lambda line: line["build_move_s"],
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
    "G ids/s": lambda line: line["entry_rate"] / 1e9,
    "inner nodes": lambda line: line["inner_nodes"],
    "ns per line": lambda line: line["median_s"] * 1e9 / line["work"],
    "selectivity %": lambda line: 100 * line["pairs"] / line["n"],
    "bytes of R / bytes probed": lambda line: line["right_bytes"] / line["probed_bytes"],
    "tests per ray": lambda line: line["tested"],
    "bytes per triangle": lambda line: line["index_bytes"] / line["n"],
    "ps per hit": lambda line: line["median_s"] * 1e12 / (line["hits"] * line["probes"]),
}

MACHINE = ("loads", "rays", "refit", "lines")  # benchmarks without specs
OUT_OF_TIME = 124  # the exit code of a command that was ended

# Options of warpdex-bench by their names in figures, and of which benchmarks.
OPTIONS = {
    "probes": "point range update join loads rays refit lines",
    "moved": "refit",
    "keys": "point range build update",
    "uniformity": "point range build update",
    "key_type": "point range build update join",
    "hits": "range join",
    "length": "range",
    "hit_rate": "point join",
    "miss": "point",
    "zipf": "point join",
    "order": "point range",
    "op": "point range",
    "place": "point build lines",
    "move": "build",
    "scenes": "point",
    "assign": "update",
    "right": "join",
    "part_probes": "join",
    "threads": "point range build update join loads rays refit lines",
    "baselines": "point range build update join",
}


def described(paper):
    path = PAPERS / f"{paper}.yaml"
    if not path.exists():
        sys.exit(
            f"figures.py: there is no {path}; papers are {', '.join(p.stem for p in sorted(PAPERS.glob('*.yaml')))}"
        )
    return yaml.safe_load(path.read_text())


def figure_of(data, name):
    if name not in data["figures"]:
        sys.exit(f"figures.py: there is no figure {name}; figures are {', '.join(data['figures'])} and all")
    figure = {**data["defaults"], **data["figures"][name]}
    figure["with"] = {**data["defaults"]["with"], **figure["with"]}
    figure["scaled"] = data["scaled"] + data["figures"][name].get("scaled", [])
    return figure


def filled(text, variables):
    return eval(f'f"""{text}"""', {}, variables) if isinstance(text, str) else text


def combinations(loops, variables, scaled, scale):
    """All variables, for each combination of the values of loops."""

    def bound(name, value):
        values = value if isinstance(value, dict) else {name: value}
        return {k: max(0, v - scale) if k in scaled else v for k, v in values.items()}

    found = []
    for values in itertools.product(*([bound(name, v) for v in of] for name, of in loops.items())):
        combined = dict(variables)
        for value in values:
            combined |= value
        if combined not in found:  # sizes that are no longer different
            found.append(combined)
    return found


def contenders_of(data, name):
    """Series and specs: a dictionary, or a list of specs that are their own series, and of such dictionaries."""
    listed = data["contenders"][name]
    parts = (
        [listed] if isinstance(listed, dict) else [part if isinstance(part, dict) else {part: part} for part in listed]
    )
    return [(series, spec) for part in parts for series, spec in part.items() if spec is not None]


def cells_of(data, run, variables, scale):
    """What a command measures: (spec, series, x)."""
    default = [{"contenders": run["contenders"]}] if "contenders" in run else []
    for item in run.get("cells", default):
        for own in combinations(item.get("for", {}), variables, run["scaled"], scale):
            of = contenders_of(data, item["contenders"]) if "contenders" in item else [(None, None)]
            for series, spec in of:
                names = own | {"series": series, "spec": spec}
                place = [filled(item.get(k, f"{{{k}}}"), names) for k in ("spec", "series")]
                yield *place, filled(item.get("x", run.get("x")), names)


def commands_of(data, name, scale):
    """The commands of a figure: dictionaries of the benchmark, its options, x and cells."""
    figure = figure_of(data, name)
    for part in [] if "lines_of" in figure else figure.get("runs", [{}]):
        run = {**figure, **part}
        own = {
            k: max(0, v - scale) if k in run["scaled"] else v
            for k, v in (figure["with"] | part.get("with", {})).items()
        }
        loops = figure.get("for", {}) | part.get("for", {})
        for variables in combinations(loops, own, run["scaled"], scale):
            n = filled(run["n"], variables)
            options = {"n": n >> scale if isinstance(n, int) else n}
            options |= {
                k: filled(run[k], variables) for k, of in OPTIONS.items() if k in run and run["bench"] in of.split()
            }
            yield {
                "bench": run["bench"],
                "options": options,
                "cpu": run.get("backend") == "cpu",
                "x": filled(run.get("x"), variables),
                "baseline": lambda series, run=run, of=variables: filled(
                    run.get("baseline", "{series}"), of | {"series": series}
                ),
                "cells": list(cells_of(data, run, variables, scale)),
            }


def tell(what, of, done):
    """Says what is not measured, and the program's reason, which is the last line of JSON or of text."""
    last = (done.stderr.strip().splitlines() or [""])[-1]
    why = json.loads(last)["error"].splitlines()[0] if last.startswith('{"error"') else last
    print(f"figures.py: {what}: {of}: {why}", file=sys.stderr)


class Bench:
    """The program, and which specs it can run."""

    def __init__(self, program, backend, more):
        self.program, self.backend, self.more = program, backend, more
        self.known = {}
        self.end = float("inf")  # of the time for the commands, on the monotonic clock

    def lines(self, command):
        """The lines of a command, without the specs that this build or machine lacks; none if it does not fit."""
        specs = list(dict.fromkeys(spec for spec, _, _ in command["cells"]))
        has_specs = command["bench"] not in MACHINE
        if has_specs:
            command["options"]["index"] = ",".join(specs) or "none"
        done = self.run(command)
        if done.returncode in (1, 2, 3) and has_specs:
            kept = [spec for spec in specs if self.knows(spec, command)]
            if kept and kept != specs:
                command["options"]["index"] = ",".join(kept)
                done = self.run(command)
        if done.returncode != 0:
            tell("skipped", ", ".join(specs) or command["bench"], done)
            if done.returncode not in (1, 2, 3, OUT_OF_TIME):
                sys.exit(done.returncode)
            if done.returncode != OUT_OF_TIME:
                return []
        return [json.loads(line) for line in done.stdout.splitlines(True) if line.endswith("\n")]

    def knows(self, spec, command):
        kind = command["options"].get("key_type", "u32")
        few = {"n": 1, "probes": 1, "key_type": kind, "baselines": "none", "index": spec}
        if command["options"].get("keys") in ("words", "tuples", "urls"):
            few |= {"keys": "words", "key_type": "bytes"}
        key = (spec, few["key_type"], command["cpu"])
        if key not in self.known:
            done = self.run({"bench": "point", "options": few, "cpu": command["cpu"]})
            self.known[key] = done.returncode == 0
            if done.returncode != 0:
                tell("left out", spec, done)
        return self.known[key]

    def run(self, command):
        on_cpu = command["cpu"] or self.backend == "cpu"
        words = [self.program, command["bench"], "--json", "--backend", "cpu" if on_cpu else self.backend]
        for name, value in ({"baselines": "gpu"} | self.more | command["options"]).items():
            if name == "place" and on_cpu:
                continue
            if name == "right" and on_cpu and value == "host":
                value = "sorted"
            option = "--ops" if name == "op" else "--" + name.replace("_", "-")
            if value is not False:
                words += [option] if value is True else [option, str(value)]
        try:
            left = None if self.end == float("inf") else max(0.0, self.end - time.monotonic())
            return subprocess.run(words, capture_output=True, text=True, timeout=left)
        except subprocess.TimeoutExpired as ended:
            text = (ended.stdout or b"").decode()
            return subprocess.CompletedProcess(words, OUT_OF_TIME, text, "out of time")


def placed(line, command):
    """A baseline is a separate series. Its x is null if each cell has another one. Waves are the x of updates."""
    cell = next((c for c in command["cells"] if c[0] == line["name"]), None)
    x = cell[2] if cell else command["x"]
    return {
        "series": cell[1] if cell else command["baseline"](line["name"]),
        "x": str(line["wave"]) if "wave" in line else x,
    }


class Done:
    """The cells of a paper, by figure, series and x, that need no run: of a file of lines, and of bench/results."""

    def __init__(self, data, args):
        self.places = set()
        if args.out and args.out.exists():
            for line in map(json.loads, args.out.read_text().splitlines()):
                if line.get("paper") == args.paper and line.get("scale") == args.scale:
                    self.places.add((line["figure"], line["series"], line["x"]))
        for (name, _), table in results.load(args.paper).items() if args.lacking else ():
            figure = data["figures"].get(name, {}).get("lines_of", name)
            for series, cells in table.items():
                own = re.sub(r" \(\d+ threads\)$", "", series)
                self.places |= {(figure, own, x) for x in cells}
        self.series = {place[:2] for place in self.places}

    def has(self, name, command, series, x):
        # Waves have an x each, and a series without x the same value at each.
        anywhere = command["bench"] == "update" or x is None
        return (name, series) in self.series if anywhere else (name, series, x) in self.places


def remaining(name, command, done, wanted):
    """The command without the cells that are done or not wanted; None if nothing is left."""
    if not command["cells"]:  # a command of baselines alone
        there = any((figure, x) == (name, command["x"]) for figure, _, x in done.places)
        return None if there or wanted.pattern else command
    cells = [c for c in command["cells"] if wanted.search(c[1]) and not done.has(name, command, c[1], c[2])]
    known = command["options"] | ({"baselines": "none"} if len(cells) < len(command["cells"]) else {})
    return {**command, "cells": cells, "options": known} if cells else None


def run(args):
    data = described(args.paper)
    if shutil.which(args.bin) is None:
        sys.exit(f"figures.py: --bin is {args.bin}, which is no program; `make build` builds the benchmark")
    commit = subprocess.run(
        ["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True
    ).stdout.strip()
    more = {option.removeprefix("--"): value for option, value in zip(args.options[::2], args.options[1::2])}
    bench = Bench(args.bin, args.backend, more)
    names = [name for part in args.figure.split(",") for name in (data["figures"] if part == "all" else [part])]
    for name in names:
        figure_of(data, name)
    done, wanted, start = Done(data, args), re.compile(args.series), time.monotonic()
    with open(args.out, "a") if args.out else contextlib.nullcontext(sys.stdout) as out:
        for name in names:
            own = {"paper": args.paper, "figure": name, "scale": args.scale, "commit": commit or None}
            bench.end = min(start + args.total, time.monotonic() + args.seconds)
            cells, left, late = 0, 0, []
            for whole in commands_of(data, name, args.scale):
                command = remaining(name, whole, done, wanted)
                cells += len(whole["cells"])
                left += len(command["cells"]) if command else 0
                if command and time.monotonic() >= bench.end:
                    late += [f"{series} at {x}" if x else series for _, series, x in command["cells"]]
                elif command:
                    for line in bench.lines(command):
                        print(json.dumps(line | own | placed(line, command)), file=out, flush=True)
            if left < cells:
                print(
                    f"figures.py: {name}: {cells - left} of {cells} cells are there or not asked for", file=sys.stderr
                )
            if late:
                print(f"figures.py: {name}: out of time: {', '.join(late)}", file=sys.stderr)


def read(path):
    """(paper, figure) -> series -> x -> line; for lines without a figure (None, what they measure) -> name -> x"""
    figures = {}
    for line in map(json.loads, open(path)):
        if line["kind"] == "limit" and line["bench"] not in MACHINE:
            continue  # of the machine, in other units
        series = line.get("series", line["name"]) + (f" ({line['threads']} threads)" if line["threads"] else "")
        what = " ".join(
            str(line[k]) for k in ("bench", "op", "keys", "key_type", "place", "probes") if line.get(k) is not None
        )
        key = (line["paper"], line["figure"]) if "figure" in line else (None, what)
        x = line["x"] if "x" in line else str(line.get("wave", f"n = {line['n']}"))
        figures.setdefault(key, {}).setdefault(series, {})[x] = line
    for series in figures.values():
        for tree in series.get(TREE, {}).values():
            for line in (line for cells in series.values() for line in cells.values()):
                line["tree_rate"] = tree["rate"]
    return figures


def value(unit, line):
    """None for a line that does not have the unit"""
    try:
        return UNITS[unit](line)
    except (KeyError, TypeError):  # TypeError: there is no line
        return None


def columns_of(series):
    return list(dict.fromkeys(x for cells in series.values() for x in cells if x is not None))


def cells_in(series, unit):
    """series -> x -> cell as in bench/results. A series without x, such as a baseline, has the same at every x."""
    rows = {}
    for name, lines in series.items():
        for x in columns_of(series):
            line = lines.get(x, lines.get(None))
            number = value(unit, line)
            if number is not None:
                rows.setdefault(name, {})[x] = {"value": float(f"{number:.6g}")} | facts_of(line)
    return rows


def facts_of(line):
    runtime, _, driver = (line.get("cuda") or "").partition(", driver ")
    facts = {"repetitions": line.get("repeat"), "card": line.get("gpu"), "driver": driver, "cuda": runtime}
    facts |= {name: line.get(name) for name in ("commit", "cores", "median_s", "min_s", "max_s")}
    return {name: fact for name, fact in facts.items() if fact}


def units_of(paper, name):
    """The figures that lines of a figure are in, and the units of each."""
    if paper is None:
        return [(name, ["G/s", "ms", "GB"])]
    data = described(paper)
    names = [other for other, of in data["figures"].items() if of.get("lines_of", other) == name]
    return [(figure, figure_of(data, figure)["units"]) for figure in names]


def tables_of(path):
    """(paper, figure, unit), and the rows of that table"""
    for (paper, figure), series in read(path).items():
        for name, units in units_of(paper, figure):
            yield from (((paper, name, unit), cells_in(series, unit)) for unit in units)


def tables(args):
    for (paper, name, unit), rows in tables_of(args.results):
        if rows:
            of_paper = results.of_paper(paper, name, unit, columns_of(rows)) if paper else {}
            title = f"Paper {paper}, figure {name} {unit}" if paper else f"{name} {unit}"
            print(title, results.all_of(rows | of_paper, unit), sep="\n\n")


def keep(args):
    papers = set()
    for (paper, name, unit), rows in tables_of(args.results):
        if paper and rows:
            papers.add(paper)
            there = results.load(paper).setdefault((name, unit), {})
            for series, cells in rows.items():
                there.setdefault(series, {}).update(cells)
    for paper in papers:
        results.save(paper)


def missing(args):
    data = described(args.paper)
    figures = read(args.results)
    for name in data["figures"]:
        lines = {}
        for cells in figures.get((args.paper, name), {}).values():
            for x, line in cells.items():
                lines[line["series"], x] = line
        places = {
            f"{line['gpu'] or line['cpu']}, commit {line.get('commit') or 'unknown'}, "
            + (f"{2 ** line['scale']} times smaller" if line["scale"] else "as large as in the paper")
            for line in lines.values()
        }
        print(f"{name}: {len(lines)} cells" + "".join(f"; {place}" for place in sorted(places)))
        series_there = {series for series, _ in lines}
        for command in commands_of(data, name, 0):
            lacking = [
                f"{series} at {x}" if x else series
                for _, series, x in command["cells"]
                if (series not in series_there if command["bench"] == "update" else (series, x) not in lines)
            ]
            if lacking:
                print(f"  n = {command['options']['n']}: {', '.join(lacking)}")


def compare(args):
    before, after = read(args.before), read(args.after)
    print("| figure | series | x | before | after | after / before |\n|---|---|---|---|---|---|")
    for key, series in after.items():
        for name, cells in series.items():
            for x, line in cells.items():
                old = before.get(key, {}).get(name, {}).get(x)
                if old and old["rate"] and line["rate"]:
                    rates = f"{old['rate']:.4g} | {line['rate']:.4g} | {line['rate'] / old['rate']:.3f}"
                    print(f"| {' '.join(k for k in key if k)} | `{name}` | {x} | {rates} |")


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)

    def add(action, *names):
        command = commands.add_parser(action.__name__)
        command.set_defaults(action=action)
        for name, options in names:
            command.add_argument(name, **options)
        return command

    path = {"type": pathlib.Path}
    runs = add(run, ("paper", {}), ("figure", {}))
    runs.add_argument("--scale", type=int, default=0, choices=range(17), metavar="S")
    runs.add_argument("--backend", default="cuda", choices=("cuda", "cpu"))
    runs.add_argument("--bin", default=str(ROOT / "build" / "bin" / "warpdex-bench"))
    runs.add_argument("--out", **path)
    runs.add_argument("--lacking", action="store_true")
    runs.add_argument("--series", default="")
    for name in ("--seconds", "--total"):
        runs.add_argument(name, type=float, default=float("inf"))
    for action in (tables, keep):
        add(action, ("results", path))
    add(missing, ("results", path), ("paper", {}))
    add(compare, ("before", path), ("after", path))
    args, args.options = parser.parse_known_args(arguments)
    if args.options and (args.action is not run or len(args.options) % 2 == 1):
        parser.error(f"unknown arguments: {' '.join(args.options)}")
    args.action(args)


if __name__ == "__main__":
    main(sys.argv[1:])
