#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Results are files: bench/results/FILE.jsonl has the measured cells that pages show.

    results.py move PAGE... [--only TABLE] [--rows REGEX] [--card C] [--cuda V] [--driver V] [--commit C] [--command C]
    results.py write [PAGE...]
    results.py check [PAGE...]

A page has `<!-- table FILE TABLE UNIT -->`, a table and `<!-- end -->`. UNIT may be missing, and FILE is missing on the
pages of papers, whose file has their name. `move` stores what these tables say as typed cells; a cell that the file has
with the same text stays as it is. `write` puts the cells of the files into the tables. The page says which rows and
columns a table has; one that is empty gets all of the file. `check` fails where a page and its files differ, or where a
table of numbers has no file. Without pages it looks at README.md, docs/index.md, the pages of docs/guide about DuckDB and
Polars, and at all of docs/papers and docs/performance.

A row is named by its first column, without backquotes; by more of them, joined by " | ", if the first one is not
unique. An empty first cell means that of the row above. Columns have no backquotes either.

`<!-- cells FILE TABLE UNIT -->` shows all cells, and `<!-- chart FILE TABLE UNIT "ROW" "ROW" -->` a picture of these
rows or of all, on the site alone (docs/site/result_charts.py).

`<!-- missing -->` and `<!-- statuses -->`, both with an end, have tables of coverage.py, which `write` makes. A cell that
docs/papers/FILE.yaml describes is in its table or has a reason there, and the page has a chart of each figure.

