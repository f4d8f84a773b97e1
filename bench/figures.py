#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The figures of papers, which docs/papers/NNN.yaml describes, and tables of what warpdex-bench prints.

    figures.py run PAPER|all [FIGURE[,FIGURE...]|all] [--scale S] [--out lines.jsonl] [--lacking] [--series REGEX]
                   [--keys FILE [--probes FILE]] [--seconds S] [--total S] [--plan] [OPTION...] >>lines.jsonl
    figures.py tables lines.jsonl
    figures.py keep lines.jsonl
    figures.py compare before.jsonl after.jsonl

`run` runs figures by warpdex-bench, with further options of it, and adds to each line its place in the figure and the
commit. With --out it appends the lines to a file, and leaves out the cells that the file has at this scale; with
--lacking also those that bench/results has, or that coverage.py names omitted. --series names those to run by a regular
expression. A figure ends after --seconds, and all of them after --total; a command that takes longer is ended, and its
last lines are kept. Then the exit code is 124, and the same command goes on where it ended: `run all` does so in pieces
of nine minutes. Before it starts it tells the time and the memory that a machine with an H200 and 16 cores takes,
about; with --plan that is all. --keys runs figures over a file of real keys (.npy, or of SOSD), each once, where they
have most keys; probes are drawn from these. With --probes too only figures of points run, with the probes of that file.
Standard error tells what was left out, and why. `tables` prints markdown, one table per figure and unit: rows are
series, columns what is on the x axis. If a cell was measured more than once, the last time counts. Lines without a
figure get a table per benchmark. `keep` puts the cells into bench/results/PAPER.jsonl, in the place of those of another
scale, of which results.py makes the tables of pages and the site its charts; coverage.py tells which cells are missing.
`compare` divides rates by those of an earlier file.

A figure is a dictionary over `defaults`. Its `runs` are over the figure. Each becomes one command per combination of
the values in `for`; a value that is a dictionary sets several variables. Texts are f-strings over the variables. Those
in `scaled` are exponents of 2 that --scale makes smaller. `cells` are what one command measures: a spec, its series
and its x, for combinations of their own, or the contenders of a name. A `baseline` has another series than its name. A
figure with `lines_of` has the lines of another one, in other units. `paper` has the numbers of the paper by unit,
series and x. `axis` says what x is, for charts, and `not_measured` is explained by coverage.py.
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

# About what one H200 and 16 cores of its host do in a second, for the plan of a run.
MADE, BUILT_BY_CPU, FOUND, FOUND_BY_CORE, LINK = 1.5e8, 3e7, 3e9, 1.5e6, 5.5e10
# Seconds of a command without its work, of a line that is read over the link, and of a search that is not in order.
START, LINE, CHAIN = 3, 3e-9, 2e-7

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
    return results.description(path)


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


def is_in(group, figure, series, x):
    """Whether a group of `not_measured`, which coverage.py explains, has a cell."""
    named = figure in str(group["figures"]).split()
    return named and all(re.search(str(group.get(of, "")), text) for of, text in (("series", series), ("x", x or "")))


class Done:
    """The cells of a paper, by figure, series and x, that need no run: of a file of lines, of bench/results, and those
    that are not worth it."""

    def __init__(self, data, args, paper):
        groups = data.get("not_measured", ()) if args.lacking else ()
        self.omitted = [group for group in groups if group["status"] == "omitted" and "units" not in group]
        self.places = set()
        if args.out and args.out.exists():
            for line in map(json.loads, args.out.read_text().splitlines()):
                if line.get("paper") == paper and line.get("scale") == scale_of(args):
                    self.places.add((line["figure"], line["series"], line["x"]))
        for (name, _), table in results.load(paper).items() if args.lacking else ():
            figure = data["figures"].get(name, {}).get("lines_of", name)
            for series, cells in table.items():
                own = re.sub(r" \(\d+ threads\)$", "", series)
                self.places |= {(figure, own, x) for x, of in cells.items() if of.get("scale", 0) == args.scale}
        self.series = {place[:2] for place in self.places}

    def has(self, name, command, series, x):
        if any(is_in(group, name, series, x) for group in self.omitted):
            return True
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


def number_of(text):
    """Of an option: 1000 or 2^10."""
    base, _, exponent = str(text).partition("^")
    return int(base) ** int(exponent or 1)


