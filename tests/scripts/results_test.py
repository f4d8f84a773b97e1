# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Pages show what bench/results has, and results.py moves, writes and checks it."""

import contextlib
import json
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "docs" / "site")]
import coverage  # noqa: E402
import figures  # noqa: E402
import result_charts  # noqa: E402
import results  # noqa: E402

TABLE = """<!-- table gpu points G/s -->
| structure | 2^16 | 2^28 |
|---|--:|---|
| `AO+BS` | 95.20 | 49.7 |
| hash, by name | .85 | |
| `HT(open)` | 1.141e+05 | 40 met |
<!-- end -->
"""


class Pages(unittest.TestCase):
    def test_they_show_what_files_have(self):
        for page in results.every_page():
            with self.subTest(page=page.name):
                self.assertEqual(list(results.problems(page)), [])

    def test_files_are_small(self):
        files = list((ROOT / "bench" / "results").iterdir())
        self.assertLessEqual(sum(file.stat().st_size for file in files), 5_000_000)
        for line in (line for file in files for line in file.read_text().splitlines()):
            self.assertLessEqual({"table", "row", "column", "unit", "value"}, set(json.loads(line)))


class Moved(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.enterContext(unittest.mock.patch.object(results, "RESULTS", pathlib.Path(folder)))
        results.load.cache_clear()
        self.addCleanup(results.load.cache_clear)
        self.page = pathlib.Path(folder) / "page.md"

    def called(self, action, text, *options):
        self.page.write_text(text)
        results.main([action, str(self.page), *options])
        return self.page.read_text()

    def problems(self, text):
        self.page.write_text(text)
        return list(results.problems(self.page))

    def test_a_table_comes_back(self):
        self.called("move", TABLE, "--card", "H200", "--commit", "abc")
        self.assertEqual(self.called("write", TABLE), TABLE)
        cells = [json.loads(line) for line in (results.RESULTS / "gpu.jsonl").read_text().splitlines()]
        facts = {"card": "H200", "commit": "abc", "typed": True}
        first = {"table": "points", "row": "AO+BS", "column": "2^16", "unit": "G/s", "value": 95.2, "digits": "95.20"}
        self.assertEqual(cells[0], first | facts)
        self.assertEqual([of["value"] for of in cells], [95.2, 49.7, 0.85, 114100, "40 met"])
        self.called("move", TABLE, "--commit", "other")
        self.assertIn("abc", (results.RESULTS / "gpu.jsonl").read_text())

    def test_rows_of_two_names(self):
        rows = "| a | hits | 1 |\n| | misses | 2 |\n| b | hits | 3 |\n"
        table = f"<!-- table gpu two -->\n| keys | probes | s |\n|---|---|---|\n{rows}<!-- end -->\n"
        self.called("move", table)
        self.assertEqual(self.called("write", table), table)
        self.assertEqual(list(results.load("gpu")["two", ""]), ["a | hits", "a | misses", "b | hits"])
        with self.assertRaises(SystemExit):
            self.called("move", table.replace("| s |", "| s | s |"))

    def test_a_page_shows_what_it_wants(self):
        self.called("move", TABLE)
        short = "<!-- table gpu points -->\n| | 2^28 |\n|---|---|\n| `AO+BS` | 1 |\n<!-- end -->\n"
        self.assertEqual(self.called("write", short), short.replace("| 1 |", "| 49.7 |"))
        whole = self.called("write", "<!-- table gpu points -->\n<!-- end -->\n")
        self.assertIn("| G/s | 2^16 | 2^28 |\n", whole)
        self.assertIn("| `HT(open)` | 1.141e+05 | 40 met |\n", whole)

    def test_differences_are_found(self):
        self.called("move", TABLE)
        self.assertEqual(self.problems(TABLE), [])
        self.assertRegex(self.problems(TABLE.replace("49.7", "49.8"))[0], "table gpu points G/s is not")
        self.assertRegex(self.problems("| a | b |\n|---|---|\n| c | 1.5 |\n")[0], "has no file")
        self.assertEqual(self.problems("| a | b |\n|---|---|\n| c | words |\n"), [])
        with self.assertRaises(SystemExit):
            self.problems(TABLE.replace("points", "others"))

    def test_charts(self):
        self.called("move", TABLE)
        page, mark = pathlib.Path("performance/page.md"), 'gpu points "AO+BS"'
        picture = result_charts.shown("chart", mark, page)
        self.assertNotIn("\n", picture)
        self.assertEqual(picture.count("<rect"), 2)
        self.assertIn(">95.2  2^16<", picture)
        rows = {"a": {f"2^{i}": {"value": i} for i in range(1, 6)}, "b": {"2^2": {"value": "none"}}}
        self.assertEqual(result_charts.chart(rows, "ms", "t").count("<circle"), 6)
        self.assertIn("| `AO+BS` | 95.20 | 49.7 |", result_charts.shown("cells", mark, page))
        self.assertEqual(self.problems(f"<!-- chart {mark} -->"), [])
        with self.assertRaises(SystemExit):
            self.problems('<!-- chart gpu points "none" -->')

    def test_verdicts_are_computed(self):
        self.called("move", TABLE)
        ratio = '{gpu points "AO+BS" 2^16} / {gpu points "AO+BS" 2^28}'
        for right in (f"1.92<!-- {ratio} --> times", f"2<!-- {ratio} -->", f"Confirmed<!-- {ratio} > 1.5 -->"):
            self.assertEqual(self.problems(right), [], right)
        for wrong in (f"1.91<!-- {ratio} -->", f"Confirmed<!-- {ratio} > 2 -->", f"many<!-- {ratio} -->"):
            self.assertEqual(len(self.problems(wrong)), 1, wrong)
        self.assertEqual(self.called("write", f"1.8<!-- {ratio} -->"), f"1.9<!-- {ratio} -->")
        head = "| | the paper | ours | verdict, and why |\n|---|---|---|---|\n"
        for proved in (
            f"1.92<!-- {ratio} --> times",
            "2 times ([page](page.md))",
            "2 times (no table)",
            "of 2^20 keys",
        ):
            page = head + f"| 1 | it wins by 9 times | yes | {proved} |\n"
            self.assertEqual(list(results.unproved(pathlib.Path("papers/900.md"), page)), [], proved)
        bare = list(results.unproved(pathlib.Path("papers/900.md"), head + "| 1 | it wins | .5 ms | yes |\n"))
        self.assertEqual(bare, [".5 ms names no cells: .5 ms"])
        for unknown in (
            '{gpu points "AO+BS" 2^17}',
            '{gpu points "HT(open)" 2^28}',
            '{gpu none "AO+BS" 2^16}',
            "x + {}",
        ):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(None):
                self.problems(f"1<!-- {unknown} -->")


class Covered(unittest.TestCase):
    """A figure of four cells, of which two are there, and a second unit."""

    FIGURE = """
defaults: {bench: point, n: "2^{keys}", with: {keys: 4}, units: [ms, GB]}
scaled: []
contenders: {"1": [AO+BS, PGM]}
figures: {1a: {axis: keys, for: {keys: [4, 6]}, x: "2^{keys}", contenders: "1"}}
not_measured: """

    def covered(self, *groups, rows=("AO+BS",), units=("ms", "GB")):
        with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as patched:
            place = pathlib.Path(folder)
            patched.enter_context(unittest.mock.patch.object(results, "RESULTS", place))
            patched.enter_context(unittest.mock.patch.object(results, "DOCS", place))
            patched.enter_context(unittest.mock.patch.object(figures, "PAPERS", place))
            (place / "900.yaml").write_text(self.FIGURE + json.dumps([{"status": "open"} | of for of in groups]))
            cells = [
                {"table": "1a", "row": row, "column": x, "unit": unit, "value": 1}
                for unit in units
                for row in rows
                for x in ("2^4", "2^6")
            ]
            (place / "900.jsonl").write_text("".join(json.dumps(of) + "\n" for of in cells))
            results.load.cache_clear()
            self.addCleanup(results.load.cache_clear)
            return coverage.Coverage("900"), coverage.groups_of("900"), coverage.statuses()

    def test_a_missing_cell_needs_a_reason(self):
        lacking, _, _ = self.covered()
        self.assertEqual(lacking.problems, [f"figure 1a has no cell PGM {x}, and no reason" for x in ("2^4", "2^6")])
        told, groups, statuses = self.covered({"figures": "1a", "series": "^P", "why": "2 min"})
        self.assertEqual(told.problems, [])
        self.assertIn("| 1a | 2 | `PGM` | to be run: 2 min |", groups)
        self.assertIn("| [900](900.md) | 1 | 1 | 4 | 2 | 0 | 0 | 2 | 0 | 0 |", statuses)

    def test_a_reason_needs_a_missing_cell(self):
        stale = {"figures": "1a", "x": "2.8", "why": "large"}
        here, _, _ = self.covered(stale, rows=("AO+BS", "PGM"))
        self.assertEqual(here.problems, ["figures 1a: nothing is missing that is large"])
        with self.assertRaises(SystemExit):
            self.covered({"figures": "1a", "status": "none", "why": "large"})

    def test_a_unit_without_cells_needs_a_reason(self):
        rows = ("AO+BS", "PGM")
        self.assertEqual(len(self.covered(rows=rows, units=["ms"])[0].problems), 1)
        group = {"figures": "1a", "units": ["GB"], "status": "omitted", "why": "known"}
        told, groups, _ = self.covered(group, rows=rows, units=["ms"])
        self.assertEqual(told.problems, [])
        self.assertIn("| 1a | all | GB | omitted: known |", groups)
        smaller = {"figures": "1a", "status": "smaller", "why": "half"}
        self.assertIn("| 4 | 4 | 4 | 0 | 0 |", self.covered(smaller, rows=rows)[2])


if __name__ == "__main__":
    unittest.main()
