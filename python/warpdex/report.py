# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""A page with plots and tables of what `warpdex-bench ... --json` prints.

    python -m warpdex.report results.jsonl [older.jsonl] -o report.html

The page is one file that loads nothing else. With an older file it also compares before and after.
"""

from __future__ import annotations

import argparse
import html
import io
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from ._errors import FileError, FormatError
from ._values import extra

Line = dict[str, Any]

# What tells two measurements of one spec apart, and so what makes a section.
_SHAPE = (
    "bench",
    "op",
    "how",
    "paper",
    "figure",
    "backend",
    "gpu",
    "cpu",
    "keys",
    "key_type",
    "place",
    "sorted",
    "hits",
    "hit_rate",
    "zipf",
    "direction",
    "right",
    "change",
    "copies",
)
_COLUMNS = (
    "series",
    "x",
    "name",
    "resolved",
    "kind",
    "n",
    "probes",
    "batch",
    "wave",
    "change",
    "threads",
    "median_s",
    "min_s",
    "max_s",
    "rate",
    "build_s",
    "rebuild_s",
    "lookup_rate",
    "index_bytes",
    "rate_per_byte",
    "scratch_bytes",
)


def read_lines(path: str | Path) -> list[Line]:
    """Reads the objects of a file, one per line.

    >>> _ = Path("results.jsonl").write_text('{"kind": "index", "rate": 2.0}')
    >>> read_lines("results.jsonl")
    [{'kind': 'index', 'rate': 2.0}]
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as why:
        raise FileError(f"{path}: {why.strerror}") from why
    except UnicodeDecodeError as why:
        raise FormatError(f"{path}: {why}") from why
    lines = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except ValueError as why:
            raise FormatError(f"{path}:{number}: {why}") from why
        if not isinstance(found, dict) or "kind" not in found:
            raise FormatError(f"{path}:{number}: a line is an object with a kind, as of warpdex-bench --json")
        lines.append(found)
    return lines


# Of series, in their order.
_COLOURS = (
    "#1f77b4",
    "#ff7f0e",
    "#2ca02c",
    "#d62728",
    "#9467bd",
    "#8c564b",
    "#e377c2",
    "#7f7f7f",
    "#bcbd22",
    "#17becf",
)


def sections(lines: Iterable[Line]) -> dict[tuple[tuple[str, Any], ...], list[Line]]:
    """Measurements that can be compared with each other, by what they share: of papers those of a figure.

    >>> list(sections([{"kind": "index", "bench": "point", "n": 8}, {"kind": "index", "bench": "build", "n": 8}]))
    [(('bench', 'point'),), (('bench', 'build'),)]
    """
    found: dict[tuple[tuple[str, Any], ...], list[Line]] = defaultdict(list)
    for line in lines:
        shape = ("paper", "figure") if line.get("paper") is not None else _SHAPE
        found[tuple((name, line[name]) for name in shape if line.get(name) is not None)].append(line)
    return found


def _label(line: Line) -> str:
    threads = f" @{line['threads']}" if line.get("threads") else ""
    return f"{line.get('name', '?')}{threads}"


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


