# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The page of benchmarks."""

import html.parser
import json
import pathlib
import re
import shutil
import subprocess

import pytest

from warpdex import report

pytest.importorskip("matplotlib")

RESULTS = pathlib.Path(__file__).parent / "data" / "results.jsonl"


class Page(html.parser.HTMLParser):
    """What a browser would load, and what stands in tables."""

    def __init__(self, text):
        super().__init__()
        self.loads, self.values, self.ids, self.series, self.open = [], [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        for name in ("src", "href", "xlink:href", "data", "action"):
            if name in found and not found[name].startswith(("#", "data:")):
                self.loads.append(found[name])
        if "data-value" in found:
            self.values.append(float(found["data-value"]))
        if "id" in found:
            self.ids.append(found["id"])
        if "data-series" in found:
            self.series.append(found["data-series"])
        if tag not in ("meta", "link", "input"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    lines = [json.loads(line) for line in RESULTS.read_text().splitlines()]
    older = folder / "older.jsonl"
    older.write_text("\n".join(json.dumps({**line, "rate": line["rate"] / 2}) for line in lines))
    assert report.main([str(RESULTS), str(older), "-o", str(folder / "page.html")]) == 0
    return lines, folder / "page.html"


def test_the_page_loads_nothing_and_is_well_formed(written):
    lines, path = written
    text = path.read_text()
    page = Page(text)
    assert page.loads == [] and page.open == []
    outside = re.sub(
        r"http://www\.w3\.org/[^\"]*|http://(purl\.org|creativecommons\.org)/[^\"]*|https://matplotlib\.org/?", "", text
    )
    assert "http:" not in outside and "https:" not in outside and "@import" not in text
    assert len(page.ids) == len(set(page.ids))
    assert page.series and set(page.series) <= set(page.ids)


def test_its_numbers_are_those_of_the_results(written):
    lines, path = written
    shown = Page(path.read_text()).values
    for line in lines:
        for name in ("rate", "median_s", "n", "index_bytes"):
            if line.get(name) is not None:
                assert float(line[name]) in shown
    assert shown.count(2.0) >= len([line for line in lines if line["kind"] == "index"])  # after / before


def test_it_is_the_same_each_time(written):
    lines, path = written
    assert report.page(lines) == report.page(lines)


def test_commands():
    line = json.loads(RESULTS.read_text().splitlines()[0])
    assert report.command_of(line).startswith(f"warpdex bench {line['bench']} --index '{line['name']}' --n {line['n']}")


def test_names_are_escaped():
    text = report.page([{"kind": "index", "name": "<script>alert(1)</script>", "bench": "point", "n": 8, "rate": 2.0}])
    assert "<script>alert" not in text


def test_bad_files(tmp_path):
    said = []
    assert report.main([str(tmp_path / "none.jsonl")], said.append) == 1
    assert "none.jsonl" in said[-1]
    for content, word in (
        ("{", "bad.jsonl:1"),
        ("[1]", "a line is an object"),
        ("", "no result"),
        ("\x80", "bad.jsonl"),
    ):
        (tmp_path / "bad.jsonl").write_bytes(content.encode("latin-1"))
        assert report.main([str(tmp_path / "bad.jsonl"), "-o", str(tmp_path / "p.html")], said.append) == 1
        assert word in said[-1]
    assert report.main([str(RESULTS), "-o", str(tmp_path / "no" / "p.html")], said.append) == 1


@pytest.mark.skipif(not shutil.which("chromium"), reason="no chromium")
def test_a_browser_has_nothing_to_say(written):
    _, path = written
    done = subprocess.run(
        [
            "chromium",
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--enable-logging=stderr",
            "--dump-dom",
            path.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0 and "CONSOLE" not in done.stderr
    assert len(Page(done.stdout).values) == len(Page(path.read_text()).values)
