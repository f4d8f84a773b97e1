# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""figures_test.py [WARPDEX-BENCH]: the figures of papers, and tables of recorded lines. With the program all figures
run on a CPU, with keys and probes that are 2^16 times fewer."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent / "bench"))
import figures  # noqa: E402
import results  # noqa: E402

RECORDED = HERE / "results.jsonl"
NAMES = ["000", "001", "002", "003", "004"]
# Of each figure the cells in all, those of waves and of bare rays being counted once.
CELLS = {
    "000": "1a 56, 1b 56, 7 11, 14a 76, 14b 76, 14c 40, 15 76, 16 76, 17a 76, 17b 104, 18a 76, 18b 94, 19 40, 20 196, "
    "21 80, 22 105",
    "001": "II 48, gaps 80, wiki 80, outlier 80, osm 80, eps 32, model 36",
    "002": "3 48, 4 16, 5 48, 7 54, 8 48, 9 16",
    "003": "1a 16, 1b 18, 1c 0, rays 0, 8a 144, 8b 144, t1 27, 10a 144, 10b 144, 11 126, 11u64 126, 12 114, 13 182, 14 189, "
    "15 15",
    "004": "2a 200, 2b 0, 3a 180, 3b 40, 3c 220, 4 48, 5 40, F 5, 6a 32, 6b 18, 6c 24",
}


@contextlib.contextmanager
def kept_in(folder):
    """Cells are kept below a folder, which has none yet."""
    kept = pathlib.Path(folder) / "kept"
    results.load.cache_clear()
    with unittest.mock.patch.object(results, "RESULTS", kept):
        yield kept
    results.load.cache_clear()


def called(*arguments):
    """What a command prints on both ways. A run may end as it has no more time."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            figures.main([str(a) for a in arguments])
        except SystemExit as ended:
            if ended.code != figures.OUT_OF_TIME:
                raise
            print("to be continued", file=sys.stderr)
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
                if commands and commands[0]["bench"] != "update":
                    self.assertEqual(len(places), len(set(places)), f"{paper} {name}: two cells at one place")
            self.assertEqual(", ".join(f"{name} {count}" for name, count in counts.items()), CELLS[paper])

    def test_each_table_of_a_figure_is_that_of_a_unit(self):
        for paper in NAMES:
            data = figures.described(paper)
            for name, unit in results.load(paper):
                if name in data["figures"]:
                    self.assertIn(unit, figures.figure_of(data, name)["units"], f"{paper} {name}")
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
        self.assertEqual(options("004", "5", "length", 1), ["1000", "10000", "100000", "1000000"])
        self.assertEqual(options("004", "5", "probes"), [f"2^{bits}" for bits in (24, 18, 21, 15, 17, 11, 14, 8)])
        self.assertEqual(options("001", "II", "place"), ["host"])
        self.assertEqual(options("001", "II", "move"), [None, True])
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

    def test_cells_are_kept(self):
        with tempfile.TemporaryDirectory() as folder, kept_in(folder) as kept:
            measured = self.lines(folder, "r.jsonl", [("2^16", 1e9), ("2^16", 2e9), ("2^18", 5e8)])
            called("keep", measured)
            called("keep", self.lines(folder, "r.jsonl", [("2^18", 4e8)]))
            cells = [json.loads(line) for line in (kept / "000.jsonl").read_text().splitlines()]
            smaller = self.lines(folder, "r.jsonl", [("2^20", 1e9)])
            smaller.write_text(smaller.read_text().replace('"scale": 0', '"scale": 8'))
            called("keep", smaller)
            rows = [json.loads(line) for line in (kept / "000.jsonl").read_text().splitlines()]
            self.assertEqual([(of["column"], of["scale"]) for of in rows], [("2^20", 8)])
        place = {"table": "1a", "row": "AO+BS", "unit": "G/s"}
        facts = {"card": "X", "commit": "abc"}
        self.assertEqual(cells[0], place | {"column": "2^16", "value": 2.0} | facts)
        self.assertEqual(cells[1], place | {"column": "2^18", "value": 0.4} | facts)

    def test_comparison(self):
        with tempfile.TemporaryDirectory() as folder:
            before = self.lines(folder, "b.jsonl", [("2^16", 1e9), ("2^18", 1e9)])
            text, _ = called("compare", before, self.lines(folder, "a.jsonl", [("2^16", 2e9), ("2^20", 1e9)]))
        self.assertEqual(text.splitlines()[2:], ["| 000 1a | `AO+BS` | 2^16 | 1e+09 | 2e+09 | 2.000 |"])

    def test_the_paper_is_in_tables(self):
        cells = figures.cells_in({"binary row": {"2^2": {"median_s": 0.1}, "2^4": {"median_s": 0.2}}}, "ms")
        text = results.all_of(cells | results.of_paper("003", "t1", "ms", ["2^2", "2^4"]), "ms")
        self.assertIn("| `binary row` | 100 | 200 |\n", text)
        self.assertIn("| `binary row, the paper` | 97.5 | 109.5 |\n", text)

    def test_lines_of_another_figure(self):
        self.assertEqual(figures.units_of("004", "2a"), [("2a", ["M/s", "ms"]), ("2b", ["GB"])])

    def test_unknown_names(self):
        for wrong in (["run", "005", "1"], ["run", "000", "99"], ["run", "000", "1a", "--scale", "17"]):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                figures.main(wrong)


class Resumed(unittest.TestCase):
    """Runs of a program that prints a line per spec, and never ends if there is one number WAITS."""

    PROGRAM = """#!/usr/bin/env python3
