# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""What pages show of bench/results on the site alone, where bench/results.py explains the markers.

`<!-- chart FILE TABLE UNIT "ROW" ... -->` becomes a picture of these rows, or of all: lines where columns are numbers or
series many, else bars. `axis` of a figure of a paper names what its columns are. `<!-- cells FILE TABLE UNIT -->`
becomes a table that is folded. `<!-- picture UNIT -->` puts a picture in the place of the table after it, which is
folded. Text and axes have the colour of the page's text, so pictures suit light and dark pages."""

import math
import pathlib
import re
import sys
from html import escape

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import results  # noqa: E402

COLOURS = ["#3d85c6", "#d97f28", "#3f9e58", "#c94f6d", "#8a63d2", "#9a7b4f", "#2a9d98", "#8a8a8a"]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 340, 62, 190, 26, 40
LINE = 17  # height of a line of text
MOST_BARS = 24
PICTURE = re.compile(r"<!-- picture ([^\n]*?) -->\n((?:\|.*\n)+)")


def number(name):
    """What a column stands for on an axis, or None: 2^20 stands for 20."""
    match = re.fullmatch(r"(?:2\^|10\^)?(-?\d+(?:\.\d+)?)%?", name)
    return float(match[1]) if match else None


def text(x, y, words, anchor="start", size=13):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{escape(words)}</text>'


def stroke(x1, y1, x2, y2):
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="currentColor" stroke-opacity=".2" fill="none"/>'


def ticks(low, high):
    """Round values from 0 to the largest, or powers of 10 where values are far apart, and the place of a value."""
    if low > 0 and high / low > 40:
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        first, last = powers[0], powers[-1]
        return [10.0**power for power in powers], lambda value: (math.log10(value) - first) / (last - first)
    step = 10 ** math.floor(math.log10(high / 4))
    step *= next(factor for factor in (1, 2, 5, 10) if high / (step * factor) <= 5)
    count = math.ceil(high / step)
    return [step * i for i in range(count + 1)], lambda value: value / (step * count)


def spread(wanted):
    """Heights of labels that do not overlap, in the order of those wanted."""
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    places, last = {}, -math.inf
    for i in order:
        places[i] = last = max(wanted[i], last + LINE)
    below = max(0, last - (HEIGHT - BOTTOM)) if places else 0
    return [places[i] - below for i in range(len(wanted))]


