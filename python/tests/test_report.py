# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The page of benchmarks."""

import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import xml.etree.ElementTree as xml

import pytest

from warpdex import report

pytest.importorskip("matplotlib")

RESULTS = pathlib.Path(__file__).parent / "data" / "results.jsonl"


class Page(html.parser.HTMLParser):
    """What a browser would load, and what is in tables."""

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
    shared = {"kind": "index", "name": "AO+BS", "n": 8, "keys": "uniform", "backend": "cpu", "repeat": 3, "seed": 1}
    start = "--index 'AO+BS' --n 8 --keys uniform --backend cpu --repeat 3 --seed 1"
    for own, expected in [
        (
            {"bench": "point", "op": "floor", "copies": 2, "probes": 9, "hit_rate": 0.5, "miss": "out", "zipf": 1.0}
            | {"sorted": True, "place": "host"},
            f"point {start} --ops floor --copies 2 --probes 9 --hit-rate 0.5 --miss out --zipf 1.0 --sorted --place host",
        ),
        ({"bench": "range", "op": "range_sum", "hits": 4, "sorted": False}, f"range {start} --ops sum --hits 4"),
        ({"bench": "update", "waves": 2, "batch": 5, "wave": 1}, f"update {start} --waves 2 --batch 5"),
        (
            {"bench": "join", "op": "asof", "direction": "nearest", "right": "host", "place": "pinned"},
            f"join {start.replace(' --keys uniform', '')} --how asof --direction nearest --right host --left pinned",
        ),
        ({"bench": "point", "paper": "001", "figure": "4a", "scale": 2}, "paper --paper 001 --figure 4a --scale 2"),
    ]:
        assert report.command_of({**shared, **own}) == f"warpdex-bench {expected} --json"


def series_of(text):
    """Of each series of a page: how many marks are drawn, and its texts."""
    found = {}
    for figure in re.findall(r"<figure.*?</figure>", text, re.S):
        tips = json.loads(html.unescape(re.search(r'data-tips="(.*?)"', figure)[1]))
        svg = xml.fromstring(figure[figure.index("<svg") : figure.index("</svg>") + 6])
        for group in svg.iter("{http://www.w3.org/2000/svg}g"):
            if group.get("id") in tips:
                uses = len(list(group.iter("{http://www.w3.org/2000/svg}use")))
                found[group.get("id")] = uses, tips[group.get("id")]
    return found


def test_each_mark_has_its_text(written):
    _, path = written
    found = series_of(path.read_text())
    for marks, texts in found.values():
        assert len(texts) == max(marks, 1)  # a bar has no mark


def test_figures_of_papers_have_their_own_x_axis():
    def line(x, series, rate):
        return {"kind": "index", "name": "AO+BS", "bench": "join", "paper": "002", "figure": "7", "n": 8} | {
            "x": x,
            "series": series,
            "rate": rate,
        }

    powers = [line(f"2^{e}", s, float(e)) for s in ("ours", "theirs") for e in (20, 22, 21)]
    found = series_of(report.page(powers))
    assert [texts for _, texts in found.values()] == [
        [f"{s}: per second {e} at x {2**e:.6g}" for e in (20, 21, 22)] for s in ("ours", "theirs")
    ]
    names = [line(x, "ours", 2.0) for x in ("insert", "erase")]
    text = report.page(names)
    assert [texts for _, texts in series_of(text).values()] == [
        ["ours: per second 2 at x insert", "ours: per second 2 at x erase"]
    ]
    assert text.count("<figure") == 1 and "insert" in text


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


def browsed(path, folder, *options):
    """What Chromium makes of a page, and what it logs."""
    done = subprocess.run(
        [
            "chromium",
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--no-first-run",
            "--enable-logging=stderr",
            f"--user-data-dir={folder / 'profile'}",
            *options,
            "--dump-dom",
            path.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0 and "CONSOLE" not in done.stderr
    return done.stdout


@pytest.mark.skipif(not shutil.which("chromium"), reason="no chromium")
def test_a_browser_has_nothing_to_say(written, tmp_path):
    lines, path = written
    shown = Page(browsed(path, tmp_path, f"--log-net-log={tmp_path / 'net.json'}")).values
    assert shown == Page(path.read_text()).values
    for line in lines:
        for name in ("rate", "median_s", "n", "index_bytes"):
            assert line.get(name) is None or float(line[name]) in shown
    asked = set(re.findall(r'"url":"([^"]*)"', (tmp_path / "net.json").read_text()))
    # The browser asks its maker for updates; all else would be the page's.
    own = r"(file|data|chrome[a-z-]*):|https?://[a-z0-9.]+\.(google|googleapis|gvt1)\.com/"
    assert [url for url in asked if not re.match(own, url)] == []


HOVER = """<script>
const seen = [];
for (const figure of document.querySelectorAll('figure'))
  for (const [id, lines] of Object.entries(JSON.parse(figure.dataset.tips)))
    document.getElementById(id).querySelectorAll('use').forEach((mark, i) => {
      const place = mark.getBoundingClientRect();
      const at = { bubbles: true, clientX: place.x + place.width / 2, clientY: place.y + place.height / 2 };
      mark.dispatchEvent(new MouseEvent('mousemove', at));
      seen.push(document.getElementById('tip').textContent === lines[i]);
    });
document.body.dataset.seen = seen.join();
</script></body>"""


@pytest.mark.skipif(not shutil.which("chromium"), reason="no chromium")
def test_a_mark_shows_its_value(tmp_path):
    line = {"kind": "index", "name": "AO+BS", "bench": "point", "rate": 2.0}
    lines = [
        {**line, "n": 1 << e, "name": name, "rate": 100.0 * e} for name in ("AO+BS", "HT(open)") for e in (20, 24, 22)
    ]
    path = tmp_path / "page.html"
    path.write_text(report.page(lines).replace("</body>", HOVER))
    assert 'data-seen="true,true,true,true,true,true"' in browsed(path, tmp_path)
