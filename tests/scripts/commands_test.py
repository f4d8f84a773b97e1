# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The commands of the pages, and that the check of them notices what does not exist."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHECK = ROOT / "scripts/check-commands.py"
HERE = shutil.which("warpdex") and shutil.which("warpdex-bench")


def check(root):
    return subprocess.run([sys.executable, CHECK, root], capture_output=True, text=True, check=False)


class Commands(unittest.TestCase):
    def test_pages(self):
        done = check(ROOT)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def refused(self, text, message):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "Makefile").write_text("build: deps\ntest:\n")
            (root / "page.md").write_text(text)
            done = check(root)
        if "without warpdex-bench," in done.stdout and message.startswith("warpdex-bench"):
            self.skipTest("the benchmark is not on the path")
        self.assertIn(message, done.stdout)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)

    def test_what_is_not_there(self):
        self.refused("so:\n\n    make rockets\n", "page.md:3: make rockets: no target rockets")
        self.refused(
            "```sh\nscripts/none.sh build\n```\n", "page.md:2: scripts/none.sh build: no script scripts/none.sh"
        )
        self.refused("    make \\\n      build\n    make no\n", "page.md:3: make no: no target no")
        self.refused("by `make none` or\n", "page.md:1: make none: no target none")

    def test_the_program_of_measurements(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "bench").mkdir()
            shutil.copytree(ROOT / "bench/python", root / "bench/python")
            commands = ("asof --rows 2^20", "nothing", "asof --none 3")
            (root / "page.md").write_text("".join(f"    python3 bench/python {one}\n" for one in commands))
            done = check(root)
        self.assertNotIn("page.md:1", done.stdout)
        self.assertIn("page.md:2: python3 bench/python nothing: no subcommand nothing", done.stdout)
        self.assertIn("page.md:3: python3 bench/python asof --none 3: --help knows no --none", done.stdout)

    def test_options_of_a_program(self):
        self.refused("    warpdex-bench info --jason\n", "warpdex-bench info --jason: --help knows no --jason")
        self.refused("    $ warpdex-bench inform --json\n", "warpdex-bench inform --json: no subcommand inform")

    @unittest.skipUnless(HERE, "the commands are not on the path")
    def test_options_alone(self):
        self.refused("with `--jason`\n", "page.md:1: no --help knows --jason")
        self.refused("with `--check none`, and\nby `--nothing 3`\n", "page.md:2: no --help knows --nothing")

    @unittest.skipUnless(HERE, "the commands are not on the path")
    def test_manual_pages(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "docs").mkdir()
            (root / "docs/warpdex-bench.1").write_text(".B \\-\\-json\n.TP\n\\fB\\-\\-no\\-one\\fR\n")
            done = check(root)
        self.assertIn("docs/warpdex-bench.1:3: no --help knows --no-one\n", done.stdout)
        self.assertNotIn("--json", done.stdout)

    def test_prose_is_no_command(self):
        with tempfile.TemporaryDirectory() as folder:
            text = "they\nmake equal files, and\nwarpdex builds\n    make build && make\n"
            (pathlib.Path(folder) / "page.md").write_text(text)
            (pathlib.Path(folder) / "Makefile").write_text("build:\n")
            done = check(folder)
        self.assertEqual((done.returncode, done.stdout.split(";")[0].strip()), (0, "2 commands"), done.stderr)


if __name__ == "__main__":
    unittest.main()
