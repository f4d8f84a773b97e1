# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Drawings of what happens over time, in the style of those of indexes: `{drawing} NAME` in a page puts one there.

Numbers come from indexes that are built and asked here, and names from the tree of folders as it is."""

import pathlib
import subprocess

import numpy as np
import warpdex
from docutils import nodes
from docutils.parsers.rst import Directive
from warpdex.drawing._figures import Cell, Figure, Link, Row, Spot
from warpdex.drawing._stored import Stored
from warpdex.drawing._svg import svg

ROOT = pathlib.Path(__file__).resolve().parents[2]
RANDOM = np.random.default_rng(3)


def cells(values, kind, notes=None):
    """A box for each value."""
    return [Cell(str(value), kind, "", i, str(notes[i]) if notes is not None else "") for i, value in enumerate(values)]


def groups_of(row, group):
    """The nodes of a row as its boxes fall into groups, and for each box its node and its place there."""
    out, places, last = [], [], None
    for cell, number in zip(row, group):
        if number != last:
            out.append([])
        last = number
        out[-1].append(cell)
        places.append((len(out) - 1, len(out[-1]) - 1))
    return out, places


def spec():
    """The texts that an index goes through, from what a caller writes to an answer."""
    keys, asked = np.array([30, 10, 20, 10], np.uint32), "AO+PB+BS/layout=AoS"
    index = warpdex.Index(keys, asked)
    probe = np.array([10, 25], np.uint32)
    steps = [
        ("spec: what the caller writes", [asked]),
        ("plan: all choices made, nothing built", [index.spec]),
        ("structure: sorted pairs in a layout", ["10 1", "10 3", "20 2", "30 0"]),
        ("batch: probes of a lookup", [f"find {probe[0]}", f"find {probe[1]}"]),
        ("answers: the smallest row of each key, -1 for none", index.find(probe).tolist()),
    ]
    kinds = ["link", "link", "entry", "pivot", "hash"]
    rows = [Row(label, [cells(texts, kind)]) for (label, texts), kind in zip(steps, kinds)]
    links = [Link(Spot(i, 0, 0), Spot(i + 1, 0, 0)) for i in range(len(rows) - 1)]
    return Figure(rows, links), "From a spec to an answer"


def windows():
    """Probes are partitioned by the intervals of keys, searched there, and their answers brought back."""
    index = warpdex.Index(np.sort(RANDOM.integers(0, 100, 24)).astype(np.uint32), "AO+BS")
    probes = RANDOM.integers(0, 100, 14).astype(np.uint32)
    bucket = probes // 25
    order = np.argsort(bucket, kind="stable")
    ranks = index.lower_bound(probes)
    parted, place = groups_of(cells(probes[order], "pivot"), bucket[order])
    found, _ = groups_of(cells(ranks[order], "entry"), bucket[order])
    rows = [
        Row("probes as they come", [cells(probes, "pivot")]),
        Row("1. partition: window buckets of 25 keys each", parted),
        Row("2. search: one slice of the keys per bucket, here lower_bound", found),
        Row("3. restore: answers in the order of the probes", [cells(ranks, "entry")]),
    ]
    links = []
    for at, came in enumerate(order):
        node, cell = place[at]
        links += [
            Link(Spot(0, 0, int(came)), Spot(1, node, cell)),
            Link(Spot(1, node, cell), Spot(2, node, cell)),
            Link(Spot(2, node, cell), Spot(3, 0, int(came))),
        ]
    return Figure(rows, links), "A window: partition, search, restore"


def host():
    """Chunks of a batch over arrays in host memory: while one is searched, others are copied."""
    chunks = 5
    stages = [("copy to the device", "link"), ("search", "entry"), ("copy to the host", "hash")]
    rows, links = [], []
    for at, (label, kind) in enumerate(stages):
        waits = [Cell("", "free", "", 0)] * at
        rows.append(Row(label, [[*waits, *cells([f"chunk {i}" for i in range(chunks)], kind)]]))
    for chunk in range(chunks):
        links += [Link(Spot(at, 0, at + chunk), Spot(at + 1, 0, at + 1 + chunk)) for at in range(len(stages) - 1)]
    return Figure(rows, links), "Arrays on the host: time goes to the right"


def updates():
    """Entries of an index and the batch of an update become the entries of the new index."""
    old = np.array([4, 9, 15, 23, 31, 42], np.uint32)
    index = warpdex.Index(old, "AO+BS")
    new, new_rows, gone = np.array([12, 27, 50], np.uint32), np.array([6, 7, 8]), np.array([15, 31], np.uint32)
    before = Stored(index.to_bytes()).slots
    index.update(new, new_rows, gone)
    after = Stored(index.to_bytes()).slots

    def boxes(slots, kind):
        return cells([slot.code for slot in slots], kind, [slot.row for slot in slots])

    rows = [
        Row("entries before: key, row id", [boxes(before, "entry")]),
        Row("batch: entries to insert; keys to erase (dashed)", [cells(new, "pivot", new_rows), cells(gone, "free")]),
        Row("entries after the merge", [boxes(after, "entry")]),
    ]
    links = []
    for at, slot in enumerate(after):
        source = Spot(0, 0, before.index(slot)) if slot in before else Spot(1, 0, new.tolist().index(slot.code))
        links.append(Link(source, Spot(2, 0, at)))
    return Figure(rows, links), "An update by merging"


def tree():
    """The folders of the repository, and how many files each has."""
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files"], capture_output=True, text=True, check=False).stdout
    files = listed.split() or [str(path.relative_to(ROOT)) for path in ROOT.glob("[a-z]*/**/*.*")]
    counts: dict[str, dict[str, int]] = {}
    for file in files:
        parts = file.split("/")
        if len(parts) > 1 and not file.startswith("."):
            inner = counts.setdefault(parts[0], {})
            name = parts[1] if len(parts) > 2 else "files here"
            inner[name] = inner.get(name, 0) + 1
    rows = []
    for folder, inner in sorted(counts.items()):
        label = f"{folder}/: {sum(inner.values())} files"
        rows.append(
            Row(
                label,
                [cells([name], "entry" if name != "files here" else "link", [n]) for name, n in sorted(inner.items())],
            )
        )
    return Figure(rows), "The tree of folders: the number of files of each"


DRAWINGS = {one.__name__: one for one in (spec, windows, host, updates, tree)}


class DrawingDirective(Directive):
    """`{drawing} NAME`: one of the functions above."""

    required_arguments = 1

    def run(self):
        made = DRAWINGS.get(self.arguments[0])
        if made is None:
            raise self.error(f"there is no drawing {self.arguments[0]}; there are {', '.join(DRAWINGS)}")
        figure, title = made()
        picture = warpdex.drawing.Drawing(svg(figure, title, made.__doc__))
        return [nodes.raw("", picture._repr_html_(), format="html")]


def setup(app):
    app.add_directive("drawing", DrawingDirective)
    return {"parallel_read_safe": True}