A number that cells give is followed by the way: `1.24<!-- {1b "AO+BS" 2^28} / {1b "B+(16) naive" 2^28} -->`.
Between the braces is a table as in its marker, the unit only where the table has several, then a row and a column.
`write` computes the number, with the digits it has, and `check` compares it. A word that is followed by a comparison
has to be true: `Confirmed<!-- {1b "AO+BS" 2^28} > {1b "HT(open) 80%" 2^28} -->`. Rows that end in ", the paper" have
the numbers of docs/papers/FILE.yaml. A measured number of a verdict has its way, or a link to the page that has it, or
`(no table)` after it.
"""

import argparse
import functools
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
RESULTS = ROOT / "bench" / "results"
NUMBER = re.compile(r"\**(-?(?:\d[\d,]*\.?\d*|\.\d+)(?:e[+-]?\d+)?)(?: ?[%x]| (?:[num]?s|[KMGT]i?B|[MGT]?B?/s))?\**")
TABLE = re.compile(r"(<!-- table ([^\n]*?) -->\n)(.*?)(<!-- end -->)", re.S)
MADE = re.compile(r"(<!-- (missing|statuses) -->\n)(.*?)(<!-- end -->)", re.S)
SHOWN = re.compile(r"<!-- (cells|chart) ([^\n]*?) -->")
COMPUTED = re.compile(r"([\w.]*)<!-- ((?:(?!-->)[^\n])*?\{(?:(?!-->)[^\n])*?) -->")
REFERENCE = re.compile(r'\{([^{}"]*?) "([^"]*)" ([^{}]*)\}')
MEASURED = re.compile(r"(?<![\w^(/.-])(?:\d[\d,]*\.?\d*|\.\d+) ?(?:ms|[num]s|ps|times|G/s|M/s|%)(?!\w)")
FACTS = ("card", "cuda", "driver", "commit", "command")
PAPER = ", the paper"


def cell(text):
    """The value of a text, and its digits where they are not those of the value."""
    number = NUMBER.fullmatch(text)
    value = float(number[1].replace(",", "")) if number else text
    value = int(value) if number and value.is_integer() else value
    return {"value": value} | ({} if text_of({"value": value}) == text else {"digits": text})


def text_of(of):
    return of.get("digits") or (of["value"] if isinstance(of["value"], str) else f"{of['value']:.4g}")


@functools.cache
def description(path):
    """What a .yaml says of a paper."""
    import yaml

    return yaml.load(path.read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def paper(name):
    path = DOCS / "papers" / f"{name}.yaml"
    return description(path)["figures"] if path.exists() else {}


def of_paper(name, figure, unit, columns):
    """row -> column -> cell, of what a paper says in these columns"""
    rows = paper(name).get(figure, {}).get("paper", {}).get(unit, {})
    return {
        row + PAPER: {x: {"value": value} for x, value in cells.items() if x in columns and value is not None}
        for row, cells in rows.items()
    }


@functools.cache
def load(name):
    """(table, unit) -> row -> column -> cell"""
    tables = {}
    path = RESULTS / f"{name}.jsonl"
    for of in map(json.loads, path.read_text().splitlines()) if path.exists() else ():
        tables.setdefault((of["table"], of["unit"]), {}).setdefault(of["row"], {})[of["column"]] = of
    for (table, unit), rows in tables.items():
        rows |= of_paper(name, table, unit, {x for cells in rows.values() for x in cells})
    return tables


def save(name):
    RESULTS.mkdir(exist_ok=True)
    with open(RESULTS / f"{name}.jsonl", "w") as file:
        for (table, unit), rows in load(name).items():
            for row, cells in rows.items():
                for column, of in cells.items() if not row.endswith(PAPER) else ():
                    place = {"table": table, "row": row, "column": column, "unit": unit}
                    print(json.dumps(place | of, ensure_ascii=False), file=file)


def place_of(text, page):
    """The file, table and unit that a marker names."""
    words = text.split()
    own = page.parent.name == "papers" and not (RESULTS / f"{words[0]}.jsonl").exists()
    words = [page.stem, *words] if own else words
    if len(words) < 2:
        raise SystemExit(f"{page}: a marker names a file and a table: {text}")
    return words[0], words[1], " ".join(words[2:])


def found(text, page):
    """The rows that a marker names, and their unit."""
    name, table, unit = place_of(text, page)
    units = [of for title, of in load(name) if title == table]
    unit = units[0] if not unit and len(units) == 1 else unit
    if unit not in units:
        raise SystemExit(f"{page.name}: {name}.jsonl has no table {table} {unit}, but of units {units}")
    return load(name)[table, unit], unit


def shown(text, page):
    """The rows that a marker of cells or of a chart names, or all, and their unit."""
    title, *names = re.split(r' "([^"]*)"', text)
    rows, unit = found(title, page)
    missing = [name for name in names[::2] if name not in rows]
    if missing:
        raise SystemExit(f"{page.name}: {title} has no row {missing[0]!r}")
    return {name: rows[name] for name in names[::2]} or rows, unit


class Table:
    """A table of a page: its heads, its rule, and per row what the page writes before the cells, its name and texts."""

    def __init__(self, body):
        lines = [[of.strip() for of in line.strip()[1:-1].split("|")] for line in body.splitlines() if line.strip()]
        self.heads, self.rule = lines[0], body.splitlines(True)[1]
        texts, above = [], ""
        for line in lines[2:]:
            above = line[0] or above
            texts.append([above, *line[1:]])
        self.names = 1
        while len({tuple(text[: self.names]) for text in texts}) < len(texts) and self.names < len(self.heads) - 1:
            self.names += 1
        self.columns = [head.replace("`", "") for head in self.heads[self.names :]]
        self.rows = []
        for line, text in zip(lines[2:], texts):
            name = " | ".join(part.replace("`", "") for part in text[: self.names])
            self.rows.append((line[: self.names], name, dict(zip(self.columns, line[self.names :]))))

    def is_of_numbers(self):
        texts = [text for _, _, cells in self.rows for text in cells.values() if text]
        return sum(NUMBER.fullmatch(text) is not None for text in texts) > len(texts) / 2

    def repeated(self):
        names = [name for _, name, _ in self.rows]
        return [name for of in (names, self.columns) for name in of if of.count(name) > 1]


def made(kind, page):
    """A table of how much of papers is measured."""
    import coverage  # which needs yaml

    return coverage.statuses() if kind == "statuses" else coverage.groups_of(page.stem)


def uncovered(page, text):
    """What is wrong with the figures of a paper."""
    if page.parent != DOCS / "papers" or not page.with_suffix(".yaml").exists():
        return
    import coverage

    of = coverage.Coverage(page.stem)
    yield from of.problems
    drawn = {place_of(mark, page)[:2] for kind, mark in SHOWN.findall(text) if kind == "chart"}
    yield from (f"figure {name} has no chart" for name in of.measured if (page.stem, name) not in drawn)


def line_of(texts):
    return "|" + "".join(f" {text} |" if text else " |" for text in texts) + "\n"


def all_of(rows, unit):
    """A table of all cells. Its columns come as in the row that has most of them."""
    by_length = sorted((list(cells) for cells in rows.values()), key=len, reverse=True)
    columns = list(dict.fromkeys(x for cells in by_length for x in cells))
    names = max(row.count(" | ") for row in rows) + 1
    lines = [[unit, *[""] * (names - 1), *columns], ["---"] * (names + len(columns))]
    for row, cells in rows.items():
        parts = row.split(" | ")
        first = [f"`{part}`" for part in parts] + [""] * (names - len(parts))
        lines.append(first + [text_of(cells[x]) if x in cells else "" for x in columns])
    return "".join(map(line_of, lines))


def written(body, rows, unit):
    """The table of a page with the cells of its file."""
    if not body.strip():
        return all_of(rows, unit)
    table = Table(body)
    lines = [line_of(table.heads), table.rule]
    for first, name, texts in table.rows:
        cells = rows.get(name, {})
        lines.append(line_of(first + [text_of(cells[x]) if x in cells else "" for x in texts]))
    return "".join(lines)


def value_of(reference, page):
    rows, unit = found(reference[1], page)
    of = rows.get(reference[2], {}).get(reference[3])
    if of is None or isinstance(of["value"], str):
        raise SystemExit(f"{page.name}: there is no number {reference[0]} ({unit})")
    return repr(of["value"])


def computed(way, page):
    formula = REFERENCE.sub(lambda reference: value_of(reference, page), way)
    if not re.fullmatch(r"(?:[\d.e+\-*/()<>=, ]|\b(?:and|max|min)\b)+", formula):
        raise SystemExit(f"{page.name}: no computation: {way}")
    return eval(formula, {"__builtins__": {}, "max": max, "min": min})


def agrees(value, text):
    """Whether a word is true, or a number right in all its digits."""
    if isinstance(value, bool):
        return value
    return bool(NUMBER.fullmatch(text)) and abs(value - float(text)) <= 0.5000001 * 10 ** -len(text.partition(".")[2])


def recomputed(match, page):
    value, text = computed(match[2], page), match[1]
    if not agrees(value, text) and not isinstance(value, bool):
        digits = len(text.partition(".")[2])
        new = f"{value:.{digits}f}"
        text = new.lstrip("0") if text.startswith(".") and value < 1 else new
    return f"{text}<!-- {match[2]} -->"


def move(args):
    facts = {name: getattr(args, name) for name in FACTS if getattr(args, name)}
    names = set()
    for page in args.pages:
        for _, mark, body, _ in TABLE.findall(page.read_text()):
            name, title, unit = place_of(mark, page)
            if not body.strip() or args.only not in (None, title, f"{title} {unit}".strip()):
                continue
            table = Table(body)
            if table.repeated():
                raise SystemExit(f"{page.name}: {mark}: more than one row or column is {table.repeated()[0]!r}")
            kept = load(name).setdefault((title, unit), {})
            for _, row, texts in table.rows:
                if row.endswith(PAPER) or not re.search(args.rows, row):
                    continue
                for column, text in texts.items():
                    if text and (row not in kept or column not in kept[row] or text_of(kept[row][column]) != text):
                        kept.setdefault(row, {})[column] = cell(text) | facts | {"typed": True}
            names.add(name)
    for name in names:
        save(name)


def write(args):
    for page in args.pages:
        text = page.read_text()
        text = TABLE.sub(lambda m: m[1] + written(m[3], *found(m[2], page)) + m[4], text)
        text = MADE.sub(lambda m: m[1] + made(m[2], page) + m[4], text)
        page.write_text(COMPUTED.sub(lambda m: recomputed(m, page), text))


def problems(page):
    text = page.read_text()
    for _, mark, body, _ in TABLE.findall(text):
        now = written(body, *found(mark, page))
        differing = sorted(set(body.splitlines()) ^ set(now.splitlines()))
        if now != body:
            yield f"table {mark} is not what its file says: {differing[0] if differing else 'other lines'}"
    for _, mark in SHOWN.findall(text):
        shown(mark, page)
    for said, way in COMPUTED.findall(text):
        value = computed(way, page)
        if not agrees(value, said):
            yield f"{said} is {value}: {way}"
    for _, kind, body, _ in MADE.findall(text):
        if body != made(kind, page):
            yield f"the table of what is {kind} is not what docs/papers says; results.py write makes it"
    yield from uncovered(page, text)
    yield from unproved(page, text)
    for body in re.findall(r"(?:^\|.*\n){3,}", MADE.sub("", TABLE.sub("", text)), re.M):
        if Table(body).is_of_numbers():
            yield f"a table of numbers has no file: {body.splitlines()[0]}"


def unproved(page, text):
    """Numbers of verdicts that name no cells, no page that has them, and not that no table does."""
    if page.parent.name != "papers":
        return
    for body in re.findall(r"^\|[^\n]*\| verdict, and why \|\n((?:\|.*\n)+)", text, re.M):
        for said in (said for line in body.splitlines()[1:] for said in line.strip()[1:-1].split(" | ")[-2:]):
            bare = MEASURED.findall(re.sub(r"`[^`]*`", "", COMPUTED.sub("", said)))
            if bare and "](" not in said and "(no table)" not in said:
                yield f"{bare[0]} names no cells: {said[:60]}"


def every_page():
    """All pages that show results."""
    return [
        ROOT / "README.md",
        DOCS / "index.md",
        DOCS / "guide" / "duckdb.md",
        DOCS / "guide" / "polars.md",
        *sorted(page for of in ("papers", "performance") for page in (DOCS / of).glob("*.md")),
    ]


def check(args):
    bad = [f"{page.name}: {problem}" for page in args.pages for problem in problems(page)]
    sys.exit("\n".join(bad) or None)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("move", "write", "check"))
    parser.add_argument("pages", nargs="*", type=pathlib.Path)
    parser.add_argument("--only", help="the table, or table and unit, that is moved")
    parser.add_argument("--rows", default="", help="which rows are moved")
    for name in FACTS:
        parser.add_argument(f"--{name}", help="of the cells that are moved")
    args = parser.parse_args(arguments)
    args.pages = args.pages or every_page()
    {"move": move, "write": write, "check": check}[args.action](args)


if __name__ == "__main__":
    main(sys.argv[1:])