class _Plots:
    """Plots as SVG, drawn by Matplotlib."""

    def __init__(self) -> None:
        matplotlib = extra("matplotlib")
        matplotlib.use("svg")
        matplotlib.rcParams.update({"svg.hashsalt": "warpdex", "svg.fonttype": "none", "font.size": 9})
        from matplotlib import pyplot

        self._pyplot = pyplot
        self._count = 0

    def _svg(self, figure: Any) -> str:
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
        self._pyplot.close(figure)
        drawn = out.getvalue()
        # Its ids are those of this plot, and nothing but the drawing goes into the page.
        self._count += 1
        drawn = drawn[drawn.index("<svg") :]
        return (
            drawn.replace('xlink:href="#', f'xlink:href="#p{self._count}-')
            .replace("url(#", f"url(#p{self._count}-")
            .replace(' id="', f' id="p{self._count}-')
        )

    def series(
        self,
        title: str,
        across: str,
        up: str,
        all_points: dict[str, list[tuple[float, float]]],
        places: list[str] | None = None,
    ) -> str:
        """Lines, or points where a series has one. `places` names the places 0, 1, ... across, if these are no numbers."""
        figure, axes = self._pyplot.subplots(figsize=(7.2, 3.6), layout="constrained")
        for number, (name, points) in enumerate(all_points.items()):
            points = sorted(points)
            colour = _COLOURS[number % len(_COLOURS)]
            (line,) = axes.plot([x for x, _ in points], [y for _, y in points], marker="o", markersize=4, color=colour)
            line.set_gid(f"series-{number}")
        axes.set(title=title, xlabel=across, ylabel=up)
        if places is not None:
            axes.set_xticks(range(len(places)), places)
        elif all(x > 0 for points in all_points.values() for x, _ in points):
            axes.set_xscale("log", base=2)
        if all(y > 0 for points in all_points.values() for _, y in points):
            axes.set_yscale("log")
        axes.grid(alpha=0.3)
        return self._figure(
            self._svg(figure),
            list(all_points),
            [
                [
                    f"{name}: {up} {y:.4g} at {across} {f'{x:.6g}' if places is None else places[int(x)]}"
                    for x, y in sorted(points)
                ]
                for name, points in all_points.items()
            ],
        )

    def bars(self, title: str, up: str, values: dict[str, float]) -> str:
        """One bar per name."""
        figure, axes = self._pyplot.subplots(figsize=(7.2, 0.5 + 0.3 * len(values)), layout="constrained")
        for number, (name, value) in enumerate(values.items()):
            (bar,) = axes.barh([name], [value], color=_COLOURS[number % len(_COLOURS)])
            bar.set_gid(f"series-{number}")
        axes.invert_yaxis()
        axes.set(title=title, xlabel=up)
        axes.grid(alpha=0.3, axis="x")
        return self._figure(
            self._svg(figure), list(values), [[f"{name}: {up} {value:.4g}"] for name, value in values.items()]
        )

    def _figure(self, svg: str, names: list[str], tips: list[list[str]]) -> str:
        buttons = "".join(
            f'<label><input type="checkbox" checked data-series="p{self._count}-series-{number}">'
            f'<span class="swatch" style="background:{_COLOURS[number % len(_COLOURS)]}"></span>'
            f"{html.escape(name)}</label>"
            for number, name in enumerate(names)
        )
        shown = json.dumps({f"p{self._count}-series-{number}": tip for number, tip in enumerate(tips)})
        return f'<figure data-tips="{html.escape(shown)}">{svg}<figcaption>{buttons}</figcaption></figure>'


def _points(lines: list[Line], across: str, up: str) -> dict[str, list[tuple[float, float]]]:
    """Per series the points of a plot. Batches of several sizes are several series."""
    batches = {line.get("probes") for line in lines if line["kind"] == "index"}
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for line in lines:
        x, y = _number(line.get(across)), _number(line.get(up))
        if x is not None and y is not None:
            batch = f", {line['probes']:,} probes" if len(batches) > 1 and line.get("probes") else ""
            found[_label(line) + batch].append((x, y))
    return found


def _place(text: str) -> float | None:
    """The number of a place on the x axis of a figure, such as 2^20; None for a name."""
    base, power, exponent = text.partition("^")
    try:
        return float(base) ** float(exponent) if power else float(base)
    except ValueError:
        return None


def _figure_of(plots: _Plots, lines: list[Line]) -> str:
    """The plot of a paper's figure, whose lines say their series and their places on its x axis."""
    up = next((name for name in ("rate", "median_s") if any(_number(line.get(name)) is not None for line in lines)), "")
    placed = [line for line in lines if line.get("x") is not None and _number(line.get(up)) is not None]
    if not placed:
        return ""
    names = list(dict.fromkeys(str(line["x"]) for line in placed))
    numbers = {name: _place(name) for name in names}
    are_names = any(number is None for number in numbers.values())
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for line in placed:
        number = numbers[str(line["x"])]
        across = float(names.index(str(line["x"]))) if are_names or number is None else number
        found[str(line.get("series"))].append((across, float(line[up])))
    title = f"Figure {lines[0].get('figure')} of paper {lines[0]['paper']}"
    return plots.series(title, "x", "per second" if up == "rate" else "seconds", found, names if are_names else None)