def cost_of(options, command, on_cpu, repeat):
    """About the seconds that a command takes on an H200 and 16 cores, and GiB of host, of pinned and of device memory."""
    n, probes = number_of(options["n"]), number_of(options.get("probes", 0))
    key = {"u64": 8, "u128": 16, "bytes": 40}.get(options.get("key_type"), 4)
    specs = [spec or "" for spec, _, _ in command["cells"]]
    on_cpu = on_cpu or command["cpu"]
    found = FOUND_BY_CORE * int(options.get("threads") or 16) if on_cpu else FOUND
    lookups = probes * min(number_of(options.get("hits", 1)), 64) / found
    over_link = command["bench"] == "lines" or (command["bench"] == "join" and options["right"] == "host")
    if over_link:
        lookups = n * key / LINK + probes * (CHAIN if any("reorder=none" in spec for spec in specs) else LINE)
    builds = n / (BUILT_BY_CPU if on_cpu else FOUND) * (repeat + 1 if command["bench"] == "build" else 1)
    waves = 16 if command["bench"] == "update" else 1
    seconds = START + (n + probes) / MADE + waves * (len(specs) + 1) * (builds + (repeat + 1) * lookups)
    lists = probes * (key + 8) * 2
    pinned = n * (8 + 16 * any("pairs=host" in spec for spec in specs)) if over_link else 0
    host, device = (pinned, 0) if over_link else (2 * n * (key + 4), 5 * n * (key + 4))
    return seconds, [of / 2**30 for of in (host + lists, pinned, 0 if on_cpu else device + lists)]


def over_file(commands, path, probes):
    """The commands of a figure over a file of keys: those of the most keys, without what says which keys they are."""
    taking = [of for of in commands if of["bench"] in OPTIONS["keys"].split()]
    if probes:
        taking = [of for of in taking if of["bench"] == "point"]
    most = max((number_of(of["options"]["n"]) for of in taking), default=0)
    for command in taking:
        if number_of(command["options"]["n"]) == most:
            drawn = ("n", "key_type", "uniformity") + ("hit_rate", "miss", "zipf") * bool(probes)
            kept = {k: v for k, v in command["options"].items() if k not in drawn}
            yield {**command, "options": kept | {"keys": path} | ({"probes": probes} if probes else {})}