import json, re, sys, time
words = dict(zip(sys.argv, sys.argv[1:]))
if words["--baselines"] != "none":
    print(json.dumps({"kind": "baseline", "name": "base", "threads": None}), flush=True)
for number, spec in enumerate(re.split(r",(?![^(]*[)])", words["--index"])):
    if number == WAITS:
        time.sleep(60)
    of = [words.get(name) for name in ("--keys", "--n", "--key-type")]
    line = {"kind": "index", "name": spec, "threads": None, "words": of, "probes": words.get("--probes")}
    print(json.dumps(line), flush=True)
"""

    def run_figure(self, folder, *options, waits=-1):
        program = pathlib.Path(folder) / "program"
        program.write_text(self.PROGRAM.replace("WAITS", str(waits)))
        program.chmod(0o755)
        results = pathlib.Path(folder) / "r.jsonl"
        _, told = called("run", "000", "14c", "--bin", program, "--out", results, *options)
        return [json.loads(line) for line in results.read_text().splitlines()], told

    def test_what_is_there_is_not_run_again(self):
        with tempfile.TemporaryDirectory() as folder:
            lines, _ = self.run_figure(folder, "--series", "^pin=none")
            self.assertEqual({line["series"][:8] for line in lines}, {"pin=none"})
            count = len(lines)
            self.assertEqual(count, 12)
            lines, told = self.run_figure(folder, "--series", "^pin=none")
            self.assertEqual(len(lines), count)
            self.assertIn("14c: 40 of 40 cells are there or not asked for", told)
            lines, _ = self.run_figure(folder, "--series", "^pin=")
            self.assertEqual(len(lines), 36)
            with kept_in(folder) as kept:
                kept.mkdir()
                cell = {"table": "14c", "row": "HT(open) 80%", "column": "static/SoA", "unit": "ms", "value": 1}
                (kept / "000.jsonl").write_text(json.dumps(cell))
                lines, _ = self.run_figure(folder, "--lacking")
            self.assertEqual([line["series"] for line in lines[36:]], ["B+(16) naive", "B+(16)", "HT(open) 80% naive"])

    def test_keys_of_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            names = pathlib.Path(folder) / "names.npy"
            names.write_bytes(bytes(800))
            lines, told = self.run_figure(folder, "--keys", names, "--series", "^B")
            self.assertEqual([line["words"] for line in lines], [[str(names), None, None]] * 2)
            self.assertEqual({line["scale"] for line in lines}, {"names.npy"})
            self.assertNotIn("to be continued", told)
            with kept_in(folder) as kept:
                called("keep", pathlib.Path(folder) / "r.jsonl")
                self.assertFalse((kept / "000.jsonl").exists())

    def test_probes_of_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            keys, probes = (pathlib.Path(folder) / f"{name}.npy" for name in ("keys", "probes"))
            for path in (keys, probes):
                path.write_bytes(bytes(800))
            with self.assertRaisesRegex(SystemExit, "--probes needs --keys"):
                self.run_figure(folder, "--probes", probes)
            lines, _ = self.run_figure(folder, "--keys", keys, "--probes", probes, "--series", "^B")
            self.assertEqual([line["probes"] for line in lines], [str(probes)] * 2)
            probes.unlink()
            with self.assertRaisesRegex(SystemExit, "there is no file .*probes.npy"):
                self.run_figure(folder, "--keys", keys, "--probes", probes)

    def test_a_plan_runs_nothing(self):
        _, told = called("run", "all", "--plan", "--bin", "none")
        named = sum(len(counts.split(", ")) for counts in CELLS.values())
        self.assertEqual(told.count(" commands, "), named - 1)  # the lines of 2b are those of 2a
        self.assertRegex(told, r"002 4: 8 commands, 16 cells, about \S+ min, .*64.0 of it page-locked")
        with self.assertRaises(SystemExit):
            called("run", "all")

    def test_time_ends(self):
        with tempfile.TemporaryDirectory() as folder:
            lines, told = self.run_figure(folder, "--seconds", "5", waits=2)
            self.assertEqual([line["series"] for line in lines], ["base", "B+(16) naive", "B+(16)"])
            self.assertIn("out of time", told)
            self.assertIn("to be continued", told)
            lines, told = self.run_figure(folder, "--total", "0")
            self.assertEqual(len(lines), 3)
            self.assertIn("14c: out of time: HT(open) 80% naive, HT(open) 80%, pin=none/reorder=none at", told)


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