def _plots_of(plots: _Plots, lines: list[Line]) -> str:
    if lines[0].get("paper") is not None:
        return _figure_of(plots, lines)
    measured = [line for line in lines if line["kind"] != "limit"]
    made = []
    sizes = {line.get("n") for line in measured}
    if any("wave" in line for line in measured):
        waves = _points(measured, "wave", "rate")
        made.append(plots.series("Waves of updates", "wave", "changes per second", waves))
        if lookups := _points(measured, "wave", "lookup_rate"):
            made.append(plots.series("Probes after each wave", "wave", "probes per second", lookups))
    elif rates := _points(measured, "n", "rate"):
        if len(sizes) > 1:
            made.append(plots.series("Rate by number of keys", "keys", "per second", rates))
        else:
            made.append(
                plots.bars("Rate", "per second", {name: max(y for _, y in all_of) for name, all_of in rates.items()})
            )
    if (by_bytes := _points(measured, "index_bytes", "rate")) and not any("wave" in line for line in measured):
        made.append(plots.series("Rate by bytes", "bytes of the index", "per second", by_bytes))
    most = max((n for n in sizes if n is not None), default=None)
    largest = [line for line in measured if line.get("n") == most]
    of_keys = "" if most is None else f", {most:,} keys"
    builds = {_label(line): float(line["build_s"]) for line in largest if _number(line.get("build_s")) is not None}
    if builds:
        made.append(plots.bars("Builds" + of_keys, "seconds", builds))
    ratios: dict[str, float] = {}
    for line in largest:
        for other, ratio in (line.get("ratios") or {}).items():
            if _number(ratio) is not None:
                ratios[f"{_label(line)} / {other}"] = float(ratio)
    if ratios:
        made.append(plots.bars("Ratios to baselines" + of_keys, "times as fast", ratios))
    return "".join(made)


def _cell(value: Any) -> str:
    if value is None:
        return "<td></td>"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        shown = f"{value:,}" if isinstance(value, int) else f"{value:.4g}"
        return f'<td class="number" data-value="{value!r}">{shown}</td>'
    return f"<td>{html.escape(str(value))}</td>"