class Plan:
    """The commands of a run that are left: (paper, figure) -> commands."""

    def __init__(self, args):
        papers = sorted(path.stem for path in PAPERS.glob("*.yaml")) if args.paper == "all" else [args.paper]
        self.commands = {}
        for paper in papers:
            data = described(paper)
            done = Done(data, args, paper)
            for name in [n for part in args.figure.split(",") for n in (data["figures"] if part == "all" else [part])]:
                figure_of(data, name)
                self.commands[paper, name] = list(self.left(paper, name, data, done, args))

    def left(self, paper, name, data, done, args):
        wanted = re.compile(args.series)
        cells = left = 0
        whole = list(commands_of(data, name, args.scale))
        repeat = int(dict(zip(args.options[::2], args.options[1::2])).get("--repeat", 5))
        costs = []
        for command in over_file(whole, args.keys, args.probes) if args.keys else whole:
            remains = remaining(name, command, done, wanted)
            cells += len(command["cells"])
            if remains:
                left += len(remains["cells"])
                files = {"n": args.keys, "probes": args.probes}
                size = {option: path.stat().st_size // 8 for option, path in files.items() if path}
                costs.append(cost_of(remains["options"] | size, remains, args.backend == "cpu", repeat))
                yield remains
        if left < cells:
            print(
                f"figures.py: {paper} {name}: {cells - left} of {cells} cells are there or not asked for",
                file=sys.stderr,
            )
        if costs:
            host, pinned, device = (max(sizes) for sizes in zip(*(sizes for _, sizes in costs)))
            locked = f", {pinned:.1f} of it page-locked" if pinned else ""
            print(
                f"figures.py: {paper} {name}: {len(costs)} commands, {left} cells, about {sum(s for s, _ in costs) / 60:.1f} min,"
                f" {host:.1f} GiB of host memory{locked}, {device:.1f} of the device",
                file=sys.stderr,
            )


def run(args):
    for path in filter(None, (args.keys, args.probes)):
        if not path.exists():
            sys.exit(f"figures.py: there is no file {path}")
    if args.probes and not args.keys:
        sys.exit("figures.py: --probes needs --keys, the file of the keys that they are looked up in")
    if args.paper == "all" and not (args.out or args.plan):
        sys.exit("figures.py: run all needs --out, from which the next piece goes on")
    if args.total is None:
        args.total = 540 if args.paper == "all" else float("inf")
    plan = Plan(args)
    if args.plan:
        return
    if shutil.which(args.bin) is None:
        sys.exit(f"figures.py: --bin is {args.bin}, which is no program; `make build` builds the benchmark")
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout
    more = {option.removeprefix("--"): value for option, value in zip(args.options[::2], args.options[1::2])}
    bench = Bench(args.bin, args.backend, more)
    start, ended = time.monotonic(), False
    with open(args.out, "a") if args.out else contextlib.nullcontext(sys.stdout) as out:
        for (paper, name), commands in plan.commands.items():
            own = {"paper": paper, "figure": name, "scale": scale_of(args), "commit": commit.strip() or None}
            begin = time.monotonic()
            bench.end = min(start + args.total, begin + args.seconds)
            late = []
            for command in commands:
                if time.monotonic() >= bench.end:
                    late += [f"{series} at {x}" if x else series for _, series, x in command["cells"]]
                    continue
                for line in bench.lines(command):
                    print(json.dumps(line | own | placed(line, command)), file=out, flush=True)
            if commands:
                print(f"figures.py: {paper} {name}: took {time.monotonic() - begin:.0f} s", file=sys.stderr)
            if late:
                print(f"figures.py: {paper} {name}: out of time: {', '.join(late)}", file=sys.stderr)
            ended |= bool(commands) and time.monotonic() >= bench.end
    if ended:
        sys.exit(OUT_OF_TIME)


def scale_of(args):
    """How much smaller a run is than the paper's, or of which file its keys are."""
    return args.keys.name if args.keys else args.scale


def read(path, of_files=True):
    """(paper, figure) -> series -> x -> line; for lines without a figure (None, what they measure) -> name -> x"""
    figures = {}
    for line in map(json.loads, open(path)):
        if line["kind"] == "limit" and line["bench"] not in MACHINE:
            continue  # of the machine, in other units
        if isinstance(line.get("scale"), str) and not of_files:
            continue
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


def cells_in(series, unit, also=()):
    """series -> x -> cell as in bench/results. A series without x, such as a baseline, has the same at every x of the
    others, and at those of `also`."""
    rows = {}
    for name, lines in series.items():
        for x in dict.fromkeys([*columns_of(series), *also]):
            line = lines.get(x, lines.get(None))
            number = value(unit, line)
            if number is not None:
                rows.setdefault(name, {})[x] = {"value": float(f"{number:.6g}")} | facts_of(line)
    return rows


def facts_of(line):
    runtime, _, driver = (line.get("cuda") or "").partition(", driver ")
    facts = {"repetitions": line.get("repeat"), "card": line.get("gpu"), "driver": driver, "cuda": runtime}
    facts |= {name: line.get(name) for name in ("commit", "scale", "cores", "median_s", "min_s", "max_s")}
    return {name: fact for name, fact in facts.items() if fact}


def units_of(paper, name):
    """The figures that lines of a figure are in, and the units of each."""
    if paper is None:
        return [(name, ["G/s", "ms", "GB"])]
    data = described(paper)
    names = [other for other, of in data["figures"].items() if of.get("lines_of", other) == name]
    return [(figure, figure_of(data, figure)["units"]) for figure in names]


def tables_of(path, of_files=True):
    """(paper, figure, unit), and the rows of that table, of files of keys too"""
    for (paper, figure), series in read(path, of_files).items():
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
    for (paper, figure), series in read(args.results, of_files=False).items():
        for name, unit in ((name, unit) for name, units in units_of(paper, figure) if paper for unit in units):
            there = results.load(paper).setdefault((name, unit), {})
            rows = cells_in(series, unit, dict.fromkeys(x for cells in there.values() for x in cells))
            if not rows:
                continue
            papers.add(paper)
            scales = {of.get("scale", 0) for cells in rows.values() for of in cells.values()}
            for row, cells in there.items():  # a table has one scale
                there[row] = {x: of for x, of in cells.items() if of.get("scale", 0) in scales}
            own = columns_of(series)
            for row, cells in rows.items():  # what is the same at each x stays at those of other runs
                old = there.setdefault(row, {})
                old.update({x: of for x, of in cells.items() if x in own or x not in old})
    for paper in papers:
        results.save(paper)


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
    runs = add(run, ("paper", {}), ("figure", {"nargs": "?", "default": "all"}))
    runs.add_argument("--scale", type=int, default=0, choices=range(17), metavar="S")
    runs.add_argument("--backend", default="cuda", choices=("cuda", "cpu"))
    runs.add_argument("--bin", default=str(ROOT / "build" / "bin" / "warpdex-bench"))
    runs.add_argument("--out", **path)
    runs.add_argument("--lacking", action="store_true")
    runs.add_argument("--series", default="")
    runs.add_argument("--keys", **path)
    runs.add_argument("--probes", **path)
    runs.add_argument("--plan", action="store_true")
    runs.add_argument("--seconds", type=float, default=float("inf"))
    runs.add_argument("--total", type=float)
    for action in (tables, keep):
        add(action, ("results", path))
    add(compare, ("before", path), ("after", path))
    args, args.options = parser.parse_known_args(arguments)
    if args.options and (args.action is not run or len(args.options) % 2 == 1):
        parser.error(f"unknown arguments: {' '.join(args.options)}")
    args.action(args)


if __name__ == "__main__":
    main(sys.argv[1:])
