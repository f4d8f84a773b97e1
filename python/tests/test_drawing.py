# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Drawings against the arrays in the files of their indexes."""

import datetime
import pathlib
import re
import shutil
import subprocess
from xml.etree import ElementTree

import numpy as np
import pytest

import warpdex
from warpdex import Index, draw
from warpdex.drawing._arrangements import _interpolation
from registered import structures

INCLUDE = pathlib.Path(__file__).parents[2] / "include"
SVG = "{http://www.w3.org/2000/svg}"
USUAL = ["AO+BS", "AO+PB+BS", "AO+PB+KS(9)", "GRT(leaf=2)", "B+(16,fill=0.5)", "B+(page=4096)"]
USUAL += ["HT(open)", "HT(open)/layout=SoA", "HT(open,load=0.5)"]


def registered():
    """The samples of all structures that the library has, and some that every build has."""
    return sorted({*USUAL, *(spec for one in structures() for spec in one["samples"])})


KEYS = {
    "none": np.array([], np.uint32),
    "one": np.array([5], np.uint32),
    "all equal": np.full(40, 7, np.uint32),
    "some equal": np.random.default_rng(1).integers(0, 30, 60).astype(np.uint32),
    "far apart": np.random.default_rng(2).integers(0, 2**32 - 1, 90).astype(np.uint32),
}


def arrays_of(file):
    """The named arrays of an index file over u32 keys and row ids, and its pairs, by docs/reference/format.md."""
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


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("spec", [*registered(), "AO+PB+BS/layout=AoS"])
def test_a_structure_that_has_no_arrangement_yet(spec, name, monkeypatch):
    compiled(spec)
    monkeypatch.setattr(warpdex.drawing, "ARRANGEMENTS", {})
    keys = KEYS[name]
    probe = int(keys[0]) if keys.size else 1
    arrays = arrays_of(Index(keys, spec).to_bytes())
    picture = draw(spec, keys, probe)
    drawn = {}
    for array, slots, _, _ in cells_of(picture):
        drawn.setdefault("slots" if array in ("rows", "pairs") else array, []).extend(slots)
    assert drawn.pop("slots", []) == list(range(arrays["rows"].size))
    beside = {array: numbers.size for array, numbers in arrays.items() if array not in ("keys", "rows", "pairs")}
    assert {array: len(places) for array, places in drawn.items()} == {a: size for a, size in beside.items() if size}
    assert [bool(slots) for _, slots in path_of(picture)] == [True] * bool(keys.size)


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


def path_of(picture):
    """The array and the slots of each box of a path; of a node as a whole, those of all its boxes."""
    root = ElementTree.fromstring(str(picture))
    boxes = [(one, one[0]) for one in root.iter(SVG + "g")]
    found = []
    for frame in (one for one in root.iter(SVG + "rect") if one.get("class") == "path"):
        left, top = float(frame.get("x")), float(frame.get("y"))
        right, bottom = left + float(frame.get("width")), top + float(frame.get("height"))
        inside = [
            (box.get("data-array"), int(box.get("data-slot")) + i)
            for box, rect in boxes
            for i in range(int(box.get("data-span")))
            if left - 0.2 <= float(rect.get("x")) < right - 0.2 and top - 0.2 <= float(rect.get("y")) < bottom - 0.2
        ]
        found.append((inside[0][0], [slot for _, slot in inside]))
    return found


def mix(key, seed):
    """The hash of a number of 32 bits, by include/warpdex/search/mix.hpp."""
    x = key ^ seed
    x = (x ^ x >> 16) * 0x21F0AAAD & 0xFFFFFFFF
    return (x ^ x >> 16) * 0xD35A2D97 & 0xFFFFFFFF


@pytest.mark.parametrize("name", ["one", "all equal", "some equal", "far apart"])
@pytest.mark.parametrize("spec", ["HT(open)", "HT(open)/layout=SoA", "HT(open,load=0.98)", "HT(buckets)"])
def test_a_miss_ends_where_its_hash_would_be(spec, name):
    compiled(spec)
    keys = KEYS[name]
    file = Index(keys, spec).to_bytes()
    arrays = arrays_of(file)
    seed, homes = arrays["table"].view(np.uint64)[:2].tolist()
    units = arrays["table"].view(np.uint64)[2]
    chained = "buckets" in spec
    width = 16 if chained else arrays["rows"].size // units
    for probe in set(range(0, 200, 7)) - set(keys.tolist()):
        visited = [slots[0] for _, slots in path_of(draw(spec, keys, probe))]
        nodes = [range(slot, slot + (4 if chained and slot >= homes * width else width)) for slot in visited]
        hashes = [int(max(arrays["keys"][node])) for node in nodes]
        code = mix(probe, seed)
        assert all(last < code for last in hashes[:-1]), (probe, visited)
        ended = chained and arrays["rows"][nodes[-1][-1]] == 0  # the number of the next node of a chain
        assert hashes[-1] >= code or ended or nodes[-1].stop == arrays["rows"].size
        begin, home = visited[0] // width, code * homes >> 32
        assert begin == home or "0.98" in spec and home < begin < home + 256


