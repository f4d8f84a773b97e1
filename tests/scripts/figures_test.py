# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""figures_test.py [WARPDEX-BENCH]: the figures of papers, and tables of recorded lines. With the program all figures
run on a CPU, with keys and probes that are 2^16 times fewer."""

import contextlib
import io
import json
import pathlib
import re
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent / "scripts"))
import figures  # noqa: E402

RECORDED = HERE / "results.jsonl"
NAMES = ["000", "001", "002", "003", "004"]
# Of each figure the cells in all, those of waves and of bare rays being counted once.
CELLS = {
    "000": "1a 42, 1b 42, 7 11, 14a 72, 14b 72, 14c 36, 15 72, 16 72, 17a 72, 17b 90, 18a 72, 18b 90, 19 40, 20 154, "
    "21 70, 22 105",
    "001": "II 32, gaps 78, wiki 78, outlier 78, osm 78, eps 32, model 36",
    "002": "3 48, 5 48, 7 36, 8 32, 9 16",
    "003": "1c 0, rays 0, 8a 96, 8b 96, t1 27, 10a 117, 10b 117, 11 96, 11u64 96, 12 78, 13 112, 14 144, 15 9",
    "004": "2a 90, 2b 90, 3a 60, 3dense 60, 3b 20, 3c 12, 4 38, 5 40, F 5, 6a 16, 6b 18, 6c 24",
}


def called(*arguments):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        figures.main([str(a) for a in arguments])
    return out.getvalue(), err.getvalue()


class Described(unittest.TestCase):
    def test_cells(self):
        for paper in NAMES:
            data = figures.described(paper)
            counts = {}
            for name in data["figures"]:
                commands = list(figures.commands_of(data, name, 0))
                counts[name] = sum(len(command["cells"]) for command in commands)
                places = [cell[1:] for command in commands for cell in command["cells"]]
                if commands[0]["bench"] != "update":
                    self.assertEqual(len(places), len(set(places)), f"{paper} {name}: two cells at one place")
            self.assertEqual(", ".join(f"{name} {count}" for name, count in counts.items()), CELLS[paper])

    def test_each_table_of_a_page_is_that_of_a_unit(self):
        for paper in NAMES:
            data = figures.described(paper)
            tables = re.findall("<!-- table (.*) -->", (figures.PAPERS / f"{paper}.md").read_text())
            units = [f"{name} {unit}" for name in data["figures"] for unit in figures.figure_of(data, name)["units"]]
            self.assertEqual(sorted(tables), sorted(units))
            for name in data["figures"]:
                self.assertLessEqual(set(figures.figure_of(data, name).get("paper", {})), set(figures.UNITS))

    def test_sizes(self):
        def options(paper, name, option, scale=0):
            found = figures.commands_of(figures.described(paper), name, scale)
            return list(dict.fromkeys(command["options"].get(option) for command in found))

        self.assertEqual(options("000", "1a", "n"), ["2^16", "2^18", "2^20", "2^22", "2^24", "2^26", "2^28"])
        self.assertEqual(options("000", "1a", "n", 17), ["2^0", "2^1", "2^3", "2^5", "2^7", "2^9", "2^11"])
        self.assertEqual(options("000", "22", "hits", 8), ["2^2", "2^4", "2^6", "2^8", "2^10", "2^12", "2^14"])
        self.assertEqual(options("002", "7", "part_probes"), [f"2^{bits}" for bits in range(18, 27)])
        self.assertEqual(options("003", "13", "hit_rate"), ["1", "0.75", "0.5", "0.25", "0"])
        self.assertEqual(options("004", "4", "n", 1), [3_500_000, 4_500_000, "2^19", "2^23"])
        self.assertEqual(options("004", "5", "probes"), [f"2^{bits}" for bits in (24, 18, 21, 15, 17, 11, 14, 8)])
        self.assertEqual(options("001", "II", "place"), ["host"])
        last = list(figures.commands_of(figures.described("000"), "16", 8))[-1]["cells"][-1]
        self.assertIn("levels=19", last[0])
        self.assertEqual(last[1:], ("pin=full/reorder=block+restore", "19/AoS"))


class Recorded(unittest.TestCase):
    def test_tables(self):
        text, _ = called("tables", RECORDED)
        self.assertIn("| `AO+BS` |", text)
        self.assertIn("build", text)

    def lines(self, folder, name, values):
        """A file of a few lines of figure 1a of paper 000."""
        path = pathlib.Path(folder) / name
        shared = {
            "kind": "index",
            "bench": "point",
            "name": "AO+BS",
            "threads": None,
            "gpu": "X",
            "cpu": "Y",
            "n": 65536,
        }
        shared |= {"paper": "000", "figure": "1a", "scale": 0, "commit": "abc", "series": "AO+BS"}
        path.write_text("".join(json.dumps(shared | {"x": x, "rate": rate}) + "\n" for x, rate in values))
        return path

    def test_pages_are_written(self):
        with tempfile.TemporaryDirectory() as folder:
            results = self.lines(folder, "r.jsonl", [("2^16", 1e9), ("2^16", 2e9), ("2^18", 5e8)])
            page = pathlib.Path(folder) / "000.md"
            page.write_text("a\n<!-- table 1a G/s -->\nold\n<!-- end -->\nb\n")
            called("tables", results, page)
            table = "| G/s | 2^16 | 2^18 |\n| --- | --- | --- |\n| `AO+BS` | 2 | 0.5 |\n"
            self.assertEqual(page.read_text(), f"a\n<!-- table 1a G/s -->\n{table}<!-- end -->\nb\n")
            page.write_text("no place\n")
            with self.assertRaises(SystemExit):
                called("tables", results, page)

    def test_missing_cells(self):
        with tempfile.TemporaryDirectory() as folder:
            text, _ = called("missing", self.lines(folder, "r.jsonl", [("2^16", 1e9)]), "000")
        self.assertIn("1a: 1 cells; X, commit abc, as large as in the paper\n", text)
        self.assertRegex(text, r"n = 2\^16: AO\+BS naive at 2\^16, B\+\(16\) naive at")
        self.assertRegex(text, r"n = 2\^18: AO\+BS naive at 2\^18, AO\+BS at 2\^18")
        self.assertIn("1b: 0 cells\n", text)

    def test_comparison(self):
        with tempfile.TemporaryDirectory() as folder:
            before = self.lines(folder, "b.jsonl", [("2^16", 1e9), ("2^18", 1e9)])
            text, _ = called("compare", before, self.lines(folder, "a.jsonl", [("2^16", 2e9), ("2^20", 1e9)]))
        self.assertEqual(text.splitlines()[2:], ["| 000 1a | `AO+BS` | 2^16 | 1e+09 | 2e+09 | 2.000 |"])

    def test_the_paper_is_beside_the_measurements(self):
        series = {"binary row": {"2^2": {"median_s": 0.1}, "2^4": {"median_s": 0.2}}}
        units, of_paper = figures.units_of("003", "t1")
        self.assertEqual(units, ["ms"])
        text = figures.table(series, "ms", of_paper)
        self.assertIn("| `binary row` | 100 | 200 |\n", text)
        self.assertIn("| `binary row, the paper` | 97.5 | 109.5 |\n", text)

    def test_unknown_names(self):
        for wrong in (["run", "005", "1"], ["run", "000", "99"], ["run", "000", "1a", "--scale", "17"]):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                figures.main(wrong)


class Run(unittest.TestCase):
    """All figures, as far as this build has their structures."""

    program = None

    def test_every_figure_has_its_cells(self):
        if self.program is None:
            self.skipTest("no program is given")
        small = ["--scale", "16", "--backend", "cpu", "--repeat", "1", "--threads", "1", "--bin", self.program]
        for paper in NAMES:
            data = figures.described(paper)
            for name in data["figures"]:
                with self.subTest(paper=paper, figure=name):
                    text, problems = called("run", paper, name, *small)
                    lines = [json.loads(line) for line in text.splitlines()]
                    places = {(line["series"], line["x"]) for line in lines}
                    self.assertEqual(len(places), len(lines), "two lines at one place")
                    for command in figures.commands_of(data, name, 16):
                        for spec, series, x in command["cells"]:
                            waves = command["bench"] == "update"
                            found = any(s == series for s, _ in places) if waves else (series, x) in places
                            self.assertTrue(found or spec in problems or "tracer" in spec, f"{spec} at {x}: {problems}")
                    for line in lines:
                        self.assertEqual((line["paper"], line["figure"], line["scale"]), (paper, name, 16))
                        self.assertIn("rate", line)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        Run.program = sys.argv.pop(1)
    unittest.main()
