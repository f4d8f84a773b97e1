#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Public names of Python, C++ and C follow docs/design/names.md; the words of that page, and of the glossary in
docs/architecture.md, are words of the code."""

import ast
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/design/names.md").read_text()
GLOSSARY = (ROOT / "docs/architecture.md").read_text().split("## Words")[1].split("\n## ")[0]
COMMAND = (ROOT / "docs/guide/command.md").read_text()
WORD = re.compile(r"[A-Za-z_]\w*")


def rows_of(page):
    lines = [line for line in page.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def words(cell):
    """The names between backquotes of a cell, of `Intervals.join` both, without what is in brackets."""
    return [word for code in re.findall(r"`([^`]*)`", cell) for word in WORD.findall(re.sub(r"\(.*", "", code))]


ROWS = [row for row in rows_of(PAGE) if row[0].startswith("`")]
TABLES = dict(re.findall(r"^## ([^\n]*)\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S))


def public_part(header):
    """A header without comments, texts, the namespace `detail`, and what is private."""
    code = re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', "", header, flags=re.S)
    code = re.sub(r"^namespace detail \{$.*?^\}", "", code, flags=re.S | re.M)
    return re.sub(r"^ private:.*?^\};", "", code, flags=re.S | re.M)


def names_of(header):
    """What callers write of a header: all its words but the names of parameters, which are before , or )."""
    return {*WORD.findall(re.sub(r"(?<=[\w>&*,] )\w+(?=[,)])", "", public_part(header)))}


CPP = set().union(*(names_of(path.read_text()) for path in (ROOT / "include/warpdex").glob("*.h*")))
C = {name.removeprefix("warpdex_") for name in CPP if name.startswith("warpdex_")}


def public_calls(tree, file):
    """The functions and methods that a caller of Python sees, with the names of their parameters."""
    for one in tree.body:
        if isinstance(one, ast.FunctionDef | ast.ClassDef):
            border = {ast.unparse(each).partition("(")[0] for each in one.decorator_list}
            if "public" in border:
                yield f"{file}:{one.name}", one
            if "public_methods" in border:
                yield f"{file}:{one.name}", ast.parse("def made(): pass").body[0]
                for each in one.body:
                    if isinstance(each, ast.FunctionDef) and (each.name == "__init__" or each.name[0] != "_"):
                        yield f"{file}:{one.name}.{each.name}", each


CALLS = {
    name: [each.arg for each in call.args.args + call.args.kwonlyargs if each.arg != "self"]
    for path in (ROOT / "python/warpdex").rglob("*.py")
    for name, call in public_calls(ast.parse(path.read_text()), path.name)
}
PYTHON = {word for name, arguments in CALLS.items() for word in [*arguments, *name.partition(":")[2].split(".")]}


class Names(unittest.TestCase):
    def test_words_are_in_the_code(self):
        there = CPP | C | PYTHON
        self.assertGreater(len(ROWS), 50)
        self.assertGreater(len(CALLS), 150)
        told = {word for row in ROWS for word in words(row[0].partition(":")[0])}
        self.assertEqual(sorted(told - there), [], "words of names.md that name nothing")

    def test_what_is_spelled_otherwise_is(self):
        there = CPP | C | PYTHON | {*words(COMMAND)} | {*re.findall(r"--(\w+)", COMMAND)}
        former = {word for row in ROWS for word in words(row[-1].replace("--", ""))}
        self.assertEqual(sorted(former - there), [], "words that names.md says are still in the code")

    def test_forbidden_words_are_not(self):
        forbidden = {*words(PAGE.split("; not `")[1].join(["`", ""]))}
        self.assertEqual(len(forbidden), 6)
        self.assertEqual(sorted(forbidden & (CPP | PYTHON)), [])

    def test_spelling(self):
        odd = [name for name in PYTHON if not re.fullmatch(r"_*[a-z][a-z0-9_]*|([A-Z][a-z0-9]+)+", name)]
        self.assertEqual(odd, [])
        foreign = r"ARROW_\w+|__\w+|CU\w+_st|(WDX|WARPDEX)_[A-Z0-9_]+"
        odd = [name for name in CPP if not re.fullmatch(rf"[a-z0-9_]+|([A-Z][a-z0-9]*)+|{foreign}", name)]
        self.assertEqual(odd, [], "C++ has snake_case, and PascalCase of template parameters")

    def test_calls_have_few_parameters(self):
        known = {word for row in ROWS for word in words(row[0]) if len(row) > 3 and row[2] == "the same"}
        known |= {word for row in rows_of(TABLES["Calls"]) for word in words(row[0])} | {
            "allow_parallel",
            "force_parallel",
        }
        long = {
            name: rest for name, all_ in CALLS.items() if len(rest := [each for each in all_ if each not in known]) > 10
        }
        self.assertEqual(long, {})

    def test_words_of_the_glossary_are_in_the_code(self):
        files = [path for top in ("src", "include") for path in (ROOT / top).rglob("*") if path.is_file()]
        code = " ".join(path.read_text(errors="replace") for path in files).replace("_", " ")
        glossary = [row[0] for row in rows_of(GLOSSARY) if row[0] != "word"]
        self.assertGreater(len(glossary), 30)
        self.assertEqual([word for word in glossary if not re.search(rf"\b{word}(e?s)?\b", code)], [])


if __name__ == "__main__":
    unittest.main()