def test_strings_in_a_hash_table():
    keys = ["Ulm", "Nice", "Rome", "Oslo", "Ulm", ""]
    for unique in (True, False):
        held = keys[: 4 if unique else 6]
        texts = {(cell[3][0], cell[1][0]) for cell in cells_of(draw("HT(open)", held)) if cell[2] == "hash"}
        assert sorted(text for text, _ in texts) == sorted(set(held))
        for probe in [*held, "Bonn"]:
            last = path_of(draw("HT(open)", held, probe))[-1][1]
            assert [slot for text, slot in texts if text == probe] == last or probe == "Bonn"


def test_a_spline_begins_at_its_cell():
    compiled("RS")
    keys = KEYS["far apart"]
    arrays = arrays_of(Index(keys, "RS").to_bytes())
    _, origin, shift, cells = arrays["grid"].view(np.uint64).tolist()
    for probe in [0, 1, 2**31, 2**32 - 1, *keys[:9].tolist()]:
        assert path_of(draw("RS", keys, probe))[0] == ("table", [min(max(probe - origin, 0) >> shift, cells - 1)])


STEPS = """
#include <warpdex/search/interpolated.hpp>
#include <iostream>
#include <vector>
int main() {
  std::uint32_t size, target;
  while (std::cin >> size >> target) {
    std::vector<std::uint32_t> keys(size);
    for (auto& key : keys) std::cin >> key;
    warpdex::interpolated<warpdex::soa_pairs<std::uint32_t, std::uint32_t>> const view({keys.data(), nullptr}, size);
    auto at = view.start(target);
    for (bool over = view.visit(warpdex::single_lane{}, at); !over;) {
      std::cout << at.next << ' ';
      over = view.visit(warpdex::single_lane{}, at);
    }
    std::cout << '\\n';
  }
}
"""


def test_interpolation_visits_what_the_search_visits(tmp_path):
    if shutil.which("c++") is None or not INCLUDE.exists():
        pytest.skip("no compiler, or no headers")
    random = np.random.default_rng(4)
    cases = []
    for most in [4, 100, 10**4, 2**32 - 1] * 100:
        keys = np.sort(random.integers(0, most, random.integers(1, 100)))
        keys = keys if random.integers(2) else np.sort(keys * keys % most)
        cases.append((keys.tolist(), int(random.integers(most) if random.integers(2) else random.choice(keys))))
    (tmp_path / "steps.cpp").write_text(STEPS)
    compile_ = ["c++", "-std=c++20", f"-I{INCLUDE}", tmp_path / "steps.cpp", "-o", tmp_path / "steps"]
    subprocess.run(compile_, check=True)
    given = "\n".join(" ".join(map(str, [len(keys), target, *keys])) for keys, target in cases)
    told = subprocess.run([tmp_path / "steps"], input=given, capture_output=True, text=True, check=True).stdout
    for (keys, target), line in zip(cases, told.split("\n"), strict=False):
        visited = list(_interpolation(keys, target))
        ends = min(len(keys), 2)
        assert visited[:ends] == [0, len(keys) - 1][:ends]
        assert visited[ends:] == [int(slot) for slot in line.split()], (keys, target)


def test_what_is_refused():
    with pytest.raises(warpdex.errors.InvalidArgument, match="keys has 1001 keys; a drawing takes 1000 at most"):
        draw("AO+BS", range(1001))
    with pytest.raises(warpdex.Error, match="probe"):
        draw("AO+BS", [1, 2], "a")
    with pytest.raises(warpdex.errors.SpecError):
        draw("none", [1])


def test_a_drawing_is_shown():
    picture = draw("AO+BS", [3, 1])
    assert picture._repr_svg_() == str(picture) and str(picture) in picture._repr_html_()
    assert ElementTree.fromstring(str(picture)).find(SVG + "title").text == "AO+BS/layout=SoA/rows=u32 over 2 keys"
