# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Drawings against the arrays in the files of their indexes."""

import datetime
import json
import re
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

import warpdex
from warpdex import Index, draw

SVG = "{http://www.w3.org/2000/svg}"
USUAL = ["AO+BS", "AO+BS/layout=AoS", "AO+PB+BS", "AO+PB+KS(9)", "GRT(leaf=2)", "B+(16,fill=0.5)", "B+(page=4096)"]
USUAL += ["HT(open)", "HT(open)/layout=SoA", "HT(open,load=0.5)"]


def registered():
    """The samples of all structures that the library has; without the command, some that every build has."""
    asked = subprocess.run([sys.executable, "-m", "warpdex", "info", "--json"], capture_output=True, check=False)
    if asked.returncode:
        return USUAL
    told = json.loads(asked.stdout)["structures"]
    return sorted({*USUAL, *(spec for one in told if not one["chooses"] for spec in one["samples"])})


KEYS = {
    "none": np.array([], np.uint32),
    "one": np.array([5], np.uint32),
    "all equal": np.full(40, 7, np.uint32),
    "some equal": np.random.default_rng(1).integers(0, 30, 60).astype(np.uint32),
    "far apart": np.random.default_rng(2).integers(0, 2**32 - 1, 90).astype(np.uint32),
}


def arrays_of(file):
    """The named arrays of an index file over u32 keys and row ids, and its pairs, by docs/format.md."""
    table = 64 + (int.from_bytes(file[36:40], "little") + 7) // 8 * 8
    arrays = {}
    for i in range(int.from_bytes(file[34:36], "little")):
        record = file[table + 64 * i : table + 64 * i + 64]
        begin, size = np.frombuffer(record, np.uint64, 2, 32).tolist()
        arrays[record[:32].rstrip(b"\0").decode()] = np.frombuffer(file[begin : begin + size], np.uint32)
    if "pairs" in arrays:
        arrays["keys"], arrays["rows"] = arrays["pairs"].reshape(-1, 2).T
    return arrays


def cells_of(picture):
    """The array, slots, kind and lines of text of each box."""
    found = []
    for box in ElementTree.fromstring(str(picture)).iter(SVG + "g"):
        first, span = int(box.get("data-slot")), int(box.get("data-span"))
        texts = [line.text or "" for line in box.iter(SVG + "text")]
        found.append((box.get("data-array"), range(first, first + span), box.get("class").split()[1], texts))
    return found


def compiled(spec):
    try:
        Index(np.array([1], np.uint32), spec)
    except warpdex.Error as why:
        pytest.skip(str(why))


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("spec", registered())
def test_boxes_are_the_slots_of_the_index(spec, name):
    compiled(spec)
    keys = KEYS[name]
    index = Index(keys, spec)
    arrays, hashed = arrays_of(index.to_bytes()), spec.startswith("HT")
    lead = 1 if spec in ("EO+BS", "EO+KS(2)") else 0  # a slot of zeros
    entries = {slot: row for slot, row in enumerate(arrays["rows"].tolist()) if row < keys.size and slot >= lead}
    drawn = []
    for array, slots, kind, texts in cells_of(draw(spec, keys)):
        own = array in ("rows", "pairs")
        if own and kind != "pivot":
            drawn += slots
        if kind in ("entry", "hash"):
            row = entries[slots[0]]
            assert texts[0] == str(keys[row]), (slots, texts)
            assert hashed or texts[1] == str(row)
            assert not hashed or int(texts[1], 16) == arrays["keys"][slots[0]] >> 16
        elif kind == "link" and own:  # from a node of a chain to the next one, which is no row
            assert texts == [f"n{entries.pop(slots[0], arrays['rows'][slots[0]])}"]
        elif kind == "link":
            assert texts == [str(arrays[array][slots[0]])]
        elif kind == "pivot" and array in ("pivots", "bounds"):
            assert {texts[0].split(" × ")[-1]} == {str(arrays[array][slot]) for slot in slots}
        elif kind == "pivot" and array in ("segments", "points"):
            assert texts[0].endswith("+1") or texts[0] == str(arrays[array][slots[0]])
        elif kind == "free" and own:
            entries = {slot: row for slot, row in entries.items() if slot not in slots or row}
    assert set(entries) <= set(drawn)
    assert sorted(drawn) == list(range(lead, arrays["rows"].size))


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("spec", registered())
def test_a_path_ends_at_the_answer(spec, name):
    compiled(spec)
    keys = KEYS[name]
    ordered = np.sort(keys)
    for probe in [0, 7, 2**32 - 1, *keys[:5].tolist(), *(keys[:5] // 2 + 1).tolist()]:
        root = ElementTree.fromstring(str(draw(spec, keys, probe)))
        end = re.search(
            r"looks at (\d+) places? and ends at (no entry|slot \d+, with key (\d+))\.$", root.find(SVG + "desc").text
        )
        rank = np.searchsorted(ordered, probe)
        is_there = rank < keys.size and (ordered[rank] == probe or not spec.startswith("HT"))
        assert end[3] == (str(ordered[rank]) if is_there else None)
        frames = [one for one in root.iter(SVG + "rect") if one.get("class") == "path"]
        assert len(frames) == int(end[1]) and (frames or not is_there)
        if is_there:
            cell = next(
                one
                for one in root.iter(SVG + "g")
                if one[0].get("x") == frames[-1].get("x") and one[0].get("y") == frames[-1].get("y")
            )
            assert cell[1].text == str(ordered[rank])


@pytest.mark.parametrize("spec", ["AO+BS", "GRT(leaf=2)", "AO+PB+KS(9)", "HT(open)", "AO+BS/filter=8"])
@pytest.mark.parametrize(
    "keys",
    [
        [-5, 3, 3, 2**40],
        [1.5, -2.5, float("nan")],
        ["Ulm", "Nice", "<&>", "Ulm"],
        [datetime.date(2026, 1, 2), datetime.date(2025, 1, 2)],
        ([49, 33], ["Ulm", "Nice"]),
        [2**100, 7],
        [4, None, 2],
    ],
    ids=str,
)
def test_keys_of_all_kinds(spec, keys):
    first = tuple(column[0] for column in keys) if isinstance(keys, tuple) else keys[0]
    try:
        Index(keys, spec)
    except warpdex.Error as why:
        pytest.skip(str(why))
    text = str(draw(spec, keys, first))
    ElementTree.fromstring(text)
    assert "nan" not in text or "nan" in str(keys)


def test_what_is_refused():
    with pytest.raises(warpdex.InvalidArgument, match="keys has 1001 keys; a drawing takes 1000 at most"):
        draw("AO+BS", range(1001))
    with pytest.raises(warpdex.Error, match="probe"):
        draw("AO+BS", [1, 2], "a")
    with pytest.raises(warpdex.SpecError):
        draw("none", [1])


def test_a_drawing_is_shown():
    picture = draw("AO+BS", [3, 1])
    assert picture._repr_svg_() == str(picture) and str(picture) in picture._repr_html_()
    assert ElementTree.fromstring(str(picture)).find(SVG + "title").text == "AO+BS/layout=SoA/rows=u32 over 2 keys"
