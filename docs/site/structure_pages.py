# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""A page for each structure that the library has, from `warpdex-bench info --json`, with drawings of small indexes.

Sphinx calls `write` before it reads the pages: they are written to the copy of docs/ from which the site is made."""

import json
import pathlib
import re
import subprocess
from xml.etree import ElementTree

import numpy as np
import warpdex
from result_charts import results
from warpdex.lookups.asking import LOOKUPS

ROOT = pathlib.Path(__file__).resolve().parents[2]
# As many of them are drawn as a tree of the structure needs.
KEYS = np.random.default_rng(8).integers(0, 100, 60).astype(np.uint32)
PROBE = int(np.sort(KEYS[:20])[12])


def html(picture):
    """A drawing as a part of a MyST page."""
    return f"```{{raw}} html\n{picture._repr_html_()}\n```\n"


def drawing(spec):
    """So many of the keys that the drawing shows how one row leads to the next, and the drawing."""
    for count in (20, 40, 60):
        picture = warpdex.draw(spec, KEYS[:count], probe=PROBE)
        if "<line" in str(picture):
            return KEYS[:count], picture
    return KEYS[:20], warpdex.draw(spec, KEYS[:20], probe=PROBE)


def operations(structure, spec):
    """The lookups that an index of the structure answers: each is asked."""
    numbers = warpdex.Index(np.array([1, 2], np.uint32), spec)
    strings = warpdex.Index(["a", "b"], spec) if structure["takes_bytes"] else None
    answered = []
    for name in LOOKUPS:
        for index, column in ((numbers, np.array([1], np.uint32)), (strings, ["a"])):
            if any(answers(index, name, columns) for columns in ((column,), (column, column))):
                answered.append(f"`{name}`")
                break
    return ", ".join(answered) + (", joins, as-of joins" if structure["ordered"] else ", joins by equality")


def answers(index, name, columns):
    try:
        getattr(index, name)(*columns)
    except (warpdex.Error, AttributeError, TypeError):
        return False
    return True


def compiled(spec):
    """Whether the library that makes the site has this structure with these arguments."""
    try:
        warpdex.Index(KEYS[:1], spec)
    except warpdex.Error:
        return False
    return True


def figures(names):
    """Links to the sections of papers that show a series of the structure, on the page or from bench/results."""
    found = []
    for paper in sorted((ROOT / "docs/papers").glob("0*.md")):
        for section in re.split(r"^## ", paper.read_text(), flags=re.M)[1:]:
            title = section.split("\n", 1)[0].strip()
            marks = re.findall(r'<!-- (?:table|cells|chart) ([^"\n]*?) (?:"|-->)', section)
            section += "".join(f"`{row}`" for mark in marks for row in results.found(mark, paper)[0])
            # A series begins with the spec: `AO+PB+BS` is no series of `AO+PB`.
            if any(re.search(rf"`{re.escape(name)}[`/(, ]", section) for name in names):
                found.append(f"- paper {paper.stem}: [{title}](../papers/{paper.stem}.md#{anchor(title)})")
    return found


def anchor(title):
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def slug(name):
    return re.sub(r"[^a-z0-9]+", "-", name.lower().replace("+", " plus ")).strip("-")


def page(structure, name):
    header = structure["drawing"]
    stem = pathlib.Path(header).stem
    papers = re.sub(r"\b0\d\d\b", r"[\g<0>](../papers/\g<0>.md)", structure["source"])
    widths = [str(width) for width in (4, 8, 16) if width <= structure["widest_key"]]
    rows = {
        "written as": ", ".join(f"`{form}`" for form in structure["forms"]),
        "arguments": structure["arguments"] or "none",
        "keys": f"numbers of {', '.join(widths[:-1])} or {widths[-1]} bytes"
        + (", byte strings" if structure["takes_bytes"] else ""),
        "operations": operations(structure, structure["samples"][0]),
        "bytes beyond the pairs": structure["extra_bytes"],
        "use it when": structure["use"],
        "from": papers,
        "class and source": f"[`{header}`](source-{stem}.md)",
    }
    lines = [f"# {name}: {structure['summary'].partition(', `')[0]}", ""]
    table = [f"| {what} | {text.replace('|', chr(92) + '|')} |" for what, text in rows.items()]
    lines += [table[0], "|---|---|", *table[1:]]
    for spec in filter(compiled, structure["samples"]):
        keys, picture = drawing(spec)
        lines += ["", f"## `{spec}` over {keys.size} keys, and the search for {PROBE}", "", html(picture)]
        if not structure["ordered"]:
            absent = int(np.setdiff1d(np.arange(100), keys)[50])
            missed = warpdex.draw(spec, keys, probe=absent)
            lines += [f"The search for {absent}, which is no key, ends where it would be:", "", html(missed)]
    found = figures([name, structure["name"]] if not structure["kind"] else [name])
    if found:
        lines += ["", "## Measured", "", *found]
    return "\n".join([*lines, ""])


def classes(header, xml):
    """The structs of a header, by Doxygen's account, without those inside of others."""
    found = []
    for file in sorted(xml.glob("structwarpdex_1_1*.xml")):
        told = ElementTree.parse(file).getroot()[0]
        name = told.findtext("compoundname")
        has_text = "".join(told.find("detaileddescription").itertext()).strip()
        is_base = told.find("derivedcompoundref") is not None  # whose text is that of the structure's view
        if told.find("location").get("file") == header and name.count("::") == 1 and has_text and not is_base:
            found.append(name)
    return found


def source_page(header, xml):
    """The view of a structure: its classes, and its text."""
    told = "\n".join(f".. doxygenstruct:: {name}" for name in classes(header, xml))
    return f"""---
orphan: true
---
# {pathlib.Path(header).name}

```{{eval-rst}}
{told}
```

## Source

```{{literalinclude}} ../../{header}
:language: cpp
```
"""


INDEX = """# Structures, drawn

Each has a page with its arguments, its bytes, the papers that it comes from, its class and its figures.

```{{toctree}}
:maxdepth: 1

{entries}
```
"""


def write(app):
    told = json.loads(subprocess.run(["warpdex-bench", "info", "--json"], check=True, capture_output=True).stdout)
    folder = pathlib.Path(app.srcdir) / "structures"
    folder.mkdir(exist_ok=True)
    listed = []
    for structure in told["structures"]:
        if structure["chooses"]:
            continue
        name = f"{structure['name']}({structure['kind']})" if structure["kind"] else structure["name"]
        (folder / f"{slug(name)}.md").write_text(page(structure, name))
        header = structure["drawing"]
        source = source_page(header, pathlib.Path(app.config.breathe_projects["warpdex"]))
        (folder / f"source-{pathlib.Path(header).stem}.md").write_text(source)
        listed.append(f"{name} <{slug(name)}>")
    entries = "\n".join(listed)
    (folder / "index.md").write_text(INDEX.format(entries=entries))


def setup(app):
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True}
