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
        for unknown in (
            '{gpu points "AO+BS" 2^17}',
            '{gpu points "HT(open)" 2^28}',
            '{gpu none "AO+BS" 2^16}',
            "x + {}",
        ):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(None):
                self.problems(f"1<!-- {unknown} -->")


if __name__ == "__main__":
    unittest.main()