def _table(lines: list[Line], names: Iterable[str]) -> str:
    shown = [name for name in names if any(line.get(name) is not None for line in lines)]
    head = "".join(f"<th><button>{html.escape(name)}</button></th>" for name in shown)
    body = "".join(f"<tr>{''.join(_cell(line.get(name)) for name in shown)}</tr>" for line in lines)
    return (
        f'<div class="wide"><table class="sortable"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def _identity(line: Line) -> tuple[Any, ...]:
    names = (*_SHAPE, "name", "kind", "n", "probes", "threads", "wave", "batch", "series", "x")
    return tuple(json.dumps(line.get(name)) for name in names)


def changes(lines: list[Line], older: list[Line]) -> list[Line]:
    """The measurements that are in both files, with the ratio of their rates.

    >>> line = {"kind": "index", "name": "AO+BS", "bench": "point", "n": 8}
    >>> changes([{**line, "rate": 3.0}], [{**line, "rate": 2.0}])[0]["ratio"]
    1.5
    """
    before = {_identity(line): line for line in older}
    found = []
    for line in lines:
        other = before.get(_identity(line))
        if other is None or not _number(other.get("rate")) or not _number(line.get("rate")):
            continue
        found.append(
            {
                "name": _label(line),
                "bench": line.get("bench"),
                "op": line.get("op"),
                "n": line.get("n"),
                "before": other["rate"],
                "after": line["rate"],
                "ratio": line["rate"] / other["rate"],
            }
        )
    return found


# The options of each benchmark, and what a line calls their values.
_OPTIONS = {
    "point": ("ops", "copies", "probes", "hit_rate", "miss", "zipf", "sorted", "place"),
    "range": ("ops", "probes", "hits", "sorted"),
    "update": ("probes", "waves", "batch", "assign"),
    "join": ("how", "direction", "probes", "hits", "hit_rate", "zipf", "right", "left"),
}
_CALLED = {"ops": "op", "how": "op", "left": "place"}
_OF_ALL = ("n", "keys", "uniformity", "key_type", "backend", "threads", "repeat", "seed")


def command_of(line: Line) -> str:
    """A command that measures such a line.

    >>> command_of({"kind": "index", "name": "AO+BS", "bench": "build", "n": 8})
    "warpdex-bench build --index 'AO+BS' --n 8 --json"
    """
    if line.get("paper") is not None:
        words = [f"--{name} {line[name]}" for name in ("paper", "figure", "scale") if line.get(name) is not None]
        return " ".join(["warpdex-bench paper", *words, "--json"])
    bench = line.get("bench", "point")
    words = ["warpdex-bench", bench]
    if line.get("kind") == "index":
        words.append(f"--index '{line.get('name', '')}'")
    for option in (*_OF_ALL, *_OPTIONS.get(bench, ())):
        value = line.get(_CALLED.get(option, option))
        if value is None or value is False or (bench == "join" and option in ("keys", "uniformity")):
            continue
        words.append(
            f"--{option.replace('_', '-')}" + ("" if value is True else f" {str(value).removeprefix('range_')}")
        )
    return " ".join([*words, "--json"])


_STYLE = """
:root { color-scheme: light dark; --line: #8884; --text: #1c1c1c; --page: #fff }
@media (prefers-color-scheme: dark) { :root { --text: #e6e6e6; --page: #16181c }
  figure svg text { fill: var(--text) } figure svg [style*="stroke: #000000"] { stroke: var(--text) !important } }
body { font: 15px/1.45 system-ui, sans-serif; color: var(--text); background: var(--page); max-width: 70rem; margin: 2rem auto;
  padding: 0 1rem }
h2 { border-top: 1px solid var(--line); padding-top: 1rem; margin-top: 2.5rem }
table { border-collapse: collapse; font-size: 13px } th, td { padding: .2rem .5rem; border-bottom: 1px solid var(--line);
  text-align: left; white-space: nowrap }
td.number { text-align: right; font-variant-numeric: tabular-nums } th button { all: unset; cursor: pointer; font-weight: 600 }
.wide { overflow-x: auto } figure { margin: 1rem 0 } figure svg { max-width: 100%; height: auto }
.swatch { display: inline-block; width: .7em; height: .7em; margin: 0 .3em }
figcaption label { margin-right: 1rem; font-size: 13px } code { font-size: 13px }
#tip { position: fixed; pointer-events: none; background: var(--page); border: 1px solid var(--line); padding: .2rem .5rem;
  font-size: 13px; white-space: pre; display: none }
@media print { figcaption input, #tip { display: none } section { break-inside: avoid } }
"""

_SCRIPT = """
const tip = document.getElementById('tip');
for (const figure of document.querySelectorAll('figure')) {
  const tips = JSON.parse(figure.dataset.tips);
  for (const [id, lines] of Object.entries(tips)) {
    const drawn = document.getElementById(id);
    if (!drawn) continue;
    drawn.addEventListener('mousemove', event => {
      // Markers are drawn in the order of the values; of a bar there is one.
      const places = [...drawn.querySelectorAll('use')].map(mark => mark.getBoundingClientRect());
      const apart = place => Math.hypot(place.x + place.width / 2 - event.clientX, place.y + place.height / 2 - event.clientY);
      const nearest = places.reduce((best, place, i) => apart(place) < apart(places[best]) ? i : best, 0);
      tip.textContent = lines[nearest];
      tip.style.cssText = `display: block; left: ${event.clientX + 12}px; top: ${event.clientY + 12}px`;
    });
    drawn.addEventListener('mouseleave', () => { tip.style.display = 'none'; });
  }
}
for (const box of document.querySelectorAll('input[data-series]'))
  box.addEventListener('change', () => {
    const drawn = document.getElementById(box.dataset.series);
    if (drawn) drawn.style.display = box.checked ? '' : 'none';
  });
for (const head of document.querySelectorAll('table.sortable th'))
  head.addEventListener('click', () => {
    const body = head.closest('table').tBodies[0], place = head.cellIndex, up = head.dataset.up !== 'yes';
    const value = row => row.cells[place].dataset.value ?? row.cells[place].textContent;
    const order = (a, b) => { const x = value(a), y = value(b); return isNaN(x) || isNaN(y) ? x.localeCompare(y) : x - y; };
    body.append(...[...body.rows].sort((a, b) => up ? order(a, b) : order(b, a)));
    head.dataset.up = up ? 'yes' : 'no';
  });
"""


def page(lines: list[Line], older: list[Line] | None = None, title: str = "warpdex benchmarks") -> str:
    """The text of the page.

    >>> page([{"kind": "index", "name": "AO+BS", "bench": "point", "n": 8, "rate": 2.0}])[:15]
    '<!DOCTYPE html>'
    """
    plots = _Plots()
    machine = {
        name: sorted({str(line[name]) for line in lines if line.get(name) is not None})
        for name in ("version", "cpu", "cores", "gpu", "cuda", "backend")
    }
    facts = "".join(
        f"<tr><th>{name}</th><td>{html.escape(', '.join(values))}</td></tr>"
        for name, values in machine.items()
        if values
    )
    parts = [f"<h1>{html.escape(title)}</h1><table>{facts}</table>"]
    if older is not None:
        compared = changes(lines, older)
        parts.append("<section><h2>Before and after</h2>")
        if compared:
            named = {f"{c['name']} {c['bench']} {c['op'] or ''} n={c['n']}": float(c["ratio"]) for c in compared}
            parts.append(plots.bars("Rate after / rate before", "times as fast", named) + _table(compared, compared[0]))
        else:
            parts.append("<p>No measurement is in both files.</p>")
        parts.append("</section>")
    for shape, found in sections(lines).items():
        heading = ", ".join(f"{name} {value}" for name, value in shape if name not in ("gpu", "cpu"))
        limits = [line for line in found if line["kind"] == "limit"]
        parts.append(f"<section><h2>{html.escape(heading)}</h2>{_plots_of(plots, found)}{_table(found, _COLUMNS)}")
        if limits:
            parts.append(
                "<p>Limits: "
                + html.escape("; ".join(f"{line['name']} {line.get('rate', 0):.4g} per second" for line in limits))
                + "</p>"
            )
        commands = list(dict.fromkeys(command_of(line) for line in found if line["kind"] == "index"))
        if commands:
            parts.append(
                "<details><summary>Commands</summary>"
                + "".join(f"<p><code>{html.escape(c)}</code></p>" for c in commands)
                + "</details>"
            )
        parts.append("</section>")
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f'<link rel="icon" href="data:,"><style>{_STYLE}</style></head><body>{"".join(parts)}<div id="tip"></div>'
        f"<script>{_SCRIPT}</script></body></html>\n"
    )


def main(
    arguments: list[str] | None = None, say: Callable[[str], object] = lambda text: sys.stderr.write(text + "\n")
) -> int:
    """Runs the command.

    >>> main(["none.jsonl"], print)
    warpdex.report: none.jsonl: No such file or directory
    1
    """
    parser = argparse.ArgumentParser(prog="python -m warpdex.report", description=__doc__.splitlines()[0])
    parser.add_argument("results", help="what warpdex-bench --json printed")
    parser.add_argument("older", nargs="?", help="what an older version printed")
    parser.add_argument("-o", "--output", default="report.html", help="the page (report.html)")
    given = parser.parse_args(arguments)
    try:
        lines = read_lines(given.results)
        if not lines:
            raise FormatError(f"{given.results}: there is no result in it")
        older = None if given.older is None else read_lines(given.older)
        Path(given.output).write_text(page(lines, older), encoding="utf-8")
    except (FileError, FormatError, OSError) as why:
        say(f"warpdex.report: {why}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