def lines(series, columns, unit, axis):
    """One line per series, with its name at the right end. Columns that are no numbers have equal distances."""
    values = [value for cells in series.values() for value in cells.values()]
    marks, place = ticks(min(values), max(values))
    numbers = [number(column) for column in columns]
    if None in numbers:
        numbers = list(range(len(columns)))
    elif numbers[0] > 0 and numbers[-1] / numbers[0] > 100:  # 1, 2, 4, ...
        numbers = list(map(math.log2, numbers))
    right = max(RIGHT, 34 + 7 * max(map(len, series)))  # the names
    spans = (WIDTH - LEFT - right) / ((numbers[-1] - numbers[0]) or 1)
    xs = {column: LEFT + (n - numbers[0]) * spans for column, n in zip(columns, numbers)}

    def y(value):
        return HEIGHT - BOTTOM - place(value) * (HEIGHT - TOP - BOTTOM)

    out = [text(LEFT, TOP - 12, unit)]
    for mark in marks:
        out += [stroke(LEFT, y(mark), WIDTH - right, y(mark)), text(LEFT - 8, y(mark) + 4, f"{mark:g}", "end")]
    size = 13 if max(map(len, columns)) * len(columns) < 70 else 10
    out += [text(x, HEIGHT - BOTTOM + 17, column, "middle", size) for column, x in xs.items()]
    out.append(text((LEFT + WIDTH - right) / 2, HEIGHT - 5, axis, "middle"))
    ends = spread([y(list(cells.values())[-1]) for cells in series.values()])
    for i, (name, cells) in enumerate(series.items()):
        colour, end = COLOURS[i % len(COLOURS)], ends[i]
        dashes = ' stroke-dasharray="5 3"' if i >= len(COLOURS) else ""
        points = [(xs[column], y(value)) for column, value in cells.items()]
        path = "L".join(f"{px:.1f} {py:.1f}" for px, py in points)
        out.append(f'<path d="M{path}" stroke="{colour}" stroke-width="2" fill="none"{dashes}/>')
        out += [f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3" fill="{colour}"/>' for px, py in points]
        out.append(f'<circle cx="{WIDTH - right + 14}" cy="{end:.1f}" r="4" fill="{colour}"/>')
        out.append(text(WIDTH - right + 22, end + 4, name))
    return out, HEIGHT


def bars(series, columns, unit, axis):
    """Per series its name and a bar per column."""
    values = [value for cells in series.values() for value in cells.values()]
    _, place = ticks(min(values) if max(values) > 200 * min(values) > 0 else 0, max(values))
    left, y = max(150, 20 + 7 * max(map(len, series))), TOP
    out = [text(left, TOP - 12, f"{unit}, by {axis}" if axis else unit)]
    for name, cells in series.items():
        out.append(text(left - 10, y + 12, name, "end"))
        for column, value in cells.items():
            colour, width = COLOURS[columns.index(column) % len(COLOURS)], place(value) * (WIDTH - left - RIGHT)
            out.append(f'<rect x="{left}" y="{y}" width="{width:.1f}" height="{LINE - 4}" fill="{colour}"/>')
            label = f"{value:.4g}" + (f"  {column}" if len(columns) > 1 else "")
            out.append(text(left + width + 6, y + 11, label, size=12))
            y += LINE
        y += 6
    return out, y


def chart(rows, unit, title, axis=""):
    """A picture of rows, as in results.load, in one line of HTML."""
    series = {
        row: numbers
        for row, cells in rows.items()
        if (numbers := {x: of["value"] for x, of in cells.items() if not isinstance(of["value"], str)})
    }
    columns = list(dict.fromkeys(x for cells in series.values() for x in cells))
    ordered = len(columns) > 2 and all(number(x) is not None for x in columns)
    if ordered:
        columns.sort(key=number)
    series = {row: {x: cells[x] for x in columns if x in cells} for row, cells in series.items()}
    many = len(columns) > 2 and sum(map(len, series.values())) > MOST_BARS
    shapes, height = (lines if ordered or many else bars)(series, columns, unit, axis)
    head = f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(title)}" fill="currentColor"'
    return f'<figure class="chart">{head} style="max-width:{WIDTH}px;width:100%">{"".join(shapes)}</svg></figure>'


def shown(kind, mark, page):
    rows, unit = results.shown(mark, page)
    title = mark.partition(' "')[0]
    if kind == "chart":
        name, table, _ = results.place_of(title, page)
        return chart(rows, unit, title, results.paper(name).get(table, {}).get("axis", ""))
    return f"<details><summary>{escape(title)}</summary>\n\n{results.all_of(rows, unit)}\n</details>"


def pictured(unit, body):
    """A picture of the numbers that a table of a page has, and the table folded."""
    table = results.Table(results.COMPUTED.sub(lambda match: match[1], body))
    rows = {}
    for _, name, texts in table.rows:
        cells = {column: results.cell(text.strip("*")) for column, text in texts.items() if text}
        rows[name] = {column: of for column, of in cells.items() if not isinstance(of["value"], str)}
    return f"{chart(rows, unit, unit)}\n<details><summary>The numbers</summary>\n\n{body}\n</details>\n"


def with_results(app, docname, source):
    page = pathlib.Path(f"{docname}.md")
    if "<!-- " in source[0] and (page.parent.name in ("papers", "performance") or docname == "index"):
        source[0] = PICTURE.sub(lambda match: pictured(match[1], match[2]), source[0])
        source[0] = results.SHOWN.sub(lambda match: shown(match[1], match[2], page), source[0])
        source[0] = results.COMPUTED.sub(lambda match: match[1], source[0])


def setup(app):
    app.connect("source-read", with_results)
    return {"parallel_read_safe": True}
